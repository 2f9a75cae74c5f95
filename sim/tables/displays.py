"""Tables in front ends that have viewers of their own: only what is masked is handed to any of them.

Colab sends three samples of every column beside each DataFrame, and draws its data table from the cells;
qgrid, Buckaroo and others show a DataFrame before it is asked how it shows itself; others add the cells as
JSON. All of these are registered with IPython for `pandas.DataFrame` and its subclasses, before or after this
is imported.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sim.tables.tables import Column, Table

_PLAIN, _HTML = "text/plain", "text/html"


def guard_displays(formatter: Any) -> None:
    """Let IPython's *formatter* (`shell.display_formatter`) show tables and their columns by their own text
    and HTML and nothing else. Everything but those is shown as before."""
    usual = formatter.format

    def shown(
        obj: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        if not isinstance(obj, Table | Column):
            made: tuple[dict[str, Any], dict[str, Any]] = usual(obj, include, exclude)
            return made
        bundle = {_PLAIN: repr(obj)}
        # A shell in a terminal wants no HTML.
        if isinstance(obj, Table) and formatter.formatters[_HTML].enabled:
            bundle[_HTML] = obj._repr_html_()
        wanted = set(bundle if include is None else include) - set(exclude or ())
        return {kind: text for kind, text in bundle.items() if kind in wanted}, {}

    formatter.format = shown
