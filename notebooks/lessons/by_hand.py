"""Notebook 19: two chip messages read by hand."""

from __future__ import annotations

from lessons.judging import Lesson, equal, members
from lessons.paper import Ways, chip_request, story, tags, wish
from lessons.sheets import Row, facts, sheet
from sim.operations import anatomy

FIRST, SECOND = "step by step", "second by hand"
_DIGITS = 2  # of a byte
_EXPIRES = 14


def _meaning(name: str) -> tuple[str, ...]:
    """The words that the last cell of a row must have, each with `|` between spellings of it."""
    message = chip_request(FIRST)
    said = {key: [str(way).lower() for way in ways] for key, ways in story(message).items()}
    expires = message[_EXPIRES]
    words = {
        "3": ("|".join((said["what"][0], "goods")),),
        "4": (said["amount"][0], said["currency"][0]),
        "14": (f"20{expires[:2]}|{expires[:2]}",),
        "22": ("|".join(said["how"][:-1]),),
        "49": (said["currency"][0],),
    }
    return words.get(name, ())


def rows(*numbers: int) -> dict[str, Row]:
    """The rows of the first message: where each element starts, prefix included, and how long its value is."""
    seen = anatomy.dissect(chip_request(FIRST), "1987")
    found = {}
    for place in seen.places:
        if place.number in numbers:
            start = place.start
            value = (
                chip_request(FIRST)[place.number] if place.number > 1 else seen.raw[place.start : place.end]
            )
            found[str(place.number)] = Row(start, len(value), value, _meaning(str(place.number)))
    return found


def _second() -> dict[str, Ways]:
    message = chip_request(SECOND)
    digits = len(message[55])
    size = (
        digits,
        f"{digits} digits",
        f"{digits} characters",
        digits // _DIGITS,
        f"{digits // _DIGITS} bytes",
    )
    return {
        **story(message),
        "length of DE 55": size,
        "the chip wants": (wish(message), tags(message)["9F27"]),
    }


def _end(number: int) -> int:
    """Where an element of the first message ends, which is where the next one starts."""
    places = anatomy.dissect(chip_request(FIRST), "1987").places
    return next(place.end for place in places if place.number == number)


by_hand = Lesson(
    "by_hand",
    members(
        lambda: chip_request(FIRST).fields,
        "four bits for each of the 16 digits behind the MTI; begin at 1.",
        "Write the bits under the digits, and the numbers 1 to 64 under the bits.",
    ),
    sheet(
        lambda: rows(3, 4, 7, 11, 14),
        "DE 2 has two digits of length in front, so DE 3 starts at 20 + 2 + that length. From there on add up.",
    ),
    sheet(
        lambda: rows(22, 41, 49),
        "Go on adding up the lengths of the cheat sheet: nothing may be skipped, and DE 32, 35 and 48 have prefixes.",
    ),
    equal(
        lambda: [_end(55), len(chip_request(FIRST)[55]) // _DIGITS],
        "DE 55 begins behind DE 49. Its three digits of length count hex digits, and two of them are a byte.",
        "The end is the start, and three digits of prefix, and as many characters as they say.",
    ),
    facts(
        lambda: {name: (tags(chip_request(FIRST))[name],) for name in ("9F27", "95", "9F02", "5F2A", "9C")},
        "Cut from the front: tag, length, value. The length says, in hexadecimal, how many *bytes* the value has: two digits each.",
    ),
    facts(_second, "The same way as before: bitmap, then add up. The cheat sheet has every format."),
)
