"""Messages of a dialect in the notebook interface: its names, lengths and subfields, from the paste to the
edited text."""

from __future__ import annotations

from pathlib import Path

import pytest

import sim
from sim.codec import Message
from sim.codec.wire import Format, encode, wire_format
from sim.codec.wire.dialects import load_format
from sim.operations.reading import read
from sim.operations.validation import verdict_on
from sim.parts.writing import write
from sim.widgets import MessageAnatomy, ValidatePanel

_OWN = """
extends = "bcd"
name = "corner-bank"
title = "Corner bank"
source = "its specification"

[elements.48]
name = "Branch data"
format = "ans..999"
cut = "places"
parts = [{ path = "1", name = "branch", format = "n 4" }, { path = "2", name = "teller", format = "an 6" }]

[elements.41]
name = "Till"
format = "ans 16"
"""
_SALE = {2: "4111111111111111", 3: "000000", 4: "000000001000", 7: "1120120000", 11: "000042"}
_TILL = {41: "TILL000000000001"}
_TAIL = {42: "MERCHANT1234567", 49: "840"}


@pytest.fixture
def own(tmp_path: Path) -> Format:
    """A dialect loaded from a file."""
    path = tmp_path / "corner.toml"
    path.write_text(_OWN, encoding="utf-8")
    return load_format(path)


def _bytes(fmt: Format, mti: str, fields: dict[int, str]) -> str:
    message = Message(mti, fields, "1987", dialect=fmt.layout("1987").dialect)
    return encode(message, fmt).hex()


def test_a_dialects_names_lengths_and_parts_are_shown(own: Format) -> None:
    """With the user's own `format=`, the table has the dialect's names and formats, and its subfields have
    meanings."""
    paste = _bytes(own, "0100", _SALE | _TILL | {48: "1234TELLER"} | {49: "840"})
    table = sim.parse(paste, format="corner-bank").set_index("number")
    assert table.loc[41, ["name", "format", "value"]].tolist() == ["Till", "ans 16", "TILL000000000001"]
    assert (table.loc[48, "name"], table.loc[48, "meaning"]) == (
        "Branch data",
        "branch: 1234; teller: TELLER",
    )
    assert "TILL000000000001" in sim.explain(paste, format="corner-bank").iso.summary
    assert "framing" not in sim.validate(paste, format="corner-bank")["rule"].tolist()


def test_a_dialects_table_is_still_its_message_after_an_edit(own: Format) -> None:
    """Build and validate apply the dialect to the table; a value of the standard's length is rejected."""
    table = sim.parse(_bytes(own, "0100", _SALE | _TILL | {49: "840"}), format="corner-bank")
    table.loc[table["number"] == 41, "value"] = "TILL000000000002"
    assert sim.build(table).endswith("TILL000000000002840")
    assert "framing" not in sim.validate(table)["rule"].tolist()
    table.loc[table["number"] == 41, "value"] = "TILL0001"
    with pytest.raises(sim.BuildError, match="DE 41"):
        sim.build(table)


def test_a_cut_message_of_a_dialect_is_read_up_to_the_cut(own: Format) -> None:
    """What was read has the dialect's names and offsets."""
    paste = _bytes(own, "0100", _SALE | _TILL | {48: "1234TELLER"} | {49: "840"})[:-6]
    table = sim.parse(paste, format="corner-bank")
    assert table.set_index("number").loc[41, "value"] == "TILL000000000001"
    assert table["finding"].tolist()[-1]
    assert len(table.tail(3)) == 3


def test_a_ready_dialect_is_read_everywhere() -> None:
    """A BASE24 dump, whose DE 41 has 16 characters: table, records, panel, anatomy, and an edit there."""
    paste = _bytes(wire_format("base24"), "0200", _SALE | {12: "120000", 13: "1120"} | _TILL | _TAIL)
    table = sim.parse(paste)
    assert table.set_index("number").loc[41, "value"] == "TILL000000000001"
    assert not any(table["finding"])
    assert verdict_on(read(paste)).framing is None
    panel = ValidatePanel(paste)
    assert panel.report is not None
    assert (panel.report.framing, panel.report.message is not None) == (None, True)
    assert panel.views.anatomy.view["fault"] is None
    anatomy = MessageAnatomy(paste, editable=True)
    assert anatomy.view["fault"] is None
    assert anatomy.set_value(41, "TILL000000000002")
    assert b"TILL000000000002".hex() in anatomy.held.data.hex() if anatomy.held else False
    assert not anatomy.set_value(41, "TILL0001")


def test_card_data_in_parts_of_a_dialect_is_hidden_wherever_its_element_is_shown() -> None:
    """Not only in the subfields: also in the value's own cell, in reprs, in the table of many messages, in
    a column of it."""
    (parts,) = (one for one in wire_format("postilion").layout("1987").dialect.parts if one.number == 127)  # type: ignore[union-attr]
    value = write(parts, {"9": "729730", "10": "729", "28": "7299", "32": "AAV7299"})
    sent = encode(Message("0800", {11: "000042", 127: value}), "postilion")
    table, many = sim.parse(sent, format="postilion"), sim.read([sent.hex()], format="postilion")
    shown = [table.to_string(), repr(table.iso.message), many.to_string(), many["DE127"].to_string()]
    for one in (*shown, sim.mask(sent)):
        assert "729730" in one or "RawMessage" in one
        assert "729" not in one.replace("729730", ""), one
