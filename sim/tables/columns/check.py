"""Validating a block: how many errors each message has by the standard and by its own network.

Nothing here says that a message is wrong. Each row gets a few marks, chosen so that the rules say equally
much of rows with equal marks; one message of each kind is judged by `sim.operations.validation.judge`, and
the others are counted like it. A row that cannot be marked is judged itself. So the rules stay in one place,
and what is unknown here costs time, never truth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from itertools import repeat
from typing import cast

import numpy as np
import pyarrow as pa

from sim.codec import Message, ParseError
from sim.judge import Severity
from sim.judge.all_rules import RULES
from sim.judge.engine import CARD, EVERY, ZERO, Rule
from sim.judge.finding import Hit
from sim.operations.validation import judge
from sim.spec.networks import NETWORKS, presence
from sim.tables.columns.cards import Cards, Owners
from sim.tables.columns.cut import Block, by_width
from sim.tables.columns.lines import Bools, Bytes, Ints
from sim.tables.columns.marks import UNSURE, Marks
from sim.tables.columns.places import Group

# The rules with errors that `Marks` answers for, by arithmetic on columns. What follows from the kind of
# message needs no mark; any other rule is asked about the values that it says it reads.
MARKED = frozenset(
    ("missing-amount", "character-class", "whole-bytes", "date", "currency", "track-2", "chip-data")
) | {"additional-amounts"}
# Conditions of required elements that follow from which elements there are.
_PRESENCE_ONLY = ("", "no_account", "pin")
_MOST_KINDS = 100_000
# So many values tell whether an element's come again.
_SAMPLE = 1024
# What a rule reads that looks at the card, or at whether the amount is zero.
_CARDS, _AMOUNT = (2, 35, 45), (4, 49)


@cache
def _settled(mti: str) -> bool:
    """Whether the errors about present and missing elements follow from the bitmap alone."""
    return all(
        row.when in _PRESENCE_ONLY
        for name in NETWORKS
        for row in presence(name, mti)
        if row.severity == "error"
    )


def others() -> list[Rule]:
    """The rules with errors that look at values and have no mark of their own."""
    return [
        item
        for item in RULES
        if item.text.severity is Severity.ERROR and item.reads - {0} and item.text.id not in MARKED
    ]


class _Values:
    """The values of a block as numbers, equal only where values are, made for the elements that are asked
    for. Values that hardly come again have a number each: they are not looked for."""

    def __init__(self, block: Block, cards: Ints) -> None:
        self._block, self._cards = block, cards
        self._codes: dict[int, tuple[Ints | None, pa.Array]] = {}
        self._texts: dict[int, list[str]] = {}

    def texts(self, number: int, rows: Ints) -> list[str]:
        """The values of *rows*, all of which have the element."""
        codes, values = self._coded(number)
        if codes is None:
            return cast("list[str]", values.take(pa.array(rows)).to_pylist())
        if number not in self._texts:
            self._texts[number] = values.to_pylist()
        texts = self._texts[number]
        return [texts[code] for code in codes[rows].tolist()]

    def _coded(self, number: int) -> tuple[Ints | None, pa.Array]:
        """A number for each row, any where there is no value, and the texts they stand for; None for the
        number of the row itself."""
        if number not in self._codes:
            values = self._block.columns[number].array()
            some = values.slice(0, _SAMPLE)
            if 2 * len(some.unique()) > len(some):
                self._codes[number] = None, values
            else:
                encoded = values.dictionary_encode()
                self._codes[number] = np.asarray(encoded.indices.fill_null(0)), encoded.dictionary
        return self._codes[number]

    def kinds(self, rows: Ints, reads: Collection[int | str]) -> tuple[Ints, Ints]:
        """For each of *rows* a number, equal only where what *reads* names is, and the group; and for each
        number the first such row."""
        found = self._block.group[rows].astype(np.int64)
        columns = [self._coded(number)[0] for number in self._numbers(reads)]
        if CARD in reads:
            columns.append(_coded(self._cards)[0])
        for codes in columns:
            if codes is None:
                return np.arange(len(rows)), rows
            found, _ = _coded(found * (int(codes.max(initial=0)) + 1) + codes[rows])
        kinds, count = _coded(found)
        first = np.empty(count, np.int64)
        first[kinds[::-1]] = rows[::-1]
        return kinds, first

    def _numbers(self, reads: Collection[int | str]) -> list[int]:
        wanted = {*reads, *(_AMOUNT if ZERO in reads else ())}
        return [number for number in self._block.columns if EVERY in reads or number in wanted]


def _coded(values: Ints) -> tuple[Ints, int]:
    """*values* as numbers from 0 on, equal where they are, and how many there are."""
    encoded = pa.array(values).dictionary_encode()
    return np.asarray(encoded.indices).astype(np.int64), len(encoded.dictionary)


class _Asked:
    """Marks rows by what one rule says of the values that it reads; equal values are asked once."""

    def __init__(self, item: Rule) -> None:
        self._item = item
        self._known: dict[object, int] = {}
        self._codes: dict[object, int] = {}

    def mark(self, block: Block, unsure: Bools, values: _Values) -> Bytes:
        """One mark per row; rows whose mark would be one too many are *unsure*."""
        marks = np.zeros(len(block.lines), np.uint8)
        asked = np.array([*map(self._speaks_of, block.groups), False])[block.group]
        rows = np.flatnonzero(asked)
        if not len(rows):
            return marks
        kinds, first = values.kinds(rows, self._item.reads)
        kept = 2 * len(first) < len(rows)  # values that hardly come again need not be remembered
        said = np.empty(len(first), np.uint8)
        for at, some in by_width(block.group[first]):
            said[some] = self._say(block.groups[at], first[some], values, kept)
        marks[rows] = said[kinds]
        unsure |= marks == UNSURE
        return marks

    def _speaks_of(self, group: Group) -> bool:
        item, here = self._item, {0, *group.numbers}
        silent = any(item.missing >> number & 1 for number in here)
        return not silent and here.issuperset(item.elements) and item.applies(group.version, group.mti)

    def _numbers(self, group: Group) -> list[int]:
        reads = set(self._item.reads)
        if CARD in reads:
            reads |= set(_CARDS)
        if ZERO in reads:
            reads |= set(_AMOUNT)
        return [number for number in group.numbers if EVERY in reads or number in reads]

    def _say(self, group: Group, rows: Ints, values: _Values, kept: bool) -> list[int]:
        """What the rule says of each of *rows*, as marks; of values that come again it is *kept*."""
        message = Message(group.mti, dict.fromkeys(group.numbers, ""), group.version)
        numbers = self._numbers(group)
        columns = [values.texts(number, rows) for number in numbers]
        texts = zip(*columns, strict=True) if columns else repeat((), len(rows))
        if not kept:
            return self._each(message, numbers, texts)
        said, name = [], _name(group)
        for one in texts:
            if (known := self._known.get((name, one))) is None:
                if len(self._known) > _MOST_KINDS:
                    self._known.clear()
                (known,) = self._each(message, numbers, [one])
                self._known[name, one] = known
            said.append(known)
        return said

    def _each(self, message: Message, numbers: list[int], texts: Iterable[tuple[str, ...]]) -> list[int]:
        """The mark of *message* with each of *texts* as its elements *numbers*."""
        fields, check, silent, said = message.fields, self._item.check, self._code(()), []
        number = numbers[0] if len(numbers) == 1 else None
        for one in texts:
            if number is not None:
                fields[number] = one[0]
            else:
                fields.update(zip(numbers, one, strict=True))
            hits = tuple(check(message))
            said.append(self._code(hits) if hits else silent)
        return said

    def _code(self, hits: Iterable[Hit]) -> int:
        said = tuple([(hit.field, hit.severity) for hit in hits])
        return min(self._codes.setdefault(said, len(self._codes) + 1), UNSURE)


class Checks:
    """Counts errors, block after block of one source; kinds that were judged are remembered."""

    def __init__(self, network: str | None, cards: Cards) -> None:
        self._network = network
        self._cards = cards
        self._marks = Marks()
        self._asked = [_Asked(item) for item in others()]
        self._groups: dict[tuple[str, str, str], int] = {}
        self._known: dict[bytes, int] = {}

    def errors(self, block: Block, owners: Owners) -> Ints:
        """The number of errors of each row."""
        marks, unsure = self._marks.of(block)
        kinds, checks = self._cards.kinds(owners)
        values = _Values(block, self._cards.alike(owners, checks))
        for one in self._asked:
            marks.append(one.mark(block, unsure, values))
        unsure |= kinds == UNSURE
        groups = [self._groups.setdefault(_name(one), len(self._groups)) for one in block.groups]
        settled = np.array([_settled(one.mti) for one in block.groups] + [False])
        unsure |= ~settled[block.group]
        group = np.array([*groups, 0], dtype=np.uint32)[block.group]
        columns = [*group.view(np.uint8).reshape(-1, 4).T, owners.codes, kinds, checks, *marks]
        counts = np.zeros(len(block.lines), np.int64)
        alike = np.flatnonzero(~unsure)
        if len(alike):
            counts[alike] = self._by_kind(block, np.stack(columns, axis=1), alike)
        for row in np.flatnonzero(unsure).tolist():
            counts[row] = self._judge(block, row)
        return counts

    def _by_kind(self, block: Block, marks: Bytes, rows: Ints) -> Ints:
        width = marks.shape[1]
        held = [None, pa.py_buffer(np.ascontiguousarray(marks[rows]))]
        encoded = pa.Array.from_buffers(pa.binary(width), len(rows), held).dictionary_encode()
        kinds = np.asarray(encoded.indices)
        keys = encoded.dictionary.to_pylist()
        first = np.empty(len(keys), np.int64)
        first[kinds[::-1]] = rows[::-1]
        if len(self._known) > _MOST_KINDS:
            self._known.clear()
        counts = np.empty(len(keys), np.int64)
        for at, key in enumerate(keys):
            if key not in self._known:
                self._known[key] = self._judge(block, int(first[at]))
            counts[at] = self._known[key]
        spread: Ints = counts[kinds]
        return spread

    def _judge(self, block: Block, row: int) -> int:
        try:
            message = block.message(row)
        except ParseError:
            return 1
        return count_errors(message, self._network)


def count_errors(message: Message, network: str | None) -> int:
    """How many errors a message has by the standard and by its own network."""
    report = judge(message, network, ())
    return 0 if report.valid else len(report.errors)


def _name(group: Group) -> tuple[str, str, str]:
    return group.mti, group.bits, group.version
