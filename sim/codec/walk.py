"""What parsing and building mean: readable loops over the elements a bitmap announces.

They judge framing only (MTI, bitmap, length prefixes, enough characters, nothing left over) and
make every located error. `plan` does the same faster and asks here when something does not fit.
"""

from __future__ import annotations

from sim.codec import bitmap
from sim.codec.message import Message
from sim.errors import BITMAP_FIELD, MTI_FIELD, BuildError, ParseError
from sim.spec import ElementSpec, spec

MTI_WIDTH = 4
BITMAP_WIDTH = 16
_SHOWN = 8


def is_digits(text: str) -> bool:
    """Whether *text* is ASCII digits only: ٣ and ３ are digits to `str.isdigit`, not here."""
    return text.isascii() and text.isdigit()


def walk(raw: str, version: str) -> Message:
    """Read *raw* element by element. Raises ParseError at the first misfit."""
    elements = spec(version)
    mti = _read_mti(raw)
    bits = _read_bitmap(raw)
    at = MTI_WIDTH + len(bits)
    announced = bitmap.numbers(bits)
    secondary = len(bits) > BITMAP_WIDTH
    # Until an element above 64 is read, what was read has its second bitmap all the same.
    message = Message(mti, {}, version, secondary)
    for number in announced:
        element = elements[number]
        width, at = _read_prefix(raw, at, element, message)
        value = raw[at : at + width]
        if len(value) < width:
            expected = element.format if element.fixed else f"{width} characters, as its length prefix says"
            raise ParseError(number, at, expected, _count(value), message)
        message.fields[number] = value
        at += width
    if at < len(raw):
        raise ParseError(None, at, "the end of the message", f"{_count(raw[at:])} more", message)
    message.empty_secondary = secondary and not any(number > bitmap.PRIMARY_BITS for number in announced)
    return message


def _read_mti(raw: str) -> str:
    mti = raw[:MTI_WIDTH]
    if len(mti) < MTI_WIDTH:
        raise ParseError(MTI_FIELD, 0, "4 digits", _count(mti))
    if not is_digits(mti):
        raise ParseError(MTI_FIELD, 0, "4 digits", repr(mti))
    return mti


def _read_bitmap(raw: str) -> str:
    primary = _read_half(raw, MTI_WIDTH, "primary")
    if not bitmap.has_secondary(primary[0]):
        return primary
    return primary + _read_half(raw, MTI_WIDTH + BITMAP_WIDTH, "secondary")


def _read_half(raw: str, start: int, name: str) -> str:
    text = raw[start : start + BITMAP_WIDTH]
    expected = f"16 hex digits of the {name} bitmap"
    for index, char in enumerate(text):
        if char not in bitmap.HEX_DIGITS:
            raise ParseError(BITMAP_FIELD, start + index, expected, f"{char!r} after {index} of them")
    if len(text) < BITMAP_WIDTH:
        raise ParseError(BITMAP_FIELD, start, expected, _count(text))
    return text


def _read_prefix(raw: str, at: int, element: ElementSpec, partial: Message) -> tuple[int, int]:
    """How many characters the value has, and where it starts."""
    if element.fixed:
        return element.width, at
    text = raw[at : at + element.prefix]
    expected = f"a length prefix of {element.prefix} digits, at most {element.width}"
    if len(text) < element.prefix:
        raise ParseError(element.number, at, expected, _count(text), partial)
    if not is_digits(text) or int(text) > element.width:
        raise ParseError(element.number, at, expected, repr(text), partial)
    return int(text), at + element.prefix


def _count(text: str) -> str:
    return f"{len(text)} character{'' if len(text) == 1 else 's'}"


def write(message: Message) -> str:
    """Write *message* element by element. Raises BuildError at the first misfit."""
    elements = spec(message.version)
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
        raise BuildError(element.number, None, element.format, _count(value))
    return value if element.fixed else f"{size:0{element.prefix}}{value}"
