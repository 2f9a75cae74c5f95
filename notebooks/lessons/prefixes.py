"""Notebook 03: length prefixes."""

from __future__ import annotations

from lessons.judging import Lesson, equal
from sim.codec import parse
from sim.operations.drill.facts import Text
from sim.spec import spec

_TEXT = "080000200001000100006543210876543210011MAINTENANCE"
_WORDS = "HELLO WORLD"


def _prefix(number: int) -> int:
    return spec("1987")[number].prefix


prefixes = Lesson(
    "prefixes",
    equal(
        lambda: parse(_TEXT)[32],
        "DE 11 ends at 26, where the length of DE 32 starts.",
        "The prefix is `text[26:28]`. The value begins at 28, and has as many characters as the prefix says.",
        {
            "0876543210": "the first two digits are the prefix; they say how long the value is.",
            "76543210011": "the prefix says 08. Eleven is the maximum for DE 32.",
            "654321": "that is DE 11, which comes before it.",
            "87654321": "the prefix has two digits, not one.",
        },
    ),
    equal(
        lambda: Text(f"{len(_WORDS):0{_prefix(48)}}{_WORDS}", exact=True),
        "the length comes first, in three digits, then the text; a space counts.",
        "Count the characters between the quotes, including the space, and write the number with three digits.",
        {
            "11HELLO WORLD": "DE 48 is `ans..999`: its prefix has three digits.",
            "010HELLO WORLD": "a space is a character, too.",
            "010HELLOWORLD": "the space belongs to the value.",
            "011HELLOWORLD": "the space belongs to the value: it must be in the message.",
            "HELLO WORLD": "that is the value. What comes before it in the message?",
            "014HELLO WORLD": "a prefix does not count itself.",
        },
    ),
    equal(
        lambda: spec("1987")[44].width + spec("1987")[44].prefix,
        "its length prefix takes up characters of the message, too.",
        "25 for the value. How many digits does a prefix need for 25?",
        {
            25: "that is only the value; the prefix is sent, too.",
            28: "LLLVAR has three length digits, for maximums of 100 or more; 25 needs fewer.",
            26: "a one-digit prefix could only go up to 9.",
        },
    ),
)
