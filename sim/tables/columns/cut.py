"""Messages into columns, without a Python object per value.

Messages with the same MTI and bitmap, in text form or a binary format, are a group. The position of an
element is computed once for all messages that have it, across groups, as `codec.text.walk` does for one: up
to an element of variable length, the next element is at the same distance from a known position in all
messages of a group. Values are copied out of the buffer unchanged; binary ones are converted to characters
together. Anything unusual (characters outside ASCII, values that do not fit) goes through the codec one by
one, which also reports the errors.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sim.codec import Message, ParseError, bitmap, parse
from sim.codec.text import read_values
from sim.codec.wire import decode, wire_format
from sim.operations import chosen_version
from sim.spec import spec
from sim.tables.columns import wire
from sim.tables.columns.lines import Bools, Bytes, Ints, Lines, by_width, copy, windows
from sim.tables.columns.wire import Piece, Run

_MTI_WIDTH = 4
_LONG = 36  # MTI and two bitmaps


@dataclass(frozen=True, slots=True)
class Group:
    """Messages with the same MTI and bitmap: the version, the elements, the number of bytes before them."""

    mti: str
    bits: str
    version: str
    numbers: tuple[int, ...]
    start: int

    @property
    def has_empty_secondary(self) -> bool:
        """Whether there is a second bitmap without any element."""
        last = self.numbers[-1] if self.numbers else 0
        return len(self.bits) > bitmap.PRIMARY_BITS // 4 and last <= bitmap.PRIMARY_BITS


def grouped(lines: Lines, version: str | None) -> tuple[list[Group], Ints]:
    """The groups of *lines*, read as *version* (None: from each MTI), and the index of each row's group, -1
    for rows without an MTI and bitmap or for those that the codec must read."""
    groups: list[Group] = []
    group = np.full(len(lines), -1, np.int64)
    sizes = lines.stops - lines.starts
    if lines.format is None:
        sizes[lines.not_ascii()] = 0
        sizes[list(lines.held)] = 0
    for rows, width in wire.heads(lines, sizes, lines.format or wire_format("ascii")):
        if not len(rows):
            continue
        buffers = [None, pa.py_buffer(windows(lines.data, width)[lines.starts[rows]])]
        kinds = pc.dictionary_encode(pa.Array.from_buffers(pa.binary(width), len(rows), buffers))
        numbers = np.full(len(kinds.dictionary), -1, np.int64)
        for at, head in enumerate(kinds.dictionary.to_pylist()):
            if (new_group := _group(head, lines, version)) is not None:
                numbers[at] = len(groups)
                groups.append(new_group)
        group[rows] = numbers[np.asarray(kinds.indices)]
    return groups, group


def _group(head: bytes, lines: Lines, version: str | None) -> Group | None:
    """The group of the messages that begin with *head*; None if that is not an MTI and bitmap, or their
    elements cannot be read together."""
    if lines.format is not None:
        heading = wire.head_of(head, lines.format, version)
        return None if heading is None else Group(*heading)
    mti, bits = head[:_MTI_WIDTH].decode("ascii"), head[_MTI_WIDTH:].decode("ascii")
    if not mti.isdigit() or not bitmap.HEX_DIGITS.issuperset(bits):
        return None
    return Group(mti, bits, chosen_version(mti, version), bitmap.numbers(bits), len(head))


class _Walk:
    """A walk through messages: the next element of row i is at `base[i] + ahead[group[i]]`."""

    def __init__(self, lines: Lines, groups: list[Group], group: Ints) -> None:
        self._lines, self._group = lines, group
        self._base = lines.starts.copy()
        self._ahead = np.array([each.start for each in groups] + [0], np.int64)
        self._present = _present(groups)
        self._fits = group >= 0
        self._places: dict[int, list[tuple[bytes, Run]]] = {}
        # By the groups that have an element: their rows, and the `base` of these while it is unchanged.
        self._valid: dict[bytes, Bools] = {}
        self._rows: dict[bytes, Ints] = {}
        self._bases: dict[bytes, Ints] = {}

    def through(self, edition: str, groups: Bools) -> None:
        """Find the elements of *groups*, which share the version *edition*."""
        layout = self._lines.format.layout(edition) if self._lines.format else None
        table = self._lines.tables.get(edition) or spec(edition)
        for number in np.flatnonzero(self._present[groups].any(axis=0)).tolist():
            having = np.append(self._present[:, number] & groups, False)
            key = having.tobytes()
            if key not in self._rows:
                self._valid[key] = having.take(self._group)
                self._rows[key] = np.flatnonzero(self._valid[key])
            field = layout[number] if layout else None
            piece = (
                Piece(field.prefix, field.size, field)
                if field
                else Piece(table[number].prefix, table[number].width)
            )
            self._places.setdefault(number, []).append((key, self._find(piece, having, key)))

    def _find(self, piece: Piece, having: Bools, key: bytes) -> Run:
        """Where the next element of the groups *having* it is; moves all of them past it."""
        rows, valid = self._rows[key], self._valid[key]
        if key not in self._bases:
            self._bases[key] = self._base.take(rows)
        base, steps = self._bases[key], self._ahead[having]
        at = int(steps[0])
        if not (steps == at).all():
            base, at = base + self._ahead.take(self._group.take(rows)), 0
        size = self._sizes(piece, rows, base + at) if piece.prefix else piece.size
        at += piece.prefix
        run = Run(self._lines.data, rows, base, at, piece.width(size), valid, piece, size)
        if isinstance(run.width, int):
            self._ahead[having] += piece.prefix + run.width
            return run
        ends = base + (run.width + at)
        self._base[rows], self._ahead[having] = ends, 0
        self._bases = {key: ends}
        return run

    def _sizes(self, piece: Piece, rows: Ints, at: Ints) -> int | Ints:
        """The lengths in the prefixes at *at*, a single number if they are equal. Rows with a wrong prefix do
        not fit, and get the length of another row."""
        sizes, legal = wire.prefixes(self._lines.data, at, piece)
        legal &= sizes <= piece.size
        legal &= at + (piece.width(sizes) + piece.prefix) <= self._lines.stops[rows]
        self._fits[rows[~legal]] = False
        if not len(sizes):
            return 0
        sizes[~legal] = sizes[np.argmax(legal)]
        return int(sizes[0]) if (sizes == sizes[0]).all() else sizes

    def runs(self) -> tuple[Bools, dict[int, list[Run]]]:
        """Which rows are valid and end with their last element, and where the elements of these are."""
        fits: Bools = self._fits & (self._base + self._ahead[self._group] == self._lines.stops)
        if fits.all():
            return fits, {number: [run for _, run in entries] for number, entries in self._places.items()}
        kept = {key: np.flatnonzero(fits.take(rows)) for key, rows in self._rows.items()}
        rows = {key: self._rows[key].take(those) for key, those in kept.items()}
        valid = {key: marks & fits for key, marks in self._valid.items()}
        bases: dict[int, Ints] = {}  # by the identity of what they were; many places share one
        by_number: dict[int, list[Run]] = {}
        for number, runs in self._places.items():
            for key, run in runs:
                if id(run.base) not in bases:
                    bases[id(run.base)] = run.base.take(kept[key])
                if len(rows[key]):
                    width = run.width if isinstance(run.width, int) else run.width.take(kept[key])
                    size = run.size if isinstance(run.size, int) else run.size.take(kept[key])
                    base = bases[id(run.base)]
                    place = Run(run.data, rows[key], base, run.at, width, valid[key], run.piece, size)
                    by_number.setdefault(number, []).append(place)
        return fits, by_number


def _present(groups: list[Group]) -> Bools:
    """One row per group: whether it has element 0, 1, 2 and so on; 1 is the second bitmap."""
    digits = "".join(each.bits.ljust(_LONG - _MTI_WIDTH, "0") for each in groups)
    cells = np.frombuffer(bytes.fromhex(digits), np.uint8).reshape(-1, bitmap.ALL_BITS // 8)
    present = np.zeros((len(groups), 1 + bitmap.ALL_BITS), np.bool_)
    present[:, 2:] = np.unpackbits(cells, axis=1)[:, 1:]
    return present


# A row that was read by itself: the message, or the error.
Odd = Message | ParseError


def message_or_partial(odd: Odd) -> Message | None:
    """The message, or what was read of an invalid one; None if not even its bitmap was."""
    message = odd.partial if isinstance(odd, ParseError) else odd
    return message if isinstance(message, Message) else None


@dataclass(frozen=True, slots=True)
class Filled:
    """Which rows of a block have a value, and the same as Arrow's validity bitmap (None if all have one);
    `places` caches the offsets of columns with values of one width."""

    valid: Bools
    present: int
    marks: Any
    places: dict[int, Ints]

    @classmethod
    def of(cls, valid: Bools) -> Filled:
        """From one boolean per row."""
        present = int(np.count_nonzero(valid))
        marks = None if present == len(valid) else pa.py_buffer(np.packbits(valid, bitorder="little"))
        return cls(valid, present, marks, {})

    def offsets(self, width: int) -> Ints:
        """The offsets in a column's data for values of *width* bytes."""
        if width not in self.places:
            positions = np.empty(len(self.valid) + 1, np.int64)
            positions[0] = 0
            np.cumsum(self.valid, out=positions[1:])
            positions *= width
            self.places[width] = positions
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
        """The column as an Arrow array; only the validity bitmap is copied."""
        rows, count = self.rows, len(self.rows.valid)
        buffers = [rows.marks, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_string(), count, buffers, count - rows.present)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of messages in columns. `odd` has the rows that were read one by one; `group` is the index of a
    row's group, -1 for the odd ones; `head` is the same, but also set for odd rows with a readable MTI and
    bitmap; `texts` are the rows that are not messages."""

    lines: Lines
    groups: list[Group]
    head: Ints
    group: Ints
    columns: dict[int, CutColumn]
    odd: dict[int, Odd] = field(repr=False)
    texts: dict[int, str] = field(repr=False)

    def message(self, row: int) -> Message:
        """The message in *row*. Raises the ParseError of a row without one."""
        if row in self.odd:
            odd = self.odd[row]
            if isinstance(odd, ParseError):
                raise odd
            return odd
        group = self.groups[self.group[row]]
        fields = {number: self.columns[number].text(row) for number in group.numbers}
        dialect = self.lines.tables.get(group.version)
        return Message(group.mti, fields, group.version, group.has_empty_secondary, dialect)


def cut(lines: Lines, version: str | None, numbers: frozenset[int] | None = None) -> Block:
    """Cut *lines* into columns, read as *version* (None: from each MTI). *numbers* are the elements that get
    a column, None all of them."""
    groups, head = grouped(lines, version)
    group = head.copy()
    while True:
        walk = _Walk(lines, groups, group)
        for edition in dict.fromkeys(each.version for each in groups):
            walk.through(edition, np.array([each.version == edition for each in groups]))
        fits, places = walk.runs()
        if lines.format is None:
            break
        places, bad = wire.in_characters(places)
        if not len(bad):
            break
        group[bad] = -1  # rows whose values cannot be converted are read one by one
    pieces = {number: runs for number, runs in places.items() if numbers is None or number in numbers}
    texts: dict[int, str] = {}
    odd = _one_by_one(lines, np.flatnonzero(~fits | (group < 0)), version, groups, head, texts)
    columns = _columns(lines, pieces, odd, numbers)
    return Block(lines, groups, head, np.where(fits, head, -1), columns, odd, texts)


def _one_by_one(
    lines: Lines, rows: Ints, version: str | None, groups: list[Group], head: Ints, texts: dict[int, str]
) -> dict[int, Odd]:
    odd: dict[int, Odd] = {}
    for row, at in zip(rows.tolist(), head[rows].tolist(), strict=True):
        raw = lines.text(row)
        try:
            if lines.format is not None:
                message = decode(lines.raw(row), lines.format, version)
                odd[row] = replace(message, dialect=lines.tables.get(message.version))
                continue
            if at >= 0:  # its MTI and bitmap are read
                group = groups[at]
                empty, own = len(group.bits) > bitmap.PRIMARY_BITS // 4, lines.tables.get(group.version)
                partial = odd[row] = Message(group.mti, {}, group.version, empty, own)
                read_values(raw, group.start, group.numbers, partial)
                continue
            edition = chosen_version(raw, version)
            odd[row] = lines.held.get(row) or parse(raw, lines.tables.get(edition) or edition)
        except ParseError as error:
            # Its traceback would keep everything here alive, including the buffer of the lines.
            odd[row] = error.with_traceback(None)
        if isinstance(odd[row], ParseError):
            texts[row] = raw
    return odd


def _columns(
    lines: Lines,
    pieces: dict[int, list[Run]],
    odd: dict[int, Odd],
    numbers: frozenset[int] | None,
) -> dict[int, CutColumn]:
    cells: dict[int, tuple[list[int], list[str]]] = {}
    for row, item in odd.items():
        # No values of an invalid text: one at the wrong position may contain part of a card number, which a
        # single cell cannot mask.
        for number, value in item.fields.items() if isinstance(item, Message) else ():
            if numbers is None or number in numbers:
                rows, values = cells.setdefault(number, ([], []))
                rows.append(row)
                values.append(value)
    for number, cell in cells.items():
        pieces.setdefault(number, []).append(Run.of_texts(*cell))
    shared: dict[tuple[int, ...], Filled] = {}
    return {number: _column(len(lines), pieces[number], shared) for number in sorted(pieces)}


def few(count: int, texts: dict[int, str]) -> CutColumn:
    """A column of *count* rows with *texts* in some of them, in row order."""
    return _column(count, [Run.of_texts([*texts], [*texts.values()])], {})


def _column(count: int, pieces: list[Run], shared: dict[tuple[int, ...], Filled]) -> CutColumn:
    """One column of *count* rows; *shared* caches the rows of groups, by group."""
    groups = tuple(id(piece.rows) for piece in pieces)
    if groups not in shared:
        valid = pieces[0].valid
        if len(pieces) > 1 or valid is None:
            valid = np.zeros(count, np.bool_)
            for piece in pieces:
                valid[piece.rows] = True
        shared[groups] = Filled.of(valid)
    widths = {piece.width if isinstance(piece.width, int) else -1 for piece in pieces}
    alike = all(piece.data is pieces[0].data for piece in pieces)
    if alike and len(widths) == 1 and (width := widths.pop()) >= 0:
        return _even(pieces, width, shared[groups])
    return _uneven(count, pieces, shared[groups])


def _even(pieces: list[Run], width: int, rows: Filled) -> CutColumn:
    """A column whose values are all *width* bytes long, from one buffer."""
    starts = pieces[0].base + pieces[0].at
    if len(pieces) > 1:
        starts = np.empty(rows.present, np.int64)
        places = np.cumsum(rows.valid)
        for piece in pieces:
            starts[places[piece.rows] - 1] = piece.base + piece.at
    # The result is the column's own memory: values are copied once.
    picked = windows(pieces[0].data, width)[starts] if width else np.empty(0, np.uint8)
    return CutColumn(rows.offsets(width), picked.view(np.uint8), rows)


def _uneven(count: int, pieces: list[Run], rows: Filled) -> CutColumn:
    offsets = np.empty(count + 1, np.int64)
    offsets[:] = 0
    widths = offsets[1:]
    for piece in pieces:
        widths[piece.rows] = piece.width
    np.cumsum(widths, out=widths)
    data = np.empty(int(offsets[-1]), np.uint8)
    for piece in pieces:
        at, starts = offsets[piece.rows], piece.base + piece.at
        if isinstance(piece.width, int):
            copy(data, at, piece.data, starts, piece.width)
            continue
        for width, chosen in by_width(piece.width):
            copy(data, at[chosen], piece.data, starts[chosen], width)
    return CutColumn(offsets, data, rows)
