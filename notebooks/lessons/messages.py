"""What a message must be like: the wishes that several lessons ask for."""

from __future__ import annotations

from collections.abc import Callable

import sim
from lessons.judging import Wish
from sim.elements import card
from sim.elements import mti as mtis
from sim.spec import currency, lookup

_WHAT = {"0100": "an authorization request", "0200": "a financial request"}


def that(met: Callable[[sim.Message], bool], hint: str) -> Wish:
    """The wish that *met* holds; an element that is not there does not meet it."""

    def wish(message: sim.Message) -> str:
        try:
            return "" if met(message) else hint
        except (KeyError, IndexError, ValueError):
            return hint

    return wish


def is_kind(mti: str, hint: str = "") -> Wish:
    """The wish for one message type, in whatever version; tells the answer apart from the rest."""

    def wish(message: sim.Message) -> str:
        found = mti[0] + message.mti[1:]
        if found == mti:
            return ""
        if found == mtis.response_mti(mti):
            return f"{found} is the response, not the request."
        if found == mtis.response_mti(found) or mtis.response_mti(found) == mti:
            return f"{found} is the request; the exercise asks for its response."
        return hint or f"the message type should be that of {_WHAT.get(mti, 'another message')}."

    return wish


def price(message: sim.Message) -> tuple[str, int]:
    """The currency of a message, as three digits, and its amount in the smallest unit."""
    digits = message.get(4) or "0"
    if message.version == "2003":  # currency and exponent stand in front of the amount
        return digits[:3], int(digits[4:] or 0)
    return message.get(49) or "", int(digits)


def costs(minor_units: int, alpha: str) -> Wish:
    """The wish for an amount of *minor_units* in the currency *alpha*."""

    def wish(message: sim.Message) -> str:
        known = currency(alpha)
        exponent = known.exponent or 0 if known else 0
        numeric, found = price(message)
        if known is None or numeric != known.numeric:
            return f"the currency (DE 49) should be {alpha}; see `currency=`."
        if found == minor_units:
            return ""
        if exponent and found * 10**exponent == minor_units:
            return "DE 4 counts the smallest unit: cents, not whole units."
        if exponent and found == minor_units * 10**exponent:
            return "that is a hundred times too much: DE 4 already counts cents."
        return "the amount (DE 4) is not the one that the exercise asks for."

    return wish


def is_card(name: str) -> Wish:
    """The wish for a card of the network *name*."""

    def wish(message: sim.Message) -> str:
        found = card.detect_network(message)
        if found is not None and found.network == name:
            return ""
        called = f"a {found.network} card" if found else "not a card of a known network"
        return f"this is {called}; see `network=`."

    return wish


def answers(meaning: str, hint: str) -> Wish:
    """The wish for a response code (DE 39) that means *meaning* in the standard's list."""

    def wish(message: sim.Message) -> str:
        found = lookup("response_code", message.get(39), version=message.version)
        if found is None:
            return "DE 39 has no response code of the standard."
        return "" if found.meaning == meaning else f"DE 39 says {found.code}, {found.meaning}. {hint}"

    return wish


def belongs_to(request: Callable[[], sim.Message], hint: str) -> Wish:
    """The wish for an answer to *request*: the elements by which the two find each other agree."""
    keys = (2, 3, 4, 7, 11, 32, 37, 41, 49)

    def wish(message: sim.Message) -> str:
        asked = request()
        return "" if all(message.get(key) == asked.get(key) for key in keys) else hint

    return wish
