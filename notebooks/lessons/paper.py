"""Messages on paper: what is printed to be read by hand, made from a seed, with the card data starred out."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from random import Random

import sim
from lessons.traffic import NOON
from sim.elements import emv, tlv
from sim.spec import currency

_WIDTH = 50
_CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CHF")


def dice(seed: str) -> Random:
    """The same numbers for the same words, on every machine."""
    return Random(int.from_bytes(sha256(seed.strip().lower().encode()).digest()[:8]))  # noqa: S311


@lru_cache(maxsize=256)
def chip_request(seed: str) -> sim.Message:
    """An authorization request with chip data, made up from *seed*."""
    chance = dice(f"chip/{seed}")
    return sim.generate(
        "auth",
        network=chance.choice(("VISA", "MASTERCARD", "JCB")),
        version="1987",
        entry=chance.choice(("chip", "contactless")),
        amount_minor_units=chance.randint(2, 3999) * 5,
        currency=chance.choice(_CURRENCIES),
        stan=f"{chance.randint(1, 999_999):06}",
        at=NOON + timedelta(minutes=chance.randint(1, 60 * 24 * 5), seconds=chance.randint(0, 59)),
    ).iso.to_message()


def ruled(message: sim.Message | str) -> str:
    """A message in lines of fifty characters, card data starred out, with the place of each line's first."""
    text = message if isinstance(message, str) else sim.mask(message)
    lines = [f"{start:4} {text[start : start + _WIDTH]}" for start in range(0, len(text), _WIDTH)]
    return "\n".join([f"     {''.join(f'{ten:<10}' for ten in range(0, _WIDTH, 10)).rstrip()}", *lines])


def ways_of_amount(message: sim.Message) -> tuple[str, ...]:
    """The amount of DE 4, as a person may write it."""
    known = currency(message[49])
    exponent = (known.exponent if known else None) or 0
    units = int(message[4])
    major = f"{units / 10**exponent:.{exponent}f}"
    alpha = known.alpha if known else ""
    return (major, f"{major} {alpha}", f"{alpha} {major}", f"{float(major):g}")


def tags(message: sim.Message) -> dict[str, str]:
    """The tags of DE 55 with their values."""
    return {one.tag: one.value for one in tlv.read(message[55])}


def wish(message: sim.Message) -> str:
    """What the chip wants: ARQC, TC or AAC."""
    return emv.cryptogram(tags(message)["9F27"])[:4].rstrip(",")
