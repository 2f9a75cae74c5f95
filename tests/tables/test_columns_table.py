"""The table of many messages masks card data in every display, but contains the true values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support import together

import sim
from sim.codec import Message, build
from sim.codec.wire import encode, wrap
from sim.errors import BuildError

PAN = "4111111111111111"
TRACK = f"{PAN}=29122010000012345678"
BLOCK = "0123456789ABCDEF"
FIELDS = {2: PAN, 3: "000000", 11: "123456", 35: TRACK, 43: f"shop {PAN}".ljust(40), 52: BLOCK}
RAW = build(Message("0100", FIELDS))
TABLE = sim.read([RAW] * 3 + [RAW[:-4]])
SECRETS = (PAN, TRACK, TRACK[:20], BLOCK, BLOCK[:8])


def shown(thing: object) -> str:
    """All displays of *thing* in one text."""
    html = getattr(thing, "_repr_html_", None)
    text = repr(thing) + str(thing) + (html() if html else "")
    return text + (thing.to_string() if hasattr(thing, "to_string") else "")


@together(
    "thing",
    [
        TABLE,
        TABLE.head(2),
        TABLE.tail(1),
        TABLE["DE2"],
        TABLE["DE35"],
        TABLE["DE52"],
        TABLE["DE43"],
        TABLE["text"],
        TABLE[["DE52", "DE35"]],
        TABLE.iloc[0],
        TABLE.iloc[3],
        TABLE.loc[0, ["DE35", "DE52"]],
        TABLE.set_index("DE35"),
        TABLE.set_index(["DE2", "DE52"]),
        TABLE.set_index("DE35")["DE3"],
        TABLE["DE35"].value_counts(),
        TABLE["DE52"].drop_duplicates(),
        TABLE.groupby("DE35").size(),
        TABLE.groupby("DE52")["DE11"].first(),
        TABLE.sort_values("DE2"),
        TABLE.T,
        pd.concat([TABLE, TABLE]),
        TABLE.drop(columns=["version"]),
    ],
    label=lambda thing: type(thing).__name__,
)
def test_displays_hide_card_data(thing: object) -> None:
    """No display of the table, of a part of it, or of anything that pandas derives from it shows card
    data."""
    text = shown(thing)
    assert not [secret for secret in SECRETS if secret in text]


def test_cells_hold_the_truth() -> None:
    """Cells, columns as lists and exports have the true values."""
    assert TABLE.loc[0, "DE2"] == PAN
    assert TABLE["DE35"].tolist()[:3] == [TRACK] * 3
    assert PAN in TABLE.to_csv()


def test_numbers_that_are_no_cards_are_shown() -> None:
    """A row count, a STAN and a masked card number are readable."""
    text = repr(TABLE)
    assert "123456" in text
    assert "411111******1111" in text


def test_a_long_table_shows_its_ends() -> None:
    """A long table shows its first and last rows, with the total number."""
    raws = [build(Message("0600", {11: f"{at:06}"})) for at in range(1000)]
    text = repr(sim.read(raws))
    assert "000000" in text
    assert "000999" in text
    assert "000500" not in text
    assert "1000 rows" in text
    assert len(text.splitlines()) < 100


def test_an_element_that_only_one_version_hides() -> None:
    """DE 49 is a currency in 1987 and card verification data in 2003."""
    early = sim.read([build(Message("0100", {49: "840"}))])
    late = sim.read([build(Message("2100", {49: "840"}, "2003"))])
    assert "840" in repr(early["DE49"])
    assert "840" not in repr(late["DE49"])
    assert "840" not in repr(late)


def test_message_of_a_row() -> None:
    """A row gives its message; one without a message raises an error that says so."""
    assert TABLE.iso.message(0) == Message("0100", FIELDS)
    with pytest.raises(BuildError, match="does not parse"):
        TABLE.iso.message(3)


def test_an_empty_second_bitmap_is_remembered() -> None:
    """The message of a row equals the one that was read, including its bitmap."""
    raw = build(Message("0800", {11: "123456"}, empty_secondary=True))
    for raws in ([raw], [raw] * 20):
        table = sim.read(raws)
        assert build(table.iso.message(0)) == raw
        assert "empty-secondary-bitmap" in table.iso.validate()["rule"].tolist()


def test_the_lines_of_each_file_are_its_own(tmp_path: Path) -> None:
    """An empty second bitmap in a line of one file adds none to that line of another."""
    raws = [build(Message("0800", {11: "123456"}, empty_secondary=empty)) for empty in (True, False)]
    for name, lines in (("a", raws), ("b", raws[::-1])):
        (tmp_path / name).write_text("\n".join(lines))
    table = sim.read(tmp_path)
    assert [build(table.iso.message(row)) for row in table.index] == [*raws, *raws[::-1]]


def test_joined_tables_keep_what_is_known_of_their_messages() -> None:
    """After `concat` and `merge` messages are on their interface, unless the tables differ in it."""
    messages = [Message("1240", {2: PAN, 24: "200", 71: f"{at:08}", 31: "2" * 23}, "1993") for at in (1, 2)]
    one, two = (sim.read([encode(each, "ipm")], format="ipm") for each in messages)
    joined = pd.concat([one, two], ignore_index=True)
    merged = joined.merge(pd.DataFrame({"DE71": ["00000002"], "note": ["late"]}), on="DE71")
    for table in (joined, merged):
        assert [table.iso.message(row).spec.interface for row in table.index] == ["ipm"] * len(table)
    plain = sim.read([build(messages[0])])
    mixed = pd.concat([one, plain], ignore_index=True)
    assert mixed.iso.message(1).spec.interface == ""
    pinned = sim.read([build(messages[0])], version="1993")
    again = pd.concat([pd.concat([plain, pinned]), one], ignore_index=True)
    assert [again.iso.message(row).spec.interface for row in again.index] == [""] * 3


def test_rows_without_a_file_are_of_none_of_the_files(tmp_path: Path) -> None:
    """Joined with the files of a folder, messages of a list are not on the interface of the files."""
    message = Message("1240", {2: PAN, 24: "200", 71: "00000001", 31: "2" * 23}, "1993")
    for name in "ab":
        (tmp_path / name).write_bytes(wrap(encode(message, "ipm"), ["length-4"]) * 3)
    files, lines = sim.read(tmp_path), sim.read([build(message)])
    for tables, expected in (([lines, files], ["", *["ipm"] * 6]), ([files, files], ["ipm"] * 12)):
        table = pd.concat(tables, ignore_index=True)
        assert [table.iso.message(row).spec.interface for row in table.index] == expected


def test_columns_without_text_are_left_out() -> None:
    """The error columns are shown only if there are errors."""
    assert "error_offset" in repr(TABLE)
    assert "error" not in repr(TABLE.head(2))
