"""Messages, findings and the toolkit's own tables as DataFrames. The only room that imports pandas.

Importing it registers the accessor `.iso` on DataFrames, for everything that belongs to a whole message or
report rather than a row. Each of its properties is also a typed function or method, because type checkers do
not know pandas' accessors on plain DataFrames.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

try:
    import pandas as pd
    import pyarrow  # noqa: F401
except ModuleNotFoundError as missing:
    text = f"tables need {missing.name}: pip install 'iso8583-lab[jupyter]'"
    raise ModuleNotFoundError(text, name=missing.name) from missing

from sim.lazy import lazily
from sim.tables.argument import MessageArgument, facts_of
from sim.tables.tables import guard_displays

if TYPE_CHECKING:
    from sim.tables.columns.table import MessagesView
    from sim.tables.converting import ConvertedTable, ConvertedView, NotesTable, convert
    from sim.tables.findings_table import FindingsTable, FindingsView
    from sim.tables.formats import GuessTable, guess
    from sim.tables.message_table import MessageTable, MessageView, RawMessage
    from sim.tables.messages import (
        DiffTable,
        build,
        diff,
        explain,
        generate,
        mask,
        parse,
        respond,
        reverse,
        validate,
    )
    from sim.tables.networks import compare, flows
    from sim.tables.plots import plot
    from sim.tables.reference import codes, fields, rules, search
    from sim.tables.repairing import ProposalsTable, repair
    from sim.tables.tables import Column, Table
    from sim.tables.transactions import TransactionsTable, match


def _view(table: pd.DataFrame) -> MessageView | FindingsView | MessagesView:
    """The `.iso` of *table*. Raises AttributeError if it is not a message, a findings table or a list of
    messages."""
    from sim import tables

    labels = {*table.columns, *table.index.names}
    if {"number", "value"} <= labels:
        return tables.ConvertedView(table) if "conversion" in facts_of(table) else tables.MessageView(table)
    if {"severity", "rule", "message"} <= labels:
        return tables.FindingsView(table)
    if {"line", "mti", "version"} <= labels:
        return tables.MessagesView(table)
    # AttributeError, so that hasattr(table, "iso") is False and Python's attribute lookup continues.
    raise AttributeError(
        ".iso needs a message table (columns number and value), a findings table (severity, rule, message) "
        "or a table of messages (line, mti, version)"
    )


# pandas calls whatever is registered with the DataFrame; its stubs accept only classes.
pd.api.extensions.register_dataframe_accessor("iso")(_view)  # type: ignore[type-var]

if (ipython := sys.modules.get("IPython")) and (shell := ipython.get_ipython()):
    guard_displays(shell.display_formatter)

__all__ = [
    "Column",
    "ConvertedTable",
    "ConvertedView",
    "DiffTable",
    "FindingsTable",
    "FindingsView",
    "GuessTable",
    "MessageArgument",
    "MessageTable",
    "MessageView",
    "MessagesView",
    "NotesTable",
    "ProposalsTable",
    "RawMessage",
    "Table",
    "TransactionsTable",
    "build",
    "codes",
    "compare",
    "convert",
    "diff",
    "explain",
    "fields",
    "flows",
    "generate",
    "guess",
    "mask",
    "match",
    "parse",
    "plot",
    "repair",
    "respond",
    "reverse",
    "rules",
    "search",
    "validate",
]

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__)
