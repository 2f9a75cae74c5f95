"""The message table: its shape, and its identity with the message."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import AT, SETTLED, VECTORS, each, some, upper_bitmap, vector_id

import sim
from sim.tables import MessageTable

PAN = "4111111111111111"
ECHO = "08002020000000000000990000123456"
COLUMNS = ["number", "name", "format", "value", "meaning", "start", "end", "finding", "hint"]


def auth(**options: object) -> MessageTable:
    """A purchase that is the same on every call."""
    return sim.generate("auth", network="VISA", at=AT, **options)  # type: ignore[arg-type]


def put(table: pd.DataFrame, number: int, value: object) -> None:
    """Change one cell of a table, as a notebook cell does."""
    table.loc[table["number"] == number, "value"] = value


def test_shape() -> None:
    """Fixed columns and dtypes, rows MTI, bitmap, elements ascending, under a RangeIndex."""
    table = sim.parse(auth().iso.message)
    assert list(table.columns) == COLUMNS
    assert isinstance(table.index, pd.RangeIndex)
    assert {str(table.dtypes[name]) for name in ("number", "start", "end")} == {"Int64"}
    assert {str(table.dtypes[name]) for name in set(COLUMNS) - {"number", "start", "end"}} == {"str"}
    numbers = table["number"].tolist()
    assert numbers[:3] == [0, 1, 2]
    assert numbers == sorted(numbers)


def test_first_rows() -> None:
    """MTI and bitmap are rows like the elements, with their formats and offsets."""
    table = sim.parse(ECHO)
    assert table.loc[0, ["name", "format", "value"]].tolist() == ["Message type indicator", "n 4", "0800"]
    assert table.loc[1, ["name", "format", "value"]].tolist() == ["Bitmap", "b 8", "2020000000000000"]
    assert table[["start", "end"]].to_numpy().tolist() == [[0, 4], [4, 20], [20, 26], [26, 32]]
    assert table.loc[1, "meaning"] == "2 data elements: 3, 11"


def test_two_bitmaps() -> None:
    """A message with elements above 64 has a bitmap of 16 bytes."""
    table = sim.generate("echo", network="VISA", at=AT)
    assert table.loc[1, "format"] == "b 16"
    assert len(table.loc[1, "value"]) == 32


def test_offsets_are_the_texts() -> None:
    """start and end are the limits of length prefix and value in the text."""
    table = auth()
    raw = table.iso.message
    for row in table.itertuples():
        piece = raw[row.start : row.end]
        assert piece.endswith(row.value)
        digits = row.format.partition("..")[2]
        assert len(piece) - len(row.value) == len(digits)


@each(lambda: some(VECTORS, 10), vector_id)
def test_vectors(row: dict[str, Any]) -> None:
    """Every vector, valid or broken, gives a table with the whole message and the verdict of its text."""
    raw, version = row["message"], row["version"]
    table = sim.parse(raw, version=version, format="text")
    assert table.iso.version == version
    assert upper_bitmap(table.iso.message) == upper_bitmap(raw)
    assert isinstance(repr(table) + table._repr_html_(), str)
    report = sim.validate(raw, version=version, format="text")
    assert sim.validate(table).iso.valid is table.iso.valid is report.iso.valid
    assert sim.validate(table).to_dict() == report.to_dict()


@each(lambda: some(SETTLED, 8), vector_id)
def test_vectors_give_the_expected_rows(row: dict[str, Any]) -> None:
    """A valid vector has its elements as rows and no finding, a broken one exactly one finding."""
    table = sim.parse(row["message"], version=row["version"], format="text")
    findings = table["finding"].astype(bool).sum()
    assert findings == (0 if row["expect_parse"] else 1)
    if row["expect_parse"]:
        values = dict(zip(table["number"].tolist()[2:], table["value"].tolist()[2:], strict=True))
        assert values == {int(number): value for number, value in row["fields"].items()}


def test_edit_changes_everything() -> None:
    """After a cell is changed, message, summary and verdict follow the new value."""
    table = auth(amount_minor_units=1000, entry="manual")
    before, summary = table.iso.message, table.iso.summary
    assert table.iso.valid
    put(table, 4, "000000002500")
    assert table.iso.message == before.replace("000000001000", "000000002500")
    assert "25.00" in table.iso.summary
    assert table.iso.summary != summary
    put(table, 13, "1399")
    assert not table.iso.valid
    assert sim.validate(table)["field"].tolist()[0] == 13
    assert sim.build(table) == table.iso.message


def test_edit_changes_mti_version_and_network() -> None:
    """MTI, version and network follow from the rows, so they change with an edit."""
    table = sim.parse(auth().iso.message)
    put(table, 2, "5555555555554444")
    assert table.iso.network == "MASTERCARD"
    put(table, 0, "1100")
    assert (table.iso.mti, table.iso.version) == ("1100", "1993")


def test_rows_make_the_bitmap() -> None:
    """Removing or adding a row changes the bitmap that is built."""
    table = sim.parse(ECHO)
    assert table[table["number"] != 3].iso.message == "08000020000000000000123456"
    table.loc[len(table)] = [70, "", "", "301", "", None, None, "", ""]
    assert table.iso.message == "0800A0200000000000000400000000000000990000123456301"


def test_empty_secondary_bitmap_stays() -> None:
    """A second bitmap without elements is part of the message."""
    raw = "0800A0200000000000000000000000000000990000123456"
    assert sim.parse(raw).iso.message == raw


def test_given_version_and_network_stay() -> None:
    """Explicit choices apply to the table's later use, through copies and slices."""
    table = sim.parse(ECHO, version="1993", network="AMEX")
    for one in (table, table.copy(), table[table["number"] != 3]):
        assert (one.iso.version, one.iso.network) == ("1993", "AMEX")
    assert "mti-version" in sim.validate(table)["rule"].tolist()


def test_source_and_notes() -> None:
    """A table keeps the source of its message and the assumptions."""
    table = sim.generate("auth", at=AT)
    assert table.iso.source == "template"
    assert any("VISA test card" in note for note in table.iso.notes)
    assert table.copy().iso.notes == table.iso.notes
    assert sim.explain(table).iso.source == "rules"
    assert sim.parse(table.iso.message).iso.source == ""


def test_message_arguments_are_equal() -> None:
    """Raw text, with a line ending or without, table and Message are the same message everywhere."""
    table = auth()
    raw, message = table.iso.message, table.iso.to_message()
    for same in (raw, str(raw), raw + "\n", raw + "\r\n", table, message):
        assert sim.build(same) == raw
        assert sim.parse(same).iso.message == raw
        assert sim.explain(same).iso.summary == table.iso.summary
        assert sim.validate(same).iso.valid
        assert sim.diff(same, raw).empty
        assert sim.respond(same).iso.mti == "0110"


def test_table_by_number() -> None:
    """A table with the numbers as its index is still the message, as is one read back from CSV."""
    table = auth()
    assert sim.build(table.set_index("number")) == table.iso.message
    assert table.set_index("number").iso.valid


def test_csv_round_trip(tmp_path: Path) -> None:
    """A table written as CSV and read as texts builds the same message."""
    table = auth()
    table.to_csv(tmp_path / "message.csv", index=False)
    again = pd.read_csv(tmp_path / "message.csv", dtype=str, keep_default_na=False)
    assert sim.build(again) == table.iso.message


@pytest.mark.parametrize("wrong", [None, 100, 1.5, ["0800"], object()])
def test_no_message_argument(wrong: object) -> None:
    """The TypeError for another argument says what is accepted."""
    for verb in (sim.parse, sim.explain, sim.validate, sim.build, sim.respond, sim.mask):
        with pytest.raises(TypeError, match="a message is a raw string, a message table or a Message, not"):
            verb(wrong)  # type: ignore[operator]


def test_bytes_that_stop_are_told_as_text_is() -> None:
    """The position where reading stops is a finding, or the error of a function that needs the whole
    message."""
    for verb in (sim.parse, sim.explain, sim.validate):
        assert str(verb(b"0800").attrs["iso"]) == str(verb("0800").attrs["iso"])
    for needs_all in (sim.build, sim.respond):
        with pytest.raises(sim.BuildError, match="bitmap at offset 4"):
            needs_all(b"0800")


def test_frame_without_the_columns() -> None:
    """Another DataFrame is not a message, and has no `.iso`."""
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(TypeError, match="number and value"):
        sim.parse(frame)
    with pytest.raises(AttributeError, match="message table"):
        frame.iso  # noqa: B018
    assert not hasattr(frame, "iso")


def test_unknown_version_and_network() -> None:
    """An unknown version or network is a ChoiceError that names the known ones."""
    with pytest.raises(sim.ChoiceError, match="1987, 1993 or 2003"):
        sim.parse(ECHO, version="1988")
    for verb in (sim.parse, sim.explain, sim.validate):
        with pytest.raises(sim.ChoiceError, match="VISA, MASTERCARD"):
            verb(ECHO, network="DINERS")
    with pytest.raises(sim.ChoiceError, match="VISA, MASTERCARD"):
        sim.validate(ECHO, against=["DINERS"])


def test_respond_and_reverse() -> None:
    """Responses and reversals are message tables, valid on the network of their request."""
    table = auth()
    declined = sim.respond(table, 51)
    assert "insufficient funds" in declined.loc[declined["number"] == 39, "meaning"].tolist()
    assert declined.iso.network == "VISA"
    undone = sim.reverse(table, stan="000777", at=AT)
    assert (undone.iso.mti, undone.iso.to_message()[11]) == ("0400", "000777")
    assert declined.iso.valid
    assert undone.iso.valid
    with pytest.raises(sim.BuildError):
        sim.respond(declined)


def test_explain_shows_its_summary() -> None:
    """An explained table shows its summary while it is complete; for a filtered one it would be
    misleading."""
    table = sim.explain(auth())
    assert table.iso.summary[:40] in repr(table)
    assert table.iso.summary[:40] in table._repr_html_()
    assert table.iso.summary[:40] not in repr(table[table["number"] > 2])
    assert table.iso.summary[:40] not in repr(auth())


def test_copies() -> None:
    """Copies and pickles are message tables with the same metadata."""
    table = sim.parse(auth(), network="VISA")
    pickled = pickle.loads(pickle.dumps(table))  # noqa: S301, our own bytes
    for again in (copy.copy(table), copy.deepcopy(table), pickled):
        assert isinstance(again, MessageTable)
        assert again.iso.message == table.iso.message
        assert again.iso.network == "VISA"
        assert repr(again) == repr(table)


def test_attrs_are_plain_values() -> None:
    """A table's metadata can be written to a file with it."""
    for table in (auth(), sim.parse("0800"), sim.validate("0800"), sim.diff(auth(), "0800")):
        assert json.loads(json.dumps(table.attrs)) == table.attrs


def test_concat_is_a_table_of_rows() -> None:
    """Two concatenated messages are not a message: building names the repeated element."""
    both = pd.concat([auth(stan="000001"), auth(stan="000002")])
    assert PAN not in repr(both)
    with pytest.raises(sim.BuildError, match="MTI: expected one row, found two or more"):
        sim.build(both)


def test_display_is_stable_and_quiet() -> None:
    """The same message gives the same output, without empty columns or colors of ours."""
    first, second = auth(), auth()
    assert first._repr_html_() == second._repr_html_()
    assert first.style.to_html() == second.style.to_html()
    assert "hint" not in first._repr_html_()
    assert "finding" not in repr(first)
    assert "hint" in sim.parse("0800")._repr_html_()
    assert "color" not in first._repr_html_()


def test_numbers_stand_right() -> None:
    """Numbers are right-aligned, values and texts left-aligned."""
    html = sim.parse(auth(entry="chip"))._repr_html_()
    assert '<td class="n">226</td><td class="n">455</td>' in html
    assert '<td class="v">ans..999</td>' in html
    assert '<td class="t w b">Track 2 data</td>' in html


def test_display_options() -> None:
    """Long tables are truncated by pandas' own options, and say so."""
    table = sim.fields()
    assert "128 rows × 6 columns" in repr(table)
    with pd.option_context("display.max_rows", 200):
        assert "rows ×" not in repr(table)
        assert repr(table).count("\n") == 128


def test_control_characters_show_as_escapes() -> None:
    """Unprintable characters are shown as escapes, so that a row stays one row."""
    table = sim.parse("08002020000000000000990000\n\x00\ud800456")
    assert table.loc[3, "value"] == "\n\x00\ud800456"
    assert "\\n\\x00\\ud800456" in repr(table)
    assert "\\n\\x00\\ud800456" in table._repr_html_()


def test_html_is_escaped() -> None:
    """Values cannot smuggle HTML into a notebook."""
    html = sim.parse("08002020000000000000990000<b>&x'")._repr_html_()
    assert "&lt;b&gt;&amp;x" in html
    assert "<b>" not in html


def test_what_was_looked_for_in_the_wrong_place_is_named() -> None:
    """Errors name what `.iso` has, how to validate a table of many messages, and the nearest of many
    words."""
    table = sim.generate("echo")
    with pytest.raises(AttributeError, match=r"\.iso has no 'raw'; it has .*message, mti"):
        _ = table.iso.raw
    with pytest.raises(TypeError, match=r"use \.iso\.validate\(\) for all of them"):
        sim.validate(sim.read([table.iso.message]))
    with pytest.raises(
        sim.ChoiceError,
        match=r"expected one of [0-9]+ words, such as '[a-z-]+', .*did you mean 'stan-missing'",
    ) as told:
        sim.break_message(sim.generate(), "stan-mising")
    assert "cut-at-the-end" in told.value.choices
