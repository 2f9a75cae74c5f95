"""What is remembered between messages, in bounded memory.

Every memory that messages fill is one of these (or a small `lru_cache`), so that nobody who sends ever new
messages makes a process grow, and none of them pushes out what most messages need.
"""

from __future__ import annotations

from collections.abc import Hashable
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
