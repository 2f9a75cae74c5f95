"""Validating a block: how many errors each message has by the standard and by its own network.

The rules are those of one message (`sim.judge.engine`), asked once for each distinct combination of their
columns. What they say is a mark of the rows that have it; one message of each combination of marks is judged,
and the others are counted like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa

from sim.codec import Message, ParseError
from sim.judge.bound import Bound, Said
from sim.judge.engine import Kind, kind_of
from sim.judge.parts import CARD, SHAPE, Part, Values, readable, shape_of
from sim.operations.validation import judge
from sim.tables.columns.cards import Cards, Owners
from sim.tables.columns.cut import Block
from sim.tables.columns.lines import Ints

_CHIP = 55
_CARDS = (2, 35, 45)
# Fewer rows of a kind are judged one by one: columns cost more than so many messages.
_FEW = 24


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
            for chosen in _by_tags(block, rows):
                if len(chosen) < _FEW:
                    alone += chosen.tolist()
                else:
                    counts[chosen] = self._together(block, chosen, alike, owners.codes.astype(np.int64))
        for row in alone:
            counts[row] = self._judge(block, row)
        return counts

    def _together(self, block: Block, rows: Ints, alike: Ints, codes: Ints) -> Ints:
        """The errors of *rows*, which have the same elements and shape of chip data."""
        first = block.message(int(rows[0]))
        kind = kind_of(first, readable(first.fields[_CHIP]) if _CHIP in first.fields else None)
        columns = _Columns(block, rows, kind, alike[rows])
        marks = codes[rows]
        for asked in [*([kind.conditions] if kind.conditions else []), *(one for _, _, one in kind.kept)]:
            marks = _joined(marks, columns.say(asked.names, asked.rules))
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


def _by_tags(block: Block, rows: Ints) -> Iterable[Ints]:
    """*rows* of one group apart by the shape of their chip data, none of them twice; those with other chip
    data one by one."""
    if not len(rows) or _CHIP not in block.groups[block.group[rows[0]]].numbers:
        return [rows]
    found: dict[object, list[int]] = {}
    for row in rows.tolist():
        chip = readable(block.columns[_CHIP].text(row))
        plain = len(chip.tags) == len(chip.values)
        found.setdefault(shape_of(chip) if plain else row, []).append(row)
    return [np.array(chosen, np.int64) for chosen in found.values()]


class _Columns:
    """What messages of one kind have for the parts that rules name: the values, and numbers that are equal
    where these are."""

    def __init__(self, block: Block, rows: Ints, kind: Kind, alike: Ints) -> None:
        self._block, self._rows, self._type, self._alike = block, rows, kind.type, alike
        self._numbers = block.groups[block.group[rows[0]]].numbers
        self._values: dict[Any, list[Any]] = {}
        self._codes: dict[Any, Ints] = {}
        if _CHIP in self._numbers:
            self._read_chips(kind)

    def say(self, names: Sequence[Any], rules: Sequence[Bound]) -> Ints | None:
        """What *rules* say of each row, as numbers, asked once where all of *names* are equal; None where
        they say nothing of any."""
        kinds, first = self._apart(names)
        asked = [(bound, [self._column(part.name) for part in bound.parts]) for bound in rules]
        marks, known = np.zeros(len(first), np.int64), dict[Any, int]()
        for at, row in enumerate(first.tolist()):
            said: list[Any] = []
            for bound, columns in asked:
                if told := bound.check(*[column[row] for column in columns]):
                    said += bound.say(told)
            if said and (told := tuple(filter(None, map(_weight, said)))):
                marks[at] = known.setdefault(told, len(known) + 1)
        return marks[kinds] if known else None

    def _apart(self, names: Sequence[Any]) -> tuple[Ints, Ints]:
        """A number for each row, equal only where all of *names* are, and for each number the first row."""
        found = np.zeros(len(self._rows), np.int64)
        for name in names:
            found = _joined(found, self._coded(name))
        return _first_of(found)

    def _coded(self, name: Any) -> Ints | None:
        """A number for each row, equal only where *name* is; None where it is the same in all."""
        if isinstance(name, int) and name not in self._numbers:
            return None
        if name not in self._codes:
            sure = name is CARD and not (self._alike < 0).any()
            self._codes[name] = self._alike if sure else _numbered(self._column(name))
        return self._codes[name]

    def _column(self, name: Any) -> list[Any]:
        """What each row has for *name*."""
        if name not in self._values:
            self._values[name] = self._made(name)
        return self._values[name]

    def _made(self, name: Any) -> list[Any]:
        if isinstance(name, int) and name in self._numbers:
            texts: list[Any] = self._block.columns[name].array().take(pa.array(self._rows)).to_pylist()
            return texts
        if not isinstance(name, Part):
            return [""] * len(self._rows)
        elements = [number for number in _elements(name) if number in self._numbers]
        if name is CARD and not (self._alike < 0).any():
            kinds, first = _first_of(self._alike)
        else:
            kinds, first = self._apart(elements)
        read = [self._of(row, elements or self._numbers)[name] for row in first.tolist()]
        return [read[kind] for kind in kinds.tolist()]

    def _of(self, row: int, elements: Iterable[int]) -> Values:
        """What rules may read of a row, but its chip data."""
        values = Values({number: self._column(number)[row] for number in elements})
        values.mti, values.table = self._type.mti, self._type.table
        return values

    def _read_chips(self, kind: Kind) -> None:
        """Read the chip data of all rows, each once: their tags, and what rules name of them."""
        bound = [*kind.asked, *(one for _, _, asked in kind.kept for one in asked.rules)]
        parts = {part for one in bound for part in one.parts if _CHIP in part.sources}
        inside = [part for part in parts if part.name is part]
        tags = [part.name for part in parts if isinstance(part.name, str)]
        found: dict[Any, list[Any]] = {name: [] for name in (*inside, *tags)}
        for row, text in enumerate(self._column(_CHIP)):
            values = self._of(row, (_CHIP,))
            values.update(readable(text).values)
            for name, column in found.items():
                of_shape = row and isinstance(name, Part) and name.key == (SHAPE,)
                column.append(column[0] if of_shape else values[name])
        self._values.update(found)


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
    return cast("Ints", np.unique(values, return_inverse=True)[1].astype(np.int64))


def _first_of(values: Ints) -> tuple[Ints, Ints]:
    """*values* as numbers from 0 on, equal where they are, and where each stands first."""
    _, first, kinds = np.unique(values, return_index=True, return_inverse=True)
    return kinds, first
