"""`MessageDiff`: two messages side by side, row by row, with what differs inside their elements."""

from __future__ import annotations

import html
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.grid import TEXT, VALUE, Grid, as_html, as_plain
from sim.operations import chosen_version
from sim.operations.anatomy import dissect
from sim.widgets.anatomy import MessageAnatomy
from sim.widgets.compared import Row, differing, rows_of
from sim.widgets.page import visible
from sim.widgets.plain import label_of, title_of
from sim.widgets.statics import STATIC, bundled, script

_SIGNS = {"changed": "≠", "added": "+", "removed": "−", "same": ""}
_HEADS = ("", "DE", "name", "first", "second")
_KINDS = (TEXT, TEXT, TEXT, VALUE, VALUE)


def _title(rows: list[Row]) -> str:
    count = sum(not row["depth"] for row in differing(rows))
    if not count:
        return "The messages have the same elements with the same values."
    return f"{count} element{'' if count == 1 else 's'} differ{'s' if count == 1 else ''}"


def _grid(rows: list[Row]) -> Grid:
    """The rows that differ as a table, each value with its meaning."""
    cells = []
    for row in differing(rows):
        label = f"{'  ' * row['depth']}{row['label']}" if row["depth"] else label_of(row)
        sides = [_said(row[side], row[f"meaning_{side}"]) for side in "ab"]
        name = f"{row['name']} ({row['said']})" if row["said"] else row["name"]
        cells.append((_SIGNS[row["kind"]], label, name, *sides))
    return Grid(_HEADS, _KINDS, ("",) * len(cells), tuple(cells), None)


def _said(value: str | None, meaning: str) -> str:
    return "" if value is None else f"{visible(value)}  {meaning}".rstrip()


class DifferenceList(anywidget.AnyWidget):
    """The rows of both messages, as `sim.widgets.compared` describes them; `everything` shows those, too,
    that are the same."""

    _esm = script("dom", "diff")
    _css = STATIC / "anatomy.css"

    title = traitlets.Unicode().tag(sync=True)
    rows = traitlets.List(traitlets.Dict()).tag(sync=True)
    everything = traitlets.Bool(False).tag(sync=True)
    hovered = traitlets.Int(None, allow_none=True).tag(sync=True)
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __repr__(self) -> str:
        return f"DifferenceList({self.title})"


class MessageDiff(ipywidgets.VBox):  # type: ignore[misc]
    """Two messages compared: request and response, before and after a conversion.

    *a* and *b* are texts, `Message`s or message tables; *version* and *network* as in `MessageAnatomy`.
    `listing` is the table of what differs, element by element and, in chip data and layouts, part by part;
    `left` and `right` are the anatomies, which "Both messages" unfolds: set `left.message` or
    `right.message` and the table follows. `hovered` and `pinned` are linked between the three.
    """

    def __init__(
        self, a: object, b: object, version: str | None = None, network: str | None = None, **kwargs: Any
    ) -> None:
        self.left = MessageAnatomy(a, version, network)
        self.right = MessageAnatomy(b, version, network)
        self.listing = DifferenceList()
        self.both = ipywidgets.ToggleButton(
            description="Both messages", layout={"width": "auto", "align_self": "flex-start"}
        )
        self._pair = ipywidgets.HBox([self.left, self.right], layout=ipywidgets.Layout(flex_flow="row wrap"))
        self._pair.add_class("ia-pair")
        super().__init__([self.listing, self.both, self._pair], **kwargs)
        self._mark()
        self._unfold()
        self._links = [
            ipywidgets.jslink((self.listing, name), (side, name))
            for name in ("hovered", "pinned")
            for side in (self.left, self.right)
        ]
        self.both.observe(self._unfold, "value")
        for side in (self.left, self.right):
            side.observe(self._mark, ["message", "version", "network"])

    @property
    def rows(self) -> list[Row]:
        """What differs, masked, as `sim.widgets.compared` describes it."""
        return differing(self.listing.rows)

    def _unfold(self, change: Any = None) -> None:
        self._pair.layout.display = None if self.both.value else "none"

    def _mark(self, change: Any = None) -> None:
        # Each side by its own version: before and after a conversion they differ in it.
        sides = [
            dissect(side.message, chosen_version(side.message, side.version), side.network)
            for side in (self.left, self.right)
        ]
        rows = rows_of(*sides)
        self.listing.rows = rows
        self.listing.title = _title(rows)
        signs = {str(row["number"]): row["kind"] for row in differing(rows) if not row["depth"]}
        for side in (self.left, self.right):
            side.compared = signs

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        titles = [
            f"{which}: {title_of(side.view)}"
            for which, side in zip(_HEADS[3:], (self.left, self.right), strict=True)
        ]
        drawn, title = _grid(self.listing.rows), self.listing.title
        plain = "\n".join([*titles, as_plain(drawn, title) if self.rows else title])
        above = "".join(f"<p>{html.escape(line)}</p>" for line in titles)
        page = above + (as_html(drawn, title) if self.rows else f"<p>{title}</p>")
        return bundled(super()._repr_mimebundle_(**kwargs), plain, page)

    def __repr__(self) -> str:
        return f"MessageDiff({self.left!r}, {self.right!r}, {self.listing.title.rstrip('.')})"
