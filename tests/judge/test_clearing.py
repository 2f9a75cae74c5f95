"""Clearing records of Mastercard (IPM): what private data subelements say, and that nothing is found."""

from __future__ import annotations

from sim.codec import Message
from sim.codec.wire import encode, interface_table
from sim.operations import explain, read, validate
from sim.parts.layout import fitting

PRESENTMENT = {
    2: "5555555555554444",
    3: "000000",
    4: "000000001000",
    12: "261120123045",
    14: "2912",
    22: "510101511340",
    23: "001",
    24: "200",
    25: "1401",
    26: "5411",
    31: "25555556324123456789011",
    33: "654321",
    38: "A12345",
    42: "MERCHANT0000001",
    43: "CORNER SHOP\\1 MAIN STREET\\NEW YORK\\10001     NY USA",
    48: "0023003CT601480048402",
    49: "840",
    71: "00000002",
    94: "00000123456",
}
TRAILER = {
    24: "695",
    48: "0105025" + "002261120" + "00000021080" + "00001" + "0301016" + "1000".zfill(16) + "030600800000003",
    71: "00000003",
}


def _read(mti: str, fields: dict[int, str]) -> Message:
    table = interface_table("ipm", "1993")
    return read(encode(Message(mti, fields, "1993", dialect=table), "ipm"), format="ipm").whole()


def test_private_data_subelements_are_parts() -> None:
    """Four digits of id, three of length: a currency with its decimals, the parts of a file's id."""
    fields = PRESENTMENT | {48: "0023003CT601480048402" + "0158012MCC2123456IR"}
    message = _read("1240", fields)
    found = fitting(message.spec, 48, message[48])
    assert found is not None
    values = {part.cell.path.partition(".")[2]: part.value for part, _ in found.walk()}
    assert values["0148.1"] == "840"
    assert values["0158.1"] == "MCC"
    assert values["0158.4"] == "IR"
    assert validate(message).findings == ()
    assert "authorized before, with this amount" in explain(message).summary


def test_a_trailer_says_what_the_file_holds() -> None:
    """Its id in parts, the sum of its amounts, how many messages it has."""
    message = _read("1644", TRAILER)
    found = fitting(message.spec, 48, message[48])
    assert found is not None
    values = {part.cell.path.partition(".")[2]: part.value for part, _ in found.walk()}
    assert (values["0105.3"], values["0301"], values["0306"]) == (
        "00000021080",
        "0000000000001000",
        "00000003",
    )
    assert not [one for one in validate(message).findings if one.severity != "info"]


def test_a_chargeback_needs_no_original_data_elements() -> None:
    """It is of the class of reversals, and names its original by the acquirer reference data."""
    message = _read("1442", {**PRESENTMENT, 24: "450", 25: "4853", 48: "01480048402"})
    assert validate(message).findings == ()


def test_the_acquirer_reference_ends_with_its_check_digit() -> None:
    """The last of the 23 digits of DE 31 checks the others."""
    wrong = PRESENTMENT | {31: "25555556324123456789010"}
    assert [one.rule for one in validate(_read("1240", wrong)).findings] == ["acquirer-reference"]
    assert validate(_read("1240", PRESENTMENT)).findings == ()


def test_a_wrong_length_inside_is_an_error_with_its_place() -> None:
    """The subelement whose length is wrong is named."""
    message = _read("1240", {**PRESENTMENT, 48: "01480098402"})
    (finding,) = validate(message).findings
    assert (finding.severity, finding.field) == ("error", 48)
    assert "0148" in finding.message


def test_a_length_too_long_of_a_part_that_is_not_public_is_a_remark() -> None:
    """Most private data subelements are not public: whether one of those is cut is not known."""
    message = _read("1644", {**TRAILER, 48: TRAILER[48] + "02220607000000159950001"})
    (finding,) = validate(message).findings
    assert (finding.severity, finding.rule) == ("info", "ipm-layout")
