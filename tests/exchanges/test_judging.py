"""What is wrong between the messages of an exchange: each rule is caused, and what is made has no finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support import AT, together

import sim
from sim.codec import Message
from sim.errors import IsoError
from sim.exchanges import Exchange, make
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_csv

RULES = {row["id"] for row in read_csv("rules_exchange")}
HELD = {"purpose": "preauthorization", "amount_minor_units": 10000}
# Which exchange, the step that is changed, the change, the rule, the element.
FAULTS: list[tuple[dict[str, Any], int, dict[str, str], str, int]] = [
    ({}, 1, {"de4": "000000009900"}, "answer-repeats", 4),
    ({}, 1, {"de41": "TERM0002"}, "answer-repeats", 41),
    ({}, 1, {"de49": "978"}, "answer-repeats", 49),
    ({"then": "reversal"}, 2, {"de90": "010012345711201230450000012345600000000000"}, "original-named", 90),
    ({"then": "reversal"}, 2, {"de90": "010012345611201130450000012345600000000000"}, "original-named", 90),
    ({"then": "reversal"}, 2, {"de4": "000000009900"}, "reversed-amount", 4),
    ({"then": "reversal"}, 2, {"de38": "ZZZZZZ"}, "approval-code-carried", 38),
    (HELD | {"then": "completion"}, 2, {"de38": "ZZZZZZ"}, "approval-code-carried", 38),
    (HELD | {"then": "completion:8000"}, 2, {"de4": "000000012001"}, "completion-within", 4),
    ({"then": "reversal"}, 1, {"de39": "51"}, "reversal-of-decline", 0),
]


def made(options: dict[str, Any]) -> Exchange:
    """An exchange on Visa."""
    return make(options.get("purpose", "purchase"), network="VISA", at=AT, **_without_purpose(options))


def _without_purpose(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "purpose"}


def changed(exchange: Exchange, at: int, **values: str) -> Exchange:
    """*exchange* with another message at step *at*."""
    messages: list[Message] = list(exchange.messages)
    messages[at] = messages[at].replace(**values)
    return exchange.fitted(messages)


@together("options, at, values, rule, field", FAULTS)
def test_one_change_is_one_finding(
    options: dict[str, Any], at: int, values: dict[str, str], rule: str, field: int
) -> None:
    """One change to a message of a good exchange is one finding, on the message that disagrees."""
    exchange = made(options)
    assert exchange.findings == ()
    found = changed(exchange, at, **values).findings
    assert [(one.rule, one.field) for _, one in found] == [(rule, field)]
    assert len(found[0][1].hint) > 40


def test_a_transaction_is_reversed_once() -> None:
    """A second reversal is told at its own step; a repeat of the first is none."""
    exchange = made({"then": "reversal"})
    twice = exchange.plus(replace(exchange.steps[2], at=None))
    assert [(at, one.rule) for at, one in twice.findings] == [(4, "reversed-twice")]
    again = exchange.plus(replace(exchange.steps[2], role="repeat", at=None))
    assert again.findings == ()


def test_each_rule_is_caused() -> None:
    """No row is without an exchange that breaks it."""
    assert {rule for *_, rule, _ in FAULTS} | {"reversed-twice"} == RULES


@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_made_has_no_finding_between_its_messages(network: str) -> None:
    """Approved, declined, late or not answered, and whatever follows."""
    seen = 0
    for outcome in ("approved", "declined", "partial", "timeout", "late"):
        for then in (
            "",
            "reversal",
            "partial_reversal:400",
            "completion:800",
            "increment:500 completion:900",
        ):
            try:
                exchange = make("preauthorization", outcome=outcome, then=then, network=network, at=AT)
            except IsoError:
                continue
            seen += 1
            assert exchange.findings == (), (network, outcome, then)
    assert seen > 8


def test_the_table_tells_which_message() -> None:
    """`.iso.findings` has the step in front of what `validate` tells, and what is between messages."""
    table = sim.exchange(network="VISA", then="reversal", at=AT)
    assert table.iso.findings.empty
    assert table.iso.findings.columns.tolist() == [
        "step",
        *sim.validate("08002020000000000000990000123456").columns,
    ]
