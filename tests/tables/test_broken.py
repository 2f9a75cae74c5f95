"""Broken texts: a table of pieces, never a traceback, nothing lost."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import AT, together

import sim
from sim.operations import strip_line_ending
from sim.operations.reading import read

ECHO = "08002020000000000000990000123456"
AUTH = sim.generate("auth", network="VISA", stan="000001", at=AT).iso.message


def covers(table: pd.DataFrame, raw: str) -> bool:
    """Whether the rows are contiguous from the first character to the last."""
    starts, ends = table["start"].tolist(), table["end"].tolist()
    return starts == [0, *ends[:-1]] and ends[-1] == len(raw)


def test_short_value() -> None:
    """The invalid piece is a row with what was found, the reason, and the likely cause."""
    table = sim.parse(ECHO[:-2])
    assert len(table) == 4
    row = table.loc[3]
    assert row[["number", "name", "format", "value"]].tolist() == [
        11,
        "Systems trace audit number (STAN)",
        "n 6",
        "1234",
    ]
    assert row["finding"] == "DE 11 at offset 26: expected n 6, found 4 characters"
    assert "too early" in row["hint"]
    assert not table.loc[:2, "finding"].any()


def test_unread_rest() -> None:
    """The unread text is a last row without a number."""
    table = sim.parse(ECHO + "777")
    last = table.iloc[-1]
    assert pd.isna(last["number"])
    assert last[["name", "value", "start", "end"]].tolist() == ["unread", "777", 32, 35]
    assert last["finding"] == "message at offset 32: expected the end of the message, found 3 characters more"


@together(
    "raw, numbers, values",
    [
        ("", [0], [""]),
        ("01", [0], ["01"]),
        ("A100723C458108C08000", [0, None], ["A100", "723C458108C08000"]),
        ("0800", [0, 1], ["0800", ""]),
        ("08002020", [0, 1], ["0800", "2020"]),
        ("0800202000000000000G1234", [0, 1, None], ["0800", "202000000000000G", "1234"]),
        ("0800A02000000000000000", [0, 1], ["0800", "A02000000000000000"]),
        ("010040000000000000001X4111", [0, 1, 2, None], ["0100", "4000000000000000", "1X", "4111"]),
        ("01004000000000000000164111", [0, 1, 2], ["0100", "4000000000000000", "164111"]),
        ("010040000000000000001", [0, 1, 2], ["0100", "4000000000000000", "1"]),
    ],
)
def test_where_reading_stops(raw: str, numbers: list[int | None], values: list[str]) -> None:
    """MTI, bitmap, length prefix, value: the row with the fault is the one where reading stopped."""
    table = sim.parse(raw)
    assert [None if pd.isna(one) else one for one in table["number"]] == numbers
    assert table["value"].tolist() == values
    assert table["finding"].astype(bool).sum() == 1
    assert covers(table, raw)


def test_announced_elements_beyond_64() -> None:
    """Rows stay in order if the fault precedes the elements of the second bitmap."""
    raw = "0800A020000000000000040000000000000099000012"
    table = sim.parse(raw)
    assert table.loc[1, "value"] == raw[4:36]
    assert table.loc[1, "meaning"] == "3 data elements: 3, 11, 70"
    assert covers(table, raw)


@given(st.text(max_size=60) | st.text("0123456789ABCDEF", max_size=80).map("0100".__add__))
def test_any_text(raw: str) -> None:
    """Any text gives a table that contains all of it and can be shown, explained and validated."""
    raw = strip_line_ending(raw)
    table = sim.parse(raw)
    assert covers(table, raw)
    assert table.iso.message.upper() == raw.upper()
    assert isinstance(repr(table) + table._repr_html_(), str)
    assert isinstance(sim.explain(raw).iso.summary, str)
    if table["finding"].any():
        assert table.iso.message == raw
        assert not table.iso.valid
        said = [text for text in table["finding"].dropna() if text]
        beside = table.iso.summary.startswith("This is not an ISO 8583 message.")
        assert beside or table.iso.summary.endswith(f"{said[0]}.")
        assert len(sim.validate(table)) == 1


def damaged(seed: int) -> str:
    """A message with one to four characters lost, added or changed."""
    chance = random.Random(seed)
    raw = list(AUTH)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(raw))
        change = chance.choice(("lose", "add", "change"))
        raw[at : at + (change != "add")] = [] if change == "lose" else [chance.choice("0189AFx ٣\x00é")]
    return "".join(raw)


@given(st.integers(0, 2**32), st.sampled_from(["1987", "1993", "2003"]))
@example(158, "1987")  # "1111" of the card number, and what follows, reads as an MTI and few elements
@example(521, "1987")  # a letter in front
@example(2030, "1987")  # a letter in front, and one that has no byte
@example(155, "2003")  # "2912" of track 2
@example(1654, "2003")  # the middle reads further than the beginning
def test_damaged_messages(seed: int, version: str) -> None:
    """The table of a damaged message loses nothing; if there is debris before the MTI, it has the message
    after it. Part of a message is never taken for the whole."""
    text = damaged(seed)
    table, found = sim.parse(text, version=version), read(text, version=version)
    if text.startswith("0"):
        assert covers(table, text)
        assert table.iso.message.upper() == text.upper()
    elif found.raw is not None:  # else its bytes were read, which stand in no text form
        assert covers(table, found.raw)
        assert found.raw in text
    assert isinstance(repr(sim.validate(table)), str)


def test_repair() -> None:
    """A broken table can be fixed piece by piece: edit the piece and parse the table again."""
    table = sim.parse(ECHO[:-2])
    with pytest.raises(sim.BuildError, match="DE 11 at offset 26: expected n 6, found 4 characters"):
        sim.build(table)
    table.loc[3, "value"] = "123456"
    assert table.iso.message == ECHO
    assert table.iso.valid is sim.validate(ECHO).iso.valid
    assert sim.build(table) == ECHO
    assert not sim.parse(table)["finding"].any()


def test_explain_and_parse_agree() -> None:
    """explain shows a broken text like parse, without a summary."""
    explained, parsed = sim.explain(ECHO + "x"), sim.parse(ECHO + "x")
    assert explained.to_dict() == parsed.to_dict()
    assert "Reading stopped: message at offset" in explained.iso.summary


def test_lower_case_bitmap() -> None:
    """A valid message has an uppercase bitmap; a broken text keeps its original."""
    raw = "0800a020000000000000000000000000000" + "0990000123456"
    assert sim.parse(raw).iso.message == raw.upper()
    assert sim.parse(raw + "x").iso.message == raw + "x"


def test_a_broken_text_is_explained_as_far_as_it_was_read() -> None:
    """The summary explains the elements before the fault, and says where reading stops."""
    raw = str(sim.build(sim.generate("auth", network="VISA", entry="manual", at=AT)))
    summary = sim.explain(raw[:-2]).iso.summary
    assert "This is an authorization request" in summary
    assert "411111******1111" in summary
    assert summary.endswith(
        "Reading stopped: DE 60 at offset 187: "
        "expected 4 characters, as its length prefix says, found 2 characters."
    )
    assert "4111111111111111" not in summary


def test_a_text_of_which_nothing_was_read_says_so() -> None:
    """If no element was read, only the fault is explained."""
    assert sim.explain("hello").iso.summary.startswith("Nothing could be read: ")


@pytest.mark.parametrize("numbers", [(3, 7, 11, 12, 13), (3, 11, 12, 13, 14, 15, 18), (3, 12, 13, 14, 41)])
def test_a_broken_row_gives_no_card_number_in_several_cells(numbers: tuple[int, ...]) -> None:
    """If the bitmap omits DE 2, pieces of the card number end up in the elements after it."""
    pan = "4111111111111111"
    bits = f"{sum(1 << (64 - number) for number in numbers):016X}"
    table = sim.read([f"0200{bits}16{pan}0000001"])
    assert table["error"].notna().all()
    shown = "".join(str(cell) for name in table for cell in table[name] if name[:2] == "DE" and cell == cell)
    assert not any(pan[at : at + 8] in shown for at in range(len(pan) - 7)), shown
