"""Message -> findings: structure, content, cross-field, networks."""

from sim.judge import (
    agreement,
    chip,
    chip_agreement,
    chip_tags,
    class_codes,
    content,
    contradictions,
    cross,
    groups,
    layout,
    omissions,
    structure,
)
from sim.judge.engine import catalogue
from sim.judge.finding import Finding, Severity
from sim.judge.kind import run

__all__ = [
    "Finding",
    "Severity",
    "agreement",
    "catalogue",
    "chip",
    "chip_agreement",
    "chip_tags",
    "class_codes",
    "content",
    "contradictions",
    "cross",
    "groups",
    "layout",
    "omissions",
    "run",
    "structure",
]
