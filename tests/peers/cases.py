"""One element that a peer packed, read and written by us; and one of ours, read by the peer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sim.codec import Message
from sim.codec.wire import Format, encode, read
from sim.errors import IsoError
from sim.parts.layout import Part, fitting
from tests.peers.peer import Peer, PeerError, line_of, values_of
from tests.peers.values import Value

_PAIR = 2
_FILLED = re.compile("^([C=]?)0+(?=[0-9]*$)")


@dataclass
class Count:
    """How many values were read, and written, equal; which elements were not; and the rows that are kept."""

    values: int = 0
    read: int = 0
    written: int = 0
    refused: int = 0
    differs: Counter[int] = field(default_factory=Counter)
    kept: list[dict[str, object]] = field(default_factory=list)

    def take(self, other: Count) -> None:
        self.values += other.values
        self.read += other.read
        self.written += other.written
        self.refused += other.refused


def read_back(
    peer: Peer,
    packager: str,
    made: Format,
    version: str | None,
    cases: Iterable[tuple[int, str, Mapping[str, Value]]],
    mti: str = "0200",
) -> Count:
    """Have the peer pack each case; what it refuses to pack is no case."""
    found = Count()
    for number, kind, values in cases:
        try:
            data = bytes.fromhex(peer("pack", packager, line_of({"0": mti, **values})))
        except PeerError:
            found.refused += 1
            continue
        back = _again(peer, packager, data, number)
        if not back and any("." in path for path in values):
            found.refused += 1  # parts that it cannot read again
            continue
        wanted = values
        found.values += 1
        try:
            message = read(data, made, version).message
            right = _is(message, number, values)
            if not right and back:
                right, wanted = _is(message, number, back), back
            same = encode(message, made) == data
        except IsoError:
            right = same = False
        found.read += right
        found.written += same
        if not (right and same):
            found.differs[number] += 1
        else:
            found.kept.append(_row(number, kind, wanted, message, data))
    return found


def _again(peer: Peer, packager: str, data: bytes, number: int) -> dict[str, Value]:
    """What the peer itself reads of the element that it packed, where it can."""
    try:
        back = values_of(peer("unpack", packager, data.hex()))
    except PeerError:
        return {}
    return {path: value for path, value in back.items() if path.split(".")[0] == str(number)}


def _is(message: Message, number: int, wanted: Mapping[str, Value]) -> bool:
    if not any("." in path for path in wanted):
        return alike(wanted.get(str(number), ""), message[number])
    cut = fitting(message.spec, number, message[number])
    parts = {} if cut is None else leaves(cut.parts, f"{number}.")
    return all(_path(path) in parts and alike(value, parts[_path(path)]) for path, value in wanted.items())


def leaves(parts: Iterable[Part], front: str) -> dict[str, str]:
    """The value of each part by its path, tags without the zeros in front of them."""
    found = {}
    for part in parts:
        path = f"{front}{part.key.lstrip('0') or '0'}"
        found[path] = part.value
        found |= leaves(part.children, f"{path}.")
    return found


def _path(path: str) -> str:
    return ".".join(one.lstrip("0") or "0" for one in path.split("."))


def alike(there: Value, value: str) -> bool:
    """Whether a peer's value is ours: bytes as hex digits, numbers and amounts with or without the zeros that
    fill them up, half a byte F behind packed digits, blanks at the ends, either separator of track data."""
    if isinstance(there, bytes):
        shown = there.decode("latin-1").strip()
        return there.hex().upper() == value.upper() or shown == value.strip()
    if there.encode("latin-1", "replace").hex().upper() == value.upper():
        return True
    one, other = (_FILLED.sub(r"\1", text.strip().replace("D", "=")).upper() for text in (there, value))
    return one == other or (one.isalnum() and one.removesuffix("F") == other and other.isdigit())


def _row(
    number: int, kind: str, wanted: Mapping[str, Value], message: Message, data: bytes
) -> dict[str, object]:
    """What is kept of a case: the bytes, and the value, or those of its parts."""
    row: dict[str, object] = {"class": kind, "element": number, "hex": data.hex().upper()}
    inside = {
        _path(path): value.hex().upper() if isinstance(value, bytes) else value
        for path, value in wanted.items()
        if "." in path
    }
    return row | ({"parts": inside} if inside else {"value": message[number]})


def packager(kind: str, most: int, more: dict[str, str]) -> str:
    """A packager with one element beside MTI and bitmap."""
    said = "".join(f' {key}="{value}"' for key, value in more.items())
    one = f'<isofield id="2" length="{most}" name="one"{said} class="org.jpos.iso.{kind}"/>'
    return (
        '<isopackager><isofield id="0" length="4" name="MTI" class="org.jpos.iso.IFA_NUMERIC"/>'
        f'<isofield id="1" length="16" name="map" class="org.jpos.iso.IFB_BITMAP"/>{one}</isopackager>'
    )


def read_by_peer(peer: Peer, name: str, made: Format, version: str, left: Iterable[int]) -> Count:
    """Have the peer read what we write of each element of a format that is not *left* out."""
    found = Count()
    skipped = set(left)
    mti = {"1987": "0200", "1993": "1200", "2003": "2200"}[version]
    for one in made.layout(version).fields:
        if one is None or one.number in skipped:
            continue
        for value in ours(made, version, one.number):
            message = Message(mti, {one.number: value}, version)
            found.values += 1
            try:
                back = values_of(peer("unpack", name, encode(message, made).hex()))
                right = alike(back.get(str(one.number), ""), value)
            except PeerError:
                right = False
            found.read += right
            found.differs[one.number] += not right
    return found


def ours(made: Format, version: str, number: int) -> list[str]:
    """Values of an element as the format has it: the shortest, a short one, a longer one, the longest of
    a fixed one."""
    one = made.layout(version)[number]
    assert one is not None
    binary = one.content == "b" or one.written in ("raw", "hex")
    most = one.size // (_PAIR if binary and one.counts == "characters" else 1)
    if one.written == "bcd" and one.counts == "bytes":
        most = _PAIR * one.size
    wanted = {most} if one.fixed else {min(most, size) for size in (2, 4, 11, 60)}
    return [
        _ours(one.written if not binary else "raw", one.content, size, one.counts) for size in sorted(wanted)
    ]


def _ours(written: str, content: str, size: int, counts: str) -> str:
    if written == "raw":
        return bytes((37 * at + 1) % 256 for at in range(size)).hex().upper()
    if written == "mapped":
        return "8000000000000000" + "AB12"
    digits = "1234567890" * (size // 10 + 1)
    if content == "z":
        return "4111111111111111=2612101123456789012345"[: max(size, 21)] if size > 20 else digits[:size]
    if content == "x+n":
        return "D" + digits[: size - (written != "signed")]
    if content == "n" or written == "bcd":
        even = size - size % 2 if counts == "bytes" else size
        return digits[:even]
    return ("AB 1/c." * (size // 7 + 1))[:size].strip().ljust(size, "Z")
