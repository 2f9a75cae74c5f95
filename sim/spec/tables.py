"""The one reader of `data/`: CSV rows as dicts of str, TOML as dicts. TOML that somebody else wrote (formats,
suites, rules, keys) is refused where it would cost more than it says."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from sim.errors import SpecError

# No `importlib.resources`: to import that takes longer than to read a table.
_DATA = Path(__file__).parent / "data"


@cache
def read_csv(name: str) -> tuple[dict[str, str], ...]:
    """Rows of `data/<name>.csv`; every value a str, since codes have leading zeros. Raises ValueError for a
    row that has not as many values as there are columns."""
    text = (_DATA / f"{name}.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(io.StringIO(text, newline=""))  # half as long as a DictReader takes
    return tuple([dict(zip(head, row, strict=True)) for row in rows if row])


@cache
def read_toml(name: str) -> dict[str, Any]:
    """The content of `data/<name>.toml`."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def names(folder: str, suffix: str) -> tuple[str, ...]:
    """Names, without suffix, of the files of `data/<folder>`, sorted."""
    found = (entry.name for entry in (_DATA / folder).iterdir())
    return tuple(sorted(name.removesuffix(suffix) for name in found if name.endswith(suffix)))


LARGEST = 1 << 20  # characters
# The reader's time grows with the square of the parts of a key.
_MOST_PARTS = 32
_LONG_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}""")
_LINE = re.compile(r"at line (\d+)")


def toml_of(text: str) -> dict[str, Any]:
    """The tables that *text* writes out. Raises SpecError, with the line where it is known, for what is no
    TOML, larger than a megabyte, nested without end, or has a key of 32 parts or more.

    >>> toml_of('extends = "bcd"')
    {'extends': 'bcd'}
    """
    if len(text) > LARGEST:
        raise SpecError(None, None, f"TOML of at most {LARGEST:,} characters", f"{len(text):,}")
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise SpecError(None, line, f"TOML with keys of fewer than {_MOST_PARTS} parts", "a longer one")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SpecError(None, None, "TOML", "tables or lists nested too deep") from None
    except ValueError as error:
        at = _LINE.search(str(error))
        # At the end of a text its reader names no line.
        line = int(at[1]) if at else len(text.splitlines())
        raise SpecError(None, line, "TOML", str(error)[:80]) from None
