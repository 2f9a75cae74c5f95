"""`TableView`: a table of any length in the grid, with a filter and an order.

Rows stay in Python; what is shown of them, card data masked, is what `sim.grid` draws everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.grid import SEVERITY, Grid, as_html, signed
from sim.tables.argument import MessageArgument
from sim.tables.messages import parse
from sim.tables.tables import Table
from sim.widgets.row_grid import RowGrid, Rows, Source
from sim.widgets.statics import bundled

_LABELS = "#"  # the column of what rows are called


class Drawn(Source):
    """A table as `sim.grid` draws it: severities with their sign, rules leading to their page. What is masked
    is neither found nor sorted by."""

    widest = 100

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._masked: pd.DataFrame | None = None
        self._grid = table.drawn_of(range(min(self.size, 1)))

    @property
    def masked(self) -> pd.DataFrame:
        """All rows masked, for the first filter or order: a page masks its own."""
        if self._masked is None:
            self._masked = self.table.masked().reset_index(drop=True)
        return self._masked

    @property
    def names(self) -> list[str]:
        """The columns that are drawn, the label first where rows have one."""
        return [*([_LABELS] if self._grid.label_header is not None else []), *self._grid.headers]

    def right(self, name: str) -> bool:
        """Numbers."""
        kinds = dict(zip(self._grid.headers, self._grid.kinds, strict=True))
        return kinds.get(name) == "n"

    def page(self, rows: Rows) -> list[list[Any]]:
        """The rows, each cell with where it leads; what is wrong is marked."""
        drawn = self.table.drawn_of(rows.tolist())
        return [
            [row, "bad" if at in drawn.failing else "", _cells(drawn, at)]
            for at, row in enumerate(rows.tolist())
        ]

    def holding(self, text: str) -> Rows:
        """The rows that have *text* somewhere, in any case."""
        left_out = self.table.left_out()
        texts = self.masked.drop(columns=[name for name in self.masked.columns if name in left_out])
        held = texts.astype(str).where(texts.notna(), "").agg("\n".join, axis=1)
        return np.flatnonzero([text.casefold() in one.casefold() for one in held.tolist()])

    def order(self, rows: Rows, name: str, descending: bool) -> Rows:
        """*rows* sorted by a column; those that have nothing there come last, equal ones as they come."""
        if name == _LABELS:
            return np.sort(rows)[:: -1 if descending else 1]
        some = self.masked.iloc[rows]
        column = next(one for one in some.columns if str(one) == name)
        options: dict[str, Any] = {"ascending": not descending, "kind": "stable", "na_position": "last"}
        try:
            made = some.sort_values(column, **options)
        except TypeError:  # texts and numbers in one column
            made = some.sort_values(column, key=lambda cells: cells.astype(str), **options)
        found: Rows = made.index.to_numpy()
        return found


def _cells(drawn: Grid, at: int) -> list[Any]:
    """The cells of a row: a text, or a text and where it leads."""
    label = [] if drawn.label_header is None else [drawn.labels[at]]
    return label + [
        [signed(text) if kind == SEVERITY else text, link]
        if (link := drawn.links.get((header, text), ""))
        else (signed(text) if kind == SEVERITY else text)
        for header, kind, text in zip(drawn.headers, drawn.kinds, drawn.rows[at], strict=True)
    ]


class TableView(RowGrid):
    """*table* to be scrolled, filtered and sorted, *rows* rows seen at once; the current one is shown whole.

    Traits: those of `RowGrid`; `text` is what a row must hold somewhere to be shown, in any case; `count` are
    the rows that do, of `total`.
    """

    def __init__(self, table: Table, rows: int = 25) -> None:
        self.table = table
        self._drawn = Drawn(table)
        super().__init__(
            title="Table", nothing=table.heading(), ticks=False, filters=len(table) > 0, whole=True, seen=rows
        )
        self.put(self._drawn)
        self.observe(self._find, "text")

    @property
    def shown(self) -> pd.DataFrame:
        """The rows that hold the text, in the order shown, card data masked."""
        return self.table.masked().iloc[self.rows]

    def _find(self, change: Any) -> None:
        self.nothing = "No rows match." if self.text else self.table.heading()
        self.put(self._drawn, self._drawn.holding(self.text) if self.text else None)

    def to_html(self) -> str:
        """All rows that hold the text, as HTML that needs nothing else."""
        if not len(self.table):
            return str(self.table._repr_html_())
        return as_html(self.table.drawn_of(self.rows.tolist()), self.table.heading())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        made = super()._repr_mimebundle_(**kwargs)
        return bundled(made, repr(self.table), self.table._repr_html_())

    def __repr__(self) -> str:
        return f"TableView({self.total} rows × {len(self.table.columns)} columns)"


def show(table: MessageArgument, *, rows: int = 25) -> TableView:
    """Dress a table for reading: scroll, filter and sort it, with card data hidden.

    Parameters
    ----------
    table
        Any table of the toolkit, or a message in any form.
    rows
        How many rows are seen at once.

    Returns
    -------
    TableView
        What a notebook shows; `.to_html()` gives all rows as HTML that needs no kernel. The same table
        gives the same HTML.

    Raises
    ------
    TypeError
        *table* is neither a table nor a message.

    Examples
    --------
    >>> import sim
    >>> "✖ error" in sim.show(sim.validate(sim.generate("auth", pan="4111111111111112"))).to_html()
    True
    """
    return TableView(table if isinstance(table, Table) else parse(table), rows=rows)
