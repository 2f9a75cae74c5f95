"""Conversion between the formats of other toolkits, which describe every element in full, and ours.

A `Format` states an encoding once, then the exceptions. `rows_of` finds the usual encoding of the elements
and gives the others their own rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sim.codec.wire.formats import (
    BCD,
    BINARY,
    BYTES,
    CHARACTERS,
    HEX,
    HEXED,
    PARTS,
    RAW,
    Field,
    Format,
    LeftOut,
    kind_of,
    prefix_width,
)
from sim.codec.wire.pages import PAGES, SINGLE_BYTE
from sim.errors import SpecError
from sim.spec import VERSIONS, spec
from sim.spec.elements import parse_format
from sim.spec.layouts import text_width

_PACKED = ("n", "z", "x+n")
_OWN_SIZES = frozenset(("b", "x+n"))  # their sizes do not count characters
_TRACK_2 = 35
LARGEST_VALUE = 999_999
_LONGEST_HEAD = 10
_FILE = re.compile(r"\.(?:xml|json|py)$")


@dataclass(frozen=True, slots=True)
class Described:
    """One element as another toolkit describes it. `content` is n, ans, b or x+n; `size` counts digits or
    characters, bytes if b, without the sign of x+n; `page` is the code page of hex digits and of a sign;
    `more` contains rows that only some elements have."""

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
    """The rows of a format with *elements*, and *head* (mti, bitmap ...) unchanged; all others are absent."""
    by_number = {element.number: element for element in elements}
    version = _version(by_number)
    title = _FILE.sub("", name)
    rows: dict[str, Any] = {"title": title, "source": source, "version": version, **head}
    for kind, usual, allowed in (
        ("digits", "ascii", (*SINGLE_BYTE, BCD, HEXED)),
        ("text", "ascii", (*PAGES, HEXED)),
        ("binary", RAW, (RAW, HEX)),
    ):
        writings = Counter(
            element.written
            for element in by_number.values()
            if kind_of(element.content) == kind and element.written in allowed
        )
        rows[kind] = writings.most_common(1)[0][0] if writings else usual
    prefixes = Counter(element.lengths for element in by_number.values() if element.lengths)
    rows["lengths"] = prefixes.most_common(1)[0][0] if prefixes else "ascii"
    track = by_number.get(_TRACK_2)
    rows["track"] = track.written if track and track.written in (*SINGLE_BYTE, BCD, HEXED) else rows["digits"]
    rows["elements"] = {
        str(number): row
        for number, element in sorted(by_number.items())
        if (row := _row(element, version, rows))
    }
    if left_out:
        rows["left_out"] = tuple(left_out)
    known = {element.number for element in spec(version).elements} | {row.number for row in left_out}
    rows["absent"] = sorted(known - by_number.keys() - {0, 1})
    return rows


def _version(by_number: Mapping[int, Described]) -> str:
    """The version with the most elements of the lengths described."""

    def agree(version: str) -> int:
        pairs = (
            (element, by_number[element.number])
            for element in spec(version).elements
            if element.number in by_number
        )
        return sum((ours.size, ours.prefix) == (theirs.size, theirs.length_digits) for ours, theirs in pairs)

    return max(VERSIONS, key=agree)


def _row(described: Described, version: str, rows: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one element: how it differs from the version's element, and from the usual encoding."""
    row: dict[str, Any] = {}
    table = spec(version).elements
    element = table[described.number - 1] if described.number <= len(table) else None
    same = element is not None and (element.size, element.prefix) == (described.size, described.length_digits)
    if (
        element is not None
        and described.content != element.content
        and {described.content, element.content} & _OWN_SIZES
    ):
        same = False
    if element is not None and described.written == BCD and element.content not in _PACKED:
        same = False
    content = element.content if same and element is not None else described.content
    if not same:
        row["format"] = notation(described.content, described.size, described.length_digits)
    if described.name and (element is None or described.name.casefold() != element.name.casefold()):
        row["name"] = described.name
    if described.written != rows["track" if content == "z" else kind_of(content)]:
        row["written"] = described.written
    signed = content == "x+n" and described.written == BCD
    pages = (rows["text"], rows.get("mti", ""), rows["digits"])
    usual_page = next((page for page in pages if page in SINGLE_BYTE), "ascii")
    if described.page and (described.written == HEX or signed) and described.page != usual_page:
        row["page"] = described.page
    if described.lengths and described.lengths != rows["lengths"]:
        row["lengths"] = described.lengths
    if described.length_bytes and described.length_bytes != prefix_width(
        described.lengths, described.length_digits
    ):
        row["length_bytes"] = described.length_bytes
    in_bytes = described.written in (RAW, HEX, PARTS) or content == "b"
    if described.counts and described.counts != (BYTES if in_bytes else CHARACTERS):
        row["counts"] = described.counts
    if described.odd not in ("", "left 0"):
        row["odd"] = described.odd
    return {**row, **described.more}


def uncut(number: int, reason: str) -> SpecError:
    """The error that leaves out the parts of an element, and why."""
    return SpecError(number, None, "parts", reason)


def in_parts(described: Described, cut: str, rows: list[dict[str, Any]]) -> Described:
    """The element with its parts (*rows* of `part_row`), each in its own encoding. Raises SpecError with the
    reason as `found` if they do not fill a fixed-length element."""
    most = sum(map(_text_width, rows))
    if not described.lengths and sum(map(_bytes_of, rows)) != described.size:
        raise uncut(described.number, f"they do not fill its {described.size} bytes")
    size = max(most, described.size) if described.lengths else most
    more = {**described.more, "written": PARTS, "bytes": described.size, "cut": cut, "parts": rows}
    if not described.lengths:
        return replace(described, content="ans", size=size, written=PARTS, counts="", more=more)
    digits = len(str(size := min(size, LARGEST_VALUE)))
    more["format"] = notation("ans", size, digits)
    if described.lengths not in (BINARY, HEX):
        more["length_digits"] = described.length_digits
    else:
        more["length_bytes"] = described.length_bytes
    return replace(
        described, content="ans", size=size, written=PARTS, counts="", length_digits=digits, more=more
    )


def part_row(described: Described, key: str) -> dict[str, Any]:
    """One part as a row: its format in the value, and its encoding."""
    row: dict[str, Any] = {
        "path": key,
        "name": described.name,
        "written": described.written,
        **described.more,
    }
    if described.page and (described.written == HEX or described.content == "x+n"):
        row["page"] = described.page
    row |= {"odd": described.odd} if described.odd else {}
    row |= {"counts": described.counts} if described.counts else {}
    length_mark = ""
    if described.lengths or "ends" in row:
        length_mark = "L" * len(str(text_width(described.content, described.size))) + " "
        row["lengths"] = described.lengths or "ascii"
    if described.length_bytes:
        row["length_bytes"] = described.length_bytes
    elif described.lengths:
        row.setdefault("length_digits", described.length_digits)
    digits = len(str(described.size)) if length_mark else 0
    row["format"] = length_mark + notation(described.content, described.size, digits)
    return row


def tagged(rows: list[dict[str, Any]], number: int, *, lead: bool) -> tuple[str, list[dict[str, Any]]]:
    """The cut of parts that are found by tags, and their *rows*; with *lead*, the first may have no tag.
    Raises SpecError with the reason as `found`."""
    tagged_rows = [row for row in rows if "tag" in row]
    first = rows[0] if lead and "tag" not in rows[0] else None
    if not tagged_rows or len(tagged_rows) + (first is not None) < len(rows):
        raise uncut(number, "some have no tag")
    if len({row["tag"] for row in tagged_rows}) > 1:
        raise uncut(number, "their tags have several encodings")
    _, page, digits = tagged_rows[0]["tag"].split(" ")
    width = int(digits) * (2 if page == RAW else 1)
    for row in tagged_rows:
        row["path"] = f"{row['path']:0>{width}}"
        row["format"] = row["format"].split(" ")[-1]
    kind = "n" if all(row["path"].isdigit() for row in tagged_rows) else "an"
    longest = len(str(max(map(_text_width, tagged_rows))))
    return f"list {kind}{width} n{longest}{' lead' if first else ''}", rows


def _text_width(part: Mapping[str, Any]) -> int:
    """The most characters of a part in the value, including the length or tag before it."""
    length_mark, _, format_ = (
        part["format"].rpartition(" ") if ".." in part["format"] else ("", "", part["format"])
    )
    content, size, _ = parse_format(0, format_)
    return text_width(content, size) + len(length_mark) + _LONGEST_HEAD * ("tag" in part)


def _bytes_of(part: Mapping[str, Any]) -> int:
    """The bytes of a fixed-length part; for any other, a number that makes every sum wrong."""
    if ".." in part["format"]:
        return -LARGEST_VALUE
    content, size, _ = parse_format(0, part["format"])
    if part["written"] == BCD:
        return (size + 1) // 2 + (content == "x+n")
    return size * (2 if part["written"] == HEX else 1) + (content == "x+n")


def notation(content: str, size: int, digits: int) -> str:
    """`n..19` for a prefix of two digits, `n 6` for none."""
    return f"{content}..{size:0{digits}}" if digits else f"{content} {size}"


def fields_of(fmt: Format, version: str | None) -> list[Field]:
    """The elements of a format, for its own version, else *version*, else 1987."""
    return [element for element in fmt.layout(version).fields if element is not None]


def header_of(fmt: Format) -> int:
    """The bytes of the header directly before a message of which only the length is known; 0 for none."""
    _, _, size = fmt.frames[-1].partition("header-") if fmt.frames else ("", "", "")
    return int(size or 0)


def size_of(element: Field) -> tuple[str, int]:
    """Content class and size of an element in the standard's units: bytes if b, without the sign of x+n."""
    content, size, _ = parse_format(element.number, element.format)
    return content, size
