"""`RowGrid`: rows of a table of any length, of which the browser has those that are seen.

Why our own: other grids that work offline were tried once, each on a million rows with forty columns, on one
machine. ipydatagrid took 50 s to hand all rows to the browser, perspective 36 s to copy them, and ipyaggrid
was given up after 150 s; buckaroo was there after 4.5 s, since it sends pages, too. None of them was tuned.
What decided was less the time than the cells, which all four send as they are: card data would have to be
masked in a million rows before the first is seen. Here a page of rows is masked when it is asked for, and
nothing else leaves Python; it needs no package that the other panels do not need.
"""

from __future__ import annotations

from typing import Any

import anywidget
import numpy as np
import traitlets

from sim.widgets.explorer.log import Rows, Source, as_rows
from sim.widgets.statics import STATIC

_FIRST = 60  # rows that go with the grid, so that it is not empty at first
_MOST_ASKED = 1000
_MOST_CHOSEN = 10_000


class RowGrid(anywidget.AnyWidget):
    """A grid. Traits: `count` rows; `columns`; `order`, {name, descending} or empty; `current`, the
    place of the row that is looked at, -1 none; `chosen`, the rows that are ticked (rows of the source);
    `stamp`, which changes when the rows do. `rows` are the rows of the source, in the order in which they are
    shown."""

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
    stamp = traitlets.Int(0).tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        self.source: Source | None = None
        self.rows: Rows = as_rows([])
        self._unsorted: Rows = self.rows
        super().__init__(**kwargs)
        self.observe(self._sort, "order")
        self.on_msg(self._asked)

    def put(self, source: Source | None, rows: Rows | None = None) -> None:
        """Show *rows* of *source*; None all of them."""
        with self.hold_sync():
            if source is not self.source:
                self.source = source
                self.chosen, self.order = [], {}
                self.columns = source.columns if source else []
            size = source.size if source else 0
            self._unsorted = np.arange(size) if rows is None else rows
            self._place()

    def row(self, place: int) -> int | None:
        """The row of the source at *place*; None where there is none."""
        return int(self.rows[place]) if 0 <= place < len(self.rows) else None

    def show_row(self, row: int) -> bool:
        """Make *row* of the source the current one; False where it is filtered away."""
        found = np.flatnonzero(self.rows == row)
        if len(found):
            self.current = int(found[0])
        return bool(len(found))

    def _sort(self, change: Any) -> None:
        with self.hold_sync():
            self._place()

    def _place(self) -> None:
        name = self.order.get("name")
        known = self.source is not None and name in self.source.names
        if known and self.source is not None:
            self.rows = self.source.order(self._unsorted, str(name), bool(self.order.get("descending")))
        else:
            self.rows = self._unsorted
        self.current = -1
        self.count = len(self.rows)
        self.first = self._page(0, _FIRST)
        self.stamp += 1

    def _page(self, start: int, end: int) -> list[list[Any]]:
        """Rows as `[row, mark, cells]`."""
        if self.source is None:
            return []
        rows = self.rows[start:end]
        texts, marks = self.source.texts(rows), self.source.marks(rows)
        return [list(one) for one in zip(rows.tolist(), marks, texts, strict=True)]

    def _asked(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        start, end = content.get("start"), content.get("end")
        if content.get("ask") != "rows" or content.get("stamp") != self.stamp:
            return
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            page = self._page(start, min(end, start + _MOST_ASKED))
            self.send({"kind": "rows", "stamp": self.stamp, "start": start, "rows": page})

    def download(self, name: str, data: bytes) -> None:
        """Hand *data* to the person at the browser as a file."""
        self.send({"kind": "file", "name": name}, [data])

    def __repr__(self) -> str:
        return f"RowGrid({self.count:,} rows, {len(self.columns)} columns)"


class FileDrop(anywidget.AnyWidget):
    """Takes files that are dropped or chosen, piece by piece, so that no message is too large for the server.
    `file` is the last one, (name, bytes); it stays in Python."""

    _esm = STATIC / "file_drop.js"
    _css = STATIC / "row_grid.css"

    words = traitlets.Unicode("Drop a log file here, or browse").tag(sync=True)
    busy = traitlets.Unicode("").tag(sync=True)
    file = traitlets.Tuple(allow_none=True, default_value=None)

    def __init__(self, **kwargs: Any) -> None:
        self._pieces: list[bytes] = []
        super().__init__(**kwargs)
        self.on_msg(self._take)

    def _take(self, widget: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        if content.get("ask") != "piece" or not buffers:
            return
        if content.get("at") == 0:
            self._pieces = []
        self._pieces.append(bytes(buffers[0]))
        done = sum(map(len, self._pieces))
        if done < content.get("size", 0):
            self.send({"kind": "more", "at": done})
            return
        data, self._pieces = b"".join(self._pieces), []
        self.file = (str(content.get("name", "")), data)

    def __repr__(self) -> str:
        return "FileDrop()"
