"""Faults of framing: the text no longer parses, and parsing it shows where a reader stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sim.codec import Message, ParseError, build, parse, spans
from sim.judge import Severity
from sim.operations.faults.change import FRAMING, Attempt, Broken, Fault
from sim.spec import VERSIONS, ElementSpec
from sim.spec.tables import read_toml

RULE = "framing"
_TPDU = "6000010000"
_HEADER = "ISO016000055"  # 12 characters that some hosts send first
_SHOWN_ON = ("auth", "account", "stripe", "chip", "reversal")
_BITMAP, _PAN = 4, 2
_HALF = 16


@dataclass(frozen=True, slots=True)
class Text:
    """A valid message as the faults need it: its text, the positions of its elements, and their
    specifications in order."""

    message: Message
    raw: str
    places: dict[int, tuple[int, int, int]]
    elements: tuple[ElementSpec, ...]

    @property
    def variable(self) -> list[ElementSpec]:
        """The elements of variable length."""
        return [element for element in self.elements if not element.fixed]

    @property
    def last(self) -> ElementSpec:
        """The element at the end of the text."""
        return self.elements[-1]

    def start(self, element: ElementSpec) -> int:
        """Where an element begins, its length prefix included."""
        return self.places[element.number][0]

    def put(self, at: int, text: str) -> str:
        """The text with characters replaced."""
        return self.raw[:at] + text + self.raw[at + len(text) :]


How = Callable[[Text], str | None]  # the broken text; None if the fault does not apply


def _stop(raw: str, version: str) -> ParseError | None:
    """The error where a reader stops in *raw*; None if it does not."""
    try:
        parse(raw, version)
    except ParseError as error:
        return error
    return None


def _cut(text: Text) -> str | None:
    return text.raw[:-1] if text.message[text.last.number] else None


def _lost(text: Text) -> str | None:
    """A digit is lost in an element of fixed length: the rest moves forward by one, and the next length
    prefix is read one character late."""
    for at, element in enumerate(text.elements):
        after = next((later for later in text.elements[at + 1 :] if not later.fixed), None)
        if element.fixed and after:
            lost = text.start(element)
            raw = text.raw[:lost] + text.raw[lost + 1 :]
            error = _stop(raw, text.message.version)
            if error and (error.field, error.offset) == (after.number, text.start(after)):
                return raw
    return None


def _added(text: Text) -> str | None:
    """An extra 9 before a length prefix: the preceding element is complete, so the 9 is read as a length."""
    fits = (
        element
        for element in text.variable
        if element.number > _PAN and element.width < 9 * 10 ** (element.prefix - 1)
    )
    start = next(map(text.start, fits), None)
    return None if start is None else text.raw[:start] + "9" + text.raw[start:]


def _length_letter(text: Text) -> str | None:
    return next((text.put(text.start(element), "O") for element in text.variable), None)


def _length_over_maximum(text: Text) -> str | None:
    fits = (element for element in text.variable if element.width < 10**element.prefix - 1)
    texts = (text.put(text.start(element), f"{element.width + 1:0{element.prefix}}") for element in fits)
    return next(texts, None)


def _length(text: Text, step: int) -> str | None:
    """The text with another length prefix for its last element; None if that has none."""
    element, size = text.last, len(text.message[text.last.number])
    if element.fixed or not 0 <= size + step <= element.width:
        return None
    return text.put(text.start(element), f"{size + step:0{element.prefix}}")


def _flipped(text: Text, number: int) -> str:
    """The text with one bit of its bitmap flipped."""
    at = _BITMAP + (number - 1) // 4
    return text.put(at, f"{int(text.raw[at], 16) ^ 8 >> (number - 1) % 4:X}")


def _bit_without_data(text: Text) -> str | None:
    last = 128 if text.message.has_secondary else 64
    return None if last in text.message else _flipped(text, last)


def _raw_bitmap(text: Text) -> str:
    end = text.places[1][2]
    return text.raw[:_BITMAP] + bytes.fromhex(text.raw[_BITMAP:end]).decode("latin-1") + text.raw[end:]


# How to make each fault; `faults.toml` has the sentences.
FAULTS: dict[str, How] = {
    "empty": lambda text: "",
    "cut-in-mti": lambda text: text.raw[:3],
    "cut-in-bitmap": lambda text: text.raw[: _BITMAP + 6],
    "cut-in-half": lambda text: (
        text.raw[: len(text.raw) // 2] if len(text.raw) // 2 >= text.places[1][2] else None
    ),
    "cut-at-the-end": _cut,
    "character-lost": _lost,
    "character-added": _added,
    "trailing-character": lambda text: text.raw + "0",
    "trailing-blanks": lambda text: text.raw + "  ",
    "length-letter": _length_letter,
    "length-over-maximum": _length_over_maximum,
    "length-too-long": lambda text: _length(text, 1),
    "length-too-short": lambda text: _length(text, -1),
    "bit-without-data": _bit_without_data,
    "data-without-bit": lambda text: _flipped(text, text.last.number),
    "bitmap-no-hex": lambda text: text.put(_BITMAP + 5, "G"),
    "second-bitmap-no-hex": lambda text: (
        text.put(_BITMAP + _HALF + 5, "G") if text.message.has_secondary else None
    ),
    "bitmap-raw-bytes": _raw_bitmap,
    "mti-letter": lambda text: text.put(0, "O"),
    "mti-other-digits": lambda text: text.put(0, "\uff10"),
    "length-header": lambda text: f"{len(text.raw):04}{text.raw}",
    "binary-length-header": lambda text: chr(len(text.raw) >> 8) + chr(len(text.raw) & 0xFF) + text.raw,
    "tpdu": lambda text: _TPDU + text.raw,
    "host-header": lambda text: _HEADER + text.raw,
    "hex-dump": lambda text: text.raw.encode("utf-8").hex().upper(),
    "quoted": lambda text: f'"{text.raw}"',
    "line-break": lambda text: text.raw[:12] + "\n" + text.raw[12:],
}


def table() -> Iterator[tuple[Fault, Attempt]]:
    """All faults of framing."""
    for name, what in read_toml("faults")["framing"].items():
        fault = Fault(name, RULE, what, VERSIONS, _SHOWN_ON, FRAMING)
        yield fault, partial(_attempt, fault, FAULTS[name], None)
    for version in VERSIONS:
        what = f"The message is read as ISO 8583:{version}, the wrong version."
        others = tuple(other for other in VERSIONS if other != version)
        fault = Fault(f"read-as-{version}", RULE, what, others, _SHOWN_ON, FRAMING)
        yield fault, partial(_attempt, fault, lambda text: text.raw, version)


def _attempt(
    fault: Fault, how: How, read_as: str | None, message: Message, network: str | None
) -> Broken | None:
    """The broken message, if a reader of it stops; None if not."""
    if message.version not in fault.versions or not message.fields:
        return None
    original, version = build(message), read_as or message.version
    elements = tuple(message.spec[number] for number in sorted(message.fields))
    raw = how(Text(message, original, spans(message), elements))
    if raw is None or (error := _stop(raw, version)) is None:
        return None
    head = fault.id, fault.rule, fault.what, original, raw, version, network
    path = "" if error.field is None else str(error.field)
    return Broken(*head, Severity.ERROR, error.field, path, error.offset)
