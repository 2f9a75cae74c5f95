"""Our client and a peer's server, a peer's client and our host: message by message, element by element."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import sim
from sim.codec import Message
from sim.codec.wire import Format
from sim.codec.wire.formats import HEX, RAW
from tests.peers.cases import alike
from tests.peers.peer import Peer, PeerError, line_of, values_of

KINDS = (
    ("echo", {}),
    ("auth", {"entry": "manual"}),
    ("auth", {"entry": "chip"}),
    ("financial", {"entry": "stripe", "amount_minor_units": 5051}),
    ("auth", {"entry": "ecommerce"}),
    ("financial", {"purpose": "cash"}),
    ("reversal", {}),
)
_TRACE = 11
_CODE = 39
_PIN = 52
_PATIENCE = 5.0


@dataclass(frozen=True)
class Pair:
    """A row of `pairs.csv`."""

    name: str
    peer: str
    channel: str
    packager: str
    header: str
    format: str
    framing: str
    version: str
    network: str


@dataclass
class Talk:
    """What came of one pair: messages that were answered each way, and what differs."""

    sent: int = 0
    to_peer: int = 0
    to_us: int = 0
    differs: list[str] = field(default_factory=list)


def pairs() -> list[Pair]:
    """The rows of `pairs.csv`."""
    with (Path(__file__).parent / "pairs.csv").open(encoding="utf-8", newline="") as file:
        return [Pair(**row) for row in csv.DictReader(file)]


def messages(pair: Pair, made: Format) -> list[Message]:
    """One message of each kind, as the format of the pair carries it."""
    found = []
    for at, (kind, more) in enumerate(KINDS, start=1):
        if pair.peer == "moov" and kind == "echo":
            continue  # its own specification has no DE 70
        options = {"network": pair.network, "version": pair.version, "stan": f"{at:06}", "interface": "iso"}
        message = sim.generate(kind, format=made, **options, **more).iso.to_message()
        if pair.peer == "moov":
            message.fields.pop(_PIN, None)  # its own specification of DE 52 cannot be packed
        found.append(message)
    return found


def talk(pair: Pair, peer: Peer, packager: str, made: Format) -> Talk:
    """Both ways of a pair."""
    chosen = messages(pair, made)
    found = Talk(len(chosen))
    framing = pair.framing.split(" ")
    head = (pair.channel, packager, pair.header) if pair.peer == "jpos" else (pair.channel, packager)
    port = peer("serve", *head)
    with sim.client(
        f"127.0.0.1:{port}",
        format=made,
        framing=framing,
        version=pair.version,
        timeout=_PATIENCE,
        reverse=False,
    ) as client:
        for message in chosen:
            sent = client.send(message)
            found.to_peer += sent.status == "answered"
            if sent.status != "answered":
                found.differs.append(f"{message.mti} to the peer: {sent.status} {sent.note}")
    seen = list(_seen(peer, port, len(chosen)))
    found.differs += [one for message in chosen for one in _differences(message, seen)]
    found.differs += [str(one["!"]) for one in seen if "!" in one]
    with sim.host(format=made, framing=framing, version=pair.version, opening=10**9, interface="iso") as host:
        peer("connect", host.port, *head)
        for message in chosen:
            try:
                answer = values_of(peer("send", host.port, line_of(_values(message, made))))
            except PeerError as error:
                found.differs.append(f"{message.mti} to us: {error}")
                continue
            trace = answer.get(str(_TRACE), "")
            found.to_us += bool(answer.get(str(_CODE))) and str(trace).lstrip("0") == message[_TRACE].lstrip(
                "0"
            )
            if str(answer.get(str(_CODE))) in ("30", "904"):
                found.differs.append(f"{message.mti} to us: answered {answer[str(_CODE)]}, format error")
        peer("close", host.port)
    return found


def _seen(peer: Peer, port: str, count: int) -> Iterator[dict[str, str | bytes]]:
    """The messages that a server saw; the last may still be on its way."""
    end = time.monotonic() + _PATIENCE
    while (
        len(lines := [one for one in peer("seen", port).split("\t") if one]) < count
        and time.monotonic() < end
    ):
        time.sleep(0.02)
    return map(values_of, lines)


def _values(message: Message, made: Format) -> dict[str, str | bytes]:
    """The elements as a peer takes them: bytes of what is binary."""
    layout = made.layout(message.version)
    found: dict[str, str | bytes] = {"0": message.mti}
    for number, value in sorted(message.fields.items()):
        one = layout[number]
        binary = one is not None and (one.written in (RAW, HEX) or one.content == "b")
        found[str(number)] = bytes.fromhex(value) if binary else value
    return found


def _differences(message: Message, seen: list[dict[str, str | bytes]]) -> Iterator[str]:
    """The elements that a peer saw otherwise than they were sent."""
    trace = message[_TRACE].lstrip("0")
    there = next((one for one in seen if str(one.get(str(_TRACE), "")).lstrip("0") == trace), None)
    if there is None:
        yield f"{message.mti} was not seen"
        return
    for number, value in message.fields.items():
        path = str(number)
        parts = [key for key in there if key.startswith(f"{path}.")]
        if path not in there and not parts:
            yield f"DE {path} was not seen"
        elif path in there and not alike(there[path], value):
            yield f"DE {path} was seen otherwise"
