"""What the formats of other toolkits have in common with ours: elements, each described whole.

A foreign specification says of every element how it is written; a `Format` says it once and then what
differs. `rows_of` finds what is usual among the elements and keeps the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sim.codec.wire.formats import BYTES, CHARACTERS, HEX, RAW, Field, Format, kind_of
from sim.spec import VERSIONS, spec
from sim.spec.elements import parse_format

# By which writings of a class are told apart: what a format names once for all elements of a kind.
_FILE = re.compile(r"\.(?:xml|json|py)$")


@dataclass(frozen=True, slots=True)
class Described:
    """One element as another toolkit describes it. `content` is n, ans, b or x+n; `size` counts digits or
    characters, bytes of b, the sign of x+n not; `written` may be `hex` and a code page."""

    number: int
    name: str
    content: str
    size: int
    written: str
    lengths: str = ""
    length_digits: int = 0
    length_bytes: int = 0
    counts: str = ""
    odd: str = ""
    parts: tuple[Mapping[str, str], ...] = field(default=(), repr=False)
    cut: str = ""


def rows_of(name: str, source: str, head: Mapping[str, Any], elements: Iterable[Described]) -> dict[str, Any]:
    """The rows of a format that has *elements*, and *head* (mti, bitmap ...) as it is."""
    known = {one.number: one for one in elements}
    version = _version(known)
    title = _FILE.sub("", name)
    rows: dict[str, Any] = {"title": title, "source": source, "version": version, **head}
    for kind, usual in (("digits", "ascii"), ("text", "ascii"), ("binary", RAW)):
        writings = Counter(
            one.written.split(" ")[0] for one in known.values() if kind_of(one.content) == kind
        )
        rows[kind] = writings.most_common(1)[0][0] if writings else usual
    prefixes = Counter(one.lengths for one in known.values() if one.lengths)
    rows["lengths"] = prefixes.most_common(1)[0][0] if prefixes else "ascii"
    track = known.get(35)
    rows["track"] = track.written if track else rows["digits"]
    rows["elements"] = {
        str(number): row for number, one in sorted(known.items()) if (row := _row(one, version, rows))
    }
    return rows


def _version(known: Mapping[int, Described]) -> str:
    """The version most of whose elements have the lengths described."""

    def agree(version: str) -> int:
        pairs = ((one, known[one.number]) for one in spec(version).elements if one.number in known)
        return sum((ours.size, ours.prefix) == (one.size, one.length_digits) for ours, one in pairs)

    return max(VERSIONS, key=agree)


def _row(one: Described, version: str, rows: Mapping[str, Any]) -> dict[str, Any]:
    """What is to be said of one element: where it is another one than the version's, and where it is written
    otherwise than is usual."""
    row: dict[str, Any] = {}
    table = spec(version).elements
    element = table[one.number - 1] if one.number <= len(table) else None
    same = element is not None and (element.size, element.prefix) == (one.size, one.length_digits)
    content = element.content if same and element is not None else one.content
    if not same:
        dots = f"..{one.size:0{one.length_digits}}" if one.length_digits else f" {one.size}"
        row["format"] = f"{one.content}{dots}"
        row["name"] = one.name or (element.name if element else f"DE {one.number}")
    written = one.written.split(" ")[0]
    if written != rows["track" if content == "z" else kind_of(content)]:
        row["written"] = written
    if one.lengths and one.lengths != rows["lengths"]:
        row["lengths"] = one.lengths
    if one.length_bytes:
        row["length_bytes"] = one.length_bytes
    if one.counts and one.counts != (BYTES if written in (RAW, HEX) else CHARACTERS):
        row["counts"] = one.counts
    if one.odd not in ("", "left 0"):
        row["odd"] = one.odd
    if one.parts:
        row["cut"], row["parts"] = one.cut, [dict(part) for part in one.parts]
    return row


def fields_of(made: Format, version: str | None) -> list[Field]:
    """The elements of a format, of its own version, *version* or 1987."""
    return [one for one in made.layout(version).fields if one is not None]


def size_of(one: Field) -> tuple[str, int]:
    """Content class and size of an element as the standard counts it: bytes of b, the sign of x+n not."""
    content, size, _ = parse_format(one.number, one.format)
    return content, size
