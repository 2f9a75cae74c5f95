"""Elements with a layout inside: fees, additional amounts, original data, name and location."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sim.elements import dates
from sim.elements.money import say_amount
from sim.spec import country, lookup

# DE 54 group: account type n 2, amount type n 2, currency n 3, [minor unit n 1 in 2003], sign, n 12.
ADDITIONAL_WIDTH = {"1987": 20, "1993": 20, "2003": 21}
# DE 46 and 66 group: type n 2, currency n 3, x+n 8, rate n 8, x+n 8, currency n 3; 2003 has the
# currencies inside its amounts of 13.
FEE_WIDTH = {"1993": 34, "2003": 36}
# DE 90 and 56: STAN and date of the original after its MTI.
_ORIGINAL = {
    "1987": (6, "MMDDhhmmss"),
    "1993": (6, "YYMMDDhhmmss"),
    "2003": (12, "CCYYMMDDhhmmss"),
}
_AMOUNT = 12


@dataclass(frozen=True, slots=True)
class Original:
    """The message a reversal or advice refers to. `when` is DE 7 (MMDDhhmmss, UTC) of the original
    in 1987, its DE 12 (local) after that; ids lose their leading zeros."""

    mti: str
    stan: str
    when: str
    pattern: str
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
    stan, pattern = _ORIGINAL[version]
    fixed = 4 + stan + len(pattern)
    if len(value) < fixed or not (value.isascii() and value.isdigit()):
        return None
    rest = value[fixed:]
    if version == "1987":
        acquirer = rest[:11]
    elif version == "1993" and rest[:2] == f"{len(rest) - 2:02}":
        acquirer = rest[2:]
    else:
        acquirer = rest
    return Original(value[:4], value[4 : 4 + stan], value[4 + stan : fixed], pattern, acquirer.lstrip("0"))


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


def say_signed(value: str, code: str) -> str:
    """An `x+n` amount: `D00000150` with currency 840 is 1.50 USD debit."""
    side = {"C": "credit", "D": "debit"}.get(value[:1], "")
    return f"{say_amount(value[1:], code)} {side}".strip()


def read_additional_amounts(value: str, version: str) -> tuple[AdditionalAmount, ...]:
    """The groups of DE 54; none when the value is not made of whole groups.

    >>> read_additional_amounts("0002840C000000001000", "1987")[0].kind
    '02'
    """
    width = ADDITIONAL_WIDTH[version]
    if not value or len(value) % width:
        return ()
    starts = range(0, len(value), width)
    groups = ((at, value[at : at + width]) for at in starts)
    return tuple(
        AdditionalAmount(
            at,
            group[:2],
            group[2:4],
            group[4:7],
            group[7 : -_AMOUNT - 1],
            group[-_AMOUNT - 1],
            group[-_AMOUNT:],
        )
        for at, group in groups
    )


def say_additional_amounts(value: str, version: str) -> str:
    """DE 54 in words, a group each: `available balance 100.00 USD credit (savings account)`."""
    texts = []
    for group in read_additional_amounts(value, version):
        kind = lookup("amount_type", group.kind, version=version)
        account = lookup("account_type", group.account, version=version)
        side = {"C": "credit", "D": "debit"}.get(group.sign, group.sign)
        text = f"{kind.meaning if kind else 'amount type ' + group.kind} "
        text += f"{say_amount(group.amount, group.currency)} {side}"
        texts.append(text + (f" ({account.meaning} account)" if account and group.account != "00" else ""))
    return "; ".join(texts)


def original_date_place(version: str) -> tuple[int, str]:
    """Where the date of the original starts in DE 90 or 56, and its pattern.

    >>> original_date_place("1987")
    (10, 'MMDDhhmmss')
    """
    stan, pattern = _ORIGINAL[version]
    return 4 + stan, pattern


@lru_cache(maxsize=1024)
def read_location(value: str, version: str) -> tuple[str, str, str]:
    """Name, city and country of DE 43 as far as a layout fits; empty texts where none does.

    1987 is positional: 25 name, 13 city, 2 country, or the 22/13/3 form with blanks between.
    1993 separates name, street and city by backslashes and ends with postal code, region, country.
    """
    if version == "1987" and len(value) == 40:
        if value[22:23] == " " and value[36:37] == " " and country(value[37:40].strip()):
            return value[:22].strip(), value[23:36].strip(), value[37:40].strip()
        return value[:25].strip(), value[25:38].strip(), value[38:40].strip()
    if version == "1993" and value.count("\\") >= 3:
        name, _, city, tail = value.split("\\", 3)
        return name.strip(), city.strip(), tail[-3:].strip()
    return " ".join(value.split()), "", ""


def say_location(value: str, version: str) -> str:
    """DE 43 in words: `CORNER SHOP, LONDON, United Kingdom`."""
    name, city, code = read_location(value, version)
    known = country(code) if code else None
    return ", ".join(part for part in (name, city, known.name if known else code) if part)
