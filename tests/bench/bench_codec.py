"""How fast messages are parsed and built here and by two other packages: `make bench`.

All get the same text and give a value per data element; each has read and written it right before the clock
starts. They are measured in turn, round by round, so that a busy moment of the machine meets all of them;
a speed is the median of the rounds, a ratio the median of the rounds' ratios.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from timeit import Timer

import iso8583
import iso8583sim.core.builder
import iso8583sim.core.parser
from iso8583.specs import default_ascii
from iso8583sim.core.types import ISO8583Message

import sim.codec
from sim.codec import Message
from sim.operations import generate

RESULTS = Path(__file__).with_name("RESULTS.md")
ROUNDS = 15
SECONDS = 0.1  # of one measurement
OURS = "iso8583-lab"
_THIRTEEN = (2, 3, 4, 7, 11, 12, 13, 22, 25, 37, 41, 42, 49)

Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Case:
    """One message and what each package does with it: operation -> package -> call."""

    title: str
    calls: dict[str, dict[str, Call]]


def messages() -> dict[str, Message]:
    """What is measured, by title."""
    at = datetime(2026, 11, 20, 12, 30, 45, tzinfo=UTC)
    full = generate("auth", network="VISA", at=at).message
    short = Message(full.mti, {number: full[number] for number in _THIRTEEN})
    chip = generate("financial", network="VISA", entry="chip", at=at).message
    echo = generate("echo", at=at).message
    return {"0100": short, "0200 with chip data": chip, "0800 echo": echo}


def case(title: str, message: Message) -> Case:
    """The calls for *message*. Fails where a package does not give back what was written."""
    raw = sim.codec.build(message)
    data = raw.encode("ascii")
    values = {"t": message.mti} | {str(number): value for number, value in message.fields.items()}
    parser = iso8583sim.core.parser.ISO8583Parser()
    builder = iso8583sim.core.builder.ISO8583Builder()
    # Without a network, its build checks no network's own rules.
    other = ISO8583Message(mti=message.mti, fields={0: message.mti, **message.fields})
    parse: dict[str, Call] = {
        OURS: lambda: sim.codec.parse(raw),
        "pyiso8583": lambda: iso8583.decode(data, spec=default_ascii),
        "iso8583sim": lambda: parser.parse(raw),
    }
    build: dict[str, Call] = {
        OURS: lambda: sim.codec.build(message),
        "pyiso8583": lambda: iso8583.encode(dict(values), spec=default_ascii),
        "iso8583sim": lambda: builder.build(other),
    }
    assert sim.codec.parse(raw).fields == message.fields
    read = iso8583.decode(data, spec=default_ascii)[0]
    assert {int(key): value for key, value in read.items() if key.isdigit() and key != "1"} == message.fields
    assert parser.parse(raw).fields == other.fields
    assert [
        build[OURS](),
        bytes(iso8583.encode(values, spec=default_ascii)[0]).decode(),
        builder.build(other),
    ] == [raw] * 3
    return Case(
        f"{title}: {len(message.fields)} elements, {len(raw)} characters", {"parse": parse, "build": build}
    )


def measure(calls: dict[str, Call]) -> dict[str, list[float]]:
    """Calls a second of each package, one number a round."""
    timers = {name: Timer(call) for name, call in calls.items()}
    counts = {}
    for name, timer in timers.items():
        number, seconds = timer.autorange()
        counts[name] = max(1, round(number * SECONDS / seconds))
    speeds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            speeds[name].append(counts[name] / timer.timeit(counts[name]))
    return speeds


def rows(cases: list[Case]) -> Iterator[list[str]]:
    """The lines of the table: thousands a second of each package, then ours over each other one."""
    for each in cases:
        for operation, calls in each.calls.items():
            speeds = measure(calls)
            ours = speeds.pop(OURS)
            line = [each.title, operation, f"{median(ours) / 1000:.0f}"]
            line += [f"{median(theirs) / 1000:.0f}" for theirs in speeds.values()]
            for theirs in speeds.values():
                line.append(f"{median(a / b for a, b in zip(ours, theirs, strict=True)):.1f}")
            yield line


def machine() -> str:
    """The interpreter and the processor in one line."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":")[1].strip()
            for line in info.read_text().splitlines()
            if line.startswith("model name")
        ]
        processor = names[0] if names else processor
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {platform.system()}, {processor}, {os.cpu_count()} processors"


def main() -> None:
    """Measure, print the table and write it to RESULTS.md."""
    others = ["pyiso8583", "iso8583sim"]
    head = ["message", "operation", OURS, *others, *(f"{OURS} : {name}" for name in others)]
    table = [
        head,
        ["---", "---", *(["--:"] * (len(head) - 2))],
        *rows([case(*item) for item in messages().items()]),
    ]
    lines = [
        "# Parsing and building, one message at a time",
        "",
        "Thousands of messages a second in one process, and how many times as fast. Made by `make bench`.",
        "",
        *(f"| {' | '.join(line)} |" for line in table),
        "",
        f"{machine()}. {', '.join(f'{name} {version(name)}' for name in (OURS, *others))}.",
        f"Median of {ROUNDS} rounds of {SECONDS} s, the packages in turn. What they do is not quite the",
        "same: parsing in pyiso8583 also returns the encoded parts, in iso8583sim it detects the network;",
        "iso8583sim checks the content of elements while it builds, the others only framing.",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
