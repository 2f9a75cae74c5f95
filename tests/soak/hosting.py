"""A host under load: messages that expect a response, among broken frames and silent connections.

By itself (`python -m soak.hosting 400000`) it writes its rows of the results anew.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter

import psutil

from sim.codec import Message
from sim.link import AsyncClient, AsyncHost, Line
from sim.operations import generate

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")
LINE = Line.of("ascii", "length-2")
_POOL, _AT_ONCE = 4, 16
_ALONE = 300  # messages of the client that is alone
_GROWTH, _SLOWER = 1.3, 10
_WARM = 0.4  # share of the messages after which the host's bounded records are full, in a run of ENOUGH
ENOUGH = 400_000
_KINDS = ("auth", "financial", "echo")


@dataclass
class Told:
    """What was seen of the host."""

    statuses: Counter[str] = field(default_factory=Counter)
    beside: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, int]] = field(default_factory=list)  # share of the messages, bytes
    alone: list[float] = field(default_factory=list)
    meanwhile: list[float] = field(default_factory=list)

    @property
    def well(self) -> bool:
        """Whether every message was answered, in time, in flat memory."""
        return set(self.statuses) == {"answered"} and self._slower() < _SLOWER and self._grown() < _GROWTH

    def rows(self) -> list[tuple[str, str]]:
        """The rows of the table."""
        return [
            ("host: messages by status", ", ".join(f"{n}: {c:,}" for n, c in self.statuses.items())),
            ("host: connections beside", ", ".join(f"{n} {c:,}" for n, c in self.beside.items())),
            ("host: p99 alone", f"{_p99(self.alone):.1f} ms"),
            (
                "host: p99 of a good client meanwhile",
                f"{_p99(self.meanwhile):.1f} ms, {self._slower():.1f} x",
            ),
            (
                "host: memory, end by when its records are full",
                f"{self._grown():.2f}, at most {self._most() / 1e6:.0f} MB",
            ),
        ]

    def _slower(self) -> float:
        return _p99(self.meanwhile) / _p99(self.alone)

    def _most(self) -> int:
        return max((size for _, size in self.memory), default=0)

    def _grown(self) -> float:
        after = [size for share, size in self.memory if share >= _WARM]
        return after[-1] / after[0] if after else float("nan")


def _p99(latencies: list[float]) -> float:
    return sorted(latencies)[int(len(latencies) * 0.99)] * 1000 if latencies else float("nan")


def soak(count: int) -> Told:
    """A host in a process of its own, under *count* messages."""
    command = [sys.executable, "-c", "from soak.hosting import serve; serve()"]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests")))}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            return asyncio.run(_soak(process.pid, port, count))
        finally:
            process.terminate()


def serve() -> None:
    """Serve until the process is ended; says its port first."""

    async def forever() -> None:
        async with AsyncHost(LINE) as host:
            print(host.port, flush=True)
            await asyncio.Event().wait()

    asyncio.run(forever())


def _messages(some: Random) -> list[Message]:
    return [generate(some.choice(_KINDS), stan=f"{at:06}").message for at in range(1, 400)]


async def _soak(pid: int, port: int, count: int) -> Told:
    told, some = Told(), Random(8583)
    where, messages = ("127.0.0.1", port), _messages(some)
    async with AsyncClient(where, LINE) as good, AsyncClient(where, LINE, pool=_POOL) as many:
        told.alone = [await _timed(good, message, told) for message in messages[:_ALONE]]
        done = asyncio.Event()
        others = asyncio.gather(
            _beside(where, messages, told, some, done), _measure(good, messages, told, done)
        )
        try:
            await _drive(many, count, told, pid)
        finally:
            done.set()
            await others
    return told


async def _timed(client: AsyncClient, message: Message, told: Told) -> float:
    begun = perf_counter()
    told.statuses[(await client.send(message)).status] += 1
    return perf_counter() - begun


async def _measure(client: AsyncClient, messages: list[Message], told: Told, done: asyncio.Event) -> None:
    for message in cycle(messages):
        told.meanwhile.append(await _timed(client, message, told))
        await asyncio.sleep(0.01)
        if done.is_set():
            return


async def _drive(client: AsyncClient, count: int, told: Told, pid: int) -> None:
    """*count* messages, some at once, each with a trace number of its own among them."""
    process, done = psutil.Process(pid), 0
    kinds = {kind: generate(kind, stan="000001").message for kind in _KINDS}

    async def worker(first: int) -> None:
        nonlocal done
        for at in range(first, count, _AT_ONCE):
            made = kinds[_KINDS[at % len(_KINDS)]]
            fields = {**made.fields, 11: f"{500_000 + at % 499_999:06}"}
            told.statuses[(await client.send(Message(made.mti, fields, made.version))).status] += 1
            done += 1
            if done % max(count // 50, 1) == 0:
                told.memory.append((done / count, process.memory_info().rss))

    await asyncio.gather(*(worker(first) for first in range(_AT_ONCE)))


async def _beside(
    where: tuple[str, int], messages: list[Message], told: Told, some: Random, done: asyncio.Event
) -> None:
    """Frames that are no messages, broken ones, half ones, and connections that say nothing."""
    while not done.is_set():
        frame = LINE.encode(some.choice(messages))
        sent = {
            "garbage": some.randbytes(200),
            "broken": frame[:10] + b"\xff\xff" + frame[12:],
            "half": frame[: len(frame) // 2],
            "silent": b"",
        }
        for name, data in sent.items():
            with suppress(OSError):
                _, writer = await asyncio.open_connection(*where)
                writer.write(data)
                told.beside[name] += 1
                await asyncio.sleep(0.02)
                writer.close()
                await writer.wait_closed()


def main(count: int) -> int:
    """Soak a host, put its rows where the last ones stood, tell."""
    told = soak(count)
    rows = [f"| {name} | {figure} |" for name, figure in told.rows()]
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("| host:")]
    RESULTS.write_text("\n".join((*kept, *rows)) + "\n", encoding="utf-8")
    print(*rows, sep="\n")
    return int(not told.well)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ENOUGH))
