"""What a person can take back, and bring back: the states of something that is edited."""

from __future__ import annotations

from typing import Generic, TypeVar

S = TypeVar("S")

_MOST = 100


class History(Generic[S]):
    """States one after the other, of which one is there now. At most *most* are remembered."""

    __slots__ = ("_after", "_before", "most", "now")

    def __init__(self, now: S, most: int = _MOST) -> None:
        self.now, self.most = now, most
        self._before: list[S] = []
        self._after: list[S] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a state before."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether a state was taken back."""
        return bool(self._after)

    def put(self, state: S) -> None:
        """Another state: the one that was there can be brought back, what was taken back cannot any more."""
        if state == self.now:
            return
        self._before = [*self._before, self.now][-self.most :]
        self._after.clear()
        self.now = state

    def replace(self, state: S) -> None:
        """Another state in place of the one that is there, as if that had never been."""
        self.now = state

    def undo(self) -> S:
        """Back to the state before; the same where there is none."""
        if self._before:
            self._after.append(self.now)
            self.now = self._before.pop()
        return self.now

    def redo(self) -> S:
        """Forth again to the state that was taken back last; the same where there is none."""
        if self._after:
            self._before.append(self.now)
            self.now = self._after.pop()
        return self.now
