"""Length prefixes, looked up: a table of legal writings refuses `-1`, ` 5`, `٣٣` and what is too large.

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
    base = 16 if binary else 10
    highest = min(most, base**width - 1)
    if highest <= _MOST:
        table = {f"{size:0{width}X}" if binary else f"{size:0{width}}": size for size in range(highest + 1)}
        return cast(Sizes, table.get)

    def far(text: str) -> int | None:
        digits = text.isascii() and (text.isalnum() if binary else text.isdigit())
        size = int(text, base) if digits and len(text) == width else highest + 1
        return size if size <= highest else None

    return far
