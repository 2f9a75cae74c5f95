"""Amounts in minor units, with the decimals of their currency; the groups of DE 54."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sim.codec import Message
from sim.parts.layout import place, read
from sim.spec import currency, lookup
from sim.spec.layouts import layouts

# The element with the currency of each amount (1987, 1993); in 2003 it is part of the amount.
CURRENCY_OF = {4: 49, 5: 50, 6: 51, 8: 51}

_ADDITIONAL = 54
_SIDES = {"C": "credit", "D": "debit"}


def in_major_units(digits: str, exponent: int) -> str:
    """Minor units as major units with the currency's decimals.

    >>> in_major_units("000000012345", 2), in_major_units("5000", 0), in_major_units("12345", 3)
    ('123.45', '5,000', '12.345')
    """
    value = int(digits)
    if exponent <= 0:
        return f"{value:,}"
    units, part = divmod(value, 10**exponent)
    return f"{units:,}.{part:0{exponent}}"


def say_amount(digits: str, code: str) -> str:
    """An amount in minor units and a currency code as a person reads it.

    >>> say_amount("000000012345", "840")
    '123.45 USD'
    >>> say_amount("000000012345", "000")
    '12345 minor units of unknown currency 000'
    """
    if not (digits.isascii() and digits.isdigit()):
        return digits
    unit = currency(code)
    if unit is None:
        of = f"unknown currency {code}" if code else "an unstated currency"
        return f"{int(digits)} minor units of {of}"
    if unit.exponent is None:
        return f"{int(digits)} {unit.alpha}"
    return f"{in_major_units(digits, unit.exponent)} {unit.alpha}"


def say_signed(value: str, code: str) -> str:
    """An `x+n` amount in words: `D00000150` with currency 840 is 1.50 USD debit."""
    return f"{say_amount(value[1:], code)} {side(value)}".strip()


def side(value: str) -> str:
    """The side of an `x+n` amount, debit or credit; empty for another letter."""
    return _SIDES.get(value[:1], "")


def say_rate(value: str) -> str:
    """A conversion rate (DE 9, 10): the first digit is the number of decimals in the other seven.

    >>> say_rate("61092500"), say_rate("A1092500")
    ('1.092500', '')
    """
    if not value.isdecimal():
        return ""
    decimals, digits = int(value[0]), value[1:]
    point = len(digits) - decimals
    if not 0 < decimals <= len(digits):
        return digits.lstrip("0") or "0"
    return f"{digits[:point].lstrip('0') or '0'}.{digits[point:]}"


def say_currency(code: str) -> str:
    """A currency code with its name, `US Dollar (USD)`, or a note that ISO 4217 has no such code.

    >>> say_currency("810")
    'Russian Ruble (RUR), withdrawn in 2004-01'
    """
    row = currency(code)
    if row is None:
        return "not an ISO 4217 code"
    return f"{row.name} ({row.alpha})" + (f", withdrawn in {row.withdrawn}" if row.withdrawn else "")


def amount(message: Message, number: int = 4) -> tuple[str, str] | None:
    """The digits and the currency code of amount element *number*; None if it is missing.

    1987 and 1993 have the currency in DE 49, 50 or 51, 2003 in the amount's first three digits.
    """
    value = message.get(number)
    if not value:
        return None
    if inside := composite(message.version, number):
        return value[inside[1]], value[inside[0]]
    return value, message.get(CURRENCY_OF.get(number, 49))


@cache
def composite(version: str, number: int) -> tuple[slice, slice] | None:
    """The positions of currency and digits in an amount that includes its currency; None if it does not.

    >>> composite("2003", 4), composite("1987", 4)
    ((slice(0, 3, None), slice(4, 16, None)), None)
    """
    try:
        return place(version, number, "currency"), place(version, number, "amount")
    except KeyError:
        return None


def say(message: Message, number: int = 4) -> str:
    """Amount element *number* with its currency; empty if it is missing."""
    money = amount(message, number)
    return say_amount(*money) if money else ""


def moves(message: Message) -> bool:
    """Whether the transaction amount is above zero, by its last 12 digits in every version."""
    return bool(message.get(4)[-12:].strip("0"))


@dataclass(frozen=True, slots=True)
class AdditionalAmount:
    """One group of DE 54, unchanged; `at` is its offset in the value, `exponent` the minor unit digit of
    2003, empty in other versions."""

    at: int
    account: str
    kind: str
    currency: str
    exponent: str
    sign: str
    amount: str


def read_additional_amounts(value: str, version: str) -> tuple[AdditionalAmount, ...]:
    """The groups of DE 54; empty if the value does not consist of whole groups.

    >>> read_additional_amounts("0002840C000000001000", "1987")[0].kind
    '02'
    """
    reading = read(layouts(version, _ADDITIONAL)[0], value)
    groups = []
    for group in reading.parts:
        account, kind, code, *exponent, amount = (part.value for part in group.children)
        minor = "".join(exponent)
        groups.append(AdditionalAmount(group.start, account, kind, code, minor, amount[:1], amount[1:]))
    return tuple(groups)


def say_additional_amounts(value: str, version: str, network: str | None = None) -> str:
    """DE 54 in words, group by group: `available balance 100.00 USD credit (savings account)`."""
    texts = []
    for group in read_additional_amounts(value, version):
        kind = lookup("amount_type", group.kind, version=version, network=network)
        account = lookup("account_type", group.account, version=version)
        text = f"{kind.meaning if kind else 'amount type ' + group.kind} "
        text += say_amount(group.amount, group.currency)
        if kind is None or kind.kind != "transaction":  # for a balance the sign gives its side
            text += f" {_SIDES.get(group.sign, group.sign)}"
        texts.append(text + (f" ({account.meaning} account)" if account and group.account != "00" else ""))
    return "; ".join(texts)
