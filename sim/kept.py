"""Caches with bounded memory.

Everything that is remembered between messages is in one of these (or a small `lru_cache`), so that a stream
of ever new messages cannot make the process grow, nor evict what most messages need.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Values by key, at most twice *most* of them. When *most* are young, they become the old ones, and
    old ones become young again when used. `young` may be read directly."""

    __slots__ = ("_old", "most", "young")

    def __init__(self, most: int) -> None:
        self.most = most
        self.young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self.young) + len(self._old)

    def get(self, key: K) -> V | None:
        """The value for *key*, or None."""
        value = self.young.get(key)
        if value is None and (value := self._old.get(key)) is not None:
            self.keep(key, value)
        return value

    def keep(self, key: K, value: V) -> V:
        """Store *value* for *key*, and return it."""
        if len(self.young) >= self.most and key not in self.young:
            self._old, self.young = self.young, {}
        self.young[key] = value
        return value

    def clear(self) -> None:
        """Remove all values."""
        self.young, self._old = {}, {}
