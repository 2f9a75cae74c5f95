"""The service's verbs, free of pandas: generate, explain, validate, break, and what they answer with."""

from sim.operations.explain import Explanation, explain
from sim.operations.faults import break_message, cases, faults, faults_for
from sim.operations.faults_record import Broken, Fault
from sim.operations.generate import Generated, generate, respond, reverse
from sim.operations.project import field_values, strip_line_ending
from sim.operations.validate import Report, chosen_version, validate
from sim.operations.verdict import NetworkResult
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS

__all__ = [
    "NETWORKS",
    "VERSIONS",
    "Broken",
    "Explanation",
    "Fault",
    "Generated",
    "NetworkResult",
    "Report",
    "break_message",
    "cases",
    "chosen_version",
    "explain",
    "faults",
    "faults_for",
    "field_values",
    "generate",
    "respond",
    "reverse",
    "strip_line_ending",
    "validate",
]
