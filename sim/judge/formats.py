"""What networks' formats ask of the value of one element: its characters, its length, what is inside it.

Each check says what is wrong with a value, None when nothing is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sim.elements import chip_data, tlv
from sim.elements.layout import fits, layouts
from sim.masking import is_sensitive
from sim.masking.search import SHORTEST_PAN
from sim.spec import lookup, spec
from sim.spec.layouts import Cell, Layout
from sim.spec.networks import FormatRow, response_code

# A subelement may be a card verification code.
_PRIVATE = (48, *range(120, 128))
_SHOWN = 20
_RESERVED = "reserved"  # the meaning of a code that is listed so that it can be named
# Several networks ask about a message one after the other; its data is kept no longer than that.
_LATEST = 4


class Question:
    """Something a network's format asks of one element (0: the MTI). It looks at the value and at the element
    `beside`, nothing else."""

    __slots__ = ("_check", "beside", "item", "name", "number", "version")

    def __init__(self, version: str, number: int, item: FormatRow, name: str) -> None:
        self.version, self.number, self.item, self.name = version, number, item, name
        self.beside = item.beside
        self._check = _CHECKS[item.check]

    def ask(self, value: str, beside: str) -> str | None:
        """What is found wrong with *value*; None when nothing."""
        return self._check(self, value, beside)

    def show(self, value: str) -> str:
        """A value in a finding: short coded ones as they are, never one that may hold card data."""
        shown = (
            len(value) <= _SHOWN
            and not _private(self.version, self.number)
            and sum(map(str.isdigit, value)) < SHORTEST_PAN
        )
        return repr(value) if shown else f"{len(value)} characters in another layout"


@cache
def _private(version: str, number: int) -> bool:
    """Whether nothing of the element may be shown, or nothing that could be read."""
    binary = number > 0 and spec(version)[number].binary
    return number in _PRIVATE or is_sensitive(number, version) or binary


def _length(asked: Question, value: str, beside: str) -> str | None:
    return None if asked.item.min <= len(value) <= asked.item.max else f"{len(value)} characters"


def _regex(asked: Question, value: str, beside: str) -> str | None:
    pattern = asked.item.pattern
    return None if pattern is None or pattern.fullmatch(value) else asked.show(value)


def _multiple(asked: Question, value: str, beside: str) -> str | None:
    return None if len(value) % asked.item.multiple == 0 else f"{len(value)} characters"


def _values(asked: Question, value: str, beside: str) -> str | None:
    part = value[slice(*asked.item.at)] if asked.item.at else value
    return None if part in asked.item.values else asked.show(part)


def _tlv(asked: Question, value: str, beside: str) -> str | None:
    chip, wrapper = chip_data.read(value), asked.item.wrapper
    if chip.error is None and (chip.layout == "tags" or (wrapper and chip.layout == "dataset")):
        return None
    if wrapper and value[:2] == "01" and value[2:6].upper() == f"{len(value) // 2 - 3:04X}":
        value = value[6:]
    try:
        tlv.read(value, strict=False)
    except tlv.TlvError as error:
        return f"{error.found} where {error.expected} should be"
    return None


def _response_code(asked: Question, value: str, beside: str) -> str | None:
    known = response_code(asked.name, value) or lookup("response_code", value, version=asked.version)
    return None if known else repr(value)


def _subelements(value: str, lead: int) -> tuple[tuple[str, str], ...] | None:
    """Id and data of a list of id n 2, length n 2, data, with up to *lead* characters that are no
    digits in front; None when the value is no such list.

    >>> _subelements("T42070103210", 1)
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


def _chain(asked: Question, value: str, beside: str) -> str | None:
    """Whether *value* is a chain of sub-elements."""
    item = asked.item
    return None if _subelements(value, item.lead) is not None else "another layout"


def _sizes(asked: Question, value: str, beside: str) -> str | None:
    """Whether the sub-elements that the network has rows of are as long as these say."""
    item = asked.item
    cells = _first(asked.version, asked.number, asked.name).by_key
    for tag, data in _subelements(value, item.lead) or ():
        cell = cells.get(tag)
        if cell is not None and not cell.least <= len(data) <= cell.most:
            return f"subelement {tag} of {len(data)} characters"
    return None


def _layout(asked: Question, value: str, beside: str) -> str | None:
    """Whether *value* fits the rows of the network; with a place those of the layout that is named there,
    if one is."""
    item = asked.item
    own = _own(asked.version, asked.number, asked.name)
    if item.at:
        named = value[slice(*item.at)]
        own = tuple(one for one in own if one.variant == named)
    return None if not own or any(fits(one, value) for one in own) else "another layout"


def _places(asked: Question, value: str, beside: str) -> str | None:
    """Whether *value* has as many of the parts of its layout as *item* asks for."""
    item = asked.item
    cells = _first(asked.version, asked.number, asked.name).cells[: item.min]
    return None if len(value) >= sum(cell.least for cell in cells) else f"{len(value)} characters"


def _coded(asked: Question, value: str, beside: str) -> str | None:
    """Whether the parts that *item* names, where *value* has them, hold a code that is listed."""
    item = asked.item
    for cell, start, end in _fixed(asked.version, asked.number, asked.name, item.parts):
        if end > len(value):
            break
        found = cell.values.get(value[start:end])
        if found is None or found.meaning == _RESERVED:
            return f"{value[start:end]!r} as {cell.name}"
    return None


def _agrees(asked: Question, value: str, beside: str) -> str | None:
    """Whether the parts that *item* names hold one of its values, where the element beside says when."""
    item = asked.item
    if item.when is None or item.when.fullmatch(beside) is None:
        return None
    for cell, start, end in _fixed(asked.version, asked.number, asked.name, item.parts):
        if end <= len(value) and value[start:end] not in item.values:
            return f"{value[start:end]!r} as {cell.name}"
    return None


def _needs(asked: Question, value: str, beside: str) -> str | None:
    """Whether the element beside is as *item* wants it, where the parts named hold one of its values."""
    item = asked.item
    held = any(
        value[start:end] in item.values
        for _, start, end in _fixed(asked.version, asked.number, asked.name, item.parts)
    )
    return "none" if held and item.when and not item.when.fullmatch(beside) else None


def _subelement_needs(asked: Question, value: str, beside: str) -> str | None:
    """Whether a chain has one of the subelements that *item* wants, where others of it match."""
    item = asked.item
    found = dict(_subelements(value, item.lead) or ())
    asks = any(item.when and item.when.fullmatch(found[one]) for one in item.parts if one in found)
    return "none" if asks and item.values.isdisjoint(found) else None


def _first(version: str, number: int, name: str) -> Cell:
    """How the network lays the element out, by the first of its layouts."""
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


# By the name of the check in the rows.
_CHECKS: dict[str, Callable[[Question, str, str], str | None]] = {
    "length": _length,
    "regex": _regex,
    "multiple_of": _multiple,
    "values": _values,
    "tlv": _tlv,
    "subelements": _chain,
    "subelement_sizes": _sizes,
    "layout": _layout,
    "places": _places,
    "coded": _coded,
    "agrees": _agrees,
    "needs": _needs,
    "subelement_needs": _subelement_needs,
    "response_code": _response_code,
}
