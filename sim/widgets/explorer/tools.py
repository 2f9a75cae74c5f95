"""What can be done with the messages of a log that are ticked, or else with all that are shown; and its
traffic as a line of small bars."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from sim.tables.plots.charts import KINDS, plot
from sim.widgets.markup import hint, markup, wrong
from sim.widgets.panels.fields import show

_HEIGHT = 40  # of the bars
_SAFE, _TRUE = "card data masked", "card data in clear"


class Tools(ipywidgets.VBox):  # type: ignore[misc]
    """Plot, diff and export, with what came of it beneath. *chosen* gives the messages that are meant, *diff*
    two of them compared, or None, *export* a file of them; *download* hands that over."""

    def __init__(
        self,
        chosen: Callable[[], Any],
        diff: Callable[[], Any],
        export: Callable[[str, bool], bytes],
        download: Callable[[str, bytes], None],
    ) -> None:
        self._chosen, self._diff, self._export, self._download = chosen, diff, export, download
        self.kind = ipywidgets.Dropdown(options=list(KINDS), description="Plot")
        self.plot_button = ipywidgets.Button(description="Plot")
        self.diff_button = ipywidgets.Button(description="Compare the two selected")
        self.format = ipywidgets.Dropdown(
            options=[("CSV", "csv"), ("Parquet", "parquet")], description="Format"
        )
        self.covered = ipywidgets.Dropdown(options=[_SAFE, _TRUE], description="Export")
        self.export_button = ipywidgets.Button(description="Export")
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.picture = ipywidgets.HTML().add_class("iso-picture")
        self.compared = ipywidgets.VBox()
        bar = ipywidgets.HBox(
            [
                ipywidgets.HBox([self.kind, self.plot_button]).add_class("iso-pair"),
                self.diff_button,
                ipywidgets.HBox([self.format, self.covered, self.export_button]).add_class("iso-pair"),
            ]
        ).add_class("iso-bar")
        super().__init__([bar, self.said, self.picture, self.compared])
        self.plot_button.on_click(lambda _: self.plot())
        self.diff_button.on_click(lambda _: self.diff())
        self.export_button.on_click(lambda _: self.export())

    def plot(self) -> None:
        """Draw what is ticked, else what is shown."""
        table = self._chosen()
        if table is None:
            return
        try:
            # In the order of the log, however it is sorted: lanes go from what came first to what came last.
            self.picture.value = _pictures(table.sort_index(), self.kind.value)
        except ImportError as error:
            self.picture.value = wrong(str(error), "p")

    def diff(self) -> None:
        """Show the two ticked messages side by side."""
        made = self._diff()
        self._put_compared([] if made is None else [made])
        needed = "Select two messages, or one transaction: tick the boxes."
        self.said.value = "" if made else hint(needed, news=True)

    def clear(self) -> None:
        """Take away what came of it: other messages are shown now."""
        self.said.value = self.picture.value = ""
        self._put_compared([])

    def _put_compared(self, made: list[Any]) -> None:
        before, self.compared.children = self.compared.children, made
        for one in before:
            one.close()

    def export(self) -> None:
        """Hand over a file, masked unless the person chose otherwise."""
        masked = self.covered.value == _SAFE
        data = self._export(self.format.value, masked)
        name = f"messages{'' if masked else '-with-card-data'}.{self.format.value}"
        self._download(name, data)
        words = f"{name}: {len(data):,} bytes, {'card data masked' if masked else 'card data in clear'}."
        self.said.value = markup("p", words, role="status")
        show(self.said, True)


def _pictures(table: Any, kind: Any) -> str:
    """The plot for a light page and for a dark one, of which the style sheet shows the one that fits."""
    drawn = _drawn(plot(table, kind), kind, "iso-on-light")  # first: it says where matplotlib is missing
    from matplotlib import style

    with style.context("dark_background"):
        return drawn + _drawn(plot(table, kind), kind, "iso-on-dark")


def _drawn(ax: Any, kind: str, page: str) -> str:
    """An Axes as a picture in the page, see-through."""
    from matplotlib import pyplot

    held = io.BytesIO()
    ax.figure.savefig(held, format="png", dpi=110, transparent=True)
    pyplot.close(ax.figure)
    data = base64.b64encode(held.getvalue()).decode("ascii")
    source = f"data:image/png;base64,{data}"
    return f'<img class="{page}" alt="{html.escape(kind)} of the messages" src="{source}">'


def sparkline(whole: list[int], bad: list[int]) -> str:
    """Bars of how many messages stand where, the bad ones in front, as SVG with its meaning in words."""
    most = max(whole, default=0)
    if not most:
        return ""
    bars = [_bar(at, count, most, "all") for at, count in enumerate(whole) if count]
    bars += [_bar(at, count, most, "bad") for at, count in enumerate(bad) if count]
    words = (
        f"Where in the log: {len(whole)} equal parts, at most {most:,} messages in one; "
        f"invalid ones at the bottom, {sum(bad):,} in all."
    )
    box = f'viewBox="0 0 {len(whole)} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg {box} role="img" aria-label="{words}"><title>{words}</title>{"".join(bars)}</svg>'


def _bar(at: int, count: int, most: int, kind: str) -> str:
    tall = max(_HEIGHT * count / most, 1)
    return f'<rect class="{kind}" x="{at}" y="{_HEIGHT - tall:.1f}" width="0.9" height="{tall:.1f}"/>'
