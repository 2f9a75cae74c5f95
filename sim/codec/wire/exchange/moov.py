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
from sim.errors import BITMAP_FIELD, SpecError, shown
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
        raise SpecError(None, None, "fields, a table of them", shown(fields))
    head: dict[str, Any] = {}
    found: list[Described] = []
    left: list[LeftOut] = []
    for key, said in fields.items():
        number = _number(key)
        if not isinstance(said, Mapping):
            raise SpecError(number, None, "a field as a table", shown(said))
        one = {name.lower(): value for name, value in said.items()}
        if number == 0:
            head["mti"] = _written(one, number)
        elif number == 1:
            head |= _bitmap(one)
        else:
            left += _took(found, one, number)
    if not found:
        raise SpecError(None, None, "known fields", "; ".join(one.reason for one in left[:3]))
    return rows_of(str(given.get("name") or name), "moov-io/iso8583 specification", head, found, left)


def _bitmap(one: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of the bitmap. One of more than 8 bytes is always sent whole, auto-expanded or not."""
    head: dict[str, Any] = {"bitmap": HEX if _encoding(one, 1) == HEX else RAW}
    size = one.get("length")
    if size in _MAPS and (size != _MAPS[0] or one.get("disableautoexpand")):
        head |= {"bitmap_bytes": size, "bit_1": False}
    return head


def _took(found: list[Described], one: Mapping[str, Any], number: int) -> Iterator[LeftOut]:
    """Put an element into *found*; yield what is left out of it."""
    try:
        made = _element(one, number, str(number))
    except SpecError as error:
        yield LeftOut(number, "the element", f"it has {error.found}, not {error.expected}")
        return
    if (pad := one.get("padding")) and not _is_usual(made, pad) and not one.get("subfields"):
        said = pad.get("type") if isinstance(pad, Mapping) else pad
        yield LeftOut(number, "padding", f"{shown(said)}: values are padded according to their content")
    if one.get("subfields"):
        try:
            made = _with_parts(made, one)
        except SpecError as error:
            yield LeftOut(number, "its parts", error.found)
    found.append(made)


def _is_usual(made: Described, pad: Any) -> bool:
    """Whether *pad* is the usual padding of the element's content, or of the standard's element."""
    standard = _standard(made.number)
    digits = standard is not None and (standard.content, standard.size) == ("n", made.size)
    usual = [("Left", "0")] if made.content == "n" or digits else []
    usual += [("Right", " ")] if made.content != "n" else []
    return isinstance(pad, Mapping) and (
        pad.get("type") == "None" or (not made.lengths and (pad.get("type"), pad.get("pad")) in usual)
    )


def _is_tlv(one: Mapping[str, Any]) -> bool:
    return one.get("prefix") == "BerTLV" or (one.get("tag") or {}).get("enc") == "BerTLVTag"


def _with_parts(made: Described, one: Mapping[str, Any]) -> Described:
    """The element with its subfields: positional, tagged, or announced by a bitmap. Raises SpecError with the
    reason as `found` if we cannot separate them."""
    tag, bitmap = one.get("tag") or {}, one.get("bitmap")
    subfields = one["subfields"]
    keys = sorted(subfields, key=lambda key: (int(key), key) if key.isdigit() else (_MOST_SUBFIELDS, key))
    if _is_tlv(one):
        return replace(made, more={"cut": "ber", "parts": [_chip(subfields[key], key) for key in keys]})
    rows = [_part(subfields[key], key, made.number) for key in keys]
    if isinstance(bitmap, Mapping):
        written = _encoding(bitmap, made.number)
        size = bitmap.get("length") or _MAPS[0]
        page = {"page": "ascii"} if written == HEX else {}
        head = {"path": "map", "name": "Bit map", "format": f"b {size}", "written": written, **page}
        return in_parts(made, "bits", [head, *rows])
    if not tag.get("enc"):
        return in_parts(made, "places short", rows)
    encoding = _TAGS.get(str(tag["enc"]), _ENCODINGS.get(str(tag["enc"])))
    if encoding not in (*SINGLE_BYTE, RAW):
        raise uncut(made.number, f"their tags are written as {shown(tag['enc'])}")
    cut, rows = tagged(
        [row | {"tag": f"front {encoding} {tag.get('length')}"} for row in rows], made.number, lead=False
    )
    return in_parts(made, cut, rows)


def _chip(said: Any, key: str) -> dict[str, Any]:
    """The row of one BER-TLV tag with a binary value."""
    one = {name.lower(): value for name, value in said.items()} if isinstance(said, Mapping) else {}
    size = one.get("length") if isinstance(one.get("length"), int) else 0
    row = {"path": key.upper(), "name": str(one.get("description") or f"tag {key}")}
    return row | {"format": f"b..{size or _LONGEST_TAG}"}


def _part(said: Any, key: str, number: int) -> dict[str, Any]:
    if not isinstance(said, Mapping):
        raise uncut(number, f"subfield {key} is not a table")
    one = {name.lower(): value for name, value in said.items()}
    try:
        made = _element(one, number, key)
    except SpecError as error:
        raise uncut(number, f"part {key} has {error.found}") from None
    return part_row(_with_parts(made, one) if one.get("subfields") else made, key)


def _number(key: object) -> int:
    if not (isinstance(key, str) and key.isascii() and key.isdigit() and int(key[:4]) <= 192):
        raise SpecError(None, None, "field numbers 0 to 192", shown(key))
    return int(key)


def _encoding(one: Mapping[str, Any], number: int) -> str:
    said = one.get("enc") or ("ASCII" if one.get("subfields") else None)
    if said not in _ENCODINGS:
        raise SpecError(number, None, "enc as " + ", ".join(_ENCODINGS), shown(said))
    return _ENCODINGS[said]


def _written(one: Mapping[str, Any], number: int) -> str:
    """The encoding of a value: text in hex digits is `hexed`, two digits per character."""
    written, standard = _encoding(one, number), _standard(number)
    text = one.get("type") in _TEXT_TYPES and (standard is None or standard.content != "b")
    return HEXED if written == HEX and text else written


def _standard(number: int) -> ElementSpec | None:
    table = spec("1987").elements
    return table[number - 1] if 0 < number <= len(table) else None


def _element(one: Mapping[str, Any], number: int, key: str) -> Described:
    """An element, or part *key* of one. Raises SpecError for an unknown length, encoding or prefix."""
    size, said = one.get("length"), one.get("prefix")
    if isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= 999_999:
        raise SpecError(number, None, "a length", shown(size))
    written = RAW if _is_tlv(one) else _written(one, number)
    family, _, width = str(said).partition(".")
    fixed = width == "Fixed"
    if not fixed and (family not in _PREFIXES or set(width) != {"L"} or len(width) > _LONGEST):
        raise SpecError(number, None, "prefix as ASCII.LL, BCD.LLL, Binary.L or ASCII.Fixed", shown(said))
    binary = written in (RAW, HEX) or one.get("type") == "Binary"
    content = "b" if binary else "n" if written == BCD or one.get("type") == "Numeric" else "ans"
    return Described(
        number=number,
        name=str(one.get("description") or f"Part {key}" * (key != str(number))),
        content=content,
        size=size,
        written=written,
        lengths="" if fixed else _PREFIXES[family],
        length_digits=0 if fixed else max(len(width), len(str(size)) * (family in _BYTES_OF)),
        length_bytes=_BYTES_OF.get(family, 0) * len(width) if not fixed else 0,
        counts=BYTES if written == HEX else "",
        odd="right 0" if one.get("enc") == "LBCD" else "",
    )


def to_moov(made: Format, version: str | None = None) -> tuple[dict[str, Any], dict[int, str]]:
    """The format as a specification for moov-io/iso8583, ready for `json.dumps`, and the elements that it
    cannot express, with the reason."""
    fields = fields_of(made, version)
    encodings = {ours: theirs for theirs, ours in reversed(_ENCODINGS.items()) if theirs != "LBCD"}
    encodings |= {
        HEX: "HexToASCII",
        HEXED: "HexToASCII",
        RAW: "Binary",
        "cp037": "EBCDIC1047",
        "cp1140": "EBCDIC1047",
    }
    left: dict[int, str] = {}
    if made.bitmap == HEX and made.mti.startswith("cp"):
        left[BITMAP_FIELD] = "moov writes the hex digits of a bitmap in ASCII"
    mti = encodings[made.mti]
    bitmap = "HexToASCII" if made.bitmap == HEX else "Binary"
    written: dict[str, Any] = {
        "0": _field("String", 4, "Message type indicator", mti, _fixed(made.mti, mti)),
        "1": _field("Bitmap", made.bitmap_bytes or 8, "Bit map", bitmap, "Hex.Fixed"),
    }
    if made.bitmap_bytes:
        written["1"]["disableAutoExpand"] = True
    for one in fields:
        encoding, prefix = encodings.get(one.written), _prefix(one)
        filled = one.written == BCD and (one.odd.filler != "0" or one.content == "z" or one.counts == BYTES)
        if one.number == THIRD_BITMAP and not made.bitmap_bytes:
            left[one.number] = "bit 65 announces a third bitmap there"
            continue
        if filled or one.shape or one.written == SIGNED or encoding is None or prefix is None:
            left[one.number] = (
                f"no way to express {one.format} written as {one.written}{' with more' * bool(one.shape)}"
            )
            continue
        if one.written == BCD and not one.odd.left:
            encoding = "LBCD"
        content, size = size_of(one)
        kind = "Binary" if one.written in (RAW, HEX) else "String"
        written[str(one.number)] = _field(kind, size + (content == "x+n"), one.name, encoding, prefix)
    return {"name": made.title, "fields": written}, left


def _field(kind: str, size: int, name: str, encoding: str, prefix: str) -> dict[str, Any]:
    return {"type": kind, "length": size, "description": name, "enc": encoding, "prefix": prefix}


def _fixed(written: str, usual: str) -> str:
    """The prefix of a fixed size."""
    kind = {RAW: "Binary", HEX: "Hex", HEXED: "Hex"}.get(written, usual)
    return f"{kind.removesuffix('1047')}.Fixed"


def _prefix(one: Field) -> str | None:
    """The prefix as `ASCII.LL`; None if moov has no name for it."""
    # Digits are the same in all EBCDIC pages, and moov names prefixes for only one of them.
    families = {ours: theirs for theirs, ours in _PREFIXES.items()}
    families |= dict.fromkeys(("cp037", "cp1140", "cp1047"), "EBCDIC")
    if one.fixed:
        return _fixed(one.written, "ASCII")
    family = families.get(one.lengths)
    width = one.prefix // (2 if one.lengths == HEX else 1)
    if one.lengths == BCD:
        # Two digits per byte; an odd digit count leaves half a byte unused.
        width = one.prefix_digits if prefix_width(BCD, one.prefix_digits) == width else 2 * width
    if family is None or width > _LONGEST_NAMED or (one.written == HEX and one.counts != BYTES):
        return None
    return f"{family}.{'L' * width}"
