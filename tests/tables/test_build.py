"""build: text from any form, errors that name the element, a text whose repr shows no card data."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import together

import sim
from sim import answers
from sim.tables import RawMessage

ECHO = "08002020000000000000990000123456"
PAN = "4111111111111111"
CARD = "01004000000000000000" + "16" + PAN


@pytest.mark.parametrize("mti", [0, "mti", "0"])
def test_dict(mti: int | str) -> None:
    """A dict of elements is a message; the bitmap follows; numbers may be texts, as in JSON."""
    assert sim.build({mti: "0800", 3: "990000", 11: "123456"}) == ECHO
    assert sim.build({mti: "0800", "11": "123456", "3": "990000"}) == ECHO


def test_dict_version() -> None:
    """The version is the requested one, or the MTI's."""
    assert sim.build({0: "1804", 11: "123456"}) == "18040020000000000000123456"
    assert sim.build({0: "0800", 11: "123456123456"}, version="2003") == "08000020000000000000123456123456"
    with pytest.raises(sim.BuildError, match="DE 11: expected n 12, found 6 characters"):
        sim.build({0: "2804", 11: "123456"})


@together(
    "elements, message",
    [
        ({3: "990000"}, "MTI: expected 4 digits as text, found none"),
        ({0: 800, 3: "990000"}, "MTI: expected 4 digits as text, found int"),
        ({0: "08", 3: "990000"}, "MTI: expected 4 digits"),
        (
            {0: "0800", 1: "2020000000000000"},
            "expected the keys 0 .or mti. and data element numbers 2 to 128",
        ),
        ({0: "0800", 129: "1"}, "found 129"),
        ({0: "0800", "pan": "1"}, "found 'pan'"),
        ({0: "0800", "mti": "0800"}, "MTI: expected one value, found two"),
        ({0: "0800", 11: "1"}, "DE 11: expected n 6, found 1 character"),
        ({0: "0800", 11: 123456}, "DE 11: expected n 6 as str, found int"),
        ({0: "0100", 2: "4" * 20}, r"DE 2: expected n\.\.19, found 20 characters"),
    ],
)
def test_dict_errors(elements: dict[Any, Any], message: str) -> None:
    """An invalid value raises a BuildError that names the element, what was expected and what was found."""
    with pytest.raises(sim.BuildError, match=message):
        sim.build(elements)


@pytest.mark.parametrize(
    ("number", "value", "message"),
    [
        (11, "12345", "DE 11: expected n 6, found 5 characters"),
        (11, None, "DE 11: expected n 6 as text, found a missing value"),
        (11, np.nan, "DE 11: expected n 6 as text, found a missing value"),
        (11, 123456, "DE 11: expected n 6 as text, found int"),
        (11, ["1"], "DE 11: expected n 6 as text, found list"),
        (0, None, "MTI: expected 4 digits as text"),
        (0, "8", "MTI: expected 4 digits, found '8'"),
        (1, "2020000000000001", "bitmap at offset 4: expected 2020000000000000, which announces"),
    ],
)
def test_bad_cells(number: int, value: object, message: str) -> None:
    """An invalid cell is a BuildError in build, a finding in validate, and pieces in parse."""
    table = sim.parse(ECHO)
    table["value"] = table["value"].astype(object)
    table.at[table.index[table["number"] == number][0], "value"] = value
    with pytest.raises(sim.BuildError, match=message):
        sim.build(table)
    with pytest.raises(sim.BuildError, match=message):
        table.iso.message  # noqa: B018
    report = sim.validate(table)
    assert report["field"].tolist() == [number]
    assert report["message"].str.contains(message[:12]).all()
    assert (report.iso.valid, table.iso.valid) == (False, False)
    assert table.iso.summary == "" or message in table.iso.summary
    assert isinstance(repr(table) + table.iso.mti + table.iso.version, str)


@pytest.mark.parametrize("number", [200, -1, 3.5, "x", True])
def test_bad_numbers(number: object) -> None:
    """A row that is not a data element is rejected by build and reported by validate."""
    table = pd.DataFrame({"number": [0, 3, number], "value": ["0800", "990000", "1"]}, dtype=object)
    with pytest.raises(sim.BuildError, match="expected a data element number 0 to 128 in each row"):
        sim.build(table)
    assert not sim.validate(table).iso.valid
    assert not table.iso.valid


def test_row_twice() -> None:
    """A repeated element is rejected."""
    table = pd.DataFrame({"number": [0, 3, 3], "value": ["0800", "990000", "990000"]})
    with pytest.raises(sim.BuildError, match="DE 3: expected one row, found two or more"):
        sim.build(table)
    assert sim.validate(table)["field"].tolist() == [3]


def test_right_bitmap_in_its_cell() -> None:
    """The bitmap cell may be edited along with the rows, or emptied: the bitmap follows from the rows."""
    table = sim.parse(ECHO)
    table = table[table["number"] != 3]
    for bits in ("0020000000000000", None):
        table.loc[1, "value"] = bits
        assert sim.build(table) == "08000020000000000000123456"


def test_broken_text() -> None:
    """A text that does not parse cannot be built; the error is the located one."""
    with pytest.raises(sim.BuildError, match="DE 11 at offset 26: expected n 6, found 4 characters"):
        sim.build(ECHO[:-2])


def test_parse_shows_which_value_does_not_fit() -> None:
    """Parsing a table with a value of the wrong length keeps every value, and reports the invalid one."""
    table = sim.parse(ECHO)
    table.loc[table["number"] == 3, "value"] = "99000"
    again = sim.parse(table)
    assert again["value"].tolist()[2:] == ["99000", "123456"]
    assert again["finding"].tolist()[2:] == ["DE 3: expected n 6, found 5 characters", ""]
    assert again["start"].isna().all()
    with pytest.raises(sim.BuildError, match="DE 3"):
        sim.build(again)


def test_text_is_true_wherever_it_is_used() -> None:
    """print, ==, slices, JSON and files use the whole text; only the repr omits the elements."""
    raw = sim.build(CARD)
    assert raw == CARD
    assert hash(raw) == hash(CARD)
    assert f"{raw}" == str(raw) == CARD
    assert raw[20:] == "16" + PAN
    assert type(raw[20:]) is str
    assert json.loads(json.dumps({"message": raw})) == {"message": CARD}
    assert raw.encode() == CARD.encode()


def test_repr_is_no_message() -> None:
    """The repr has MTI and bitmap, says that it is masked, and is not a valid message."""
    text = repr(sim.build(CARD))
    assert text == "RawMessage('01004000000000000000…', 38 characters, masked; print() shows it all)"
    assert PAN not in repr([sim.build(CARD), {"raw": sim.build(CARD)}])


@pytest.mark.parametrize("text", ["", PAN, "0200" + PAN, "0100", "x"])
def test_repr_of_other_text(text: str) -> None:
    """The repr of a text that is not a message shows none of it."""
    expected = f"RawMessage({len(text)} character{'s' if len(text) != 1 else ''}, masked;"
    assert repr(RawMessage(text)).startswith(expected)


def test_raw_message_copies() -> None:
    """Copies and pickles keep the text and its masked repr."""
    raw = sim.build(CARD)
    for again in (copy.copy(raw), copy.deepcopy(raw), pickle.loads(pickle.dumps(raw))):  # noqa: S301, ours
        assert again == raw
        assert type(again) is RawMessage


def test_mask_keeps_the_layout() -> None:
    """A masked text is as long as the message, with the same elements at the same offsets."""
    raw = sim.build({0: "0100", 2: PAN, 4: "000000001000", 35: PAN + "=2912201", 52: "0412AC89ABCDEF67"})
    masked = sim.mask(raw)
    assert len(masked) == len(raw)
    assert masked == raw[:20] + "16411111******1111" + "000000001000" + "24" + "*" * 24 + "*" * 16
    assert sim.mask(sim.parse(raw)) == masked
    assert sim.mask(sim.parse(raw).iso.to_message()) == masked
    assert PAN not in sim.mask(raw + "1")


def test_a_message_in_a_wire_format_is_masked_as_text() -> None:
    """Bytes in hex give the text form, with the card number masked."""
    fields = {0: "0100", 2: PAN, 4: "000000001000", 11: "123456"}
    record = answers.mask(sim.build(fields, format="bcd"), format="bcd")
    assert record == {"message": sim.mask(sim.build(fields))}


def test_what_bytes_do_not_tell_is_warned_of() -> None:
    """Lowercase hex digits come back in uppercase if they are bytes; building warns of this."""
    fields = {"mti": "0100", 52: "00112233aabbccdd"}
    with pytest.warns(UserWarning, match="DE 52 is written with its hex digits in upper case"):
        sim.build(fields, format="bcd")
    assert sim.build(fields, format="ascii").endswith(b"aabbccdd".hex())
