"""Values of a column that rules cannot tell apart, written alike, so that they are asked once.

Each function here gives the bytes of a column anew, as many as before: what the part of that name reads in a
value, and what a rule says that names it, is the same of both, but for the characters that were found.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from sim.elements import dates
from sim.judge.parts import readable
from sim.spec import ElementSpec
from sim.spec.layouts import FOREIGN
from sim.tables.columns.cards import matrix, tracks
from sim.tables.columns.cut import CutColumn, by_width, copy
from sim.tables.columns.lines import Bools, Bytes

_ZERO = 48
# A card number's first digits say whether a country code stands in front of the expiry; that and the service
# code stand behind the separator.
_PREFIX, _BEHIND = 2, 8
# So many layouts of chip data of one size are looked for in a block; other values stay as they are.
_LAYOUTS = 32
# What may begin a dataset or a network's own layout, which the first digits decide.
_HEADS, _HEAD = (b"01", b"C1", b"c1"), 8
_HEX = np.zeros(256, np.bool_)
_HEX[list(b"0123456789ABCDEFabcdef")] = True


def characters(column: CutColumn, element: ElementSpec) -> Bytes:
    """Characters that the class of the element has, all alike; and those it has not."""
    return np.frombuffer(column.data.tobytes().translate(_character_of(element.content)), np.uint8)


@cache
def _character_of(content: str) -> bytes:
    """For each byte the first that the class of *content* treats as it does, in front and further behind."""
    foreign, first = FOREIGN[content], dict[tuple[bool, bool], int]()
    signs = [chr(byte) for byte in range(128)]
    kinds = [(foreign.search(sign) is None, foreign.search("C" + sign) is None) for sign in signs]
    found = [first.setdefault(kind, byte) for byte, kind in enumerate(kinds)]
    return bytes([*found, *range(128, 256)])


def moments(column: CutColumn, element: ElementSpec) -> Bytes:
    """Sound hours, minutes and seconds as zeros: what is left is the date, and what is wrong."""
    width, data = len(element.pattern), column.data
    if not width or not (np.diff(column.offsets)[column.valid] == width).all():
        return data
    cells = data.reshape(-1, width).copy()
    for start, legal in dates.times(element.pattern):
        pairs = cells[:, start].astype(np.uint16) << 8 | cells[:, start + 1]
        cells[_among(legal)[pairs], start : start + 2] = _ZERO
    return cells.reshape(-1)


@cache
def _among(legal: frozenset[str]) -> Bools:
    """Which two digits are among those, by their bytes as one number."""
    sound = np.zeros(1 << 16, np.bool_)
    sound[[int.from_bytes(text.encode(), "big") for text in legal]] = True
    return sound


def stripes(column: CutColumn, element: ElementSpec) -> Bytes:
    """Tracks without the digits of the card number, but the first, and of what the issuer adds."""

    def write(cells: Bytes) -> None:
        starts = np.arange(len(cells), dtype=np.int64) * cells.shape[1]
        good, at = tracks(cells.reshape(-1), starts, cells.shape[1])
        places = np.arange(cells.shape[1])
        free = (places >= _PREFIX) & (places < at[:, None]) | (places >= at[:, None] + _BEHIND)
        cells[free & good[:, None]] = _ZERO

    return _rewritten(column, write)


def tags(column: CutColumn, element: ElementSpec) -> Bytes:
    """Chip data without the values of tags."""
    return _rewritten(column, _without_values)


def _without_values(cells: Bytes) -> None:
    left = np.arange(len(cells))
    for _ in range(_LAYOUTS):
        if not len(left):
            return
        some = cells[left]
        free = _values(some[0].tobytes())
        same: Bools = ((some == some[0]) | free).all(axis=1)
        same &= _HEX[some[:, free]].all(axis=1)
        cells[left[same]] = np.where(free, _ZERO, some[0])
        same[0] = True
        left = left[~same]


def _values(chip: bytes) -> Bools:
    """Where *chip*, chip data, have the values of tags that hold no others."""
    free = np.zeros(len(chip), np.bool_)
    for tag in readable(chip.decode("utf-8", "replace")).tags:
        if not tag.constructed:
            free[tag.value_start : tag.end] = True
    if chip[:2] in _HEADS:
        free[:_HEAD] = False
    return free


def _rewritten(column: CutColumn, write: Callable[[Bytes], None]) -> Bytes:
    """The bytes of *column*, those of one width written anew together."""
    data = np.empty_like(column.data)
    for width, rows in by_width(np.diff(column.offsets)):
        if width:
            cells, places = matrix(column.data, column.offsets[rows], width), column.offsets[rows]
            write(cells)
            copy(data, places, cells.reshape(-1), np.arange(0, cells.size, width), width)
    return data


# By what is read inside of an element.
ALIKE: dict[str, Callable[[CutColumn, ElementSpec], Bytes]] = {
    "characters": characters,
    "moment": moments,
    "stripe": stripes,
    "misfits": tags,
    "layout": tags,
    "heads": tags,
    "tagged": tags,
}
