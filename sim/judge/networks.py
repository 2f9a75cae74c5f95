"""The networks' rules: on cards, MTIs, the presence of elements, and their formats.

The rows are data (`data/networks`). Here they become rules like the standard's: presence rows become bits,
all formats of one element are one rule, and the networks' verdicts on the card are another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sim.errors import size, with_article
from sim.judge.between import DAYS_OF_YEAR, days_between
from sim.judge.elements import country_of_place
from sim.judge.finding import (
    ABSENT,
    PRESENT,
    Answer,
    Hit,
    RuleText,
    Said,
    Severity,
    catalogue,
    hit_of_rule,
    labelled,
    wrong_check_digit,
)
from sim.judge.parts import ANY, CARD, DE, SECONDARY, Card, Tag, mask_of, maybe
from sim.judge.rules import Bound, Row
from sim.masking import is_sensitive
from sim.masking.search import SHORTEST_PAN
from sim.parts import chip_data
from sim.parts.layout import Parts, fits, is_known_code, read
from sim.spec import VERSIONS, Spec, country, lookup, spec, version_of
from sim.spec.elements import coded
from sim.spec.interfaces import interface
from sim.spec.layouts import Cell, Layout, layouts
from sim.spec.networks import (
    NETWORKS,
    FormatRow,
    Presence,
    detect,
    formats,
    judge,
    network,
    presence,
    response_code,
    told_name,
)
from sim.spec.tables import read_csv, read_toml

_ACCOUNTS = (2, 34, 35, 45)

# Conditions that depend on presence only: bits of what must be present, and of what must be absent.
OF_PRESENCE = {
    "no_account": (0, mask_of(_ACCOUNTS)),
    "pin": (mask_of((52,)), 0),
    "pos_information": (mask_of((60,)), 0),
    "pos_data": (mask_of((61,)), 0),
    "sequence_number": (Tag["5F34"].needs, 0),
}
# The others are patterns of message parts.
_PATTERNS: dict[str, list[dict[str, str]]] = read_toml("networks/terms")["patterns"]

# Elements in which a subelement may be a card verification code.
_PRIVATE = (48, *range(120, 128))
_SHOWN = 20
_RECENT = 60  # days from an authorization to what completes, increases or reverses it
_RESERVED = "reserved"  # the meaning of a code that is listed but must not be used


class Question:
    """One of a network's format rules for one element (0: the MTI). It reads only the value, and the parts
    `beside`, which decide whether the rule applies."""

    def __init__(self, version: str, number: int, item: FormatRow, name: str, order: int = 0) -> None:
        self.version, self.number, self.item, self.name, self.order = version, number, item, name, order
        self.text = RuleText(
            f"{name.lower()}-{item.id}", Severity(item.severity), item.expected, item.source, item.hint
        )
        self.beside = tuple(name for name, _ in item.given)
        self._given = tuple(pattern for _, pattern in item.given)
        self._inside = _INSIDE.get(item.check)
        self._check = _CHECKS.get(item.check)

    def ask(self, value: str, beside: Sequence[str], read: dict[str, dict[str, str]]) -> str | None:
        """What is wrong with *value*; None if nothing. *read* caches its parts, by network."""
        if any(pattern.fullmatch(text) is None for pattern, text in zip(self._given, beside, strict=True)):
            return None
        if self._inside or self.item.where:
            inside = read.get(self.name)
            if inside is None:
                inside = read[self.name] = _parts_by_path(self, value)
            if not inside or any(
                pattern.fullmatch(inside.get(path, "")) is None for path, pattern in self.item.where
            ):
                return None
            if self._inside:
                return self._inside(self, inside, beside)
        return self._check(self, value) if self._check else None

    def show(self, value: str, other: str = "") -> str:
        """A value as findings show it: unchanged if short and coded, but never if it may contain card
        data."""
        number, digits = self.number, sum(map(str.isdigit, value))
        binary = number > 0 and spec(self.version)[number].binary
        hidden = binary or number in _PRIVATE or is_sensitive(number, self.version)
        if len(value) == 1 or (len(value) <= _SHOWN and digits < SHORTEST_PAN and not hidden):
            return repr(value)
        return other or f"another value of {len(value)} characters"


def _length(asked: Question, value: str) -> str | None:
    return None if asked.item.min <= len(value) <= asked.item.max else size(value)


def _regex(asked: Question, value: str) -> str | None:
    pattern = asked.item.pattern
    return None if pattern is None or pattern.fullmatch(value) else asked.show(value)


def _values(asked: Question, value: str) -> str | None:
    part = value[slice(*asked.item.at)] if asked.item.at else value
    return None if part in asked.item.values else asked.show(part)


def _tlv(asked: Question, value: str) -> str | None:
    chip, wrapper = chip_data.read(value), asked.item.wrapper
    if chip.error is None and (chip.layout == "tags" or (wrapper and chip.layout == "dataset")):
        return None
    if wrapper and value[:2] == "01" and value[2:6].upper() == f"{len(value) // 2 - 3:04X}":
        value = value[6:]
    try:
        chip_data.read_tags(value, strict=False)
    except chip_data.TlvError as error:
        return f"{error.found} instead of {error.expected}"
    return None


def _response_code(asked: Question, value: str) -> str | None:
    code = response_code(asked.name, value) or lookup("response_code", value, version=asked.version)
    return None if code else repr(value)


def _chain(asked: Question, value: str) -> str | None:
    """*value* is a chain of subelements: each id and length leads to the next."""
    return None if _in_chain(asked, value) else "another layout"


def _in_chain(asked: Question, value: str) -> Parts | None:
    """The parts of *value* by the network's layout; None if the chain of subelements breaks."""
    reading = read(layouts(asked.version, asked.number, asked.name)[0], value)
    label = str(asked.number)
    return None if any(misfit.path == label for misfit in reading.misfits) else reading


def _sizes(asked: Question, value: str) -> str | None:
    """The subelements fit the network's rows, and none occurs twice."""
    reading = _in_chain(asked, value)
    if reading is None:
        return None
    keys = [part.key for part in reading.parts]
    if len({*keys}) < len(keys):
        return "one of them twice"
    return f"{reading.misfits[0].found} in {reading.misfits[0].path}" if reading.misfits else None


def _layout(asked: Question, value: str) -> str | None:
    """*value* fits one of the network's layouts: with `at`, the one named at that position in it; with
    `values`, one of those."""
    item = asked.item
    candidates = _own_layouts(asked.version, asked.number, asked.name)
    if item.at:
        variant = value[slice(*item.at)]
        candidates = tuple(layout for layout in candidates if layout.variant == variant)
    elif item.values:
        candidates = tuple(layout for layout in candidates if layout.variant in item.values)
    return None if not candidates or any(fits(layout, value) for layout in candidates) else "another layout"


def _places(asked: Question, value: str) -> str | None:
    """*value* is long enough for the first `min` parts of its layout."""
    item = asked.item
    cells = layouts(asked.version, asked.number, asked.name)[0].cell.cells[: item.min]
    return None if len(value) >= sum(cell.least for cell in cells) else size(value)


def _parts_by_path(asked: Question, value: str) -> dict[str, str]:
    """The parts of *value* by path inside the element, by the network's first layout that fits; none if none
    does."""
    read_by = (read(layout, value) for layout in _own_layouts(asked.version, asked.number, asked.name))
    reading = next((parts for parts in read_by if parts.fits), None)
    prefix = f"{asked.number}."
    return {part.cell.path.removeprefix(prefix): part.value for part, _ in reading.walk()} if reading else {}


def _part(asked: Question, held: Mapping[str, str], beside: Sequence[str]) -> str | None:
    """Every part named in the row matches the pattern, if present."""
    item = asked.item
    for path in sorted(item.parts & held.keys()):
        if item.pattern and not item.pattern.fullmatch(held[path]):
            return _other(asked, path, held[path])
    return None


def _listed(asked: Question, held: Mapping[str, str], beside: Sequence[str]) -> str | None:
    """Every part named in the row, if present and not blank, is a code of its list or registry, and not a
    reserved one."""
    version, name = asked.version, asked.name
    cells = _cells(version, asked.number, name)
    for path in sorted(asked.item.parts & held.keys()):
        code, cell = held[path], cells[path]
        reserved = code in cell.values and cell.values[code].meaning == _RESERVED
        if code.strip() and (reserved or not is_known_code(cell, code, version, name)):
            return _other(asked, path, code)
    return None


def _other(asked: Question, path: str, value: str) -> str:
    return f"{asked.show(value, 'another value')} in {asked.number}.{path}"


def _country(asked: Question, held: Mapping[str, str], beside: Sequence[str]) -> str | None:
    """The parts named in the row have the country in DE 43, which is the row's `given`."""
    stands = country_of_place(beside[0], asked.version)
    countries = (country(held.get(path, "")) for path in asked.item.parts)
    return next((other.name for other in countries if stands and other and other != stands), None)


def _recent(asked: Question, held: Mapping[str, str], beside: Sequence[str]) -> str | None:
    """The date MMDD in the part named in the row is of the last days before that of DE 7, which is the row's
    first `given`."""
    path, sent = min(asked.item.parts), beside[0]
    day = held.get(path, "")[slice(*asked.item.at or ())]
    known = {day, sent} <= DAYS_OF_YEAR.keys()
    is_far = known and not -_RECENT <= days_between(sent, day) <= 1
    return f"{day!r} in {asked.number}.{path}" if is_far else None


@cache
def _cells(version: str, number: int, name: str) -> dict[str, Cell]:
    """The parts of the network's layouts by path inside the element; of several, one with a code list."""
    cells = [layout.cell for layout in _own_layouts(version, number, name)]
    for cell in cells:
        cells += cell.cells
    return {
        cell.path.removeprefix(f"{number}."): cell
        for cell in sorted(cells, key=lambda item: bool(item.values))
    }


@cache
def _own_layouts(version: str, number: int, owner: str) -> tuple[Layout, ...]:
    """The network's own layouts of an element, those with a pattern first."""
    candidates = [layout for layout in layouts(version, number, owner) if layout.network == owner]
    return tuple(sorted(candidates, key=lambda layout: layout.pattern is None))


# The checks by their names in the rows.
_CHECKS: dict[str, Callable[[Question, str], str | None]] = {
    "length": _length,
    "regex": _regex,
    "values": _values,
    "tlv": _tlv,
    "subelements": _chain,
    "subelement_sizes": _sizes,
    "layout": _layout,
    "places": _places,
    "response_code": _response_code,
}


# The checks of parts of the value, by their names in the rows.
_INSIDE: dict[str, Callable[[Question, Mapping[str, str], Sequence[str]], str | None]] = {
    "part": _part,
    "listed": _listed,
    "holds": lambda asked, held, beside: "none" if asked.item.parts.isdisjoint(held) else None,
    "lacks": lambda asked, held, beside: None if asked.item.parts.isdisjoint(held) else "one",
    "country": _country,
    "recent": _recent,
}

_TRACK_1 = 45
# The order of a network's findings: MTI, presence, card, formats.
_OF_MTI, _OF_PRESENCE, OF_CARD, _OF_FORMATS = 0, 1, 100_000, 100_001
_CONDITIONS = {name: 1 << place for place, name in enumerate(_PATTERNS)}


@cache
def conditions(table: Spec) -> dict[int, Bound]:
    """The conditions as rules, by their bits; each returns its bit if it is true."""
    return {bit: _condition(bit, _PATTERNS[name], table) for name, bit in _CONDITIONS.items()}


def _condition(bit: int, patterns: Sequence[Mapping[str, str]], table: Spec) -> Bound:
    """The rule that all parts of one of the *patterns* match."""
    paths = sorted({path for row in patterns for path in row})
    tests = [
        [(paths.index(path), coded(text, table.version).fullmatch) for path, text in row.items()]
        for row in patterns
    ]

    def holds(*values: str) -> bool:
        return any(all(matches(values[at]) for at, matches in row) for row in tests)

    met: Any = (bit,)
    return Bound(holds, lambda outcome: met, [*map(maybe, paths)], table)


def speakers(table: Spec) -> tuple[str, ...]:
    """The networks whose rows apply to messages with element table *table*: all of them, or only the network
    of the table's interface, if any."""
    if not table.interface:
        return NETWORKS
    network_name = interface(table.interface).network
    return (network_name,) if network_name else ()


def rows(table: Spec, mti: str) -> Iterator[Row]:
    """The rows of the standard, the networks and the interface of *table* on the presence of elements, and
    the networks' rows on the MTI's version."""
    yield from _rows_of_standard(table, mti)
    for name in speakers(table):
        versions = network(name).mti_versions
        if severity := versions.severity(mti):
            text = catalogue()["network-mti-version"]
            words = RuleText(text.id, Severity(severity), text.checks, versions.source, versions.hint)
            hit = Hit(0, versions.expected, mti, 0, 1)
            yield Row(0, 0, 0, (hit_of_rule(name, _OF_MTI, words, hit),))
        # Rows are keyed by the MTI on the wire: a 1987 row does not apply to a message read as 1993.
        yield from _presence_rows(presence(name, mti), table, name, network(name).title, mti)
    if table.interface:
        own_interface = interface(table.interface)
        rows_here = [row for row in own_interface.rows if row.mti == mti]
        yield from _presence_rows(rows_here, table, own_interface.speaker, own_interface.title, mti)


_BITS = {"any": ANY, "secondary": SECONDARY}
_MISSING = "M"


def _bits(words: str) -> int:
    return mask_of(_BITS[word] if word in _BITS else int(word) for word in words.split())


def _rows_of_standard(table: Spec, mti: str) -> Iterator[Row]:
    digit = str(VERSIONS.index(table.version))
    for order, row in enumerate(read_csv("rules_presence")):
        if row["versions"] and table.version not in row["versions"]:
            continue
        if not re.fullmatch(row["mti"].replace("v", digit), mti):
            continue
        needs, lacks = _bits(row["needs"]), _bits(row["lacks"])
        numbers = [int(digits) for digits in row["elements"].split()]
        severity = Severity(row["severity"]) if row["severity"] else None
        text = catalogue()[row["rule"]]
        for at, number in enumerate(numbers):
            expected = row["expected"] or with_article(table[number].name.lower())
            missing = row["presence"] == _MISSING
            hit = Hit(number, expected, ABSENT if missing else PRESENT[0], severity=severity)
            before = numbers[:at] if row["presence"] == "first" else []
            verdict = hit_of_rule("", order, text, hit)
            yield _row(number, missing, verdict, row["when"], needs, lacks | mask_of(before))


def _row(number: int, missing: bool, verdict: Said, when: str, needs: int = 0, lacks: int = 0) -> Row:
    """The row for element *number* being *missing*, else present, under a condition."""
    bit, (with_, without) = mask_of((number,)), OF_PRESENCE.get(when, (0, 0))
    needs, lacks = needs | with_ | bit * (not missing), lacks | without | bit * missing
    return Row(needs, lacks, _CONDITIONS.get(when, 0), (verdict,))


def _presence_rows(
    entries: Sequence[Presence], table: Spec, name: str, title: str, mti: str
) -> Iterator[Row]:
    for order, row in enumerate(entries if version_of(mti) == table.version else ()):
        if row.severity == "none" or row.presence == "O":
            continue
        if row.when and row.when not in _CONDITIONS and row.when not in OF_PRESENCE:
            continue
        verdict = _presence_hit(row, table, name, title, _OF_PRESENCE + order)
        yield _row(row.field, row.presence in "MC", verdict, row.when)


def _presence_hit(row: Presence, table: Spec, name: str, title: str, order: int) -> Said:
    element = told_name(table, row.field, name if name in NETWORKS else "")
    label, present = labelled(row.field, element), row.presence == "X"
    text = catalogue()["forbidden-element" if present else "required-element"]
    hint = text.hint + (f" {title}: {row.condition}." if row.condition else "")
    words = RuleText(text.id, Severity(row.severity), text.checks, row.source, hint)
    if present:
        sentence = f"{label} is present; {title} does not use it in {row.mti}"
        hit = Hit(row.field, f"no {element} in {row.mti} of {title}", "one", said=sentence)
    else:
        sentence = f"{label} is missing; {title} requires it in {row.mti}"
        hit = Hit(row.field, f"{element} (required by {title} in {row.mti})", ABSENT, said=sentence)
    return hit_of_rule(name, order, words, hit)


def cards(table: Spec, mti: str) -> list[Bound]:
    """The networks' rule on the card; none for network management, which has no card."""
    return [] if mti[1:2] == "8" else [Bound(_cards, lambda answer: answer, (CARD,), table)]


def _cards(card: Card) -> Answer:
    """The networks' verdicts on a card: by its prefix, length and whether its check digit is right."""
    if not card.field or not card.digits:
        return ()
    pan, at = card.prefix.ljust(card.size, "0"), 1 if card.field == _TRACK_1 else 0
    return tuple(verdict for name in NETWORKS for verdict in _card(name, pan, card, at))


def _card(name: str, pan: str, card: Card, at: int) -> Iterator[Said]:
    verdict, owner = judge(name, pan), detect(pan)
    if verdict.severity:
        text = catalogue()["pan-network"]
        hint = f"{text.hint} {verdict.reason[:1].upper()}{verdict.reason[1:].rstrip('.')}."
        words = RuleText(text.id, Severity(verdict.severity), text.checks, verdict.source, hint)
        hit = Hit(card.field, verdict.expected, verdict.found, at, card.size)
        yield hit_of_rule(name, OF_CARD, words, hit)
    if card.right or owner is None or owner.network != name or verdict.severity == "error":
        return
    severity = None if owner.range.luhn else Severity.INFO
    hit = wrong_check_digit(card.field, at + card.size - 1)._replace(severity=severity)
    yield hit_of_rule(name, OF_CARD, catalogue()["luhn"], hit)


def formats_of(table: Spec, mti: str) -> dict[int, Bound]:
    """The networks' format rules for messages of *table* with this MTI, by element."""
    by_element: dict[int, list[Question]] = {}
    for name in speakers(table):
        for order, item in enumerate(formats(name, mti, table.version), _OF_FORMATS):
            for number in item.fields:
                by_element.setdefault(number, []).append(Question(table.version, number, item, name, order))
    return {number: _bound(number, questions, table) for number, questions in by_element.items()}


def _bound(number: int, questions: Sequence[Question], table: Spec) -> Bound:
    """All format rules for one element (0: the MTI) as one rule."""
    beside = sorted({name for question in questions for name in question.beside})
    asks = [(question, tuple(beside.index(name) for name in question.beside)) for question in questions]
    element = DE[number]
    if {question.item.check for question in questions} == {"tlv"}:
        element = element.tagged
    parts = ((element,) if number else ()) + tuple(map(maybe, beside))
    error = any(question.text.severity is Severity.ERROR for question in questions)

    def ask_all(value: str, *others: str) -> list[tuple[Question, str]]:
        read: dict[str, dict[str, str]] = {}
        answers = (
            (question, question.ask(value, [others[place] for place in at], read)) for question, at in asks
        )
        return [(question, what) for question, what in answers if what is not None]

    return Bound(ask_all, _hits_of, parts, table, error=error)


def _hits_of(answers: Sequence[tuple[Question, str]]) -> list[Said]:
    """The hits; after a network's error on an element, its other rules on that are skipped."""
    verdicts: list[Said] = []
    for question, what in answers:
        if not any(before.error and before.network == question.name for before in verdicts):
            hit = Hit(question.number, question.item.expected, what)
            verdicts.append(hit_of_rule(question.name, question.order, question.text, hit))
    return verdicts
