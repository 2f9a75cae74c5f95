"""An exchange holds by itself: its messages are valid, answers echo, what follows names what it follows, and
the amounts add up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st
from support import AT

from sim.elements.money import say_amount
from sim.elements.mti import repeat_mti, response_mti
from sim.errors import OptionError
from sim.exchanges import Exchange, findings, make, tell
from sim.exchanges.amounts import final_amount, minor_units
from sim.exchanges.composing import plan_of
from sim.exchanges.following import LINK, STEPS
from sim.exchanges.making import OUTCOMES
from sim.operations import NETWORKS, validate
from sim.operations.answering import Inside, naming
from sim.spec import number_of
from sim.spec.tables import read_toml

PURPOSES = (*read_toml("templates")["purposes"], *LINK)
ECHOED = (2, 3, 11, 37, 41, 42, 49)
# What a later message has in common with the request that it names.
SAME = (2, 18, 26, 32, 41, 42, 43, 49)
_SIZED = ("increment", "completion", "partial_reversal", "refund")
_AMOUNT = 10_000


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    """An exchange of any network, purpose and outcome, with up to three steps that can follow."""
    steps = []
    for _ in range(draw(st.integers(0, 3))):
        word, becomes = (
            draw(st.sampled_from(STEPS)),
            draw(st.sampled_from(("approved", "declined", "timeout"))),
        )
        units = draw(st.none() | st.integers(1, _AMOUNT)) if word in _SIZED else None
        steps.append({"step": word, "outcome": becomes, "amount_minor_units": units})
    network, purpose = draw(st.sampled_from(NETWORKS)), draw(st.sampled_from(PURPOSES))
    outcome = draw(st.sampled_from(OUTCOMES))
    try:
        return make(purpose, network=network, amount_minor_units=_AMOUNT, outcome=outcome, then=steps, at=AT)
    except OptionError:  # such a step cannot follow there
        raise reject() from None


@given(exchange=exchanges())
def test_every_message_is_valid_and_every_answer_echoes(exchange: Exchange) -> None:
    """By the rules of its own network; a part that is approved is the one thing that may differ."""
    for step in exchange.steps:
        assert validate(step.message, network=exchange.network).errors == [], exchange
        asked = None if step.of is None else exchange.steps[step.of].message
        if step.is_answer and asked is not None:
            assert step.message.mti == response_mti(asked.mti)
            there = [number for number in ECHOED if number in step.message and number in asked]
            assert [step.message[number] for number in there] == [asked[number] for number in there]
            assert minor_units(step.message) <= minor_units(asked)
        if step.role == "repeat":
            assert asked is not None
            assert step.message == asked.replace(mti=repeat_mti(asked.mti))


def _followed(network: str) -> Exchange:
    """A pre-authorization that grows, is completed and undone."""
    then = "increment:500 completion reversal"
    return make("preauthorization", network=network, amount_minor_units=_AMOUNT, then=then, at=AT)


@given(exchange=exchanges())
@example(exchange=_followed("VISA"))
@example(exchange=_followed("MASTERCARD"))
def test_what_follows_names_what_it_follows(exchange: Exchange) -> None:
    """A number of its own, the card and the merchant, the original's data, the approval code, the name of the
    transaction."""
    sent = [step.message.get(11) for step in exchange.steps if not step.is_answer and step.role != "repeat"]
    assert sent == sorted(set(sent))
    assert all(a.at <= b.at for a, b in zip(exchange.steps, exchange.steps[1:], strict=False))  # type: ignore[operator]
    for step in exchange.steps:
        if step.of is None or step.is_answer or step.role == "repeat":
            continue
        asked, answer = exchange.steps[step.of].message, exchange.answer_to(step.of)
        message, version = step.message, step.message.version
        assert [message.get(n) for n in SAME if n in message] == [asked.get(n) for n in SAME if n in message]
        if step.role == "reversal":
            assert message[number_of("original", version)] == naming(asked)
            assert [message.get(n) for n in (12, 13, 37)] == [asked.get(n) for n in (12, 13, 37)]
            most = minor_units(answer) if answer else minor_units(asked)
            assert final_amount(message) <= most
        if answer is None:
            continue
        if step.role in ("reversal", "completion"):
            assert message.get(38) == (answer.get(38) or asked.get(38))
        said, own = Inside(answer, exchange.network), Inside(message, exchange.network)
        if exchange.network == "VISA":
            assert own["62.2"] == (said["62.2"] or own["62.2"])
        if exchange.network == "MASTERCARD" and said["63.1"]:
            assert own["48.63"] == f"{said['63.1']}{said['63.2']}{answer[15]}  "


@given(exchange=exchanges())
def test_matching_finds_the_exchange_that_was_made(exchange: Exchange) -> None:
    """From the messages and their times alone."""
    found = Exchange.of(exchange.messages, [step.at for step in exchange.steps], network=exchange.network)  # type: ignore[misc]
    assert [(one.role, one.of) for one in found.steps] == [(one.role, one.of) for one in exchange.steps]
    assert found.left == exchange.left


@pytest.mark.parametrize("network", NETWORKS)
@given(data=st.data())
def test_what_remains_is_what_was_asked_for(network: str, data: st.DataObject) -> None:
    """A pre-authorization, changed and completed, or undone: the story ends with the amount that is right."""
    asked = data.draw(st.integers(2, 10**9))
    part = data.draw(st.none() | st.integers(1, asked - 1))
    held = asked if part is None else part
    words = []
    for _ in range(data.draw(st.integers(0, 2))):
        if held < 2:
            break
        stays = data.draw(st.integers(1, held - 1))
        words.append(f"partial_reversal:{stays}")
        held = stays
    ending = data.draw(st.sampled_from(("", "completion", "reversal")))
    charged = 0
    if ending == "completion":
        charged = data.draw(st.integers(1, held))
        words.append(f"completion:{charged}")
    elif ending:
        words.append(ending)
    made = make(
        "preauthorization",
        network=network,
        amount_minor_units=asked,
        outcome="approved" if part is None else "partial",
        approved_minor_units=part,
        then=words,
        currency="EUR",
    )
    assert (made.left.held, made.left.charged) == (0 if ending else held, charged)
    remains = charged or (0 if ending else held)
    last = tell(made).rpartition("; ")[2]
    assert last.startswith(say_amount(str(remains), "978") if remains else "nothing"), tell(made)
    assert last.endswith("charged." if charged else "held.")


STORIES = [
    (
        {
            "purpose": "preauthorization",
            "outcome": "partial",
            "approved_minor_units": 6000,
            "then": "reversal:timeout",
        },
        "approved for 60.00 of 100.00 USD, then reversed after a timeout; nothing remains held.",
    ),
    (
        {"outcome": "timeout", "then": "reversal repeat"},
        "not answered, then reversed after a timeout (repeated once); nothing remains held.",
    ),
    (
        {"purpose": "preauthorization", "then": "increment:5000 completion:12000"},
        "approved, then increased by 50.00 USD, then completed for 120.00 USD; 120.00 USD is charged.",
    ),
    (
        {"purpose": "preauthorization", "then": "increment:5000:declined"},
        "approved, then an increase of 50.00 USD was declined (05, do not honor); 100.00 USD remains held.",
    ),
    (
        {"then": "refund:3000"},
        "approved, then a refund of 30.00 USD was approved; 100.00 USD remains held and 30.00 USD is "
        "credited to the cardholder.",
    ),
    (
        {"purpose": "cash", "then": "reversal:misdispense"},
        "approved, then reversed because no cash was dispensed; nothing remains held.",
    ),
    (
        {"outcome": "late", "then": "reversal"},
        "answered too late (00, approved), then reversed after a timeout; nothing remains held.",
    ),
    ({"outcome": "timeout"}, "not answered; it is not known whether 100.00 USD is held."),
    ({"outcome": "54"}, "declined (54, expired card or missing expiry); nothing is held."),
    (
        {"message_type": "advice", "outcome": "timeout", "then": "repeat"},
        "reported as approved, and acknowledged (repeated once); 100.00 USD is held.",
    ),
    ({"purpose": "sign_on", "then": "key_exchange"}, "accepted, then a key exchange was accepted."),
]


@pytest.mark.parametrize(("options", "told"), STORIES)
def test_a_story_says_what_happened(options: dict[str, Any], told: str) -> None:
    """In the words of the trade, with what remains in the end."""
    made = make(network="VISA", amount_minor_units=_AMOUNT, at=AT, **options)
    assert tell(made).partition(": ")[2] == told


def test_what_is_only_half_there_is_told_as_that() -> None:
    """A log may begin with an answer, or with a reversal."""
    request, answer, reversal, done = make(network="VISA", then="reversal", at=AT).messages
    assert tell(Exchange.of([answer])) == "A response without its request."
    assert tell(Exchange.of([reversal, done])).startswith(
        "Reversal of a purchase of 10.00 USD at CORNER SHOP"
    )
    assert tell(Exchange.of([request, reversal])).endswith("it is not known whether 10.00 USD is held.")
    assert tell(Exchange.of([])) == "No messages."


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"then": "reversl"}, "then"),
        ({"then": "completion", "outcome": "declined"}, "then"),
        ({"then": "reversal", "outcome": "declined"}, "then"),
        ({"then": "refund:10001"}, "then"),
        ({"then": "partial_reversal:10000"}, "then"),
        ({"then": "increment:5000:sometimes", "purpose": "preauthorization"}, "then"),
        ({"outcome": "partial", "purpose": "cash"}, "outcome"),
        ({"outcome": "partial", "approved_minor_units": 10000}, "approved_minor_units"),
        ({"outcome": "000"}, "outcome"),
        ({"approved_minor_units": 4}, "approved_minor_units"),
        ({"merchnt": "SHOP"}, "merchnt"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options: dict[str, Any], names: str) -> None:
    """The argument is named, and nothing is made."""
    with pytest.raises(OptionError, match=f"^{names}: "):
        make(**{"network": "VISA", "amount_minor_units": _AMOUNT} | options)


@pytest.mark.parametrize("purpose", ["purchase", "dcc"])
def test_what_follows_has_the_clock_of_the_country(purpose: str) -> None:
    """A shop in Berlin writes its own hour into each message, whatever the usual place of the purpose."""
    exchange = make(purpose, network="VISA", country="DE", then="increment completion", at=AT)
    hours = [step.message[12][:2] for step in exchange.steps if not step.is_answer]
    assert hours == [f"{AT.hour + 1:02}"] * 3


def test_payments_that_are_alike_are_counted_in_the_story() -> None:
    """Not told one by one."""
    story = tell(plan_of("20 declined Visa payments of 5 EUR").run().exchange)
    assert "then, 19 times, a purchase of 5.00 EUR was declined" in story


@pytest.mark.parametrize("interface", ["postilion", "nibss"])
@pytest.mark.parametrize("entry", ["chip", "swipe", "contactless"])
def test_a_completion_has_the_point_of_service_of_its_authorization(interface: str, entry: str) -> None:
    """What details DE 22 goes with it; what the request does not have is not there."""
    made = make(interface=interface, entry=entry, then="completion", at=AT)
    request, _, completion, _ = made.messages
    assert [completion.get(n) for n in (22, 123)] == [request.get(n) for n in (22, 123)]
    assert [hit.rule for _, hit in findings(made)] == []
