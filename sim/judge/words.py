"""The words of rules: severity, what is checked, source and hint, a row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from sim.judge.finding import Severity
from sim.spec.tables import read_csv

_CATALOGUES = ("rules", "rules_chip", "rules_layout")


@dataclass(frozen=True, slots=True)
class RuleText:
    """The words of a rule: its row in the catalogue."""

    id: str
    severity: Severity
    checks: str
    source: str
    hint: str


@cache
def catalogue() -> dict[str, RuleText]:
    """All rules' words by id."""
    return {text.id: text for table in _CATALOGUES for text in texts(read_csv(table))}


def texts(rows: Iterable[Mapping[str, str]]) -> list[RuleText]:
    """The rows of a catalogue."""
    return [
        RuleText(row["id"], Severity(row["severity"]), row["checks"], row["source"], row["hint"])
        for row in rows
    ]
