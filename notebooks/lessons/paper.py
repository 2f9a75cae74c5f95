"""Messages on paper: what is printed to be read by hand, made from a seed, with the card data starred out."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import NamedTuple

import sim
from lessons.answers import Amount, CurrencyName, Moment, OneOf
from lessons.traffic import NOON
from sim.elements import emv
from sim.operations.drill.facts import Choice, Digits, Fact, Hex, Text
from sim.parts import chip_data
from sim.spec import currency

_WIDTH = 50
_PURPOSES = {"00": "purchase", "20": "refund"}  # by the first two digits of DE 3
_AAC = "00"  # the chip asks nobody about money that comes back
_ENTRIES = {"05": "chip", "07": "contactless"}  # by the first two digits of DE 22


class Shop(NamedTuple):
    """A made-up shop: what it is called, where it is, and its currency."""

    name: str
    city: str
    country: str
    currency: str


_SHOPS = (
    Shop("CORNER SHOP", "NEW YORK", "US", "USD"),
    Shop("BLUE DOOR BOOKS", "DUBLIN", "IE", "EUR"),
    Shop("KIOSK AM TOR", "BERLIN", "DE", "EUR"),
    Shop("TOWER TEA ROOM", "LONDON", "GB", "GBP"),
    Shop("HIGASHI BAKERY", "TOKYO", "JP", "JPY"),
    Shop("LAKESIDE SPORTS", "ZURICH", "CH", "CHF"),
)


def dice(seed: str) -> Random:
    """The same numbers for the same words, on every machine."""
    return Random(int.from_bytes(sha256(seed.strip().lower().encode()).digest()[:8]))  # noqa: S311


@lru_cache(maxsize=256)
def chip_request(seed: str, kind: str = "auth") -> sim.Message:
    """A request of *kind*, `auth` or `financial`, with chip data, made up from *seed*: a purchase or, one
    time in three, a refund, in one of a few shops."""
    chance = dice(f"chip/{seed}")
    shop, network = chance.choice(_SHOPS), chance.choice(("VISA", "MASTERCARD", "JCB"))
    purpose = chance.choice(("purchase", "purchase", "refund"))
    digits = 6 if network == "MASTERCARD" else chance.randint(6, 11)  # its institution ids have six
    made = sim.generate(
        kind,
        network=network,
        version="1987",
        purpose=purpose,
        entry=chance.choice(("chip", "contactless")),
        amount_minor_units=chance.randint(2, 3999) * 5,
        currency=shop.currency,
        merchant=shop.name,
        city=shop.city,
        country=shop.country,
        terminal=f"{shop.name[:3]}{chance.randint(1, 99_999):05}",
        acquirer=f"{chance.randint(10 ** (digits - 1), 10**digits - 1)}",
        stan=f"{chance.randint(1, 999_999):06}",
        at=NOON + timedelta(minutes=chance.randint(1, 60 * 24 * 5), seconds=chance.randint(0, 59)),
    ).iso.to_message()
    return with_tag(made, "9F27", _AAC) if purpose == "refund" else made


def with_tag(message: sim.Message, tag: str, value: str) -> sim.Message:
    """*message* with another value of a tag in DE 55."""
    return message.replace(de55=chip_data.write_tags({**tags(message), tag: value}))


def ruled(message: sim.Message | str) -> str:
    """A message in lines of fifty characters, card data starred out, with the place of each line's first."""
    text = message if isinstance(message, str) else sim.mask(message)
    lines = [f"{start:4} {text[start : start + _WIDTH]}" for start in range(0, len(text), _WIDTH)]
    return "\n".join([f"     {''.join(f'{ten:<10}' for ten in range(0, _WIDTH, 10)).rstrip()}", *lines])


def amount(message: sim.Message, *, both: bool = False, units: bool = False) -> Amount:
    """The amount of DE 4; *both* asks for its currency, too, and *units* takes the digits of a tag as well."""
    known = currency(message[49])
    return Amount(int(message[4]), known.alpha if known else "", both=both, units=units)


def signed_amount(signed: sim.Message, sent: sim.Message) -> Fact:
    """The amount that the chip *signed*, as an amount or as tag 9F02 of what was *sent* has it."""
    return OneOf((amount(signed, units=True), Hex(tags(sent)["9F02"])))


def tags(message: sim.Message) -> dict[str, str]:
    """The tags of DE 55 with their values."""
    return {one.tag: one.value for one in chip_data.read_tags(message[55])}


def wish(message: sim.Message) -> str:
    """What the chip wants: ARQC, TC or AAC."""
    return emv.cryptogram(tags(message)["9F27"])[:4].rstrip(",")


def wanted(message: sim.Message) -> Fact:
    """What the chip wants, by its letters or as tag 9F27 has it."""
    return OneOf((Choice(wish(message), "cryptogram"), Hex(tags(message)["9F27"])))


def purpose(message: sim.Message) -> Choice:
    """What a request is for."""
    return Choice(_PURPOSES[message[3][:2]], "purpose")


def entry(message: sim.Message) -> Choice:
    """How the card was read."""
    return Choice(_ENTRIES[message[22][:2]], "entry")


def money(message: sim.Message) -> CurrencyName:
    """The currency of DE 49."""
    known = currency(message[49])
    return CurrencyName(known.alpha if known else "")


def story(message: sim.Message) -> dict[str, Fact]:
    """What a request says, fact by fact."""
    return {
        "what": purpose(message),
        "amount": amount(message),
        "currency": money(message),
        "sent": Moment(message[7][4:], message[7][:4]),
        "stan": Digits(message[11], padded=True),
        "terminal": Text(message[41]),
        "how": entry(message),
    }
