"""The event loop that connections belong to: in another one nothing that is written to them ever goes out."""

from __future__ import annotations

import asyncio

from sim.link.errors import LinkError


class OwnLoop:
    """The loop in which it was first asked."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def runs(self) -> bool:
        """Whether it is the one that runs: another is closed, or of the process that this one was forked
        from."""
        running = asyncio.get_running_loop()
        self._loop = self._loop or running
        return self._loop is running

    def check(self, name: str) -> None:
        """Raises LinkError, of the place *name*, where it is not."""
        if not self.runs:
            wanted = "the event loop in which it was connected"
            raise LinkError(name, wanted, "another, which needs a client of its own")
