"""Connections that ask a service: many requests on end, one at a time, and such as never end."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from time import perf_counter

Address = tuple[str, int]
More = Callable[[], bool]
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_LAST = re.compile(rb"connection: *close", re.IGNORECASE)
_LOST = (ConnectionError, asyncio.IncompleteReadError, TimeoutError)
_BATCH = 16
_PIECES = 50
_PATIENCE = 60.0  # seconds for an answer: longer is lost


async def status(reader: asyncio.StreamReader) -> tuple[int, bool]:
    """The status of the next answer, whose body is read away, and whether it is the connection's last."""
    head = await reader.readuntil(b"\r\n\r\n")
    found = _LENGTH.search(head)
    await reader.readexactly(int(found[1]) if found else 0)
    return int(head[9:12]), _LAST.search(head) is not None


async def many(
    where: Address, requests: Sequence[bytes], some: Random, tally: Counter[str], more: More
) -> None:
    """Requests in rows of some, on a connection that is made anew where it ends, while there are *more*."""
    while more():
        try:
            reader, writer = await asyncio.open_connection(*where)
        except _LOST:
            tally["refused"] += 1
            await asyncio.sleep(0.05)
            continue
        with suppress(*_LOST):
            last = False
            while more() and not last:
                writer.write(b"".join(some.choices(requests, k=_BATCH)))
                last = await _tallied(reader, tally)
        writer.close()


async def _tallied(reader: asyncio.StreamReader, tally: Counter[str]) -> bool:
    """Tally the answers to a row of requests, up to the connection's last. Whether that came."""
    for at in range(_BATCH):
        try:
            said, last = await asyncio.wait_for(status(reader), _PATIENCE)
        except _LOST:
            tally["lost with their connection"] += _BATCH - at
            raise
        tally[str(said)] += 1
        if last:  # those behind it were not answered, and are asked for another time
            return True
    return False


async def measured(
    where: Address, requests: Sequence[bytes], seconds: float, tally: Counter[str]
) -> list[float]:
    """Latencies, in seconds, of good requests one after the other, a hundred a second at most."""
    found: list[float] = []
    end = perf_counter() + seconds
    at = 0
    while perf_counter() < end:
        with suppress(*_LOST):
            reader, writer = await asyncio.open_connection(*where)
            last = False
            while perf_counter() < end and not last:
                at += 1
                begun = perf_counter()
                writer.write(requests[at % len(requests)])
                said, last = await asyncio.wait_for(status(reader), _PATIENCE)
                found.append(perf_counter() - begun)
                tally[f"good {said}"] += 1
                await asyncio.sleep(0.01)
            writer.close()
            continue
        tally["good lost"] += 1
    return found


async def idle(where: Address, seconds: float) -> None:
    """A connection that says nothing."""
    with suppress(*_LOST):
        _, writer = await asyncio.open_connection(*where)
        await asyncio.sleep(seconds)
        writer.close()


async def slow(where: Address, request: bytes, seconds: float) -> None:
    """A request in tiny pieces, never its last byte."""
    with suppress(*_LOST):
        _, writer = await asyncio.open_connection(*where)
        size = len(request) // _PIECES + 1
        for at in range(0, len(request) - 1, size):
            writer.write(request[at : min(at + size, len(request) - 1)])
            await writer.drain()
            await asyncio.sleep(seconds / _PIECES)
        writer.close()


async def half(where: Address, request: bytes, seconds: float) -> None:
    """Half of a request, then silence."""
    with suppress(*_LOST):
        _, writer = await asyncio.open_connection(*where)
        writer.write(request[: len(request) // 2])
        await asyncio.sleep(seconds)
        writer.close()


async def whole(where: Address, data: bytes, tally: Counter[str]) -> None:
    """What HTTP forbids, on a connection of its own."""
    with suppress(*_LOST):
        reader, writer = await asyncio.open_connection(*where)
        writer.write(data)
        said, _ = await asyncio.wait_for(status(reader), _PATIENCE)
        tally[f"forbidden {said}"] += 1
        writer.close()
        return
    tally["forbidden, closed"] += 1
