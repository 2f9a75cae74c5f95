"""Bytes -> Message, by a format: what reading a link means, element by element.

The whole message is turned into characters once a code page and into hex digits once; every value is a
slice of one of these views. Framing only, as in `walk`: MTI, bitmap, length prefixes, digits that are
digits, enough bytes, nothing left over. Every misfit is a located `WireError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim.codec import bitmap
from sim.codec.message import Message
from sim.codec.walk import is_digits
from sim.codec.wire.catalogue import wire_format
from sim.codec.wire.formats import BCD, BYTES, HEX, MAPPED, RAW, SIGNED, Field, Format, VersionedFormat
from sim.codec.wire.framing import Layer, strip
from sim.codec.wire.pages import MULTI_BYTE, PAGES, view
from sim.errors import BITMAP_FIELD, MTI_FIELD, WireError
from sim.spec import version_of

Spans = dict[int, tuple[int, int, int]]

MAP_BYTES = 8
_DIGITS = frozenset("0123456789")
_TRACK = str.maketrans("D", "=")
_TRACK_DIGITS = frozenset("0123456789D")


@dataclass(frozen=True, slots=True)
class WireMessage:
    """A message and how it stood in its bytes.

    `spans` gives for each element (0 the MTI, 1 the bitmap) the bytes where its length prefix (or value)
    starts, its value starts and its value ends, counted from the first byte read, framing included.
    `framing` is what stood around the message, outermost first: `encode` writes it back.
    """

    message: Message
    format: Format
    spans: Spans
    framing: tuple[Layer, ...] = ()


class Views:
    """The bytes of one message as hex digits and as characters; each view is made when it is asked for."""

    __slots__ = ("_pages", "data", "hex")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.hex = data.hex().upper()
        self._pages: dict[str, str] = {}

    def text(self, page: str) -> str:
        """All bytes as characters of *page*, one a byte."""
        made = self._pages.get(page)
        if made is None:
            made = self._pages[page] = view(self.data, page)
        return made

    def piece(self, writing: str, start: int, end: int) -> str:
        """The bytes *start* to *end* as characters of a page, or as hex digits of `bcd`, `raw`, `binary`."""
        if writing in PAGES:
            return self.text(writing)[start:end]
        return self.hex[2 * start : 2 * end]


def decode(data: bytes, fmt: Format | str, version: str | None = None) -> Message:
    """Read *data*, one message without its framing, as *fmt* (a format or the name of one) writes it.

    *version* None is the format's, or read off the MTI. Values are given as in the text form: binary
    ones as hex digits, the separator of packed track data as `=`. Raises WireError (a ParseError whose
    offset counts bytes) at the first misfit, SpecError for an unknown format or version.

    >>> decode(bytes.fromhex("0800 2020000000000000 990000 123456"), "bcd")[11]
    '123456'
    """
    return _read(data, fmt, version, None)


def read(
    data: bytes, fmt: Format | str, version: str | None = None, *, framing: Iterable[str] = ()
) -> WireMessage:
    """The same, with the byte offsets of every element, behind the layers of *framing* (names, outermost
    first), which are taken off and kept. Raises as `decode` does.

    >>> read(bytes.fromhex("0010 0800 2020000000000000 990000 123456"), "bcd", framing=["length-2"]).spans[11]
    (15, 15, 18)
    """
    chosen = wire_format(fmt) if isinstance(fmt, str) else fmt
    layers, start, end = strip(data, framing)
    spans: Spans = {}
    try:
        message = _read(data[start:end], chosen, version, spans)
    except WireError as error:
        raise WireError(
            error.field, (error.offset or 0) + start, error.expected, error.found, error.partial
        ) from None
    moved = {number: (one + start, two + start, three + start) for number, (one, two, three) in spans.items()}
    return WireMessage(message, chosen, moved, layers)


def _read(data: bytes, fmt: Format | str, version: str | None, spans: Spans | None) -> Message:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"bytes of a message are bytes, not {type(data).__name__}")
    chosen = wire_format(fmt) if isinstance(fmt, str) else fmt
    views = Views(bytes(data))
    mti, at = read_mti(views, chosen)
    announced, secondary, end = read_bitmap(views, at, chosen)
    layout = chosen.layout(version or version_of(mti))
    if spans is not None:
        spans[0], spans[1] = (0, 0, at), (at, at, end)
    own = layout.dialect if not layout.own.isdisjoint(announced) else None
    message = Message(mti, {}, layout.version, secondary, own)
    at = _read_elements(views, layout, announced, end, message, spans)
    if at < len(views.data):
        raise WireError(None, at, "the end of the message", f"{_count(len(views.data) - at)} more", message)
    message.empty_secondary = secondary and not any(one > bitmap.PRIMARY_BITS for one in announced)
    return message


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
            raise WireError(number, at, expected, "its bit set", message)
        try:
            value, start, end = take(views, at, field)
        except WireError as error:
            error.partial = message
            raise
        values[number] = value
        if spans is not None:
            spans[number] = (at, start, end)
        at = end
    return at


def read_mti(views: Views, fmt: Format) -> tuple[str, int]:
    """The MTI and the byte where it ends. Raises WireError."""
    width = 2 if fmt.mti == BCD else 4
    mti = views.piece(fmt.mti, 0, width)
    if len(views.data) < width:
        raise WireError(MTI_FIELD, 0, f"4 digits in {_count(width)}", _count(len(views.data)))
    if not is_digits(mti):
        raise WireError(MTI_FIELD, 0, f"4 digits ({fmt.mti})", repr(mti))
    return mti, width


def read_bitmap(views: Views, at: int, fmt: Format) -> tuple[tuple[int, ...], bool, int]:
    """The elements announced, whether bit 1 has a second map follow, and the byte where the maps end.
    Raises WireError."""
    step = 2 * MAP_BYTES if fmt.bitmap == HEX else MAP_BYTES
    if fmt.bitmap_bytes:
        bits = _maps(views, at, fmt.bitmap_bytes // MAP_BYTES, step, fmt)
        found = bitmap.numbers(bits)
        # Such a link has all its maps in every message: an empty one says nothing.
        return (
            found,
            any(one > bitmap.PRIMARY_BITS for one in found),
            at + step * fmt.bitmap_bytes // MAP_BYTES,
        )
    bits = _maps(views, at, 1, step, fmt)
    secondary = bitmap.has_secondary(bits[0])
    count = 1
    if secondary:
        bits += _maps(views, at + step, 1, step, fmt)
        count = 2
        if fmt.third and bitmap.has_secondary(bits[16]):
            # Bit 65 announces the third map and is no element then.
            bits = bits[:16] + f"{int(bits[16], 16) & 7:X}" + bits[17:]
            bits += _maps(views, at + 2 * step, 1, step, fmt)
            count = 3
    return bitmap.numbers(bits), secondary, at + count * step


def _maps(views: Views, at: int, count: int, step: int, fmt: Format) -> str:
    end = at + count * step
    if len(views.data) < end:
        expected = f"{_count(end - at)} of bitmap"
        raise WireError(BITMAP_FIELD, at, expected, _count(max(0, len(views.data) - at)))
    if fmt.bitmap == RAW:
        return views.hex[2 * at : 2 * end]
    bits = views.text(fmt.mti if fmt.mti in PAGES else "ascii")[at:end]
    for index, char in enumerate(bits):
        if char not in bitmap.HEX_DIGITS:
            expected = f"{len(bits)} hex digits of the bitmap"
            raise WireError(BITMAP_FIELD, at + index, expected, f"{char!r} after {index} of them")
    return bits


def take(views: Views, at: int, field: Field) -> tuple[str, int, int]:
    """The value of *field* that stands at byte *at*, where it starts behind its prefix, and where it
    ends. Raises WireError, whose offset is the byte, when none does."""
    size = field.size
    start = at + field.prefix
    if field.prefix:
        # `binary` prefixes come out of the hex digits, too: Sizes reads them as such.
        said = views.piece(field.lengths, at, start)
        known = field.sizes(said)
        if known is None:
            raise _bad_prefix(views, at, field, said)
        size = known
    end = start + field.width(size)
    if end > len(views.data):
        have = _count(len(views.data) - start)
        expected = f"{field.format}, {_count(end - start)}"
        if field.prefix:
            expected = f"{_count(end - start)}, as its length prefix says"
        raise WireError(field.number, start, expected, have)
    written = field.written
    if written == BCD:
        return _packed(views, start, end, size, field), start, end
    if written == RAW:
        return views.hex[2 * start : 2 * end], start, end
    if written == SIGNED:
        sign = views.text(field.page)[start]
        return sign + _packed(views, start + 1, end, size, field), start, end
    if written == MAPPED:
        middle = min(start + MAP_BYTES, end)
        return views.hex[2 * start : 2 * middle] + views.text(field.page)[middle:end], start, end
    if written in MULTI_BYTE:
        return _multi_byte(views, start, end, field), start, end
    value = views.text(field.page)[start:end]
    if written == HEX and not bitmap.HEX_DIGITS.issuperset(value):
        raise WireError(field.number, start, f"{end - start} hex digits ({field.format})", "other characters")
    return value, start, end


def _bad_prefix(views: Views, at: int, field: Field, said: str) -> WireError:
    have = max(0, len(views.data) - at)
    unit = "bytes" if field.counts == BYTES else "digits" if field.written == BCD else "characters"
    expected = f"a length prefix ({field.lengths}, {_count(field.prefix)}) of at most {field.size} {unit}"
    return WireError(field.number, at, expected, _count(have) if have < field.prefix else repr(said))


def _packed(views: Views, start: int, end: int, size: int, field: Field) -> str:
    """Packed digits; of an odd number, without the half byte that fills it up."""
    value = views.hex[2 * start : 2 * end]
    odd = field.odd
    if field.counts != BYTES and size % 2:
        filler, value = (value[0], value[1:]) if odd.left else (value[-1], value[:-1])
        if filler != odd.filler:
            place = start if odd.left else end - 1
            side = "left" if odd.left else "right"
            expected = f"half a byte {odd.filler} on the {side}, which fills an odd number of digits up"
            raise WireError(field.number, place, expected, f"half a byte {filler}")
    elif field.counts == BYTES and odd.filler == "F":
        value = value.removeprefix("F") if odd.left else value.removesuffix("F")
    if not value.isdigit() and value:
        track = field.content == "z"
        allowed = _TRACK_DIGITS if track else _DIGITS
        for index, char in enumerate(value):
            if char not in allowed:
                byte = start + (index + (odd.left and bool(size % 2))) // 2
                what = "packed digits or a separator D" if track else "packed digits"
                raise WireError(field.number, byte, f"{what} ({field.format})", f"half a byte {char}")
        value = value.translate(_TRACK)
    return value


def _multi_byte(views: Views, start: int, end: int, field: Field) -> str:
    try:
        return views.data[start:end].decode(field.written)
    except UnicodeDecodeError as error:
        expected = f"characters of {field.written} ({field.format})"
        raise WireError(field.number, start + error.start, expected, "a byte that is none") from None


def _count(size: int) -> str:
    return f"{size} byte{'' if size == 1 else 's'}"
