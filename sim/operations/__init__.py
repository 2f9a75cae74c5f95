"""The service's verbs, free of pandas: generate, explain, validate, and what they answer with."""

from sim.operations.explain import Explanation, explain
from sim.operations.generate import Generated, generate, respond, reverse
from sim.operations.project import field_values, strip_line_ending
from sim.operations.validate import NetworkResult, Report, chosen_version, validate
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS

__all__ = [
    "NETWORKS",
    "VERSIONS",
    "Explanation",
    "Generated",
    "NetworkResult",
    "Report",
    "chosen_version",
    "explain",
    "field_values",
    "generate",
    "respond",
    "reverse",
    "strip_line_ending",
    "validate",
]
