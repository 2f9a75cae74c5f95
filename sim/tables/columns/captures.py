"""Network captures (pcap, pcapng): reassembled TCP streams of both directions, the framing of each found
once.

dpkt (extra `pcap`) reads the packets. Streams without ISO 8583 messages are left out and counted. The memory
of a stream is limited: segments that arrived early, and the bytes used to find its framing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Any

import numpy as np

from sim.codec.wire.files import stream_framing, stream_start
from sim.codec.wire.framing import frame, said_length
from sim.errors import SpecError, counted
from sim.masking import mask_words
from sim.paste import guess
from sim.tables.columns.lines import Lines
from sim.tables.columns.ways import SourceWay, is_sure, layers_of, reads, writing_of
from sim.tables.columns.wire import block

# The number of bytes from which the framing of a stream is found; a stream that has ended may be shorter.
_ENOUGH = 8192
_EARLY = 1 << 20
_LARGEST = 1 << 16
_WRAP = 1 << 32
# If a capture starts in mid-stream, a message must begin within this many segments or bytes.
_SEGMENTS, _BYTES = 16, 320

# When a message was complete (seconds since 1970), and its bytes without the length field.
Timed = tuple[float, bytes]


@dataclass(slots=True)
class Stream:
    """The bytes of one direction. `length` is the kind of length field before its messages, found once; None
    if each packet is a message, or nothing has been found yet."""

    name: str
    length: str | None = None
    settled: bool = False
    _expected: int | None = None
    _first: int | None = None  # sequence number of the first byte held, while messages may begin elsewhere
    _early: dict[int, tuple[float, bytes]] = field(default_factory=dict)
    _waiting: int = 0
    _held: bytearray = field(default_factory=bytearray)
    _marks: list[tuple[int, float]] = field(default_factory=list)

    def begin(self, sequence: int) -> None:
        """The connection was opened: its first byte has the number after *sequence*."""
        if self._expected is None:
            self._expected = (sequence + 1) % _WRAP

    def add(self, at: float, sequence: int, data: bytes) -> list[Timed]:
        """Add a segment and return the messages that are now complete. Repeated bytes are ignored; a gap in
        the capture is skipped."""
        if self._expected is None:
            self._expected = self._first = sequence
        messages: list[Timed] = []
        if not self._put_before(at, sequence, data):
            if self._ahead(sequence) <= 0:
                self._take(at, sequence, data)
            else:
                if sequence not in self._early:
                    self._early[sequence] = at, data
                    self._waiting += len(data)
                if self._waiting <= _EARLY:
                    return []
                messages = self._skip_gap()
        self._take_early()
        return messages + (self._cut() if self.settled or len(self._held) >= _ENOUGH else [])

    def _put_before(self, at: float, sequence: int, data: bytes) -> bool:
        """Add a segment that ends where the first byte held begins: the opening of the connection was not
        captured, and the first two segments are out of order."""
        missing = ((self._first or 0) - sequence) % _WRAP
        if self._first is None or self.settled or not 0 < missing <= len(data):
            return False
        self._held[:0] = data[:missing]
        self._marks = [(missing, at), *((end + missing, when) for end, when in self._marks)]
        self._first = sequence
        return True

    def end(self) -> list[Timed]:
        """The messages that are complete when the stream ends."""
        messages: list[Timed] = []
        self._take_early()
        while self._early:
            messages += self._skip_gap()
            self._take_early()
        return messages + (self._cut() if self._held else [])

    def _take_early(self) -> None:
        """Add the segments that arrived early and are due now."""
        while self._early and self._ahead(nearest := min(self._early, key=self._ahead)) <= 0:
            when, kept = self._early.pop(nearest)
            self._waiting -= len(kept)
            self._take(when, nearest, kept)

    def _ahead(self, sequence: int) -> int:
        """How many bytes *sequence* is ahead of the expected number; sequence numbers wrap at 32 bits."""
        return (sequence - (self._expected or 0) + _WRAP // 2) % _WRAP - _WRAP // 2

    def _skip_gap(self) -> list[Timed]:
        """Skip a gap and return the messages that are complete before it."""
        messages = self._cut() if self._held else []
        self._expected = min(self._early, key=self._ahead)
        # The message cut by the gap is lost, and the start of the next one is unknown.
        self._held.clear()
        self._marks.clear()
        self._first, self.settled = self._expected, False
        return messages

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
        layer, messages, at = frame(self.length), [], 0
        head, ends = layer.head, [end for end, _ in self._marks]
        while len(self._held) - at >= head:
            size = said_length(layer, bytes(self._held[at : at + head]), 0)
            if size is None or not 0 <= size <= _LARGEST:
                size = len(self._held) - at - head
            end = at + head + size
            if end > len(self._held):
                break
            if size:
                messages.append((self._marks[bisect_left(ends, end)][1], bytes(self._held[at + head : end])))
            at = end
        del self._held[:at]
        self._marks = [(end - at, when) for end, when in self._marks if end > at]
        return messages

    def _settle(self) -> None:
        """Find the framing, and, if the capture starts in mid-stream, the segment or byte at which a message
        begins."""
        data, start = bytes(self._held), 0
        if self._first is None:
            self.length = self.length or stream_framing(data)
        else:
            ends = [end for end, _ in self._marks[:_SEGMENTS] if end < len(data)]
            start, length = stream_start(data, (0, *ends), self.length, range(min(len(data), _BYTES)))
            self.length = self.length or length
        del self._held[:start]
        self._marks = [(end - start, when) for end, when in self._marks if end > start]
        self._first, self.settled = None, True

    def _packets(self) -> list[Timed]:
        """The messages of a stream without length fields: one per packet."""
        messages, start = [], 0
        for end, when in self._marks:
            messages.append((when, bytes(self._held[start:end])))
            start = end
        self._held.clear()
        self._marks.clear()
        return messages


_ROWS = 8192
_TRIED = 3
_MICRO = 1_000_000
# Link types (pcap): BSD loopback, Ethernet, Linux cooked; raw IP, of which 228 is IPv4 and 229 IPv6.
_NULL, _ETHERNET, _SLL, _IP = 0, 1, 113, (12, 14, 101, 228, 229)


@dataclass(slots=True)
class _Link:
    """One direction: its stream, how its messages are read, how many were tried to find that, and the
    messages not yet returned."""

    stream: Stream
    way: SourceWay | None = None
    tried: int = 0
    waiting: list[tuple[int, float, bytes]] = field(default_factory=list)


def of_capture(stream: Any, way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """The messages of a capture, with `stream` and `time` (UTC). Raises ImportError without dpkt, SpecError
    if it is not a capture."""
    length = next((name for name in way.framing if frame(name).kind == "length"), None)
    links: dict[str, _Link] = {}
    known = [way] if way.format is not None else []  # tried first on each new stream

    def flush() -> Iterator[Lines]:
        """The messages not yet returned, stream by stream."""
        for link in links.values():
            some, link.waiting = link.waiting, []
            if some and link.way is None:
                _find_way(link, [data for _, _, data in some], way, known)
            if some and link.way is not None:
                yield _block(link.stream, link.way, some, version, file)

    number = waiting = 0
    for flow, messages in _flows(stream, file, length):
        link = links.setdefault(flow.name, _Link(flow))
        link.waiting += [(at, *message) for at, message in enumerate(messages, number + 1)]
        number, waiting = number + len(messages), waiting + len(messages)
        if waiting >= _ROWS:
            yield from flush()
            waiting = 0
    yield from flush()
    if left := sum(link.way is None and link.tried > 0 for link in links.values()):
        label = f"{counted(left, 'stream')} in which nothing reads as ISO 8583 left out"
        none = np.zeros(0, np.int64)
        yield Lines(np.zeros(0, np.uint8), none, none, none, file, said=label)


def _find_way(link: _Link, messages: list[bytes], given: SourceWay, known: list[SourceWay]) -> None:
    """Find how the *messages* of a new stream are read: in one of the *known* ways, or else as guessed within
    the one *given*, which is then known, too."""
    for data in messages[: max(_TRIED - link.tried, 0)]:
        link.tried += 1
        link.way = next(
            (way for way in known if reads(data, way.format or "ascii", _inside_length(way))), None
        )
        if link.way is None and given.format is None:
            best = guess(data)
            if is_sure(best) and (fmt := writing_of(best)):
                layers = layers_of(best)
                label = ", ".join([*(frame(layer).title for layer in layers), fmt.title])
                link.way = replace(given, format=fmt, framing=layers, said=label)
                known.append(link.way)
        if link.way is not None:
            return


def _inside_length(way: SourceWay) -> tuple[str, ...]:
    return tuple(name for name in way.framing if frame(name).kind != "length")


def _block(
    stream: Stream, way: SourceWay, some: list[tuple[int, float, bytes]], version: str | None, file: str
) -> Lines:
    length = frame(stream.length).title if stream.length else "one message per packet"
    label = f"{stream.name}: {length}, {way.said or (way.format and way.format.title)}"
    numbers, moments, messages = zip(*some, strict=True)
    lines = block([*messages], numbers, replace(way, said=label, framing=_inside_length(way)), version, file)
    times = np.array([round(at * _MICRO) for at in moments], np.int64).view("datetime64[us]")
    names = np.array([stream.name] * len(some), object)
    return replace(lines, more={"stream": names, "time": times})


def messages_of(stream: Any, file: str) -> list[bytes]:
    """The messages of a capture in any format, stream by stream. Raises as `of_capture`."""
    by_stream: dict[str, list[bytes]] = {}
    for flow, messages in _flows(stream, file):
        by_stream.setdefault(flow.name, []).extend(data for _, data in messages)
    return [data for messages in by_stream.values() for data in messages]


def _flows(stream: Any, file: str, length: str | None = None) -> Iterator[tuple[Stream, list[Timed]]]:
    """For each packet of a capture its stream, and the messages that it completes; at the end the others.
    *length* is the length field before the messages, if it is known."""
    streams: dict[tuple[Any, ...], Stream] = {}
    for at, key, sequence, data, opens in _packets(stream, file):
        flow = streams.get(key)
        if flow is None:
            source, source_port, target, target_port = key
            name = f"{_host(source)}:{source_port} > {_host(target)}:{target_port}"
            flow = streams[key] = Stream(name, length)
        if opens:
            flow.begin(sequence)
        yield flow, flow.add(at, sequence, data) if data and not opens else []
    yield from ((flow, flow.end()) for flow in streams.values())


def _host(raw: bytes) -> str:
    address = str(ip_address(raw))
    return f"[{address}]" if ":" in address else address


def _packets(stream: Any, file: str) -> Iterator[tuple[float, tuple[Any, ...], int, bytes, bool]]:
    """Time, endpoints, sequence number and payload of each TCP segment, and whether it opens a direction."""
    try:
        import dpkt  # optional, and untyped
    except ImportError as error:
        raise ImportError("captures need dpkt: pip install 'iso8583-lab[pcap]'") from error
    try:
        reader = dpkt.pcap.UniversalReader(stream)
        for at, raw in reader:
            packet = _ip(dpkt, reader.datalink(), raw)
            if packet is None or not isinstance(packet.data, dpkt.tcp.TCP):
                continue
            segment = packet.data
            key = packet.src, segment.sport, packet.dst, segment.dport
            yield float(at), key, segment.seq, bytes(segment.data), bool(segment.flags & dpkt.tcp.TH_SYN)
    except (ValueError, dpkt.Error) as error:
        actual = f"{error} in {mask_words(file)}"[:80]
        raise SpecError(None, None, "a capture (pcap or pcapng)", actual) from None


def _ip(dpkt: Any, link: int, raw: bytes) -> Any:
    """The IP packet in a frame; None if there is none, or it is truncated."""
    layers = {_ETHERNET: dpkt.ethernet.Ethernet, _SLL: dpkt.sll.SLL, _NULL: dpkt.loopback.Loopback}
    try:
        if link in layers:
            packet = layers[link](raw).data
        elif link in _IP:
            packet = dpkt.ip6.IP6(raw) if raw[0] >> 4 == 6 else dpkt.ip.IP(raw)
        else:
            return None
    except (dpkt.Error, IndexError):
        return None
    return packet if isinstance(packet, dpkt.ip.IP | dpkt.ip6.IP6) else None
