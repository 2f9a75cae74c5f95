"""Deadlines of many things at once: one timer per length of time, however many wait.

What waits equally long ends in the order in which it began, so the first of each length is always the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sim.link.timing import Handle, Timing

T = TypeVar("T")


class Deadlines(Generic[T]):
    """Calls *over* with each thing that is not `met` in its time."""

    def __init__(self, timing: Timing, over: Callable[[T], None]) -> None:
        self._timing, self._over = timing, over
        self._waiting: dict[float, dict[T, float]] = {}
        self._timers: dict[float, Handle] = {}

    def add(self, thing: T, seconds: float, now: float) -> None:
        """*thing* is to be met within *seconds* from *now*."""
        waiting = self._waiting.get(seconds)
        if waiting is None:
            waiting = self._waiting[seconds] = {}
        waiting[thing] = now + seconds
        if seconds not in self._timers:
            self._timers[seconds] = self._timing.later(seconds, lambda: self._ring(seconds))

    def met(self, thing: T, seconds: float) -> None:
        """*thing*, added with *seconds*, needs no more time."""
        waiting = self._waiting.get(seconds)
        if waiting is not None:
            waiting.pop(thing, None)
        if not waiting:
            self._waiting.pop(seconds, None)
            if timer := self._timers.pop(seconds, None):
                timer.cancel()

    def _ring(self, seconds: float) -> None:
        """One turn of the loop more: where it was held up, what meets a deadline may wait to be read."""
        self._timers[seconds] = self._timing.later(0, lambda: self._due(seconds))

    def _due(self, seconds: float) -> None:
        self._timers.pop(seconds, None)
        waiting, now = self._waiting.get(seconds, {}), self._timing.now()
        over = []
        while waiting:
            thing = next(iter(waiting))
            left = waiting[thing] - now
            if left > 1e-6:
                self._timers[seconds] = self._timing.later(left, lambda: self._ring(seconds))
                break
            del waiting[thing]
            over.append(thing)
        else:
            self._waiting.pop(seconds, None)
        for thing in over:  # last, as each may have others added
            self._over(thing)
