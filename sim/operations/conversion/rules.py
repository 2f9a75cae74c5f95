"""Which element of one version becomes which of the next: rows of `data/conversion`.

`elements.csv` has a row for each step between two neighbouring versions: the elements of the older and of
the newer one that hold the same facts, and `how` the one becomes the other. `codes.csv` has the codes that
change; `*` stands for every code without a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from sim.spec import VERSIONS
from sim.spec.tables import read_csv

LOST = "lost"
_ANY = "*"
_UP, _DOWN = ("both", "up"), ("both", "down")


@dataclass(frozen=True, slots=True)
class ConversionRow:
    """One row as it applies in one direction: `sources` become `targets`."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    how: str
    detail: str


def path(version: str, to: str) -> list[tuple[str, str]]:
    """The steps from *version* to *to*, each between neighbours.

    >>> path("2003", "1987")
    [('2003', '1993'), ('1993', '1987')]
    """
    start, end = VERSIONS.index(version), VERSIONS.index(to)
    way = VERSIONS[start : end + 1] if start <= end else VERSIONS[end : start + 1][::-1]
    return list(pairwise(way))


@cache
def rules(version: str, to: str) -> tuple[ConversionRow, ...]:
    """The rules of a step from *version* to its neighbour *to*, in the order in which they apply."""
    up = version < to
    found = []
    for row in read_csv("conversion/elements"):
        if (row["older"], row["newer"]) != tuple(sorted((version, to))):
            continue
        old, new = tuple(_numbers(row["old"])), tuple(_numbers(row["new"]))
        sources, targets = (old, new) if up else (new, old)
        if sources:
            found.append(ConversionRow(sources, targets, row["how"], row["detail"]))
    return tuple(found)


def code(version: str, to: str, name: str, value: str) -> str | None:
    """What code *value* of list *name* becomes in the neighbouring version *to*; None where no row says."""
    known = _codes(version, to, name)
    return known.get(value, known.get(_ANY))


def is_own(version: str, to: str, name: str, value: str) -> bool:
    """Whether *value* has a row of its own."""
    return value in _codes(version, to, name)


@cache
def _codes(version: str, to: str, name: str) -> Mapping[str, str]:
    up = version < to
    found: dict[str, str] = {}
    for row in read_csv("conversion/codes"):
        if (row["older"], row["newer"], row["list"]) == (*sorted((version, to)), name):
            source, target = (row["old"], row["new"]) if up else (row["new"], row["old"])
            if row["way"] in (_UP if up else _DOWN):
                found.setdefault(source, target)
    return found


def _numbers(text: str) -> Iterator[int]:
    """`2-4 9` as 2, 3, 4, 9."""
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
