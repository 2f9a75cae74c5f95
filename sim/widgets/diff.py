"""`MessageDiff`: two messages side by side, row by row, with what differs inside their elements.

What differs is for `sim.operations.anatomy.differences` to say. All texts of the rows are masked.

    rows        [{number, depth, label, name, kind, a, b, meaning_a, meaning_b, said}] in the order of the
                elements: kind changed, added (only in the second), removed (only in the first) or same; depth
                0 for an element, 1 for a part of it, labeled by its path; a and b None where a message lacks
                it; said describes a change that masked values do not show
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import BITMAP_FIELD
from sim.grid import TEXT, VALUE, Grid, as_html, as_plain
from sim.operations.anatomy import READ, UNREAD, Anatomy, Place, differences
from sim.widgets.anatomy import MessageAnatomy
from sim.widgets.markup import STATIC, bundled, markup, script
from sim.widgets.model import ShownPart, dissected, parts
from sim.widgets.page import label_of, title_of, visible

Row = dict[str, Any]

CHANGED, ADDED, REMOVED, SAME = "changed", "added", "removed", "same"
_HIDDEN = "the masked part differs"


def rows_of(a: Anatomy, b: Anatomy) -> list[Row]:
    """All elements of *a* and *b*, side by side, with the parts that differ."""
    left, right = ({place.number: place for place in side.places} for side in (a, b))
    differing = {difference.number for difference in differences(a, b)}
    numbers = sorted({*left, *right} - {BITMAP_FIELD}, key=lambda number: (number < 0, number))
    rows: list[Row] = []
    for number in numbers:
        one, two = left.get(number), right.get(number)
        kind = _kind_of(one, two) if number in differing else SAME
        sides = (_told_of(a, one), _told_of(b, two))
        names = dict.fromkeys(texts[0] for texts in sides if texts)
        values = (texts and texts[1:] for texts in sides)
        rows.append(_row_of(number, 0, "", " / ".join(names), kind, *values))
        if kind == CHANGED and one and two and one.state == two.state == READ:
            rows += _inside(a, b, number)
    return rows


def differing(rows: list[Row]) -> list[Row]:
    """The *rows* that differ."""
    return [row for row in rows if row["kind"] != SAME]


def _kind_of(one: object, two: object) -> str:
    return CHANGED if one and two else REMOVED if one else ADDED


def _told_of(seen: Anatomy, place: Place | None) -> tuple[str, str, str] | None:
    """The name, masked value and meaning of an element."""
    if place is None:
        return None
    prefix, value = seen.covered[place.number]
    text = value if place.state == READ else prefix + value
    return (seen.name(place) if place.number != UNREAD else "left unread"), text, seen.meaning(place)


def _row_of(number: int, depth: int, label: str, name: str, kind: str, *sides: tuple[str, ...] | None) -> Row:
    values, meanings = ([texts[at] if texts else None for texts in sides] for at in (0, 1))
    row: Row = {"number": number, "depth": depth, "label": label, "name": name, "kind": kind}
    row |= {"a": values[0], "b": values[1], "meaning_a": meanings[0] or "", "meaning_b": meanings[1] or ""}
    return row | {"said": _HIDDEN if kind == CHANGED and values[0] == values[1] else ""}


def _inside(a: Anatomy, b: Anatomy, number: int) -> Iterator[Row]:
    """The parts of an element that differ: tags, subfields, digits."""
    left, right = (dict(_keyed(anatomy, number)) for anatomy in (a, b))
    for key in _merged(list(left), list(right)):
        one, two = left.get(key), right.get(key)
        if one and two and one[1] == two[1]:
            continue
        part = left[key][0] if one else right[key][0]
        sides = [((entry[0].value or entry[2]), entry[0].meaning) if entry else None for entry in (one, two)]
        yield _row_of(number, 1, " ".join(map(str, key[:-1])), part.name, _kind_of(one, two), *sides)


def _keyed(seen: Anatomy, number: int) -> Iterator[tuple[tuple[object, ...], tuple[ShownPart, str, str]]]:
    """The innermost parts of an element, each with its clear and masked characters, by their labels from the
    outside in; repeated labels are numbered."""
    value = "".join(seen.value(place) for place in seen.places if place.number == number)
    covered = seen.covered[number][1]
    shown_parts = parts(seen.message, number, covered, seen.network)
    path: list[str] = []
    counts: dict[tuple[object, ...], int] = {}
    for at, part in enumerate(shown_parts):
        path = [*path[: part.depth], part.label]
        if at + 1 < len(shown_parts) and shown_parts[at + 1].depth > part.depth:
            continue  # its own parts follow
        key = tuple(path)
        counts[key] = counts.get(key, 0) + 1
        yield (*key, counts[key]), (part, value[part.start : part.end], covered[part.start : part.end])


def _merged(left: list[tuple[object, ...]], right: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The keys of both sides in the order of the first; keys of the second only follow their predecessor."""
    order = {key: (at, -1) for at, key in enumerate(left)}
    before = -1
    for at, key in enumerate(right):
        before = order.setdefault(key, (before, at))[0]
    return sorted(order, key=order.__getitem__)


_SIGNS = {"changed": "≠", "added": "+", "removed": "−", "same": ""}
_HEADS = ("", "DE", "name", "first", "second")
_KINDS = (TEXT, TEXT, TEXT, VALUE, VALUE)


def _title(rows: list[Row]) -> str:
    count = sum(not row["depth"] for row in differing(rows))
    same = "The messages have the same elements with the same values."
    return {0: same, 1: "1 element differs"}.get(count, f"{count} elements differ")


def _grid(rows: list[Row]) -> Grid:
    """The differing rows as a table, each value with its meaning."""
    cells = []
    for row in differing(rows):
        label = f"{'  ' * row['depth']}{row['label']}" if row["depth"] else label_of(row)
        sides = [
            "" if row[side] is None else f"{visible(row[side])}  {row[f'meaning_{side}']}".rstrip()
            for side in "ab"
        ]
        name = f"{row['name']} ({row['said']})" if row["said"] else row["name"]
        cells.append((_SIGNS[row["kind"]], label, name, *sides))
    return Grid(_HEADS, _KINDS, ("",) * len(cells), tuple(cells), None)


class DifferenceList(anywidget.AnyWidget):
    """The rows of both messages, as described in `sim.widgets.diff`; `everything` includes those that do not
    differ."""

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
    """Compares two messages: request and response, or before and after a conversion.

    *a* and *b* are texts, `Message`s or message tables; *version* and *network* as in `MessageAnatomy`.
    `listing` is the table of differences, by element and, in chip data and layouts, by tag or subfield;
    `left` and `right` are the anatomies, shown by "Both messages": set `left.message` or `right.message` to
    update the table. `hovered` and `pinned` are linked between the three.
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
        self._links = [
            ipywidgets.jslink((self.listing, name), (side, name))
            for name in ("hovered", "pinned")
            for side in (self.left, self.right)
        ]
        closed = (self._pair.layout, "display")
        traitlets.dlink((self.both, "value"), closed, lambda opened: None if opened else "none")
        for side in (self.left, self.right):
            side.observe(self._mark, ["message", "version", "network"])

    @property
    def rows(self) -> list[Row]:
        """The differences, masked, as described in `sim.widgets.diff`."""
        return differing(self.listing.rows)

    def _mark(self, change: Any = None) -> None:
        # Each side has its own version, as before and after a conversion.
        both = (self.left, self.right)
        rows = rows_of(*(dissected(side.message, side.version, side.network, side.held) for side in both))
        self.listing.rows = rows
        self.listing.title = _title(rows)
        signs = {str(row["number"]): row["kind"] for row in differing(rows) if not row["depth"]}
        for side in both:
            side.compared = signs

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        titles = [f"first: {title_of(self.left.view)}", f"second: {title_of(self.right.view)}"]
        drawn, title = _grid(self.listing.rows), self.listing.title
        plain = "\n".join([*titles, as_plain(drawn, title) if self.rows else title])
        above = "".join(markup("p", line) for line in titles)
        page = above + (as_html(drawn, title) if self.rows else markup("p", title))
        return bundled(super()._repr_mimebundle_(**kwargs), plain, page)

    def __repr__(self) -> str:
        return f"MessageDiff({self.left!r}, {self.right!r}, {self.listing.title.rstrip('.')})"
