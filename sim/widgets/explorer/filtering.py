"""The rows of a log that match a filter, whose meaning `query` defines.

A condition on texts is evaluated once per distinct text if a column has few of them, otherwise per row, by
Arrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.elements.money import CURRENCY_OF, composite, say_amount
from sim.errors import ChoiceError
from sim.spec import currency
from sim.spec.elements import spec
from sim.spec.spellings import network_named
from sim.tables.columns.table import number_of
from sim.widgets.explorer.vocabulary import FilterError, Vocabulary

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Test = Callable[[Any], Any]
_SOME = 20_000
_FEW = 20  # a column with at least so many rows per distinct text has few
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    **{"=": pc.equal, "!=": pc.not_equal, ">": pc.greater, "<": pc.less},
    **{">=": pc.greater_equal, "<=": pc.less_equal},
}
_ORDERED = (">", "<", ">=", "<=")
_TRANSACTION_CURRENCY = 49
_TRACK, _ACCEPTOR = "DE35", "DE43"
_ANY_DIGIT = re.compile(r"[0-9]*x[0-9x]*", re.IGNORECASE)
_ANY = re.compile(r"(?<!\*)\*(?!\*)")  # a star that matches anything
_SHOWN = 40  # characters of a value in an error
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+Z?)?")
_HOUR = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
_BETWEEN_DIGITS = re.compile(r"[-/:.T ]")
_VERDICTS = ("valid", "invalid", "unreadable")
# The columns, besides the elements, that a text search covers.
_SEARCHED = ("mti", "network", "text", "error")


def flags(column: Any) -> Flags:
    """Arrow's answer as an array, with missing values as False."""
    return np.asarray(pc.fill_null(column, False).to_numpy(zero_copy_only=False), dtype=bool)


class Texts:
    """A column of texts in upper case."""

    def __init__(self, column: Any) -> None:
        texts = column if pa.types.is_large_string(column.type) else column.cast(pa.large_string())
        self.present = flags(pc.is_valid(texts))
        self._places: Any = None
        if pc.count_distinct(texts.slice(0, _SOME)).as_py() * _FEW < max(min(len(texts), _SOME), 1):
            chunked = pa.chunked_array([texts]) if isinstance(texts, pa.Array) else texts
            encoded = chunked.combine_chunks().dictionary_encode()
            encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
            texts, self._places = encoded.dictionary, encoded.indices.fill_null(0).to_numpy()
        self._longest = pc.max(pc.binary_length(texts)).as_py() or 0
        self.decimal = bool(pc.all(pc.ascii_is_decimal(texts), skip_nulls=True, min_count=0).as_py())
        self._texts = texts if self.decimal else pc.utf8_upper(texts)

    def meet(self, test: Test) -> Flags:
        """The rows whose text passes *test*."""
        if self._places is None:
            chunks = self._texts.chunks if isinstance(self._texts, pa.ChunkedArray) else [self._texts]
            with ThreadPoolExecutor() as pool:
                results = [flags(chunk) for chunk in pool.map(test, chunks)]
            return np.concatenate(results) if results else np.zeros(0, bool)
        met = flags(test(self._texts))
        return met[self._places] & self.present if met.any() else np.zeros(len(self._places), bool)

    def hold(self, text: str) -> Flags:
        """The rows that contain *text*, with stars as wildcards."""
        pattern = _upper(text)
        letters, least = pattern.replace("*", ""), len(_ANY.sub("", pattern))
        if least > self._longest or (letters and self.decimal and not letters.isdecimal()):
            return np.zeros(len(self.present), bool)
        if "*" in pattern:
            return self.meet(lambda some: pc.match_substring_regex(some, _pattern(pattern)))
        return self.meet(lambda some: pc.match_substring(some, pattern))


class RowFilter:
    """Evaluates conditions on the rows of a log. *columns* returns an Arrow column, *verdicts* the rows with
    a verdict."""

    def __init__(
        self, table: pd.DataFrame, columns: Callable[[str], Any], verdicts: Callable[[str], Flags]
    ) -> None:
        self._table, self._columns, self._verdicts = table, columns, verdicts
        self._size = len(table)
        self._texts: dict[str, Texts] = {}
        self.notes: list[str] = []

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names of the columns."""
        return Vocabulary(frozenset(map(str, self._table.columns)), self._versions)

    @cached_property
    def _versions(self) -> tuple[str, ...]:
        versions = pc.unique(self._columns("version")).to_pylist() if "version" in self._table.columns else []
        return tuple(sorted(version for version in versions if version)) or ("1987",)

    def all(self) -> Flags:
        """Every row."""
        return np.ones(self._size, bool)

    def _none(self) -> Flags:
        return np.zeros(self._size, bool)

    def _any(self, parts: list[Flags]) -> Flags:
        return np.asarray(np.logical_or.reduce([self._none(), *parts]), bool)

    def warm(self) -> None:
        """Prepare for the first text search."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(self._text, self._searched()))

    def _searched(self) -> list[str]:
        names = map(str, self._table.columns)
        return [name for name in names if number_of(name) or name in _SEARCHED]

    def _text(self, name: str) -> Texts:
        if name not in self._texts:
            self._texts[name] = Texts(self._columns(name))
        return self._texts[name]

    def anywhere(self, text: str) -> Flags:
        """The rows with *text* in any element."""
        needle, hits = text.rstrip("…"), self._none()
        for name in self._searched():
            if hits.all():
                break
            hits |= self._text(name).hold(needle)
        return hits

    def having(self, columns: tuple[str, ...]) -> Flags:
        """The rows that have one of *columns*."""
        present = [flags(pc.is_valid(self._columns(name))) for name in columns if name in self._table.columns]
        return self.all() if "verdict" in columns else self._any(present)

    def compared(self, columns: tuple[str, ...], sign: str, value: str, code: str = "") -> Flags:
        """The rows in which any of *columns* compares so with *value*; for `!=` and `!~`, those that have
        one, and none that is equal."""
        negative = {"!=": "=", "!~": "~"}.get(sign)
        if negative:
            return self.having(columns) & ~self.compared(columns, negative, value, code)
        self._possible(columns, sign, value)
        text = value.rstrip("…")
        compared = [self._column_flags(name, sign, text, code) for name in columns]
        return self._any(compared)

    def _possible(self, columns: tuple[str, ...], sign: str, value: str) -> None:
        """Raises FilterError if *columns* cannot contain *value*."""
        if sign != "=" or not all(map(number_of, columns)) or self.vocabulary.is_amount(columns[0]):
            return
        elements = [spec(version)[int(name[2:])] for name in columns for version in self._versions]
        longest = max(element.size * (2 if element.binary else 1) for element in elements)
        what = " or ".join(f"DE {name[2:]}" for name in columns)
        patterned = any(element.pattern for element in elements)
        if len(value.strip()) > longest and "*" not in value and not patterned:
            raise FilterError(f"{what} has at most {longest} characters; use ~ to match part of it.")
        digits = all(element.content == "n" for element in elements) and len(columns) == 1
        bare = _BETWEEN_DIGITS.sub("", value) if elements[0].pattern else value
        if digits and bare.strip("*") and not bare.replace("*", "").isdecimal():
            raise FilterError(f"{what} is numeric; it cannot be {value[:_SHOWN]}.")

    def _column_flags(self, name: str, sign: str, value: str, code: str) -> Flags:
        if name == "verdict":
            return self._verdict(sign, value)
        if name not in self._table.columns:
            return self._none()
        if sign == "~":
            return self._text(name).hold(value)
        number = number_of(name)
        if number and self.vocabulary.is_amount(name) and "*" not in value:
            return self._amount(number, sign, value, code)
        if number:
            return self._element(number, sign, value)
        if pa.types.is_timestamp(self._columns(name).type):
            return self._time(name, sign, value)
        if name == "network" and sign == "=" and "*" not in value:
            value = self._network(value)
        return self._plain(name, sign, value)

    def _network(self, value: str) -> str:
        """The network that *value* names, in the log or known. Raises FilterError."""
        names = map(str, pc.unique(self._columns("network")).to_pylist())
        networks = {name.casefold(): name for name in names}
        try:
            return networks.get(value.casefold()) or network_named(value)
        except ChoiceError as error:
            raise FilterError(str(error)) from None

    def _verdict(self, sign: str, value: str) -> Flags:
        if sign not in ("=", "~") or value.casefold() not in _VERDICTS:
            raise FilterError(f"verdict is one of {', '.join(_VERDICTS)}: verdict=invalid")
        return self._verdicts(value.casefold())

    def _element(self, number: int, sign: str, value: str) -> Flags:
        """Element *number*; dates and times are compared as far as digits are given, `12:30` from the hours
        on."""
        name, digits = f"DE{number}", _BETWEEN_DIGITS.sub("", value)
        patterns = {version: spec(version)[number].pattern for version in self._versions}
        if not any(patterns.values()) or not digits.isdecimal():
            return self._plain(name, sign, value)
        hits = self._none()
        for version, pattern in patterns.items():
            start = max(pattern.find("hh"), 0) if ":" in value and "-" not in value else 0
            met = self._text(name).meet(partial(_part, sign=sign, start=start, digits=digits))
            alone = len(self._versions) == 1
            hits |= met if alone else met & flags(pc.equal(self._columns("version"), version))
        return hits

    def _plain(self, name: str, sign: str, value: str) -> Flags:
        """Texts are compared by character, digits by number."""
        texts = self._text(name)
        if sign in _ORDERED:
            bound = float(_number(name, sign, value))
            return texts.meet(lambda some: _SIGNS[sign](_numbers(some), bound))
        if name == _TRACK and "=" not in value:  # the card number of a track
            return texts.meet(lambda some: pc.match_substring_regex(some, f"^{_pattern(value)}[=D]"))
        if name == "mti" and _ANY_DIGIT.fullmatch(value):  # 01x0
            pattern = value.casefold().replace("x", "[0-9]")
            return texts.meet(lambda some: pc.match_substring_regex(some, f"^{pattern}$"))
        if "*" in value:
            return texts.meet(lambda some: pc.match_substring_regex(some, rf"^{_pattern(value)} *$"))
        if name == _ACCEPTOR:  # the name alone, or the whole value
            pattern = rf"^{re.escape(_upper(value.rstrip()))}(?:  |\\| *$)"
            return texts.meet(lambda some: pc.match_substring_regex(some, pattern))
        return texts.meet(lambda some: _equal(some, value))

    def _time(self, name: str, sign: str, value: str) -> Flags:
        column = self._columns(name)
        if hour := _HOUR.fullmatch(value):
            hours, minutes, seconds = (int(part or 0) for part in hour.groups())
            start_of = 3600 * hours + 60 * minutes + seconds
            day = pc.add(pc.multiply(pc.hour(column), 3600), pc.multiply(pc.minute(column), 60))
            width = 1 if hour[3] else 60  # 12:30 is the whole minute
            return flags(_within(pc.add(day, pc.second(column)), sign, start_of, start_of + width))
        if not _DAY.fullmatch(value):
            raise FilterError(f"{name} needs a time or a day: {name}>12:30, {name}>=2026-11-20T12:30")
        try:
            start = pd.Timestamp(value)
        except ValueError:
            raise FilterError(f"{value} is no day or time: {name}>=2026-11-20T12:30") from None
        start = start.tz_localize("UTC") if start.tzinfo is None and column.type.tz else start
        step = pd.Timedelta(seconds={10: 86_400, 16: 60}.get(len(value), 1))
        ends = (pa.scalar(moment, column.type) for moment in (start, start + step))
        return flags(_within(column, sign, *ends))

    def _amount(self, number: int, sign: str, value: str, code: str) -> Flags:
        """Amounts: in minor units; with decimals or a currency, in units of each currency."""
        bound = _number(f"DE{number}", sign, value)
        amounts = self.amounts(number)
        if "." not in value and not code:
            return amounts.compared(sign, np.full(len(amounts.codes) + 1, float(bound)))
        units = [
            float(bound * 10**iso_currency.exponent)
            if (iso_currency := currency(numeric))
            and iso_currency.exponent is not None
            and code in ("", iso_currency.alpha)
            else np.nan
            for numeric in amounts.codes
        ]
        stated = np.array([*(currency(numeric) is not None for numeric in amounts.codes), False])
        if count := int(np.count_nonzero(~np.isnan(amounts.minor) & ~stated[amounts.places])):
            self.notes.append(f"{count:,} in the log have no known currency and are left out")
        return amounts.compared(sign, np.array([*units, np.nan]))

    def amounts(self, number: int) -> Amounts:
        """The amounts of element *number*; in 2003 the currency precedes the digits."""
        name, code = f"DE{number}", f"DE{CURRENCY_OF.get(number, _TRANSACTION_CURRENCY)}"
        missing = pa.nulls(self._size, pa.large_string())
        texts = self._columns(name) if name in self._table.columns else missing
        codes = self._columns(code) if code in self._table.columns else missing
        for version in self._versions:
            if inside := composite(version, number):
                same_version = pc.equal(self._columns("version"), version)
                digits, of = (
                    pc.utf8_slice_codeunits(texts, place.start, place.stop) for place in inside[::-1]
                )
                texts, codes = pc.if_else(same_version, digits, texts), pc.if_else(same_version, of, codes)
        places, names = pd.factorize(pd.Series(codes.to_pandas()), use_na_sentinel=True)
        minor = _numbers(pc.utf8_ltrim(texts, "CD")).to_numpy(zero_copy_only=False)
        return Amounts(np.asarray(minor, float), places, tuple(map(str, names)))


@dataclass(frozen=True)
class Amounts:
    """Amounts in minor units, missing ones NaN; `places` index their currencies in `codes`, or are -1."""

    minor: Any
    places: Any
    codes: tuple[str, ...]

    @cached_property
    def major(self) -> Any:
        """The amounts in units of their currency, or in minor units if it is unknown."""
        currencies = [currency(code) for code in self.codes]
        each = [10.0 ** ((iso_currency.exponent or 0) if iso_currency else 0) for iso_currency in currencies]
        return self.minor / np.array([*each, 1.0])[self.places]

    def said(self, row: int) -> str:
        """The amount of *row* as a person reads it; empty if missing."""
        minor, place = self.minor[row], self.places[row]
        return "" if np.isnan(minor) else say_amount(f"{minor:.0f}", self.codes[place] if place >= 0 else "")

    def compared(self, sign: str, bounds: Any) -> Flags:
        """The amounts that compare so with the bound of their currency; the last bound is for those without
        one."""
        return flags(_SIGNS[sign](pa.array(self.minor), pa.array(bounds[self.places])))


def _pattern(text: str) -> str:
    """*text* as a regular expression: a single star matches anything, several match as many characters."""
    pieces = re.split(r"(\*+)", _upper(text))
    return "".join(
        (".*" if len(piece) == 1 else f".{{{len(piece)}}}") if piece[:1] == "*" else re.escape(piece)
        for piece in pieces
    )


def _upper(text: str) -> str:
    return str(pc.utf8_upper(pa.scalar(text)).as_py())


def _part(texts: Any, sign: str, start: int, digits: str) -> Any:
    """How the characters of *texts* from *start* on compare with *digits*, as far as those go."""
    return _SIGNS[sign](pc.utf8_slice_codeunits(texts, start, start + len(digits)), digits)


def _equal(texts: Any, value: str) -> Any:
    """Equality that ignores trailing spaces and leading zeros of digits."""
    text, trimmed = _upper(value).rstrip(" "), pc.utf8_rtrim(texts, " ")
    if not (text.isascii() and text.isdecimal()):
        return pc.equal(trimmed, text)
    number = pc.equal(pc.utf8_ltrim(trimmed, "0"), text.lstrip("0"))
    return pc.and_(number, pc.ascii_is_decimal(trimmed))


def _numbers(texts: Any) -> Any:
    """Texts as numbers; others are missing."""
    return pc.if_else(pc.ascii_is_decimal(texts), texts, pa.scalar(None, texts.type)).cast(pa.float64())


def _number(name: str, sign: str, value: str) -> Decimal:
    """*value* as a number. Raises FilterError if it is not one."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise FilterError(f"Expected a number after {name}{sign}, not {value[:_SHOWN]}")
    return number


def _within(column: Any, sign: str, start: Any, end: Any) -> Any:
    """How *column* compares with the range from *start* to *end*."""
    if sign == "=":
        return pc.and_(pc.greater_equal(column, start), pc.less(column, end))
    if sign in ("<", ">="):
        return _SIGNS[sign](column, start)
    return pc.less(column, end) if sign == "<=" else pc.greater_equal(column, end)
