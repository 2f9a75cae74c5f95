"""Specifications of moov-io/iso8583 in its builder's format: JSON with `enc` and `prefix` for each field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sim.codec.wire.exchange.described import (
    Described,
    fields_of,
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
    HEX,
    HEXED,
    RAW,
    SIGNED,
    THIRD_BITMAP,
    Field,
    Format,
    LeftOut,
    prefix_width,
)
from sim.codec.wire.pages import SINGLE_BYTE
from sim.errors import BITMAP_FIELD, SpecError, quoted_value
from sim.spec import spec
from sim.spec.elements import ElementSpec

# Its EBCDIC is its own table, closest to code page 500; EBCDIC1047 was added later.
_ENCODINGS = {
    "ASCII": "ascii",
    "BCD": BCD,
    "LBCD": BCD,
    "EBCDIC": "cp500",
    "EBCDIC1047": "cp1047",
    "Binary": RAW,
    "Hex": HEX,
    "HexToASCII": HEX,
    "BytesToASCIIHex": HEX,
    "ASCIIToHex": RAW,
    "ASCIIHexToBytes": RAW,
}
_PREFIXES = {
    "ASCII": "ascii",
    "BCD": BCD,
    "EBCDIC": "cp500",
    "EBCDIC1047": "cp1047",
    "Binary": BINARY,
    "Hex": HEX,
}
# Bytes of prefix per L.
_BYTES_OF = {"Binary": 1, "Hex": 2}
# A string or number whose bytes are written as hex digits is not a binary element.
_TEXT_TYPES = ("String", "Numeric", "Track1", "Track2", "Track3")
_TAGS = {"Binary": "ascii", "HexToASCII": "", "ASCIIToHex": RAW, "BerTLVTag": RAW}
_LONGEST = 6
_LONGEST_NAMED = 4  # the longest prefix that its builder has a name for
_MAPS = (8, 16, 24)  # bytes
_MOST_SUBFIELDS = 1_000_000
_LONGEST_TAG = 255


def from_moov(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The rows of the format that a specification (parsed JSON) describes, with `left_out`: elements with
    unknown encodings or prefixes, parts that cannot be separated. Keys are case-insensitive, as in Go. Raises
    SpecError if *given* is not a specification, or its MTI has an unknown encoding."""
    fields = given.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise SpecError(None, None, "fields, a table of them", quoted_value(fields))
    head: dict[str, Any] = {}
    elements: list[Described] = []
    left: list[LeftOut] = []
    for key, raw_entry in fields.items():
        number = _number(key)
        if not isinstance(raw_entry, Mapping):
            raise SpecError(number, None, "a field as a table", quoted_value(raw_entry))
        entry = _lowered(raw_entry)
        if number == 0:
            head["mti"] = _written(entry, number)
        elif number == 1:
            head |= _bitmap(entry)
        else:
            left += _add_element(elements, entry, number)
    if not elements:
        raise SpecError(None, None, "known fields", "; ".join(omission.reason for omission in left[:3]))
    return rows_of(str(given.get("name") or name), "moov-io/iso8583 specification", head, elements, left)


def _lowered(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in entry.items()}


def _bitmap(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of the bitmap. One of more than 8 bytes is always sent whole, auto-expanded or not."""
    head: dict[str, Any] = {"bitmap": HEX if _encoding(entry, 1) == HEX else RAW}
    size = entry.get("length")
    if size in _MAPS and (size != _MAPS[0] or entry.get("disableautoexpand")):
        head |= {"bitmap_bytes": size, "bit_1": False}
    return head


def _add_element(elements: list[Described], entry: Mapping[str, Any], number: int) -> Iterator[LeftOut]:
    """Put an element into *elements*; yield what is left out of it."""
    try:
        described = _element(entry, number, str(number))
    except SpecError as error:
        yield LeftOut(number, "the element", f"it has {error.found}, not {error.expected}")
        return
    if (pad := entry.get("padding")) and not _is_usual(described, pad) and not entry.get("subfields"):
        kind = pad.get("type") if isinstance(pad, Mapping) else pad
        yield LeftOut(
            number, "padding", f"{quoted_value(kind)}: values are padded according to their content"
        )
    if entry.get("subfields"):
        try:
            described = _with_parts(described, entry)
        except SpecError as error:
            yield LeftOut(number, "its parts", error.found)
    elements.append(described)


def _is_usual(described: Described, pad: Any) -> bool:
    """Whether *pad* is the usual padding of the element's content, or of the standard's element."""
    standard = _standard(described.number)
    digits = standard is not None and (standard.content, standard.size) == ("n", described.size)
    usual = [("Left", "0")] if described.content == "n" or digits else []
    usual += [("Right", " ")] if described.content != "n" else []
    return isinstance(pad, Mapping) and (
        pad.get("type") == "None" or (not described.lengths and (pad.get("type"), pad.get("pad")) in usual)
    )


def _is_tlv(entry: Mapping[str, Any]) -> bool:
    return entry.get("prefix") == "BerTLV" or (entry.get("tag") or {}).get("enc") == "BerTLVTag"


def _with_parts(described: Described, entry: Mapping[str, Any]) -> Described:
    """The element with its subfields: positional, tagged, or announced by a bitmap. Raises SpecError with the
    reason as `found` if we cannot separate them."""
    tag, bitmap = entry.get("tag") or {}, entry.get("bitmap")
    subfields = entry["subfields"]
    keys = sorted(subfields, key=lambda key: (int(key), key) if key.isdigit() else (_MOST_SUBFIELDS, key))
    if _is_tlv(entry):
        return replace(described, more={"cut": "ber", "parts": [_chip(subfields[key], key) for key in keys]})
    rows = [_part(subfields[key], key, described.number) for key in keys]
    if isinstance(bitmap, Mapping):
        written = _encoding(bitmap, described.number)
        size = bitmap.get("length") or _MAPS[0]
        page = {"page": "ascii"} if written == HEX else {}
        head = {"path": "map", "name": "Bit map", "format": f"b {size}", "written": written, **page}
        return in_parts(described, "bits", [head, *rows])
    if not tag.get("enc"):
        return in_parts(described, "places short", rows)
    encoding = _TAGS.get(str(tag["enc"]), _ENCODINGS.get(str(tag["enc"])))
    if encoding not in (*SINGLE_BYTE, RAW):
        raise uncut(described.number, f"their tags are written as {quoted_value(tag['enc'])}")
    cut, rows = tagged(
        [row | {"tag": f"front {encoding} {tag.get('length')}"} for row in rows], described.number, lead=False
    )
    return in_parts(described, cut, rows)


def _chip(said: Any, key: str) -> dict[str, Any]:
    """The row of one BER-TLV tag with a binary value."""
    entry = _lowered(said) if isinstance(said, Mapping) else {}
    size = entry.get("length") if isinstance(entry.get("length"), int) else 0
    row = {"path": key.upper(), "name": str(entry.get("description") or f"tag {key}")}
    return row | {"format": f"b..{size or _LONGEST_TAG}"}


def _part(said: Any, key: str, number: int) -> dict[str, Any]:
    if not isinstance(said, Mapping):
        raise uncut(number, f"subfield {key} is not a table")
    entry = _lowered(said)
    try:
        described = _element(entry, number, key)
    except SpecError as error:
        raise uncut(number, f"part {key} has {error.found}") from None
    return part_row(_with_parts(described, entry) if entry.get("subfields") else described, key)


def _number(key: object) -> int:
    if not (isinstance(key, str) and key.isascii() and key.isdigit() and int(key[:4]) <= 192):
        raise SpecError(None, None, "field numbers 0 to 192", quoted_value(key))
    return int(key)


def _encoding(entry: Mapping[str, Any], number: int) -> str:
    name = entry.get("enc") or ("ASCII" if entry.get("subfields") else None)
    if name not in _ENCODINGS:
        raise SpecError(number, None, "enc as " + ", ".join(_ENCODINGS), quoted_value(name))
    return _ENCODINGS[name]


def _written(entry: Mapping[str, Any], number: int) -> str:
    """The encoding of a value: text in hex digits is `hexed`, two digits per character."""
    written, standard = _encoding(entry, number), _standard(number)
    text = entry.get("type") in _TEXT_TYPES and (standard is None or standard.content != "b")
    return HEXED if written == HEX and text else written


def _standard(number: int) -> ElementSpec | None:
    table = spec("1987").elements
    return table[number - 1] if 0 < number <= len(table) else None


def _element(entry: Mapping[str, Any], number: int, key: str) -> Described:
    """An element, or part *key* of one. Raises SpecError for an unknown length, encoding or prefix."""
    size, prefix = entry.get("length"), entry.get("prefix")
    if isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= 999_999:
        raise SpecError(number, None, "a length", quoted_value(size))
    written = RAW if _is_tlv(entry) else _written(entry, number)
    family, _, width = str(prefix).partition(".")
    fixed = width == "Fixed"
    if not fixed and (family not in _PREFIXES or set(width) != {"L"} or len(width) > _LONGEST):
        raise SpecError(
            number, None, "prefix as ASCII.LL, BCD.LLL, Binary.L or ASCII.Fixed", quoted_value(prefix)
        )
    binary = written in (RAW, HEX) or entry.get("type") == "Binary"
    content = "b" if binary else "n" if written == BCD or entry.get("type") == "Numeric" else "ans"
    return Described(
        number=number,
        name=str(entry.get("description") or f"Part {key}" * (key != str(number))),
        content=content,
        size=size,
        written=written,
        lengths="" if fixed else _PREFIXES[family],
        length_digits=0 if fixed else max(len(width), len(str(size)) * (family in _BYTES_OF)),
        length_bytes=_BYTES_OF.get(family, 0) * len(width) if not fixed else 0,
        counts=BYTES if written == HEX else "",
        odd="right 0" if entry.get("enc") == "LBCD" else "",
    )


def to_moov(fmt: Format, version: str | None = None) -> tuple[dict[str, Any], dict[int, str]]:
    """The format as a specification for moov-io/iso8583, ready for `json.dumps`, and the elements that it
    cannot express, with the reason."""
    fields = fields_of(fmt, version)
    encodings = {ours: theirs for theirs, ours in reversed(_ENCODINGS.items()) if theirs != "LBCD"}
    encodings |= {
        HEX: "HexToASCII",
        HEXED: "HexToASCII",
        RAW: "Binary",
        "cp037": "EBCDIC1047",
        "cp1140": "EBCDIC1047",
    }
    left: dict[int, str] = {}
    if fmt.bitmap == HEX and fmt.mti.startswith("cp"):
        left[BITMAP_FIELD] = "moov writes the hex digits of a bitmap in ASCII"
    mti = encodings[fmt.mti]
    bitmap = "HexToASCII" if fmt.bitmap == HEX else "Binary"
    written: dict[str, Any] = {
        "0": _field("String", 4, "Message type indicator", mti, _fixed(fmt.mti, mti)),
        "1": _field("Bitmap", fmt.bitmap_bytes or 8, "Bit map", bitmap, "Hex.Fixed"),
    }
    if fmt.bitmap_bytes:
        written["1"]["disableAutoExpand"] = True
    for field in fields:
        encoding, prefix = encodings.get(field.written), _prefix(field)
        filled = field.written == BCD and (
            field.odd.filler != "0" or field.content == "z" or field.counts == BYTES
        )
        if field.number == THIRD_BITMAP and not fmt.bitmap_bytes:
            left[field.number] = "bit 65 announces a third bitmap there"
            continue
        if filled or field.shape or field.written == SIGNED or encoding is None or prefix is None:
            left[field.number] = (
                f"no way to express {field.format} written as {field.written}"
                f"{' with more' * bool(field.shape)}"
            )
            continue
        if field.written == BCD and not field.odd.left:
            encoding = "LBCD"
        content, size = size_of(field)
        kind = "Binary" if field.written in (RAW, HEX) else "String"
        written[str(field.number)] = _field(kind, size + (content == "x+n"), field.name, encoding, prefix)
    return {"name": fmt.title, "fields": written}, left


def _field(kind: str, size: int, name: str, encoding: str, prefix: str) -> dict[str, Any]:
    return {"type": kind, "length": size, "description": name, "enc": encoding, "prefix": prefix}


def _fixed(written: str, usual: str) -> str:
    """The prefix of a fixed size."""
    kind = {RAW: "Binary", HEX: "Hex", HEXED: "Hex"}.get(written, usual)
    return f"{kind.removesuffix('1047')}.Fixed"


def _prefix(field: Field) -> str | None:
    """The prefix as `ASCII.LL`; None if moov has no name for it."""
    # Digits are the same in all EBCDIC pages, and moov names prefixes for only one of them.
    families = {ours: theirs for theirs, ours in _PREFIXES.items()}
    families |= dict.fromkeys(("cp037", "cp1140", "cp1047"), "EBCDIC")
    if field.fixed:
        return _fixed(field.written, "ASCII")
    family = families.get(field.lengths)
    width = field.prefix // (2 if field.lengths == HEX else 1)
    if field.lengths == BCD:
        # Two digits per byte; an odd digit count leaves half a byte unused.
        width = field.prefix_digits if prefix_width(BCD, field.prefix_digits) == width else 2 * width
    if family is None or width > _LONGEST_NAMED or (field.written == HEX and field.counts != BYTES):
        return None
    return f"{family}.{'L' * width}"
