"""Drive a load: at a rate, or with so many requests in flight; bounded in count and time.

It ends with its seconds: what waits for a connection then is not sent any more, what is in flight is waited
for as long as the client's time-out says. At a rate latency counts from the moment at which a request was
due, so that a host that stalls cannot hide it (no coordinated omission).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from sim.errors import IsoError, OptionError, shown
from sim.link.client import AsyncClient
from sim.link.exchange import UNSENT, Exchange
from sim.link.load.mix import Sending
from sim.link.load.numbers import Numbers

MOST_IN_FLIGHT = 10_000

Check = Callable[[Exchange], str | None]


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
        self._under_way = 0
        self._most = 0  # fewer in flight than this are waited for
        self._given_up = False  # what is in flight
        self._pausing: asyncio.Future[None] | None = None
        self._failed: Exception | None = None
        self._connecting: dict[asyncio.Task[None], Exchange] = {}
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
        self._began, self.running = self.client.timing.now(), True
        watch = self.client.timing.later(self.seconds, self._end)
        try:
            if self.rate is not None or getattr(self.messages, "sendings", None):
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
        return self.client.timing.now() - self._began

    def _end(self) -> None:
        """Send nothing more, what waits for a connection neither."""
        self._stopped = True
        for task, exchange in self._connecting.items():
            if not exchange.sent:
                task.cancel()
        self._go_on()

    def _todo(self) -> Iterator[Sending]:
        for _, sending in zip(range(self.count), self.messages, strict=False):
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
                watch = self.client.timing.later(wait, self._go_on)
                await self._pause()
                watch.cancel()
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

    async def _pause(self) -> None:
        self._pausing = asyncio.get_running_loop().create_future()
        await self._pausing

    def _go_on(self) -> None:
        if self._pausing is not None and not self._pausing.done():
            self._pausing.set_result(None)

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
        exchange = Exchange(sending.message)
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

    def _carried(self, exchange: Exchange, ended: Callable[[], None], task: asyncio.Task[None]) -> None:
        """What had a connection opened first has ended."""
        del self._connecting[task]
        if task.cancelled():
            exchange.note = "the load ended before a connection could be had"
        elif error := task.exception():
            exchange.note = str(error)
        ended()

    def _ended(self, exchange: Exchange, began: float, follow: Callable[[float], None]) -> None:
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
            self._go_on()


def _nothing(now: float) -> None:
    """What follows where requests go at their times."""
