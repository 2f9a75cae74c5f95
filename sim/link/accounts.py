"""What an issuer remembers: balances, the transactions that were booked, the answers that were given.

All of it is bounded: the longest unused account, the oldest transaction give way. Amounts are in minor
units of the message's own currency; a test account has one currency.
"""

from __future__ import annotations

from collections.abc import Mapping

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements.card import account
from sim.errors import SpecError
from sim.kept import Kept
from sim.parts.layout import place
from sim.spec import number_of
from sim.spec.tables import read_toml

_REPLACEMENT = slice(0, 12)  # DE 95 of 1987: the amount that stays
_MOST_OF_ONE = 100  # authorizations of a transaction
_AUTHORIZATION = "1"  # the message class that is completed by another


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
        # A booking by its number: the account, what a reversal has not given back yet (below 0: not taken
        # back), whether it was completed. Texts and numbers alone, which take little room and nobody has to
        # look at again.
        self._booked: Kept[int, tuple[str, int, bool]] = Kept(self.remembered)
        self._numbers: Kept[str, int] = Kept(3 * self.remembered)
        # The authorizations of a transaction that the network has a name for: the first, and its increments.
        self._transactions: Kept[str, tuple[int, ...]] = Kept(self.remembered)
        self._count = 0
        for pan, balance in (balances or {}).items():
            self._balances.keep(pan, balance)

    def __repr__(self) -> str:
        return f"Accounts({len(self._balances)})"

    def balance(self, pan: str) -> int:
        """What is available on the account of *pan*."""
        found = self._balances.get(pan)
        return self.opening if found is None else found

    def book(self, message: Message, amount: int, approval: str = "", name: str = "") -> None:
        """Take *amount* (below 0: give) for *message*, which a reversal may name, and a completion, also by
        the *approval* code of its answer; *name* is the network's of its transaction."""
        pan = account(message)[1]
        self._balances.keep(pan, self.balance(pan) - amount)
        self._count = number = self._count + 1
        self._booked.keep(number, (pan, amount, False))
        names = _names(message, pan)
        if message.mti[1] == _AUTHORIZATION and approval.strip():
            names.append(_by_approval(pan, approval))
        for key in names:
            self._numbers.keep(key, number)
        if name and message.mti[1] == _AUTHORIZATION:
            known = f"{pan} {name}"
            self._transactions.keep(known, (*(self._transactions.get(known) or ()), number)[-_MOST_OF_ONE:])

    def complete(self, message: Message, amount: int, name: str = "") -> bool:
        """Let *message* take *amount* in the place of what the authorization took that it completes, and its
        increments, which have the same *name*; False where none is known that it names, or another completed
        it: goods that are sent in two parcels are two sales. A reversal may name either of them from then
        on."""
        named = _named(message)
        if approval := message.get(38).strip():
            named.append(_by_approval(account(message)[1], approval))
        found = self._find(named)
        if found is None:
            return False
        number, pan, taken, completed = found
        if completed:
            return False
        self._balances.keep(pan, self.balance(pan) + taken - amount)
        self._booked.keep(number, (pan, amount, True))
        for key in _names(message, pan):
            self._numbers.keep(key, number)
        for other in self._transactions.get(f"{pan} {name}") or ():
            held = self._booked.get(other)
            if held is not None and not held[2]:
                self._balances.keep(pan, self.balance(pan) + held[1])
                self._booked.keep(other, (pan, 0, True))
        return True

    def _find(self, named: list[str]) -> tuple[int, str, int, bool] | None:
        """The booking that one of the keys *named* is of: its number, and what is kept of it."""
        for key in named:
            number = self._numbers.get(key)
            if number is not None and (found := self._booked.get(number)) is not None:
                return number, *found
        return None

    def give_back(self, reversal: Message) -> int | None:
        """Undo what *reversal* names, in part where it says what stays; how much came back, None where
        there is no such transaction. A second reversal gives nothing back."""
        found = self._find(_named(reversal))
        if found is None:
            return None
        number, pan, taken, completed = found
        back = taken
        stays = reversal.get(95)[_REPLACEMENT] if reversal.version == "1987" else ""
        if is_digits(stays) and 0 < int(stays) < taken:
            back = taken - int(stays)
        self._booked.keep(number, (pan, taken - back, completed))
        self._balances.keep(pan, self.balance(pan) + back)
        return back


def _names(message: Message, pan: str) -> list[str]:
    """The keys by which a reversal may name *message*, of card *pan*: its STAN, its reference number."""
    get = message.fields.get
    by_stan = _by_stan(pan, get(11, ""))
    return [by_stan, _by_reference(pan, reference, get(41, ""))] if (reference := get(37)) else [by_stan]


def _by_stan(pan: str, stan: str) -> str:
    return f"stan {pan} {stan.lstrip('0')}"


def _by_reference(pan: str, reference: str, terminal: str) -> str:
    return f"reference {pan} {reference} {terminal}"


def _by_approval(pan: str, approval: str) -> str:
    return f"approval {pan} {approval.strip()}"


def _named(reversal: Message) -> list[str]:
    """The keys of what *reversal* undoes, or a completion completes: by its original data elements, else by
    the reference number."""
    pan = account(reversal)[1]
    found: list[str] = []
    number = number_of("original", reversal.version)
    if original := reversal.get(number):
        try:
            stan = original[place(reversal.version, number, "its STAN")]
        except (KeyError, SpecError):
            stan = ""
        if stan.strip("0"):
            found.append(_by_stan(pan, stan))
    if 37 in reversal:
        found.append(_by_reference(pan, reversal[37], reversal.get(41)))
    return found
