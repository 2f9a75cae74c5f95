"""Write or check `vectors/faults.jsonl`: every case of `sim.operations.cases()`, one a line.

    python tests/tools/make_faults.py           writes it
    python tests/tools/make_faults.py --check   says whether it is up to date

The file is read by people, too: a change in it shows which rule now says something else of a message.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sim.operations import Broken, cases

FILE = Path(__file__).parents[1] / "vectors" / "faults.jsonl"


def line(case: Broken) -> str:
    """One case as JSON."""
    shown = {
        "fault": case.fault,
        "version": case.version,
        "network": case.network,
        "kind": case.kind,
        "rule": case.rule,
        "severity": str(case.severity),
        "field": case.field,
        "path": case.path,
        "start": case.start,
        "also": list(case.also),
        "what": case.what,
        "message": case.raw,
        "original": case.original,
    }
    return json.dumps(shown, ensure_ascii=True)


def text() -> str:
    """The whole file."""
    return "".join(line(case) + "\n" for case in cases())


def main(arguments: list[str]) -> int:
    """Write the file, or compare it."""
    if "--check" not in arguments:
        FILE.write_text(text(), encoding="utf-8")
        return 0
    if FILE.is_file() and FILE.read_text(encoding="utf-8") == text():
        return 0
    print(f"{FILE.name} is out of date; run {Path(__file__).name} and read what changed")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
