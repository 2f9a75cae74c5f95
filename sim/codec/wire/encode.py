"""Message -> bytes, by a format: the inverse of `decode`."""

from __future__ import annotations

from collections.abc import Sequence

from sim.codec import bitmap
from sim.codec.message import Message
from sim.codec.text import MTI_WIDTH, is_digits
from sim.codec.wire.catalogue import wire_format
from sim.codec.wire.decode import MAP_BYTES, decode
from sim.codec.wire.formats import (
    BCD,
    BYTES,
    CHARACTERS,
    HEX,
    HEXED,
    MAPPED,
    NIBBLES,
    PARTS,
    RAW,
    SIGNED,
    Field,
    Format,
    Shape,
)
from sim.codec.wire.framing import Layer, wrap
from sim.codec.wire.inside import bytes_of
from sim.codec.wire.pages import MULTI_BYTE, PAGES, number_bytes, to_bytes
from sim.errors import BITMAP_FIELD, MTI_FIELD, BuildError, counted
from sim.errors import size as size_of

_TO_NIBBLES = str.maketrans("=", "D")
_TRACK = frozenset("0123456789=D")


def encode(message: Message, fmt: Format | str, *, framing: Sequence[Layer | str] = ()) -> bytes:
    """Write *message* as *fmt* (a format or the name of one) does, inside the layers of *framing*, outermost
    first: as they were read, or the names of such.

    `decode(encode(message, fmt), fmt) == message`, except for what bytes do not carry, such as the letter
    case of hex digits: `otherwise` lists that. Raises BuildError naming the first element that the format
    cannot carry; `misfits` lists all of them.

    >>> encode(Message("0800", {3: "990000", 11: "123456"}), "bcd").hex()
    '08002020000000000000990000123456'
    """
    chosen = wire_format(fmt)
    head, layout = _head(message, chosen), chosen.layout(message.version)
    pieces = [write(layout[number], number, value) for number, value in sorted(message.fields.items())]
    return wrap(b"".join([head, *pieces]), framing)


def misfits(message: Message, fmt: Format | str) -> tuple[BuildError, ...]:
    """One error for each element of *message* that *fmt* cannot carry; empty if it can be written."""
    chosen = wire_format(fmt)
    layout = chosen.layout(message.version)
    errors: list[BuildError] = []
    try:
        _head(message, chosen)
    except BuildError as error:
        errors.append(error)
    for number, value in sorted(message.fields.items()):
        try:
            write(layout[number], number, value)
        except BuildError as error:
            errors.append(error)
    return tuple(errors)


def otherwise(message: Message, fmt: Format | str) -> dict[int, str]:
    """What a reader of the bytes sees differently, one sentence per element (1 is the bitmap), since bytes do
    not carry everything. Empty for most messages. Raises the same errors as `encode`.

    >>> otherwise(Message("0800", {11: "123456", 52: "00112233aabbccdd"}), "bcd")
    {52: 'DE 52 is written with its hex digits in upper case'}
    """
    back = decode(encode(message, fmt), fmt, message.version)
    differences = {}
    if message.has_secondary and not back.has_secondary:
        differences[BITMAP_FIELD] = "the empty secondary bitmap is not written again"
    for number, value in sorted(message.fields.items()):
        read = back.fields[number]
        if read != value:
            how = "its hex digits in upper case" if read == value.upper() else "the separator = in place of D"
            differences[number] = f"DE {number} is written with {how}"
    return differences


def _head(message: Message, fmt: Format) -> bytes:
    mti = message.mti
    if not (isinstance(mti, str) and len(mti) == MTI_WIDTH and is_digits(mti)):
        raise BuildError(MTI_FIELD, None, "4 digits", repr(mti)[:8])
    return _mti(mti, fmt) + _bitmap(message, fmt)


def _mti(mti: str, fmt: Format) -> bytes:
    if fmt.mti == BCD:
        return bytes.fromhex(mti)
    return _hexed(mti.encode()) if fmt.mti == HEXED else to_bytes(mti, fmt.mti)


def _hexed(data: bytes) -> bytes:
    return data.hex().upper().encode()


def _bitmap(message: Message, fmt: Format) -> bytes:
    most = 192 if fmt.third else 128
    for number in message.fields:
        if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= most:
            raise BuildError(None, None, f"data element numbers 2 to {most}", repr(number)[:8])
    chosen, size = set(message.fields), 64
    if message.has_secondary:
        size = 128
    if any(number > 128 for number in chosen):
        chosen.add(65)
        size = 192
    if fmt.bitmap_bytes:
        if size > 8 * fmt.bitmap_bytes:
            raise BuildError(max(chosen), None, f"elements up to {8 * fmt.bitmap_bytes}", str(max(chosen)))
        size = 8 * fmt.bitmap_bytes
        chosen |= {1} if fmt.bit_1 and size > 64 else set()
    elif size > 64:
        chosen.add(1)
    bits = sum(1 << (size - number) for number in chosen)
    if fmt.bitmap == RAW:
        return bits.to_bytes(size // MAP_BYTES, "big")
    return to_bytes(f"{bits:0{size // 4}X}", fmt.mti if fmt.mti in PAGES else "ascii")


def write(field: Field | None, number: int, value: str) -> bytes:
    """The bytes of one element: its prefix and its value. Raises BuildError if the value does not fit."""
    if field is None:
        raise BuildError(number, None, "an element that the format describes", f"DE {number}")
    if not isinstance(value, str):
        raise BuildError(number, None, f"{field.format} as str", type(value).__name__)
    body, size = _body(field, value)
    if size > field.size or (field.fixed and size < field.size):
        raise BuildError(number, None, f"{field.format} ({field.size} {_unit(field)})", f"{size}")
    return (
        length_prefix(field, size) + body if field.shape is None else _shaped(field, field.shape, size, body)
    )


def _shaped(field: Field, shape: Shape, size: int, body: bytes) -> bytes:
    """The element with its tag, padding and end mark."""
    if shape.ends and shape.ends in body:
        raise BuildError(
            field.number, None, f"a value without {shape.ends.decode('latin-1')!r}, which ends it", "one"
        )
    if shape.filled:
        filler = b"\0" if field.content == "b" else to_bytes(" ", field.page)
        body = body.ljust(field.width(field.size), filler)
    if shape.counted:
        return length_prefix(field, size + len(shape.tag)) + shape.tag + body
    return shape.tag + length_prefix(field, size) + body + shape.ends


def _body(field: Field, value: str) -> tuple[bytes, int]:
    """The bytes of a value, and its size in the prefix's unit."""
    written = field.written
    if written in (BCD, NIBBLES):
        return _packed(field, value)
    if written == SIGNED:
        body, size = _packed(field, value[1:])
        return _characters(field, value[:1]) + body, size + (1 if field.counts == BYTES else 0)
    if written == MAPPED:
        return _mapped(field, value)
    if written == PARTS and field.shape is not None and field.shape.inside is not None:
        body = bytes_of(field.number, field.shape.inside, value, write)
        return body, len(body)
    if written in (RAW, HEX):
        body = _octets(field, value)
        size = len(value) if field.counts == CHARACTERS else len(body)
        return _characters(field, value) if written == HEX else body, size
    if field.content == "b":
        body = _characters(field, _octets(field, value).decode("latin-1"))
        return body, len(body)
    body = _characters(field, value)
    return _hexed(body) if written == HEXED else body, len(body)


def _octets(field: Field, value: str) -> bytes:
    if len(value) % 2 or not bitmap.HEX_DIGITS.issuperset(value):
        raise BuildError(field.number, None, "an even number of hex digits", size_of(value))
    return bytes.fromhex(value)


def _mapped(field: Field, value: str) -> tuple[bytes, int]:
    """A bitmap, given as hex digits, and the characters after it."""
    head = value[: 2 * MAP_BYTES]
    if len(head) % 2 or not bitmap.HEX_DIGITS.issuperset(head):
        raise BuildError(field.number, None, "16 hex digits of a bitmap before it", size_of(value))
    body = bytes.fromhex(head) + _characters(field, value[2 * MAP_BYTES :])
    return body, len(body) if field.counts == BYTES else len(value)


def _packed(field: Field, value: str) -> tuple[bytes, int]:
    track, hexed = field.content == "z", field.written == NIBBLES
    packs = (_TRACK if track else frozenset()) | (bitmap.HEX_DIGITS if hexed else frozenset())
    if not (is_digits(value) or not value or packs.issuperset(value)):
        what = "hex digits" if hexed else "digits or a separator = or D" if track else "digits"
        raise BuildError(field.number, None, f"{what}, which are packed ({field.format})", size_of(value))
    nibbles, size = value.translate(_TO_NIBBLES), len(value)
    if size % 2:
        odd = field.odd
        if field.counts == BYTES and odd.filler != "F":
            raise BuildError(
                field.number, None, "an even number of digits: its prefix counts bytes", str(size)
            )
        nibbles = odd.filler + nibbles if odd.left else nibbles + odd.filler
    return bytes.fromhex(nibbles), len(nibbles) // 2 if field.counts == BYTES else size


def _characters(field: Field, value: str) -> bytes:
    page = field.written if field.written in MULTI_BYTE else field.page
    try:
        return to_bytes(value, page)
    except UnicodeEncodeError as error:
        expected = f"characters of {page} ({field.format})"
        raise BuildError(field.number, None, expected, f"another at {error.start}") from None


def length_prefix(field: Field, size: int) -> bytes:
    """The length prefix of a value of *size*. Raises BuildError if the prefix is too narrow."""
    if not field.prefix:
        return b""
    try:
        return number_bytes(size, field.prefix, field.lengths)
    except OverflowError:
        expected = f"a size that fits {counted(field.prefix, 'byte')} of length prefix"
        raise BuildError(field.number, None, expected, str(size)) from None


def _unit(field: Field) -> str:
    return "bytes" if field.counts == BYTES else "digits" if field.written in (BCD, SIGNED) else "characters"
