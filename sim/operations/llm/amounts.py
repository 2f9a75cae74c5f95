"""Amounts of money as people write them: figures or words with a currency's code, sign or name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from sim.operations.llm.numbers import NUMBER, SMALL, TIMES, numbers, readings
from sim.spec import currencies

# A number, also with blanks between its thousands.
_FIGURE = rf"(?:[0-9]{{1,3}}(?:[ \u00a0\u202f][0-9]{{3}})+(?![0-9])(?:[.,][0-9]+)?|{NUMBER})"
_SCALE = r"(?:\s?(?:k|thousand|million)\b)?"
_WORD = rf"(?:{'|'.join((*SMALL, 'hundred', 'thousand', 'million'))})"
_WORDS = rf"(?:\b(?:an?\s+(?=hundred|thousand|million))?{_WORD}(?:[ -](?:and )?{_WORD}){{0,12}}\b)"
_ALPHAS = frozenset(item.alpha for item in currencies() if item.exponent is not None)
# Units of account, which share their names with money.
_FUNDS = frozenset(("BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"))
# Codes that in small letters are English words.
_ENGLISH = frozenset(
    ("ALL", "ANG", "BAM", "BOB", "COP", "CUP", "GEL", "LAK", "MAD", "MOP", "PEN", "RON", "SOS", "TOP", "TRY")
)
_LOWER = frozenset(alpha.lower() for alpha in _ALPHAS - _ENGLISH)
_CODE = rf"(?:(?-i:{'|'.join(sorted(_ALPHAS))})|(?-i:{'|'.join(sorted(_LOWER))}))"
_SIGNS = {
    "US$": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "NT$": "TWD", "MX$": "MXN", "S$": "SGD", "R$": "BRL", "€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW",
    "₽": "RUB", "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND", "₴": "UAH", "₦": "NGN", "₱": "PHP",
    "zł": "PLN", "¥": "JPY CNY", "円": "JPY", "元": "CNY TWD HKD", "日元": "JPY", "$": "dollar peso",
}  # fmt: skip
_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
# What a currency is called in prose -> words of its name in ISO 4217, any of which fits.
_NOUNS = {
    "euros?": "euro", "dollars?": "dollar", "bucks?": "dollar", "pounds?": "pound", "quid": "sterling",
    "sterling": "sterling", "yens?": "yen", "won": "won", "yuan": "yuan", "renminbi": "yuan", "rmb": "yuan",
    "rupees?": "rupee", "rupiahs?": "rupiah", "francs?": "franc", "pesos?": "peso",
    "kr|kron(?:a|e|or|er|ur)s?": "krona krone", "dinars?": "dinar", "dirhams?": "dirham",
    "riyals?": "riyal rial", "rials?": "rial riyal", "reais|reals?": "real", "zlot(?:y|ys|ies)": "zloty",
    "forints?": "forint", "baht": "baht", "rou?bles?": "ruble", "liras?": "lira", "shekels?": "sheqel",
    "rands?": "rand", "ringgits?": "ringgit", "dong": "dong", "korunas?": "koruna", "leva?": "lev",
    "leu|lei": "leu", "hryvnias?": "hryvnia", "nairas?": "naira", "shillings?": "shilling", "takas?": "taka",
    "sol(?:es)?": "sol", "tenge": "tenge",
}  # fmt: skip
_NOUN = "|".join(_NOUNS)
_PENCE = r"(?:cents?|pence)"
_MONEY = re.compile(
    rf"(?<![\w.,])(?P<before>{_CODE}|{_SIGN})\s?(?P<first>{_FIGURE}{_SCALE})(?!\w)"
    rf"|(?<![\w.,:/])(?<![0-9]-)(?P<number>{_FIGURE}{_SCALE}|{_WORDS})(?:[ -]?(?P<pence>{_PENCE})\b)?"
    rf"(?:\s?(?P<sign>{_SIGN})(?!\w)|[ -]?(?P<code>{_CODE})\b"
    rf"|[ -]?(?P<kind>(?:[a-z]+[ -]){{0,2}}?)(?P<noun>{_NOUN})\b(?:[ -](?:and )?(?P<rest>{_WORDS})\b)?"
    rf"|(?P<bare>(?<=cent)|(?<=cents)|(?<=pence)))(?=\s?(?P<after>{_FIGURE})(?![\w/:-]))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount as a text has it: the readings of its number in major units, the ISO 4217 codes it may
    mean (all, where none is named), and where it stands."""

    values: frozenset[Decimal]
    codes: frozenset[str]
    start: int
    end: int


def money_in(text: str) -> list[Money]:
    """Every amount with a currency in *text*.

    >>> [(sorted(one.values), sorted(one.codes)) for one in money_in("12,50 EUR or twenty yen")]
    [([Decimal('12.50')], ['EUR']), ([Decimal('20')], ['JPY'])]
    """
    return list(_found(text))


def _found(text: str) -> Iterator[Money]:
    for match in _MONEY.finditer(text):
        values = figures(match["first"] or match["number"])
        if match["pence"]:
            values = {value / 100 for value in values}
        if match["after"] and (match["sign"] or match["code"]):  # of two numbers the code may be either's
            values |= figures(match["after"])
        if match["rest"]:
            values = {value + part / 100 for value in values for part in numbers(match["rest"])}
        if match["bare"] is not None:
            codes = frozenset({"GBP"}) if match["pence"].casefold() == "pence" else _ALPHAS
        elif match["noun"]:
            codes = named(match["noun"], match["kind"])
        else:
            code = match["before"] or match["sign"] or match["code"]
            codes = _signed(code) if code.upper() not in _ALPHAS else frozenset({code.upper()})
        if values:
            yield Money(frozenset(values), codes, match.start(), match.end())


def figures(token: str) -> set[Decimal]:
    """The readings of *token*: as one number, and of its last group, as blanks may also part two."""
    if token[0].isalpha():
        return numbers(token)
    number, scale = re.fullmatch(rf"({_FIGURE})\s?(k|thousand|million)?", token, re.IGNORECASE).groups()  # type: ignore[union-attr]
    *_, last = groups = number.split()
    values = readings("".join(groups)) | readings(last)
    return {value * TIMES[scale.lower()] for value in values} if scale else values


def currencies_in(text: str) -> set[str]:
    """The codes of every currency that *text* may name, with an amount or without."""
    codes = {word for word in re.findall(r"\b[A-Z]{3}\b", text) if word in _ALPHAS}
    for one in money_in(text):
        if one.codes != _ALPHAS:
            codes |= one.codes
    for match in re.finditer(rf"\b((?:[a-z]+[ -]){{0,2}}?)({_NOUN})\b", text, re.IGNORECASE):
        codes |= named(match[2], match[1])
    return codes


def named(noun: str, kind: str = "") -> frozenset[str]:
    """The codes of the currencies that *noun* (`dollars`) means, of those that *kind* (`Canadian`) names
    where it names any."""
    wanted = next(words for pattern, words in _NOUNS.items() if re.fullmatch(pattern, noun, re.IGNORECASE))
    family = {alpha: name for alpha, name in _names().items() if name & set(wanted.split())}
    told = set(re.findall(r"[a-z]+", kind.casefold()))
    chosen = frozenset(alpha for alpha, name in family.items() if name & told)
    return chosen or frozenset(family)


@cache
def _names() -> dict[str, frozenset[str]]:
    """The words of the name of every currency, by its code."""
    return {
        item.alpha: frozenset(re.findall(r"[a-z]+", item.name.casefold()))
        for item in currencies()
        if item.alpha in _ALPHAS - _FUNDS
    }


@cache
def _signed(sign: str) -> frozenset[str]:
    codes = _SIGNS[sign].split()
    if codes[0].islower():
        return frozenset(alpha for alpha, name in _names().items() if name & set(codes))
    return frozenset(codes)
