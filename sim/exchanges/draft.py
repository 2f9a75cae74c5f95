"""The options taken from a description so far, and the words behind each."""

from __future__ import annotations

from typing import Any

from sim.exchanges.deciding import said_by
from sim.exchanges.plan import Asked
from sim.exchanges.words import Mark, Reader


class Draft:
    """The options of a description, added to those requested *before* in a follow-up. `shares` are the marks
    of amounts by role."""

    def __init__(self, reader: Reader, before: Asked | None) -> None:
        self.reader, self.before = reader, before
        self.all, self.only, self.bad = reader.all, reader.only, reader.unclear.append
        self.notes = reader.notes
        self.options: dict[str, Any] = dict(before.options) if before else {}
        self.words: dict[str, str] = {}
        self.shares: dict[str, list[Mark]] = {}

    def put(self, name: str, value: Any, *keys: str) -> None:
        """Set the option *name*, taken from the marks of *keys*."""
        self.options[name] = value
        self.words[name] = said_by(self.all(*keys))
