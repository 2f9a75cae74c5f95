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
from sim.judge.engine import Asked, Kind, kind_of
from sim.judge.parts import CARD, Part, Values, readable, shape_of
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
        """The errors of *rows*, which have the same elements and tags."""
        first = block.message(int(rows[0]))
        kind = kind_of(first, readable(first.fields[_CHIP]) if _CHIP in first.fields else None)
        columns = _Columns(block, rows, kind, alike)
        marks = codes[rows]
        for asked in [*([kind.conditions] if kind.conditions else []), *(one for _, _, one in kind.kept)]:
            marks = _joined(marks, columns.say(asked.names, asked.rules, asked))
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
    """What messages of one kind have for the parts that rules name, as numbers: equal where that is."""

    def __init__(self, block: Block, rows: Ints, kind: Kind, alike: Ints) -> None:
        self._block, self._rows, self._kind, self._alike = block, rows, kind, alike
        self._numbers = block.groups[block.group[rows[0]]].numbers
        self._texts: dict[int, list[str]] = {}
        self._codes: dict[Any, Ints] = {}
        self._tags: list[dict[str, str]] | None = None

    def say(self, names: Sequence[Any], rules: Sequence[Bound], asked: Asked | None = None) -> Ints | None:
        """What *rules* say of each row, as numbers, asked once where all of *names* are equal; None where
        they say nothing of any."""
        needed = sorted({number for bound in rules for part in bound.parts for number in _elements(part)})
        needed = [number for number in needed if number in self._numbers]
        kinds, first = self._apart(names)
        answers, known = np.zeros(len(first), np.int64), dict[Any, int]()
        for at, row in enumerate(first.tolist()):
            values = self._values(row, needed)
            told = self._ask(values, rules, asked)
            if told:
                answers[at] = known.setdefault(told, len(known) + 1)
        return answers[kinds] if known else None

    def _ask(self, values: Values, rules: Sequence[Bound], asked: Asked | None) -> tuple[Any, ...]:
        if asked is None:
            said: Iterable[Any] = [one for bound in rules for one in bound.ask(values)]
        else:
            key = asked.key_of(values)
            said = asked.memory.get(key) or asked.ask(values, key)
        return tuple(_weight(one) if isinstance(one, Said) else one for one in said if _counts(one))

    def _values(self, row: int, needed: Iterable[int]) -> Values:
        """What rules may read of a row: elements that they need, and tags."""
        values = Values()
        values.mti, values.table = self._kind.type.mti, self._kind.type.table
        for number in needed:
            values[number] = self._column(number)[row]
        if _CHIP in needed:
            values.update(self._tag_values()[row])
        return values

    def _column(self, number: int) -> list[str]:
        if number not in self._texts:
            column = self._block.columns[number].array()
            self._texts[number] = column.take(pa.array(self._rows)).to_pylist()
        return self._texts[number]

    def _tag_values(self) -> list[dict[str, str]]:
        if self._tags is None:
            self._tags = [readable(text).values for text in self._column(_CHIP)]
        return self._tags

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
            self._codes[name] = self._encoded(name)
        return self._codes[name]

    def _encoded(self, name: Any) -> Ints:
        if name is CARD and not (self._alike[self._rows] < 0).any():
            return self._alike[self._rows]
        if isinstance(name, int):
            return _numbered(self._column(name))
        if isinstance(name, str):
            return _numbered([tags.get(name, "") for tags in self._tag_values()])
        elements = [number for number in _elements(name) if number in self._numbers]
        kinds, first = self._apart(elements)
        read = [self._values(row, elements)[name] for row in first.tolist()]
        return _numbered(read)[kinds]


def _elements(part: Part) -> Iterable[int]:
    return _CARDS if part is CARD else part.sources


def _counts(one: Any) -> bool:
    """Whether it is a condition that holds, or an error: no warning hides one."""
    return one.error if isinstance(one, Said) else True


def _weight(one: Said) -> tuple[Any, ...]:
    """All of an error that counts: not the value that was found."""
    return one.network, one.text.id, one.hit.field, one.hit.at


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
