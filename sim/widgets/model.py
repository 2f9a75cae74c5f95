"""The view of a message as plain data, ready for JSON: the source of the anatomy, its HTML and its text.

It needs neither widgets nor pandas. With `masked` (the default) it has no card data: every text in it is cut
from the masked message.

    text        the message, with asterisks for card data if masked
    segments    [{start, end, text, kind, number}]: kind mti, bitmap, prefix, value, fault or unread;
                together the whole text; number 0 is the MTI, 1 the bitmap, -1 the unread rest
    cells       [{number, set, state, name, known}], 64 or 128; state read, fault or unread when set
    elements    [{number, name, format, about, note, value, prefix, meaning, start, value_start, end,
                state, hidden, severity, findings, children}] in the order of the text
    children    [{label, name, value, meaning, start, end, depth}]: sub-fields and chip data tags
    findings    [{severity, number, path, sentence, hint, rule, source, network, start, end}]
    general     the findings on no element of the text
    fault       {number, start, end, sentence, hint, offer} of a text that does not parse, else None; `offer`
                is a repair for a button, or empty
    bytes       the bytes it came in, as below, else None

The bytes: a byte is shown only if everything that it may represent is shown.

    title       how the bytes are written: `hex, 2-byte length 005D, BCD`
    size        the number of bytes; start, end: those of the message
    hex         two characters per byte, `••` if hidden
    text        one character per byte: the printable character, otherwise `.`, `•` if hidden
    spans       [{start, value_start, end, number, kind, label, chars, pad}] in order and without gaps: kind
                framing, mti, bitmap, value, unread or behind; number as in elements, None for framing;
                chars: characters of the text form per byte, 0 if unknown; pad: half bytes of padding before
                the value
    error       why reading the bytes stopped, else empty

Offsets count characters of the text, or bytes, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sim.codec import Message, bitmap, build
from sim.codec.wire.formats import BCD, SIGNED, Field
from sim.codec.wire.pages import SINGLE_BYTE
from sim.codec.wire.pages import view as page_view
from sim.elements import dates, emv, mti
from sim.elements.meaning import Told, inside_tag, unfold
from sim.errors import BITMAP_FIELD, MTI_FIELD, counted
from sim.judge import Finding, Severity
from sim.judge.causes import offered
from sim.masking import is_sensitive
from sim.operations import chosen_version, strip_line_ending
from sim.operations.anatomy import FAULT, READ, UNREAD, Anatomy, Place, bitmap_width, dissect
from sim.operations.reading import read, recognised
from sim.operations.rewriting import kept, seeable_bytes, shown_text
from sim.operations.rewriting import parts as framing
from sim.operations.validation import judge
from sim.parts import chip_data
from sim.paste.reading import Reading
from sim.spec import ElementSpec, Spec
from sim.spec.layouts import CLASS_NAMES
from sim.spec.networks import told_name

HIDDEN, NOTHING = "•", "."
_UNSEEN = re.compile(rb"\0+")


def byte_data(seen: Anatomy, held: Reading, masked: bool) -> Data:
    """The bytes of *held*, whose text is that of *seen*, without card data if *masked*."""
    places: dict[int | None, Place] = {place.number: place for place in seen.places if place.state == READ}
    spans = list(_spans(seen, held, places))
    seeable = seeable_bytes(seen, held) if masked else b"\1" * len(held.data)
    page = held.written.text if held.written and held.written.text in SINGLE_BYTE else "ascii"
    text = page_view(held.data, page)
    prints = str.isascii if page == "ascii" else str.isprintable
    dots = {ord(char): NOTHING for char in set(text) if not (char.isprintable() and prints(char))}
    return {
        "title": held.read_as.removesuffix(f", {held.confidence}"),
        "size": len(held.data),
        "start": held.start,
        "end": held.end,
        "hex": _covered(held.data.hex().upper(), 2, seeable),
        "text": _covered(text.translate(dots), 1, seeable),
        "spans": [span._asdict() for span in spans],
        "error": str(held.error or ""),
    }


def _covered(text: str, width: int, seeable: bytes | bytearray) -> str:
    """*text*, *width* characters per byte, with unseeable bytes hidden."""
    for run in _UNSEEN.finditer(seeable):
        start, end = (width * at for at in run.span())
        text = text[:start] + HIDDEN * (end - start) + text[end:]
    return text


class _Span(NamedTuple):
    """Bytes *start* to *end* and what they are; the value begins at *value_start*. `chars` and `pad`: see
    `_written`."""

    start: int
    value_start: int
    end: int
    number: int | None
    kind: str
    label: str
    chars: int = 0
    pad: int = 0


def _spans(seen: Anatomy, held: Reading, places: Mapping[int | None, Place]) -> Iterator[_Span]:
    at = 0
    for name, label, size in framing(held):
        yield _Span(at, at, at + size, None, "framing" if name else "header", label)
        at += size
    layout = held.written.layout(held.version) if held.written else None
    for number, (start, first, end) in sorted(held.spans.items(), key=lambda item: item[1]):
        size = len(seen.value(places[number])) if number in places else 0
        chars, pad = _written(layout[number] if layout and number > BITMAP_FIELD else None, size, end - first)
        kind = _KINDS.get(number, "value")
        yield _Span(start, first, end, number, kind, "", chars, pad)
        at = end
    if at < len(held.data):
        if held.error:
            stop = seen.stop
            yield _Span(at, at, len(held.data), stop.number if stop else UNREAD, "unread", "not read")
        else:
            yield _Span(at, at, len(held.data), None, "behind", "after the message")


def _written(field: Field | None, size: int, count: int) -> tuple[int, int]:
    """The number of characters of a value of *size* per byte of *count*, and of half bytes of padding in
    front."""
    if size == count:
        return 1, 0
    if count != (size + 1) // 2:
        return 0, 0
    packed = field is not None and field.written in (BCD, SIGNED)
    return 2, int(bool(size % 2) and packed and field is not None and field.odd.left)


CHIP = 55
_IIN = 6
_DATE_NAMES = {
    "CCYY": "year",
    "YY": "year",
    "MM": "month",
    "DD": "day",
    "hh": "hour",
    "mm": "minute",
    "ss": "second",
}


@dataclass(frozen=True, slots=True)
class ShownPart:
    """One part of a value. `start` and `end` count characters of the value; `label` is short (a tag, a
    position), `depth` the level of nesting."""

    label: str
    name: str
    meaning: str
    start: int
    end: int
    depth: int = 0
    value: str = ""


def parts(message: Message, number: int, text: str, network: str | None = None) -> list[ShownPart]:
    """The parts of element *number* of *message* (0 is the MTI), with the layouts of *network*; *text* is
    its value as displayed. Empty for an element without known parts, or if hidden text would have to be read.
    """
    if number == 0:
        return list(_mti(message.mti))
    value = message.get(number)
    if number == CHIP and (tags := list(_chip(value, network))):
        return tags
    hidden = text != value
    if hidden and number != 2 and is_sensitive(number, message.version):
        return []
    if number == 2:
        return list(_pan(message, text))
    if entries := unfold(message, number, network):
        return [_part(entry, text) for entry in entries]
    pattern, at, shown = message.spec[number].pattern, 0, []
    for letters in dates.split(pattern, value) if pattern and len(pattern) == len(value) else ():
        shown.append(ShownPart(letters, _DATE_NAMES[letters], "", at, at + len(letters)))
        at += len(letters)
    return shown


def _part(entry: Told, text: str) -> ShownPart:
    """A part as it may be shown. A partly hidden one has no meaning, unless the layout itself hides it."""
    part = entry.part
    hidden = text[part.start : part.end] != part.value and not part.sensitive
    value = "" if hidden or entry.shown == part.value else entry.shown
    return ShownPart(
        entry.label, entry.name, "" if hidden else entry.meaning, part.start, part.end, entry.depth, value
    )


def _mti(text: str) -> Iterator[ShownPart]:
    mti_parts = mti.split(text)
    version = f"ISO 8583:{mti_parts.version}" if mti_parts.version else ""
    meanings = (version, mti_parts.message_class, mti_parts.function, mti_parts.origin)
    for at, name in enumerate(("version", "class", "function", "origin")):
        yield ShownPart(str(at + 1), name, meanings[at] or "no known meaning", at, at + 1)


def _pan(message: Message, text: str) -> Iterator[ShownPart]:
    size = len(text)
    if size < 13 or mti.is_network_management(message.mti):
        return
    yield ShownPart(f"1-{_IIN}", "issuer identification number (IIN)", "who issued the card", 0, _IIN)
    yield ShownPart(f"{_IIN + 1}-{size - 1}", "account", "whose card it is", _IIN, size - 1)
    yield ShownPart(str(size), "check digit", "Luhn, over all digits before it", size - 1, size)


def _chip(value: str, network: str | None) -> Iterator[ShownPart]:
    """The tags of chip data, and the parts of those that a network defines."""
    owner = emv.owner_of(chip_data.read(value)) or network
    for tag in emv.decode(value, owner):
        yield ShownPart(tag.tag, tag.name, tag.meaning, tag.start, tag.end, tag.depth, tag.value_shown)
        inside = value[tag.start : tag.end].upper()
        for entry in inside_tag(tag.tag, inside, owner) if tag.value_shown == inside else ():
            at, depth = tag.start + entry.part.start, tag.depth + 1 + entry.depth
            end = tag.start + entry.part.end
            yield ShownPart(entry.label, entry.name, entry.meaning, at, end, depth, entry.shown)


Data = dict[str, Any]

_KINDS = {MTI_FIELD: "mti", BITMAP_FIELD: "bitmap"}
_LONE = re.compile("[\ud800-\udfff]")
_ORDER = [severity.value for severity in Severity]


def as_text(message: object, version: str | None = None) -> tuple[str, str | None]:
    """A message argument (text, bytes, `Message`, message table) as text, and the version to read it as: the
    one given, that of a Message or a table, or None to take it from the MTI. Bytes that are not printable
    are written in hex.

    Raises BuildError for elements that cannot be written, TypeError for anything but a message.
    """
    if isinstance(message, bytes | bytearray):
        text = bytes(message).decode("latin-1")
        message = text if text.isascii() and strip_line_ending(text).isprintable() else message.hex().upper()
    if isinstance(message, str):
        return strip_line_ending(str(message)), version
    if isinstance(message, Message):
        return build(message), version or message.version
    table = getattr(message, "iso", None)
    if table is not None and callable(getattr(table, "message", None)):
        raise TypeError("this table has many messages: LogExplorer shows all, .iso.message(row) is one")
    if table is None or not hasattr(table, "message"):
        raise TypeError(f"a message is a text, a Message or a message table, not {type(message).__name__}")
    return strip_line_ending(str(table.message)), version or table.version


def link_of(message: object) -> str | None:
    """The interface of a Message or a message table; None if it is that of the card's brand."""
    dialect = message.dialect if isinstance(message, Message) else None
    facts = getattr(message, "attrs", {}).get("iso", {})
    return (dialect.interface if dialect else facts.get("interface")) or None


def view(
    message: object,
    version: str | None = None,
    network: str | None = None,
    masked: bool = True,
) -> Data:
    """The view of *message*, valid or broken, or of pasted bytes in any notation, as described above.

    *version* None takes it from the MTI, *network* None is the card's. Raises BuildError for elements that
    cannot be written, ChoiceError for an unknown version or network.
    """
    raw, version, reading = taken(message, version)
    return view_of(dissected(raw, version, network, reading), masked, held=reading)


def dissected(raw: str, version: str | None, network: str | None, held: Reading | None) -> Anatomy:
    """The anatomy of the text *raw*, or of *held* if that has no text form or is in a dialect."""
    chosen = chosen_version(raw, version)
    if held is not None and held.version == (version or held.version):
        return dissect(held, network=network) if held.text is None else dissect(raw, held.table, network)
    return dissect(raw, chosen, network)


def taken(message: object, version: str | None) -> tuple[str, str | None, Reading | None]:
    """A message argument as text and version, as from `as_text`, and the bytes it came in, if any.

    Raises the errors of `as_text`.
    """
    paste = message if isinstance(message, str | bytes) else None
    whole = read(paste, version=version) if paste else None
    reading = kept(whole) if whole else None
    if (link := link_of(message)) is not None:
        reading = recognised(as_text(message, version)[0], version=version, interface=link)
    if reading is None:
        first = whole.text if whole and whole.more else None
        return *as_text(first or message, version), None
    if version is None and chosen_version(reading.mti, None) != reading.version:
        version = reading.version
    return shown_text(reading), version, reading


def view_of(seen: Anatomy, masked: bool, *, full_bitmap: bool = False, held: Reading | None = None) -> Data:
    """The view of an anatomy; *full_bitmap* gives 128 cells even if only one bitmap was sent."""
    report = None if seen.findings else judge(seen.message, seen.network, ())
    judged = report.findings if report else seen.findings
    findings = [_finding(finding) for finding in judged]
    texts = seen.covered if masked else {cell.number: cell[1:] for cell in seen.cells}
    elements = [_element(seen, place, *texts[place.number], findings) for place in seen.places]
    numbers = {element["number"] for element in elements}
    mti_text = "" if elements[0]["state"] != READ else seen.raw[: seen.places[0].end]
    mti_parts = mti.split(mti_text) if mti_text else None
    text = "".join(prefix + value for prefix, value in texts.values())
    data: Data = {
        "text": _sendable(text),
        "length": len(seen.raw),
        "mti": mti_text,
        "title": (mti_parts.name or "no known message type") if mti_parts else "no message",
        "version": seen.version,
        "network": seen.network or "",
        "masked": masked,
        "hides": text != seen.raw,
        "elements": elements,
        "findings": findings,
        "general": [finding for finding in findings if finding["number"] not in numbers],
        "segments": list(_segments(seen, texts)),
        "valid": report is not None and report.valid,
        "fault": _fault(seen, str(held.error) if held and held.error else ""),
        "bytes": byte_data(seen, held, masked) if held and held.data else None,
    }
    data["cells"] = _cells(data, seen.message.spec, full_bitmap)
    return data


def _fault(seen: Anatomy, said: str) -> Data | None:
    """Where reading stopped; *said* is the reason if bytes were read."""
    fault, stop = seen.fault, seen.stop
    if fault is None or stop is None:
        return None
    return {
        "number": stop.number,
        "start": fault.start if fault.start is not None else stop.start,
        "end": stop.end,
        "sentence": said or fault.message,
        "hint": "" if said else fault.hint,
        "offer": "" if said else offered(seen.raw, seen.version),
    }


def _sendable(text: str) -> str:
    """*text* with U+FFFD for lone surrogates, which cannot be sent as UTF-8."""
    return _LONE.sub("\ufffd", text)


def _segments(seen: Anatomy, texts: Mapping[int, tuple[str, str]]) -> Iterator[Data]:
    """Prefixes and values in order; an empty one only where something is missing."""
    for place in seen.places:
        prefix, value = texts[place.number]
        kind = place.state if place.state != READ else _KINDS.get(place.number, "value")
        faulty = place.state == FAULT
        if prefix:
            span = {"start": place.start, "end": place.value_start, "text": _sendable(prefix)}
            yield span | {"kind": kind if faulty else "prefix", "number": place.number}
        if value or faulty:
            span = {"start": place.value_start, "end": place.end, "text": _sendable(value)}
            yield span | {"kind": kind, "number": place.number}


def _finding(finding: Finding) -> Data:
    names = ("path", "name", "hint", "rule", "source", "network", "start", "end")
    words = {"number": finding.field, "severity": finding.severity.value, "sentence": finding.message}
    return words | {name: getattr(finding, name) for name in names}


def _element(seen: Anatomy, place: Place, prefix: str, value: str, findings: list[Data]) -> Data:
    number = place.number
    own_findings = [
        finding
        for finding in findings
        if finding["number"] == number or (number == UNREAD and finding["number"] is None)
    ]
    about, note = _about(seen, place)
    return {
        "number": number,
        "name": "left unread" if number == UNREAD else seen.name(place),
        "format": seen.format(place),
        "about": about,
        "note": note,
        "value": _sendable(value),
        "prefix": _sendable(prefix),
        "start": place.start,
        "value_start": place.value_start,
        "end": place.end,
        "state": place.state,
        "hidden": prefix + value != seen.raw[place.start : place.end],
        "severity": min((finding["severity"] for finding in own_findings), key=_ORDER.index, default=""),
        "findings": own_findings,
        "meaning": _sendable(seen.meaning(place)),
        "children": _children(seen, place, value),
    }


def _children(seen: Anatomy, place: Place, value: str) -> list[Data]:
    """The parts of a value; none if it could not be read."""
    if place.state != READ or place.number == BITMAP_FIELD:
        return []
    children, at = [], place.value_start
    for part in parts(seen.message, place.number, value, seen.network):
        texts = {"value": part.value or value[part.start : part.end], "meaning": part.meaning}
        row: Data = {"label": part.label, "name": part.name, "depth": part.depth}
        row |= {name: _sendable(text) for name, text in texts.items()}
        children.append(row | {"start": at + part.start, "end": at + part.end})
    return children


def _about(seen: Anatomy, place: Place) -> tuple[str, str]:
    """The format in words, and a note on the element."""
    if place.number == UNREAD:
        return "", ""
    if place.number == MTI_FIELD:
        return "version, class, function and origin, a digit each", ""
    if place.number == BITMAP_FIELD:
        width = bitmap_width(seen.raw)
        return f"{width} hex digits, one bit for each element from 1 to {4 * width}", ""
    element = seen.message.spec[place.number]
    return say_format(element), element.note


def say_format(element: ElementSpec) -> str:
    """The format of an element in words.

    >>> from sim.spec import spec
    >>> say_format(spec("1987")[2])
    'up to 19 characters, after a length prefix of 2 digits: digits only'
    >>> say_format(spec("1987")[52])
    'always 16 characters: hex digits only'
    """
    size = counted(element.width, "character")
    what = CLASS_NAMES[element.content]
    if element.fixed:
        return f"always {size}: {what}"
    return f"up to {size}, after a length prefix of {element.prefix} digits: {what}"


def _cells(data: Data, elements: Spec, full_bitmap: bool) -> list[Data]:
    """The bitmap as cells; none if it could not be read or its digits may be a card number."""
    states = {element["number"]: element["state"] for element in data["elements"]}
    bits = next((segment["text"] for segment in data["segments"] if segment["kind"] == "bitmap"), "")
    if not bits or not bitmap.HEX_DIGITS.issuperset(bits):
        return []
    announced = {*bitmap.numbers(bits), *([1] if bitmap.has_secondary(bits[0]) else [])}
    return [
        {
            "number": number,
            "set": number in announced,
            "state": states.get(number, "unread") if number in announced else "",
            "name": "Secondary bitmap" if number == 1 else name,
            "known": not name.lower().startswith("reserved"),
        }
        for number in range(1, 129 if full_bitmap else 4 * len(bits) + 1)
        for name in [told_name(elements, number)]
    ]
