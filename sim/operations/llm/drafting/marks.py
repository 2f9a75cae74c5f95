"""What in a description may fix a property: its numbers, and the words that `words.csv` knows.

A row of `words.csv` names a property, the value that its words give (empty: they only say that the property
is there), and whether they must be taken up (`must`). A word may end in `*` for any ending.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from sim.operations.llm.drafting.currencies import codes_in, family
from sim.operations.llm.guard import TOKEN, Cleaned
from sim.operations.numbers import Figure, figures
from sim.spec.codes import countries
from sim.spec.networks import NETWORKS, network

_DENIED = re.compile(
    r"(?:\b(?:no|not|non|never|without|neither|nor|instead of|rather than|cannot)|n't)[\s'’-]+"
    r"(?:(?!but\b)\w+[\s'’-]+){0,2}$",
    re.IGNORECASE,
)
_FAR_ENOUGH = 40  # characters before a word in which it can be denied
# Numbers that are none of a message: the standard's own, those of elements, how long something takes.
_NO_FIGURE = re.compile(
    r"\b(?:ISO[ -]?)?8583\b|\b(?:DE|field|bit|element) ?[0-9]{1,3}\b"
    r"|\b[0-9]+ (?:second|minute|hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,60})[\"”]")
_CAPITAL = r"[^\W\d_a-z](?:[\w'’&-]|\.(?=\w))*"
_SHOP = re.compile(rf"\b[Aa]t (?:the |an? )?({_CAPITAL}(?: (?:{_CAPITAL}|&|of|de|la|le))*)")
_NO_SHOP = re.compile(r"ATM|MCC|UTC|GMT|POS|MTI|STAN|Terminal|Merchant|[A-Z]{3}\b|Noon|Midnight")
_BESIDE_MONEY = re.compile(r"[\s-]{0,2}(?:and )?(?:[a-z]+[ -]){0,2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """Words at a place of the description that speak of a property. `values` are those they may give,
    empty where they only name it; what `must` be taken up may not be left out of an intent."""

    start: int
    end: int
    property: str
    values: frozenset[str]
    must: bool


@dataclass(frozen=True, slots=True)
class Marked:
    """A description, with its numbers, its words that fix something, and the names in it (quoted, or in
    capitals behind `at`)."""

    text: str
    figures: tuple[Figure, ...]
    marks: tuple[Mark, ...]
    names: tuple[str, ...]


def read(cleaned: Cleaned) -> Marked:
    """The description *cleaned*, read."""
    text = cleaned.text
    blank = _NO_FIGURE.sub(_blanks, TOKEN.sub(_blanks, text))
    lexicon = list(_lexicon(text))
    labels = [one for one in lexicon if re.search("[0-9]", text[one.start : one.end]) or one.property in (
        "card_last_four", "")]  # fmt: skip
    numbers = [
        one
        for one in figures(blank)
        if not any(label.start <= one.start < label.end for label in labels) and one.values
    ]
    shops = [match[1].rstrip(".,") for match in _SHOP.finditer(text)]
    names = [*_QUOTED.findall(text), *(name for name in shops if not _NO_SHOP.match(name))]
    plain = [one for one in lexicon if one.property and not (one.property == "currency" and one.values)]
    marks = [*plain, *_networks(text), *_money(text, lexicon, numbers), *_cards(text)]
    return Marked(text, tuple(numbers), tuple(marks), tuple(names))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _cards(text: str) -> Iterator[Mark]:
    for match in TOKEN.finditer(text):
        yield Mark(*match.span(), "test_card", frozenset((match[1],)), must=True)
        # A published test card is of a network, too.
        yield Mark(*match.span(), "network", frozenset((match[1].split()[0],)), must=False)


def _networks(text: str) -> Iterator[Mark]:
    for name in NETWORKS:
        for pattern, must in ((network(name).spoken, True), (network(name).meant, False)):
            for match in re.finditer(rf"\b(?:{pattern})", text, re.IGNORECASE) if pattern else ():
                if not _denied(text, match.start()):
                    yield Mark(*match.span(), "network", frozenset((name,)), must)


def _denied(text: str, at: int) -> bool:
    return _DENIED.search(text, max(0, at - _FAR_ENOUGH), at) is not None


def _money(text: str, lexicon: list[Mark], numbers: list[Figure]) -> Iterator[Mark]:
    """The currencies of *text*, which must be taken up where they stand beside a number."""
    named = [(start, end, frozenset((code,))) for start, end, code in codes_in(text)]
    for one in lexicon:
        if one.property == "currency" and one.values:
            named.append((one.start, one.end, family(one.values, text[: one.start])))
    for start, end, codes in named:
        mark = Mark(start, end, "currency", codes, must=True)
        yield mark if any(is_beside(text, one, mark) for one in numbers) else replace(mark, must=False)


def is_beside(text: str, figure: Figure, mark: Mark) -> bool:
    """Whether *figure* stands right before or behind a currency."""
    between = (figure.end, mark.start) if figure.end <= mark.start else (mark.end, figure.start)
    return between[0] <= between[1] and _BESIDE_MONEY.fullmatch(text, *between) is not None


def _lexicon(text: str) -> Iterator[Mark]:
    for match in _table()[0].finditer(text):
        if _denied(text, match.start()):
            continue
        found = _said(_plain(match[0]))
        for name in dict.fromkeys(name for name, _, _ in found):
            values = frozenset(value for one, value, _ in found if one == name and value)
            must = any(must for one, _, must in found if one == name)
            yield Mark(*match.span(), name, values, must)


@lru_cache(maxsize=1024)
def _said(word: str) -> tuple[tuple[str, str, bool], ...]:
    """What the rows say that *word* fits."""
    return tuple(one for key, said in _table()[1].items() if _is(word, key) for one in said)


def _is(word: str, key: str) -> bool:
    return word.startswith(key[:-1]) if key[-1] == "*" else word == key


def _plain(word: str) -> str:
    return re.sub(r"[\s-]+", " ", word.casefold())


@cache
def _table() -> tuple[re.Pattern[str], dict[str, list[tuple[str, str, bool]]]]:
    """One pattern that finds the longest words known, and what each of them says."""
    rows: dict[str, list[tuple[str, str, bool]]] = {}

    def add(name: str, value: str, must: bool, words: str) -> None:
        for word in words.casefold().split("|"):
            rows.setdefault(word, []).append((name, value, must))

    with (Path(__file__).parent / "words.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            add(row["property"], row["value"], row["must"] == "yes", row["words"])
    for country in countries():
        add("merchant_country", country.alpha2, False, country.name)
    return re.compile(_pattern(rows), re.IGNORECASE), rows


def _pattern(rows: dict[str, list[tuple[str, str, bool]]]) -> str:
    parts = []
    for word in sorted(rows, key=len, reverse=True):
        plain = r"[\s-]+".join(re.escape(part) for part in word.removesuffix("*").split(" "))
        end = r"(?!\w)" if word[-1].isascii() and word[-1].isalnum() else ""
        parts.append(plain + (r"\w*" if word.endswith("*") else end))
    return rf"(?<![A-Za-z]){'|'.join(parts)}".replace("(?<![A-Za-z])", "(?<![A-Za-z])(?:", 1) + ")"
