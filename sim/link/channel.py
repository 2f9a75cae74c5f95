"""One connection of either end: frames are cut out of what comes in, a piece at a time.

After each full piece the others have their turn, so that nobody who sends without end holds up another. A
frame that has begun must become whole in its time; who sends frame after frame that is no message is cut off.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from sim.errors import IsoError, WireError
from sim.link.line import KEEP_ALIVE, Line

# The most that either end takes from a connection at once: answers to it go out, and the other end works on
# the first of them, while the next are made.
PIECE = 1 << 12


class Channel:
    """A connection called *name* that speaks *line*. `why` is what ended it, empty until something does."""

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
        """Hear everything until either side ends the connection."""
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
        """What is told where the other side ended it."""
        return "the other side closed"

    def end(self, why: str) -> None:
        """Break the connection off."""
        self.why = self.why or why
        self._writer.transport.abort()

    @abstractmethod
    async def hear(self, frames: Iterator[bytes]) -> None:
        """Take what has come. Raises what *frames* do: WireError where none can start."""

    @abstractmethod
    def finish(self) -> None:
        """Nothing comes any more: `why` says why."""

    def misread(self, frame: bytes, error: IsoError) -> tuple[str, str]:
        """What a frame is that gave *error*, in a word, and why; the formats that read it are named once. Too
        many in a row end the connection, behind the answers to those before."""
        kind, why = self.line.unread(frame, error, name_formats=not self._formats_named)
        if kind != KEEP_ALIVE:
            self._unreadable += 1
            self._formats_named = True
            if self._unreadable >= self.limits["unreadable"]:
                self.why = self.why or f"{self._unreadable} consecutive frames were not messages"
        return kind, why

    def understood(self) -> None:
        """A frame was a message, or could be answered as one."""
        self._unreadable = 0

    async def _read(self) -> None:
        while not self.why and (data := await self._reader.read(PIECE)):
            before = self._cutter.partial + len(data)
            await self.hear(self._cutter.feed(data))
            self._watch_frame(ended=self._cutter.partial < before)
            if len(data) == PIECE:  # more may be there, which would come without a turn of the loop
                await asyncio.sleep(0)

    def _watch_frame(self, *, ended: bool) -> None:
        """A frame that has begun must end in its time; the one before it has *ended*."""
        if self._frame_watch and ended:
            self._frame_watch.cancel()
            self._frame_watch = None
        if self._cutter.partial and self._frame_watch is None:
            loop = asyncio.get_running_loop()
            self._frame_watch = loop.call_later(self.limits["frame_seconds"], self._cut_off)

    def _cut_off(self) -> None:
        seconds, partial = self.limits["frame_seconds"], self._cutter.partial
        self.end(f"a frame was not complete after {seconds:g} seconds; only {partial} bytes had arrived")
