"""How often what was not answered is sent again, and after what: the rows of `data/timeouts.csv`.

The reversal that follows is `sim.operations.answering.reverse`'s, its repeat the same under the next MTI
(0401, 0421, 1421).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sim.spec.tables import read_csv


@dataclass(frozen=True, slots=True)
class TimeOut:
    """One row: `tries` counts the first sending and its repeats, `waits` are the seconds before each repeat
    (none: at once)."""

    tries: int
    waits: tuple[float, ...]
    source: str

    def wait(self, attempt: int) -> float:
        """Seconds before repeat *attempt*, from 1; the last wait holds for all after it."""
        return self.waits[min(attempt, len(self.waits)) - 1] if self.waits else 0.0


@cache
def timeout_of(version: str) -> TimeOut:
    """The row of a version.

    >>> timeout_of("1987").tries
    3
    """
    row = next(row for row in read_csv("timeouts") if version in row["versions"].split("|"))
    return TimeOut(int(row["tries"]), tuple(map(float, row["waits"].split())), row["source"])
