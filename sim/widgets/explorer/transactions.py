"""The transactions of a log as the explorer looks at them: a row for each, its messages by their rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sim.elements.money import say_amount
from sim.tables.matching import match
from sim.tables.transactions import TransactionsTable
from sim.widgets.explorer.filtering import Flags
from sim.widgets.explorer.log import Log
from sim.widgets.row_grid import Rows, Source

# Columns that name a message.
_MESSAGES = ("request", "answer", "original", "reversed_by")
_RIGHT = ("transaction", "amount", "latency", *_MESSAGES)


class Transactions(Source):
    """What `sim.match` finds in *log*. Messages are counted as in the log: by their lines."""

    table: TransactionsTable

    def __init__(self, log: Log) -> None:
        super().__init__(match(log.table))
        self._log = log

    @cached_property
    def names(self) -> list[str]:
        """The columns; the amount has its currency with it."""
        return [name for name in super().names if name != "currency"]

    def right(self, name: str) -> bool:
        """Numbers."""
        return name in _RIGHT or super().right(name)

    def _cells(self, name: str, seen: pd.DataFrame, rows: Rows) -> list[str]:
        """Amounts in their currency, messages by their lines, or another column."""
        if name == "amount":
            pairs = zip(seen["amount"].tolist(), seen["currency"].tolist(), strict=True)
            return ["" if pd.isna(one) else say_amount(str(one), _text(of)) for one, of in pairs]
        if name in _MESSAGES:
            found = self._messages[name][rows]
            return ["" if at < 0 else str(self._lines[at]) for at in found.tolist()]
        return super()._cells(name, seen, rows)

    @cached_property
    def _lines(self) -> Any:
        return pd.DataFrame(self._log.table)["line"].to_numpy()

    @cached_property
    def _messages(self) -> dict[str, Rows]:
        """The rows in the log of the messages that a column names, -1 where it names none."""
        plain, index = pd.DataFrame(self.table), self._log.table.index
        return {name: index.get_indexer(pd.Index(plain[name])) for name in _MESSAGES}

    @cached_property
    def _others(self) -> tuple[Rows, Rows]:
        """The rows of messages that are neither request nor answer (repeats, duplicates ...), and the number
        of each one's transaction."""
        messages = pd.DataFrame(self.table.iso.messages)
        paired = np.union1d(self._messages["request"], self._messages["answer"])
        numbers = messages["transaction"].fillna(0).to_numpy(np.int64)
        rows = np.setdiff1d(np.flatnonzero(numbers), paired)
        return rows, numbers[rows]

    @cached_property
    def _numbers(self) -> Rows:
        return pd.DataFrame(self.table)["transaction"].to_numpy(np.int64)

    def holding(self, messages: Rows) -> Rows:
        """The transactions that have one of *messages*, rows of the log."""
        among: Flags = np.zeros(self._log.size + 1, bool)  # the last is of what names none
        among[messages] = True
        rows, numbers = self._others
        kept = among[self._messages["request"]] | among[self._messages["answer"]]
        return np.flatnonzero(kept | np.isin(self._numbers, numbers[among[rows]]))

    def messages_of(self, places: Rows) -> Rows:
        """The rows in the log of the messages of the transactions in *places*."""
        rows, numbers = self._others
        named = [self._messages[name][places] for name in ("request", "answer")]
        found = np.concatenate([*named, rows[np.isin(numbers, self._numbers[places])]])
        return np.unique(found[found >= 0])

    def request_and_answer(self, place: int) -> list[int]:
        """The rows in the log of both messages of a transaction, as far as it has them."""
        found = (int(self._messages[name][place]) for name in ("request", "answer"))
        return [row for row in found if row >= 0]


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else ""
