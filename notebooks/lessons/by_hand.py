"""Notebook 19: two chip messages read by hand."""

from __future__ import annotations

from collections.abc import Callable

from lessons.answers import Month, OneOf
from lessons.judging import Lesson, equal, members
from lessons.paper import amount, chip_request, entry, money, purpose, signed_amount, story, tags, wanted
from lessons.sheets import Row, facts, sheet
from sim.codec import build
from sim.operations import anatomy
from sim.operations.drill.facts import BYTES, CHARACTERS, PLACES, Digits, Fact, Hex, Number, Several

FIRST, SECOND = "step by step", "second by hand"
_DIGITS = 2  # of a byte


def _meaning(number: int) -> Fact | None:
    """What the last cell of a row must say; None where no meaning is asked for."""
    message = chip_request(FIRST)
    facts_of: dict[int, Callable[[], Fact]] = {
        3: lambda: purpose(message),
        4: lambda: amount(message, both=True),
        14: lambda: Month(message[14]),
        22: lambda: entry(message),
        49: lambda: money(message),
    }
    return facts_of[number]() if number in facts_of else None


def rows(*numbers: int) -> dict[str, Row]:
    """The rows of the first message: where each element starts, prefix included, and how long its value is."""
    seen = anatomy.dissect(build(chip_request(FIRST)), "1987")
    found = {}
    for place in seen.places:
        if place.number in numbers:
            start = place.start
            value = (
                chip_request(FIRST)[place.number] if place.number > 1 else seen.raw[place.start : place.end]
            )
            found[str(place.number)] = Row(start, len(value), value, _meaning(place.number))
    return found


def _chip() -> dict[str, Fact]:
    """What the five tags of the first message hold, as digits or as what they mean."""
    message = chip_request(FIRST)
    found = tags(message)
    return {
        "9F27": wanted(message),
        "95": Hex(found["95"]),
        "9F02": signed_amount(message, message),
        "5F2A": OneOf((money(message), Hex(found["5F2A"]))),
        "9C": OneOf((Digits(found["9C"], padded=True), Hex(found["9C"]), purpose(message))),
    }


def _second() -> dict[str, Fact]:
    message = chip_request(SECOND)
    digits = len(message[55])
    size = OneOf((Number(digits, CHARACTERS), Number(digits // _DIGITS, BYTES)))
    return {**story(message), "length of DE 55": size, "the chip wants": wanted(message)}


def _end(number: int) -> int:
    """Where an element of the first message ends, which is where the next one starts."""
    places = anatomy.dissect(build(chip_request(FIRST)), "1987").places
    return next(place.end for place in places if place.number == number)


by_hand = Lesson(
    "by_hand",
    members(
        lambda: chip_request(FIRST).fields,
        "four bits for each of the 16 digits after the MTI; start at 1.",
        "Write the bits under the digits, and the numbers 1 to 64 under the bits.",
    ),
    sheet(
        lambda: rows(3, 4, 7, 11, 14),
        "DE 2 has two length digits, so DE 3 starts at 20 + 2 + that length. Add up from there.",
    ),
    sheet(
        lambda: rows(22, 41, 49),
        "Keep adding the lengths from the cheat sheet: skip nothing, and remember that DE 32, 35 and 48 have prefixes.",
    ),
    equal(
        lambda: Several((_end(55), len(chip_request(FIRST)[55]) // _DIGITS), Number(0, PLACES)),
        "DE 55 starts after DE 49. Its three length digits count hex digits, two per byte.",
        "The end is the start plus three digits of prefix plus that many characters.",
    ),
    facts(
        _chip,
        "Start at the beginning: tag, length, value. The length is the number of *bytes* in the value, in hexadecimal: two digits each.",
    ),
    facts(_second, "As before: the bitmap first, then add up. The cheat sheet has every format."),
)
