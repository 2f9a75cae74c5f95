"""Validating a block: how many errors each message has by the standard and by its own network.

Nothing here says that a message is wrong. Each row gets a few marks, chosen so that the rules say equally
much of rows with equal marks; one message of each kind is judged by `sim.operations.validation.judge`, and
the others are counted like it. A row that cannot be marked is judged itself. So the rules stay in one place,
and what is unknown here costs time, never truth.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from sim.codec import Message, ParseError
from sim.frames.bulk.cards import Cards, Owners
from sim.frames.bulk.cut import Block, Group
from sim.frames.bulk.lines import Bytes, Ints
from sim.frames.bulk.marks import UNSURE, Marks
from sim.judge import Severity, catalogue
from sim.operations.validation import judge
from sim.spec.networks import NETWORKS, presence

# The rules with errors that the marks answer for. A rule that joins the catalogue is asked row by row until
# it stands here.
_BY_KIND = ("mti-version", "mti-class", "mti-function", "mti-origin", "no-elements")
_BY_PRESENCE = (
    "missing-processing-code",
    "missing-stan",
    "missing-response-code",
    "missing-amount",
    "required-element",
    "forbidden-element",
    "network-mti-version",
    "framing",
)
_BY_VALUE = (
    *("character-class", "whole-bytes", "date", "currency", "track-2", "chip-data", "additional-amounts"),
    *("pan-network", "luhn"),
)
# Conditions of required elements that follow from which elements there are.
_PRESENCE_ONLY = ("", "no_account", "pin")
_MOST_KINDS = 100_000


@cache
def unknown_rules() -> tuple[str, ...]:
    """Rules with errors that the marks do not answer for."""
    known = {*_BY_KIND, *_BY_PRESENCE, *_BY_VALUE}
    return tuple(
        name for name, text in catalogue().items() if text.severity is Severity.ERROR and name not in known
    )


@cache
def _settled(mti: str) -> bool:
    """Whether the errors about present and missing elements follow from the bitmap alone."""
    return not unknown_rules() and all(
        row.when in _PRESENCE_ONLY
        for name in NETWORKS
        for row in presence(name, mti)
        if row.severity == "error"
    )


class Checks:
    """Counts errors, block after block of one source; kinds that were judged are remembered."""

    def __init__(self, network: str | None, cards: Cards) -> None:
        self._network = network
        self._cards = cards
        self._marks = Marks()
        self._groups: dict[tuple[str, str, str], int] = {}
        self._known: dict[bytes, int] = {}

    def errors(self, block: Block, owners: Owners) -> Ints:
        """The number of errors of each row."""
        marks, unsure = self._marks.of(block)
        kinds, checks = self._cards.kinds(owners)
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
