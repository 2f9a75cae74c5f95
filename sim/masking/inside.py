"""Card data masked inside an element: in chip tags, subfields and tagged lists; the rest stays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sim.masking import search
from sim.masking.search import SHORTEST_PAN, USUAL, Span, hide, middle
from sim.masking.texts import STAR, mask_pan, mask_words
from sim.masking.written import SHORTEST, has_digits
from sim.parts import chip_data, layout
from sim.spec import emv
from sim.spec.layouts import Cell, Layout, holds_card_data, layouts, of_dialects, owners

# Verification codes and account numbers in the two-digit id, two-digit length, data lists of DE 48.
_HIDDEN_TAGS = frozenset({"01", "21", "92"})
_HIDDEN_ROLES = ("track", "name", "pin", "script")


def cover_chip(value: str, pan: str) -> str:
    """*value* with tags and lengths in clear, and only those tag values that contain no card data."""
    chip, chars = chip_data.read(value), [STAR] * len(value)
    for tag in chip.tags:
        chars[tag.start : tag.value_start] = value[tag.start : tag.value_start]
        if not tag.constructed:
            chars[tag.value_start : tag.end] = _tag(tag.tag, value[tag.value_start : tag.end])
    text = "".join(chars)
    pans = {pan, chip.value("5A").rstrip("F"), chip.value("57").partition("D")[0]}
    return hide(text, search.accounts(text, [card for card in pans if len(card) >= SHORTEST_PAN]))


def _tag(tag: str, value: str) -> str:
    role = emv.role(tag)
    if role == "pan":
        digits = value.rstrip("Ff")
        return mask_pan(digits) + value[len(digits) :] if digits.isdecimal() else STAR * len(value)
    if role in _HIDDEN_ROLES or tag not in emv.tags():
        return STAR * len(value)
    return value if len(value) < SHORTEST else mask_words(value)


class _Known(NamedTuple):
    """A layout of an element, from any source: whether rows name card data in it, and whether another
    subfield has room for a card number."""

    layout: Layout
    named: bool
    roomy: bool


@cache
def _of_networks(version: str, number: int) -> tuple[_Known, ...]:
    distinct = dict.fromkeys(entry for name in owners() for entry in layouts(version, number, name.upper()))
    forms = (_Known(entry, holds_card_data(entry.cell), _has_room(entry.cell)) for entry in distinct)
    return tuple(form for form in forms if form.named or form.roomy)


def names_card_data(version: str, number: int) -> bool:
    """Whether any layout of the element names card data among its subfields."""
    return any(form.named for form in _known_forms(version, number))


def _known_forms(version: str, number: int) -> tuple[_Known, ...]:
    entries, dialects = _of_networks(version, number), of_dialects(version, number)
    return (*entries, *(_Known(entry, True, True) for entry in dialects)) if dialects else entries


def _has_room(cell: Cell) -> bool:
    return any(map(_has_room, cell.cells)) if cell.cells else not cell.sensitive and cell.most >= SHORTEST


def cover_parts(version: str, number: int, value: str) -> str:
    """Mask the card data that rows name, in every layout that *value* fits, and card numbers in any
    readable subfield: in the whole value, digits before the subfield could hide them."""
    forms = _known_forms(version, number)
    long = has_digits(value, SHORTEST)
    spans = [span for form in forms if form.named or long for span in _in_parts(form.layout, value)]
    return hide(value, spans) if spans else value


def _is_number(value: str) -> bool:
    """Whether *value* is a number too short for almost any issuer's cards: an identifier."""
    digits = value.strip().lstrip("0")
    return digits.isdecimal() and len(digits) < USUAL and not search.is_usual(digits)


def _in_parts(entry: Layout, value: str) -> Iterator[Span]:
    if entry.pattern is not None and not layout.fits(entry, value):
        return
    reading = layout.read(entry, value)
    for part, _ in reading.walk():
        kind, size = part.cell.sensitive, part.end - part.start
        if kind and reading.fits:
            first, last, _ = middle(0, size) if kind == "pan" else Span(0, size)
            yield Span(part.start + first, part.start + last, True)
        elif kind or part.children or not SHORTEST <= size < len(value):
            continue
        elif has_digits(part.value, SHORTEST) and not _is_number(part.value):
            for start, end, whole in search.find(part.value):
                yield Span(part.start + start, part.start + end, whole)


def cover_tagged(value: str) -> str:
    """Mask the data of `_HIDDEN_TAGS` if *value* is a list of ID, length and data, with or without one
    letter before it; otherwise return it unchanged."""
    head = 1 if value[:1].isalpha() else 0
    parts, at = [value[:head]], head
    while at < len(value):
        tag, size = value[at : at + 2], value[at + 2 : at + 4]
        end = at + 4 + int(size) if size.isascii() and size.isdigit() and len(size) == 2 else -1
        if end < 0 or end > len(value):
            return value
        data = value[at + 4 : end]
        parts.append(tag + size + (STAR * len(data) if tag in _HIDDEN_TAGS else data))
        at = end
    return "".join(parts)
