"""The service's verbs, free of pandas: generate, explain, validate, break, and what they answer with."""

from sim.operations.answering import respond, reverse
from sim.operations.conversion import Converted, Note, convert
from sim.operations.explanation import Explanation, explain
from sim.operations.faults import Broken, Fault, all_faults, break_message, cases, faults_for
from sim.operations.generation import Generated, generate
from sim.operations.guessing import Guess, Guessed, guess
from sim.operations.project import field_values, strip_line_ending
from sim.operations.reading import NotIso8583Error, Parsed, parse_any
from sim.operations.repairing import Edit, Repair, repair
from sim.operations.validation import DEFAULT_VERSION, Report, chosen_version, validate
from sim.operations.verdict import Judgement
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS

__all__ = [
    "DEFAULT_VERSION",
    "NETWORKS",
    "VERSIONS",
    "Broken",
    "Converted",
    "Edit",
    "Explanation",
    "Fault",
    "Generated",
    "Guess",
    "Guessed",
    "Judgement",
    "NotIso8583Error",
    "Note",
    "Parsed",
    "Repair",
    "Report",
    "all_faults",
    "break_message",
    "cases",
    "chosen_version",
    "convert",
    "explain",
    "faults_for",
    "field_values",
    "generate",
    "guess",
    "parse_any",
    "repair",
    "respond",
    "reverse",
    "strip_line_ending",
    "validate",
]
