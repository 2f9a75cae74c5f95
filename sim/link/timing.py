"""The clocks of a line: one object that both ends ask, so that a test can turn it by hand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Handle(Protocol):
    """A call that is due later, and may be taken back."""

    def cancel(self) -> None:
        """Do not make the call."""


class Timing:
    """The time of this machine."""

    def now(self) -> float:
        """Seconds, for differences."""
        return time.perf_counter()

    def wall(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def later(self, seconds: float, call: Callable[[], object]) -> Handle:
        """Have *call* called in the running loop after *seconds*."""
        return asyncio.get_running_loop().call_later(seconds, call)

    async def sleep(self, seconds: float) -> None:
        """Wait *seconds*."""
        done = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not done.done():
                done.set_result(None)

        handle = self.later(seconds, wake)
        try:
            await done
        finally:
            handle.cancel()
