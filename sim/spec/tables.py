"""The only reader of `data/`: CSV rows as dicts of str, TOML as dicts. A user's TOML (formats, suites, rules,
keys) is rejected if parsing it would take disproportionate time."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from sim.errors import SpecError

# Not `importlib.resources`: importing it takes longer than reading a table.
_DATA = Path(__file__).parent / "data"


@cache
def read_csv(name: str) -> tuple[dict[str, str], ...]:
    """Rows of `data/<name>.csv`; every value is a str, since codes have leading zeros. Raises ValueError for
    a row without one value per column."""
    text = (_DATA / f"{name}.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(io.StringIO(text, newline=""))  # half as long as a DictReader takes
    return tuple([dict(zip(head, row, strict=True)) for row in rows if row])


@cache
def read_toml(name: str) -> dict[str, Any]:
    """The content of `data/<name>.toml`."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def names(folder: str, suffix: str) -> tuple[str, ...]:
    """The sorted names of the files in `data/<folder>`, without suffix."""
    filenames = (entry.name for entry in (_DATA / folder).iterdir())
    return tuple(sorted(name.removesuffix(suffix) for name in filenames if name.endswith(suffix)))


LARGEST = 1 << 20  # characters
# The parser's time grows with the square of the number of parts in a key.
_MOST_PARTS = 32
_LONG_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}""")
_LINE = re.compile(r"at line (\d+)")


def toml_of(text: str) -> dict[str, Any]:
    """The tables in the TOML *text*. Raises SpecError, with the line if known, if it is not TOML, larger than
    a megabyte, nested too deeply, or has a key of 32 parts or more.

    >>> toml_of('extends = "bcd"')
    {'extends': 'bcd'}
    """
    if len(text) > LARGEST:
        raise SpecError(None, None, f"TOML of at most {LARGEST:,} characters", f"{len(text):,}")
    if match := _LONG_KEY.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise SpecError(None, line, f"TOML with keys of fewer than {_MOST_PARTS} parts", "a longer one")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SpecError(None, None, "TOML", "tables or lists nested too deep") from None
    except ValueError as error:
        at = _LINE.search(str(error))
        # For errors at the end of the text, the parser gives no line.
        line = int(at[1]) if at else len(text.splitlines())
        raise SpecError(None, line, "TOML", str(error)[:80]) from None
