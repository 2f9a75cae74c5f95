"""A table dressed for reading: pages, a filter and an order where a page can ask, all its rows elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.tables import MessageArgument
    from sim.widgets.table_view import TableView


def show(table: MessageArgument, *, rows: int = 25) -> TableView:
    """Dress a table for reading: turn its pages, filter and sort it, with card data hidden.

    Parameters
    ----------
    table
        Any table of the toolkit, or a message in any form.
    rows
        How many rows a page has.

    Returns
    -------
    TableView
        What a notebook shows; `.to_html()` gives all rows as HTML that needs no kernel. The same table
        gives the same HTML.

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
    from sim.tables import Table, parse
    from sim.widgets import TableView

    return TableView(table if isinstance(table, Table) else parse(table), rows=rows)
