"""Numbers as people write them: what the digits and words of a text may mean."""

from __future__ import annotations

import re
from decimal import Decimal

# Digits with thousands separators or a decimal mark between them.
NUMBER = r"[0-9]+(?:[.,'’][0-9]+)*"
_TOKEN = re.compile(rf"({NUMBER})(?:\s?(k|m|thousand|million)\b)?", re.IGNORECASE)
_SPACED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?(?![0-9])")
TIMES = {"k": 1000, "thousand": 1000, "m": 1_000_000, "million": 1_000_000}
# Oh is how a 0 is said among digits.
SMALL = {
    "zero": 0, "oh": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


def readings(token: str) -> set[Decimal]:
    """What *token* may be: a point or comma before three digits groups thousands or marks decimals.

    >>> sorted(readings("1,234"))
    [Decimal('1.234'), Decimal('1234')]
    >>> sorted(readings("1.234,50"))
    [Decimal('1234.50')]
    """
    marks = re.findall(r"[.,'’]", token)
    digits = re.sub(r"[^0-9]", "", token)
    if not marks:
        return {Decimal(digits)}
    parts = re.split(r"[.,'’]", token)
    found = set()
    if all(len(part) == 3 for part in parts[1:]) and len(parts[0]) <= 3:
        found.add(Decimal(digits))
    head, tail = parts[:-1], parts[-1]
    grouped = len(head) == 1 or (all(len(part) == 3 for part in head[1:]) and marks[-1] not in marks[:-1])
    if marks[-1] in ".," and grouped:
        found.add(Decimal(f"{''.join(head)}.{tail}"))
    return found


def numbers(text: str) -> set[Decimal]:
    """Every number *text* may hold, in digits or in English words.

    >>> sorted(numbers("twenty-five euros and 3.50, or 2k"))
    [Decimal('2'), Decimal('3.50'), Decimal('25'), Decimal('2000')]
    """
    found: set[Decimal] = set()
    for match in _TOKEN.finditer(text):
        values = readings(match[1])
        found |= values
        if match[2]:
            found |= {value * TIMES[match[2].lower()] for value in values}
    for match in _SPACED.finditer(text):
        found |= readings(re.sub(r"\s", "", match[0]))
    return found | _in_words(text)


def _in_words(text: str) -> set[Decimal]:
    found: set[Decimal] = set()
    for words in _runs(text):
        run = _said(words)
        found |= {Decimal(number) for number in run[:1] if len(run) == 1}
        if len(run) == 2 and max(run) < 100:
            found.add(Decimal(run[0]) + Decimal(run[1]) / 100)  # a price: twelve fifty
    return found


def _runs(text: str) -> list[list[str]]:
    """The words for numbers in *text* that stand together."""
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[a-z]+|[^a-z\s-]+", text.lower()):
        if word in SMALL or word in _SCALES:
            runs[-1].append(word)
        elif word != "and" and runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _said(words: list[str]) -> list[int]:
    """The numbers that *words* say one after the other."""
    made: list[int] = []
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
            made.append(total + part)
            total, part = 0, value
        last = -1 if value is None else value
    return [*made, total + max(part, 0)]
