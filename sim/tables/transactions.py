"""Transactions as a table: the result of `sim.match`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from sim.exchanges import Exchange
from sim.exchanges.matching import STATES, awaited
from sim.exchanges.matching.pairing import ROLES, Exchanges
from sim.exchanges.matching.rules import rules
from sim.spec.codes import currency
from sim.spec.networks import NETWORKS, answer
from sim.tables.columns.table import MessagesView
from sim.tables.matched_columns import Columns, Ints
from sim.tables.tables import Table, View

_CODE, _STAN, _AMOUNT, _CURRENCY = 39, 11, 4, 49
_COMPOSITE = "2003"
COUNTS = ("repeats", "duplicates", "replays", "answers_again")
_SPARSE = ("latency", "original", "reversed_by", "code", "meaning", "amount", "currency", "stan")


@dataclass(frozen=True)
class Held:
    """A value in a table's `attrs` that pandas must not copy deeply."""

    value: Any

    def __deepcopy__(self, memo: dict[int, Any]) -> Held:
        return self


class TransactionsTable(Table):
    """Transactions, one row per request with its response, repeats and reversals, in the order of the
    requests.

    Columns: `transaction` (from 1; the same for a request and its reversals), `state` (`answered`, `late`,
    `unanswered`, `no answer due`, `no request`), `mti` of the request, `network`, `stan`, `amount` (minor
    units), `currency`, `code` and `meaning` of the response's DE 39, `latency` (seconds, if times are known),
    `request` and `answer` (row labels of the messages), `repeats`, `duplicates` (the same message again
    before its response), `replays` (after it) and `answers_again` (counts), `original` (the row of the
    request that this one reverses or continues), `reversed_by` (the row of its reversal), `matched_by` (the
    elements that request and response have in common). `.iso.messages` has a row per message.
    """

    _when_empty = (*COUNTS, *_SPARSE)
    _nothing = "No transactions."

    @property
    def iso(self) -> TransactionsView:
        """The view of all transactions: `exchange(number)`, `messages`, `summary`."""
        return TransactionsView(self)

    def left_out(self) -> set[str]:
        """Displays also omit the names of the matching rules."""
        return super().left_out() | ({"matched_by"} & set(self.columns))


class TransactionsView(View):
    """The view of all transactions of a table."""

    @property
    def messages(self) -> Table:
        """A row per message: `row` (its label), `transaction`, `role` (request, repeat, duplicate, replay,
        answer, late answer, answer again ..., no message)."""
        roles: Held = self._facts["messages"]
        return Table(roles.value.copy())

    def exchange(self, transaction: int) -> Exchange:
        """The messages of *transaction* in order, with their roles; its `story` says what happened. Raises
        KeyError if there is no such transaction."""
        facts = self._facts
        roles, source = facts["messages"].value, facts["source"].value
        rows = roles["row"][roles["transaction"] == transaction]
        if rows.empty:
            raise KeyError(transaction)
        view, seconds = MessagesView(source), facts["seconds"].value
        moments = None if seconds is None else seconds[rows.index.to_numpy()]
        times = None
        if moments is not None and not np.isnan(moments).any():
            times = [datetime.fromtimestamp(moment, UTC) for moment in moments.tolist()]
        network = pd.DataFrame(self._table)["network"][self._table["transaction"] == transaction]
        names = network.dropna().tolist()
        return Exchange.of(map(view.message, rows), times, network=names[0] if names else None)

    @property
    def summary(self) -> dict[str, int]:
        """The number of transactions in each state, in the order of the states."""
        counts = pd.DataFrame(self._table)["state"].value_counts()
        return {state: int(counts[state]) for state in STATES if state in counts}


def transactions(columns: Columns, made: Exchanges, seconds: Any) -> TransactionsTable:
    """The exchanges *made* from the messages in *columns* as a table, in the order of their first
    messages."""
    request, answered = np.asarray(made.request), np.asarray(made.answer)
    head = _heads(made, columns.size)
    code = _taken(columns, _CODE, answered)
    amount, code_of_currency = _amounts(columns, head)
    order = np.argsort(head, kind="stable")
    numbers = _numbered(np.asarray(made.transaction), order)
    cells: dict[str, Any] = {
        "transaction": numbers,
        "state": pd.array(STATES, dtype="str")[_states(columns, made)],
        "mti": _names_of_rows(columns.mtis, columns.mti, head),
        "network": _network(columns, head, answered),
        "stan": _taken(columns, _STAN, head),
        "amount": amount,
        "currency": _map_distinct(code_of_currency, alpha_of),
        "code": code,
        "meaning": _meanings(code, columns, answered),
        "latency": _latency(request, answered, seconds),
        "request": _labels(columns.table, request),
        "answer": _labels(columns.table, answered),
        "repeats": np.asarray(made.repeats),
        "duplicates": np.asarray(made.duplicates),
        "replays": np.asarray(made.replays),
        "answers_again": np.asarray(made.again),
        "original": _labels(columns.table, _of_exchange(head, np.asarray(made.original))),
        "reversed_by": _labels(columns.table, _of_exchange(head, np.asarray(made.reversed_by))),
        "matched_by": _matched_by(columns, made, answered),
    }
    table = TransactionsTable(pd.DataFrame(cells).iloc[order].reset_index(drop=True))
    facts = {"messages": _messages(columns, made, numbers), "source": columns.table, "seconds": seconds}
    table.attrs["iso"] = {name: Held(value) for name, value in facts.items()}
    return table


def _heads(exchanges: Exchanges, size: int) -> Ints:
    """The first message of each exchange: its request, or else the earliest that belongs to it."""
    owner = np.asarray(exchanges.owner)
    rows = np.flatnonzero(owner >= 0)[::-1]
    first = np.zeros(len(exchanges.request), np.int64)
    first[owner[rows]] = rows
    request = np.asarray(exchanges.request)
    return np.where(request >= 0, request, first)


def _numbered(transaction: Ints, order: Ints) -> Ints:
    """Numbers from 1, in the order of the table."""
    numbers = np.zeros(len(transaction), np.int64)
    numbers[order] = pd.factorize(transaction[order])[0] + 1
    return numbers


def _states(columns: Columns, exchanges: Exchanges) -> Ints:
    """The index of each exchange's state in `STATES`."""
    request, answered, late = (
        np.asarray(rows) for rows in (exchanges.request, exchanges.answer, exchanges.late)
    )
    due = columns.by_mti(awaited, False)
    open_state = np.where(due[np.where(request >= 0, request, 0)], "unanswered", "no answer due")
    names = np.where(answered >= 0, np.where(late > 0, "late", "answered"), open_state)
    names = np.where(request < 0, "no request", names)
    places = {name: at for at, name in enumerate(STATES)}
    codes, distinct = pd.factorize(names)
    return np.array([places[str(name)] for name in distinct], dtype=np.int64)[codes]


def _names_of_rows(names: list[str], codes: Ints, rows: Ints) -> Any:
    return pd.Series(pd.array([*names, None], dtype="str")[codes[rows]])


def _network(columns: Columns, head: Ints, answered: Ints) -> Any:
    """The network of the request, or else of the response, which often has no card number."""
    recognized = np.array([name in NETWORKS for name in columns.networks] + [False])
    codes = columns.network[head]
    other = columns.network[np.where(answered >= 0, answered, head)]
    return _names_of_rows(
        [*columns.networks], np.where(recognized[codes], codes, other), np.arange(len(head))
    )


def _taken(columns: Columns, number: int, rows: Ints) -> pd.Series[Any]:
    """The values of an element in *rows*, missing for a row of -1."""
    name = columns.named.get(number)
    if name is None:
        return pd.Series(None, index=range(len(rows)), dtype="str")
    taken = columns.table[name].astype("str").array.take(rows, allow_fill=True)
    return pd.Series(taken)


def _amounts(columns: Columns, head: Ints) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Minor units and currency codes; in 2003 currency and decimals precede the amount."""
    text, code = _taken(columns, _AMOUNT, head), _taken(columns, _CURRENCY, head)
    if _COMPOSITE in columns.versions:
        composite = pd.Series(columns.version[head] == columns.versions.index(_COMPOSITE))
        text, code = text.where(~composite, text.str[4:]), code.where(~composite, text.str[:3])
    return pd.to_numeric(text, errors="coerce").astype("Int64"), code


def _map_distinct(values: pd.Series[Any], say: Callable[[str], str | None]) -> pd.Series[Any]:
    """The result of *say* for each value, computed once per distinct value."""
    codes, distinct = pd.factorize(values)
    names = pd.array([*(say(str(value)) for value in distinct), None], dtype="str")
    return pd.Series(names[codes])


def alpha_of(code: str) -> str:
    """The letter code of a currency by its digits; unknown digits are unchanged."""
    row = currency(code)
    return row.alpha if row else code


def _meanings(code: pd.Series[Any], columns: Columns, answered: Ints) -> pd.Series[Any]:
    """The meaning of the response's code in its network, looked up once per distinct combination."""
    rows = np.where(answered >= 0, answered, 0)
    codes, distinct = pd.factorize(code)
    if not len(distinct):
        return pd.Series(None, index=range(len(code)), dtype="str")
    versions, networks = [*columns.versions, ""], [*columns.networks, ""]
    width, depth = len(versions), len(networks)
    mixed = (codes * width + columns.version[rows]) * depth + columns.network[rows]
    kinds, pairs = pd.factorize(np.where(codes >= 0, mixed, -1))
    words = []
    for pair in pairs.tolist():
        rest, network = divmod(pair, depth)
        at, version = divmod(rest, width)
        row = answer(str(distinct[at]), versions[version], networks[network] or None) if pair >= 0 else None
        words.append(row.meaning if row else None)
    return pd.Series(pd.array(words, dtype="str")[kinds])


def _latency(request: Ints, answered: Ints, seconds: Any) -> Any:
    """Seconds from request to response; missing if either or its time is."""
    if seconds is None:
        return np.full(len(request), np.nan)
    complete = (request >= 0) & (answered >= 0)
    return np.where(complete, seconds[answered] - seconds[request], np.nan)


def _labels(table: pd.DataFrame, rows: Ints) -> Any:
    """The labels of *rows*, missing for a row of -1."""
    index = table.index
    labels = pd.Series(index.take(np.where(rows >= 0, rows, 0)) if len(index) else index[:0])
    integral = pd.api.types.is_integer_dtype(labels.dtype)
    return (labels.astype("Int64") if integral else labels).where(rows >= 0)


def _of_exchange(head: Ints, exchange: Ints) -> Ints:
    return np.where(exchange >= 0, head[exchange], -1) if len(head) else exchange


def _matched_by(columns: Columns, exchanges: Exchanges, answered: Ints) -> Any:
    rule = np.asarray(exchanges.rule)
    version = columns.version[np.where(answered >= 0, answered, 0)] if len(answered) else answered
    names = [[rule.label for rule in rules(name, "answer")] for name in columns.versions]
    most = max((len(row) for row in names), default=0)
    flat = [label for row in names for label in (*row, *[""] * (most - len(row)))]
    places = np.where(rule >= 0, version * most + rule, len(flat))
    return pd.Series(pd.array([*flat, None], dtype="str")[places])


def _messages(columns: Columns, exchanges: Exchanges, numbers: Ints) -> pd.DataFrame:
    """A row per message: its label, its transaction and its role."""
    owner = np.asarray(exchanges.owner)
    numbered = pd.Series(numbers[owner] if len(numbers) else owner).astype("Int64").where(owner >= 0)
    roles = pd.array(ROLES, dtype="str")[np.asarray(exchanges.became)]
    return pd.DataFrame({"row": columns.table.index, "transaction": numbered.array, "role": roles})
