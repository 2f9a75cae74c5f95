"""What an issuer remembers: balances, the transactions that were booked, the answers that were given.

All of it is bounded: the longest unused account, the oldest transaction give way. Amounts are in minor
units of the message's own currency; a test account has one currency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.codec import Message
from sim.elements.layout import place
from sim.elements.pan import account
from sim.errors import SpecError
from sim.kept import Kept
from sim.spec import number_of
from sim.spec.tables import read_toml

_REPLACEMENT = slice(0, 12)  # DE 95 of 1987: the amount that stays


@dataclass(slots=True)
class Booking:
    """What a transaction took from an account (below 0: what it gave). `open` is what a reversal has not
    given back yet."""

    pan: str = field(repr=False)
    amount: int
    open: int


class Accounts:
    """The balances of an issuer, in minor units, by card number. A card that is not named has the opening
    balance."""

    def __init__(
        self,
        balances: Mapping[str, int] | None = None,
        opening: int | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        limits = {**read_toml("link")["host"], **(limits or {})}
        self.opening: int = limits["balance"] if opening is None else opening
        self._balances: Kept[str, int] = Kept(limits["accounts"])
        self.remembered: int = limits["remembered"]
        self._booked: Kept[tuple[str, ...], Booking] = Kept(2 * self.remembered)
        for pan, balance in (balances or {}).items():
            self._balances.keep(pan, balance)

    def __repr__(self) -> str:
        return f"Accounts({len(self._balances)})"

    def balance(self, pan: str) -> int:
        """What is available on the account of *pan*."""
        found = self._balances.get(pan)
        return self.opening if found is None else found

    def book(self, message: Message, amount: int) -> None:
        """Take *amount* (below 0: give) for *message*, which a reversal may name."""
        pan = account(message)[1]
        self._balances.keep(pan, self.balance(pan) - amount)
        booking = Booking(pan, amount, amount)
        for key in _names(message):
            self._booked.keep(key, booking)

    def give_back(self, reversal: Message) -> int | None:
        """Undo what *reversal* names, in part where it says what stays; how much came back, None where
        there is no such transaction. A second reversal gives nothing back."""
        found = next((one for key in _named(reversal) if (one := self._booked.get(key))), None)
        if found is None:
            return None
        back = found.open
        stays = reversal.get(95)[_REPLACEMENT] if reversal.version == "1987" else ""
        if stays.isdigit() and 0 < int(stays) < found.open:
            back = found.open - int(stays)
        found.open -= back
        self._balances.keep(found.pan, self.balance(found.pan) + back)
        return back


def _names(message: Message) -> list[tuple[str, ...]]:
    """The keys by which a reversal may name *message*: its STAN, its reference number."""
    pan = account(message)[1]
    keys: list[tuple[str, ...]] = [("stan", pan, message.get(11).lstrip("0"))]
    return [*keys, ("reference", pan, message.get(37), message.get(41))] if 37 in message else keys


def _named(reversal: Message) -> list[tuple[str, ...]]:
    """The keys of what *reversal* undoes: by its original data elements, else by the reference number."""
    pan = account(reversal)[1]
    found: list[tuple[str, ...]] = []
    number = number_of("original", reversal.version)
    if original := reversal.get(number):
        try:
            stan = original[place(reversal.version, number, "its STAN")]
        except (KeyError, SpecError):
            stan = ""
        if stan.strip("0"):
            found.append(("stan", pan, stan.lstrip("0")))
    if 37 in reversal:
        found.append(("reference", pan, reversal[37], reversal.get(41)))
    return found
