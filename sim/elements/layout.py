"""What is inside a data element: the one reader and writer of the layout rows in `spec/data/layouts`.

`read` takes a value apart into named parts, each a slice of it, and says what does not fit and where;
`write` puts parts together. Nothing is raised for a value that does not fit: the rules say how bad that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from sim.elements.coded import known
from sim.elements.composing import write as write
from sim.elements.cutting import Cutting, inside
from sim.elements.cutting import Misfit as Misfit
from sim.elements.cutting import Part as Part
from sim.spec import Spec
from sim.spec.layouts import Layout as Layout
from sim.spec.layouts import laid_out as laid_out
from sim.spec.layouts import layouts as layouts


class Parts(NamedTuple):
    """A value taken apart by one layout. With `misfits` the parts are those that could be read."""

    layout: Layout
    parts: tuple[Part, ...]
    misfits: tuple[Misfit, ...]

    @property
    def fits(self) -> bool:
        """Whether the whole value fits the layout."""
        return not self.misfits

    def get(self, name: str) -> str:
        """The value of the first part of that key or name, empty where there is none."""
        return next((part.value for part in self.parts if name in (part.key, part.cell.name)), "")

    def walk(self) -> Iterator[tuple[Part, int]]:
        """All parts with their depth, each before its own."""
        yield from _walk(self.parts, 0)


def _walk(parts: tuple[Part, ...], depth: int) -> Iterator[tuple[Part, int]]:
    for part in parts:
        yield part, depth
        yield from _walk(part.children, depth + 1)


def read(layout: Layout, value: str) -> Parts:
    """Take *value* apart by *layout*.

    >>> [part.value for part in read(layouts("1987", 3)[0], "002030").parts]
    ['00', '20', '30']
    """
    reading = Cutting(layout, value)
    parts = inside(reading, layout.cell, 0, len(value), 0)
    return Parts(layout, parts, tuple(reading.misfits))


def fits(layout: Layout, value: str) -> bool:
    """Whether *value* fits *layout*; cheap where its parts stand in places.

    >>> fits(layouts("1987", 3)[0], "002030"), fits(layouts("1987", 3)[0], "00203")
    (True, False)
    """
    pattern = layout.pattern
    if pattern is not None:
        if pattern.fullmatch(value) is None:
            return False
        if (strict := layout.strict) is not None:
            own, size = layout.network, len(value)  # a part that is left out need not be known
            return all(
                at >= size or known(cell, value[at:end], layout.version, own) for cell, at, end in strict
            )
    return not read(layout, value).misfits


def fitting(version: str | Spec, number: int, value: str, network: str | None = None) -> Parts | None:
    """*value* taken apart by the layout of its element that fits; where several do, by the one that cuts
    the fewest words in two, then by the first. None where none fits.

    >>> found = fitting("1987", 43, f"{'CORNER SHOP':<22} {'LONDON':<13} GBR")
    >>> found.get("city") if found else None
    'LONDON       '
    """
    best, least = None, 0
    for layout in tried(version, number, network):
        if layout.pattern is not None and not fits(layout, value):
            continue
        found = read(layout, value)
        if found.misfits:
            continue
        torn = _torn(found)
        if not torn:
            return found
        if best is None or torn < least:
            best, least = found, torn
    return best


def closest(version: str | Spec, number: int, value: str, network: str | None = None) -> Parts | None:
    """*value* taken apart by the layout that fits, else by the one that fits furthest; None where no
    layout is known."""
    found = fitting(version, number, value, network)
    if found is not None:
        return found
    found_by = [read(layout, value) for layout in tried(version, number, network)]
    return max(found_by, key=lambda one: one.misfits[0].start) if found_by else None


def tried(version: str | Spec, number: int, network: str | None = None) -> tuple[Layout, ...]:
    """The layouts to try: a dialect's own come before the network's and the standard's."""
    if isinstance(version, Spec):
        own = tuple(one for one in version.parts if one.number == number)
        return own or layouts(version.version, number, network)
    return layouts(version, number, network)


def _torn(found: Parts) -> int:
    """How many borders between two texts stand inside a word."""
    return sum(
        one.cell.codes == two.cell.codes == "text" and one.value[-1:].isalnum() and two.value[:1].isalnum()
        for one, two in zip(found.parts, found.parts[1:], strict=False)
    )


@lru_cache(maxsize=512)
def standing(version: str, number: int, network: str | None, key: str) -> tuple[Layout, slice] | None:
    """Where part *key* stands in every value of an element that fits its layout, and that layout; None where
    that depends on the value, or the element has several layouts. A value may end in front of it."""
    known = layouts(version, number, network)
    if len(known) != 1 or known[0].pattern is None:
        return None
    places = (slice(start, end) for cell, start, end in known[0].cell.front if cell.key == key)
    return next(((known[0], one) for one in places), None)


@cache
def place(version: str, number: int, name: str) -> slice:
    """Where the part of that key or name stands in an element of fixed places; raises KeyError where the
    first layout of *version* has no such part.

    >>> "002030"[place("1987", 3, "to account")]
    '30'
    """
    for layout in layouts(version, number)[:1]:
        for cell, start, end in layout.cell.slices or ():
            if name in (cell.key, cell.name):
                return slice(start, end)
    raise KeyError(name)
