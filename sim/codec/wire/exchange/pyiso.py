"""Specifications of pyiso8583: a dict with `data_enc`, `len_enc`, `len_type` and `max_len` for each field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.codec.wire.exchange.described import Described, fields_of, header_of, rows_of
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
from sim.errors import BITMAP_FIELD, MTI_FIELD, SpecError, quoted_value
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
    elements = []
    for key in given:
        if key in ("h", "t", "p", "1"):
            continue
        if not (isinstance(key, str) and key.isascii() and key.isdigit() and 2 <= int(key[:4]) <= 128):
            raise SpecError(None, None, "fields h, t, p and 1 to 128", quoted_value(key))
        elements.append(_element(_part(given, key), int(key)))
    left = _header(given.get("h"), head)
    return rows_of(name, "pyiso8583 specification", head, elements, left)


def _header(entry: object, head: dict[str, Any]) -> list[LeftOut]:
    """Put the header before the MTI into *head*; return what is left out of it."""
    if not isinstance(entry, Mapping) or not _count(entry, "max_len", 0):
        return []
    if _count(entry, "len_type", 0):
        return [LeftOut(0, "the header", "it follows a length, but no known framing reads it")]
    size = _count(entry, "max_len", 0)
    head["frames"] = [f"header-{(size + 1) // 2 if entry.get('len_count') == _IN_NIBBLES else size}"]
    return []


def _part(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    entry = given.get(key)
    if not isinstance(entry, Mapping):
        number = int(key) if key.isdigit() else None
        raise SpecError(number, None, f"field {quoted_value(key)} as a table", quoted_value(entry))
    return entry


def _written(entry: Mapping[str, Any], number: int, *, packed: bool) -> str:
    encoding = entry.get("data_enc")
    if encoding == "b":
        return BCD if packed else RAW
    if not isinstance(encoding, str) or encoding.lower() not in _PAGES:
        raise SpecError(
            number, None, "data_enc as b or one of " + ", ".join(sorted(_PAGES)), quoted_value(encoding)
        )
    return _PAGES[encoding.lower()]


def _element(entry: Mapping[str, Any], number: int) -> Described:
    size, width = _count(entry, "max_len", number), _count(entry, "len_type", number)
    classes = {spec(version)[number].content for version in VERSIONS}
    nibbles = entry.get("len_count") == _IN_NIBBLES
    # pyiso8583 does not distinguish raw bytes from packed digits: the standard's content class decides.
    written = _written(entry, number, packed=nibbles or bool(classes & _PACKED))
    content = "b" if written == RAW else spec("1987")[number].content
    if written == BCD:
        content = content if content in _PACKED else "n"
    if written in PAGES and content == "b":
        # Binary in hex digits: pyiso8583 counts the digits, we count bytes.
        written, size = HEX, size // 2
    lengths = _lengths(entry, number) if width else ""
    digits = max(len(str(size)), width if lengths in PAGES else 0) if width else 0
    if written == BCD and not nibbles:
        size *= 2
    return Described(
        number=number,
        name=str(entry.get("desc") or ""),
        content=content,
        size=size - (content == "x+n"),
        written=written,
        lengths=lengths,
        length_digits=digits,
        length_bytes=width if lengths in (BCD, BINARY) else 0,
        counts=_counts(written, nibbles) if width else "",
        odd=_odd(entry),
    )


def _count(entry: Mapping[str, Any], key: str, number: int) -> int:
    value = entry.get(key)
    most = _MOST[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise SpecError(number, None, f"{key} as a number, at most {most}", quoted_value(value))
    return value


def _lengths(entry: Mapping[str, Any], number: int) -> str:
    encoding = entry.get("len_enc")
    if encoding in ("b", "bcd"):
        return BINARY if encoding == "b" else BCD
    if not isinstance(encoding, str) or encoding.lower() not in _PAGES:
        raise SpecError(number, None, "len_enc as b, bcd or a code page", quoted_value(encoding))
    return _PAGES[encoding.lower()]


def _counts(written: str, nibbles: bool) -> str:
    if written == HEX:
        return CHARACTERS
    return (CHARACTERS if nibbles else BYTES) if written in (BCD, RAW) else ""


def _odd(entry: Mapping[str, Any]) -> str:
    if entry.get("right_pad"):
        return f"right {str(entry['right_pad']).upper()}"
    return f"left {str(entry['left_pad']).upper()}" if entry.get("left_pad") else ""


def to_pyiso8583(fmt: Format, version: str | None = None) -> tuple[dict[str, Any], dict[int, str]]:
    """The format as a specification for pyiso8583, and the elements that it cannot express, with the
    reason."""
    fields = fields_of(fmt, version)
    left: dict[int, str] = {}
    if fmt.mti == HEXED:
        left[MTI_FIELD] = "no way to express an MTI in hex digits"
    if fmt.bitmap_bytes > _RAW_BITMAP and not fmt.bit_1:
        left[BITMAP_FIELD] = "no way to express a secondary bitmap that no bit announces"
    raw = fmt.bitmap == RAW
    page = "ascii" if fmt.mti == BCD else _python_page(fmt.mti)
    bitmap = _field("b", 8) if raw else _field(page, 16)
    written: dict[str, Any] = {
        # An otherwise unknown header directly before the message.
        "h": _field("b", header_of(fmt)),
        "t": _field("b", 2) if fmt.mti == BCD else _field(page, 4),
        "p": {**bitmap, "desc": "Bitmap, Primary"},
        "1": {**bitmap, "desc": "Bitmap, Secondary"},
    }
    for field in fields:
        why = _refused(field)
        if why:
            left[field.number] = why
        else:
            written[str(field.number)] = _described(field)
    return written, left


def _field(encoding: str, size: int) -> dict[str, Any]:
    return {"data_enc": encoding, "len_enc": "ascii", "len_type": 0, "max_len": size, "desc": ""}


def _python_page(page: str) -> str:
    """The nearest page in Python, which has no 1047; 037 differs in a few characters."""
    return "cp037" if page == "cp1047" else page


def _refused(field: Field) -> str:
    if field.number > 128:
        return "elements end at 128"
    if field.number == THIRD_BITMAP:
        return "bit 65 announces a third bitmap there"
    if field.prefix and field.written == HEX and field.counts == BYTES:
        return "no way to express a length that counts bytes of hex digits"
    if (
        field.shape
        or field.written in (SIGNED, MAPPED, HEXED, NIBBLES)
        or (field.prefix and field.lengths == HEX)
    ):
        return (
            f"no way to express {field.format} written as {field.written}{' with more' * bool(field.shape)}"
        )
    return ""


def _described(field: Field) -> dict[str, Any]:
    binary = field.written in (BCD, RAW)
    size = field.size
    if field.written == HEX and field.counts == BYTES:
        size *= 2
    lengths = {BCD: "bcd", BINARY: "b"}.get(field.lengths, _python_page(field.lengths))
    row: dict[str, Any] = {
        "data_enc": "b" if binary else _python_page(field.page if field.written == HEX else field.written),
        "len_enc": lengths if field.prefix else "ascii",
        "len_type": field.prefix,
        "max_len": size,
        "desc": field.name,
    }
    if binary and field.counts == CHARACTERS:
        row["len_count"] = _IN_NIBBLES
        row["left_pad" if field.odd.left else "right_pad"] = field.odd.filler
    return row


def is_pyiso8583(given: Mapping[str, Any]) -> bool:
    """Whether a table looks like a pyiso8583 specification."""
    return isinstance(given.get("t"), Mapping) and isinstance(given.get("p"), Mapping)
