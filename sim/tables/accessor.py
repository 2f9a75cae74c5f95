"""The `.iso` accessor: what belongs to a whole message or to a whole report, beside the rows.

Beside each property stands a typed function or method: pandas' accessors are unknown to type checkers on
plain DataFrames.
"""

from __future__ import annotations

import pandas as pd

from sim.tables.argument import facts_of
from sim.tables.columns.table import MessagesView
from sim.tables.converting import ConvertedView
from sim.tables.findings_table import FindingsView
from sim.tables.message_table import MessageView


def view(table: pd.DataFrame) -> MessageView | FindingsView | MessagesView:
    """The `.iso` of *table*. Raises AttributeError when it is no message, no findings and no list of
    messages."""
    labels = {*table.columns, *table.index.names}
    if {"number", "value"} <= labels:
        return ConvertedView(table) if "conversion" in facts_of(table) else MessageView(table)
    if {"severity", "rule", "message"} <= labels:
        return FindingsView(table)
    if {"line", "mti", "version"} <= labels:
        return MessagesView(table)
    # AttributeError, so that hasattr(table, "iso") answers and Python's own lookup goes on.
    raise AttributeError(
        ".iso needs a message table (columns number and value), a findings table (severity, rule, message) "
        "or a table of messages (line, mti, version)"
    )


# pandas calls whatever is registered with the DataFrame; its stubs know classes only.
pd.api.extensions.register_dataframe_accessor("iso")(view)  # type: ignore[type-var]
