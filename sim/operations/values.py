"""What the placeholders of recipes stand for: sample values as they are, others worked out of the message.

Numbers that only a network, a card or a directory could give (a cryptogram, a transaction id) are digests of
the message's own data: stable, of the right form, and right for no key.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from string import Formatter
from typing import Any

from sim.errors import OptionError
from sim.operations.filling import Values
from sim.operations.options import Setting
from sim.operations.recipes import Context, additional_amount, amount_of, exponent_of, original_of
from sim.spec.spellings import currency_named

_PRICE = "58"  # amount type in DE 54: at the point of interaction
_REFERENCE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def known_values(setting: Setting) -> dict[str, Any]:
    """Placeholders whose values are the same in every message of *setting*."""
    code = setting.currency
    more = {"currency": code, "exponent": str(exponent_of(code))}
    return {name: str(value) for name, value in {**setting.sample, **more}.items()}


def varies(parts: Mapping[str, str], known: Mapping[str, object]) -> bool:
    """Whether what is put into *parts* depends on the message."""
    return any(name not in known for text in parts.values() for name in placeholders(text))


def placeholders(text: str) -> list[str]:
    """The names of the placeholders in a recipe's text."""
    return [name.partition("[")[0] for _, name, _, _ in Formatter().parse(text) if name]


def values_of(context: Context) -> Values:
    """The placeholders of a message in the making."""
    known = known_values(context.setting) | {
        "card": context.card,
        "stan": context.stan,
        "amount": f"{context.amount_minor_units:012}",
        "expiry": context.expiry,
    }
    return Values(known, lambda name: _DERIVED[name](context))


def digest(seed: str, name: str, digits: int) -> str:
    """So many hex digits that stand for something secret or random, the same for the same *seed*."""
    text = ""
    while len(text) < digits:
        text += sha256(f"{seed}{name}{len(text)}".encode()).hexdigest().upper()
    return text[:digits]


def _number(seed: str, name: str) -> int:
    """What the first forty digits of `digest` are as a number."""
    return int.from_bytes(sha256(f"{seed}{name}0".encode()).digest()[:20], "big")


def digits(seed: str, name: str, width: int) -> str:
    """The same in decimal digits."""
    return str(_number(seed, name) % 10**width).zfill(width)


def reference(seed: str, name: str, width: int) -> str:
    """The same in capital letters and digits."""
    base = len(_REFERENCE)
    number, text = _number(seed, name) % base**width, ""
    for _ in range(width):
        number, rest = divmod(number, base)
        text += _REFERENCE[rest]
    return text


def directory_id(seed: str) -> str:
    """The form of a transaction id of a 3-D Secure directory server: a UUID."""
    text = digest(seed, "directory", 32).lower()
    return "-".join((text[:8], text[8:12], f"4{text[13:16]}", f"8{text[17:20]}", text[20:]))


def _seed(context: Context) -> str:
    return f"{context.card}{context.stan}{context.amount_minor_units}{context.clock.at.isoformat()}"


def _hex(name: str, size: int) -> Callable[[Context], str]:
    return lambda context: digest(_seed(context), name, size)


def _cryptogram_text(context: Context) -> str:
    return b64encode(bytes.fromhex(digest(_seed(context), "cryptogram", 40))).decode("ascii")


def _final(context: Context) -> int:
    """What stays of the amount after a partial reversal."""
    final = int(context.setting.details.get("final_amount_minor_units") or 0)
    if final > context.amount_minor_units:
        name = "final_amount_minor_units"
        raise OptionError(name, "at most amount_minor_units", f"{final}", 95)
    return final


def _original_amounts(context: Context) -> str:
    """DE 30 of 1993 and 2003: the original amount; none for reconciliation."""
    setting = context.setting
    amount = amount_of(setting.version, setting.currency, context.amount_minor_units)
    return amount + "0" * len(amount)


def _price(context: Context) -> str:
    """The merchant's own price in DE 54 where the amount is in the cardholder's currency; four fifths of the
    number where it is not given (our choice)."""
    setting = context.setting
    asked = str(setting.sample["merchant_currency"])
    found = currency_named(asked, "merchant_currency", 54)
    price = setting.details.get("merchant_amount_minor_units")
    units = int(price) if price else context.amount_minor_units * 4 // 5
    return additional_amount(setting.version, _PRICE, found.numeric, "D", units)


def _trace(context: Context) -> str:
    """What identifies the first approval in later messages: network, reference and settlement date."""
    return f"MCC{reference(context.card, 'first', 9)}{context.clock.at:%m%d}"[:15]


_DERIVED: dict[str, Callable[[Context], str]] = {
    "cryptogram": _hex("cryptogram", 40),
    "cryptogram_text": _cryptogram_text,
    "xid": _hex("xid", 40),
    "directory_id": lambda context: directory_id(_seed(context)),
    "pin_block": _hex("pin", 16),
    "new_pin_block": _hex("new pin", 16),
    "key": _hex("key", 32),
    "key_half": _hex("key", 16),
    # What the first transaction of a card on file was called is the same for every later one.
    "first_transaction_id": lambda context: digits(context.card, "first", 15),
    "first_trace": _trace,
    "unique_reference": lambda context: reference(_seed(context), "unique", 19),
    "original": original_of,
    "original_amounts": _original_amounts,
    "final_amount": lambda context: f"{_final(context):012}",
    "final_amount_composite": lambda context: amount_of(
        context.setting.version, context.setting.currency, _final(context)
    ),
    "price": _price,
}
