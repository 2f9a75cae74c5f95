"""Negative data: valid exchanges with one message changed, each labeled with the finding between messages
that it must cause (`data/faults_exchange.toml`)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sim.errors import ChoiceError
from sim.exchanges.exchange import Exchange
from sim.exchanges.making import make
from sim.operations.faults import AT
from sim.operations.faults.change import change
from sim.spec.tables import read_toml

_NETWORK = "VISA"


def good_exchange(fault: str, *, at: datetime = AT) -> Exchange:
    """The valid exchange that *fault* is applied to. Raises ChoiceError for an unknown fault."""
    rows = read_toml("faults_exchange")["faults"]
    if fault not in rows:
        raise ChoiceError.of("fault", fault, rows)
    row = rows[fault]
    return make(
        row.get("purpose", "purchase"),
        network=row.get("network", _NETWORK),
        amount_minor_units=row.get("amount", 1000),
        outcome=row.get("outcome", "approved"),
        then=row.get("then", ""),
        at=at,
        **row.get("details", {}),
    )


def break_exchange(fault: str, *, at: datetime = AT) -> Exchange:
    """An exchange with *fault* and no other.

    >>> from sim.exchanges import findings
    >>> [(step, one.rule) for step, one in findings(break_exchange("reversal-twice"))]
    [(4, 'reversed-twice')]
    """
    good, row = good_exchange(fault, at=at), read_toml("faults_exchange")["faults"][fault]
    step = good.steps[row["step"]]
    result = change(row, step.message, good.network)
    changed = result[0] if result else step.message
    if row.get("again"):
        return good.plus(replace(step, message=changed))
    messages = [changed if other is step else other.message for other in good.steps]
    if step.role != "answer" and row["step"]:
        messages = messages[: row["step"] + 1]  # its response still repeats the unchanged values
    return Exchange.of(messages, network=good.network)
