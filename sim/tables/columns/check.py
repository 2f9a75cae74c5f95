"""Validating a block: how many errors each message has by the standard and by its own network.

The rules are those of one message (`sim.judge.engine`), asked once for each distinct combination of their
columns. What they say is a mark of the rows that have it; one message of each combination of marks is judged,
and the others are counted like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from sim.codec import Message, ParseError
from sim.judge.engine import Kind, opened
from sim.judge.finding import Said
from sim.judge.parts import CARD, SHAPE, Part, Values, presence, readable
from sim.judge.rules import Bound
from sim.operations.validation import judge
from sim.parts.chip_data import ChipData
from sim.tables.columns.cards import Cards, Owners, matrix
from sim.tables.columns.cut import Block, by_width
from sim.tables.columns.lines import Bools, Bytes, Ints

_CHIP = 55
_CARDS = (2, 35, 45)
# Fewer rows of a kind are judged one by one: columns cost more than so many messages.
_FEW = 24
# So many layouts of chip data of one size are looked for in a block; the others are read row by row.
_LAYOUTS = 32
# What may begin a dataset or a network's own layout, which the first digits decide.
_HEADS, _HEAD = (b"01", b"C1", b"c1"), 8
_HEX = np.zeros(256, np.bool_)
_HEX[list(b"0123456789ABCDEFabcdef")] = True


def count_errors(message: Message, network: str | None) -> int:
    """How many errors a message has by the standard and by its own network."""
    return judge(message, network, ()).wrong


class Checks:
    """Counts errors, block after block of one source."""

    def __init__(self, network: str | None, cards: Cards) -> None:
        self._network = network
        self._cards = cards

    def errors(self, block: Block, owners: Owners) -> Ints:
        """The number of errors of each row."""
        counts = np.zeros(len(block.lines), np.int64)
        alone = np.flatnonzero(block.group < 0).tolist()
        alike = self._cards.alike(owners)
        order = np.argsort(block.group, kind="stable")
        starts = np.searchsorted(block.group[order], np.arange(len(block.groups) + 1))
        for at in range(len(block.groups)):
            rows = order[starts[at] : starts[at + 1]]
            for chosen, chip in _by_tags(block, rows):
                if len(chosen) < _FEW:
                    alone += chosen.tolist()
                else:
                    counts[chosen] = self._together(block, chosen, chip, alike, owners)
        for row in alone:
            counts[row] = self._judge(block, row)
        return counts

    def _together(self, block: Block, rows: Ints, chip: ChipData | None, alike: Ints, owners: Owners) -> Ints:
        """The errors of *rows*, which have the same elements and shape of chip data, that of *chip* where
        they differ in values of tags alone."""
        first = block.message(int(rows[0]))
        kind, _, _ = opened(first)
        columns = _Columns(block, rows, kind, alike[rows], chip)
        marks = owners.codes[rows].astype(np.int64)
        for asked in [*([kind.conditions] if kind.conditions else []), *(one for _, _, one in kind.kept)]:
            for names, rules in asked.apart():
                marks = _joined(marks, columns.say(names, rules))
        for bound in kind.asked:
            marks = _joined(marks, columns.say([part.name for part in bound.parts], [bound]))
        kinds, at = _first_of(marks)
        counts = np.array([self._judge(block, row) for row in rows[at].tolist()], np.int64)
        spread: Ints = counts[kinds]
        return spread

    def _judge(self, block: Block, row: int) -> int:
        try:
            message = block.message(row)
        except ParseError:
            return 1
        return count_errors(message, self._network)


def _by_tags(block: Block, rows: Ints) -> Iterable[tuple[Ints, ChipData | None]]:
    """*rows* of one group apart by the shape of their chip data, none of them twice, and the chip data of the
    first, where the others differ from these in values of tags alone; those with a tag twice one by one."""
    if not len(rows) or _CHIP not in block.groups[block.group[rows[0]]].numbers:
        yield rows, None
        return
    column = block.columns[_CHIP]
    found: dict[object, list[int]] = {}
    for width, chosen in by_width(column.offsets[rows + 1] - column.offsets[rows]):
        left, tried = rows[chosen], 0
        while len(left) >= _FEW and tried < _LAYOUTS:
            chip = readable(column.text(int(left[0])))
            alike = _alike(matrix(column.data, column.offsets[left], width), chip)
            if _is_plain(chip) and alike[0]:
                yield left[alike], chip
            else:
                alike[:] = np.arange(len(left)) == 0
                found.setdefault(_shape(chip, int(left[0])), []).append(int(left[0]))
            left, tried = left[~alike], tried + 1
        for row in left.tolist():
            found.setdefault(_shape(readable(column.text(row)), row), []).append(row)
    for some in found.values():
        yield np.array(some, np.int64), None


def _is_plain(chip: ChipData) -> bool:
    """Whether no tag comes again."""
    return len(chip.places) == len(chip.values)


def _shape(chip: ChipData, row: int) -> object:
    return chip.places if _is_plain(chip) else row


def _alike(cells: Bytes, chip: ChipData) -> Bools:
    """Which of *cells*, chip data a row, are *chip*, those of the first row, but for values of tags."""
    fixed = np.ones(cells.shape[1], np.bool_)
    for tag in chip.tags:
        if not tag.constructed:
            fixed[tag.value_start : tag.end] = False
    if cells[0, :2].tobytes() in _HEADS:
        fixed[:_HEAD] = True
    same: Bools = (cells[:, fixed] == cells[0, fixed]).all(axis=1) & _HEX[cells[:, ~fixed]].all(axis=1)
    return same


class _Held(NamedTuple):
    """What rows have: the values, none of them for nothing, and for each row which it is; None where all have
    the same."""

    kinds: Ints | None
    values: list[Any]

    def at(self, rows: Ints) -> list[Any]:
        """What *rows* have."""
        if self.kinds is None:
            return self.values * len(rows)
        return [self.values[kind] for kind in self.kinds[rows].tolist()]


class _Columns:
    """What messages of one kind have for the parts that rules name: the values, and numbers that are equal
    where these are."""

    def __init__(self, block: Block, rows: Ints, kind: Kind, alike: Ints, chip: ChipData | None) -> None:
        self._block, self._rows, self._type, self._alike = block, rows, kind.type, alike
        self._numbers = block.groups[block.group[rows[0]]].numbers
        self._held: dict[Any, _Held] = {}
        self._codes: dict[Any, Ints | None] = {}
        if chip is not None:
            self._cut_chips(kind, chip)
        elif _CHIP in self._numbers:
            self._read_chips(kind)

    def say(self, names: Sequence[Any], rules: Sequence[Bound]) -> Ints | None:
        """What *rules* say of each row, as numbers, asked once where all of *names* are equal; None where
        they say nothing of any."""
        kinds, first = self._apart(names)
        said: dict[int, list[Any]] = {}
        for bound in rules:
            columns = [self._column(part.name).at(first) for part in bound.parts]
            for at, told in enumerate(map(bound.check, *columns)):
                if told:
                    said.setdefault(at, []).extend(bound.say(told))
        marks, known = np.zeros(len(first), np.int64), dict[Any, int]()
        for at, all_told in said.items():
            if weights := tuple(filter(None, map(_weight, all_told))):
                marks[at] = known.setdefault(weights, len(known) + 1)
        return marks[kinds] if known else None

    def _apart(self, names: Iterable[Any]) -> tuple[Ints, Ints]:
        """A number for each row, equal only where all of *names* are, and for each number the first row."""
        found: Ints | None = None
        for name in names:
            codes = self._coded(name)
            found = codes if found is None else _joined(found, codes)
        if found is None:
            return np.zeros(len(self._rows), np.int64), np.zeros(1, np.int64)
        return _first_of(found)

    def _coded(self, name: Any) -> Ints | None:
        """A number for each row, equal only where *name* is; None where it is the same in all."""
        if name not in self._codes:
            kinds, values = self._column(name)
            self._codes[name] = kinds if kinds is None or isinstance(name, int) else _numbered(values)[kinds]
        return self._codes[name]

    def _column(self, name: Any) -> _Held:
        """What the rows have for *name*."""
        if name not in self._held:
            self._held[name] = self._made(name)
        return self._held[name]

    def _made(self, name: Any) -> _Held:
        if isinstance(name, int) and name in self._numbers:
            return _distinct(self._block.columns[name].array().take(pa.array(self._rows)))
        if not isinstance(name, Part):
            return _Held(None, [""])
        elements = [number for number in _elements(name) if number in self._numbers]
        sure = name is CARD and not (self._alike < 0).any()
        kinds, first = _first_of(self._alike) if sure else self._apart(elements)
        if not elements:
            return _Held(None, [self._of((number, "") for number in self._numbers)[name]])
        read, values = [], self._of(())
        for found in zip(*(self._column(number).at(first) for number in elements), strict=True):
            values.clear()
            values.update(zip(elements, found, strict=True))
            read.append(name.read(values))
        return _Held(kinds if len(read) > 1 else None, read)

    def _of(self, elements: Iterable[tuple[int, str]]) -> Values:
        """What rules may read of *elements*, but their chip data."""
        values = Values(elements)
        values.mti, values.table = self._type.mti, self._type.table
        return values

    def _inside_chips(self, kind: Kind) -> set[Part]:
        """What rules name of chip data."""
        bound = [*kind.asked, *(one for _, _, asked in kind.kept for one in asked.rules)]
        return {part for one in bound for part in one.parts if _CHIP in part.sources and part.name != _CHIP}

    def _cut_chips(self, kind: Kind, chip: ChipData) -> None:
        """What rules name of the chip data of all rows, whose tags stand where those of *chip* do."""
        column = self._block.columns[_CHIP]
        cells = matrix(column.data, column.offsets[self._rows], int(np.diff(column.offsets)[self._rows[0]]))
        for tag in chip.tags:
            size = tag.end - tag.value_start
            data = pa.py_buffer(np.ascontiguousarray(cells[:, tag.value_start : tag.end]))
            if size:
                kinds, values = _distinct(pa.Array.from_buffers(pa.binary(size), len(cells), [None, data]))
                self._held[tag.tag] = _Held(kinds, [value.decode("ascii").upper() for value in values])
        first = self._of([(_CHIP, column.text(int(self._rows[0])))])
        for part in self._inside_chips(kind):
            if isinstance(part.name, str):
                continue
            if part.looks == 1 << _CHIP:  # of the layout, not of values
                self._held[part] = _Held(None, [first[part]])
            for tag in chip.tags:
                if presence((), (tag.tag,)) & part.looks:
                    kinds, values = self._column(tag.tag)
                    self._held[part] = _Held(kinds, [part.read(Values({tag.tag: value})) for value in values])

    def _read_chips(self, kind: Kind) -> None:
        """Read the chip data of all rows, each once, for what rules name of them."""
        found: dict[Any, list[Any]] = {part.name: [] for part in self._inside_chips(kind)}
        for row, text in enumerate(self._column(_CHIP).at(np.arange(len(self._rows)))):
            values = self._of([(_CHIP, text)])
            values.update(readable(text).values)
            for name, column in found.items():
                of_shape = row and isinstance(name, Part) and name.key == (SHAPE,)
                column.append(column[0] if of_shape else values[name])
        rows = np.arange(len(self._rows))
        self._held.update({name: _Held(rows, column) for name, column in found.items()})


def _elements(part: Part) -> Iterable[int]:
    return _CARDS if part is CARD else part.sources


def _weight(one: Any) -> object:
    """What counts: a condition that holds, all of an error but the value that was found; None for a warning,
    which hides no error."""
    if not isinstance(one, Said):
        return one
    return (one.network, one.text.id, one.hit.field, one.hit.at) if one.error else None


def _numbered(values: Sequence[Any]) -> Ints:
    known: dict[Any, int] = {}
    return np.fromiter((known.setdefault(one, len(known)) for one in values), np.int64, len(values))


def _joined(one: Ints, other: Ints | None) -> Ints:
    """Numbers that are equal only where those of both are."""
    if other is None:
        return one
    first, count = _small(one), _small(other)
    return first * (int(count.max(initial=0)) + 1) + count


def _small(values: Ints) -> Ints:
    """*values* as numbers from 0 on, equal where they are."""
    if len(values) and values.min() >= 0 and values.max() < 1 << 30:
        return values
    return cast("Ints", pd.factorize(values)[0].astype(np.int64))


def _first_of(values: Ints) -> tuple[Ints, Ints]:
    """*values* as numbers from 0 on, equal where they are, and where each stands first."""
    kinds, found = pd.factorize(values)
    first = np.empty(len(found), np.int64)
    first[kinds[::-1]] = np.arange(len(values))[::-1]
    return kinds.astype(np.int64), first


def _distinct(texts: pa.Array) -> _Held:
    """*texts*, each once."""
    found = texts.dictionary_encode()
    kinds = found.indices.to_numpy().astype(np.int64)
    return _Held(kinds if len(found.dictionary) > 1 else None, found.dictionary.to_pylist())
