"""`sim.show`: a table dressed for reading, with pandas' Styler."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.frames.argument import MessageArgument
from sim.frames.messages import parse
from sim.frames.tables import Table

# A sign beside the colour: colour alone tells nothing to many people.
_SIGNS = {"error": "✖ error", "warning": "▲ warning", "info": "ℹ info"}
# Colours of JupyterLab's theme, readable in its light and dark form, with a fallback elsewhere.
_COLOURS = {
    "error": "color: var(--jp-error-color1, #c62828); font-weight: 600",
    "warning": "color: var(--jp-warn-color0, #b35c00); font-weight: 600",
    "info": "color: var(--jp-info-color1, #1565c0)",
}
_MONOSPACED = ("value", "a", "b", "format")
_FAULTY = "background-color: color-mix(in srgb, var(--jp-error-color1, #c62828) 12%, transparent)"


def show(table: MessageArgument | pd.DataFrame) -> Any:
    """Dress a table for reading: values in monospace, severity by sign and colour, card data hidden.

    The failing row of a broken message is marked. The same table gives the same HTML.

    Parameters
    ----------
    table
        Any table of the toolkit, or a message in any form.

    Returns
    -------
    Styler
        pandas' own, which a notebook shows and `.to_html()` writes. Needs jinja2, which comes with
        JupyterLab.

    Raises
    ------
    TypeError
        *table* is neither a table nor a message.

    Examples
    --------
    >>> import sim
    >>> "✖ error" in sim.show(sim.validate(sim.generate("auth", pan="4111111111111112"))).to_html()
    True
    """
    chosen = table if isinstance(table, Table) else parse(table)
    hidden = [name for name in chosen.columns if name in chosen.left_out()]
    shown = [name for name in _MONOSPACED if name in chosen.columns]
    styler = chosen.style.hide(axis="index").hide(hidden, axis="columns")
    styler = styler.format(na_rep="").format(
        lambda name: _SIGNS.get(name, name), subset=_if_there("severity", chosen)
    )
    styler = styler.set_properties(**{"text-align": "left", "vertical-align": "top"})
    mono = {"font-family": "var(--jp-code-font-family, monospace)", "white-space": "pre"}
    styler = styler.set_properties(subset=shown, **mono)
    styler = styler.map(lambda name: _COLOURS.get(name, ""), subset=_if_there("severity", chosen))
    if "finding" in chosen.columns and "finding" not in hidden:
        faulty = [isinstance(text, str) and bool(text) for text in chosen["finding"].tolist()]
        marks = pd.DataFrame("", index=styler.data.index, columns=styler.data.columns)
        marks.loc[faulty] = _FAULTY
        styler = styler.apply(lambda _: marks, axis=None)
    return styler


def _if_there(column: str, table: Table) -> list[str]:
    return [column] if column in table.columns else []
