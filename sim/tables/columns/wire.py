"""Binary messages in bulk: the positions of their elements and their values as characters, column by column,
as `decode` does for one message; and the sources of such messages: records, items, hex lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.codec import bitmap
from sim.codec.wire import Format, WireError, decode, peel
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
)
from sim.codec.wire.framing import frame
from sim.codec.wire.pages import MULTI_BYTE, SINGLE_BYTE, table
from sim.operations import chosen_version
from sim.spec import VERSIONS
from sim.spec.interfaces import told_by
from sim.tables.columns.lines import Bools, Bytes, Ints, Lines, batched, by_width, copy, failed, windows
from sim.tables.columns.options import tables_of
from sim.tables.columns.ways import SourceWay

# Marks characters outside ASCII.
_WIDE = 255
_MAP = 8
# The number of messages that determine the interface of all.
_LOOKED_AT = 64
# The number of values converted at a time, so that they stay in the processor's cache.
_RUN = 1 << 13


class Piece(NamedTuple):
    """The layout of an element: after a prefix of `prefix` bytes, with a fixed or maximum `size`; `field` is
    its definition in the format, None for text."""

    prefix: int
    size: int
    field: Field | None = None

    def width(self, size: Any) -> Any:
        """The number of bytes of a value of *size*."""
        return size if self.field is None else _widths(self.field, size)[0]


@dataclass(frozen=True, slots=True)
class Run:
    """The values of one element in some rows: value i is `width` bytes of `data` from `base[i] + at`, or
    `size` as counted by its prefix. `valid` marks `rows` among all rows, if that is known."""

    data: Bytes
    rows: Ints
    base: Ints
    at: int
    width: int | Ints
    valid: Bools | None = None
    piece: Piece | None = None
    size: int | Ints = 0

    @classmethod
    def of_texts(cls, rows: list[int], texts: list[str]) -> Run:
        """Values that were read one by one."""
        text = "".join(texts)
        data = text.encode("utf-8")
        sizes = map(len, texts if len(data) == len(text) else [value.encode("utf-8") for value in texts])
        widths = np.fromiter(sizes, np.int64, len(texts))
        starts = np.cumsum(widths) - widths
        return cls(np.frombuffer(data, np.uint8), np.array(rows, np.int64), starts, 0, widths)


def _main_interface(lines: Lines, fmt: Format, version: str | None, layers: tuple[str, ...]) -> str:
    """The interface that most of the first *lines* belong to, not counting network management."""
    counts: Counter[str] = Counter()
    for row in range(min(len(lines), _LOOKED_AT)):
        with suppress(WireError):
            message = decode(lines.raw(row), fmt, version)
            if not message.mti.startswith("8", 1):
                counts[told_by(fmt.name, message.version, message.fields, layers) or ""] += 1
    name, count = max(counts.items(), key=itemgetter(1), default=("", 0))
    return name if 2 * count > counts.total() else ""


def heads(lines: Lines, sizes: Ints, fmt: Format) -> Iterator[tuple[Ints, int]]:
    """The rows, of these *sizes*, that may have an MTI and one bitmap, or two, and the bytes of these."""
    mti = {BCD: 2, HEXED: 8}.get(fmt.mti, 4)
    step = 2 * _MAP if fmt.bitmap == HEX else _MAP
    if fmt.bitmap_bytes:
        wide = mti + step * fmt.bitmap_bytes // _MAP
        yield np.flatnonzero(sizes >= wide), wide
        return
    rows = np.flatnonzero(sizes >= mti + step)
    first = lines.data[lines.starts[rows] + mti]
    page = table(fmt.mti if fmt.mti in SINGLE_BYTE else "ascii")
    above_7 = np.array([char in "89ABCDEFabcdef" for char in page])
    second = first > 127 if fmt.bitmap == RAW else above_7[first]
    yield rows[~second], mti + step
    rows = rows[second]
    yield rows[sizes[rows] >= mti + 2 * step], mti + 2 * step


def head_of(
    head: bytes, fmt: Format, version: str | None
) -> tuple[str, str, str, tuple[int, ...], int] | None:
    """MTI, bitmap, version and elements of messages that begin with *head*, and the offset of the first
    element; None if their elements cannot be read together."""
    views = Views(head)
    try:
        mti, at = read_mti(views, fmt)
        announced, secondary, end = read_bitmap(views, at, fmt)
    except WireError:
        return None
    layout = fmt.layout(version or chosen_version(mti, None))
    if not all(number <= bitmap.ALL_BITS and _is_plain(layout[number]) for number in announced):
        return None
    return mti, bitmap.to_hex(announced, secondary=secondary), layout.version, announced, end


def _is_plain(field: Field | None) -> bool:
    """Whether the values of an element can be converted together."""
    return (
        field is not None
        and field.shape is None
        and field.written not in (MAPPED, NIBBLES, HEXED, *MULTI_BYTE)
        and not (field.lengths == HEX and field.prefix)
        and not (field.content == "b" and field.written in SINGLE_BYTE)
    )


def _widths(field: Field, size: int | Ints) -> tuple[Any, Any]:
    """The number of bytes of a value, and the number of its characters in text form."""
    if field.written == SIGNED:
        return (1 + (size + 1) // 2, 1 + size) if field.counts != BYTES else (size, 2 * size - 1)
    if field.written == BCD:
        return ((size + 1) // 2, size) if field.counts != BYTES else (size, 2 * size)
    if field.written == RAW:
        return (size, 2 * size) if field.counts == BYTES else ((size + 1) // 2, (size + 1) // 2 * 2)
    if field.written == HEX and field.counts == BYTES:
        return 2 * size, 2 * size
    return size, size


def prefixes(data: Bytes, at: Ints, piece: Piece) -> tuple[Ints, Bools]:
    """The lengths in the prefixes at *at*, and which of them are valid. A position past the end is moved to
    the end: such a message does not fit anyway."""
    at = np.minimum(at, len(data) - piece.prefix)
    lengths = piece.field.lengths if piece.field else "ascii"
    value, legal = np.zeros(len(at), np.int64), np.ones(len(at), np.bool_)
    for place in range(piece.prefix):
        byte = data[at + place]
        if lengths == BINARY:
            value = value * 256 + byte
        elif lengths == BCD:
            high, low = byte >> 4, byte & 15
            legal &= (high <= 9) & (low <= 9)
            value = value * 100 + high * 10 + low
        else:
            digit = _characters(lengths)[byte] - np.uint8(ord("0"))
            legal &= digit <= 9
            value = value * 10 + digit
    return value, legal


@cache
def _characters(page: str) -> Bytes:
    """By byte: its character as ASCII, 255 if there is none."""
    return np.array([ord(char) if ord(char) < 128 else _WIDE for char in table(page)], np.uint8)


@cache
def _pairs(kind: str) -> NDArray[np.uint16]:
    """By byte: its two hex digits as one item of two characters; D is `=` in packed track data."""
    signs = b"0123456789ABC=EF" if kind == "z" else b"0123456789ABCDEF"
    digits = np.frombuffer(signs, np.uint8)
    return np.stack([digits[np.arange(256) >> 4], digits[np.arange(256) & 15]], axis=1).view(np.uint16)[:, 0]


@cache
def _no_digits(kind: str, filler: str) -> Bools:
    """By byte: whether it is not two packed digits (or, in track data, a separator). *filler*, such as `left
    0`, is the half byte expected in the byte that pads an odd number of digits."""
    digit = np.array([at <= 9 or (kind == "z" and at == 13) for at in range(16)])
    high, low = digit[np.arange(256) >> 4], digit[np.arange(256) & 15]
    side, _, nibble = filler.partition(" ")
    if side == "left":
        high = np.arange(256) >> 4 == int(nibble, 16)
    elif side == "right":
        low = np.arange(256) & 15 == int(nibble, 16)
    wrong: Bools = ~(high & low)
    return wrong


def in_characters(places: dict[int, list[Run]]) -> tuple[dict[int, list[Run]], Ints]:
    """The values as characters, and the rows that cannot be converted."""
    in_text: dict[int, list[Run]] = {}
    bad = [np.empty(0, np.int64)]
    for number, runs in places.items():
        for part in runs:
            turned, wrong = _turned(part)
            in_text.setdefault(number, []).append(turned)
            bad.append(part.rows[wrong])
    return in_text, np.unique(np.concatenate(bad))


def _turned(run: Run) -> tuple[Run, Bools]:
    """The values of *run* as characters, and which of them cannot be converted."""
    assert run.piece is not None and run.piece.field is not None  # noqa: S101, PT018 - only such runs come here
    field, source, wrong = run.piece.field, run.base + run.at, np.zeros(len(run.rows), np.bool_)
    if isinstance(run.size, int):
        chars = int(_widths(field, run.size)[1])
        data, wrong = _values(run.data, source, field, run.size)
        return Run(data, run.rows, np.arange(len(run.rows)) * chars, 0, chars, run.valid), wrong
    widths = np.asarray(_widths(field, run.size)[1])
    ends = np.cumsum(widths)
    data = np.empty(int(ends[-1]), np.uint8)
    for size, chosen in by_width(run.size):
        values, wrong[chosen] = _values(run.data, source[chosen], field, size)
        width = len(values) // len(chosen)
        copy(data, (ends - widths)[chosen], values, np.arange(len(chosen)) * width, width)
    return Run(data, run.rows, ends - widths, 0, widths, run.valid), wrong


def _values(data: Bytes, source: Ints, field: Field, size: int) -> tuple[Bytes, Bools]:
    """The values of one size that begin at *source*, concatenated, and which of them cannot be converted."""
    width, chars = _widths(field, size)
    wrong, into = np.zeros(len(source), np.bool_), np.empty(len(source) * chars, np.uint8)
    for first in range(0, len(source) if width else 0, _RUN):
        some = source[first : first + _RUN]
        raw = windows(data, width)[some].view(np.uint8).reshape(len(some), width)
        converted, wrong[first : first + _RUN] = _to_characters(field, raw, size)
        into[first * chars : (first + len(some)) * chars] = converted.reshape(-1)
    return into, wrong


def _to_characters(field: Field, raw: Any, size: int) -> tuple[Any, Bools]:
    """Values of one width as characters, and which of them cannot be converted."""
    if field.written == RAW:
        return _pairs(RAW)[raw].view(np.uint8), np.zeros(len(raw), np.bool_)
    if field.written == SIGNED:
        digits, wrong = _packed(field, raw[:, 1:], size)
        sign = _characters(field.page)[raw[:, :1]]
        return np.concatenate([sign, digits], axis=1), wrong | (sign[:, 0] == _WIDE)
    if field.written == BCD:
        return _packed(field, raw, size)
    chars = _characters(field.page)[raw]
    wide = chars == _WIDE
    wrong = wide.any(axis=1) if wide.any() else np.zeros(len(raw), np.bool_)
    if field.written == HEX:
        wrong |= ~np.isin(chars, np.frombuffer(b"0123456789ABCDEFabcdef", np.uint8)).all(axis=1)
    return chars, wrong


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


_ITEMS = 32_768
_PIECE = 1 << 20


def pieces(stream: Any) -> Iterator[bytes]:
    """The rest of an open binary file, a megabyte at a time."""
    while piece := stream.read(_PIECE):
        yield bytes(piece)


def of_records(chunks: Iterable[bytes], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """The records of a file read in pieces, one row each; an incomplete record at its end is a row with an
    error."""
    data = unblock(chunks) if way.blocked else chunks
    assert way.format is not None  # noqa: S101 - only such ways come here
    fmt = _versioned(way.format, version)
    taken = records(data, way.length) if way.length else run(data, fmt, way.framing, version)
    first, fault = 1, None
    while fault is None:
        some: list[bytes] = []
        try:
            some.extend(record for _, record in islice(taken, _ITEMS))
        except WireError as error:
            fault = error.with_traceback(None)
        if some:
            yield block(some, np.arange(first, first + len(some)), way, version, file)
        first += len(some)
        if fault is not None:
            yield failed(fault, first, file, way.said)
        elif len(some) < _ITEMS:
            return


def of_bytes(items: Iterable[bytes], way: SourceWay, version: str | None) -> Iterator[Lines]:
    """Messages that came as bytes, a row each."""
    for some in batched(enumerate(items, 1), _ITEMS):
        yield block([bytes(item) for _, item in some], [number for number, _ in some], way, version)


def of_hex(batches: Iterable[Lines], way: SourceWay, version: str | None, file: str = "") -> Iterator[Lines]:
    """Lines of hex digits, optionally separated by blanks, one message and one row each."""
    for lines in batches:
        if lines.held:  # a line with an error
            yield lines
        else:
            data = [_unhexed(lines.text(row)) for row in range(len(lines))]
            yield block(data, lines.numbers, way, version, file)


def _unhexed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def block(
    some: list[bytes], numbers: Sequence[int] | Ints, way: SourceWay, version: str | None, file: str = ""
) -> Lines:
    """Messages as bytes, including framing, in the lines *numbers*. Their elements are those of the
    format, or of the interface that most of them belong to."""
    assert way.format is not None  # noqa: S101 - only such ways come here
    fmt = _versioned(way.format, version)
    lines = without(Lines.of(some, numbers, file, format=fmt, said=way.said), way.framing)
    tables = {edition: dialect for edition in VERSIONS if (dialect := fmt.layout(edition).dialect)}
    return replace(lines, tables=tables or tables_of(_main_interface(lines, fmt, version, way.framing)))


def _versioned(fmt: Format, version: str | None) -> Format:
    return fmt.with_(version=None) if version and fmt.version not in (None, version) else fmt


def without(lines: Lines, framing: tuple[str, ...]) -> Lines:
    """*lines* without the layers of *framing*, outermost first. A message without one of the layers is
    unchanged, so that decoding it reports the error."""
    for name in framing:
        layer = frame(name)
        if layer.kind == "header" and len(lines):
            lines = replace(lines, starts=np.minimum(lines.starts + layer.width, lines.stops))
            continue
        starts, stops = lines.starts.copy(), lines.stops.copy()
        for row in range(len(lines)):
            if (peeled := peel(name, lines.raw(row))) is not None:
                starts[row] += len(peeled.front)
                stops[row] -= len(peeled.back)
        lines = replace(lines, starts=starts, stops=stops)
    return lines
