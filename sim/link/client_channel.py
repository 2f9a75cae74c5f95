"""One connection of a client: frames go out, frames come in."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sim.errors import WireError
from sim.link.channel import Channel
from sim.link.errors import LinkError
from sim.link.line import Line
from sim.link.timing import Timing

Heard = Callable[["ClientChannel", Iterator[bytes]], None]
Lost = Callable[["ClientChannel"], None]
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


class ClientChannel(Channel):
    """An open connection of a client: *heard* is called with the frames that have come, *lost* once, when it
    is over."""

    def __init__(self, *opened: Any, heard: Heard, lost: Lost) -> None:
        super().__init__(*opened)
        self.awaited: set[Any] = set()
        self._heard, self._lost = heard, lost
        self._out: list[bytes] = []
        self._size = 0
        self._task = asyncio.get_running_loop().create_task(self._run())

    @classmethod
    async def open(
        cls,
        name: str,
        where: tuple[str, int],
        line: Line,
        timing: Timing,
        limits: Mapping[str, Any],
        *,
        tls: ssl.SSLContext | None,
        heard: Heard,
        lost: Lost,
    ) -> ClientChannel:
        """Connect. Raises LinkError where nobody listens, in its time, with the right certificate."""
        host, port = where
        wanted = "a connection" if tls is None else "a TLS connection"
        seconds = limits["connect_seconds"]
        opening = asyncio.ensure_future(asyncio.open_connection(host, port, ssl=tls))
        watch = timing.later(seconds, opening.cancel)
        try:
            streams = await opening
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
        return cls(name, streams, line, timing, limits, heard=heard, lost=lost)

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
        if self._out and not self._writer.transport.is_closing():
            self._flush()
        self._writer.close()
        self._writer.transport.abort()
        await asyncio.wait([self._task])

    async def hear(self, frames: Iterator[bytes]) -> None:
        """Have what has come taken; what that sends goes out at once."""
        self._heard(self, frames)
        if self._out:
            self._flush()

    async def _run(self) -> None:
        why = "the host closed the connection"
        try:
            await self.read()
            if partial := self._cutter.partial:
                why += f", {partial} bytes of a frame had come"
        except WireError as error:
            why = f"no frame: {error}"
        except (ConnectionError, OSError) as error:
            why = f"the connection broke ({type(error).__name__})"
        except Exception as error:
            why = f"a fault of this client ({type(error).__name__})"
            raise
        finally:
            self.over()
            self.why = self.why or why
            self._lost(self)
