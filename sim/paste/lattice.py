"""One layout for many messages: the elements of a dialect, one after the other, in all messages at once.

A node is the byte reached in each message; ways that reach the same bytes are edges to one node, so that what
comes behind is looked at once. A way is worth what it saves in all messages together, less its cost in each.
What each byte is worth by its looks alone is taken off: layouts that ran ahead would crowd the right one out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf

from sim.codec.wire.formats import RAW
from sim.codec.wire.pages import view
from sim.paste.search import Search, Step, Work
from sim.paste.ways import Way
from sim.paste.worth import is_chip

# Bits that a byte is worth by its looks: a digit or letter, another character that prints, any other byte.
_WORDS, _PRINTED, _ANY = 2.6, 1.0, 0.7
_UNREAD = 60.0  # a message that a layout cannot go on with
_MOST_UNREAD = 0.1
_MOST_ODD = 0.4
_MARGIN, _LEAST_MARGIN = 14.0, 60.0
_MOST_NODES = 150
_FARTHER = 15.0  # bits that an element more is worth, which reads without anything odd
_MOST_EDGES = 6
# What a way costs in each message, beside what it costs where one message is all that is known.
_SHARE = 0.5
_AGAIN = 0.25  # the share for which the same bytes count in another message: they say hardly more
GONE = -1


@dataclass(slots=True, eq=False)
class Sample:
    """One message: its bytes, the byte behind its bitmap, where it ends, its elements, the last of these, and
    what the bytes up to each place are worth by their looks."""

    search: Search
    start: int
    end: int
    numbers: frozenset[int]
    last: int
    looks: list[float]


@dataclass(slots=True, eq=False)
class Edge:
    """A way from one node to another."""

    before: Node
    way: Way
    gain: float


@dataclass(slots=True, eq=False)
class Node:
    """The byte reached in each message, GONE where it was given up; the best score that leads there, and the
    best from there to the end."""

    at: tuple[int, ...]
    score: float
    edges: list[Edge] = field(default_factory=list)
    rest: float = -inf


@dataclass(frozen=True, slots=True)
class Lattice:
    """The nodes behind each of the elements *numbers*; `whole` says whether the last ones are at the ends."""

    samples: Sequence[Sample]
    numbers: tuple[int, ...]
    layers: Sequence[Sequence[Node]]
    whole: bool

    @property
    def reached(self) -> int:
        """How many elements were read."""
        return len(self.layers) - 1

    @property
    def best(self) -> Node:
        """The best of the last nodes."""
        return max(self.layers[-1], key=lambda one: one.score)

    def chosen(self) -> dict[int, Way]:
        """The way of each element, the best ones together."""
        found, node = {}, self.best
        for number in reversed(self.numbers[: self.reached]):
            edge = max(node.edges, key=lambda one: one.before.score + one.gain)
            found[number], node = edge.way, edge.before
        return dict(sorted(found.items()))

    def plainest(self, ways: Mapping[int, Sequence[Way]]) -> dict[int, Way]:
        """The way of each element, of those that end alike in all messages the format's own where nothing it
        reads is odd, else the one that says most of its values: characters before bytes."""
        found = self.chosen()
        values: dict[int, list[tuple[Sample, Step]]] = {number: [] for number in found}
        for one in self.samples:
            for step in read_by(one, found)[0]:
                values[step.number].append((one, step))
        for number, some in values.items():
            own = next((way for way in ways[number] if way.change is None), None)
            if own is not None and _sound(some, own):
                found[number] = own
                continue
            saved = {way: worth(some, way) for way in dict.fromkeys((found[number], *ways[number]))}
            found[number] = max(saved, key=lambda way: saved[way])
        return found

    def trouble(self) -> int:
        """The place in `numbers` of the first element that cannot be right: it stops there, or what the best
        layout reads is odd in many messages; how many there are where nothing is wrong."""
        chosen = self.chosen()
        at: Counter[int] = Counter()
        odd: Counter[int] = Counter()
        for one in self.samples:
            for step in read_by(one, chosen)[0]:
                # Chip data without tags are some links' own.
                odd[step.number] += bool(step.odd) and not is_chip(step.way.field)
                at[step.number] += 1
        for place, number in enumerate(self.numbers[: self.reached]):
            if odd[number] > _MOST_ODD * at[number]:
                return place
        return self.reached

    @property
    def progress(self) -> float:
        """How far and how well it reads: what is better is more."""
        return self.best.score + _FARTHER * self.trouble()

    def rivals(self) -> dict[int, list[tuple[float, Way]]]:
        """For each element the ways of all layouts, with the bits by which the best layout that has it is
        behind the best of all, the chosen one first."""
        for node in self.layers[-1]:
            node.rest = 0.0
        for layer in reversed(self.layers):
            for node in layer:
                for edge in node.edges:
                    edge.before.rest = max(edge.before.rest, edge.gain + node.rest)
        best = self.best.score
        found: dict[int, list[tuple[float, Way]]] = {}
        for number, layer in zip(self.numbers, self.layers[1:], strict=False):
            behind = [
                (best - edge.before.score - edge.gain - node.rest, edge.way)
                for node in layer
                for edge in node.edges
            ]
            found[number] = sorted(behind, key=lambda one: one[0])
        return found


def sample(data: bytes, start: int, end: int, numbers: Sequence[int]) -> Sample:
    """A message with elements *numbers*, from *start* to *end* of some bytes."""
    worth = map(_looks, view(data, "ascii"), view(data, "cp037"))
    return Sample(
        Search(data),
        start,
        end,
        frozenset(numbers),
        max(numbers, default=0),
        list(accumulate(worth, initial=0.0)),
    )


def _looks(*chars: str) -> float:
    """What a byte is worth that is one of *chars*, by its page."""
    found = [char for char in chars if char.isascii() and char.isprintable()]
    if any(char.isalnum() or char == " " for char in found):
        return _WORDS
    return _PRINTED if found else _ANY


def lattice(samples: Sequence[Sample], ways: Mapping[int, Sequence[Way]], work: Work) -> Lattice:
    """The layouts of *samples*, each element written in one of its *ways*; as far as there is one. What it
    costs is taken off the *work* that may still be done."""
    numbers = tuple(sorted({number for one in samples for number in one.numbers}))
    layers = [[Node(tuple(one.start for one in samples), 0.0)]]
    most_gone = int(_MOST_UNREAD * len(samples))
    margin = max(_LEAST_MARGIN, _MARGIN * len(samples))
    for number in numbers:
        if work.done:
            return Lattice(samples, numbers, layers, False)
        members = [place for place, one in enumerate(samples) if number in one.numbers]
        grown: dict[tuple[int, ...], Node] = {}
        for node in layers[-1]:
            work.left -= len(ways.get(number, ()))
            for way in ways.get(number, ()):
                made = _step(samples, node, number, members, way, most_gone)
                if made is None:
                    continue
                at, gain = made
                held = grown.get(at)
                if held is None:
                    held = grown[at] = Node(at, -inf)
                held.edges.append(Edge(node, way, gain))
                held.score = max(held.score, node.score + gain)
        if not grown:
            return Lattice(samples, numbers, layers, False)
        layers.append(_kept(list(grown.values()), margin))
    return Lattice(samples, numbers, layers, True)


def _step(
    samples: Sequence[Sample], node: Node, number: int, members: Sequence[int], way: Way, most_gone: int
) -> tuple[tuple[int, ...], float] | None:
    """Where *node* goes by element *number* written in one *way*, and what that saves."""
    at = list(node.at)
    gone = at.count(GONE)
    seen: set[bytes] = set()
    total, share = 0.0, (1 - _SHARE) * way.cost
    raw, prefixed = way.field.written == RAW, way.field.prefix > 0
    for place in members:
        here = at[place]
        if here == GONE:
            continue
        one = samples[place]
        read = one.search.step(way, number, here)
        if read is None or read[0].end > one.end or (number == one.last and read[0].end < one.end):
            gone += 1
            if gone > most_gone:
                return None
            at[place] = GONE
            total -= _UNREAD
            continue
        step, bits = read
        data = one.search.views.data
        end = at[place] = step.end
        if prefixed:
            # A length that is always the same says little, one of nothing says nothing.
            length = data[here : step.start]
            bits -= (way.gain + way.cost) * (step.start == end or length in seen)
            seen.add(length)
        bits += share
        if not raw:
            bits -= one.looks[end] - one.looks[here]
        bytes_read = data[here:end]
        total += _AGAIN * bits if bytes_read in seen else bits
        seen.add(bytes_read)
    return tuple(at), total


def _kept(grown: list[Node], margin: float) -> list[Node]:
    grown.sort(key=lambda one: -one.score)
    least = grown[0].score - margin
    kept = [one for one in grown[:_MOST_NODES] if one.score >= least]
    for one in kept:
        if len(one.edges) > _MOST_EDGES:
            one.edges = sorted(one.edges, key=lambda edge: -edge.before.score - edge.gain)[:_MOST_EDGES]
    return kept


def _sound(some: Sequence[tuple[Sample, Step]], way: Way) -> bool:
    """Whether *way* ends alike in *some* messages and reads nothing that is odd."""
    again = [(step, one.search.step(way, step.number, step.at)) for one, step in some]
    return all(made is not None and made[0].end == step.end and not made[0].odd for step, made in again)


def worth(some: Sequence[tuple[Sample, Step]], way: Way) -> float:
    """What *way* saves in *some* messages where an element stands; less than anything where it ends
    otherwise in one of them."""
    total = 0.0
    for one, step in some:
        read = one.search.step(way, step.number, step.at)
        if read is None or read[0].end != step.end:
            return -inf
        # A length of nothing says nothing.
        total += read[1] + (1 - _SHARE) * way.cost - (way.gain + way.cost) * (read[0].start == step.end)
    return total


def read_by(one: Sample, chosen: Mapping[int, Way]) -> tuple[list[Step], int]:
    """The elements of a message read by the ways *chosen*, and the element at which that stops; 0 for none,
    1 for its end."""
    steps: list[Step] = []
    at = one.start
    for number in sorted(one.numbers):
        way = chosen.get(number)
        read = one.search.step(way, number, at) if way else None
        if read is None or read[0].end > one.end:
            return steps, number
        steps.append(read[0])
        at = read[0].end
    return steps, 0 if at == one.end else 1
