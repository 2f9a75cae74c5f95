"""Why a message does not parse: likely upstream causes, tried in turn.

A cause is reported only if undoing it makes the text parse (or, for a lost or added character, parse with
values that fit their classes), so a hint is never a guess. A cause includes the corrected text, if there is
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sim.codec import Message, ParseError, parse, spans
from sim.codec.bitmap import ALL_BITS, numbers
from sim.codec.text import MTI_WIDTH, announced, ends, read_values, reads
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.judge import elements
from sim.judge.finding import catalogue
from sim.spec import VERSIONS, spec

_QUOTES = "\"'`"
_OF_DIGITS = frozenset("3Ff")
STRIPPED, DECODED, REWRITTEN, READ = "stripped", "decoded", "rewritten", "read"
BLANKS = "The message has blanks before or after it; remove them."
REPAIR = "Repair"  # the button if the error is inside the message
# An MTI after an otherwise unknown header; a lookahead, so matches may overlap.
_MTI = re.compile("(?=[012][1-8][0-9][0-5])")
_HEADERS = (2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 22, 44)
# How many elements before the error are checked for a lost or added character: the cause is close.
_NEAR = 32
# An error at the start of the text has no earlier cause.
_AT_THE_START: dict[int | None, str] = {
    MTI_FIELD: "A message starts with its MTI, four digits such as 0100; this text does not.",
    BITMAP_FIELD: "The bitmap follows the MTI: 16 hex digits, or 32 if its first bit is set.",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """Something around a message, or another encoding of it: a `hint` with the cause and the remedy, the
    remedy in a word (`action`) and as a button (`offer`), and the corrected `text`, which reads as `version`;
    None if there is none."""

    hint: str
    action: str
    text: str | None
    version: str
    offer: str


def likely_cause(raw: str, version: str, error: ParseError) -> str:
    """A sentence with the likely cause and what to change; the rule's own hint if no known cause explains the
    error."""
    if not raw.strip():
        return "The text is empty. A message starts with its MTI, such as 0100."
    if cause := first_cause(raw, version):
        return cause.hint
    if error.partial is not None:
        wrong = _first_wrong(error.partial)
        if hint := _cut(raw, version, error, wrong) or _shifted(raw, version, error.partial, wrong):
            return hint
    return _AT_THE_START.get(error.field, catalogue()["framing"].hint)


@lru_cache(maxsize=4)
def first_cause(raw: str, version: str) -> Cause | None:
    """The likeliest of `causes`, None if there is none; cached, since callers ask about one text several
    times."""
    return next(causes(raw, version), None)


def offered(raw: str, version: str) -> str:
    """The button that fixes *raw*, read as *version*: the remedy of an upstream cause, or `Repair` if the
    error is inside the message; empty if *raw* parses, or is not a message at all.

    >>> offered("6000010000" + "08002020000000000000990000123456", "1987")
    'Read without the TPDU'
    >>> offered("080020200000000000009900001234", "1987"), offered("hello", "1987")
    ('Repair', '')
    """
    try:
        parse(raw, version)
    except ParseError as error:
        cause = first_cause(raw, version)
        if cause is not None:
            return cause.offer
        return REPAIR if error.partial is not None else ""
    return ""


def causes(raw: str, version: str) -> Iterator[Cause]:
    """Every cause that makes *raw* parse when undone: headers, a hex dump, a raw bitmap, quotes and line
    ends, another version."""
    for cause in (_in_front, _hex_dump, _raw_bitmap, _quoted, _other_version):
        yield from cause(raw, version)


def _headers(raw: str) -> Iterator[tuple[int, str, str]]:
    """The headers that *raw* may start with: length, description, name."""
    if raw < " ":
        yield 2, "two characters are a binary length header", "length"
    if _MTI.match(raw, 4) and raw[:4].isdigit():
        yield 4, f"four characters ({raw[:4]}) are a length header", "length"
    if raw[:2] == "60":
        yield 10, "ten digits are a TPDU (routing header)", "TPDU"


def _in_front(raw: str, version: str) -> Iterator[Cause]:
    """A length header, a TPDU or another transport header was left before the message."""
    for size, header, what in _headers(raw):
        if reads(raw[size:], version):
            hint = f"The first {header} of the link; remove them."
            yield Cause(hint, STRIPPED, raw[size:], version, f"Read without the {what}")
    for match in _MTI.finditer(raw, 0, _HEADERS[-1] + MTI_WIDTH):
        size = match.start()
        if size in _HEADERS and reads(raw[size:], version):
            hint = f"The message starts {size} characters later; remove the header before the MTI."
            yield Cause(hint, STRIPPED, raw[size:], version, "Read without the header")


def _hex_dump(raw: str, version: str) -> Iterator[Cause]:
    """The bytes of the text were printed as hex."""
    # The hex of a digit starts with 3 in ASCII, F in EBCDIC; up to four characters may precede the MTI.
    if len(raw) % 2 or not raw.isascii() or _OF_DIGITS.isdisjoint(raw[:9:4]):
        return
    try:
        data = bytes.fromhex(raw)
    except ValueError:
        return
    for name, encoding in (("ASCII", "ascii"), ("EBCDIC", "cp500")):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        for start in (0, 2, 4):
            if reads(text[start:], version):
                hint = f"This is a hex dump: each pair of digits is one {name} character. Convert it to text."
                yield Cause(hint, DECODED, text[start:], version, f"Read the hex as {name}")
    if len(data) > 12 and data[:4].isdigit() and not data[4:12].isascii():
        hint = "This is a hex dump of a message with a binary bitmap; convert it to the text form first."
        yield Cause(hint, DECODED, None, version, "")


def _raw_bitmap(raw: str, version: str) -> Iterator[Cause]:
    """The bitmap is raw bytes instead of hex digits."""
    head = raw[4:12]
    if not raw[:4].isdigit() or len(head) < 8 or max(map(ord, head)) > 0xFF or head.isprintable():
        return
    end = 20 if ord(head[0]) & 0x80 else 12
    bits = "".join(f"{ord(char) & 0xFF:02X}" for char in raw[4:end])
    text = raw[:4] + bits + raw[end:]
    if reads(text, version):
        hint = "The bitmap is in raw bytes; write each byte as two hex digits."
        yield Cause(hint, REWRITTEN, text, version, "Write the bitmap as hex")


def _quoted(raw: str, version: str) -> Iterator[Cause]:
    """Copying added quotes, blanks or line ends."""
    stripped = raw.strip().strip(_QUOTES)
    if stripped != raw and reads(stripped, version):
        hint = "The message is surrounded by quotes, blanks or line ends; remove them."
        yield Cause(hint, STRIPPED, stripped, version, "Read without the surrounding text")
    bare = _without_blanks(raw, version)
    if bare not in (raw, stripped) and reads(bare, version):
        yield Cause(BLANKS, STRIPPED, bare, version, "Read without the surrounding blanks")
    # Line breaks first, because blanks inside a message are data.
    for joined in ("".join(raw.splitlines()), "".join(raw.split())):
        if joined != raw and reads(joined, version):
            hint = "The paste added line breaks or blanks inside the message; remove them."
            yield Cause(hint, STRIPPED, joined, version, "Join the lines")


def _without_blanks(raw: str, version: str) -> str:
    """*raw* without the blanks around the message; those at the end of its last element remain."""
    text = raw.lstrip()
    try:
        parse(text, version)
    except ParseError as error:
        if error.field is None and error.offset and not text[error.offset :].strip():
            return text[: error.offset]
    return text


def _other_version(raw: str, version: str) -> Iterator[Cause]:
    """The layout is that of another version."""
    if (announcement := announced(raw)) is None:
        return
    for other in VERSIONS:
        if other != version and ends(raw, *announcement, other):
            hint = f"The text reads as ISO 8583:{other}; choose that version."
            yield Cause(hint, READ, raw, other, f"Read as {other}")


def _cut(raw: str, version: str, error: ParseError, first_wrong: int) -> str:
    """The text ends inside an element, and everything before it is valid."""
    if error.field is None or error.offset is None or first_wrong <= ALL_BITS:
        return ""
    element = spec(version)[error.field]
    left = len(raw) - error.offset
    if left >= element.width and error.part == "prefix":
        return ""
    missing = "" if left else " at the end of an element; an extra bit in the bitmap looks the same"
    if left < error.wanted:
        cause = ", or the length prefix is too high" if element.prefix and error.part != "prefix" else missing
        return f"The text ends too early, inside or before DE {error.field}; it was truncated{cause}."
    return ""


def _first_wrong(message: Message) -> int:
    """The first element whose value does not fit its class or is not a date; 129 if all are valid."""
    table, rows = message.spec, message.spec.elements
    fields = message.fields.items()
    wrong = (number for number, value in fields if elements.misfit(value, rows[number - 1], table))
    return next(wrong, ALL_BITS + 1)


def _shifted(raw: str, version: str, partial: Message, first_wrong: int) -> str:
    """One character was lost or added in an earlier element: undo that and see whether the rest is valid.

    Undoing it before the right position often works, too, since digits replace digits; after it, hardly ever.
    So the last element that works is the closest.
    """
    stand = spans(partial)
    field_numbers = numbers(raw[MTI_WIDTH : stand[BITMAP_FIELD][2]])
    places = [place for place in sorted(stand.items(), reverse=True) if place[0] > 1][:_NEAR]
    changes: tuple[tuple[str, Callable[[int], str]], ...] = (
        ("lost", lambda at: raw[:at] + "0" + raw[at:]),
        ("added", lambda at: raw[: at - 1] + raw[at:]),
    )
    for what, change in changes:
        for number, (start, _, end) in places:
            if number > first_wrong:  # no later change can make that value valid
                continue
            text, rest = change(end), field_numbers[field_numbers.index(number) :]
            if not ends(text, start, rest, version):
                continue
            mended = Message(partial.mti, {}, version)
            read_values(text, start, rest, mended)
            if _first_wrong(mended) > ALL_BITS:
                return f"It would fit if one character had been {what} in DE {number} or near it; look there."
    return ""
