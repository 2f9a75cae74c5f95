"""The bitmap: hex digits <-> data element numbers. Bit 1 is the most significant bit of byte 1."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import chain
from operator import getitem, or_

HEX_DIGITS = frozenset("0123456789ABCDEFabcdef")
_WITH_SECONDARY = frozenset("89ABCDEFabcdef")
PRIMARY_BITS = 64
ALL_BITS = 128
# For each hex digit position in up to three bitmaps: digit -> the elements it announces.
_ANNOUNCED = tuple(
    {
        digit: tuple(4 * place + bit for bit in (1, 2, 3, 4) if int(digit, 16) >> (4 - bit) & 1)
        for digit in HEX_DIGITS
    }
    for place in range(3 * PRIMARY_BITS // 4)
)
_FIRST_BIT = (1,)
_BIT_1, _OF_SECONDARY = 1 << ALL_BITS - 1, (1 << PRIMARY_BITS) - 1


def has_secondary(first: str) -> bool:
    """Whether hex digit *first*, the bitmap's first, has bit 1 set: a secondary bitmap follows."""
    return first in _WITH_SECONDARY


def numbers(bitmap: str) -> tuple[int, ...]:
    """The data elements a bitmap of 16 or 32 hex digits announces, without bit 1.

    >>> numbers("4000000000000001")
    (2, 64)
    >>> numbers("80000000000000000000000000000001")
    (128,)
    """
    elements = tuple(chain.from_iterable(map(getitem, _ANNOUNCED, bitmap)))
    return elements[1:] if elements[:1] == _FIRST_BIT else elements


def to_hex(present: Iterable[int], *, secondary: bool = False) -> str:
    """The bitmap for the elements *present*: 16 upper-case hex digits, or 32 if one is above 64 or
    *secondary* is set.

    >>> to_hex([2, 3, 4])
    '7000000000000000'
    >>> to_hex([70])
    '80000000000000000400000000000000'
    """
    # Without a loop in Python, because every message that is written needs it.
    bits = reduce(or_, map((1 << ALL_BITS).__rshift__, present), _BIT_1 * secondary)
    if bits & (_BIT_1 | _OF_SECONDARY):
        return f"{bits | _BIT_1:032X}"
    return f"{bits >> PRIMARY_BITS:016X}"
