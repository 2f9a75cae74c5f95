"""Small edits of a message: set a value, add an element, drop one, in its elements or in its bytes; and the
states of what is edited, to be taken back and brought back."""

from __future__ import annotations

import re
from typing import Generic, TypeVar

from sim.codec import BuildError, Message
from sim.errors import MTI_FIELD
from sim.operations.rewriting import with_data
from sim.parts.writing import replaced
from sim.paste.reading import Reading
from sim.spec import Spec
from sim.spec.elements import table
from sim.spec.networks import NETWORKS, default_card

S = TypeVar("S")
_MOST = 100  # states that are remembered
_DATE = {"CCYY": "2000", "YY": "00", "MM": "01", "DD": "01", "hh": "00", "mm": "00", "ss": "00"}
_HEX = re.compile("[0-9A-Fa-f]*")
_VARIABLE = 2  # characters of a sample of variable length: a whole byte where they are hex digits


def set_value(message: Message, number: int, value: str | None) -> Message:
    """*message* with another value in element *number*, which may be new, or without it; 0 is the MTI."""
    if number == MTI_FIELD:
        return message.replace(mti=value)
    return message.replace(**{f"de{number}": value})


def set_part(message: Message, number: int, start: int, end: int, value: str, network: str | None) -> Message:
    """*message* with *value* in place of the characters *start* to *end* of the value of element *number*,
    and with the lengths around that part. Raises BuildError where it does not fit there."""
    if number == MTI_FIELD:
        return message.replace(mti=message.mti[:start] + value + message.mti[end:])
    old = message.get(number)
    return set_value(message, number, replaced(message.spec, number, old, start, end, value, network))


def set_bytes(held: Reading | None, start: int, end: int, digits: str) -> Reading:
    """*held* with the bytes that *digits* (hex, blanks between them) spell in place of those from *start* to
    *end*.

    Raises BuildError for what is no hex, WireError where the bytes cannot be read then.
    """
    bare = re.sub(r"\s", "", digits)
    if held is None or not 0 <= start <= end <= len(held.data):
        raise BuildError(None, None, "bytes of this message", f"{start} to {end}")
    if len(bare) % 2 or not _HEX.fullmatch(bare):
        raise BuildError(None, None, "hex digits, two for each byte", f"{len(bare)} characters")
    return with_data(held, held.data[:start] + bytes.fromhex(bare) + held.data[end:])


def sample(version: str | Spec, number: int, network: str = "") -> str:
    """A value that fits element *number*: a test card in DE 2, the first of January 2000 in a date, else
    zeros (blanks where only text makes sense).

    Raises BuildError for a number that is no element to be added.

    >>> sample("1987", 3), sample("1987", 13), sample("1987", 43) == " " * 40
    ('000000', '0101', True)
    """
    if not 2 <= number <= 128:
        raise BuildError(None, None, "data element numbers 2 to 128", str(number))
    element = table(version)[number]
    if number == 2:
        return default_card(network if network in NETWORKS else NETWORKS[0]).pan
    if element.pattern and element.fixed:
        text = element.pattern
        for letters, digits in _DATE.items():
            text = text.replace(letters, digits)
        return text
    width = element.width if element.fixed else min(_VARIABLE, element.width)
    if element.content == "x+n":
        return "C" + "0" * (width - 1)
    return (" " if element.content in ("ans", "ansb", "anp") and element.fixed else "0") * width


class History(Generic[S]):
    """States one after the other, of which one is there now. At most *most* are remembered."""

    __slots__ = ("_after", "_before", "most", "now")

    def __init__(self, now: S, most: int = _MOST) -> None:
        self.now, self.most = now, most
        self._before: list[S] = []
        self._after: list[S] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a state before."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether a state was taken back."""
        return bool(self._after)

    def put(self, state: S) -> None:
        """Another state: the one that was there can be brought back, what was taken back cannot any more."""
        if state == self.now:
            return
        self._before = [*self._before, self.now][-self.most :]
        self._after.clear()
        self.now = state

    def replace(self, state: S) -> None:
        """Another state in place of the one that is there, as if that had never been."""
        self.now = state

    def undo(self) -> S:
        """Back to the state before; the same where there is none."""
        if self._before:
            self._after.append(self.now)
            self.now = self._before.pop()
        return self.now

    def redo(self) -> S:
        """Forth again to the state that was taken back last; the same where there is none."""
        if self._after:
            self._before.append(self.now)
            self.now = self._after.pop()
        return self.now
