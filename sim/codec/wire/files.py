"""Many messages in one file or stream: records behind their lengths, blocks of 1014 bytes, one message
behind another.

VBS is the form of clearing files: each record behind a 4-byte length, a zero length or the end of the file
after the last. Mainframes send it in blocks: 1012 bytes of it, then two fillers (adelosa/cardutil, mciipm).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sim.codec.message import is_mti
from sim.codec.wire.decode import begun
from sim.codec.wire.formats import Format
from sim.codec.wire.framing import STX, Frame, frame, frames, peel, said_length, strip
from sim.errors import CutShortError, WireError, hexed

BLOCK, CONTENT = 1014, 1012
_FILLERS = frozenset((0x00, 0x40))
# What one record may have: a longer one is no message, and is refused before it is waited for.
LONGEST = 1 << 20
# One message behind another: what the first look at one takes in, and the most that it may have.
_WINDOW, _MOST = 512, 1 << 17
_LINE_ENDS = re.compile(rb"[\r\n]+")


def is_blocked(data: bytes) -> bool:
    """Whether the start of a file is in blocks: two equal fillers end each of the blocks that are whole.

    >>> is_blocked(bytes(1014)), is_blocked(bytes(1013))
    (True, False)
    """
    ends = [data[at + CONTENT : at + BLOCK] for at in range(0, len(data) - BLOCK + 1, BLOCK)]
    return bool(ends) and all(len(end) == 2 and end[0] == end[1] and end[0] in _FILLERS for end in ends)


def unblock(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The content of a blocked file that comes in *pieces* of any size, without the fillers."""
    held = b""
    for piece in pieces:
        held += piece
        whole = len(held) // BLOCK * BLOCK
        if whole:
            yield b"".join(held[at : at + CONTENT] for at in range(0, whole, BLOCK))
            held = held[whole:]
    if held:
        yield held[:CONTENT]


def records(pieces: Iterable[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """The messages of a stream that comes in *pieces* of any size, each behind a length field of the kind
    *name*: offset of the message in the stream, and its bytes. A length of zero is passed over: it ends a
    VBS file and keeps a connection alive. Raises WireError where a length is none, or the stream ends in a
    message; what came before has been given by then."""
    made = frame(name)
    head = made.head
    held, at = b"", 0
    for piece in pieces:
        held += piece
        start = 0
        while (size := _size(made, held, start, head, at)) is not None:
            end = start + head + size
            if end > len(held):
                break
            if size:
                yield at + start + head, held[start + head : end]
            start = end
        held, at = held[start:], at + start
    if held.strip(b"\x00\x40"):
        raise WireError(None, at, f"a whole message after its {made.title}", f"{len(held)} bytes")


def _size(made: Frame, held: bytes, start: int, head: int, at: int) -> int | None:
    """What the length field at *start* says; None where it has not come whole. Fillers at the end of a
    file are no length."""
    if len(held) - start < head:
        return None
    size = said_length(made, held, start)
    if size is None or not 0 <= size <= LONGEST:
        if not held[start:].strip(b"\x40"):
            return None
        found = hexed(held[start : start + head])
        raise WireError(None, at + start, f"a {made.title} of at most {LONGEST} bytes", found)
    return size


def run(
    pieces: Iterable[bytes], fmt: Format, framing: tuple[str, ...] = (), version: str | None = None
) -> Iterator[tuple[int, bytes]]:
    """The messages of a stream that stand one behind another, each in its own headers and marks *framing*:
    offset and bytes, these included. Where one ends it says itself, so what does not read is given with all
    behind it, or raises WireError where that is much. Ends of lines between messages are passed over."""
    rest, held, start, at, size = iter(pieces), b"", 0, 0, _WINDOW
    while True:
        while len(held) - start < _MOST and (piece := next(rest, b"")):
            held, at, start = held[start:] + piece, at + start, 0
        if ends := _LINE_ENDS.match(held, start):
            start = ends.end()
        if not held[start : start + 1]:
            return
        try:
            size = message_size(held, fmt, framing, version, start, 2 * size)
        except WireError:
            if not (left := held[start:]).strip(b"\0\x40"):
                return
            if len(left) >= _MOST:
                expected = f"another message in {fmt.title} after the previous one"
                raise WireError(None, at + start, expected, f"{len(left)} bytes or more of another") from None
            size = len(left)
        yield at + start, held[start : start + size]
        start += size


def message_size(
    data: bytes,
    fmt: Format,
    framing: tuple[str, ...] = (),
    version: str | None = None,
    start: int = 0,
    window: int = _WINDOW,
) -> int:
    """How many bytes the message at *start* takes, with the headers and marks *framing* around it; *window*
    are looked at first. Raises WireError where none reads there."""
    headers = tuple(name for name in framing if frame(name).kind not in ("stx", "etx"))
    marks = [name for name in framing if name not in headers]
    opened = sum(frame(name).kind == "stx" for name in marks)
    while True:
        head = data[start : start + window]
        try:
            _, body, _ = strip(head[opened:], headers)
            body += opened
            message, size = begun(head[body:], fmt, version)
        except WireError:
            if window >= _MOST or start + window >= len(data):
                raise
            window *= 4
            continue
        if not is_mti(message.mti):
            raise WireError(0, body, "an MTI", "another number")
        return _marked(marks, data[start : start + body + size + 3], body + size)


def _marked(marks: list[str], data: bytes, end: int) -> int:
    """Where the message ends whose elements end at *end* of *data*, with its *marks* around it."""
    if not marks:
        return end
    checked = data[end + 2 :] in (b"", bytes([STX])) and peel(marks[0], data[: end + 2]) is not None
    if not checked and peel(marks[0], data[: end + 1]) is None:
        found = hexed(data[end : end + 1])
        raise (WireError if found else CutShortError)(None, end, frame(marks[0]).title, found or "nothing")
    return end + 1 + checked


def stream_framing(data: bytes) -> str | None:
    """The kind of length field that divides the start of a stream into messages without a remainder, the
    one that makes most of them and the fewest empty ones; None where none does. The last message may be cut.

    >>> stream_framing(bytes.fromhex("0003 010203 0002 0A0B"))
    'length-2'
    """
    counted = {name: _divides(made, data, False) for name, made in frames().items() if made.kind == "length"}
    best = max(counted, key=lambda name: counted[name])
    return best if counted[best] > 0 else None


def stream_start(data: bytes, starts: Iterable[int], name: str | None = None) -> tuple[int, str | None]:
    """At which of *starts* a stream that was met in its middle begins to be messages, and the kind of length
    field in front of them (*name* where it is known): what makes most of them, to the end if that can be.
    Kind None, at the first of *starts*, where nothing does.

    >>> stream_start(bytes.fromhex("FFFFFF 0003 010203 0002 0A0B"), [0, 3])
    (3, 'length-2')
    """
    kinds = [one for one in frames().values() if one.kind == "length" and name in (None, one.name)]
    places = list(starts)
    counted = {
        (at, one.name): (_divides(one, data[at:], True), count)
        for at in places
        for one in kinds
        if (count := _divides(one, data[at:], False)) > 0
    }
    return max(counted, key=lambda key: counted[key]) if counted else (places[0], None)


def _divides(made: Frame, data: bytes, whole: bool) -> int:
    head, at, count = made.head, 0, 0
    while at + head <= len(data):
        size = said_length(made, data, at)
        if size is None or not 0 <= size <= LONGEST:
            # The last block of a file is filled up.
            return count if count and not data[at:].strip(b"\x00\x40") else 0
        if at + head + size > len(data):
            return 0 if whole else count
        # A length of zero is a keep-alive; many of them are the front half of a longer length.
        count += 1 if size else -1
        at += head + size
    return count if at == len(data) or not whole else 0
