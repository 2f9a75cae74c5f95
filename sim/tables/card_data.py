"""Columns of card data that mask themselves wherever pandas displays them.

pandas displays columns, distinct values, index labels, group keys and row cells in separate places. All of
them ask the cells or their array, so these do the masking. Every operation on a cell (compare, slice, join,
format) uses the true text; its `str` and `repr`, and so `print`, are masked. Exports contain the digits:
`tolist`, `to_numpy`, `to_csv`, `to_json`, `to_parquet`, `astype(str)`. If a row says which data element a
value belongs to, that element's masking applies; any other text is masked by its appearance.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype, no_default
from pandas.api.indexers import check_array_indexer

from sim.codec.bitmap import ALL_BITS
from sim.errors import BITMAP_FIELD
from sim.masking import UNREAD, Stretch, mask_cells, mask_piece
from sim.masking.texts import STAR
from sim.spec import spec

_TEXTS = pd.StringDtype("pyarrow", na_value=np.nan)


def least(ways: Iterable[str]) -> str:
    """The one of the masked texts *ways* that shows the least."""
    return min(ways, key=lambda text: 0 if text.endswith("masked]") else len(text) - text.count(STAR))


@dataclass(frozen=True, slots=True)
class Cover:
    """How the texts of a column are masked: by the one of `ways` that shows least, or by their appearance if
    there are none."""

    ways: frozenset[Callable[[str], str]] = frozenset()

    def __call__(self, text: str) -> str:
        return least([way(text) for way in self.ways] or [mask_piece(text)])

    def __or__(self, other: Cover) -> Cover:
        return self if self == other else Cover(self.ways | other.ways)


class Secret(str):
    """A text in a column of card data: displayed masked, otherwise the true text."""

    __slots__ = ("cover",)
    cover: Cover

    def __new__(cls, text: str, cover: Cover) -> Self:
        secret = super().__new__(cls, text)
        secret.cover = cover
        return secret

    @property
    def shown(self) -> str:
        """The masked text."""
        return self.cover(self[:])

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return repr(self.shown)

    def __format__(self, spec: str) -> str:
        return format(self[:], spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return Secret, (self[:], self.cover)


class CardDataType(ExtensionDtype):
    """The dtype of a column of card data. It has the name of pandas' string dtype, so that files written from
    such a column (Parquet) can be read without this package."""

    name = "str"
    type = str
    kind = "O"
    na_value = np.nan
    _metadata = ()

    @classmethod
    def construct_array_type(cls) -> builtins.type[CardData]:
        """The array of this type."""
        return CardData

    @classmethod
    def construct_from_string(cls, string: str) -> Self:
        """Always raises TypeError: the name is that of pandas' own strings."""
        raise TypeError(f"no card data column is named {string!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CardDataType)

    def __hash__(self) -> int:
        return hash(CardDataType)

    def _get_common_dtype(self, dtypes: list[Any]) -> Self | None:
        """Joined with pandas' own texts, or with columns of missing values, card data stays card data."""
        texts = (isinstance(kind, CardDataType | pd.StringDtype) for kind in dtypes)
        return self if all(texts) else None


class CardData(ExtensionArray):
    """An array of texts, with NaN for missing ones, and their `Cover`."""

    dtype = CardDataType()

    def __init__(self, texts: Any, cover: Cover) -> None:
        self._texts = texts
        self._cover = cover

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """*texts*, masked by their appearance."""
        return cls._from_sequence(texts)

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> Self:
        if isinstance(scalars, CardData):
            return cls(scalars._texts.copy() if copy else scalars._texts, scalars._cover)
        covers = [cell.cover for cell in scalars if isinstance(cell, Secret)]
        return cls(pd.array(_plain(scalars), dtype=_TEXTS), reduce(operator.or_, covers, Cover()))

    @classmethod
    def _from_factorized(cls, values: Any, original: Any) -> Self:
        return cls(pd.array(_plain(values), dtype=_TEXTS), original._cover)

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Self]) -> Self:
        joined = pd.concat([pd.Series(array._texts) for array in to_concat], ignore_index=True)
        return cls(joined.array, reduce(operator.or_, (array._cover for array in to_concat)))

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, item: Any) -> Any:
        return self._of(self._texts[check_array_indexer(self, item)])

    def __setitem__(self, key: Any, value: Any) -> None:
        cells = value if isinstance(value, CardData) else None
        self._texts[check_array_indexer(self, key)] = cells._texts if cells else _plain(value)
        if cells:
            self._cover |= cells._cover

    def __getattr__(self, name: str) -> Any:
        # `Series.str` looks up its methods on the array by these names; pandas has no public way for arrays
        # of other packages to provide them. pyproject.toml therefore limits pandas to >=3.0,<4.
        if not name.startswith("_str_"):
            raise AttributeError(name)
        method = getattr(self._texts, name)
        return lambda *args, **kwargs: self._of(method(*args, **kwargs))

    def _of(self, result: Any) -> Any:
        """*result*, a result of an operation on the texts, with their cover if it is text."""
        if isinstance(result, type(self._texts)):
            return type(self)(result, self._cover)
        if isinstance(result, list):
            return [*map(self._of, result)]
        if isinstance(result, np.ndarray) and result.dtype == object:
            return np.frompyfunc(self._of, 1, 1)(result)
        return Secret(result, self._cover) if isinstance(result, str) else result

    def __iter__(self) -> Iterator[Any]:
        return map(self._of, self.tolist())

    def __radd__(self, other: Any) -> Any:
        return self._of(_plain(other) + self._texts)

    def equals(self, other: object) -> bool:
        """Whether *other* has the same texts, of card data or not."""
        return bool(self._texts.equals(other._texts if isinstance(other, CardData) else other))

    @property
    def nbytes(self) -> int:
        """The size of all texts in bytes."""
        return int(self._texts.nbytes)

    def isna(self) -> Any:
        """Which cells are missing."""
        return self._texts.isna()

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Self:
        """The cells at *indices*."""
        filler = fill_value[:] if isinstance(fill_value, str) else None
        texts = self._texts.take(indices, allow_fill=allow_fill, fill_value=filler)
        return type(self)(texts, self._cover)

    def copy(self) -> Self:
        """A copy."""
        return type(self)(self._texts.copy(), self._cover)

    def unique(self) -> Self:
        """The distinct texts."""
        return type(self)(self._texts.unique(), self._cover)

    def factorize(self, use_na_sentinel: bool = True) -> tuple[Any, Self]:
        """The distinct texts, and the position of each cell among them."""
        codes, texts = self._texts.factorize(use_na_sentinel=use_na_sentinel)
        return codes, type(self)(texts, self._cover)

    def value_counts(self, dropna: bool = True) -> pd.Series[Any]:
        """The number of occurrences of each text."""
        counts = pd.Series(self._texts).value_counts(dropna=dropna)
        return pd.Series(counts.array, pd.Index(type(self)(counts.index.array, self._cover)), name="count")

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The cells as *dtype*; as objects they stay masked."""
        kind = pd.api.types.pandas_dtype(dtype)
        if kind == self.dtype:
            return self.copy() if copy else self
        if isinstance(kind, pd.CategoricalDtype):
            return pd.Categorical(self, dtype=kind)
        if kind == np.dtype(object):
            return np.fromiter(self, dtype=object, count=len(self))
        return self._texts.astype(dtype, copy=copy)

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: object = no_default) -> Any:
        """The true texts."""
        return self._texts.to_numpy(dtype=dtype, copy=copy, na_value=na_value)

    def tolist(self) -> list[Any]:
        """The true texts."""
        return list(self._texts.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self._texts, dtype=dtype)

    def __arrow_array__(self, type: Any = None) -> Any:
        return self._texts.__arrow_array__(type)

    def _values_for_argsort(self) -> Any:
        return self._texts.to_numpy(dtype=object, na_value=None)

    def _formatter(self, boxed: bool = False) -> Callable[[Any], str | None]:
        return lambda cell: self._cover(cell[:]) if isinstance(cell, str) else str(cell)

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        result = self._of(getattr(pd.Series(self._texts), name)(skipna=skipna, **kwargs))
        return type(self)._from_sequence([result]) if keepdims else result


def _plain(scalars: Any) -> Any:
    if isinstance(scalars, str):
        return scalars[:]
    if isinstance(scalars, Iterable) and not isinstance(scalars, ExtensionArray):
        return [cell[:] if isinstance(cell, str) else cell for cell in scalars]
    return scalars


def _operator(name: str) -> Callable[[CardData, Any], Any]:
    plain = getattr(operator, name)

    def method(self: CardData, other: Any) -> Any:
        if isinstance(other, pd.Series | pd.Index | pd.DataFrame):
            return NotImplemented
        return self._of(plain(self._texts, other._texts if isinstance(other, CardData) else _plain(other)))

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge", "add"):
    setattr(CardData, f"__{_name}__", _operator(_name))

_FIRST_LONG_NUMBER = 10**12  # 13 digits: from here on a number may be a card number
_NO_NUMBER = 1000  # no element number has more than three digits


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty: None, NaN, NA or NaT."""
    return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))


def element_number(cell: Any) -> int | None:
    """The data element number in a cell of the `number` column, which a file may have turned into a text or
    float; None for a missing or impossible one."""
    if isinstance(cell, str):
        return int(cell) if cell.isascii() and cell.isdigit() and len(cell) <= 3 else None
    if isinstance(cell, bool) or not isinstance(cell, Integral | float) or is_missing(cell):
        return None
    number: Any = cell
    return int(number) if abs(number) < _NO_NUMBER and number == int(number) else None


def shown_values(
    numbers: Sequence[object], values: Sequence[object], version: str, facts: Mapping[str, Any]
) -> list[object]:
    """The masked *values* of the elements in *numbers*; *facts* is the metadata of the message's table."""
    broken, failing = bool(facts.get("broken")), facts.get("failing")
    cells = [
        _cell(element_number(number), value if isinstance(value, str) else "", version, failing)
        for number, value in zip(numbers, values, strict=True)
    ]
    masked_cells = mask_cells(cells, version, broken=broken, unread=frozenset(facts.get("unread", ())))
    return [
        (value if masked == value else masked) if isinstance(value, str) else shown_cell(value)
        for masked, value in zip(masked_cells, values, strict=True)
    ]


def _cell(number: int | None, value: str, version: str, failing: object) -> Stretch:
    """A row in the form that masking needs. The invalid piece keeps whatever there is of its prefix."""
    if number is None or not 0 <= number <= ALL_BITS:
        return Stretch(UNREAD, "", value)
    width = spec(version)[number].prefix if number > BITMAP_FIELD else 0
    if number == failing:
        return Stretch(number, value[:width], value[width:])
    return Stretch(number, f"{len(value):0{width}}" if width else "", value)


def shown_cell(cell: Any) -> object:
    """A cell of unknown meaning, masked."""
    if isinstance(cell, Secret):
        return cell.shown
    if isinstance(cell, str):
        return mask_piece(cell)
    if isinstance(cell, bool) or cell is None:
        return cell
    if isinstance(cell, bytes | Decimal | pd.Interval):
        return cell if (shown := mask_piece(str(cell))) == str(cell) else shown
    if isinstance(cell, int | float | np.number):
        number: Any = cell
        if not _FIRST_LONG_NUMBER <= abs(number) < float("inf"):
            return cell
        return mask_piece(str(cell) if isinstance(cell, Integral) else f"{float(number):.0f}")
    if pd.api.types.is_scalar(cell):
        return cell
    if isinstance(cell, tuple):
        return tuple(shown_cell(part) for part in cell)
    return mask_piece(str(cell))


def shown_labels(index: pd.Index, show: Callable[[Any], object] = shown_cell) -> pd.Index:
    """Row or column labels as *show* shows each: masked."""
    before = list(index)
    labels: list[Any] = [*map(show, before)]
    if isinstance(index, pd.MultiIndex):
        return pd.MultiIndex.from_tuples(labels, names=index.names) if labels else index
    return pd.Index(labels, dtype=object, name=index.name) if differ(labels, before) else index


def shown_column(column: pd.Series[Any], show: Callable[[Any], object] = shown_cell) -> pd.Series[Any]:
    """A column with its cells as *show* shows each: masked; the same column if none is changed."""
    before = list(column)
    cells = [*map(show, before)]
    changed = differ(cells, before)
    return pd.Series(cells, index=column.index, name=column.name, dtype=object) if changed else column


def differ(cells: Iterable[object], before: Iterable[object]) -> bool:
    """Whether one of the *cells* is not the one *before*."""
    return any(new is not old for new, old in zip(cells, before, strict=True))
