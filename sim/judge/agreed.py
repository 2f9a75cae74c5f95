"""What surely agrees: elements, and chip data of a known shape, that say the same twice, as nearly all do.

A rule that compares declares what must agree for it to say nothing: two parts of elements with the same text
(`Equal`), or parts of tags with parts of elements (`Same`). Where that holds, it need not be asked. As with
`sim.judge.fine`, what does not hold may be right, too: then the rule is asked. A test asks each rule about
messages in which all parts agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq
from typing import NamedTuple

from sim.elements.emv_shapes import Shape

_WHOLE = slice(None)


class Equal(NamedTuple):
    """Two parts of elements: places in the value of element `first` and of `second`."""

    first: int
    second: int
    of_first: slice = _WHOLE
    of_second: slice = _WHOLE


class Same(NamedTuple):
    """A part of tag `tag` that `agrees` with a part of element `number`, empty where it is not there; with
    equal texts, unless told otherwise. Where the tag is not there, nothing disagrees."""

    tag: str
    number: int
    of_tag: slice = _WHOLE
    of_element: slice = _WHOLE
    agrees: Callable[[str, str], object] = eq


# What must agree for a rule to say nothing, in a version.
Agreement = Callable[[str], Sequence[Same]]


def same(*parts: Same) -> Agreement:
    """The same *parts* in every version."""
    return lambda _: parts


class Comparison:
    """What is compared in messages whose chip data have one *shape*, for each of *agreements*."""

    __slots__ = ("_parts",)

    def __init__(self, shape: Shape, agreements: Sequence[Sequence[Same]]) -> None:
        self._parts = [
            (place, one.agrees, _within(shape.places[one.tag], one.of_tag), one.number, one.of_element)
            for place, parts in enumerate(agreements)
            for one in parts
            if one.tag in shape.places
        ]

    def doubtful(self, fields: Mapping[int, str], text: str) -> list[int]:
        """The places of the agreements that do not surely hold, of chip data *text* beside *fields*."""
        get = fields.get
        return [
            place
            for place, agrees, at, number, part in self._parts
            if not agrees(text[at], get(number, "")[part])
        ]


def _within(place: slice, part: slice) -> slice:
    """*part* of the text at *place*, as a place in the whole."""
    start, stop, _ = part.indices(place.stop - place.start)
    return slice(place.start + start, place.start + stop)
