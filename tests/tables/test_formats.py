"""The formats as a table, and their export to other toolkits from a notebook."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import sim
from sim.codec.wire import names, wire_format


def test_every_format_is_a_row() -> None:
    """One row per format, by name, with its encodings, its differences and their source."""
    table = sim.formats().set_index("name")
    assert table.index.tolist() == list(names())
    assert table.loc["base24", "differs"].startswith("DE 41, DE 48, DE 60")
    assert table.loc["base24", "version"] == "1987"
    assert table.loc["bcd", ["mti", "numbers", "text", "lengths"]].tolist() == ["bcd", "bcd", "ascii", "bcd"]
    assert (table["source"] != "").all()


def test_a_loaded_format_is_listed_and_written_out(tmp_path: Path) -> None:
    """After loading it is in the table; exported as TOML it has the same meaning."""
    rows = 'extends = "bcd"\ntitle = "Listed"\nsource = "its manual"\n[elements.41]\nformat = "ans 16"\n'
    (tmp_path / "listed.toml").write_text(rows, encoding="utf-8")
    made = sim.load_format(tmp_path / "listed.toml")
    assert sim.formats().set_index("name").loc["listed", "title"] == "Listed"
    text = sim.export_format(made)
    assert isinstance(text, str)
    assert tomllib.loads(text)["elements"]["41"] == {"format": "ans 16"}


def test_what_another_toolkit_cannot_say_is_warned_of() -> None:
    """The elements left out are named; an unknown toolkit or format is an error."""
    with pytest.warns(UserWarning, match="DE 28, DE 29"):
        sim.export_format("bcd", "moov")
    assert "IFB_LLNUM" in str(sim.export_format("bcd", "jpos"))
    with pytest.raises(sim.SpecError, match="toml, jpos"):
        sim.export_format("bcd", "cobol")
    with pytest.raises(sim.SpecError, match="a format"):
        sim.export_format("nothing")


def test_a_format_shows_itself_as_a_line_and_a_table() -> None:
    """A line that describes it, and a row for each element that it changes."""
    first, *rows = repr(wire_format("nac")).splitlines()
    told = "POS terminal through a NAC (HPDH), ISO 8583:1987, extends bcd, on nac, inside length-2 tpdu"
    assert first == f"Format nac: {told}"
    assert rows[0].split() == ["24", "Network", "international", "identifier", "(NII)", "n", "3", "bcd"]
    assert repr(wire_format("ascii")).count("\n") == 0
    assert repr(wire_format("visa")).splitlines()[-1].startswith("  and ")


def test_a_file_is_exported_with_its_header_and_what_it_loses(tmp_path: Path) -> None:
    """The header directly before the message goes along; parts are named as left out."""
    file = tmp_path / "headed.toml"
    rows = ['extends = "bcd"', 'title = "Headed"', 'frames = ["length-2", "header-4"]', "[elements.62]"]
    rows += ['cut = "places"', 'parts = [{ path = "1", name = "batch", format = "n 6" }]']
    file.write_text("\n".join(rows), encoding="utf-8")
    with pytest.warns(UserWarning, match="left out of the jpos specification: the parts of DE 62$"):
        text = str(sim.export_format(sim.load_format(file), "jpos"))
    (tmp_path / "headed.xml").write_text(text, encoding="utf-8")
    assert sim.load_format(tmp_path / "headed.xml", name="headed-again").frames == ("header-4",)
