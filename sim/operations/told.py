"""Which data elements a sentence of the explanation speaks of: those that were looked at to write it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from sim.codec import Message
from sim.errors import MTI_FIELD
from sim.operations.tellers import tellers

_OF_THE_MTI = "opening"


class Told(NamedTuple):
    """A sentence, and the numbers of the elements it speaks of, ascending; 0 is the MTI."""

    sentence: str
    elements: tuple[int, ...]


class _Noted(dict[int, str]):
    """Data elements that note which of them were looked at, and there."""

    def __init__(self, fields: dict[int, str]) -> None:
        super().__init__(fields)
        self.seen: set[int] = set()

    def __getitem__(self, number: int) -> str:
        self.seen.add(number)
        return super().__getitem__(number)

    def __contains__(self, number: object) -> bool:
        there = super().__contains__(number)
        if there and isinstance(number, int):
            self.seen.add(number)
        return there

    def get(self, number: int, default: Any = None) -> Any:
        """The value of an element, or *default*."""
        return self[number] if number in self else default  # noqa: SIM401, that is what this defines


def told(message: Message, network: str | None) -> tuple[Told, ...]:
    """The sentences on *message* as `sim.operations.tellers.tell` tells them, each with its elements.

    >>> told(Message("0800", {11: "000042", 70: "301"}), None)[-1]
    Told(sentence='It can be traced by STAN 000042.', elements=(11,))
    """
    noted = _Noted(message.fields)
    watched = replace(message, fields=noted)
    found = []
    for what, teller in tellers(tuple(message.fields), network):
        noted.seen = {MTI_FIELD} if what == _OF_THE_MTI else set()
        if sentence := teller(watched, network):
            found.append(Told(sentence, tuple(sorted(noted.seen))))
    return tuple(found)
