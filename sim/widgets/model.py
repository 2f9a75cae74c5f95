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
    fault       {number, start, end, sentence, hint} of a text that is no message, else None

Offsets count characters of the text from 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim.codec import Message, ParseError, bitmap, build, parse
from sim.elements import mti
from sim.elements.meaning import meaning
from sim.judge import Finding, Severity, run
from sim.operations import chosen_version, strip_line_ending
from sim.operations.validation import chosen_network, framing_finding, judge
from sim.spec import ElementSpec, spec
from sim.widgets.covered import broken_text, sound_text
from sim.widgets.parts import parts
from sim.widgets.pieces import (
    FAULT,
    PREFIX,
    REST,
    UNREAD,
    Piece,
    bitmap_width,
    broken_pieces,
    sound_pieces,
)

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
_SHAPE_RULES = frozenset(
    {"character-class", "date", "mti-version", "mti-class", "mti-function", "mti-origin"}
)
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
    *,
    full_bitmap: bool = False,
) -> Data:
    """The view of *message*, sound or broken, as described above.

    *version* None reads it off the MTI, *network* None is the card's; *full_bitmap* gives 128 cells
    even where one bitmap was sent. Raises BuildError for elements that cannot be written, SpecError
    for an unknown version or network.
    """
    raw, version = as_text(message, version)
    chosen = chosen_version(raw, version)
    try:
        parsed = parse(raw, chosen)
    except ParseError as error:
        data = _broken(raw, chosen, network, error, masked)
    else:
        data = _sound(raw, parsed, network, masked)
    data["cells"] = _cells(data, chosen, full_bitmap)
    return data


def _sound(raw: str, message: Message, network: str | None, masked: bool) -> Data:
    report = judge(message, network, ())
    shown = sound_text(message, raw, suspect=_misshapen(report.findings)) if masked else raw
    found = [_finding(one) for one in report.findings]
    elements = _elements(raw, shown, message, sound_pieces(message), report.network, found)
    return _frame(raw, shown, message.mti, message.version, report.network, elements, found, masked) | {
        "segments": _segments(shown, sound_pieces(message)),
        "valid": report.valid,
        "fault": None,
    }


def _broken(raw: str, version: str, network: str | None, error: ParseError, masked: bool) -> Data:
    partial = error.partial
    suspect = partial is None or _misshapen(run(partial))
    shown = broken_text(raw, partial, version, suspect=suspect) if masked else raw
    pieces = broken_pieces(raw, version, error)
    first = framing_finding(raw, version, error)
    own = chosen_network(partial, network) if partial is not None else network
    read = partial if partial is not None else Message(raw[:4], {}, version)
    found = [_finding(first)]
    fault = next(piece for piece in pieces if piece.kind in (FAULT, REST))
    elements = _elements(raw, shown, read, pieces, own, found)
    mti_text = raw[:4] if error.field != 0 else ""
    return _frame(raw, shown, mti_text, version, own, elements, found, masked) | {
        "segments": _segments(shown, pieces),
        "valid": False,
        "fault": {
            "number": fault.number,
            "start": first.start if first.start is not None else fault.start,
            "end": fault.end,
            "sentence": first.message,
            "hint": first.hint,
        },
    }


def _misshapen(findings: Iterable[Finding]) -> bool:
    """Whether some value does not look like what its element should hold: it may be another's."""
    return any(one.is_error and one.rule in _SHAPE_RULES for one in findings)


def _frame(
    raw: str,
    shown: str,
    mti_text: str,
    version: str,
    network: str | None,
    elements: list[Data],
    found: list[Data],
    masked: bool,
) -> Data:
    there = {element["number"] for element in elements}
    said = mti.split(mti_text) if mti_text else None
    return {
        "text": _sendable(shown),
        "length": len(raw),
        "mti": mti_text,
        "title": (said.name or "no known message type") if said else "no message",
        "version": version,
        "network": network or "",
        "masked": masked,
        "hides": shown != raw,
        "elements": elements,
        "findings": found,
        "general": [one for one in found if one["number"] is None or one["number"] not in there],
    }


def _sendable(text: str) -> str:
    """Lone surrogates cannot be sent as UTF-8; they stand as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _lone(text) else text


def _lone(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _segments(shown: str, pieces: list[Piece]) -> list[Data]:
    text = "".join("\ufffd" if _lone(char) else char for char in shown)
    return [
        {
            "start": piece.start,
            "end": piece.end,
            "text": text[piece.start : piece.end],
            "kind": piece.kind,
            "number": piece.number,
        }
        for piece in pieces
    ]


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


def _elements(
    raw: str,
    shown: str,
    message: Message,
    pieces: list[Piece],
    network: str | None,
    found: list[Data],
) -> list[Data]:
    places: dict[int, list[Piece]] = {}
    for piece in pieces:
        places.setdefault(piece.number, []).append(piece)
    made = []
    for number, own in places.items():
        start, end = own[0].start, own[-1].end
        first = own[0].end if own[0].kind == PREFIX else start
        state = {FAULT: "fault", REST: "unread"}.get(own[-1].kind, "read")
        told = [
            one for one in found if one["number"] == number or (number == UNREAD and one["number"] is None)
        ]
        value = shown[first:end]
        element = {
            "number": number,
            "value": _sendable(value),
            "prefix": shown[start:first],
            "start": start,
            "value_start": first,
            "end": end,
            "state": state,
            "hidden": value != raw[first:end],
            "severity": min((one["severity"] for one in told), key=_ORDER.index, default=""),
            "findings": told,
        }
        made.append(element | _labels(raw, message, number) | _told(message, number, element, network))
    return made


def _told(message: Message, number: int, element: Data, network: str | None) -> Data:
    """What the value means, and its parts; nothing of what could not be read."""
    if element["state"] != "read" or not (number <= 1 or number in message):
        return {"meaning": "", "children": []}
    if number == 1:
        return {"meaning": _announced(message, element), "children": []}
    value, start = element["value"], element["value_start"]
    children = [
        {
            "label": part.label,
            "name": part.name,
            "value": _sendable(part.value or value[part.start : part.end]),
            "meaning": _sendable(part.meaning),
            "start": start + part.start,
            "end": start + part.end,
            "depth": part.depth,
        }
        for part in parts(message, number, value)
    ]
    return {"meaning": _sendable(meaning(message, number, network)), "children": children}


def _announced(message: Message, element: Data) -> str:
    bits = element["value"]
    readable = len(bits) % 16 == 0 and bitmap.HEX_DIGITS.issuperset(bits)
    announced = bitmap.numbers(bits) if readable else tuple(message.fields)
    return meaning(Message(message.mti, dict.fromkeys(announced, ""), message.version), 1)


def _labels(raw: str, message: Message, number: int) -> Data:
    if number == UNREAD:
        return {"name": "left unread", "format": "", "about": "", "note": ""}
    if number == 0:
        about = "version, class, function and origin, a digit each"
        return {"name": "Message type indicator", "format": "n 4", "about": about, "note": ""}
    if number == 1:
        width = bitmap_width(raw)
        about = f"{width} hex digits, a bit for each of the elements 1 to {4 * width}"
        return {"name": "Bitmap", "format": f"b {width // 2}", "about": about, "note": ""}
    element = message.spec[number]
    return {
        "name": element.name,
        "format": element.format,
        "about": say_format(element),
        "note": element.note,
    }


def say_format(element: ElementSpec) -> str:
    """The format of an element in words.

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


def _cells(data: Data, version: str, full_bitmap: bool) -> list[Data]:
    """The bitmap as cells; none where it could not be read or its digits may be a card number."""
    states = {element["number"]: element["state"] for element in data["elements"]}
    bits = next((one["text"] for one in data["segments"] if one["kind"] == "bitmap"), "")
    if not bits or not bitmap.HEX_DIGITS.issuperset(bits):
        return []
    announced = {*bitmap.numbers(bits), *([1] if bitmap.has_secondary(bits[0]) else [])}
    elements = spec(version)
    return [
        {
            "number": number,
            "set": number in announced,
            "state": states.get(number, "unread") if number in announced else "",
            "name": "Secondary bitmap" if number == 1 else elements[number].name,
            "known": not elements[number].name.lower().startswith("reserved"),
        }
        for number in range(1, 129 if full_bitmap else 4 * len(bits) + 1)
    ]
