"""What the cells of a table of messages may show: the one place where frames ask `sim.masking`.

Where a row says which data element a value belongs to, that element's masking applies. Where a
derived table lost the numbers, its cells say how they are shown, and any other text is masked by
its looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from sim.codec.bitmap import ALL_BITS
from sim.errors import BITMAP_FIELD
from sim.masking import UNREAD, Stretch, mask_cells, mask_piece
from sim.spec import spec
from sim.tables.card_data import Secret

_FIRST_LONG_NUMBER = 10**12  # 13 digits: from here on a number may be a card's
_NO_NUMBER = 1000  # no element number has more than three digits


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NA, NaT."""
    return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))


def element_number(cell: Any) -> int | None:
    """The data element number in a cell of the `number` column, which a file may have made a text or
    a float; None for a missing or impossible one."""
    if isinstance(cell, str):
        return int(cell) if cell.isascii() and cell.isdigit() and len(cell) <= 3 else None
    if isinstance(cell, bool) or not isinstance(cell, Integral | float) or is_missing(cell):
        return None
    number: Any = cell
    return int(number) if abs(number) < _NO_NUMBER and number == int(number) else None


def shown_values(
    numbers: Sequence[object], values: Sequence[object], version: str, facts: Mapping[str, Any]
) -> list[object]:
    """The *values* of the elements whose numbers the cells hold, as they may be shown; *facts* are what the
    table knows of its message."""
    broken, failing = bool(facts.get("broken")), facts.get("failing")
    cells = [
        _cell(element_number(number), value if isinstance(value, str) else "", version, failing)
        for number, value in zip(numbers, values, strict=True)
    ]
    shown = mask_cells(cells, version, broken=broken, unread=frozenset(facts.get("unread", ())))
    return [
        (value if one == value else one) if isinstance(value, str) else shown_cell(value)
        for one, value in zip(shown, values, strict=True)
    ]


def _cell(number: int | None, value: str, version: str, failing: object) -> Stretch:
    """A row as masking wants it. The piece that misfits stands with what there is of its prefix."""
    if number is None or not 0 <= number <= ALL_BITS:
        return Stretch(UNREAD, "", value)
    width = spec(version)[number].prefix if number > BITMAP_FIELD else 0
    if number == failing:
        return Stretch(number, value[:width], value[width:])
    return Stretch(number, f"{len(value):0{width}}" if width else "", value)


def shown_cell(cell: Any) -> object:
    """A cell of unknown meaning as it may be shown."""
    if isinstance(cell, Secret):
        return cell.shown
    if isinstance(cell, str):
        return mask_piece(cell)
    if isinstance(cell, bool) or cell is None:
        return cell
    if isinstance(cell, int | float | np.number):
        return _shown_number(cell)
    if pd.api.types.is_scalar(cell):
        return cell
    if isinstance(cell, tuple):
        return tuple(shown_cell(part) for part in cell)
    return mask_piece(str(cell))


def _shown_number(cell: Any) -> Any:
    if not _FIRST_LONG_NUMBER <= abs(cell) < float("inf"):
        return cell
    return mask_piece(str(cell) if isinstance(cell, Integral) else f"{float(cell):.0f}")


def shown_labels(index: pd.Index) -> pd.Index:
    """Row or column labels as they may be shown."""
    before = list(index)
    labels: list[Any] = [shown_cell(label) for label in before]
    if isinstance(index, pd.MultiIndex):
        return pd.MultiIndex.from_tuples(labels, names=index.names) if labels else index
    changed = any(new is not old for new, old in zip(labels, before, strict=True))
    return pd.Index(labels, dtype=object, name=index.name) if changed else index
