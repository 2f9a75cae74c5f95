"""Message -> findings: structure, content, cross-field, networks."""

from sim.judge import chip, class_codes, content, cross, groups, layout, omissions, structure
from sim.judge.engine import catalogue, run
from sim.judge.finding import Finding, Severity

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
    "omissions",
    "run",
    "structure",
]
