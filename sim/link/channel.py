"""One connection of a client: frames go out, frames come in."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import TYPE_CHECKING, Any

from sim.errors import WireError
from sim.link.errors import LinkError
from sim.link.line import PIECE
from sim.link.timing import Handle

if TYPE_CHECKING:
    from sim.link.client import AsyncClient

_CLOSED = "the other side closed it"


def _why(error: OSError) -> str:
    """Why there is no connection, and what to look at where that is known."""
    plain = os.strerror(error.errno) if isinstance(error, ConnectionError) and error.errno else ""
    why = plain or getattr(error, "verify_message", "") or error.strerror or str(error) or _CLOSED
    if isinstance(error, ConnectionRefusedError):
        return f"{why}: is the host running, and is this its port?"
    if isinstance(error, socket.gaierror):
        return f"{why}: is the host's name spelt right?"
    return why


class Channel:
    """An open connection of *client*, which hears all frames as they come, and once why it is over."""

    def __init__(
        self, client: AsyncClient, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.name = name
        self.awaited: set[Any] = set()
        self._client, self._reader, self._writer = client, reader, writer
        self._cutter = client.line.cutter()
        self._frame_watch: Handle | None = None
        self._why = ""
        self._out: list[bytes] = []
        self._size = 0
        self._over = False
        self._task = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def open(cls, client: AsyncClient, name: str) -> Channel:
        """Connect. Raises LinkError where nobody listens, in its time, with the right certificate."""
        host, port = client.where
        wanted = "a connection" if client.tls is None else "a TLS connection"
        seconds = client.limits["connect_seconds"]
        opening = asyncio.ensure_future(asyncio.open_connection(host, port, ssl=client.tls))
        watch = client.timing.later(seconds, opening.cancel)
        try:
            reader, writer = await opening
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                if opening.done() and not opening.cancelled() and not opening.exception():
                    opening.result()[1].transport.abort()  # it came in the same moment
                raise
            raise LinkError(f"{host}:{port}", wanted, f"none within {seconds:g} seconds") from None
        except OSError as error:
            raise LinkError(f"{host}:{port}", wanted, _why(error)) from None
        finally:
            watch.cancel()
        return cls(client, name, reader, writer)

    @property
    def over(self) -> bool:
        """Whether nothing goes out any more."""
        return self._over or self._writer.transport.is_closing()

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

    def end(self, why: str) -> None:
        """Break the connection off."""
        self._why = self._why or why
        self._writer.transport.abort()

    async def close(self) -> None:
        """Close the connection, and wait until it is."""
        self._why = self._why or "closed by us"
        if self._out and not self.over:
            self._flush()
        self._writer.close()
        self._writer.transport.abort()
        await asyncio.wait([self._task])

    async def _read(self) -> None:
        try:
            while data := await self._reader.read(PIECE):
                before = self._cutter.partial
                self._client.heard(self, self._cutter.feed(data))
                self._watch_frame(self._cutter.partial < before + len(data))
                if self._out:
                    self._flush()
            why = "the host closed the connection"
            if self._cutter.partial:
                why += f", {self._cutter.partial} bytes of a frame had come"
        except WireError as error:
            why = f"no frame: {error}"
        except (ConnectionError, OSError) as error:
            why = f"the connection broke ({type(error).__name__})"
        except Exception as error:
            why = f"a fault of this client ({type(error).__name__})"
            self._finish(why)
            raise
        self._finish(why)

    def _watch_frame(self, came: bool) -> None:
        """A frame that has begun must end in its time; *came*: the one before it has."""
        if self._frame_watch and (came or not self._cutter.partial):
            self._frame_watch.cancel()
            self._frame_watch = None
        if self._cutter.partial and self._frame_watch is None:
            seconds = self._client.limits["frame_seconds"]
            why = f"a frame did not become whole in {seconds:g} seconds"
            self._frame_watch = self._client.timing.later(
                seconds, lambda: self.end(f"{why}: {self._cutter.partial} bytes of it had come")
            )

    def _finish(self, why: str) -> None:
        self._over = True
        if self._frame_watch:
            self._frame_watch.cancel()
        self._writer.close()
        self._client.lost(self, self._why or why)
