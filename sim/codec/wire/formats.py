"""How a link encodes messages: the rows of `data/formats/<name>.toml`, or of your own file.

A `Format` gives the encoding of each kind of value, and the exceptions by element. Combined with the element
table of a version, it becomes a `VersionedFormat`: one `Field` per data element, with everything needed to
read and write its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from sim.codec.text import Sizes, sizes
from sim.codec.wire.pages import PAGES, SINGLE_BYTE, to_bytes
from sim.errors import SpecError
from sim.spec import ElementSpec, Spec, spec
from sim.spec.elements import parse_format, with_elements
from sim.spec.layouts import Cell, Layout, layout_of

BCD, RAW, HEX, BINARY, SIGNED, MAPPED = "bcd", "raw", "hex", "binary", "signed", "mapped"
PARTS, NIBBLES, HEXED = "parts", "nibbles", "hexed"
CHARACTERS, BYTES = "characters", "bytes"
THIRD_BITMAP = 65  # the bit that announces it, if the format has one

# Content class -> the format's row for its encoding; any other class is text.
_KINDS = {"n": "digits", "x+n": "digits", "z": "track", "b": "binary"}
# Rows that redefine an element instead of only changing its encoding.
_TABLE_ROWS = frozenset(("format", "name", "parts"))
_SOURCED = ("source", "note")
_SHOWN = 20  # rows of a format's repr
# Rows that give an element a `Shape`.
_SHAPES = frozenset(("tag", "filled", "ends"))
_BINARY_PREFIX = {1: 1, 2: 1, 3: 2, 4: 2}  # LL is one byte, LLL and LLLL two


@dataclass(frozen=True, slots=True)
class Odd:
    """The side and the filler that pad an odd number of packed digits: `right F`."""

    left: bool = True
    filler: str = "0"


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """The encoding of an element's parts, each like an element, by the keys of `layout`, which splits the
    value. `lead` is a part without a tag before a list of tagged ones. `half` is one half of a bitmap whose
    second half is present only if bit 1 is set."""

    layout: Layout
    fields: Mapping[str, Field]
    lead: Field | None = None
    half: Field | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What few elements have: a `tag` before the length, or after it and `counted` by it; padding to the
    maximum length, whatever the prefix says (`filled`); an end mark (`ends`); parts with their own encodings
    (`inside`)."""

    tag: bytes = b""
    counted: bool = False
    filled: bool = False
    ends: bytes = b""
    inside: Inside | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """How a link encodes one data element.

    `written` is a code page, `bcd`, `raw`, `hex`, `signed` (a letter and packed digits), `mapped` (a
    bitmap of 8 raw bytes, hex digits in the value, then characters), `nibbles` (packed hex digits), `hexed`
    (two hex digits per character) or `parts`; `page` is the code page of any characters in it. `size` is the
    fixed or maximum size in the unit that a prefix counts: `counts` is characters (digits if packed, hex
    digits if `hex`) or bytes. `prefix` is the prefix's width in bytes, 0 for a fixed element; `prefix_digits`
    is its digits in the standard's notation, `lengths` its encoding: a code page, `bcd`, `binary` or `hex`
    (a binary one in hex digits).
    """

    number: int
    name: str
    format: str
    content: str
    written: str
    page: str
    size: int
    counts: str
    prefix: int
    prefix_digits: int
    lengths: str
    odd: Odd
    sizes: Sizes
    shape: Shape | None = None

    @property
    def fixed(self) -> bool:
        """Whether the element has neither a length prefix nor a mark at its end."""
        return self.prefix == 0 and not (self.shape and self.shape.ends)

    def width(self, size: int) -> int:
        """The bytes of a value of *size*, in the unit that a prefix counts."""
        if self.written == SIGNED:
            return 1 + (size + 1) // 2 if self.counts == CHARACTERS else size
        if self.counts == CHARACTERS and self.written in (BCD, NIBBLES, RAW):
            return (size + 1) // 2
        if self.written == HEXED or (self.counts == BYTES and self.written == HEX):
            return 2 * size
        if self.counts == CHARACTERS and self.written == MAPPED:
            return max(0, size - 8)
        return size


class LeftOut(NamedTuple):
    """What the format lacks of another toolkit's specification: the element (0 the MTI, 1 the bitmap), what,
    and why."""

    number: int
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class VersionedFormat:
    """A format with the elements of one version. `fields` is None for an element that the link does not have.
    `dialect` is the element table of the format's interface, or of messages that have one of the elements
    `own`, which the format redefines: see `table_of`."""

    format: Format
    version: str
    fields: tuple[Field | None, ...]
    dialect: Spec | None = None
    own: frozenset[int] = frozenset()

    def __getitem__(self, number: int) -> Field | None:
        return self.fields[number] if number < len(self.fields) else None

    def table_of(self, numbers: Iterable[int]) -> Spec | None:
        """The element table of a message with elements *numbers*; None for the version's own table."""
        table = self.dialect
        return table if table and (table.interface or not self.own.isdisjoint(numbers)) else None


@dataclass(frozen=True, eq=False)
class Format:
    """How a link encodes messages. Formats are immutable: `with_` returns a changed copy.

    `mti`, `digits`, `text`, `track`, `binary`, `lengths` name a code page or a packing; `bitmap` is raw or
    hex, always of `bitmap_bytes` bytes unless that is 0. `bit_1` says whether such a fixed bitmap has its
    first bit set. With `third`, bit 65 announces a third bitmap. `length_bytes` is the width of every prefix
    unless it is 0. `elements` contains the rows of elements that differ, by number; `absent` are the elements
    that the link does not have; `frames` are the names of its framing, outermost first; `interface` is its
    interface, empty for a format of many interfaces. `left_out` is what the format lacks of an imported
    specification.
    """

    name: str
    title: str
    source: str
    version: str | None = None
    extends: str | None = None
    mti: str = "ascii"
    bitmap: str = HEX
    bitmap_bytes: int = 0
    bit_1: bool = True
    third: bool = False
    digits: str = "ascii"
    text: str = "ascii"
    track: str = "ascii"
    binary: str = HEX
    lengths: str = "ascii"
    length_bytes: int = 0
    counts: Mapping[str, str] = field(default_factory=dict)
    odd: Mapping[str, str] = field(default_factory=dict)
    elements: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    absent: tuple[int, ...] = ()
    frames: tuple[str, ...] = ()
    note: str = ""
    interface: str = ""
    left_out: tuple[LeftOut, ...] = ()
    _layouts: dict[str, VersionedFormat] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        """One line, then a row for each element that differs."""
        phrases = [self.title, f"ISO 8583:{self.version}" if self.version else "any version"]
        phrases += [
            f"{what} {value}" for what, value in (("extends", self.extends), ("on", self.interface)) if value
        ]
        phrases += [f"inside {' '.join(self.frames)}"] if self.frames else []
        rows = [(str(number), *_row_of_element(self, number)) for number in sorted(self.elements)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows[:_SHOWN]
        ]
        more = [f"and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
        return "\n  ".join([f"Format {self.name}: {', '.join(phrases)}", *map(str.rstrip, lines), *more])

    def layout(self, version: str | None = None) -> VersionedFormat:
        """The format with the elements of its own version, else of *version*. Raises SpecError for an invalid
        row."""
        chosen = self.version or version or "1987"
        versioned = self._layouts.get(chosen)
        if versioned is None:
            versioned = self._layouts[chosen] = _layout(self, chosen)
        return versioned

    def field(self, number: int, version: str, **changes: Any) -> Field | None:
        """The encoding of element *number* of *version*, with *changes* to its row; None if there is no such
        element. Raises SpecError for an invalid row."""
        elements = spec(version).elements
        row = {**self.elements.get(number, {}), **changes}
        if number > len(elements) and "format" not in row:
            return None
        return _field(self, number, elements[number - 1] if number <= len(elements) else None, row)

    def with_(self, **changes: Any) -> Format:
        """The same format with other attributes."""
        return replace(self, **changes, _layouts={})


def _row_of_element(fmt: Format, number: int) -> tuple[str, str, str]:
    """Name, notation and encoding of an element that differs."""
    element = fmt.field(number, fmt.version or "1987")
    if element is None:
        return "", "", ""
    return (
        element.name,
        element.format,
        f"{element.written}, {element.lengths} length" if element.prefix else element.written,
    )


def _layout(fmt: Format, version: str) -> VersionedFormat:
    table = {element.number: element for element in spec(version).elements}
    last = max([*table, *fmt.elements])
    fields: list[Field | None] = [None] * (last + 1)
    for number in range(2, last + 1):
        row = fmt.elements.get(number, {})
        if number not in fmt.absent and (number in table or "format" in row):
            fields[number] = _field(fmt, number, table.get(number), row)
    numbers = frozenset(number for number, row in fmt.elements.items() if _TABLE_ROWS & row.keys())
    return VersionedFormat(fmt, version, tuple(fields), _dialect(fmt, version, numbers), numbers)


def _dialect(fmt: Format, version: str, numbers: frozenset[int]) -> Spec | None:
    """The element table of a format that redefines elements of *version* or their parts, or has an interface;
    None if it only encodes them differently."""
    standard = spec(version)
    last = len(standard.elements)
    elements = {number: fmt.elements[number] for number in sorted(numbers) if number <= last}
    rows = [
        {
            "number": str(number),
            "source": fmt.source,
            **{key: row[key] for key in (*_SOURCED, "format", "name") if key in row},
        }
        for number, row in elements.items()
    ]
    parts = tuple(
        layout_of(version, number, fmt.name, _part_rows(row))
        for number, row in elements.items()
        if "parts" in row
    )
    return with_elements(standard, fmt.name, rows, parts, fmt.interface) if rows or fmt.interface else None


def _part_rows(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """An element's own layout as rows: the whole element with its `cut`, then its parts."""
    head = {"name": row.get("name", ""), "cut": row.get("cut", "places")}
    head["confidence"] = row.get("confidence", "")
    return [head, *_below(row, "")]


def _below(row: Mapping[str, Any], path: str) -> Iterator[dict[str, Any]]:
    for part in row["parts"]:
        part_path = f"{path}{part['path']}"
        yield {key: value for key, value in part.items() if key != "parts"} | {"path": part_path}
        if "parts" in part:
            yield from _below(part, f"{part_path}.")


def kind_of(content: str) -> str:
    """The format's row that gives the encoding of a content class."""
    return _KINDS.get(content, "text")


def _field(fmt: Format, number: int, element: ElementSpec | None, row: Mapping[str, Any]) -> Field:
    """The field of one element: from its row first, then its kind, then the format."""
    notation = row.get("format") or (element.format if element else "")
    content, size, prefix_digits = parse_format(number, notation)
    prefix_digits = row.get("length_digits", prefix_digits) if prefix_digits and "ends" not in row else 0
    kind = kind_of(content)
    written = row.get("written") or getattr(fmt, kind)
    page = written if written in PAGES else row.get("page") or _page_of(fmt)
    if content == "x+n":
        written, size = (SIGNED, size) if written == BCD else (written, size + 1)
    in_bytes = written in (RAW, HEX, MAPPED, PARTS) or (content == "b" and written in PAGES)
    counts = row.get("counts") or fmt.counts.get(kind) or (BYTES if in_bytes else CHARACTERS)
    lengths = row.get("lengths") or fmt.lengths
    prefix = 0
    if prefix_digits:
        prefix = row.get("length_bytes") or fmt.length_bytes or prefix_width(lengths, prefix_digits)
    size = row.get("bytes") or _counted(size, content, written, counts)
    if prefix and "bytes" not in row:
        size = min(size, 10**prefix_digits - 1)
    return Field(
        number,
        row.get("name") or (element.name if element else f"DE {number}"),
        notation,
        content,
        written,
        page,
        size,
        counts,
        prefix,
        prefix_digits,
        lengths,
        _odd(
            row.get("odd") or fmt.odd.get("track" if kind == "track" else "variable" if prefix else "fixed")
        ),
        sizes(lengths, prefix, size + _counted_tag(row)),
        _shape(fmt, number, row) if _SHAPES & row.keys() or written == PARTS else None,
    )


def _counted_tag(row: Mapping[str, Any]) -> int:
    """The bytes of the tag, if the prefix counts it."""
    where, _, width = row.get("tag", "  0").split(" ")
    return int(width) if where == "inside" else 0


def _shape(fmt: Format, number: int, row: Mapping[str, Any]) -> Shape:
    where, page, width = row.get("tag", "  0").split(" ")
    tag = f"{row.get('key', number):0>{width if page != RAW else 2 * int(width)}}"
    return Shape(
        bytes.fromhex(tag) if page == RAW else to_bytes(tag, page) if page else b"",
        where == "inside",
        bool(row.get("filled")),
        to_bytes(row.get("ends", ""), _page_of(fmt)),
        _inside(fmt, number, row) if row.get("written") == PARTS else None,
    )


def _inside(fmt: Format, number: int, row: Mapping[str, Any]) -> Inside:
    """The encoding of each part of an element, from its row. Raises SpecError without such rows."""
    if "parts" not in row:
        raise SpecError(
            number, None, f"elements.{number}.parts, each of which is written in its own way", "none"
        )
    layout = layout_of("", number, "", _part_rows(row))
    top = layout.cell
    rows = {str(part["path"]): part for part in row["parts"]}
    fields = {cell.key: _field_of_part(fmt, number, cell, rows) for cell in top.cells}
    first = top.cells[0].key
    half = None
    if rows[first].get("halves"):
        size = top.cells[0].most // 4  # bytes of half the bitmap, at two hex digits each
        half = _field(fmt, number, None, {**rows[first], "format": f"b {size}"})
    return Inside(layout, fields, fields[first] if "lead" in top.words else None, half)


def _field_of_part(fmt: Format, number: int, cell: Cell, rows: Mapping[str, Mapping[str, Any]]) -> Field:
    """The field of one part; its row says how the length before it in the value is encoded."""
    row = rows[cell.key]
    notation = str(row["format"]).lstrip("LH ")
    return _field(fmt, number, None, {"name": cell.name, **row, "key": cell.key, "format": notation})


def _counted(size: int, content: str, written: str, counts: str) -> int:
    """The size in the standard's notation, in the unit that the prefix counts."""
    if content == "b":
        return 2 * size if counts == CHARACTERS else size
    if counts == BYTES and written in (BCD, SIGNED):
        return (size + 1) // 2 + (written == SIGNED)
    return size


def _page_of(fmt: Format) -> str:
    return next((name for name in (fmt.text, fmt.mti, fmt.digits) if name in SINGLE_BYTE), "ascii")


def prefix_width(lengths: str, digits: int) -> int:
    """The usual width in bytes of a prefix of *digits* digits, encoded as *lengths*."""
    packed = (digits + 1) // 2
    if lengths == BCD:
        return packed
    binary = _BINARY_PREFIX.get(digits, packed)
    return {BINARY: binary, HEX: 2 * binary}.get(lengths, digits)


@cache
def _odd(said: str | None) -> Odd:
    if not said:
        return Odd()
    side, _, filler = said.partition(" ")
    return Odd(side == "left", filler or "0")
