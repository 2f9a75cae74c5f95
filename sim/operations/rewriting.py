"""Rewrite a paste: an edit of the message changes the bytes that it came in, and masking those that contain
card data.

An edited message is encoded into its bytes again, including length headers; edited bytes are read again in
the same format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sim.codec import Message
from sim.codec.text import strip_line_ending
from sim.codec.wire import Format, Layer, encode, frame, wrap
from sim.codec.wire import read as read_strictly
from sim.codec.wire.framing import said_length
from sim.errors import BuildError, WireError
from sim.masking import cover_value, search
from sim.masking.texts import STAR
from sim.operations.anatomy import READ, Anatomy, Place, dissect
from sim.operations.reading import read
from sim.paste import guess
from sim.paste.blocks import after
from sim.paste.reading import Reading
from sim.paste.spellings import rewritten
from sim.spec.spellings import chosen_version
from sim.spec.words import AnyVersion

_REWRITTEN = "The original notation of the paste cannot be kept; shown instead are"


def pasted(
    paste: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> Reading | None:
    """The reading of a paste that is more than a text form: bytes, or elements that have no text form; None
    for a text form, and for anything but a message. *format* and *version* are those known.

    >>> found = pasted("0010 0800 2020000000000000 990000 123456")
    >>> found.text, found.spans[11]
    ('08002020000000000000990000123456', (15, 15, 18))
    >>> with_data(found, found.data[:-1] + bytes.fromhex("57")).text[-6:]
    '123457'
    """
    return kept(read(paste, format=format, version=version))


def kept(reading: Reading) -> Reading | None:
    """*reading* if it has more than a text form; else None."""
    if reading.message is None or reading.raw is not None:
        return reading if reading.complete and reading.message and reading.message.dialect else None
    in_bytes = reading.written is not None and bool(reading.spans)
    return reading if in_bytes or (reading.complete and reading.text is None) else None


def shown_text(held: Reading) -> str:
    """The text form or, if there is none, the elements in a row, only to show."""
    text = held.text
    return dissect(held).raw if text is None else text


def parts(held: Reading) -> Iterator[tuple[str, str, int]]:
    """The parts before the message, outermost first: name (empty for an unknown part), label, size in
    bytes."""
    skipped = held.start - sum(layer.size for layer in held.layers)
    if skipped > 0:
        yield "", "in front", skipped
    for layer in held.layers:
        yield layer.name, layer.label, layer.size


def put_back(held: Reading) -> tuple[str, str]:
    """A text that reads as the message again, in the notation of the paste, with its framing; else its bytes
    in hex; else the text form. And a note if the notation is another one."""
    text = held.given if isinstance(held.given, str) else ""
    if text:
        candidate = rewritten(text, held.spelling, held.seen or held.data, held.data)
        if candidate is not None and (candidate == text or _reads(held, candidate)):
            return candidate, ""
    bare = held.data.hex().upper()
    if (held.message and held.message.dialect) or (text and _reads(held, bare)):
        return bare, f"{_REWRITTEN} all its bytes in hex." if text else ""
    note = f"{_REWRITTEN} the characters of the message, without the surrounding text." if text else ""
    return shown_text(held), note


# Bytes of which two differ in each digit and character that represents them, also those of Base64, and whose
# characters, beside a dump, are not taken for hex digits.
_FILLERS = b"Gz#"
_ALL = re.compile(".")  # line ends stay
_LEAST = 8  # characters of a value that is masked wherever it stands


def masked(paste: str, version: AnyVersion | None = None) -> str:
    """*paste* at the same length, with its card data masked: in its bytes if all of a message was read from
    them, otherwise everything that may be card data; all of a paste whose notation does not show which
    characters represent those bytes.

    >>> masked("0810 2020 0000 0200 0000 9900 0012 3456 3030, card 4111 1111 1111 1111")
    '0810 2020 0000 0200 0000 9900 0012 3456 3030, card 4111 11** **** 1111'
    """
    text = strip_line_ending(paste)
    return masked_as(text, read(text, version=version))


def masked_as(text: str, held: Reading) -> str:
    """*text* with its card data masked, where *held* is its reading; see `masked`."""
    edition = chosen_version(text, held.version if held.pinned else None)
    if held.message is None:
        return _unread(text)
    if held.raw is not None:
        return dissect(text, edition).shown_text
    shown = _masked_bytes(text, held, edition)
    shown = search.hide(shown, _values(text, held.messages))
    end = 0
    for message in held.more:
        part = message.given
        at = text.find(part, end) if isinstance(part, str) else -1
        if at >= 0 and isinstance(part, str):
            end = at + len(part)
            shown = shown[:at] + masked_as(part, message) + shown[end:]
    return shown


def _masked_bytes(text: str, held: Reading, edition: str) -> str:
    """*text* with the bytes of *held* masked, and everything around them that may be card data."""
    if not held.data:
        return _unread(text)
    bare, seeable = held.seen or held.data, seeable_bytes(dissect(held), held)
    hidden = _changed(text, held.spelling, bare, seeable) if 0 in seeable else set[int]()
    other = rewritten(text, held.spelling, bare, _FILLERS[:1] * len(bare)) or ""
    if hidden is None or len(other) != len(text):
        return _ALL.sub(STAR, text)
    # A digit that this filler has, too, stays; nothing is recognized in it.
    everywhere = {at for at, pair in enumerate(zip(text, other, strict=True)) if len(set(pair)) > 1}
    around = "".join(" " if at in everywhere else char for at, char in enumerate(text))
    if held.complete and held.believed:
        pairs = enumerate(zip(text, _unread(around), strict=True))
        plain = "".join(inside if at in everywhere else outside for at, (inside, outside) in pairs)
    else:
        plain = dissect(search.hide(text, search.byte_runs(around)), edition).shown_text
    return "".join(STAR if at in hidden else char for at, char in enumerate(plain))


def _unread(text: str) -> str:
    """*text*, in which no message was read, without what may be card data: of bytes, that may be any."""
    return dissect(search.hide(text, search.byte_runs(text))).shown_text


def _values(text: str, readings: Sequence[Reading]) -> Iterator[search.Span]:
    """The card data of *readings* wherever its values stand in *text* as characters."""
    for message in filter(None, (reading.message for reading in readings)):
        for number, value in message.fields.items():
            covered = cover_value(number, value, message.version) if len(value) >= _LEAST else value
            if covered != value:
                start, size = covered.index(STAR), covered.count(STAR)
                for found in re.finditer(re.escape(value), text, re.IGNORECASE):
                    yield search.Span(found.start() + start, found.start() + start + size, True)


def _changed(paste: str, spelling: str, data: bytes, kept_bytes: bytearray) -> set[int] | None:
    """The characters of *paste* that represent the bytes of *data*, except those marked in *kept_bytes*; None
    if the notation does not show that."""
    filled = (
        bytes(byte if stays else filler for byte, stays in zip(data, kept_bytes, strict=True))
        for filler in _FILLERS
    )
    texts = [rewritten(paste, spelling, data, other) or "" for other in filled]
    if {len(text) for text in texts} != {len(paste)}:
        return None
    return {at for at, chars in enumerate(zip(*texts, strict=True)) if len(set(chars)) > 1}


def seeable_bytes(seen: Anatomy, held: Reading) -> bytearray:
    """A 1 for each byte of *held*, whose text is that of *seen*, that represents nothing masked: those of
    known framing, and of elements as far as they were read."""
    seeable, at = bytearray(len(held.data)), 0
    for name, _, size in parts(held):
        seeable[at : at + size] = bytes([bool(name)]) * size
        at += size
    # Of an element that did not fit, the last place is where reading stopped.
    places = {place.number: place for place in seen.places}
    for number, span in held.spans.items():
        if number in places and places[number].state == READ:
            _uncover(seeable, span, seen, places[number], *seen.covered[number])
    return seeable


def _uncover(
    seeable: bytearray, span: tuple[int, int, int], seen: Anatomy, place: Place, prefix: str, covered: str
) -> None:
    """Mark those bytes of an element as seeable that represent nothing masked in *prefix* or *covered*."""
    start, first, end = span
    if prefix == seen.raw[place.start : place.value_start]:
        seeable[start:first] = b"\1" * (first - start)
    value, count = seen.value(place), end - first
    size = len(value)
    hidden = {at for at, (char, other) in enumerate(zip(value, covered, strict=True)) if char != other}
    for byte in range(count):
        chars = range(size)  # all that the byte may represent
        if size == count:
            chars = range(byte, byte + 1)
        elif count == (size + 1) // 2:  # padding may be on either side
            chars = range(2 * byte - size % 2, 2 * byte + 2)
        seeable[first + byte] = not hidden or hidden.isdisjoint(chars)


def _reads(held: Reading, text: str) -> bool:
    """Whether *text* reads as the message of *held*, element by element."""
    best = guess(text)
    return best.data == held.data and dict(best.spans) == dict(held.spans)


def with_message(held: Reading, message: Message) -> Reading:
    """The same bytes with another message in them; lengths and check bytes are updated. Raises BuildError for
    an element that the format cannot carry, or a message too long for its length header."""
    if held.error is not None or held.written is None:
        raise BuildError(None, None, "bytes that can be read to the end", "bytes that cannot")
    body = encode(message, held.written)
    data = _around(held, body)
    start = data.index(body, held.start)
    return _read(held, data, start, start + len(body))


def with_data(held: Reading, data: bytes) -> Reading:
    """Read *data* as *held* was read. Raises WireError if it cannot be read to the end although *held*
    could."""
    end = len(data) - len(held.left)
    try:
        return _read(held, data, held.start, max(end, held.start))
    except WireError as error:
        best = guess(data, format=held.written, version=held.version)
        if held.error is None or best.message is None:
            raise WireError(error.field, error.offset, error.expected, error.found, error.partial) from None
        original = held.seen or held.data
        return replace(best, given=held.given, spelling=held.spelling, seen=original)


def _read(held: Reading, data: bytes, start: int, end: int) -> Reading:
    """*held* with the message in bytes *start* to *end* of *data*, read in its format."""
    fmt = held.written
    if fmt is None:
        raise WireError(None, None, "bytes of a format", "elements that are named")
    try:
        result = read_strictly(data[start:end], fmt, held.version)
    except WireError as error:
        at = None if error.offset is None else error.offset + start
        raise WireError(error.field, at, error.expected, error.found, error.partial) from None
    return replace(
        held,
        message=result.message,
        data=data,
        seen=held.seen or held.data,
        start=start,
        end=end,
        spans={number: (a + start, b + start, c + start) for number, (a, b, c) in result.spans.items()},
        announced=tuple(result.message.fields),
        read=end,
        size=len(data),
        complete=True,
        written=fmt,
        misfits=(),
        origin=None,
    )


def _around(held: Reading, body: bytes) -> bytes:
    """*body* in the framing of the previous message."""
    behind, at = held.left, 0
    places = []
    for name, _, size in parts(held):
        places.append((name, at, held.data[at : at + size]))
        at += size
    covered = any(_covers_all(held, name, at) for name, at, _ in places)
    checked = any(name == "stx" for name, _, _ in places)
    data, after_it = body, b""
    if covered and not checked:
        data += behind
    elif not checked:
        after_it = behind
    elif not covered and (ended := after(behind, 0, False, True)):
        # Other messages may follow the end of a message in STX and ETX; they stay unchanged.
        behind, after_it = behind[:ended], behind[ended:]
    for name, _, front in reversed(places):
        data = wrap(data, [Layer(name, front, behind if name == "stx" else b"")]) if name else front + data
    return data + after_it


def _covers_all(held: Reading, name: str, at: int) -> bool:
    """Whether the length at byte *at* also counts the bytes after the message."""
    if not name or not held.left or (framing := frame(name)).kind != "length":
        return False
    return said_length(framing, held.data, at) == len(held.data) - at - framing.head
