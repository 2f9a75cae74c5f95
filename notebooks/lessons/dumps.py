"""Notebook 17: from a hex dump to an explanation."""

from __future__ import annotations

import sim
from lessons.judging import Lesson, equal, wants
from lessons.messages import answers, is_kind, that
from sim.operations.drill.facts import BYTES, Number

# What the notebook calls `answered`: a length of two bytes, and a message in EBCDIC.
ANSWERED = (
    "0080f0f1f1f0723800010ec08000f1f6f4f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f0f0f0f0f0f0f0f0f0f0f0f0f0f0f2f5"
    "f9f9f1f1f2f0f1f2f0f0f0f0f0f0f0f0f4f2f1f2f0f0f0f0f1f1f2f0f0f6f1f2f3f4f5f6f6f3f2f4f1f2f0f0f0f0f4f2"
    "c1f1f2f3f4f5f0f0e3c5d9d4f0f0f0f1d4c5d9c3c8c1d5e3f0f0f0f0f0f0f1f8f4f0"
)
_LENGTH, _TPDU = 0x8F, 5  # what the first two bytes of the dump say, and the bytes of the address behind them


def _byte(number: int) -> int:
    """Where the element *number* starts in the dump `answered`."""
    table = sim.parse(ANSWERED)
    return int(table.loc[table["number"] == number, "byte_start"].iloc[0])


dumps = Lesson(
    "dumps",
    equal(
        lambda: Number(_LENGTH - _TPDU, BYTES),
        "the first two bytes, 008f, count everything after them. The TPDU, ten hex digits, is not part of the message.",
        "8f is 8 times 16 and 15. Ten hex digits are five bytes.",
        {
            143: "that is the length, which includes the TPDU.",
            133: "ten hex digits are five bytes, not ten.",
            136: "the length does not count itself.",
            83: "you read 8f as 88: f is 15.",
        },
    ),
    equal(
        lambda: Number(_byte(39), BYTES),
        "`byte_start` of the row whose number is 39, in the table of `answered`.",
        "`sim.parse(answered)[['number', 'byte_start']]`.",
        {
            100: "count the two length bytes, too.",
        },
    ),
    wants(
        is_kind("0110", "read the dump `answered` with `sim.parse`."),
        that(
            lambda m: m[11] == "000042", "that is another message: read the dump `answered` with `sim.parse`."
        ),
        answers("not sufficient funds", "Change it to the code for not sufficient funds."),
        stronger="Write `51` into the cell of the row whose number is 39.",
    ),
)
