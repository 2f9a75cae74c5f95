"""Sample messages that an empty panel offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from sim.operations.answering import respond, reverse
from sim.operations.asked import usual_entry
from sim.operations.faults import break_message
from sim.operations.generation import generate
from sim.spec.tables import read_toml


@dataclass(frozen=True, slots=True)
class Sample:
    """A named message. `make` are options of `generate`; the sample is that message, or its response with
    code `reply`, its reversal, the message with `fault`, or `spelled` as pairs of hex digits."""

    name: str
    make: Mapping[str, Any]
    reply: str = ""
    reverse: bool = False
    fault: str = ""
    spelled: str = ""

    @property
    def plain(self) -> bool:
        """Whether the options of `generate` are enough to make it."""
        return not (self.reply or self.reverse or self.fault or self.spelled)

    def text(self, at: datetime | None = None) -> str:
        """The text of the message at date and time *at*; None is now."""
        entry = usual_entry(str(self.make.get("purpose", "purchase")))
        result = generate(**{"entry": entry} | dict(self.make), at=at)
        if self.reply:
            result = respond(result.message, self.reply)
        elif self.reverse:
            result = reverse(result.message, at=at)
        elif self.fault:
            return break_message(result.message, self.fault).raw
        return result.raw.encode("ascii").hex(" ") if self.spelled else result.raw


@cache
def samples() -> tuple[Sample, ...]:
    """All samples, in the order of the panel.

    >>> samples()[0].text()[:4]
    '0100'
    """
    rows = read_toml("samples")["samples"]
    return tuple(Sample(**row | {"make": MappingProxyType(row["make"])}) for row in rows)
