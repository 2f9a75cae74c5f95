"""Write the explanations that are kept word for word anew: `python tests/tools/make_explanations.py`.

Each line of `tests/operations/explanations.jsonl` has a title, a version, a message and what explain tells of
it. A message is added as a line without its paragraph.
"""

from __future__ import annotations

import json
from pathlib import Path

from sim.operations import explain

GOLDEN = Path(__file__).parents[1] / "operations" / "explanations.jsonl"


def golden() -> list[dict[str, str]]:
    """The rows of the golden file."""
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def explained(row: dict[str, str]) -> dict[str, str]:
    """A row as explain gives it now."""
    return row | {"summary": explain(row["message"], version=row["version"]).summary}


if __name__ == "__main__":
    GOLDEN.write_text("".join(json.dumps(explained(row)) + "\n" for row in golden()), encoding="utf-8")
