"""Findings on a message that deviates from the standard: its dialect redefines elements, or its function is
reserved.

A dialect's rows are the user's specification: a value that does not fit its layout is an error, an unknown
code a warning, and rules about the inside of the standard's element do not apply to a redefined one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from sim.codec import Message
from sim.judge.elements import clean
from sim.judge.finding import Hit, RuleText, Said, Severity, said
from sim.judge.rules import RULES
from sim.parts.layout import Parts, closest, found_of, known, wanted
from sim.spec import Spec, lookup, reshaped
from sim.spec.interfaces import interface

# A layout with this confidence only warns about values that do not fit.
_ONLY_WARNS = ("unsourced", "secondary")
_DIALECTS = 64


# Reserved message functions, and the rule that reports them.
RESERVED_FUNCTIONS, _RESERVED = "89", "mti-function"


def otherwise(
    message: Message, own: str | None, rows: Mapping[str, Sequence[Said]], found: Mapping[str, Sequence[Said]]
) -> dict[str, list[Said]]:
    """The hits on *message* of network *own*, by network: those from *rows* and *found*, adjusted, and those
    of its dialect."""
    told = {name: [*rows.get(name, ()), *found.get(name, ())] for name in {"", *rows, *found}}
    told[""] = _tolerated(message, own, told[""])
    if message.dialect is not None:
        told = {name: replaced(message, hits) for name, hits in told.items()}
        told[""] += [said("", len(RULES), text, hit) for text, hit in own_hits(message)]
    return told


def _tolerated(message: Message, own: str | None, told: list[Said]) -> list[Said]:
    """The standard's hits, but a reserved message function is only a warning if the message's own network
    uses it: Mastercard's 1987 dialect acknowledges with x180 and x190."""
    known = lookup("mti_function", message.mti[2], version=message.version, network=own)
    if known is None or known.network != own:
        return told
    return [
        one._replace(hit=one.hit._replace(severity=Severity.WARNING), error=False)
        if one.text.id == _RESERVED
        else one
        for one in told
    ]


@lru_cache(maxsize=_DIALECTS)
def own_elements(table: Spec) -> frozenset[int]:
    """The elements that a dialect redefines: with its own parts, or with values that do not fit the
    standard's element."""
    return reshaped(table).union(layout.number for layout in table.parts)


@cache
def _of_one_value() -> frozenset[str]:
    """The ids of the rules that check the inside of a single element."""
    return frozenset(one.text.id for one in RULES if one.alone)


def replaced(message: Message, told: Sequence[Said]) -> list[Said]:
    """The hits *told* of the standard or a network, except those on the inside of elements that the dialect
    of *message* redefines, and those of rules that its interface excludes."""
    own = own_elements(message.spec) & message.fields.keys()
    without = interface(message.spec.interface).without if message.spec.interface else ()
    return [
        one
        for one in told
        if one.text.id not in without and (one.hit.field not in own or not _of_inside(one))
    ]


def _of_inside(one: Said) -> bool:
    if one.network:
        return one.text.id.startswith(f"{one.network.lower()}-")
    return one.text.id in _of_one_value()


def own_hits(message: Message) -> Iterator[tuple[RuleText, Hit]]:
    """The hits on values that do not fit the layouts in the dialect of *message*."""
    table = message.spec
    for number in dict.fromkeys(layout.number for layout in table.parts):
        value = message.get(number)
        if clean(value, number, table) and (found := closest(table, number, value)) is not None:
            yield from _misfits(found, table)
            yield from _unknown(found, table)


def _misfits(found: Parts, table: Spec) -> Iterator[tuple[RuleText, Hit]]:
    number, doubtful = found.layout.number, found.layout.cell.confidence in _ONLY_WARNS
    text = _text(table, number, "layout", Severity.WARNING if doubtful else Severity.ERROR)
    for one in found.misfits:
        path = one.path if one.path != str(number) else ""
        remark = Severity.INFO if table.interface and one.unknown else None
        yield (
            text,
            Hit(number, one.expected, one.found, one.start, one.end - one.start, path, severity=remark),
        )


def _unknown(found: Parts, table: Spec) -> Iterator[tuple[RuleText, Hit]]:
    """Unknown codes; those after the first misfit are not reported, because their positions are uncertain."""
    number = found.layout.number
    stop = min((one.start for one in found.misfits), default=None)
    text = _text(table, number, "code", Severity.WARNING)
    for part, _ in found.walk():
        cell = part.cell
        if part.children or cell.must or (stop is not None and part.end > stop):
            continue
        agreed = cell.agreed is not None and cell.agreed.fullmatch(part.value)
        if not agreed and not known(cell, part.value, table.version):
            shown = found_of(cell, part.value)
            yield text, Hit(number, wanted(cell), shown, part.start, part.end - part.start, cell.path)


def _text(table: Spec, number: int, kind: str, severity: Severity) -> RuleText:
    return RuleText(
        f"{table.dialect}-{kind}",
        severity,
        f"DE {number} is laid out as {table.dialect} says",
        table[number].source,
        f"List it with the subfields of DE {number} in the dialect {table.dialect}.",
    )
