"""How the host decides: rules, balances, repeats, network management."""

from __future__ import annotations

import asyncio
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import together

import sim
from sim.codec import Message, parse
from sim.elements.mti import repeat_mti
from sim.errors import OptionError, ParseError
from sim.exchanges import Exchange, Step, follow
from sim.exchanges.roles import management
from sim.link.issuer import Accounts, Decision, Issuer, Session
from sim.link.rules import ACTIONS, Range, Table, rules_of
from sim.operations import NETWORKS, generate, respond, reverse, validate
from sim.parts import chip_data
from sim.spec import VERSIONS
from tests.link.ends import AT, message, until

PAN = message()[2]


def issuer(rules: Any = (), balance: int = 10_000, **options: Any) -> Issuer:
    """An issuer whose card has *balance*."""
    return Issuer(Table(rules_of(rules)), Accounts({PAN: balance}), **options)


def decide(host: Issuer, sent: Message, session: Session | None = None) -> Decision:
    """The decision on a message."""
    return host.decide(sent, session or Session())


def code(decision: Decision) -> str:
    """The response code of a decision."""
    assert decision.answer is not None
    return decision.answer[39]


@together("network", NETWORKS)
@together("kind", ["auth", "financial", "advice", "reversal", "echo"])
def test_what_is_answered_is_valid_on_its_own_network(network: str, kind: str) -> None:
    """Every type of message of every network, in its own version, gets a valid response."""
    sent = generate(kind, network=network, version=None, at=AT).message
    answer = decide(issuer(), sent).answer
    assert answer is not None
    assert validate(answer, network=network).errors == []


def test_what_was_approved_before_keeps_its_approval_code() -> None:
    """The advice of a completion has the approval code of its authorization; the response has the same
    one."""
    told = generate("financial_advice", purpose="completion", network="VISA", at=AT).message
    host = issuer()
    answers = [decide(host, one).answer for one in (message(), told, told.replace(de11="000777", de38=None))]
    assert [one[38] for one in answers if one] == ["000001", told[38], "000003"]


@together(
    "raw, answered",
    [
        ("0100" + "2020000000000000" + "000000" + "123456" + "too much", True),
        ("0100" + "2010000000000000" + "000000" + "00000000", False),  # cut before a trace number could stand
        ("0110" + "2020000000000000" + "000000" + "123456" + "too much", False),
        ("no message", False),
    ],
)
def test_what_cannot_be_read_is_answered_where_its_trace_number_can(raw: str, answered: bool) -> None:
    """A broken request with a STAN gets a format error; without one its response could not be matched; a
    response is never answered."""
    with pytest.raises(ParseError) as caught:
        parse(raw)
    decision = issuer().unreadable(caught.value, "it does not fit")
    assert (decision.answer is not None) is answered
    assert decision.note == "unreadable: it does not fit"
    if decision.answer is not None:
        assert (decision.answer.mti, decision.answer[11], decision.answer[39]) == ("0110", "123456", "30")


def test_money_goes_down_and_comes_back() -> None:
    """A purchase debits, a reversal returns the money once, a refund credits; a balance inquiry reports
    the balance; a transfer between accounts leaves it."""
    host, sent = issuer(), message(amount_minor_units=4000)
    assert code(decide(host, sent)) == "00"
    assert host.accounts.balance(PAN) == 6000
    undo = reverse(sent, stan="000009", at=AT).message
    assert code(decide(host, undo)) == "00"
    assert host.accounts.balance(PAN) == 10_000
    again = reverse(sent, stan="000010", at=AT).message
    assert (code(decide(host, again)), host.accounts.balance(PAN)) == ("00", 10_000)
    assert code(decide(host, message(3, purpose="refund", amount_minor_units=500))) == "00"
    assert host.accounts.balance(PAN) == 10_500
    inquiry = message(4, purpose="balance")
    told = decide(host, inquiry).answer
    assert told is not None
    assert told[54] == "0001840C000000010500" + "0002840C000000010500"
    assert code(decide(host, reverse(inquiry, stan="000011", at=AT).message)) == "00"
    transfer = message(5, amount_minor_units=700).replace(de3="401020")  # savings to checking
    assert code(decide(host, transfer)) == "00"
    assert host.accounts.balance(PAN) == 10_500


def test_a_balance_of_more_digits_than_an_amount_has_is_told_as_the_most() -> None:
    """A larger balance, from refunds or the opening, is reported as twelve nines."""
    told = decide(issuer(balance=10**13), message(purpose="balance")).answer
    assert told is not None
    assert told[54].endswith("C" + "9" * 12)


def test_more_than_there_is_is_declined_and_an_advice_is_not() -> None:
    """51 for insufficient funds; the whole balance may be spent; an advice is booked regardless."""
    host = issuer(balance=100)
    assert code(decide(host, message(amount_minor_units=101))) == "51"
    assert host.accounts.balance(PAN) == 100
    assert code(decide(host, message(2, amount_minor_units=100))) == "00"
    assert host.accounts.balance(PAN) == 0
    assert code(decide(host, message(3, "advice", amount_minor_units=300))) == "00"
    assert host.accounts.balance(PAN) == -300


@pytest.mark.parametrize("version", VERSIONS)
def test_codes_have_the_width_of_their_version(version: str) -> None:
    """No funds, unknown original, format error: the codes have two, three or four digits."""
    host, width = issuer(balance=0), {"1987": 2, "1993": 3, "2003": 4}[version]
    poor = message(amount_minor_units=1, version=version)
    unknown = generate("reversal", at=AT, version=version).message
    wrong = message(2, pan="4111111111111112", version=version)
    said = [code(decide(host, sent)) for sent in (poor, unknown, wrong)]
    assert {len(one) for one in said} == {width}
    assert (
        said
        == {
            "1987": ["51", "25", "30"],
            "1993": ["116", "914", "904"],
            "2003": ["1016", "9114", "9109"],
        }[version]
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("purpose", "balances"), [("purchase", (8500, 10_000)), ("refund", (11_500, 10_000))]
)
def test_a_partial_reversal_gives_back_what_does_not_stay(
    version: str, purpose: str, balances: tuple[int, int]
) -> None:
    """1,500 of 4,000 stay: 2,500 are returned, once, whichever element has the amount; a full reversal
    returns the rest."""
    host = issuer()
    sent = message(kind="financial", version=version, purpose=purpose, amount_minor_units=4000)
    decide(host, sent)
    for stan in ("000009", "000010"):
        undo = reverse(sent, stan=stan, at=AT, final_amount_minor_units=1500).message
        decide(host, undo)
        assert host.accounts.balance(PAN) == balances[0]
    decide(host, reverse(sent, stan="000011", at=AT).message)
    assert host.accounts.balance(PAN) == balances[1]


@pytest.mark.parametrize("version", ["1993", "2003"])
def test_the_original_amount_again_is_a_full_reversal(version: str) -> None:
    """An amount equal to the original one is what is reversed: nothing stays."""
    host, sent = issuer(), message(kind="financial", version=version, amount_minor_units=4000)
    decide(host, sent)
    part = reverse(sent, at=AT, final_amount_minor_units=1500).message
    decide(host, part.replace(de4=part[30][: len(part[4])]))
    assert host.accounts.balance(PAN) == 10_000


def test_a_repeat_gets_the_same_answer_and_books_nothing() -> None:
    """0101 after 0100, or the same 0100 twice: one booking, one approval code."""
    host, sent = issuer(), message(amount_minor_units=4000)
    first = decide(host, sent)
    for again in (sent, sent.replace(mti=repeat_mti(sent.mti))):
        decision = decide(host, again)
        assert decision.answer == first.answer
        assert decision.note == "repeat"
    assert host.accounts.balance(PAN) == 6000
    other = message(2, amount_minor_units=4000)
    assert decide(host, other).answer != first.answer


@pytest.mark.parametrize("version", VERSIONS)
def test_a_repeat_may_be_sent_at_another_time(version: str) -> None:
    """An MTI of a repeat makes it one, whatever its DE 7, which its response has, too; the same number with
    the first MTI at another time is another transaction."""
    host, sent = issuer(), message(version=version, amount_minor_units=4000)
    first, later = decide(host, sent).answer, sent.replace(de7="1120101601")
    again = decide(host, later.replace(mti=repeat_mti(sent.mti)))
    assert first is not None
    assert again.answer == first.replace(de7=later[7] if first[7] == sent[7] else first[7])
    assert (again.note, host.accounts.balance(PAN)) == ("repeat", 6000)
    assert (decide(host, later).note, host.accounts.balance(PAN)) == ("", 2000)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("rules", [0, 1], ids=["judged", "by a rule"])
def test_a_request_may_come_after_its_repeat(version: str, rules: int) -> None:
    """Over several connections, repeats with times of their own overtake their request: in any order the
    money moves once, and comes back once."""
    sent = message(version=version, amount_minor_units=4000)
    again = [sent.replace(mti=repeat_mti(sent.mti), de7=f"11201016{second}") for second in (10, 40)]
    undo = reverse(sent, stan="000009").message
    approved = respond(sent).message[39]
    for order in permutations([sent, *again, sent]):
        host = issuer([{"code": approved, "mti": "x1xx"}] * rules)
        answers = [decide(host, one).answer for one in order]
        assert host.accounts.balance(PAN) == 6000
        assert [one and one[7] for one in answers] == [one[7] for one in order]
        for one in (undo, *order):
            decide(host, one)
        assert host.accounts.balance(PAN) == 10_000


def test_a_repeat_gets_an_answer_without_a_text_form() -> None:
    """Elements of a format that the text form has no room for are in the second response as in the first."""
    host = issuer()
    request = Message("0100", message().fields | {11: "1234567"})
    first, again = (decide(host, request).answer for _ in range(2))
    assert first is not None
    assert first == again


@pytest.mark.parametrize("approved", [None, 3000], ids=["all", "part"])
@pytest.mark.parametrize("rule", [{}, {"mti": "0220", "code": "00"}], ids=["judged", "by a rule"])
@pytest.mark.parametrize("by", ["reference", "approval code", "original data"])
def test_a_completion_takes_the_place_of_its_authorization(
    approved: int | None, rule: dict[str, str], by: str
) -> None:
    """A 0220 that refers to a full or partial authorization replaces it by its own amount, debited once;
    its repeat changes nothing, its reversal returns everything. A second one is a separate sale."""
    rules = [rule] if rule else []
    rules += [{"mti": "0100", "action": "partial", "approved": str(approved)}] if approved else []
    host, asked = issuer(rules), message(amount_minor_units=5000, purpose="preauthorization")
    told = decide(host, asked).answer
    assert told is not None
    assert host.accounts.balance(PAN) == 10_000 - (approved or 5000)
    named = {
        "reference": {"de37": asked[37]},
        "approval code": {"de38": told[38]},
        "original data": {"de90": f"{asked.mti}{asked[11]}{asked[7]}" + "0" * 22},
    }[by]
    done = message(2, "financial_advice", amount_minor_units=2500, purpose="completion").replace(**named)
    for one in (done, done.replace(mti="0221")):
        assert code(decide(host, one)) == "00"
        assert host.accounts.balance(PAN) == 7500
    more = message(4, "financial_advice", amount_minor_units=1000, purpose="completion").replace(**named)
    decide(host, more)
    assert host.accounts.balance(PAN) == 6500
    assert code(decide(host, reverse(done, stan="000003").message)) == "00"
    assert host.accounts.balance(PAN) == 9000


def test_an_approval_code_is_that_of_its_card_and_of_an_authorization() -> None:
    """The approval code of another card or of a sale does not identify an authorization."""
    host = issuer()
    asked = message(amount_minor_units=5000, pan="5555555555554444", network="MASTERCARD")
    told = decide(host, asked).answer
    assert told is not None
    for at in (2, 3):
        sale = message(at, "financial_advice", amount_minor_units=2500, purpose="completion")
        assert decide(host, sale.replace(de38=told[38])).note == ""
    assert host.accounts.balance(PAN) == 5000


def test_a_rule_that_approves_books_a_repeat_once() -> None:
    """A rule applies each time, but the money moves once, whatever the responses before and between."""
    sent = message(amount_minor_units=4000)
    again = sent.replace(mti=repeat_mti(sent.mti))
    host = issuer([{"code": "00"}])
    assert [code(decide(host, one)) for one in (sent, sent, again)] == ["00"] * 3
    assert host.accounts.balance(PAN) == 6000
    host = issuer([{"code": "91", "seen": "1"}, {"code": "00"}])
    assert [code(decide(host, one)) for one in (sent, again, again)] == ["91", "00", "00"]
    assert host.accounts.balance(PAN) == 6000
    host = issuer([{"code": "05", "seen": "2..3"}, {"code": "00"}])
    assert [code(decide(host, one)) for one in (sent, again, again, again)] == ["00", "05", "05", "00"]
    assert host.accounts.balance(PAN) == 6000


def test_a_rule_that_approves_has_the_effect_of_an_approval() -> None:
    """A rule's code may be one that only the network approves with; a reversal approved by a rule returns the
    money, a sign-on signs on, a key exchange brings a key. A decline by a rule does none of it."""
    sent, on = message(amount_minor_units=4000), generate("sign_on", at=AT).message
    undo = reverse(sent, stan="000009", at=AT).message
    host = issuer([{"code": "11"}], sign_on=True)
    session = Session()
    for one, balance in ((sent, 10_000), (on, 10_000), (sent, 6000), (undo, 10_000)):
        decide(host, one, session)
        assert host.accounts.balance(PAN) == balance
    host = issuer([{"mti": "0100"}, {"code": "05"}], sign_on=True)
    session = Session()
    decide(host, on, session)
    assert not session.signed_on
    session.signed_on = True
    for one in (sent, undo):
        decide(host, one, session)
    assert host.accounts.balance(PAN) == 6000


def test_an_invalid_message_is_declined_and_told_why() -> None:
    """A wrong check digit gets 30, and the note names the rule, without the number."""
    decision = decide(issuer(), message(pan="4111111111111112"))
    assert code(decision) == "30"
    assert "DE 2" in decision.note
    assert "4111111111111112" not in decision.note


def test_a_part_is_approved() -> None:
    """A rule approves 2,500 of 4,000: code 10, the part in DE 4, the whole in DE 54, 2,500 debited."""
    host = issuer([{"action": "partial", "approved": "2500"}])
    answer = decide(host, message(amount_minor_units=4000)).answer
    assert answer is not None
    assert (answer[39], answer[4], answer[54]) == ("10", f"{2500:012}", "0057840C000000004000")
    assert list(answer.fields) == sorted(answer.fields)
    assert host.accounts.balance(PAN) == 7500


@together(
    "row, fits, fits_not",
    [
        ({"mti": "01xx"}, {}, {"kind": "financial"}),
        ({"mti": "0200"}, {"kind": "financial"}, {}),
        ({"processing_code": "01"}, {"purpose": "cash"}, {}),
        ({"network": "master card"}, {"network": "MASTERCARD"}, {}),
        ({"card": "4012*"}, {"pan": "4012888888881881"}, {}),
        ({"card": "4012888888881881"}, {"pan": "4012888888881881"}, {}),
        ({"amount": "1000"}, {}, {"amount_minor_units": 1001}),
        ({"amount": "2000.."}, {"amount_minor_units": 2000}, {}),
        ({"amount": "..999"}, {"amount_minor_units": 999}, {}),
        ({"amount": "5..7"}, {"amount_minor_units": 6}, {"amount_minor_units": 8}),
        ({"currency": "EUR"}, {"currency": "978"}, {}),
        ({"currency": "978"}, {"currency": "978"}, {}),
        ({"terminal": "TERM0001"}, {}, {"details": {"terminal": "OTHER001"}}),
        ({"merchant": "MERCHANT0000001"}, {}, {"details": {"merchant": "OTHER"}}),
    ],
)
def test_conditions(row: dict[str, str], fits: dict[str, Any], fits_not: dict[str, Any]) -> None:
    """A rule applies to exactly the messages that meet its conditions."""
    (rule,) = rules_of([row | {"code": "05"}])
    assert rule.fits(message(**fits))
    assert not rule.fits(message(**fits_not))


def test_the_first_rule_that_fits_holds_and_may_count() -> None:
    """The second and third authorization are declined, the others are not."""
    host = issuer("mti,seen,code\n0100,2..3,05\n0100,,00")
    assert [code(decide(host, message(stan))) for stan in range(1, 6)] == ["00", "05", "05", "00", "00"]


def test_rules_come_as_csv_toml_rows_and_files(tmp_path: Path) -> None:
    """The same table in four forms gives the same rules."""
    text = "card,code,name\n4111*,51,no money\n"
    toml = '[[rules]]\ncard = "4111*"\ncode = "51"\nname = "no money"\n'
    (tmp_path / "rules.toml").write_text(toml, encoding="utf-8")
    (tmp_path / "rules.csv").write_text(text, encoding="utf-8")
    rows = pd.DataFrame([{"card": "4111*", "code": "51", "name": "no money"}]).to_dict("records")
    made = [rules_of(text), rules_of(toml), rules_of(rows), rules_of(tmp_path / "rules.toml")]
    assert all(one == made[0] for one in [*made, rules_of(str(tmp_path / "rules.csv"))])
    assert repr(made[0]) == "(Rule('no money'),)"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"carrd": "4"}, "rule 1: expected .*; did you mean 'card'"),
        ({"action": "dropp"}, "rule 1, action: expected .*; did you mean 'drop'"),
        ({"amount": "much"}, "rule 1, amount: expected a whole number or a range"),
        ({"seen": ".."}, "rule 1, seen: expected"),
        ({"delay": "-1"}, "rule 1, delay: expected a number of 0 or more"),
        ({"delay": "soon"}, "rule 1, delay: expected a number of 0 or more, found 'soon'"),
        ({"delay": "nan"}, "rule 1, delay: expected a number of 0 or more"),
        ({"network": "VISSA"}, "rule 1, network: expected .*; did you mean 'VISA'"),
        ({"action": "partial"}, "rule 1, approved: expected the approved amount"),
        ({"approved": "50"}, "rule 1, action: expected partial, .*, found none"),
        ({"mti": "100"}, "rule 1, mti: expected four digits, x for any, .*, found '100'"),
        ({"processing_code": "0x"}, "rule 1, processing_code: expected its first 1 to 6 digits"),
        ({"card": "4111"}, "rule 1, card: expected a card number, or its first digits"),
        ({"card": "4111-1111-1111-1111"}, "rule 1, card: expected .*, found 19 characters"),
        ({"code": "5"}, "rule 1, code: expected a response code: 2 characters, .*, found '5'"),
        ({"currency": "EURO"}, "rule 1, currency: expected an ISO 4217 currency"),
    ],
)
def test_a_rule_that_cannot_be_met_is_named(row: dict[str, str], text: str) -> None:
    """The error for an invalid rule gives row, column, and what is allowed."""
    with pytest.raises(OptionError, match=text):
        rules_of([row])


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (5, r"rules: expected a CSV or TOML file, .* or a list of rows, found"),
        ({"mti": "0100"}, r"rules: expected a CSV or TOML file, .* or a list of rows, found"),
        ("[rules]\nmti = '0100'\n", r"rules: expected a CSV or TOML file, .* or a list of rows, found"),
        ([5], "rule 1: expected a table of columns, found a value of type int"),
        ("card\n" + "4" * 140_000 + "\n", "rules: expected a CSV file, found field larger than field limit"),
    ],
    ids=["a number", "one row", "one row in TOML", "a number in a list", "a cell without an end"],
)
def test_what_is_no_table_of_rules_is_told(rules: Any, text: str) -> None:
    """A number, one row outside a list, or a file that is not CSV is an error."""
    with pytest.raises(OptionError, match=text):
        rules_of(rules)


@pytest.mark.parametrize(("network", "version"), [("VISA", "1987"), ("MASTERCARD", "1987"), ("AMEX", "1993")])
def test_a_completion_takes_the_place_of_increments_too(network: str, version: str) -> None:
    """A completion replaces its authorization and the increments of the same transaction: nothing is left of
    them to give back."""
    made = Exchange(network=network)
    host = Issuer(Table(), Accounts(opening=10_000))
    for word, units in (("", 5000), ("increment", 1000), ("increment", 500), ("completion", 6200)):
        options: Any = {"network": network, "version": version, "purpose": "preauthorization"}
        step = (
            follow(made, word, amount_minor_units=units)
            if word
            else Step("request", message(amount_minor_units=units, **options))
        )
        answer = decide(host, step.message).answer
        assert answer is not None
        made = made.plus(step, Step("answer", answer, None, len(made)))
    pan = made.messages[0][2]
    assert host.accounts.balance(pan) == 10_000 - 6200
    increment = made.messages[2]
    assert host.accounts.give_back(reverse(increment, stan="000099").message) == 0
    assert host.accounts.balance(pan) == 10_000 - 6200


def test_a_file_action_is_accepted() -> None:
    """A message that moves no money and reverses nothing gets an approval, and nothing is booked."""
    host = issuer(balance=1000)
    request = Message("0302", {7: "1127120000", 11: "000001", 101: "NEGATIVE"})
    assert code(decide(host, request)) == "00"
    assert host.accounts.balance(PAN) == 1000


def test_a_code_that_no_answer_has_room_for_is_told() -> None:
    """A rule's code does not fit the message's version: the response is a system malfunction, with a note."""
    decision = decide(issuer([{"code": "54"}]), message(version="1993"))
    assert (code(decision), decision.note) == (
        "909",
        "the rule's code 54 is not a code of 1993: DE 39: expected n 3, a code of 1993: "
        "see sim.codes('response_code'), found 2 characters",
    )


def test_a_partial_approval_may_have_a_code_of_its_own() -> None:
    """The approved amount is booked, once; a refund, which debits nothing, is approved in full."""
    host = issuer([{"action": "partial", "approved": "300", "code": "87"}], balance=1000)
    for _ in range(2):
        decision = decide(host, message(amount_minor_units=500))
        assert decision.answer is not None
        assert (code(decision), int(decision.answer[4])) == ("87", 300)
        assert host.accounts.balance(PAN) == 700
    assert code(decide(host, message(2, purpose="refund", kind="financial", amount_minor_units=500))) == "00"
    assert host.accounts.balance(PAN) == 1200


def test_a_card_may_be_written_with_blanks() -> None:
    """Rules and balances accept blanks in card numbers."""
    (rule,) = rules_of([{"card": "4111 1111 1111 1111"}])
    assert rule.card == PAN


def test_actions_are_told_and_ranges_are_written_as_read() -> None:
    """Every action has a description; a range can be read back as written."""
    assert all(sentence for sentence in ACTIONS.values())
    for text in ("5", "5..", "..5", "5..9"):
        assert str(Range.of("amount", text)) == text


def test_a_rules_code_of_another_version_is_a_malfunction() -> None:
    """51 is not a 1993 code: the response is 909, not a lost request."""
    assert code(decide(issuer([{"code": "51"}]), message(version="1993"))) == "909"


def test_sign_on_sign_off_and_cut_over() -> None:
    """With a required sign-on, only network management is answered before it and after a sign-off."""
    host, session = issuer(sign_on=True), Session()
    echo = message(1, "echo")
    assert code(decide(host, message(), session)) == "91"
    for number, (kind, said) in enumerate([("301", "91"), ("001", "00"), ("002", "91"), ("081", "00")], 2):
        assert code(decide(host, echo.replace(de70=kind), session)) == "00"
        assert code(decide(host, message(number), session)) == said
    assert host.business_days == 0
    assert code(decide(host, echo.replace(de70="201"), session)) == "00"
    assert host.business_days == 1


@pytest.mark.parametrize(
    ("elements", "kind"),
    [({70: "001"}, "sign-on"), ({70: "270"}, "echo"), ({70: "201"}, "cutover"), ({70: "555"}, ""), ({}, "")],
)
def test_network_management_by_its_code(elements: dict[int, str], kind: str) -> None:
    """DE 70 gives the purpose, including a network's own codes."""
    assert management(Message("0800", elements)) == kind
    assert management(Message("1804", {24: "831"}, "1993")) == "echo"


def test_nothing_answers_an_answer() -> None:
    """A response that arrives at the host is logged, and gets no response."""
    decision = decide(issuer(), respond(message()).message)
    assert (decision.answer, decision.note) == (None, "not a request: it has no response")


def test_a_reversal_by_reference_undoes_its_own_transaction() -> None:
    """The retrieval reference number distinguishes two transactions of a card with the same STAN."""
    accounts = Accounts(opening=10_000)
    first = generate("financial", stan="000001").message.replace(de37="000000000001")
    accounts.book(first, 300)
    accounts.book(first.replace(de37="000000000002"), 500)
    undone = first.replace(mti="0400", de90=None)
    assert accounts.give_back(undone) == 300
    assert accounts.give_back(undone) == 0
    assert accounts.balance(first[2]) == 10_000 - 500


def test_a_column_taken_for_an_action_is_told() -> None:
    """A delay is a column, not an action, and the error says so."""
    with pytest.raises(OptionError, match="delay is a separate column"):
        rules_of([{"action": "delay"}])


@pytest.mark.parametrize(
    ("condition", "sent"),
    [
        ({"de22": "01*"}, message(1)),
        ({"de22": "absent"}, message(1).replace(de22=None)),
        ({"de18": "5999"}, message(1).replace(de18="5999")),
        ({"de48": "~.*NO.*"}, message(1).replace(de48="SAY NO TO IT")),
        ({"de35": "~[0-9]+=2912.*"}, message(1, entry="stripe")),
        ({"de55": "present"}, message(1, entry="chip")),
        ({"de55.9F35": "22", "de55.9F1A": "0840"}, message(1, entry="chip")),
    ],
    ids=["DE 22", "absent", "DE 18", "pattern", "track 2", "DE 55", "tags"],
)
def test_a_host_declines_by_any_element(condition: dict[str, str], sent: Message) -> None:
    """Conditions: a value, a prefix, a pattern, presence, and chip tags; other messages are unaffected."""
    ruled = issuer([{**condition, "code": "05"}])
    assert decide(ruled, sent).code == "05"
    other = "chip" if "de22" in condition else "manual"
    assert decide(ruled, message(2, entry=other)).code == "00"


def test_an_answer_carries_what_its_rule_says() -> None:
    """A rule sets or removes elements, subfields and chip tags of the response; a repeat gets the same."""
    rules = [
        {
            "card": "4*",
            "code": "05",
            "set": {"44": "CALL", "48": "X", "55": {"71": "9F180400000001"}, "37": "-"},
        }
    ]
    ruled, sent = issuer(rules), message(1, entry="chip").replace(de37="612345000001")
    first = decide(ruled, sent).answer
    assert first is not None
    assert (first[39], first[44], first[48], 37 in first) == ("05", "CALL", "X", False)
    assert chip_data.read(first[55]).value("71") == "9F180400000001"
    assert decide(ruled, sent.replace(mti="0101")).answer == first


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"de48": "~["}, "rule 1, de48: expected a regular expression after ~"),
        ({"de1": "0"}, "rule 1: expected .*found 'de1'"),
        ({"set.300": "0"}, "rule 1: expected"),
    ],
)
def test_a_condition_on_an_element_that_cannot_be_met_is_told(row: dict[str, str], said: str) -> None:
    """An unknown element or an invalid pattern is an error."""
    with pytest.raises(OptionError, match=said):
        rules_of([row])


def test_a_function_says_what_a_request_gets() -> None:
    """A function returns a code, a row, or nothing; by itself or among rows; if it fails, this is logged,
    and the host goes on."""

    def by_amount(request: Message) -> Any:
        known = {
            "000000006000": "51",
            "000000007000": {"code": "05", "set.44": "A"},
            "000000008000": {"no": 1},
        }
        return 1 / 0 if request[4] == "000000009000" else known.get(request[4])

    with sim.host([by_amount, {"amount": "1..1500", "code": "91"}]) as host, sim.client(host) as client:
        for amount, code in ((6000, "51"), (7000, "05"), (1000, "91"), (2000, "00")):
            assert client.send(message(amount, amount_minor_units=amount)).code == code
        for amount, why in ((8000, "no"), (9000, "ZeroDivisionError")):
            count, asked = host.seen.counts["unanswered"], message(amount, amount_minor_units=amount)
            client.start(asked, timeout=0.01, reverse=False)
            asyncio.run(until(lambda count=count: host.seen.counts["unanswered"] > count))
            assert why in list(host.seen)[-1].note
        assert [one.rule for one in host.seen if one.kind == "answer"][:2] == ["by_amount", "by_amount"]
        host.rules = by_amount
        assert client.send(message(1)).code == "00"


@pytest.mark.parametrize("version", VERSIONS)
def test_terminals_may_use_the_same_number(version: str) -> None:
    """Of two payments of a card with the same STAN, a reversal returns that of its own terminal, whether it
    names the original or repeats its STAN."""
    host = issuer()
    first, other = (
        message(1, amount_minor_units=amount, version=version, details={"terminal": terminal}).replace(
            de37=None
        )
        for amount, terminal in ((300, "TERM0001"), (500, "TERM0002"))
    )
    for one in (first, other):
        decide(host, one)
    decide(host, reverse(first, stan="000009").message)
    assert host.accounts.balance(PAN) == 10_000 - 500
    bare = reverse(other, stan=other[11]).message.replace(de90=None, de56=None)
    decide(host, bare)
    assert host.accounts.balance(PAN) == 10_000


def test_a_hold_is_given_back_with_its_increments() -> None:
    """A reversal of the whole amount returns the increments, too; one of the first amount, that alone."""
    for amount, left in (("1500", 10_000), ("1000", 9500)):
        host, made = issuer(), Exchange(network="VISA")
        for word in ("", "increment"):
            step = (
                follow(made, word, amount_minor_units=500)
                if word
                else Step("request", message(network="VISA", purpose="preauthorization"))
            )
            answer = decide(host, step.message).answer
            assert answer is not None
            made = made.plus(step, Step("answer", answer, None, len(made)))
        undo = reverse(made.messages[0], answer=made.messages[1], stan="000009").message
        decide(host, undo.replace(de4=amount.zfill(12)))
        assert host.accounts.balance(PAN) == left


@pytest.mark.parametrize("kind", ["auth", "financial"])
@pytest.mark.parametrize("by", ["de37", "de38", "de90"])
def test_a_refund_completes_nothing(kind: str, by: str) -> None:
    """An advice of a refund that names its purchase credits its own amount, and the purchase stays."""
    host, paid = issuer(), message(kind=kind, amount_minor_units=1000)
    answer = decide(host, paid).answer
    assert answer is not None
    named = {"de37": paid[37], "de38": answer[38], "de90": f"{paid.mti}{paid[11]}{paid[7]}" + "0" * 22}
    refund = message(2, "financial_advice", purpose="refund", amount_minor_units=400)
    decide(host, refund.replace(**{by: named[by]}))
    assert host.accounts.balance(PAN) == 9400


def test_a_completion_finds_no_refund() -> None:
    """A refund with the reference number of its purchase, which is then completed, stays what it is."""
    host, held = issuer(), message(amount_minor_units=1000, purpose="preauthorization")
    refund = message(2, purpose="refund", amount_minor_units=50).replace(de37=held[37])
    done = message(3, "financial_advice", purpose="completion", amount_minor_units=700)
    for one in (held, refund, done.replace(de37=held[37], de38=None)):
        decide(host, one)
    assert host.accounts.balance(PAN) == 10_000 - 700 + 50
    decide(host, reverse(refund, stan="000009").message)
    assert host.accounts.balance(PAN) == 10_000 - 700


def test_a_reversal_is_of_the_card_that_was_read() -> None:
    """A terminal's number was used again, for another card: its reversal does not undo what a track paid."""
    host, paid = issuer(), message(1, entry="stripe").replace(de2=None)
    other = generate("financial", pan="5555555555554444", stan=paid[11], at=AT).message
    decide(host, paid)
    balance = host.accounts.balance(PAN)
    undone = reverse(other, stan=other[11]).message.replace(de37=None, de90=None, de41=paid[41])
    assert host.accounts.give_back(undone) is None
    assert host.accounts.balance(PAN) == balance


@pytest.mark.parametrize("network", ["VISA", "MASTERCARD"])
@pytest.mark.parametrize("version", ["1987", "1993"])
def test_transactions_are_found_as_long_as_they_are_remembered(network: str, version: str) -> None:
    """Each of the latest transactions can be reversed, however many elements it may be found by."""
    accounts = Accounts(limits={"remembered": 20})
    sent = generate("auth", network=network, version=version, at=AT).message
    paid = [sent.replace(de11=f"{stan:06}", de37=f"{stan:012}") for stan in range(1, 61)]
    for one in paid:
        accounts.book(one, 100, respond(one, approval=one[11]).message)
    assert [accounts.give_back(reverse(one).message) for one in paid[-20:]] == [100] * 20
