"""Memory images, whose rows have an address and a sum that checks them: Motorola S-records, Intel HEX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.paste.spellings.numbered import Found

# What a row of data is: a digit that says how wide its address is, where it has one, and its bytes, a count
# and the address first; what all its bytes sum up to.
_KINDS = (
    (
        "Motorola S-records",
        re.compile(r"(?m)^[ \t]{0,8}S([1-3])((?:[0-9A-F]{2}){4,255})[ \t]*\r?$", re.I),
        0xFF,
    ),
    ("Intel HEX", re.compile(r"(?m)^[ \t]{0,8}:()((?:[0-9A-F]{2}){5,260})[ \t]*\r?$", re.I), 0),
)


def all_of(text: str) -> Iterator[Found]:
    """The bytes of the rows whose sums are right and whose addresses follow each other.

    >>> next(all_of(":040000003038303034\\n:00000001FF"))[1]
    b'0800'
    """
    for name, pattern, total in _KINDS:
        data, end, taken = bytearray(), None, 0
        for row in pattern.finditer(text):
            raw = bytes.fromhex(row[2])
            width = int(row[1]) + 1 if row[1] else 2
            start = 1 + width + (not row[1])
            size = raw[0] - width - 1 if row[1] else raw[0]
            if sum(raw) & 0xFF != total or len(raw) != start + size + 1 or (not row[1] and raw[3]):
                continue  # damaged, or no data
            at = int.from_bytes(raw[1 : 1 + width], "big")
            if end is not None and at != end:
                break
            data += raw[start:-1]
            end, taken = at + size, taken + len(row[0]) + 1
        if data:
            yield name, bytes(data), min(taken, len(text))
