"""Messages into columns without a Python object per value.

Where an element stands is worked out for all messages at once (`sim.tables.columns.places`), and its values
are copied out of the buffer as they are. Whatever is odd (characters outside ASCII, what does not fit)
is read one by one by the codec, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from sim.codec import Message, ParseError, parse
from sim.codec.text import read_values
from sim.operations import chosen_version
from sim.tables.columns.lines import Bools, Bytes, Ints, Lines, empty
from sim.tables.columns.places import Group, Run, grouped, placed, stuck, windows

# What was read one by one: the message, or why there is none.
Odd = Message | ParseError


@dataclass(frozen=True, slots=True)
class Filled:
    """Which rows of a block have a value, and Arrow's marks of the same, None where all have one; `places`
    keeps the offsets of columns that have values of one width there."""

    valid: Bools
    present: int
    marks: Any
    places: dict[int, Ints]

    @classmethod
    def of(cls, valid: Bools) -> Filled:
        """From one mark per row."""
        present = int(np.count_nonzero(valid))
        marks = None if present == len(valid) else pa.py_buffer(np.packbits(valid, bitorder="little"))
        return cls(valid, present, marks, {})

    def offsets(self, width: int) -> Ints:
        """Where values of *width* bytes stand in the data of a column."""
        if width not in self.places:
            made = empty(len(self.valid) + 1, np.int64)
            made[0] = 0
            np.cumsum(self.valid, out=made[1:])
            made *= width
            self.places[width] = made
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
    """A block of messages taken apart. `odd` holds what was read one by one; `group` is the number of a row's
    group, -1 for the odd ones, `head` the same also for those whose MTI and bitmap alone could be read;
    `texts` are those that are no message."""

    lines: Lines
    groups: list[Group]
    head: Ints
    group: Ints
    columns: dict[int, CutColumn]
    odd: dict[int, Odd] = field(repr=False)
    texts: dict[int, str] = field(repr=False)

    def message(self, row: int) -> Message:
        """The message in *row*. Raises the ParseError of a row that has none."""
        if row in self.odd:
            held = self.odd[row]
            if isinstance(held, ParseError):
                raise held
            return held
        group = self.groups[self.group[row]]
        fields = {number: self.columns[number].text(row) for number in group.numbers}
        own = self.lines.tables.get(group.version)
        return Message(group.mti, fields, group.version, group.has_empty_secondary, own)


def cut(lines: Lines, version: str | None, wanted: frozenset[int] | None = None) -> Block:
    """Take *lines* apart, read as *version* (None: as their MTIs say). *wanted* are the elements to make
    columns of, None all of them."""
    groups, head = grouped(lines, version)
    fits, places = placed(lines, groups, head)
    pieces = {number: runs for number, runs in places.items() if wanted is None or number in wanted}
    texts: dict[int, str] = {}
    odd = _misfits(lines, groups, head, np.flatnonzero(~fits & (head >= 0)), texts)
    odd |= _one_by_one(lines, np.flatnonzero(head < 0), version, texts)
    columns = _columns(lines, pieces, odd, wanted)
    return Block(lines, groups, head, np.where(fits, head, -1), columns, odd, texts)


def _misfits(
    lines: Lines, groups: list[Group], head: Ints, rows: Ints, texts: dict[int, str]
) -> dict[int, Odd]:
    """What is wrong with *rows*, whose MTI and bitmap can be read: the codec says it where it begins."""
    found: dict[int, Odd] = {}
    if not len(rows):
        return found
    numbers, places = stuck(lines, groups, head, rows)
    raws, all_rows = lines.texts(rows), rows.tolist()
    texts.update(zip(all_rows, raws, strict=True))
    # What is read begins where it gets stuck, so that nothing of it gets into these.
    rests = [Message(one.mti, {}, one.version, False, lines.tables.get(one.version)) for one in groups]
    stopped = zip(all_rows, raws, head[rows].tolist(), numbers.tolist(), places.tolist(), strict=True)
    for row, raw, one, number, at in stopped:
        try:
            read_values(raw, at, (number,) if number else (), rests[one])
        except ParseError as error:
            # Its traceback would hold on to all that is here, the buffer of the lines too.
            found[row] = error.with_traceback(None)
    return found


def _one_by_one(lines: Lines, rows: Ints, version: str | None, texts: dict[int, str]) -> dict[int, Odd]:
    found: dict[int, Odd] = {}
    for row in rows.tolist():
        raw = lines.text(row)
        try:
            edition = chosen_version(raw, version)
            found[row] = lines.held.get(row) or parse(raw, lines.tables.get(edition) or edition)
        except ParseError as error:
            found[row] = error.with_traceback(None)
        if isinstance(found[row], ParseError):
            texts[row] = raw
    return found


def _columns(
    lines: Lines,
    pieces: dict[int, list[Run]],
    odd: dict[int, Odd],
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


def few(count: int, texts: dict[int, str]) -> CutColumn:
    """A column of *count* rows with *texts* in some of them, in their order."""
    run = Run.of_texts([*texts], [*texts.values()])
    offsets = np.zeros(count + 1, np.int64)
    offsets[run.rows + 1] = run.width
    valid = np.zeros(count, np.bool_)
    valid[run.rows] = True
    return CutColumn(np.cumsum(offsets), run.data, Filled.of(valid))


def _column(count: int, pieces: list[Run], shared: dict[tuple[int, ...], Filled]) -> CutColumn:
    """One column of *count* rows; *shared* are the rows of groups, by the groups."""
    groups = tuple(id(piece.rows) for piece in pieces)
    if groups not in shared:
        valid = pieces[0].valid
        if len(pieces) > 1 or valid is None:
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
        places = np.cumsum(rows.valid)
        for piece in pieces:
            starts[places[piece.rows] - 1] = piece.base + piece.at
    # What is picked is the column's own memory: values are copied once.
    picked = windows(pieces[0].data, width)[starts] if width else np.empty(0, np.uint8)
    return CutColumn(rows.offsets(width), picked.view(np.uint8), rows)


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
