"""A table of messages, and one of its transactions, for the explorer: filtered and sorted as Arrow columns by
row number; only visible rows are converted to text, and masked. The rules that invalid messages break are
found a few thousand at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.elements.money import say_amount
from sim.paste.reading import Reading
from sim.spec import VERSIONS
from sim.spec.networks import element_name
from sim.tables.columns.table import MessagesTable, number_of
from sim.tables.transactions import TransactionsTable, match
from sim.widgets.explorer.filtering import Amounts, Flags, RowFilter, flags
from sim.widgets.explorer.query import meet
from sim.widgets.row_grid import Rows, Source

VERDICTS = ("all", "valid", "invalid", "unreadable")
_FIRST = ("line", "time", "mti", "network", "amount", "verdict")
_AMOUNT = 4
_HIDDEN = frozenset({"valid", "errors", "version", "error_field", "error_offset", "stream", "file"})
_BINS = 120
AT_ONCE, AT_FIRST = 2000, 300  # invalid messages checked for their rules


class Log(Source):
    """Messages. Rows are numbered from 0."""

    table: MessagesTable

    def __init__(self, table: MessagesTable) -> None:
        super().__init__(table)
        self._arrow: dict[str, Any] = {}
        self._filter = RowFilter(pd.DataFrame(table), self.arrow, self.verdict)

    @cached_property
    def names(self) -> list[str]:
        """The leading columns, the elements, and the errors."""
        computed = {"verdict": True, "amount": f"DE{_AMOUNT}" in self.table.columns}
        leading = [name for name in _FIRST if computed.get(name, name in self.table.columns)]
        rest = [str(name) for name in self.table.columns if name not in {*_FIRST, *_HIDDEN}]
        return [*leading, *(name for name in rest if number_of(name) or self.table[name].notna().any())]

    def title(self, name: str) -> str:
        """The name of an element, or the column's title."""
        number = number_of(name)
        return f"DE {number} {element_name(VERSIONS[0], number)}" if number else super().title(name)

    @cached_property
    def unreadable(self) -> Any:
        """The rows that are not messages."""
        return self._flags("error", lambda column: column.notna())

    @cached_property
    def bad(self) -> Any:
        """The rows known to have errors; unreadable ones always have."""
        return self._flags("valid", lambda column: ~column.fillna(True).astype(bool)) | self.unreadable

    @property
    def judged(self) -> bool:
        """Whether the messages were validated when they were read."""
        return "valid" in self.table.columns

    def _flags(self, name: str, say: Callable[[Any], Any]) -> Any:
        if name not in self.table.columns:
            return np.zeros(self.size, bool)
        return np.asarray(say(pd.DataFrame(self.table)[name]), dtype=bool)

    def arrow(self, name: str) -> Any:
        """A cached Arrow column."""
        if name not in self._arrow:
            self._arrow[name] = super().arrow(name)
        return self._arrow[name]

    @cached_property
    def amounts(self) -> Amounts:
        """The transaction amounts, each with its currency."""
        return self._filter.amounts(_AMOUNT)

    def sort_key(self, name: str) -> Any:
        """Verdicts sort by number of errors, amounts by units of any currency."""
        if name == "amount":
            return pa.array(self.amounts.major, from_pandas=True)
        if name != "verdict":
            return self.arrow(name)
        return self.arrow("errors") if "errors" in self.table.columns else pa.array(self.bad)

    def right(self, name: str) -> bool:
        """Amounts and lines."""
        return name in ("line", "amount")

    def _cells(self, name: str, seen: pd.DataFrame, rows: Rows) -> list[str]:
        """The verdict and the amount in words, or another column."""
        if name == "amount":
            return [self.amounts.said(row) for row in rows.tolist()]
        if name == "verdict":
            return self._verdicts(rows)
        return super()._cells(name, seen, rows)

    def _verdicts(self, rows: Rows) -> list[str]:
        errors = self.arrow("errors").take(pa.array(rows)).to_pylist() if self.judged else [None] * len(rows)
        words = {None: "", 0: "✔ valid", 1: "✖ 1 error"}
        return [
            "✖ unreadable" if self.unreadable[row] else words.get(count, f"✖ {count} errors")
            for row, count in zip(rows.tolist(), errors, strict=True)
        ]

    def marks(self, rows: Rows) -> list[str]:
        """Marks invalid rows."""
        return ["bad" if self.bad[row] else "" for row in rows.tolist()]

    def verdict(self, name: str) -> Flags:
        """The rows that are valid, invalid or unreadable."""
        flagged: Flags = self.unreadable if name == "unreadable" else self.bad
        return ~flagged if name == "valid" else flagged

    def where(
        self, query: str = "", verdict: str = "all", network: str = "", only: Any = None
    ) -> tuple[Rows, tuple[str, ...]]:
        """The rows that match all conditions, and notes for the user; *only* are flags that must be set as
        well. Raises FilterError for a query without a meaning."""
        keep, notes = meet(self._filter, query)
        if only is not None:
            keep &= np.asarray(only, bool)
        if verdict != "all":
            keep &= self.verdict(verdict)
        if network:
            keep &= flags(pc.equal(self.arrow("network"), network.upper()))
        return np.flatnonzero(keep), notes

    def warm(self) -> None:
        """Prepare for the first text search."""
        self._filter.warm()

    def bins(self, rows: Rows) -> tuple[list[int], list[int]]:
        """The numbers of messages, and of invalid ones, in equal parts of the log."""
        count = min(_BINS, max(self.size, 1))
        places = rows * count // max(self.size, 1)
        totals, wrong = (np.bincount(some, minlength=count) for some in (places, places[self.bad[rows]]))
        return totals.tolist(), wrong.tolist()


class BrokenRules:
    """The rules that invalid rows break, as far as they have been checked."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._rows: Rows = np.flatnonzero(log.bad)
        self.judged = 0
        self.found: dict[str, list[int]] = {}

    @property
    def left(self) -> int:
        """The number of invalid rows not checked yet."""
        return len(self._rows) - self.judged

    def judge(self, count: int = AT_ONCE) -> None:
        """Check the next *count* invalid rows."""
        rows = self._rows[self.judged : self.judged + count]
        some = self._log.table.iloc[rows].reset_index(drop=True)
        findings = pd.DataFrame(some.iso.validate(progress=False))
        wrong = findings[findings["severity"] == "error"].drop_duplicates(["row", "rule"])
        for rule, place in zip(wrong["rule"].tolist(), wrong["row"].tolist(), strict=True):
            self.found.setdefault(str(rule), []).append(int(rows[place]))
        self.judged = min(self.judged + count, len(self._rows))

    def flags(self, rule: str) -> Any:
        """The rows that break *rule*."""
        hits = np.zeros(self._log.size, bool)
        hits[self.found.get(rule, [])] = True
        return hits


def reading_of(log: Log, row: int) -> Reading | None:
    """The message in *row*; None if not all of it was read."""
    cells = log.table.iloc[[row]]
    try:
        return cells.iso.reading(cells.index[0])
    except TypeError:
        return None


# Columns that name a message.
_MESSAGES = ("request", "answer", "original", "reversed_by")
_RIGHT = ("transaction", "amount", "latency", *_MESSAGES)


class Transactions(Source):
    """The transactions that `sim.match` finds in *log*. Messages are identified by their lines."""

    table: TransactionsTable

    def __init__(self, log: Log) -> None:
        super().__init__(match(log.table))
        self._log = log

    @cached_property
    def names(self) -> list[str]:
        """The columns; amounts include their currency."""
        return [name for name in super().names if name != "currency"]

    def right(self, name: str) -> bool:
        """Numbers."""
        return name in _RIGHT or super().right(name)

    def _cells(self, name: str, seen: pd.DataFrame, rows: Rows) -> list[str]:
        """Amounts with their currency, messages by their lines, or another column."""
        if name == "amount":
            pairs = zip(seen["amount"].tolist(), seen["currency"].fillna("").tolist(), strict=True)
            return ["" if pd.isna(amount) else say_amount(str(amount), of) for amount, of in pairs]
        if name in _MESSAGES:
            lines = pd.DataFrame(self._log.table)["line"]
            return ["" if at < 0 else str(lines.iloc[at]) for at in self._messages[name][rows].tolist()]
        return super()._cells(name, seen, rows)

    @cached_property
    def _messages(self) -> dict[str, Rows]:
        """The rows in the log of the messages in a column, -1 for none."""
        plain, index = pd.DataFrame(self.table), self._log.table.index
        return {name: index.get_indexer(pd.Index(plain[name])) for name in _MESSAGES}

    @cached_property
    def _others(self) -> tuple[Rows, Rows]:
        """The rows of other messages (repeats, duplicates ...), and their transactions' numbers."""
        messages = pd.DataFrame(self.table.iso.messages)
        paired = np.union1d(self._messages["request"], self._messages["answer"])
        numbers = messages["transaction"].fillna(0).to_numpy(np.int64)
        rows = np.setdiff1d(np.flatnonzero(numbers), paired)
        return rows, numbers[rows]

    @cached_property
    def _numbers(self) -> Rows:
        return pd.DataFrame(self.table)["transaction"].to_numpy(np.int64)

    def holding(self, messages: Rows) -> Rows:
        """The transactions that contain one of *messages*, rows of the log."""
        among: Flags = np.zeros(self._log.size + 1, bool)  # the last is for -1
        among[messages] = True
        rows, numbers = self._others
        kept = among[self._messages["request"]] | among[self._messages["answer"]]
        return np.flatnonzero(kept | np.isin(self._numbers, numbers[among[rows]]))

    def messages_of(self, places: Rows) -> Rows:
        """The rows in the log of the messages of the transactions in *places*."""
        rows, numbers = self._others
        columns = [self._messages[name][places] for name in ("request", "answer")]
        indexes = np.concatenate([*columns, rows[np.isin(numbers, self._numbers[places])]])
        return np.unique(indexes[indexes >= 0])

    def request_and_answer(self, place: int) -> list[int]:
        """The rows in the log of a transaction's request and response, if present."""
        indexes = (int(self._messages[name][place]) for name in ("request", "answer"))
        return [row for row in indexes if row >= 0]
