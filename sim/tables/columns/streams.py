"""One direction of a TCP connection: segments in their order, messages cut out of them.

What a stream waits for is bounded: segments that came before their turn, and the bytes from which its
framing is found.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from sim.codec.wire.files import stream_framing, stream_start
from sim.codec.wire.framing import frame, said_length

# From so many bytes the framing of a stream is found; a shorter one has ended.
_ENOUGH = 8192
_EARLY = 1 << 20
_LARGEST = 1 << 16
_WRAP = 1 << 32
# Behind how many segments, or bytes, a message may begin in a stream that was met in its middle.
_SEGMENTS, _BYTES = 16, 320

# When it was whole (seconds since 1970) and its bytes, without the length in front.
Timed = tuple[float, bytes]


@dataclass(slots=True)
class Stream:
    """The bytes of one direction. `length` is the kind of length field in front of its messages, found
    once; None where each packet is a message, or nothing has been found yet."""

    name: str
    length: str | None = None
    settled: bool = False
    _expected: int | None = None
    _first: int | None = (
        None  # the number of the first byte held, while messages may begin before or behind it
    )
    _early: dict[int, tuple[float, bytes]] = field(default_factory=dict)
    _waiting: int = 0
    _held: bytearray = field(default_factory=bytearray)
    _marks: list[tuple[int, float]] = field(default_factory=list)

    def begin(self, sequence: int) -> None:
        """The connection was opened: its first byte has the number behind *sequence*."""
        if self._expected is None:
            self._expected = (sequence + 1) % _WRAP

    def add(self, at: float, sequence: int, data: bytes) -> list[Timed]:
        """Take a segment; gives the messages that are whole now. Bytes that came before are left out, and a
        gap that the capture has lost is passed over."""
        if self._expected is None:
            self._expected = self._first = sequence
        found: list[Timed] = []
        before = self._first is not None and self._put_before(at, sequence, data)
        if not before and self._ahead(sequence) > 0:
            if sequence not in self._early:
                self._early[sequence] = at, data
                self._waiting += len(data)
            if self._waiting <= _EARLY:
                return []
            found = self._skip_gap()
        elif not before:
            self._take(at, sequence, data)
        while self._early and (nearest := min(self._early, key=self._ahead)) is not None:
            if self._ahead(nearest) > 0:
                break
            when, kept = self._early.pop(nearest)
            self._waiting -= len(kept)
            self._take(when, nearest, kept)
        return found + (self._cut() if self.settled or len(self._held) >= _ENOUGH else [])

    def _put_before(self, at: float, sequence: int, data: bytes) -> bool:
        """Take a segment that reaches from before the first byte held up to it: nobody saw the connection
        opened, and the first two segments have changed places."""
        missing = ((self._first or 0) - sequence) % _WRAP
        if self.settled or not 0 < missing <= len(data):
            return False
        self._held[:0] = data[:missing]
        self._marks = [(missing, at), *((end + missing, when) for end, when in self._marks)]
        self._first = sequence
        return True

    def end(self) -> list[Timed]:
        """The messages that are whole when nothing more comes."""
        found: list[Timed] = []
        while self._early:
            if self._ahead(min(self._early, key=self._ahead)) > 0:
                found += self._skip_gap()
            nearest = min(self._early, key=self._ahead)
            when, kept = self._early.pop(nearest)
            self._take(when, nearest, kept)
        return found + (self._cut() if self._held else [])

    def _ahead(self, sequence: int) -> int:
        """How many bytes *sequence* is ahead of what is expected; the numbers wrap at 32 bits."""
        return (sequence - (self._expected or 0) + _WRAP // 2) % _WRAP - _WRAP // 2

    def _skip_gap(self) -> list[Timed]:
        """Go on behind a gap; gives the messages that are whole before it."""
        found = self._cut() if self._held else []
        self._expected = min(self._early, key=self._ahead)
        # The message that the gap cut in two cannot be read any more; where the next one begins is not known.
        self._held.clear()
        self._marks.clear()
        self._first, self.settled = self._expected, False
        return found

    def _take(self, at: float, sequence: int, data: bytes) -> None:
        fresh = data[-self._ahead(sequence) :] if self._ahead(sequence) else data
        if fresh and -self._ahead(sequence) < len(data):
            self._held += fresh
            self._marks.append((len(self._held), at))
            self._expected = ((self._expected or 0) + len(fresh)) % _WRAP

    def _cut(self) -> list[Timed]:
        if not self.settled:
            self._settle()
        if self.length is None:
            return self._packets()
        made, found, at = frame(self.length), [], 0
        head = made.head
        ends = [end for end, _ in self._marks]
        while len(self._held) - at >= head:
            size = said_length(made, bytes(self._held[at : at + head]), 0)
            if size is None or not 0 <= size <= _LARGEST:
                size = len(self._held) - at - head
            end = at + head + size
            if end > len(self._held):
                break
            if size:
                found.append((self._marks[bisect_left(ends, end)][1], bytes(self._held[at + head : end])))
            at = end
        del self._held[:at]
        self._marks = [(end - at, when) for end, when in self._marks if end > at]
        return found

    def _settle(self) -> None:
        """Find the framing; and where the stream was met in its middle, the segment, or the byte, at which a
        message begins."""
        data, start = bytes(self._held), 0
        if self._first is None:
            self.length = self.length or stream_framing(data)
        else:
            ends = [end for end, _ in self._marks[:_SEGMENTS] if end < len(data)]
            start, found = stream_start(data, (0, *ends, *range(1, min(len(data), _BYTES))), self.length)
            self.length = self.length or found
        del self._held[:start]
        self._marks = [(end - start, when) for end, when in self._marks if end > start]
        self._first, self.settled = None, True

    def _packets(self) -> list[Timed]:
        """Without a length in front a packet is a message."""
        found, start = [], 0
        for end, when in self._marks:
            found.append((when, bytes(self._held[start:end])))
            start = end
        self._held.clear()
        self._marks.clear()
        return found
