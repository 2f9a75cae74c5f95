"""Tables of elements: `2,4111…`, `2;PAN;4111…`, columns divided by tabs or bars, or aligned with blanks. The
number is in the first column or after the name; the value is in the column with such a heading, else in the
last."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from sim.codec.message import is_mti
from sim.paste.spellings.element_log import mti_said
from sim.paste.spellings.elements import MTI_PATH, Named, collected, messages_of, path_of
from sim.paste.spellings.worded import path_in_words
from sim.visible import csv_value

EXAMPLES = (
    (
        "| DE | Name | Value |\n|--|--|--|\n| 0 | MTI | 0800 |\n| 3 | x | 990000 |\n| 11 | STAN | 000042 |",
        ("0800", {"3": "990000", "11": "000042"}),
    ),
    (
        "10:15 (3) parsing : mti\n10:15 (3) parsing : stan\n10:15 (3) done\n10:15 (3) fields\n10:15 next\n"
        "mti : 000 : 0800\ncode : 003 : 990000\nstan : 011 : 000042\ninfo : 070 : 301",
        ("0800", {"3": "990000", "11": "000042", "70": "301"}),
    ),
)
_DIVIDERS = "|\t;,"
_NAMED = " : "  # between name, number and value
_COLUMNS = "  "  # aligned with blanks, below a heading
_FEWEST, _FEWEST_WIDE = 3, 4
# Ruling lines.
_BARS = str.maketrans("\u2502\u2503\u2551", "|||")
_RULER = re.compile(r"[-+=|:*\s\u2500-\u257f]*")
# A row between stars; masked values may contain stars, too.
_STARRED = re.compile(r"(?m)^[ \t]{0,8}\*[ \t][^\r\n]*[ \t]\*(?=[ \t]*\r?$)")
_STAR = re.compile(r"(?<!\S)\*(?!\S)")
_ROW, _CELL, _TAG = (re.compile(f"(?i)<{one}\\b[^<>]*>") for one in ("tr", "t[dh]", "/?[a-z]+"))
_MOST_ROWS = 1000
_MOST_LINE = 4000
_LONGEST_LABEL = 12
_VALUE = re.compile(
    r"(?i)(?:field |example |sample |raw )?(?:value|content|data|example|sample)s?(?: value)?"
)
_QUOTES = "`"
WIDE = "table of messages"
_FORMULA = re.compile(r'="([^"]*)"')
_QUOTED = re.compile(r'"[^"]*"')
_NAMES = 3
# The number and the name of an element, then blanks that align the column.
_NUMBERED = re.compile(r"[ \t]{0,8}([0-9]{1,3})[ \t]{1,4}[A-Za-z]")
_FILLED = re.compile(r"[^\r\n]{0,100}?\S {2,}(?=[^\s:=])")


def find(text: str) -> Iterator[Named]:
    """The messages in a table, each starting with an MTI."""
    text = (
        _of_html(text)
        if "<td" in text
        else _STARRED.sub(lambda row: _STAR.sub("|", row[0]), text.translate(_BARS))
    )
    lines = [line for line in text.splitlines()[:_MOST_ROWS] if line.strip() and not _RULER.fullmatch(line)]
    for divider in (*_DIVIDERS, _NAMED, _COLUMNS):
        # Values may contain commas; if every row has the same number outside quotes, they divide columns.
        plain = len({_QUOTED.sub("", line).count(divider) for line in lines}) > 1
        split = [_split(line, divider, plain) for line in lines if len(line) <= _MOST_LINE]
        headings = ((at, cell.strip()) for cells in split for at, cell in enumerate(cells) if at)
        place = next((at for at, heading in headings if _VALUE.fullmatch(heading)), -1)
        if messages := list(_wide(split)):
            yield from messages
            return
        if divider == _COLUMNS and place < 0:
            break
        found = [(at, row) for at, cells in enumerate(split) if (row := _row(cells, place))]
        rows = [row for _, row in found]
        # Two colons with blanks in a line are hardly in the text around a table.
        among = found[-1][0] - found[0][0] + 1 if rows and divider == _NAMED else len(lines)
        lengths = sum(path == str(len(value)) for path, value in rows)  # in a column that looks like numbers
        often = len(dict(rows)) >= _FEWEST and 2 * len(rows) > among and 2 * lengths <= len(rows)
        if often and (messages := list(_messages_of_rows(rows, text))):
            yield from messages
            return
    yield from _messages_of_rows(_aligned(lines), text)


def _aligned(lines: list[str]) -> list[tuple[str, str]]:
    """Path and value of each row in aligned columns of number, name and value; a name may fill its column."""
    rows = [(match, line) for line in lines if (match := _NUMBERED.match(line))]
    ends = Counter(name.end() for match, line in rows if (name := _FILLED.match(line, match.end() - 1)))
    [(column, count)] = ends.most_common(1) or [(0, 0)]
    if len(rows) < _FEWEST or 2 * len(rows) <= len(lines) or 8 * count < len(rows):
        return []
    if any(line[column - 1 : column] != " " for _, line in rows):
        return []
    return [(path, line[column:]) for match, line in rows if (path := path_of(match[1])) is not None]


def _wide(split: list[list[str]]) -> Iterator[Named]:
    """The messages of a table whose first row names elements, with one message per other row."""
    paths = _columns(split[0]) if split else []
    for cells in split[1:] if paths else ():
        if len(cells) == len(paths) and (message := _of_row(paths, cells)):
            yield message


def _columns(cells: list[str], *, words: bool = False) -> list[str]:
    """The path in each cell of a header row, by number or, if few have one and *words* is set, by name; empty
    if the column is not an element. No paths if the table is not one of messages."""
    labels = [cell.strip(" \t'\"") for cell in cells]
    for reader in (path_of, path_in_words)[: 1 + words]:
        paths = [reader(label) or "" for label in labels]
        known_paths = [path for path in paths if path]
        if (
            len(known_paths) >= _FEWEST_WIDE
            and MTI_PATH in known_paths
            and len(set(known_paths)) == len(known_paths)
        ):
            return paths
    return []


def _of_row(paths: list[str], cells: list[str]) -> Named | None:
    """The message of a row; spreadsheets drop the leading zero of an MTI, or keep it in a formula."""
    plain = [match[1] if (match := _FORMULA.fullmatch(cell)) else csv_value(cell) for cell in cells]
    pairs = [(path, cell) for path, cell in zip(paths, plain, strict=False) if path and cell.strip()]
    pairs = [(path, cell.strip().zfill(4) if path == MTI_PATH else cell) for path, cell in pairs]
    return collected(WIDE, pairs)


class Wide:
    """A table with one column per element and one row per message, and the header row *head*.

    >>> table = Wide.of("line;mti;DE3;DE4;DE11")
    >>> table.message("1;0100;000000;1000;42").fields["11"]
    '42'
    """

    def __init__(self, divider: str, paths: list[str]) -> None:
        self._divider, self._paths = divider, paths

    @classmethod
    def of(cls, head: str) -> Wide | None:
        """The table with header row *head*; None if its cells name no elements."""
        tried = (
            (divider, _columns(_cells(head, divider), words=True))
            for divider in _DIVIDERS
            if divider in head[:_MOST_LINE]
        )
        return next((cls(divider, paths) for divider, paths in tried if paths), None)

    def message(self, row: str) -> Named | None:
        """The message of a row; None if it has more or fewer cells than the header, or no MTI."""
        cells = _cells(row, self._divider)
        return _of_row(self._paths, cells) if len(cells) == len(self._paths) else None

    @staticmethod
    def is_line(row: str) -> bool:
        """Whether *row* is only a ruling line."""
        return _RULER.fullmatch(row) is not None


def _cells(line: str, divider: str) -> list[str]:
    if divider == "|" and (bare := line.strip()).startswith("|"):
        return [cell.strip() for cell in bare.removeprefix("|").removesuffix("|").split("|")]
    try:
        return next(csv.reader([line], delimiter=divider), [""])
    except csv.Error:  # a cell above the reader's limit
        return [line]


def _of_html(text: str) -> str:
    """The rows of an HTML table, one per line."""
    rows = _ROW.split(text)[1:]
    return "\n".join("|".join(_TAG.sub("", cell) for cell in _CELL.split(row)[1:]) for row in rows)


def _row(cells: list[str], place: int) -> tuple[str, str] | None:
    """Path and value of a row, which may have the name before the number; None if it names no element."""
    before = cells[: min(len(cells) - 1 if place < 0 else place, _NAMES)]
    labels = (label for cell in before if len(label := cell.strip(" \t'\"")) <= _LONGEST_LABEL)
    path = next((path for label in labels if (path := path_of(label)) is not None), None)
    return None if path is None or place >= len(cells) else (path, cells[place].strip(_QUOTES))


def _split(line: str, divider: str, plain: bool) -> list[str]:
    if divider not in line:
        return [line]
    if divider == _NAMED:
        cells = [cell.strip() for cell in line.split(_NAMED, _NAMES - 1)]
        return cells if len(cells) == _NAMES else [line]
    if divider == "|":
        line = line.replace("||", "|") if line.startswith("||") else line
        return [cell.strip() for cell in line.strip(" \t|").split("|")]
    line = line.strip("\r\n")
    if divider == _COLUMNS:
        return re.split(r" {2,}", line.strip())
    if divider == "," and plain and '"' not in line:
        return line.split(",", 1)
    return next(csv.reader([line], delimiter=divider), [""])


def _messages_of_rows(rows: list[tuple[str, str]], text: str = "") -> Iterator[Named]:
    """The messages of *rows*; if they have no MTI, it is the one in *text*."""
    rows = [(path, value) for path, value in rows if path != MTI_PATH or is_mti(value.strip())]
    if rows and MTI_PATH not in dict(rows) and (mti := mti_said(text)):
        rows = [(MTI_PATH, mti), *rows]
    yield from messages_of("table of elements", rows)


def write(mti: str, fields: Mapping[str, str]) -> str:
    """Lines of number, tab and value."""
    return "\n".join(f"{path}\t{value}" for path, value in {"0": mti, **fields}.items())
