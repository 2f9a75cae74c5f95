"""`TableView`: a table of any length, a page at a time, with a filter and an order.

Rows stay in Python, and what is drawn of them, card data masked, is what `sim.grid` draws everywhere. Only
the open page is sent to the browser.
"""

from __future__ import annotations

from html import escape
from typing import Any

import anywidget
import pandas as pd
import traitlets

from sim.grid import as_html, style, table_html
from sim.tables.argument import MessageArgument
from sim.tables.messages import parse
from sim.tables.tables import Table
from sim.widgets.statics import STATIC, bundled

_MOST_ROWS = 500


class TableView(anywidget.AnyWidget):
    """Pages of *table*, *rows* rows each.

    Traits: `text`, which a row must hold somewhere to be shown, in any case; `order`, the name of the column
    that rows are sorted by, empty for as they come, and `down`, whether from the largest; `page`, from 0;
    `rows`; `pages`, `count` (rows that hold the text) and `total`; `html`, what is drawn.
    """

    _esm = STATIC / "table_view.js"
    _css = STATIC / "table_view.css"

    text = traitlets.Unicode("").tag(sync=True)
    order = traitlets.Unicode("").tag(sync=True)
    down = traitlets.Bool(False).tag(sync=True)
    page = traitlets.Int(0, min=0).tag(sync=True)
    rows = traitlets.Int(25, min=1, max=_MOST_ROWS).tag(sync=True)
    pages = traitlets.Int(1).tag(sync=True)
    count = traitlets.Int(0).tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    html = traitlets.Unicode("").tag(sync=True)
    look = traitlets.Unicode("").tag(sync=True)

    def __init__(self, table: Table, **kwargs: Any) -> None:
        self.table = table
        self._masked: pd.DataFrame | None = None
        self._places: list[int] | None = None  # None for all, as they come
        super().__init__(total=len(table), count=len(table), **kwargs)
        self._draw()
        self.observe(self._choose, ["text", "order", "down"])
        self.observe(self._draw, ["page", "rows"])

    @property
    def shown(self) -> pd.DataFrame:
        """The rows that hold the text, in the order shown, card data masked."""
        return self._seen() if self._places is None else self._seen().iloc[self._places]

    def _seen(self) -> pd.DataFrame:
        if self._masked is None:  # for the first filter or order; a page alone masks its own rows
            self._masked = self.table.masked()
        return self._masked

    def _choose(self, change: Any) -> None:
        self._places = self._chosen() if self.text or self.order else None
        with self.hold_sync():
            self.count = self.total if self._places is None else len(self._places)
            self.page = 0
            self._draw()

    def _chosen(self) -> list[int]:
        """The places of the rows to be shown. What is masked is neither found nor sorted by."""
        seen = self._seen().reset_index(drop=True)
        if self.text:
            asked, left_out = self.text.casefold(), self.table.left_out()
            texts = seen.drop(columns=[name for name in seen.columns if name in left_out])
            held = texts.astype(str).where(texts.notna(), "").agg("\n".join, axis=1)
            seen = seen[[asked in text.casefold() for text in held.tolist()]]
        if self.order in seen.columns:
            seen = _sorted(seen, self.order, down=self.down)
        return [int(at) for at in seen.index]

    def _draw(self, change: Any = None) -> None:
        with self.hold_sync():
            self.pages = max(-(-self.count // self.rows), 1)
            self.page = min(self.page, self.pages - 1)
            at = range(self.page * self.rows, min((self.page + 1) * self.rows, self.count))
            places = [*at] if self._places is None else [self._places[one] for one in at]
            drawn = self.table.drawn_of(places)
            nothing = f"<p>{escape(self.table.heading())}</p>"
            self.look, self.html = style(drawn), table_html(drawn) if self.total else nothing

    def to_html(self) -> str:
        """All rows that hold the text, as HTML that needs nothing else."""
        if not self.total:
            return self.html
        places = range(self.total) if self._places is None else self._places
        return as_html(self.table.drawn_of(places), self.table.heading())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        made = super()._repr_mimebundle_(**kwargs)
        return bundled(made, repr(self.table), self.table._repr_html_())

    def __repr__(self) -> str:
        return f"TableView({self.total} rows × {len(self.table.columns)} columns)"


def _sorted(seen: pd.DataFrame, name: str, *, down: bool) -> pd.DataFrame:
    """Rows sorted by a column; those that have nothing there come last, and equal ones stay as they come."""
    try:
        return seen.sort_values(name, ascending=not down, kind="stable", na_position="last")
    except TypeError:  # texts and numbers in one column
        return seen.sort_values(
            name, ascending=not down, kind="stable", na_position="last", key=lambda cells: cells.astype(str)
        )


def show(table: MessageArgument, *, rows: int = 25) -> TableView:
    """Dress a table for reading: turn its pages, filter and sort it, with card data hidden.

    Parameters
    ----------
    table
        Any table of the toolkit, or a message in any form.
    rows
        How many rows a page has.

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
