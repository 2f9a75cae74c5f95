"""What edits are made on: the characters of a text form, or the bytes of a format. Where elements stand in
both, how lengths and bitmaps are written, and what an element is that lacks a unit or has one more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sim.codec import IsoError, Message, bitmap, build
from sim.codec.message import is_mti
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH, ends, is_digits, reads
from sim.codec.wire import Format, decode, encode, read_so_far
from sim.codec.wire.decode import Views, place, read_bitmap, read_mti, value_of
from sim.codec.wire.encode import length_prefix
from sim.codec.wire.formats import BCD, BINARY, HEX, HEXED, NIBBLES, RAW, VersionedFormat
from sim.codec.wire.pages import MULTI_BYTE, PAGES, to_bytes
from sim.spec import Spec, version_of

# A character that nobody can know; no message has it.
UNKNOWN = "\x00"
_CHIP = 55


class Place(NamedTuple):
    """Where an element stands: its number, prefix, value and end."""

    number: int
    start: int
    first: int
    end: int


class Frame(NamedTuple):
    """How far a message can be read: its bitmap as a number of `top` bits, which stands before `begin`, the
    elements announced, their places up to the one at which reading stopped (None where it did not), whether
    it ends with the text, and where the element would end in whose midst it ends (None where it does not)."""

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
        """The end of what was read."""
        return self.places[-1].end if self.places else self.begin


class Opening(NamedTuple):
    """An element of a message that can be read once it has units more or fewer: its value as it is, the
    characters of a unit, the other elements, and what writes the text form with another value (empty where
    the message is not that, less or more these units)."""

    value: str
    unit: int
    others: Mapping[int, str]
    put: Callable[[str], str]
    table: Spec


@dataclass(frozen=True)
class Text:
    """The text form, read by `table`: a unit is a character. `losses` are how many units chip data lose at
    once: a hex digit, a byte, a tag of two; `map` is how many a bitmap of 64 elements takes."""

    table: Spec
    losses = (1, 2, 4)
    map = BITMAP_WIDTH

    def frame(self, raw: str) -> Frame | None:
        if not is_digits(raw[:MTI_WIDTH]) or not is_mti(raw[:MTI_WIDTH]):
            return None
        at = MTI_WIDTH + BITMAP_WIDTH * (1 + bitmap.has_secondary(raw[MTI_WIDTH : MTI_WIDTH + 1]))
        digits = raw[MTI_WIDTH:at]
        if len(digits) < at - MTI_WIDTH or not bitmap.HEX_DIGITS.issuperset(digits):
            return None
        size, numbers, places = len(raw), bitmap.numbers(digits), list[Place]()
        begun = (int(digits, 16), 4 * len(digits), at, numbers, places)
        for number in numbers:
            element = self.table.elements[number - 1]
            width, first = element.width, at + element.prefix
            if element.prefix and first <= size:
                stated = raw[at:first]
                if not is_digits(stated) or int(stated) > width:
                    return Frame(*begun, number, False)
                width = int(stated)
            if first + width > size:
                return Frame(*begun, number, False, Place(number, at, first, first + width))
            places.append(Place(number, at, first, first + width))
            at = first + width
        return Frame(*begun, None, at == size)

    def read(self, raw: str) -> tuple[str, Spec] | None:
        """The text form of *raw* and its table, where it can be read to its end."""
        return (raw, self.table) if is_mti(raw[:MTI_WIDTH]) and reads(raw, self.table) else None

    def begun(self, raw: str, found: Frame) -> Message:
        """What was read of *raw* before it ends too early."""
        fields = {one.number: raw[one.first : one.end] for one in found.places}
        dialect = self.table if self.table.dialect else None
        return Message(raw[:MTI_WIDTH], fields, self.table.version, dialect=dialect)

    def ends(self, raw: str, at: int, rest: Iterable[int]) -> bool:
        """Whether the elements *rest* reach from *at* to the end of *raw*."""
        return ends(raw, at, rest, self.table)

    def mapped(self, raw: str, bits: int, top: int, begin: int) -> str:
        """*raw* with a bitmap of *top* bits before what begins at *begin*."""
        return f"{raw[:MTI_WIDTH]}{bits:0{top // 4}X}{raw[begin:]}"

    def stated(self, number: int, prefix: str) -> str:
        """The length that *prefix* states, as digits; other characters as they are."""
        return prefix

    def most(self, number: int) -> int:
        """The greatest length of an element, as its prefix counts."""
        return self.table[number].width

    def is_doubled(self, number: int) -> bool:
        """Whether two characters of an element are a byte, so that its length may count either."""
        return self.table[number].binary or number == _CHIP

    def prefix(self, number: int, size: int) -> str:
        """The prefix for a value of *size*; empty where it has no place for it."""
        width = self.table[number].prefix
        text = f"{size:0{width}d}"
        return text if len(text) == width else ""

    def width(self, number: int, size: int) -> int:
        """How many units a value of *size* takes."""
        return size

    def lacking(self, raw: str, one: Place, rest: Iterable[int], count: int) -> Opening | None:
        """An element that ends *count* units earlier; None where what follows it cannot be read then."""
        end = one.end - count
        if not one.first <= end <= len(raw) or not ends(raw, end, rest, self.table):
            return None
        return self._opening(raw, one, end, UNKNOWN * count)

    def exceeding(self, raw: str, one: Place, rest: Iterable[int]) -> Opening | None:
        """An element that ends a unit later; None where what follows it cannot be read then."""
        if one.end >= len(raw) or not ends(raw, one.end + 1, rest, self.table):
            return None
        return self._opening(raw, one, one.end + 1, "")

    def _opening(self, raw: str, one: Place, end: int, fill: str) -> Opening:
        value = raw[one.first : end]
        text = f"{raw[: one.first]}{(value + fill)[: one.end - one.first]}{raw[end:]}"
        found = self.frame(text)
        places = found.places if found else []
        others = {each.number: text[each.first : each.end] for each in places if each.number != one.number}
        return Opening(value, 1, others, lambda value: raw[: one.first] + value + raw[end:], self.table)


@dataclass(frozen=True)
class Bytes:
    """The bytes of a format, as `layout` has it: a unit is a byte. All else is as of a text."""

    layout: VersionedFormat
    losses = (1, 2)

    @classmethod
    def of(cls, raw: bytes, fmt: Format) -> Bytes | None:
        """What reads *raw* as *fmt* has it; None where it does not begin as a message of it does."""
        try:
            return cls(fmt.layout(version_of(read_mti(Views(raw), fmt)[0])))
        except IsoError:
            return None

    def frame(self, raw: bytes) -> Frame | None:
        views, fmt = Views(raw), self.layout.format
        try:
            begin = read_mti(views, fmt)[1]
            numbers, _, at = read_bitmap(views, begin, fmt)
        except IsoError:
            return None
        maps = raw[begin:at] if fmt.bitmap == RAW else bytes.fromhex(views.text(self._page)[begin:at])
        return Frame(int.from_bytes(maps), 8 * len(maps), at, numbers, *self._walk(raw, at, numbers))

    def _walk(
        self, raw: bytes, at: int, numbers: Iterable[int]
    ) -> tuple[list[Place], int | None, bool, Place | None]:
        """What a frame has of the elements *numbers* from byte *at* on."""
        views, places = Views(raw), list[Place]()
        for number in numbers:
            field = self.layout[number]
            size, first, end = place(views, at, field) if field else (-1, 0, 0)
            if field and max(first, end) > len(raw):
                end = end if first <= len(raw) else first + field.width(field.size)
                return places, number, False, Place(number, at, first, end)
            if field is None or size < 0 or value_of(views, first, end, size, field) is None:
                return places, number, False, None
            places.append(Place(number, at, first, end))
            at = end
        return places, None, at == len(raw), None

    def read(self, raw: bytes) -> tuple[str, Spec] | None:
        message = self._message(raw)
        return (text, message.spec) if message and (text := text_of(message)) else None

    def _message(self, raw: bytes) -> Message | None:
        try:
            return decode(raw, self.layout.format)
        except IsoError:
            return None

    def begun(self, raw: bytes, found: Frame) -> Message:
        return read_so_far(raw, self.layout.format).message

    def ends(self, raw: bytes, at: int, rest: Iterable[int]) -> bool:
        return self._walk(raw, at, rest)[2]

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

    def stated(self, number: int, prefix: bytes) -> str:
        field = self.layout[number]
        if field is None or field.lengths == BINARY:
            return str(int.from_bytes(prefix))
        return Views(prefix).piece(field.lengths, 0, len(prefix))

    def most(self, number: int) -> int:
        field = self.layout[number]
        return field.size if field else 0

    def is_doubled(self, number: int) -> bool:
        return self._unit(number) > 1

    def prefix(self, number: int, size: int) -> bytes:
        field = self.layout[number]
        try:
            return length_prefix(field, size) if field and not field.shape else b""
        except IsoError:
            return b""

    def width(self, number: int, size: int) -> int:
        field = self.layout[number]
        return field.width(size) if field else 0

    def lacking(self, raw: bytes, one: Place, rest: Iterable[int], count: int) -> Opening | None:
        end = one.end - count
        if not one.first < end <= len(raw) or not self.ends(raw, end, rest):
            return None
        # Units of its own fill the value up, so that it can be read.
        filled = raw[:end] + raw[end - 1 : end] * count + raw[end:]
        message, unit = self._message(filled), self._unit(one.number)
        if message is None or not unit:
            return None
        value = message.fields[one.number][: -count * unit]
        return self._opening(message, one.number, value, lambda whole: _is_less(raw, whole, count))

    def exceeding(self, raw: bytes, one: Place, rest: Iterable[int]) -> Opening | None:
        end, unit = one.end, self._unit(one.number)
        if end >= len(raw) or not unit or not self.ends(raw, end + 1, rest):
            return None
        message, last = self._message(raw[:end] + raw[end + 1 :]), self._message(raw[: end - 1] + raw[end:])
        if message is None or last is None:
            return None
        value = message.fields[one.number] + last.fields[one.number][-unit:]
        return self._opening(message, one.number, value, lambda whole: _is_less(whole, raw, 1))

    def _unit(self, number: int) -> int:
        """How many characters of a value a byte holds; 0 where it holds none by itself."""
        field = self.layout[number]
        if field is None or field.written in (HEXED, HEX) or field.written in MULTI_BYTE:
            return 0
        return 2 if field.written in (BCD, NIBBLES, RAW) else 1

    def _opening(self, message: Message, number: int, value: str, holds: Callable[[bytes], bool]) -> Opening:
        def put(value: str) -> str:
            made = replace(message, fields={**message.fields, number: value})
            if UNKNOWN not in value:
                try:
                    if not holds(encode(made, self.layout.format)):
                        return ""
                except IsoError:
                    return ""
            return text_of(made)

        others = {key: text for key, text in message.fields.items() if key != number}
        return Opening(value, self._unit(number), others, put, message.spec)


def text_of(message: Message) -> str:
    """The text form of *message*; empty where it has none."""
    try:
        return build(message)
    except IsoError:
        return ""


def _is_less(short: bytes, whole: bytes, count: int) -> bool:
    """Whether *short* is *whole* less *count* units that stood together."""
    at = next((at for at, (a, b) in enumerate(zip(short, whole, strict=False)) if a != b), len(short))
    return short == whole[:at] + whole[at + count :]


Source = Text | Bytes
Units = Any  # characters of a Text, or Bytes
