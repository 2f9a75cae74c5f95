"""The service's verbs without pandas: generate, explain, validate, break, and their results.

Names are resolved on first use, so a verb does not load modules that it does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.codec.text import strip_line_ending
    from sim.operations.anatomy import dissect
    from sim.operations.answering import respond, reverse
    from sim.operations.conversion import Converted, Note, convert
    from sim.operations.explanation import Explanation, explain
    from sim.operations.faults import Broken, Fault, all_faults, break_message, cases, faults_for
    from sim.operations.generation import Generated, generate
    from sim.operations.project import field_values
    from sim.operations.reading import NotIso8583Error, parse_any, read
    from sim.operations.repairing import Proposal, Repair, repair
    from sim.operations.validation import Judgement, Report, validate, verdict_on
    from sim.paste import guess
    from sim.paste.reading import TEXT, Reading
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS
    from sim.spec.spellings import DEFAULT_VERSION, chosen_version

__all__ = [
    "DEFAULT_VERSION",
    "NETWORKS",
    "TEXT",
    "VERSIONS",
    "Broken",
    "Converted",
    "Explanation",
    "Fault",
    "Generated",
    "Judgement",
    "NotIso8583Error",
    "Note",
    "Proposal",
    "Reading",
    "Repair",
    "Report",
    "all_faults",
    "break_message",
    "cases",
    "chosen_version",
    "convert",
    "dissect",
    "explain",
    "faults_for",
    "field_values",
    "generate",
    "guess",
    "parse_any",
    "read",
    "repair",
    "respond",
    "reverse",
    "strip_line_ending",
    "validate",
    "verdict_on",
]

if not TYPE_CHECKING:  # otherwise a type checker would accept any name
    __getattr__, __dir__ = lazily(__name__)
