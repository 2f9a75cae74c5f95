"""The connections of a client: opened, opened anew with growing waits, and the one that is free."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sim.link.channel import Channel
from sim.link.errors import LinkError

if TYPE_CHECKING:
    from sim.link.client import AsyncClient


class Pool:
    """*size* connections of *client* to its one place."""

    def __init__(self, client: AsyncClient, size: int) -> None:
        where = client.where
        self.name, self.size = f"{where[0]}:{where[1]}", size
        self.channels: list[Channel] = []
        self.closed = False
        self._client, self._limits = client, client.limits
        self._opening = asyncio.Lock()
        self._filling: asyncio.Task[None] | None = None
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
        """Close all connections."""
        self.closed = True
        if self._filling:
            self._filling.cancel()
        for channel in tuple(self.channels):
            await channel.close()

    async def channel(self) -> Channel:
        """The free connection; where there is none, one is opened, with growing waits. Raises LinkError."""
        if not self.channels:
            async with self._opening:
                if not self.channels:
                    await self._reopen(1)
        channel = self.free()
        if channel is None:
            raise LinkError(self.name, "a connection", "none")
        return channel

    def free(self) -> Channel | None:
        """The connection with the fewest awaited answers, None where one is to be opened first. What is
        missing beside it is opened meanwhile: nobody waits for that."""
        channels = self.channels
        if self.closed or not channels:
            return None
        if len(channels) < self.size and (self._filling is None or self._filling.done()):
            self._filling = asyncio.get_running_loop().create_task(self._refill())
        channel = channels[0] if len(channels) == 1 else min(channels, key=lambda one: len(one.awaited))
        if channel.queued > self._limits["queue_bytes"]:
            raise LinkError(self.name, "a host that reads", f"{channel.queued} bytes not taken")
        return channel

    async def _refill(self) -> None:
        try:
            await self._reopen(self.size)
        except LinkError as error:
            self._client.tell("waiting", f"{error}; the other connections go on")

    async def _reopen(self, wanted: int) -> None:
        wait, factor, longest = self._limits["backoff"]
        for attempt in range(self._limits["attempts"]):
            try:
                while len(self.channels) < wanted:
                    self._check_open()
                    await self._open()
                return
            except LinkError as error:
                if self.closed or attempt + 1 == self._limits["attempts"]:
                    raise
                self._client.tell("waiting", f"{error}; next try in {wait:g} seconds")
                await self._client.timing.sleep(wait)
                wait = min(wait * factor, longest)

    async def _open(self) -> None:
        self._count += 1
        name = f"{self._count} {self.name}"
        channel = await Channel.open(self._client, name)
        if self.closed:  # meanwhile
            await channel.close()
        self._check_open()
        self.channels.append(channel)
        self._client.tell("connected", "", name)

    def _check_open(self) -> None:
        if self.closed:
            raise LinkError(self.name, "an open client", "a closed one")
