"""Validation of a block: the number of errors of each message by the standard and by its own network.

It uses the rules for single messages (`sim.judge.engine`) that can report errors. Each rule is evaluated once
for each distinct combination of its columns, over all messages of a type; values that the rule cannot
distinguish are made equal first. The results mark the rows; one message of each combination of marks is
validated, and its count applies to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sim.codec import Message, ParseError
from sim.elements import dates
from sim.judge.dialect import own_elements
from sim.judge.engine import MEMORY, Type
from sim.judge.finding import Said
from sim.judge.parts import CARD, Part, Shape, Values, mask_of, presence, readable
from sim.judge.rules import Bound
from sim.operations.validation import judge
from sim.spec import ElementSpec
from sim.spec.layouts import FOREIGN
from sim.tables.columns.cards import Cards, Codes, Owners, matrix, tracks
from sim.tables.columns.cut import Block, CutColumn
from sim.tables.columns.lines import Bools, Bytes, Ints, by_width, copy, first_of

_ZERO = 48
# The most layouts of chip data of one size that are simplified in a block; others stay unchanged.
_LAYOUTS = 32
# The digits of a card number that tell whether a country code precedes the expiry; the separator, expiry and
# service code.
_PREFIX, _BEHIND = 2, 8
# The heads of a dataset or a network's own layout, whose first digits must stay.
_HEADS, _HEAD = (b"01", b"C1", b"c1"), 8
_HEX = np.zeros(256, np.bool_)
_HEX[list(b"0123456789ABCDEFabcdef")] = True


def characters(column: CutColumn, element: ElementSpec) -> Bytes:
    """The values with each character replaced by one that the element's class treats alike."""
    return np.frombuffer(column.data.tobytes().translate(_character_of(element.content)), np.uint8)


@cache
def _character_of(content: str) -> bytes:
    """For each byte the first one that the class of *content* treats the same, at the start and after it."""
    foreign, first = FOREIGN[content], dict[tuple[bool, bool], int]()
    signs = [chr(byte) for byte in range(128)]
    kinds = [(foreign.search(sign) is None, foreign.search("C" + sign) is None) for sign in signs]
    table = [first.setdefault(kind, byte) for byte, kind in enumerate(kinds)]
    return bytes([*table, *range(128, 256)])


def moments(column: CutColumn, element: ElementSpec) -> Bytes:
    """The values with valid hours, minutes and seconds set to zero; the date and invalid parts stay."""
    width, data = len(element.pattern), column.data
    if not width or not (np.diff(column.offsets)[column.valid] == width).all():
        return data
    cells = data.reshape(-1, width).copy()
    for start, legal in dates.times(element.pattern):
        pairs = cells[:, start].astype(np.uint16) << 8 | cells[:, start + 1]
        cells[_among(legal)[pairs], start : start + 2] = _ZERO
    return cells.reshape(-1)


@cache
def _among(legal: frozenset[str]) -> Bools:
    """Which two-digit texts are *legal*, by their bytes as one number."""
    sound = np.zeros(1 << 16, np.bool_)
    sound[[int.from_bytes(text.encode(), "big") for text in legal]] = True
    return sound


def stripes(column: CutColumn, element: ElementSpec) -> Bytes:
    """Tracks 2 with the rest of the card number and the issuer's data set to zeros."""

    def write(cells: Bytes) -> None:
        width = cells.shape[1]
        good, at = tracks(cells.reshape(-1), np.arange(len(cells)) * width, width)
        places, ends = np.arange(width), at[:, None]
        free = (places >= _PREFIX) & (places < ends) | (places >= ends + _BEHIND)
        cells[free & good[:, None]] = _ZERO

    return _rewritten(column, write)


def tags(column: CutColumn, element: ElementSpec) -> Bytes:
    """Chip data with the values of tags set to zeros."""
    return _rewritten(column, _without_values)


def _without_values(cells: Bytes) -> None:
    left = np.arange(len(cells))
    for _ in range(_LAYOUTS):
        if not len(left):
            return
        some = cells[left]
        free = _values(some[0].tobytes())
        same: Bools = ((some == some[0]) | free).all(axis=1)
        same &= _HEX[some[:, free]].all(axis=1)
        cells[left[same]] = np.where(free, _ZERO, some[0])
        same[0] = True
        left = left[~same]


def _values(chip: bytes) -> Bools:
    """The positions in *chip*, chip data, of the values of primitive tags."""
    free = np.zeros(len(chip), np.bool_)
    for tag in readable(chip.decode("utf-8", "replace")).tags:
        if not tag.constructed:
            free[tag.value_start : tag.end] = True
    if chip[:2] in _HEADS:
        free[:_HEAD] = False
    return free


def _rewritten(column: CutColumn, write: Callable[[Bytes], None]) -> Bytes:
    """The bytes of *column*, rewritten together for each width."""
    data = np.empty_like(column.data)
    for width, rows in by_width(np.diff(column.offsets)):
        if width:
            cells, places = matrix(column.data, column.offsets[rows], width), column.offsets[rows]
            write(cells)
            copy(data, places, cells.reshape(-1), np.arange(0, cells.size, width), width)
    return data


# By what rules read inside an element.
ALIKE: dict[str, Callable[[CutColumn, ElementSpec], Bytes]] = {
    "characters": characters,
    "moment": moments,
    "stripe": stripes,
    "misfits": tags,
    "layout": tags,
    "heads": tags,
    "tagged": tags,
}


_CHIP = 55
_CARDS = (2, 35, 45)
# Types with fewer rows are validated message by message, which is cheaper than columns.
_FEW = 24
# The most counts kept for the next blocks of the same source.
_MOST_COUNTS = 65_536


def count_errors(message: Message, network: str | None) -> int:
    """How many errors a message has by the standard and by its own network."""
    return judge(message, network, ()).wrong


class Checks:
    """Counts errors, block by block, of one source."""

    def __init__(self, network: str | None, cards: Cards) -> None:
        self._network = network
        self._cards = cards
        self._counts: dict[Any, int] = {}
        self._marks: dict[Any, int] = {}

    def errors(self, block: Block, owners: Owners) -> Ints:
        """The number of errors of each row."""
        counts = np.zeros(len(block.lines), np.int64)
        types: dict[tuple[str, str], list[int]] = {}
        for at, group in enumerate(block.groups):
            types.setdefault((group.version, group.mti), []).append(at)
        alone = np.flatnonzero(block.group < 0).tolist()
        coded = Coded(block, self._cards.alike(owners), {})
        for (version, mti), groups in types.items():
            rows = np.flatnonzero(np.isin(block.group, groups))
            if len(rows) < _FEW:
                alone += rows.tolist()
            else:
                kept = MEMORY.types[version, block.lines.tables.get(version), mti]
                counts[rows], odd = self._together(coded, rows, kept, owners.codes[rows])
                alone += rows[odd].tolist()
        for row in alone:
            counts[row] = self._judge(block, row)
        return counts

    def _together(self, coded: Coded, rows: Ints, kept: Type, owners: Codes) -> tuple[Ints, Bools]:
        """The errors of *rows*, messages of one type, and which of them must be validated one by one."""
        batch = Asked(coded, rows, kept)
        marks = [owners.astype(np.int64), batch.classes.kinds]
        for bound in kept.of_errors:
            if (findings := batch.say(bound, self._marks)) is not None:
                marks.append(findings)
        redefined = sorted(own_elements(kept.table) & batch.numbers if kept.table.parts else ())
        marks += [coded.of(number).kinds[rows] for number in redefined]
        kinds, first = first_of(marks)
        counts = np.empty(len(first), np.int64)
        columns = zip(*(mark[first].tolist() for mark in marks), strict=True)
        for at, (row, (owner, kind, *rest)) in enumerate(zip(rows[first].tolist(), columns, strict=True)):
            # Findings on a dialect's own elements are not rules, and value codes differ from block to block.
            key = None if redefined else (kept, owner, batch.classes.values[kind], *filter(None, rest))
            if key not in self._counts:
                counts[at] = self._judge(coded.block, row)
                if key is not None and len(self._counts) < _MOST_COUNTS:
                    self._counts[key] = counts[at]
            else:
                counts[at] = self._counts[key]
        spread: Ints = counts[kinds]
        return spread, batch.odd

    def _judge(self, block: Block, row: int) -> int:
        try:
            message = block.message(row)
        except ParseError:
            return 1
        return count_errors(message, self._network)


class Coded(NamedTuple):
    """Columns of a block as codes; `cards` are the codes of `Cards.alike`."""

    block: Block
    cards: Ints
    known: dict[Any, Kinds]

    def of(self, number: int, element: ElementSpec | None = None, inside: str = "") -> Kinds:
        """The values of an element, equal if rules on *inside* cannot distinguish them; None if it is
        missing."""
        key = (number, ALIKE[inside], element.content, element.pattern) if element else (number,)
        if key not in self.known:
            self.known[key] = self._encoded(self.block.columns.get(number), element, inside)
        return self.known[key]

    def _encoded(self, column: CutColumn | None, element: ElementSpec | None, inside: str) -> Kinds:
        if column is None:
            return Kinds(np.zeros(len(self.block.lines), np.int64), [None])
        if element is not None:
            column = replace(column, data=ALIKE[inside](column, element))
        data, sizes = column.data, np.diff(column.offsets)
        if len(data) and (data == data[0]).all() and np.count_nonzero(sizes) == column.rows.present:
            # They differ only in length.
            kinds, first = first_of([sizes])
            return Kinds(kinds, [column.text(row) if sizes[row] else None for row in first.tolist()])
        encoded = column.array().dictionary_encode()
        kinds = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy().astype(np.int64)
        return Kinds(kinds, [*encoded.dictionary.to_pylist(), None])


class Kinds(NamedTuple):
    """The distinct values, and for each row the index of its value."""

    kinds: Ints
    values: list[Any]


class Asked:
    """Messages of one type, and the columns that rules read. `classes` are the elements and tags present, as
    bits; `odd` marks messages with a repeated tag, which are validated one by one."""

    def __init__(self, coded: Coded, rows: Ints, kept: Type) -> None:
        self._coded, self._rows, self._type = coded, rows, kept
        self._columns: dict[Part, Kinds] = {}
        groups, self.odd = coded.block.groups, np.zeros(len(rows), np.bool_)
        group = coded.block.group[rows]
        self.numbers = frozenset(number for at in np.unique(group).tolist() for number in groups[at].numbers)
        chips = Kinds(np.zeros(len(rows), np.int64), [None])
        if _CHIP in self.numbers:
            chips = self._picked(coded.of(_CHIP, kept.table[_CHIP], "tagged"))
        shapes = [Shape(readable(value or ""), value or "") for value in chips.values]
        self.odd |= np.array([shape.repeats for shape in shapes])[chips.kinds]
        kinds, first = first_of([group, chips.kinds])
        masks = []
        for at, chip in zip(group[first].tolist(), chips.kinds[first].tolist(), strict=True):
            mask = presence(groups[at].numbers, empty_secondary=groups[at].has_empty_secondary)
            masks.append(mask | mask_of(shapes[chip].bits if chips.values[chip] is not None else ()))
        codes, values = pd.factorize(np.array(masks, object))
        self.classes = Kinds(codes.astype(np.int64)[kinds], values.tolist())

    def say(self, bound: Bound, ids: dict[Any, int]) -> Ints | None:
        """The findings of a rule as a number per row, evaluated once per distinct combination of its parts;
        None if there are none."""
        applies = np.array([bound.applies(mask) for mask in self.classes.values])
        if not applies.any():
            return None
        kinds, values = combined([self._column(part) for part in bound.parts])
        where = None if applies.all() else applies[self.classes.kinds]
        applicable = range(len(values)) if where is None else np.unique(kinds[where]).tolist()
        marks = np.zeros(len(values), np.int64)
        for kind in applicable:
            result = bound.check(*values[kind])
            if counted := weights(bound, result):
                marks[kind] = ids.setdefault(counted, len(ids) + 1)
        if not marks.any():
            return None
        findings: Ints = marks[kinds] if where is None else marks[kinds] * where
        return findings

    def _column(self, part: Part) -> Kinds:
        if part not in self._columns:
            kinds, values = self._values(part)
            self._columns[part] = Kinds(kinds, [entry[part.name] for entry in values])
        return self._columns[part]

    def _values(self, part: Part) -> tuple[Ints, list[Values]]:
        """The distinct sources of *part*, and which of them each row has."""
        sources = sorted(self.numbers.intersection(_CARDS if part is CARD else part.sources))
        if part is CARD:
            # Undecided cards are all treated as different.
            cards = self._coded.cards[self._rows]
            kinds, first = first_of([np.where(cards < 0, cards.max() + 1 + np.arange(len(cards)), cards)])
            cells = [(number, self._coded.block.columns[number]) for number in sources]
            return kinds, [
                self._of({number: column.text(row) for number, column in cells if column.valid[row]})
                for row in self._rows[first].tolist()
            ]
        if not sources:
            masks = self.classes.values
            groups = [[number for number in self.numbers if mask >> number & 1] for mask in masks]
            return self.classes.kinds, [self._of(dict.fromkeys(numbers, "")) for numbers in groups]
        if part.inside in ALIKE:
            columns = [self._coded.of(number, self._type.table[number], part.inside) for number in sources]
        else:
            columns = [self._coded.of(number) for number in sources]
        kinds, combinations = combined([self._picked(column) for column in columns])
        return kinds, [self._of(dict(zip(sources, texts, strict=True))) for texts in combinations]

    def _picked(self, column: Kinds) -> Kinds:
        kinds, first = first_of([column.kinds[self._rows]])
        return Kinds(kinds, [column.values[kind] for kind in column.kinds[self._rows[first]].tolist()])

    def _of(self, texts: Mapping[int, str | None]) -> Values:
        """The values that rules may read; elements without a text are missing."""
        values = Values({number: text for number, text in texts.items() if text is not None})
        values.mti, values.table = self._type.mti, self._type.table
        values.update(readable(values[_CHIP]).values if _CHIP in values else ())
        return values


def weights(bound: Bound, result: Any) -> tuple[Any, ...]:
    """The parts of a rule's result (*result*) that affect the count: a condition that holds, and of an error
    everything but the value found; nothing of a warning, which suppresses no error."""
    items = bound.say(result) if result else ()
    return tuple(
        (item.network, item.text.id, item.hit.field, item.hit.at) if isinstance(item, Said) else item
        for item in items
        if not isinstance(item, Said) or item.error
    )


def combined(columns: Sequence[Kinds]) -> Kinds:
    """The distinct combinations of the values of *columns*."""
    if len(columns) == 1:
        return Kinds(columns[0].kinds, [(value,) for value in columns[0].values])
    kinds, first = first_of([column.kinds for column in columns])
    found = [[column.values[kind] for kind in column.kinds[first].tolist()] for column in columns]
    return Kinds(kinds, list(zip(*found, strict=True)))
