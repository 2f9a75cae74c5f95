"""Elements whose parts each have their own encoding, such as packed digits next to EBCDIC, or raw bitmaps.

The value is in text form, as the layout splits it: digits as digits, bytes as hex digits, lengths in decimal
digits. This module reads and writes the whole; `decode` and `encode` handle each part like an element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sim.codec.wire.formats import Field, Inside
from sim.errors import BuildError, WireError, counted
from sim.parts.layout import flags, list_heads, read

# Start and encoding of a part -> its value, the start of that, the end of the part.
Take = Callable[[int, Field], tuple[str, int, int]]
Write = Callable[[Field, int, str], bytes]

_FIRST_BIT = 1


def text_of(inside: Inside, data: bytes, take: Take) -> Iterator[str]:
    """Yield the value in *data*, part by part. Raises WireError at the first byte that does not fit."""
    cell, at = inside.layout.cell, 0
    if cell.cut == "list":
        yield from _list_of(inside, data, take)
        return
    cells = cell.cells
    if cell.cut == "bits":
        bits, at = _bitmap_of(inside, take)
        yield bits
        if unknown := [bit for bit in flags(bits) if str(bit) not in cell.by_key]:
            raise WireError(None, 0, "only known bits", f"bit {unknown[0]}")
        cells = tuple(cell.by_key[str(bit)] for bit in flags(bits))
    for part in cells:
        if at == len(data) and "short" in cell.words:
            return
        value, _, at = take(at, inside.fields[part.key])
        yield f"{len(value):0{len(part.own)}}{value}" if part.own else value
    if at < len(data):
        more = counted(len(data) - at, "more byte")
        raise WireError(None, at, f"nothing after {cell.cells[-1].name}", more)


def _bitmap_of(inside: Inside, take: Take) -> tuple[str, int]:
    """The bitmap before the parts, as hex digits, and its end. In a bitmap of two halves, bit 1 is not a
    part: it announces the second half."""
    if inside.half is None:
        bits, _, at = take(0, inside.fields[inside.layout.cell.cells[0].key])
        return bits, at
    bits, _, at = take(0, inside.half)
    second = "0" * len(bits)
    if _FIRST_BIT in flags(bits):
        second, _, at = take(at, inside.half)
        bits = f"{int(bits[0], 16) & 7:X}{bits[1:]}"
    return bits + second, at


def _list_of(inside: Inside, data: bytes, take: Take) -> Iterator[str]:
    """Yield tag, length and data of each part, in the order of the bytes."""
    at, cell = 0, inside.layout.cell
    _, _, _, width = list_heads(cell.words)
    if inside.lead is not None and data and _tag_at(inside, data, 0) is None:
        value, _, at = take(0, inside.lead)
        yield value
    while at < len(data):
        key = _tag_at(inside, data, at)
        if key is None:
            raise WireError(None, at, "the tag of a known subelement", "another")
        value, _, at = take(at, inside.fields[key])
        yield f"{key}{len(value):0{width}}{value}"


def _tag_at(inside: Inside, data: bytes, at: int) -> str | None:
    return next((key for key, field in inside.fields.items() if _tagged(field, data, at)), None)


def _tagged(field: Field, data: bytes, at: int) -> bool:
    """Whether the part's tag is at *at*, or after its length prefix there."""
    if field.shape is None or not field.shape.tag:
        return False
    return data.startswith(field.shape.tag, at + (field.prefix if field.shape.counted else 0))


def bytes_of(number: int, inside: Inside, value: str, write: Write) -> bytes:
    """The bytes of all parts of *value*. Raises BuildError if it does not fit the layout or a part cannot be
    written."""
    cut = read(inside.layout, value)
    if cut.misfits:
        raise BuildError(number, None, cut.misfits[0].expected, cut.misfits[0].found)
    parts, pieces = cut.parts, []
    if inside.layout.cell.cut == "bits":
        pieces, parts = [_bitmap(inside, number, parts[0].value, write)], parts[1:]
    for part in parts:
        if part.key not in inside.fields:
            raise BuildError(number, None, "only known subelements", f"subelement {part.key}")
        pieces.append(write(inside.fields[part.key], number, part.value))
    return b"".join(pieces)


def _bitmap(inside: Inside, number: int, bits: str, write: Write) -> bytes:
    if inside.half is None:
        return write(inside.fields[inside.layout.cell.cells[0].key], number, bits)
    first, second = bits[: len(bits) // 2], bits[len(bits) // 2 :]
    if not second.strip("0"):
        return write(inside.half, number, first)
    first = f"{int(first[0], 16) | 8:X}{first[1:]}"
    return write(inside.half, number, first) + write(inside.half, number, second)
