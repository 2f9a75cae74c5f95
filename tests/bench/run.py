"""All benchmarks in one run: `make bench`. Prints one table and writes it to RESULTS.md and RESULTS.json.

`--quick`: fewer rounds and messages, for a first look; what was written before is left as it is.
`--json FILE`: writes the figures of any run there, too, for a program to compare them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import bench_codec
import bench_http
import bench_layouts
import bench_link
import bench_many
import bench_start
from table import Group, machine, markdown, plain, records

RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS: dict[str, Callable[[bool], Sequence[Group]]] = {
    "codec": bench_codec.groups,
    "layouts": bench_layouts.groups,
    "bulk": bench_many.groups,
    "http": bench_http.groups,
    "link": bench_link.groups,
    "start": bench_start.groups,
}
INTRODUCTION = """# Benchmarks

Made by `make bench`. Ratio is our figure over the peer's, the median of the rounds' ratios: all are measured
alternately in one run, so ratios are stable even on a busy machine, but speeds are not. Asked is the limit
for the ratio or, for a figure with a unit, for the figure."""


def main() -> None:
    """Measure what the command line asks for, print the table; a whole run is written to RESULTS.md."""
    parser = argparse.ArgumentParser(description="Compare the speed with other packages.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds; nothing is written")
    parser.add_argument("--only", choices=PARTS, help="one part alone; nothing is written")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, as JSON")
    asked = parser.parse_args()
    about = machine()
    groups: list[Group] = []
    start = perf_counter()
    for name, part in PARTS.items():
        if asked.only in (None, name):
            sys.stderr.write(f"measuring: {name}\n")
            begun = perf_counter()
            groups += part(asked.quick)
            sys.stderr.write(f"  {perf_counter() - begun:.0f} s\n")
    about.append(f"The run took {perf_counter() - start:.0f} s.")
    print("\n".join([*plain(groups), "", *about]))
    figures = {"about": about, "quick": asked.quick, "rows": records(groups)}
    if asked.json:
        _write(asked.json, figures)
    if not asked.quick and asked.only is None:
        lines = [INTRODUCTION, "", *about, "", *markdown(groups)]
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
        _write(RESULTS.with_suffix(".json"), figures)


def _write(file: Path, figures: dict[str, Any]) -> None:
    file.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
