"""Rules about single values: character classes, dates, currencies, tracks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from sim.codec import Message
from sim.elements import dates, money
from sim.elements.layout import place
from sim.elements.pan import account, detect_network, luhn_ok
from sim.elements.track import read_track_2
from sim.judge.engine import CARD, EVERY, each, rule
from sim.judge.finding import Hit, Severity
from sim.masking import is_sensitive
from sim.spec import Spec, country, currency
from sim.spec.contents import CLASS_NAMES, FOREIGN
from sim.spec.elements import table

# Track 2 has a rule for its whole layout.
_LAID_OUT = (35,)
_TABLES = 64  # of elements, remembered: the versions' and dialects'


@lru_cache(maxsize=_TABLES)
def _class_checks(read_by: str | Spec) -> dict[int, re.Pattern[str]]:
    return {element.number: FOREIGN[element.content] for element in table(read_by).elements}


def clean(message: Message, number: int) -> bool:
    """Whether the element is there, not empty, and has only characters of its class."""
    value = message.get(number)
    return bool(value) and _class_checks(message.dialect or message.version)[number].search(value) is None


@rule("character-class", reads=(EVERY,))
def character_class(message: Message) -> Iterator[Hit]:
    """Every value has only the characters of its class."""
    checks = _class_checks(message.dialect or message.version)
    for number, value in message.fields.items():
        if (wrong := checks[number].search(value)) and number not in _LAID_OUT:
            element = message.spec[number]
            expected = f"{element.format}, {CLASS_NAMES[element.content]}"
            yield Hit(number, expected, _describe(wrong[0]), wrong.start(), 1)


def _describe(char: str) -> str:
    code = ord(char)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"control character U+{code:04X}"
    return repr(char) if code < 0x7F else f"{char!r} (U+{code:04X})"


@rule("whole-bytes", reads=(EVERY,))
def whole_bytes(message: Message) -> Iterator[Hit]:
    """Binary values have two hex digits a byte."""
    elements = message.spec
    for number, value in message.fields.items():
        if len(value) % 2 and elements[number].binary:
            yield Hit(number, "two hex digits for each byte", f"{len(value)} hex digits")


@lru_cache(maxsize=_TABLES)
def _patterns(read_by: str | Spec) -> dict[int, str]:
    return {element.number: element.pattern for element in table(read_by).elements if element.pattern}


@rule("date", reads=(EVERY,))
def date(message: Message) -> Iterator[Hit]:
    """Dates and times exist in the calendar."""
    fields = message.fields
    for number, pattern in _patterns(message.dialect or message.version).items():
        if number in fields:
            value = fields[number]
            if not (value.isascii() and value.isdigit()):
                continue  # the character class says so
            if wrong := dates.problem(pattern, value):
                start, end, text = wrong
                found = "an impossible date" if is_sensitive(number, message.version) else text
                yield Hit(number, pattern, found, start, end - start)


@cache
def _currencies(version: str) -> dict[int, slice]:
    """Where currencies stand: in elements of their own, or in front of amounts."""
    inside = ((number, money.composite(version, number)) for number in money.CURRENCY_OF)
    found = {number: places[0] for number, places in inside if places}
    return found or {number: slice(None) for number in sorted({*money.CURRENCY_OF.values()})}


@each("currency", *_currencies("1987"), versions=("1987", "1993"), classes="1234567", any_mti=True)
@each("currency", *_currencies("2003"), versions=("2003",), classes="1234567", any_mti=True)
def currency_known(message: Message, number: int) -> Iterator[Hit]:
    """Currencies are in ISO 4217."""
    code = message[number][_currencies(message.version)[number]]
    known = currency(code)
    if known is None and clean(message, number):
        yield Hit(number, "an ISO 4217 currency code", repr(code), 0, 3)
    elif known and known.exponent is None and known.alpha == "XXX":
        hint = "999 (XXX) says that no currency is involved; an amount needs a real one."
        yield Hit(number, "a currency", "999, no currency", 0, 3, "", hint, Severity.WARNING)
    elif known and known.withdrawn:
        found = f"{known.numeric}, {known.alpha} until {known.withdrawn}"
        new = currency(known.successor)
        hint = f"ISO 4217 has withdrawn it; {new.numeric} ({new.alpha}) came in its place." if new else ""
        yield Hit(number, "a currency in use", found, 0, 3, "", hint, Severity.WARNING)


@rule("minor-unit", 4, versions=("2003",))
def minor_unit(message: Message) -> Iterator[Hit]:
    """The minor unit digit of a 2003 amount agrees with ISO 4217."""
    where = place("2003", 4, "minor unit")
    digit, known = message[4][where], currency(message[4][place("2003", 4, "currency")])
    if known is None or known.exponent is None or known.withdrawn or not clean(message, 4):
        return
    if digit != str(known.exponent):
        expected = f"minor unit {known.exponent}, as ISO 4217 has for {known.alpha}"
        yield Hit(4, expected, digit, where.start, len(digit))


@each("country", 19, 20, any_mti=True)
@each("country", 21, 68, 69, versions=("1987", "1993"), any_mti=True)
@each("country", 70, 91, 92, versions=("1993",), any_mti=True)
def country_known(message: Message, number: int) -> Iterator[Hit]:
    """Country codes are in ISO 3166."""
    if country(message[number]) is None and clean(message, number):
        yield Hit(number, "an ISO 3166 numeric country code", repr(message[number]))


@rule("track-2", 35)
def track_2(message: Message) -> Iterator[Hit]:
    """DE 35 is laid out as track 2."""
    if read_track_2(message[35]) is None:
        expected = "PAN, = or D, expiry YYMM, service code, then digits"
        size = len(message[35])
        yield Hit(35, expected, f"{size} characters in another layout" if size else "length 00")


def other_expiry(message: Message, expiry: str) -> bool:
    """Whether DE 14 has another expiry than a track, both being possible ones: an impossible month is
    reported by itself."""
    stated = message.get(14, expiry)
    return (
        stated != expiry
        and clean(message, 14)
        and dates.problem("YYMM", stated) is None
        and dates.problem("YYMM", expiry) is None
    )


@rule("track-2-agrees", 2, 35, classes="1234567", reads=(2, 14, 35))
def track_2_agrees(message: Message) -> Iterator[Hit]:
    """The card number on the track is the one in DE 2."""
    track, pan, expiry = message.fields[35], message.fields[2], message.get(14)
    at = len(pan) + 1
    if expiry and track[:at] in (f"{pan}=", f"{pan}D") and track[at : at + len(expiry)] == expiry:
        return
    read = read_track_2(track)
    if read and read.pan != message[2] and clean(message, 2):
        yield Hit(35, "the card number of DE 2", "another card number", 0, len(read.pan))
    if read and read.expiry and other_expiry(message, read.expiry):
        yield Hit(35, "the expiry of DE 14", "another expiry", len(read.pan) + 1, 4)


@rule("luhn-unknown-network", classes="1234567", reads=(CARD,))
def luhn_of_unknown_network(message: Message) -> Iterator[Hit]:
    """A card of no known network should have a right check digit, too."""
    owner = detect_network(message)
    if owner is None or owner.network is None:
        field, number = account(message)
        if field and number.isascii() and number.isdigit() and not luhn_ok(number):
            yield Hit(field, "a right check digit", "a wrong one", len(number) - 1, 1)
