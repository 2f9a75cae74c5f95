"""Many messages in a file or stream: records with length fields, 1014-byte blocks, or messages back to back.

VBS is the format of clearing files: a 4-byte length before each record, and a zero length or the end of the
file after the last. Mainframes send it in blocks: 1012 bytes of data, two fill bytes (adelosa/cardutil,
mciipm).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sim.codec.message import is_mti
from sim.codec.wire.decode import decode_first
from sim.codec.wire.formats import Format
from sim.codec.wire.framing import STX, Frame, frame, frames, peel, said_length, strip
from sim.errors import CutShortError, WireError, counted, hexed

BLOCK, CONTENT = 1014, 1012
_FILLERS = frozenset((0x00, 0x40))
# The longest record: a longer one is no message, and is rejected without waiting for its bytes.
LONGEST = 1 << 20
# Messages back to back: the bytes first read of each, and the most that one may have.
_WINDOW, _MOST = 512, 1 << 17
# This many messages before a damaged length show that it is one.
_FEWEST = 3
# More empty messages than others, by so many, are no keep-alives but zeros.
_MOST_EMPTY = 32
_LINE_ENDS = re.compile(rb"[\r\n]+")


def is_blocked(data: bytes) -> bool:
    """Whether the start of a file is blocked: every complete block ends with two equal fill bytes.

    >>> is_blocked(bytes(1014)), is_blocked(bytes(1013))
    (True, False)
    """
    ends = [data[at + CONTENT : at + BLOCK] for at in range(0, len(data) - BLOCK + 1, BLOCK)]
    return bool(ends) and all(len(end) == 2 and end[0] == end[1] and end[0] in _FILLERS for end in ends)


def unblock(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The content of a blocked file, read in *pieces* of any size, without the fill bytes."""
    buffer = b""
    for piece in pieces:
        buffer += piece
        full_size = len(buffer) // BLOCK * BLOCK
        if full_size:
            yield b"".join(buffer[at : at + CONTENT] for at in range(0, full_size, BLOCK))
            buffer = buffer[full_size:]
    if buffer:
        yield buffer[:CONTENT]


def records(pieces: Iterable[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the messages of a stream, read in *pieces* of any size, each after a length field of kind *name*:
    its offset in the stream, and its bytes. A zero length is skipped: it ends a VBS file or keeps a
    connection alive. Raises WireError, after the messages before it, if a length is invalid or the stream
    ends within a message."""
    framing = frame(name)
    head = framing.head
    buffer, at = b"", 0
    for piece in pieces:
        buffer += piece
        start = 0
        while (size := _size(framing, buffer, start, head, at)) is not None:
            end = start + head + size
            if end > len(buffer):
                break
            if size:
                yield at + start + head, buffer[start + head : end]
            start = end
        buffer, at = buffer[start:], at + start
    if buffer.strip(b"\x00\x40"):
        raise WireError(None, at, f"a whole message after its {framing.title}", counted(len(buffer), "byte"))


def _size(framing: Frame, held: bytes, start: int, head: int, at: int) -> int | None:
    """The value of the length field at *start*; None if it is incomplete, or only fill bytes of the last
    block. Raises WireError if it is invalid."""
    if len(held) - start < head:
        return None
    size = said_length(framing, held, start)
    if size is None or not 0 <= size <= LONGEST:
        if not held[start:].strip(b"\x40"):
            return None
        digits = hexed(held[start : start + head])
        raise WireError(None, at + start, f"a {framing.title} of at most {LONGEST} bytes", digits)
    return size


def run(
    pieces: Iterable[bytes], fmt: Format, framing: tuple[str, ...] = (), version: str | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield messages that follow each other without length fields: offset and bytes, each with its headers
    and marks (*framing*). Only reading a message shows where it ends, so one that cannot be read is yielded
    with everything after it, or raises WireError if that is too much. Line ends between messages are
    skipped."""
    rest, buffer, start, at, size = iter(pieces), b"", 0, 0, _WINDOW
    while True:
        while len(buffer) - start < _MOST and (piece := next(rest, b"")):
            buffer, at, start = buffer[start:] + piece, at + start, 0
        if ends := _LINE_ENDS.match(buffer, start):
            start = ends.end()
        if not buffer[start : start + 1]:
            return
        try:
            size = message_size(buffer, fmt, framing, version, start, 2 * size)
        except WireError:
            if not (left := buffer[start:]).strip(b"\0\x40"):
                return
            if len(left) >= _MOST:
                expected = f"another message in {fmt.title} after the previous one"
                raise WireError(
                    None, at + start, expected, f"{counted(len(left), 'byte')} or more of another"
                ) from None
            size = len(left)
        yield at + start, buffer[start : start + size]
        start += size


def message_size(
    data: bytes,
    fmt: Format,
    framing: tuple[str, ...] = (),
    version: str | None = None,
    start: int = 0,
    window: int = _WINDOW,
) -> int:
    """The number of bytes of the message at *start*, with its headers and marks (*framing*). Reads *window*
    bytes first, more if needed. Raises WireError if no message can be read there."""
    headers = tuple(name for name in framing if frame(name).kind not in ("stx", "etx"))
    marks = [name for name in framing if name not in headers]
    opened = sum(frame(name).kind == "stx" for name in marks)
    while True:
        head = data[start : start + window]
        try:
            _, body, _ = strip(head[opened:], headers)
            body += opened
            message, size = decode_first(head[body:], fmt, version)
        except WireError:
            if window >= _MOST or start + window >= len(data):
                raise
            window *= 4
            continue
        if not is_mti(message.mti):
            raise WireError(0, body, "an MTI", "another number")
        return _marked(marks, data[start : start + body + size + 3], body + size)


def _marked(marks: list[str], data: bytes, end: int) -> int:
    """The end of the message in *data*, with its *marks*; its elements end at *end*."""
    if not marks:
        return end
    checked = data[end + 2 :] in (b"", bytes([STX])) and peel(marks[0], data[: end + 2]) is not None
    if not checked and peel(marks[0], data[: end + 1]) is None:
        digits = hexed(data[end : end + 1])
        raise (WireError if digits else CutShortError)(None, end, frame(marks[0]).title, digits or "nothing")
    return end + 1 + checked


def stream_framing(data: bytes) -> str | None:
    """The kind of length field that divides the start of a stream into messages with nothing left over: the
    one that gives the most messages, less empty ones; None if none does. The last message may be cut short,
    and a few before a damaged length are enough.

    >>> stream_framing(bytes.fromhex("0003 010203 0002 0A0B"))
    'length-2'
    """
    # Of two as good, the wider one: the other leaves fixed bytes before each message.
    best, count = max(
        ((framing, _divides(framing, data, False)) for framing in _lengths()),
        key=lambda each: (each[1], each[0].head),
    )
    return best.name if count > 0 else None


def stream_start(
    data: bytes, starts: Sequence[int], name: str | None = None, others: Iterable[int] = ()
) -> tuple[int, str | None]:
    """Find which of *starts* and of the less likely *others* is the first message boundary of a stream
    captured mid-way, and the kind of length field (*name* if known): the pair that gives the most messages,
    preferably up to the end. Returns the first of *starts* and None if no pair gives any.

    >>> stream_start(bytes.fromhex("FFFFFF 0003 010203 0002 0A0B"), [0, 3])
    (3, 'length-2')
    """
    counted: dict[tuple[int, str], tuple[int, int, bool]] = {}
    for at in dict.fromkeys((*starts, *others)):
        # From within a message, chance may find one more.
        likely = at in starts
        for framing in _lengths(name):
            if (count := _divides(framing, data[at:], False)) > 0:
                whole = _divides(framing, data[at:], True)
                counted[at, framing.name] = (whole + (likely and whole > 0), count + likely, likely)
    return max(counted, key=lambda key: counted[key]) if counted else (starts[0], None)


def _lengths(name: str | None = None) -> list[Frame]:
    """The kinds of length field, or only that called *name*."""
    every = (framing for framing in frames().values() if framing.kind == "length")
    return [framing for framing in every if name in (None, framing.name)]


def _divides(framing: Frame, data: bytes, complete: bool) -> int:
    head, at, count = framing.head, 0, 0
    while at + head <= len(data):
        size = said_length(framing, data, at)
        if size is None or not 0 <= size <= LONGEST:
            # The last block of a file is padded.
            is_padding = bool(count) and not data[at:].strip(b"\x00\x40")
            return count if is_padding or (count >= _FEWEST and not complete) else 0
        if at + head + size > len(data):
            return 0 if complete else count
        # A zero length is a keep-alive; many of them are the leading bytes of a longer length field.
        count += 1 if size else -1
        if count < -_MOST_EMPTY:
            return 0
        at += head + size
    return count if at == len(data) or not complete else 0
