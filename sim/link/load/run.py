"""Run a load test: message types by weight, or recorded messages, at a rate, with their own timing, or at a
concurrency; limited in count and time.

When the time is up, requests that wait for a connection are not sent; requests in flight keep their timeout.
At a rate, latency counts from the moment when a request was due, so that a host that stalls cannot hide it
(no coordinated omission).
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import cycle, islice
from typing import Any, TypeVar

from sim import background
from sim.codec import Message
from sim.codec.wire import Format
from sim.elements import mti as mtis
from sim.errors import ChoiceError, IsoError, OptionError, quoted_value
from sim.link.client import AsyncClient
from sim.link.ends import host_and_line, line_options
from sim.link.sent import ANSWERED, UNSENT, Sent
from sim.link.tls import client_tls
from sim.operations.asked import options_of
from sim.operations.building import TEXT, in_format
from sim.operations.generation import generate

MIX = "auth 70, financial 20, echo 10"
# A message type, in words or as an MTI, and its weight.
_PART = re.compile(
    r"(?P<kind>[A-Za-z_][A-Za-z_ -]*|[0-9]{4})(?:(?:\s+|\s*[=:]\s*)(?P<weight>[0-9]+(?:\.[0-9]+)?)\s*%?)?"
)


@dataclass(frozen=True, slots=True)
class Sending:
    """One request of a load test: when it is due, in seconds from the start (None: as soon as possible), and
    the message."""

    due: float | None
    kind: str
    message: Message


class Mix:
    """Message types by weight, such as `{"auth": 70, "refund": 20, "echo": 10}`: words that `sim.generate`
    accepts. *pan* may be several cards, used in turn. *seed* determines the order; trace numbers count up.
    The messages fit connections in *format*."""

    def __init__(
        self,
        weights: Mapping[str, float] | None = None,
        *,
        network: str | None = None,
        version: str | None = None,
        amount_minor_units: int = 1000,
        pan: str | Iterable[str] | None = None,
        format: Format | str = TEXT,
        seed: int = 1,
        **options: Any,
    ) -> None:
        chosen: Any = weights or weights_of(MIX)
        if not isinstance(chosen, Mapping) or not all(map(_is_weight, chosen.values())):
            raise OptionError("mix", "message types with weights above 0", quoted_value(str(chosen)))
        self.kinds, self.weights = tuple(chosen), tuple(chosen.values())
        self._format = format
        usual = {"currency": "840", "purpose": "purchase", "entry": "manual", "at": None}
        named = {"network": network, "version": version, "amount_minor_units": amount_minor_units}
        all_options: dict[str, Any] = {**usual, **named, "format": format, **options}
        cards = list(pan) if isinstance(pan, Iterable) and not isinstance(pan, str) else [pan]
        if not cards:
            raise OptionError("pan", "a card number, or several", "none")
        # For each message type, the options of each card.
        self._options = {
            kind: [_options_of(kind, all_options | {"pan": card}) for card in cards] for kind in self.kinds
        }
        # Fitting is slow: only the types that the format changes are fitted message by message.
        self._fitted = {
            kind
            for kind, (first, *_) in self._options.items()
            if (message := generate(**first).message).fields != in_format(message, format)[0].fields
        }
        self._seed = seed

    def __iter__(self) -> Iterator[Sending]:
        """An endless sequence of requests."""
        some = random.Random(self._seed)  # noqa: S311, not a secret
        stan, of_kind = 0, {kind: cycle(options) for kind, options in self._options.items()}
        while True:
            for kind in some.choices(self.kinds, self.weights, k=64):
                stan = stan % 999_999 + 1
                message = generate(**next(of_kind[kind]) | {"stan": f"{stan:06}"}).message
                if kind in self._fitted:
                    message, _ = in_format(message, self._format)
                yield Sending(None, kind, message)


def weights_of(text: str) -> dict[str, float]:
    """Message types and weights as a person writes them. Raises OptionError if they cannot be read.

    >>> weights_of("auth 70, echo 30"), weights_of("auth=2; sign on: 1")
    ({'auth': 70.0, 'echo': 30.0}, {'auth': 2.0, 'sign on': 1.0})
    """
    weights: dict[str, float] = {}
    for part in filter(None, map(str.strip, re.split("[,;]", text))):
        match = _PART.fullmatch(part)
        if match is None or not (weight := float(match["weight"] or 1)):
            raise OptionError("mix", f"kinds and weights such as {MIX}", quoted_value(part))
        kind = match["kind"].strip()
        weights[kind] = weights.get(kind, 0.0) + weight
    if not weights:
        raise OptionError("mix", f"kinds and weights such as {MIX}", "none")
    return weights


def _options_of(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return options_of(kind, stan="000001", **options)
    except ChoiceError as error:
        if error.option != "message_type":
            raise
        raise ChoiceError("mix", error.found, error.choices, error.nearest) from None


def _is_weight(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight < float("inf")


class Replay:
    """Recorded requests, each at its time after the first, *speed* times as fast. Responses, and messages
    that expect none, are left out."""

    def __init__(self, messages: Iterable[tuple[float, Message]], speed: float = 1.0) -> None:
        if not speed > 0:
            raise OptionError("speed", "a number above 0", quoted_value(speed))
        kept = [(at, message) for at, message in messages if mtis.response_mti(message.mti) is not None]
        if not kept:
            raise OptionError("replay", "messages that expect a response", "none")
        first = kept[0][0]
        self.sendings: Sequence[Sending] = [
            Sending(max(0.0, at - first) / speed, message.mti, message) for at, message in kept
        ]

    def __iter__(self) -> Iterator[Sending]:
        return iter(self.sendings)


def sent_at(message: Message, before: float | None) -> float:
    """When *message* was sent, by its own DE 7 (MMDDhhmmss or hhmmss...), in seconds of its year; without a
    valid time, the time *before* it."""
    text = message.get(7)
    try:
        moment = datetime.strptime(f"2000{text[:10]}", "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return before or 0.0
    return moment.timestamp()


MOST_IN_FLIGHT = 10_000
_MICRO = 1_000_000
_LONGEST = 300 * _MICRO
_NO_MORE: Iterator[Sending] = iter(())
_DIGITS = 3

Check = Callable[[Sent], str | None]


def histogram() -> Any:
    """An empty HDR histogram of microseconds, up to five minutes, with three significant digits. Raises
    ImportError if its package is missing."""
    try:
        from hdrh.histogram import HdrHistogram
    except ModuleNotFoundError as missing:
        text = "load needs hdrhistogram: pip install 'iso8583-lab[load]'"
        raise ModuleNotFoundError(text, name=missing.name) from missing
    return HdrHistogram(1, _LONGEST, _DIGITS)


@dataclass(slots=True)
class Second:
    """One second of a load test: requests sent, answered and failed, and percentiles of the latencies in
    milliseconds, set when the second is over."""

    sent: int = 0
    answered: int = 0
    failed: int = 0
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    longest: float = 0.0


@dataclass(slots=True)
class Numbers:
    """The figures of a load test. `statuses` counts how exchanges ended, `codes` the response codes, `kinds`
    the message types sent, `wrong` the results of checks. `latencies` is the HDR histogram, in microseconds.
    """

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
        """Answered requests per second."""
        return self.answered / self.seconds if self.seconds else 0.0

    def percentile(self, percent: float) -> float:
        """The latency in milliseconds that *percent* of the responses did not exceed."""
        return float(self.latencies.get_value_at_percentile(percent)) / 1000 if self.answered else 0.0

    @property
    def told(self) -> str:
        """Rates, percentiles, response codes and losses, in words."""
        pace = f"in {self.seconds:.1f} s ({self.rate:,.0f} a second)"
        parts = [f"{self.sent:,} sent, {self.answered:,} answered {pace}"]
        if self.answered:
            each = [f"p{at:g} {self.percentile(at):.2f}" for at in (50, 95, 99, 99.9)]
            parts.append(f"Latency in ms: {', '.join(each)}, longest {self.percentile(100):.2f}")
        parts.append(", ".join(f"code {code}: {count:,}" for code, count in self.codes.most_common(6)))
        ended = {**self.statuses, "in flight": self.sent - self.statuses.total()}
        lost = [f"{name}: {count:,}" for name, count in ended.items() if name != ANSWERED and count]
        return ". ".join(filter(None, [*parts, ", ".join(lost)])) + "."

    def second(self, now: float) -> Second:
        """The current second at *now*, in seconds from the start."""
        seconds = self.by_second
        self.seconds = now
        while len(seconds) <= now:
            self._close()
            seconds.append(Second())
        return seconds[-1]

    def take(self, exchange: Sent, start: float, now: float) -> None:
        """Count the outcome of *exchange*, from *start* to *now*, in seconds from the start."""
        second = self.second(now)
        self.statuses[exchange.status] += 1
        if exchange.status != ANSWERED:
            second.failed += 1
            return
        self.answered += 1
        second.answered += 1
        self.codes[exchange.code] += 1
        micros = max(1, min(_LONGEST, int((now - start) * _MICRO)))
        self._of_second.append(micros)
        self.latencies.record_value(micros)

    def end(self, now: float) -> None:
        """End the measurement at *now*."""
        self.seconds = now
        self._close()

    def _close(self) -> None:
        """Compute the percentiles of the second that is over."""
        micros, self._of_second = sorted(self._of_second), []
        if micros:
            last, second = len(micros) - 1, self.by_second[-1]
            second.p50, second.p95, second.p99, second.longest = (
                micros[last * percent // 100] / 1000 for percent in (50, 95, 99, 100)
            )


class Load:
    """A load test through a client, either at a *rate* (requests per second) or a *concurrency* (requests in
    flight). It ends after *count* requests, after *seconds*, when the messages run out, or by `stop`. *check*
    returns what is wrong with an exchange, or None."""

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
                raise OptionError(name, "a number above 0", quoted_value(value))
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
        self._most = 0  # a waiter wakes when fewer than this are in flight
        self._given_up = False  # the requests in flight
        self._news = asyncio.Event()
        self._failed: Exception | None = None
        self._connecting: dict[asyncio.Task[None], Sent] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self, *, at_once: bool = False) -> None:
        """Send nothing more; requests in flight are awaited, unless *at_once* abandons them. May be called
        from any thread."""
        self._stopped, self._given_up = True, self._given_up or at_once
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end)

    async def connected(self) -> Numbers:
        """Connect, and run the load test to its end."""
        async with self.client:
            return await self.run()

    async def run(self) -> Numbers:
        """Run the load test to its end."""
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
        """Send nothing more, not even requests that wait for a connection."""
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
        """Keep *concurrency* requests in flight: the end of one sends the next, without a task for each."""
        for sending in islice(todo, self.concurrency):
            self._send(sending, todo=todo)
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
            self._send(sending, due)
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
        """Wait, for at most *seconds*, until something happens that may end a wait."""
        self._news.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    def _send(self, sending: Sending, due: float | None = None, todo: Iterator[Sending] = _NO_MORE) -> None:
        """Send a request, which was *due* a while ago or is now (seconds from the start); when it has ended,
        count its outcome and send the next one of *todo*."""
        numbers, now = self.numbers, self._passed()
        numbers.sent += 1
        numbers.kinds[sending.kind] += 1
        numbers.second(now).sent += 1
        self._under_way += 1
        exchange = Sent(sending.message)
        ended = partial(self._ended, exchange, now if due is None else due, todo)
        try:
            if not self.client.begin(exchange, ended):
                task = asyncio.get_running_loop().create_task(self.client.carry(exchange))
                self._connecting[task] = exchange
                task.add_done_callback(partial(self._carried, exchange, ended))
        except IsoError as error:
            exchange.note = str(error)
            # Not directly: a series of failures would recurse without end.
            asyncio.get_running_loop().call_soon(ended)

    def _carried(self, exchange: Sent, ended: Callable[[], None], task: asyncio.Task[None]) -> None:
        """A request that waited for a connection has ended."""
        del self._connecting[task]
        if task.cancelled():
            exchange.note = "the load ended before a connection was available"
        elif error := task.exception():
            exchange.note = str(error)
        ended()

    def _ended(self, exchange: Sent, start: float, todo: Iterator[Sending]) -> None:
        if not self.running:  # given up: it counts as neither answered nor lost
            return
        self._under_way -= 1
        try:
            self.numbers.take(exchange, start, self._passed())
            if exchange.status == UNSENT:
                self.numbers.wrong[exchange.note] += 1
            elif self.check is not None and (wrong := self.check(exchange)):
                self.numbers.wrong[wrong] += 1
            if (sending := next(todo, None)) is not None:
                self._send(sending, todo=todo)
        except Exception as error:  # noqa: BLE001, from a check or the messages: `run` raises it
            self._failed = error
        if self._under_way < self._most or self._failed:
            self._news.set()


class RunningLoad:
    """A load test in progress: `numbers` so far, `stop()`, and `ended()` for the final numbers."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._future = background.start(load.connected())

    @property
    def numbers(self) -> Numbers:
        """The figures so far."""
        return self._load.numbers

    @property
    def running(self) -> bool:
        """Whether it is in progress."""
        return not self._future.done()

    def stop(self) -> None:
        """Send nothing more; requests in flight keep their timeout."""
        self._load.stop()

    def ended(self) -> Numbers:
        """Wait for the end and return the figures. An interrupt ends it at once, with the figures so far."""
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
    tls: Any = None,
    pool: int = 1,
    timeout: float | None = None,
    **options: Any,
) -> ALoad:
    """Start a load test. The arguments are those of `sim.load`; *replay* has messages with their times."""
    where, line = host_and_line(address, **line_options(options))
    bounds = {name: options.pop(name) for name in _BOUNDS if name in options}
    messages: Mix | Replay
    if replay is not None:
        messages = Replay(replay, speed)
    else:
        spoken = line.interface or None
        messages = Mix(mix, version=line.version, format=line.mac_format, interface=spoken, **options)
    client = AsyncClient(where, line, reverse=False, pool=pool, tls=client_tls(tls), timeout=timeout)
    return kind(Load(client, messages, **bounds))
