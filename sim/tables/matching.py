"""The messages of a table as `sim.exchanges.matching.pairing` compares them: columns of integers, equal for
equal texts, so that no message object is made. The rules come from `sim.exchanges.matching.rules`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.elements.card import TRACK_1, TRACK_2
from sim.exchanges.matching.pairing import Keys, Traffic
from sim.exchanges.matching.rules import ANSWER, ASK, NONE, Link, Place, Rule, Tie, kind, role, rules
from sim.spec import VERSIONS
from sim.tables.columns.lines import first_of
from sim.tables.columns.table import number_of

Ints = np.ndarray[Any, np.dtype[np.int64]]
LINKS: tuple[Link, ...] = ("answer", "original", "approved")
_REVERSAL, _CARD = "4", 2
_TRACKS = {35: TRACK_2, 45: TRACK_1}
_LARGEST = 2**62


class Columns:
    """The messages as Arrow columns and as numbers, each computed once."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self.size = len(table)
        (mti, good), version = readable_rows(table), self._text("version")
        self.mtis, self.mti = _factorized(mti.where(good))
        self.versions, self.version = _factorized(version.where(version.isin(VERSIONS)))
        self.networks, self.network = _factorized(self._text("network"))
        self._codes: dict[Place, Ints] = {}
        self.named = {number: name for name in table.columns if (number := number_of(name))}

    def _text(self, name: str) -> pd.Series[Any]:
        if name in self.table.columns:
            return self.table[name].astype("str")
        return pd.Series(None, index=self.table.index, dtype="str")

    def by_mti(self, what: Callable[[str], Any], missing: Any) -> Any:
        """The result of *what* for each row's MTI."""
        results = np.array([*(what(mti) for mti in self.mtis), missing])
        return results[self.mti]

    def by_class(self, what: Callable[[str], bool]) -> Any:
        """Whether *what* holds for the class of each row's message, the second digit of its MTI."""
        return self.by_mti(lambda mti: what(mti[1:2]), False)

    def column(self, number: int) -> Any:
        """The values of an element as an Arrow array; None if no message contains it."""
        name = self.named.get(number)
        if name is None:
            return None
        values = pa.array(self.table[name].astype("str"), from_pandas=True)
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        return None if values.null_count == len(values) else values

    def cards(self) -> Any:
        """The card numbers as an Arrow array, from tracks if there is no DE 2; None if there are none."""
        found = [self.column(_CARD)]
        for number, pattern in _TRACKS.items():
            if (cells := self.column(number)) is not None:
                found.append(pc.struct_field(pc.extract_regex(cells, pattern), "pan"))
        columns = [cells for cells in found if cells is not None]
        return pc.coalesce(*columns) if columns else None

    def values(self, place: Place) -> Any:
        """The values at *place* as they are compared, without leading zeros; missing if there is none."""
        if place.text:
            return pa.array([place.text] * self.size, pa.large_string())
        if place.number == 0:
            texts = pa.array([mti[:3].lstrip("0") for mti in self.mtis] or [""], pa.large_string())
            cells = texts.take(pa.array(np.where(self.mti < len(self.mtis), self.mti, 0)))
            return pc.if_else(pa.array(self.mti < len(self.mtis)), cells, pa.scalar(None, cells.type))
        cells = self.cards() if place.number == _CARD else self.column(place.number)
        if cells is None:
            return None
        if place.mark:
            cells = pc.struct_field(pc.extract_regex(cells, f"(?s){place.mark}(?P<rest>.*)"), "rest")
        if place.end is not None:
            cells = pc.utf8_slice_codeunits(cells, place.start, place.end)
        bare = pc.utf8_ltrim(cells, "0").cast(pa.large_string())
        if place.zeros:
            bare = pc.if_else(pc.and_(pc.equal(bare, ""), pc.greater(pc.utf8_length(cells), 0)), "0", bare)
        return pc.if_else(pc.equal(bare, ""), pa.scalar(None, bare.type), bare)

    def codes(self, tie: Tie) -> tuple[Ints, Ints] | None:
        """Both sides of *tie* as numbers from 1, 0 if missing; None if no message has one of the sides."""
        if tie.earlier == tie.later:
            if tie.earlier not in self._codes:
                values = self.values(tie.earlier)
                self._codes[tie.earlier] = np.zeros(0, np.int64) if values is None else numbers_of(values)
            numbers = self._codes[tie.earlier]
            return (numbers, numbers) if len(numbers) or not self.size else None
        sides = self.values(tie.earlier), self.values(tie.later)
        if sides[0] is None or sides[1] is None:
            return None
        both = numbers_of(pa.concat_arrays(sides))
        return both[: self.size], both[self.size :]


def readable_rows(table: pd.DataFrame) -> tuple[pd.Series[Any], Any]:
    """The MTI of each row, and which rows are messages."""
    mti = table["mti"].astype("str")
    good = mti.str.fullmatch("[0-9]{4}").fillna(False).to_numpy(bool)
    return mti, good & (table["error"].fillna("") == "").to_numpy(bool) if "error" in table else good


def _factorized(column: pd.Series[Any]) -> tuple[list[str], Ints]:
    """The distinct values, and the index of each row's value; missing values have the last index."""
    codes, values = pd.factorize(column)
    numbers = codes.astype(np.int64)
    numbers[numbers < 0] = len(values)
    return [str(value) for value in values], numbers


def numbers_of(texts: Any) -> Ints:
    """Numbers from 1 for equal texts, 0 for missing ones."""
    encoded = texts.dictionary_encode()
    codes: Ints = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    return codes


def traffic_of(columns: Columns, seconds: Any) -> Traffic:
    """The messages as `pair` compares them; *seconds* is when each was seen, None if that is unknown."""
    versioned = columns.version < len(columns.versions)
    state = _State(columns, np.where(versioned, columns.by_mti(role, NONE), NONE))
    answers, originals, approved = (
        tuple(
            _rule_keys(state, link, at)
            for at in range(max(len(rules(version, link)) for version in VERSIONS))
        )
        for link in LINKS
    )
    return Traffic(
        _int64_view(state.roles),
        answers,
        originals,
        approved,
        _int64_view(_bodies(columns, state.doubtful | ((state.roles == ASK) & ~state.keyed))),
        _int64_view(columns.by_class(lambda kind: kind == _REVERSAL)),
        None if seconds is None else seconds.tolist(),
    )


def _int64_view(numbers: Any) -> Any:
    """Numbers to be read one by one, without an object for each."""
    array: Any = np.ascontiguousarray(numbers, dtype=np.int64)
    return memoryview(array)


class _State:
    """Collected from rule to rule: only requests whose key another request has, too, can be duplicates."""

    def __init__(self, columns: Columns, roles: Any) -> None:
        self.columns, self.roles = columns, roles
        self.doubtful = np.zeros(columns.size, bool)
        self.keyed = np.zeros(columns.size, bool)

    def asked(self, earlier: Ints) -> None:
        """Mark the requests that share a key, by the first rule that gives them one."""
        new = np.flatnonzero((earlier >= 0) & ~self.keyed & (self.roles == ASK))
        self.doubtful[new] = pd.Series(earlier[new]).duplicated(keep=False).to_numpy()
        self.keyed[new] = True


def _rule_keys(state: _State, link: Link, at: int) -> Keys:
    """Rule *at* of all versions at once: messages of different versions never match."""
    columns, size = state.columns, state.columns.size
    earlier, later = np.full(size, -1), np.full(size, -1)
    agree: list[tuple[Ints, Ints]] = []
    offset = 0
    for place, version in enumerate(columns.versions):
        version_rules = rules(version, link)
        if at >= len(version_rules):
            continue
        rule, chosen = version_rules[at], (columns.version == place) & (state.roles != NONE)
        mixed = _mixed(columns, rule)
        if mixed is None:
            continue
        first, other = np.where(chosen, mixed[0], -1), np.where(chosen, mixed[1], -1)
        if link == "answer":
            state.asked(first)
            seeks = (other >= 0) & (state.roles != ASK)
        else:
            seeks = (other >= 0) & columns.by_class(rule.seeks)
        codes, sought = pd.factorize(other[seeks])
        if not len(sought):
            continue
        answers = state.roles == ANSWER
        may = (first >= 0) & (answers if link == "approved" else ~answers) & _may_be_found(columns, rule)
        index = pd.Index(sought).get_indexer(first[may])
        earlier[may] = np.where(index >= 0, index + offset, -1)
        later[seeks] = codes + offset
        offset += len(sought)
        # The values on which these messages must agree, next to those of other versions.
        for tie, sides in enumerate(filter(None, map(columns.codes, rule.agree))):
            if tie == len(agree):
                agree.append((np.zeros(size, np.int64), np.zeros(size, np.int64)))
            left, right = agree[tie]
            agree[tie] = np.where(chosen, sides[0], left), np.where(chosen, sides[1], right)
    agreed = tuple((_int64_view(left), _int64_view(other)) for left, other in agree)
    return Keys(offset, _int64_view(earlier), _int64_view(later), agreed)


def _may_be_found(columns: Columns, rule: Rule) -> Any:
    """The messages that can be the earlier one of *rule*."""
    earlier = columns.by_class(lambda kind: rule.found(kind, ""))
    if rule.network:
        networks = np.array([name in ("", rule.network) for name in columns.networks] + [True])
        earlier = earlier & networks[columns.network]
    return earlier


def _mixed(columns: Columns, rule: Rule) -> tuple[Ints, Ints] | None:
    """A number per message that combines all ties of *rule*, for either side; -1 if a value is missing.
    None if no message has all of them."""
    kinds = {name: at for at, name in enumerate(sorted({kind(mti) for mti in columns.mtis}))}
    start = columns.by_mti(lambda mti: kinds[kind(mti)], -1) if rule.link == "answer" else 0
    first = then = np.zeros(columns.size, np.int64) + start
    reach = len(kinds) + 1
    for tie in rule.ties:
        sides = columns.codes(tie)
        if sides is None:
            return None
        width = int(max(sides[0].max(initial=0), sides[1].max(initial=0))) + 1
        if reach * width > _LARGEST:
            both = pd.factorize(np.concatenate([first, then]))[0].astype(np.int64)
            first, then, reach = both[: columns.size], both[columns.size :], 2 * columns.size
        same = first is then and sides[0] is sides[1]
        first = _joined(first, sides[0], width)
        then = first if same else _joined(then, sides[1], width)
        reach *= width
        if not (then >= 0).any():
            return None
    return first, then


def _joined(numbers: Ints, codes: Ints, width: int) -> Ints:
    return np.where((numbers >= 0) & (codes > 0), numbers * width + codes, -1)


def _bodies(columns: Columns, doubtful: Any) -> Ints:
    """Equal numbers for equal requests among the *doubtful* ones; -1 elsewhere."""
    bodies = np.full(columns.size, -1, np.int64)
    rows = np.flatnonzero(doubtful)
    equal = columns.mti[rows]
    for number in sorted(columns.named) if len(rows) else ():
        texts = columns.column(number)
        if texts is not None:
            equal, _ = first_of([equal, numbers_of(texts.take(pa.array(rows)))])
    bodies[rows] = equal
    return bodies
