"""Drive a load: at a rate, or with so many requests in flight; bounded in count and time.

It ends with its seconds: what waits for a connection then is not sent any more, what is in flight is waited
for as long as the client's time-out says. At a rate latency counts from the moment at which a request was
due, so that a host that stalls cannot hide it (no coordinated omission).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from sim import background
from sim.codec import Message
from sim.errors import IsoError, OptionError, shown
from sim.link.client import AsyncClient
from sim.link.ends import host_and_line
from sim.link.load.mix import Mix, Replay, Sending
from sim.link.sent import ANSWERED, UNSENT, Sent
from sim.link.tls import client_tls

MOST_IN_FLIGHT = 10_000
_MICRO = 1_000_000
_LONGEST = 300 * _MICRO
_DIGITS = 3

Check = Callable[[Sent], str | None]


def histogram() -> Any:
    """An empty HDR histogram of microseconds, up to five minutes, three digits of each. Raises ImportError
    where its package is missing."""
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
    _of_second: list[int] = field(default_factory=list, repr=False)

    @property
    def rate(self) -> float:
        """Answered requests a second."""
        return self.answered / self.seconds if self.seconds else 0.0

    def percentile(self, percent: float) -> float:
        """Latency in milliseconds that *percent* of the answers did not exceed."""
        return float(self.latencies.get_value_at_percentile(percent)) / 1000 if self.answered else 0.0

    def second(self, now: float) -> Second:
        """The second that is under way at *now*, in seconds from the start."""
        seconds = self.by_second
        self.seconds = now
        while len(seconds) <= now:
            self._close()
            seconds.append(Second())
        return seconds[-1]

    def take(self, exchange: Sent, began: float, now: float) -> None:
        """Count what became of *exchange*, which *began* and ended at these seconds."""
        second = self.second(now)
        self.statuses[exchange.status] += 1
        if exchange.status != ANSWERED:
            second.failed += 1
            return
        self.answered += 1
        second.answered += 1
        self.codes[exchange.code] += 1
        micros = max(1, min(_LONGEST, int((now - began) * _MICRO)))
        self._of_second.append(micros)
        self.latencies.record_value(micros)

    def end(self, now: float) -> None:
        """Nothing more comes."""
        self.seconds = now
        self._close()

    def _close(self) -> None:
        """Take the percentiles of the second that is over."""
        micros, self._of_second = sorted(self._of_second), []
        if micros:
            last, second = len(micros) - 1, self.by_second[-1]
            second.p50, second.p95, second.p99, second.longest = (
                micros[last * percent // 100] / 1000 for percent in (50, 95, 99, 100)
            )


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
        bounds = {"rate": rate, "concurrency": concurrency, "count": count, "seconds": seconds}
        for name, value in bounds.items():
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
        self._under_way = 0
        self._most = 0  # fewer in flight than this are waited for
        self._given_up = False  # what is in flight
        self._news = asyncio.Event()
        self._failed: Exception | None = None
        self._connecting: dict[asyncio.Task[None], Sent] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self, *, at_once: bool = False) -> None:
        """Send nothing more; what is in flight is waited for, unless it is to end *at_once*. May be called
        from any thread."""
        self._stopped, self._given_up = True, self._given_up or at_once
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end)

    async def connected(self) -> Numbers:
        """Connect, and drive it to its end."""
        async with self.client:
            return await self.run()

    async def run(self) -> Numbers:
        """Drive it to its end."""
        self._loop = asyncio.get_running_loop()
        self._began, self.running = time.perf_counter(), True
        watch = self._loop.call_later(self.seconds, self._end)
        try:
            if self.rate is not None or isinstance(self.messages, Replay):
                await self._paced(self._todo())
            else:
                await self._steady(self._todo())
        finally:
            self._loop, self.running = None, False
            watch.cancel()
            for task in self._connecting:
                task.cancel()
            self.numbers.end(self._passed())
        return self.numbers

    def _passed(self) -> float:
        return time.perf_counter() - self._began

    def _end(self) -> None:
        """Send nothing more, what waits for a connection neither."""
        self._stopped = True
        for task, exchange in self._connecting.items():
            if not exchange.sent:
                task.cancel()
        self._news.set()

    def _todo(self) -> Iterator[Sending]:
        for sending in islice(self.messages, self.count):
            if self._stopped or not self.running:
                return
            yield sending

    async def _steady(self, todo: Iterator[Sending]) -> None:
        """So many in flight: what ends one request sends the next, without a task for each."""

        def follow(now: float) -> None:
            if (sending := next(todo, None)) is not None:
                self._send(sending, now, None, follow)

        for sending in islice(todo, self.concurrency):
            self._send(sending, self._passed(), None, follow)
        await self._fewer(1)

    async def _paced(self, todo: Iterator[Sending]) -> None:
        for at, sending in enumerate(todo):
            due = at / self.rate if self.rate is not None else sending.due or 0.0
            if due >= self.seconds:
                break
            while not self._stopped and (wait := due - self._passed()) > 0:
                await self._pause(wait)
            if self._stopped:
                break
            await self._fewer(MOST_IN_FLIGHT)
            self._send(sending, self._passed(), due, _nothing)
        await self._fewer(1)

    async def _fewer(self, most: int) -> None:
        """Wait until fewer than *most* are in flight. Raises what a check raised."""
        self._most = most
        while self._under_way >= most and not self._failed and not self._given_up:
            await self._pause()
        self._most = 0
        if self._failed:
            raise self._failed

    async def _pause(self, seconds: float | None = None) -> None:
        """Wait until something has happened that ends a wait, *seconds* at most."""
        self._news.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    def _send(
        self, sending: Sending, began: float, due: float | None, follow: Callable[[float], None]
    ) -> None:
        """Send a request at *began*, in seconds from the start; when it has ended, take what came of it and
        *follow*."""
        numbers = self.numbers
        numbers.sent += 1
        numbers.kinds[sending.kind] += 1
        numbers.second(began).sent += 1
        self._under_way += 1
        exchange = Sent(sending.message)
        ended = partial(self._ended, exchange, began if due is None else due, follow)
        try:
            if not self.client.begin(exchange, ended):
                task = asyncio.get_running_loop().create_task(self.client.carry(exchange))
                self._connecting[task] = exchange
                task.add_done_callback(partial(self._carried, exchange, ended))
        except IsoError as error:
            exchange.note = str(error)
            # Not at once: many that fail one after the other would not come back.
            asyncio.get_running_loop().call_soon(ended)

    def _carried(self, exchange: Sent, ended: Callable[[], None], task: asyncio.Task[None]) -> None:
        """What had a connection opened first has ended."""
        del self._connecting[task]
        if task.cancelled():
            exchange.note = "the load ended before a connection could be had"
        elif error := task.exception():
            exchange.note = str(error)
        ended()

    def _ended(self, exchange: Sent, began: float, follow: Callable[[float], None]) -> None:
        if not self.running:  # given up: it counts as neither answered nor lost
            return
        self._under_way -= 1
        try:
            now = self._passed()
            self.numbers.take(exchange, began, now)
            if exchange.status == UNSENT:
                self.numbers.wrong[exchange.note] += 1
            elif self.check is not None and (wrong := self.check(exchange)):
                self.numbers.wrong[wrong] += 1
            follow(now)
        except Exception as error:  # noqa: BLE001, of a check or of the messages: `run` raises it
            self._failed = error
        if self._under_way < self._most or self._failed:
            self._news.set()


def _nothing(now: float) -> None:
    """What follows where requests go at their times."""


class RunningLoad:
    """A load under way: `numbers` so far, `stop()`, `ended()` for all of them."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._future = background.start(load.connected())

    @property
    def numbers(self) -> Numbers:
        """What it has come to."""
        return self._load.numbers

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return not self._future.done()

    def stop(self) -> None:
        """Send nothing more; what is in flight is waited for as long as the time-out says."""
        self._load.stop()

    def ended(self) -> Numbers:
        """What it came to, when it is over. An interrupt ends it at once, with the figures so far."""
        try:
            return self._future.result()
        except KeyboardInterrupt:
            if not self._load.running:  # nothing was sent yet
                self._future.cancel()
                raise
            self._load.stop(at_once=True)
            return self._future.result()


ALoad = TypeVar("ALoad", bound=RunningLoad)
_BOUNDS = ("rate", "concurrency", "count", "seconds", "check")


def start_load(
    kind: type[ALoad],
    address: Any,
    *,
    mix: Mapping[str, float] | None = None,
    replay: Iterable[tuple[float, Message]] | None = None,
    speed: float = 1.0,
    format: Any = None,
    framing: Any = None,
    version: Any = None,
    interface: Any = None,
    tls: Any = None,
    pool: int = 1,
    timeout: float | None = None,
    **options: Any,
) -> ALoad:
    """A load that has begun. The arguments are those of `sim.load`; what is replayed are messages with their
    times."""
    where, line = host_and_line(address, format, framing, version, interface)
    bounds = {name: options.pop(name) for name in _BOUNDS if name in options}
    messages: Mix | Replay
    if replay is not None:
        messages = Replay(replay, speed)
    else:
        spoken = line.interface or None
        messages = Mix(mix, version=line.version, format=line.format, interface=spoken, **options)
    client = AsyncClient(where, line, reverse=False, pool=pool, tls=client_tls(tls), timeout=timeout)
    return kind(Load(client, messages, **bounds))
