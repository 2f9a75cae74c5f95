"""A locust user that speaks through our client: the same messages, the same matching, the same checks.

In a locustfile: `from sim.link.load.locust import IsoUser` and a class with `host = "127.0.0.1:8583"`; what
it sends is `mix`. Locust's own workers spread it over machines. Needs the extra `locust`.

Importing locust makes threads and locks gevent's. The client's loop has a thread of the system all the same,
and a user that waits for it waits as gevent wants: the others go on meanwhile.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine, Mapping
from functools import cache
from itertools import count
from typing import Any, ClassVar

from sim.errors import IsoError
from sim.link.client import AsyncClient
from sim.link.line import Line, address_of
from sim.link.load.run import Mix
from sim.link.sent import ANSWERED, Sent

try:
    from gevent import get_hub
    from gevent.event import Event
    from gevent.monkey import get_original
    from locust import User, constant, task
except ModuleNotFoundError as missing:
    text = "users of locust need locust: pip install 'iso8583-lab[locust]'"
    raise ModuleNotFoundError(text, name=missing.name) from missing

_numbers = count(1)


class IsoUser(User):  # type: ignore[misc]
    """One user with a connection of its own. `mix`, `network`, `format`, `framing` and `timeout` are those of
    `sim.load` and `sim.client`; `check` says what is wrong with an exchange, None where nothing is."""

    abstract = True
    wait_time = constant(0)
    mix: ClassVar[Mapping[str, float] | None] = None
    network: ClassVar[str | None] = None
    format: ClassVar[str | None] = None
    framing: ClassVar[tuple[str, ...] | None] = None
    timeout: ClassVar[float] = 30.0

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        line = Line.of(self.format, self.framing)
        self.client = AsyncClient(address_of(self.host), line, timeout=self.timeout, reverse=False)
        # Another order and other numbers for each user.
        self._messages = iter(Mix(self.mix, network=self.network, format=line.format, seed=next(_numbers)))

    def on_start(self) -> None:
        """Connect."""
        _waited(self.client.connect())

    def on_stop(self) -> None:
        """Close the connection."""
        _waited(self.client.close())

    def check(self, exchange: Sent) -> str | None:
        """What is wrong with an answered exchange; None where nothing is."""
        return None

    @task  # type: ignore[untyped-decorator]
    def exchange(self) -> None:
        """Send the next message and wait for what becomes of it."""
        sending = next(self._messages)
        error: Exception | None = None
        latency, size = 0.0, 0
        try:
            exchange: Sent = _waited(self.client.send(sending.message))
        except IsoError as failed:
            error = failed
        else:
            latency = (exchange.latency or 0.0) * 1000
            size = len(exchange.answer.fields) if exchange.answer else 0
            wrong = self.check(exchange) if exchange.status == ANSWERED else exchange.status
            error = RuntimeError(wrong) if wrong else None
        self.environment.events.request.fire(
            request_type="ISO 8583",
            name=f"{sending.message.mti} {sending.kind}",
            response_time=latency,
            response_length=size,
            exception=error,
            context={},
        )


class _Selector(selectors.SelectSelector):
    """Waits in its own thread, as before gevent came."""

    _select = staticmethod(get_original("select", "select"))


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop of all users of this process, which runs."""
    made = asyncio.SelectorEventLoop(_Selector())
    get_original("_thread", "start_new_thread")(made.run_forever, ())
    return made


def _waited(call: Coroutine[Any, Any, Any]) -> Any:
    """What *call* gives, run in the loop; raises what it raises."""
    loop, watcher, over = _loop(), get_hub().loop.async_(), Event()
    held: list[asyncio.Task[Any]] = []

    def begin() -> None:
        held.append(loop.create_task(call))
        held[0].add_done_callback(lambda _: watcher.send())

    watcher.start(over.set)
    try:
        loop.call_soon_threadsafe(begin)
        over.wait()
    finally:
        watcher.stop()
    return held[0].result()
