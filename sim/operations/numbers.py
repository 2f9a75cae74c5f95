"""Numbers in words."""

from __future__ import annotations

import re

# `Oh` is a spoken 0.
SMALL = {
    "zero": 0, "oh": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


def in_words(text: str) -> list[int]:
    """The numbers in words in *text*, in order.

    >>> in_words("byte two, bit one hundred and five; two hundred thousand")
    [2, 105, 200000]
    """
    words = [word for word in re.findall(r"[a-z]+", text.lower()) if word in SMALL or word in _SCALES]
    numbers: list[int] = []
    total, part, last = 0, -1, -1
    for word in words:
        value = SMALL.get(word)
        if value is None:
            part = max(part, 1) * _SCALES[word]
            if word != "hundred":
                total, part = total + part, 0
        elif part < 0 or part % 100 == 0 or (last >= 20 and 0 < value < 10):
            part = max(part, 0) + value
        else:
            numbers.append(total + part)
            total, part = 0, value
        last = -1 if value is None else value
    return [*numbers, total + max(part, 0)] if words else []
