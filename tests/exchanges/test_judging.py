"""What is wrong between the messages of an exchange: each rule is caused, and what is made has no finding."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from support import AT, together

import sim
from sim.codec import Message
from sim.errors import IsoError
from sim.exchanges import break_exchange, findings, make
from sim.exchanges.breaking import good_exchange
from sim.exchanges.exchange import Exchange
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_csv, read_toml

FAULTS: dict[str, dict[str, Any]] = read_toml("faults_exchange")["faults"]


@together("fault", FAULTS)
def test_one_change_is_one_finding(fault: str) -> None:
    """One change to a message of a good exchange is one finding, on the message that disagrees."""
    assert findings(good_exchange(fault, at=AT)) == ()
    found = findings(break_exchange(fault, at=AT))
    assert [(one.rule, one.field) for _, one in found] == [(FAULTS[fault]["rule"], FAULTS[fault]["field"])]
    assert len(found[0][1].hint) > 40


def test_a_transaction_is_reversed_once() -> None:
    """A second reversal is told at its own step; a repeat of the first is none."""
    exchange = make(network="VISA", then="reversal", at=AT)
    twice = exchange.plus(replace(exchange.steps[2], at=None))
    assert [(at, one.rule) for at, one in findings(twice)] == [(4, "reversed-twice")]
    again = exchange.plus(replace(exchange.steps[2], role="repeat", at=None, of=2))
    assert findings(again) == ()


def test_nothing_follows_a_reversal() -> None:
    """What was reversed is neither completed nor increased, unless the reversal was refused."""
    exchange = make("preauthorization", network="VISA", then="reversal", at=AT)
    for then in ("completion:800", "increment:500"):
        later = make("preauthorization", network="VISA", then=then, at=AT).steps[2]
        late = exchange.plus(replace(later, at=None, of=0))
        assert [(at, one.rule) for at, one in findings(late)] == [(4, "completion-within")]
        refused = exchange.steps[3].message.replace(de39="12")
        steps = (*exchange.steps[:3], replace(exchange.steps[3], message=refused))
        again = replace(exchange, steps=steps).plus(replace(later, at=None, of=0))
        assert "completion-within" not in [one.rule for _, one in findings(again)]


def test_a_reversed_completion_counts_for_nothing() -> None:
    """What a completion took and gave back may be completed again."""
    exchange = make("preauthorization", network="VISA", then="completion:800", at=AT)
    completion = exchange.steps[2]
    reversal = make(network="VISA", then="reversal", at=AT, amount_minor_units=800).steps[2]
    undone = exchange.plus(replace(reversal, at=None, of=2))
    for before, expected in ((undone, False), (exchange, True)):
        again = before.plus(replace(completion, at=None))
        found = [at for at, one in findings(again) if one.rule == "completion-within"]
        assert found == ([len(again.steps) - 1] if expected else [])


def test_a_hold_is_reversed_with_its_increments() -> None:
    """One reversal gives back an authorization alone or with all increments, and no other amount."""
    for network, of_all in (("VISA", ("1000", "1500")), ("AMEX", ("700", "1000", "1500"))):
        exchange = make(
            "preauthorization", network=network, amount_minor_units=1000, then="increment:500", at=AT
        )
        reversal = make("preauthorization", network=network, amount_minor_units=1000, then="reversal", at=AT)
        for amount in ("700", "1000", "1500", "1600"):
            message = reversal.steps[2].message.replace(de4=amount.zfill(12))
            later = exchange.plus(replace(reversal.steps[2], message=message, at=None))
            rules = {one.rule for at, one in findings(later) if at == 4}
            assert ("reversed-amount" in rules) is (amount not in of_all)


def test_a_machine_that_dispensed_nothing_may_know_the_approval_code() -> None:
    """Visa's 2502 says either that no response came or that no cash did: only a purchase cannot know."""
    for purpose, expected in (("cash", []), ("purchase", ["approval-code-carried"])):
        exchange = make(network="VISA", purpose=purpose, outcome="timeout", then="reversal:timeout", at=AT)
        request, reversal, *_ = exchange.messages
        pair = Exchange.of([request, reversal.replace(de38="A12345")], network="VISA")
        assert [one.rule for _, one in findings(pair)] == expected


def test_a_second_reversal_leaves_less() -> None:
    """What was given back is not taken again: of two partial reversals, the later leaves less."""
    made = make(
        network="VISA",
        message_type="financial",
        amount_minor_units=10000,
        then="partial_reversal:6000",
        at=AT,
    )
    for stays, expected in (("8000", ["reversed-twice"]), ("4000", [])):
        again = made.steps[2].message
        again = again.replace(de95=stays.zfill(12) + again[95][12:], de11="123499")
        exchange = made.plus(replace(made.steps[2], message=again, at=None))
        assert [one.rule for _, one in findings(exchange) if one.rule == "reversed-twice"] == expected


def test_the_issuer_authenticates_each_response() -> None:
    """Authentication data (91) that were in the response to another cryptogram are a copy."""
    first, second = (make(network="VISA", at=AT, stan=stan) for stan in ("123456", "123457"))
    steps = [replace(step, at=None, of=None if step.of is None else 2) for step in second.steps]
    copied = steps[1].message.replace(de55=first.steps[1].message[55])
    for answer, expected in ((copied, ["55.91"]), (steps[1].message, [])):
        exchange = first.plus(steps[0]).plus(replace(steps[1], message=answer))
        assert [one.path for at, one in findings(exchange) if at == 3] == expected


def test_the_same_response_twice_is_no_second_decision() -> None:
    """A response that comes again says nothing new; with another code, it does."""
    exchange = make(network="VISA", at=AT)
    answer = replace(exchange.steps[1], at=None)
    assert findings(exchange.plus(answer)) == ()
    other = replace(answer, message=answer.message.replace(de39="05", de38=None))
    assert [(at, one.rule) for at, one in findings(exchange.plus(other))] == [(2, "answered-twice")]


def test_a_log_without_card_data_says_nothing_of_the_pin() -> None:
    """A wrong PIN refutes a request without one, unless a log has dropped both the track and the PIN."""
    request, answer = make(network="VISA", purpose="cash", at=AT).messages
    refused = answer.replace(de39="55", de38=None)
    for gone, expected in (
        ({"de52": None, "de53": None}, [39]),
        ({"de52": None, "de53": None, "de35": None}, []),
    ):
        pair = Exchange.of([request.replace(**gone), refused], network="VISA")
        assert [one.field for _, one in findings(pair) if one.rule == "result-unasked"] == expected


@pytest.mark.parametrize(("code", "same"), [("00", [126]), ("05", [])])
def test_the_authentication_of_a_declined_payment_may_be_sent_again(code: str, same: list[int]) -> None:
    """A cryptogram is for one payment: a decline has not used it."""
    options = {"entry": "ecommerce", "three_d_secure": "authenticated"}
    request, answer = make(network="VISA", at=AT, **options).messages
    again = request.replace(de11="654321", de37="632412654321")
    first = answer if code == "00" else answer.replace(de39=code, de38=None, de62=None)
    exchange = Exchange.of([request, first, again], network="VISA")
    assert [one.field for _, one in findings(exchange) if one.rule == "authentication-once"] == same


def test_an_increment_without_a_card_is_of_no_other() -> None:
    """If a log lacks the card of an increment, the id of an authorization in it may be right."""
    request, answer, increment, _ = make(
        "preauthorization", network="VISA", then="increment:500", at=AT
    ).messages
    nameless = increment.replace(de2=None, de35=None, de55=None)
    exchange = Exchange.of([request, answer, nameless], network="VISA")
    assert not [one for _, one in findings(exchange) if one.rule == "transaction-id-carried"]


def test_each_card_counts_its_own_transactions() -> None:
    """A card with a lower transaction counter than another card's is nothing to report."""
    exchange = make(network="VISA", then="refund:600", at=AT)
    first, answer, second, *rest = exchange.messages
    lower = second.replace(de55=second[55].replace("9F360201CA", "9F36020005"))
    assert [one.rule for _, one in findings(exchange.fitted([first, answer, lower, *rest]))] == [
        "chip-counter-rises"
    ]
    track = {"de35": second[35].replace(second[2], "4012888888881881")}
    messages = [
        message.replace(de2="4012888888881881", **(track if 35 in message else {}))
        for message in (lower, *rest)
    ]
    messages = [message.replace(de3="000000") for message in messages]
    assert findings(exchange.fitted([first, answer, *messages])) == ()


def test_a_repeat_is_the_same_message() -> None:
    """A repeat has all that the request had, but for the transmission time and the MAC."""
    exchange = make(network="JCB", outcome="timeout", then="repeat", at=AT)
    messages = list(exchange.messages)
    for change, expected in (
        ({"de7": "1120081530"}, []),
        ({"de12": "081530"}, [12]),
        ({"de43": None}, [43]),
        ({"de18": "5999", "de23": None}, [18, 23]),
    ):
        changed = [messages[0], messages[1].replace(**change), *messages[2:]]
        found = findings(exchange.fitted(changed))
        assert sorted(one.field or 0 for at, one in found if at == 1) == expected, change
        assert {one.rule for _, one in found} <= {"answer-repeats"}


@pytest.mark.parametrize(("amount", "wrong"), [("000000000999", False), ("000000001000", True)])
def test_a_partial_approval_is_of_less(amount: str, wrong: bool) -> None:
    """The approved amount is below the amount requested."""
    exchange = make(network="MASTERCARD", outcome="partial", amount_minor_units=1000, at=AT)
    messages = [exchange.messages[0], exchange.messages[1].replace(de4=amount)]
    found = [(at, one.rule, one.field) for at, one in findings(exchange.fitted(messages))]
    assert found == ([(1, "answer-repeats", 4)] if wrong else [])


def test_refunds_together_are_no_more_than_was_paid() -> None:
    """The second of two refunds is too much if the first left less."""
    exchange = make(network="VISA", amount_minor_units=1000, then="refund:600 refund:400", at=AT)
    assert findings(exchange) == ()
    more = make(network="VISA", amount_minor_units=1000, then="refund:600 refund:401", at=AT)
    assert [(at, one.rule) for at, one in findings(more)] == [(4, "refund-within")]


def test_a_reference_is_of_one_transaction() -> None:
    """A second request with the reference of the first has a wrong DE 37; a response that comes before its
    request has it rightly, and comes too early."""
    request, answer = make(network="VISA", entry="manual", at=AT).messages
    for messages, expected in (
        ((request, answer, request.replace(de4="000000002200", de11="123499", de7="1120110000")), [37]),
        ((answer, request), [0]),
    ):
        found = findings(Exchange.of(messages, network="VISA"))
        assert [one.field for _, one in found if one.rule == "named-by-none"] == expected


def test_totals_are_those_of_the_batch() -> None:
    """Totals that count as much as the batch since the last settlement have its amount; with another count,
    the exchange may not have the whole batch."""
    sales = [
        message
        for stan, amount in (("000001", 1000), ("000002", 2500))
        for message in make(
            network="VISA",
            interface="nac",
            message_type="financial",
            amount_minor_units=amount,
            stan=stan,
            at=AT,
        ).messages
    ]
    settled = sim.generate("settlement", network="VISA", interface="nac", at=AT).iso.to_message()
    for totals, wrong in (
        (("002", "000000003500"), False),
        (("002", "000000005500"), True),
        (("001", "000000005500"), False),
        (("003", "000000005500"), False),
    ):
        batch = settled.replace(de63="".join(totals) + "0" * 75)
        again = batch.replace(de11="000009", de63="001" + "000000009900" + "0" * 75)
        exchange = Exchange.of([*sales, batch, again], network="VISA")
        found = [(at, one.rule, one.field) for at, one in findings(exchange)]
        assert found == [(4, "totals-of-batch", 63)] * wrong


def test_totals_of_others_are_not_those_of_the_batch() -> None:
    """Totals of another terminal count other transactions; those in another currency are converted."""
    paid = make(network="VISA", message_type="financial", amount_minor_units=1000, at=AT).messages
    totals = {7: "1120101530", 11: "000009", 50: "840", 76: "0000000001", 88: "0000000000009900"}
    for elements, wrong in (
        ({}, True),
        ({41: paid[0][41]}, True),
        ({41: "TERM0009"}, False),
        ({50: "978"}, False),
    ):
        exchange = Exchange.of([*paid, Message("0500", totals | elements)], network="VISA")
        assert ("totals-of-batch" in [one.rule for _, one in findings(exchange)]) is wrong, elements


def test_a_later_payment_names_no_payment_of_another_card() -> None:
    """A payment of a series may refer to a payment that the exchange does not have, but not to another
    card's."""
    first = make(network="VISA", at=AT)
    own_id = first.messages[1][62]
    later = sim.generate("recurring", network="VISA", stan="123499", at=AT).iso.to_message()
    for card, transaction, wrong in (
        (later[2], own_id, False),
        (later[2], "4000000000000000123456789012345", False),
        ("4012888888881881", own_id, True),
    ):
        request = later.replace(de2=card, de18=first.messages[0][18], de62=transaction, de37=None)
        found = [one.rule for at, one in findings(Exchange.of([*first.messages, request], network="VISA"))]
        assert found == ["transaction-id-carried"] * wrong


def test_each_rule_is_caused() -> None:
    """No row is without an exchange that breaks it, and the catalogue lists both."""
    rules = {row["id"] for row in read_csv("rules_exchange")}
    assert {row["rule"] for row in FAULTS.values()} == rules
    assert rules <= set(sim.rules()["rule"])
    assert set(FAULTS) <= set(sim.faults()["fault"])


def test_a_fault_between_messages_goes_into_no_single_one() -> None:
    """Which it says, and names those that do."""
    with pytest.raises(sim.ChoiceError, match="does not apply to this message"):
        sim.break_message(sim.generate("auth", at=AT), "reversal-twice")
    with pytest.raises(sim.ChoiceError, match="fault"):
        break_exchange("reversal-thrice")


def test_the_id_of_any_response_of_the_transaction_will_do() -> None:
    """A completion after an increment may name either response; none is a finding."""
    exchange = make("preauthorization", network="MASTERCARD", then="increment:500 completion", at=AT)
    later = "MCC" + exchange.steps[3].message[63][3:] + exchange.steps[3].message[15] + "  "
    messages = list(exchange.messages)
    first = messages[4][48]
    messages[4] = messages[4].replace(de48=first[:-15] + later)
    assert findings(exchange.fitted(messages)) == ()
    messages[4] = messages[4].replace(de48=first[:-19])
    assert [(at, one.rule, one.path) for at, one in findings(exchange.fitted(messages))] == [
        (4, "transaction-id-carried", "48.63")
    ]


@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_made_has_no_finding_between_its_messages(network: str) -> None:
    """Approved, declined, late or not answered, and whatever follows."""
    seen = 0
    for outcome in ("approved", "declined", "partial", "timeout", "late"):
        for then in (
            "",
            "reversal",
            "partial_reversal:400",
            "completion:800",
            "increment:500 completion:900",
        ):
            try:
                exchange = make("preauthorization", outcome=outcome, then=then, network=network, at=AT)
            except IsoError:
                continue
            seen += 1
            assert findings(exchange) == (), (network, outcome, then)
    assert seen > 8


def test_the_table_tells_which_message() -> None:
    """`.iso.findings` has the step in front of what `validate` tells, and what is between messages."""
    table = sim.exchange(network="VISA", then="reversal", at=AT)
    assert table.iso.findings.empty
    assert table.iso.findings.columns.tolist() == [
        "step",
        *sim.validate("08002020000000000000990000123456").columns,
    ]


@pytest.mark.parametrize(("day", "late"), [("1220", False), ("1221", True)])
def test_an_authorization_is_completed_within_thirty_days(day: str, late: bool) -> None:
    """Thirty days after it, the hold is still valid."""
    exchange = make("preauthorization", network="AMEX", then="completion:800", at=AT)
    messages = [
        one.replace(de7=f"{day}101530") if at == 2 else one for at, one in enumerate(exchange.messages)
    ]
    found = [(one.rule, one.field) for at, one in findings(exchange.fitted(messages)) if at == 2]
    assert found == ([("completion-within", 7)] if late else [])


def test_an_issuer_may_advise_the_merchant_unasked() -> None:
    """A decline says by itself whether to try again (48.84); a result of a check has something to check."""
    exchange = make(network="MASTERCARD", entry="ecommerce", outcome="declined", at=AT)
    for text, rules in (("T840203", []), ("T8701M", ["result-unasked"])):
        messages = [exchange.messages[0], exchange.messages[1].replace(de48=text)]
        assert [one.rule for _, one in findings(exchange.fitted(messages))] == rules


@pytest.mark.parametrize(
    ("network", "code", "expected"),
    [
        ("VISA", "N7", ["another code, because the request has no DE 126.10"]),
        ("VISA", "55", ["another code, because the request has no DE 52"]),
        ("MASTERCARD", "N7", []),
        ("MASTERCARD", "05", []),
    ],
)
def test_a_code_about_what_was_not_sent(network: str, code: str, expected: list[str]) -> None:
    """A wrong PIN needs a PIN, N7 the CVV2, which is in DE 126 on the network that has N7."""
    exchange = make(network=network, entry="ecommerce", outcome="declined", at=AT)
    messages = [exchange.messages[0], exchange.messages[1].replace(de39=code)]
    assert [one.expected for _, one in findings(exchange.fitted(messages))] == expected


@pytest.mark.parametrize(
    ("network", "outcome", "rules"),
    [("MASTERCARD", "declined", ["never-retried"]), ("MASTERCARD", "approved", []), ("JCB", "declined", [])],
)
def test_only_a_decline_of_mastercard_advises_against_a_retry(
    network: str, outcome: str, rules: list[str]
) -> None:
    """Tag 84 of DE 48 is a merchant advice code at Mastercard alone, and of a decline."""
    first = make(network=network, entry="ecommerce", outcome=outcome, at=AT)
    retry = make(network=network, entry="ecommerce", at=AT + timedelta(hours=1), stan="654321")
    text = "T840203" if network == "MASTERCARD" else "840203"
    steps = [
        *first.steps,
        *(replace(step, of=None if step.of is None else step.of + 2) for step in retry.steps),
    ]
    messages = [first.messages[0], first.messages[1].replace(de48=text), *retry.messages]
    exchange = replace(first, steps=tuple(steps)).fitted(messages)
    assert [one.rule for _, one in findings(exchange) if one.rule == "never-retried"] == rules
