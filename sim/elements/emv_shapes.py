"""Chip data of a shape that came before: the same tags, each as long, so that slices read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from sim.elements.tlv import Tag
from sim.kept import Kept

Getter = Callable[[str], tuple[str, ...]]

# The stubs know itemgetter for single places only.
_NOTHING: tuple[Any, Any] = (slice(0, 0), slice(0, 0))
_HEX = re.compile("[0-9A-F]*").fullmatch
_HEAD = 6
# Shapes of one length that begin alike; more of them are rare.
_ALIKE = 4


def getter(places: Sequence[Any]) -> Getter:
    """What takes *places* out of a text: always a tuple, with two empty texts at its end."""
    made: Getter = itemgetter(*places, *_NOTHING)
    return made


class Shape:
    """Which tags chip data have, how long each is, where their values stand: `places`, by name. Holds
    heads of tags, no values."""

    __slots__ = ("_at", "_begins", "_ends", "_head", "_heads", "_starts", "_values", "places")

    def __init__(self, tags: Sequence[Tag], text: str) -> None:
        self.places = {tag.tag: slice(tag.value_start, tag.end) for tag in tags}
        self._at = {tag.tag: tag.start for tag in tags}
        self._begins = tuple(self._at.values())
        self._starts = tuple(tag.value_start for tag in tags)
        self._ends = tuple(tag.end for tag in tags)
        self._heads = getter(list(map(slice, self._begins, self._starts)))
        self._values = getter(list(self.places.values()))
        self._head = self._heads(text)

    def fits(self, text: str) -> bool:
        """Whether *text*, of the same length, has these tags."""
        return self._heads(text) == self._head and _HEX(text) is not None

    def tag(self, name: str, text: str) -> Tag:
        """The tag *name* of *text*, which fits. Raises KeyError when there is none."""
        place = self.places[name]
        return Tag(name, text[place], self._at[name], place.start, place.stop)

    def tags(self, text: str) -> tuple[Tag, ...]:
        """The tags of *text*, which fits."""
        return tuple(map(Tag, self.places, self._values(text), self._begins, self._starts, self._ends))


_SHAPES: Kept[tuple[int, str], tuple[Shape, ...]] = Kept(256)


def known(text: str) -> Shape | None:
    """The shape of *text*, where data of that shape came before."""
    for shape in _SHAPES.get((len(text), text[:_HEAD])) or ():
        if shape.fits(text):
            return shape
    return None


def remember(text: str, tags: Sequence[Tag]) -> None:
    """Remember the shape of *text*, where it is no more than single tags without templates or fill."""
    single = len({tag.tag for tag in tags}) == len(tags) and not any(tag.constructed for tag in tags)
    if single and sum(tag.end - tag.start for tag in tags) == len(text) and _HEX(text):
        key = len(text), text[:_HEAD]
        others = _SHAPES.get(key) or ()
        _SHAPES.keep(key, (Shape(tags, text), *others[: _ALIKE - 1]))
