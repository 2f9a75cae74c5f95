"""Card data in a description: test cards become tokens, anything else stops the call.

Only published test card numbers (`sim.spec.networks.test_cards`) may be used, and not even those leave:
a model sees `test card VISA #2`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sim.elements.pan import luhn_ok
from sim.operations.llm.errors import CardNumberRefused
from sim.spec.networks import TestCard, detect, test_cards

_LONGEST = 19
_SHORTEST = 12
_SHORTEST_LUHN = 13  # a retrieval reference number has 12 digits, one in ten of them a right check digit
_RUN = re.compile(r"[0-9]+")
_GAP = re.compile(r"[^0-9A-Za-z]{0,3}")
_PRINTED = re.compile(r"[0-9]{4}([ -])(?:[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|[0-9]{6}\1[0-9]{4,5})")
_TRACK = re.compile(r"[0-9]{12,19}\s?[=D^]\s?[0-9]{4,}|%?B[0-9]{12,19}\^")
_HEX = re.compile(r"\b(?=[0-9A-Fa-f]*[0-9])[0-9A-Fa-f]{20,}\b")
_SECRET = re.compile(
    r"\b(?:pin(?:\s?block)?|cvv2?|cvc2?|cav2?|csc|cid|card verification (?:code|value)|security code)\b"
    r"[\s\"'`]*(?:is|of|was|[:=#])?[\s\"'`]*[0-9A-F]{3,16}\b",
    re.IGNORECASE,
)
TOKEN = re.compile(r"test card ([A-Z]+ #[0-9]+)")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A description as it may be sent. `tokens` are those of the test cards in it, in order."""

    text: str
    tokens: tuple[str, ...]


@cache
def tokens() -> dict[str, TestCard]:
    """Every test card by the token that stands for it: `VISA #1`; `OTHER` for brands outside the six."""
    made: dict[str, TestCard] = {}
    counts: dict[str, int] = {}
    for card in test_cards():
        name = card.network or "OTHER"
        counts[name] = counts.get(name, 0) + 1
        made[f"{name} #{counts[name]}"] = card
    return made


@cache
def _token_of() -> dict[str, str]:
    return {card.pan: token for token, card in tokens().items()}


def clean(description: str) -> Cleaned:
    """*description* in plain digits and letters, its test cards as tokens. Raises CardNumberRefused
    before anything could be sent where it holds other card data.

    >>> clean("pay with 4111 1111 1111 1111").text
    'pay with test card VISA #1'
    """
    text = _plain(description)
    if _TRACK.search(text):
        raise CardNumberRefused("piece of track data")
    if _SECRET.search(text):
        raise CardNumberRefused("PIN or verification code")
    found: list[str] = []
    parts, at = [], 0
    for start, end, digits in _cards(text):
        token = _token_of().get(digits)
        if token is None:
            raise CardNumberRefused("card number that is no published test card")
        parts += [text[at:start], f"test card {token}"]
        found.append(token)
        at = end
    made = "".join(parts) + text[at:]
    if _HEX.search(made):
        raise CardNumberRefused("raw message or other long run of digits")
    return Cleaned(made, tuple(dict.fromkeys([*found, *TOKEN.findall(made)])))


def _plain(text: str) -> str:
    """Every script's digits as ASCII, look-alike letters in their plain form, invisible characters gone."""
    made = []
    for char in unicodedata.normalize("NFKC", text):
        digit = unicodedata.decimal(char, None)
        if digit is not None:
            made.append(str(digit))
        elif unicodedata.category(char) not in ("Cf", "Cc", "Co", "Cn") or char in "\n\t":
            made.append(char)
    return "".join(made)


def _cards(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and digits of every card number: one run of digits, or groups with up to three other
    characters between. A test card is looked for first, so that its neighbours do not hide it."""
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    at = 0
    while at < len(runs):
        windows = list(_windows(text, runs, at))
        hit = next((w for w in windows if w[2] in _token_of()), None)
        hit = hit or next((w for w in windows if _is_card(w[2], whole=_as_one(text[w[0] : w[1]]))), None)
        if hit is None:
            at += 1
            continue
        yield hit[:3]
        at = hit[3]


def _windows(text: str, runs: list[tuple[int, int]], first: int) -> Iterator[tuple[int, int, str, int]]:
    """The run *first*, then with its neighbours: start, end, digits, index of the run after."""
    digits = ""
    for index in range(first, len(runs)):
        start, end = runs[index]
        if index > first and not _GAP.fullmatch(text[runs[index - 1][1] : start]):
            return
        digits += text[start:end]
        if len(digits) > _LONGEST:
            return
        if len(digits) >= _SHORTEST:
            yield runs[first][0], end, digits, index + 1


def _as_one(text: str) -> bool:
    """Whether digits stand together, or in the groups that are printed on cards."""
    return text.isdigit() or bool(_PRINTED.fullmatch(text))


def _is_card(digits: str, *, whole: bool) -> bool:
    """Whether *digits* may be a card number. A run of its own is one by its check digit or by a brand's
    prefix and length; groups need both, since amounts and dates stand in groups, too."""
    owner = detect(digits)
    fits = owner is not None and len(digits) in owner.range.lengths
    right = luhn_ok(digits)
    if whole and len(digits) >= _SHORTEST_LUHN:
        return right or fits
    return right and fits
