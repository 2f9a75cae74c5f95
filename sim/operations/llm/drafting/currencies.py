"""The currencies that a text names by their codes, and those that a name such as `dollars` may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sim.spec import currencies
from sim.spec.codes import FUNDS

_ALPHAS = frozenset(item.alpha for item in currencies() if item.exponent is not None)
# Codes that in small letters are English words.
_ENGLISH = frozenset(
    ("ALL", "ANG", "BAM", "BOB", "COP", "CUP", "GEL", "LAK", "MAD", "MOP", "PEN", "RON", "SOS", "TOP", "TRY")
)
_CODES = _ALPHAS | {alpha.lower() for alpha in _ALPHAS - _ENGLISH}
_CODE = re.compile(r"(?<![A-Za-z])(?:[A-Z]{3}|[a-z]{3})(?![A-Za-z])")


def codes_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and ISO 4217 code of every currency that *text* names by its code.

    >>> list(codes_in("5 EUR or 20 usd, all told"))
    [(2, 5, 'EUR'), (12, 15, 'USD')]
    """
    for match in _CODE.finditer(text):
        if match[0] in _CODES:
            yield *match.span(), match[0].upper()


def family(values: frozenset[str], before: str) -> frozenset[str]:
    """The codes that a name of currencies means: *values* are codes, or words of a currency's name behind
    an asterisk, of which those count that *before*, the words in front, name.

    >>> sorted(family(frozenset(["*dollar"]), "20 Canadian "))
    ['CAD']
    """
    words = {value[1:] for one in values for value in one.split() if value[0] == "*"}
    plain = frozenset(value for one in values for value in one.split() if value[0] != "*")
    meant = {alpha: name for alpha, name in _names().items() if name & words}
    told = set(re.findall("[a-z]+", before.casefold())[-2:])
    return plain | (frozenset(alpha for alpha, name in meant.items() if name & told) or frozenset(meant))


@cache
def _names() -> dict[str, frozenset[str]]:
    """The words of the name of every currency, by its code."""
    return {
        item.alpha: frozenset(re.findall(r"[a-z]+", item.name.casefold()))
        for item in currencies()
        if item.alpha in _ALPHAS - FUNDS
    }
