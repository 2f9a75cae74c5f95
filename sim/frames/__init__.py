"""Messages, findings and the toolkit's own tables as DataFrames. The only room that imports pandas.

Importing it registers the accessor `.iso` on DataFrames.
"""

from sim.frames.accessor import FindingsView, MessageView
from sim.frames.argument import MessageArgument
from sim.frames.guessing import GuessTable, guess
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
from sim.frames.plots import plot
from sim.frames.raw import RawMessage
from sim.frames.reference import codes, fields, rules
from sim.frames.tables import Column, DiffTable, FindingsTable, MessageTable, Table

__all__ = [
    "Column",
    "DiffTable",
    "FindingsTable",
    "FindingsView",
    "GuessTable",
    "MessageArgument",
    "MessageTable",
    "MessageView",
    "RawMessage",
    "Table",
    "build",
    "codes",
    "diff",
    "explain",
    "explain_by_model",
    "fields",
    "generate",
    "generate_by_model",
    "guess",
    "mask",
    "parse",
    "plot",
    "respond",
    "reverse",
    "rules",
    "validate",
]
