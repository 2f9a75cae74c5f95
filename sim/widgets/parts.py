"""What is inside one element: digits of the MTI, parts of codes and dates, groups, chip data tags.

Every part is a slice of the value, named, with its meaning: what a panel unfolds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.codec import Message
from sim.elements import dates, emv, mti
from sim.elements.meaning import Told, inside_tag, unfold
from sim.masking import is_sensitive
from sim.parts import chip_data

CHIP = 55
_IIN = 6
_DATE_NAMES = {
    "CCYY": "year",
    "YY": "year",
    "MM": "month",
    "DD": "day",
    "hh": "hour",
    "mm": "minute",
    "ss": "second",
}


@dataclass(frozen=True, slots=True)
class ShownPart:
    """One part of a value. `start` and `end` count characters of the value; `label` is short (a tag, a
    position), `depth` how deep it is nested."""

    label: str
    name: str
    meaning: str
    start: int
    end: int
    depth: int = 0
    value: str = ""


def parts(message: Message, number: int, shown: str, network: str | None = None) -> list[ShownPart]:
    """The parts of element *number* of *message* (0 is the MTI); *shown* is its value as it may be
    shown; *network* chooses its layouts. Empty for an element without a known inside, and where hidden
    text would have to be read."""
    if number == 0:
        return list(_mti(message.mti))
    value = message.get(number)
    if number == CHIP and (tags := list(_chip(value, network))):
        return tags
    hidden = shown != value
    if hidden and number != 2 and is_sensitive(number, message.version):
        return []
    if number == 2:
        return list(_pan(message, shown))
    told = unfold(message, number, network)
    if told:
        return [_part(one, shown) for one in told]
    pattern = message.spec[number].pattern
    return list(_date(pattern, value)) if pattern and len(pattern) == len(value) else []


def _part(told: Told, shown: str) -> ShownPart:
    """A part as it may be shown. Of one in which something is hidden nothing is told, but of what the layout
    itself hides."""
    part = told.part
    hidden = shown[part.start : part.end] != part.value and not part.sensitive
    value = "" if hidden or told.shown == part.value else told.shown
    return ShownPart(
        told.label, told.name, "" if hidden else told.meaning, part.start, part.end, told.depth, value
    )


def _mti(text: str) -> Iterator[ShownPart]:
    said = mti.split(text)
    version = f"ISO 8583:{said.version}" if said.version else ""
    told = (
        ("version", version),
        ("class", said.message_class),
        ("function", said.function),
        ("origin", said.origin),
    )
    for at, (name, meaning) in enumerate(told):
        yield ShownPart(str(at + 1), name, meaning or "no known meaning", at, at + 1)


def _date(pattern: str, value: str) -> Iterator[ShownPart]:
    at = 0
    for letters in dates.split(pattern, value):
        yield ShownPart(letters, _DATE_NAMES[letters], "", at, at + len(letters))
        at += len(letters)


def _pan(message: Message, shown: str) -> Iterator[ShownPart]:
    size = len(shown)
    if size < 13 or mti.is_network_management(message.mti):
        return
    yield ShownPart(f"1-{_IIN}", "issuer identification number (IIN)", "who issued the card", 0, _IIN)
    yield ShownPart(f"{_IIN + 1}-{size - 1}", "account", "whose card it is", _IIN, size - 1)
    yield ShownPart(str(size), "check digit", "Luhn, over all digits before it", size - 1, size)


def _chip(value: str, network: str | None) -> Iterator[ShownPart]:
    """The tags of chip data; the inside of those that a network lays out by its own rows."""
    owner = emv.owner_of(chip_data.read(value)) or network
    for said in emv.decode(value, owner):
        yield ShownPart(said.tag, said.name, said.meaning, said.start, said.end, said.depth, said.value_shown)
        inside = value[said.start : said.end].upper()
        for told in inside_tag(said.tag, inside, owner) if said.value_shown == inside else ():
            at, depth = said.start + told.part.start, said.depth + 1 + told.depth
            end = said.start + told.part.end
            yield ShownPart(told.label, told.name, told.meaning, at, end, depth, told.shown)
