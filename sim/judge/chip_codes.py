"""Chip data alike: data of one shape (the same tags, each as long) differ only in values. Some of those are
codes, which messages repeat; others have a form (digits, a date); what is left no rule reads alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from sim.elements.emv_shapes import Shape, getter
from sim.judge.chip import DATES, NEVER_ZERO
from sim.judge.fine import Fits, date_pattern
from sim.spec import emv

# Beside the tags that are nothing but bits.
_CODES = frozenset(("9C", "9F11", "9F15", "9F1A", "9F27", "9F34", "9F35", "9F39", "9F42", "9F44"))
# Applications are named by few names.
_MORE_CODES = frozenset(("4F", "5F28", "5F2A", "5F30", "5F36", "5F57", "84", "9F06"))

Look = Callable[[str], tuple[Shape, tuple[str, ...]] | None]


def are_coded(tags: Iterable[str]) -> bool:
    """Whether all *tags* hold codes."""
    return all(map(_is_coded, tags))


def _is_coded(tag: str) -> bool:
    return tag in _CODES or tag in _MORE_CODES or emv.only_bits(tag)


@cache
def _form(tag: str) -> Fits | None:
    """What a value must fit so that no rule on chip data alone reports it; None where any does."""
    if tag in NEVER_ZERO:
        return re.compile("0*[1-9A-Fa-f].*").fullmatch
    known = emv.tags().get(tag)
    if known is None or _is_coded(tag) or known.content not in ("n", "cn"):
        return None
    if tag in DATES:
        return re.compile(date_pattern(DATES[tag])).fullmatch
    if known.content == "cn":
        return re.compile("[0-9]*F*").fullmatch
    return re.compile(f"0*[0-9]{{0,{known.digits}}}" if known.digits else "[0-9]*").fullmatch


@lru_cache(maxsize=512)
def _looker(shape: Shape) -> Look:
    codes = getter([place for tag, place in shape.places.items() if _is_coded(tag)])
    forms = [(place, form) for tag, place in shape.places.items() if (form := _form(tag))]

    def look(text: str) -> tuple[Shape, tuple[str, ...]] | None:
        for place, form in forms:
            if not form(text[place]):
                return None
        return shape, codes(text)

    return look


def look(shape: Shape, text: str) -> tuple[Shape, tuple[str, ...]] | None:
    """The shape and the codes of chip data *text*; None where another value has not its form."""
    return _looker(shape)(text)
