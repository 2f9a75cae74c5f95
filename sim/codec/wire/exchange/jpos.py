"""jPOS packagers: `<isopackager>` with one `<isofield>` per element, whose class gives the encoding.

The classes are described by rows of `data/jpos_classes.csv`. The XML parser resolves no external references
and rejects documents that declare entities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from sim.codec.wire.exchange.described import (
    LARGEST_VALUE,
    Described,
    fields_of,
    header_of,
    in_parts,
    part_row,
    rows_of,
    size_of,
    tagged,
    uncut,
)
from sim.codec.wire.formats import (
    BCD,
    BINARY,
    BYTES,
    CHARACTERS,
    HEX,
    HEXED,
    NIBBLES,
    RAW,
    SIGNED,
    Field,
    Format,
    LeftOut,
    Odd,
    Shape,
)
from sim.codec.wire.pages import SINGLE_BYTE
from sim.errors import BITMAP_FIELD, MTI_FIELD, SpecError, counted, quoted_value
from sim.spec.tables import read_csv

_BITMAPS: dict[str, Mapping[str, str]] = {
    "IFA_BITMAP": {"bitmap": HEX},
    "IFE_BITMAP": {"bitmap": HEX},
    "IFB_BITMAP": {"bitmap": RAW},
}
_PAGES = {"IFA_BITMAP": "ascii", "IFE_BITMAP": "cp1047", "Base1_BITMAP126": "", "IFB_BITMAP": ""}
_TAGGED = (
    *("EuroSubFieldPackager", "MasterCardEBCDICSubFieldPackager", "GICCSubFieldPackager"),
    "GenericTaggedFieldsPackager",
)
_GENERIC = ("GenericSubFieldPackager", "GenericPackager")
_MTI = {BCD: "IFB_NUMERIC", "ascii": "IFA_NUMERIC"}
_BASE1 = "Base1SubFieldPackager"
_CHIP, _TAGS = "ICCDataPackager", ("BERTLVBinaryPackager", 55)
_UNUSED = "IF_UNUSED"
_LONGEST_CLASS = 60
_MOST = 192
_MAP_BYTES = 8
_TWO_MAPS = 16
# jPOS rejects a document without it, because its parser validates.
_DOCTYPE = (
    '<!DOCTYPE isopackager PUBLIC "-//jPOS/jPOS Generic Packager DTD 1.0//EN"'
    ' "http://jpos.org/dtd/generic-packager-1.0.dtd">'
)


class _Class(NamedTuple):
    """One class of jPOS: a row of `data/jpos_classes.csv`. `page` is the code page of hex digits, `width` the
    digits of the prefix, or its bytes if binary."""

    content: str
    written: str
    page: str
    lengths: str
    width: int
    counts: str
    odd: str
    tag: str
    more: str

    @property
    def longest(self) -> int:
        """The largest size that the prefix can state."""
        base = 256 if self.lengths == BINARY else 10
        return base**self.width - 1 if self.width else LARGEST_VALUE

    @property
    def prefix(self) -> int:
        """The bytes of the prefix."""
        return (self.width + 1) // 2 if self.lengths == BCD else self.width


@cache
def _classes() -> Mapping[str, _Class]:
    table = {}
    for row in read_csv("jpos_classes"):
        written, _, page = row["written"].partition(" ")
        own = {key: row[key] for key in ("content", "lengths", "counts", "odd", "tag", "more")}
        table[row["class"]] = _Class(written=written, page=page, width=int(row["width"] or 0), **own)
    return table


def from_jpos(text: str, name: str) -> dict[str, Any]:
    """The rows of the format that a packager describes, with `left_out`: elements of unknown classes, and
    parts that cannot be separated. *name* names the file in errors. Raises SpecError if *text* is not a
    packager, or its MTI has an unknown class."""
    document = _parsed(text, name)
    head: dict[str, Any] = {"mti": "ascii", "bitmap": HEX}
    elements: dict[int, Described] = {}
    left: list[LeftOut] = []
    for node in document:
        if node.tag not in ("isofield", "isofieldpackager"):
            continue
        number, kind = _number(node, name), _class(node)
        if number == 0:
            if kind not in _classes():
                expected = "a class of jPOS such as " + ", ".join(list(_classes())[:3])
                raise SpecError(number, None, expected, quoted_value(kind))
            head["mti"] = _classes()[kind].written
            if _classes()[kind].lengths:
                left.append(LeftOut(0, "the length of the MTI", f"{kind} has one, ISO 8583 has not"))
        elif number == 1 and kind not in _BITMAPS:
            left.append(LeftOut(1, "element 1", f"{kind} is not a bitmap, but ISO 8583 requires one there"))
        elif number == 1:
            head |= _BITMAPS[kind]
            head |= {"third": True} if _size(node, number) > _TWO_MAPS else {}
        else:
            left += _add_element(elements, node, number, kind)
    if not elements:
        raise SpecError(None, None, "an isopackager with isofield elements", f"none in {name}")
    if header := document.get("headerLength", ""):
        head["frames"] = [f"header-{int(header)}"] if header.isdecimal() and int(header) else []
    return rows_of(name, f"jPOS packager {name}", head, elements.values(), left)


def _add_element(
    elements: dict[int, Described], node: ElementTree.Element, number: int, kind: str
) -> Iterator[LeftOut]:
    """Put an element into *elements*; yield what is left out of it."""
    row = _classes().get(kind)
    if row is None:
        reason = "no message contains it" if kind == _UNUSED else f"an unknown class, {kind}"
        yield LeftOut(number, "the element", reason)
        return
    if row.more == "ends" and not node.get("token"):
        yield LeftOut(number, "the element", f"{kind} without the token that ends it")
        return
    described = _element(node, number, row)
    if node.get("trim") == "true":
        yield LeftOut(number, "trim", "the element is read at its full length, even at the end of a message")
    if node.tag == "isofieldpackager":
        try:
            described = _with_parts(described, node, row)
        except SpecError as error:
            yield LeftOut(number, "its parts", error.found)
    elements[number] = described


def _class(node: ElementTree.Element) -> str:
    return node.get("class", "").strip().rpartition(".")[2][:_LONGEST_CLASS]


def _parsed(text: str, name: str) -> ElementTree.Element:
    """The parsed document. Entities are rejected: they can expand without limit, or read files."""
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.EntityDeclHandler = _refuse
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(text.encode(), True)
        return builder.close()
    except (expat.ExpatError, AssertionError) as error:
        line = error.lineno if isinstance(error, expat.ExpatError) else None
        raise SpecError(None, line, "an XML document of a packager", f"{error} in {name}") from None


def _refuse(*declared: object) -> None:
    raise SpecError(None, None, "XML without entities", quoted_value(declared[0]))


def _number(node: ElementTree.Element, name: str) -> int:
    digits = node.get("id", "")
    if not (digits.isascii() and digits.isdigit() and int(digits[:4]) <= _MOST):
        raise SpecError(None, None, f"isofield id 0 to {_MOST}", quoted_value(digits) + f" in {name}")
    return int(digits)


def _size(node: ElementTree.Element, number: int) -> int:
    digits = node.get("length", "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 6):
        raise SpecError(number, None, "a length in digits", quoted_value(digits))
    return int(digits)


def _element(node: ElementTree.Element, number: int, row: _Class) -> Described:
    """An element, or a part of one, by its class and length."""
    size, binary = _size(node, number) - (row.content == "x+n"), row.lengths == BINARY
    if row.width:
        where, _, tag = (row.tag or "  0").split(" ")
        longest = row.longest - (int(tag) if where == "inside" else 0)
        size = min(size, longest // 2 if row.counts == CHARACTERS else longest)
    if row.written == BCD and row.lengths in SINGLE_BYTE and not row.counts:
        size += size % 2  # its prefix counts the padding
    side, _, filler = row.odd.partition(" ")
    right = f"right {filler or 0}"
    more: dict[str, Any] = {"tag": row.tag} if row.tag else {}
    if row.more == "filled":
        more["filled"] = True
    elif row.more == "ends":
        more["ends"] = node.get("token", "")
    return Described(
        number=number,
        name=node.get("name", "").strip(),
        content=row.content,
        size=0 if row.more == "empty" else size,
        written=row.written,
        page=row.page or "ascii",
        lengths=row.lengths,
        length_digits=len(str(size)) if binary or row.more == "ends" else row.width,
        length_bytes=row.width if binary else 0,
        counts=row.counts,
        odd=row.odd if side != "side" else "left 0" if node.get("pad") == "true" else right,
        more=more,
    )


def _with_parts(described: Described, node: ElementTree.Element, row: _Class) -> Described:
    """The element with its parts, each in its own encoding. Raises SpecError with the reason as `found` if we
    cannot separate them."""
    if _packager(node) == _CHIP or (_packager(node), described.number) == _TAGS:
        return described  # the standard layout of chip data has its tags
    cut, rows = _parts(node, described.number)
    if described.written in (BCD, HEX) or row.counts == CHARACTERS:
        raise uncut(described.number, f"they are in {_class(node)}")
    if described.written.startswith("cp"):
        # The element is converted to EBCDIC with everything in it.
        rows = [_in_page(described, part) for part in rows]
    return in_parts(described, cut, rows)


def _packager(node: ElementTree.Element) -> str:
    return node.get("packager", "").strip().rpartition(".")[2]


def _in_page(described: Described, part: dict[str, Any]) -> dict[str, Any]:
    if part["written"] != "ascii" or part.get("lengths", "ascii") != "ascii" or "parts" in part:
        raise uncut(described.number, "it would convert other bytes to EBCDIC as well")
    return (
        part | {"written": described.written} | ({"lengths": described.written} if "lengths" in part else {})
    )


def _parts(node: ElementTree.Element, number: int) -> tuple[str, list[dict[str, Any]]]:
    """The cut of an element with its own packager, and the rows of its parts. Raises SpecError with the
    reason as `found`."""
    packager = _packager(node)
    parts = {
        int(part.get("id", "")): part
        for part in node
        if part.tag in ("isofield", "isofieldpackager") and part.get("id", "").isdecimal()
    }
    if not parts:
        raise uncut(number, f"{packager} describes none")
    if node.get("headerLength", "0") != "0":
        raise uncut(number, f"a header of {quoted_value(node.get('headerLength'))} bytes is in front of them")
    if packager in _TAGGED:
        rows = [_part(part, str(key), number) for key, part in sorted(parts.items())]
        return tagged(rows, number, lead=0 in parts)
    if packager == _BASE1:
        head = 0 if _class(parts[min(parts)]) in _PAGES and min(parts) == 0 else None
        start = 1 if head == 0 else 0
    elif packager in _GENERIC:
        bitmap_field = node.get("bitmapField", "1")
        head = (
            None if node.get("emitBitmap") == "false" or not bitmap_field.isdecimal() else int(bitmap_field)
        )
        usual = 2 if 1 in parts and _class(parts[1]) in _PAGES else 1
        start = int(first) if (first := node.get("firstField", "")).isdecimal() else usual
    else:
        raise uncut(number, f"an unknown packager, {packager}")
    chosen = [(key, part) for key, part in sorted(parts.items()) if key >= start and key != head]
    if head is None:
        return "places short", [_part(part, str(key), number) for key, part in chosen]
    if head not in parts or _class(parts[head]) not in _PAGES:
        raise uncut(number, f"its subfield {head} is not a bitmap")
    bitmap = _part(parts[head], str(head) if head else "map", number)
    most = 4 * 2 * int(bitmap["format"].split(" ")[1])
    rows = [_part(part, str(key), number) for key, part in chosen if 0 < key <= most]
    if bitmap.get("halves"):
        rows = [row for row in rows if row["path"] != "1"]
    return "bits", [bitmap, *rows]


def _part(node: ElementTree.Element, key: str, number: int) -> dict[str, Any]:
    """One part as a row: its format in the value, and its encoding."""
    kind = _class(node)
    name = node.get("name", "").strip() or f"part {key}"
    if kind in _PAGES:
        size = _MAP_BYTES if kind == "Base1_BITMAP126" else _size(node, number)
        page = {"page": _PAGES[kind]} if _PAGES[kind] else {}
        halves = {"halves": True} if size == _TWO_MAPS else {}
        written = HEX if page else RAW
        return {"path": key, "name": name, "format": f"b {size}", "written": written, **page, **halves}
    row = _classes().get(kind)
    if row is None or (row.more == "ends" and not node.get("token")):
        raise uncut(number, f"an unknown class, {kind}, of part {key}")
    if node.get("trim") == "true":
        raise uncut(number, f"part {key} may end early (trim)")
    described = _element(node, number, row)
    if node.tag == "isofieldpackager":
        described = _with_parts(described, node, row)
    return part_row(replace(described, name=name), key)


def to_jpos(fmt: Format, version: str | None = None) -> tuple[str, dict[int, str]]:
    """The format as a jPOS packager, and the elements that jPOS cannot express, with the reason (0 is the
    MTI, 1 the bitmap)."""
    fields = fields_of(fmt, version)
    left: dict[int, str] = {}
    if fmt.mti == HEXED:
        left[MTI_FIELD] = "jPOS has no class for a number in hex digits"
    if fmt.bitmap_bytes > _MAP_BYTES:
        left[BITMAP_FIELD] = "jPOS has a secondary bitmap only if bit 1 announces it"
    elif _class_of_bitmap(fmt) == "IFE_BITMAP":
        left[BITMAP_FIELD] = "jPOS always reads 32 characters of it, even in shorter messages"
    lines = [
        _line(0, 4, "Message type indicator", _MTI.get(fmt.mti, "IFE_NUMERIC"), ' pad="true"'),
        _line(1, 24 if fmt.third else _TWO_MAPS, "Bit map", _class_of_bitmap(fmt)),
    ]
    for field in fields:
        kind = _class_of(field)
        if kind is None:
            behind = (
                f" after a length of {counted(field.prefix, 'byte')}, {field.lengths}" if field.prefix else ""
            )
            left[field.number] = f"jPOS has no class for {field.format} written as {field.written}{behind}"
            continue
        content, size = size_of(field)
        size = min(size, _classes()[kind].longest) + (content == "x+n")
        length = field.size if _as_text(field) else size
        pad = f' pad="{str(field.odd.left).lower()}"' if field.written in (BCD, SIGNED, NIBBLES) else ""
        ends = field.shape.ends.decode("latin-1") if field.shape else ""
        lines.append(
            _line(field.number, length, field.name, kind, pad + (f" token={quoteattr(ends)}" if ends else ""))
        )
    most = max((item.number for item in fields), default=0)
    header = header_of(fmt)
    root = f'<isopackager maxValidField="{_MOST}"' if most > 2 * 8 * _MAP_BYTES else "<isopackager"
    root += f' headerLength="{header}">' if header else ">"
    head = ['<?xml version="1.0" encoding="UTF-8"?>', _DOCTYPE, root]
    return "\n".join([*head, *lines, "</isopackager>", ""]), left


def _line(number: int, size: int, name: str, kind: str, more: str = "") -> str:
    head = f'  <isofield id="{number}" length="{size}" name={quoteattr(name)}'
    return f'{head}{more} class="org.jpos.iso.{kind}"/>'


def _class_of_bitmap(fmt: Format) -> str:
    return "IFB_BITMAP" if fmt.bitmap == RAW else "IFE_BITMAP" if fmt.mti.startswith("cp") else "IFA_BITMAP"


def _as_text(field: Field) -> bool:
    """Whether the element is hex digits with a prefix that counts them: text, in effect."""
    return field.written == HEX and field.prefix > 0 and field.counts == CHARACTERS


def _class_of(field: Field) -> str | None:
    """The class with the element's encoding, if any; jPOS's one EBCDIC page counts as all of them."""
    content, _ = size_of(field)
    written, shape, as_text = field.written, field.shape or Shape(), _as_text(field)
    if shape.tag or shape.inside:
        return None
    if written in (SIGNED, HEX) and not as_text and field.page != "ascii":
        return None  # IFE_BINARY misreads the digits A to F
    if as_text:
        content, written = "ans", field.page
    elif written in (RAW, HEX):
        content = "b"
    elif written == SIGNED:
        written = BCD
    elif written == BCD:
        content = "n"
    elif content not in ("n", "x+n"):
        content = "ans"
    more = "filled" if shape.filled else "ends" if shape.ends else ""
    encoding = (_page(written), _page(field.lengths) if field.prefix else "", field.prefix, "", more)
    contents = (content, "ans") if written in SINGLE_BYTE and content != "x+n" else (content,)
    for content_class in contents:
        for name, row in _classes().items():
            if (
                row.content == content_class
                and (row.written, row.lengths, row.prefix, row.tag, row.more) == encoding
                and row.page in ("", "ascii")
                and _counts_so(field, row)
                and _filled_so(field, row)
            ):
                return name
    return None


def _counts_so(field: Field, row: _Class) -> bool:
    """Whether the prefix counts in the same unit: unless the row differs, bytes of binary values and
    characters of others."""
    if not field.prefix or _as_text(field):
        return not (field.prefix and row.counts)
    return field.counts == (row.counts or (BYTES if row.content == "b" else CHARACTERS))


def _filled_so(field: Field, row: _Class) -> bool:
    """Whether an odd digit count is padded the same way, or cannot occur."""
    side, _, filler = row.odd.partition(" ")
    if not side or (field.fixed and field.size % 2 == 0):
        return True
    if side != "side":
        return field.odd == Odd(side == "left", filler)
    return field.odd in (Odd(True, "0"), Odd(False, filler or "0"))


def _page(written: str) -> str:
    return "cp1047" if written.startswith("cp") else written
