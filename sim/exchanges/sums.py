"""Amounts as people write them (figures, words, thousands, cents), in minor units of their currency."""

from __future__ import annotations

import re
from functools import cache

from sim.exchanges.lexicon import TOKEN, fold, phrases_of, present, values_of
from sim.spec import currency as currency_of
from sim.spec.codes import FUNDS, currencies

# Figures with thousands separators and decimals; also `.50`.
FIGURES = (
    r"(?<!\d)\d{1,2}(?:,\d{2})+,\d{3}(?:[.]\d{2})?(?!\d)|"  # as in India
    r"(?<!\d)\d{1,3}(?:[.,'’]\d{3}){1,4}(?:[.,]\d{1,3})?(?!\d)"
    r"|(?<!\d)\d{1,3}(?: \d{3}){1,4}(?:,\d\d|\b(?! ?\d))(?!\d)"
    r"|\d+(?:[.,]\d+)?(?!\d)|(?<![\d.])[.]\d\d\b"
)
_THOUSANDS = 3
_HUNDRED = 100


@cache
def _numbers() -> dict[str, int]:
    """Numbers by word, with German compounds such as *fünfundzwanzig*."""
    numbers = {word: int(value) for word, value in phrases_of("number").items()}
    german = values_of("number-german")
    units = {word: int(value) for value, words in german.items() for word in words if int(value) < 10}
    tens = {word: int(value) for value, words in german.items() for word in words if int(value) >= 10}
    return numbers | units | {f"{unit}und{ten}": tens[ten] + units[unit] for unit in units for ten in tens}


@cache
def _scales() -> dict[str, int]:
    return {word: int(value) for word, value in phrases_of("scale").items()}


@cache
def _compound() -> re.Pattern[str]:
    """A pattern for a German number in one word: `zweitausenddreihundertfünf`."""
    every = (word for word, value in _numbers().items() if value < _HUNDRED and word.isalpha())
    small = "|".join(sorted(every, key=len, reverse=True))
    return re.compile(
        rf"(?:(?P<t>(?:{small})?)(?P<tausend>tausend))?(?:(?P<h>(?:{small})?)(?P<hundert>hundert))?(?:und)?(?P<r>(?:{small})?)"
    )


def _one_number(text: str) -> str:
    return rf"(?:\b(?:{present((*_numbers(), *_scales()), text)}|[a-z]*(?:hundert|tausend)[a-z]*)\b)"


def _value(word: str) -> int | None:
    """The number that a single *word* means."""
    if word in _numbers():
        return _numbers()[word]
    match = _compound().fullmatch(word) if "hundert" in word or "tausend" in word else None
    if match is None:
        return None
    part = {key: _numbers()[match[key]] if match[key] else 1 for key in ("t", "h")}
    value = part["t"] * 1000 * bool(match["tausend"]) + part["h"] * _HUNDRED * bool(match["hundert"])
    return value + (_numbers()[match["r"]] if match["r"] else 0)


def uncounted_pattern(text: str) -> str:
    """A pattern for a place after no number in words: the ten of *twenty euros ten* is cents."""
    words = TOKEN.findall(text)
    return "".join(
        f"(?<!{word} )" for word in dict.fromkeys(words) if word in _numbers() or word in _scales()
    )


def spelled_pattern(text: str) -> str:
    """A pattern for a number in words, limited to those in the folded *text*."""
    pattern, scales = _one_number(text), "|".join(_scales())
    return rf"\b(?:an?\s+(?=(?:{scales})\b))?{pattern}(?:(?:\s+(?:and|y|e|et)\s+|[\s-]+){pattern}){{0,9}}\b"


def number_pattern(text: str) -> str:
    """A pattern for a number in figures or words, limited to the words in the folded *text*."""
    return rf"(?:\d+(?:[.,]\d+)?\s(?:{'|'.join(_scales())})\b|{FIGURES}|{spelled_pattern(text)})"


def spelled(words: str) -> int | None:
    """The number that *words* spell; None if they spell none.

    >>> spelled("one hundred and twenty-five"), spelled("dos mil"), spelled("five twenty")
    (125, 2000, None)
    """
    total = part = 0
    words = fold(words)
    for word in re.findall(_one_number(words), words):
        scale = _scales().get(word)
        if scale == _HUNDRED:
            part = (part or 1) * scale
        elif scale:
            total, part = (total + (part or 1)) * scale, 0
        else:
            value = _value(word)
            if value is None:
                return None
            if value == _HUNDRED and 1 < part < 10:  # deux cent
                part *= value
                continue
            french = part % 100 in (60, 80) and value < 20
            if (
                (part % 10 and value < _HUNDRED)
                or (part and value >= _HUNDRED and part >= value)
                or (part % 100 and value >= 10 and not french)
            ):
                return None
            part += value
    return total + part


def whole_number(text: str) -> int | None:
    """The whole number in *text*, in digits or words."""
    return int(text) if text.isascii() and text.isdigit() else spelled(text)


def minor_units(figures: str, alpha: str, *, comma: bool, thousands: bool = False) -> int | None:
    """An amount in minor units of the currency *alpha*; None if the spelling is ambiguous or has more
    decimals than the currency. *comma*: the decimal separator is a comma, as in *1.234,50*.

    >>> minor_units("1.234,56", "EUR", comma=True), minor_units("12.345", "KWD", comma=False)
    (123456, 12345)
    >>> minor_units("1.234", "EUR", comma=False) is None, minor_units("1.5 million", "JPY", comma=False)
    (True, 1500000)
    """
    entry = currency_of(alpha)
    exponent = entry.exponent if entry and entry.exponent is not None else None
    if exponent is None:
        return None
    if scaled := re.fullmatch(r"(\d+)(?:[.,](\d{1,2}))?\s+([a-z]+)", fold(figures)):
        head, tail = scaled[1], scaled[2] or ""
        units: int = 10**exponent * _scales()[scaled[3]] // 10 ** len(tail)
        return int(head + tail) * units
    if re.search("[a-z]", fold(figures)):
        value = spelled(figures)
        return None if value is None else value * 10**exponent
    text = head = re.sub(r"['’ ]", "", figures)
    if re.fullmatch(r"\d{1,2}(,\d{2})+,\d{3}([.]\d{2})?", text):
        text = head = text.replace(",", "")
    marks, tail = re.findall("[.,]", text), ""
    if len(set(marks)) > 1:
        if marks[-1] in marks[:-1]:
            return None
        head, _, tail = text.rpartition(marks[-1])
    elif len(marks) == 1:
        left, _, right = text.partition(marks[0])
        decimal = marks[0] == ("," if comma else ".")
        if len(right) != _THOUSANDS or (decimal and exponent == _THOUSANDS):
            head, tail = left, right
        elif not decimal and left != "0":
            head = left + right
        else:
            return None
    head = re.sub("[.,]", "", head) or "0"
    shift = exponent + (_THOUSANDS if thousands else 0)
    return int(head + tail.ljust(shift, "0")) if len(tail) <= shift else None


@cache
def currency_names() -> dict[str, str]:
    """Currency codes by folded name, from the word rows, the ISO 4217 names and the codes themselves."""
    every = [(fold(entry.name), entry.alpha) for entry in currencies() if entry.alpha not in FUNDS]
    counts = [name for name, _ in every]
    names = {name: alpha for name, alpha in every if counts.count(name) == 1}
    names |= {f"{name}s": alpha for name, alpha in names.items()}
    names |= {entry.alpha.lower(): entry.alpha for entry in currencies() if entry.alpha not in FUNDS}
    return names | phrases_of("currency")


def unit_pattern(text: str) -> str:
    """A pattern for currency names, signs and codes, limited to those in the folded *text*."""
    names = present(currency_names(), text)
    return "|".join(
        (r"(?<![a-z])" if name[0].isalpha() else "") + name + (r"(?![a-z])" if name[-1].isalpha() else "")
        for name in names.split("|")
    )
