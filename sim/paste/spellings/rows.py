"""Rows of a hex dump written anew: offset, pairs and gutter as the first row has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FIRST = re.compile(r"(.*?)((?:0[xX])?)(0{3,8})([hH]?\]?[:|]?[ \t|]+)(.*)")
_SKIPPED = " \t|-"
_TAIL = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{3,10})[:h]?\s*")
_OFFSET = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{3,8})")
_BASES = ((16, "x"), (8, "o"), (10, "d"))
_NARROWEST = 4
_MOST_LINE = 400


@dataclass(frozen=True)
class _Pattern:
    """How a row is written: what stands between offset and bytes (`gap`), between the bytes (`gaps`), before
    and behind the gutter (`opened`, `closed`), `column` where that begins; `middle`, where not 0, is where a
    blank stands in it."""

    sign: str
    width: int
    base: str
    upper: bool
    gap: str
    gaps: tuple[str, ...]
    gutter: bool
    opened: str
    closed: str
    column: int
    middle: int

    def row(self, at: int, data: bytes) -> str:
        """The row of *data* at offset *at*, without what a log writes in front."""
        pairs = [f"{byte:02X}" if self.upper else f"{byte:02x}" for byte in data]
        body = pairs[0] + "".join(gap + pair for gap, pair in zip(self.gaps, pairs[1:], strict=False))
        line = f"{self.sign}{at:0{self.width}{self.base}}{self.gap}{body}"
        if not self.gutter:
            return line
        shown = _shown(data)
        if self.middle and len(shown) > self.middle:
            shown = f"{shown[: self.middle]} {shown[self.middle :]}"
        return f"{line:<{self.column}}{self.opened}{shown}{self.closed}"


def _shown(data: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)


def rows_rewritten(paste: str, old: bytes, new: bytes) -> str | None:
    """The dump *paste* of the bytes *old* with *new* in their place; None where its rows are not all written
    alike."""
    lines = paste.splitlines()
    heads = (
        (at, match)
        for at, line in enumerate(lines)
        if len(line) <= _MOST_LINE and (match := _FIRST.fullmatch(line))
    )
    found = next(((at, match, most) for at, match in heads if (most := _first_size(match[5], old))), None)
    if found is None:
        return None
    first, match, most = found
    size, base = _step(lines[first + 1 :], match, most)
    pattern = _pattern(match, old[:size], base)
    chunks = [(at, old[at : at + size]) for at in range(0, len(old), size)] if pattern else []
    there = lines[first : first + len(chunks)]
    if pattern is None or len(there) < len(chunks):
        return None
    leads = []
    for (at, chunk), row in zip(chunks, there, strict=True):
        own = pattern.row(at, chunk)
        start = row.find(own[: len(pattern.sign) + pattern.width])
        if start < 0 or row[start:].split() != own.split():
            return None
        leads.append(row[:start])
    made = [
        leads[min(at // size, len(leads) - 1)] + pattern.row(at, new[at : at + size])
        for at in range(0, len(new), size)
    ]
    rest = [_ended(row, old, new, pattern) for row in lines[first + len(chunks) :]]
    end = "\r\n" if "\r\n" in paste else "\n"
    return end.join([*lines[:first], *made, *rest]) + (end if paste.endswith("\n") else "")


def _first_size(rest: str, old: bytes) -> int:
    """How many bytes of *old* the first row begins with."""
    count, at = 0, 0
    for byte in old:
        while at < len(rest) and rest[at] in _SKIPPED:
            at += 1
        if rest[at : at + 2].lower() != f"{byte:02x}":
            break
        at, count = at + 2, count + 1
    return count


def _step(lines: list[str], first: re.Match[str], most: int) -> tuple[int, str]:
    """How many bytes a row has, of which *most* were found in the first one, and in which base offsets count,
    as the offset of the second row says."""
    found = _OFFSET.match(lines[0][len(first[1]) :]) if lines else None
    said = []
    for base, letter in _BASES:
        try:
            said.append((int(found[1], base), letter) if found else (most, letter))
        except ValueError:
            continue
    right = [one for one in said if one[0] == most]
    near = [one for one in said if _NARROWEST <= one[0] < most]
    return (right or near or [(most, "x")])[0]


def _pattern(first: re.Match[str], data: bytes, base: str) -> _Pattern | None:
    """The pattern of the *first* row, which holds *data*."""
    rest, at, gaps = first[5], 0, []
    for place, byte in enumerate(data):
        start = at
        while at < len(rest) and rest[at] in _SKIPPED:
            at += 1
        if place:
            gaps.append(rest[start:at])
        if rest[at : at + 2].lower() != f"{byte:02x}":
            return None
        at += 2
    tail, shown = rest[at:], _shown(data)
    middle = 0
    if shown not in tail:
        middle = 8
        shown = f"{shown[:8]} {shown[8:]}"
    gutter = bool(data) and shown in tail
    opened, closed = tail.split(shown, 1) if gutter else ("", "")
    column = len(first[2]) + len(first[3]) + len(first[4]) + at
    blanks = len(opened) - len(opened.lstrip())
    return _Pattern(
        first[2],
        len(first[3]),
        base,
        not any(char in "abcdef" for char in rest[:at]),
        first[4],
        tuple(gaps),
        gutter,
        opened.lstrip(),
        closed,
        column + blanks,
        middle if gutter else 0,
    )


def _ended(row: str, old: bytes, new: bytes, pattern: _Pattern) -> str:
    """A line behind the rows; the offset that ends a dump follows."""
    width = f"0{pattern.width}{pattern.base}"
    return row.replace(f"{len(old):{width}}", f"{len(new):{width}}") if _TAIL.fullmatch(row) else row
