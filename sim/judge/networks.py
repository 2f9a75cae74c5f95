"""Rules of one network: its card numbers, MTIs, required elements and formats.

The rows are data (`data/networks`); here are the few predicates and checks they name. What applies
to a network, MTI, version and set of elements is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

from sim.codec import Message
from sim.elements.pan import account, luhn_ok
from sim.judge.conditions import PREDICATES
from sim.judge.engine import Located, RuleText, catalogue
from sim.judge.finding import Hit, Severity
from sim.judge.questions import Inquiry, Question
from sim.kept import Kept
from sim.spec import version_of
from sim.spec.networks import (
    NETWORKS,
    FormatRow,
    Presence,
    detect,
    element_name,
    formats,
    judge,
    network,
    presence,
)

_CACHE_SIZE = 1024
_IIN_DIGITS = 6
_TRACK_1 = 45
# Checks in which the network's own rows count.
_OF_A_NETWORK = ("response_code", "layout", "places", "coded", "agrees", "needs", "subelement_sizes")


class Formats(NamedTuple):
    """A network's formats of messages of a version and MTI, and by the place of each question: of which
    format it is, and about which element, in the order in which they are asked."""

    rows: tuple[tuple[RuleText, str], ...]
    by_place: dict[int, list[tuple[int, int, int]]]


class _Presence(NamedTuple):
    """Elements that a network wants and does not want, as bits, and what it says of each."""

    wanted: int
    unwanted: int
    said: dict[int, tuple[Located, ...]]

    def and_then(self, more: _Presence) -> _Presence:
        """What this and *more* say."""
        said = {bit: self.said.get(bit, ()) + more.said.get(bit, ()) for bit in (*self.said, *more.said)}
        return _Presence(self.wanted | more.wanted, self.unwanted | more.unwanted, said)


class _NetworkRows:
    """What one network asks of messages of a version and MTI: what it says of any, the elements that shall
    be there, always and by condition, and formats with their questions."""

    def __init__(
        self, said: tuple[Located, ...], presence: dict[str, _Presence], told: Formats, conditions: list[str]
    ) -> None:
        self.said, self.presence, self.formats = said, presence, told
        self._conditions = conditions
        self._where: dict[int, _Presence] = {}
        self._kept: Kept[tuple[int, int], tuple[Located, ...]] = Kept(32)

    def missed(self, held: int, mask: int, lasting: bool) -> tuple[Located, ...]:
        """What is said of the elements of *mask*, as bits, where the conditions *held* hold: of those that
        shall be there and are not, and of those that are there and shall not. It is remembered of *lasting*
        kinds of messages."""
        if not lasting:
            return self._missed(held, mask)
        known = self._kept.get((held, mask))
        return self._kept.keep((held, mask), self._missed(held, mask)) if known is None else known

    def _missed(self, held: int, mask: int) -> tuple[Located, ...]:
        wanted, unwanted, said = self._where.get(held) or self._where_held(held)
        wrong = wanted & ~mask | unwanted & mask
        hits = self.said
        while wrong:  # few of all that could be said
            bit = wrong & -wrong
            hits += said[bit]
            wrong ^= bit
        return hits

    def _where_held(self, held: int) -> _Presence:
        """The elements that shall be there where the conditions *held* hold, as bits of their places."""
        known = self.presence.get("", _Presence(0, 0, {}))
        for place, condition in enumerate(self._conditions):
            if held >> place & 1 and condition in self.presence:
                known = known.and_then(self.presence[condition])
        self._where[held] = known
        return known


class Tables:
    """What networks ask of messages of a version and MTI: the questions about each element, those that are
    free apart from the others; each network's rows; and the conditions of all, each with the elements that
    some network wants then, or does not want, as bits."""

    def __init__(self, version: str, mti: str) -> None:
        made: dict[tuple[Any, ...], Question] = {}
        conditions: list[str] = []
        self.rows = {name: _rows_of(name, version, mti, made, conditions) for name in NETWORKS}
        self.others: dict[int, list[Question]] = {}
        free: dict[int, list[Question]] = {}
        for one in made.values():
            (free if one.free else self.others).setdefault(one.number, []).append(one)
        self.free = {number: Inquiry(number, asked) for number, asked in free.items()}
        self._conditions = []
        for place, condition in enumerate(conditions):
            each = [rows.presence[condition] for rows in self.rows.values() if condition in rows.presence]
            bits = reduce(or_, (one.wanted for one in each)), reduce(or_, (one.unwanted for one in each))
            self._conditions.append((1 << place, *bits, PREDICATES[condition]))

    def held(self, message: Message, mask: int) -> int:
        """Which conditions hold of *message* with the elements of *mask*, of those that anything hangs on."""
        found = 0
        for bit, wanted, unwanted, holds in self._conditions:
            if (wanted & ~mask or unwanted & mask) and holds(message):
                found |= bit
        return found


tables = lru_cache(maxsize=_CACHE_SIZE)(Tables)


def _rows_of(
    name: str, version: str, mti: str, made: dict[tuple[Any, ...], Question], conditions: list[str]
) -> _NetworkRows:
    """The rows of network *name*; what they ask is added to *made*, their conditions to *conditions*."""
    asked: dict[str, _Presence] = {}
    # Rows are keyed by the wire's MTI: a 1987 row says nothing of a message read as 1993.
    for row in presence(name, mti) if version_of(mti) == version else ():
        if row.severity == "none" or row.presence == "O" or (row.when and row.when not in PREDICATES):
            continue
        if row.when and row.when not in conditions:
            conditions.append(row.when)
        bit, must = 1 << row.field, row.presence in "MC"
        one = _Presence(bit * must, bit * (not must), {bit: (_presence_hit(row, name, version),)})
        asked[row.when] = asked[row.when].and_then(one) if row.when in asked else one
    told: list[tuple[RuleText, str]] = []
    by_place: dict[int, list[tuple[int, int, int]]] = {}
    for item in formats(name, mti, version):
        if not item.standard:
            for at, number in enumerate(item.fields):
                place = _place(made, version, number, item, name)
                by_place.setdefault(place, []).append((len(told), at, number))
            severity = Severity(item.severity)
            text = RuleText(f"{name.lower()}-{item.id}", severity, item.expected, item.source, item.hint)
            told.append((text, item.expected))
    formed = Formats(tuple(told), by_place)
    return _NetworkRows(tuple(_version_hits(mti, name)), asked, formed, conditions)


def _place(
    made: dict[tuple[Any, ...], Question], version: str, number: int, item: FormatRow, name: str
) -> int:
    """The place of a question, which is new or one that another network asks, too."""
    asker = name if item.check in _OF_A_NETWORK else ""
    told = (item.pattern, item.values, item.at, item.parts, item.beside, item.when, item.wrapper)
    key = (number, asker, item.check, told, item.min, item.max, item.multiple, item.lead)
    if key not in made:
        made[key] = Question(version, len(made), number, item, asker)
    return made[key].place


class Facts:
    """What several networks want to know of one message, worked out once. *asked* is what they ask of its
    type, *mask* its elements as bits, *lasting* whether its kind is. *answers* are what was found for the
    questions that are `free`; *others* are those that are not."""

    __slots__ = (
        "_held",
        "_luhn",
        "asked",
        "at",
        "field",
        "found",
        "iin",
        "lasting",
        "length",
        "mask",
        "message",
        "pan",
    )

    def __init__(
        self,
        message: Message,
        asked: Tables,
        mask: int,
        answers: Iterable[tuple[int, str]],
        others: Iterable[Question],
        lasting: bool,
    ) -> None:
        self.message, self.asked, self.mask, self.lasting = message, asked, mask, lasting
        self.field, self.pan = account(message)
        if not (self.pan.isascii() and self.pan.isdigit()):
            self.field, self.pan = 0, ""
        self.at = 1 if self.field == _TRACK_1 else 0
        self.iin, self.length = self.pan[:_IIN_DIGITS], len(self.pan)
        self._luhn: bool | None = None
        self._held: int | None = None
        self.found = dict(answers)
        fields = message.fields
        for one in others:
            wrong = one.ask(message, fields[one.number] if one.number else message.mti)
            if wrong is not None:
                self.found[one.place] = wrong

    @property
    def luhn(self) -> bool:
        """Whether the card's check digit is right."""
        if self._luhn is None:
            self._luhn = luhn_ok(self.pan)
        return self._luhn

    @property
    def held(self) -> int:
        """Which conditions hold, as bits."""
        if self._held is None:
            self._held = self.asked.held(self.message, self.mask)
        return self._held


def network_hits(facts: Facts, name: str) -> tuple[Located, ...]:
    """What network *name*'s rules say of a message, not yet located."""
    rows = facts.asked.rows[name]
    hits = rows.missed(facts.held, facts.mask, facts.lasting)
    if facts.field:
        hits += _card_hits(facts, name)
    if facts.found and not facts.found.keys().isdisjoint(rows.formats.by_place):
        hits += tuple(_format_hits(facts, rows.formats))
    return hits


def _card_hits(facts: Facts, name: str) -> tuple[Located, ...]:
    owned, enforced, said = _card(name, facts.iin, facts.length, facts.field, facts.at)
    if not owned or facts.luhn:
        return said
    severity, place = None if enforced else Severity.INFO, facts.at + facts.length - 1
    hit = Hit(facts.field, "a right check digit", "a wrong one", place, 1, severity=severity)
    return *said, (catalogue()["luhn"], hit)


def _format_hits(facts: Facts, told: Formats) -> list[Located]:
    hits: list[Located] = []
    judged: set[int] = set()
    found = ((one, wrong) for place, wrong in facts.found.items() for one in told.by_place.get(place, ()))
    for (row, _, number), wrong in sorted(found):
        # An element with an error is not judged on its finer points.
        if number not in judged:
            text, expected = told.rows[row]
            hits.append((text, Hit(number, expected, wrong)))
            if text.severity is Severity.ERROR:
                judged.add(number)
    return hits


def _presence_hit(row: Presence, name: str, version: str) -> Located:
    title = network(name).title
    element = element_name(version, row.field, name)
    rule_id = "forbidden-element" if row.presence == "X" else "required-element"
    text = catalogue()[rule_id]
    hint = text.hint + (f" {title}: {row.condition}." if row.condition else "")
    words = RuleText(rule_id, Severity(row.severity), text.checks, row.source, hint)
    if row.presence == "X":
        return words, Hit(row.field, f"no {element} in {row.mti} of {title}", "one")
    return words, Hit(row.field, f"{element} (required by {title} in {row.mti})", "none")


def _version_hits(mti: str, name: str) -> Iterator[Located]:
    versions = network(name).mti_versions
    if severity := versions.severity(mti):
        text = catalogue()["network-mti-version"]
        words = RuleText(text.id, Severity(severity), text.checks, versions.source, versions.hint)
        yield words, Hit(0, versions.expected, mti, 0, 1)


@lru_cache(maxsize=_CACHE_SIZE)
def _card(name: str, iin: str, length: int, field: int, at: int) -> tuple[bool, bool, tuple[Located, ...]]:
    """Whether cards of this IIN and length are network *name*'s own and their check digit is asked
    for, whether it counts, and what the network says of such a card. Keeps no card number."""
    pan = iin.ljust(length, "0")
    verdict, owner = judge(name, pan), detect(pan)
    owned = owner is not None and owner.network == name and verdict.severity != "error"
    enforced = owner is not None and owner.range.luhn
    if not verdict.severity:
        return owned, enforced, ()
    text = catalogue()["pan-network"]
    hint = f"{text.hint} {verdict.reason}."
    words = RuleText(text.id, Severity(verdict.severity), text.checks, verdict.source, hint)
    return owned, enforced, ((words, Hit(field, verdict.expected, verdict.found, at, length)),)
