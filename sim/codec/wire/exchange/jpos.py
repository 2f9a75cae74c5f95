"""Packagers of jPOS: `<isopackager>`, an `<isofield>` for each element, its class saying how it is written.

What the classes mean are rows of `data/jpos_classes.csv`. The XML is read by a parser that knows no entities
and looks nothing up: a document that declares any is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from sim.codec.wire.exchange.described import Described, fields_of, rows_of, size_of
from sim.codec.wire.formats import BCD, HEX, RAW, SIGNED, Field, Format
from sim.errors import SpecError, shown
from sim.spec.tables import read_csv

_BITMAPS: dict[str, Mapping[str, str]] = {
    "IFA_BITMAP": {"bitmap": HEX},
    "IFE_BITMAP": {"bitmap": HEX},
    "IFB_BITMAP": {"bitmap": RAW},
}
_MTIS = {"IFA_NUMERIC": "ascii", "IF_CHAR": "ascii", "IFE_NUMERIC": "cp1047", "IFE_CHAR": "cp1047"}
_MTIS |= {"IFB_NUMERIC": BCD}
_MOST = 192


@cache
def _classes() -> Mapping[str, Mapping[str, str]]:
    return {row["class"]: row for row in read_csv("jpos_classes")}


def from_jpos(text: str, name: str) -> dict[str, Any]:
    """The rows of the format that a packager describes; *name* is what errors call it. Raises SpecError for
    what is no packager, and for an element of a class that is not known, by its number."""
    head: dict[str, Any] = {}
    found: list[Described] = []
    for one in _parsed(text, name):
        if one.tag not in ("isofield", "isofieldpackager"):
            continue
        number, kind = _number(one, name), one.get("class", "").rpartition(".")[2]
        if number == 0:
            head["mti"] = _known(_MTIS, kind, number)
        elif number == 1:
            head |= _known(_BITMAPS, kind, number)
        else:
            found.append(_element(one, number, kind))
    if not found:
        raise SpecError(None, None, "an isopackager with isofield elements", f"none in {name}")
    return rows_of(name, f"jPOS packager {name}", head, found)


def _parsed(text: str, name: str) -> ElementTree.Element:
    """The document, without its type declaration. Entities are refused: they can be made to grow without
    end, and to read files."""
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
    raise SpecError(None, None, "XML without entities", shown(declared[0]))


def _number(one: ElementTree.Element, name: str) -> int:
    said = one.get("id", "")
    if not (said.isascii() and said.isdigit() and int(said[:4]) <= _MOST):
        raise SpecError(None, None, f"isofield id 0 to {_MOST}", shown(said) + f" in {name}")
    return int(said)


def _known(known: Mapping[str, Any], kind: str, number: int) -> Any:
    if kind not in known:
        raise SpecError(
            number, None, "a class of jPOS such as " + ", ".join(list(known)[:3]), repr(kind)[:60]
        )
    return known[kind]


def _element(one: ElementTree.Element, number: int, kind: str) -> Described:
    row = _known(_classes(), kind, number)
    said = one.get("length", "")
    if not (said.isascii() and said.isdigit() and len(said) <= 6):
        raise SpecError(number, None, "a length in digits", shown(said))
    digits = int(row["length_digits"] or 0)
    size = int(said) - (row["content"] == "x+n")
    side = f"{'left' if one.get('pad') == 'true' else 'right'} 0"
    cut, parts = _parts(one)
    return Described(
        number=number,
        name=one.get("name", "").capitalize(),
        content=row["content"],
        size=min(size, 10**digits - 1) if digits else size,
        written=row["written"],
        lengths=row["lengths"],
        length_digits=digits,
        counts=row["counts"],
        odd=side if row["odd"] == "side" else row["odd"],
        parts=parts,
        cut=cut,
    )


def _parts(one: ElementTree.Element) -> tuple[str, tuple[Mapping[str, str], ...]]:
    """The sub-fields of an element as the parts of a layout, where all of them are characters."""
    cut = "bits" if one.get("emitBitmap") == "true" else "places"
    found = []
    for part in one:
        row = _classes().get(part.get("class", "").rpartition(".")[2])
        key, size = part.get("id", ""), part.get("length", "")
        bitmap = part.get("class", "").endswith("BITMAP")
        if not (key.isdigit() and size.isdigit()) or (row is None and not bitmap) or part.tag != "isofield":
            return "", ()
        content = "b" if row is None else row["content"]
        digits = int(row["length_digits"] or 0) if row else 0
        notation = f"{'L' * digits} {content}..{size}" if digits else f"{content} {size}"
        found.append({"path": key, "name": part.get("name", key).lower(), "format": notation})
    if not found or (cut == "bits" and found[0]["path"] != "1" and found[0]["path"] != "0"):
        return "", ()
    return cut, tuple(found)


def to_jpos(made: Format, version: str | None = None) -> tuple[str, dict[int, str]]:
    """The format as a packager of jPOS, and the elements that jPOS has no class for, with the reason."""
    fields = fields_of(made, version)
    left: dict[int, str] = {}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<isopackager>",
        _line(0, 4, "Message type indicator", _class_of_mti(made), ' pad="true"'),
        _line(1, made.bitmap_bytes or 16, "Bit map", _class_of_bitmap(made)),
    ]
    for one in fields:
        kind = _class_of(one)
        if kind is None:
            left[one.number] = f"jPOS has no class for {one.format} written as {one.written}"
            continue
        content, size = size_of(one)
        pad = f' pad="{str(one.odd.left).lower()}"' if one.written in (BCD, SIGNED) else ""
        lines.append(_line(one.number, size + (content == "x+n"), one.name, kind, pad))
    return "\n".join([*lines, "</isopackager>", ""]), left


def _line(number: int, size: int, name: str, kind: str, more: str = "") -> str:
    head = f'  <isofield id="{number}" length="{size}" name={quoteattr(name)}'
    return f'{head}{more} class="org.jpos.iso.{kind}"/>'


def _class_of_mti(made: Format) -> str:
    return "IFB_NUMERIC" if made.mti == BCD else "IFA_NUMERIC" if made.mti == "ascii" else "IFE_NUMERIC"


def _class_of_bitmap(made: Format) -> str:
    return "IFB_BITMAP" if made.bitmap == RAW else "IFE_BITMAP" if made.mti.startswith("cp") else "IFA_BITMAP"


def _class_of(one: Field) -> str | None:
    """The class that writes an element so; jPOS knows one EBCDIC page, which stands for all."""
    content, _ = size_of(one)
    content = content if content in ("n", "b", "x+n") else "ans"
    if content != "b" and one.written == RAW:
        content = "b"
    if one.format.startswith("z") and one.written == BCD:
        content = "n"
    written = BCD if one.written == SIGNED else f"{HEX} {one.page}" if one.written == HEX else one.written
    wanted = (content, _page(written), _page(one.lengths) if one.prefix else "", one.prefix_digits)
    filler = "right F" if one.odd.filler == "F" and not one.odd.left else "side" if written == BCD else ""
    for name, row in _classes().items():
        said = (row["content"], row["written"], row["lengths"], int(row["length_digits"] or 0))
        usual = row["odd"] == "side" and one.odd.filler == "0"
        if said == wanted and (usual or row["odd"] in ("", filler)):
            return name
    return None


def _page(written: str) -> str:
    kind, _, page = written.partition(" ")
    if page.startswith("cp"):
        return f"{kind} cp1047"
    return "cp1047" if kind.startswith("cp") else written
