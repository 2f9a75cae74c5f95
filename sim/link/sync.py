"""`Host` and `Client`: the same two ends without `await`, at work in a thread of their own.

What nobody closes is closed when the program ends.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any, Self

from sim import background
from sim.codec import Message
from sim.link.client import AsyncClient
from sim.link.exchange import Exchange
from sim.link.host import AsyncHost
from sim.link.rules import Rule, Source, rules_of
from sim.link.traffic import Traffic


class Host:
    """A host that listens, from `start` until `close`: `with Host(AsyncHost()) as host: host.port`."""

    def __init__(self, server: AsyncHost) -> None:
        self.server = server
        self.running = False

    def start(self) -> Self:
        """Listen. Raises LinkError where the place is taken."""
        if not self.running:
            background.run(self.server.start())
            self.running = True
            atexit.register(self.close)
        return self

    def close(self) -> None:
        """Close all connections and listen no more."""
        if self.running:
            self.running = False
            atexit.unregister(self.close)
            background.run(self.server.stop())

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        line = self.server.line
        state = f"listening at {self.address}" if self.running else "closed"
        return f"Host({state}, {line.format.name} in {' '.join(line.framing)}, {len(self.rules)} rules)"

    @property
    def port(self) -> int:
        """The port it listens at."""
        return self.server.port

    @property
    def address(self) -> str:
        """Where a client finds it: `127.0.0.1:8583`."""
        return f"{self.server.address}:{self.server.port}"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rule table; assign rows, a file or rules at any time."""
        return self.server.rules

    @rules.setter
    def rules(self, rules: Source | None) -> None:
        self.server.rules = rules_of(self._rows(rules))

    def _rows(self, rules: Any) -> Any:
        """A rule table as `rules_of` takes it."""
        return rules

    @property
    def seen(self) -> Traffic:
        """What it saw, entry by entry."""
        return self.server.traffic

    def balance(self, pan: str) -> int:
        """What is available on the account of *pan*, in minor units."""
        return self.server.accounts.balance(pan)

    def push(self, message: Message) -> int:
        """Send a message that nobody asked for to all clients; gives to how many."""
        return background.run(self.server.send(message))


class Client:
    """A client that is connected, from `connect` until `close`. `start` sends without waiting."""

    def __init__(self, client: AsyncClient) -> None:
        self.client = client
        self.open = False

    def connect(self) -> Self:
        """Open the connections. Raises LinkError where nobody listens."""
        if not self.open:
            background.run(self.client.connect())
            self.open = True
            atexit.register(self.close)
        return self

    def close(self) -> None:
        """Close the connections; what is still awaited is lost, and told so."""
        if self.open:
            self.open = False
            atexit.unregister(self.close)
            background.run(self.client.close())

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        host, port = self.client.where
        state = "connected to" if self.open else "closed, was for"
        return f"Client({state} {host}:{port}, {self.client.line.format.name})"

    @property
    def seen(self) -> Traffic:
        """What it saw, entry by entry."""
        return self.client.traffic

    @property
    def unsettled(self) -> tuple[Exchange, ...]:
        """Requests that were neither answered nor undone, the newest of them."""
        return tuple(self.client.unsettled)

    @property
    def forgotten(self) -> int:
        """How many of them gave way to newer ones; what the client saw names each."""
        return self.client.forgotten

    def start(self, message: Message, **options: Any) -> Future[Exchange]:
        """Send *message*; the future has its `Exchange`. The options are those of `exchange`."""
        return background.start(self.client.send(message, **options))

    def exchange(self, message: Message, **options: Any) -> Exchange:
        """Send *message* and wait for what becomes of it: `timeout` in seconds, `reverse` whether a time-out
        is undone."""
        return self.start(message, **options).result()

    def exchange_all(self, messages: Iterable[Message], **options: Any) -> list[Exchange]:
        """Send *messages* at once, and wait for all."""
        return [future.result() for future in [self.start(message, **options) for message in messages]]
