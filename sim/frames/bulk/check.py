"""Validating a block: how many errors each message has by the standard and by its own network.

Nothing here says that a message is wrong. Each row gets a few marks, chosen so that the rules say equally
much of rows with equal marks; one message of each kind is judged by `sim.operations.validation.judge`, and
the others are counted like it. A row that cannot be marked is judged itself. So the rules stay in one place,
and what is unknown here costs time, never truth.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import numpy as np
import pyarrow as pa

from sim.codec import Message, ParseError
from sim.frames.bulk.cards import Cards, Owners
from sim.frames.bulk.cut import Block
from sim.frames.bulk.lines import Bools, Bytes, Ints
from sim.frames.bulk.marks import UNSURE, Marks
from sim.frames.bulk.places import Group
from sim.judge import Severity
from sim.judge.all_rules import RULES
from sim.judge.engine import CARD, EVERY, ZERO, Rule
from sim.operations.validation import judge
from sim.spec.networks import NETWORKS, presence

# The rules with errors that `Marks` answers for, by arithmetic on columns. What follows from the kind of
# message needs no mark; any other rule is asked about the values that it says it reads.
MARKED = frozenset(
    ("missing-amount", "character-class", "whole-bytes", "date", "currency", "track-2", "chip-data")
) | {"additional-amounts"}
# Conditions of required elements that follow from which elements there are.
_PRESENCE_ONLY = ("", "no_account", "pin")
_MOST_KINDS = 100_000
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


# Elements with a number for each row and the texts they stand for; a group's name, a message of it without
# values, and these.
_Columns = list[tuple[int, list[int], list[str]]]
_Held = tuple[tuple[str, str, str], Message, _Columns]


class _Values:
    """The values of a block as numbers, equal where values are, made for the elements that are asked for."""

    def __init__(self, block: Block, cards: Ints) -> None:
        self._block, self._cards = block, cards
        self._codes: dict[int, tuple[Ints, pa.Array]] = {}
        self._texts: dict[int, tuple[list[int], list[str]]] = {}

    def texts(self, number: int) -> tuple[list[int], list[str]]:
        """A number for each row, and the texts they stand for; any number where there is no value."""
        if number not in self._texts:
            codes, texts = self._coded(number)
            self._texts[number] = codes.tolist(), texts.to_pylist()
        return self._texts[number]

    def _coded(self, number: int) -> tuple[Ints, pa.Array]:
        if number not in self._codes:
            encoded = self._block.columns[number].array().dictionary_encode()
            self._codes[number] = np.asarray(encoded.indices.fill_null(0)), encoded.dictionary
        return self._codes[number]

    def kinds(self, rows: Ints, reads: Collection[int | str]) -> tuple[Ints, Ints]:
        """For each of *rows* a number, equal where what *reads* names is, and the group; and for each number
        the first such row."""
        found = self._block.group[rows].astype(np.int64)
        columns = [self._coded(number)[0] for number in self._numbers(reads)]
        for codes in [*columns, *([_coded(self._cards)[0]] if CARD in reads else [])]:
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
        self._known: dict[tuple[object, ...], int] = {}
        self._codes: dict[object, int] = {}

    def mark(self, block: Block, unsure: Bools, values: _Values) -> Bytes:
        """One mark per row; rows whose mark would be one too many are *unsure*."""
        marks = np.zeros(len(block.lines), np.uint8)
        asked = np.array([*map(self._speaks_of, block.groups), False])[block.group]
        rows = np.flatnonzero(asked)
        if not len(rows):
            return marks
        kinds, first = values.kinds(rows, self._item.reads)
        of_row = block.group[first].tolist()
        groups = {at: self._held(block.groups[at], values) for at in set(of_row)}
        kept = 2 * len(first) < len(rows)  # values that hardly come again need not be remembered
        said = [self._mark_of(groups[at], row, kept) for row, at in zip(first.tolist(), of_row, strict=True)]
        marks[rows] = np.array(said, np.uint8)[kinds]
        unsure |= marks == UNSURE
        return marks

    def _held(self, group: Group, values: _Values) -> _Held:
        message = Message(group.mti, dict.fromkeys(group.numbers, ""), group.version)
        return _name(group), message, [(number, *values.texts(number)) for number in self._numbers(group)]

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

    def _mark_of(self, group: _Held, row: int, kept: bool) -> int:
        name, message, held = group
        fields = message.fields
        for number, codes, texts in held:
            fields[number] = texts[codes[row]]
        if not kept:
            return self._ask(message)
        key = name, *[fields[number] for number, _, _ in held]
        if (known := self._known.get(key)) is None:
            if len(self._known) > _MOST_KINDS:
                self._known.clear()
            self._known[key] = known = self._ask(message)
        return known

    def _ask(self, message: Message) -> int:
        said = tuple([(hit.field, hit.severity) for hit in self._item.check(message)])
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
