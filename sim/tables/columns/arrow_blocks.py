"""Blocks of lines into Arrow columns, and these into one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.codec import Message, ParseError
from sim.operations import NETWORKS, chosen_version
from sim.tables.columns.cards import Cards, names
from sim.tables.columns.check import Checks
from sim.tables.columns.cut import Block, cut, few, message_or_partial
from sim.tables.columns.lines import Lines
from sim.tables.columns.options import Options, tables_of
from sim.tables.columns.table import MessagesTable, covered, label, number_of

_TEXT = pa.large_string()
# The columns that may be empty and are not texts.
_TYPES = {"time": pa.timestamp("us"), "error_field": pa.int64(), "error_offset": pa.int64()}
_FRONT = ("line", "file", "time", "stream", "mti", "version", "network", "valid", "errors")
_CAPTURED = ("time", "stream")
_BEHIND = ("error", "error_field", "error_offset", "text")


@dataclass(frozen=True, slots=True)
class ArrowBlock:
    """A block as Arrow columns. By file or stream, `empty_secondary` has the lines of messages with a second
    bitmap without elements, and `spoken` the dialect and interface."""

    count: int
    columns: dict[str, Any]
    versions: frozenset[str]
    empty_secondary: Mapping[str, list[int]] = field(default_factory=dict)
    said: str = ""
    spoken: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class Reader:
    """Turns the blocks of one source into columns, and caches what it learns about cards and values."""

    def __init__(self, options: Options) -> None:
        self.options, self.tables = options, tables_of(options.interface)
        self.cards = Cards(options.network)
        self.checks = Checks(options.network, self.cards)

    def part(self, lines: Lines) -> ArrowBlock:
        """The messages in *lines* as columns."""
        options = self.options
        if self.tables:  # messages of the given interface, whose table the format may extend
            own = {table for table in lines.tables.values() if table.interface == options.interface}
            tables = self.tables | {table.version: table for table in own}
            held = {
                row: replace(item, dialect=tables[item.version]) if isinstance(item, Message) else item
                for row, item in lines.held.items()
            }
            lines = replace(lines, tables=tables, held=held)
        block = cut(lines, options.version, options.wanted)
        owners = self.cards.owners(block)
        columns: dict[str, Any] = {"line": lines.numbers}
        if options.files:
            columns["file"] = pa.repeat(pa.scalar(lines.file, _TEXT), len(lines))
        columns["mti"], columns["version"], versions = _kinds(block, options.version)
        columns["network"] = _coded(owners.codes, names(np.arange(len(NETWORKS) + 1, dtype=np.uint8)))
        if options.validate:
            errors = self.checks.errors(block, owners)
            columns["valid"], columns["errors"] = errors == 0, errors
        for number in block.columns if options.numbers is None else options.numbers:
            if number in block.columns:
                columns[label(number)] = block.columns[number].array()
        for name, values in lines.more.items():
            columns[name] = pa.array(values, _TYPES.get(name, _TEXT))
        columns |= _faults(block)
        empty = np.array([*(group.has_empty_secondary for group in block.groups), False])[block.group]
        odd = (row for row, item in block.odd.items() if isinstance(item, Message) and item.empty_secondary)
        empty[[*odd]] = True
        numbers = {_where(lines): lines.numbers[empty].tolist()} if empty.any() else {}
        return ArrowBlock(len(lines), columns, versions, numbers, lines.said, _spoken(lines))


def _where(lines: Lines) -> str:
    return str(lines.more["stream"][0]) if "stream" in lines.more else lines.file


def _spoken(lines: Lines) -> dict[str, Mapping[str, str]]:
    read = (item.dialect for item in lines.held.values() if isinstance(item, Message) and item.dialect)
    spec = next(iter(lines.tables.values()), None) or next(read, None)
    if spec is None or not len(lines):
        return {}
    return {_where(lines): {"dialect": spec.dialect, "interface": spec.interface}}


def _kinds(block: Block, version: str | None) -> tuple[pa.Array, pa.Array, frozenset[str]]:
    """MTI and version of each row, both missing if the MTI cannot be read; and the versions that occur."""
    mtis: list[str | None] = [group.mti for group in block.groups]
    versions: list[str | None] = [group.version for group in block.groups]
    codes = block.head.copy()
    positions: dict[tuple[str | None, str | None], int] = {}
    for row, item in block.odd.items():
        if codes[row] >= 0:
            continue
        kind: tuple[str | None, str | None] = (None, None)
        if (message := message_or_partial(item)) is not None:
            kind = message.mti, message.version
        elif getattr(item, "field", None) != 0 and (mti := block.lines.text(row)[:4]):
            kind = mti, chosen_version(mti, version)
        codes[row] = positions.setdefault(kind, len(block.groups) + len(positions))
    mtis += [mti for mti, _ in positions]
    versions += [edition for _, edition in positions]
    return _coded(codes, mtis), _coded(codes, versions), frozenset(filter(None, versions))


def _coded(codes: Any, values: list[Any]) -> pa.Array:
    """*values* selected by *codes*, as texts; None is missing."""
    return pc.take(pa.array(values, _TEXT), pa.array(codes))


def _faults(block: Block) -> dict[str, Any]:
    """The error columns for rows that are not messages; empty if all are."""
    bad = {row: odd for row, odd in sorted(block.odd.items()) if isinstance(odd, ParseError)}
    if not bad:
        return {}
    count, rows = len(block.lines), np.array([*bad])
    columns: dict[str, Any] = {}
    columns["error"] = few(count, {row: str(error) for row, error in bad.items()}).array()
    columns["text"] = few(count, {row: block.texts[row] for row in bad}).array()
    for name in ("field", "offset"):
        values, missing = np.zeros(count, np.int64), np.ones(count, np.bool_)
        at = [getattr(error, name) for error in bad.values()]
        values[rows], missing[rows] = [value or 0 for value in at], [value is None for value in at]
        columns[f"error_{name}"] = pa.array(values, mask=missing)
    return columns


def table(parts: list[ArrowBlock], options: Options) -> MessagesTable:
    """*parts* as one table; a part without rows only adds to `read_as`."""
    read_as = "; ".join(dict.fromkeys(part.said for part in parts if part.said))
    parts = [part for part in parts if part.count]
    versions = tuple(sorted(frozenset().union(*(part.versions for part in parts))))
    columns: dict[str, Any] = {}
    for name in _names(parts, options):
        cells = [part.columns.get(name) for part in parts]
        columns[name] = covered(name, _column(name, cells, [part.count for part in parts]), versions)
    result = MessagesTable(columns, copy=False)
    facts: dict[str, Any] = {"versions": versions}
    facts |= {"version": options.version, "network": options.network, "partial": options.numbers is not None}
    for part in parts:
        for where, numbers in part.empty_secondary.items():
            facts.setdefault("empty_secondary", {}).setdefault(where, []).extend(numbers)
    if read_as:
        facts["read_as"] = read_as
    facts["spoken"] = {where: entry for part in parts for where, entry in part.spoken.items()}
    result.attrs["iso"] = facts
    return result


def _names(parts: list[ArrowBlock], options: Options) -> list[str]:
    present = {name for part in parts for name in part.columns}
    numbers = options.numbers
    if numbers is None:
        numbers = tuple(sorted(number for name in present if (number := number_of(name))))
    absent = {name for name in _CAPTURED if name not in present}
    absent |= set() if options.files else {"file"}
    absent |= set() if options.validate else {"valid", "errors"}
    return [*(name for name in _FRONT if name not in absent), *map(label, numbers), *_BEHIND]


def _column(name: str, cells: list[Any], counts: list[int]) -> Any:
    """One column from its parts; None is a part without values."""
    if name in ("line", "valid", "errors"):
        dtype = np.bool_ if name == "valid" else np.int64
        return np.concatenate([np.empty(0, dtype), *cells])
    kind = _TYPES.get(name, _TEXT)
    column = pa.chunked_array(
        [_nulls(count, kind) if cell is None else cell for cell, count in zip(cells, counts, strict=True)],
        kind,
    )
    if name == "time":
        return pd.DatetimeIndex(column.to_numpy()).tz_localize("UTC")
    if name in _TYPES:
        return column.to_pandas(types_mapper={kind: pd.Int64Dtype()}.get).array
    # The stubs do not know that the array takes its dtype.
    texts: Any = pd.StringDtype("pyarrow", na_value=np.nan)
    return pd.arrays.ArrowStringArray(column, dtype=texts)  # type: ignore[call-arg]


@lru_cache(maxsize=16)
def _nulls(count: int, kind: pa.DataType) -> pa.Array:
    """A column without values, shared by the columns of a part."""
    return pa.nulls(count, kind)
