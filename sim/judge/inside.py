"""What networks find inside an element: chains of sub-elements, and the layouts of their own rows.

Each check says what is wrong with a value, None when nothing is.
"""

from __future__ import annotations

from functools import cache, lru_cache

from sim.codec import Message
from sim.elements.layout import fits, layouts
from sim.spec.layouts import Cell, Layout
from sim.spec.network_records import FormatRow

# Several networks ask about a message one after the other; its data is kept no longer than that.
_LATEST = 4
_RESERVED = "reserved"  # the meaning of a code that is listed so that it can be named


@lru_cache(maxsize=_LATEST)
def subelements(value: str, lead: int) -> tuple[tuple[str, str], ...] | None:
    """Id and data of a list of id n 2, length n 2, data, with up to *lead* characters that are no
    digits in front; None when the value is no such list.

    >>> subelements("T42070103210", 1)
    (('42', '0103210'),)
    """
    at = lead if lead and not value[:lead].isdigit() else 0
    found = []
    while at < len(value):
        head = value[at : at + 4]
        if len(head) < 4 or not (head.isascii() and head.isdigit()) or at + 4 + int(head[2:]) > len(value):
            return None
        found.append((head[:2], value[at + 4 : at + 4 + int(head[2:])]))
        at += 4 + int(head[2:])
    return tuple(found)


def chain(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether *value* is a chain of sub-elements."""
    return None if subelements(value, item.lead) is not None else "another layout"


def sizes(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether the sub-elements that network *name* has rows of are as long as these say."""
    cells = _first(message.version, number, name).by_key
    for tag, data in subelements(value, item.lead) or ():
        cell = cells.get(tag)
        if cell is not None and not cell.least <= len(data) <= cell.most:
            return f"subelement {tag} of {len(data)} characters"
    return None


def layout(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether *value* fits the rows of network *name*; with a place those of the layout that is named there,
    if one is."""
    own = _own(message.version, number, name)
    if item.at:
        named = value[slice(*item.at)]
        own = tuple(one for one in own if one.variant == named)
    return None if not own or any(fits(one, value) for one in own) else "another layout"


def places(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether *value* has as many of the parts of its layout as *item* asks for."""
    cells = _first(message.version, number, name).cells[: item.min]
    return None if len(value) >= sum(cell.least for cell in cells) else f"{len(value)} characters"


def coded(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether the parts that *item* names, where *value* has them, hold a code that is listed."""
    for cell, start, end in _fixed(message.version, number, name, item.parts):
        if end > len(value):
            break
        found = cell.values.get(value[start:end])
        if found is None or found.meaning == _RESERVED:
            return f"{value[start:end]!r} as {cell.name}"
    return None


def agrees(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether the parts that *item* names hold one of its values, where the element beside says when."""
    if item.when is None or item.when.fullmatch(message.get(item.beside)) is None:
        return None
    for cell, start, end in _fixed(message.version, number, name, item.parts):
        if end <= len(value) and value[start:end] not in item.values:
            return f"{value[start:end]!r} as {cell.name}"
    return None


def needs(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether the element beside is as *item* wants it, where the parts named hold one of its values."""
    held = any(
        value[start:end] in item.values for _, start, end in _fixed(message.version, number, name, item.parts)
    )
    return "none" if held and item.when and not item.when.fullmatch(message.get(item.beside)) else None


def subelement_needs(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether a chain has one of the subelements that *item* wants, where others of it match."""
    found = dict(subelements(value, item.lead) or ())
    asks = any(item.when and item.when.fullmatch(found[one]) for one in item.parts if one in found)
    return "none" if asks and item.values.isdisjoint(found) else None


def _first(version: str, number: int, name: str) -> Cell:
    """How network *name* lays the element out, by the first of its layouts."""
    return layouts(version, number, name)[0].cell


@cache
def _fixed(version: str, number: int, name: str, parts: frozenset[str]) -> tuple[tuple[Cell, int, int], ...]:
    """Those of *parts* whose place is the same in every value, with where they start and end."""
    found, at = [], 0
    for cell in _first(version, number, name).cells:
        if not cell.fixed:
            break
        if cell.key in parts:
            found.append((cell, at, at + cell.most))
        at += cell.most
    return tuple(found)


@cache
def _own(version: str, number: int, owner: str) -> tuple[Layout, ...]:
    """The network's own layouts of an element, those first that a pattern tells."""
    own = [one for one in layouts(version, number, owner) if one.network == owner]
    return tuple(sorted(own, key=lambda one: one.pattern is None))
