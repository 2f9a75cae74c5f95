"""Texts of many messages other than lines in text form: tables, hex, listings; and file names."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.codec import Message, build, parse
from sim.codec.wire import encode, misfits
from sim.operations import generate, respond
from sim.spec import version_of
from sim.tables.columns.table import number_of
from tests.paste_kinds import NAMED
from tests.support import AT, PARSED

_PAN = "4111111111111111"


def _messages() -> list[Message]:
    made = [parse(row["message"], row["version"]) for row in PARSED]
    return [one for one in made if version_of(one.mti) == one.version]


def _sent() -> list[Message]:
    return [one for one in _messages() if one.mti == "0100" and not misfits(one, "bcd")][:9]


@pytest.mark.parametrize("divider", [",", ";", "\t", "|"])
def test_a_table_that_was_exported_is_read_again(tmp_path: Path, divider: str) -> None:
    """One column per element, as from `to_csv` or a spreadsheet, in UTF-8 or UTF-16, gives the same
    messages; other columns are ignored, and a row that is not a message has an error."""
    sent = sim.read([one for one in _messages() if one.fields])
    keys = ["mti", *(key for key in sent.columns if number_of(key))]
    text = sent.to_csv(index=False, sep=divider, lineterminator="\n") + "no message\n"
    (tmp_path / "wide.csv").write_text(text, encoding="utf-16" if divider == "\t" else "utf-8-sig")
    read = sim.read(tmp_path / "wide.csv")
    assert read["error"].notna().tolist() == len(sent) * [False] + [True]
    assert read["line"].tolist() == list(range(2, len(sent) + 3))
    for key in keys:
        there, here = (table[key].fillna("").str.upper().tolist() for table in (sent, read))
        assert here[:-1] == there, key


def test_a_spreadsheet_may_name_elements_in_words_and_drop_zeros() -> None:
    """A header of words, a rule below it, an MTI without its leading zero or as a formula."""
    rows = ["sep=;", "Id;MTI;PAN;Processing code;STAN;When", f"1;100;{_PAN};0;1;x", f'2;="0110";{_PAN};0;1;x']
    for text in ("\n".join(rows), "\n".join(["| " + one.replace(";", " | ") + " |" for one in rows[1:]])):
        read = sim.read(io.StringIO(text.replace("|\n", "|\n|---|---|---|---|---|---|\n", 1) + "\n"))
        assert read[["mti", "DE2", "DE3", "DE11"]].values.tolist() == [
            [mti, _PAN, "000000", "000001"] for mti in ("0100", "0110")
        ]
    plain = sim.read("date,stan,amount,type\n2026-11-01,1,2,debit\n2026-11-02,2,3,credit\n")
    assert plain["error"].notna().all()


def test_hex_is_read_alike_from_a_text_a_file_and_an_open_file(tmp_path: Path) -> None:
    """Only digits, which may begin like the text form, or digits after a time: with a format and without."""
    some = [one for one in _messages() if one.version == "1987" and not misfits(one, "bcd")][:9]
    for line, between in (("{}", ""), ("12:00:01 <- {}", ""), ("12:00:01 <- {} sent", " "), ("{}", " ")):
        text = "".join(line.format(encode(one, "bcd").hex(*between)) + "\n" for one in some)
        (tmp_path / "hex.txt").write_text(text, encoding="ascii")
        for options in ({"format": "bcd"}, {}):
            for source in (text, io.StringIO(text), tmp_path / "hex.txt"):
                read = sim.read(source, **options)  # type: ignore[arg-type]
                assert read["DE11"].tolist() == [one.get(11) for one in some]


@pytest.mark.parametrize("size", ["04", "04X"])
@pytest.mark.parametrize("line", ["{}{}", "2026-11-23 10:15:30 INFO sent [{}{}]", "10:15:30 {}{}"])
def test_a_length_in_front_of_a_text_is_no_part_of_it(size: str, line: str) -> None:
    """Four digits, decimal or hex, as a channel sends and a log stores them."""
    sent = [build(one) for one in _sent()]
    read = sim.read("\n".join(line.format(format(len(one), size), one) for one in sent))
    plain = sim.read("\n".join(sent))
    assert read["error"].isna().all()
    assert read.drop(columns="line").equals(plain.drop(columns="line"))


def test_a_message_in_one_line_is_no_name_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there is no such file, a line that names elements or contains bytes is read; an existing file is
    read whatever its name."""
    line = f"MTI=0100|F2={_PAN}|F3=000000|F4=1000|F11=000001|F41=* [x]"
    assert sim.read(line)["DE2"].tolist() == [_PAN]
    assert sim.read("dump: " + encode(_sent()[0], "bcd").hex(" "))["DE11"].tolist() == [_sent()[0][11]]
    with pytest.raises(FileNotFoundError):
        sim.read("logs/**.txt of yesterday's switch")
    monkeypatch.chdir(tmp_path)
    name = "MTI=0100&F2=1&F3=000000&F11=000001"
    (tmp_path / name).write_text(build(_sent()[0]) + "\n", encoding="ascii")
    assert sim.read(name)["DE11"].tolist() == [_sent()[0][11]]


@pytest.mark.parametrize("kind", ["Field 2 =", "JSON, indented", "columns", "(2)(value)", "JSON"])
def test_a_text_that_names_elements_has_a_row_for_each_message(kind: str) -> None:
    """A message takes several lines or one; each row has the line number of its MTI; other text in between
    is no row if messages take several lines."""
    sent = [generate("auth", at=AT, stan=f"{at:06}").message for at in (1, 2)]
    sent.append(respond(sent[1]).message)
    text = "\n\n".join(NAMED[kind](one).strip("\n") for one in sent)
    read = sim.read(io.StringIO(text + "\n"))
    assert read["mti"].tolist() == ["0100", "0100", "0110"]
    assert read["DE11"].tolist() == ["000001", "000002", "000002"]
    lines = text.split("\n")
    assert all(mti in lines[line - 1] for mti, line in zip(read["mti"], read["line"], strict=True))


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(lambda data: ["[]byte{" + ", ".join(map(hex, data)) + "}"], id="in a line"),
        pytest.param(
            lambda data: [f"{', '.join(map(hex, data[i : i + 8]))}," for i in range(0, len(data), 8)],
            id="rows",
        ),
        pytest.param(lambda data: [data[i : i + 30].hex() for i in range(0, len(data), 30)], id="digits"),
    ],
)
def test_bytes_as_programs_write_them_are_one_message(rows: Callable[[bytes], list[str]]) -> None:
    """An array in a program, or digits split over lines none of which is a message."""
    made = generate("auth", network="VISA", at=AT).message
    read = sim.read(io.StringIO("\n".join(rows(encode(made, "bcd")))))
    assert read[["line", "mti", "DE2", "DE11"]].values.tolist() == [[1, "0100", _PAN, made[11]]]


@pytest.mark.parametrize("width", [40, 72, 200])
def test_a_message_that_a_page_broke_into_lines_is_one(width: int) -> None:
    """A message copied out of a document: no line is a message, but all of them together are."""
    raw = generate("auth", network="VISA", at=AT).raw
    read = sim.read(io.StringIO("\n".join(raw[at : at + width] for at in range(0, len(raw), width))))
    assert read["mti"].tolist() == ["0100"]
    assert read["error"].isna().all()


@pytest.mark.parametrize(
    "opened", [io.StringIO, lambda text: io.BytesIO(text.encode())], ids=["text", "bytes"]
)
def test_every_line_has_its_row_whatever_stands_in_it(opened: Callable[[str], Any]) -> None:
    """Unprintable characters, or messages that are all truncated, do not change how lines are read."""
    raw = generate("auth", network="VISA", at=AT).raw
    odd = raw.replace("CORNER", "CORN\x01R")
    for lines in ([raw, odd], [odd], [raw[:60], raw[:90]], [raw[:40] + raw[44:], odd[:80], raw[:100]]):
        read = sim.read(opened("\n".join(lines)))
        assert read["mti"].tolist() == ["0100"] * len(lines)
        assert read["error"].isna().tolist() == [line in (raw, odd) for line in lines]


class _Endless(io.RawIOBase):
    """A file of one endless line, such as a compressed file of little more than a kilobyte may contain."""

    def __init__(self, size: int, end: bytes) -> None:
        self.left, self.end, self.most = size, end, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.most = max(self.most, len(buffer))
        piece = b"A" * min(len(buffer), self.left)
        self.left -= len(piece)
        if not piece:
            piece, self.end = self.end[: len(buffer)], self.end[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def test_a_line_without_an_end_takes_no_memory() -> None:
    """A line of more than a megabyte is not a message: it is read in pieces and becomes one row with an
    error; the line after it is read."""
    text = next(row["message"] for row in PARSED)
    stream = _Endless(40 << 20, f"\n{text}\n".encode())
    found = sim.read(stream)
    assert list(found["line"]) == [1, 2]
    assert "1,048,576 bytes" in str(found["error"][0])
    assert found["mti"][1] == text[:4]
    assert stream.most <= 4 << 20


def test_long_runs_of_blanks_are_read_in_no_time(tmp_path: Path) -> None:
    """A record padded with blanks to a fixed width is an ordinary line."""
    path = tmp_path / "blanks.log"
    path.write_text("".join(" " * 30_000 + "x\n" for _ in range(3)), encoding="utf-8")
    started = time.process_time()
    assert len(sim.read(path)) == 3
    assert time.process_time() - started < 2
