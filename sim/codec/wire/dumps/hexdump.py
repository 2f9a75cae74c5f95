"""Hex dumps in rows: offsets in front, a gutter of characters behind, as xxd, hexdump, od, tcpdump, Wireshark
and jPOS print them. The offsets say how many bytes a row has, so the gutter never counts as bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A dump of the largest paste in rows of 16 has no more.
_MOST_ROWS = 4200
_MOST_LINE = 400
_ROW = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{3,10})(?:[hH](?=[\s:]))?\]?[:|]?(?:[ \t|]+(\S.*))?")
_TOKEN = re.compile(r"([\s|]*)-?([^\s|-]+)")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_BARE = re.compile(r"((?:[0-9A-Fa-f]{2}[ \t-]{1,3}){3,}[0-9A-Fa-f]{2})(?:[ \t|]+(\S.*))?")
_BASES = (16, 8, 10)
_WIDEST = 64
_NARROWEST = 4


@dataclass(frozen=True, slots=True)
class HexDump:
    """A dump found: its bytes, how many characters of the paste it took, and whether words of 16 bits stand
    in groups of four digits, which some machines print with their bytes swapped."""

    data: bytes
    characters: int
    words: bool
    offsets: bool


def rows(text: str) -> HexDump | None:
    """The hex dump with offsets that stands in *text*, the longest where there are several; None for none."""
    best: list[tuple[int, str, int]] = []
    lines = text.splitlines()[:_MOST_ROWS]
    for cut in (0, _prefix(lines)):
        for base in _BASES:
            found = _run(lines, base, cut)
            best = found if len(found) > len(best) else best
        if len(best) > 1:
            break
    steps = {after[0] - row[0] for row, after in zip(best, best[1:-1] or best[1:], strict=False)}
    if len(best) < 2 or len(steps) != 1 or min(steps) < _NARROWEST:
        return None
    return _bytes_of(best, steps.pop())


def _prefix(lines: list[str]) -> int:
    """How many characters stand in front of the offset in every row: a timestamp, the name of a thread."""
    found = [match.start() for line in lines[:4] if (match := re.search(r"(?<![0-9A-Fa-f])0{3,8}[: ]", line))]
    return found[0] if found else 0


def _run(lines: list[str], base: int, cut: int) -> list[tuple[int, str, int]]:
    """The longest run of rows whose offsets, in *base*, grow by the same step from 0."""
    best: list[tuple[int, str, int]] = []
    now: list[tuple[int, str, int]] = []
    for line in lines:
        match = _ROW.fullmatch(line[cut : cut + _MOST_LINE].strip().lstrip("["))
        at = _number(match[1], base) if match else -1
        step = now[1][0] - now[0][0] if len(now) > 1 else _WIDEST
        if not (now and 0 < at - now[-1][0] <= step):
            now = []
        if match and (now or at == 0):
            now.append((at, match[2] or "", len(line) + 1))
        best = now if len(now) > len(best) else best
    return list(best)


def _number(digits: str, base: int) -> int:
    try:
        return int(digits, base)
    except ValueError:
        return -1


def _bytes_of(found: list[tuple[int, str, int]], step: int) -> HexDump:
    """The bytes of rows at known offsets: as many from each as the next offset says."""
    first = found[0][1].split()
    width = len(first[0]) if first else 2
    data = bytearray()
    for place, (at, rest, _) in enumerate(found):
        last = place + 1 == len(found)
        data += _row(rest, step if last else found[place + 1][0] - at, width, last)
    return HexDump(bytes(data), sum(size for _, _, size in found), width == 4, True)


def _row(rest: str, want: int, width: int, last: bool) -> bytearray:
    """The bytes of one row. Only in the last row may the gutter begin before *want* bytes are there."""
    row = bytearray()
    for match in _TOKEN.finditer(rest):
        gap, token = match[1], match[2]
        if len(row) >= want or len(token) > width or not _HEX.fullmatch(token):
            break
        if last and row and ("|" in gap or "\t" in gap or len(gap) > 2 or (len(gap) == 2 and len(row) % 8)):
            break
        row += bytes.fromhex(token)
    return row[:want]


def bare_rows(text: str) -> HexDump | None:
    """A dump without offsets: rows of byte pairs, each with a gutter behind; None for none."""
    data, taken, width, gutters = bytearray(), 0, 0, 0
    for line in text.splitlines()[:_MOST_ROWS]:
        match = _BARE.fullmatch(line[:_MOST_LINE].strip())
        if match is None:
            if data:
                break
            continue
        row = bytes.fromhex(match[1].replace("-", " "))
        width = width or len(row)
        data += row[:width]
        gutters += len((match[2] or "").strip("|")) >= len(row) - 1
        taken += len(line) + 1
        if len(row) < width:
            break
    return HexDump(bytes(data), taken, False, False) if gutters and len(data) > _NARROWEST else None
