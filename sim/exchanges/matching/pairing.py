"""The one pass over messages that pairs them, on columns of whole numbers.

`sim.exchanges.matching.match` makes the numbers from messages, `sim.tables` from columns: equal numbers mean
equal values. The pass looks at each message once and at a bounded number of earlier ones with the same key,
so its time is linear in the number of messages.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.exchanges.matching.rules import ACKNOWLEDGEMENT, ANSWER, ASK, NONE, REPEAT

Ints = Sequence[int]

# How many earlier messages with the same key are tried: if a host never changes its STAN, all share one.
_MOST_TRIED = 16
_MISSING = -1

# The roles that pairing assigns.
ROLES = (
    *("request", "repeat", "duplicate", "replay", "answer", "late answer", "answer again"),
    *("answer without request", "acknowledgement", "acknowledgement without request", "no message"),
)
REQUESTED, REPEATED, DUPLICATE, REPLAY, ANSWERED, LATE, AGAIN = range(7)
ORPHAN, ACKNOWLEDGED, LOST, UNREAD = range(7, 11)


@dataclass(frozen=True, slots=True)
class Keys:
    """One rule as columns: `earlier` is the key by which a message is found, `later` the one by which it
    seeks, below `size`, -1 for none; `agree` are pairs of columns (earlier, later), 0
    where a value is missing."""

    size: int
    earlier: Ints
    later: Ints
    agree: tuple[tuple[Ints, Ints], ...] = ()

    def agrees(self, before: int, now: int) -> bool:
        """Whether nothing that both messages say differs."""
        return all(not (a := first[before]) or not (b := two[now]) or a == b for first, two in self.agree)


@dataclass(frozen=True, slots=True)
class Traffic:
    """Messages as columns: their roles, keys per rule, numbers of equal messages (`bodies`, -1 for one unlike
    any other), which are `reversals`, and seconds (None: only the order is known)."""

    roles: Ints
    answers: tuple[Keys, ...]
    originals: tuple[Keys, ...]
    approved: tuple[Keys, ...]
    bodies: Ints
    reversals: Ints
    seconds: Sequence[float] | None = None


def _column(size: int, value: int = 0) -> array[int]:
    return array("q", [value]) * size


class Exchanges:
    """Columns with a number per exchange, -1 for none, except `owner` and `became`, which have a number per
    message: its exchange, and its role as an index into `ROLES`."""

    def __init__(self, messages: int) -> None:
        self.count = 0
        self.request, self.answer, self.rule = (_column(messages, _MISSING) for _ in range(3))
        self.original, self.reversed_by = _column(messages, _MISSING), _column(messages, _MISSING)
        self.repeats, self.duplicates, self.replays = (_column(messages) for _ in range(3))
        self.again, self.late, self.transaction = (_column(messages) for _ in range(3))
        self.owner, self.became = _column(messages, _MISSING), _column(messages, UNREAD)

    def open(self, request: int, answer: int = _MISSING) -> int:
        """Open a new exchange and return its number."""
        at = self.count
        self.count = at + 1
        self.request[at], self.answer[at], self.transaction[at] = request, answer, at
        return at

    def trimmed(self) -> Exchanges:
        """Cut the columns to the number of exchanges."""
        for name, column in vars(self).items():
            if isinstance(column, array) and name not in ("owner", "became"):
                del column[self.count :]
        return self


class _Book:
    """Exchanges by the key of one rule: the last one, and for each its predecessor."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._last = array("q", [_MISSING]) * keys.size
        self._before: dict[int, int] = {}

    def enter(self, at: int, message: int) -> None:
        key = self._keys.earlier[message]
        if key >= 0:
            before = self._last[key]
            if before >= 0:
                self._before[at] = before
            self._last[key] = at

    def enter_also(self, at: int, message: int) -> None:
        """Enter a second key of an exchange, unless another exchange has it."""
        key = self._keys.earlier[message]
        if key >= 0 and self._last[key] < 0:
            self._last[key] = at

    def candidates(self, message: int, heads: Sequence[int]) -> Iterable[int]:
        """Exchanges that *message* may belong to, the latest first; *heads* are their first messages."""
        key = self._keys.later[message]
        at = self._last[key] if key >= 0 else _MISSING
        tried = 0
        while at >= 0 and tried < _MOST_TRIED:
            if self._keys.agrees(heads[at], message):
                yield at
            at = self._before.get(at, _MISSING)
            tried += 1


class _Pass:
    """The state of the pass."""

    def __init__(self, traffic: Traffic, timeout: float) -> None:
        self.traffic = traffic
        self.timeout = timeout
        self.made = Exchanges(len(traffic.roles))
        self.heads = array("q")  # the first message of each exchange
        self.repeated: dict[int, int] = {}  # the last repeat of its request
        self.by_body: dict[int, int] = {}
        self.answers = [(at, _Book(keys)) for at, keys in enumerate(traffic.answers) if keys.size]
        self.originals = [_Book(keys) for keys in traffic.originals if keys.size]
        self.approved = [_Book(keys) for keys in traffic.approved if keys.size]

    def find(self, message: int) -> tuple[int, int]:
        """The exchange that *message* belongs to, and the rule: the first that finds one, and an open
        exchange before a closed one."""
        answer = self.made.answer
        for rule, book in self.answers:
            closed = _MISSING
            for at in book.candidates(message, self.heads):
                if answer[at] < 0:
                    return at, rule
                if closed < 0:
                    closed = at
            if closed >= 0:
                return closed, rule
        return _MISSING, _MISSING

    def put(self, message: int, at: int, role: int) -> None:
        self.made.owner[message] = at
        self.made.became[message] = role

    def ask(self, message: int) -> None:
        """Take a request: a copy of an earlier one, or a new exchange."""
        exchanges, body = self.made, self.traffic.bodies[message]
        at = self.by_body.get(body, _MISSING) if body >= 0 else _MISSING
        if at < 0:
            self.begin(message, REQUESTED)
            if body >= 0:
                self.by_body[body] = exchanges.owner[message]
            return
        replay = exchanges.answer[at] >= 0
        (exchanges.replays if replay else exchanges.duplicates)[at] += 1
        self.put(message, at, REPLAY if replay else DUPLICATE)

    def begin(self, message: int, role: int) -> None:
        at = self.made.open(message)
        self.heads.append(message)
        self.put(message, at, role)
        for _, book in self.answers:
            book.enter(at, message)
        self.link(message, at)
        for book in self.originals:
            book.enter(at, message)

    def link(self, message: int, at: int) -> None:
        """Link a reversal, or any message that refers to an original, to that."""
        for book in (*self.originals, *self.approved):
            for earlier in book.candidates(message, self.heads):
                self.made.original[at] = earlier
                self.made.transaction[at] = self.made.transaction[earlier]
                if self.traffic.reversals[message] and self.made.reversed_by[earlier] < 0:
                    self.made.reversed_by[earlier] = at
                return

    def repeat(self, message: int) -> None:
        at, _ = self.find(message)
        if at < 0:
            # The original request is missing: the repeat takes its place.
            self.begin(message, REPEATED)
            return
        self.made.repeats[at] += 1
        self.repeated[at] = message
        self.put(message, at, REPEATED)
        for _, book in self.answers:
            book.enter_also(at, message)

    def reply(self, message: int) -> None:
        exchanges = self.made
        at, rule = self.find(message)
        if at < 0:
            at = exchanges.open(_MISSING, message)
            self.heads.append(message)
            self.put(message, at, ORPHAN)
        elif exchanges.answer[at] >= 0:
            exchanges.again[at] += 1
            self.put(message, at, AGAIN)
        else:
            exchanges.answer[at], exchanges.rule[at] = message, rule
            late = exchanges.reversed_by[at] >= 0 or self.waited(at, message) > self.timeout
            exchanges.late[at] = late
            self.put(message, at, LATE if late else ANSWERED)
            for book in self.approved:
                book.enter(at, message)

    def waited(self, at: int, message: int) -> float:
        """Seconds since the request was last sent."""
        seconds = self.traffic.seconds
        sent = self.repeated.get(at, self.made.request[at])
        return 0.0 if seconds is None else seconds[message] - seconds[sent]

    def acknowledge(self, message: int) -> None:
        at, _ = self.find(message)
        if at < 0:
            at = self.made.open(_MISSING)
            self.heads.append(message)
            self.put(message, at, LOST)
        else:
            self.put(message, at, ACKNOWLEDGED)


def pair(traffic: Traffic, timeout: float) -> Exchanges:
    """Pair *traffic*; a response after *timeout* seconds, or after the reversal of its request, is late."""
    work = _Pass(traffic, timeout)
    steps = {ASK: work.ask, REPEAT: work.repeat, ANSWER: work.reply, ACKNOWLEDGEMENT: work.acknowledge}
    roles, seconds = traffic.roles, traffic.seconds
    order: Iterable[int] = range(len(roles))
    if seconds is not None:
        # Messages without a time (not a number) go to the end, in their order.
        order = sorted(order, key=lambda at: (seconds[at] != seconds[at], seconds[at]))
    for message in order:
        if roles[message] != NONE:
            steps[roles[message]](message)
    return work.made.trimmed()
