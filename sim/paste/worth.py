"""The worth of a value: the bits saved by describing it instead of listing its bytes.

A single unit makes readings comparable: a digit in a byte saves 8 - log2(10) bits and more, an impossible
value costs bits. The tables and the readers of values (dates, currencies, card numbers, tracks, chip data,
codes) know what is possible; the weights are those that correct readings bear out in practice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import log2

from sim.codec import Message
from sim.codec.wire import wire_format
from sim.codec.wire.formats import BCD, HEX, NIBBLES, RAW, SIGNED, Field
from sim.elements import card, dates
from sim.errors import IsoError
from sim.parts import chip_data
from sim.paste.weights import WEIGHTS
from sim.spec import VERSIONS, code_list, country, currency, spec

# Bits saved per byte of each kind of content, compared with arbitrary bytes.
_DIGIT = WEIGHTS["digit"]
_PACKED_DIGIT = WEIGHTS["packed_digit"]
_HEX_DIGIT = WEIGHTS["hex_digit"]
_LETTER = WEIGHTS["letter"]
_UNPRINTED = WEIGHTS["unprinted"]
_IMPOSSIBLE = WEIGHTS["no_date"]
_ODD = WEIGHTS["odd_value"]
_NO_CURRENCY = WEIGHTS["no_currency"]
_KNOWN_CODE = WEIGHTS["known_code"]
_PRINTS = bytes(range(0x20, 0x7F))
_HIGH = re.compile(r"[^\x00-\xff]")
# Three or more ASCII digits, read as packed digits.
_MISREAD = re.compile(r"(?:3[0-9]){3,}")
_PAN, _ENTRY = 2, 22
_PAN_DIGITS = range(12, 20)
_TRACK_2 = 35
_CARDS = (_PAN, _TRACK_2)
_CHIP = 55
PART_BITS = {"CCYY": 6.0, "YY": 0.0, "MM": 3.06, "DD": 1.69, "hh": 2.06, "mm": 0.74, "ss": 0.74}
_CURRENCIES = frozenset({49, 50, 51})
_COUNTRIES = frozenset({19, 20, 21})

NO_DIGITS = "is not made of digits"
# Digits masked with stars or crosses, in text.
STARRED = "values are masked in the paste"
_MASKED = re.compile(r"[0-9=D?;]*(?:\*{3}|X{4}|x{4})[0-9=D?;*Xx]*")

# Bits, and what is odd about the value, empty if nothing is.
Worth = tuple[float, str]


def worth(field: Field, value: str) -> Worth:
    """Return the bits saved by *value* as the value of *field*, and a sentence on what is odd about it."""
    return weigher(field)(value)


def weigher(field: Field) -> Callable[[str], Worth]:
    """Return the function that weighs values of *field*: chosen once, since a guess weighs hundreds of
    values."""
    content = _by_content(field)
    check = _CHECKS.get(field.number)
    patterns = {} if check else patterns_of(field.number)

    def weigh(value: str) -> Worth:
        bits, odd = content(field, value)
        if odd or not value:
            return bits - _ODD * bool(odd), odd
        if check is not None:
            more, odd = check(field, value)
        elif laid_out := patterns.get(len(value)):
            more, odd = _date(field, value, laid_out)
        else:
            return bits, ""
        return bits + more, odd

    return weigh


def judged(message: Message) -> Iterator[tuple[int, str]]:
    """Yield each element of the standard with what is odd about its value, empty if nothing is."""
    plain = wire_format("ascii")
    for number, value in message.fields.items():
        if field := plain.field(number, message.version):
            yield number, worth(field, value)[1]


def oddities(message: Message) -> list[str]:
    """Return what is odd about the values of a message, in words."""
    return [odd for _, odd in judged(message) if odd]


def starred(fields: Mapping[int, str]) -> bool:
    """Whether *fields* contain masked digits of a card."""
    return any(_MASKED.fullmatch(fields[number]) for number in _CARDS if number in fields)


def prefix_worth(field: Field) -> float:
    """Return the bits saved by a length prefix with a legal value."""
    return 8.0 * field.prefix - log2(field.size + 1) if field.prefix else 0.0


def is_chip(field: Field) -> bool:
    """Whether the element contains chip data as bytes, which should be TLV."""
    return field.number == _CHIP and field.written in (RAW, HEX)


def _by_content(field: Field) -> Callable[[Field, str], Worth]:
    """Return the function that weighs the characters of a value, regardless of the element."""
    if is_chip(field):
        return _chip
    if field.written == HEX:
        return _hex
    if field.written == RAW:
        return _raw
    if field.content == "z":
        return _track
    return _digits if field.content in ("n", "x+n") else _text


def _hex(field: Field, value: str) -> Worth:
    return _HEX_DIGIT * len(value), ""


def _raw(field: Field, value: str) -> Worth:
    return 0.0, ""


def _text(field: Field, value: str) -> Worth:
    narrow = value.encode("latin-1", "ignore")
    printed = len(narrow) - len(narrow.translate(None, _PRINTS))
    # Chinese characters are worth nothing: other bytes read as GBK often give some, too.
    high = len(_HIGH.findall(value)) if field.written == "gbk" else 0
    bad = len(value) - printed - high
    bits = _LETTER * printed + _UNPRINTED * bad
    return bits, f"DE {field.number} contains {bad} unprintable characters" if bad else ""


def _digits(field: Field, value: str) -> Worth:
    signed = field.content == "x+n"
    body = value[1:] if signed else value
    per = _PACKED_DIGIT if field.written in (BCD, SIGNED) else _DIGIT
    if body and not (body.isascii() and body.isdigit()):
        if field.number == _PAN and field.written != BCD and _MASKED.fullmatch(value):
            return _DIGIT * sum(char.isdigit() for char in body), ""
        return 0.0, f"DE {field.number} {NO_DIGITS}"
    if field.written == BCD and _MISREAD.fullmatch(value):
        return 0.0, f"DE {field.number} looks like ASCII digits read as packed ones"
    if signed and value[:1] not in ("C", "D"):
        return per * len(body) - 6.0, f"DE {field.number} has no sign C or D"
    return per * len(value), ""


def _track(field: Field, value: str) -> Worth:
    packed = field.written in (BCD, NIBBLES)
    bits = (_PACKED_DIGIT if packed else _DIGIT) * sum(map(str.isdigit, value))
    if card.read_track_2(value.rstrip("F") if packed else value) is not None:
        return bits, ""
    if _MASKED.fullmatch(value):
        return _DIGIT * sum(char.isdigit() for char in value), ""
    if packed or (field.number != _TRACK_2 and value.isascii() and value.isprintable()):
        return bits, ""
    return 0.0, f"DE {field.number} is not track data"


def _chip(field: Field, value: str) -> Worth:
    base = _HEX_DIGIT * len(value) if field.written == HEX else 0.0
    try:
        valid = not value or bool(chip_data.read_tags(value, strict=False))
    except IsoError:
        valid = False
    return base, "" if valid else f"DE {field.number} is not TLV"


@cache
def patterns_of(number: int) -> dict[int, tuple[str, ...]]:
    """The date and time layouts of the element in all versions, by length."""
    by_length: dict[int, dict[str, None]] = {}
    for version in VERSIONS:
        elements = spec(version).elements
        if number <= len(elements) and (pattern := elements[number - 1].pattern):
            by_length.setdefault(len(pattern), {})[pattern] = None
    return {size: tuple(patterns) for size, patterns in by_length.items()}


def _date(field: Field, value: str, patterns: tuple[str, ...]) -> Worth:
    if not (value.isascii() and value.isdigit()):
        return 0.0, ""
    if not value.strip("0"):
        return -1.0, ""
    for pattern in patterns:
        if dates.problem(pattern, value) is None:
            return sum(PART_BITS[part] for part in dates.split(pattern, value)), ""
    return _IMPOSSIBLE, f"DE {field.number} is not a date or time"


def _pan(field: Field, value: str) -> Worth:
    unlikely = value.isascii() and value.isdigit() and len(value) not in _PAN_DIGITS
    return 0.0, f"DE {field.number} has an unlikely length" if unlikely else ""


def _code(field: Field, value: str) -> Worth:
    return _KNOWN_CODE * is_known_code(field.number, value), ""


def _currency(field: Field, value: str) -> Worth:
    if currency(value) is not None:
        return _KNOWN_CODE, ""
    # Packed or text moves the end by a byte and could hide a lost one, so the code must be known.
    packed = field.written == BCD
    return _NO_CURRENCY, f"DE {field.number} {'packed ' * packed}is not a known currency"


@cache
def numeric_codes(number: int) -> frozenset[int]:
    """The numeric codes of currencies or countries, if element *number* contains one."""
    table = currency if number in _CURRENCIES else country if number in _COUNTRIES else None
    return frozenset(code for code in range(1000) if table and table(f"{code:03}") is not None)


def is_known_code(number: int, value: str) -> bool:
    """Whether *value* is a known currency, country or entry mode, if element *number* contains one."""
    if number in _CURRENCIES:
        return currency(value) is not None
    if number in _COUNTRIES:
        return country(value[-3:]) is not None
    return number == _ENTRY and value[:2] in _entry_modes()


@cache
def _entry_modes() -> frozenset[str]:
    return frozenset(row.code for row in code_list("pos_entry_mode"))


_CHECKS: dict[int, Callable[[Field, str], Worth]] = {
    _PAN: _pan,
    _ENTRY: _code,
    **dict.fromkeys(_COUNTRIES, _code),
    **dict.fromkeys(_CURRENCIES, _currency),
}
