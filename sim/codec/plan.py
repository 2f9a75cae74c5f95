"""The fast readers and writers: one small function generated per version and bitmap that has earned it.

A reader is the loop of `walk` unrolled: plain slices of what is left of the text, one table look-up
per length prefix, one length check at the end. It answers None where anything does not fit, and
`walk` says why. Making one costs as much as walking some forty messages, so a bitmap gets one when good
messages have come with it that often; until then `walk` reads them. Only numbers and widths from the element
tables enter generated source; its text is kept as `reader.source`, to be read: it is a lesson, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from sim.codec import bitmap
from sim.codec.message import Message
from sim.codec.sizes import sizes
from sim.kept import Earned
from sim.spec import VERSIONS, spec

Reader = Callable[[str], Message | None]
Writer = Callable[[str, dict[int, str]], str | None]
# Version, the elements in their order, whether there is an empty second bitmap.
Layout = tuple[str, tuple[int, ...], bool]

CACHE_SIZE = 512
EARNED = 40


@cache
def prefixes(prefix: int, width: int) -> dict[int, str]:
    """How each legal length of an element is written."""
    return {size: f"{size:0{prefix}}" for size in range(width + 1)}


def reader(version: str, bits: str) -> Reader:
    """Make the reader for messages of *version* with the bitmap *bits*, 16 or 32 hex digits."""
    elements = [spec(version)[number] for number in bitmap.numbers(bits)]
    empty = len(bits) > 16 and not any(element.number > 64 for element in elements)
    names: dict[str, Any] = {"Message": Message}
    slices: dict[str, slice] = {}
    lines = ["    mti = raw[:4]"]
    lines += ["    if not (mti.isascii() and mti.isdigit()):", "        return None"]
    lines.append(f"    r0 = raw[{4 + len(bits)}:]")
    values: list[str] = []
    ends: list[str] = []
    at = 0
    for element in elements:
        rest = f"r{len(ends)}"
        if not element.fixed:
            table, end = f"L{element.prefix}_{element.width}", f"e{len(ends)}"
            names[table] = sizes("ascii", element.prefix, element.width)
            start = at + element.prefix
            lines.append(f"    n = {table}({rest}[{_slice(at, start, slices)}])")
            lines += ["    if n is None:", "        return None"]
            lines += [f"    {end} = {start} + n", f"    r{len(ends) + 1} = {rest}[{end}:]"]
            values.append(f"{element.number}: {rest}[{start}:{end}]")
            ends.append(end)
            at = 0
        else:
            values.append(f"{element.number}: {rest}[{_slice(at, at + element.width, slices)}]")
            at += element.width
    total = " + ".join([str(4 + len(bits)), *ends, str(at)])
    lines += [f"    if len(raw) != {total}:", "        return None"]
    lines.append(f"    return Message(mti, {{{', '.join(values)}}}, {version!r}, {empty})")
    # Slices as defaults: made once, and found as fast as a local name.
    head = ", ".join(["raw", *(f"{name}={name}" for name in slices)])
    made: Reader = compiled("read", [f"def read({head}):", *lines], {**names, **slices})
    return made


def _slice(start: int, stop: int, slices: dict[str, slice]) -> str:
    name = f"s{start}_{stop}"
    slices[name] = slice(start, stop)
    return name


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
    made: Writer = compiled("write", lines, names)
    return made


# version -> bitmap as it stands in the text (16 hex digits, or 32 where bit 1 is set) -> reader.
READERS = {version: Earned(partial(reader, version), CACHE_SIZE, EARNED) for version in VERSIONS}
WRITERS: Earned[Layout, Writer] = Earned(lambda layout: writer(*layout), CACHE_SIZE, EARNED)


def compiled(name: str, lines: list[str], names: dict[str, Any]) -> Any:
    """The function *name* that *lines* define, which may use *names*. Nothing that came in with a message
    may be in *lines*."""
    source = "\n".join(lines) + "\n"
    exec(compile(source, f"<sim.codec.plan {name}>", "exec"), names)  # noqa: S102
    made = names[name]
    made.source = source
    return made
