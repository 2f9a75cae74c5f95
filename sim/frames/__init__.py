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

from sim.frames.accessor import ConvertedView, FindingsView, MessageView
from sim.frames.argument import MessageArgument
from sim.frames.converting import NotesTable, convert
from sim.frames.displays import guard_displays
from sim.frames.guessing import GuessTable, guess
from sim.frames.matching import match
from sim.frames.messages import (
    build,
    diff,
    explain,
    explain_by_model,
    generate,
    generate_by_model,
    mask,
    parse,
    respond,
    reverse,
    validate,
)
from sim.frames.networks import compare, flows
from sim.frames.plots import plot
from sim.frames.raw import RawMessage
from sim.frames.reference import codes, fields, rules
from sim.frames.repairing import EditsTable, repair
from sim.frames.searching import search
from sim.frames.tables import Column, ConvertedTable, DiffTable, FindingsTable, MessageTable, Table
from sim.frames.transactions import TransactionsTable

if (ipython := sys.modules.get("IPython")) and (shell := ipython.get_ipython()):
    guard_displays(shell.display_formatter)

__all__ = [
    "Column",
    "ConvertedTable",
    "ConvertedView",
    "DiffTable",
    "EditsTable",
    "FindingsTable",
    "FindingsView",
    "GuessTable",
    "MessageArgument",
    "MessageTable",
    "MessageView",
    "NotesTable",
    "RawMessage",
    "Table",
    "TransactionsTable",
    "build",
    "codes",
    "compare",
    "convert",
    "diff",
    "explain",
    "explain_by_model",
    "fields",
    "flows",
    "generate",
    "generate_by_model",
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
