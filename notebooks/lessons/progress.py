"""Which exercises of the course were solved, kept in a small file beside the notebooks.

The file holds lessons and numbers, no answers. Where nothing can be written, the course works without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sim.files import write_text

FILE = Path(__file__).parents[1] / ".progress.json"


def solved() -> dict[str, list[int]]:
    """The numbers of the solved exercises by lesson; nothing where the file is missing or spoiled."""
    try:
        found = json.loads(FILE.read_text(encoding="utf-8"))
        return {str(name): sorted(map(int, numbers)) for name, numbers in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def note(lesson: str, number: int) -> None:
    """Remember that exercise *number* of *lesson* was solved."""
    known = solved()
    if number in known.get(lesson, []):
        return
    known[lesson] = sorted({*known.get(lesson, []), number})
    with suppress(OSError):
        write_text(FILE, json.dumps(known, indent=1, sort_keys=True))


def table(lengths: Mapping[str, int]) -> str:
    """The course in a few lines: a row per lesson with a box per exercise, and the sum."""
    done = {
        name: [one for one in numbers if one <= lengths.get(name, 0)] for name, numbers in solved().items()
    }
    rows = [
        f"{name:15} {''.join('x' if number in done.get(name, []) else '.' for number in range(1, count + 1)):20}"
        f" {len(done.get(name, []))} of {count}"
        for name, count in lengths.items()
    ]
    total = sum(len(done.get(name, [])) for name in lengths)
    return "\n".join([*rows, "", f"{total} of {sum(lengths.values())} exercises solved"])
