"""Bytes -> Message, by a format: the reference reader, element by element.

The whole message is converted once to hex digits and once per code page to characters; every value is a slice
of one of these views. Framing only, as in `walk`: MTI, bitmap, length prefixes, digits that are digits,
enough bytes, nothing left over. Every error is a located `WireError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim.codec import bitmap
from sim.codec.message import Message, PartialMessage
from sim.codec.text import is_digits
from sim.codec.wire.catalogue import wire_format
from sim.codec.wire.formats import (
    BCD,
    BYTES,
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
    VersionedFormat,
)
from sim.codec.wire.framing import Layer, strip
from sim.codec.wire.inside import text_of
from sim.codec.wire.pages import MULTI_BYTE, PAGES, to_bytes, view
from sim.errors import BITMAP_FIELD, MTI_FIELD, CutShortError, WireError, quoted
from sim.spec import version_of

Spans = dict[int, tuple[int, int, int]]

MAP_BYTES = 8
_DIGITS = frozenset("0123456789")
_TRACK = str.maketrans("D", "=")
_TRACK_DIGITS = frozenset("0123456789D")


@dataclass(frozen=True, slots=True)
class WireMessage:
    """A message and its place in the bytes.

    `spans` gives for each element (0 the MTI, 1 the bitmap) the start of its length prefix (or value), the
    start of its value and the end, in bytes from the first one read, framing included. `framing` is what
    surrounded the message, outermost first: `encode` writes it back. `announced` are the elements in its
    bitmap, `error` is why reading stopped early, if it did.
    """

    message: Message
    format: Format
    spans: Spans
    framing: tuple[Layer, ...] = ()
    announced: tuple[int, ...] = ()
    error: WireError | None = None


class Views:
    """The bytes of one message as hex digits and as characters; views of code pages are created on demand."""

    __slots__ = ("_pages", "data", "hex")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.hex = data.hex().upper()
        self._pages: dict[str, str] = {}

    def text(self, page: str) -> str:
        """All bytes as characters of *page*, one per byte."""
        characters = self._pages.get(page)
        if characters is None:
            characters = self._pages[page] = view(self.data, page)
        return characters

    def piece(self, writing: str, start: int, end: int) -> str:
        """The bytes *start* to *end* as characters of a page or of `hexed`, as the digits of `hex`, or as hex
        digits of `bcd`, `raw`, `binary`."""
        if writing in PAGES:
            return self.text(writing)[start:end]
        if writing in (HEX, HEXED):
            digits = self.text("ascii")[start:end].upper()
            return digits if writing == HEX else _unhexed(digits) or ""
        return self.hex[2 * start : 2 * end]


def decode(data: bytes, fmt: Format | str, version: str | None = None) -> Message:
    """Read *data*, one message without its framing, as *fmt* (a format or the name of one) writes it.

    *version* None means the format's own, else that of the MTI. Values are in the text form: binary ones as
    hex digits, the separator of packed track data as `=`. Raises WireError (a ParseError whose offset counts
    bytes) at the first misfit, SpecError for an unknown format, ChoiceError for an unknown version.

    >>> decode(bytes.fromhex("0800 2020000000000000 990000 123456"), "bcd")[11]
    '123456'
    """
    return _read(data, wire_format(fmt), version, None)


def read(
    data: bytes, fmt: Format | str, version: str | None = None, *, framing: Iterable[str] = ()
) -> WireMessage:
    """`decode` with the byte offsets of every element; the layers of *framing* (names, outermost first) are
    stripped and kept. Raises the same errors.

    >>> read(bytes.fromhex("0010 0800 2020000000000000 990000 123456"), "bcd", framing=["length-2"]).spans[11]
    (15, 15, 18)
    """
    chosen = wire_format(fmt)
    layers, start, end = strip(data, framing)
    spans: Spans = {}
    try:
        message = _read(data[start:end], chosen, version, spans)
    except WireError as error:
        raise WireError(
            error.field, (error.offset or 0) + start, error.expected, error.found, error.partial
        ) from None
    moved = {
        number: (first + start, two + start, three + start) for number, (first, two, three) in spans.items()
    }
    return WireMessage(message, chosen, moved, layers)


def read_so_far(data: bytes, fmt: Format | str, version: str | None = None) -> WireMessage:
    """Read one message without its framing as far as possible; `error` says why it stops. Raises WireError if
    not even its MTI and bitmap can be read.

    >>> read_so_far(bytes.fromhex("0800 2020000000000000 990000 1234"), "bcd").spans[3]
    (10, 10, 13)
    """
    chosen, spans = wire_format(fmt), Spans()
    try:
        message = _read(data, chosen, version, spans)
    except WireError as error:
        if error.partial is None:
            raise
        announced, _, _ = read_bitmap(Views(data), spans[MTI_FIELD][2], chosen)
        return WireMessage(error.partial, chosen, spans, (), announced, error)
    return WireMessage(message, chosen, spans, (), tuple(message.fields))


def decode_first(data: bytes, fmt: Format, version: str | None = None) -> tuple[Message, int]:
    """The message at the start of *data*, and its end. Raises the same errors as `decode`.

    >>> decode_first(bytes.fromhex("0800 2020000000000000 990000 123456 0810"), wire_format("bcd"))[1]
    16
    """
    return _read_message(Views(data), fmt, version, None)


def _read(data: bytes, chosen: Format, version: str | None, spans: Spans | None) -> Message:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"bytes of a message are bytes, not {type(data).__name__}")
    views = Views(bytes(data))
    message, at = _read_message(views, chosen, version, spans)
    if at < len(views.data):
        raise WireError(None, at, "the end of the message", f"{_count(len(views.data) - at)} more", message)
    return message


def _read_message(
    views: Views, chosen: Format, version: str | None, spans: Spans | None
) -> tuple[Message, int]:
    mti, at = read_mti(views, chosen)
    announced, secondary, end = read_bitmap(views, at, chosen)
    layout = chosen.layout(version or version_of(mti))
    if spans is not None:
        spans[0], spans[1] = (0, 0, at), (at, at, end)
    message = Message(mti, {}, layout.version, secondary, layout.table_of(announced))
    at = _read_elements(views, layout, announced, end, message, spans)
    message.empty_secondary = secondary and not any(number > bitmap.PRIMARY_BITS for number in announced)
    return message, at


def _read_elements(
    views: Views,
    layout: VersionedFormat,
    announced: tuple[int, ...],
    at: int,
    message: Message,
    spans: Spans | None,
) -> int:
    fields, values = layout.fields, message.fields
    for number in announced:
        field = fields[number] if number < len(fields) else None
        if field is None:
            expected = f"no element {number}, which {layout.format.name} does not describe"
            raise WireError(number, at, expected, "its bit set", PartialMessage.of(message))
        try:
            value, start, end = take(views, at, field)
        except WireError as error:
            error.partial = PartialMessage.of(message)
            raise
        values[number] = value
        if spans is not None:
            spans[number] = (at, start, end)
        at = end
    return at


def read_mti(views: Views, fmt: Format) -> tuple[str, int]:
    """The MTI and the byte where it ends. Raises WireError."""
    width = {BCD: 2, HEXED: 8}.get(fmt.mti, 4)
    mti = views.piece(fmt.mti, 0, width)
    if len(views.data) < width:
        have = len(views.data)
        raise CutShortError(MTI_FIELD, 0, f"4 digits in {_count(width)}", _count(have), wanted=width - have)
    if not is_digits(mti):
        raise WireError(MTI_FIELD, 0, f"4 digits ({fmt.mti})", quoted(mti, views.data[:width]))
    return mti, width


def read_bitmap(views: Views, at: int, fmt: Format) -> tuple[tuple[int, ...], bool, int]:
    """The elements announced, whether there is a secondary bitmap, and the byte where the bitmaps end. Raises
    WireError."""
    step = 2 * MAP_BYTES if fmt.bitmap == HEX else MAP_BYTES
    if fmt.bitmap_bytes:
        bits = _maps(views, at, fmt.bitmap_bytes // MAP_BYTES, step, fmt)
        numbers = bitmap.numbers(bits)
        # Such a link sends all bitmaps in every message: an empty one has no significance.
        secondary = any(number > bitmap.PRIMARY_BITS for number in numbers)
        return numbers, secondary, at + step * fmt.bitmap_bytes // MAP_BYTES
    bits, count = _maps(views, at, 1, step, fmt), 1
    while count < (3 if fmt.third else 2) and bitmap.has_secondary(bits[16 * (count - 1)]):
        bits += _maps(views, at + count * step, 1, step, fmt)
        count += 1
    if count == 3:
        # Bit 65 announces the third bitmap here, not an element.
        bits = bits[:16] + f"{int(bits[16], 16) & 7:X}" + bits[17:]
    return bitmap.numbers(bits), count > 1, at + count * step


def _maps(views: Views, at: int, count: int, step: int, fmt: Format) -> str:
    end = at + count * step
    if len(views.data) < end:
        expected = f"{_count(end - at)} of bitmap"
        have = max(0, len(views.data) - at)
        raise CutShortError(BITMAP_FIELD, at, expected, _count(have), wanted=end - at - have)
    if fmt.bitmap == RAW:
        return views.hex[2 * at : 2 * end]
    bits = views.text(fmt.mti if fmt.mti in PAGES else "ascii")[at:end]
    for index, char in enumerate(bits):
        if char not in bitmap.HEX_DIGITS:
            expected = f"{len(bits)} hex digits of the bitmap"
            raise WireError(BITMAP_FIELD, at + index, expected, f"{char!r} after {index} of them")
    return bits


def take(views: Views, at: int, field: Field) -> tuple[str, int, int]:
    """The value of *field* at byte *at*, its start after the prefix, and its end. Raises WireError with the
    byte offset if there is none."""
    size, start, end = place(views, at, field)
    if size < 0 or end > len(views.data):
        raise _misplaced(views, at, field)
    value = value_of(views, start, end, size, field)
    if value is None:
        raise _unwritten(views, start, end, size, field)
    return value, start, end


def place(views: Views, at: int, field: Field) -> tuple[int, int, int]:
    """The size of the value of *field* at byte *at*, in the prefix's unit, and its start and end, which may
    be beyond the data. The size is -1 if the prefix is not legal."""
    if field.shape is not None:
        return _shaped(views, at, field, field.shape)
    size = field.size
    start = at + field.prefix
    if field.prefix:
        # `piece` gives `binary` prefixes as hex digits, and `Sizes` expects those.
        length = field.sizes(views.piece(field.lengths, at, start))
        if length is None:
            return -1, start, start
        size = length
    return size, start, start + field.width(size)


def _shaped(views: Views, at: int, field: Field, shape: Shape) -> tuple[int, int, int]:
    """The same for a field with a tag, an end mark or padding to its maximum."""
    if shape.ends:
        end = views.data.find(shape.ends, at)
        size = end - at if at <= end <= at + field.size else -1
        return size, at, end + len(shape.ends)
    size, tag = field.size, len(shape.tag)
    front = at + (0 if shape.counted else tag)
    start = front + field.prefix
    if field.prefix:
        length = field.sizes(views.piece(field.lengths, front, start))
        size = -1 if length is None else length
    if shape.counted:
        size, start = size - tag, start + tag
    where = start - tag if shape.counted else at
    if size < 0 or views.data[where : where + tag] != shape.tag:
        return -1, start, start
    return size, start, start + field.width(field.size if shape.filled else size)


def value_of(views: Views, start: int, end: int, size: int, field: Field) -> str | None:
    """The value of *field* in the bytes *start* to *end*; None if they are not one."""
    written = field.written
    if field.shape is not None:
        # Excludes padding and the end mark.
        end = start + field.width(size)
        if written == PARTS:
            try:
                return _parts_of(views, start, end, field)
            except WireError:
                return None
    if written in (BCD, NIBBLES):
        return _packed(views, start, end, size, field)
    if written == RAW:
        return views.hex[2 * start : 2 * end]
    if written == SIGNED:
        digits = _packed(views, start + 1, end, size, field)
        return None if digits is None else views.text(field.page)[start] + digits
    if written == MAPPED:
        middle = min(start + MAP_BYTES, end)
        return views.hex[2 * start : 2 * middle] + views.text(field.page)[middle:end]
    if written in MULTI_BYTE:
        try:
            return views.data[start:end].decode(written)
        except UnicodeDecodeError:
            return None
    if field.content == "b" and written != HEX:
        # Binary data converted to another code page: convert back, then to hex digits.
        return to_bytes(views.text(field.page)[start:end], "ascii").hex().upper()
    value = views.text(field.page)[start:end]
    if written == HEXED:
        return _unhexed(value)
    return None if written == HEX and not bitmap.HEX_DIGITS.issuperset(value) else value


def _unhexed(digits: str) -> str | None:
    """The characters whose bytes the hex *digits* are; None if they are not hex."""
    if len(digits) % 2 or not bitmap.HEX_DIGITS.issuperset(digits):
        return None
    return view(bytes.fromhex(digits), "ascii")


def _parts_of(views: Views, start: int, end: int, field: Field) -> str:
    """The parts between *start* and *end*, each in its own encoding, as one value in text form. Raises
    WireError at the first byte that does not fit."""
    if field.shape is None or field.shape.inside is None or end > len(views.data):
        raise WireError(field.number, start, f"{_count(end - start)} of parts", "fewer")
    part_views = Views(views.data[start:end])
    try:
        return "".join(
            text_of(field.shape.inside, part_views.data, lambda at, part: take(part_views, at, part))
        )
    except WireError as error:
        raise WireError(field.number, start + (error.offset or 0), error.expected, error.found) from None


def _packed(views: Views, start: int, end: int, size: int, field: Field) -> str | None:
    """Packed digits without padding; None if they are not digits or the padding is wrong."""
    value = views.hex[2 * start : 2 * end]
    odd = field.odd
    if field.counts != BYTES and size % 2:
        filler, value = (value[0], value[1:]) if odd.left else (value[-1], value[:-1])
        if filler != odd.filler:
            return None
    elif field.counts == BYTES and odd.filler == "F":
        value = value.removeprefix("F") if odd.left else value.removesuffix("F")
    if value.isdigit() or not value or field.written == NIBBLES:
        return value
    if field.content != "z" or not _TRACK_DIGITS.issuperset(value):
        return None
    return value.translate(_TRACK)


def _misplaced(views: Views, at: int, field: Field) -> WireError:
    """Why there is no complete value of *field* at byte *at*."""
    size, start, end = place(views, at, field)
    if size < 0:
        have = max(0, len(views.data) - at)
        unit = "bytes" if field.counts == BYTES else "digits" if field.written == BCD else "characters"
        expected = f"a length prefix ({field.lengths}, {_count(field.prefix)}) of at most {field.size} {unit}"
        if have < field.prefix or (field.shape and field.shape.ends and have <= field.size):
            missing = max(0, field.prefix - have)
            return CutShortError(field.number, at, expected, _count(have), wanted=missing)
        description = quoted(views.piece(field.lengths, at, start), views.data[at:start])
        return WireError(field.number, at, expected, description)
    expected = f"{field.format}, {_count(end - start)}"
    if field.prefix:
        expected = f"{_count(end - start)}, as its length prefix says"
    have = max(0, len(views.data) - start)
    return CutShortError(field.number, start, expected, _count(have), wanted=end - start - have)


def _unwritten(views: Views, start: int, end: int, size: int, field: Field) -> WireError:
    """Why the bytes *start* to *end* are not a value of *field*."""
    if field.written == PARTS:
        try:
            _parts_of(views, start, end, field)
        except WireError as error:
            return error
    if field.written in (BCD, NIBBLES, SIGNED):
        return _ill_packed(views, start + (field.written == SIGNED), end, size, field)
    if field.written in (HEX, HEXED):
        expected = f"{end - start} hex digits ({field.format})"
        return WireError(field.number, start, expected, "other characters")
    try:
        views.data[start:end].decode(field.written)
    except UnicodeDecodeError as error:
        start += error.start
    expected = f"characters of {field.written} ({field.format})"
    return WireError(field.number, start, expected, "a byte that is not")


def _ill_packed(views: Views, start: int, end: int, size: int, field: Field) -> WireError:
    """The first half byte between *start* and *end* that is neither a packed digit nor correct padding."""
    digits, odd = views.hex[2 * start : 2 * end], field.odd
    first, last = 0, len(digits)
    if field.counts != BYTES and size % 2:
        at = 0 if odd.left else last - 1
        if digits[at] != odd.filler:
            side = "left" if odd.left else "right"
            expected = f"half a byte {odd.filler} on the {side}, which pads an odd number of digits"
            return WireError(field.number, start + at // 2, expected, f"half a byte {digits[at]}")
        first, last = (1, last) if odd.left else (0, last - 1)
    elif field.counts == BYTES and odd.filler == "F":
        first, last = (int(digits[:1] == "F"), last) if odd.left else (0, last - (digits[-1:] == "F"))
    track = field.content == "z"
    allowed = _TRACK_DIGITS if track else _DIGITS
    wrong = next(at for at in range(first, last) if digits[at] not in allowed)
    what = "packed digits or a separator D" if track else "packed digits"
    expected = f"{what} ({field.format})"
    return WireError(field.number, start + wrong // 2, expected, f"half a byte {digits[wrong]}")


def _count(size: int) -> str:
    return f"{size} byte{'' if size == 1 else 's'}"
