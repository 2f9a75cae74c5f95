"""The connections of a client: opened, opened anew with growing waits, and the one that is free."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any

from sim.link.channel import Channel
from sim.link.line import Line, LinkError

_CLOSED = "the other side closed it"


class ClientChannel(Channel):
    """An open connection of a client: *heard* is called with the frames that have come, *lost* once, when it
    is over."""

    side = "client"

    def __init__(
        self,
        *opened: Any,
        heard: Callable[[ClientChannel, Iterator[bytes]], None],
        lost: Callable[[ClientChannel], None],
    ) -> None:
        super().__init__(*opened)
        self.awaited: set[Any] = set()
        self._heard, self._lost = heard, lost
        self._out: list[bytes] = []
        self._size = 0
        self._task = asyncio.get_running_loop().create_task(self.run())

    @property
    def left(self) -> str:
        """What is told where the host ended it."""
        partial = self._cutter.partial
        return "the host closed the connection" + (
            f", {partial} bytes of a frame had come" if partial else ""
        )

    @property
    def queued(self) -> int:
        """How many bytes the other side has not taken yet."""
        return self._writer.transport.get_write_buffer_size() + self._size

    @property
    def stuck(self) -> str:
        """What keeps an answer from coming, as far as it can be seen from here; else empty."""
        if self.queued:
            return "the host does not read"
        partial = self._cutter.partial
        return f"{partial} bytes of a frame had come, and no more of it" if partial else ""

    def write(self, data: bytes) -> None:
        """Send a frame. All frames of one turn of the loop go out together."""
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out.append(data)
        self._size += len(data)

    def _flush(self) -> None:
        if self._out:
            self._writer.write(b"".join(self._out))
            self._out.clear()
            self._size = 0

    async def close(self) -> None:
        """Close the connection, and wait until it is."""
        self.why = self.why or "closed by us"
        if not self._writer.transport.is_closing():
            self._flush()
        self._writer.close()
        self._writer.transport.abort()
        await asyncio.wait([self._task])

    async def hear(self, frames: Iterator[bytes]) -> None:
        """Have what has come taken; what that sends goes out at once."""
        self._heard(self, frames)
        self._flush()

    def finish(self) -> None:
        """Tell that it is over."""
        self._lost(self)


class Pool:
    """*size* connections to the one place *where*. *heard* and *lost* are those of a `ClientChannel`; *tell*
    is given what happens: a kind, a note, the connection's name."""

    def __init__(
        self,
        where: tuple[str, int],
        size: int,
        line: Line,
        limits: Mapping[str, Any],
        *,
        tls: ssl.SSLContext | None,
        heard: Callable[[ClientChannel, Iterator[bytes]], None],
        lost: Callable[[ClientChannel], None],
        tell: Callable[[str, str, str], None],
    ) -> None:
        self.where, self.size, self.line, self.tls = where, size, line, tls
        self.name = f"{where[0]}:{where[1]}"
        self.channels: list[ClientChannel] = []
        self.closed = False
        self._limits, self._tell = limits, tell
        self._ends: dict[str, Any] = {"heard": heard, "lost": lost}
        self._opening: asyncio.Task[None] | None = None
        self._news = asyncio.Event()  # who waits for a connection is woken by it
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
        await self._fill()

    async def close(self) -> None:
        """Close all connections. Who waits for one is told."""
        self.closed = True
        if self._opening:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        self._wake()
        for channel in tuple(self.channels):
            await channel.close()

    async def channel(self, seconds: float) -> ClientChannel:
        """The free connection, waited for *seconds* at most where there is none: all that wait share one
        series of attempts, with growing waits between them, and its end. Raises LinkError."""
        try:
            async with asyncio.timeout(seconds):
                series = None
                while (channel := self.free()) is None:
                    if self.closed:
                        raise self._not_open()
                    if series and series.done() and self._refused:
                        raise copy(self._refused)
                    series = self._fill_up()
                    await self._news.wait()
                return channel
        except TimeoutError:
            found = str(self._refused.found) if self._refused else "none"
            raise LinkError(self.name, f"a connection within {seconds:g} seconds", found) from None

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

    def _fill_up(self) -> asyncio.Task[None]:
        if self._opening is None or self._opening.done():
            self._opening = asyncio.get_running_loop().create_task(self._reopen())
        return self._opening

    async def _reopen(self) -> None:
        """Open what is missing, with growing waits; where the last attempt fails, so does all that waits."""
        wait, factor, longest = self._limits["backoff"]
        for left in reversed(range(self._limits["attempts"])):
            try:
                await self._fill()
                return
            except LinkError as error:
                self._refused = error
            if left:
                self._tell("waiting", f"{self._refused}; next try in {wait:g} seconds", "")
                await asyncio.sleep(wait)
                wait = min(wait * factor, longest)
        if self.channels:
            self._tell("waiting", f"{self._refused}; the other connections go on", "")
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news.clear()

    def _not_open(self) -> LinkError:
        return LinkError(self.name, "an open client", "a closed one")

    async def _fill(self) -> None:
        while len(self.channels) < self.size:
            await self._open()

    async def _open(self) -> None:
        self._count += 1
        name = f"{self._count} {self.name}"
        channel = ClientChannel(name, await self._connected(), self.line, self._limits, **self._ends)
        if self.closed:  # meanwhile
            await channel.close()
            raise self._not_open()
        self.channels.append(channel)
        self._refused = None
        self._tell("connected", "", name)
        self._wake()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A new one. Raises LinkError where nobody listens, in its time, with the right certificate."""
        host, port = self.where
        wanted = "a connection" if self.tls is None else "a TLS connection"
        seconds = self._limits["connect_seconds"]
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.open_connection(host, port, ssl=self.tls)
        except TimeoutError:
            raise LinkError(self.name, wanted, f"none within {seconds:g} seconds") from None
        except OSError as error:
            raise LinkError(self.name, wanted, _why(error)) from None


def _why(error: OSError) -> str:
    """Why there is no connection, and what to look at where that is known."""
    plain = os.strerror(error.errno) if isinstance(error, ConnectionError) and error.errno else ""
    why = plain or getattr(error, "verify_message", "") or error.strerror or str(error) or _CLOSED
    if isinstance(error, ConnectionRefusedError):
        return f"{why}: is the host running, and is this its port?"
    if isinstance(error, socket.gaierror):
        return f"{why}: is the host's name spelt right?"
    return why
