"""Length prefixes, looked up: a table of legal writings refuses `-1`, ` 5` and too large a size at once.

A size is only ever compared and sliced by, never allocated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

# What reads a prefix: from its characters (hex digits of packed and binary ones) to a size, or None.
Sizes = Callable[[str], int | None]

# Longer tables would take more memory than they save time.
_MOST = 9999


@cache
def sizes(lengths: str, prefix: int, most: int) -> Sizes:
    """The reader of prefixes of *prefix* bytes, written as *lengths* says, for sizes up to *most*.

    >>> sizes("bcd", 1, 19)("16"), sizes("binary", 1, 19)("10"), sizes("ascii", 2, 19)("20")
    (16, 16, None)
    """
    if not prefix:
        return cast(Sizes, {}.get)
    binary = lengths == "binary"
    width = 2 * prefix if binary or lengths == "bcd" else prefix
    highest = min(most, 16**width - 1 if binary else 10**width - 1)
    if highest <= _MOST:
        table = {f"{size:0{width}X}" if binary else f"{size:0{width}}": size for size in range(highest + 1)}
        return cast(Sizes, table.get)
    return _Far(highest, 16 if binary else 10)


class _Far:
    """Prefixes of elements too long for a table: six digits of length."""

    __slots__ = ("base", "most")

    def __init__(self, most: int, base: int) -> None:
        self.most, self.base = most, base

    def __call__(self, text: str) -> int | None:
        if not text.isalnum() or not text.isascii() or (self.base == 10 and not text.isdigit()):
            return None
        size = int(text, self.base)
        return size if size <= self.most else None
