"""One connection, on either side: it cuts the frames out of the incoming bytes, one piece at a time.

After each full piece the other connections take a turn, so that a peer that never stops sending does not
block them. A frame must be complete within a time limit; a peer that keeps sending frames that are not
messages is disconnected.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from sim.errors import IsoError, WireError, counted
from sim.link.line import KEEP_ALIVE, Line

# The most bytes that one read takes from a connection: the responses to one piece go out, and the other side
# processes them, before the next piece is read.
PIECE = 1 << 12


class Channel:
    """A connection called *name* over *line*. `why` is the reason it ended, empty while it is open."""

    side: ClassVar[str]  # host or client

    def __init__(
        self,
        name: str,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        line: Line,
        limits: Mapping[str, Any],
    ) -> None:
        self.name, self.line, self.limits = name, line, limits
        self.why = ""
        self._reader, self._writer = streams
        self._cutter = line.cutter()
        self._frame_watch: asyncio.TimerHandle | None = None
        self._unreadable = 0  # frames in a row
        self._formats_named = False

    async def run(self) -> None:
        """Read until either side ends the connection."""
        why = ""
        try:
            await self._read()
        except WireError as error:
            why = f"not a frame: {error}"
        except OSError as error:
            why = f"the connection broke ({type(error).__name__})"
        except Exception as error:
            why = f"an internal error in this {self.side} ({type(error).__name__})"
            raise
        finally:
            self.why = self.why or why or self.left
            if self._frame_watch:
                self._frame_watch.cancel()
            self.finish()
            self._writer.close()

    @property
    def left(self) -> str:
        """The reason to report when the other side closes the connection."""
        return "the other side closed"

    def end(self, why: str) -> None:
        """Abort the connection for the reason *why*."""
        self.why = self.why or why
        self._writer.transport.abort()

    @abstractmethod
    async def hear(self, frames: Iterator[bytes]) -> None:
        """Process the incoming *frames*. Raises WireError, from *frames*, if no frame can start."""

    @abstractmethod
    def finish(self) -> None:
        """Clean up after the connection has ended; `why` has the reason."""

    def misread(self, frame: bytes, error: IsoError) -> tuple[str, str]:
        """The kind of a frame whose decoding raised *error*, and why; the first time, `why` also names the
        formats that can read it. Too many such frames in a row end the connection, once the earlier ones are
        answered."""
        kind, why = self.line.unread(frame, error, name_formats=not self._formats_named)
        if kind != KEEP_ALIVE:
            self._unreadable += 1
            self._formats_named = True
            if self._unreadable >= self.limits["unreadable"]:
                self.why = self.why or f"{self._unreadable} consecutive frames were not messages"
        return kind, why

    def understood(self) -> None:
        """Reset the count of unreadable frames: a frame was a message, or got a response."""
        self._unreadable = 0

    async def _read(self) -> None:
        while not self.why and (data := await self._reader.read(PIECE)):
            before = self._cutter.partial + len(data)
            await self.hear(self._cutter.feed(data))
            self._watch_frame(ended=self._cutter.partial < before)
            if len(data) == PIECE:  # more may be buffered; reading it would not yield to the event loop
                await asyncio.sleep(0)

    def _watch_frame(self, *, ended: bool) -> None:
        """Start the timer of an incomplete frame; *ended* says that the frame before it is complete."""
        if self._frame_watch and ended:
            self._frame_watch.cancel()
            self._frame_watch = None
        if self._cutter.partial and self._frame_watch is None:
            loop = asyncio.get_running_loop()
            self._frame_watch = loop.call_later(self.limits["frame_seconds"], self._cut_off)

    def _cut_off(self) -> None:
        seconds, partial = self.limits["frame_seconds"], self._cutter.partial
        self.end(
            f"a frame was not complete after {seconds:g} seconds; only {counted(partial, 'byte')} had arrived"
        )
