"""Message -> findings: structure, content, cross-field, networks."""

from sim.rules import chip, class_codes, content, cross, groups, layout, structure
from sim.rules.engine import catalogue, run
from sim.rules.finding import Finding, Severity

__all__ = [
    "Finding",
    "Severity",
    "catalogue",
    "chip",
    "class_codes",
    "content",
    "cross",
    "groups",
    "layout",
    "run",
    "structure",
]
