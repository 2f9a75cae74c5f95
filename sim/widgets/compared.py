"""Two messages row by row, as plain data: elements, and what is inside those that differ.

A projection of `sim.operations.anatomy.differences`, which alone says what differs. All its texts are masked.

    rows        [{number, depth, label, name, kind, a, b, meaning_a, meaning_b, said}] in the order of the
                elements: kind changed, added (only in the second), removed (only in the first) or same; depth
                0 for an element, more for a part of the one above; a and b None where a message lacks it;
                said tells a change that masked values do not show
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.errors import BITMAP_FIELD
from sim.operations.anatomy import READ, UNREAD, Anatomy, Place, differences
from sim.widgets.parts import ShownPart, parts

Row = dict[str, Any]

CHANGED, ADDED, REMOVED, SAME = "changed", "added", "removed", "same"
_HIDDEN = "differs in what is masked"


def rows_of(a: Anatomy, b: Anatomy) -> list[Row]:
    """All elements of *a* and *b*, side by side, with the parts in which they differ."""
    left, right = ({place.number: place for place in side.places} for side in (a, b))
    differing = {found.number for found in differences(a, b)}
    numbers = sorted({*left, *right} - {BITMAP_FIELD}, key=lambda number: (number < 0, number))
    made: list[Row] = []
    for number in numbers:
        one, two = left.get(number), right.get(number)
        kind = _kind(one, two) if number in differing else SAME
        sides = (_told(a, one), _told(b, two))
        names = dict.fromkeys(told[0] for told in sides if told)
        made.append(_row(number, 0, "", " / ".join(names), kind, *(told and told[1:] for told in sides)))
        if kind == CHANGED and one and two and one.state == two.state == READ:
            made += _inside(a, b, number)
    return made


def differing(rows: list[Row]) -> list[Row]:
    """Those of *rows* that differ."""
    return [row for row in rows if row["kind"] != SAME]


def _kind(one: object, two: object) -> str:
    return CHANGED if one and two else REMOVED if one else ADDED


def _told(seen: Anatomy, place: Place | None) -> tuple[str, str, str] | None:
    """The name, the masked value and the meaning of an element."""
    if place is None:
        return None
    prefix, value = seen.covered[place.number]
    shown = value if place.state == READ else prefix + value
    return (seen.name(place) if place.number != UNREAD else "left unread"), shown, seen.meaning(place)


def _row(
    number: int,
    depth: int,
    label: str,
    name: str,
    kind: str,
    one: tuple[str, ...] | None,
    two: tuple[str, ...] | None,
) -> Row:
    values, meanings = ([told[at] if told else None for told in (one, two)] for at in (0, 1))
    row: Row = {"number": number, "depth": depth, "label": label, "name": name, "kind": kind}
    row |= {"a": values[0], "b": values[1], "meaning_a": meanings[0] or "", "meaning_b": meanings[1] or ""}
    return row | {"said": _HIDDEN if kind == CHANGED and values[0] == values[1] else ""}


def _inside(a: Anatomy, b: Anatomy, number: int) -> Iterator[Row]:
    """The parts of an element in which the two messages differ: tags, sub-fields, digits."""
    left, right = (dict(_keyed(seen, number)) for seen in (a, b))
    for key in _merged(list(left), list(right)):
        one, two = left.get(key), right.get(key)
        if one and two and one[1] == two[1]:
            continue
        part = left[key][0] if one else right[key][0]
        told = [((found[0].value or found[2]), found[0].meaning) if found else None for found in (one, two)]
        yield _row(number, part.depth + 1, part.label, part.name, _kind(one, two), *told)


def _keyed(seen: Anatomy, number: int) -> Iterator[tuple[tuple[object, ...], tuple[ShownPart, str, str]]]:
    """The innermost parts of an element by their labels from the outside in, each with its true and its
    masked characters; a label that comes again is counted."""
    value = "".join(seen.value(place) for place in seen.places if place.number == number)
    shown = seen.covered[number][1]
    found = parts(seen.message, number, shown, seen.network)
    path: list[str] = []
    counts: dict[tuple[object, ...], int] = {}
    for at, part in enumerate(found):
        path = [*path[: part.depth], part.label]
        if at + 1 < len(found) and found[at + 1].depth > part.depth:
            continue  # what is inside it says more
        key = tuple(path)
        counts[key] = counts.get(key, 0) + 1
        yield (*key, counts[key]), (part, value[part.start : part.end], shown[part.start : part.end])


def _merged(left: list[tuple[object, ...]], right: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The keys of both in the order of the first; what only the second has follows what it follows there."""
    known = set(left)
    after: dict[tuple[object, ...] | None, list[tuple[object, ...]]] = {}
    last: tuple[object, ...] | None = None
    for key in right:
        if key in known:
            last = key
        else:
            after.setdefault(last, []).append(key)
    merged = list(after.get(None, []))
    for key in left:
        merged += [key, *after.get(key, [])]
    return merged
