"""The rows of a message table: MTI, bitmap, elements; of a broken text, the pieces it falls into."""

from __future__ import annotations

from dataclasses import dataclass

from sim.codec import Message, ParseError, bitmap, spans
from sim.elements.meaning import meaning
from sim.operations.validation import chosen_network, framing_finding
from sim.spec import ElementSpec, spec

COLUMNS = ("number", "name", "format", "value", "meaning", "start", "end", "finding", "hint")
MTI_NAME = "Message type indicator"
BITMAP_NAME = "Bitmap"
UNREAD = "unread"
_MTI_WIDTH = 4
_BITMAP_WIDTH = 16


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `start` and `end` are characters of the text form; `start` is where the length prefix
    begins, or the value where there is none. `number` None is the text that was left unread."""

    number: int | None
    name: str
    format: str
    value: str
    meaning: str
    start: int | None
    end: int | None
    finding: str = ""
    hint: str = ""


def sound_rows(message: Message, network: str | None) -> list[Row]:
    """The rows of a message that is well framed; *network* chooses that network's code lists."""
    places = spans(message)
    start, _, end = places[1]
    rows = [
        _mti_row(message, network),
        Row(1, BITMAP_NAME, _bitmap_format(end - start), message.bitmap, meaning(message, 1), start, end),
    ]
    for number, value in sorted(message.fields.items()):
        start, _, end = places[number]
        rows.append(_element_row(message, number, value, network, start, end))
    return rows


def broken_rows(raw: str, version: str, error: ParseError, network: str | None) -> list[Row]:
    """The pieces of a text that does not parse: what was read, the piece that misfits with its
    finding and hint, and the unread rest. Together they are the whole text."""
    found = framing_finding(raw, version, error)
    said = (found.message, found.hint)
    rows = _read_rows(raw, version, error.partial, network)
    start = rows[-1].end or 0 if rows else 0
    if error.field is None:
        return [*rows, _unread(raw, start, *said)]
    end = min(_end_of(raw, version, error.field, start), len(raw))
    name, form = _labels(raw, version, error.field)
    rows.append(Row(error.field, name, form, raw[start:end], "", start, end, *said))
    return rows if end == len(raw) else [*rows, _unread(raw, end)]


def _read_rows(raw: str, version: str, partial: Message | None, network: str | None) -> list[Row]:
    """The rows before the misfit; none when the MTI itself is the misfit."""
    if partial is None:
        mti = raw[:_MTI_WIDTH]
        sound = len(mti) == _MTI_WIDTH and mti.isascii() and mti.isdigit()
        return [_mti_row(Message(mti, {}, version), network)] if sound else []
    network = chosen_network(partial, network)
    at = _MTI_WIDTH + _bitmap_width(raw)
    bits = raw[_MTI_WIDTH:at]
    announced = Message(partial.mti, dict.fromkeys(bitmap.numbers(bits), ""), version)
    rows = [
        _mti_row(partial, network),
        Row(1, BITMAP_NAME, _bitmap_format(len(bits)), bits, meaning(announced, 1), _MTI_WIDTH, at),
    ]
    for number, value in partial.fields.items():
        end = at + spec(version)[number].prefix + len(value)
        rows.append(_element_row(partial, number, value, network, at, end))
        at = end
    return rows


def _end_of(raw: str, version: str, field: int, start: int) -> int:
    """Where the misfitting piece ends: the place it should fill, or its faulty length prefix."""
    if field == 0:
        return _MTI_WIDTH
    if field == 1:
        return _MTI_WIDTH + _bitmap_width(raw)
    element = spec(version)[field]
    if element.fixed or _legal(raw[start : start + element.prefix], element):
        return len(raw)
    return start + element.prefix


def _legal(prefix: str, element: ElementSpec) -> bool:
    """Whether *prefix* is a length the element may have, so that its value is what is too short."""
    digits = len(prefix) == element.prefix and prefix.isascii() and prefix.isdigit()
    return digits and int(prefix) <= element.width


def _bitmap_width(raw: str) -> int:
    return (1 + bitmap.has_secondary(raw[_MTI_WIDTH : _MTI_WIDTH + 1])) * _BITMAP_WIDTH


def _bitmap_format(width: int) -> str:
    return f"b {width // 2}"


def _labels(raw: str, version: str, field: int) -> tuple[str, str]:
    if field == 0:
        return MTI_NAME, "n 4"
    if field == 1:
        return BITMAP_NAME, _bitmap_format(_bitmap_width(raw))
    return spec(version)[field].name, spec(version)[field].format


def _mti_row(message: Message, network: str | None) -> Row:
    return Row(0, MTI_NAME, "n 4", message.mti, meaning(message, 0, network), 0, _MTI_WIDTH)


def _element_row(message: Message, number: int, value: str, network: str | None, start: int, end: int) -> Row:
    element = message.spec[number]
    said = meaning(message, number, network)
    return Row(number, element.name, element.format, value, said, start, end)


def _unread(raw: str, start: int, finding: str = "", hint: str = "") -> Row:
    return Row(None, UNREAD, "", raw[start:], "", start, len(raw), finding, hint)
