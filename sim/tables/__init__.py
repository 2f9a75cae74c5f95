"""Messages, findings and the toolkit's own tables as DataFrames. The only room that imports pandas.

Importing it registers the accessor `.iso` on DataFrames.
"""

import sys

try:
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
except ModuleNotFoundError as missing:
    text = f"tables need {missing.name}: pip install 'iso8583-lab[jupyter]'"
    raise ModuleNotFoundError(text, name=missing.name) from missing

import sim.tables.accessor  # noqa: F401
from sim.tables.argument import MessageArgument
from sim.tables.converting import ConvertedTable, ConvertedView, NotesTable, convert
from sim.tables.findings_table import FindingsTable, FindingsView
from sim.tables.formats import GuessTable, guess
from sim.tables.matching import match
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
from sim.tables.tables import Column, Table, guard_displays
from sim.tables.transactions import TransactionsTable

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
