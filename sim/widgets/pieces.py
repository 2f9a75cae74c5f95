"""Which characters of a text belong to what: every piece of a message, sound or broken, in order.

Together the pieces are the whole text; only a piece that marks where something is missing is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.codec import Message, ParseError, bitmap, spans
from sim.codec.walk import BITMAP_WIDTH, MTI_WIDTH, is_digits
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.spec import spec

# Numbers for what is no data element, beside 0 for the MTI and 1 for the bitmap.
UNREAD = -1

MTI, BITMAP, PREFIX, VALUE, FAULT, REST = "mti", "bitmap", "prefix", "value", "fault", "unread"


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start` to `end` of the text; `kind` is mti, bitmap, prefix, value, fault or unread."""

    kind: str
    number: int
    start: int
    end: int


def sound_pieces(message: Message) -> list[Piece]:
    """The pieces of a text that reads as *message*."""
    return list(_read(message, spans(message)))


def broken_pieces(raw: str, version: str, error: ParseError) -> list[Piece]:
    """What was read, the piece that misfits, and the rest."""
    partial = error.partial
    if partial is not None:
        # The elements read so far stand in a frame whose bitmap announces more than they are.
        found = list(_read(partial, _places(raw, partial)))
    elif error.field == BITMAP_FIELD:
        found = [Piece(MTI, MTI_FIELD, 0, MTI_WIDTH)]
    else:
        found = []
    start = found[-1].end if found else 0
    if error.field is None:
        return [*found, Piece(REST, UNREAD, start, len(raw))]
    end = min(_end_of(raw, version, error.field, start), len(raw))
    found.append(Piece(FAULT, error.field, start, end))
    return [*found, Piece(REST, UNREAD, end, len(raw))] if end < len(raw) else found


def bitmap_width(raw: str) -> int:
    """16 or 32: how many hex digits the bitmap of *raw* has."""
    return (1 + bitmap.has_secondary(raw[MTI_WIDTH : MTI_WIDTH + 1])) * BITMAP_WIDTH


def _read(message: Message, places: dict[int, tuple[int, int, int]]) -> Iterator[Piece]:
    for number, (start, first, end) in sorted(places.items()):
        kind = {MTI_FIELD: MTI, BITMAP_FIELD: BITMAP}.get(number, VALUE)
        if start < first:
            yield Piece(PREFIX, number, start, first)
        if first < end:
            yield Piece(kind, number, first, end)


def _places(raw: str, partial: Message) -> dict[int, tuple[int, int, int]]:
    elements, end = partial.spec, MTI_WIDTH + bitmap_width(raw)
    places = {0: (0, 0, MTI_WIDTH), 1: (MTI_WIDTH, MTI_WIDTH, end)}
    for number, value in partial.fields.items():
        start, first = end, end + elements[number].prefix
        end = first + len(value)
        places[number] = (start, first, end)
    return places


def _end_of(raw: str, version: str, field: int, start: int) -> int:
    """Where the misfitting piece ends: the place it should fill, or its faulty length prefix."""
    if field == MTI_FIELD:
        return MTI_WIDTH
    if field == BITMAP_FIELD:
        return MTI_WIDTH + bitmap_width(raw)
    element = spec(version)[field]
    prefix = raw[start : start + element.prefix]
    legal = len(prefix) == element.prefix and is_digits(prefix) and int(prefix) <= element.width
    return len(raw) if element.fixed or legal else start + element.prefix
