"""Undocumented dialects: a built-in format with a few changed elements, and messages in it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from support import requested

from sim.codec import Message
from sim.codec.wire import Format, encode, wire_format
from sim.codec.wire.encode import misfits
from sim.errors import IsoError
from sim.operations import respond

AT = "2026-11-20T12:30:45"
_KINDS = ("auth", "financial", "reversal", "echo", "refund", "balance", "cash")
_ENTRIES = ("chip", "stripe", "manual", "contactless", "ecommerce", "fallback")
_NETWORKS = ("VISA", "MASTERCARD", "AMEX", "JCB", "UNIONPAY", "DISCOVER")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789 "


@cache
def pool(interface: str, version: str, count: int, seed: int) -> tuple[Message, ...]:
    """Different messages of an interface."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        stan = f"{chance.randrange(1, 999999):06}"
        kind = chance.choice(_KINDS)
        options: dict[str, Any] = {
            "stan": stan,
            "amount_minor_units": chance.choice([100, 999, 1250, 7300, 45000, 120099]),
            "currency": chance.choice(["840", "978", "826", "752", "392"]),
            "version": version,
            "interface": interface,
            "at": f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}T"
            f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}",
        }
        if kind != "echo":
            options |= {"network": chance.choice(_NETWORKS), "entry": chance.choice(_ENTRIES)}
        try:
            one = requested(kind, **options)
            if chance.random() < 0.35:
                one = respond(one).message
        except IsoError:
            continue
        found.append(_varied(one, chance))
    return tuple(found)


def _varied(one: Message, chance: random.Random) -> Message:
    """Terminal, merchant and location of another shop."""
    fields = dict(one.fields)
    for number in (41, 42, 43):
        if number in fields and chance.random() < 0.9:
            size = len(fields[number])
            text = "".join(chance.choice(_LETTERS) for _ in range(size))
            fields[number] = text if number == 43 else text.replace(" ", "0")
    if 37 in fields:
        fields[37] = fields[37][:6] + f"{chance.randrange(10**6):06}"
    for number, sizes in ((48, (3, 40)), (62, (3, 20)), (63, (2, 30)), (60, (4, 12))):
        if number not in fields and one.mti[1] != "8" and chance.random() < 0.4:
            fields[number] = _text(chance, chance.randint(*sizes))
    return replace(one, fields=dict(sorted(fields.items())), dialect=None)


def _text(chance: random.Random, size: int) -> str:
    return "".join(chance.choice(_LETTERS) for _ in range(size))


Change = tuple[int, dict[str, Any], Callable[[str, random.Random], str]]


def _sized(size: int, digits: bool = False) -> Callable[[str, random.Random], str]:
    def made(value: str, chance: random.Random) -> str:
        if digits:
            return "".join(chance.choice("0123456789") for _ in range(size))
        return _text(chance, size).replace(" ", "X")

    return made


def _same(value: str, chance: random.Random) -> str:
    return value


def _short(most: int) -> Callable[[str, random.Random], str]:
    return lambda value, chance: value[:most]


def changes(made: Format, chance: random.Random, seen: Counter[int]) -> Sequence[Change | dict[str, Any]]:
    """The possible changes of a dialect of *made*, in elements that its messages have; a dict changes the
    whole format."""
    other = "cp500" if made.text == "ascii" else "ascii"
    packed = made.digits == "bcd"
    private = [number for number in (48, 60, 61, 62, 63) if seen[number]]
    found: list[Change] = [
        (41, {"format": f"ans {(size := chance.choice([10, 12, 15, 16]))}"}, _sized(size)),
        (42, {"format": f"ans {(size := chance.choice([10, 12, 13, 18]))}"}, _sized(size)),
        (12, {"format": "n 12"}, lambda value, _: f"261120{value[-6:]}"),
        (22, {"format": "n 4"}, lambda value, _: value[:3].zfill(4)),
        (37, {"written": other, "page": other}, _same),
        (41, {"written": other}, _same),
        (43, {"format": "ans..99"}, _same),
        (32, {"format": "n 11"}, lambda value, _: value.zfill(11)[-11:]),
        (39, {"format": "an 3"}, lambda value, _: value.zfill(3)[-3:]),
        (24, {"format": "n 4"}, lambda value, _: value.zfill(4)[-4:]),
        (35, {"odd": "right 0"} if packed else {"lengths": "binary", "length_bytes": 1}, _same),
        (127, {"format": "ans..999999"}, _same),
    ]
    for number in private:
        size = chance.choice([3, 5, 7, 9, 11, 13, 17, 21])
        found += [
            (number, {"format": f"ans {size}", "written": "ascii"}, _sized(size)),
            (number, {"format": f"n {size}", "written": made.digits}, _sized(size, digits=True)),
            (number, {"format": "ans..99"}, _short(99)),
            (number, {"format": "ans..255", "lengths": "binary", "length_bytes": 1}, _short(99)),
            (number, {"format": "ans..999", "lengths": "ascii", "length_bytes": 3}, _same),
        ]
        if packed:
            found.append((number, {"format": "ans..99", "lengths": "bcd", "length_bytes": 1}, _short(99)))
    if packed:  # three packed digits are four of which the first is 0
        found = [one for one in found if one[0] not in (22, 24)]
    usable: list[Change | dict[str, Any]] = [one for one in found if seen[one[0]] > 2]
    if not made.bitmap_bytes:
        usable.append({"bitmap_bytes": 16, "bit_1": False})
    if packed:
        usable += [{"odd": {"fixed": "right 0", "variable": "right 0", "track": "right 0"}}]
    return usable


def dialect(name: str, seed: int, count: int) -> tuple[Format, list[Message]]:
    """A dialect of the format *name*, and *count* messages in it, different for each count."""
    chance = random.Random(f"{name} {seed}")
    made = wire_format(name)
    version = made.version or "1987"
    some = pool(made.interface or "iso", version, count + 40, seed % 3)
    seen = Counter(number for one in some for number in one.fields)
    chosen: dict[object, Any] = {}
    for one in chance.sample(list(changes(made, chance, seen)), k=min(chance.randint(1, 4), 6)):
        chosen.setdefault(one[0] if isinstance(one, tuple) else "format", one)
    rows = {number: dict(row) for number, row in made.elements.items()}
    whole: dict[str, Any] = {}
    for one in chosen.values():
        if isinstance(one, dict):
            whole |= one
        else:
            rows[one[0]] = {key: value for key, value in rows.get(one[0], {}).items() if key in ("name",)}
            rows[one[0]] |= one[1]
    own = made.with_(name="dialect", elements=rows, version=version, frames=made.frames, **whole)
    messages = []
    for one in some:
        fields = dict(one.fields)
        for number, change in chosen.items():
            if isinstance(change, tuple) and number in fields:
                fields[number] = change[2](fields[number], chance)
        sent = replace(one, fields=fields, dialect=None)
        bad = {error.field for error in misfits(sent, own)}
        fields = {number: value for number, value in fields.items() if number not in bad}
        messages.append(replace(sent, fields=fields))
    return own, messages


def written(one: Message, made: Format) -> bytes:
    """The message encoded in the dialect, in the framing of its connections."""
    return encode(one, made, framing=made.frames)
