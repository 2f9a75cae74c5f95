"""Message -> findings: structure, content, cross-field, networks.

Names are resolved when first used: what only tells findings, or explains, loads no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.judge.engine import catalogue
    from sim.judge.finding import Finding, Severity
    from sim.judge.kind import run

__all__ = ["Finding", "Severity", "catalogue", "run"]

_HOMES = {
    "sim.judge.engine": "catalogue",
    "sim.judge.finding": "Finding Severity",
    "sim.judge.kind": "run",
}

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__, _HOMES)
