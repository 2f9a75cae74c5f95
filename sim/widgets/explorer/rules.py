"""Which rules the bad messages of a log break: a few thousand are judged, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.errors import IsoError
from sim.widgets.explorer.log import Log
from sim.widgets.row_grid import Rows

AT_ONCE = 2000
AT_FIRST = 300


class BrokenRules:
    """The rules that bad rows break, as far as they have been judged."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._rows: Rows = np.flatnonzero(log.bad)
        self.judged = 0
        self.found: dict[str, list[int]] = {}

    @property
    def left(self) -> int:
        """How many bad rows nobody has judged."""
        return len(self._rows) - self.judged

    def judge(self, count: int = AT_ONCE) -> None:
        """Judge the next *count* bad rows."""
        rows = self._rows[self.judged : self.judged + count]
        some = self._log.table.iloc[rows].reset_index(drop=True)
        found = pd.DataFrame(some.iso.validate(progress=False))
        wrong = found[found["severity"] == "error"].drop_duplicates(["row", "rule"])
        for rule, place in zip(wrong["rule"].tolist(), wrong["row"].tolist(), strict=True):
            self.found.setdefault(str(rule), []).append(int(rows[place]))
        self.judged = min(self.judged + count, len(self._rows))

    def flags(self, rule: str) -> Any:
        """Which rows break *rule*."""
        made = np.zeros(self._log.size, bool)
        made[self.found.get(rule, [])] = True
        return made


def content_of(log: Log, row: int) -> tuple[Any, str | None, str | None]:
    """The message in *row* or its text, the version it is read as and its network."""
    cells = log.table.iloc[[row]]
    version = str(cells["version"].iloc[0]) if cells["version"].notna().iloc[0] else None
    network = str(cells["network"].iloc[0]) if cells["network"].notna().iloc[0] else None
    if log.unreadable[row]:
        return str(cells["text"].iloc[0]), version, network
    try:
        return cells.iso.message(cells.index[0]), version, network
    except (IsoError, TypeError):
        return "", version, network
