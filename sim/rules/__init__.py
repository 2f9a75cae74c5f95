"""Message -> findings: structure, content, cross-field, networks."""

from sim.rules import content, structure
from sim.rules.engine import catalogue, run
from sim.rules.finding import Finding, Severity

__all__ = ["Finding", "Severity", "catalogue", "content", "run", "structure"]
