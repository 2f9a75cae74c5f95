"""A DataFrame with masked cells as the grid of texts that `sim.grid` draws."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from typing import Any

import pandas as pd

from sim.grid import GAP, NUMBER, SEVERITY, TEXT, VALUE, Grid
from sim.judge.finding import rule_page
from sim.tables.card_data import is_missing, shown_column, shown_labels
from sim.visible import FORMULA, csv_cell, visible

_VALUE_COLUMNS = frozenset({"value", "a", "b", "format", "code", "rule", "pattern", "fault", "text"})
_ELEMENT = re.compile(r"DE[0-9]+")
_FAULTY = "finding"  # a text here marks its row
_MORE = "sim.show(table) scrolls, filters and sorts"


def printable(masked: Any) -> Any:
    """A masked frame or column, with its texts made printable for a terminal."""
    if isinstance(masked, pd.Series):
        return shown_column(masked, _printable).set_axis(shown_labels(masked.index, _printable))
    frame = masked.copy(deep=False)
    for at in range(frame.shape[1]):
        frame.isetitem(at, shown_column(frame.iloc[:, at], _printable))
    rows, columns = (shown_labels(labels, _printable) for labels in (frame.index, frame.columns))
    return frame.set_axis(rows).set_axis(columns, axis=1)


def _printable(cell: Any) -> Any:
    if isinstance(cell, tuple):
        return tuple(map(_printable, cell))
    return visible(cell) if isinstance(cell, str) and not cell.isprintable() else cell


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """*table* for a spreadsheet, without formulas in cells; see `csv_cell`."""
    frame = pd.DataFrame(table).copy(deep=False)
    frame.attrs = {}
    for at in range(frame.shape[1]):
        column = frame.iloc[:, at]
        texts = pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)
        if texts and column.str.match(FORMULA.pattern, na=False).any():
            free: Any = shown_column(column, _without_formula)  # a Series is not in the stubs
            frame.isetitem(at, free)
    return frame


def _without_formula(cell: Any) -> Any:
    return csv_cell(cell[:]) if isinstance(cell, str) else cell


def grid(
    frame: pd.DataFrame,
    leave_out: Collection[str],
    rows: Sequence[int | None],
    note: str = "",
    rules: str = "",
) -> Grid:
    """*frame* as a grid without the columns *leave_out* and with only *rows*, in this order; None is a gap.
    Each rule in the column *rules* is linked to its documentation page, if there is one."""
    kept = [at for at, label in enumerate(frame.columns) if label not in leave_out]
    part = frame.iloc[[at for at in rows if at is not None]]
    columns = [_texts(part.iloc[:, at].tolist(), rows) for at in kept]
    labels = _texts([_label(label) for label in part.index.tolist()], rows)
    headers = tuple(_label(frame.columns[at]) for at in kept)
    by_header = dict(zip(headers, columns, strict=True))
    ids = set(by_header.get(rules, ())) - {GAP}
    return Grid(
        headers=headers,
        kinds=tuple(_kind(frame, at) for at in kept),
        labels=labels,
        rows=tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in rows),
        label_header=_label(tuple(name for name in frame.index.names if name is not None)),
        note=note,
        failing=frozenset(at for at, text in enumerate(by_header.get(_FAULTY, ())) if text and text != GAP),
        links={(rules, rule): page for rule in ids if (page := rule_page(rule))},
    )


def shown_rows(count: int, width: int) -> tuple[list[int | None], str]:
    """Which rows are displayed (None is a gap), by pandas' own display options, and a note if not all are."""
    most, least = pd.get_option("display.max_rows"), pd.get_option("display.min_rows")
    if not most or count <= most:
        return list(range(count)), ""
    half = max((least or most) // 2, 1)
    chosen: list[int | None] = [*range(half), None, *range(count - half, count)]
    return chosen, f"{count} rows × {width} columns. {_MORE}."


def _kind(frame: pd.DataFrame, at: int) -> str:
    name, dtype = frame.columns[at], frame.dtypes.iloc[at]
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return NUMBER
    if name == "severity":
        return SEVERITY
    valued = name in _VALUE_COLUMNS or (isinstance(name, str) and _ELEMENT.fullmatch(name))
    return VALUE if valued else TEXT


def _texts(cells: Sequence[object], rows: Sequence[int | None]) -> tuple[str, ...]:
    """The cells of the displayed rows in order, with a sign for each gap."""
    texts = ("" if is_missing(cell) else visible(str(cell)) for cell in cells)
    return tuple(GAP if at is None else next(texts) for at in rows)


def _label(label: Hashable) -> str:
    return ", ".join(map(_label, label)) if isinstance(label, tuple) else visible(str(label))
