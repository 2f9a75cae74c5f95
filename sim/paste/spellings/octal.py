r"""Dumps of characters, octal numbers or words, as printed by `od -c`, `od -b`, plain `od`, `od -X`, `hexdump
-c` and `xxd -b`:

    0000000   0   8   0   0  \0   A  \n 202
    0000010
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from sim.paste.spellings.sighting import Sighting, sighted

NAMES = ("dump of",)
_CHARACTERS = "dump of characters"
EXAMPLES = (
    ("0000000   0   8   0   0  \\0 202\n0000006\n", b"0800\0\x82"),
    ("0000000 034060 030060 000202\n0000006\n", b"0800\x82\0"),
    ("0000000 060 070 060 060 202 377\n0000006\n", b"0800\x82\xff"),
)
# An offset and the rest of the row; or the star for repeated rows.
_ROW = re.compile(r"[ \t]{0,16}(?:([0-9A-Fa-f]{6,8}):?([ \t].*)?|(\*)[ \t]*)")
_CELL = re.compile(r" (?: {2}([ -~])| (\\[0abtnvfr])|([0-3][0-7]{2}))")
_CELLS = re.compile(f"(?:{re.sub('[(](?![?])', '(?:', _CELL.pattern)})+")
_WIDTH = 4
_ESCAPES = dict(zip("0abtnvfr", (0, 7, 8, 9, 10, 11, 12, 13), strict=True))
_MOST_ROWS = 4200
_MOST_LINE = 400
_MOST_BYTES = 65536
_BASES = (8, 16, 10)
_FEWEST = 2


def find(text: str) -> Iterator[Sighting]:
    """The dump of characters, octal bytes or words in *text*, if it is one."""
    lines = [line[:_MOST_LINE] for line in text.strip("\r\n").splitlines()[:_MOST_ROWS]]
    rows = [match for line in lines if (match := _ROW.fullmatch(line))]
    if not rows and (data := _bare(lines)):
        yield sighted(_CHARACTERS, data, sum(len(line) + 1 for line in lines), text)
    if len(rows) < _FEWEST or not rows[0][1]:
        return
    every = [places for base in _BASES if (places := _places(rows, base))]
    for name, read in _READERS:
        # The fewest bytes, since an offset read in the wrong base adds blanks.
        tried = (octets for places in every if (octets := _data(rows, places, read)))
        if len(data := min(tried, key=len, default=b"")) > _WIDTH:
            yield sighted(name, data, sum(len(row[0]) + 1 for row in rows), text)
            return


def _bare(lines: list[str]) -> bytes:
    """The bytes of a character dump without offsets; none if any line is something else."""
    if len(lines) < _FEWEST or not _CELLS.fullmatch(lines[0]):
        return b""
    wide = len(lines[0]) // _WIDTH
    rows = [_characters(line, 0 if line is lines[-1] else wide) for line in lines]
    data = b"".join(row or b"" for row in rows)
    return b"" if None in rows or len(data) <= wide * (len(lines) - 1) else data


def _places(rows: list[re.Match[str]], base: int) -> list[int]:
    """The offset of each row (a star has that of the next row) and the end; empty if this is not a dump."""
    try:
        offsets = [int(row[1], base) if row[1] else -1 for row in rows]
    except ValueError:
        return []
    for at in range(len(offsets) - 2, 0, -1):
        offsets[at] = offsets[at + 1] if offsets[at] < 0 else offsets[at]
    rising = all(offset <= other for offset, other in pairwise(offsets))
    return offsets if rising and offsets[0] == 0 and offsets[-1] <= _MOST_BYTES else []


def _data(
    rows: list[re.Match[str]], places: list[int], read: Callable[[str, int], bytes | None]
) -> bytes | None:
    """The bytes of all rows; None if *read* rejects one, or one has fewer bytes than the offsets require."""
    data, chunk = bytearray(), b""
    for place, (row, at) in enumerate(zip(rows, places, strict=True)):
        if row[3]:  # the row before, repeated up to the next offset
            data += chunk * ((at - len(data)) // len(chunk))
            continue
        ends = place + 1 == len(rows)
        as_before = not ends and rows[place + 1][3]
        want = len(chunk) if as_before else 0 if ends else places[place + 1] - at
        now = read(row[2] or "", want)
        if now is None or len(data) != at or (want and not want <= len(now) < want + _WIDTH):
            return None
        chunk = now[:want] if want else now
        if as_before and not chunk:
            return None
        data += chunk
    return bytes(data)


def _characters(rest: str, want: int) -> bytes | None:
    """Cells of four characters: a character, an escape or three octal digits. Copying may have cut trailing
    blanks."""
    rest = rest.rstrip()
    rest = rest.ljust(max(want * _WIDTH, -(-len(rest) // _WIDTH) * _WIDTH))
    cells = [_CELL.match(rest, at) for at in range(0, len(rest), _WIDTH)]
    data = bytearray()
    for cell in cells:
        if cell is None:
            return None
        char, escape, octal = cell.groups()
        data.append(int(octal, 8) if octal else _ESCAPES[escape[1]] if escape else ord(char))
    return bytes(data)


def _numbers(pattern: str, base: int, size: int) -> Callable[[str, int], bytes | None]:
    """A reader of rows of little-endian numbers of *size* bytes that match *pattern*; a gutter may follow."""
    row = re.compile(rf"((?:[ \t]{{1,2}}{pattern})*)(?:\s*| {{2,}}\S.*)")

    def read(rest: str, want: int) -> bytes | None:
        match = row.fullmatch(rest)
        if match is None:
            return None
        return b"".join(int(digits, base).to_bytes(size, "little") for digits in match[1].split())

    return read


_READERS: tuple[tuple[str, Callable[[str, int], bytes | None]], ...] = (
    ("dump of octal bytes", _numbers("[0-3][0-7]{2}", 8, 1)),
    (_CHARACTERS, _characters),
    ("dump of octal words", _numbers("[01][0-7]{5}", 8, 2)),
    ("dump of bits", _numbers("[01]{8}", 2, 1)),
    ("dump of words of 32 bits", _numbers("[0-9A-Fa-f]{8}", 16, 4)),
)


def write(data: bytes) -> str:
    """*data* as printed by `od -b`."""
    rows = [(at, data[at : at + 16]) for at in range(0, len(data), 16)]
    lines = [f"{at:07o}" + "".join(f" {byte:03o}" for byte in row) for at, row in rows]
    return "\n".join([*lines, f"{len(data):07o}"])
