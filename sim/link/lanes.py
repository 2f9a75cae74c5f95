"""The messages of a connection as sequence diagrams, one per transaction, as `sim.operations.match` groups
them.

A diagram has a life line for each side and an arrow per message, in the order of sending; every color is also
explained in words. Messages are shown without card data: by type, trace number and response code.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sim.codec import Message
from sim.elements import mti as mtis
from sim.exchanges.matching import Pair, match
from sim.link.traffic import EVENT, Traffic
from sim.masking import mask_words
from sim.visible import visible

_LEFT, _RIGHT, _STEP, _TOP = 60, 520, 34, 44
_WIDTH = _LEFT + _RIGHT
STYLE = """
figure { margin: .8rem 0; } svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: currentColor; } svg line { stroke: currentColor; }
svg .life { stroke: var(--line, #8888); stroke-width: 2; }
svg line.lost { stroke: var(--bad, #b3261e); stroke-dasharray: 5 4; }
svg text.lost { fill: var(--bad, #b3261e); }
"""
# Events that mean a missing message: the client gave up, or the host did not send.
_UNANSWERED = ("timed out", "lost", "unanswered", "undelivered")
_ODD = {"late": "too late", "duplicate": "duplicate", "unmatched": "no matching request"}


class Seen(NamedTuple):
    """One message, or its absence (`message` None): when (seconds since 1970), in which direction, and its
    kind."""

    at: float
    to_host: bool
    kind: str
    message: Message | None
    latency: float | None = None


class Hop(NamedTuple):
    """One arrow: its direction, its text, and whether the message arrived in time."""

    to_host: bool
    words: str
    arrived: bool


class Lane(NamedTuple):
    """One transaction: its title and its arrows."""

    title: str
    hops: tuple[Hop, ...]


def seen_in(traffic: Traffic, to_host: str, *, after: int = 0) -> Iterator[Seen]:
    """The messages in *traffic* after entry number *after*, in order; *to_host* is the direction towards the
    host: `out` for a client's traffic, `in` for a host's."""
    for entry in traffic:
        if entry.number <= after:
            continue
        message = traffic.message(entry)
        if message is not None:
            yield Seen(entry.at, entry.direction == to_host, entry.kind, message, entry.latency)
        elif entry.direction == EVENT and entry.kind in _UNANSWERED:
            yield Seen(entry.at, False, entry.kind, None)


def lanes_of(seen: Sequence[Seen]) -> tuple[Lane, ...]:
    """The transactions of *seen*, in the order in which they began, with their arrows."""
    places = [at for at, item in enumerate(seen) if item.message is not None]
    messages = [item.message for item in seen if item.message is not None]
    exchanges = match(messages, [seen[at].at for at in places])
    owner = {places[number]: exchange for exchange in exchanges for number in exchange.messages}
    # A missing message belongs to the transaction of the last one sent.
    groups: dict[int, list[Seen]] = {}
    last: Pair | None = None
    for at, item in enumerate(seen):
        last = owner.get(at, last)
        groups.setdefault(last.transaction if last else 0, []).append(item)
    lanes = []
    for number, group in groups.items():
        pairs = [exchange for exchange in exchanges if exchange.transaction == number]
        states = ", ".join(dict.fromkeys(exchange.state for exchange in pairs))
        first = next((item.message for item in group if item.message), None)
        title = f"{first.mti} STAN {first.get(11)}: {states}" if first else states
        undone = dict(_reversals(pairs, exchanges, messages))
        lanes.append(Lane(title, tuple(_hop(item, undone) for item in group)))
    return tuple(lanes)


def _reversals(
    pairs: list[Pair], exchanges: Sequence[Pair], messages: list[Message]
) -> Iterator[tuple[str, str]]:
    """The trace numbers of the reversals in *pairs*, each with that of the message it reverses."""
    for pair in pairs:
        original = None if pair.original is None else exchanges[pair.original].request
        if pair.request is not None and original is not None:
            yield messages[pair.request].get(11), messages[original].get(11)


def _hop(item: Seen, undone: dict[str, str]) -> Hop:
    message = item.message
    if message is None:
        return Hop(False, item.kind, False)
    if mtis.is_response(message.mti):
        latency = "" if item.latency is None else f" after {item.latency * 1000:.1f} ms"
        odd = f", {_ODD[item.kind]}" if item.kind in _ODD else ""
        return Hop(item.to_host, f"{message.mti} with {message.get(39)}{latency}{odd}", not odd)
    stan = message.get(11)
    of = f", reverses {undone[stan]}" if undone.get(stan) else ""
    name = mtis.split(message.mti).name or "message"
    return Hop(item.to_host, f"{message.mti} {name}, STAN {stan}{of}", True)


def as_svg(seen: Iterable[Seen], title: str = "") -> str:
    """The diagrams of *seen*: a titled SVG per transaction, empty if there are none. *title* says what they
    show."""
    return "".join(_drawn(lane, title) for lane in lanes_of(tuple(seen)) if lane.hops)


def safe_html(text: str) -> str:
    """*text* for HTML, with card numbers masked and invisible characters shown."""
    return html.escape(visible(mask_words(text)))


def _drawn(lane: Lane, title: str) -> str:
    height = _TOP + _STEP * len(lane.hops) + 12
    label = safe_html(f"{title}, {lane.title}" if title else lane.title)
    lines = [f'<line class="life" x1="{x}" y1="26" x2="{x}" y2="{height - 6}"/>' for x in (_LEFT, _RIGHT)]
    arrows = [_arrow(_TOP + _STEP * at + 14, hop) for at, hop in enumerate(lane.hops)]
    return (
        f"<figure><figcaption>{safe_html(lane.title)}</figcaption>"
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" aria-label="Messages of {label}">'
        f'<text x="{_LEFT}" y="18" text-anchor="middle">client</text>'
        f'<text x="{_RIGHT}" y="18" text-anchor="middle">host</text>'
        f"{''.join([*lines, *arrows])}</svg></figure>"
    )


def _arrow(y: int, hop: Hop) -> str:
    start, end = (_LEFT, _RIGHT) if hop.to_host else (_RIGHT, _LEFT)
    back = -8 if hop.to_host else 8
    look = "" if hop.arrived else ' class="lost"'
    words = safe_html(hop.words if hop.arrived else f"✖ {hop.words}")
    tip = f"M{end + back},{y - 4} L{end},{y} L{end + back},{y + 4}"
    return (
        f'<line{look} x1="{start}" y1="{y}" x2="{end}" y2="{y}"/>'
        f'<path d="{tip}" fill="none" stroke="currentColor"/>'
        f'<text{look} x="{(_LEFT + _RIGHT) // 2}" y="{y - 5}" text-anchor="middle">{words}</text>'
    )
