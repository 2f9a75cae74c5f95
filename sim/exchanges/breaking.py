"""Negative data: good exchanges with one message changed, each labelled with the finding between its messages
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
    """The exchange that *fault* is put into. Raises ChoiceError for an unknown fault."""
    rows = read_toml("faults_exchange")["faults"]
    if fault not in rows:
        raise ChoiceError.of("fault", fault, rows)
    row = rows[fault]
    return make(
        row.get("purpose", "purchase"),
        network=row.get("network", _NETWORK),
        amount_minor_units=row.get("amount", 1000),
        then=row.get("then", ""),
        at=at,
    )


def break_exchange(fault: str, *, at: datetime = AT) -> Exchange:
    """An exchange with the one *fault*.

    >>> [(step, one.rule) for step, one in break_exchange("reversal-twice").findings]
    [(4, 'reversed-twice')]
    """
    good, row = good_exchange(fault, at=at), read_toml("faults_exchange")["faults"][fault]
    step = good.steps[row["step"]]
    if row.get("again"):
        return good.plus(step)
    made = change(row, step.message, good.network)
    messages = list(good.messages)
    if made is not None:
        messages[row["step"]] = made[0]
    if step.role != "answer" and row["step"]:
        # Its own response repeats what it said before the change.
        good, messages = replace(good, steps=good.steps[: row["step"] + 1]), messages[: row["step"] + 1]
    return good.fitted(messages)
