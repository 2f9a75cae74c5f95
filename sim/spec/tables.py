"""The one reader of `data/`: CSV rows as dicts of str, TOML as dicts."""

from __future__ import annotations

import csv
import io
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

# No `importlib.resources`: to import that takes longer than to read a table.
_DATA = Path(__file__).parent / "data"


@cache
def read_csv(name: str) -> tuple[dict[str, str], ...]:
    """Rows of `data/<name>.csv`; every value a str, since codes have leading zeros. Raises ValueError for a
    row that has not as many values as there are columns."""
    text = (_DATA / f"{name}.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(io.StringIO(text, newline=""))  # half as long as a DictReader takes
    return tuple(dict(zip(head, row, strict=True)) for row in rows if row)


@cache
def read_toml(name: str) -> dict[str, Any]:
    """The content of `data/<name>.toml`."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def names(folder: str, suffix: str) -> tuple[str, ...]:
    """Names, without suffix, of the files of `data/<folder>`, sorted."""
    found = (entry.name for entry in (_DATA / folder).iterdir())
    return tuple(sorted(name.removesuffix(suffix) for name in found if name.endswith(suffix)))
