"""Many messages as bytes into the text form, column by column: what `decode` does for one, for all of a kind.

Messages of one MTI and bitmap have one layout; where an element stands is worked out for all of them at
once, and its bytes become characters in one go. Whatever is odd (few of a kind, characters outside ASCII,
anything that does not fit) is read one by one by `decode`, which also says what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.codec import Message, ParseError, bitmap
from sim.codec.wire import Format, WireError, decode, interface_table, peel
from sim.codec.wire.decode import Views, read_bitmap, read_mti
from sim.codec.wire.files import records, run, unblock
from sim.codec.wire.formats import (
    BCD,
    BINARY,
    BYTES,
    HEX,
    HEXED,
    MAPPED,
    NIBBLES,
    RAW,
    SIGNED,
    Field,
    VersionedFormat,
)
from sim.codec.wire.framing import frame
from sim.codec.wire.pages import MULTI_BYTE, SINGLE_BYTE, table
from sim.operations import chosen_version
from sim.spec import VERSIONS, ElementSpec, Spec, spec
from sim.spec.interfaces import told_by
from sim.tables.columns.cut import by_width, copy, windows
from sim.tables.columns.lines import Bools, Bytes, Ints, Lines, empty, failed, joined
from sim.tables.columns.table import BYTES_MARK
from sim.tables.columns.ways import SourceWay

# Marks characters that the text form would write in more than one byte.
_WIDE = 255
_MAP = 8
# So many messages say what all travel on.
_LOOKED_AT = 64
# Below this many messages of a kind, one by one is faster.
_FEW = 16
# So many values are turned at a time: what is turned stays in the processor's cache.
_RUN = 1 << 13


@dataclass(frozen=True, slots=True)
class _Piece:
    """One element in some messages: value i is `width` bytes from `base[i] + at` on, as a prefix counts it
    `size`, and becomes `chars` characters."""

    field: Field
    element: ElementSpec
    base: Ints
    at: int
    size: int | Ints
    width: int | Ints
    chars: int | Ints


@dataclass(frozen=True, slots=True)
class _Group:
    """Messages of one kind: their rows, how their text begins, their elements."""

    rows: Ints
    head: bytes
    pieces: list[_Piece]


def as_text(
    lines: Lines, fmt: Format, version: str | None, link: str = "", layers: tuple[str, ...] = ()
) -> Lines:
    """*lines*, messages as bytes without framing, in the text form, by the elements of interface *link*: that
    of *fmt* where none is named, else what most of them must travel on, behind *layers*. Those that cannot
    be read stand in `held` with the error, their text being the bytes as hex digits behind `0x`."""
    tables = {one: table for one in VERSIONS if (table := fmt.layout(one).dialect)}
    if link := link or (not tables and _told(lines, fmt, version, layers)) or "":
        tables = {one: interface_table(link, one) for one in VERSIONS}
    lines = replace(lines, tables=tables)
    skip = np.zeros(len(lines), np.bool_)
    while True:
        made, bad = _as_text(lines, fmt, version, skip)
        if not len(bad):
            return made
        # What was found odd only as it was written is read one by one the second time.
        skip[bad] = True


def _as_text(lines: Lines, fmt: Format, version: str | None, skip: Bools) -> tuple[Lines, Ints]:
    sizes = np.zeros(len(lines), np.int64)
    groups = []
    for key, rows in _alike(lines, fmt, np.flatnonzero(~skip)):
        group = _group(lines, fmt, version, key, rows)
        if group is not None:
            groups.append(group)
            sizes[group.rows] = len(group.head) + sum(one.element.prefix + one.chars for one in group.pieces)
    held, texts = _one_by_one(lines, fmt, version, np.flatnonzero(sizes == 0))
    for row, text in texts.items():
        sizes[row] = len(text)
    stops = np.cumsum(sizes)
    starts = stops - sizes
    data = empty(int(stops[-1]) if len(stops) else 0, np.uint8)
    bad = [_written(lines, group, data, starts) for group in groups]
    for row, text in texts.items():
        data[starts[row] : stops[row]] = np.frombuffer(text, np.uint8)
    made = replace(lines, data=data, starts=starts, stops=stops, held=held)
    return made, np.concatenate([np.empty(0, np.int64), *bad])


def _told(lines: Lines, fmt: Format, version: str | None, layers: tuple[str, ...]) -> str:
    """The interface that most of the first *lines* must travel on, echo tests and the like apart."""
    told: Counter[str] = Counter()
    for row in range(min(len(lines), _LOOKED_AT)):
        with suppress(WireError):
            one = decode(lines.data[lines.starts[row] : lines.stops[row]].tobytes(), fmt, version)
            if not one.mti.startswith("8", 1):
                told[told_by(fmt.name, one.version, one.mti, one.fields, layers) or ""] += 1
    name, count = max(told.items(), key=itemgetter(1), default=("", 0))
    return name if 2 * count > told.total() else ""


def _alike(lines: Lines, fmt: Format, rows: Ints) -> Iterator[tuple[bytes, Ints]]:
    """Rows with the same MTI and bitmap, with the bytes of both."""
    mti = {BCD: 2, HEXED: 8}.get(fmt.mti, 4)
    step = 2 * _MAP if fmt.bitmap == HEX else _MAP
    rows = rows[(lines.stops - lines.starts)[rows] >= mti + step]
    if fmt.bitmap_bytes:
        wide = mti + step * fmt.bitmap_bytes // _MAP
        yield from _same(lines, rows[(lines.stops - lines.starts)[rows] >= wide], wide)
        return
    first = lines.data[lines.starts[rows] + mti]
    second = first > 127 if fmt.bitmap == RAW else _hex_above_7(fmt)[first]
    yield from _same(lines, rows[~second], mti + step)
    rows = rows[second]
    yield from _same(lines, rows[(lines.stops - lines.starts)[rows] >= mti + 2 * step], mti + 2 * step)


def _same(lines: Lines, rows: Ints, width: int) -> Iterator[tuple[bytes, Ints]]:
    """*rows* by their first *width* bytes, those that are many."""
    if not len(rows):
        return
    heads = windows(lines.data, width)[lines.starts[rows]]
    buffers = [None, pa.py_buffer(heads)]
    encoded = pa.Array.from_buffers(pa.binary(width), len(rows), buffers).dictionary_encode()
    kinds = np.asarray(encoded.indices)
    counts = np.bincount(kinds)
    order = np.argsort(kinds.astype(np.uint16) if len(counts) < 1 << 16 else kinds, kind="stable")
    ends = np.cumsum(counts)
    for kind in np.flatnonzero(counts >= _FEW).tolist():
        chosen = order[ends[kind] - counts[kind] : ends[kind]]
        yield encoded.dictionary[kind].as_py(), rows[chosen]


def _hex_above_7(fmt: Format) -> Bools:
    page = table(fmt.mti if fmt.mti in SINGLE_BYTE else "ascii")
    return np.array([char in "89ABCDEFabcdef" for char in page])


def _group(lines: Lines, fmt: Format, version: str | None, key: bytes, rows: Ints) -> _Group | None:
    """The messages of *rows*, which begin with *key*, where all of their elements can be read so."""
    views = Views(key)
    try:
        mti, at = read_mti(views, fmt)
        announced, secondary, end = read_bitmap(views, at, fmt)
    except WireError:
        return None
    layout = fmt.layout(version or chosen_version(mti, None))
    if announced and announced[-1] > bitmap.ALL_BITS:
        return None
    elements = _elements(layout, announced, lines.tables.get(layout.version) or spec(layout.version))
    if elements is None:
        return None
    head = mti + bitmap.to_hex(announced, secondary=secondary)
    return _walk(lines, rows, elements, end, head.encode())


def _elements(
    layout: VersionedFormat, numbers: tuple[int, ...], text: Spec
) -> list[tuple[Field, ElementSpec]] | None:
    found = []
    for number in numbers:
        field = layout[number]
        if field is None or field.shape is not None or field.written in (MAPPED, NIBBLES, HEXED, *MULTI_BYTE):
            return None
        if field.lengths == HEX and field.prefix:
            return None
        if field.content == "b" and field.written in SINGLE_BYTE:
            return None
        found.append((field, text[number]))
    return found


def _walk(
    lines: Lines, rows: Ints, elements: list[tuple[Field, ElementSpec]], at: int, head: bytes
) -> _Group | None:
    base, stops = lines.starts[rows], lines.stops[rows]
    fits = np.ones(len(rows), np.bool_)
    pieces = []
    for field, element in elements:
        size: int | Ints = field.size
        if field.prefix:
            sizes, legal = _sizes(lines.data, base + at, field)
            legal &= sizes <= field.size
            if not legal.all():
                fits &= legal
                sizes[~legal] = 0
            at += field.prefix
            same_size = int(sizes[0])
            size = same_size if (sizes == same_size).all() else sizes
        width, chars = _widths(field, size)
        long = np.asarray(chars) > element.width
        if long.any() or (element.fixed and not isinstance(chars, int)):
            fits &= ~long
        pieces.append(_Piece(field, element, base, at, size, width, chars))
        if isinstance(width, int):
            at += width
        else:
            base, at = base + (width + at), 0
    fits &= base + at == stops
    if fits.all():
        return _Group(rows, head, pieces)
    kept = np.flatnonzero(fits)
    return _Group(rows[kept], head, [_kept(one, kept) for one in pieces]) if len(kept) else None


def _kept(one: _Piece, kept: Ints) -> _Piece:
    def some(value: int | Ints) -> int | Ints:
        return value if isinstance(value, int) else value[kept]

    return replace(
        one, base=one.base[kept], size=some(one.size), width=some(one.width), chars=some(one.chars)
    )


def _widths(field: Field, size: int | Ints) -> tuple[Any, Any]:
    """How many bytes a value takes, and how many characters it has in the text form."""
    if field.written == SIGNED:
        return (1 + (size + 1) // 2, 1 + size) if field.counts != BYTES else (size, 2 * size - 1)
    if field.written == BCD:
        return ((size + 1) // 2, size) if field.counts != BYTES else (size, 2 * size)
    if field.written == RAW:
        return (size, 2 * size) if field.counts == BYTES else ((size + 1) // 2, (size + 1) // 2 * 2)
    if field.written == HEX and field.counts == BYTES:
        return 2 * size, 2 * size
    return size, size


def _sizes(data: Bytes, at: Ints, field: Field) -> tuple[Ints, Bools]:
    """What the prefixes at *at* say, and which of them are legal. Places past the end are read from it:
    such a message does not fit whatever stands there."""
    at = np.minimum(at, len(data) - field.prefix)
    value, legal = np.zeros(len(at), np.int64), np.ones(len(at), np.bool_)
    for place in range(field.prefix):
        byte = data[at + place]
        if field.lengths == BINARY:
            value = value * 256 + byte
        elif field.lengths == BCD:
            high, low = byte >> 4, byte & 15
            legal &= (high <= 9) & (low <= 9)
            value = value * 100 + high * 10 + low
        else:
            digit = _digits_of(field.lengths)[byte]
            legal &= digit <= 9
            value = value * 10 + digit
    return value, legal


@cache
def _digits_of(page: str) -> Bytes:
    """By byte: the digit that it is in a code page; more than 9 for another character."""
    return np.array([int(char) if char in "0123456789" else _WIDE for char in table(page)], np.uint8)


@cache
def _characters(page: str) -> Bytes:
    """By byte: its character as ASCII, 255 where there is none."""
    return np.array([ord(char) if ord(char) < 128 else _WIDE for char in table(page)], np.uint8)


@cache
def _pairs(kind: str) -> NDArray[np.uint16]:
    """By byte: its two hex digits as one item of two characters; of packed track data a D is `=`."""
    signs = b"0123456789ABC=EF" if kind == "z" else b"0123456789ABCDEF"
    digits = np.frombuffer(signs, np.uint8)
    return np.stack([digits[np.arange(256) >> 4], digits[np.arange(256) & 15]], axis=1).view(np.uint16)[:, 0]


@cache
def _no_digits(kind: str, filler: str) -> Bools:
    """By byte: whether it is other than two packed digits (or, of track data, a separator). *filler* `left
    0` looks at the byte that an odd number is filled up in, and wants that half byte there."""
    digit = np.array([at <= 9 or (kind == "z" and at == 13) for at in range(16)])
    high, low = digit[np.arange(256) >> 4], digit[np.arange(256) & 15]
    side, _, said = filler.partition(" ")
    if side == "left":
        high = np.arange(256) >> 4 == int(said, 16)
    elif side == "right":
        low = np.arange(256) & 15 == int(said, 16)
    wrong: Bools = ~(high & low)
    return wrong


def _written(lines: Lines, group: _Group, data: Bytes, starts: Ints) -> Ints:
    """Write the messages of *group* to *data*; gives the rows that turned out odd."""
    at: Any = starts[group.rows]
    windows(data, len(group.head))[at] = np.frombuffer(group.head, f"V{len(group.head)}")
    at = at + len(group.head)
    wrong = np.zeros(len(group.rows), np.bool_)
    for one in group.pieces:
        source = one.base + one.at
        if isinstance(one.width, int) and isinstance(one.size, int):
            wrong |= _values(lines.data, source, one, one.size, one.width, data, at)
            at = at + (one.element.prefix + one.chars)
            continue
        sizes = np.asarray(one.size)
        for size, chosen in by_width(sizes):
            width, _ = _widths(one.field, size)
            wrong[chosen] |= _values(lines.data, source[chosen], one, size, width, data, at[chosen])
        at = at + (one.element.prefix + one.chars)
    return group.rows[wrong]


def _values(data: Bytes, source: Ints, one: _Piece, size: int, width: int, into: Bytes, at: Ints) -> Bools:
    """Write the values of one size, with their prefixes; gives which of them turned out odd."""
    field, prefix = one.field, one.element.prefix
    _, chars = _widths(field, size)
    if prefix:
        text = f"{chars:0{prefix}}".encode()
        windows(into, prefix)[at] = np.frombuffer(text, f"V{prefix}")
        at = at + prefix
    if not width:
        return np.zeros(len(at), np.bool_)
    if field.written in SINGLE_BYTE and field.written == "ascii":
        copy(into, at, data, source, width)
        return np.zeros(len(at), np.bool_)
    wrong = np.zeros(len(at), np.bool_)
    for first in range(0, len(at), _RUN):
        some = source[first : first + _RUN]
        raw = windows(data, width)[some].view(np.uint8).reshape(len(some), width)
        made, wrong[first : first + _RUN] = _made(field, raw, size)
        made = np.ascontiguousarray(made).view(f"V{chars}")[:, 0]
        windows(into, chars)[at[first : first + _RUN]] = made
    return wrong


def _made(field: Field, raw: Any, size: int) -> tuple[Any, Bools]:
    """Values of one width as characters, and which of them are odd."""
    if field.written == RAW:
        return _pairs(RAW)[raw].view(np.uint8), np.zeros(len(raw), np.bool_)
    if field.written == SIGNED:
        digits, wrong = _packed(field, raw[:, 1:], size)
        sign = _characters(field.page)[raw[:, :1]]
        return np.concatenate([sign, digits], axis=1), wrong | (sign[:, 0] == _WIDE)
    if field.written == BCD:
        return _packed(field, raw, size)
    made = _characters(field.page)[raw]
    wide = made == _WIDE
    wrong = wide.any(axis=1) if wide.any() else np.zeros(len(raw), np.bool_)
    if field.written == HEX:
        wrong |= ~np.isin(made, np.frombuffer(b"0123456789ABCDEFabcdef", np.uint8)).all(axis=1)
    return made, wrong


def _packed(field: Field, raw: Any, size: int) -> tuple[Any, Bools]:
    digits = _pairs(field.content)[raw].view(np.uint8)
    left, wrong = field.odd.left, np.zeros(len(raw), np.bool_)
    if field.counts != BYTES and size % 2:
        digits = digits[:, 1:] if left else digits[:, :-1]
        side = f"{'left' if left else 'right'} {field.odd.filler}"
        wrong = _no_digits(field.content, side)[raw[:, 0 if left else -1]]
        raw = raw[:, 1:] if left else raw[:, :-1]
    bad = _no_digits(field.content, "")[raw]
    return digits, wrong | bad.any(axis=1) if bad.any() else wrong


def _one_by_one(
    lines: Lines, fmt: Format, version: str | None, rows: Ints
) -> tuple[dict[int, Message | ParseError], dict[int, bytes]]:
    """The messages of *rows*, or why they are none, and what stands for their text."""
    held: dict[int, Message | ParseError] = {}
    texts: dict[int, bytes] = {}
    for row in rows.tolist():
        raw = lines.data[lines.starts[row] : lines.stops[row]].tobytes()
        try:
            made = decode(raw, fmt, version)
            held[row] = replace(made, dialect=lines.tables.get(made.version))
        except WireError as error:
            held[row] = error.with_traceback(None)
        texts[row] = (BYTES_MARK + raw.hex().upper()).encode()
    return held, texts


__all__ = ["block", "of_bytes", "of_hex", "of_records", "pieces", "without"]

_ITEMS = 32_768
_PIECE = 1 << 20


def pieces(stream: Any, head: bytes = b"") -> Iterator[bytes]:
    """*head* and the rest of an open binary file, a megabyte at a time."""
    if head:
        yield head
    while piece := stream.read(_PIECE):
        yield bytes(piece)


def of_records(found: Iterable[bytes], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """The records of a file that comes in pieces, a row each; bytes at its end that are no whole record are
    a row that says so."""
    data = unblock(found) if way.blocked else found
    assert way.format is not None  # noqa: S101 - only such ways come here
    made = _versioned(way.format, version)
    taken = records(data, way.length) if way.length else run(data, made, way.framing, version)
    first, fault = 1, None
    while True:
        some: list[bytes] = []
        try:
            some.extend(record for _, record in islice(taken, _ITEMS))
        except WireError as error:
            fault = error.with_traceback(None)
        if some:
            yield block(some, way, version, first, file)
        first += len(some)
        if fault is not None:
            yield failed(fault, first, file, way.said)
        if fault is not None or len(some) < _ITEMS:
            return


def of_bytes(items: Iterable[bytes], way: SourceWay, version: str | None) -> Iterator[Lines]:
    """Messages that came as bytes, a row each."""
    rest, first = iter(items), 1
    while some := list(islice(rest, _ITEMS)):
        yield block([bytes(one) for one in some], way, version, first, "")
        first += len(some)


def of_hex(found: Iterable[Lines], way: SourceWay, version: str | None) -> Iterator[Lines]:
    """Lines whose messages are hex digits, blanks allowed between them, a row each."""
    for lines in found:
        if lines.held:  # what is no line of digits
            yield lines
            continue
        some = [_unhexed(lines, row) for row in range(len(lines))]
        made = block(some, way, version, 1, lines.file)
        yield replace(made, numbers=lines.numbers)


def _unhexed(lines: Lines, row: int) -> bytes:
    try:
        return bytes.fromhex(lines.text(row))
    except ValueError:
        return b""


def block(some: list[bytes], way: SourceWay, version: str | None, first: int, file: str) -> Lines:
    """Messages as bytes, framing included, in the text form; the first is message *first*."""
    assert way.format is not None  # noqa: S101 - only such ways come here
    data, offsets = joined(some)
    numbers = np.arange(first, first + len(some), dtype=np.int64)
    lines = Lines(data, offsets[:-1].copy(), offsets[1:].copy(), numbers, file, said=way.said)
    made = _versioned(way.format, version)
    return as_text(without(lines, way.framing), made, version, way.interface, way.framing)


def _versioned(made: Format, version: str | None) -> Format:
    return made.with_(version=None) if version and made.version not in (None, version) else made


def without(lines: Lines, framing: tuple[str, ...]) -> Lines:
    """*lines* without the layers of *framing*, outermost first. Where one does not stand there the message
    is left as it is, for its reader to say what is wrong."""
    for name in framing:
        made = frame(name)
        if made.kind == "header" and len(lines):
            lines = replace(lines, starts=np.minimum(lines.starts + made.width, lines.stops))
        else:
            lines = _peeled(lines, name)
    return lines


def _peeled(lines: Lines, name: str) -> Lines:
    starts, stops = lines.starts.copy(), lines.stops.copy()
    for row in range(len(lines)):
        raw = lines.data[starts[row] : stops[row]].tobytes()
        layer = peel(name, raw)
        if layer is not None:
            starts[row] += len(layer.front)
            stops[row] -= len(layer.back)
    return replace(lines, starts=starts, stops=stops)
