"""Notebook 19: two chip messages read by hand."""

from __future__ import annotations

from lessons.judging import Lesson, equal, members
from lessons.paper import chip_request, tags, ways_of_amount, wish
from lessons.sheets import Row, facts, sheet
from sim.operations import anatomy
from sim.spec import currency

FIRST, SECOND = "the first", "the second"
_DIGITS = 2  # of a byte
_MEANINGS = {
    "3": ("purchase|goods",),
    "14": ("2029|29",),
    "22": ("contactless|chip",),
}


def _meaning(name: str) -> tuple[str, ...]:
    message = chip_request(FIRST)
    known = currency(message[49])
    alpha = known.alpha.lower() if known else ""
    if name == "4":
        return (ways_of_amount(message)[0].lower(), alpha)
    return (alpha,) if name == "49" else _MEANINGS.get(name, ())


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


def _story() -> dict[str, tuple[object, ...]]:
    message = chip_request(SECOND)
    known = currency(message[49])
    sent = message[7]
    return {
        "amount": ways_of_amount(message),
        "currency": (known.alpha, known.numeric) if known else (),
        "sent": (f"{sent[4:6]}:{sent[6:8]}:{sent[8:]}", f"{sent[4:6]}:{sent[6:8]}", sent[4:]),
        "stan": (message[11], int(message[11])),
        "terminal": (message[41],),
        "how": ("chip", message[22][:2])
        if message[22].startswith("05")
        else ("contactless", "contactless chip", message[22][:2]),
        "length of DE 55": (len(message[55]),),
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
        "DE 2 has two digits of length in front, so DE 3 starts where 20 + 2 + that length is. From there on add up.",
    ),
    sheet(
        lambda: rows(22, 41, 49),
        "Go on adding up the lengths of the cheat sheet: nothing may be skipped, and DE 32 and 35 have prefixes.",
    ),
    equal(
        lambda: [_end(55), len(chip_request(FIRST)[55]) // _DIGITS],
        "DE 55 begins behind DE 49. Its three digits of length count hex digits, and two of them are a byte.",
        "The end is the start, and three digits of prefix, and as many characters as they say.",
    ),
    facts(
        lambda: {name: (tags(chip_request(FIRST))[name],) for name in ("9F27", "95", "9F02", "5F2A", "9C")},
        "Cut from the front: tag, length, value. The length says how many *bytes* the value has: two digits each.",
    ),
    facts(_story, "The same way as before: bitmap, then add up. The cheat sheet has every format."),
)
