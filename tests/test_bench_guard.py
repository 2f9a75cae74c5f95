"""The benchmark guard reports a ratio that fell, but not one that varies as usual."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench.table import Group, Limit, Row, records

BENCH = Path(__file__).parent / "bench"


def row(work: str = "parse", ratio: float = 10.0, peer: str = "a peer", less: bool = False) -> dict[str, Any]:
    """A row of figures in the format of `run.py --json`."""
    return {
        "group": "one",
        "work": work,
        "peer": peer,
        "figure": 4711.0,  # may be of this machine: a time in ms
        "ratio": ratio if peer else None,
        "less_is_better": less,
        "asked": None,
    }


def guard(folder: Path, *rows: dict[str, Any], keep: bool = False) -> tuple[int, str]:
    """Exit status and output of the guard, with its own history in *folder*."""
    figures = folder / "figures.json"
    figures.write_text(json.dumps({"rows": rows}), encoding="utf-8")
    command = [sys.executable, str(BENCH / "guard.py"), str(figures), "--history", str(folder / "kept.csv")]
    done = subprocess.run(
        [*command, *(["--keep"] if keep else [])], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("now", "fell"),
    [
        (row(ratio=8.1), False),
        (row(ratio=7.9), True),
        (row("memory", 2.4, less=True), False),
        (row("memory", 2.6, less=True), True),
        (row("latency", 1.0), False),
        (row("never measured before", 0.1), False),
        (row("without a peer", 0.1, peer=""), False),
    ],
)
def test_a_fall_of_more_than_a_fifth(tmp_path: Path, now: dict[str, Any], fell: bool) -> None:
    """A ratio more than 20% worse than the stored one is reported, and the run is not stored."""
    first = [row(), row("memory", 2.0, less=True), row("latency", 9.0), row("without a peer", 9.0, peer="")]
    assert guard(tmp_path, *first, keep=True)[0] == 0
    kept = (tmp_path / "kept.csv").read_text(encoding="utf-8")
    status, said = guard(tmp_path, now, keep=True)
    assert status == int(fell)
    assert (now["work"] + ", beside" in said) is fell
    assert ((tmp_path / "kept.csv").read_text(encoding="utf-8") == kept) is (fell or not now["peer"])


def test_the_history_that_comes_along_is_read(tmp_path: Path) -> None:
    """Each line of the committed history is a ratio of a run; runs are in the order in which they were
    made."""
    with (BENCH / "HISTORY.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [one["at"] for one in rows] == sorted(one["at"] for one in rows)
    assert all(float(one["ratio"]) >= 0 and one["group"] and one["work"] and one["peer"] for one in rows)


def test_a_row_with_a_figure_of_its_own_is_held_by_its_ratio() -> None:
    """A required time in ms is listed with the ratio to the peer package; only the ratio must not fall."""
    limit = Limit(60, most=True, unit=" ms")
    timed = Row("import", "18 ms", "a peer", "78 ms", 0.23, limit, 18.3)
    record = records([Group("start", [timed, Row("alone", "7 MB", figure=7.0)])])[0]
    assert (record["figure"], record["ratio"], record["less_is_better"]) == (18.3, 0.23, True)
