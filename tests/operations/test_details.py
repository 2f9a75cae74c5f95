"""The details of a generated message that are else sample values."""

from __future__ import annotations

from itertools import product

import pytest
from support import AT, together

from sim.errors import OptionError
from sim.operations import NETWORKS, VERSIONS, explain, generate, respond, validate
from sim.parts import chip_data

DETAILS = {
    "terminal": "T1",
    "merchant": "M 5",
    "name": "Corner Cafe",
    "city": "Berlin",
    "country": "DE",
    "mcc": "5812",
    "expiry": "3112",
    "reference": "632512345678",
    "acquirer": "777",
    "cashback": "2000",
}


@together("network, version, entry", lambda: product(NETWORKS, VERSIONS, ("stripe", "chip", "contactless")))
def test_details_stand_in_a_valid_message(network: str, version: str, entry: str) -> None:
    """Each is where its version has it, also inside track and chip data, and the message stays valid."""
    asked = {"entry": entry, "amount_minor_units": 5000, "details": DETAILS}
    made = generate("auth", network=network, version=version, at=AT, **asked)
    message = made.message
    assert message[3] == "090000"  # who asks for cash asks for a purchase with cash back
    assert validate(made.raw, network=network, version=version).errors == []
    assert message[41].strip() == "T1"
    assert message[42].strip() == "M 5"
    assert message[18 if version == "1987" else 26] == "5812"
    assert (message[14], message[37], message[32]) == ("3112", "632512345678", "777")
    assert message[54].endswith("D000000002000")
    if version != "2003":
        assert message[43].startswith("Corner Cafe")
        alpha = "DEU" if network in ("MASTERCARD", "JCB") else " DE"
        assert message[43].endswith(alpha if version == "1987" else "276")
        assert "NEW YORK" not in message[43]
    if entry == "stripe":
        assert "=3112" in message[35]
    if entry == "chip":
        tags = {tag.tag: tag.value for tag in chip_data.read(message[55]).tags}
        assert (tags["9F1A"], tags["9F03"]) == ("0276", "000000002000")
    if message.get(19):
        assert message[19] == "276"


def test_the_notes_name_what_is_still_a_sample() -> None:
    """What was given is no sample value; what was not is named."""
    assert generate("auth", at=AT).notes[-1] == "Merchant, terminal, acquirer and expiry are sample values."
    given = generate("auth", at=AT, amount_minor_units=5000, details=DETAILS)
    assert given.notes[-1] == "All other elements have sample values."
    named = generate("auth", at=AT, details={"name": "Corner Cafe", "terminal": "T1", "acquirer": "1"})
    assert named.notes[-1] == "Merchant id and expiry are sample values."


@pytest.mark.parametrize(("version", "noted"), [("1987", False), ("1993", False), ("2003", True)])
def test_a_tap_is_noted_where_the_version_has_no_place_for_it(version: str, noted: bool) -> None:
    """The bits of DE 22 in 2003 have none for contactless: the message reads as chip, and a note says why."""
    made = generate("auth", network="VISA", version=version, entry="contactless", at=AT)
    assert any("contactless" in one for one in made.notes) is noted
    assert ("contactless" in explain(made.message).summary) is not noted
    assert not any("contactless" in one for one in generate("auth", version=version, at=AT).notes)


@together(
    "details, option",
    [
        ({"colour": "red"}, "colour"),
        ({"name": "x" * 26}, "name"),
        ({"city": "Llanfairpwllgwyn"}, "city"),
        ({"terminal": "TERM00001"}, "terminal"),
        ({"merchant": "x" * 16}, "merchant"),
        ({"name": "Café"}, "name"),
        ({"name": ""}, "name"),
        ({"country": "ZZ"}, "country"),
        ({"mcc": "58"}, "mcc"),
        ({"expiry": "12/31"}, "expiry"),
        ({"reference": "1"}, "reference"),
        ({"cashback": "-1"}, "cashback"),
        ({"cashback": "1001"}, "cashback"),
    ],
)
def test_details_that_cannot_be_met(details: dict[str, str], option: str) -> None:
    """Nothing is cut or changed to fit: the first that does not fit is an OptionError that names it."""
    with pytest.raises(OptionError) as caught:
        generate("auth", at=AT, details=details)
    assert caught.value.option == option


def test_an_approval_has_the_code_asked_for() -> None:
    """DE 38 of an approval may be given; a decline carries none."""
    request = generate("auth", at=AT).message
    assert respond(request, approval="X7Y8Z9").message[38] == "X7Y8Z9"
    assert 38 not in respond(request, "05", approval="X7Y8Z9").message


def test_cash_back_goes_with_no_other_purpose() -> None:
    """A withdrawal or a refund has no part that is cash."""
    with pytest.raises(OptionError, match="purpose 'cashback'"):
        generate("financial", at=AT, purpose="refund", details={"cashback": "100"})
