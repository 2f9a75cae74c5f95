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
        "DE 11 ends at 26; there the length of DE 32 stands.",
        "The prefix is `text[26:28]`. The value begins at 28, and has as many characters as the prefix says.",
        {
            "0876543210": "the first two digits are the prefix; they say how long the value is.",
            "76543210011": "the prefix says 08. Eleven is the most that DE 32 can have.",
            "654321": "that is DE 11, which stands before it.",
            "87654321": "the prefix has two digits, not one.",
        },
    ),
    equal(
        lambda: Text(f"{len(_WORDS):0{_prefix(48)}}{_WORDS}", exact=True),
        "the length comes first, in three digits, and then the text; a blank counts.",
        "Count the characters between the quotes, the blank among them, and write the number with three digits.",
        {
            "11HELLO WORLD": "DE 48 is `ans..999`: its prefix has three digits.",
            "010HELLO WORLD": "a blank is a character, too.",
            "010HELLOWORLD": "the blank belongs to the value.",
            "011HELLOWORLD": "the blank belongs to the value: it must stand in the message.",
            "HELLO WORLD": "that is the value. What stands in front of it in the message?",
            "014HELLO WORLD": "a prefix does not count itself.",
        },
    ),
    equal(
        lambda: spec("1987")[44].width + spec("1987")[44].prefix,
        "its length prefix takes up characters of the message, too.",
        "25 for the value. How many digits does a prefix need that can say 25?",
        {
            25: "that is the value alone; its prefix travels, too.",
            28: "three digits are the prefix of LLLVAR, for maxima from 100 on; 25 needs fewer.",
            26: "a prefix of one digit could say 9 at most.",
        },
    ),
)
