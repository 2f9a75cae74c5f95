"""What follows from a description so far: options, and the words that they follow from."""

from __future__ import annotations

from typing import Any

from sim.exchanges.deciding import said_by
from sim.exchanges.plan import Asked
from sim.exchanges.words import Mark, Reader


class Draft:
    """The options of a description, on top of those asked for *before* in a follow-up. `shares` are the
    amounts by what they belong to."""

    def __init__(self, reader: Reader, before: Asked | None) -> None:
        self.reader, self.before = reader, before
        self.all, self.only, self.bad = reader.all, reader.only, reader.unclear.append
        self.notes = reader.notes
        self.options: dict[str, Any] = dict(before.options) if before else {}
        self.words: dict[str, str] = {}
        self.shares: dict[str, list[Mark]] = {}

    def put(self, name: str, value: Any, *keys: str) -> None:
        """Set the option *name*, which follows from the marks of *keys*."""
        self.options[name] = value
        self.words[name] = said_by(self.all(*keys))
