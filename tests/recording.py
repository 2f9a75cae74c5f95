"""Elements that record which of them are read, for the tests of what is remembered by what is read."""

from __future__ import annotations

from typing import Any

from sim.judge.engine import EVERY


class Recording(dict[int, str]):
    """Elements that record which of them are read; whether one is there may be asked freely."""

    def __init__(self, fields: dict[int, str]) -> None:
        super().__init__(fields)
        self.read: set[int | str] = set()

    def __getitem__(self, number: int) -> str:
        self.read.add(number)
        return super().__getitem__(number)

    def get(self, number: int, default: Any = None) -> Any:
        """As a dict's."""
        if number in self:
            self.read.add(number)
        return super().get(number, default)

    def values(self) -> Any:
        """All of them."""
        self.read.add(EVERY)
        return super().values()

    def items(self) -> Any:
        """All of them."""
        self.read.add(EVERY)
        return super().items()
