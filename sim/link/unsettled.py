"""What a client has left open: requests that were neither answered nor undone, the newest of them."""

from __future__ import annotations

from collections.abc import Callable

from sim.link.exchange import Exchange


class Unsettled:
    """At most *most* exchanges. *tell* is given what happens: a kind and a note, which has no card data.
    `forgotten` counts those that gave way to newer ones."""

    def __init__(self, most: int, tell: Callable[[str, str], None]) -> None:
        self.forgotten = 0
        self._most, self._tell = most, tell
        self._held: list[Exchange] = []

    def add(self, exchange: Exchange, why: str) -> None:
        """*exchange* is left open, and *why*."""
        self._held.append(exchange)
        self._tell("unsettled", why)
        while len(self._held) > self._most:
            oldest = self._held.pop(0)
            if not oldest.settled:
                self.forgotten += 1
                self._tell("forgotten", f"unsettled, and the oldest of too many: {oldest!r}")

    def left(self) -> list[Exchange]:
        """Those that were not settled since, by an answer that came after all."""
        return [one for one in self._held if not one.settled]
