"""One layout for many messages: decides the elements of a dialect one by one, in all messages at once.

A node is the byte reached in each message; ways that reach the same bytes are edges to one node, so what
follows is read only once. What a way reads at any byte is computed once, for all messages together. A layout
pays for every impossible value that it reads, and once for each deviation from its base format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sim.codec.wire.formats import BCD, BINARY, HEX, RAW, Field
from sim.codec.wire.pages import MULTI_BYTE, PAGES, SINGLE_BYTE, view
from sim.elements import dates
from sim.paste.search import Search, Step
from sim.paste.ways import Way
from sim.paste.worth import PART_BITS, is_chip, numeric_codes, patterns_of
from sim.spec import spec

# In bits: an impossible byte, and the most for all bytes of an element; a message that a layout cannot read
# further; an impossible value; an empty one; a known code; an arbitrary byte; an apparent change of encoding
# between two bytes. Bytes of text are correlated, so each counts for a share only.
_WRONG, _WORST = 12.0, 30.0
_UNREAD, _ODD, _EMPTY, _KNOWN, _ANY, _TURN = 60.0, 14.0, 8.0, 2.5, 0.1, 14.0
_SHARE = 0.5
_MOST_UNREAD = 0.2
_MOST_NODES, _MOST_EDGES, _MARGIN = 300, 6000, 500.0
# The elements read ahead, and the most that one costs for deviating from the format.
_AHEAD, _CHANGED = 3, 24.0
_PADDED = 24  # bytes read beyond the end
_NONE = -(10**9)
Array = Any


@dataclass(slots=True, eq=False)
class Sample:
    """One message: the bytes after its bitmap, and the numbers of its elements."""

    search: Search
    numbers: tuple[int, ...]


def read_by(message: Sample, chosen: Mapping[int, Way]) -> tuple[list[Step], int]:
    """The elements of a message read by the ways *chosen*, and the element where that stops: 0 if none, 1 if
    bytes are left at the end."""
    steps: list[Step] = []
    at = 0
    for number in message.numbers:
        way = chosen.get(number)
        read = message.search.step(way, number, at) if way else None
        if read is None:
            return steps, number
        steps.append(read[0])
        at = read[0].end
    return steps, 0 if at == len(message.search.views.data) else 1


@cache
def _costs(written: str, content: str) -> Array:
    """The cost of each byte in a value of this encoding and content class."""
    if written == RAW:
        return np.full(256, 8.0)
    if written == BCD:
        halves = np.array([3.3] * 10 + [4.3 + _WRONG] * 5 + [3.7])  # F is padding
        halves[0xD] -= _WRONG * (content == "z")
        costs = np.add.outer(halves, halves).ravel()
        costs[0] = 4.3
        return costs
    chars = view(bytes(range(256)), written if written in SINGLE_BYTE else "ascii")
    more = "ABCDEFabcdef" if written == HEX else {"n": "", "x+n": "CD", "z": "=D"}.get(content)
    return np.array([_char(char, more) + (written in MULTI_BYTE and char > "~") for char in chars])


def _char(char: str, allowed: str | None) -> float:
    """The cost of a character if digits and those *allowed* are valid; None allows all."""
    if "0" <= char <= "9":
        return 4.3
    bits = (
        4.3
        if char == " "
        else 6.0
        if char.isascii() and char.isalnum()
        else 7.5
        if " " < char <= "~"
        else 9.0
    )
    return bits + _WRONG * (not char.isprintable() if allowed is None else char not in allowed)


@cache
def _packed_costs(written: str, content: str) -> Array:
    """The net costs of raw bytes and packed digits, whose appearance is no evidence."""
    if written == RAW:
        return np.full(256, _ANY)
    costs = np.minimum(_costs(BCD, content) - 6.6, _WRONG) * _SHARE + _ANY / 2
    costs[0], costs[0x30:0x3A] = _ANY / 2, 0.3  # ASCII digits are rarely packed digits
    return costs


def _looks(data: Array) -> Array:
    """The cost of each byte in its apparent encoding, which rarely changes from byte to byte."""
    kinds = (("ascii", "ans"), ("cp037", "ans"), (BCD, "n"), (RAW, "b"))
    costs = np.stack([_costs(*pair) for pair in kinds])[:, data]
    best, chosen, rows = costs[..., 0], [], np.arange(len(data))
    for at in range(1, data.shape[1]):
        turned = best.min(axis=0) + _TURN
        chosen.append(np.where(best <= turned, np.arange(len(kinds))[:, None], best.argmin(axis=0)))
        best = np.minimum(best, turned) + costs[..., at]
    kind, path_costs = best.argmin(axis=0), np.empty(data.shape)
    for at in range(data.shape[1] - 1, -1, -1):
        path_costs[:, at] = costs[kind, rows, at]
        kind = chosen[at - 1][kind, rows] if at else kind
    return path_costs


@cache
def _digits(written: str) -> Array:
    """The value of each byte in a length prefix; negative if it cannot be in one."""
    if written == BINARY:
        return np.arange(256)
    if written == BCD:
        return np.array([int(f"{byte:02x}") if f"{byte:02x}".isdigit() else _NONE for byte in range(256)])
    return np.array([int(char) if "0" <= char <= "9" else _NONE for char in view(bytes(range(256)), written)])


@cache
def _telling(number: int, version: str) -> frozenset[int]:
    """The sizes at which the element's digits can be checked: as a date, a time or a code."""
    elements = spec(version).elements
    dated = number <= len(elements) and elements[number - 1].pattern
    return frozenset({3} if numeric_codes(number) else patterns_of(number) if dated else ())


class Block:
    """Messages as rows of bytes, with what each way reads at each byte: the byte after it, and its worth.
    Byte `gone` means that a layout cannot read the message further."""

    def __init__(self, samples: Sequence[Sample], version: str) -> None:
        self.samples, self.version = samples, version
        self.sizes = np.array([len(member.search.views.data) for member in samples])
        self.gone = int(self.sizes.max()) + 1
        self._data = np.zeros((len(samples), self.gone + _PADDED), np.uint8)
        for row, message in zip(self._data, samples, strict=True):
            row[: len(message.search.views.data)] = np.frombuffer(message.search.views.data, np.uint8)
        self._looks = _looks(self._data[:, : self.gone])
        self._last = np.array([max(member.numbers, default=0) for member in samples])
        self._members: dict[int, Array] = {}
        self._tables: dict[object, tuple[Array, Array]] = {}
        self._asked: dict[Field, tuple[Array, Array, Array]] = {}
        self._sums: dict[tuple[str, str], Array] = {}

    def members(self, number: int) -> Array:
        """The messages that have element *number*."""
        if number not in self._members:
            self._members[number] = np.flatnonzero([number in message.numbers for message in self.samples])
        return self._members[number]

    def read(self, way: Way, number: int, at: Array) -> tuple[Array, Array]:
        """The ends and the worth of an element at bytes *at* of the messages that have it. The last element
        must end where its message does."""
        members, field = self.members(number), way.field
        where = members * (self.gone + 1) + at
        plain = field.shape is None and (
            field.written in (*PAGES, BCD, RAW, HEX) and field.lengths in (*SINGLE_BYTE, BCD, BINARY)
        )
        if plain and not (field.prefix and (is_chip(field) or field.content == "z")):
            ends, worth = self._table(field)
        else:
            ends, worth = self._one_by_one(way, number, where, plain)
        ends, worth = ends.take(where), worth.take(where)
        short = (self._last[members] == number) & (ends < self.sizes[members])
        return np.where(short, self.gone, ends), np.where(short, -_UNREAD, worth)

    def _one_by_one(self, way: Way, number: int, where: Array, plain: bool) -> tuple[Array, Array]:
        """The tables of a way that is read on demand only: tracks, chip data, shapes."""
        if way.field not in self._asked:
            some = self._table(way.field) if plain else self._nothing()
            self._asked[way.field] = some[0].copy(), some[1].copy(), np.zeros(some[0].shape, bool)
        ends, worth, mask = self._asked[way.field]
        for place in np.unique(where[~mask.take(where)]).tolist():
            mask.flat[place] = True
            row, byte = divmod(place, self.gone + 1)
            if byte == self.gone or (plain and worth.flat[place] < -_WORST / 2):
                continue
            result = self.samples[row].search.step(way, number, byte)
            if not plain and result:
                ends.flat[place], worth.flat[place] = result[0].end, min(0.0, way.weigh(result[0].value)[0])
            elif plain:
                odd = result is None or bool(result[0].odd)
                # Some links have their own chip data, without tags.
                worth.flat[place] += _ODD if not odd else 0.0 if is_chip(way.field) else -_ODD
        return ends, worth

    def _nothing(self) -> tuple[Array, Array]:
        worth = np.full((len(self.samples), self.gone + 1), -_UNREAD)
        worth[:, -1] = 0.0
        return np.full(worth.shape, self.gone), worth

    def _table(self, field: Field) -> tuple[Array, Array]:
        """The ends and the worth of a field at every byte of every message."""
        checkable = (
            field.content != "b" and not field.prefix and field.size in _telling(field.number, self.version)
        )
        key = (
            field.written,
            field.content,
            field.counts,
            field.size,
            field.prefix,
            field.lengths,
            checkable and field.number,
        )
        if key not in self._tables:
            size: Any = self._numbers(field.lengths, field.prefix) if field.prefix else np.full(1, field.size)
            start = np.arange(self.gone + 1) + field.prefix
            stop = start + field.width(size)
            legal = (size >= 0) & (size <= field.size) & (stop <= self.sizes[:, None])
            rows, sums = np.arange(len(self.samples))[:, None], self._summed(field.written, field.content)
            cost = sums[rows, np.where(legal, stop, 0)] - sums[rows, np.minimum(start, self.gone)]
            cost = (
                np.minimum(cost, _WORST)
                + _EMPTY * (stop == start)
                - (self._content_worth(field) if checkable else 0.0)
            )
            ends, worth = self._nothing()
            self._tables[key] = np.where(legal, stop, ends), np.where(legal, -cost, worth)
        return self._tables[key]

    def _content_worth(self, field: Field) -> Array:
        """The worth of a date, a time, a currency or a country at every byte."""
        value = self._numbers(field.written, field.width(field.size))
        if codes := numeric_codes(field.number):
            matches = np.isin(value, list(codes))
            if field.written == BCD:  # padded on the right
                second = self._data[:, 1 : self.gone + 2]
                right = 10 * self._numbers(BCD, 1) + (second >> 4)
                matches |= np.isin(right, list(codes)) & np.isin(second & 15, (0, 15))
            return np.where(matches, _KNOWN, -_ODD)
        best = np.full(value.shape, -_ODD)
        for pattern in patterns_of(field.number)[field.size]:
            sound = value > 0
            for behind, width, low, high in dates.limits(pattern):
                part = value // 10**behind % 10**width
                sound &= (low <= part) & (part <= high)
            bits = sum(PART_BITS[part] for part in dates.split(pattern, pattern))
            best = np.where(sound, np.maximum(best, bits), best)
        return np.where(value == 0, 0.0, best)

    def _numbers(self, written: str, width: int) -> Array:
        """The number in *width* bytes from every byte on; negative if there is none."""
        base = {BINARY: 256, BCD: 100}.get(written, 10)
        digits = _digits(written)[self._data]
        return sum(digits[:, at : at + self.gone + 1] * base ** (width - 1 - at) for at in range(width))

    def _summed(self, written: str, content: str) -> Array:
        """The cumulative cost of the bytes up to each position in an encoding, less that in their apparent
        one."""
        if (written, content) not in self._sums:
            data = self._data[:, : self.gone]
            costs = (
                _packed_costs(written, content)[data]
                if written in (RAW, BCD)
                else _SHARE * (_costs(written, content)[data] - self._looks)
            )
            self._sums[written, content] = np.cumsum(np.pad(costs, ((0, 0), (1, 0))), axis=1)
        return self._sums[written, content]


@dataclass(slots=True, eq=False)
class Layer:
    """The nodes after an element (the byte `at` reached in each message, the best score) and the edges to
    them: the node before, the way, the gain, the node reached."""

    at: Array
    score: Array
    before: Array
    way: Array
    gain: Array
    to: Array


@dataclass(frozen=True, slots=True)
class Lattice:
    """The layers after each of the elements *numbers*, up to the first that no way reads."""

    ways: Mapping[int, Sequence[Way]]
    numbers: tuple[int, ...]
    layers: Sequence[Layer]

    @property
    def stop(self) -> int:
        """The element that no layout reads; 0 if one reads all messages to the end."""
        return 0 if len(self.layers) > len(self.numbers) else self.numbers[len(self.layers) - 1]

    @property
    def rank(self) -> tuple[bool, float]:
        """Whether a layout reads to the end, and how well; higher is better."""
        return not self.stop, float(self.layers[-1].score.max()) + _CHANGED * len(self.layers)

    def chosen(self) -> dict[int, Way]:
        """The way of each element in the best layout."""
        layout, node = {}, self.layers[-1].score.argmax()
        for place in range(len(self.layers) - 1, 0, -1):
            layer, number = self.layers[place], self.numbers[place - 1]
            edges = np.flatnonzero(layer.to == node)
            best = edges[np.argmax(self.layers[place - 1].score[layer.before[edges]] + layer.gain[edges])]
            layout[number], node = self.ways[number][layer.way[best]], layer.before[best]
        return layout

    def rivals(self) -> dict[int, list[tuple[float, Way]]]:
        """For each element its ways, the best first, each with the bits by which the best layout with it
        falls short of the best of all."""
        rest, best, table = np.zeros(len(self.layers[-1].score)), self.layers[-1].score.max(), {}
        for place in range(len(self.layers) - 1, 0, -1):
            layer, before, number = self.layers[place], self.layers[place - 1], self.numbers[place - 1]
            through = layer.gain + rest[layer.to]
            behind = np.full(len(self.ways[number]), np.inf)
            np.minimum.at(behind, layer.way, best - before.score[layer.before] - through)
            order = [index for index in np.argsort(behind, kind="stable").tolist() if behind[index] < np.inf]
            table[number] = [(float(behind[index]), self.ways[number][index]) for index in order]
            rest = np.full(len(before.score), -np.inf)
            np.maximum.at(rest, layer.before, through)
        return table


def lattice(
    block: Block,
    ways: Mapping[int, Sequence[Way]],
    most: int = _MOST_NODES,
    guide: Mapping[int, Way] | None = None,
) -> Lattice:
    """The layouts of the messages in *block*, as far as there are any, with each element in one of its
    *ways*, of which the format's own is the first. Keeps the best *most* nodes, and those of an earlier
    layout, the *guide*."""
    numbers = tuple(sorted({number for message in block.samples for number in message.numbers}))
    none = np.zeros(0, int)
    layers = [Layer(np.zeros((1, len(block.samples)), int), np.zeros(1), none, none, none, none)]
    guided = layers[0].at[0].copy()
    for place, number in enumerate(numbers):
        grown = _grown(block, layers[-1], number, ways[number], guide)
        if grown is None:
            break
        ahead = [
            (next_number, ways[next_number][0])
            for next_number in numbers[place + 1 :][:_AHEAD]
            if ways[next_number]
        ]
        if guide and number in guide:
            members = block.members(number)
            guided[members] = block.read(guide[number], number, guided[members])[0]
        layers.append(_kept(block, grown, ahead, most, guided if guide else None))
    return Lattice(ways, numbers, layers)


def _grown(
    block: Block, layer: Layer, number: int, ways: Sequence[Way], guide: Mapping[int, Way] | None
) -> Layer | None:
    """Extend a layer by the ways of an element, with a node for each of the best edges. The *guide* is
    followed from the first node, which is its own."""
    members = block.members(number)
    at = layer.at[:, members]
    others = (layer.at == block.gone).sum(axis=1) - (at == block.gone).sum(axis=1)
    edges, ends = [], []
    for index, way in enumerate(ways):
        end, worth = block.read(way, number, at)
        gone = others + (end == block.gone).sum(axis=1)
        alive = np.flatnonzero(gone <= _MOST_UNREAD * len(block.samples))
        edges.append((alive, np.full(len(alive), index), worth[alive].sum(axis=1) - way.cost))
        ends.append(end[alive])
    before, used, gain = (np.concatenate(some) for some in zip(*edges, strict=True)) if edges else ((),) * 3
    if not len(before):
        return None
    score = layer.score[before] + gain
    order = np.argsort(-score, kind="stable")[:_MOST_EDGES]
    order = order[score[order] >= score[order[0]] - _MARGIN]
    if guide and guide.get(number) in ways:
        guide_edges = np.flatnonzero((before == 0) & (used == ways.index(guide[number])))
        order = np.concatenate([order, guide_edges[~np.isin(guide_edges, order)]])
    reached = layer.at[before[order]]
    reached[:, members] = np.concatenate(ends)[order]
    return Layer(reached, score[order], before[order], used[order], gain[order], np.arange(len(order)))


def _kept(
    block: Block, grown: Layer, ahead: Sequence[tuple[int, Way]], most: int, guided: Array | None
) -> Layer:
    """The nodes to keep: the *guided* one, then by their score plus how well the elements *ahead* read in the
    format's own way."""
    marks = np.random.default_rng(1).integers(1, 1 << 62, len(block.samples))
    _, first, to = np.unique(grown.at @ marks, return_index=True, return_inverse=True)
    promise, at = grown.score[first].copy(), grown.at[first]
    for number, way in ahead:
        members = block.members(number)
        at[:, members], worth = block.read(way, number, at[:, members])
        promise += np.maximum(worth.sum(axis=1), -_CHANGED)
    if guided is not None:
        promise[(grown.at[first] == guided).all(axis=1)] = np.inf
    order = np.argsort(-promise, kind="stable")
    to, first = np.argsort(order)[to], first[order[:most]]
    kept = to < most
    return Layer(
        grown.at[first], grown.score[first], grown.before[kept], grown.way[kept], grown.gain[kept], to[kept]
    )
