"""`RowGrid`: a table of any length; the browser has only the visible rows.

Other grids that work offline were tried on a million rows and forty columns on one machine, none of them
tuned: ipydatagrid took 50 s to transfer all rows, perspective 36 s to copy them, ipyaggrid was stopped after
150 s; buckaroo, which sends pages as well, took 4.5 s. The cells decided more than the time: all four send
them unchanged, so card data in a million rows would have to be masked before the first is visible. Here a
page of rows is masked on request, and nothing else leaves Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import anywidget
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import traitlets

from sim.grid import SEVERITY, Grid, as_html, cut, signed
from sim.tables.argument import MessageArgument
from sim.tables.card_data import is_missing
from sim.tables.messages import parse
from sim.tables.tables import Table
from sim.widgets.markup import STATIC, bundled

Rows = np.ndarray[Any, np.dtype[np.int64]]
_MOST_SHOWN = 120  # characters of a cell
_SAMPLE = 60  # rows that determine the width of a column
_LEAST_WIDE = 5  # characters
_FIRST = 60  # rows sent with the grid, so that it is never empty at first
_MOST_ASKED = 1000
_MOST_CHOSEN = 10_000


class Source:
    """A table for a grid: its columns, and the cells of given rows. A cell is a text, or a pair of a text and
    a link."""

    widest = 26  # characters of a column

    def __init__(self, table: Table) -> None:
        self.table = table
        self.size = len(table)

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """`{name, title, wide, right}` of each column, in order."""
        sample = [cells for _, _, cells in self.page(np.arange(min(self.size, _SAMPLE)))]
        entries = []
        for at, name in enumerate(self.names):
            texts = (row[at] if isinstance(row[at], str) else row[at][0] for row in sample)
            longest = max(map(len, map(str, texts)), default=0)
            wide = min(max(longest, len(name) + 2, _LEAST_WIDE), self.widest)
            entries.append({"name": name, "title": self.title(name), "wide": wide, "right": self.right(name)})
        return entries

    @cached_property
    def names(self) -> list[str]:
        """The names of the visible columns."""
        left_out = self.table.left_out()
        return [str(name) for name in self.table.columns if name not in left_out]

    def title(self, name: str) -> str:
        """The title of a column."""
        return name.replace("_", " ")

    def right(self, name: str) -> bool:
        """Whether a column contains numbers."""
        return name in self.table.columns and pd.api.types.is_numeric_dtype(self.table[name].dtype)

    def page(self, rows: Rows) -> list[list[Any]]:
        """*rows* as `[row, mark, cells]`."""
        return [list(row) for row in zip(rows.tolist(), self.marks(rows), self.texts(rows), strict=True)]

    def texts(self, rows: Rows) -> list[list[str]]:
        """The cells of *rows*, masked."""
        frame = self.table.iloc[rows].masked()
        columns = [self._cells(name, frame, rows) for name in self.names]
        return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in rows]

    def _cells(self, name: str, seen: pd.DataFrame, rows: Rows) -> list[str]:
        """The texts of column *name* of *rows*, masked in *seen*."""
        cells = seen[name].tolist()
        return ["" if is_missing(cell) else cut(str(cell), _MOST_SHOWN) for cell in cells]

    def marks(self, rows: Rows) -> list[str]:
        """The mark of each row: bad, warn or nothing."""
        return [""] * len(rows)

    def order(self, rows: Rows, name: str, descending: bool) -> Rows:
        """*rows* sorted by a column; missing values last, equal ones in their order."""
        keys = self.sort_key(name)
        keys = keys if len(rows) == self.size else keys.take(pa.array(rows))
        way = "descending" if descending else "ascending"
        # The second key makes the sort stable, which Arrow's is not guaranteed to be.
        both = pa.table({"key": keys, "row": rows})
        placed = pc.sort_indices(both, sort_keys=[("key", way), ("row", "ascending")])
        sorted_rows: Rows = rows[placed.to_numpy()]
        return sorted_rows

    def sort_key(self, name: str) -> Any:
        """The values that a column is sorted by."""
        return self.arrow(name)

    def arrow(self, name: str) -> Any:
        """A column as an Arrow array."""
        return pa.array(pd.DataFrame(self.table)[name], from_pandas=True)


def as_rows(numbers: Sequence[int]) -> Rows:
    """Row numbers as an array."""
    return np.asarray(numbers, dtype=np.int64)


class RowGrid(anywidget.AnyWidget):
    """A grid. Traits: `count` rows of `total`; `columns`; `order`, {name, descending} or empty; `current`,
    the position of the current row, -1 for none; `ticks`, whether rows can be selected, and `chosen`, the
    selected rows of the source; `filters`, whether `text` can be typed (it stays in Python, since a notebook
    saves synced traits); `whole`, whether the current row is shown in full; `seen`, the number of visible
    rows; `stamp`, changed with the rows. `rows` are the rows of the source in the order shown."""

    _esm = STATIC / "row_grid.js"
    _css = STATIC / "row_grid.css"

    title = traitlets.Unicode("Rows").tag(sync=True)
    nothing = traitlets.Unicode("No rows.").tag(sync=True)
    count = traitlets.Int(0).tag(sync=True)
    columns: traitlets.List[Any] = traitlets.List().tag(sync=True)
    first: traitlets.List[Any] = traitlets.List().tag(sync=True)
    order = traitlets.Dict().tag(sync=True)
    current = traitlets.Int(-1).tag(sync=True)
    chosen = traitlets.List(traitlets.Int(), maxlen=_MOST_CHOSEN).tag(sync=True)
    ticks = traitlets.Bool(True).tag(sync=True)
    filters = traitlets.Bool(False).tag(sync=True)
    whole = traitlets.Bool(False).tag(sync=True)
    seen = traitlets.Int(14, min=1).tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    stamp = traitlets.Int(0).tag(sync=True)
    text = traitlets.Unicode("")

    def __init__(self, **kwargs: Any) -> None:
        self.source: Source | None = None
        self.rows: Rows = as_rows([])
        self._unsorted: Rows = self.rows
        super().__init__(**kwargs)
        self.observe(self._sort, "order")
        self.observe(self._tell_text, "text")
        self.on_msg(self._on_request)

    def put(self, source: Source | None, rows: Rows | None = None) -> None:
        """Show *rows* of *source*; None for all."""
        with self.hold_sync():
            if source is not self.source:
                self.source = source
                self.chosen, self.order = [], {}
                self.columns = source.columns if source else []
            size = self.total = source.size if source else 0
            self._unsorted = np.arange(size) if rows is None else rows
            self._place()

    def row(self, place: int) -> int | None:
        """The row of the source at *place*, or None."""
        return int(self.rows[place]) if 0 <= place < len(self.rows) else None

    def _tell_text(self, change: Any = None) -> None:
        self.send({"kind": "filter", "text": self.text})

    def _sort(self, change: Any) -> None:
        with self.hold_sync():
            self._place()

    def _place(self) -> None:
        name, self.rows = self.order.get("name"), self._unsorted
        if self.source is not None and name in self.source.names:
            self.rows = self.source.order(self.rows, str(name), bool(self.order.get("descending")))
        self.current = -1
        self.count = len(self.rows)
        self.first = self._page(0, _FIRST)
        self.stamp += 1

    def _page(self, start: int, end: int) -> list[list[Any]]:
        return self.source.page(self.rows[start:end]) if self.source else []

    def _on_request(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        start, end = content.get("start"), content.get("end")
        if content.get("ask") == "filter" and self.filters:
            if "text" in content:
                self.text = str(content["text"])
            else:
                self._tell_text()
        if content.get("ask") != "rows" or content.get("stamp") != self.stamp:
            return
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            page = self._page(start, min(end, start + _MOST_ASKED))
            self.send({"kind": "rows", "stamp": self.stamp, "start": start, "rows": page})

    def download(self, name: str, data: bytes) -> None:
        """Send *data* to the browser as a file."""
        self.send({"kind": "file", "name": name}, [data])

    def __repr__(self) -> str:
        return f"RowGrid({self.count:,} rows, {len(self.columns)} columns)"


_LABELS = "#"  # the column of row labels


class Drawn(Source):
    """A table as drawn by `sim.grid`: severities with their sign, rules linked to their pages. Masked text is
    neither searched nor sorted."""

    widest = 100

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._grid = table.drawn_of(range(min(self.size, 1)))

    @cached_property
    def masked(self) -> pd.DataFrame:
        """All rows masked, for filtering and sorting; a page masks its own."""
        return self.table.masked().reset_index(drop=True)

    @property
    def names(self) -> list[str]:
        """The visible columns, the label first if rows have one."""
        return [*([_LABELS] if self._grid.label_header is not None else []), *self._grid.headers]

    def right(self, name: str) -> bool:
        """Numbers."""
        return (name, "n") in zip(self._grid.headers, self._grid.kinds, strict=True)

    def page(self, rows: Rows) -> list[list[Any]]:
        """The rows, each cell with its link; failing rows are marked."""
        drawn = self.table.drawn_of(rows.tolist())
        marks = ["bad" if at in drawn.failing else "" for at in range(len(rows))]
        return [[row, marks[at], _cells(drawn, at)] for at, row in enumerate(rows.tolist())]

    def holding(self, text: str) -> Rows:
        """The rows that contain *text*, in any letter case."""
        left_out = self.table.left_out()
        texts = self.masked.drop(columns=[name for name in self.masked.columns if name in left_out])
        lines = texts.astype(str).where(texts.notna(), "").agg("\n".join, axis=1)
        return np.flatnonzero([text.casefold() in line.casefold() for line in lines.tolist()])

    def sort_key(self, name: str) -> Any:
        """A column as shown."""
        if name == _LABELS:
            return pa.array(np.arange(self.size))
        cells = next(self.masked[column] for column in self.masked.columns if str(column) == name)
        try:
            return pa.array(cells, from_pandas=True)
        except (pa.ArrowException, UnicodeEncodeError):  # texts and numbers in one column, a lone surrogate
            texts = [
                None if is_missing(cell) else str(cell).encode("utf-8", "surrogatepass") for cell in cells
            ]
            return pa.array(texts, pa.binary())


def _cells(drawn: Grid, at: int) -> list[Any]:
    """The cells of a row: a text, or a text and its link."""
    cells: list[Any] = [] if drawn.label_header is None else [drawn.labels[at]]
    for header, kind, text in zip(drawn.headers, drawn.kinds, drawn.rows[at], strict=True):
        link, shown = drawn.links.get((header, text)), signed(text) if kind == SEVERITY else text
        cells.append([shown, link] if link else shown)
    return cells


class TableView(RowGrid):
    """A *table*, or a message in any form, to scroll, filter and sort, with *rows* rows visible at once; the
    current row is shown in full.

    Traits: those of `RowGrid`; `text` is what a row must contain, in any letter case; `count` is the number
    of such rows, of `total`.
    """

    def __init__(self, table: MessageArgument, rows: int = 25) -> None:
        self.table = table = table if isinstance(table, Table) else parse(table)
        self._drawn = Drawn(table)
        super().__init__(
            title="Table", nothing=table.heading(), ticks=False, filters=len(table) > 0, whole=True, seen=rows
        )
        self.put(self._drawn)
        self.observe(self._find, "text")

    @property
    def shown(self) -> pd.DataFrame:
        """The rows that contain the text, in the order shown, masked."""
        return self.table.masked().iloc[self.rows]

    def _find(self, change: Any) -> None:
        self.nothing = "No rows match." if self.text else self.table.heading()
        self.put(self._drawn, self._drawn.holding(self.text) if self.text else None)

    def to_html(self) -> str:
        """All rows that contain the text, as self-contained HTML."""
        if not len(self.table):
            return str(self.table._repr_html_())
        return as_html(self.table.drawn_of(self.rows.tolist()), self.table.heading())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundled(bundle, repr(self.table), self.table._repr_html_())

    def __repr__(self) -> str:
        return f"TableView({self.total} rows × {len(self.table.columns)} columns)"


def show(table: MessageArgument, *, rows: int = 25) -> TableView:
    """Show a table that can be scrolled, filtered and sorted, with card data masked.

    Parameters
    ----------
    table
        Any table of the toolkit, or a message in any form.
    rows
        The number of rows shown at once.

    Returns
    -------
    TableView
        The view for a notebook; `.to_html()` returns all rows as HTML that needs no kernel. The same table
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
    return TableView(table, rows=rows)
