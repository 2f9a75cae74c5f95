"""Marks of the values in a block: what the rules could tell apart in them, a byte per row and element.

Characters outside an element's class leave a row undecided. Dates get 1 where they are not in the calendar.
Of elements with few values, and of those whose layout only a scalar rule knows, each value is asked once
and marked by what the rules say of it. Chip data are alike where tags and lengths are.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from sim.codec import Message
from sim.elements import dates, emv
from sim.judge import content, groups, structure
from sim.judge.content import clean
from sim.judge.kind import check_network
from sim.spec import VERSIONS, spec
from sim.spec.networks import NETWORKS, network
from sim.tables.columns.cards import cells_of, matrix, tracks
from sim.tables.columns.cut import Block, CutColumn, by_width
from sim.tables.columns.lines import Bools, Bytes, Ints

UNSURE = 255
_TRACK_2, _CHIP, _PROCESSING_CODE, _AMOUNTS = 35, 55, 3, 54
_CURRENCIES = {"1987": (49, 50, 51), "1993": (49, 50, 51), "2003": (4, 5, 6, 8)}
_CURRENCY_DIGITS = 3
_SKELETONS = 48
# Chip data that begin so may be in another layout, which the first eight hex digits tell.
_OTHER_LAYOUTS = ("01", "C1")
_HEAD = 8
# A message type of which no network asks for certain elements.
_TYPICAL = "620"
_FIRST_DIGIT = {"1987": "0", "1993": "1", "2003": "2"}


class Marks:
    """Marks block after block of one source, so that they mean the same in each."""

    def __init__(self) -> None:
        self._signs: dict[tuple[str, int, str], int] = {}
        self._codes: dict[tuple[str, int], dict[object, int]] = {}
        self._skeletons: dict[tuple[str, int], list[tuple[Ints, bytes, int]]] = {}

    def of(self, block: Block) -> tuple[list[Bytes], Bools]:
        """A column of marks for each element that needs one, always in the same order, and the rows that
        they do not decide."""
        count = len(block.lines)
        unsure = block.group < 0
        marks: list[Bytes] = []
        versions = [one.version for one in block.groups]
        of_row = np.array([*(VERSIONS.index(version) for version in versions), len(VERSIONS)])[block.group]
        for version in sorted(set(versions)):
            mine = of_row == VERSIONS.index(version)
            whole = bool(mine.all())
            for number, column in block.columns.items():
                rows = np.flatnonzero(column.valid if whole else column.valid & mine)
                if len(rows):
                    self._classes(version, number, column, rows, unsure)
        for number in _marked():
            held = block.columns.get(number)
            mark = np.zeros(count, np.uint8)
            if held is not None:
                for version in sorted(set(versions)):
                    rows = np.flatnonzero(held.valid & (of_row == VERSIONS.index(version)) & ~unsure)
                    if len(rows) and number in _marked_in(version):
                        mark[rows] = self._mark(version, number, held, rows)
                unsure |= mark == UNSURE
            marks.append(mark)
        return marks, unsure

    def _classes(self, version: str, number: int, column: CutColumn, rows: Ints, unsure: Bools) -> None:
        """Leave undecided the rows with a character outside the element's class or half a byte."""
        element = spec(version)[number]
        if number == _TRACK_2:
            _tracks(column, rows, unsure)
            return
        if element.binary and element.prefix:
            unsure[rows[np.diff(column.offsets)[rows] % 2 == 1]] = True
        if element.content == "x+n":
            _signed(column, rows, element.width, unsure)
            return
        wrong = _foreign(column.data, _allowed(version, number))
        if wrong is not None:
            found = np.zeros(len(unsure), np.bool_)
            found[np.unique(np.searchsorted(column.offsets, wrong, side="right") - 1)] = True
            unsure[rows[found[rows]]] = True

    def _mark(self, version: str, number: int, column: CutColumn, rows: Ints) -> Bytes:
        if number == _CHIP:
            return self._chips(version, column, rows)
        element = spec(version)[number]
        if number not in _valued_in(version) and element.fixed and element.width == len(element.pattern):
            return _dates(element.pattern, cells_of(column, rows, element.width)).astype(np.uint8)
        head = _CURRENCY_DIGITS if number in _CURRENCIES[version] else None
        return self._each(version, number, column, rows, head)

    def _each(self, version: str, number: int, column: CutColumn, rows: Ints, head: int | None) -> Bytes:
        """Marks by what the rules say of each value, or of its first *head* characters."""
        widths = np.diff(column.offsets)[rows]
        marks = np.empty(len(rows), np.uint8)
        for width, chosen in by_width(widths):
            size = width if head is None else min(head, width)
            if not size:
                marks[chosen] = self._sign(version, number, "")
                continue
            held = [None, pa.py_buffer(matrix(column.data, column.offsets[rows[chosen]], size))]
            encoded = pa.Array.from_buffers(pa.binary(size), len(chosen), held).dictionary_encode()
            texts = [raw.decode("ascii") for raw in encoded.dictionary.to_pylist()]
            filled = [text.ljust(width, "0") for text in texts]
            signs = np.array([self._sign(version, number, text) for text in filled], np.uint8)
            marks[chosen] = signs[np.asarray(encoded.indices)]
        return marks

    def _sign(self, version: str, number: int, value: str) -> int:
        key = (version, number, value)
        if key not in self._signs:
            if len(self._signs) > 100_000:
                self._signs.clear()
            self._signs[key] = self._code(version, number, signature(version, number, value))
        return self._signs[key]

    def _code(self, version: str, number: int, what: object) -> int:
        codes = self._codes.setdefault((version, number), {})
        return min(codes.setdefault(what, len(codes) + 1), UNSURE)

    def _chips(self, version: str, column: CutColumn, rows: Ints) -> Bytes:
        """Marks of chip data: alike are those whose bytes outside of plain values are the same, since
        nothing else is read to take tags apart."""
        marks = np.full(len(rows), UNSURE, np.uint8)
        for width, chosen in by_width(np.diff(column.offsets)[rows]):
            cells = matrix(column.data, column.offsets[rows[chosen]], width)
            left = np.flatnonzero(~_not_hex(cells).any(axis=1))
            kept = self._skeletons.setdefault((version, width), [])
            for places, bones, code in kept:
                left = _take(marks, chosen, cells, left, places, bones, code)
            while len(left) and len(kept) < _SKELETONS:
                first = cells[left[0]].tobytes().decode("ascii")
                found = _bones(first)
                if found is None:
                    left = left[1:]
                    continue
                places = found
                code = self._code(version, _CHIP, (signature(version, _CHIP, first), len(kept), width))
                bones = cells[left[0]][places].tobytes()
                kept.append((places, bones, code))
                left = _take(marks, chosen, cells, left, places, bones, code)
        return marks


def _take(
    marks: Bytes, chosen: Ints, cells: Bytes, left: Ints, places: Ints, bones: bytes, code: int
) -> Ints:
    """Mark with *code* the rows that have *bones* at *places*; the rows that are left."""
    if not len(left):
        return left
    same = (cells[left[:, None], places] == np.frombuffer(bones, np.uint8)).all(axis=1)
    marks[chosen[left[same]]] = code
    others: Ints = left[~same]
    return others


def _bones(text: str) -> Ints | None:
    """The places of chip data that say how they are laid out; None where they cannot be read."""
    chip = emv.read(text)
    if chip.error is not None or chip.layout == "AGNS":
        return None
    bare = np.ones(len(text), np.bool_)
    for tag in chip.tags:
        if not tag.constructed:
            bare[tag.value_start : tag.end] = False
    if text[:2].upper() in _OTHER_LAYOUTS:
        bare[:_HEAD] = True
    return np.flatnonzero(bare)


def _asked(version: str, number: int) -> tuple[str, ...]:
    """The MTIs that bring up every network format that can find an error in the element."""
    masks = {
        mask
        for name in NETWORKS
        for item in network(name).formats
        if item.severity == "error" and number in item.fields and version in item.versions
        for mask in item.mtis or ("xxxx",)
    }
    typical = _FIRST_DIGIT[version] + _TYPICAL
    filled = {"".join(b if a == "x" else a for a, b in zip(mask, typical, strict=True)) for mask in masks}
    return tuple(sorted({typical, *filled}))


@cache
def _valued_in(version: str) -> frozenset[int]:
    """The elements in whose values the rules can find errors, beside characters, dates and chip data."""
    formats = {
        number
        for name in NETWORKS
        for item in network(name).formats
        if item.severity == "error" and not item.standard and version in item.versions
        for number in item.fields
        if number
    }
    return frozenset({*formats, *_CURRENCIES[version], _PROCESSING_CODE, _AMOUNTS} - {_CHIP})


@cache
def _marked_in(version: str) -> frozenset[int]:
    dated = {element.number for element in spec(version).elements if element.pattern}
    return frozenset({*dated, *_valued_in(version), _CHIP})


@cache
def _marked() -> tuple[int, ...]:
    """The elements with marks in any version."""
    return tuple(sorted({number for version in VERSIONS for number in _marked_in(version)}))


def signature(version: str, number: int, value: str) -> tuple[object, ...]:
    """What the rules that look at this element alone say of *value*: the errors by name. It does not
    depend on the message around it, so that it tells values apart in every message."""
    message = Message(f"{_FIRST_DIGIT[version]}100", {number: value}, version)
    said: list[object] = [hit.at for hit in content.date(message)]
    if number == _PROCESSING_CODE and version == "1987":
        said += [hit.field for hit in structure.missing_amount(message)]
    if number in _CURRENCIES[version]:
        said += [(hit.field, hit.severity) for hit in content.currency_known(message, number)]
    if number == _AMOUNTS:
        said += [hit.at for hit in groups.misfits(message, _AMOUNTS)]
    for mti in _asked(version, number):
        asked = Message(mti, {number: value}, version)
        for name in NETWORKS:
            found = check_network(asked, name)
            said += [(name, one.rule) for one in found if one.field == number and one.is_error]
    return tuple(said)


@cache
def _allowed(version: str, number: int) -> Bools:
    """Which characters the element's class has, by code."""
    chars = (clean(Message("", {number: chr(code)}, version), number) for code in range(128))
    return np.array([*chars, *([False] * 128)])


def _foreign(data: Bytes, allowed: Bools) -> Ints | None:
    """Where characters stand that are not *allowed*; None for nowhere."""
    codes = np.flatnonzero(allowed)
    first, span = int(codes[0]), int(codes[-1] - codes[0])
    # A run of codes, such as digits, is quicker compared than looked up.
    wrong = data - np.uint8(first) > span if span == len(codes) - 1 else ~allowed[data]
    return np.flatnonzero(wrong) if wrong.any() else None


def _signed(column: CutColumn, rows: Ints, width: int, unsure: Bools) -> None:
    """C or D and digits; anything else is left undecided."""
    for size, chosen in by_width(np.diff(column.offsets)[rows]):
        cells = cells_of(column, rows[chosen], size)
        good = (cells[:, 1:] - np.uint8(48) <= 9).all(axis=1) & (size == width)
        if size:
            good &= (cells[:, 0] == ord("C")) | (cells[:, 0] == ord("D"))
        unsure[rows[chosen[~good]]] = True


def _tracks(column: CutColumn, rows: Ints, unsure: Bools) -> None:
    for width, chosen in by_width(np.diff(column.offsets)[rows]):
        good, _ = tracks(column.data, column.offsets[rows[chosen]], width)
        unsure[rows[chosen[~good]]] = True


@cache
def _hex_digits() -> Bools:
    return np.array([chr(code) in "0123456789ABCDEFabcdef" for code in range(256)])


def _not_hex(cells: Bytes) -> Bools:
    return ~_hex_digits()[cells]


def _dates(pattern: str, cells: Bytes) -> Bools:
    """Which rows of digits are no date or time of *pattern*."""
    wrong = np.zeros(len(cells), np.bool_)
    values: dict[str, Ints] = {}
    for part in dates.PART.finditer(pattern):
        value = np.zeros(len(cells), np.int64)
        for place in range(part.start(), part.end()):
            value *= 10
            value += cells[:, place] - np.uint8(48)
        values[part[0]] = value
        if part[0] not in ("YY", "CCYY", "DD"):
            # What is no digit has been left undecided by its class; its number here means nothing.
            wrong |= _impossible(part[0])[np.minimum(value, 99)]
    if "DD" in values:
        day = values["MM"] * 100 + values["DD"]
        wrong |= _impossible("MMDD")[np.minimum(day, 9999)]
        year = "CCYY" if "CCYY" in values else "YY"
        if year in values:
            wrong |= _no_leap_day(year, values[year], day)
    return wrong


@cache
def _impossible(pattern: str) -> Bools:
    """Which numbers are impossible in *pattern*."""
    size = len(pattern)
    found = (dates.problem(pattern, f"{value:0{size}}") is not None for value in range(10**size))
    return np.fromiter(found, np.bool_, 10**size)


def _no_leap_day(year: str, years: Ints, day: Ints) -> Bools:
    wrong = np.zeros(len(day), np.bool_)
    leap = np.flatnonzero(day == 229)
    for value in np.unique(years[leap]).tolist():
        text = f"{value:0{len(year)}}0229"
        if dates.problem(f"{year}MMDD", text) is not None:
            wrong[leap[years[leap] == value]] = True
    return wrong
