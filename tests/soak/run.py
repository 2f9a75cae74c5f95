"""Soak the service and a host: `python tests/soak/run.py REQUESTS [MINUTES]`, figures into RESULTS.md here.

Two workers answer REQUESTS good, broken and hostile requests, fewer where MINUTES end first. Beside them are
idle, slow and half sent requests, what HTTP forbids, and a worker killed every few seconds. A good client
measures before and meanwhile, from a process of its own. Then a host answers a tenth as many messages, among
broken frames and silent connections. Exit status 1 where an answer was one that nobody documents, or memory
or latency left its bounds.
"""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from random import Random
from time import monotonic

import psutil
from http_requests import SMUGGLED

from soak import hosting, line, mix

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")
WORKERS, BULK = 2, 6
ALONE = 15.0  # seconds in which the good client is alone
ENOUGH = 100  # latencies of which 99 of 100 can be told
KILL_EVERY = 20.0  # seconds; YOUNG workers are let live, so that pauses do not grow
LINGER = 3.0  # seconds of a silent connection
GROWTH = 1.3  # of memory after the warm-up
WARM = 0.25  # of the requests, after which memory is to be flat
SLOWER = 10  # times as long as undisturbed, at most, for 99 of 100 good requests
# 503: a language model was asked for, and there is none.
DOCUMENTED = {"200", "400", "413", "415", "422", "503"}


@dataclass
class Seen:
    """What was seen of one soak."""

    tally: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, int]] = field(
        default_factory=list
    )  # share of the requests, bytes of the oldest
    kills: int = 0
    beside: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    alone: list[float] = field(default_factory=list)
    meanwhile: list[float] = field(default_factory=list)

    @property
    def answered(self) -> int:
        """How many answers came."""
        return sum(count for what, count in self.tally.items() if what.isdigit())


@contextmanager
def serving(workers: int) -> Iterator[tuple[subprocess.Popen[str], line.Address]]:
    """The service on a free port, without settings from outside."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SIM_")}
    command = [sys.executable, "-m", "server", "--port", "0", "--workers", str(workers)]
    with subprocess.Popen(command, cwd=ROOT, env=clean, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            host, port = process.stdout.readline().split()[2].removeprefix("http://").split(":")
            yield process, (host, int(port))
        finally:
            process.terminate()


def workers_of(pid: int) -> list[psutil.Process]:
    """The processes that answer, the oldest first."""
    found = []
    for child in psutil.Process(pid).children():
        with suppress(psutil.NoSuchProcess):
            if any("spawn_main" in part for part in child.cmdline()):
                found.append(child)
    return sorted(found, key=lambda one: one.create_time())


def measure(where: line.Address, seconds: float) -> tuple[list[float], Counter[str]]:
    """The good client, in a process of its own."""
    tally: Counter[str] = Counter()
    return asyncio.run(line.measured(where, mix.good(Random(2), 200), seconds, tally)), tally


async def beside(where: line.Address, seen: Seen, some: Random, more: line.More) -> None:
    """Connections that never end, twenty at a time, and what HTTP forbids."""
    requests = mix.good(some, 20)
    while more():
        kinds = {
            "idle": [line.idle(where, LINGER) for _ in range(10)],
            "slow": [line.slow(where, some.choice(requests), LINGER) for _ in range(5)],
            "half sent": [line.half(where, some.choice(requests), LINGER) for _ in range(5)],
            "forbidden": [line.whole(where, data, seen.tally) for data in SMUGGLED.values()],
        }
        seen.beside.update({name: len(some_of) for name, some_of in kinds.items()})
        await asyncio.gather(*(one for some_of in kinds.values() for one in some_of))


async def killer(pid: int, seen: Seen, some: Random, more: line.More) -> None:
    """A worker chosen at random ends without a word. The first one is let live: its memory is watched."""
    due = monotonic() + KILL_EVERY
    while more():
        await asyncio.sleep(0.5)
        running = workers_of(pid) if monotonic() > due else []
        if len(running) == WORKERS:
            due = monotonic() + KILL_EVERY * some.uniform(0.5, 1.5)
            with suppress(ProcessLookupError):
                os.kill(some.choice(running[1:]).pid, signal.SIGKILL)
                seen.kills += 1


async def watcher(pid: int, count: int, seen: Seen, more: line.More, share: Callable[[], float]) -> None:
    """The memory of the oldest worker, and a word on how far it is."""
    said = monotonic()
    while more():
        with suppress(psutil.NoSuchProcess, IndexError):
            seen.memory.append((share(), workers_of(pid)[0].memory_info().rss))
        if monotonic() - said > 30:
            said = monotonic()
            print(f"{seen.answered:,} of {count:,}: {dict(seen.tally)}", flush=True)
        await asyncio.sleep(1)


async def disturb(pid: int, where: line.Address, count: int, seen: Seen, most: float = inf) -> None:
    """All of it at once, until *count* answers came or *most* seconds passed."""
    some = Random(8583)
    requests = [*mix.good(some, 600), *mix.broken(some, 300), *mix.hostile(some, 24)]

    begun = monotonic()

    def share() -> float:
        return max(seen.answered / count, (monotonic() - begun) / most)

    def more() -> bool:
        return share() < 1

    await asyncio.gather(
        *(line.many(where, requests, Random(at), seen.tally, more) for at in range(BULK)),
        beside(where, seen, Random(1), more),
        killer(pid, seen, Random(2), more),
        watcher(pid, count, seen, more, share),
    )
    seen.seconds = monotonic() - begun


def soak_service(count: int, most: float = inf) -> Seen:
    """The service, first with one good client, then with all the others."""
    seen = Seen()
    with serving(WORKERS) as (process, where), ProcessPoolExecutor(1) as pool:
        while len(seen.alone) < ENOUGH:  # a service that is just starting is no measure
            seen.alone, _ = pool.submit(measure, where, ALONE).result()
        stop = pool.submit(measure, where, max(min(count / 2_000, most), ALONE))
        asyncio.run(disturb(process.pid, where, count, seen, most))
        seen.meanwhile, tally = stop.result()
        seen.tally.update(tally)
    return seen


def p99(latencies: list[float]) -> float:
    """What 99 of 100 stayed below, in milliseconds."""
    return sorted(latencies)[int(len(latencies) * 0.99)] * 1000 if latencies else float("nan")


def growth(memory: list[tuple[float, int]]) -> float:
    """The memory of the last tenth of the run, by that just after the warm-up."""
    after = [size for share, size in memory if WARM <= share < WARM + 0.1]
    last = [size for share, size in memory if share >= 0.9]
    return max(last, default=0) / max(after, default=1) if after and last else float("nan")


def told(seen: Seen, host: hosting.Told) -> tuple[str, bool]:
    """The table, and whether all is well."""
    unexpected = {
        what: number for what, number in seen.tally.items() if what.isdigit() and what not in DOCUMENTED
    }
    slower, grown = p99(seen.meanwhile) / p99(seen.alone), growth(seen.memory)
    statuses = ", ".join(f"{what}: {number:,}" for what, number in sorted(seen.tally.items()))
    rows = [
        ("requests answered", f"{seen.answered:,} in {seen.seconds:,.0f} s"),
        ("answers by status", statuses),
        ("answers that nobody documents", str(unexpected or "none")),
        ("connections beside", ", ".join(f"{name} {number:,}" for name, number in seen.beside.items())),
        ("workers killed", f"{seen.kills}"),
        ("p99 of the good client, alone", f"{p99(seen.alone):.1f} ms of {len(seen.alone):,}"),
        (
            "p99 of the good client, meanwhile",
            f"{p99(seen.meanwhile):.1f} ms of {len(seen.meanwhile):,}, {slower:.1f} x",
        ),
        (
            "memory of the oldest worker, end by after warm-up",
            f"{grown:.2f}, at most {max((size for _, size in seen.memory), default=0) / 1e6:.0f} MB",
        ),
        *host.rows(),
    ]
    head = (
        "# What a soak shows\n\nMade by `make soak`; nobody edits it by hand. "
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} processors.\n\n"
    )
    table = "| What | Figure |\n|---|---|\n" + "\n".join(f"| {name} | {figure} |" for name, figure in rows)
    enough = min(len(seen.alone), len(seen.meanwhile)) >= ENOUGH
    well = enough and not unexpected and slower < SLOWER and grown < GROWTH and host.well
    return f"{head}{table}\n", well


def main(count: int, minutes: float = inf) -> int:
    """Soak, write down, tell."""
    seen = soak_service(count, minutes * 60)
    text, well = told(seen, hosting.soak(min(seen.answered, hosting.ENOUGH)))
    RESULTS.write_text(text, encoding="utf-8")
    print(text)
    return int(not well)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *map(float, sys.argv[2:])))
