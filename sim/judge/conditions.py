"""The conditions under which networks want elements or do not, by the names that their presence rows use, and
what rules ask of a message time and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sim.codec import Message
from sim.elements import layout
from sim.spec import is_particular, lookup, role

Predicate = Callable[[Message], bool]

_ACCOUNTS = (2, 34, 35, 45)
_MOVES_MONEY = ("00", "01", "09", "10", "20", "26", "28")
_CACHE_SIZE = 1024
_INQUIRY = "inquiry"


def _approved(message: Message) -> bool:
    """Whether something is approved that has an approval code: an inquiry may be answered without one."""
    return is_particular("approved", message.version, message.get(39)) and not _inquires(message)


def _inquires(message: Message) -> bool:
    return purpose_kind(message) == _INQUIRY


def purpose_kind(message: Message) -> str:
    """The kind of transaction that the processing code says, as `debit`; empty where it is not known."""
    found = lookup("transaction_type", message.get(3)[:2], version=message.version)
    return found.kind if found else ""


def answer_kind(message: Message) -> str:
    """The kind of answer in DE 39, as `approved`; empty where it is not known."""
    found = lookup("response_code", message.get(39), version=message.version)
    return found.kind if found else ""


def part_of_pos(version: str, job: str) -> slice:
    """Where the part of DE 22 stands that does *job*; nowhere where none does."""
    found = role(job, version)
    return layout.place(version, 22, found.part) if found else slice(0, 0)


def _entered(message: Message, how: str) -> bool:
    """Whether DE 22 says that the card was read in one of the ways called *how*."""
    return _is_entry(how, message.version, message.get(22))


@lru_cache(maxsize=_CACHE_SIZE)
def _is_entry(how: str, version: str, value: str) -> bool:
    return is_particular(how, version, value[part_of_pos(version, "entry")])


# The conditions of presence rows, by the name the tables give them.
PREDICATES: dict[str, Predicate] = {
    "no_account": lambda message: not any(number in message for number in _ACCOUNTS),
    "value": lambda message: message.get(3)[:2] in _MOVES_MONEY,
    "card_read": lambda message: _entered(message, "card-read"),
    "keyed": lambda message: _entered(message, "keyed"),
    "chip": lambda message: _entered(message, "chip"),
    "pin": lambda message: 52 in message,
    "cashback": lambda message: message.get(3)[:2] == "09",
    "approved": _approved,
    "format_error": lambda message: message.get(39) == "30",
    "sign_on": lambda message: message.get(70) in ("001", "061"),
    "key_change": lambda message: message.get(70) == "101" or message.get(70)[:2] == "16",
}
