"""TOML that somebody else wrote: formats, suites, rules, keys. What would cost more than it says is
refused."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sim.errors import SpecError

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
