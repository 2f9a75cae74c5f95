"""How long `import sim` takes beyond starting Python, and how long until the service answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from time import perf_counter

from serving import OTHER, OURS, environment, serving
from table import Group, Limit, Row, plain, ratio

RUNS, QUICK_RUNS = 31, 7
STARTS, QUICK_STARTS = 7, 3
IMPORT_MS, READY_S = 60.0, 1.0
PEER = "iso8583sim"


def import_times(runs: int) -> dict[str, list[float]]:
    """Milliseconds of each run: Python with nothing to do, and with one import, in turn."""
    programs = {"bare": "pass", "sim": "import sim", PEER: f"import {PEER}"}
    spent: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(runs + 1):
        for name, program in programs.items():
            start = perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, env=environment())
            if turn:  # the first has files to read and bytecode to write
                spent[name].append((perf_counter() - start) * 1000)
    return spent


def ready_times(starts: int) -> dict[str, list[float]]:
    """Seconds from the start of the process until GET /health was answered first."""
    commands = {"sim": OURS, PEER: OTHER}
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(starts + 1):
        for name, command in commands.items():
            with serving(*command) as server:
                if turn:
                    spent[name].append(server.ready)
    return spent


def groups(quick: bool = False) -> Sequence[Group]:
    """Measure everything; what the table says of it."""
    runs, starts = (QUICK_RUNS, QUICK_STARTS) if quick else (RUNS, STARTS)
    spent, ready = import_times(runs), ready_times(starts)
    beyond = {
        name: [one - bare for one, bare in zip(spent[name], spent["bare"], strict=True)]
        for name in ("sim", PEER)
    }
    imports = Row(
        "import sim, beyond bare Python",
        f"{median(beyond['sim']):.0f} ms",
        PEER,
        f"{median(beyond[PEER]):.0f} ms",
        ratio(beyond["sim"], beyond[PEER]),
        Limit(IMPORT_MS, most=True, unit=" ms"),
        median(beyond["sim"]),
    )
    service = Row(
        "service, from start to first answer",
        f"{median(ready['sim']):.2f} s",
        f"{PEER} web",
        f"{median(ready[PEER]):.2f} s",
        ratio(ready["sim"], ready[PEER]),
        Limit(READY_S, most=True, unit=" s"),
        median(ready["sim"]),
    )
    bare = f"bare Python starts in {median(spent['bare']):.0f} ms; median of {runs} and {starts} starts."
    return [Group("Start", [imports, service], [bare])]


if __name__ == "__main__":
    print("\n".join(plain(groups())))
