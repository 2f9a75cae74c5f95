"""Test cards in the place of a message's card numbers, so that what is copied runs and holds no secret.

A published test card is no secret: a message of such cards alone stays as it is. For any other number a
test card stands in, of the same network and length and with a check digit as right or wrong, wherever the
number stands: in tracks, in chip data, in free text. What else nobody may see (PINs, verification values,
names, keys) becomes zeros, and letters X. Every character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sim.masking import card_numbers
from sim.masking.search import is_card, spellings
from sim.masking.written import SHORTEST
from sim.operations.anatomy import Anatomy, dissect
from sim.parts import chip_data
from sim.spec import emv
from sim.spec.elements import spec
from sim.spec.networks import check_digit, default_card, detect, luhn_ok, test_cards

_FIRST, _LAST = 6, 4  # digits of a card number that masking leaves
_PREFIX = 8  # digits that tell an issuer
_CHIP = 55
_STARS = re.compile(r"\*+")
_BETWEEN = r"[^0-9A-Za-z]{0,5}"
# Behind the card number of a track: its expiry and service code, and the filler of a chip's.
_TRACK_END = r"(?:[=D]|\^[^^]*\^)([0-9]{0,7})(?:[0-9]*(F))?"


def with_stand_ins(raw: str, version: str) -> str:
    """*raw*, sound or broken, fit to be shown and to be run.

    >>> with_stand_ins("0100" + "4000000000000000" + "16" + "4539578763621486", "1987")[-16:]
    '4111111111111111'
    """
    view = dissect(raw, version)
    cards = sorted(_cards(view), key=len, reverse=True)
    if cards and all(one in _published() for one in cards):
        return raw
    taken = {one for one in cards if one in _published()}
    text = raw
    for card in cards:
        if card not in taken:
            mine = next(one for one in _alike(card) if one not in taken)
            taken.add(mine)
            text = _replaced(text, card, mine)
    return _without_secrets(dissect(text, version), taken)


@cache
def _published() -> frozenset[str]:
    return frozenset(card.pan for card in test_cards())


def _cards(view: Anatomy) -> set[str]:
    """The card numbers of a message: where it has them, and what masking takes for one elsewhere."""
    found = set(card_numbers(view.cells, view.version))
    for start, end in _hidden(view):
        digits = view.raw[max(start - _FIRST, 0) : end + _LAST]
        if digits.isascii() and digits.isdecimal() and len(digits) >= SHORTEST and is_card(digits):
            found.add(digits)
    return {one for one in found if one.isascii() and one.isdecimal()}


def _hidden(view: Anatomy) -> Iterator[tuple[int, int]]:
    """The stretches of the text that masking hides."""
    for stars in _STARS.finditer(view.shown_text):
        if view.raw[stars.start() : stars.end()] != stars[0]:
            yield stars.span()


def _alike(card: str) -> Iterator[str]:
    """Numbers that can stand in for *card*, published ones first."""
    owner = detect(card)
    network = owner.network if owner else None
    right, size = luhn_ok(card), len(card)
    published = [one.pan for one in test_cards(network)] if network else []
    if network:
        published.sort(key=lambda pan: pan != default_card(network).pan)
    seeds = [one[:_PREFIX] for one in published] or [card[:_FIRST]]
    yield from (one for one in published if len(one) == size and luhn_ok(one) == right)
    for count in range(10 ** min(size - _PREFIX - 1, 6)):
        for seed in seeds:
            body = seed + f"{count:0{size - len(seed) - 1}}"
            digit = check_digit(body)
            made = body + (digit if right else str((int(digit) + 1) % 10))
            if made != card:
                yield made


def _pattern(digits: str) -> re.Pattern[str]:
    """*digits* in any spelling, as they may stand in a text."""
    forms = (_BETWEEN.join(map(re.escape, form)) for form in spellings(digits))
    return re.compile("|".join(forms), re.IGNORECASE)


def _replaced(text: str, card: str, stand_in: str) -> str:
    """*text* with *stand_in* for *card*, spelled as that was."""
    forms = {len(form): form for form in spellings(stand_in)}
    spelled = dict(zip(spellings(card), spellings(stand_in), strict=True))

    def written(found: re.Match[str]) -> str:
        tight = re.sub("[^0-9A-Za-z]", "", found[0]).upper()
        digits = iter(spelled.get(tight, forms[len(tight)]))
        return "".join(next(digits) if char.isalnum() else char for char in found[0])

    return _pattern(card).sub(written, text)


def _without_secrets(view: Anatomy, cards: set[str]) -> str:
    """The text of *view* without what is hidden in it besides *cards*, which may be seen."""
    text, shown = list(view.raw), set[int]()
    for card in cards:
        for found in _pattern(card).finditer(view.raw):
            shown |= set(range(*found.span()))
            if track := re.compile(_TRACK_END).match(view.raw, found.end()):
                shown |= {found.end(), *range(*track.span(1)), *range(*track.span(2))}
    letter = ["X"] * len(text)
    for place in view.places:
        element = spec(view.version).elements[place.number - 1] if 1 < place.number <= 128 else None
        if place.number == _CHIP or (element and element.binary):
            letter[place.value_start : place.end] = "0" * (place.end - place.value_start)
    for start, end in _hidden(view):
        for at in range(start, end):
            if at not in shown and text[at].isalnum():
                text[at] = "0" if text[at].isdigit() else letter[at]
    for start, end in _names(view):
        text[start:end] = "58" * ((end - start) // 2)  # XX
    return "".join(text)


def _names(view: Anatomy) -> Iterator[tuple[int, int]]:
    """Where names of cardholders stand in chip data, in hex digits."""
    for place in view.places:
        if place.number == _CHIP:
            chip = chip_data.read(view.value(place))
            for tag in chip.tags:
                if emv.role(tag.tag) == "name" and not tag.constructed:
                    yield place.value_start + tag.value_start, place.value_start + tag.end
