"""Elements that record which of them are read, for the tests of caches keyed by the elements read."""

from __future__ import annotations

from typing import Any

EVERY = "every"


class Recording(dict[int, str]):
    """Elements that record which of them are read, and separately which are tested for presence (`EVERY`
    if all are iterated over)."""

    def __init__(self, fields: dict[int, str]) -> None:
        super().__init__(fields)
        self.read: set[int | str] = set()
        self.looked: set[Any] = set()

    def __getitem__(self, number: int) -> str:
        self.read.add(number)
        return super().__getitem__(number)

    def get(self, number: int, default: Any = None) -> Any:
        """As in a dict."""
        self.looked.add(number)
        if super().__contains__(number):
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

    def __contains__(self, number: object) -> bool:
        self.looked.add(number)
        return super().__contains__(number)

    def __iter__(self) -> Any:
        self.looked.add(EVERY)
        return super().__iter__()

    def keys(self) -> Any:
        """All of them."""
        self.looked.add(EVERY)
        return super().keys()
