"""`sim.match`: the transactions in a table of messages, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sim.codec import Message, build
from sim.errors import IsoError, OptionError, quoted_value
from sim.exchanges import Exchange
from sim.exchanges.matching import STATES, awaited
from sim.exchanges.matching.pairing import ROLES, Exchanges, pair
from sim.exchanges.matching.rules import rules
from sim.spec.codes import alpha_of
from sim.spec.networks import NETWORKS, answer
from sim.tables.argument import MessageArgument, facts_of, take
from sim.tables.columns.lines import first_of
from sim.tables.columns.reading import read
from sim.tables.columns.table import MessagesView
from sim.tables.matching import Columns, Ints, traffic_of
from sim.tables.tables import Table, View, held

if TYPE_CHECKING:
    from sim.codec.wire import Format

_CODE, _STAN, _AMOUNT, _CURRENCY = 39, 11, 4, 49
_TIME = "time"
_COMPOSITE = "2003"
COUNTS = ("repeats", "duplicates", "replays", "answers_again")
_SPARSE = ("latency", "original", "reversed_by", "code", "meaning", "amount", "currency", "stan")


class TransactionsTable(Table):
    """Transactions, one row per request, as `sim.match` describes them. `.iso.messages` has a row per
    message."""

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
        return Table(held(self._table, "messages").copy())

    def exchange(self, transaction: int) -> Exchange:
        """The messages of *transaction* in order, with their roles. Raises KeyError if there is no such
        transaction."""
        roles, source = held(self._table, "messages"), held(self._table, "source")
        rows = roles["row"][roles["transaction"] == transaction]
        if rows.empty:
            raise KeyError(transaction)
        view, seconds = MessagesView(source), held(self._table, "seconds")
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


def match(
    messages: MessageArgument | Iterable[MessageArgument],
    *,
    times: str | Sequence[Any] | None = None,
    timeout: float = 60.0,
    format: Format | str | None = None,
) -> TransactionsTable:
    """Match requests with their responses, repeats and reversals.

    The elements that link messages are data, by version and network. The first rule that finds a match
    applies, and `matched_by` names its elements. A million messages take a few seconds.

    Parameters
    ----------
    messages
        A table with a row for each message, as from `read`, a list of messages, or anything `read` accepts,
        in chronological order.
    times
        Time of each message: a column name, or a list of dates and times, as *at* of `generate`, or of
        seconds. Default: the column `time` of a capture; without times there is no latency.
    timeout
        Seconds after which a response is late. A response after the reversal of its request is always late.
    format
        The wire format of the messages, as in `read`. Default: recognized.

    Returns
    -------
    TransactionsTable
        A row per request, and per response without a request, in their order: `transaction` (from 1; the
        same for a request and its reversals), `state` (answered, late, unanswered, no answer due, no
        request), `mti`, `network`, `stan`, `amount` (minor units), `currency`, `code` and `meaning` of the
        response's DE 39, `latency` (seconds), `request` and `answer` (labels of rows of *messages*), the
        counts `repeats`, `duplicates` (the same message again before its response), `replays` (after it)
        and `answers_again`, `original` (the request that this one reverses or continues), `reversed_by`,
        `matched_by` (elements in common). `.iso.messages` gives the role of each message.

    Raises
    ------
    OptionError
        *times* or *timeout* is invalid.
    TypeError
        *messages* are not messages.

    Examples
    --------
    >>> import sim
    >>> request = sim.generate("auth")
    >>> table = sim.match([request, sim.respond(request), sim.reverse(request)])
    >>> table["state"].tolist()
    ['answered', 'unanswered']
    >>> table["transaction"].tolist()
    [1, 1]
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise OptionError("timeout", "seconds above 0", quoted_value(timeout))
    table = as_messages(messages, format)
    seconds = _seconds(table, times)
    columns = Columns(table)
    pairs = pair(traffic_of(columns, seconds), float(timeout))
    return transactions(columns, pairs, seconds)


def as_messages(source: Any, format: Format | str | None) -> pd.DataFrame:
    """A table with a row per message: *source* itself, one message, several of them, or anything that
    `sim.read` accepts, in *format*."""
    if isinstance(source, pd.DataFrame) and "mti" in source.columns:
        return pd.DataFrame(source)
    if isinstance(source, pd.DataFrame | Message):
        source = [source]
    if isinstance(source, list | tuple) and not all(isinstance(item, str) for item in source):
        if all(isinstance(item, pd.DataFrame) and "mti" in item.columns for item in source):
            return pd.concat([pd.DataFrame(item) for item in source], ignore_index=True)
        networks = [
            facts_of(item).get("network") if isinstance(item, pd.DataFrame) else None for item in source
        ]
        table = pd.DataFrame(read([as_message(item, format) for item in source]))
        return table.assign(network=table["network"].fillna(pd.Series(networks, dtype="str")))
    return pd.DataFrame(read(source, format=format))


def as_message(source: Any, format: Format | str | None = None) -> Message | str:
    """A message; a broken one stays a text."""
    reading = take(source, format=format)
    try:
        build(reading.whole())
        return reading.whole()
    except IsoError:
        return reading.raw or ""


def _seconds(table: pd.DataFrame, times: Any) -> Any:
    """When each message was seen, in seconds; None if that is unknown."""
    if times is None:
        if _TIME not in table.columns:
            return None
        times = _TIME
    if isinstance(times, str):
        if times not in table.columns:
            raise OptionError("times", "a column of the table", quoted_value(times))
        times = table[times]
    series = pd.Series(times).reset_index(drop=True)
    if len(series) != len(table):
        raise OptionError("times", f"{len(table)} times, one per message", f"{len(series)}")
    if pd.api.types.is_numeric_dtype(series):
        return series.to_numpy(dtype="float64", na_value=np.nan)
    try:
        moments = pd.to_datetime(series, utc=True, format=None if series.dtype.kind == "M" else "ISO8601")
    except (TypeError, ValueError) as error:
        raise OptionError(
            "times", "datetimes, texts such as 2026-11-20 10:15:30.25 or seconds", "others"
        ) from error
    # Seconds since 1970, whatever the unit of the column.
    return ((moments - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy(dtype="float64")


def transactions(columns: Columns, pairs: Exchanges, seconds: Any) -> TransactionsTable:
    """The exchanges *pairs* of the messages in *columns* as a table, in the order of their first messages."""
    exchanges = SimpleNamespace(**{name: np.asarray(column) for name, column in vars(pairs).items()})
    request, answered = exchanges.request, exchanges.answer
    # The first message of each exchange: its request, or else the earliest that belongs to it.
    owned, first = np.flatnonzero(exchanges.owner >= 0)[::-1], np.zeros(len(request), np.int64)
    first[exchanges.owner[owned]] = owned
    head = np.where(request >= 0, request, first)
    order = np.argsort(head, kind="stable")
    numbers = np.zeros(len(order), np.int64)
    numbers[order] = pd.factorize(exchanges.transaction[order])[0] + 1
    original, reversed_by = (
        np.where(other >= 0, head[other], -1) for other in (exchanges.original, exchanges.reversed_by)
    )
    code = _taken(columns, _CODE, answered)
    amount, currency = _amounts(columns, head)
    latency = np.full(len(request), np.nan)
    if seconds is not None:
        complete = (request >= 0) & (answered >= 0)
        latency = np.where(complete, seconds[answered] - seconds[request], np.nan)
    cells: dict[str, Any] = {
        "transaction": numbers,
        "state": pd.array(STATES, dtype="str")[_states(columns, exchanges)],
        "mti": _named(columns.mtis, columns.mti[head]),
        "network": _network(columns, head, answered),
        "stan": _taken(columns, _STAN, head),
        "amount": amount,
        "currency": currency.map({text: alpha_of(text) for text in currency.dropna().unique()}).astype("str"),
        "code": code,
        "meaning": _meanings(code, columns, answered),
        "latency": latency,
        "request": _labels(columns.table, request),
        "answer": _labels(columns.table, answered),
        "repeats": exchanges.repeats,
        "duplicates": exchanges.duplicates,
        "replays": exchanges.replays,
        "answers_again": exchanges.again,
        "original": _labels(columns.table, original),
        "reversed_by": _labels(columns.table, reversed_by),
        "matched_by": _matched_by(columns, exchanges),
    }
    table = TransactionsTable(pd.DataFrame(cells).iloc[order].reset_index(drop=True))
    roles = _messages(columns, exchanges, numbers)
    table.held = {"messages": roles, "source": columns.table, "seconds": seconds}
    return table


def _states(columns: Columns, exchanges: Any) -> Any:
    """The index of each exchange's state in `STATES`."""
    due = columns.by_mti(awaited, False)[np.maximum(exchanges.request, 0)]
    answered = exchanges.answer >= 0
    states = {
        "no request": exchanges.request < 0,
        "late": answered & (exchanges.late > 0),
        "answered": answered,
        "unanswered": due,
    }
    return np.select([*states.values()], [*map(STATES.index, states)], STATES.index("no answer due"))


def _named(names: list[str], codes: Ints) -> pd.Series[Any]:
    return pd.Series(pd.array([*names, None], dtype="str")[codes])


def _network(columns: Columns, head: Ints, answered: Ints) -> pd.Series[Any]:
    """The network of the request, or else of the response, which often has no card number."""
    recognized = np.array([name in NETWORKS for name in columns.networks] + [False])
    codes, other = columns.network[head], columns.network[np.where(answered >= 0, answered, head)]
    return _named(columns.networks, np.where(recognized[codes], codes, other))


def _taken(columns: Columns, number: int, rows: Ints) -> pd.Series[Any]:
    """The values of an element in *rows*, missing for a row of -1."""
    name = columns.named.get(number)
    if name is None:
        return pd.Series(None, index=range(len(rows)), dtype="str")
    return pd.Series(columns.table[name].astype("str").array.take(rows, allow_fill=True))


def _amounts(columns: Columns, head: Ints) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Minor units and currency codes."""
    text, code = _taken(columns, _AMOUNT, head), _taken(columns, _CURRENCY, head)
    versions = np.array([*columns.versions, ""])
    minor, code = amounts_of(text, code, pd.Series(versions[columns.version[head]]))
    return minor.astype("Int64"), code


def amounts_of(
    text: pd.Series[Any], code: pd.Series[Any], version: pd.Series[Any]
) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Minor units and currency codes of DE 4 and DE 49, row by row; in 2003 currency and decimals precede the
    amount."""
    composite = version == _COMPOSITE
    minor = pd.to_numeric(text.where(~composite, text.str[4:]), errors="coerce")
    return minor, code.where(~composite, text.str[:3])


def _meanings(code: pd.Series[Any], columns: Columns, answered: Ints) -> pd.Series[Any]:
    """The meaning of the response's code in its network, looked up once per distinct combination."""
    coded = np.flatnonzero(code.notna())
    meanings: list[str | None] = [None]
    kinds = np.zeros(len(code), np.int64)  # 0: no code
    if len(coded):
        versions, networks = columns.version[answered[coded]], columns.network[answered[coded]]
        combinations, first = first_of([pd.factorize(code[coded])[0], versions, networks])
        kinds[coded] = combinations + 1
        for at in first.tolist():
            network = [*columns.networks, None][networks[at]]
            row = answer(code[coded[at]], columns.versions[versions[at]], network)
            meanings.append(row.meaning if row else None)
    return pd.Series(pd.array(meanings, dtype="str")[kinds])


def _labels(table: pd.DataFrame, rows: Ints) -> Any:
    """The labels of *rows*, missing for a row of -1."""
    index = table.index
    labels = pd.Series(index.take(np.maximum(rows, 0)) if len(index) else index[:0])
    integral = pd.api.types.is_integer_dtype(labels.dtype)
    return (labels.astype("Int64") if integral else labels).where(rows >= 0)


def _matched_by(columns: Columns, exchanges: Any) -> pd.Series[Any]:
    version = columns.version[np.maximum(exchanges.answer, 0)]
    names = [[rule.label for rule in rules(name, "answer")] for name in columns.versions]
    most = max((len(row) for row in names), default=0)
    flat = [label for row in names for label in (*row, *[""] * (most - len(row)))]
    return _named(flat, np.where(exchanges.rule >= 0, version * most + exchanges.rule, len(flat)))


def _messages(columns: Columns, exchanges: Any, numbers: Ints) -> pd.DataFrame:
    """A row per message: its label, its transaction and its role."""
    owner = exchanges.owner
    numbered = pd.Series(np.append(numbers, 0)[owner]).astype("Int64").where(owner >= 0)
    roles = pd.array(ROLES, dtype="str")[exchanges.became]
    return pd.DataFrame({"row": columns.table.index, "transaction": numbered.array, "role": roles})
