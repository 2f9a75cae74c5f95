"""Message -> findings: structure, content, cross-field, networks.

Names are resolved on first use, so callers that only show findings or explain messages load no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.judge.engine import run
    from sim.judge.finding import Finding, Hit, Severity, catalogue
    from sim.judge.parts import (
        ACCOUNT,
        CARD,
        DE,
        MTI,
        NUMBER,
        TABLE,
        VALUE,
        Maybe,
        MaybeTag,
        Present,
        Tag,
    )
    from sim.judge.rules import each, rule

__all__ = [
    "ACCOUNT",
    "CARD",
    "DE",
    "MTI",
    "NUMBER",
    "TABLE",
    "VALUE",
    "Finding",
    "Hit",
    "Maybe",
    "MaybeTag",
    "Present",
    "Severity",
    "Tag",
    "catalogue",
    "each",
    "rule",
    "run",
]

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__)
