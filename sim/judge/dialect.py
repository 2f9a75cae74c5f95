"""Findings on a message that deviates from the standard: its dialect redefines elements, or its function is
reserved.

A dialect's rows are the user's specification: a value that does not fit its layout is an error, an unknown
code a warning, and rules about the inside of the standard's element do not apply to a redefined one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from sim.codec import Message
from sim.judge.elements import clean, hit_of_misfit
from sim.judge.finding import Hit, RuleText, Said, Severity, hit_of_rule
from sim.judge.rules import RULES
from sim.parts.layout import Parts, closest, expected_of, found_of, is_known_code
from sim.spec import Spec, lookup, reshaped
from sim.spec.interfaces import interface

# A layout with this confidence only warns about values that do not fit.
_ONLY_WARNS = ("unsourced", "secondary")
_DIALECTS = 64


# Reserved message functions, and the rule that reports them.
RESERVED_FUNCTIONS, _RESERVED = "89", "mti-function"


def otherwise(
    message: Message, owner: str | None, said: Mapping[str, Sequence[Said]]
) -> Mapping[str, Sequence[Said]]:
    """The hits on *message* of network *owner*, by network: those that rules have *said*, adjusted, and those
    of its dialect."""
    by_network = {**said, "": _tolerated(message, owner, said.get("", ()))}
    if message.dialect is not None:
        own = [hit_of_rule("", len(RULES), text, hit) for text, hit in own_hits(message)]
        by_network = {name: replaced(message, hits) for name, hits in by_network.items()}
        by_network[""] = [*by_network[""], *own]
    return by_network


def _tolerated(message: Message, owner: str | None, verdicts: Sequence[Said]) -> Sequence[Said]:
    """The standard's hits, but a reserved message function is only a warning if the message's own network
    uses it: Mastercard's 1987 dialect acknowledges with x180 and x190."""
    code = lookup("mti_function", message.mti[2], version=message.version, network=owner)
    if code is None or code.network != owner:
        return verdicts
    return [
        verdict._replace(hit=verdict.hit._replace(severity=Severity.WARNING), error=False)
        if verdict.text.id == _RESERVED
        else verdict
        for verdict in verdicts
    ]


@lru_cache(maxsize=_DIALECTS)
def own_elements(table: Spec) -> frozenset[int]:
    """The elements that a dialect redefines: with its own parts, or with values that do not fit the
    standard's element."""
    return reshaped(table).union(layout.number for layout in table.parts)


@cache
def _of_one_value(interface_name: str) -> frozenset[tuple[str, int]]:
    """The rules that check the inside of a single element, each with its element, but none of the
    interface's own."""
    pairs = [(rule, (rule.text.id, number)) for rule in RULES for number in rule.sources]
    own = {pair for rule, pair in pairs if interface_name in rule.interfaces}
    return frozenset(pair for rule, pair in pairs if rule.alone and not rule.interfaces) - own


def replaced(message: Message, verdicts: Sequence[Said]) -> list[Said]:
    """The hits *verdicts* of the standard or a network, except those on the inside of elements that the
    dialect of *message* redefines, and those of rules that its interface excludes."""
    redefined = own_elements(message.spec) & message.fields.keys()
    name = message.spec.interface
    without = interface(name).without if name else ()
    return [
        verdict
        for verdict in verdicts
        if verdict.text.id not in without
        and not (verdict.hit.field in redefined and _of_inside(verdict, name))
    ]


def _of_inside(verdict: Said, interface_name: str) -> bool:
    if verdict.network:
        return verdict.text.id.startswith(f"{verdict.network.lower()}-")
    return (verdict.text.id, verdict.hit.field) in _of_one_value(interface_name)


def own_hits(message: Message) -> Iterator[tuple[RuleText, Hit]]:
    """The hits on values that do not fit the layouts in the dialect of *message*."""
    table = message.spec
    for number in dict.fromkeys(layout.number for layout in table.parts):
        value = message.get(number)
        if clean(value, number, table) and (reading := closest(table, number, value)) is not None:
            yield from _misfits(reading, table)
            yield from _unknown(reading, table)


def _misfits(reading: Parts, table: Spec) -> Iterator[tuple[RuleText, Hit]]:
    number, doubtful = reading.layout.number, reading.layout.cell.confidence in _ONLY_WARNS
    text = _text(table, number, "layout", Severity.WARNING if doubtful else Severity.ERROR)
    for misfit in reading.misfits:
        path = misfit.path if misfit.path != str(number) else ""
        remark = Severity.INFO if table.interface and misfit.unknown else None
        yield text, hit_of_misfit(number, misfit)._replace(path=path, severity=remark)


def _unknown(reading: Parts, table: Spec) -> Iterator[tuple[RuleText, Hit]]:
    """Unknown codes; those after the first misfit are not reported, because their positions are uncertain."""
    number = reading.layout.number
    stop = min((misfit.start for misfit in reading.misfits), default=None)
    text = _text(table, number, "code", Severity.WARNING)
    for part, _ in reading.walk():
        cell = part.cell
        if part.children or cell.must or (stop is not None and part.end > stop):
            continue
        agreed = cell.agreed is not None and cell.agreed.fullmatch(part.value)
        if not agreed and not is_known_code(cell, part.value, table.version):
            actual = found_of(cell, part.value)
            yield text, Hit(number, expected_of(cell), actual, part.start, part.end - part.start, cell.path)


def _text(table: Spec, number: int, kind: str, severity: Severity) -> RuleText:
    checks = f"DE {number} is laid out as {table.dialect} says"
    hint = f"List it with the subfields of DE {number} in the dialect {table.dialect}."
    return RuleText(f"{table.dialect}-{kind}", severity, checks, table[number].source, hint)
