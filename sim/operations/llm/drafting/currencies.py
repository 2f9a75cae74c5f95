"""The currencies that a text names: by their codes, signs and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sim.spec import currencies

_ALPHAS = frozenset(item.alpha for item in currencies() if item.exponent is not None)
# Units of account, which share their names with money.
_FUNDS = frozenset(("BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"))
# Codes that in small letters are English words.
_ENGLISH = frozenset(
    ("ALL", "ANG", "BAM", "BOB", "COP", "CUP", "GEL", "LAK", "MAD", "MOP", "PEN", "RON", "SOS", "TOP", "TRY")
)
_LOWER = frozenset(alpha.lower() for alpha in _ALPHAS - _ENGLISH)
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
_NAMED = re.compile(
    rf"\b(?P<kind>(?:(?!(?-i:[A-Z]{{3}})\b)[a-z]+[ -]){{0,2}}?)(?P<noun>{'|'.join(_NOUNS)})\b"
    rf"|(?<![A-Za-z])(?P<code>[A-Z]{{3}})(?![A-Za-z])|(?P<sign>{_SIGN})",
    re.IGNORECASE,
)


def currencies_in(text: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Where *text* names a currency: start, end, and the ISO 4217 codes that it may mean.

    >>> [(start, end, sorted(codes)) for start, end, codes in currencies_in("5 EUR or 20 yen")]
    [(2, 5, ['EUR']), (12, 15, ['JPY'])]
    """
    at = 0
    while match := _NAMED.search(text, at):
        at, codes = match.end(), frozenset[str]()
        if match["noun"]:
            codes = _named(match["noun"], match["kind"])
        elif match["sign"]:
            codes = _signed(next(sign for sign in _SIGNS if sign.casefold() == match["sign"].casefold()))
        elif match["code"] in _ALPHAS | _LOWER:
            codes = frozenset((match["code"].upper(),))
        else:
            at = match.start() + 1
        if codes:
            yield match.start("noun") if match["noun"] else match.start(), match.end(), codes


def _named(noun: str, kind: str) -> frozenset[str]:
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
