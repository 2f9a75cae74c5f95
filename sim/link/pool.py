"""The connections of a client: opened, opened anew with growing waits, and the one that is free."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from typing import Any

from sim.link.client_channel import ClientChannel
from sim.link.errors import LinkError
from sim.link.timing import Timing


class Pool:
    """*size* connections to the one place called *name*, each opened by *open_channel*, which is given what
    it is to be called; *tell* is given what happens: a kind, a note, the connection's name."""

    def __init__(
        self,
        name: str,
        size: int,
        open_channel: Callable[[str], Awaitable[ClientChannel]],
        tell: Callable[[str, str, str], None],
        timing: Timing,
        limits: Mapping[str, Any],
    ) -> None:
        self.name, self.size = name, size
        self.channels: list[ClientChannel] = []
        self.closed = False
        self._open_channel, self._tell = open_channel, tell
        self._timing, self._limits = timing, limits
        self._opening: asyncio.Task[None] | None = None
        self._waiting: list[asyncio.Future[LinkError | None]] = []
        self._refused: LinkError | None = None  # why the last try failed
        self._count = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def in_own_loop(self) -> bool:
        """Whether the event loop runs in which it was first asked: another is closed, or of the process that
        this one was forked from, and nothing that is written in it ever goes out."""
        running = asyncio.get_running_loop()
        self._loop = self._loop or running
        return self._loop is running

    def check_loop(self) -> None:
        """Raises LinkError where another event loop runs."""
        if not self.in_own_loop:
            wanted = "the event loop in which it was connected"
            raise LinkError(self.name, wanted, "another, which needs a client of its own")

    async def fill(self) -> None:
        """Open all connections. Raises LinkError where one cannot be opened."""
        self.closed = False
        while len(self.channels) < self.size:
            await self._open()

    async def close(self) -> None:
        """Close all connections. Who waits for one is told."""
        self.closed = True
        if self._opening:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        self._wake(self._not_open())
        for channel in tuple(self.channels):
            await channel.close()

    async def channel(self, seconds: float) -> ClientChannel:
        """The free connection, waited for *seconds* at most where there is none: all that wait share one
        series of attempts, with growing waits between them, and its end. Raises LinkError."""
        channel = self.free()
        if channel is not None:
            return channel
        if self.closed:
            raise self._not_open()
        self._fill_up()
        came: asyncio.Future[LinkError | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(came)
        watch = self._timing.later(seconds, lambda: _settle(came, self._not_within(seconds)))
        try:
            if error := await came:
                raise error
        finally:
            watch.cancel()
            if came in self._waiting:
                self._waiting.remove(came)
        channel = self.free()
        if channel is None:
            raise LinkError(self.name, "a connection", "none")
        return channel

    def free(self) -> ClientChannel | None:
        """The connection with the fewest awaited answers, None where one is to be opened first. What is
        missing beside it is opened meanwhile: nobody waits for that."""
        channels = self.channels
        if self.closed or not channels:
            return None
        if len(channels) < self.size:
            self._fill_up()
        channel = channels[0] if len(channels) == 1 else min(channels, key=lambda one: len(one.awaited))
        if channel.queued > self._limits["queue_bytes"]:
            raise LinkError(self.name, "a host that reads", f"{channel.queued} bytes not taken")
        return channel

    def _fill_up(self) -> None:
        if self._opening is None or self._opening.done():
            self._opening = asyncio.get_running_loop().create_task(self._reopen())

    async def _reopen(self) -> None:
        """Open what is missing, with growing waits; where the last attempt fails, so does all that waits."""
        wait, factor, longest = self._limits["backoff"]
        left = self._limits["attempts"]
        while True:
            try:
                while len(self.channels) < self.size:
                    await self._open()
                return
            except LinkError as error:
                self._refused, left = error, left - 1
            if not left:
                break
            self._tell("waiting", f"{self._refused}; next try in {wait:g} seconds", "")
            await self._timing.sleep(wait)
            wait = min(wait * factor, longest)
        if self.channels:
            self._tell("waiting", f"{self._refused}; the other connections go on", "")
        self._wake(self._refused)

    def _wake(self, error: LinkError | None) -> None:
        """Tell all that wait: there is a connection, or why there is none, each in an error of its own."""
        waiting, self._waiting = self._waiting, []
        for came in waiting:
            _settle(came, copy(error))

    def _not_within(self, seconds: float) -> LinkError:
        found = str(self._refused.found) if self._refused else "none"
        return LinkError(self.name, f"a connection within {seconds:g} seconds", found)

    def _not_open(self) -> LinkError:
        return LinkError(self.name, "an open client", "a closed one")

    async def _open(self) -> None:
        self._count += 1
        name = f"{self._count} {self.name}"
        channel = await self._open_channel(name)
        if self.closed:  # meanwhile
            await channel.close()
            raise self._not_open()
        self.channels.append(channel)
        self._refused = None
        self._tell("connected", "", name)
        self._wake(None)


def _settle(came: asyncio.Future[LinkError | None], error: LinkError | None) -> None:
    if not came.done():
        came.set_result(error)
