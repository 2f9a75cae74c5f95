"""Write or check `vectors/faults_*.jsonl`: every case of `sim.operations.cases()`, one a line, a file for
each version.

    python tests/tools/make_faults.py           writes them
    python tests/tools/make_faults.py --check   says whether they are up to date

The files are read by people, too: a change in them shows which rule now says something else of a message.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sim.operations import VERSIONS, Broken, cases

VECTORS = Path(__file__).parents[1] / "vectors"
FILES = {version: VECTORS / f"faults_{version}.jsonl" for version in VERSIONS}


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


def texts() -> dict[Path, str]:
    """Each file, whole."""
    return {
        file: "".join(line(case) + "\n" for case in cases(version=version)) for version, file in FILES.items()
    }


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    old = []
    for file, text in texts().items():
        if "--check" not in arguments:
            file.write_text(text, encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text:
            old.append(file.name)
    if old:
        print(f"{', '.join(old)}: out of date; run {Path(__file__).name} and read what changed")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
