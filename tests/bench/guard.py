"""Does anything fall behind? `guard.py FIGURES [--keep]`, with the figures that `run.py --json` writes.

The ratios to other packages are kept in HISTORY.csv, run after run. A ratio that is more than 20% worse
than in the last run kept is named, and the exit status is 1; `--keep` adds the run to the history if nothing
is. Only ratios are held: both sides of one are measured in turn, so another machine changes both.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HISTORY = Path(__file__).with_name("HISTORY.csv")
COLUMNS = ("at", "group", "work", "peer", "ratio")
FALL = 0.2
# What swings by more from run to run without a cause: the tail of latencies, and what a start takes.
UNSTEADY = ("latency", "start")

Key = tuple[str, str, str]


def key(row: Mapping[str, Any]) -> Key:
    """What a row measures: group, work, peer."""
    return row["group"], row["work"], row["peer"]


def last_kept(history: Iterable[Mapping[str, str]]) -> dict[Key, float]:
    """The latest ratio of each row; *history* is in the order in which it was measured."""
    return {key(row): float(row["ratio"]) for row in history}


def compared(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that are ratios to a peer; the others are figures of one machine."""
    return [row for row in rows if row["peer"] and row["ratio"] is not None]


def falls(rows: Iterable[Mapping[str, Any]], kept: Mapping[Key, float]) -> list[str]:
    """A line for each ratio that is more than `FALL` worse than the one kept."""
    said = []
    for row in compared(rows):
        before = kept.get(key(row), 0.0)
        now = row["ratio"]
        if not before or not now or any(word in row["work"].lower() for word in UNSTEADY):
            continue
        share = before / now if row["less_is_better"] else now / before
        if share < 1 - FALL:
            said.append(f"{row['work']}, beside {row['peer']}: {now:.2f}, was {before:.2f}")
    return said


def keep(rows: Iterable[Mapping[str, Any]], history: Path, at: str) -> None:
    """Add the ratios of a run to the *history*."""
    new = not history.exists()
    with history.open("a", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        if new:
            write(COLUMNS)
        for row in compared(rows):
            write((at, *key(row), f"{row['ratio']:.2f}"))


def main(arguments: list[str] | None = None) -> int:
    """Compare, say what fell, keep. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Hold the ratios to those kept.")
    parser.add_argument("figures", type=Path, help="what `run.py --json` wrote")
    parser.add_argument("--keep", action="store_true", help="add them to the history, unless one fell")
    parser.add_argument("--history", type=Path, default=HISTORY, help="the history, HISTORY.csv beside this")
    asked = parser.parse_args(arguments)
    rows = json.loads(asked.figures.read_text(encoding="utf-8"))["rows"]
    kept = {}
    if asked.history.exists():
        with asked.history.open(encoding="utf-8", newline="") as file:
            kept = last_kept(csv.DictReader(file))
    fell = falls(rows, kept)
    same = sum(key(row) in kept for row in compared(rows))
    print(*fell, f"{same} ratios compared, {len(fell)} fell by more than {FALL:.0%}.", sep="\n")
    if asked.keep and not fell:
        keep(rows, asked.history, f"{datetime.now(UTC):%Y-%m-%d %H:%M}")
    return int(bool(fell))


if __name__ == "__main__":
    sys.exit(main())
