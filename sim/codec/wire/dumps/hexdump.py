"""Hex dumps in rows: offsets in front, a gutter of characters behind, as xxd, hexdump, od, tcpdump, Wireshark
and jPOS print them. The offsets say how many bytes a row has, so the gutter never counts as bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A dump of the largest paste in rows of 16 has no more.
_MOST_ROWS = 4200
_MOST_LINE = 400
_ROW = re.compile(
    r"(?:0[xX])?([0-9A-Fa-f]{4}:(?=[0-9A-Fa-f]{4}\b))?([0-9A-Fa-f]{3,16})"
    r"(?:[hH](?=[\s:])|\([0-9A-Fa-f]{3,8}\))?\]?(?: ?:| -(?= )|\|)?"
    r"(?:(?:(?<=:)|[ \t|]+)(?=[0-9A-Fa-f]{2})(\S.*))?"
)
# The first row of a dump may stand behind what a log writes in front of it.
_FIRST = re.compile(r"(?<=[\s\]>:])(0{3,8}(?:[hH](?=[\s:]))?[:|]?[ \t|]+(?:[0-9A-Fa-f]{2} ?){4}.*)")
_TOKEN = re.compile(r"([\s|]*)-?([^\s|-]+)")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_BARE = re.compile(r"((?:[0-9A-Fa-f]{2}[ \t-]{1,3}){3,}[0-9A-Fa-f]{2})(?:[ \t|]+(\S.*))?")
_SHORT = re.compile(_BARE.pattern.replace("{3,}", "{0,}", 1))
# Pairs at the end of a line; what stands in front of them is no pair.
_AT_END = re.compile(
    r"(?:^|(?<=[^0-9A-Fa-f\s][ \t])|(?<=[^\s][ \t]{2}))((?:[0-9A-Fa-f]{2} )*[0-9A-Fa-f]{2})$"
)
_BASES = (16, 8, 10)
_WIDEST = 64
_USUAL = 16
_ALIKE = "*"
_WORD = 4  # hex digits
_NARROWEST = 4


@dataclass(frozen=True, slots=True)
class HexDump:
    """A dump found: its bytes, how many characters of the paste it took, and whether words of 16 bits stand
    in groups of four digits, which some machines print with their bytes swapped. `size` is how many of the
    bytes its offsets speak of, where they say."""

    data: bytes
    characters: int
    words: bool
    offsets: bool
    size: int | None = None


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
    if len(best) < 2:
        best = max(best, _run(lines, _USUAL, 0, anywhere=True), key=len)
    if len(best) == 1 and best[0][0] == 0 and len(lines) == 1:
        return _bytes_of(best, _USUAL)
    steps = {after[0] - row[0] for row, after in zip(best, best[1:-1] or best[1:], strict=False)}
    if len(best) < 2 or len(steps) != 1 or min(steps) < _NARROWEST:
        return None
    return _bytes_of(best, steps.pop())


def _prefix(lines: list[str]) -> int:
    """How many characters stand in front of the offset in every row: a timestamp, the name of a thread."""
    found = [match.start() for line in lines[:4] if (match := re.search(r"(?<![0-9A-Fa-f])0{3,8}[: ]", line))]
    return found[0] if found else 0


def _run(lines: list[str], base: int, cut: int, *, anywhere: bool = False) -> list[tuple[int, str, int]]:
    """The longest run of rows whose offsets, in *base*, grow by the same step: from 0, from anywhere in a
    segment of memory, or *anywhere* from a multiple of 16. A star stands for rows as the one before."""
    best: list[tuple[int, str, int]] = []
    now: list[tuple[int, str, int]] = []
    for before, line in zip(["", *lines], lines, strict=False):
        if now and line[cut:].strip() == _ALIKE:
            continue
        match = _ROW.fullmatch(line[cut : cut + _MOST_LINE].strip().lstrip("[|"))
        if match is None and (first := _FIRST.search(line[:_MOST_LINE])):
            match = _ROW.fullmatch(first[1].strip())
        at = _number(match[2], base) if match else -1
        if now and before[cut:].strip() == _ALIKE:
            now += _squeezed(now, at)
        step = now[1][0] - now[0][0] if len(now) > 1 else _WIDEST
        if not (now and 0 < at - now[-1][0] <= step):
            now = []
        if match and (now or at == 0 or match[1] or (anywhere and at % _USUAL == 0)):
            now.append((at, match[3] or "", len(line) + 1))
        best = now if len(now) > len(best) else best
    return list(best)


def _squeezed(now: list[tuple[int, str, int]], end: int) -> list[tuple[int, str, int]]:
    """The rows that a star stands for: up to offset *end*, each as the last one of *now*; none where those
    would be more than a dump has."""
    last, rest, _ = now[-1]
    step = now[1][0] - now[0][0] if len(now) > 1 else _USUAL
    alike = range(last + step, end, step)
    return [(at, rest, 0) for at in alike] if len(now) + len(alike) <= _MOST_ROWS else []


def _number(digits: str, base: int) -> int:
    try:
        return int(digits, base)
    except ValueError:
        return -1


def _bytes_of(found: list[tuple[int, str, int]], step: int) -> HexDump:
    """The bytes of rows at known offsets: as many from each as the next offset says."""
    first = found[0][1].split()
    width = len(first[0]) if first else 2
    data, size = bytearray(), 0
    for place, (at, rest, _) in enumerate(found):
        last = place + 1 == len(found)
        want = step if last else found[place + 1][0] - at
        # A word of two bytes is whole where the data end within it.
        row = _row(rest, want + want % 2 if width == _WORD else want, width, last)
        data, size = data + row, size + min(want, len(row))
    return HexDump(bytes(data), sum(one for _, _, one in found), width == _WORD, True, size)


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
    best: list[re.Match[str]] = []
    now: list[re.Match[str]] = []
    for line in text.splitlines()[:_MOST_ROWS]:
        match = (_SHORT if now else _BARE).fullmatch(line[:_MOST_LINE].strip())
        if match is None:
            now = []
            continue
        now.append(match)
        best = now if len(now) > len(best) else best
    rows = [bytes.fromhex(match[1].replace("-", " ")) for match in best]
    gutters = any(
        len((match[2] or "").strip("|")) >= len(row) - 1 for match, row in zip(best, rows, strict=True)
    )
    skip = _counted([match[1][:2] for match in best])
    data = b"".join(row[skip : len(rows[0])] for row in rows)
    taken = sum(len(match[0]) + 1 for match in best)
    return HexDump(data, taken, False, False) if gutters and len(data) > _NARROWEST else None


def _counted(numbers: list[str]) -> bool:
    """Whether what rows begin with is no byte but their number, or a short offset."""
    places = range(len(numbers))
    forms = (
        [f"{at:02}" for at in places],
        [f"{at:02x}" for at in places],
        [f"{16 * at:02x}" for at in places],
    )
    return len(numbers) > 2 and [number.lower() for number in numbers] in forms


def columns(text: str) -> HexDump | None:
    """Byte pairs at the end of each line, all in the same column, behind what a log writes in front; None for
    none."""
    data, taken, place = bytearray(), 0, -1
    for line in text.splitlines()[:_MOST_ROWS]:
        match = _AT_END.search(line[:_MOST_LINE].rstrip())
        if match is None or place not in (-1, match.start(1)) or not match.start(1):
            if data:
                break
            continue
        place = match.start(1)
        data += bytes.fromhex(match[1])
        taken += len(match[1]) + 1
    return HexDump(bytes(data), taken, False, False) if len(data) > _NARROWEST else None
