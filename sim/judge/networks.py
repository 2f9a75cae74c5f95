"""What networks say: of cards, MTIs, which elements there are, and how they are formed.

The rows are data (`data/networks`). Here they become rules like the standard's: what depends on which
elements there are is rows of bits; all formats of one element are one rule, and what networks say of a card
another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from sim.errors import locate
from sim.judge.bound import Answer, Bound, Row, Said, said
from sim.judge.conditions import OF_PRESENCE, PREDICATES
from sim.judge.finding import Hit, Severity
from sim.judge.formats import Question
from sim.judge.parts import CARD, DE, Card, Maybe, mask_of
from sim.judge.rules import signature
from sim.judge.words import RuleText, catalogue
from sim.spec import Spec, version_of
from sim.spec.networks import NETWORKS, Presence, detect, element_name, formats, judge, network, presence

_TRACK_1 = 45
# Checks in which the network's own rows count.
_OF_A_NETWORK = ("response_code", "layout", "places", "coded", "agrees", "needs", "subelement_sizes")
# The order in which a network tells what it finds: of the MTI, of elements that are or are not there, of the
# card, of formats.
_OF_MTI, _OF_PRESENCE, _OF_CARD, _OF_FORMATS = 0, 1, 100_000, 100_001
_CONDITIONS = {name: 1 << place for place, name in enumerate(PREDICATES)}


@cache
def conditions(table: Spec) -> dict[int, Bound]:
    """What tells which conditions hold, by their bits."""
    found = {}
    for name, bit in _CONDITIONS.items():
        parts, constants = signature(name, PREDICATES[name])
        check = partial(PREDICATES[name], table=table) if constants else PREDICATES[name]
        found[bit] = Bound(check, partial(_holds, bit), parts, table)
    return found


def _holds(bit: int, told: object) -> tuple[Any, ...]:
    return (bit,)


def rows(version: str, mti: str) -> Iterator[Row]:
    """What networks say of messages with, and without, certain elements."""
    for name in NETWORKS:
        if found := tuple(_version_hits(mti, name)):
            yield Row(0, 0, 0, found)
        # Rows are keyed by the wire's MTI: a 1987 row says nothing of a message read as 1993.
        for order, row in enumerate(presence(name, mti) if version_of(mti) == version else ()):
            if row.severity == "none" or row.presence == "O":
                continue
            if row.when and row.when not in PREDICATES and row.when not in OF_PRESENCE:
                continue
            needs, lacks = OF_PRESENCE.get(row.when, (0, 0))
            bit = mask_of((row.field,))
            wanted = row.presence in "MC"
            one = _presence_hit(row, name, version, _OF_PRESENCE + order)
            when = _CONDITIONS.get(row.when, 0)
            yield Row(needs | bit * (not wanted), lacks | bit * wanted, when, (one,))


def _presence_hit(row: Presence, name: str, version: str, order: int) -> Said:
    title = network(name).title
    element = element_name(version, row.field, name)
    rule_id = "forbidden-element" if row.presence == "X" else "required-element"
    text = catalogue()[rule_id]
    hint = text.hint + (f" {title}: {row.condition}." if row.condition else "")
    words = RuleText(rule_id, Severity(row.severity), text.checks, row.source, hint)
    if row.presence == "X":
        hit = Hit(row.field, f"no {element} in {row.mti} of {title}", "one")
        return said(name, order, words, hit)
    wanted = f"{element} (required by {title} in {row.mti})"
    hit = Hit(row.field, wanted, "none", said=locate(row.field, None, wanted, "none"))
    return said(name, order, words, hit)


def _version_hits(mti: str, name: str) -> Iterator[Said]:
    versions = network(name).mti_versions
    if severity := versions.severity(mti):
        text = catalogue()["network-mti-version"]
        words = RuleText(text.id, Severity(severity), text.checks, versions.source, versions.hint)
        yield said(name, _OF_MTI, words, Hit(0, versions.expected, mti, 0, 1))


def cards(table: Spec, mti: str) -> list[Bound]:
    """What networks say of the card: network management has none."""
    return [] if mti[1:2] == "8" else [Bound(_cards, _as_it_is, (CARD,), table)]


def _as_it_is(told: Any) -> Any:
    return told


def _cards(card: Card) -> Answer:
    """What networks say of a card: by its prefix, length and whether its check digit is right."""
    if not card.field or not card.digits:
        return ()
    pan, at = card.prefix.ljust(card.size, "0"), 1 if card.field == _TRACK_1 else 0
    return tuple(one for name in NETWORKS for one in _card(name, pan, card, at))


def _card(name: str, pan: str, card: Card, at: int) -> Iterator[Said]:
    verdict, owner = judge(name, pan), detect(pan)
    if verdict.severity:
        text = catalogue()["pan-network"]
        hint = f"{text.hint} {verdict.reason[:1].upper()}{verdict.reason[1:].rstrip('.')}."
        words = RuleText(text.id, Severity(verdict.severity), text.checks, verdict.source, hint)
        yield said(name, _OF_CARD, words, Hit(card.field, verdict.expected, verdict.found, at, card.size))
    if card.right or owner is None or owner.network != name or verdict.severity == "error":
        return
    severity = None if owner.range.luhn else Severity.INFO
    hit = Hit(card.field, "a right check digit", "a wrong one", at + card.size - 1, 1, severity=severity)
    yield said(name, _OF_CARD, catalogue()["luhn"], hit)


class _Formats:
    """All that networks' formats ask of one element (0: the MTI). They ask much the same, so each question is
    there once, with the networks that ask it: of each the words and what it expects, in the order of its
    rows."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.questions: dict[tuple[Any, ...], Question] = {}
        self.askers: dict[int, list[tuple[str, int, RuleText, str]]] = {}

    def add(self, key: tuple[Any, ...], question: Question, asker: tuple[str, int, RuleText, str]) -> None:
        """*asker* asks *question*, which others with the same *key* may ask, too."""
        kept = self.questions.setdefault(key, question)
        self.askers.setdefault(id(kept), []).append(asker)

    def bound(self, table: Spec) -> Bound:
        """The rule."""
        beside = sorted({one.beside for one in self.questions.values() if one.beside})
        asks = [
            (one.ask, 1 + beside.index(one.beside) if one.beside else 0, self.askers[id(one)])
            for one in self.questions.values()
        ]
        element = DE[self.number]
        if {one.item.check for one in self.questions.values()} == {"tlv"}:
            element = element.tagged
        parts = ((element,) if self.number else ()) + tuple(Maybe[number] for number in beside)
        simple = [(ask, askers) for ask, at, askers in asks if not at]
        if not beside and len(simple) == len(asks):
            return Bound(partial(_alone, simple), self._say, parts, table)
        return Bound(partial(_with_beside, asks), self._say, parts, table)

    def _say(self, told: list[tuple[str, list[tuple[str, int, RuleText, str]]]]) -> list[Said]:
        found, judged = [], set()
        misfits = [
            (name, row, what, text, wanted) for what, all_of in told for name, row, text, wanted in all_of
        ]
        for name, row, what, text, wanted in sorted(misfits, key=lambda one: one[:2]):
            # An element with an error is not judged on its finer points.
            if name not in judged:
                one = said(name, _OF_FORMATS + row, text, Hit(self.number, wanted, what))
                found.append(one)
                if one.error:
                    judged.add(name)
        return found


def _alone(asks: list[Any], value: str) -> list[Any] | None:
    found = None
    for ask, askers in asks:
        if (what := ask(value, "")) is not None:
            found = found or []
            found.append((what, askers))
    return found


def _with_beside(asks: list[Any], value: str, *beside: str) -> list[Any] | None:
    found = None
    for ask, at, askers in asks:
        if (what := ask(value, beside[at - 1] if at else "")) is not None:
            found = found or []
            found.append((what, askers))
    return found


def formats_of(table: Spec, mti: str) -> dict[int, Bound]:
    """What networks' formats ask of each element of messages of *table* and an MTI."""
    version = table.version
    found: dict[int, _Formats] = {}
    for name in NETWORKS:
        place = 0
        for item in formats(name, mti, version):
            if item.standard:
                continue
            text = RuleText(
                f"{name.lower()}-{item.id}", Severity(item.severity), item.expected, item.source, item.hint
            )
            for number in item.fields:
                asker = name if item.check in _OF_A_NETWORK else ""
                told = (item.pattern, item.values, item.at, item.parts, item.beside, item.when, item.wrapper)
                key = (asker, item.check, told, item.min, item.max, item.multiple, item.lead)
                question = Question(version, number, item, name)
                if number not in found:
                    found[number] = _Formats(number)
                found[number].add(key, question, (name, place, text, item.expected))
            place += 1
    return {number: one.bound(table) for number, one in found.items()}
