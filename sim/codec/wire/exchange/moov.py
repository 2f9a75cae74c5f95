"""Specifications of moov-io/iso8583 as its builder has them: JSON, `enc` and `prefix` for each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.codec.wire.exchange.described import Described, fields_of, rows_of, size_of
from sim.codec.wire.formats import BCD, BINARY, BYTES, HEX, RAW, SIGNED, Field, Format
from sim.errors import SpecError, shown

# Its EBCDIC is a table of its own, nearest to code page 500; EBCDIC1047 came later.
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
_PREFIXES = {"ASCII": "ascii", "BCD": BCD, "EBCDIC": "cp500", "EBCDIC1047": "cp1047", "Binary": BINARY}
_LONGEST = 6


def from_moov(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The rows of the format that a specification, as JSON was read, describes. Raises SpecError naming the
    field that cannot be read here."""
    fields = given.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise SpecError(None, None, "fields, a table of them", shown(fields))
    head: dict[str, Any] = {}
    found = []
    for key, one in fields.items():
        number = _number(key)
        if not isinstance(one, Mapping):
            raise SpecError(number, None, "a field as a table", shown(one))
        written = _encoding(one, number)
        if number == 0:
            head["mti"] = written
        elif number == 1:
            head["bitmap"] = HEX if written == HEX else RAW
            if one.get("length") == 16 and one.get("disableautoexpand"):
                head |= {"bitmap_bytes": 16, "bit_1": False}
        else:
            found.append(_element(one, number, written))
    return rows_of(str(given.get("name") or name), "moov-io/iso8583 specification", head, found)


def _number(key: object) -> int:
    if not (isinstance(key, str) and key.isascii() and key.isdigit() and int(key[:4]) <= 192):
        raise SpecError(None, None, "field numbers 0 to 192", shown(key))
    return int(key)


def _encoding(one: Mapping[str, Any], number: int) -> str:
    said = one.get("enc") or ("ASCII" if one.get("subfields") else None)
    if said not in _ENCODINGS:
        raise SpecError(number, None, "enc as " + ", ".join(_ENCODINGS), shown(said))
    return _ENCODINGS[said]


def _element(one: Mapping[str, Any], number: int, written: str) -> Described:
    size, said = one.get("length"), one.get("prefix")
    if isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= 999_999:
        raise SpecError(number, None, "a length", shown(size))
    family, _, width = str(said).partition(".")
    fixed = width == "Fixed"
    if not fixed and (family not in _PREFIXES or set(width) != {"L"} or len(width) > _LONGEST):
        raise SpecError(number, None, "prefix as ASCII.LL, BCD.LLL, Binary.L or ASCII.Fixed", shown(said))
    digits = 0 if fixed else _digits(family, len(width), size)
    binary = written in (RAW, HEX) or one.get("type") == "Binary"
    content = "b" if binary else "n" if written == BCD or one.get("type") == "Numeric" else "ans"
    return Described(
        number=number,
        name=str(one.get("description") or ""),
        content=content,
        size=size,
        written=written,
        lengths="" if fixed else _PREFIXES[family],
        length_digits=digits,
        length_bytes=len(width) if family == "Binary" and not fixed else 0,
        counts=BYTES if written == HEX else "",
        odd="right 0" if one.get("enc") == "LBCD" else "",
    )


def _digits(family: str, width: int, size: int) -> int:
    return max(width, len(str(size))) if family == "Binary" else width


def to_moov(made: Format, version: str | None = None) -> tuple[dict[str, Any], dict[int, str]]:
    """The format as a specification of moov-io/iso8583, ready for `json.dumps`, and the elements that it has
    no words for, with the reason."""
    fields = fields_of(made, version)
    encodings = {ours: theirs for theirs, ours in reversed(_ENCODINGS.items()) if theirs != "LBCD"}
    encodings |= {HEX: "HexToASCII", RAW: "Binary", "cp037": "EBCDIC", "cp1140": "EBCDIC"}
    left: dict[int, str] = {}
    mti = encodings[made.mti]
    bitmap = "HexToASCII" if made.bitmap == HEX else "Binary"
    written: dict[str, Any] = {
        "0": _field("String", 4, "Message type indicator", mti, f"{mti}.Fixed"),
        "1": _field("Bitmap", made.bitmap_bytes or 8, "Bit map", bitmap, "Hex.Fixed"),
    }
    if made.bitmap_bytes:
        written["1"]["disableautoexpand"] = True
    for one in fields:
        encoding, prefix = encodings.get(one.written), _prefix(one)
        filled = one.written == BCD and one.odd.filler != "0"
        if filled or one.written == SIGNED or encoding is None or prefix is None:
            left[one.number] = f"no words for {one.format} written as {one.written}"
            continue
        if one.written == BCD and not one.odd.left:
            encoding = "LBCD"
        content, size = size_of(one)
        kind = "Binary" if one.written in (RAW, HEX) else "String"
        written[str(one.number)] = _field(kind, size + (content == "x+n"), one.name, encoding, prefix)
    return {"name": made.title, "fields": written}, left


def _field(kind: str, size: int, name: str, encoding: str, prefix: str) -> dict[str, Any]:
    return {"type": kind, "length": size, "description": name, "enc": encoding, "prefix": prefix}


def _prefix(one: Field) -> str | None:
    """`ASCII.LL`, or None where its writing has no name there."""
    families = {ours: theirs for theirs, ours in _PREFIXES.items()} | {"cp037": "EBCDIC", "cp1140": "EBCDIC"}
    if one.fixed:
        return "Binary.Fixed" if one.written == RAW else "Hex.Fixed" if one.written == HEX else "ASCII.Fixed"
    family = families.get(one.lengths)
    if family is None or (one.written == HEX and one.counts != BYTES):
        return None
    return f"{family}.{'L' * (one.prefix if one.lengths == BINARY else one.prefix_digits)}"
