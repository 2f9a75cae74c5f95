"""`MessageDiff`: two anatomies side by side, what differs marked by sign and colour and listed in words."""

from __future__ import annotations

import html
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.widgets.anatomy import STATIC, MessageAnatomy, script
from sim.widgets.model import Data, view
from sim.widgets.page import page, visible
from sim.widgets.plain import label_of, text_of

_SIGNS = {"changed": "≠", "added": "+", "removed": "−"}


def differences(a: object, b: object, version: str | None = None, network: str | None = None) -> list[Data]:
    """What differs between two messages, by element number: `[{number, name, kind, a, b, said}]`.

    `kind` is changed, added (only in *b*) or removed (only in *a*); the values are masked, None where the
    element is missing; `said` tells a change that masked values do not show. The bitmap, which only
    repeats which elements there are, is left out. Raises as `sim.widgets.model.view` does.
    """
    return _compare(*(_both(one, version, network) for one in (a, b)))


def _both(message: object, version: str | None, network: str | None) -> tuple[Data, Data]:
    """The masked view, and the true one to compare by."""
    return view(message, version, network), view(message, version, network, masked=False)


def _compare(a: tuple[Data, Data], b: tuple[Data, Data]) -> list[Data]:
    shown, true = zip(*((_by_number(one), _by_number(other)) for one, other in (a, b)), strict=True)
    made = []
    for number in sorted({*true[0], *true[1]} - {1}):
        old, new = (side.get(number) for side in true)
        if old and new and (old["value"], old["state"]) == (new["value"], new["state"]):
            continue
        kind = "changed" if old and new else "removed" if old else "added"
        values = [side[number]["value"] if number in side else None for side in shown]
        named = new or old or {}
        said = "differs in what is masked" if kind == "changed" and values[0] == values[1] else ""
        row = {"number": number, "name": named["name"], "kind": kind, "a": values[0], "b": values[1]}
        made.append(row | {"said": said})
    return made


def _by_number(data: Data) -> dict[int, Data]:
    return {element["number"]: element for element in data["elements"]}


def _title(rows: list[Data]) -> str:
    if not rows:
        return "The messages have the same elements with the same values."
    return f"{len(rows)} element{'' if len(rows) == 1 else 's'} differ{'s' if len(rows) == 1 else ''}"


def _listed(rows: list[Data]) -> str:
    """The rows as lines of text."""
    lines = [_title(rows)]
    for row in rows:
        values = " → ".join(visible(value) for value in (row["a"], row["b"]) if value is not None)
        lines.append(f"{_SIGNS[row['kind']]} {label_of(row)} {row['name']}: {values} {row['said']}".rstrip())
    return "\n".join(lines)


class DifferenceList(anywidget.AnyWidget):
    """The differing elements in words; `rows` as `differences` gives them, masked."""

    _esm = script("dom", "diff")
    _css = STATIC / "anatomy.css"

    title = traitlets.Unicode().tag(sync=True)
    rows = traitlets.List(traitlets.Dict()).tag(sync=True)
    hovered = traitlets.Int(None, allow_none=True).tag(sync=True)
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __repr__(self) -> str:
        return f"DifferenceList({self.title})"


class MessageDiff(ipywidgets.VBox):  # type: ignore[misc]
    """Two messages compared: request and response, before and after a conversion.

    *a* and *b* are texts, `Message`s or message tables; *version* and *network* as in `MessageAnatomy`.
    `left` and `right` are the two anatomies, `listing` the list above them; set `left.message` or
    `right.message` and the marks follow. `hovered` and `pinned` are linked between the three.
    """

    def __init__(
        self, a: object, b: object, version: str | None = None, network: str | None = None, **kwargs: Any
    ) -> None:
        self.left = MessageAnatomy(a, version, network)
        self.right = MessageAnatomy(b, version, network)
        self.listing = DifferenceList()
        pair = ipywidgets.HBox([self.left, self.right], layout=ipywidgets.Layout(flex_flow="row wrap"))
        pair.add_class("ia-pair")
        super().__init__([self.listing, pair], **kwargs)
        self._mark()
        self._links = [
            ipywidgets.jslink((self.listing, name), (side, name))
            for name in ("hovered", "pinned")
            for side in (self.left, self.right)
        ]
        for side in (self.left, self.right):
            side.observe(self._mark, ["message", "version", "network"])

    @property
    def rows(self) -> list[Data]:
        """The differing elements, as `differences` gives them, masked."""
        return list(self.listing.rows)

    def _mark(self, change: Any = None) -> None:
        # Each side by its own version: before and after a conversion they differ in it.
        sides = (_both(side.message, side.version, side.network) for side in (self.left, self.right))
        rows = _compare(*sides)
        self.listing.rows = rows
        self.listing.title = _title(rows)
        signs = {str(row["number"]): row["kind"] for row in rows}
        for side in (self.left, self.right):
            side.compared = signs

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        bundle["text/plain"] = "\n\n".join(
            [_listed(self.rows), text_of(self.left.view), text_of(self.right.view)]
        )
        listed = f"<pre>{html.escape(_listed(self.rows))}</pre>"
        bundle["text/html"] = "\n".join([listed, page(self.left.view), page(self.right.view)])
        return bundle

    def __repr__(self) -> str:
        return f"MessageDiff({self.left!r}, {self.right!r}, {_title(self.rows).rstrip('.')})"
