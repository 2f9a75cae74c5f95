"""Samples for the guess: messages as links encode them, framed, in the notations of pastes, and damaged."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim.codec import BuildError, Message, ParseError, parse
from sim.codec.wire import decode, encode, wire_format
from tests.spellings import SPELLINGS

VECTORS = Path(__file__).parent / "vectors"
FORMATS = (
    *("ascii", "ascii-binary", "ascii-16", "bcd", "bcd-right", "bcd-f", "bcd-ebcdic", "bcd-ebcdic-right"),
    *("ebcdic", "ebcdic-500", "ebcdic-hex", "visa", "ipm", "base24", "smartvista", "postilion", "unionpay"),
)
TPDU = bytes.fromhex("6000060000")


def _lengths(body: bytes) -> dict[str, bytes]:
    size = len(body)
    return {
        "none": body,
        "length-2": size.to_bytes(2, "big") + body,
        "length-2-inclusive": (size + 2).to_bytes(2, "big") + body,
        "length-2-little": size.to_bytes(2, "little") + body,
        "length-2-bcd": bytes.fromhex(f"{size:04}") + body,
        "length-4": size.to_bytes(4, "big") + body,
        "length-4-ascii": f"{size:04}".encode() + body,
        "length-4-hex": f"{size:04X}".encode() + body,
        "tpdu": TPDU + body,
        "length-2+tpdu": (size + 5).to_bytes(2, "big") + TPDU + body,
        "length-2+tpdu bcd": bytes.fromhex(f"{size + 5:04}") + TPDU + body,
        "etx": b"\x02" + body + b"\x03",
        "base24": b"ISO023400070" + body,
        "vap": size.to_bytes(2, "big") + b"\0\0" + body,
    }


FRAMES = tuple(_lengths(b""))


@dataclass(frozen=True, slots=True)
class Sample:
    """A paste, the message in it, and how it was made."""

    paste: str
    message: Message
    made: str
    damage: str = ""


def in_blocks(data: bytes) -> bytes:
    """*data* in blocks of 1014 bytes, padded with EBCDIC blanks, like clearing files."""
    cut = (data[at : at + 1012].ljust(1012, b"\x40") for at in range(0, len(data), 1012))
    return b"".join(block + b"\x40\x40" for block in cut)


def messages() -> list[Message]:
    """The messages of the text vectors that parse."""
    found = []
    for line in (VECTORS / "messages.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        try:
            found.append(parse(row["message"], row["version"]))
        except ParseError:
            continue
    return found


def samples(count: int, seed: int, *, damaged: bool = False) -> Iterator[Sample]:
    """*count* samples, the same for the same *seed*; *damaged* ones have lost or gained a byte, or are
    truncated or have a flipped bit."""
    chance = random.Random(seed)
    known = messages()
    while count:
        message, name = chance.choice(known), chance.choice(FORMATS)
        frame, spelling = chance.choice(FRAMES), chance.choice(list(SPELLINGS))
        fmt = wire_format(name)
        if fmt.version not in (None, message.version) or message.version[:1] + message.mti[:1] not in (
            "10",
            "11",
            "22",
        ):
            continue
        try:
            body = encode(message, fmt)
        except BuildError:
            continue
        data, told, done = _lengths(body)[frame], message, ""
        if damaged:
            front = data.index(body)
            data, done = _damage(data, chance)
            if done.startswith("flipped"):
                # A bit flipped in a value is another value: what stands there now is what there is to read.
                told = _as_it_stands(data[front : front + len(body)], name, message)
        count -= 1
        yield Sample(SPELLINGS[spelling](data), told, f"{name}, {frame}, {spelling}", done)


def _as_it_stands(body: bytes, name: str, message: Message) -> Message:
    try:
        return decode(body, name, message.version)
    except ParseError:
        return message


def _damage(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    at = chance.randrange(len(data))
    kind = chance.choice(("lost", "added", "cut", "flipped"))
    if kind == "lost":
        return data[:at] + data[at + 1 :], f"lost at {at}"
    if kind == "added":
        return data[:at] + bytes([chance.randrange(256)]) + data[at:], f"added at {at}"
    if kind == "cut":
        return data[: max(at, 1)], f"cut at {at}"
    flipped = data[at] ^ 1 << chance.randrange(8)
    return data[:at] + bytes([flipped]) + data[at + 1 :], f"flipped at {at}"


def same(one: Message, other: Message) -> bool:
    """Whether two messages are equal apart from letter case of hex digits and the separator of tracks."""
    return one.mti == other.mti and _values(one) == _values(other)


def _values(message: Message) -> dict[int, str]:
    return {number: value.upper().replace("=", "D") for number, value in message.fields.items()}


def segment(at: int, data: bytes, *, back: bool = False, flags: int = 0x18) -> bytes:
    """An Ethernet frame with a TCP segment between two hosts."""
    ends = ((b"\xc0\x00\x02\x01", 50000), (b"\xc0\x00\x02\x02", 8583))
    (source, sport), (target, dport) = ends[::-1] if back else ends
    tcp = struct.pack(">HHIIBBHHH", sport, dport, at % (1 << 32), 1, 5 << 4, flags, 65535, 0, 0) + data
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, target) + tcp
    return bytes(12) + b"\x08\x00" + ip
