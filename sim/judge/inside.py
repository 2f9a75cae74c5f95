"""What networks find inside an element: chains of sub-elements, and the layouts of their own rows.

Each check says what is wrong with a value, None when nothing is.
"""

from __future__ import annotations

from functools import cache, lru_cache

from sim.codec import Message
from sim.elements.layout import fits, layouts
from sim.spec.networks import FormatRow

# Several networks ask about a message one after the other; its data is kept no longer than that.
_LATEST = 4
_PAN_DIGITS = 12


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


@cache
def _limits(sizes: tuple[tuple[str, int, int], ...]) -> dict[str, tuple[int, int]]:
    return {tag: (least, most) for tag, least, most in sizes}


def sizes(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether the sub-elements that *item* names have a length in its limits."""
    limits = _limits(item.sizes)
    for tag, data in subelements(value, item.lead) or ():
        least, most = limits.get(tag, (0, len(data)))
        if not least <= len(data) <= most:
            return f"subelement {tag} of {len(data)} characters"
    return None


def layout(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    """Whether *value* fits the rows of the network that *item* names."""
    (owner,) = item.values
    fitting = _fits if len(value) >= _PAN_DIGITS else _fits_again
    return None if fitting(message.version, number, owner, value) else "another layout"


def _fits(version: str, number: int, owner: str, value: str) -> bool:
    own = [one for one in layouts(version, number, owner) if one.network == owner]
    return any(fits(one, value) for one in own)


# Short values are repeated, and are no card numbers.
_fits_again = lru_cache(maxsize=1024)(_fits)
