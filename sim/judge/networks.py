"""Rules of one network: its card numbers, MTIs, required elements and formats.

The rows are data (`data/networks`); here are the few predicates and checks they name. What applies
to a network, MTI, version and set of elements is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

from sim.codec import Message
from sim.elements.pan import account, luhn_ok
from sim.errors import locate
from sim.judge.conditions import PREDICATES
from sim.judge.engine import SILENT, Heard, Located, RuleText, catalogue, heard
from sim.judge.finding import Hit, Severity
from sim.judge.questions import Inquiry, Question
from sim.spec import version_of
from sim.spec.network_records import FormatRow, Presence
from sim.spec.networks import NETWORKS, detect, element_name, formats, judge, network, presence

_CACHE_SIZE = 1024
_IIN_DIGITS = 6
_ERROR = Severity.ERROR
_TRACK_1 = 45
# Checks in which the network's own rows count.
_OF_A_NETWORK = ("response_code", "layout", "places", "coded", "agrees", "needs", "subelement_sizes")


class Formats(NamedTuple):
    """A network's formats of messages of a version and MTI, and by the place of each question: of which
    format it is, and about which element, in the order in which they are asked."""

    rows: tuple[tuple[RuleText, str], ...]
    by_place: dict[int, list[Asked]]


# Of which format a question is, which of its elements it is about, and that element; what was found wrong.
Asked = tuple[int, int, int]
Misfit = tuple[Asked, str]


class _Presence(NamedTuple):
    """Elements that a network wants and does not want, as bits, what it says of each, and of which that is an
    error."""

    wanted: int
    unwanted: int
    said: dict[int, Heard]
    loud: int

    def and_then(self, more: _Presence) -> _Presence:
        """What this and *more* say."""
        mine, others = self.said, more.said
        said = {bit: mine.get(bit, SILENT).and_then(others.get(bit, SILENT)) for bit in (*mine, *others)}
        return _Presence(
            self.wanted | more.wanted, self.unwanted | more.unwanted, said, self.loud | more.loud
        )


# What a network says of a message: which elements, as bits, it misses or does not want, what `_Presence` says
# of each, and what else is said before that and behind it. A plain tuple: six are made for each new message.
Told = tuple[_Presence, int, Heard, Heard]


def plainly(said: Heard) -> Told:
    """What is *said*, with nothing of elements that are missed or not wanted."""
    return (_NO_PRESENCE, 0, said, SILENT) if said is not SILENT else QUIET


def wrong(told: Told) -> tuple[Hit, ...]:
    """The errors."""
    presence, bits, before, behind = told
    hits, loud = before.wrong, bits & presence.loud
    while loud:  # few of all that could be said
        bit = loud & -loud
        hits += presence.said[bit].wrong
        loud ^= bit
    return hits + behind.wrong


def found(told: Told) -> tuple[Located, ...]:
    """All of it."""
    presence, bits, before, behind = told
    said = before.found
    while bits:
        bit = bits & -bits
        said += presence.said[bit].found
        bits ^= bit
    return said + behind.found


@dataclass(slots=True, eq=False, repr=False)
class _NetworkRows:
    """What one network asks of messages of a version and MTI: what it says of any, the elements that shall
    be there, always and by condition, and formats with their questions."""

    said: Heard
    presence: dict[str, _Presence]
    formats: Formats
    _conditions: list[str]

    def where(self, held: int) -> _Presence:
        """The elements that shall be there, or not, where the conditions *held*, as bits, hold."""
        found = self.presence.get("", _NO_PRESENCE)
        for place, condition in enumerate(self._conditions):
            if held >> place & 1 and condition in self.presence:
                found = found.and_then(self.presence[condition])
        return found


_NO_PRESENCE = _Presence(0, 0, {}, 0)
QUIET: Told = _NO_PRESENCE, 0, SILENT, SILENT


class Tables:
    """What networks ask of messages of a version and MTI: the questions about each element, those that are
    free apart from the others, and by its place who asks each; each network's rows; and the conditions of
    all, each with the elements that some network wants then, or does not want, as bits."""

    def __init__(self, version: str, mti: str) -> None:
        made: dict[tuple[Any, ...], Question] = {}
        conditions: list[str] = []
        self.rows = {name: _rows_of(name, version, mti, made, conditions) for name in NETWORKS}
        self.others: dict[int, list[Question]] = {}
        free: dict[int, list[Question]] = {}
        for one in made.values():
            (free if one.free else self.others).setdefault(one.number, []).append(one)
        self.free = {number: Inquiry(number, asked) for number, asked in free.items()}
        self.askers: dict[int, list[tuple[str, Asked]]] = {}
        for name, rows in self.rows.items():
            for place, asked in rows.formats.by_place.items():
                self.askers.setdefault(place, []).extend((name, one) for one in asked)
        self._conditions = []
        for place, condition in enumerate(conditions):
            each = [rows.presence[condition] for rows in self.rows.values() if condition in rows.presence]
            bits = reduce(or_, (one.wanted for one in each)), reduce(or_, (one.unwanted for one in each))
            self._conditions.append((1 << place, *bits, PREDICATES[condition]))
        self._where: dict[int, dict[str, tuple[_Presence, Heard]]] = {}

    def where(self, held: int) -> dict[str, tuple[_Presence, Heard]]:
        """The elements that each network wants, or does not want, where the conditions *held* hold; and what
        it says of any message."""
        if (known := self._where.get(held)) is None:
            known = {name: (rows.where(held), rows.said) for name, rows in self.rows.items()}
            self._where[held] = known
        return known

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
        said = heard([_presence_hit(row, name, version)])
        one = _Presence(bit * must, bit * (not must), {bit: said}, bit * bool(said.wrong))
        asked[row.when] = asked[row.when].and_then(one) if row.when in asked else one
    told: list[tuple[RuleText, str]] = []
    by_place: dict[int, list[Asked]] = {}
    for item in formats(name, mti, version):
        if not item.standard:
            for at, number in enumerate(item.fields):
                place = _place(made, version, number, item, name)
                by_place.setdefault(place, []).append((len(told), at, number))
            severity = Severity(item.severity)
            text = RuleText(f"{name.lower()}-{item.id}", severity, item.expected, item.source, item.hint)
            told.append((text, item.expected))
    formed = Formats(tuple(told), by_place)
    return _NetworkRows(heard(_version_hits(mti, name)), asked, formed, conditions)


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
    type, *mask* its elements as bits. *found* is what was found already, by the question's place; *others*
    are to be asked yet."""

    __slots__ = ("_held", "_luhn", "_pan", "asked", "cards", "found", "mask", "message")

    def __init__(
        self,
        message: Message,
        asked: Tables,
        mask: int,
        found: dict[int, str],
        others: Iterable[Question],
    ) -> None:
        self.message, self.asked, self.mask = message, asked, mask
        field, self._pan = account(message)
        self.cards: dict[str, tuple[Heard, Heard]] | None = None
        if field and self._pan.isascii() and self._pan.isdigit():
            at = 1 if field == _TRACK_1 else 0
            self.cards = _cards(self._pan[:_IIN_DIGITS], len(self._pan), field, at)
        self._luhn: bool | None = None
        self._held: int | None = None
        self.found = found
        fields = message.fields
        for one in others:
            what = one.ask(message, fields[one.number] if one.number else message.mti)
            if what is not None:
                self.found[one.place] = what

    def card(self, name: str) -> Heard:
        """What network *name* says of the card, where there is one."""
        if self.cards is None:
            return SILENT
        right, other = self.cards[name]
        if right is other:  # its check digit is not looked at
            return right
        if self._luhn is None:
            self._luhn = luhn_ok(self._pan)
        return right if self._luhn else other

    def misfits(self) -> dict[str, list[Misfit]]:
        """What was found by the formats of each network."""
        made: dict[str, list[Misfit]] = {}
        for place, what in self.found.items():
            for name, one in self.asked.askers.get(place, ()):
                made.setdefault(name, []).append((one, what))
        return made

    @property
    def held(self) -> int:
        """Which conditions hold, as bits."""
        if self._held is None:
            self._held = self.asked.held(self.message, self.mask)
        return self._held


def network_hits(facts: Facts, names: Iterable[str]) -> Iterator[tuple[str, Told]]:
    """What the rules of each network of *names* say of a message, not yet located; `QUIET` where they say
    nothing."""
    where, mask, misfits = facts.asked.where(facts.held), facts.mask, facts.misfits()
    absent, behind = ~mask, SILENT
    for name in names:
        presence, before = where[name]
        bits = presence.wanted & absent | presence.unwanted & mask
        if facts.cards is not None:
            behind = facts.card(name)
        if name in misfits:
            hits = heard(_format_hits(misfits[name], facts.asked.rows[name].formats))
            yield name, (presence, bits, before, behind.and_then(hits))
        elif bits or behind is not SILENT or before is not SILENT:
            yield name, (presence, bits, before, behind)
        else:
            yield name, QUIET


def _format_hits(misfits: list[Misfit], told: Formats) -> list[Located]:
    hits: list[Located] = []
    judged: set[int] = set()
    for (row, _, number), what in sorted(misfits):
        # An element with an error is not judged on its finer points.
        if number not in judged:
            text, expected = told.rows[row]
            hits.append((text, Hit(number, expected, what)))
            if text.severity is _ERROR:
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
    wanted = f"{element} (required by {title} in {row.mti})"
    return words, Hit(row.field, wanted, "none", said=locate(row.field, None, wanted, "none"))


def _version_hits(mti: str, name: str) -> Iterator[Located]:
    versions = network(name).mti_versions
    if severity := versions.severity(mti):
        text = catalogue()["network-mti-version"]
        words = RuleText(text.id, Severity(severity), text.checks, versions.source, versions.hint)
        yield words, Hit(0, versions.expected, mti, 0, 1)


@lru_cache(maxsize=_CACHE_SIZE)
def _cards(iin: str, length: int, field: int, at: int) -> dict[str, tuple[Heard, Heard]]:
    """What each network says of cards of this IIN and length: with a right check digit, and with a wrong one,
    where it is the network's own. Keeps no card number."""
    pan = iin.ljust(length, "0")
    return {name: _card(name, pan, field, at) for name in NETWORKS}


def _card(name: str, pan: str, field: int, at: int) -> tuple[Heard, Heard]:
    verdict, owner = judge(name, pan), detect(pan)
    said: tuple[Located, ...] = ()
    if verdict.severity:
        text = catalogue()["pan-network"]
        hint = f"{text.hint} {verdict.reason[:1].upper()}{verdict.reason[1:].rstrip('.')}."
        words = RuleText(text.id, Severity(verdict.severity), text.checks, verdict.source, hint)
        said = ((words, Hit(field, verdict.expected, verdict.found, at, len(pan))),)
    right = heard(said)
    if owner is None or owner.network != name or verdict.severity == "error":
        return right, right
    severity = None if owner.range.luhn else Severity.INFO
    hit = Hit(field, "a right check digit", "a wrong one", at + len(pan) - 1, 1, severity=severity)
    return right, heard([*said, (catalogue()["luhn"], hit)])
