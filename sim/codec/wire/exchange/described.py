"""What the formats of other toolkits have in common with ours: elements, each described whole.

A foreign specification says of every element how it is written; a `Format` says it once and then what
differs. `rows_of` finds what is usual among the elements and keeps the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.codec.wire.formats import (
    BCD,
    BYTES,
    CHARACTERS,
    HEX,
    PARTS,
    RAW,
    Field,
    Format,
    LeftOut,
    kind_of,
    prefix_width,
)
from sim.codec.wire.pages import PAGES, SINGLE_BYTE
from sim.spec import VERSIONS, spec
from sim.spec.elements import parse_format

_PACKED = ("n", "z", "x+n")
_OWN_SIZES = frozenset(("b", "x+n"))  # whose sizes count other things than characters
_TRACK_2 = 35
_FILE = re.compile(r"\.(?:xml|json|py)$")


@dataclass(frozen=True, slots=True)
class Described:
    """One element as another toolkit describes it. `content` is n, ans, b or x+n; `size` counts digits or
    characters, bytes of b, the sign of x+n not; `page` is that of what is characters in `hex` and of a sign;
    `more` holds rows that only some elements have."""

    number: int
    name: str
    content: str
    size: int
    written: str
    page: str = ""
    lengths: str = ""
    length_digits: int = 0
    length_bytes: int = 0
    counts: str = ""
    odd: str = ""
    more: Mapping[str, Any] = field(default_factory=dict, repr=False)


def rows_of(
    name: str,
    source: str,
    head: Mapping[str, Any],
    elements: Iterable[Described],
    left_out: Sequence[LeftOut] = (),
) -> dict[str, Any]:
    """The rows of a format that has *elements*, and *head* (mti, bitmap ...) as it is; without those that are
    left out whole."""
    known = {one.number: one for one in elements}
    version = _version(known)
    title = _FILE.sub("", name)
    rows: dict[str, Any] = {"title": title, "source": source, "version": version, **head}
    for kind, usual, allowed in (
        ("digits", "ascii", (*SINGLE_BYTE, BCD)),
        ("text", "ascii", PAGES),
        ("binary", RAW, (RAW, HEX)),
    ):
        writings = Counter(
            one.written for one in known.values() if kind_of(one.content) == kind and one.written in allowed
        )
        rows[kind] = writings.most_common(1)[0][0] if writings else usual
    prefixes = Counter(one.lengths for one in known.values() if one.lengths)
    rows["lengths"] = prefixes.most_common(1)[0][0] if prefixes else "ascii"
    track = known.get(_TRACK_2)
    rows["track"] = track.written if track and track.written in (*SINGLE_BYTE, BCD) else rows["digits"]
    rows["elements"] = {
        str(number): row for number, one in sorted(known.items()) if (row := _row(one, version, rows))
    }
    if left_out:
        rows["left_out"] = tuple(left_out)
        rows["absent"] = sorted({one.number for one in left_out} - known.keys() - {0, 1})
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
    if element is not None and one.content != element.content and {one.content, element.content} & _OWN_SIZES:
        same = False
    if element is not None and one.written == BCD and element.content not in _PACKED:
        same = False
    content = element.content if same and element is not None else one.content
    if not same:
        row["format"] = notation(one.content, one.size, one.length_digits)
    if one.name and (element is None or one.name.casefold() != element.name.casefold()):
        row["name"] = one.name
    if one.written != rows["track" if content == "z" else kind_of(content)]:
        row["written"] = one.written
    signed = content == "x+n" and one.written == BCD
    if one.page and (one.written == HEX or signed) and one.page != _usual_page(rows):
        row["page"] = one.page
    if one.lengths and one.lengths != rows["lengths"]:
        row["lengths"] = one.lengths
    if one.length_bytes and one.length_bytes != prefix_width(one.lengths, one.length_digits):
        row["length_bytes"] = one.length_bytes
    in_bytes = one.written in (RAW, HEX, PARTS) or content == "b"
    if one.counts and one.counts != (BYTES if in_bytes else CHARACTERS):
        row["counts"] = one.counts
    if one.odd not in ("", "left 0"):
        row["odd"] = one.odd
    return {**row, **one.more}


def notation(content: str, size: int, digits: int) -> str:
    """`n..19` for a prefix of two digits, `n 6` for none."""
    return f"{content}..{size:0{digits}}" if digits else f"{content} {size}"


def _usual_page(rows: Mapping[str, Any]) -> str:
    """The page of what is characters in packed and hex elements, where an element says no other."""
    known = (rows["text"], rows.get("mti", ""), rows["digits"])
    return next((page for page in known if page in SINGLE_BYTE), "ascii")


def fields_of(made: Format, version: str | None) -> list[Field]:
    """The elements of a format, of its own version, *version* or 1987."""
    return [one for one in made.layout(version).fields if one is not None]


def size_of(one: Field) -> tuple[str, int]:
    """Content class and size of an element as the standard counts it: bytes of b, the sign of x+n not."""
    content, size, _ = parse_format(one.number, one.format)
    return content, size
