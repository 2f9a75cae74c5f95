"""Specifications of pyiso8583: a dict with `data_enc`, `len_enc`, `len_type` and `max_len` for each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.codec.wire.exchange.described import Described, fields_of, rows_of
from sim.codec.wire.formats import (
    BCD,
    BINARY,
    BYTES,
    CHARACTERS,
    HEX,
    HEXED,
    MAPPED,
    NIBBLES,
    RAW,
    SIGNED,
    THIRD_BITMAP,
    Field,
    Format,
    LeftOut,
)
from sim.codec.wire.pages import PAGES
from sim.errors import BITMAP_FIELD, MTI_FIELD, SpecError, shown
from sim.spec import VERSIONS, spec

_PAGES = {"ascii": "ascii", "latin-1": "ascii", "latin1": "ascii", "iso8859-1": "ascii", "utf-8": "ascii"}
_PAGES |= {page: page for page in PAGES if page not in ("ascii", "cp1047")}
_MOST = {"max_len": 999_999, "len_type": 6}
_IN_NIBBLES, _RAW_BITMAP = "nibbles", 8
_PACKED = frozenset(("n", "z", "x+n"))


def from_pyiso8583(given: Mapping[str, Any], name: str = "pyiso8583") -> dict[str, Any]:
    """The rows of the format that a specification describes. Raises SpecError naming the first field that we
    cannot read."""
    head = {"mti": _written(_part(given, "t"), 0, packed=True)}
    bitmap = _part(given, "p")
    head["bitmap"] = RAW if bitmap.get("data_enc") == "b" else HEX
    found = []
    for key in given:
        if key in ("h", "t", "p", "1"):
            continue
        if not (isinstance(key, str) and key.isascii() and key.isdigit() and 2 <= int(key[:4]) <= 128):
            raise SpecError(None, None, "fields h, t, p and 1 to 128", shown(key))
        found.append(_element(_part(given, key), int(key)))
    left = _header(given.get("h"), head)
    return rows_of(name, "pyiso8583 specification", head, found, left)


def _header(one: object, head: dict[str, Any]) -> list[LeftOut]:
    """Put the header before the MTI into *head*; return what is left out of it."""
    if not isinstance(one, Mapping) or not _count(one, "max_len", 0):
        return []
    if _count(one, "len_type", 0):
        return [LeftOut(0, "the header", "it follows a length, but no known framing reads it")]
    size = _count(one, "max_len", 0)
    head["frames"] = [f"header-{(size + 1) // 2 if one.get('len_count') == _IN_NIBBLES else size}"]
    return []


def _part(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    one = given.get(key)
    if not isinstance(one, Mapping):
        number = int(key) if key.isdigit() else None
        raise SpecError(number, None, f"field {shown(key)} as a table", shown(one))
    return one


def _written(one: Mapping[str, Any], number: int, *, packed: bool) -> str:
    said = one.get("data_enc")
    if said == "b":
        return BCD if packed else RAW
    if not isinstance(said, str) or said.lower() not in _PAGES:
        raise SpecError(number, None, "data_enc as b or one of " + ", ".join(sorted(_PAGES)), shown(said))
    return _PAGES[said.lower()]


def _element(one: Mapping[str, Any], number: int) -> Described:
    size, width = _count(one, "max_len", number), _count(one, "len_type", number)
    classes = {spec(version)[number].content for version in VERSIONS}
    nibbles = one.get("len_count") == _IN_NIBBLES
    # pyiso8583 does not distinguish raw bytes from packed digits: the standard's content class decides.
    written = _written(one, number, packed=nibbles or bool(classes & _PACKED))
    content = "b" if written == RAW else spec("1987")[number].content
    if written == BCD:
        content = content if content in _PACKED else "n"
    if written in PAGES and content == "b":
        # Binary in hex digits: pyiso8583 counts the digits, we count bytes.
        written, size = HEX, size // 2
    lengths = _lengths(one, number) if width else ""
    digits = max(len(str(size)), width if lengths in PAGES else 0) if width else 0
    if written == BCD and not nibbles:
        size *= 2
    return Described(
        number=number,
        name=str(one.get("desc") or ""),
        content=content,
        size=size - (content == "x+n"),
        written=written,
        lengths=lengths,
        length_digits=digits,
        length_bytes=width if lengths in (BCD, BINARY) else 0,
        counts=_counts(written, nibbles) if width else "",
        odd=_odd(one),
    )


def _count(one: Mapping[str, Any], key: str, number: int) -> int:
    value = one.get(key)
    most = _MOST[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise SpecError(number, None, f"{key} as a number, at most {most}", shown(value))
    return value


def _lengths(one: Mapping[str, Any], number: int) -> str:
    said = one.get("len_enc")
    if said in ("b", "bcd"):
        return BINARY if said == "b" else BCD
    if not isinstance(said, str) or said.lower() not in _PAGES:
        raise SpecError(number, None, "len_enc as b, bcd or a code page", shown(said))
    return _PAGES[said.lower()]


def _counts(written: str, nibbles: bool) -> str:
    if written == HEX:
        return CHARACTERS
    return (CHARACTERS if nibbles else BYTES) if written in (BCD, RAW) else ""


def _odd(one: Mapping[str, Any]) -> str:
    if one.get("right_pad"):
        return f"right {str(one['right_pad']).upper()}"
    return f"left {str(one['left_pad']).upper()}" if one.get("left_pad") else ""


def to_pyiso8583(made: Format, version: str | None = None) -> tuple[dict[str, Any], dict[int, str]]:
    """The format as a specification for pyiso8583, and the elements that it cannot express, with the
    reason."""
    fields = fields_of(made, version)
    left: dict[int, str] = {}
    if made.mti == HEXED:
        left[MTI_FIELD] = "no way to express an MTI in hex digits"
    if made.bitmap_bytes > _RAW_BITMAP and not made.bit_1:
        left[BITMAP_FIELD] = "no way to express a secondary bitmap that no bit announces"
    raw = made.bitmap == RAW
    page = "ascii" if made.mti == BCD else _known(made.mti)
    bitmap = _field("b", 8) if raw else _field(page, 16)
    written: dict[str, Any] = {
        "h": _field("b", _header_bytes(made)),
        "t": _field("b", 2) if made.mti == BCD else _field(page, 4),
        "p": {**bitmap, "desc": "Bitmap, Primary"},
        "1": {**bitmap, "desc": "Bitmap, Secondary"},
    }
    for one in fields:
        why = _refused(one)
        if why:
            left[one.number] = why
        else:
            written[str(one.number)] = _described(one)
    return written, left


def _header_bytes(made: Format) -> int:
    """The width of an otherwise unknown header directly before the message, or 0."""
    width = made.frames[-1].removeprefix("header-") if made.frames else ""
    return int(width) if width.isdecimal() else 0


def _field(encoding: str, size: int) -> dict[str, Any]:
    return {"data_enc": encoding, "len_enc": "ascii", "len_type": 0, "max_len": size, "desc": ""}


def _known(page: str) -> str:
    """The nearest page in Python, which has no 1047; 037 differs in a few characters."""
    return "cp037" if page == "cp1047" else page


def _refused(one: Field) -> str:
    if one.number > 128:
        return "elements end at 128"
    if one.number == THIRD_BITMAP:
        return "bit 65 announces a third bitmap there"
    if one.prefix and one.written == HEX and one.counts == BYTES:
        return "no way to express a length that counts bytes of hex digits"
    if one.shape or one.written in (SIGNED, MAPPED, HEXED, NIBBLES) or (one.prefix and one.lengths == HEX):
        return f"no way to express {one.format} written as {one.written}{' with more' * bool(one.shape)}"
    return ""


def _described(one: Field) -> dict[str, Any]:
    binary = one.written in (BCD, RAW)
    size = one.size
    if one.written == HEX and one.counts == BYTES:
        size *= 2
    lengths = {BCD: "bcd", BINARY: "b"}.get(one.lengths, _known(one.lengths))
    row: dict[str, Any] = {
        "data_enc": "b" if binary else _known(one.page if one.written == HEX else one.written),
        "len_enc": lengths if one.prefix else "ascii",
        "len_type": one.prefix,
        "max_len": size,
        "desc": one.name,
    }
    if binary and one.counts == CHARACTERS:
        row["len_count"] = _IN_NIBBLES
        row["left_pad" if one.odd.left else "right_pad"] = one.odd.filler
    return row


def is_pyiso8583(given: Mapping[str, Any]) -> bool:
    """Whether a table looks like a pyiso8583 specification."""
    return isinstance(given.get("t"), Mapping) and isinstance(given.get("p"), Mapping)
