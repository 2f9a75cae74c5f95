"""Pastes in other forms than text, as tables: how they were read, and the elements' positions in the
bytes."""

from __future__ import annotations

import pytest

import sim
from sim.codec.wire import encode
from tests.paste.test_guessing import SALE
from tests.spellings import SPELLINGS, xxd

BODY = encode(SALE, "bcd")
FRAMED = (len(BODY) + 5).to_bytes(2, "big") + bytes.fromhex("6000030000") + BODY
TEXT = str(sim.build(SALE))


def test_a_framed_dump_is_the_message() -> None:
    """The rows are the message; the line above them says what was recognized."""
    table = sim.parse(xxd(FRAMED))
    assert table.iso.message == TEXT
    assert table.iso.read_as.startswith("hex dump with offsets, 2-byte length 004D, TPDU 6000030000, BCD")
    assert repr(table).startswith("Read as hex dump with offsets")
    assert "411111111111" not in repr(table)


def test_rows_say_where_they_stood_in_the_bytes() -> None:
    """`byte_start` and `byte_end` count bytes of the paste; `start` and `end` characters of the text form."""
    table = sim.parse(FRAMED.hex()).set_index("number")
    for number in (2, 4, 41):
        start, end = table.loc[number, ["byte_start", "byte_end"]]
        piece = FRAMED[start:end]
        assert piece in FRAMED
        assert TEXT[table.loc[number, "start"] : table.loc[number, "end"]].endswith(SALE[number])
    assert FRAMED[table.loc[41, "byte_start"] : table.loc[41, "byte_end"]] == b"TERM0001"
    assert "byte_start" not in sim.parse(TEXT).columns


def test_the_text_form_needs_no_guess() -> None:
    """A complete text is read as text form, and says so; a broken one keeps its own finding."""
    assert sim.parse(TEXT).iso.read_as == "text form"
    broken = sim.parse(TEXT[:-2])
    assert broken.iso.read_as == "text form"
    assert broken["finding"].iloc[-1].startswith("DE 49 at offset")


def test_a_cut_dump_gives_what_was_read() -> None:
    """The rows before the cut, and the fault at its byte."""
    table = sim.parse(FRAMED[:-10].hex())
    assert table["number"].tolist()[-1] == 42
    assert "at byte" in table["finding"].iloc[-1]
    assert table.iso.read_as.endswith("unsure")
    report = sim.validate(FRAMED[:-10].hex())
    assert "at byte" in report["message"].iloc[0]
    assert not report.iso.valid


@pytest.mark.parametrize("name", ["spaced", "java", "base64", "log in front", "hexdump -C"])
def test_explain_and_validate_take_pastes(name: str) -> None:
    """These verbs accept what parse accepts."""
    paste = SPELLINGS[name](FRAMED)
    assert sim.explain(paste).iso.summary == sim.explain(TEXT).iso.summary
    assert sim.validate(paste)["rule"].tolist() == sim.validate(TEXT)["rule"].tolist()


def test_an_edit_of_a_dump_is_an_edit_of_the_message() -> None:
    """The table of a dump is a message like any other."""
    table = sim.parse(FRAMED.hex())
    table.loc[table["number"] == 11, "value"] = "000001"
    assert sim.build(table) == TEXT.replace("146739", "000001")


def test_bytes_and_a_format_that_is_known() -> None:
    """Bytes themselves; a format name if the guess would fail."""
    assert sim.parse(BODY).iso.message == TEXT
    right = encode(SALE, "bcd-right")
    assert sim.parse(right.hex(), format="bcd-right").iso.message == TEXT
    with pytest.raises(sim.SpecError):
        sim.parse(right.hex(), format="nonsense")


def test_named_elements_are_read() -> None:
    """jPOS XML has no bytes, and no byte columns."""
    paste = '<isomsg><field id="0" value="0800"/><field id="11" value="123456"/></isomsg>'
    table = sim.parse(paste)
    assert table.iso.message == "08000020000000000000123456"
    assert "byte_start" not in table.columns


def test_the_candidates_are_a_table() -> None:
    """`sim.guess` lists them with their reasons, without card data."""
    table = sim.guess(FRAMED.hex())
    assert table.loc[0, ["confidence", "format", "mti"]].tolist() == ["sure", "bcd", "0200"]
    assert (table["reasons"] != "").all()
    assert "411111111111" not in repr(table)


def test_the_row_of_a_cut_message_says_where_it_stops() -> None:
    """Its values are left out: they may contain part of a card number."""
    for cut in (
        "0800202000000000000099000012345",
        "60 00 03 00 00 08 00 20 20 00 00 00 80 00 00 99 00 00 12 34",
    ):
        row = sim.read(cut).iloc[0]
        assert (row["mti"], row["error_field"]) == ("0800", 11)
        assert not [name for name in row.index if name.startswith("DE")]


def test_what_is_no_message_is_one_row_that_says_so() -> None:
    """A text recognized as something else is neither a file name nor a broken message."""
    for text in ("0412AC89ABCDEF67", "010012345611200830150000000000000000000000"):
        table = sim.read(text)
        assert table["mti"].isna().tolist() == [True]
        assert "without" in table.iso.read_as


@pytest.mark.parametrize("data", [b"", b"\x01\x02\x03", b"no message"])
def test_bytes_that_are_nothing_are_told_as_text_is(data: bytes) -> None:
    """They become a table with a finding, and nothing to repair."""
    assert not sim.validate(data).iso.valid
    assert sim.repair(data).empty
