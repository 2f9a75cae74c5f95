"""Notebook 02: the bitmap."""

from __future__ import annotations

from lessons.judging import Lesson, equal, members
from sim.codec import bitmap as bitmaps
from sim.operations.drill.facts import Hex

_WRITTEN = (7, 11, 39, 70)
_SECOND = 65  # the first element of the second bitmap


def _forgot_bit_1() -> str:
    """The 32 digits with bit 1, which announces the second half, not set."""
    right = bitmaps.to_hex(_WRITTEN)
    return f"{int(right, 16) & ~(1 << 127):032X}"


def _one_late() -> str:
    """Counted from 0: each bit one place further to the right."""
    return f"{int(bitmaps.to_hex(_WRITTEN), 16) >> 1:032X}"


bitmap = Lesson(
    "bitmap",
    members(
        lambda: bitmaps.numbers("7020000000C00000"),
        "write four bits for each digit; count from 1.",
        "7 is 0111: bits 2, 3 and 4. The next digit holds bits 5 to 8, and so on.",
        {
            (1, 2, 3, 10, 40, 41): "you counted from 0: the first bit is number 1.",
            (2, 3, 4, 11): "the digits at the end announce elements, too: what about the C?",
            (1, 2, 3, 4, 11, 41, 42): "bit 1 is not set: 7 is 0111.",
        },
    ),
    equal(
        lambda: Hex(bitmaps.to_hex(_WRITTEN)),
        "mark the four positions among 128, then write a hex digit for every four bits.",
        "DE 70 is bit 6 of the second half: 0000 0100 begins it. The first half begins with 8, for bit 1.",
        {
            _forgot_bit_1(): "bit 1 is missing: it must be set to announce the second half.",
            _one_late(): "each bit is one position too far right: count from 1, not from 0.",
            bitmaps.to_hex([n for n in _WRITTEN if n < _SECOND]): "DE 70 is missing: it needs a second half.",
            bitmaps.to_hex(_WRITTEN)[:16]: "bit 1 announces a second half, but there is none.",
        },
    ),
    equal(
        lambda: len(bitmaps.to_hex([2, 3, 4, 128])),
        "one bitmap reaches to DE 64. How many characters are two?",
        "Sixteen hexadecimal digits are 64 bits.",
        {
            16: "that is one bitmap; DE 128 is beyond it.",
            128: "that is the number of bits. How many bits does one character represent?",
            64: "that would be two bits per character: a hexadecimal digit is four.",
        },
    ),
)
