"""What parsing and building mean: readable loops over the elements a bitmap announces.

They judge framing only (MTI, bitmap, length prefixes, enough characters, nothing left over) and
make every located error. `plan` does the same faster and asks here when something does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sim.codec import bitmap
from sim.codec.message import Message, PartialMessage
from sim.codec.sizes import Sizes, sizes
from sim.errors import BITMAP_FIELD, MTI_FIELD, BuildError, ParseError, quoted
from sim.errors import size as size_of
from sim.spec import ElementSpec, Spec
from sim.spec.elements import table

MTI_WIDTH = 4
BITMAP_WIDTH = 16
_SHOWN = 8


def is_digits(text: str) -> bool:
    """Whether *text* is ASCII digits only: ٣ and ３ are digits to `str.isdigit`, not here."""
    return text.isascii() and text.isdigit()


@lru_cache(maxsize=64)
def _steps(version: str | Spec) -> list[tuple[int, int, Sizes]]:
    """By number: the width of a fixed element, else how many digits its prefix has and which are legal."""
    made = [
        (element.width, element.prefix, sizes("ascii", element.prefix, element.width))
        for element in table(version).elements
    ]
    return [(0, 0, sizes("ascii", 0, 0)), *made]


def walk(raw: str, version: str | Spec) -> Message:
    """Read *raw* element by element. Raises ParseError at the first misfit."""
    own = table(version)  # raises for an unknown one
    mti = _read_mti(raw)
    bits = _read_bitmap(raw)
    announced = bitmap.numbers(bits)
    secondary = len(bits) > BITMAP_WIDTH
    # Until an element above 64 is read, what was read has its second bitmap all the same.
    message = Message(mti, {}, own.version, secondary, own if own.dialect else None)
    read_values(raw, MTI_WIDTH + len(bits), announced, message)
    message.empty_secondary = secondary and (not announced or announced[-1] <= bitmap.PRIMARY_BITS)
    return message


def read_values(raw: str, at: int, numbers: Iterable[int], message: Message) -> None:
    """Read the elements *numbers* from character *at* to the end of *raw* into *message*. Raises ParseError
    at the first misfit."""
    steps, size, fields = _steps(message.dialect or message.version), len(raw), message.fields
    for number in numbers:
        width, prefix, legal = steps[number]
        if prefix:
            start = at + prefix
            said = legal(raw[at:start])
            if said is None:
                raise _bad_prefix(raw, at, number, message)
            at, width = start, said
        end = at + width
        if end > size:
            raise _too_short(raw, at, number, width, message)
        fields[number] = raw[at:end]
        at = end
    if at < size:
        raise ParseError(
            None, at, "the end of the message", f"{size_of(raw[at:])} more", _partial(message), "end"
        )


def reads(raw: str, version: str | Spec) -> bool:
    """Whether *raw* is a message: what `walk` finds out, without the message and without saying why not."""
    bits = raw[MTI_WIDTH : MTI_WIDTH + BITMAP_WIDTH]
    if not is_digits(raw[:MTI_WIDTH]) or len(bits) < BITMAP_WIDTH or not bitmap.HEX_DIGITS.issuperset(bits):
        return False
    at = MTI_WIDTH + BITMAP_WIDTH
    if bitmap.has_secondary(bits[0]):
        second = raw[at : at + BITMAP_WIDTH]
        if len(second) < BITMAP_WIDTH or not bitmap.HEX_DIGITS.issuperset(second):
            return False
        bits, at = bits + second, at + BITMAP_WIDTH
    return ends(raw, at, bitmap.numbers(bits), version)


def ends(raw: str, at: int, numbers: Iterable[int], version: str | Spec) -> bool:
    """Whether the elements *numbers* reach from character *at* to the end of *raw*."""
    steps, size = _steps(version), len(raw)
    for number in numbers:
        width, prefix, legal = steps[number]
        if prefix:
            said = legal(raw[at : at + prefix])
            if said is None:
                return False
            at, width = at + prefix, said
        at += width
        if at > size:
            return False
    return at == size


def _read_mti(raw: str) -> str:
    mti = raw[:MTI_WIDTH]
    if len(mti) < MTI_WIDTH:
        raise ParseError(MTI_FIELD, 0, "4 digits", size_of(mti), None, "mti", MTI_WIDTH)
    if not is_digits(mti):
        raise ParseError(MTI_FIELD, 0, "4 digits", _quoted(mti), None, "mti", MTI_WIDTH)
    return mti


def _quoted(mti: str) -> str:
    """Characters that a text has are shown; others may be digits, packed by two."""
    return repr(mti) if mti.isprintable() else quoted(mti, mti.encode("latin-1", "replace"))


def _read_bitmap(raw: str) -> str:
    primary = _read_half(raw, MTI_WIDTH, "primary")
    if not bitmap.has_secondary(primary[0]):
        return primary
    return primary + _read_half(raw, MTI_WIDTH + BITMAP_WIDTH, "secondary")


def _read_half(raw: str, start: int, name: str) -> str:
    text = raw[start : start + BITMAP_WIDTH]
    if len(text) == BITMAP_WIDTH and bitmap.HEX_DIGITS.issuperset(text):
        return text
    expected = f"16 hex digits of the {name} bitmap"
    for index, char in enumerate(text):
        if char not in bitmap.HEX_DIGITS:
            found = f"{char!r} after {index} of them"
            raise ParseError(BITMAP_FIELD, start + index, expected, found, None, "bitmap", BITMAP_WIDTH)
    raise ParseError(BITMAP_FIELD, start, expected, size_of(text), None, "bitmap", BITMAP_WIDTH)


def _bad_prefix(raw: str, at: int, number: int, partial: Message) -> ParseError:
    element = partial.spec[number]
    text = raw[at : at + element.prefix]
    expected = f"a length prefix of {element.prefix} digits, at most {element.width}"
    found = size_of(text) if len(text) < element.prefix else repr(text)
    return ParseError(number, at, expected, found, _partial(partial), "prefix", element.prefix)


def _partial(message: Message) -> PartialMessage:
    return PartialMessage(
        message.mti, message.fields, message.version, message.empty_secondary, message.dialect
    )


def _too_short(raw: str, at: int, number: int, width: int, partial: Message) -> ParseError:
    element = partial.spec[number]
    expected = element.format if element.fixed else f"{width} characters, as its length prefix says"
    return ParseError(number, at, expected, size_of(raw[at:]), _partial(partial), "value", width)


def write(message: Message) -> str:
    """Write *message* element by element. Raises BuildError at the first misfit."""
    elements = message.spec
    if not (isinstance(message.mti, str) and len(message.mti) == MTI_WIDTH and is_digits(message.mti)):
        raise BuildError(MTI_FIELD, None, "4 digits", repr(message.mti)[:_SHOWN])
    for number in message.fields:
        if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= bitmap.ALL_BITS:
            raise BuildError(None, None, "data element numbers 2 to 128", repr(number)[:_SHOWN])
    parts = [message.mti, message.bitmap]
    for number, value in sorted(message.fields.items()):
        parts.append(_write_value(elements[number], value))
    return "".join(parts)


def _write_value(element: ElementSpec, value: str) -> str:
    if not isinstance(value, str):
        raise BuildError(element.number, None, f"{element.format} as str", type(value).__name__)
    size = len(value)
    if size > element.width or (element.fixed and size < element.width):
        raise BuildError(element.number, None, element.format, size_of(value))
    return value if element.fixed else f"{size:0{element.prefix}}{value}"
