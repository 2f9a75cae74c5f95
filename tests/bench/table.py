"""The rows of the one table that `make bench` prints, and what it says of the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

OURS = "iso8583-lab"
PACKAGES = (OURS, "pyiso8583", "iso8583sim", "pandas", "pyarrow", "sanic", "uvicorn", "uvloop")
# Units of figures that had better be small.
_COSTS = (" s", " ms", " µs", " MB")
HEAD = ("Work", "Ours", "Peer", "Peer's", "Ratio", "Asked", "Met")


@dataclass(frozen=True, slots=True)
class Limit:
    """What is asked of a figure: at least *value*, or at most where *most* is set."""

    value: float
    most: bool = False
    unit: str = ""

    def met(self, figure: float) -> bool:
        """Whether *figure* keeps to it."""
        return figure <= self.value if self.most else figure >= self.value

    def __str__(self) -> str:
        return f"{'≤' if self.most else '≥'} {self.value:g}{self.unit}"


@dataclass(frozen=True, slots=True)
class Row:
    """Our figure beside a peer's. The limit judges `ratio`, or `figure` where there is no peer."""

    work: str
    ours: str
    peer: str = ""
    theirs: str = ""
    ratio: float | None = None
    limit: Limit | None = None
    figure: float | None = None

    @property
    def less_is_better(self) -> bool:
        """Whether the figure is a time or an amount of memory, not a speed."""
        return self.limit.most if self.limit else self.ours.endswith(_COSTS)

    def cells(self) -> list[str]:
        """The row as text, one cell per name of HEAD."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        judged = self.ratio if self.figure is None else self.figure
        asked = met = ""
        if self.limit:
            asked = str(self.limit)
            met = "" if judged is None else "yes" if self.limit.met(judged) else "no"
        return [self.work, self.ours, self.peer, self.theirs, ratio, asked, met]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that were measured together, and how."""

    title: str
    rows: list[Row]
    notes: list[str] = field(default_factory=list)


def records(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """The rows for a program, one object each: the group, what was measured, the peer, the `figure` that
    counts (the ratio, or a figure of its own), the `ratio` to the peer (null: there is none), whether less of
    them is better, and what is asked of the figure (null: nothing)."""
    made = []
    for group in groups:
        for row in group.rows:
            limit = row.limit
            made.append(
                {
                    "group": group.title,
                    "work": row.work,
                    "peer": row.peer,
                    "figure": row.ratio if row.figure is None else row.figure,
                    "ratio": row.ratio,
                    "less_is_better": row.less_is_better,
                    "asked": limit.value if limit else None,
                }
            )
    return made


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the rounds' ratios: what slows the machine for a while slows both of one round."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def rate(values: Sequence[float], what: str = "/s") -> str:
    """The median of speeds in three digits: `1.72 M/s`, `469 k/s`."""
    middle = median(values)
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if middle >= size:
            return f"{middle / size:.3g}{letter}{what}"
    return f"{middle:.3g} {what}"


def markdown(groups: Sequence[Group]) -> list[str]:
    """One table of all groups, then their notes."""
    lines = [f"| {' | '.join(HEAD)} |", "| --- | --: | --- | --: | --: | --: | --- |"]
    for group in groups:
        lines.append(f"| **{group.title}** |" + " |" * (len(HEAD) - 1))
        lines += [f"| {' | '.join(row.cells())} |" for row in group.rows]
    notes = [f"{group.title}: {' '.join(group.notes)}" for group in groups if group.notes]
    return [*lines, *(line for note in notes for line in ("", note))]


def plain(groups: Sequence[Group]) -> list[str]:
    """The same for a terminal: columns of one width."""
    rows = [list(HEAD), *(row.cells() for group in groups for row in group.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEAD))]

    def line(cells: Sequence[str]) -> str:
        aligned = [
            cell.rjust(width) if 1 <= place <= 5 and place != 2 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(aligned).rstrip()

    lines = [line(HEAD)]
    for group in groups:
        lines += ["", group.title, *(line(row.cells()) for row in group.rows), *group.notes]
    return lines


def machine() -> list[str]:
    """Date, interpreter, processor and versions, in lines."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
        processor = models[0] if models else processor
    python = f"{platform.python_implementation()} {platform.python_version()}"
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {python}, {platform.system()}, {processor}, "
        f"{os.cpu_count()} processors{load}.",
        f"{', '.join(f'{name} {version(name)}' for name in PACKAGES)}.",
    ]
