"""The place of something in the input, in the units of the input: byte and row of a dump, line and column of
a log, byte of bytes, offset in the text form."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

from sim.paste.reading import NAMED, Reading
from sim.paste.spellings import hexadecimal

_OFFSETS = "hex dump with offsets"
# The label before the bytes of a row.
_LABEL = re.compile(r"\s*\W{0,2}((?:0[xX])?([0-9A-Fa-f]{3,16}))[hH]?\]?(?=[:|\s])")
_BASES = (16, 10, 8)


def place(reading: Reading, at: int) -> str:
    """Return the place in the input of byte *at* of what was read, in words; for a text form, of its
    character.

    >>> from sim.paste import guess
    >>> place(guess("0000  08 00 20 20 00 00 00 00\\n0008  00 00 99 00 00 12 34"), 13)
    'byte 13'
    """
    source = reading.given
    if reading.raw is not None:
        return f"offset {at}"
    if not isinstance(source, str):
        return f"byte {at}"
    if reading.as_text:
        ahead = characters_ahead(reading)
        return f"byte {at}" if ahead is None else line_and_column(source, ahead + at)
    if reading.spelling.startswith(_OFFSETS):
        row = _row(reading, at)
        return f"byte {at} (row {row})" if row else f"byte {at}"
    scattered = "\n" in source.strip() or "other text" in reading.spelling
    places = (
        hexadecimal.places(source, reading.data) if scattered and reading.spelling.startswith("hex") else []
    )
    return f"byte {at} ({line_and_column(source, places[at])})" if at < len(places) else f"byte {at}"


def characters_ahead(reading: Reading) -> int | None:
    """Return the number of characters of the input before the text that was read; None if the input does not
    contain it unchanged, or if bytes were read."""
    if not reading.as_text or not isinstance(reading.given, str):
        return None
    index = reading.given.find(reading.data.decode("latin-1"))
    return None if index < 0 else index


def place_of_element(reading: Reading, number: int) -> str:
    """Return the place of the value of element *number*, in words; empty if it is unknown."""
    if number in reading.spans:
        return place(reading, reading.spans[number][1])
    value = reading.message.get(number) if reading.message else ""
    if reading.format != NAMED or not isinstance(reading.given, str) or not value:
        return ""
    at = _named_at(reading.given, number, value)
    return "" if at is None else line_and_column(reading.given, at)


def line_and_column(text: str, at: int) -> str:
    """Return the place of character *at* of *text*, as an editor counts.

    >>> line_and_column("one\\ntwo", 5)
    'line 2, column 2'
    """
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _named_at(text: str, number: int, value: str) -> int | None:
    """Find *value* after the name of element *number*, or anywhere if it occurs only once."""
    behind = re.compile(
        rf"(?<![0-9])0{{0,2}}{number}(?![0-9])[^0-9\r\n]{{1,40}}?({re.escape(value)})(?![0-9A-Za-z])"
    )
    if match := behind.search(text):
        return match.start(1)
    starts = [match.start() for match in re.finditer(re.escape(value), text)]
    return starts[0] if len(starts) == 1 else None


def _row(reading: Reading, at: int) -> str:
    """Return the offset of the row of a dump that contains byte *at*; empty if it is unknown."""
    if reading.origin is None or not isinstance(reading.given, str):
        return ""
    size = reading.ahead + len(reading.data)
    labels = [match for line in reading.given.splitlines() if (match := _LABEL.match(line))]
    for base in _BASES:
        try:
            starts = [int(match[2], base) for match in labels]
        except ValueError:
            continue
        steps = {after - before for before, after in pairwise(starts)}
        first = starts[0] if starts else 0
        if min(steps, default=0) > 0 and abs(starts[-1] - first - size) <= max(steps):
            return labels[max(bisect_right(starts, first + reading.ahead + at) - 1, 0)][1]
    return ""
