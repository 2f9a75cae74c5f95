"""Elements with a layout inside, as what they stand for: additional amounts, original data, name, location.

Where the parts are is said by the layout rows (`layout.py`); here they get the names that stories and rules
use.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.elements import dates
from sim.elements.layout import fitting, layouts, read
from sim.elements.money import say_amount
from sim.spec import country, lookup, number_of, region

_AMOUNTS, _LOCATION = 54, 43


@dataclass(frozen=True, slots=True)
class Original:
    """The message a reversal or advice refers to. `when` is DE 7 (MMDDhhmmss, UTC) of the original
    in 1987, its DE 12 (local) after that, `at` where it starts; ids lose their leading zeros."""

    mti: str
    stan: str
    when: str
    pattern: str
    at: int
    acquirer: str


@dataclass(frozen=True, slots=True)
class AdditionalAmount:
    """One group of DE 54 as it stands; `at` is where it starts in the value, `exponent` the minor unit
    digit of 2003, empty before."""

    at: int
    account: str
    kind: str
    currency: str
    exponent: str
    sign: str
    amount: str


def read_original(value: str, version: str) -> Original | None:
    """DE 90 (1987) or DE 56 (1993, 2003) taken apart; None when it is too short or not digits."""
    found = fitting(version, number_of("original", version), value)
    if found is None:
        return None
    mti, stan, when, *ids = found.parts
    acquirer = ids[0].value.lstrip("0") if ids else ""
    return Original(mti.value, stan.value, when.value, when.cell.argument, when.start, acquirer)


def say_original(value: str, version: str) -> str:
    """Original data elements in words.

    >>> say_original("0100123456112010153000000000001" + "0" * 11, "1987")
    'MTI 0100, STAN 123456, 20 November, 10:15:30, acquirer 1'
    """
    original = read_original(value, version)
    if original is None:
        return ""
    text = f"MTI {original.mti}, STAN {original.stan}, {dates.say(original.pattern, original.when)}"
    return text + (f", acquirer {original.acquirer}" if original.acquirer else "")


def read_additional_amounts(value: str, version: str) -> tuple[AdditionalAmount, ...]:
    """The groups of DE 54; none when the value is not made of whole groups.

    >>> read_additional_amounts("0002840C000000001000", "1987")[0].kind
    '02'
    """
    found = read(layouts(version, _AMOUNTS)[0], value)
    groups = []
    for group in found.parts:
        account, kind, code, *exponent, amount = (part.value for part in group.children)
        minor = "".join(exponent)
        groups.append(AdditionalAmount(group.start, account, kind, code, minor, amount[:1], amount[1:]))
    return tuple(groups)


def say_additional_amounts(value: str, version: str, network: str | None = None) -> str:
    """DE 54 in words, a group each: `available balance 100.00 USD credit (savings account)`."""
    texts = []
    for group in read_additional_amounts(value, version):
        kind = lookup("amount_type", group.kind, version=version, network=network)
        account = lookup("account_type", group.account, version=version)
        text = f"{kind.meaning if kind else 'amount type ' + group.kind} "
        text += say_amount(group.amount, group.currency)
        if kind is None or kind.kind != "transaction":  # of a balance the sign says on which side it is
            text += " " + {"C": "credit", "D": "debit"}.get(group.sign, group.sign)
        texts.append(text + (f" ({account.meaning} account)" if account and group.account != "00" else ""))
    return "; ".join(texts)


def read_location(value: str, version: str) -> tuple[str, str, str]:
    """Name, city and country of DE 43, by the layout that fits; the whole text, and empty texts, where
    none does. A merchant of the United States or Canada may have its state in the country's place."""
    texts = _texts(value, version)
    if not texts:
        return " ".join(value.split()), "", ""
    where = texts.get("country") or texts.get("state or province") or texts.get("place", "")
    return texts["name"], texts["city"], where


def say_location(value: str, version: str) -> str:
    """DE 43 in words: `CORNER SHOP, LONDON, United Kingdom`; the whole text where no layout fits.

    >>> say_location(f"{'CORNER SHOP':<22} {'NEW YORK':<13} NY ", "1987")
    'CORNER SHOP, NEW YORK, New York'
    """
    texts = _texts(value, version)
    if not texts:
        return " ".join(value.split())
    known = country(texts.get("country", ""))
    parts = (texts["name"], texts["city"], region(texts.get("state or province", "")))
    last = known.name if known else texts.get("place", "")
    return ", ".join(part for part in (*parts, last) if part)


def _texts(value: str, version: str) -> dict[str, str]:
    found = fitting(version, _LOCATION, value)
    if found is None:
        return {}
    texts = {part.name: " ".join(part.value.split()) for part, _ in found.walk()}
    return {"name": texts.get("name and street", "")} | texts
