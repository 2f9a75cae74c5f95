"""Reading the elements after an anchor: a beam search over the ways to write them, one state per byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from sim.codec.wire.decode import Views, place, value_of
from sim.codec.wire.formats import BCD, RAW
from sim.paste.anchors import Anchor
from sim.paste.front import Front, FrontLayer
from sim.paste.ways import TriedFormat, Way, odd_said, ways
from sim.paste.weights import WEIGHTS
from sim.paste.worth import NO_DIGITS

# States kept by bits saved less a flat rate per byte, and by bits saved alone. Without the rate, readings
# that ran ahead crowd out the right one; without the others, raw chip data eliminate it.
_EVEN, _MOST = 8, 3
_RATE_PACKED = WEIGHTS["rate_packed"]
_RATE = WEIGHTS["rate"]
_MOST_ODD, _ODD_RIVAL = 4, 2
# Bits of rank; on the samples, no wrong anchor ever rivaled a sound reading.
_FAR_LESS = WEIGHTS["far_less"]
# Twenty times as much, or a quarter less, changes no verdict on the samples; 100 take one or two ms.
MOST_WORK = 3000
A_JOB = 4
_LONG = 128  # bytes of an element that count as one more element of work
_LETTERS = WEIGHTS["no_date"]  # a value of packed digits that contains letters
UNREAD_ELEMENT = WEIGHTS["unread"]  # the cost in bits of each element that could not be read


class Step(NamedTuple):
    """One element: where it, its value and what follows start; its value for each way to pad an odd number of
    digits; and what is odd about it."""

    number: int
    way: Way
    at: int
    start: int
    end: int
    values: tuple[tuple[str, str], ...]
    odd: str

    @property
    def value(self) -> str:
        """The value, padded as the format pads if that is possible."""
        return self.values[0][1]


class State(NamedTuple):
    """A partial reading: bits saved, the byte reached, the number of odd elements, and the last step."""

    score: float
    at: int
    odd: int
    last: tuple[object, Step, float] | None

    def steps(self) -> list[Step]:
        """The steps in order."""
        return [step for step, _ in self.trail()]

    def trail(self) -> list[tuple[Step, float]]:
        """The steps in order, each with the score reached."""
        pairs, node = [], self.last
        while node is not None:
            pairs.append((node[1], node[2]))
            node = node[0]  # type: ignore[assignment]
        return pairs[::-1]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: readings of all elements, the best first; otherwise the best `partial` one and
    the element at which it stops."""

    finished: tuple[State, ...]
    partial: State
    stop: int


class Work:
    """The budget of a guess, in elements read and states extended: a paste crafted to look like a message at
    every byte, in every notation, costs no more than one that is hard to read."""

    __slots__ = ("kept", "least_rank", "left", "most_odd")

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left
        self.kept = left // 3  # for deviations of links from their format
        self.begin()

    def begin(self) -> None:
        """Start on new bytes, in which nothing has been found yet."""
        # A reading with as many odd elements is abandoned.
        self.most_odd = _MOST_ODD
        # Anchors less likely than this are skipped.
        self.least_rank = -inf

    def settled(self, anchor: Anchor) -> None:
        """Record that a reading from *anchor* has nothing odd: readings odder than a rival may be are
        abandoned, and far less likely places are skipped."""
        self.most_odd = _ODD_RIVAL
        self.least_rank = max(self.least_rank, anchor.rank - _FAR_LESS)

    @property
    def strictly_done(self) -> bool:
        """Whether no more formats are tried unchanged."""
        return self.left <= self.kept

    @property
    def done(self) -> bool:
        """Whether nothing more is tried."""
        return self.left <= 0


class Search:
    """The bytes of one sighting, with everything read in them so far."""

    __slots__ = ("_read", "_seen", "around", "views", "work")

    def __init__(self, data: bytes, work: Work | None = None) -> None:
        self.views = Views(data)
        self.work = work or Work()
        # The framing of a message, by where it starts and ends.
        self.around: dict[tuple[int, int | None], tuple[Front, FrontLayer | None]] = {}
        self._seen: dict[tuple[int, int], tuple[Step, float] | None] = {}
        self._read: dict[tuple[object, ...], Found] = {}

    def step(self, way: Way, number: int, at: int) -> tuple[Step, float] | None:
        """Read element *number* at byte *at* in one way; return the step and the bits saved, or None."""
        key = (id(way), at)
        if key not in self._seen:
            result = self._seen[key] = self._step(way, number, at)
            self.work.left -= 1 + ((result[0].end - at) // _LONG if result else 0)
        return self._seen[key]

    def _step(self, way: Way, number: int, at: int) -> tuple[Step, float] | None:
        views = self.views
        size, start, end = place(views, at, way.field)
        if size < 0 or end > len(views.data):
            return None
        values: list[tuple[str, str]] = []
        for field in way.fields:
            value = value_of(views, start, end, size, field)
            if value is None:
                continue
            if not values or all(value != other for _, other in values):
                values.append((odd_said(field), value))
            if len(value) % 2 == 0:
                break
        if not values:
            return self._no_digits(way, number, size, (at, start, end))
        bits, odd = way.weigh(values[0][1])
        if len(values) > 1 and odd:
            for which, (_, value) in enumerate(values[1:], 1):
                other, other_odd = way.weigh(value)
                if not other_odd:
                    bits, odd = other, ""
                    values.insert(0, values.pop(which))
                    break
        return Step(number, way, at, start, end, tuple(values), odd), bits + way.gain

    def _no_digits(
        self, way: Way, number: int, size: int, span: tuple[int, int, int]
    ) -> tuple[Step, float] | None:
        """Read packed digits or a track that contain letters, as some links write codes and as a changed byte
        causes: the elements after it are not lost. None for other elements."""
        if way.field.written != BCD or way.field.content not in ("n", "z"):
            return None
        digits = self.views.piece(RAW, *span[1:])
        digits = digits[-size:] if way.field.odd.left else digits[:size]
        odd = f"DE {number} {NO_DIGITS}"
        return Step(number, way, *span, ((odd_said(way.field), digits),), odd), _LETTERS + way.gain

    def read(self, anchor: Anchor, kind: TriedFormat, version: str, strict: bool) -> Found:
        """Read all elements that *anchor* announces, as links of *kind* may write them; once per paste."""
        key = (anchor.at, anchor.head, kind, version, strict, self.work.most_odd)
        self.work.left -= A_JOB
        result = self._read.get(key)
        if result is None:
            result = self._read[key] = self._beam_search(anchor, kind, version, strict)
        return result

    def _beam_search(self, anchor: Anchor, kind: TriedFormat, version: str, strict: bool) -> Found:
        beam = [State(anchor.score - kind.cost, anchor.end, 0, None)]
        numbers = anchor.numbers
        partial, stop, unread = beam[0], 0, UNREAD_ELEMENT * len(numbers)
        most = beam[0].score - unread
        rate = _RATE_PACKED if kind.packed else _RATE
        for read, number in enumerate(numbers, 1):
            tried = ways(kind, version, number, strict)
            self.work.left -= len(beam)
            unread -= UNREAD_ELEMENT
            grown = self._grown(beam, tried, number)
            if not grown:
                return Found((), partial, numbers[stop])
            beam = _kept(grown, rate)
            # In a damaged message, prefer what precedes the damage to what reads furthest after it.
            for state in beam:
                if state.score - unread > most:
                    partial, stop, most = state, read, state.score - unread
        return Found(tuple(beam), partial, 0)

    def _grown(self, beam: list[State], tried: Sequence[Way], number: int) -> list[State]:
        """Extend the states of *beam* by element *number*; keep the best for each byte reached."""
        best: dict[int, State] = {}
        most_odd = self.work.most_odd
        for state in beam:
            for way in tried:
                read = self.step(way, number, state.at)
                if read is None:
                    continue
                step, bits = read
                odd = state.odd + 1 if step.odd else state.odd
                score = state.score + bits
                rival = best.get(step.end)
                if odd < most_odd and (rival is None or rival.score < score):
                    best[step.end] = State(score, step.end, odd, (state.last, step, score))
        return list(best.values())


def _kept(grown: list[State], rate: float) -> list[State]:
    """The states to extend further, those that saved the most first."""
    most = sorted(grown, key=lambda state: -state.score)[:_MOST]
    even = sorted(grown, key=lambda state: rate * state.at - state.score)[:_EVEN]
    return list({state.at: state for state in (*most, *even)}.values())
