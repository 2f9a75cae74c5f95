"""Messages that differ from valid ones in a few values, for the tests of caches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from support import VECTORS, generated

from sim.codec import Message, ParseError, parse
from sim.judge import Finding
from sim.judge.engine import MEMORY
from sim.operations import NETWORKS, Report
from sim.operations.validation import judge
from sim.spec import VERSIONS, ElementSpec, spec

_CHARACTERS = "0123456789" * 4 + "ACDF=^ \x1f\n\\é"
_DIGITS = "0123456789"
_HEX = "0123456789ABCDEF"


@cache
def good() -> tuple[Message, ...]:
    """The messages of the vectors, and everything that generate makes."""
    made = []
    for row in VECTORS:
        try:
            made.append(parse(row["message"], row["version"]))
        except ParseError:
            continue
    made += [message for _, _, message in generated()]
    return tuple(message for message in made if message.fields)


def _fresh(some: Random, element: ElementSpec) -> str:
    size = element.width if element.fixed else some.randrange(1, min(element.width, 40) + 1)
    alphabet = _HEX if element.binary else _DIGITS
    return "".join(some.choices(alphabet, k=size + (size % 2 if element.binary else 0)))


def _changed(some: Random, value: str, element: ElementSpec) -> str:
    """Another value of the element's length, or of a similar length if that varies."""
    way = some.random()
    if not value or way < 0.1:
        return _fresh(some, element)
    at = some.randrange(len(value))
    if way < 0.7:
        return value[:at] + some.choice(_HEX if element.number == 55 else _DIGITS) + value[at + 1 :]
    if way < 0.85 or element.fixed:
        return value[:at] + some.choice(_CHARACTERS) + value[at + 1 :]
    return some.choice((value[:-1], value[:-2], value + value[-1:], value[2:]))[: element.width]


def mutated(some: Random, message: Message) -> Message:
    """*message* with one to three values changed, removed or added, sometimes with another type or
    version."""
    fields = dict(message.fields)
    for _ in range(some.choice((1, 1, 1, 2, 3))):
        number = some.choice([*fields, some.randrange(2, 129)])
        element = spec(message.version)[number]
        if some.random() < 0.05:
            fields.pop(number, None)
        else:
            fields[number] = _changed(some, fields.get(number, ""), element)
    mti = message.mti if some.random() < 0.95 else message.mti[:1] + f"{some.randrange(1000):03}"
    version = message.version if some.random() < 0.97 else some.choice(VERSIONS)
    empty = message.empty_secondary and max(fields, default=0) <= 64
    fields = {n: v for n, v in sorted(fields.items()) if _fits(v, spec(version)[n])}
    return Message(mti, fields, version, empty)


def _fits(value: str, element: ElementSpec) -> bool:
    return len(value) == element.width if element.fixed else len(value) <= element.width


def pairs(some: Random, count: int) -> Iterator[tuple[Message, Message]]:
    """*count* pairs of a message, usually a valid one, and a slightly different one."""
    messages = good()
    for _ in range(count):
        first = some.choice(messages)
        if some.random() < 0.3:
            first = mutated(some, first)
        yield first, mutated(some, first)


Told = tuple[bool, tuple[str, ...], tuple[Finding, ...], dict[str, tuple[Finding, ...]]]


def told(report: Report) -> Told:
    """Everything that a report says."""
    networks = {name: result.findings for name, result in report.networks.items()}
    return report.valid, tuple(sorted(report.errors)), report.findings, networks


def afresh(message: Message, network: str | None) -> Told:
    """What is said about a message with empty caches."""
    MEMORY.forget()
    return told(judge(message, network, NETWORKS))
