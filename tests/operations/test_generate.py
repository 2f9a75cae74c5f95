"""What generate, respond and reverse build."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from operator import itemgetter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import AT, ENTRIES, KINDS, PURPOSES, each, generated, together

from sim.codec import BuildError, Message, build, parse
from sim.elements.mti import response_mti
from sim.errors import OptionError
from sim.operations import NETWORKS, VERSIONS, generate, respond, reverse, validate
from sim.operations.options import entries_of
from sim.spec.networks import check_digit


@each(generated, itemgetter(0))
def test_everything_generated_is_valid_on_its_network(case: tuple[str, str, Message]) -> None:
    """Whatever generate makes parses back and has no error by the standard or its own network."""
    _, network, message = case
    raw = build(message)
    assert parse(raw, message.version) == message
    report = validate(raw, version=message.version, network=network)
    assert report.errors == []


@each(lambda: [one for one in generated() if response_mti(one[2].mti)], itemgetter(0))
def test_responses_are_valid_and_answer_their_request(case: tuple[str, str, Message]) -> None:
    """A response has the MTI of the rule, repeats what ties it to its request, and an answer."""
    _, network, message = case
    made = respond(message)
    assert made.mti == response_mti(message.mti)
    for number in (2, 3, 4, 11, 32, 37, 41, 49):
        assert made.message.get(number) == message.get(number)
    later_advice = message.mti[2] == "2" and message.mti[1] in "12" and message.version != "1987"
    assert set(made.message[39]) <= ({"0", "9"} if later_advice else {"0", message.mti[1]})
    assert made.message[39].startswith("9") == later_advice
    assert validate(made.raw, version=message.version, network=network).errors == []


@together("version", VERSIONS)
@together("network", NETWORKS)
def test_reversals_undo_their_original(network: str, version: str) -> None:
    """A reversal repeats card and amount and names the original it undoes."""
    original = generate("financial", network=network, version=version, at=AT, stan="000041").message
    made = reverse(original)
    number = 90 if version == "1987" else 56
    assert made.message[number].startswith(original.mti + original[11])
    assert made.message[4] == original[4]
    assert made.message[11].endswith("000042")
    assert validate(made.raw, version=version, network=network).errors == []


@given(
    kind=st.sampled_from(KINDS),
    network=st.one_of(st.none(), st.sampled_from(NETWORKS)),
    version=st.sampled_from(VERSIONS),
    amount=st.integers(0, 999_999_999_999),
    currency=st.sampled_from(["840", "978", "392", "414", "152", "704", "USD", "kwd"]),
    stan=st.integers(0, 999_999).map("{:06}".format),
    at=st.datetimes(datetime(2000, 1, 1), datetime(2096, 12, 31)),  # noqa: DTZ001
    entry=st.sampled_from(ENTRIES),
    purpose=st.sampled_from(PURPOSES),
)
def test_any_options_give_a_valid_message(
    kind: str,
    network: str | None,
    version: str,
    amount: int,
    currency: str,
    stan: str,
    at: datetime,
    entry: str,
    purpose: str,
) -> None:
    """Legal options of any kind give a message that is valid on its own network."""
    assume(entry in entries_of(purpose))
    made = generate(
        kind,
        network=network,
        version=version,
        amount_minor_units=amount,
        currency=currency,
        stan=stan,
        at=at,
        entry=entry,
        purpose=purpose,
    )
    report = validate(made.raw, version=version, network=made.network)
    assert report.errors == []


@pytest.mark.parametrize("network", NETWORKS)
def test_the_options_stand_in_the_message(network: str) -> None:
    """Card, amount, currency, trace number and moment are exactly those asked for."""
    at = datetime(2026, 1, 2, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    made = generate("auth", network=network, amount_minor_units=7, currency="978", stan="000009", at=at)
    message = made.message
    assert message.mti == "0100"
    assert (message[4], message[49], message[11]) == ("000000000007", "978", "000009")
    assert (message[12], message[13]) == ("233000", "0102")
    assert message[7] == "0103043000"
    assert made.network == network
    assert made.source == "template"


def test_card_and_network_are_chosen_as_documented() -> None:
    """Nothing given is a Visa test card; a PAN alone names its network, or none."""
    assert (generate(at=AT).network, generate(at=AT).message[2]) == ("VISA", "4111111111111111")
    assert generate(pan="5555555555554444", at=AT).network == "MASTERCARD"
    unknown = "999999999999999"
    assert generate(pan=unknown + check_digit(unknown), at=AT).network is None
    made = generate(pan="4111111111111112", network="AMEX", at=AT)
    assert (made.network, made.message[2]) == ("AMEX", "4111111111111112")
    assert not validate(made.raw, network="AMEX").valid


@pytest.mark.parametrize("network", [None, *NETWORKS])
def test_an_echo_has_no_card(network: str | None) -> None:
    """A link test carries neither PAN nor amount, and the network that was asked for."""
    made = generate("echo", network=network, pan="4111111111111111", at=AT)
    assert made.mti == "0800"
    assert made.network == network
    assert 2 not in made.message
    assert 4 not in made.message
    assert made.message[70] == ("270" if network == "MASTERCARD" else "301")


@together(
    "options, option, field",
    [
        ({"message_type": "refund"}, "message_type", None),
        ({"network": "ELO"}, "network", None),
        ({"version": "1999"}, "version", None),
        ({"pan": "41111111111"}, "pan", 2),
        ({"pan": "4" * 20}, "pan", 2),
        ({"pan": "４１１１１１１１１１１１１１１１"}, "pan", 2),
        ({"amount_minor_units": -1}, "amount_minor_units", 4),
        ({"amount_minor_units": 10**12}, "amount_minor_units", 4),
        ({"amount_minor_units": True}, "amount_minor_units", 4),
        ({"amount_minor_units": "10"}, "amount_minor_units", 4),
        ({"currency": "EUX"}, "currency", 49),
        ({"currency": "٨٤٠"}, "currency", 49),
        ({"stan": "12345"}, "stan", 11),
        ({"entry": "telepathy"}, "entry", None),
        ({"purpose": "fun"}, "purpose", None),
        ({"purpose": "cash", "details": {"cashback": "100"}}, "cashback", 54),
    ],
)
def test_options_that_cannot_be_met(options: dict[str, object], option: str, field: int | None) -> None:
    """An option that cannot be met is a BuildError naming it, without the card number."""
    with pytest.raises(OptionError) as caught:
        generate(**options)  # type: ignore[arg-type]
    assert (caught.value.option, caught.value.field) == (option, field)
    assert "41111111111" not in str(caught.value)


def test_declines_carry_no_approval_code() -> None:
    """A response with another code than approved has that code and no DE 38."""
    request = generate("auth", at=AT).message
    assert respond(request, "51").message.get(39) == "51"
    assert 38 not in respond(request, "51").message
    assert respond(request).message[38] == "A12345"


def test_what_cannot_be_answered_or_reversed() -> None:
    """A response is not answered, an echo not reversed, a code of the wrong length not sent."""
    request = generate("auth", at=AT).message
    for wrong in (
        lambda: respond(respond(request).message),
        lambda: respond(request, "051"),
        lambda: reverse(generate("echo", at=AT).message),
        lambda: reverse(request.replace(de11="12A456")),
    ):
        with pytest.raises(BuildError):
            wrong()
