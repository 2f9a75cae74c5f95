"""The connections of a client: opened, opened anew with growing waits, and the one that is free."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sim.link.channel import Channel
from sim.link.errors import LinkError
from sim.link.line import Line
from sim.link.timing import Timing


class Pool:
    """*size* connections to one place. *heard* and *lost* are those of its channels, *tell* is given what
    happens: a kind, a note, the name of the connection."""

    def __init__(
        self,
        where: tuple[str, int],
        line: Line,
        size: int,
        *,
        tls: ssl.SSLContext | None,
        timing: Timing,
        limits: Mapping[str, Any],
        heard: Callable[[Channel, Iterable[bytes]], None],
        lost: Callable[[Channel, str], None],
        tell: Callable[[str, str, str], None],
    ) -> None:
        self.name, self.size = f"{where[0]}:{where[1]}", size
        self.channels: list[Channel] = []
        self.closed = False
        self._where, self._line, self._tls = where, line, tls
        self._timing, self._limits = timing, limits
        self._heard, self._lost, self._tell = heard, lost, tell
        self._opening = asyncio.Lock()
        self._filling: asyncio.Task[None] | None = None
        self._count = 0

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
        channel = channels[0] if len(channels) == 1 else min(channels, key=_count_awaited)
        if channel.queued > self._limits["queue_bytes"]:
            raise LinkError(self.name, "a host that reads", f"{channel.queued} bytes not taken")
        return channel

    async def _refill(self) -> None:
        try:
            await self._reopen(self.size)
        except LinkError as error:
            self._tell("waiting", f"{error}; the other connections go on", "")

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
                self._tell("waiting", f"{error}; next try in {wait:g} seconds", "")
                await self._timing.sleep(wait)
                wait = min(wait * factor, longest)

    async def _open(self) -> None:
        self._count += 1
        name = f"{self._count} {self.name}"
        channel = await Channel.open(
            name,
            self._line,
            self._where,
            self._tls,
            self._limits["connect_seconds"],
            self._limits["frame_seconds"],
            self._timing,
            self._heard,
            self._lost,
        )
        if self.closed:  # meanwhile
            await channel.close()
        self._check_open()
        self.channels.append(channel)
        self._tell("connected", "", name)

    def _check_open(self) -> None:
        if self.closed:
            raise LinkError(self.name, "an open client", "a closed one")


def _count_awaited(channel: Channel) -> int:
    return len(channel.awaited)
