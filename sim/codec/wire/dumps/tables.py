"""Tables of elements: `2,4111…`, `2;PAN;4111…`, columns divided by tabs or bars. The first column is the
number, the last one the value."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from sim.codec.wire.dumps.parts import MTI_PATH, Named, collected, path_of

_DIVIDERS = "|\t;,"
_FEWEST = 3
_MOST_ROWS = 1000
_MOST_LINE = 4000
_LONGEST_LABEL = 12


def messages(text: str) -> Iterator[Named]:
    """The messages in a table: each begins with an MTI."""
    lines = [line for line in text.splitlines()[:_MOST_ROWS] if line.strip()]
    for divider in _DIVIDERS:
        # Values may hold commas; where each row has as many, they divide columns.
        plain = len({line.count(divider) for line in lines}) > 1
        rows = [cells for line in lines if (cells := _cells(line, divider, plain))]
        if len(rows) >= _FEWEST and 2 * len(rows) > len(lines) and (found := list(_made(rows))):
            yield from found
            return


def _cells(line: str, divider: str, plain: bool) -> tuple[str, str] | None:
    """Path and value of a row; None for a line that is no row."""
    if divider not in line or len(line) > _MOST_LINE:
        return None
    bare = line.strip(" \t|") if divider == "|" else line.strip("\r\n")
    cells = _split(bare, divider, plain)
    label = cells[0].strip(" \t'\"")
    path = path_of(label) if len(label) <= _LONGEST_LABEL else None
    return (path, cells[-1]) if path is not None and len(cells) > 1 else None


def _split(line: str, divider: str, plain: bool) -> list[str]:
    if divider == "|":
        return [cell.strip() for cell in line.split("|")]
    if divider == "," and plain and '"' not in line:
        return line.split(",", 1)
    return next(csv.reader([line], delimiter=divider), [""])


def _made(rows: list[tuple[str, str]]) -> Iterator[Named]:
    pairs: list[tuple[str, str]] = []
    for path, value in [*rows, (MTI_PATH, "")]:
        if path == MTI_PATH and pairs:
            if made := collected("table of elements", pairs):
                yield made
            pairs = []
        pairs.append((path, value))
