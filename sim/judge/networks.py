"""Rules of one network: its card numbers, MTIs, required elements and formats.

The rows are data (`data/networks`); here are the few predicates and checks they name. What applies
to a network, MTI, version and set of elements is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sim.codec import Message
from sim.elements import emv, layout, tlv
from sim.elements.pan import account, luhn_ok
from sim.judge import inside
from sim.judge.engine import Located, RuleText, catalogue, codes_of
from sim.judge.finding import Hit, Severity
from sim.masking import is_sensitive
from sim.spec import is_particular, lookup, role, spec, version_of
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
    response_code,
)

Predicate = Callable[[Message], bool]
# What a format finds wrong with a value, None when nothing.
FormatCheck = Callable[[Message, int, str, FormatRow, str], str | None]

_ACCOUNTS = (2, 34, 35, 45)
# A subelement may be a card verification code.
_PRIVATE = (48, *range(120, 128))
_CACHE_SIZE = 1024
_MOVES_MONEY = ("00", "01", "09", "10", "20", "26", "28")
_SHOWN = 20
_PAN_DIGITS = 12
_IIN_DIGITS = 6
_TRACK_1 = 45
# Checks of nothing but the length of an element, and those in which the network's own rows count.
_OF_LENGTH = ("length", "multiple_of")
_OF_A_NETWORK = ("response_code", "layout", "places", "coded", "agrees", "subelement_sizes")


def _approved(message: Message) -> bool:
    return is_particular("approved", message.version, message.get(39))


def _entered(message: Message, how: str) -> bool:
    """Whether DE 22 says that the card was read in one of the ways called *how*."""
    found = role("entry", message.version)
    entry = message.get(22)[layout.place(message.version, 22, found.part)] if found else ""
    return is_particular(how, message.version, entry)


# The conditions of presence rows, by the name the tables give them.
PREDICATES: dict[str, Predicate] = {
    "no_account": lambda message: not any(number in message for number in _ACCOUNTS),
    "value": lambda message: message.get(3)[:2] in _MOVES_MONEY,
    "card_read": lambda message: _entered(message, "card-read"),
    "keyed": lambda message: _entered(message, "keyed"),
    "chip": lambda message: _entered(message, "chip"),
    "pin": lambda message: 52 in message,
    "cashback": lambda message: message.get(3)[:2] == "09",
    "approved": _approved,
    "format_error": lambda message: message.get(39) == "30",
    "sign_on": lambda message: message.get(70) in ("001", "061"),
    "key_change": lambda message: message.get(70) == "101" or message.get(70)[:2] == "16",
}


class Question:
    """Something a network's format asks of one element (0: the MTI). Networks ask much the same, so each
    question is there once, at its `place`. `free`: what it finds depends on more than codes and lengths.
    `of_tags`: it has no answer where chip data can be read as plain tags."""

    __slots__ = ("_check", "_item", "_name", "fits", "free", "number", "of_tags", "place")

    def __init__(self, version: str, place: int, number: int, item: FormatRow, name: str) -> None:
        self.place, self.number = place, number
        self.free = bool(number) and number not in codes_of(version) and item.check not in _OF_LENGTH
        self.of_tags = item.check == "tlv"
        # What surely has no answer: saves asking.
        self.fits = item.pattern.fullmatch if item.check == "regex" and item.pattern else None
        self._check, self._item, self._name = _CHECKS[item.check], item, name

    def ask(self, message: Message, value: str) -> str | None:
        """What is found wrong with *value*; None when nothing."""
        return self._check(message, self.number, value, self._item, self._name)


class Formats(NamedTuple):
    """A network's formats of messages of a version and MTI, each with the elements it is about and the places
    of their questions, and all these places."""

    rows: tuple[tuple[RuleText, str, tuple[tuple[int, int], ...]], ...]
    places: frozenset[int]


class _NetworkRows(NamedTuple):
    """What one network asks of messages of a version and MTI: what it says of any, the elements it wants
    and those it does not want with their rows, rows under a condition, and formats with their questions."""

    said: tuple[Located, ...]
    wanted: int
    unwanted: int
    rows: tuple[tuple[int, Located], ...]
    when: tuple[tuple[str, int, tuple[tuple[int, Located], ...]], ...]
    formats: Formats


class _Tables(NamedTuple):
    """What networks ask of messages of a version and MTI: the questions about each element, those that are
    free apart from the others, and each network's rows."""

    free: dict[int, list[Question]]
    others: dict[int, list[Question]]
    rows: dict[str, _NetworkRows]


@lru_cache(maxsize=_CACHE_SIZE)
def _asked(version: str, mti: str) -> _Tables:
    made: dict[tuple[Any, ...], Question] = {}
    rows = {name: _rows_of(name, version, mti, made) for name in NETWORKS}
    asked = _Tables({}, {}, rows)
    for one in made.values():
        (asked.free if one.free else asked.others).setdefault(one.number, []).append(one)
    return asked


def free_questions(version: str, mti: str) -> dict[int, list[Question]]:
    """What networks' formats ask of messages of *version* and *mti* about elements that are no codes."""
    return _asked(version, mti).free


def _rows_of(name: str, version: str, mti: str, made: dict[tuple[Any, ...], Question]) -> _NetworkRows:
    rows: list[tuple[int, Located]] = []
    when: dict[str, list[tuple[int, Located]]] = {}
    wanted = unwanted = 0
    # Rows are keyed by the wire's MTI: a 1987 row says nothing of a message read as 1993.
    for row in presence(name, mti) if version_of(mti) == version else ():
        if row.severity == "none" or row.presence == "O" or (row.when and row.when not in PREDICATES):
            continue
        bit, located = 1 << row.field, _presence_hit(row, name, version)
        must = row.presence in "MC"
        if row.when:
            when.setdefault(row.when, []).append((bit if must else -bit, located))  # below 0: unwanted
            continue
        rows.append((bit, located))
        wanted, unwanted = wanted | bit * must, unwanted | bit * (not must)
    told = []
    for item in formats(name, mti, version):
        if not item.standard:
            severity = Severity(item.severity)
            text = RuleText(f"{name.lower()}-{item.id}", severity, item.expected, item.source, item.hint)
            places = tuple((number, _place(made, version, number, item, name)) for number in item.fields)
            told.append((text, item.expected, places))
    asked = tuple((held, _all(group), tuple(group)) for held, group in when.items())
    formed = Formats(tuple(told), frozenset(place for *_, places in told for _, place in places))
    return _NetworkRows(tuple(_version_hits(mti, name)), wanted, unwanted, tuple(rows), asked, formed)


def _all(group: list[tuple[int, Located]]) -> int:
    """The bits of a group's elements; every bit where one of them must not be there."""
    bits = 0
    for bit, _ in group:
        bits |= -1 if bit < 0 else bit
    return bits


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


class Asked(NamedTuple):
    """What one network asks of messages of one kind: what it says of any, and under which conditions more."""

    said: list[Located]
    when: list[tuple[str, list[Located]]]
    formats: Formats


def asked_of(name: str, version: str, mti: str, mask: int) -> Asked:
    """What network *name* asks of messages of *version* and *mti* with the elements of *mask*, as bits."""
    said, wanted, unwanted, rows, when, told = _asked(version, mti).rows[name]
    found = [*said]
    if wrong := wanted & ~mask | unwanted & mask:
        found += [located for bit, located in rows if bit & wrong]
    more = []
    for condition, bits, group in when:
        if bits & ~mask and (
            wrong_then := [located for bit, located in group if (bit > 0) == (not abs(bit) & mask)]
        ):
            more.append((condition, wrong_then))
    return Asked(found, more, told)


class Facts:
    """What several networks want to know of one message, worked out once. *answers* are what was found for
    the questions that are `free`."""

    __slots__ = ("_held", "_luhn", "at", "field", "found", "iin", "length", "message", "pan")

    def __init__(self, message: Message, answers: Iterable[tuple[int, str]]) -> None:
        self.message = message
        self.field, self.pan = account(message)
        if not (self.pan.isascii() and self.pan.isdigit()):
            self.field, self.pan = 0, ""
        self.at = 1 if self.field == _TRACK_1 else 0
        self.iin, self.length = self.pan[:_IIN_DIGITS], len(self.pan)
        self._luhn: bool | None = None
        self._held: dict[str, bool] = {}
        self.found = dict(answers)
        others = _asked(message.version, message.mti).others
        for number, value in ((0, message.mti), *message.fields.items()):
            for one in others.get(number, ()):
                if (wrong := one.ask(message, value)) is not None:
                    self.found[one.place] = wrong

    @property
    def luhn(self) -> bool:
        """Whether the card's check digit is right."""
        if self._luhn is None:
            self._luhn = luhn_ok(self.pan)
        return self._luhn

    def holds(self, condition: str) -> bool:
        """Whether the predicate *condition* holds."""
        if condition not in self._held:
            self._held[condition] = PREDICATES[condition](self.message)
        return self._held[condition]


def network_hits(facts: Facts, name: str, asked: Asked) -> list[Located]:
    """What network *name*'s rules say of a message, not yet located."""
    hits = [*asked.said]
    for condition, group in asked.when:
        if facts.holds(condition):
            hits += group
    if facts.field:
        hits += _card_hits(facts, name)
    if not asked.formats.places.isdisjoint(facts.found):
        hits += _format_hits(facts, asked.formats)
    return hits


def _card_hits(facts: Facts, name: str) -> list[Located]:
    owned, enforced, said = _card(name, facts.iin, facts.length, facts.field, facts.at)
    if not owned or facts.luhn:
        return [*said]
    severity, place = None if enforced else Severity.INFO, facts.at + facts.length - 1
    hit = Hit(facts.field, "a right check digit", "a wrong one", place, 1, severity=severity)
    return [*said, (catalogue()["luhn"], hit)]


def _format_hits(facts: Facts, told: Formats) -> list[Located]:
    hits: list[Located] = []
    judged: set[int] = set()
    found = facts.found
    for text, expected, places in told.rows:
        for number, place in places:
            # An element with an error is not judged on its finer points.
            if place in found and number not in judged:
                hits.append((text, Hit(number, expected, found[place])))
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


def _length(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    return None if item.min <= len(value) <= item.max else f"{len(value)} characters"


def _regex(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    if item.pattern is None or item.pattern.fullmatch(value):
        return None
    return _show(message, number, value)


def _multiple(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    return None if len(value) % item.multiple == 0 else f"{len(value)} characters"


def _values(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    part = value[slice(*item.at)] if item.at else value
    return None if part in item.values else _show(message, number, part)


def _tlv(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    chip = emv.read(value)  # remembered: the standard's rules have read it, too
    if chip.error is None and (chip.layout == "tags" or (item.wrapper and chip.layout == "dataset")):
        return None
    if item.wrapper and value[:2] == "01" and value[2:6].upper() == f"{len(value) // 2 - 3:04X}":
        value = value[6:]
    try:
        tlv.read(value, strict=False)
    except tlv.TlvError as error:
        return f"{error.found} where {error.expected} should be"
    return None


def _response_code(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    if response_code(name, value) or lookup("response_code", value, version=message.version):
        return None
    return repr(value)


_CHECKS: dict[str, FormatCheck] = {
    "length": _length,
    "regex": _regex,
    "multiple_of": _multiple,
    "values": _values,
    "tlv": _tlv,
    "subelements": inside.chain,
    "subelement_sizes": inside.sizes,
    "layout": inside.layout,
    "places": inside.places,
    "coded": inside.coded,
    "agrees": inside.agrees,
    "response_code": _response_code,
}


def _show(message: Message, number: int, value: str) -> str:
    """A value in a finding: short coded ones as they are, never one that may hold card data."""
    shown = (
        len(value) <= _SHOWN
        and not _private(message.version, number)
        and sum(map(str.isdigit, value)) < _PAN_DIGITS
    )
    return repr(value) if shown else f"{len(value)} characters in another layout"


@cache
def _private(version: str, number: int) -> bool:
    """Whether nothing of the element may be shown, or nothing that could be read."""
    binary = number > 0 and spec(version)[number].binary
    return number in _PRIVATE or is_sensitive(number, version) or binary
