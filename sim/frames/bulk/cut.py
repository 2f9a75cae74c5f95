"""Messages into columns without a Python object per value.

Messages of one MTI and bitmap have one layout: where an element stands is worked out for all of them at
once, and its values are copied out of the buffer as they are. Whatever is odd (too few of a kind, characters
outside ASCII, anything that does not fit) is read one by one by the codec, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from sim.codec import Message, ParseError, bitmap, parse
from sim.frames.bulk.lines import Bools, Bytes, Ints, Lines, empty
from sim.operations import chosen_version
from sim.spec import ElementSpec, Spec, spec

_MTI_WIDTH = 4
_SHORT, _LONG = 20, 36  # MTI with one bitmap, with two
# Below this many messages of a kind, one by one is faster.
_FEW = 16
# So many values are copied at a time: what is copied stays in the processor's cache.
_RUN = 1 << 13
_SECONDARY = np.zeros(256, dtype=np.bool_)
_SECONDARY[[ord(char) for char in "89ABCDEFabcdef"]] = True


@dataclass(frozen=True, slots=True)
class Group:
    """Messages of one MTI and bitmap: what they are read as, the elements they have, their rows."""

    mti: str
    bits: str
    version: str
    numbers: tuple[int, ...]
    rows: Ints


@dataclass(frozen=True, slots=True)
class Run:
    """The values of one element in some rows: value i is `width` bytes of `data` from `base[i] + at` on."""

    data: Bytes
    rows: Ints
    base: Ints
    at: int
    width: int | Ints

    @classmethod
    def of_texts(cls, rows: list[int], texts: list[str]) -> Run:
        """Values that were read one by one."""
        joined = "".join(texts)
        data = joined.encode("utf-8")
        sizes = map(len, texts if len(data) == len(joined) else [one.encode("utf-8") for one in texts])
        widths = np.fromiter(sizes, np.int64, len(texts))
        starts = np.cumsum(widths) - widths
        return cls(np.frombuffer(data, np.uint8), np.array(rows, np.int64), starts, 0, widths)


# Where the values of an element begin, in front of how much, and how wide they are.
Place = tuple[Ints, int, int | Ints]


@dataclass(frozen=True, slots=True)
class Filled:
    """Which rows of a block have a value, and Arrow's marks of the same, None where all have one.
    `before` counts the values in front of each row and, last, all; `places` keeps the offsets of columns that
    have values of one width there."""

    valid: Bools
    present: int
    marks: Any
    before: Ints
    places: dict[int, Ints]

    @classmethod
    def of(cls, valid: Bools) -> Filled:
        """From one mark per row."""
        before = np.zeros(len(valid) + 1, np.int64)
        np.cumsum(valid, out=before[1:])
        present = int(before[-1])
        whole = present == len(valid)
        marks = None if whole else pa.py_buffer(np.packbits(valid, bitorder="little"))
        return cls(valid, present, marks, before, {})

    def offsets(self, width: int) -> Ints:
        """Where values of *width* bytes stand in the data of a column."""
        if width not in self.places:
            made = empty(len(self.before), np.int64)
            self.places[width] = np.multiply(self.before, width, out=made)
        return self.places[width]


@dataclass(frozen=True, slots=True)
class CutColumn:
    """The values of one element over a block: value i is `data[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    data: Bytes
    rows: Filled

    @property
    def valid(self) -> Bools:
        """Which rows have a value."""
        return self.rows.valid

    def text(self, row: int) -> str:
        """The value in *row*."""
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes().decode("utf-8")

    def array(self) -> pa.Array:
        """The same as an Arrow array, nothing copied but the marks of missing values."""
        held, count = self.rows, len(self.rows.valid)
        buffers = [held.marks, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_string(), count, buffers, count - held.present)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of messages taken apart. `odd` holds what was read one by one: the message, or why there is
    none; `group` the number of a row's group, -1 for the odd ones."""

    lines: Lines
    groups: list[Group]
    group: Ints
    columns: dict[int, CutColumn]
    odd: dict[int, Message | ParseError] = field(repr=False)

    def message(self, row: int) -> Message:
        """The message in *row*. Raises the ParseError of a row that has none."""
        if row in self.odd:
            held = self.odd[row]
            if isinstance(held, ParseError):
                raise held
            return held
        group = self.groups[self.group[row]]
        empty = len(group.bits) > bitmap.PRIMARY_BITS // 4 and not any(n > 64 for n in group.numbers)
        fields = {number: self.columns[number].text(row) for number in group.numbers}
        return Message(group.mti, fields, group.version, empty, self.lines.table)


def cut(lines: Lines, version: str | None, wanted: frozenset[int] | None = None) -> Block:
    """Take *lines* apart, read as *version* (None: as their MTIs say). *wanted* are the elements to make
    columns of, None all of them."""
    group = np.full(len(lines), -1, dtype=np.int64)
    groups: list[Group] = []
    pieces: dict[int, list[Run]] = {}
    for key, rows in _alike(lines):
        made = _layout(key.decode("ascii"), version, lines.table)
        if made is None:
            continue
        mti, bits, read_as, elements = made
        good, parts = _walk(lines, rows, elements, _MTI_WIDTH + len(bits))
        if not len(good):
            continue
        group[good] = len(groups)
        groups.append(Group(mti, bits, read_as, tuple(element.number for element in elements), good))
        for element, place in zip(elements, parts, strict=True):
            if wanted is None or element.number in wanted:
                pieces.setdefault(element.number, []).append(Run(lines.data, good, *place))
    odd = _one_by_one(lines, np.flatnonzero(group < 0), version)
    columns = _columns(lines, pieces, odd, wanted)
    return Block(lines, groups, group, columns, odd)


def _alike(lines: Lines) -> Iterator[tuple[bytes, Ints]]:
    """Filled with the same MTI and bitmap, with the characters of both."""
    sizes = lines.stops - lines.starts
    sizes[lines.not_ascii()] = 0
    sizes[list(lines.held)] = 0
    long_enough = np.flatnonzero(sizes >= _SHORT)
    second = _SECONDARY[lines.data[lines.starts[long_enough] + _MTI_WIDTH]]
    yield from same(lines, long_enough[~second], _SHORT)
    rows = long_enough[second]
    yield from same(lines, rows[sizes[rows] >= _LONG], _LONG)


def same(lines: Lines, rows: Ints, width: int) -> Iterator[tuple[bytes, Ints]]:
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


def windows(data: Bytes, width: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Every run of *width* bytes as one item, item i beginning at byte i: taking items copies runs."""
    return np.ndarray((max(len(data) - width + 1, 0),), f"V{width}", data, strides=(1,))


def _layout(
    key: str, version: str | None, table: Spec | None
) -> tuple[str, str, str, list[ElementSpec]] | None:
    """MTI, bitmap, version and elements of the messages that begin with *key*; None where it is wrong."""
    mti, bits = key[:_MTI_WIDTH], key[_MTI_WIDTH:]
    if not mti.isdigit() or not bitmap.HEX_DIGITS.issuperset(bits):
        return None
    read_as = chosen_version(mti, version)
    elements = table or spec(read_as)
    return mti, bits, read_as, [elements[number] for number in bitmap.numbers(bits)]


def _walk(lines: Lines, rows: Ints, elements: list[ElementSpec], at: int) -> tuple[Ints, list[Place]]:
    """The rows that fit, and where each element starts in them and how wide it is. What `codec.walk` does
    for one message, for all of them; a message fits when every prefix is legal and the end is the end."""
    base, stops = lines.starts[rows], lines.stops[rows]
    fits = np.ones(len(rows), dtype=np.bool_)
    places: list[Place] = []
    for element in elements:
        width: int | Ints = element.width
        if element.prefix:
            sizes, legal = _prefixes(lines.data, base + at, element.prefix)
            legal &= sizes <= element.width
            if not legal.all():
                fits &= legal
                sizes[~legal] = 0
            at += element.prefix
            same = int(sizes[0])
            width = same if (sizes == same).all() else sizes
        places.append((base, at, width))
        if isinstance(width, int):
            at += width
        else:
            base, at = base + (width + at), 0
    fits &= base + at == stops
    if fits.all():
        return rows, places
    kept = np.flatnonzero(fits)
    return rows[kept], [(base[kept], at, w if isinstance(w, int) else w[kept]) for base, at, w in places]


def _prefixes(data: Bytes, at: Ints, width: int) -> tuple[Ints, Bools]:
    """The numbers of *width* digits at *at*, and which of them are digits. Places past the end of the
    data are read from its end: such a message does not fit whatever stands there."""
    at = np.minimum(at, len(data) - width)
    value = np.zeros(len(at), dtype=np.int64)
    legal = np.ones(len(at), dtype=np.bool_)
    for place in range(width):
        digit = data[at + place] - np.uint8(48)
        legal &= digit <= 9
        value *= 10
        value += digit
    return value, legal


def _one_by_one(lines: Lines, rows: Ints, version: str | None) -> dict[int, Message | ParseError]:
    found: dict[int, Message | ParseError] = {}
    for row in rows.tolist():
        if row in lines.held:
            found[row] = lines.held[row]
            continue
        raw = lines.text(row)
        try:
            found[row] = parse(raw, lines.table or chosen_version(raw, version))
        except ParseError as error:
            # Its traceback would hold on to all that is here, the buffer of the lines too.
            found[row] = error.with_traceback(None)
    return found


def _columns(
    lines: Lines,
    pieces: dict[int, list[Run]],
    odd: dict[int, Message | ParseError],
    wanted: frozenset[int] | None,
) -> dict[int, CutColumn]:
    texts: dict[int, tuple[list[int], list[str]]] = {}
    for row, held in odd.items():
        if isinstance(held, Message):
            for number, value in held.fields.items():
                if wanted is None or number in wanted:
                    rows, values = texts.setdefault(number, ([], []))
                    rows.append(row)
                    values.append(value)
    for number, found in texts.items():
        pieces.setdefault(number, []).append(Run.of_texts(*found))
    shared: dict[tuple[int, ...], Filled] = {}
    return {number: _column(len(lines), pieces[number], shared) for number in sorted(pieces)}


def few(lines: Lines, texts: dict[int, str]) -> CutColumn:
    """A column with *texts* in some rows of *lines*."""
    return _column(len(lines), [Run.of_texts([*texts], [*texts.values()])], {})


def _column(count: int, pieces: list[Run], shared: dict[tuple[int, ...], Filled]) -> CutColumn:
    """One column of *count* rows; *shared* are the rows of groups, by the groups."""
    groups = tuple(id(piece.rows) for piece in pieces)
    if groups not in shared:
        valid = np.zeros(count, np.bool_)
        for piece in pieces:
            valid[piece.rows] = True
        shared[groups] = Filled.of(valid)
    widths = {piece.width if isinstance(piece.width, int) else -1 for piece in pieces}
    if len(widths) == 1 and (width := widths.pop()) >= 0:
        return _even(pieces, width, shared[groups])
    return _uneven(count, pieces, shared[groups])


def _even(pieces: list[Run], width: int, rows: Filled) -> CutColumn:
    """A column whose values are all *width* bytes long, in one buffer."""
    starts = pieces[0].base + pieces[0].at
    if len(pieces) > 1:
        starts = np.empty(rows.present, np.int64)
        for piece in pieces:
            starts[rows.before[piece.rows]] = piece.base + piece.at
    data = empty(len(starts) * width, np.uint8)
    if width:
        items = data.view(f"V{width}")
        for first in range(0, len(starts), _RUN):
            items[first : first + _RUN] = windows(pieces[0].data, width)[starts[first : first + _RUN]]
    return CutColumn(rows.offsets(width), data, rows)


def _uneven(count: int, pieces: list[Run], rows: Filled) -> CutColumn:
    offsets = empty(count + 1, np.int64)
    offsets[:] = 0
    widths = offsets[1:]
    for piece in pieces:
        widths[piece.rows] = piece.width
    np.cumsum(widths, out=widths)
    data = empty(int(offsets[-1]), np.uint8)
    for piece in pieces:
        at, starts = offsets[piece.rows], piece.base + piece.at
        if isinstance(piece.width, int):
            copy(data, at, piece.data, starts, piece.width)
            continue
        for width, chosen in by_width(piece.width):
            copy(data, at[chosen], piece.data, starts[chosen], width)
    return CutColumn(offsets, data, rows)


def by_width(widths: Ints) -> Iterator[tuple[int, Ints]]:
    """Each width there is, with the places that have it."""
    counts = np.bincount(widths)
    order = np.argsort(widths.astype(np.uint16) if len(counts) < 1 << 16 else widths, kind="stable")
    ends = np.cumsum(counts)
    for width in np.flatnonzero(counts).tolist():
        yield width, order[ends[width] - counts[width] : ends[width]]


def copy(into: Bytes, at: Ints, data: Bytes, starts: Ints, width: int) -> None:
    """Copy the runs of *width* bytes from *starts* of *data* to *at* of *into*."""
    if width and len(at):
        windows(into, width)[at] = windows(data, width)[starts]
