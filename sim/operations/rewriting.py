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


# Two bytes that differ in each digit and character that represents them, also those of Base64, as wide as
# those of text in decimal, and whose characters, beside a dump, are not taken for hex digits.
_FILLERS = b"G$"
_LEAST = 8  # characters of a value that is masked wherever it stands
# What a character of a paste belongs to: no message; one whose reading is doubtful; another one; card data.
_OTHER, _DOUBTFUL, _READ, _HIDDEN = range(4)


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
    places, end = list[tuple[int, str, Reading]](), 0
    for message in held.more:
        part = message.given
        if isinstance(part, str) and (at := text.find(part, end)) >= 0:
            places.append((at, part, message))
            end = at + len(part)
    # The first message is before the others, if it is not among them.
    head = text[: places[0][0]] if places else ""
    states = _states(head, held) if head.strip() else None
    states = states or _states(text, held) or bytearray([_HIDDEN]) * len(text)
    states += bytes(len(text) - len(states))
    for at, part, message in places:
        states[at : at + len(part)] = _states(part, message) or bytes([_HIDDEN]) * len(part)
    # Of bytes that were not read, any may be card data.
    doubtful, other = (
        "".join(" " if state in known else char for char, state in zip(text, states, strict=True))
        for known in ((_READ,), (_DOUBTFUL, _READ, _HIDDEN))
    )
    edition = chosen_version(text, held.version if held.pinned else None)
    searched = dissect(search.hide(doubtful, search.byte_runs(other)), edition).shown_text
    shown = "".join(
        STAR if state == _HIDDEN and char != "\n" else char if state == _READ else masked_char
        for char, state, masked_char in zip(text, states, searched, strict=True)
    )
    return search.hide(shown, _values(text, held.messages))


def _states(text: str, held: Reading) -> bytearray | None:
    """What each character of *text* belongs to; None if the notation does not show which of them represent
    the bytes of *held*."""
    states = bytearray(len(text))
    if held.message is None:
        return states
    state = _READ if held.complete and held.believed else _DOUBTFUL
    if held.raw is not None and (at := text.find(held.raw)) >= 0:
        pairs = zip(held.raw, dissect(held).shown_text, strict=True)
        states[at : at + len(held.raw)] = bytes(_HIDDEN if char != shown else state for char, shown in pairs)
    if not held.data:
        return states
    bare, seeable = held.seen or held.data, seeable_bytes(dissect(held), held)
    texts = [
        rewritten(text, held.spelling, bare, bytes(_FILLERS[hidden and not seen] for seen in seeable)) or ""
        for hidden in ((False, True) if 0 in seeable else (False,))
    ]
    if {len(filled) for filled in texts} != {len(text)}:
        return None
    # A digit that the filler has, too, is left as of no message; nothing is recognized in it.
    for at, (char, filled, covered) in enumerate(zip(text, texts[0], texts[-1], strict=True)):
        states[at] = _HIDDEN if filled != covered else state if char != filled else _OTHER
    return states


def _values(text: str, readings: Sequence[Reading]) -> Iterator[search.Span]:
    """The card data of *readings* wherever its values stand in *text* as characters."""
    chars = text.encode("latin-1", "replace").upper()
    values = {
        (number, value, message.version)
        for message in filter(None, (reading.message for reading in readings))
        for number, value in message.fields.items()
        if len(value) >= _LEAST
    }
    for number, value, version in values:
        covered = cover_value(number, value, version)
        if covered != value:
            start, size = covered.index(STAR), covered.count(STAR)
            for found in re.finditer(re.escape(value.encode("latin-1", "replace").upper()), chars):
                yield search.Span(found.start() + start, found.start() + start + size, True)


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
