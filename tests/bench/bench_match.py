"""What `sim.match` costs on a table of a million messages, and that it grows no faster than they do.

Three kinds of traffic: the usual one (requests, answers, now and then a repeat and a reversal), one without
any answer, and the worst: all messages have the same numbers, so that only other elements tell them apart.
The peer is `sim.read` of the same messages.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any

import sim
from sim.codec import Message, build
from sim.spec.networks import check_digit

COUNT = 1_000_000
_AT = datetime(2026, 11, 20, 12, 30, 45, tzinfo=UTC)


def usual(count: int, seed: int = 1) -> list[str]:
    """Requests and answers in turn; every fiftieth pair is reversed, every hundredth repeated."""
    some, made = random.Random(seed), []
    at = 0
    while len(made) < count:
        moment = _AT + timedelta(seconds=at // 50)
        fields = _fields(some, moment, f"{at % 999_999 + 1:06}")
        request = Message("0100", fields)
        made.append(build(request))
        if at % 100 == 99:
            made.append(build(Message("0101", fields)))
        if at % 200:
            made.append(build(Message("0110", fields | {39: "00"})))
        if at % 50 == 49:
            original = "0100" + fields[11] + fields[7] + "0" * 22
            made.append(build(Message("0400", fields | {11: f"{at % 999_998 + 2:06}", 90: original})))
        at += 1
    return made[:count]


def unanswered(count: int, seed: int = 2) -> list[str]:
    """Requests alone."""
    some = random.Random(seed)
    return [
        build(Message("0100", _fields(some, _AT + timedelta(seconds=at // 50), f"{at % 999_999 + 1:06}")))
        for at in range(count)
    ]


def alike(count: int, seed: int = 3) -> list[str]:
    """Requests, then answers, all with the same number and time: of other cards."""
    some = random.Random(seed)
    cards = [_fields(some, _AT, "000001") for _ in range(count // 2)]
    asked = [build(Message("0100", one)) for one in cards]
    return asked + [build(Message("0110", one | {39: "00"})) for one in cards]


def _fields(some: random.Random, moment: datetime, stan: str) -> dict[int, str]:
    payload = f"411111{some.randrange(10**9):09}"
    return {
        2: payload + check_digit(payload),
        3: "000000",
        4: f"{some.randrange(1, 10**6):012}",
        7: f"{moment:%m%d%H%M%S}",
        11: stan,
        12: f"{moment:%H%M%S}",
        13: f"{moment:%m%d}",
        22: "051",
        25: "00",
        37: f"{some.randrange(10**12):012}",
        41: f"TERM{some.randrange(10**4):04}",
        42: "TESTMERCHANT001",
        49: "840",
    }


KINDS: dict[str, Callable[[int], list[str]]] = {"usual": usual, "unanswered": unanswered, "alike": alike}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that *call* takes, and what it gives."""
    gc.collect()
    start = perf_counter()
    held = call()
    return perf_counter() - start, held


def main(count: int = COUNT) -> list[str]:
    """Measure and print the table; gives its lines."""
    lines = [
        "| traffic | messages | read | match | µs a message | states |",
        "| --- | --: | --: | --: | --: | --- |",
    ]
    for name, make in KINDS.items():
        for size in (count // 4, count):
            texts = make(size)
            read, table = timed(lambda texts=texts: sim.read(texts))
            matched, found = timed(lambda table=table: sim.match(table))
            states = ", ".join(f"{state} {much:,}" for state, much in found.iso.summary.items())
            cells = (f"{size:,}", f"{read:.2f} s", f"{matched:.2f} s", f"{matched / size * 1e6:.1f}", states)
            lines.append(f"| {name} | {' | '.join(cells)} |")
    print("\n".join(lines))
    return lines


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
