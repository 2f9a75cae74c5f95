"""pandas' Styler with HTML escaping, so that text from a message cannot run as markup in a page."""

from __future__ import annotations

import hashlib
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler  # needs jinja2, so nothing imports this before it styles

# The number of positional arguments of pandas' `format` methods, up to `escape`.
_CELLS, _LABELS = 7, 8


class EscapingStyler(Styler):
    """A Styler that escapes cells, labels and their names by default; `escape=` changes that."""

    def __init__(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> None:
        super().__init__(data, *args, **kwargs)
        self.format()
        for axis in (0, 1):
            self.format_index(axis=axis)
            self.format_index_names(axis=axis)

    def format(self, *args: Any, **kwargs: Any) -> Any:
        return super().format(*args, **_escaped(args, kwargs, _CELLS))

    def format_index(self, *args: Any, **kwargs: Any) -> Any:
        return super().format_index(*args, **_escaped(args, kwargs, _LABELS))

    def format_index_names(self, *args: Any, **kwargs: Any) -> Any:
        return super().format_index_names(*args, **_escaped(args, kwargs, _LABELS))


def _escaped(args: tuple[Any, ...], kwargs: dict[str, Any], places: int) -> dict[str, Any]:
    return kwargs if len(args) >= places else {"escape": "html", **kwargs}


def styler(table: pd.DataFrame) -> EscapingStyler:
    """The Styler of a masked table. Its id is a hash of the content instead of random: the same table
    gives the same HTML."""
    name = hashlib.sha256(table.to_csv().encode("utf-8", "backslashreplace")).hexdigest()
    return EscapingStyler(table, uuid=name[:8])
