"""How tables look: one grid of texts, drawn as HTML for notebooks or as plain text for a terminal.

Text columns stand left, numbers right, values in a fixed-width font. No colours are set, so that
light and dark themes both read well; nothing is random, so that outputs can be compared.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from sim.frames.shown import is_missing

_VALUE_COLUMNS = frozenset({"value", "a", "b", "format", "code", "rule", "pattern"})
_WIDEST_PLAIN = 80
_TITLE_WIDTH = 100
_WIDEST_VALUE = 48
_WIDEST_TEXT = 240
_NUMBER, _VALUE, _TEXT = "n", "v", "t"
_GAP = "…"
_STYLE = (
    "<style>"
    "table.dataframe.iso8583 th, table.dataframe.iso8583 td "
    "{text-align: left; vertical-align: top; max-width: 34em}"
    "table.dataframe.iso8583 th.n, table.dataframe.iso8583 td.n {text-align: right}"
    "table.dataframe.iso8583 td.v "
    "{font-family: var(--jp-code-font-family, monospace); white-space: pre}"
    "table.dataframe.iso8583 td.t {white-space: normal}"
    "</style>"
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as texts. `kinds` says how each column is drawn: n number, v value, t text."""

    headers: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    label_header: str
    note: str


def grid(frame: pd.DataFrame, leave_out: Iterable[str]) -> Grid:
    """*frame*, whose cells must be fit to be shown, as a grid without the columns *leave_out*."""
    left_out = set(leave_out)
    kept = [at for at, label in enumerate(frame.columns) if label not in left_out]
    rows, note = _shown_rows(len(frame), len(frame.columns))
    kinds = [_kind(frame, at) for at in kept]
    columns = [_texts(frame.iloc[:, at].tolist(), rows, kind) for at, kind in zip(kept, kinds, strict=True)]
    return Grid(
        headers=tuple(_label(frame.columns[at]) for at in kept),
        kinds=tuple(kinds),
        labels=_texts([_label(label) for label in frame.index.tolist()], rows, _TEXT),
        rows=tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in rows),
        label_header=_label(tuple(name for name in frame.index.names if name is not None)),
        note=note,
    )


def _shown_rows(count: int, width: int) -> tuple[list[int | None], str]:
    """Which rows are drawn (None is a gap), by pandas' own display options, and a note when not all."""
    most, least = pd.get_option("display.max_rows"), pd.get_option("display.min_rows")
    if not most or count <= most:
        return list(range(count)), ""
    half = max((least or most) // 2, 1)
    chosen: list[int | None] = [*range(half), None, *range(count - half, count)]
    return chosen, f"{count} rows × {width} columns"


def _kind(frame: pd.DataFrame, at: int) -> str:
    if pd.api.types.is_numeric_dtype(frame.dtypes.iloc[at]):
        return _NUMBER
    return _VALUE if frame.columns[at] in _VALUE_COLUMNS else _TEXT


def _texts(cells: Sequence[object], rows: list[int | None], kind: str) -> tuple[str, ...]:
    return tuple(_GAP if at is None else _text(cells[at], kind) for at in rows)


def _text(cell: object, kind: str) -> str:
    if is_missing(cell):
        return "" if kind == _NUMBER else "<NA>"
    return _visible(str(cell))


def _label(label: Hashable) -> str:
    return ", ".join(map(_label, label)) if isinstance(label, tuple) else _visible(str(label))


def _visible(text: str) -> str:
    """Control characters and the like as escapes: they would change the layout, or not print at all."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + _GAP


def as_html(table: Grid, title: str = "") -> str:
    """The grid as an HTML table, *title* as a paragraph above it."""
    lines = [_STYLE]
    if title:
        lines.append(f"<p>{html.escape(_visible(title))}</p>")
    lines.append('<table border="0" class="dataframe iso8583">')
    heads = zip(table.headers, table.kinds, strict=True)
    cells = "".join(f'<th class="{kind}">{html.escape(text)}</th>' for text, kind in heads)
    lines.append(f"<thead><tr><th>{html.escape(table.label_header)}</th>{cells}</tr></thead>")
    lines.append("<tbody>")
    lines += [_html_row(table, at) for at in range(len(table.rows))]
    lines += ["</tbody>", "</table>"]
    if table.note:
        lines.append(f"<p>{html.escape(table.note)}</p>")
    return "\n".join(lines)


def _html_row(table: Grid, at: int) -> str:
    widths = (_WIDEST_VALUE if kind == _VALUE else _WIDEST_TEXT for kind in table.kinds)
    cells = "".join(
        f'<td class="{kind}">{html.escape(_cut(text, width))}</td>'
        for text, kind, width in zip(table.rows[at], table.kinds, widths, strict=True)
    )
    return f"<tr><th>{html.escape(_cut(table.labels[at], _WIDEST_VALUE))}</th>{cells}</tr>"


def as_plain(table: Grid, title: str = "") -> str:
    """The grid as lines of text, *title* above them."""
    columns = [[table.label_header, *table.labels]]
    columns += [[header, *(row[at] for row in table.rows)] for at, header in enumerate(table.headers)]
    kinds = (_NUMBER if all(map(str.isdecimal, table.labels)) else _TEXT, *table.kinds)
    drawn = [_justified(texts, kind) for texts, kind in zip(columns, kinds, strict=True)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*drawn, strict=True)]
    above = [*textwrap.wrap(title, _TITLE_WIDTH), ""] if title else []
    return "\n".join([*above, *lines, *(["", table.note] if table.note else [])])


def _justified(texts: Sequence[str], kind: str) -> list[str]:
    cut = [_cut(text, _WIDEST_PLAIN) for text in texts]
    width = max(map(len, cut))
    return [text.rjust(width) if kind == _NUMBER else text.ljust(width) for text in cut]
