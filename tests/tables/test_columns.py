"""Many messages: `sim.read` reads each as the codec does, from any source, and loses none."""

from __future__ import annotations

import gc
import gzip
import io
import weakref
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import MORE, SETTLED, generated, some

import sim
from sim.codec import Message, ParseError, build, parse
from sim.elements.card import chosen_network
from sim.operations import chosen_version, strip_line_ending
from sim.tables.columns import lines
from sim.tables.columns.table import MessagesTable, number_of

ECHO = "08002020000000000000990000123456"
PAN = "4111111111111111"
WITH_CARD = "0100400000000000000016" + PAN
RAWS = [row["message"] for row in SETTLED] + [build(message) for _, _, message in generated()]
ODD = st.one_of(st.sampled_from("0123456789ABCDEFabcdef =D^é٣\n\r"), st.characters())


def cells(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The cells of each row by column, without missing ones."""
    rows = pd.DataFrame(table).to_dict("records")
    return [{str(name): cell for name, cell in row.items() if not pd.isna(cell)} for row in rows]


def expected(raw: str, version: str | None, network: str | None) -> dict[str, Any]:
    """What the codec reads from one text, as a row without its line."""
    raw = strip_line_ending(raw)
    read_as = chosen_version(raw, version)
    try:
        message = parse(raw, read_as)
    except ParseError as error:
        row = {"error": str(error), "error_field": error.field, "error_offset": error.offset, "text": raw}
        if error.field != 0:
            row |= {"mti": raw[:4], "version": read_as}
        # The network, too, where the card was read; no values: they may be pieces of a card.
        row["network"] = chosen_network(error.partial, network) if error.partial else None
        return {name: cell for name, cell in row.items() if cell is not None}
    row = {f"DE{number}": value for number, value in message.fields.items()}
    row |= {"mti": message.mti, "version": read_as}
    found = chosen_network(message, network)
    return row | ({"network": found} if found else {})


def assert_alike(raws: list[str], **options: Any) -> None:
    """`sim.read` gives the codec's result for each text."""
    wanted = [expected(raw, options.get("version"), options.get("network")) for raw in raws]
    found = cells(sim.read(raws, format="text", **options))
    assert [row.pop("line") for row in found] == list(range(1, len(raws) + 1))
    assert found == wanted


# A lone surrogate is no character, and Arrow holds none.
TEXT = ODD.filter(lambda char: not 0xD800 <= ord(char[0]) <= 0xDFFF)


@st.composite
def mutated(draw: st.DrawFn) -> list[str]:
    """Many copies of one valid message, each with some characters changed, lost or added, and valid ones
    between them, so that most are in one group."""
    raw = draw(st.sampled_from(RAWS))
    made = [raw] * 20
    for _ in range(draw(st.integers(1, 12))):
        at, cut = draw(st.integers(0, len(raw))), draw(st.integers(0, 2))
        made.append(raw[:at] + draw(st.text(TEXT, max_size=2)) + raw[at + cut :])
    return made


def test_every_vector_and_every_generated_message() -> None:
    """Vectors and generated messages are read as the codec reads them, a few or many of a type."""
    assert_alike(RAWS)
    assert_alike([raw for raw in some(RAWS, 3) for _ in range(20)])


@given(mutated(), st.sampled_from([None, "1987", "1993", "2003"]), st.sampled_from([None, "JCB"]))
def test_mutated_messages(raws: list[str], version: str | None, network: str | None) -> None:
    """Whatever is changed in some messages of a group, each is read as the codec reads it."""
    assert_alike(raws, version=version, network=network)


@given(st.lists(st.text(TEXT, max_size=60), max_size=20))
def test_any_texts(raws: list[str]) -> None:
    """Any texts become rows; none raises."""
    assert_alike(raws)


def test_values_of_different_widths_side_by_side() -> None:
    """Values of all lengths in one group, including empty ones, are complete and in order."""
    raws = [
        build(Message("0600", {2: "4" * (at % 20), 48: "x" * (at % 60), 11: f"{at:06}"})) for at in range(500)
    ]
    assert_alike(raws)


def test_characters_outside_ascii() -> None:
    """Widths count characters, not bytes."""
    raws = [build(Message("0600", {43: f"CAFÉ {at:02}".ljust(40), 11: f"{at:06}"})) for at in range(40)]
    assert_alike(raws)
    assert sim.read(raws)["DE43"].iloc[0].startswith("CAFÉ")


def test_bytes_that_are_no_utf8_are_latin_1() -> None:
    """A line in another encoding is read one character per byte."""
    line = build(Message("0600", {43: "CAFÉ".ljust(40)})).encode("latin-1")
    assert sim.read(io.BytesIO(line + b"\n" + ECHO.encode()))["DE43"].tolist()[0] == "CAFÉ".ljust(40)


def test_what_is_no_text_is_a_row_with_an_error() -> None:
    """A missing or wrong item keeps its position in the table."""
    table = sim.read(pd.Series([ECHO, None, float("nan"), ECHO], dtype=object))
    assert table["error"].notna().tolist() == [False, True, True, False]
    assert table["line"].tolist() == [1, 2, 3, 4]


def test_half_a_character() -> None:
    """A lone surrogate, which Arrow cannot represent, is read as one unknown character."""
    raw = build(Message("0600", {43: "CAF\ud800".ljust(40)}))
    assert sim.read([raw, "0800\ud800"])["DE43"].tolist()[0] == "CAF\ufffd".ljust(40)


def test_columns_are_texts_in_arrow() -> None:
    """Columns of elements are Arrow strings, those of positions nullable integers."""
    table = sim.read([ECHO, "0800"])
    assert isinstance(table, MessagesTable)
    assert isinstance(table["DE11"].array, pd.arrays.ArrowStringArray)
    assert str(table["DE11"].dtype) == "str"
    assert str(table["error_offset"].dtype) == "Int64"
    assert list(table.columns) == [
        *("line", "mti", "version", "network", "DE3", "DE11"),
        *("error", "error_field", "error_offset", "text"),
    ]


def test_columns_can_be_chosen() -> None:
    """By number, label or name, in the requested order, even if no message has them."""
    table = sim.read([ECHO, WITH_CARD], columns=["Processing code", 37, "de2"])
    assert [name for name in table.columns if number_of(name)] == ["DE3", "DE37", "DE2"]
    assert table["DE3"].tolist()[0] == "990000"
    assert table["DE37"].isna().all()
    assert table["network"].tolist()[1] == "VISA"
    with pytest.raises(sim.OptionError, match="DE4"):
        sim.read([ECHO], columns=["nothing"])
    with pytest.raises(sim.OptionError):
        sim.read([ECHO], columns=[129])


def test_an_empty_source() -> None:
    """No messages give a table without rows."""
    assert len(sim.read([])) == 0
    assert len(sim.read(io.BytesIO())) == 0
    assert [len(one) for one in sim.read([], chunksize=5)] == [0]


def _zst(path: Path, data: bytes) -> None:
    with pa.output_stream(str(path), compression="zstd") as stream:
        stream.write(data)


@pytest.mark.parametrize("suffix", [".log", ".gz", ".zst"])
def test_files(tmp_path: Path, suffix: str) -> None:
    """Plain and compressed files give a row per line; blank lines are left out but counted."""
    path = tmp_path / f"messages{suffix}"
    data = f"\ufeff{ECHO}\r\n\n   \n0800\n{WITH_CARD}".encode()
    if suffix == ".gz":
        path.write_bytes(gzip.compress(data[:40]) + gzip.compress(data[40:]))
    elif suffix == ".zst":
        _zst(path, data)
    else:
        path.write_bytes(data)
    for source in (path, str(path)):
        table = sim.read(source)
        assert table["line"].tolist() == [1, 4, 5]
        assert table["error"].notna().tolist() == [False, True, False]
        assert "file" not in table
    several = sim.read([path, path])
    assert several["file"].tolist() == [str(path)] * 6
    assert sim.read([str(path)])["line"].tolist() == [1, 4, 5]


def test_open_files() -> None:
    """Text and binary streams give the same result."""
    text = f"{ECHO}\n{WITH_CARD}\n"
    assert cells(sim.read(io.StringIO(text))) == cells(sim.read(io.BytesIO(text.encode())))
    assert sim.read(line for line in text.splitlines(keepends=True))["mti"].tolist() == ["0800", "0100"]


def test_blocks_meet_inside_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The position of a block's end makes no difference, even in lines longer than a block."""
    whole = "\n".join(RAWS[:60]).encode("utf-8", "replace")
    wanted = cells(sim.read(io.BytesIO(whole)))
    for size in (7, 64, 1000):
        monkeypatch.setattr(lines, "BLOCK", size)
        assert cells(sim.read(io.BytesIO(whole))) == wanted


def test_start_skips_what_stands_in_front() -> None:
    """`start` counts characters, also outside ASCII."""
    log = io.StringIO(f"12:00 IN  {ECHO}\n12:01 ÖUT {ECHO}\n")
    assert sim.read(log, start=10)["DE11"].tolist() == ["123456"] * 2


@pytest.mark.parametrize(
    "pattern", [r"(?P<message>\d{4}[0-9A-F]{16}.*)", r"msg=(\S+)", r"[0-9]{4}[0-9A-F]{16}\S*$"]
)
def test_pattern_finds_the_message(pattern: str) -> None:
    """A pattern's group `message`, its first group or its whole match is the message; other lines are left
    out."""
    log = f"start\n2026-11-20 ünd msg={ECHO}\nnothing here\n2026-11-20 msg={WITH_CARD}\n"
    table = sim.read(io.StringIO(log), pattern=pattern)
    assert table["line"].tolist() == [2, 4]
    assert table["mti"].tolist() == ["0800", "0100"]


def test_chunks() -> None:
    """With chunksize the same rows come in tables of that size, with continuous labels."""
    raws = [build(Message("0600", {11: f"{at:06}"})) for at in range(95)] + ["bad"] * 6
    chunks = list(sim.read(iter(raws), chunksize=25))
    assert [len(one) for one in chunks] == [25, 25, 25, 25, 1]
    assert [one.index[0] for one in chunks] == [0, 25, 50, 75, 100]
    assert [row for one in chunks for row in cells(one)] == cells(sim.read(raws))


@pytest.mark.parametrize("source", ["file", "items"])
def test_chunks_keep_nothing(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """A released chunk frees its table and source text, even with invalid messages in it, without the
    garbage collector."""
    block = 1 << 16
    tables: list[weakref.ref[object]] = []
    rounds = 100 if MORE else 30
    held: list[int] = []
    monkeypatch.setattr(lines, "BLOCK", block)
    monkeypatch.setattr(lines, "_ITEMS", 200)
    good = build(Message("0600", {11: "123456", 48: "x" * 300}))
    some = [good] * 197 + [good[:-1], "bad", build(Message("0600", {48: "é"}))]
    many = some * rounds
    source_lines: Any = io.BytesIO("\n".join(many).encode()) if source == "file" else iter(many)
    gc.collect()
    gc.disable()
    try:
        for chunk in sim.read(source_lines, chunksize=200):
            assert not any(one() is not None for one in tables)
            tables.append(weakref.ref(chunk))
            del chunk
            held.append(pa.total_allocated_bytes())
    finally:
        gc.enable()
    assert len(tables) == rounds
    assert max(held[rounds // 2 :]) - max(held[: rounds // 2]) < 3 * block


@pytest.mark.parametrize("dtype", ["str", "string"])
def test_series_of_arrow_strings(monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    """An Arrow-backed Series, in one chunk or several, whole or sliced, is read like a list."""
    monkeypatch.setattr(lines, "_ITEMS", 7)
    some = [*RAWS[:40], "", ECHO + "\n", "é", ECHO + "\r\n"]
    whole = pd.Series(["0800", *some, None], dtype=dtype)
    wanted = cells(sim.read([*some, ""]))
    assert cells(sim.read(whole.iloc[1:])) == wanted
    assert cells(sim.read(pd.concat([whole.iloc[1:12], whole.iloc[12:]]))) == wanted
    assert cells(sim.read(whole.iloc[1:].astype(pd.StringDtype("python")))) == wanted
    assert len(sim.read(whole.iloc[:0])) == 0


def test_blocks_without_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of only blank lines, or without a matching line, give no rows."""
    monkeypatch.setattr(lines, "BLOCK", 64)
    blank = io.StringIO("\n" * 200 + ECHO + "\n" * 200)
    assert sim.read(blank)["line"].tolist() == [201]
    assert len(sim.read(io.StringIO("nothing\n" * 50), pattern="0800.*")) == 0


def test_what_is_no_source() -> None:
    """Records, numbers and nonexistent file names are rejected; a message is a source of one."""
    assert sim.read(WITH_CARD)["mti"].tolist() == [WITH_CARD[:4]]
    for source in (5, {"a": 1}):
        with pytest.raises(TypeError, match="source"):
            sim.read(source)
    with pytest.raises(FileNotFoundError):
        sim.read(Path("nothing.log"))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"version": "1999"}, sim.ChoiceError),
        ({"network": "DINERS"}, sim.ChoiceError),
        ({"chunksize": 0}, ValueError),
        ({"chunksize": "5"}, sim.OptionError),
        ({"columns": 5.5}, sim.OptionError),
        ({"columns": [None]}, sim.OptionError),
        ({"framing": 5.5}, sim.OptionError),
        ({"engine": "spark"}, ValueError),
        ({"start": -1}, ValueError),
        ({"start": 1, "pattern": "x"}, ValueError),
        ({"engine": "dask", "chunksize": 5}, ValueError),
        ({"engine": "dask"}, TypeError),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception]) -> None:
    """Unknown or mutually exclusive options raise before anything is read."""
    with pytest.raises(error):
        sim.read([ECHO], **options)


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """A bar is drawn on request, but not for short work."""
    sim.read([ECHO])
    assert capsys.readouterr().err == ""
    sim.read([ECHO], progress=True)
    assert "1/1" in capsys.readouterr().err


def test_messages_in_a_list_may_have_any_form() -> None:
    """A text, a `Message` and a message table are equivalent in a list or an iterator."""
    raw = build(generated()[0][2])
    texts = sim.read([raw] * 3)
    forms = [raw, parse(raw), sim.parse(raw)]
    pd.testing.assert_frame_equal(sim.read(forms), texts)
    pd.testing.assert_frame_equal(sim.read(iter(forms)), texts)
