"""Vertical hex, as in mainframe editors and browsers: under each line of characters, a line with the first
hex digits and a line with the second ones.

    0800b...
    FFFF8200
    08002200
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.paste.spellings.sighting import Sighting, sighted

NAMES = ("vertical hex",)
EXAMPLES = (("0800b...\nFFFF8200\n08002200\n", bytes.fromhex("F0F8F0F0 82220000")),)
_HEX = re.compile(r"[ \t>]{0,12}([0-9A-Fa-f]{8,})[ \t]*")
_MOST_LINES = 4200
# The most other lines between two pairs: characters, a ruler, blank lines.
_APART = 4


def find(text: str) -> Iterator[Sighting]:
    """The vertical hex in *text*, if any."""
    if under := vertical(text):
        yield sighted("vertical hex", *under, text)


def vertical(text: str) -> tuple[bytes, int] | None:
    """The bytes in pairs of lines of *text*, and the number of characters of these; None if there is no such
    pair.

    >>> vertical("0800b...\\nFFFF8200\\n08002200\\n")
    (b'\\xf0\\xf8\\xf0\\xf0\\x82"\\x00\\x00', 27)
    """
    lines = text.splitlines()[:_MOST_LINES]
    digits = [match[1] if (match := _HEX.fullmatch(line)) else "" for line in lines]
    data, taken, at, since = bytearray(), 0, 0, 0
    while at + 1 < len(lines):
        high, low = digits[at], digits[at + 1]
        if high and len(high) == len(low) and at and _shows(lines[at - 1], low):
            data += bytes.fromhex("".join(map("".join, zip(high, low, strict=True))))
            taken += sum(len(line) + 1 for line in lines[at - 1 : at + 2])
            at, since = at + 2, 0
            continue
        at, since = at + 1, since + 1
        if data and since > _APART:
            break
    return (bytes(data), min(taken, len(text))) if data else None


def _shows(line: str, low: str) -> bool:
    """Whether *line* may be the characters of bytes whose second digits are *low*: a digit equals its second
    hex digit, both in ASCII and in EBCDIC. Trailing blanks may be lost."""
    margin = len(line) - len(line.lstrip(" \t>"))
    characters = line.rstrip()
    alike = all(
        char == low[at]
        for at, char in enumerate(characters[margin:])
        if char in "0123456789" and at < len(low)
    )
    return bool(characters) and len(characters) <= len(low) + margin and alike


def write(data: bytes) -> str:
    """*data* as an EBCDIC browser shows them, with blanks for unprintable characters."""
    characters = "".join(char if char.isprintable() else " " for char in data.decode("cp037"))
    return "\n".join((characters, data.hex()[::2].upper(), data.hex()[1::2].upper())) + "\n"
