"""A table of messages as the explorer looks at it: filtered and sorted as Arrow columns, row numbers going in
and out; only the rows that are seen are made texts, and masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.spec import VERSIONS
from sim.spec.networks import element_name
from sim.tables.columns.table import MessagesTable, number_of
from sim.tables.tables import Table
from sim.widgets.explorer.filtering import Amounts, Flags, RowFilter, flags

Rows = np.ndarray[Any, np.dtype[np.int64]]
Verdict = str
VERDICTS = ("all", "valid", "invalid", "unreadable")
_MOST_SHOWN = 120  # characters of a cell
_SAMPLE = 60  # rows whose texts say how wide a column is
_LEAST_WIDE, _MOST_WIDE = 5, 26  # characters
_FIRST = ("line", "time", "mti", "network", "amount", "verdict")
_AMOUNT = 4
_HIDDEN = frozenset({"valid", "errors", "version", "error_field", "error_offset", "stream", "file"})
_BINS = 120


class Source:
    """A table for a grid: columns, and the texts of some rows."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.size = len(table)

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """`{name, title, wide, right}` of each column, in the order in which they are shown."""
        sample = self.texts(np.arange(min(self.size, _SAMPLE)))
        found = []
        for at, name in enumerate(self.names):
            longest = max((len(row[at]) for row in sample), default=0)
            wide = min(max(longest, len(name) + 2, _LEAST_WIDE), _MOST_WIDE)
            found.append({"name": name, "title": self.title(name), "wide": wide, "right": self.right(name)})
        return found

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns that are shown."""
        left_out = self.table.left_out()
        return [str(name) for name in self.table.columns if name not in left_out]

    def title(self, name: str) -> str:
        """What a column is, in words."""
        return name.replace("_", " ")

    def right(self, name: str) -> bool:
        """Whether a column holds numbers to be compared by their length."""
        return name in self.table.columns and pd.api.types.is_numeric_dtype(self.table[name].dtype)

    def texts(self, rows: Rows) -> list[list[str]]:
        """The cells of *rows* as they may be shown."""
        seen = self.table.iloc[rows].masked()
        held = [self._cells(name, seen, rows) for name in self.names]
        return [list(row) for row in zip(*held, strict=True)] if held else [[] for _ in rows]

    def _cells(self, name: str, seen: pd.DataFrame, rows: Rows) -> list[str]:
        """The column *name* of what is *seen* of *rows*, in words."""
        return [_text(cell) for cell in seen[name].tolist()]

    def marks(self, rows: Rows) -> list[str]:
        """How each row looks: bad, warn or nothing."""
        return [""] * len(rows)

    def order(self, rows: Rows, name: str, descending: bool) -> Rows:
        """*rows* sorted by a column; what is missing comes last, equals stay in order."""
        keys = self.sort_key(name)
        keys = keys if len(rows) == self.size else keys.take(pa.array(rows))
        way = "descending" if descending else "ascending"
        # The second key keeps equals in their order: Arrow's sort does not promise it.
        both = pa.table({"key": keys, "row": rows})
        placed = pc.sort_indices(both, sort_keys=[("key", way), ("row", "ascending")])
        sorted_rows: Rows = rows[placed.to_numpy()]
        return sorted_rows

    def sort_key(self, name: str) -> Any:
        """What a column is sorted by."""
        return self.arrow(name)

    def arrow(self, name: str) -> Any:
        """A column as Arrow has it."""
        return pa.array(pd.DataFrame(self.table)[name], from_pandas=True)


class Log(Source):
    """Messages. Rows are told by their places from 0."""

    table: MessagesTable

    def __init__(self, table: MessagesTable) -> None:
        super().__init__(table)
        self._arrow: dict[str, Any] = {}
        self._filter = RowFilter(pd.DataFrame(table), self.arrow, self.verdict)

    @cached_property
    def names(self) -> list[str]:
        """The leading columns, the elements, and why a text is no message."""
        made = {"verdict": True, "amount": f"DE{_AMOUNT}" in self.table.columns}
        there = [name for name in _FIRST if made.get(name, name in self.table.columns)]
        rest = [str(name) for name in self.table.columns if name not in {*_FIRST, *_HIDDEN}]
        return [*there, *(name for name in rest if number_of(name) or self.table[name].notna().any())]

    def title(self, name: str) -> str:
        """An element by its name."""
        number = number_of(name)
        return f"DE {number} {element_name(VERSIONS[0], number)}" if number else super().title(name)

    @cached_property
    def unreadable(self) -> Any:
        """Which rows are no messages."""
        return self._flags("error", lambda column: column.notna())

    @cached_property
    def bad(self) -> Any:
        """Which rows have errors, as far as anybody has looked: unreadable ones always."""
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
        """A column as Arrow has it, kept."""
        if name not in self._arrow:
            self._arrow[name] = super().arrow(name)
        return self._arrow[name]

    @cached_property
    def amounts(self) -> Amounts:
        """The transaction amounts, each with its currency."""
        return self._filter.amounts(_AMOUNT)

    def sort_key(self, name: str) -> Any:
        """The verdict by the number of errors, the amount by its units of any currency."""
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
        said = []
        for row, count in zip(rows.tolist(), errors, strict=True):
            if self.unreadable[row]:
                said.append("✖ unreadable")
            elif count is None:
                said.append("")
            else:
                said.append(f"✖ {count} error{'s' * (count != 1)}" if count else "✔ valid")
        return said

    def marks(self, rows: Rows) -> list[str]:
        """Bad rows."""
        return ["bad" if self.bad[row] else "" for row in rows.tolist()]

    def verdict(self, name: Verdict) -> Flags:
        """Which rows are valid, invalid, unreadable."""
        flagged: Flags = self.unreadable if name == "unreadable" else self.bad
        return ~flagged if name == "valid" else flagged

    def where(
        self, query: str = "", verdict: Verdict = "all", network: str = "", only: Any = None
    ) -> tuple[Rows, tuple[str, ...]]:
        """The rows that meet all of it, and what the writer of *query* may want to know; *only* are flags
        that must be set, too. Raises FilterError for a query that can mean nothing."""
        keep, notes = self._filter.meet(query)
        if only is not None:
            keep &= np.asarray(only, bool)
        if verdict != "all":
            keep &= self.verdict(verdict)
        if network:
            keep &= flags(pc.equal(self.arrow("network"), network))
        return np.flatnonzero(keep), notes

    def warm(self) -> None:
        """Make ready what the first search for a text would."""
        self._filter.warm()

    def bins(self, rows: Rows) -> tuple[list[int], list[int]]:
        """How many messages, and how many bad ones, stand where in the log, in equal parts of it."""
        count = min(_BINS, max(self.size, 1))
        places = rows * count // max(self.size, 1)
        bad = self.bad[rows]
        whole = np.bincount(places, minlength=count)
        wrong = np.bincount(places[bad], minlength=count)
        return whole.tolist(), wrong.tolist()


def _text(cell: object) -> str:
    if cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell) or cell is pd.NaT:
        return ""
    text = str(cell)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def networks_in(log: Log) -> list[str]:
    """The networks of a log, in order of their names."""
    if "network" not in log.table.columns:
        return []
    return sorted(str(name) for name in pd.DataFrame(log.table)["network"].dropna().unique())


def as_rows(numbers: Sequence[int]) -> Rows:
    """Row numbers as an array."""
    return np.asarray(numbers, dtype=np.int64)
