"""The bytes of a message as plain data, beside the anatomy's: what the byte view draws.

    title       how the bytes are written: `hex, 2-byte length 005D, BCD`
    size        how many bytes there are; start, end: those of the message
    hex         two characters a byte, `••` for one that is hidden
    text        one character a byte: what it prints as, `.` where nothing, `•` where hidden
    spans       [{start, value_start, end, number, kind, label, chars, pad}] in order and without gaps: kind
                framing, mti, bitmap, value, unread or behind; number as in elements, None for framing;
                chars: characters of the text form a byte stands for, 0 where none can be told; pad: half
                bytes that fill up in front
    error       why the bytes are read no further, else empty

A byte is shown only where all that it may stand for is. Offsets count bytes from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sim.codec.wire.formats import BCD, SIGNED, Field
from sim.codec.wire.pages import SINGLE_BYTE, view
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.masking import UNREAD
from sim.operations.anatomy import READ, Anatomy
from sim.operations.rewriting import parts
from sim.paste.reading import Reading

Data = dict[str, Any]

HIDDEN, NOTHING = "•", "."
_UNSEEN = re.compile(rb"\0+")
_KINDS = {MTI_FIELD: "mti", BITMAP_FIELD: "bitmap"}


def byte_data(seen: Anatomy, held: Reading, shown: Mapping[int, tuple[str, str]], masked: bool) -> Data:
    """The bytes of *held*, whose text is that of *seen*, with what *shown* hides hidden."""
    spans = list(_spans(seen, held))
    seeable = bytearray([not masked]) * len(held.data)
    if masked:
        for span in spans:
            _uncover(seeable, span, seen, shown)
    page = held.written.text if held.written and held.written.text in SINGLE_BYTE else "ascii"
    text = view(held.data, page)
    prints = str.isascii if page == "ascii" else str.isprintable
    dots = {ord(char): NOTHING for char in set(text) if not (char.isprintable() and prints(char))}
    return {
        "title": held.read_as.removesuffix(f", {held.confidence}"),
        "size": len(held.data),
        "start": held.start,
        "end": held.end,
        "hex": _covered(held.data.hex().upper(), 2, seeable),
        "text": _covered(text.translate(dots), 1, seeable),
        "spans": spans,
        "error": str(held.error or ""),
    }


def _covered(shown: str, width: int, seeable: bytes | bytearray) -> str:
    """*shown*, *width* characters a byte, without those of bytes that may not be seen."""
    for run in _UNSEEN.finditer(seeable):
        start, end = (width * at for at in run.span())
        shown = shown[:start] + HIDDEN * (end - start) + shown[end:]
    return shown


def _spans(seen: Anatomy, held: Reading) -> Iterator[Data]:
    at = 0
    for name, label, size in parts(held):
        yield _span(at, at, at + size, None, "framing" if name else "header", label)
        at += size
    layout = held.written.layout(held.version) if held.written else None
    for number, (start, first, end) in sorted(held.spans.items(), key=lambda one: one[1]):
        size = len(seen.message.get(number)) if number > BITMAP_FIELD else 2 * (end - first)
        chars, pad = _written(layout[number] if layout and number > BITMAP_FIELD else None, size, end - first)
        kind = _KINDS.get(number, "value")
        yield _span(start, first, end, number, kind, "", chars, pad)
        at = end
    if at < len(held.data):
        if held.error:
            stop = seen.stop
            yield _span(at, at, len(held.data), stop.number if stop else UNREAD, "unread", "not read")
        else:
            yield _span(at, at, len(held.data), None, "behind", "after the message")


def _span(
    start: int,
    value_start: int,
    end: int,
    number: int | None,
    kind: str,
    label: str,
    chars: int = 0,
    pad: int = 0,
) -> Data:
    return dict(locals())


def _written(field: Field | None, size: int, count: int) -> tuple[int, int]:
    """How many characters of a value of *size* stand in each of *count* bytes; the half bytes in front."""
    if size == count:
        return 1, 0
    if count != (size + 1) // 2:
        return 0, 0
    packed = field is not None and field.written in (BCD, SIGNED)
    return 2, int(bool(size % 2) and packed and field is not None and field.odd.left)


def _uncover(seeable: bytearray, span: Data, seen: Anatomy, shown: Mapping[int, tuple[str, str]]) -> None:
    """Let those bytes be seen that stand for nothing hidden. What was not read is never shown."""
    start, first, end, number = (span[key] for key in ("start", "value_start", "end", "number"))
    if span["kind"] == "framing":
        seeable[start:end] = b"\1" * (end - start)
    if number is None or number not in shown or span["kind"] == "unread":
        return
    place = next((one for one in seen.places if one.number == number and one.state == READ), None)
    if place is None:
        return
    value, covered = seen.value(place), "".join(shown[number][1])
    prefix = seen.raw[place.start : place.value_start]
    seeable[start:first] = bytes([prefix == shown[number][0]]) * (first - start)
    if value == covered:
        seeable[first:end] = b"\1" * (end - first)
        return
    hidden = {at for at, (one, other) in enumerate(zip(value, covered, strict=True)) if one != other}
    for byte in range(end - first):
        seeable[first + byte] = hidden.isdisjoint(_stands_for(byte, len(value), end - first))


def _stands_for(byte: int, size: int, count: int) -> range:
    """The characters of a value that a byte of it may stand for: all where that is not known; a half byte
    may fill up on either side."""
    if size == count:
        return range(byte, byte + 1)
    if count == (size + 1) // 2:
        return range(2 * byte - (size % 2), 2 * byte + 2)
    return range(size)
