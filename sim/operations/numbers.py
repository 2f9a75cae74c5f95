"""Numbers as people write them: what the digits and words of a text may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

# Oh is how a 0 is said among digits.
SMALL = {
    "zero": 0, "oh": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_TIMES = {"k": 1000, "thousand": 1000, "m": 1_000_000, "million": 1_000_000}
# Digits with marks between them, or with blanks between their thousands, and what multiplies them.
_FIGURE = re.compile(
    r"([0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3})+(?![0-9])(?:[.,][0-9]+)?|[0-9]+(?:[.,'’][0-9]+)*)"
    r"(?:\s?(k|m|thousand|million)\b)?",
    re.IGNORECASE,
)
_WORD = rf"(?:{'|'.join((*SMALL, *_SCALES))})"
_WORDS = re.compile(rf"\b{_WORD}(?:[\s-]+(?:and\s+)?{_WORD})*\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text: where it stands, what it may be, and whether it is spelled out."""

    start: int
    end: int
    values: frozenset[Decimal]
    spelled: bool = False


def readings(token: str) -> set[Decimal]:
    """What *token* may be: a point or comma before three digits groups thousands or marks decimals.

    >>> sorted(readings("1,234"))
    [Decimal('1.234'), Decimal('1234')]
    >>> sorted(readings("1.234,50"))
    [Decimal('1234.50')]
    """
    token = re.sub(r"\s", "", token)
    marks, parts = re.findall(r"[.,'’]", token), re.split(r"[.,'’]", token)
    if not marks:
        return {Decimal(token)}
    found = set()
    if all(len(part) == 3 for part in parts[1:]) and len(parts[0]) <= 3:
        found.add(Decimal("".join(parts)))
    head, tail = parts[:-1], parts[-1]
    grouped = len(head) == 1 or (all(len(part) == 3 for part in head[1:]) and marks[-1] not in marks[:-1])
    if marks[-1] in ".," and grouped:
        found.add(Decimal(f"{''.join(head)}.{tail}"))
    return found


def figures(text: str) -> Iterator[Figure]:
    """Every number of *text*, in digits or in English words, in the order of the text.

    >>> [sorted(map(str, one.values)) for one in figures("twenty-five euros, 3.50, or 2k")]
    [['25'], ['3.50'], ['2000']]
    """
    found = [Figure(*match.span(), frozenset(_values(match))) for match in _FIGURE.finditer(text)]
    for match in _WORDS.finditer(text):
        found.append(Figure(*match.span(), frozenset(_in_words(match[0])), spelled=True))
    return iter(sorted(found, key=lambda one: one.start))


def _values(match: re.Match[str]) -> set[Decimal]:
    times = _TIMES.get((match[2] or "").lower(), 1)
    return {value * times for value in readings(match[1])}


def _in_words(text: str) -> set[Decimal]:
    run = in_words(text)
    if len(run) == 2 and max(run) < 100:
        return {Decimal(run[0]) + Decimal(run[1]) / 100}  # a price: twelve fifty
    return {Decimal(run[0])} if len(run) == 1 else set()


def in_words(text: str) -> list[int]:
    """The numbers that the words of *text* say one after the other.

    >>> in_words("byte two, bit one hundred and five")
    [2, 105]
    """
    words = [word for word in re.findall(r"[a-z]+", text.lower()) if word in SMALL or word in _SCALES]
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
    return [*made, total + max(part, 0)] if words else []
