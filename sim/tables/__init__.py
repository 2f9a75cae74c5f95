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
from sim.tables.argument import facts_of
from sim.tables.tables import guard_displays

if TYPE_CHECKING:
    # Each name is exported.
    from sim.tables.argument import MessageArgument as MessageArgument
    from sim.tables.columns.table import MessagesView as MessagesView
    from sim.tables.converting import ConvertedTable as ConvertedTable
    from sim.tables.converting import ConvertedView as ConvertedView
    from sim.tables.converting import NotesTable as NotesTable
    from sim.tables.converting import convert as convert
    from sim.tables.findings_table import FindingsTable as FindingsTable
    from sim.tables.findings_table import FindingsView as FindingsView
    from sim.tables.findings_table import validate as validate
    from sim.tables.formats import GuessTable as GuessTable
    from sim.tables.formats import guess as guess
    from sim.tables.message_table import MessageTable as MessageTable
    from sim.tables.message_table import MessageView as MessageView
    from sim.tables.message_table import RawMessage as RawMessage
    from sim.tables.messages import DiffTable as DiffTable
    from sim.tables.messages import build as build
    from sim.tables.messages import diff as diff
    from sim.tables.messages import explain as explain
    from sim.tables.messages import generate as generate
    from sim.tables.messages import mask as mask
    from sim.tables.messages import parse as parse
    from sim.tables.messages import respond as respond
    from sim.tables.messages import reverse as reverse
    from sim.tables.networks import compare as compare
    from sim.tables.networks import flows as flows
    from sim.tables.plans import DescribedView as DescribedView
    from sim.tables.plots.charts import plot as plot
    from sim.tables.reference import codes as codes
    from sim.tables.reference import fields as fields
    from sim.tables.reference import rules as rules
    from sim.tables.reference import search as search
    from sim.tables.repairing import ProposalsTable as ProposalsTable
    from sim.tables.repairing import repair as repair
    from sim.tables.tables import Column as Column
    from sim.tables.tables import Table as Table
    from sim.tables.transactions import TransactionsTable as TransactionsTable
    from sim.tables.transactions import match as match


def _view(table: pd.DataFrame) -> MessageView | FindingsView | MessagesView:
    """The `.iso` of *table*. Raises AttributeError if it is not a message, a findings table or a list of
    messages."""
    from sim import tables

    labels = {*table.columns, *table.index.names}
    if {"number", "value"} <= labels:
        facts = facts_of(table)
        if "conversion" in facts:
            return tables.ConvertedView(table)
        described = "plan" in getattr(table, "held", ())
        return tables.DescribedView(table) if described else tables.MessageView(table)
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

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__)
