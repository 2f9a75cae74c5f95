"""Figures as values: what a number, date, time or code in a text may mean, however it is written.

A value is a text of one form: money `=45.90`, a date `11-20`, a month `2029-12` or `--12`, a time `10:15:30`,
anything else as it is. Two figures agree if they may mean one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from itertools import combinations
from typing import NamedTuple

from sim.exchanges.lexicon import fold, pattern, phrases_of
from sim.spec.tables import read_csv

# Letters or stars, and digits: a reference, a masked card number.
_CODE = r"\b(?=[a-z*]{0,40}\d)(?=[\d*]*[a-z*])[\w*]{2,}|(?<![*])[*]+\d{4}\b"
_NUMBER = r"(?!3[ -]?ds?\b)\d+(?:[.,'’]\d+| \d{3}(?!\d))*"
_WORD = r"[a-z]+(?:'[a-z]+)?|\d+|[€£¥$%&+]"
_ABBREVIATED = frozenset(("3ds", "3d", "cvv2", "cvc2", "e2e", "track2"))  # codes that are words
_MONEY = re.compile(r"\d{1,3}(?:[.,'’ ]\d{3})+(?:[.,]\d\d)?|\d+[.,]\d{2,3}")
_CENTS = re.compile(r"=\d{1,12}[.]\d\d")
_GROUPS = re.compile(r"\b[\d*]{4} (?:[\d*]{2,4} [\d*]{2,4} \d{4}|[\d*]{6} [\d*]\d{4})\b")
_DAY = 24
# A day's number ends no sentence, nor does the letter of an abbreviation.
_END = re.compile(
    r"(?<=[.!?])(?<!\b[a-z][.])(?<!\b\d[.])(?<!\b\d\d[.])\s+"
    r"|(?<=\d[.])\s+(?=[^\w\s]|\d|(?P<after>[^\W\d]+)\W)|\n+"
)


class Piece(NamedTuple):
    """A piece of a text: its kind, its text (of a date or time in its shortest form), and what it may mean,
    if it is a figure."""

    kind: str
    text: str
    values: frozenset[str] = frozenset()


def sentences(text: str) -> list[str]:
    """The sentences of *text*, the last one perhaps incomplete."""
    made, begun, folded = [], 0, fold(text)
    for end in _END.finditer(folded):
        if end["after"] not in phrases_of("month"):
            made.append(text[begun : end.start()])
            begun = end.end()
    return [*made, text[begun:]]


def pieces(folded: str) -> Iterator[Piece]:
    """The pieces of a *folded* text: slots, labels, codes, numbers, words, marks."""
    folded = _GROUPS.sub(lambda found: found[0].replace(" ", "") if "*" in found[0] else found[0], folded)
    folded = pattern("with-cents").sub(lambda found: f"{found[1]}.{found[3].zfill(2)} {found[2]}", folded)
    for found in _piece().finditer(folded):
        kind, text = found.lastgroup or "", found[0]
        if kind == "code" and text in _ABBREVIATED:
            yield from (Piece("word", one) for one in re.findall(r"[a-z]+|\d+", text))
        elif kind == "code":
            yield Piece(kind, text, frozenset((re.sub(r"\*+", "*", text),)))
        elif kind == "figure" and (meant := _meant(found.groupdict())):
            yield Piece("number", min(meant, key=lambda one: ("-" in one, len(one), one)), frozenset(meant))
        elif kind in ("figure", "number"):
            for one in numbers(text):
                yield Piece(
                    "number", one, frozenset((one, f"={one}") if _CENTS.fullmatch(f"={one}") else (one,))
                )
        else:
            yield Piece(kind, found["label"] or text)


@cache
def _piece() -> re.Pattern[str]:
    """The pattern of pieces; the names of the parts of figures are numbered."""
    months = "|".join(sorted(phrases_of("month"), key=len, reverse=True))
    forms = [row["pattern"] for row in read_csv("descriptions/patterns") if row["name"] == "figure"]
    first, *parts = "|".join(forms).replace("{month}", months).split("(?P<")
    figure = first + "".join(f"(?P<{part[0]}{at}{part[1:]}" for at, part in enumerate(parts))
    return re.compile(
        rf"(?P<slot>\x01)|\x02(?P<label>\d+) |(?P<figure>(?<![\w.,])(?:{figure}))|(?P<code>{_CODE})"
        rf"|(?P<number>(?<![a-z\d]){_NUMBER})|(?P<word>{_WORD})|(?P<mark>[,;:—])"
    )


def _meant(groups: Mapping[str, str | None]) -> set[str]:
    """What a figure of these parts may mean; empty if there is no such date or time."""
    parts = {name[0]: text for name, text in groups.items() if text and name[1:].isdigit()}
    if hour := parts.get("h"):
        half = 12 * (parts.get("p") == "p")
        hours = int(hour) % 12 + half if "p" in parts else int(hour)
        rest = [parts[name] for name in "ns" if name in parts] or ["00"]
        return {":".join((f"{hours:02}", *rest))} if hours < _DAY else set()
    year, day = parts.get("y"), parts.get("d")
    month = phrases_of("month")[parts["b"]] if "b" in parts else parts.get("m")
    dates = [(year, month, day)]
    if day and "m" in parts:
        dates += [(year, day, month), *([] if year else [(f"20{month}", day, None)])]
    return {
        "-".join(one.zfill(2) for one in date if one)
        for date in dates
        if 1 <= int(date[1] or 0) <= 12 and int(date[2] or 1) in range(1, 32)
    } | ({f"={parts['x']}", parts["x"]} if "x" in parts else set())


def numbers(text: str) -> list[str]:
    """The numbers in the figures *text*: amounts with only a decimal point, others unchanged."""
    if not _MONEY.fullmatch(text):
        return re.split("[.,'’ ]", text)
    head, mark, tail = text.rpartition("." if text.rfind(".") > text.rfind(",") else ",")
    if not mark:
        return [re.sub("[.,'’ ]", "", text)]
    plain = re.sub("[.,'’ ]", "", head)
    parted = len(tail) == 3 and re.search("[.,'’]", head) is None
    return [plain + tail if parted and len(head) <= 3 else f"{plain}.{tail}"]


def money(number: str, minor: bool) -> set[str]:
    """The amount *number*, also as one in minor units, if it may be *minor*."""
    if not number.isdecimal():
        return {f"={number}"}
    return {f"={number}", f"={number}.00", *([f"={Decimal(number).scaleb(-2):f}"] if minor else [])}


def cents(value: str) -> int | None:
    """The amount *value* in hundredths; None if it is no amount with decimals."""
    return int(value[1:].replace(".", "")) if _CENTS.fullmatch(value) else None


def implied(given: Iterable[str]) -> Iterator[str]:
    """The values and what follows from them: a time is also one without seconds, a date has a year and a
    month, a masked number its digits."""
    for value in given:
        yield value
        if value[0].isdigit() and (mark := kind(value)):
            parts = value.split(mark)
            for a, b in combinations(range(len(parts) + 1), 2):
                if (b - a > 1 or len(parts[a]) > 2) and (mark == "-" or a == 0):
                    yield mark.join(parts[a:b])
            if mark == "-":
                yield f"--{parts[len(parts[0]) > 2]}"
        elif "*" in value:
            yield from (*re.findall(r"\d{4,}", value), f"*{value.rpartition('*')[2]}")


def kind(value: str) -> str:
    """The kind of *value*: `=`, `:`, `-` or empty."""
    return next((mark for mark in "=:-" if mark in value), "")
