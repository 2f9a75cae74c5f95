"""The messages of a table as `sim.match` compares them: columns of integers, equal for equal texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.exchanges.matching.rules import Place, Tie
from sim.spec import VERSIONS
from sim.tables.columns.table import number_of

Ints = np.ndarray[Any, np.dtype[np.int64]]


class Columns:
    """The messages as Arrow columns and as numbers, each computed once."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self.size = len(table)
        mti, version = table["mti"].astype("str"), self._text("version")
        good = mti.str.fullmatch("[0-9]{4}").fillna(False).to_numpy(bool)
        if "error" in table.columns:
            good = good & table["error"].isna().to_numpy(bool)
        self.mtis, self.mti = _coded(mti.where(good))
        self.versions, self.version = _coded(version.where(version.isin(VERSIONS)))
        self.networks, self.network = _coded(self._text("network"))
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

    def column(self, number: int) -> Any:
        """The values of an element as an Arrow array; None if no message contains it."""
        name = self.named.get(number)
        if name is None:
            return None
        values = pa.array(self.table[name].astype("str"), from_pandas=True)
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        return None if values.null_count == len(values) else values

    def values(self, place: Place) -> Any:
        """The values at *place* as they are compared, without leading zeros; missing if there is none."""
        if place.text:
            return pa.array([place.text] * self.size, pa.large_string())
        if place.number == 0:
            texts = pa.array([mti[:3].lstrip("0") for mti in self.mtis] or [""], pa.large_string())
            cells = texts.take(pa.array(np.where(self.mti < len(self.mtis), self.mti, 0)))
            return pc.if_else(pa.array(self.mti < len(self.mtis)), cells, pa.scalar(None, cells.type))
        cells = self.column(place.number)
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


def _coded(column: pd.Series[Any]) -> tuple[list[str], Ints]:
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
