"""A locust user that uses our client: the same messages, the same matching, the same checks.

In a locustfile, `from sim.link.load.locust import IsoUser` and define a class with `host = "127.0.0.1:8583"`;
`mix` is what it sends. Locust's own workers distribute it over machines. Needs the extra `locust`.

Importing locust replaces threads and locks by gevent's. The client's event loop still runs in a system
thread, and a waiting user yields to the other users as gevent expects.
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
    """One user with its own connection. `mix`, `network`, `format`, `framing` and `timeout` are those of
    `sim.load` and `sim.client`; `check` returns what is wrong with an exchange, or None."""

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
        # A different order and different numbers for each user.
        self._messages = iter(Mix(self.mix, network=self.network, format=line.format, seed=next(_numbers)))

    def on_start(self) -> None:
        """Connect."""
        _waited(self.client.connect())

    def on_stop(self) -> None:
        """Close the connection."""
        _waited(self.client.close())

    def check(self, exchange: Sent) -> str | None:
        """What is wrong with an answered exchange, or None."""
        return None

    @task  # type: ignore[untyped-decorator]
    def exchange(self) -> None:
        """Send the next message and wait for the outcome."""
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
    """Waits with the system's `select`, not gevent's."""

    _select = staticmethod(get_original("select", "select"))


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The running event loop of all users in this process."""
    loop = asyncio.SelectorEventLoop(_Selector())
    get_original("_thread", "start_new_thread")(loop.run_forever, ())
    return loop


def _waited(call: Coroutine[Any, Any, Any]) -> Any:
    """The result of *call*, run in the event loop; raises what it raises."""
    loop, watcher, over = _loop(), get_hub().loop.async_(), Event()
    tasks: list[asyncio.Task[Any]] = []

    def begin() -> None:
        tasks.append(loop.create_task(call))
        tasks[0].add_done_callback(lambda _: watcher.send())

    watcher.start(over.set)
    try:
        loop.call_soon_threadsafe(begin)
        over.wait()
    finally:
        watcher.stop()
    return tasks[0].result()
