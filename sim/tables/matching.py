"""`sim.match`: the transactions in a table of messages.

The columns become integers (equal numbers are equal texts), `sim.exchanges.matching.pairing` pairs them, and
the result is columns again: no message object is made. The rules come from `sim.exchanges.matching.rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sim.codec import Message, build
from sim.errors import IsoError, OptionError
from sim.exchanges.matching.pairing import Keys, Traffic, pair
from sim.exchanges.matching.rules import ANSWER, ASK, NONE, Link, Rule, kind, role, rules
from sim.spec import VERSIONS
from sim.tables.argument import MessageArgument, facts_of, take
from sim.tables.columns.reading import read
from sim.tables.matched_columns import Columns, Ints, numbers_of
from sim.tables.transactions import TransactionsTable, transactions

if TYPE_CHECKING:
    from sim.codec.wire import Format


_TIME = "time"
_REVERSAL = "4"
_LARGEST = 2**62
LINKS: tuple[Link, ...] = ("answer", "original", "approved")


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
        The wire format that *messages* are in, as in `read`. Default: recognized.

    Returns
    -------
    TransactionsTable
        A row per request, and per response without a request: `transaction`, `state` (answered, late,
        unanswered, no answer due, no request), `mti`, `network`, `stan`, `amount` (minor units),
        `currency`, `code`, `meaning`, `latency` (seconds), `request`, `answer`, `original` and
        `reversed_by` (labels of rows of *messages*), `repeats`, `duplicates`, `replays`, `answers_again`
        (counts), `matched_by`. `.iso.messages` gives the role of each message.

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
        raise OptionError("timeout", "seconds above 0", repr(timeout))
    table = as_messages(messages, format)
    seconds = _seconds(table, times)
    columns = Columns(table)
    pairs = pair(_traffic(columns, seconds), float(timeout))
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
            raise OptionError("times", "a column of the table", f"{times!r}")
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


def _traffic(columns: Columns, seconds: Any) -> Traffic:
    versioned = columns.version < len(columns.versions)
    roles = np.where(versioned, columns.by_mti(role, NONE), NONE)
    state = _State(columns, roles)
    most = {link: max(len(rules(version, link)) for version in VERSIONS) for link in LINKS}
    answers = tuple(_rule_keys(state, "answer", at) for at in range(most["answer"]))
    return Traffic(
        _int64_view(roles),
        answers,
        tuple(_rule_keys(state, "original", at) for at in range(most["original"])),
        tuple(_rule_keys(state, "approved", at) for at in range(most["approved"])),
        _int64_view(_bodies(columns, state.doubtful | ((roles == ASK) & ~state.keyed))),
        _int64_view(columns.by_mti(lambda mti: mti[1:2] == _REVERSAL, False)),
        None if seconds is None else seconds.tolist(),
    )


def _int64_view(numbers: Any) -> Any:
    """Numbers to be read one by one, without an object for each."""
    array: Any = np.ascontiguousarray(numbers, dtype=np.int64)
    return memoryview(array)


class _State:
    """Collected from rule to rule: only requests whose key another request has, too, can be duplicates."""

    def __init__(self, columns: Columns, roles: Any) -> None:
        self.columns = columns
        self.roles = roles
        self.doubtful = np.zeros(columns.size, bool)
        self.keyed = np.zeros(columns.size, bool)

    def asked(self, earlier: Ints) -> None:
        """Mark the requests that share a key, by the first rule that gives them one."""
        new = np.flatnonzero((earlier >= 0) & ~self.keyed & (self.roles == ASK))
        self.doubtful[new] = pd.Series(earlier[new]).duplicated(keep=False).to_numpy()
        self.keyed[new] = True


def _rule_keys(state: _State, link: Link, at: int) -> Keys:
    """Rule *at* of all versions at once: messages of different versions never match."""
    columns, size = state.columns, state.columns.size
    earlier, later = np.full(size, -1), np.full(size, -1)
    agree: list[tuple[Ints, Ints]] = []
    offset = 0
    for place, version in enumerate(columns.versions):
        version_rules = rules(version, link)
        if at >= len(version_rules):
            continue
        rule, chosen = version_rules[at], (columns.version == place) & (state.roles != NONE)
        mixed = _mixed(columns, rule)
        if mixed is None:
            continue
        first, other = np.where(chosen, mixed[0], -1), np.where(chosen, mixed[1], -1)
        if link == "answer":
            state.asked(first)
            seeks = (other >= 0) & (state.roles != ASK)
        else:
            seeks = (other >= 0) & columns.by_mti(rule.seeks, False)
        codes, sought = pd.factorize(other[seeks])
        if not len(sought):
            continue
        answers = state.roles == ANSWER
        may = (first >= 0) & (answers if link == "approved" else ~answers) & _may_be_found(columns, rule)
        index = pd.Index(sought).get_indexer(first[may])
        earlier[may] = np.where(index >= 0, index + offset, -1)
        later[seeks] = codes + offset
        offset += len(sought)
        _add_agreeing(columns, rule, chosen, agree)
    agreed = tuple((_int64_view(left), _int64_view(other)) for left, other in agree)
    return Keys(offset, _int64_view(earlier), _int64_view(later), agreed)


def _add_agreeing(columns: Columns, rule: Rule, chosen: Any, agree: list[tuple[Ints, Ints]]) -> None:
    """Add the values on which the messages *chosen* must agree, next to those of other versions."""
    sides = [pair for tie in rule.agree if (pair := columns.codes(tie)) is not None]
    for at, (left, other) in enumerate(sides):
        if at == len(agree):
            agree.append((np.zeros(columns.size, np.int64), np.zeros(columns.size, np.int64)))
        before = agree[at]
        agree[at] = (np.where(chosen, left, before[0]), np.where(chosen, other, before[1]))


def _may_be_found(columns: Columns, rule: Rule) -> Any:
    """The messages that can be the earlier one of *rule*."""
    earlier = columns.by_mti(lambda mti: rule.found(mti, ""), False)
    if rule.network:
        networks = np.array([name in ("", rule.network) for name in columns.networks] + [True])
        earlier = earlier & networks[columns.network]
    return earlier


def _mixed(columns: Columns, rule: Rule) -> tuple[Ints, Ints] | None:
    """A number per message that combines all ties of *rule*, for either side; -1 if a value is missing.
    None if no message has all of them."""
    kinds = {name: at for at, name in enumerate(sorted({kind(mti) for mti in columns.mtis}))}
    start = columns.by_mti(lambda mti: kinds[kind(mti)], -1) if rule.link == "answer" else 0
    first = then = np.zeros(columns.size, np.int64) + start
    reach = len(kinds) + 1
    for tie in rule.ties:
        sides = columns.codes(tie)
        if sides is None:
            return None
        width = int(max(sides[0].max(initial=0), sides[1].max(initial=0))) + 1
        if reach * width > _LARGEST:
            both = pd.factorize(np.concatenate([first, then]))[0].astype(np.int64)
            first, then, reach = both[: columns.size], both[columns.size :], 2 * columns.size
        same = first is then and sides[0] is sides[1]
        first = _joined(first, sides[0], width)
        then = first if same else _joined(then, sides[1], width)
        reach *= width
        if not (then >= 0).any():
            return None
    return first, then


def _joined(numbers: Ints, codes: Ints, width: int) -> Ints:
    return np.where((numbers >= 0) & (codes > 0), numbers * width + codes, -1)


def _bodies(columns: Columns, doubtful: Any) -> Ints:
    """Equal numbers for equal requests among the *doubtful* ones; -1 elsewhere."""
    bodies = np.full(columns.size, -1, np.int64)
    rows = np.flatnonzero(doubtful)
    equal = columns.mti[rows]
    for number in sorted(columns.named) if len(rows) else ():
        texts = columns.column(number)
        if texts is not None:
            codes = numbers_of(texts.take(pa.array(rows)))
            equal = pd.factorize(equal * (int(codes.max()) + 1) + codes)[0].astype(np.int64)
    bodies[rows] = equal
    return bodies
