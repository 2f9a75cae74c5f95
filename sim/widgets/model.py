"""The view of a message as plain data, fit for JSON: what the anatomy, its HTML and its text project.

Free of widgets and of pandas. With `masked` (the default) it holds no card data at all: every text in
it is cut from the masked message.

    text        the message, card data starred out when masked
    segments    [{start, end, text, kind, number}]: kind mti, bitmap, prefix, value, fault or unread;
                together the whole text; number 0 is the MTI, 1 the bitmap, -1 what was left unread
    cells       [{number, set, state, name, known}], 64 or 128; state read, fault or unread when set
    elements    [{number, name, format, about, note, value, prefix, meaning, start, value_start, end,
                state, hidden, severity, findings, children}] in the order of the text
    children    [{label, name, value, meaning, start, end, depth}]: sub-fields and chip data tags
    findings    [{severity, number, path, sentence, hint, rule, source, network, start, end}]
    general     those findings that no element of the text carries
    fault       {number, start, end, sentence, hint, offer} of a text that is no message, else None; `offer`
                is what a button can do about it, empty for nothing
    bytes       the bytes it came in, as `sim.widgets.byte_view` describes them, else None

Offsets count characters of the text from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sim.codec import Message, bitmap, build
from sim.elements import mti
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.judge import Finding, Severity
from sim.operations import chosen_version, strip_line_ending
from sim.operations.anatomy import FAULT, READ, UNREAD, Anatomy, Place, bitmap_width, dissect
from sim.operations.repairing.offering import offered
from sim.operations.rewriting import pasted, shown_text
from sim.operations.validation import judge
from sim.paste.reading import Reading
from sim.spec import ElementSpec, Spec
from sim.spec.networks import told_name
from sim.widgets.byte_view import byte_data
from sim.widgets.parts import parts

Data = dict[str, Any]

_CONTENT = {
    "a": "letters",
    "n": "digits",
    "ns": "digits and special characters",
    "as": "letters and special characters",
    "an": "letters and digits",
    "anp": "letters, digits and blanks",
    "ans": "any printable characters",
    "ansb": "any characters",
    "b": "hex digits",
    "z": "track data: digits and a separator, = or D",
    "x+n": "C (credit) or D (debit), then digits",
}
_KINDS = {MTI_FIELD: "mti", BITMAP_FIELD: "bitmap"}
_LONE = re.compile("[\ud800-\udfff]")
_ORDER = [severity.value for severity in Severity]


def as_text(message: object, version: str | None = None) -> tuple[str, str | None]:
    """A message argument (text, `Message`, message table) as text, and the version to read it as: the
    one given, the one a Message or a table brings along, or None to read it off the MTI.

    Raises BuildError for elements that cannot be written, TypeError for what is no message.
    """
    if isinstance(message, str):
        return strip_line_ending(str(message)), version
    if isinstance(message, Message):
        return build(message), version or message.version
    table = getattr(message, "iso", None)
    if table is None or not hasattr(table, "message"):
        raise TypeError(f"a message is a text, a Message or a message table, not {type(message).__name__}")
    return strip_line_ending(str(table.message)), version or table.version


def view(
    message: object,
    version: str | None = None,
    network: str | None = None,
    masked: bool = True,
) -> Data:
    """The view of *message*, sound or broken, as described above.

    *version* None reads it off the MTI, *network* None is the card's. Raises BuildError for elements that
    cannot be written, SpecError for an unknown version or network.
    """
    raw, version = as_text(message, version)
    seen = dissect(raw, chosen_version(raw, version), network)
    return view_of(seen, masked)


def view_of_paste(message: object, version: str | None, network: str | None, masked: bool) -> Data:
    """The same, of a message or of a paste of bytes in any spelling; raises as `view` does."""
    raw, version, held = taken(message, version)
    return view_of(dissected(raw, version, network, held), masked, held=held)


def dissected(raw: str, version: str | None, network: str | None, held: Reading | None) -> Anatomy:
    """The anatomy of the text *raw*, or of what was read beside it, where that has no text form or is what a
    dialect writes."""
    chosen = chosen_version(raw, version)
    if held is not None and held.version == (version or held.version):
        return dissect(held, network=network) if held.text is None else dissect(raw, held.table, network)
    return dissect(raw, chosen, network)


def taken(message: object, version: str | None) -> tuple[str, str | None, Reading | None]:
    """A message argument as `as_text` gives it, and the bytes it came in: *message* may be a paste or bytes.

    Raises as `as_text` does.
    """
    paste = message if isinstance(message, str | bytes) else None
    held = pasted(paste, version=version) if paste else None
    if held is None:
        return *as_text(paste.decode("latin-1") if isinstance(paste, bytes) else message, version), None
    if version is None and chosen_version(held.mti, None) != held.version:
        version = held.version
    return shown_text(held), version, held


def view_of(seen: Anatomy, masked: bool, *, full_bitmap: bool = False, held: Reading | None = None) -> Data:
    """The same of an anatomy that is there already; *full_bitmap* gives 128 cells even where one bitmap was
    sent."""
    report = None if seen.findings else judge(seen.message, seen.network, ())
    judged = report.findings if report else seen.findings
    found = [_finding(one) for one in judged]
    shown = seen.covered if masked else {cell.number: cell[1:] for cell in seen.cells}
    elements = [_element(seen, place, *shown[place.number], found) for place in seen.places]
    there = {element["number"] for element in elements}
    mti_text = "" if elements[0]["state"] != READ else seen.raw[: seen.places[0].end]
    said = mti.split(mti_text) if mti_text else None
    text = "".join(prefix + value for prefix, value in shown.values())
    data: Data = {
        "text": _sendable(text),
        "length": len(seen.raw),
        "mti": mti_text,
        "title": (said.name or "no known message type") if said else "no message",
        "version": seen.version,
        "network": seen.network or "",
        "masked": masked,
        "hides": text != seen.raw,
        "elements": elements,
        "findings": found,
        "general": [one for one in found if one["number"] is None or one["number"] not in there],
        "segments": list(_segments(seen, shown)),
        "valid": report is not None and report.valid,
        "fault": _fault(seen, str(held.error) if held and held.error else ""),
        "bytes": byte_data(seen, held, shown, masked) if held and held.data else None,
    }
    data["cells"] = _cells(data, seen.message.spec, full_bitmap)
    return data


def _fault(seen: Anatomy, said: str) -> Data | None:
    """Where reading stopped; *said* is why, where bytes were read."""
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
    """Lone surrogates cannot be sent as UTF-8; they stand as U+FFFD."""
    return _LONE.sub("\ufffd", text)


def _segments(seen: Anatomy, shown: Mapping[int, tuple[str, str]]) -> Iterator[Data]:
    """Prefixes and values as they follow each other; of all that is empty only where something is missing."""
    for place in seen.places:
        prefix, value = shown[place.number]
        kind = place.state if place.state != READ else _KINDS.get(place.number, "value")
        faulty = place.state == FAULT
        cuts = (
            (place.start, place.value_start, "prefix", prefix),
            (place.value_start, place.end, kind, value),
        )
        for start, end, name, text in cuts:
            if text or (faulty and name == kind):
                yield {
                    "start": start,
                    "end": end,
                    "text": _sendable(text),
                    "kind": kind if faulty else name,
                    "number": place.number,
                }


def _finding(one: Finding) -> Data:
    return {
        "severity": one.severity.value,
        "number": one.field,
        "path": one.path,
        "name": one.name,
        "sentence": one.message,
        "hint": one.hint,
        "rule": one.rule,
        "source": one.source,
        "network": one.network,
        "start": one.start,
        "end": one.end,
    }


def _element(seen: Anatomy, place: Place, prefix: str, value: str, found: list[Data]) -> Data:
    number = place.number
    told = [one for one in found if one["number"] == number or (number == UNREAD and one["number"] is None)]
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
        "severity": min((one["severity"] for one in told), key=_ORDER.index, default=""),
        "findings": told,
        "meaning": _sendable(seen.meaning(place)),
        "children": _children(seen, place, value),
    }


def _children(seen: Anatomy, place: Place, value: str) -> list[Data]:
    """The parts of a value; none of what could not be read."""
    if place.state != READ or place.number == BITMAP_FIELD:
        return []
    start = place.value_start
    return [
        {
            "label": part.label,
            "name": part.name,
            "value": _sendable(part.value or value[part.start : part.end]),
            "meaning": _sendable(part.meaning),
            "start": start + part.start,
            "end": start + part.end,
            "depth": part.depth,
        }
        for part in parts(seen.message, place.number, value, seen.network)
    ]


def _about(seen: Anatomy, place: Place) -> tuple[str, str]:
    """The format in words, and what is worth knowing of the element."""
    if place.number == UNREAD:
        return "", ""
    if place.number == MTI_FIELD:
        return "version, class, function and origin, a digit each", ""
    if place.number == BITMAP_FIELD:
        width = bitmap_width(seen.raw)
        return f"{width} hex digits, a bit for each of the elements 1 to {4 * width}", ""
    element = seen.message.spec[place.number]
    return say_format(element), element.note


def say_format(element: ElementSpec) -> str:
    """The format of an element in words.

    >>> from sim.spec import spec
    >>> say_format(spec("1987")[2])
    'up to 19 characters, after a length prefix of 2 digits: digits'
    >>> say_format(spec("1987")[52])
    'always 16 characters: hex digits'
    """
    size = f"{element.width} character{'' if element.width == 1 else 's'}"
    what = _CONTENT[element.content]
    if element.fixed:
        return f"always {size}: {what}"
    return f"up to {size}, after a length prefix of {element.prefix} digits: {what}"


def _cells(data: Data, elements: Spec, full_bitmap: bool) -> list[Data]:
    """The bitmap as cells; none where it could not be read or its digits may be a card number."""
    states = {element["number"]: element["state"] for element in data["elements"]}
    bits = next((one["text"] for one in data["segments"] if one["kind"] == "bitmap"), "")
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
