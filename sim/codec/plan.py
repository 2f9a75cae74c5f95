"""The fast readers and writers: one small function generated per version and bitmap.

A reader is the loop of `walk` unrolled: plain slices, one table look-up per length prefix, one
length check at the end. It answers None where anything does not fit, and `walk` says why. Only
numbers and widths from the element tables enter generated source; its text is kept as
`reader.source`, to be read: it is a lesson, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from sim.codec import bitmap
from sim.codec.message import Message
from sim.spec import ElementSpec, spec

Reader = Callable[[str], Message | None]
Writer = Callable[[str, dict[int, str]], str | None]

# Random bitmaps must not grow memory: the least used readers go.
CACHE_SIZE = 1024


@cache
def lengths(prefix: int, width: int) -> dict[str, int]:
    """The legal length prefixes of an element: `00` to `19` for n..19. Looking a prefix up
    refuses `-1`, ` 5`, `٣٣` and anything over the maximum in one go."""
    return {f"{size:0{prefix}}": size for size in range(width + 1)}


@cache
def prefixes(prefix: int, width: int) -> dict[int, str]:
    """The same the other way: how each legal length is written."""
    return {size: text for text, size in lengths(prefix, width).items()}


@lru_cache(maxsize=CACHE_SIZE)
def reader(version: str, bits: str) -> Reader:
    """The reader for messages of *version* with the bitmap *bits* (16 or 32 hex digits, any case).
    Raises ValueError when they are not hex digits."""
    if not bitmap.HEX_DIGITS.issuperset(bits):
        raise ValueError("not hex digits")
    elements = [spec(version)[number] for number in bitmap.numbers(bits)]
    empty = len(bits) > 16 and not any(element.number > 64 for element in elements)
    names: dict[str, Any] = {"Message": Message}
    lines = ["def read(raw):", "    mti = raw[:4]"]
    lines += ["    if not (mti.isascii() and mti.isdigit()):", "        return None"]
    at = _Position(4 + len(bits))
    for element in elements:
        lines += _read_lines(element, at, names)
    lines += [f"    if len(raw) != {at}:", "        return None"]
    pairs = ", ".join(f"{element.number}: v{element.number}" for element in elements)
    lines.append(f"    return Message(mti, {{{pairs}}}, {version!r}, {empty})")
    made: Reader = _compile("read", lines, names)
    return made


class _Position:
    """Where the next element starts: characters known beforehand, counted from 0 or from `p`."""

    def __init__(self, known: int) -> None:
        self.known = known
        self.base = ""

    def __str__(self) -> str:
        if self.base and self.known:
            return f"p + {self.known}"
        return self.base or str(self.known)

    def take(self, width: int) -> str:
        start = str(self)
        self.known += width
        return f"raw[{start}:{self}]"


def _read_lines(element: ElementSpec, at: _Position, names: dict[str, Any]) -> list[str]:
    value = f"v{element.number}"
    if element.fixed:
        return [f"    {value} = {at.take(element.width)}"]
    table = f"L{element.prefix}_{element.width}"
    names[table] = lengths(element.prefix, element.width)
    lines = [f"    n = {table}.get({at.take(element.prefix)})", "    if n is None:", "        return None"]
    start, at.base, at.known = str(at), "p", 0
    return [*lines, f"    s = {start}", "    p = s + n", f"    {value} = raw[s:p]"]


@lru_cache(maxsize=CACHE_SIZE)
def writer(version: str, present: tuple[int, ...], empty_secondary: bool) -> Writer:
    """The writer for messages of *version* with exactly the elements *present*.
    Raises ValueError for a number that is no element of a message."""
    if any(number < 2 for number in present):
        raise ValueError("data elements start at 2")
    elements = [spec(version)[number] for number in sorted(present)]
    bits = bitmap.to_hex(present, secondary=empty_secondary)
    names: dict[str, Any] = {}
    lines = ["def write(mti, fields):"]
    lines += ["    if len(mti) != 4 or not (mti.isascii() and mti.isdigit()):", "        return None"]
    parts = ["mti", repr(bits)]
    for element in elements:
        value = f"v{element.number}"
        lines.append(f"    {value} = fields[{element.number}]")
        if element.fixed:
            lines += [f"    if len({value}) != {element.width}:", "        return None"]
        else:
            table = f"P{element.prefix}_{element.width}"
            names[table] = prefixes(element.prefix, element.width)
            parts.append(f"{table}[len({value})]")
        parts.append(value)
    # join refuses what is no str, which an f-string would write.
    lines.append(f'    return "".join(({", ".join(parts)}))')
    made: Writer = _compile("write", lines, names)
    return made


def _compile(name: str, lines: list[str], names: dict[str, Any]) -> Any:
    source = "\n".join(lines) + "\n"
    exec(compile(source, f"<sim.codec.plan {name}>", "exec"), names)  # noqa: S102
    made = names[name]
    made.source = source
    return made
