"""Card data starred out inside an element: in chip tags, sub-fields and tagged lists; the rest stays."""

from __future__ import annotations

from functools import cache

from sim.elements import chip_data, layout
from sim.kept import Kept
from sim.masking import search
from sim.masking.search import SHORTEST_PAN, hide
from sim.masking.texts import STAR, mask_pan, mask_words
from sim.masking.written import SHORTEST
from sim.spec import emv
from sim.spec.layouts import Cell, owners

# Verification codes and account numbers in the two-digit id, two-digit length, data lists of DE 48.
_HIDDEN_TAGS = frozenset({"01", "21", "92"})
_HIDDEN_ROLES = ("track", "name", "pin", "script")


def cover_chip(value: str, pan: str) -> str:
    """Tags and lengths in clear; of the values those that hold nothing of the card."""
    chip, shown = chip_data.read(value), [STAR] * len(value)
    for tag in chip.tags:
        shown[tag.start : tag.value_start] = value[tag.start : tag.value_start]
        if not tag.constructed:
            shown[tag.value_start : tag.end] = _tag(tag.tag, value[tag.value_start : tag.end])
    text = "".join(shown)
    pans = {pan, chip.value("5A").rstrip("F"), chip.value("57").partition("D")[0]}
    return hide(text, search.accounts(text, [one for one in pans if len(one) >= SHORTEST_PAN]))


def _tag(tag: str, value: str) -> str:
    role = emv.role(tag)
    if role == "pan":
        digits = value.rstrip("Ff")
        return mask_pan(digits) + value[len(digits) :] if digits.isdecimal() else STAR * len(value)
    if role in _HIDDEN_ROLES or tag not in emv.tags():
        return STAR * len(value)
    return value if len(value) < SHORTEST else mask_words(value)


@cache
def _layouts(version: str, number: int) -> tuple[layout.Layout, ...]:
    """The layouts of the element, anybody's, that have parts with card data."""
    known = (one for name in owners() for one in layout.layouts(version, number, name.upper()))
    return tuple(dict.fromkeys(one for one in known if _has_sensitive(one.cell)))


def _has_sensitive(cell: Cell) -> bool:
    return bool(cell.sensitive) or any(map(_has_sensitive, cell.cells))


# Values, by version and element, in whose parts there is nothing to hide: those of one merchant are alike.
_OPEN: Kept[tuple[str, int, str], bool] = Kept(1024)


def cover_parts(version: str, number: int, value: str) -> str:
    """Hide the parts with card data of every layout that *value* fits."""
    layouts = _layouts(version, number)
    if not layouts or _OPEN.get(key := (version, number, value)):
        return value
    shown = value
    for one in layouts:
        if layout.fits(one, shown):
            shown = _hidden_parts(one, shown)
    if shown == value and search.is_clean(value):
        _OPEN.keep(key, True)
    return shown


def _hidden_parts(one: layout.Layout, value: str) -> str:
    for part, _ in layout.read(one, value).walk():
        if part.cell.sensitive:
            own = value[part.start : part.end]
            shown = mask_pan(own) if part.cell.sensitive == "pan" else STAR * len(own)
            value = value[: part.start] + shown + value[part.end :]
    return value


def cover_tagged(value: str) -> str:
    """Hide the data of `_HIDDEN_TAGS` where *value* is a list of id, length, data, with or without
    one letter in front; leave it as it is where it is no such list."""
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
