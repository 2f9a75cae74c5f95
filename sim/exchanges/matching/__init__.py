"""Transactions: requests with their responses, repeats, reversals, and late or duplicate messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.codec import Message
from sim.elements.card import chosen_network
from sim.exchanges.matching.pairing import ROLES, Exchanges, Keys, Traffic, pair
from sim.exchanges.matching.rules import ANSWER, NONE, Link, kind, role, rules
from sim.exchanges.matching.rules import awaits as awaited
from sim.spec import VERSIONS

__all__ = ["ROLES", "STATES", "TIMEOUT", "Pair", "awaited", "match"]

# Our choice: how long terminals and acquirers wait at most, in seconds.
TIMEOUT = 60.0
STATES = ("answered", "late", "unanswered", "no answer due", "no request")
_REVERSAL = "4"


@dataclass(frozen=True, slots=True)
class Pair:
    """A request, its response, and the messages that belong to them. Messages are numbered from 0 in the
    given order, None for none. `original` and `reversed_by` are numbers of pairs; `transaction` is the number
    of the transaction's first pair. `latency` is in seconds, `matched_by` as in `DE 7, 11`."""

    transaction: int
    request: int | None
    answer: int | None
    state: str
    latency: float | None
    repeats: int
    duplicates: int
    replays: int
    answers_again: int
    original: int | None
    reversed_by: int | None
    matched_by: str
    messages: tuple[int, ...]


def match(
    messages: Iterable[Message],
    seconds: Sequence[float] | None = None,
    timeout: float = TIMEOUT,
) -> tuple[Pair, ...]:
    """Pair *messages*, given in the order in which they were seen, or with the *seconds* of each.

    >>> from sim.codec import parse
    >>> asked = parse("08002020000000000000990000123456")
    >>> told = parse("0810202000000200000099000012345600")
    >>> match([asked, told])[0].state
    'answered'
    """
    in_order = list(messages)
    networks = [chosen_network(item, None) or "" for item in in_order]
    exchanges = pair(_traffic(in_order, networks, seconds), timeout)
    members: list[list[int]] = [[] for _ in exchanges.request]
    for message, owner in enumerate(exchanges.owner):
        if owner >= 0:
            members[owner].append(message)
    return tuple(
        _exchange(exchanges, at, in_order, seconds, tuple(members[at]))
        for at in range(len(exchanges.request))
    )


def _state(request_mti: str | None, answered: bool, late: bool) -> str:
    """The state of a pair, one of `STATES`."""
    if request_mti is None:
        return "no request"
    if answered:
        return "late" if late else "answered"
    return "unanswered" if awaited(request_mti) else "no answer due"


def _exchange(
    exchanges: Exchanges,
    at: int,
    held: Sequence[Message],
    seconds: Sequence[float] | None,
    members: tuple[int, ...],
) -> Pair:
    request, answer = _or_none(exchanges.request[at]), _or_none(exchanges.answer[at])
    mti = None if request is None else held[request].mti
    both = seconds is not None and request is not None and answer is not None
    waited = seconds[answer] - seconds[request] if both and seconds else None  # type: ignore[index]
    version = "" if answer is None else held[answer].version
    by = rules(version, "answer")[exchanges.rule[at]].label if exchanges.rule[at] >= 0 else ""
    return Pair(
        exchanges.transaction[at],
        request,
        answer,
        _state(mti, answer is not None, bool(exchanges.late[at])),
        waited,
        exchanges.repeats[at],
        exchanges.duplicates[at],
        exchanges.replays[at],
        exchanges.again[at],
        _or_none(exchanges.original[at]),
        _or_none(exchanges.reversed_by[at]),
        by,
        members,
    )


def _or_none(number: int) -> int | None:
    return number if number >= 0 else None


def _traffic(held: Sequence[Message], networks: Sequence[str], seconds: Sequence[float] | None) -> Traffic:
    bodies: dict[object, int] = {}
    return Traffic(
        [role(message.mti) if message.version in VERSIONS else NONE for message in held],
        _columns(held, networks, "answer"),
        _columns(held, networks, "original"),
        _columns(held, networks, "approved"),
        [bodies.setdefault((message.mti, *sorted(message.fields.items())), len(bodies)) for message in held],
        [message.mti[1:2] == _REVERSAL for message in held],
        seconds,
    )


def _columns(held: Sequence[Message], networks: Sequence[str], link: Link) -> tuple[Keys, ...]:
    """The keys of each rule; rules of different versions share a column by their position."""
    most = max(len(rules(version, link)) for version in VERSIONS)
    return tuple(_keys(held, networks, link, at) for at in range(most))


def _keys(held: Sequence[Message], networks: Sequence[str], link: Link, at: int) -> Keys:
    ids: dict[object, int] = {}
    earlier, later = [-1] * len(held), [-1] * len(held)
    width = max(len(rows[at].agree) for version in VERSIONS if at < len(rows := rules(version, link)))
    agree = tuple(([0] * len(held), [0] * len(held)) for _ in range(width))
    for place, message in enumerate(held):
        if at >= len(rows := rules(message.version, link)):
            continue
        rule = rows[at]
        kind, answers = message.mti[1:2], role(message.mti) == ANSWER
        if answers == (link == "approved") and rule.found(kind, networks[place]):
            earlier[place] = _key([tie.earlier.of(message) for tie in rule.ties], message, link, ids)
        if rule.seeks(kind):
            later[place] = _key([tie.later.of(message) for tie in rule.ties], message, link, ids)
        for name, tie in enumerate(rule.agree):
            for side, column in zip((tie.earlier, tie.later), agree[name], strict=True):
                value = side.of(message)
                column[place] = ids.setdefault((name, value), len(ids) + 1) if value else 0
    return Keys(len(ids), earlier, later, agree)


def _key(values: Sequence[str], message: Message, link: Link, ids: dict[object, int]) -> int:
    """The number of a message's *values*, the same for equal ones; -1 if one is missing."""
    if not all(values):
        return -1
    kinds = kind(message.mti) if link == "answer" else message.version
    return ids.setdefault((kinds, message.version, *values), len(ids))
