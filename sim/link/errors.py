"""What goes wrong between two ends: no connection, a place that is taken, an answer nobody can wait for."""

from __future__ import annotations

from typing import Any

from sim.errors import IsoError, quotable


class LinkError(IsoError):
    """A line that does not carry: `what` was wanted, `found` is what happened instead.

    >>> str(LinkError("127.0.0.1:8583", "a connection", "nobody listens there"))
    '127.0.0.1:8583: expected a connection, found nobody listens there'
    """

    def __init__(self, where: str, expected: str, found: str) -> None:
        super().__init__(None, None, expected, found)
        self.where = quotable(where)
        self.say(f"{self.where}: expected {expected}, found {found}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.where, self.expected, self.found)
