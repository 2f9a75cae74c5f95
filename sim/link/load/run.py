"""Drive a load: at a rate, or with so many requests in flight; bounded in count and time.

At a rate latency counts from the moment at which a request was due, so that a host that stalls cannot hide
it (no coordinated omission). Latencies go into an HDR histogram: three digits, one microsecond to five
minutes.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sim.errors import IsoError, OptionError, shown
from sim.link.client import AsyncClient
from sim.link.exchange import ANSWERED, Exchange
from sim.link.load.mix import Sending

MOST_IN_FLIGHT = 10_000
_MICRO = 1_000_000
_LONGEST = 300 * _MICRO
_DIGITS = 3

Check = Callable[[Exchange], str | None]


def histogram() -> Any:
    """An empty HDR histogram of microseconds. Raises ImportError where its package is missing."""
    try:
        from hdrh.histogram import HdrHistogram
    except ModuleNotFoundError as missing:
        text = "load needs hdrhistogram: pip install 'iso8583-lab[load]'"
        raise ModuleNotFoundError(text, name=missing.name) from missing
    return HdrHistogram(1, _LONGEST, _DIGITS)


@dataclass(slots=True)
class Second:
    """One second of a load: what was sent and answered, what failed, percentiles of its latencies in
    milliseconds, which are there when it is over."""

    sent: int = 0
    answered: int = 0
    failed: int = 0
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    longest: float = 0.0

    def close(self, latencies: list[int]) -> None:
        """Take the percentiles of *latencies* (microseconds), which is then empty."""
        if latencies:
            latencies.sort()
            last = len(latencies) - 1
            self.p50, self.p95, self.p99, self.longest = (
                latencies[last * percent // 100] / 1000 for percent in (50, 95, 99, 100)
            )
            latencies.clear()


@dataclass(slots=True)
class Numbers:
    """What a load has come to. `statuses` counts how exchanges ended, `codes` the response codes, `kinds`
    what was sent, `wrong` what checks said. `latencies` is the HDR histogram, in microseconds."""

    sent: int = 0
    answered: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    by_second: list[Second] = field(default_factory=list)
    latencies: Any = field(default_factory=histogram, repr=False)

    @property
    def rate(self) -> float:
        """Answered requests a second."""
        return self.answered / self.seconds if self.seconds else 0.0

    def percentile(self, percent: float) -> float:
        """Latency in milliseconds that *percent* of the answers did not exceed."""
        return float(self.latencies.get_value_at_percentile(percent)) / 1000 if self.answered else 0.0


class Load:
    """A load on a client. Either *rate* (requests a second) or *concurrency* (requests in flight); it ends
    after *count* requests, after *seconds*, when its messages end, or by `stop`. *check* says what is wrong
    with an exchange, None where nothing is."""

    def __init__(
        self,
        client: AsyncClient,
        messages: Iterable[Sending],
        *,
        rate: float | None = None,
        concurrency: int | None = None,
        count: int = 10_000,
        seconds: float = 60.0,
        check: Check | None = None,
    ) -> None:
        for name, value in (
            ("rate", rate),
            ("concurrency", concurrency),
            ("count", count),
            ("seconds", seconds),
        ):
            if value is not None and not value > 0:
                raise OptionError(name, "a number above 0", shown(value))
        if rate is not None and concurrency is not None:
            raise OptionError("rate", "either a rate or a concurrency", "both")
        self.client, self.messages = client, messages
        self.rate = rate
        self.concurrency = min(concurrency or 50, MOST_IN_FLIGHT)
        self.count, self.seconds, self.check = count, seconds, check
        self.numbers = Numbers()
        self.running = False
        self._began = 0.0
        self._stopped = False
        self._of_second: list[int] = []

    def stop(self) -> None:
        """Send nothing more; what is in flight is still waited for. May be called from any thread."""
        self._stopped = True

    async def run(self) -> Numbers:
        """Drive it to its end."""
        self._began, self.running = self.client.timing.now(), True
        todo = self._todo()
        try:
            if self.rate is not None or getattr(self.messages, "sendings", None):
                await self._paced(todo)
            else:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(self.concurrency, self.count)):
                        group.create_task(self._worker(todo))
        finally:
            self.running = False
            self.numbers.seconds = self._passed()
            if self.numbers.by_second:
                self.numbers.by_second[-1].close(self._of_second)
        return self.numbers

    def _passed(self) -> float:
        return self.client.timing.now() - self._began

    def _todo(self) -> Iterator[Sending]:
        for _, sending in zip(range(self.count), self.messages, strict=False):
            if self._stopped or self._passed() >= self.seconds:
                return
            yield sending

    async def _worker(self, todo: Iterator[Sending]) -> None:
        for sending in todo:
            await self._send(sending, None)

    async def _paced(self, todo: Iterator[Sending]) -> None:
        under_way: set[asyncio.Task[None]] = set()
        for at, sending in enumerate(todo):
            due = at / self.rate if self.rate is not None else sending.due or 0.0
            if due > self.seconds:
                break
            if (wait := due - self._passed()) > 0:
                await self.client.timing.sleep(wait)
            if self._stopped:
                break
            if len(under_way) >= MOST_IN_FLIGHT:
                await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            task = asyncio.get_running_loop().create_task(self._send(sending, due))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        if under_way:
            await asyncio.wait(under_way)

    async def _send(self, sending: Sending, due: float | None) -> None:
        numbers = self.numbers
        began = self._passed()
        numbers.sent += 1
        numbers.kinds[sending.kind] += 1
        self._second(began).sent += 1
        try:
            exchange = await self.client.send(sending.message, reverse=False)
        except IsoError as error:
            numbers.statuses["not sent"] += 1
            numbers.wrong[str(error)] += 1
            self._second(self._passed()).failed += 1
            return
        self._take(exchange, began if due is None else due)
        if self.check is not None and (wrong := self.check(exchange)):
            numbers.wrong[wrong] += 1

    def _take(self, exchange: Exchange, began: float) -> None:
        numbers, now = self.numbers, self._passed()
        numbers.statuses[exchange.status] += 1
        second = self._second(now)
        if exchange.status != ANSWERED:
            second.failed += 1
            return
        numbers.answered += 1
        second.answered += 1
        numbers.codes[exchange.code] += 1
        micro = max(1, min(_LONGEST, int((now - began) * _MICRO)))
        numbers.latencies.record_value(micro)
        self._of_second.append(micro)

    def _second(self, now: float) -> Second:
        """The second that is under way at *now*."""
        seconds = self.numbers.by_second
        self.numbers.seconds = now
        while len(seconds) <= int(now):
            if seconds:
                seconds[-1].close(self._of_second)
            seconds.append(Second())
        return seconds[-1]
