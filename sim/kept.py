"""What is remembered between messages, in bounded memory.

Every memory that messages fill is one of these (or a small `lru_cache`), so that nobody who sends ever new
messages makes a process grow, and none of them pushes out what most messages need.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Things by key, at most twice *most* of them. When *most* are young they become the old ones, of
    which those become young again that are asked for. `young` may be looked into directly."""

    __slots__ = ("_old", "most", "young")

    def __init__(self, most: int) -> None:
        self.most = most
        self.young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self.young) + len(self._old)

    def get(self, key: K) -> V | None:
        """What is kept for *key*, if anything."""
        found = self.young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.keep(key, found)
        return found

    def keep(self, key: K, value: V) -> V:
        """Keep *value* for *key*; gives it back."""
        if len(self.young) >= self.most and key not in self.young:
            self._old, self.young = self.young, {}
        self.young[key] = value
        return value

    def clear(self) -> None:
        """Forget all."""
        self.young, self._old = {}, {}


class Earned(Kept[K, V]):
    """What *make* makes for a key that has come *after* times. Making it costs as much as that many uses
    without it, so it is not made for what comes once, and, once forgotten, must be earned again; nor for what
    comes so seldom that it would be forgotten before it comes again."""

    __slots__ = ("_after", "_came", "_make")

    def __init__(self, make: Callable[[K], V], most: int, after: int) -> None:
        super().__init__(most)
        self._make = make
        self._after = after
        self._came: Kept[K, int] = Kept(most)

    def came(self, key: K) -> None:
        """*key* has come once more, and `young` has nothing for it."""
        if key in self.young or (key in self._old and self.get(key) is not None):
            return
        counted = self._came
        count = (counted.young.get(key) or counted.get(key) or 0) + 1
        if count >= self._after:
            self.keep(key, self._make(key))
            count = 0
        counted.keep(key, count)

    def clear(self) -> None:
        super().clear()
        self._came.clear()
