"""Values for the elements that peers describe: random, the same at each run, of every length that matters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from tests.peers.peer import Peer

Value = str | bytes
_TEXT = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz -./:,()&'+"
_LONGEST = 120
_LONGEST_PART = 12
_EACH = 6
_MOST_PARTS = 9


def sizes(random: Random, most: int) -> list[int]:
    """Lengths up to *most*: the shortest, the longest, odd and even ones between."""
    longest = min(most, _LONGEST)
    wanted = {1, 2, 3, longest // 2, longest - 1, longest, random.randint(1, longest)}
    return sorted(size for size in wanted if 0 < size <= longest)


def of_class(random: Random, name: str, size: int, *, binary: bool) -> Value:
    """A value of a field class of jPOS."""
    if binary or "BINARY" in name or ("HEX" in name and name != "IFB_HEX"):
        return random.randbytes(size)
    if name == "IF_NOP":
        return ""
    if name == "IFB_HEX":
        return _of(random, "0123456789ABCDEF", size)
    if "AMOUNT" in name and "2003" not in name:
        return random.choice("CD") + _of(random, "0123456789", max(1, size - 1))
    if "SIGNED" in name:
        # A negative one that fills the element is more than jPOS itself can pack.
        return random.choice(("", "-")) * (size < 7) + _of(random, "0123456789", max(1, size - 1))
    if "NUM" in name or "AMOUNT" in name:
        return _of(random, "0123456789", size)
    return _of(random, _TEXT, size).strip() or "A"


def _of(random: Random, signs: str, size: int) -> str:
    return "".join(random.choice(signs) for _ in range(size))


def of_packager(peer: Peer, name: str, random: Random) -> Iterator[tuple[int, str, dict[str, Value]]]:
    """Element, its class and values by path, for each element of a packager of jPOS; of one in parts, several
    of them in each."""
    rows = [one.split(",") for one in peer("describe", name).split("|")]
    inside: dict[str, list[list[str]]] = {}
    for row in rows:
        if "." in row[0]:
            inside.setdefault(row[0].rpartition(".")[0], []).append(row)
    for path, kind, size, sort in rows:
        if "." in path or path in ("0", "1") or sort == "map" or kind == "IF_UNUSED":
            continue
        if path in inside and sort == "m":
            for at in range(_EACH):
                yield int(path), kind, _parts(inside, path, random, in_turn=at % 2 == 0)
        elif int(size):
            for width in sizes(random, int(size)):
                yield int(path), kind, {path: of_class(random, kind, width, binary=sort == "b")}


def _parts(
    inside: Mapping[str, list[list[str]]], path: str, random: Random, *, in_turn: bool
) -> dict[str, Value]:
    """Values of some parts: the first ones, or any."""
    known = [one for one in inside[path] if one[3] != "map" and one[1] != "IF_UNUSED"]
    count = random.randint(1, min(len(known), _MOST_PARTS))
    chosen = known[:count] if in_turn else random.sample(known, count)
    found: dict[str, Value] = {}
    for own, kind, size, sort in sorted(chosen, key=lambda one: int(one[0].rpartition(".")[2])):
        if sort == "m" and own in inside:
            found |= _parts(inside, own, random, in_turn=in_turn)
        else:
            width = random.randint(1, max(1, min(int(size), _LONGEST_PART)))
            found[own] = of_class(random, kind, width, binary=sort == "b")
    return found


def of_specification(said: Mapping[str, Any], random: Random) -> Iterator[tuple[int, str, dict[str, Value]]]:
    """The same for each element of a specification of moov-io/iso8583, with its encoding and prefix."""
    for key, one in sorted(said["fields"].items(), key=lambda item: int(item[0])):
        if int(key) < 2:
            continue
        for _ in range(_EACH):
            made = _of_field(one, random)
            found = {f"{key}{path}": value for path, value in made.items()}
            yield int(key), f"{one.get('enc', one['type'])} {one['prefix']}", found


def _of_field(one: Mapping[str, Any], random: Random) -> dict[str, Value]:
    size, fixed = one.get("length", 0), one["prefix"].endswith("Fixed")
    if parts := one.get("subfields"):
        return _of_composite(one, parts, random, fixed=fixed)
    width = size if fixed else random.randint(1, max(1, min(size, _LONGEST)))
    if one["type"] in ("Binary", "Hex"):
        return {"": random.randbytes(width)}
    if one["type"] == "Track2":
        return {"": f"4{_of(random, '0123456789', 15)}=2612{_of(random, '0123456789', 7)}"}
    if one["type"] == "Numeric" or one["enc"] in ("BCD", "LBCD"):
        return {"": _of(random, "123456789", width)}
    return {"": _of(random, _TEXT, width)}


def _of_composite(
    one: Mapping[str, Any], parts: Mapping[str, Any], random: Random, *, fixed: bool
) -> dict[str, Value]:
    keys = list(parts)
    if one.get("bitmap") or (one.get("tag") or {}).get("enc"):
        keys = random.sample(keys, random.randint(1, len(keys)))
    else:
        keys = sorted(keys, key=int)
        keys = keys if fixed else keys[: random.randint(1, len(keys))]
    return {f".{key}{path}": value for key in keys for path, value in _of_field(parts[key], random).items()}
