"""Faults of framing: the text no longer parses. Most say beforehand where a reader must stop; where
characters in front shift everything, the place depends on the digits and is read off the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sim.codec import Message, ParseError, build, parse, spans
from sim.codec.bitmap import HEX_DIGITS
from sim.judge import Severity
from sim.operations.faults.change import FRAMING, Attempt, Broken, Fault, broken
from sim.spec import VERSIONS, ElementSpec

RULE = "framing"
_TPDU = "6000010000"
_HEADER = "ISO016000055"  # 12 characters, as some hosts put them in front
_SHOWN_ON = ("auth", "account", "stripe", "chip", "reversal")
_BITMAP, _PAN = 4, 2
_HALF = 16


@dataclass(frozen=True, slots=True)
class Text:
    """A good message with what the faults ask of it: its text, where everything stands, its elements
    in order."""

    message: Message
    raw: str
    places: dict[int, tuple[int, int, int]]
    elements: tuple[ElementSpec, ...]

    @property
    def last(self) -> ElementSpec:
        """The element at the end of the text."""
        return self.elements[-1]

    def start(self, number: int) -> int:
        """Where an element begins, its length prefix included."""
        return self.places[number][0]

    def value(self, number: int) -> int:
        """Where the value of an element begins."""
        return self.places[number][1]

    def put(self, at: int, text: str) -> str:
        """The text with characters replaced."""
        return self.raw[:at] + text + self.raw[at + len(text) :]


# The broken text, and field and offset at which a reader must stop.
Misfit = tuple[str, int | None, int | None]
How = Callable[[Text], Misfit | None]


def _found(raw: str, version: str) -> Misfit | None:
    """Where a reader stops in *raw*; None when it does not."""
    try:
        parse(raw, version)
    except ParseError as error:
        return raw, error.field, error.offset
    return None


def _first_variable(text: Text, fits: Callable[[ElementSpec], bool]) -> ElementSpec | None:
    return next((one for one in text.elements if not one.fixed and fits(one)), None)


def _cut(text: Text) -> Misfit | None:
    start = text.value(text.last.number)
    return (text.raw[:-1], text.last.number, start) if start < len(text.raw) else None


def _cut_in_half(text: Text) -> Misfit | None:
    middle = len(text.raw) // 2
    for one in text.elements:
        start, first, end = text.places[one.number]
        if start <= middle < end:
            return text.raw[:middle], one.number, first if middle >= first else start
    return None


def _cut_in_bitmap(text: Text) -> Misfit:
    return text.raw[: _BITMAP + 6], 1, _BITMAP


def _lost(text: Text) -> Misfit | None:
    """A digit is lost in an element of fixed length: what follows moves forward by one, and the next
    length prefix is read one character late."""
    for at, one in enumerate(text.elements):
        after = [later for later in text.elements[at + 1 :] if not later.fixed][:1]
        if one.fixed and after:
            start, size = text.start(after[0].number), after[0].prefix
            read = text.raw[start + 1 : start + 1 + size]
            if not (read.isascii() and read.isdigit()) or int(read) > after[0].width:
                lost = text.value(one.number)
                return text.raw[:lost] + text.raw[lost + 1 :], after[0].number, start
    return None


def _added(text: Text) -> Misfit | None:
    """A 9 more in front of a length prefix: what stands before it is full, so the 9 is read as a length."""
    one = _first_variable(text, lambda one: one.number > _PAN and one.width < 9 * 10 ** (one.prefix - 1))
    if one is None:
        return None
    start = text.start(one.number)
    return text.raw[:start] + "9" + text.raw[start:], one.number, start


def _length_letter(text: Text) -> Misfit | None:
    one = _first_variable(text, lambda one: True)
    if one is None:
        return None
    return text.put(text.start(one.number), "O"), one.number, text.start(one.number)


def _length_over_maximum(text: Text) -> Misfit | None:
    one = _first_variable(text, lambda one: one.width < 10**one.prefix - 1)
    if one is None:
        return None
    return (
        text.put(text.start(one.number), f"{one.width + 1:0{one.prefix}}"),
        one.number,
        text.start(one.number),
    )


def _length(text: Text, step: int) -> str | None:
    """The text with the length of its last element changed, when that has a length."""
    one, size = text.last, len(text.message[text.last.number])
    if one.fixed or not 0 <= size + step <= one.width:
        return None
    return text.put(text.start(one.number), f"{size + step:0{one.prefix}}")


def _length_too_long(text: Text) -> Misfit | None:
    raw = _length(text, 1)
    return (raw, text.last.number, text.value(text.last.number)) if raw else None


def _length_too_short(text: Text) -> Misfit | None:
    raw = _length(text, -1)
    return (raw, None, len(raw) - 1) if raw else None


def _flipped(text: Text, number: int) -> str:
    """The text with one bit of its bitmap turned over."""
    at = _BITMAP + (number - 1) // 4
    return text.put(at, f"{int(text.raw[at], 16) ^ 8 >> (number - 1) % 4:X}")


def _bit_without_data(text: Text) -> Misfit | None:
    last = 128 if text.message.has_secondary else 64
    return None if last in text.message else (_flipped(text, last), last, len(text.raw))


def _data_without_bit(text: Text) -> Misfit:
    return _flipped(text, text.last.number), None, text.start(text.last.number)


def _no_hex(text: Text) -> Misfit:
    return text.put(_BITMAP + 5, "G"), 1, _BITMAP + 5


def _no_hex_in_second(text: Text) -> Misfit | None:
    at = _BITMAP + _HALF + 5
    return (text.put(at, "G"), 1, at) if text.message.has_secondary else None


def _raw_bitmap(text: Text) -> Misfit | None:
    end = text.places[1][2]
    raw = text.raw[:4] + bytes.fromhex(text.raw[4:end]).decode("latin-1") + text.raw[end:]
    bad = next((at for at, char in enumerate(raw[4:20]) if char not in HEX_DIGITS), None)
    return None if bad is None else (raw, 1, _BITMAP + bad)


FAULTS: dict[str, tuple[str, How]] = {
    "empty": ("The text is empty.", lambda text: ("", 0, 0)),
    "cut-in-mti": ("The text ends inside the MTI.", lambda text: (text.raw[:3], 0, 0)),
    "cut-in-bitmap": ("The text ends inside the bitmap.", _cut_in_bitmap),
    "cut-in-half": ("Only the first half of the text was pasted.", _cut_in_half),
    "cut-at-the-end": ("The last character of the text is lost.", _cut),
    "character-lost": ("A digit is lost in an element of fixed length.", _lost),
    "character-added": ("An extra 9 precedes a length prefix.", _added),
    "trailing-character": (
        "There is an extra character at the end.",
        lambda text: (text.raw + "0", None, len(text.raw)),
    ),
    "trailing-blanks": (
        "There are two extra blanks at the end.",
        lambda text: (text.raw + "  ", None, len(text.raw)),
    ),
    "length-letter": ("A length prefix begins with the letter O.", _length_letter),
    "length-over-maximum": ("A length prefix exceeds the element's maximum length.", _length_over_maximum),
    "length-too-long": ("The last element's length prefix is one too high.", _length_too_long),
    "length-too-short": ("The last element's length prefix is one too low.", _length_too_short),
    "bit-without-data": ("The bitmap announces a MAC at the end, but there is none.", _bit_without_data),
    "data-without-bit": ("The bitmap does not announce the last element.", _data_without_bit),
    "bitmap-no-hex": ("The bitmap contains a G, which is not a hex digit.", _no_hex),
    "second-bitmap-no-hex": ("The secondary bitmap contains a G.", _no_hex_in_second),
    "bitmap-raw-bytes": ("The bitmap is raw bytes instead of hex digits.", _raw_bitmap),
    "mti-letter": ("The MTI begins with the letter O.", lambda text: (text.put(0, "O"), 0, 0)),
    "mti-other-digits": (
        "The MTI begins with a non-ASCII digit.",
        lambda text: (text.put(0, "\uff10"), 0, 0),
    ),
    "length-header": (
        "A four-digit length header precedes the message.",
        lambda text: _found(f"{len(text.raw):04}{text.raw}", text.message.version),
    ),
    "binary-length-header": (
        "A two-byte length header precedes the message.",
        lambda text: (chr(len(text.raw) >> 8) + chr(len(text.raw) & 0xFF) + text.raw, 0, 0),
    ),
    "tpdu": (
        "A ten-digit TPDU precedes the message.",
        lambda text: _found(_TPDU + text.raw, text.message.version),
    ),
    "host-header": ("A host header precedes the message.", lambda text: (_HEADER + text.raw, 0, 0)),
    "hex-dump": (
        "The text is a hex dump of the message.",
        lambda text: _found(text.raw.encode("utf-8").hex().upper(), text.message.version),
    ),
    "quoted": ("The message is in quotes.", lambda text: (f'"{text.raw}"', 0, 0)),
    "line-break": (
        "The bitmap contains a line break.",
        lambda text: (text.raw[:12] + "\n" + text.raw[12:], 1, 12),
    ),
}


def table() -> Iterator[tuple[Fault, Attempt]]:
    """All faults of framing."""
    for name, (what, how) in FAULTS.items():
        fault = Fault(name, RULE, what, VERSIONS, _SHOWN_ON, FRAMING)
        yield fault, partial(_attempt, fault, how)
    for version in VERSIONS:
        what = f"The message is read as ISO 8583:{version}, the wrong version."
        others = tuple(other for other in VERSIONS if other != version)
        fault = Fault(f"read-as-{version}", RULE, what, others, _SHOWN_ON, FRAMING)
        yield fault, partial(_read_as, fault, version)


def _read_as(fault: Fault, version: str, message: Message, network: str | None) -> Broken | None:
    """The text as it is, read as another version."""
    raw = build(message)
    misfit = _found(raw, version) if message.version != version else None
    return misfit and broken(fault, raw, raw, misfit[1:], version, network, Severity.ERROR)


def _attempt(fault: Fault, how: How, message: Message, network: str | None) -> Broken | None:
    raw = build(message)
    elements = tuple(message.spec[number] for number in sorted(message.fields))
    misfit = how(Text(message, raw, spans(message), elements)) if elements else None
    if misfit is None:
        return None
    text, number, start = misfit
    return broken(fault, raw, text, (number, start), message.version, network, Severity.ERROR)
