"""What surrounds a message on a link: length fields, routing headers, start and end marks.

Each kind is a row of `data/framing.csv`. A `Layer` keeps its original bytes and can be put around another
message: lengths and check bytes are recalculated, headers are kept. A length is only compared with the bytes
present; no memory is allocated for it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

from sim.codec.wire.pages import number_bytes, view
from sim.errors import BuildError, CutShortError, SpecError, WireError, counted, hexed, quoted_value
from sim.spec.tables import read_csv

STX, ETX = 2, 3
_BYTES_IN_FRONT = re.compile(r"header-([1-9][0-9]{0,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Frame:
    """One kind of framing: a row of `data/framing.csv`.

    `kind` is length, header, counted, stx or etx, or one that only links have: gzip (the length of the
    compressed data after it), elements (no bytes), xml (a document instead of the message). A length of
    `width` bytes is `written` as binary, bcd, hex or digits of a code page; `counts_itself` says whether it
    includes itself, `before` and `after` are fixed bytes around it. A header matches `pattern`, in hex digits
    or characters; `default` is written if the original is unknown. A counted header starts with its own
    length and has the total length, header included, in the bytes `total`, in that code page (empty for
    binary). `addresses` are the starts of the destination and source addresses, and the end of the latter.
    """

    name: str
    title: str
    kind: str
    width: int
    written: str
    order: str = ""
    counts_itself: bool = False
    before: bytes = b""
    after: bytes = b""
    pattern: str = ""
    default: str = ""
    total: tuple[slice, str] = (slice(0, 0), "")
    addresses: tuple[int, ...] = ()
    source: str = ""

    @property
    def head(self) -> int:
        """The width of a length field with the fixed bytes around it."""
        return len(self.before) + self.width + len(self.after)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of framing: its original bytes in `front` of the message and in `back` of it."""

    name: str
    front: bytes
    back: bytes = b""

    @property
    def label(self) -> str:
        """Its name and bytes for people: `2-byte length 0057`, `TPDU 6000060000`."""
        framing = frame(self.name)
        if framing.kind == "stx":
            return "STX, ETX" + (f", check byte {self.back[1]:02X}" if len(self.back) > 1 else "")
        if framing.kind in ("etx", "elements", "xml"):
            return framing.title
        page = framing.written
        if page == "hex" and framing.kind == "length":
            page = "ascii"
        in_hex = page in ("binary", "bcd", "hex")
        return f"{framing.title} {self.front.hex().upper() if in_hex else view(self.front, page)}"


@cache
def frames() -> dict[str, Frame]:
    """All kinds of framing, by name."""
    return {row["name"]: _frame(row) for row in read_csv("framing")}


def _frame(row: dict[str, str]) -> Frame:
    read: dict[str, Any] = {name: bytes.fromhex(row[name]) for name in ("before", "after")}
    read["width"] = int(row["width"] or 0)
    read["counts_itself"] = row["counts_itself"] == "yes"
    start, end, page = (row["total"].split() + 3 * [""])[:3]
    read["total"] = slice(int(start or 0), int(end or 0)), page
    read["addresses"] = tuple(map(int, row["addresses"].split()))
    return Frame(**row | read)


def frame(name: str) -> Frame:
    """The kind of framing called *name*: a row, or `header-9` for any header of 9 bytes. Raises SpecError if
    there is none.

    >>> frame("length-2").title
    '2-byte length'
    """
    if match := _BYTES_IN_FRONT.fullmatch(name):
        return _header(name, int(match[1]))
    if name not in frames():
        raise SpecError(None, None, "a kind of framing: " + ", ".join(frames()), quoted_value(name))
    return frames()[name]


@cache
def _header(name: str, width: int) -> Frame:
    """A header of which only the width is known: its bytes are kept unchanged."""
    return Frame(name, f"{width}-byte header", "header", width, "hex", pattern=".*", default="00" * width)


def said_length(framing: Frame, data: bytes, start: int) -> int | None:
    """How many bytes follow the length field at *start*, by its value; None if there is no such field."""
    field = start + len(framing.before)
    behind = field + framing.width
    raw = data[field:behind]
    if len(raw) < framing.width or data[start:field] != framing.before:
        return None
    if not framing.after.startswith(data[behind : behind + len(framing.after)]):
        return None
    if framing.written == "binary":
        length = int.from_bytes(raw, "little" if framing.order == "little" else "big")
    else:
        digits = (
            raw.hex()
            if framing.written == "bcd"
            else view(raw, "ascii" if framing.written == "hex" else framing.written)
        )
        if not re.fullmatch("[0-9A-Fa-f]+" if framing.written == "hex" else "[0-9]+", digits, re.ASCII):
            return None
        length = int(digits, 16 if framing.written == "hex" else 10)
    return length - (framing.head if framing.counts_itself else 0)


def said_total(framing: Frame, raw: bytes) -> int:
    """The total length, header included, that the header *raw* states."""
    where, page = framing.total
    return int(view(raw[where], page)) if page else int.from_bytes(raw[where], "big")


def peel(name: str, data: bytes, start: int = 0, end: int | None = None) -> Layer | None:
    """The layer *name* around bytes *start* to *end* of *data*; None if its length or header does not match.
    Compressed data is already unpacked (`Cutter`)."""
    framing, stop = frame(name), len(data) if end is None else end
    if framing.kind in ("length", "gzip"):
        fits = said_length(framing, data[:stop], start) == stop - start - framing.head
        return Layer(name, data[start : start + framing.head]) if fits else None
    if framing.kind in ("elements", "xml"):
        return Layer(name, b"")
    if framing.kind == "stx":
        return _peel_stx(name, data[start:stop])
    if framing.kind == "etx":
        return Layer(name, b"", data[stop - 1 : stop]) if stop > start and data[stop - 1] == ETX else None
    raw = header(framing, data[start:stop])
    if raw is None or (
        framing.kind == "counted" and (raw[0], said_total(framing, raw)) != (len(raw), stop - start)
    ):
        return None
    return Layer(name, raw)


def header(framing: Frame, data: bytes) -> bytes | None:
    """The header at the start of *data*, which a counted one's first byte may lengthen; None if there is
    none."""
    width = max(framing.width, data[0]) if framing.kind == "counted" and data else framing.width
    raw = data[:width]
    text = view(raw, "ascii") if framing.written == "ascii" else raw.hex().upper()
    return raw if len(raw) == width and re.fullmatch(framing.pattern, text) else None


def _peel_stx(name: str, data: bytes) -> Layer | None:
    """STX, the message, ETX and, on most such links, the XOR of all bytes after STX through ETX."""
    if len(data) < 2 or data[0] != STX:
        return None
    if data[-1] == ETX:
        return Layer(name, data[:1], data[-1:])
    if len(data) > 2 and data[-2] == ETX and data[-1] == check_byte(data[1:-1]):
        return Layer(name, data[:1], data[-2:])
    return None


def check_byte(data: bytes) -> int:
    """The XOR of all bytes."""
    return reduce(lambda byte, other: byte ^ other, data, 0)


def strip(data: bytes, names: Iterable[str]) -> tuple[tuple[Layer, ...], int, int]:
    """Take the layers *names*, outermost first, off *data*: returns the layers, and the start and end of the
    message. Raises WireError if a layer is not there, SpecError for an unknown name.

    >>> strip(bytes.fromhex("0007 6000030000 0800"), ["length-2", "tpdu"])[1:]
    (7, 9)
    """
    layers, start, end = [], 0, len(data)
    for name in names:
        layer = peel(name, data, start, end)
        if layer is None:
            digits = hexed(data[start : start + max(1, frame(name).width)])
            short = end - start < frame(name).width
            raise (CutShortError if short else WireError)(
                None,
                start,
                f"{frame(name).title} ({counted(end - start, 'byte')} available)",
                digits or "nothing",
            )
        layers.append(layer)
        start, end = start + len(layer.front), end - len(layer.back)
    return tuple(layers), start, end


def wrap(body: bytes, layers: Sequence[Layer | str]) -> bytes:
    """Put *layers*, outermost first, around the bytes of a message. Lengths and check bytes are recalculated,
    headers are written unchanged; a name in place of a layer means its default.

    >>> wrap(bytes.fromhex("0800"), ["length-2", "tpdu"]).hex()
    '000760000000000800'

    Raises BuildError if a length field is too small.
    """
    for layer in reversed(layers):
        body = _wrapped(body, _default(layer) if isinstance(layer, str) else layer)
    return body


def _default(name: str) -> Layer:
    framing = frame(name)
    if framing.kind == "stx":
        return Layer(name, bytes([STX]), bytes([ETX, 0]))
    if framing.kind == "etx":
        return Layer(name, b"", bytes([ETX]))
    return Layer(
        name, framing.default.encode() if framing.written == "ascii" else bytes.fromhex(framing.default)
    )


def _wrapped(body: bytes, layer: Layer) -> bytes:
    framing = frame(layer.name)
    if framing.kind == "length":
        return _length_field(framing, len(body)) + body
    if framing.kind == "gzip":
        return _length_field(framing, len(body)) + gzip.compress(body, mtime=0)
    if framing.kind == "counted":
        return _with_total(framing, layer.front, len(layer.front) + len(body)) + body
    if framing.kind == "stx" and len(layer.back) > 1:
        return layer.front + body + bytes([ETX, check_byte(body + bytes([ETX]))])
    return layer.front + body + layer.back


def _with_total(framing: Frame, front: bytes, total: int) -> bytes:
    where, page = framing.total
    try:
        raw = number_bytes(total, where.stop - where.start, page or "binary")
    except OverflowError:
        expected = f"a message short enough for a {framing.title}"
        raise BuildError(None, None, expected, counted(total, "byte")) from None
    return front[: where.start] + raw + front[where.stop :]


def _length_field(framing: Frame, size: int) -> bytes:
    length = size + (framing.head if framing.counts_itself else 0)
    try:
        raw = number_bytes(length, framing.width, framing.written, framing.order)
    except OverflowError:
        expected = f"a message short enough for a {framing.title}"
        raise BuildError(None, None, expected, counted(size, "byte")) from None
    return framing.before + raw + framing.after
