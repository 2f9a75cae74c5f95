"""Hex dumps in rows, with offsets before and a gutter of characters after the bytes, as printed by xxd,
hexdump, od, tcpdump, Wireshark and jPOS. The offsets give the number of bytes per row, so the gutter never
counts as bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import add

from sim.paste.spellings import tidy
from sim.paste.spellings.sighting import Sighting, sighted

NAMES = ("hex dump",)
EXAMPLES = (
    ("0000  30 38 30 30 82 20 00 00  0800. ..\n0008  FF 31", bytes.fromhex("30383030 82200000 FF31")),
    ("00000000: 3038 3030 8220 0000  0800. ..\n00000008: ff31", bytes.fromhex("30383030 82200000 FF31")),
)
# The rows of the largest paste, at 16 bytes each.
_MOST_ROWS = 4200
_MOST_LINE = 400
_ROW = re.compile(
    r"(?:0[xX]|\+)?([0-9A-Fa-f]{4}:(?=[0-9A-Fa-f]{4}\b))?([0-9A-Fa-f]{3,16})"
    r"(?:[hH](?=[\s:])|\([0-9A-Fa-f]{3,8}\)|-[0-9A-Fa-f]{3,8})?\]?(?: ?:| -(?= )|\|)?"
    r"(?:(?:(?<=:)|[ \t|]+)(?=(?:0x)?[0-9A-Fa-f]{2})(\S.*))?"
)
# The first row of a dump may come after a log's own text.
_FIRST = re.compile(r"(?<=[\s\]>:])(0{3,8}(?:[hH](?=[\s:]))?[:|]?[ \t|]+(?:[0-9A-Fa-f]{2} ?){4}.*)")
# A row with its offset at the end: words in bars, then the gutter.
_OFFSET_LAST = re.compile(
    r"(?m)^[ \t]{0,8}\|((?:[0-9A-Fa-f]{2} ?){1,64})\|([^\r\n]{0,80}[ \t])([0-9A-Fa-f]{8})[ \t]*$"
)
# The blanks before a row, where a page has run the lines together.
_RUN_ON = re.compile(
    r"(?<=\S)[ \t]{1,8}(?=0{1,6}[0-9A-Fa-f]{1,3}0:?[ \t]{1,4}(?:[0-9A-Fa-f]{2}[ \t]{1,4}){3})"
)
_TOKEN = re.compile(r"(?<![\s|])([\s|]*)-?([^\s|-]+)")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_BARE = re.compile(r"((?:[0-9A-Fa-f]{2}[ \t-]{1,4}){3,}[0-9A-Fa-f]{2})(?:[ \t|]+(\S.*))?", re.DOTALL)
_SHORT = re.compile(_BARE.pattern.replace("{3,}", "{0,}", 1), re.DOTALL)
# Bytes after a log's own text in each row: pairs, or digits to the end of the line.
_PAIRS = re.compile(r"(?<![^\s|])(?:[0-9A-Fa-f]{2}[ \t-]{1,4}){7,}[0-9A-Fa-f]{2}(?![^\s>\])}])")
_LAST_PAIRS = re.compile(r"[0-9A-Fa-f]{2}(?:[ \t-]{1,4}[0-9A-Fa-f]{2})*(?![^\s>\])}])")
_DIGITS = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){12,}$")
_NO_DIGIT = re.compile(r"[ \t-]")
_LAST_DIGITS = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2})+$")
_BASES = (16, 8, 10)
_WIDEST = 64
_USUAL = 16
_ALIKE = "*"
_WORDS = (4, 8)  # hex digits
_NARROWEST = 4
# For rewriting a dump.
_HEAD = re.compile(r"(.*?)((?:0[xX])?)(?<![.,])(0{3,8})([hH]?\]?[:|]?[ \t|]+)(.*)")
_SKIPPED, _MIDDLE = " \t|-", 8
_TAIL = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{3,10})[:h]?\s*")
_OFFSET = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{3,8})")
_COUNTED = ((16, "x"), (8, "o"), (10, "d"))


@dataclass(frozen=True, slots=True)
class HexDump:
    """A dump: its bytes, its number of characters in the paste, and the bytes per `word` if its digits are in
    groups of four or eight, which some machines print with the bytes swapped; else 1. `size` is the number of
    bytes by the offsets, if known."""

    data: bytes
    characters: int
    word: int
    offsets: bool
    size: int | None = None


def find(text: str) -> Iterator[Sighting]:
    """The dump in *text*: with offsets, with only a gutter, or in a column after other text; if its words
    have several bytes, in both byte orders."""
    plain_text, notes = tidy.unmasked(_in_rows(_OFFSET_LAST.sub(r"\3  \1 \2", text)))
    dump: HexDump | None = rows(plain_text) or bare_rows(plain_text) or columns(plain_text)
    if dump is None:
        return
    name = "hex dump with offsets" if dump.offsets else "hex dump"
    yield sighted(name, dump.data[: dump.size], dump.characters, text, notes)
    if dump.word > 1:
        even = dump.data[: len(dump.data) // dump.word * dump.word]
        swapped = bytes(even[at ^ (dump.word - 1)] for at in range(len(even)))[: dump.size]
        yield sighted(f"{name}, bytes of each word swapped", swapped, dump.characters, text)


def _in_rows(text: str) -> str:
    """*text* with the rows of a dump in lines of their own, if several are in one line."""
    lines = text.splitlines()
    return "\n".join(_RUN_ON.sub("\n", line) if len(_RUN_ON.findall(line)) > 1 else line for line in lines)


def write(data: bytes) -> str:
    """*data* in rows of 16 with offset and gutter."""
    chunks = [(at, data[at : at + _USUAL]) for at in range(0, len(data), _USUAL)]
    return "\n".join(f"{at:04x}  {row.hex(' '):<47}  {_gutter(row)}" for at, row in chunks)


def rows(text: str) -> HexDump | None:
    """The longest hex dump with offsets in *text*; None if there is none."""
    best: list[tuple[int, str, int]] = []
    lines = [line for line in text.splitlines() if line.strip()][:_MOST_ROWS]
    for cut in dict.fromkeys((0, _prefix(lines))):
        for base in _BASES:
            run = _run(lines, base, cut)
            best = run if (len(run), _agrees(run)) > (len(best), _agrees(best)) else best
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


def _agrees(dump_rows: list[tuple[int, str, int]]) -> bool:
    """Whether the number of pairs in the first row matches the offsets: decimal 16, read as hex, would be
    22."""
    if len(dump_rows) < 2:
        return False
    step = dump_rows[1][0] - dump_rows[0][0]
    tokens = dump_rows[0][1].replace("-", " ").split()
    pairs = next(
        (at for at, token in enumerate(tokens) if len(token) != 2 or not _HEX.fullmatch(token)), len(tokens)
    )
    return pairs in (0, step)


def _prefix(lines: list[str]) -> int:
    """The number of characters before the offset in every row, such as a timestamp or a thread's name."""
    starts = [
        match.start() for line in lines[:4] if (match := re.search(r"(?<![0-9A-Fa-f.,])0{3,8}[: ]", line))
    ]
    return starts[0] if starts else 0


def _run(lines: list[str], base: int, cut: int, *, anywhere: bool = False) -> list[tuple[int, str, int]]:
    """The longest run of rows whose offsets, in *base*, grow by the same step: from 0, from any offset within
    a memory segment or, if *anywhere*, from a multiple of 16. A star means repeated rows."""
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
        if match and (now or at in (0, 1) or match[1] or (anywhere and at % _USUAL == 0)):
            now.append((at, (match[3] or "").replace("0x", ""), len(line) + 1))
        best = now if len(now) > len(best) else best
    return list(best)


def _squeezed(now: list[tuple[int, str, int]], end: int) -> list[tuple[int, str, int]]:
    """The rows in place of a star: copies of the last one of *now*, up to offset *end*; none if the dump
    would be too long."""
    last, rest, _ = now[-1]
    step = now[1][0] - now[0][0] if len(now) > 1 else _USUAL
    alike = range(last + step, end, step)
    return [(at, rest, 0) for at in alike] if len(now) + len(alike) <= _MOST_ROWS else []


def _number(digits: str, base: int) -> int:
    try:
        return int(digits, base)
    except ValueError:
        return -1


def _bytes_of(dump_rows: list[tuple[int, str, int]], step: int) -> HexDump:
    """The bytes of rows with known offsets: from each row as many as the next offset requires."""
    first = dump_rows[0][1].split()
    width = len(first[0]) if first else 2
    columns = frozenset(match.start(2) for match in _TOKEN.finditer(dump_rows[0][1]))
    columns = frozenset(sorted(columns)[: 2 * step // width])
    data, size = bytearray(), 0
    for place, (at, rest, _) in enumerate(dump_rows):
        last = place + 1 == len(dump_rows)
        want = step if last else dump_rows[place + 1][0] - at
        # A last word is printed in full even if the data end within it.
        row = _row(
            rest, want + -want % (width // 2) if width in _WORDS else want, width, columns if last else None
        )
        data, size = data + row, size + min(want, len(row))
    gutter = _gutter(data[: min(step, len(data))])
    # If the gutter matches the bytes, their order is certain.
    word = width // 2 if width in _WORDS and gutter not in dump_rows[0][1] else 1
    return HexDump(bytes(data), sum(length for _, _, length in dump_rows), word, True, size)


def _row(rest: str, want: int, width: int, columns: frozenset[int] | None) -> bytearray:
    """The bytes of one row. Only in the last row, for which *columns* gives the positions of bytes, may the
    gutter start before there are *want* bytes."""
    row = bytearray()
    for match in _TOKEN.finditer(rest):
        gap, token = match[1], match[2]
        if len(row) >= want or len(token) > width or not _HEX.fullmatch(token):
            break
        wide = len(gap) > 2 or "|" in gap or "\t" in gap or (len(gap) == 2 and len(row) % 8)
        if columns and row and wide and match.start(2) not in columns:
            break
        row += bytes.fromhex(token)
    return row[:want]


def bare_rows(text: str) -> HexDump | None:
    """A dump without offsets: rows of byte pairs, each followed by a gutter; None if there is none."""
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
    return HexDump(data, taken, 1, False) if gutters and len(data) > _NARROWEST else None


def _counted(numbers: list[str]) -> bool:
    """Whether rows start not with a byte but with their number, or a short offset."""
    places = range(len(numbers))
    forms = (
        [f"{at:02}" for at in places],
        [f"{at:02x}" for at in places],
        [f"{16 * at:02x}" for at in places],
    )
    return len(numbers) > 2 and [number.lower() for number in numbers] in forms


def columns(text: str) -> HexDump | None:
    """Bytes in the same column of each line, after a log's own text or a gutter; None if there are none."""
    lines = [line[:_MOST_LINE].rstrip() for line in text.splitlines()[:_MOST_ROWS]]
    both = (_column(lines, _PAIRS, _LAST_PAIRS), _column(lines, _DIGITS, _LAST_DIGITS))
    return max((dump for dump in both if dump), key=lambda dump: len(dump.data), default=None)


def _column(lines: list[str], first: re.Pattern[str], rest: re.Pattern[str]) -> HexDump | None:
    """The longest run of lines in which the bytes found by *first* are in one column, the same number in
    each, or fewer in the last."""
    best: list[str] = []
    now: list[str] = []
    place = 0
    for line in lines:
        match = rest.match(line, place) if now and not line[place - 1 : place].strip(" \t|") else None
        if match is None or len(now[-1]) < len(now[0]):
            match = first.search(line)
            now = []
        if match is None:
            continue
        digits = _NO_DIGIT.sub("", match[0])
        place = match.start()
        if now and len(digits) > len(now[0]) + _USUAL:  # more than a gutter could add: a message in one line
            now = []
        now.append(digits[: len(now[0])] if now else digits)
        best = now if place and len(now) * len(now[0]) > len(best) * (len(best[0]) if best else 0) else best
    if len(best) < 2:
        return None
    data = bytes.fromhex("".join(best))
    of_a_byte = 3 if first is _PAIRS else 2
    return HexDump(data, of_a_byte * len(data), 1, False)


def _gutter(data: bytes | bytearray, middle: int = 0) -> str:
    """The gutter of *data*, with a blank after *middle* characters unless that is 0."""
    gutter = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
    return f"{gutter[:middle]} {gutter[middle:]}" if middle and len(gutter) > middle else gutter


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """The dump *paste* with the bytes *new* in place of *old*; None if its rows do not all look like the
    first."""
    lines = paste.splitlines()
    heads = ((at, match) for at, line in enumerate(lines) if (match := _HEAD.fullmatch(line[:_MOST_LINE])))
    first, head, spots = next(
        ((at, match, spots) for at, match in heads if (spots := _byte_positions(match[5], old))),
        (0, None, []),
    )
    if head is None:
        return None
    lead, sign, width, gap, rest = head[1], head[2], len(head[3]), head[4], head[5]
    size, base = _step(lines[first + 1 :], lead, len(spots))
    spots = spots[:size]
    between = [rest[spot + 2 : other] for spot, other in pairwise(spots)]
    columns_of_bytes = slice(head.start(5), head.start(5) + spots[-1] + 2)
    form = (
        "02x" if any(char in "abcdef" for line in lines[first:] for char in line[columns_of_bytes]) else "02X"
    )
    tail = rest[spots[-1] + 2 :]
    middle = next((at for at in (0, _MIDDLE) if _gutter(old[:size], at) in tail), None)
    opened, closed = ("", "") if middle is None else tail.split(_gutter(old[:size], middle), 1)
    column = len(sign) + width + len(gap) + spots[-1] + 2 + len(opened) - len(opened.lstrip())

    def row(at: int, data: bytes) -> str:
        pairs = [f"{byte:{form}}" for byte in data]
        line = f"{sign}{at:0{width}{base}}{gap}" + "".join(map(add, ["", *between], pairs))
        return line if middle is None else f"{line:<{column}}{opened.lstrip()}{_gutter(data, middle)}{closed}"

    chunks = [(at, old[at : at + size]) for at in range(0, len(old), size)]
    old_lines = lines[first : first + len(chunks)]
    if len(old_lines) < len(chunks):
        return None
    leads = []
    for (at, chunk), line in zip(chunks, old_lines, strict=True):
        old_row = row(at, chunk)
        start = line.find(old_row[: len(sign) + width])
        if start < 0 or line[start:].split() != old_row.split():
            return None
        leads.append(line[:start])
    new_lines = [
        leads[min(at // size, len(leads) - 1)] + row(at, new[at : at + size])
        for at in range(0, len(new), size)
    ]
    # The final offset may follow.
    was, now = (f"{len(data):0{width}{base}}" for data in (old, new))
    after = [
        line.replace(was, now) if _TAIL.fullmatch(line) else line for line in lines[first + len(chunks) :]
    ]
    end = "\r\n" if "\r\n" in paste else "\n"
    return end.join([*lines[:first], *new_lines, *after]) + (end if paste.endswith("\n") else "")


def _byte_positions(rest: str, old: bytes) -> list[int]:
    """The positions in the first row of the bytes of *old* that it starts with."""
    positions: list[int] = []
    at = 0
    for byte in old:
        while at < len(rest) and rest[at] in _SKIPPED:
            at += 1
        if rest[at : at + 2].lower() != f"{byte:02x}":
            break
        positions.append(at)
        at += 2
    return positions


def _step(lines: list[str], lead: str, most: int) -> tuple[int, str]:
    """The bytes per row and the base of offsets, from the offset of the second row; *most* bytes were found
    in the first."""
    match = _OFFSET.match(lines[0][len(lead) :]) if lines else None
    options = [(_number(match[1], base) if match else most, letter) for base, letter in _COUNTED]
    right = [option for option in options if option[0] == most]
    near = [option for option in options if _NARROWEST <= option[0] < most]
    return (right or near or [(most, "x")])[0]
