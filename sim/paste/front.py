"""The framing of a message: the bytes before an anchor and after the last element, explained by the kinds of
framing in `data/framing.csv`. The end of the message is known by then, so a length must match exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sim.codec.wire import Frame, Layer, frames
from sim.codec.wire.files import BLOCK, is_blocked, unblock
from sim.codec.wire.framing import ETX, STX, check_byte, header, said_length, said_total
from sim.errors import counted
from sim.paste.weights import WEIGHTS
from sim.spec.tables import read_toml

_DEEPEST = 5
_UNKNOWN = WEIGHTS["unknown"]
_UNKNOWN_BYTE = WEIGHTS["unknown_byte"]
_UNKNOWN_CHARACTER = WEIGHTS["unknown_character"]
_ODD = WEIGHTS["odd_front"]
_NEAR = 4
_MACHINES = frozenset(("length-2", "length-4", "length-4-ascii", "length-4-hex"))
# The wording for a length that is nearly right: the best sign of a damaged message.
OFF_BY = "is off by"
_LEAST_LENGTH = 8
_WIDEST = 4  # bytes of the longest kind of length
_LEAST_CUT, _MOST_CUT = 20, 8  # least length of a truncated message, and the most per byte that is left
_SHOWN = 12
_MISFIT = WEIGHTS["misfit"]
_TPDU_BYTES = 5
# Bytes of no known framing before what is known, and the least bits that both save together.
_STRANGE, _STRANGE_WORST = 8, WEIGHTS["strange_worst"]
_HEADS = frozenset(("unionpay", "version-2"))
# Line ends, perhaps as a literal has them.
_LINE_ENDS = re.compile(rb"(?:\\[rn]|[\r\n])+")
_ETHERNET, _IPV4, _TCP, _IP_BYTES = 14, 0x45, 6, 20


@dataclass(frozen=True, slots=True)
class FrontLayer:
    """One part of the framing: its *name* as formats name frames (empty if unknown), its label, its size in
    bytes, the bits it saves, and what is odd about it."""

    name: str
    label: str
    size: int
    bits: float
    odd: str = ""

    @property
    def is_length(self) -> bool:
        """Whether it determines where the message ends."""
        return self.name in frames() and frames()[self.name].kind in ("length", "counted")


@dataclass(frozen=True, slots=True)
class Front:
    """The best explanation of the bytes before a message, outermost layer first."""

    layers: tuple[FrontLayer, ...]
    bits: float

    @property
    def odd(self) -> list[str]:
        """What is odd about the layers."""
        return [layer.odd for layer in self.layers if layer.odd]

    @property
    def cut(self) -> bool:
        """Whether a length as machines write it shows a longer message, and nothing else is odd."""
        return any(layer.name in _MACHINES and layer.odd for layer in self.layers) and not self.unknown

    @property
    def unknown(self) -> int:
        """The number of bytes of no known framing."""
        return sum(layer.size for layer in self.layers if not layer.name)


@cache
def _bits() -> dict[str, float]:
    table: dict[str, float] = read_toml("guess")["frames"]
    return table


@cache
def _of_kind(*kinds: str) -> tuple[Frame, ...]:
    return tuple(frame for frame in frames().values() if frame.kind in kinds and frame.name in _bits())


def explain(front: bytes, total: int, end: int | None) -> Front:
    """Return the best explanation of *front*, the bytes before a message that ends at byte *end* of *total*;
    *end* is None if the message could not be read to its end."""
    return _explain(front, 0, total, end, 0, {})


def _explain(
    front: bytes, at: int, total: int, end: int | None, depth: int, seen: dict[tuple[int, int], Front]
) -> Front:
    if at == len(front):
        return Front((), 0.0)
    if (at, depth) in seen:
        return seen[at, depth]
    best = _unknown(front[at:], at, total)
    if depth < _DEEPEST:
        for layer in _layers(front, at, total, end):
            rest = _explain(front, at + layer.size, total, end, depth + 1, seen)
            bits = layer.bits + rest.bits - (_ODD if layer.odd else 0.0)
            if bits > best.bits:
                best = Front((layer, *rest.layers), bits)
    for size in range(1, min(_STRANGE + 1, len(front)) if at == 0 else 0):
        strange, rest = _unknown(front[:size], 0, total), _explain(front, size, total, end, 1, seen)
        worst = 0.0 if front[:size].isalnum() else _STRANGE_WORST  # characters are less of a length
        if not rest.unknown and strange.bits + rest.bits > max(best.bits, worst):
            best = Front((*strange.layers, *rest.layers), strange.bits + rest.bits)
    seen[at, depth] = best
    return best


def _unknown(rest: bytes, at: int, total: int) -> Front:
    text = rest.isascii() and rest.decode().isprintable()
    excerpt = repr(rest[:_SHOWN].decode()) if text else rest[:_SHOWN].hex().upper()
    excerpt += "" if len(rest) <= _SHOWN else " and more"
    odd = f"{len(rest)} byte{'s' * (len(rest) > 1)} at the start: no known framing"
    if near := _near(rest, total - at):
        odd = near
    bits = _UNKNOWN + (_UNKNOWN_CHARACTER if text else _UNKNOWN_BYTE) * len(rest)
    return Front((FrontLayer("", f"header {excerpt}", len(rest), bits, odd),), bits)


def _near(rest: bytes, left: int) -> str:
    """Describe a length that is nearly right: bytes were lost or added. Empty if there is none."""
    for frame, length in _possible_lengths(rest[:_WIDEST]):
        width = frame.head
        if len(rest) in (width, width + _TPDU_BYTES) and 0 < abs(length - (left - width)) < _NEAR:
            off = abs(length - (left - width))
            return f"the {frame.title} in front says {length} and {OFF_BY} {off}: bytes were lost or added"
    return ""


def _layers(front: bytes, at: int, total: int, end: int | None) -> Iterator[FrontLayer]:
    """Yield the layers that may start at byte *at* of *front*."""
    data = front[at:]
    for frame, length in _possible_lengths(data[:_WIDEST]):
        yield from _length(frame, data, length, at, total, end)
    for frame in _of_kind("header", "counted"):
        if len(data) >= frame.width and (layer := _header(frame, data, at, total, end)):
            yield layer
    if data[:1] == bytes([STX]):
        yield FrontLayer(
            "stx", "STX", 1, _bits()["stx"], "STX before it, but no ETX after it" if end == total else ""
        )


@lru_cache(maxsize=1024)
def _possible_lengths(data: bytes) -> tuple[tuple[Frame, int], ...]:
    """The kinds of length that *data* may start with, and the value of each."""
    pairs = []
    for frame in _of_kind("length"):
        if len(data) >= frame.head:
            length = said_length(frame, data, 0)
            if length is not None and length > _LEAST_LENGTH:
                pairs.append((frame, length))
    return tuple(pairs)


def _length(
    frame: Frame, data: bytes, said: int, at: int, total: int, end: int | None
) -> Iterator[FrontLayer]:
    width, bits = frame.head, _bits()[frame.name]
    layer, left = Layer(frame.name, data[:width]), total - at - width
    if end is None:
        odd = ""
        if at < 2 and max(left + 1, _LEAST_CUT) <= said <= _MOST_CUT * left:
            odd = f"the length in front says {said}, but {left} bytes follow"
            odd += f", so it {OFF_BY} {said - left}" if said - left < _NEAR else ""
        if said == left or odd:
            yield FrontLayer(frame.name, layer.label, width, bits - 8.0 * bool(odd), odd)
        return
    more = total - end
    for have, how in ((left - more, ""), (left, ", to the end of the paste"), (left - 2 * more, "")):
        if said == have:
            yield FrontLayer(frame.name, layer.label + how, width, bits - 2.0 * bool(how))
    if said == 2 * left and frame.name in _MACHINES:
        odd = f"the length in front says {said}, twice the {left} bytes that follow: it counts hex digits"
        yield FrontLayer(frame.name, layer.label, width, bits - 8.0, odd)


def _header(frame: Frame, data: bytes, at: int, total: int, end: int | None) -> FrontLayer | None:
    bits, raw = _bits()[frame.name], header(frame, data)
    # Any bytes may begin so; only between a TPDU and the message are they the head.
    if raw is None or (frame.name in _HEADS and (len(data) != len(raw) or at < _TPDU_BYTES)):
        return None
    width = len(raw)
    if frame.kind != "counted":
        return FrontLayer(frame.name, Layer(frame.name, raw).label, width, bits)
    label = f"{frame.title} of {width} bytes"
    if said_total(frame, raw) in ((end or total) - at, total - at):
        return FrontLayer(frame.name, label, width, bits)
    odd = f"the length in the {frame.title} does not fit"
    return FrontLayer(frame.name, label, width, bits - _MISFIT, odd)


def behind(data: bytes, end: int, front: Front) -> FrontLayer:
    """Identify the bytes after the last element."""
    rest = data[end:]
    if not rest:
        return FrontLayer("end", "", 0, 4.0)
    if rest[0] == ETX and len(rest) <= 2:
        return _etx(data[:end], rest)
    if _LINE_ENDS.fullmatch(rest):
        return FrontLayer("line-end", "line end", len(rest), 3.0)
    first = front.layers[0].name if front.layers else ""
    if first == "length-4" and (records := _records(data, end)):
        return FrontLayer("vbs", f"record 1 of {records}", len(rest), 8.0)
    covered = any(layer.is_length and "paste" not in layer.label for layer in front.layers)
    fill = not rest.strip(b"\0@\xff ")
    if covered and len(rest) > 3:
        odd = "" if fill else f"{len(rest)} bytes follow the message: more messages, perhaps"
        return FrontLayer("more", "", len(rest), 0.0, odd)
    if fill:
        verb = "follows" if len(rest) == 1 else "follow"
        return FrontLayer("fill", "", len(rest), 0.0, f"{counted(len(rest), 'byte')} of padding {verb}")
    return FrontLayer(
        "",
        "",
        len(rest),
        -10.0 - min(len(rest), 60),
        f"{counted(len(rest), 'byte')} {'is' if len(rest) == 1 else 'are'} left over after the last element",
    )


def between(data: bytes, end: int, start: int) -> FrontLayer:
    """Identify the bytes between the end of a message at byte *end* and the next one at *start*."""
    rest = data[end:start]
    ended = data[:1] == bytes([STX]) and rest[:1] == bytes([ETX])
    return _etx(data[:end], rest) if ended else FrontLayer("", "", len(rest), 0.0)


def _etx(body: bytes, rest: bytes) -> FrontLayer:
    if len(rest) == 1:
        return FrontLayer("etx", "ETX", 1, _bits()["etx"])
    right = rest[1] in (check_byte(body + rest[:1]), check_byte(body[1:] + rest[:1]))
    label = f"ETX, LRC {rest[1]:02X}" + ("" if right else " (not verified)")
    return FrontLayer("etx", label, 2, _bits()["etx"], "" if right else "the LRC does not fit")


def _records(data: bytes, end: int) -> int:
    """Count the records with a 4-byte length, the first of which ends at *end*; 0 if the rest is not one. The
    last record is followed by a length of zero; a single byte left over is one that was added."""
    at, count = end, 1
    while at + 4 < len(data) and (size := int.from_bytes(data[at : at + 4], "big")):
        at, count = at + 4 + size, count + 1
    rest = data[at:]
    complete = at <= len(data) and not rest.strip(b"\0@")
    return count if complete and (not rest or rest[:_WIDEST] == bytes(_WIDEST)) else 0


def network_headers(data: bytes) -> tuple[int, str]:
    """Return the size of the Ethernet, IPv4 and TCP headers at the start, and their name."""
    for at, name in ((_ETHERNET, "Ethernet, "), (0, "")):
        ip = data[at : at + 2 * _IP_BYTES]
        if len(ip) < 2 * _IP_BYTES or ip[0] != _IPV4 or ip[9] != _TCP:
            continue
        if at and data[12:14] != b"\x08\x00":
            continue
        return at + _IP_BYTES + (ip[_IP_BYTES + 12] >> 4) * 4, name + "IPv4 and TCP headers"
    return 0, ""


def unblocked(data: bytes) -> bytes:
    """Return *data* without the fill bytes, if it consists of complete 1014-byte blocks."""
    return b"".join(unblock([data])) if len(data) % BLOCK == 0 and is_blocked(data) else data
