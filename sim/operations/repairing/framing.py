"""The two forms in which messages are repaired, text and the bytes of a format: where elements are, how
lengths and bitmaps are written, and how an element reads with a unit more or less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sim.codec import IsoError, Message, bitmap, build
from sim.codec.message import is_mti
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH, ends, is_digits, reads
from sim.codec.wire import Format, decode, encode, read_so_far
from sim.codec.wire.decode import Views, place, read_mti
from sim.codec.wire.encode import length_prefix
from sim.codec.wire.formats import BCD, BINARY, HEX, HEXED, NIBBLES, RAW, VersionedFormat
from sim.codec.wire.pages import MULTI_BYTE, PAGES, to_bytes
from sim.spec import Spec, version_of

# Stands for a character that cannot be known; no message contains it.
UNKNOWN = "\x00"


class Place(NamedTuple):
    """The position of an element: number, start of the prefix, start of the value, end."""

    number: int
    start: int
    first: int
    end: int


class Frame(NamedTuple):
    """How far a message can be read: the bitmap as a number of `top` bits, ending at `begin`; the announced
    elements; the places read; the element where reading stopped, if any; whether the message ends with the
    text; and the place of the element that the text ends in, if any."""

    bits: int
    top: int
    begin: int
    numbers: tuple[int, ...]
    places: list[Place]
    stop: int | None
    whole: bool
    ended: Place | None = None

    @property
    def end(self) -> int:
        """Where reading ended."""
        return self.places[-1].end if self.places else self.begin


class Length(NamedTuple):
    """How the length of an element is written: the maximum, and functions that write a length (too long or
    empty if it does not fit) and read a prefix as digits."""

    most: int
    written: Callable[[int], Any]
    stated: Callable[[Any], str]


class Opening(NamedTuple):
    """An element that makes the message readable once units are added or removed: its present value, the
    characters per unit, the other elements, and a function that writes the text form with another value
    (empty if that does not differ by just these units)."""

    value: str
    unit: int
    others: Mapping[int, str]
    put: Callable[[str], str]
    table: Spec


@dataclass(frozen=True)
class Text:
    """The text form, read by `table`; a unit is a character. `steps` are the units that chip data can lose or
    gain at once (a hex digit, a byte, a two-byte tag); `map` is the width of a 64-bit bitmap."""

    table: Spec
    steps = (-1, -2, -4, 1, 2)
    map = BITMAP_WIDTH

    def frame(self, raw: str) -> Frame | None:
        if not is_digits(raw[:MTI_WIDTH]) or not is_mti(raw[:MTI_WIDTH]):
            return None
        at = MTI_WIDTH + BITMAP_WIDTH * (1 + bitmap.has_secondary(raw[MTI_WIDTH : MTI_WIDTH + 1]))
        digits = raw[MTI_WIDTH:at]
        if len(digits) < at - MTI_WIDTH or not bitmap.HEX_DIGITS.issuperset(digits):
            return None
        size, numbers, places = len(raw), bitmap.numbers(digits), list[Place]()
        head = (int(digits, 16), 4 * len(digits), at, numbers, places)
        for number in numbers:
            element = self.table.elements[number - 1]
            width, first = element.width, at + element.prefix
            if element.prefix and first <= size:
                stated = raw[at:first]
                if not is_digits(stated) or int(stated) > width:
                    return Frame(*head, number, False)
                width = int(stated)
            if first + width > size:
                return Frame(*head, number, False, Place(number, at, first, first + width))
            places.append(Place(number, at, first, first + width))
            at = first + width
        return Frame(*head, None, at == size)

    def read(self, raw: str) -> tuple[str, Spec] | None:
        """The text form of *raw* and its table; None if it cannot be read to the end."""
        return (raw, self.table) if is_mti(raw[:MTI_WIDTH]) and reads(raw, self.table) else None

    def begun(self, raw: str, frame: Frame) -> Message:
        """What can be read before *raw* ends."""
        fields = {span.number: raw[span.first : span.end] for span in frame.places}
        dialect = self.table if self.table.dialect else None
        return Message(raw[:MTI_WIDTH], fields, self.table.version, dialect=dialect)

    def mapped(self, raw: str, bits: int, top: int, begin: int) -> str:
        """*raw* with a bitmap of *top* bits before what begins at *begin*."""
        return f"{raw[:MTI_WIDTH]}{bits:0{top // 4}X}{raw[begin:]}"

    def length(self, number: int) -> Length | None:
        """How the length of an element is written; None for fixed length."""
        element = self.table[number]
        width = element.prefix
        if not width:
            return None
        return Length(element.width, lambda size: f"{size:0{width}}", str)

    def opened(self, raw: str, element: Place, rest: Iterable[int], by: int) -> Opening | None:
        """Element *element* ending *by* units later; None if the rest cannot be read then."""
        end = element.end + by
        if not element.first <= end <= len(raw) or not ends(raw, end, rest, self.table):
            return None
        value = raw[element.first : end]
        text = f"{raw[: element.first]}{(value + UNKNOWN * -by)[: element.end - element.first]}{raw[end:]}"
        places = frame.places if (frame := self.frame(text)) else []
        others = {
            each.number: text[each.first : each.end] for each in places if each.number != element.number
        }
        return Opening(value, 1, others, lambda value: raw[: element.first] + value + raw[end:], self.table)


@dataclass(frozen=True)
class Bytes:
    """The bytes of a format, described by `layout`; a unit is a byte. Otherwise as for text."""

    layout: VersionedFormat
    steps = (-1, -2, 1)

    @classmethod
    def of(cls, raw: bytes, fmt: Format) -> Bytes | None:
        """The source for *raw* in *fmt*; None if it does not start with an MTI."""
        try:
            return cls(fmt.layout(version_of(read_mti(Views(raw), fmt)[0])))
        except IsoError:
            return None

    def frame(self, raw: bytes) -> Frame | None:
        fmt = self.layout.format
        try:
            reading = read_so_far(raw, fmt)
        except IsoError:
            return None
        places = [Place(number, *span) for number, span in reading.spans.items() if number > 1]
        begin, at = reading.spans[1][1:]
        maps = raw[begin:at] if fmt.bitmap == RAW else bytes.fromhex(Views(raw).text(self._page)[begin:at])
        head = (int.from_bytes(maps), 8 * len(maps), at, reading.announced, places)
        stop = reading.error.field if reading.error else None
        field = self.layout[stop] if stop else None
        if field is None:
            return Frame(*head, stop, reading.error is None)
        at = places[-1].end if places else at
        _, first, end = place(Views(raw), at, field)
        end = end if first <= len(raw) else first + field.width(field.size)
        return Frame(*head, stop, False, Place(field.number, at, first, end) if end > len(raw) else None)

    def read(self, raw: bytes) -> tuple[str, Spec] | None:
        message = self._message(raw)
        return (text, message.spec) if message and (text := text_of(message)) else None

    def _message(self, raw: bytes) -> Message | None:
        try:
            return decode(raw, self.layout.format)
        except IsoError:
            return None

    def begun(self, raw: bytes, frame: Frame) -> Message:
        return read_so_far(raw, self.layout.format).message

    def mapped(self, raw: bytes, bits: int, top: int, begin: int) -> bytes:
        start, maps = read_mti(Views(raw), self.layout.format)[1], bits.to_bytes(top // 8)
        if self.layout.format.bitmap != RAW:
            maps = to_bytes(maps.hex().upper(), self._page)
        return raw[:start] + maps + raw[begin:]

    @property
    def map(self) -> int:
        return BITMAP_WIDTH // 2 if self.layout.format.bitmap == RAW else BITMAP_WIDTH

    @property
    def _page(self) -> str:
        mti = self.layout.format.mti
        return mti if mti in PAGES else "ascii"

    def length(self, number: int) -> Length | None:
        field = self.layout[number]
        if field is None or field.shape or not field.prefix:
            return None

        def written(size: int) -> bytes:
            try:
                return length_prefix(field, size)
            except IsoError:
                return b""

        def stated(prefix: bytes) -> str:
            number = str(int.from_bytes(prefix))
            return number if field.lengths == BINARY else Views(prefix).piece(field.lengths, 0, len(prefix))

        return Length(field.size, written, stated)

    def opened(self, raw: bytes, element: Place, rest: Iterable[int], by: int) -> Opening | None:
        end, unit = element.end + by, self._unit(element.number)
        if not element.first < end <= len(raw) or not unit:
            return None
        # Pad the value with copies of its last unit, or drop that, so that it can be read.
        last = raw[end - 1 : end] * -by
        message = self._message(raw[: min(end, element.end)] + last + raw[end:])
        further = self._message(raw[: element.end - by] + raw[element.end :]) if by > 0 else message
        if message is None or further is None:
            return None
        value = message.fields[element.number]
        value = value[: by * unit] if by < 0 else value + further.fields[element.number][-unit:]

        def put(value: str) -> str:
            candidate = replace(message, fields={**message.fields, element.number: value})
            try:
                data = raw if UNKNOWN in value else encode(candidate, self.layout.format)
            except IsoError:
                return ""
            holds = data is raw or (_is_less(raw, data, -by) if by < 0 else _is_less(data, raw, by))
            return text_of(candidate) if holds else ""

        others = {key: text for key, text in message.fields.items() if key != element.number}
        return Opening(value, unit, others, put, message.spec)

    def _unit(self, number: int) -> int:
        """The characters per byte; 0 if a byte is no whole character."""
        field = self.layout[number]
        if field is None or field.written in (HEXED, HEX) or field.written in MULTI_BYTE:
            return 0
        return 2 if field.written in (BCD, NIBBLES, RAW) else 1


def text_of(message: Message) -> str:
    """The text form of *message*; empty if it has none."""
    try:
        return build(message)
    except IsoError:
        return ""


def common(a: Units, b: Units) -> int:
    """How many units *a* and *b* have in common at the start."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(a), len(b)))


def _is_less(short: bytes, long: bytes, count: int) -> bool:
    """Whether *short* is *long* without *count* adjacent units."""
    at = common(short, long)
    return short == long[:at] + long[at + count :]


Source = Text | Bytes
Units = Any  # characters of a Text, or Bytes
