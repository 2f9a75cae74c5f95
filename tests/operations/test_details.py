"""The details of a generated message that are else sample values."""

from __future__ import annotations

from itertools import product

import pytest
from support import AT, together

from sim.elements.meaning import meaning
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


@pytest.mark.parametrize("entry", ["manual", "ecommerce"])
def test_e_commerce_is_noted_where_the_network_has_no_code_for_it(entry: str) -> None:
    """JCB's message reads as keyed, and a note says so."""
    notes = generate("auth", network="JCB", entry=entry, at=AT).notes
    assert any("no code for e-commerce" in note for note in notes) is (entry == "ecommerce")


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


def test_a_token_is_tapped_where_it_is_known_how() -> None:
    """Visa and Mastercard say so in elements of their own; of American Express no public source tells."""
    tapped = {"entry": "contactless", "version": None, "details": {"token": True}, "at": AT}
    assert generate("auth", network="VISA", **tapped).message[60][6] == "4"
    assert "2302" + "21" in generate("auth", network="MASTERCARD", **tapped).message[48]
    with pytest.raises(OptionError, match="its use in AMEX messages"):
        generate("auth", network="AMEX", **tapped)


def test_what_the_chip_approved_by_itself_says_so() -> None:
    """A certificate at the first answer, nothing over the floor limit, and Mastercard's reason 192."""
    for network in NETWORKS:
        try:
            message = generate("advice", network=network, entry="chip", version=None, at=AT).message
        except OptionError:  # no advices on its link
            continue
        chip = chip_data.read(message[55])
        assert (chip.value("9F27"), chip.value("95")) == ("40", "0000000000")
        assert "90" in chip.value("9F10")[4:10]
        assert network != "MASTERCARD" or message[60].startswith("192")


def test_a_cavv_has_its_form() -> None:
    """Result, second factor and key, then digits: 20 bytes; 7 where the authentication was only attempted."""
    for said, result in (("authenticated", "00"), ("attempted", "07")):
        details = {"three_d_secure": said}
        message = generate("auth", network="VISA", entry="ecommerce", details=details, at=AT).message
        value = message[126][16:56]
        assert value.isdigit()
        assert (value[:7], value[30:]) == (f"{result}00010", "0000000000")


def test_visa_s_own_link_says_the_version_of_3_d_secure() -> None:
    """DE 34 has no room in the text form; on Visa's link it has a data set of authentication data."""
    options = {"entry": "ecommerce", "details": {"three_d_secure": "authenticated"}, "at": AT}
    assert 34 not in generate("auth", network="VISA", **options).message
    made = generate("auth", network="VISA", interface="visa", **options)
    assert made.message[34] == "0100078605F24BF24BF0"
    assert "2.2.0" in meaning(made.message, 34, "VISA")
    assert validate(made.message).findings == ()


def test_what_is_only_the_standard_s_says_so() -> None:
    """A file update or reconciliation under a network's name: a note on what was made, a remark on what is
    judged. Mastercard's sign-on is its own, with the group's id."""
    for kind in ("settlement", "file_update"):
        made = generate(kind, network="VISA", at=AT)
        assert any("No public source describes Visa" in note for note in made.notes)
        found = {one.rule for one in validate(made.message, network="VISA").findings}
        assert found == {"visa-other-messages"}
    made = generate("sign_on", network="MASTERCARD", at=AT)
    assert (made.notes, made.message[2], made.message[70]) == ((), "00100", "061")


def test_quasi_cash_is_a_processing_code_or_a_category() -> None:
    """Visa says it by DE 3, Mastercard by its transaction category code; the shop sells foreign currency."""
    visa = generate("auth", network="VISA", purpose="quasi_cash", at=AT).message
    mastercard = generate("auth", network="MASTERCARD", purpose="quasi_cash", at=AT).message
    assert (visa[3][:2], visa[18]) == ("11", "6051")
    assert (mastercard[3][:2], mastercard[48][0], mastercard[18]) == ("00", "U", "6051")
