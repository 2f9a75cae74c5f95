"""Shared by the tests of rules: messages without findings, and a case that adds one fault."""

from __future__ import annotations

from dataclasses import dataclass

from support import AT

from sim.codec import Message, build, parse, spans
from sim.judge import run
from sim.operations import generate
from sim.spec.tables import read_csv

IDS = tuple(row["id"] for row in read_csv("rules_layout"))
# Rules inside one element stand first in the catalogue, those between elements after them.
_FIRST_BETWEEN = IDS.index("dates-apart")
INSIDE, BETWEEN = IDS[:_FIRST_BETWEEN], IDS[_FIRST_BETWEEN:]


@dataclass(frozen=True)
class Case:
    """A message with one fault: the rule that finds it, its position and severity; and a similar message
    without the fault."""

    rule: str
    message: Message
    field: int
    at: int | None
    near: Message
    severity: str = ""

    def __str__(self) -> str:
        return f"{self.rule}-{self.message.version}-{self.field}-{self.at}"


def auth(version: str = "1987", **values: str | None) -> Message:
    """A keyed purchase authorization without a finding, with other elements."""
    return generate("auth", network="VISA", version=version, at=AT).message.replace(**values)


def undo(version: str = "1987", **values: str | None) -> Message:
    """A full reversal without a finding, with other elements."""
    return generate("reversal", network="VISA", version=version, at=AT).message.replace(**values)


def stripe(version: str = "1987", **values: str | None) -> Message:
    """A swiped purchase authorization without a finding, with other elements."""
    return generate("auth", network="VISA", version=version, at=AT, entry="stripe").message.replace(**values)


def echo(version: str = "1987", **values: str | None) -> Message:
    """An echo test without a finding, with other elements."""
    return generate("echo", version=version, at=AT).message.replace(**values)


def administration(**values: str) -> Message:
    """A 1987 administrative message that refers to another."""
    fields = {"de7": "1120101530", "de11": "000001"}
    return Message("0620").replace(**fields, **values)


def original(mti: str = "0100", when: str = "1120101030") -> str:
    """DE 90."""
    return f"{mti}123456{when}{'123456':0>11}{'0' * 11}"


def check(case: Case) -> None:
    """The message has exactly the one finding, at the fault; the similar message has none of that rule."""
    found = run(case.message)
    assert [(one.rule, one.field) for one in found] == [(case.rule, case.field)]
    start = None if case.at is None else spans(case.message)[case.field][1] + case.at
    assert found[0].start == start
    assert case.severity in ("", found[0].severity)
    assert case.rule not in {one.rule for one in run(case.near)}
    # Both are messages that can be written and read again.
    for message in (case.message, case.near):
        assert parse(build(message), message.version).fields == message.fields
