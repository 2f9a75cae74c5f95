"""`sim.read`: lists, logs, captures and files of messages into one table, one row per message.

Messages are read as `sim.codec.parse` does and validated as `sim.operations.validation` does, but by column
rather than by row.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Integral
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sim.codec import Message, ParseError
from sim.codec.wire import Format, interface_table
from sim.errors import OptionError, shown
from sim.masking.files import masked_names
from sim.operations import NETWORKS, chosen_version
from sim.operations.search import elements_called
from sim.spec import VERSIONS, Spec
from sim.spec.interfaces import interface as interface_of
from sim.spec.spellings import choose, interface_named, network_named, several, version_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion
from sim.tables.columns.cards import Cards, names
from sim.tables.columns.check import Checks
from sim.tables.columns.cut import Block, begun, cut, few
from sim.tables.columns.lines import Bools, Finder, Ints, Lines, as_bytes, finder, paths
from sim.tables.columns.sources import blocks, expanded, is_paste
from sim.tables.columns.table import MessagesTable, covered, label, number_of, progress_bar

Selector = int | str

_TEXT = pa.large_string()
_ACCOUNTS = frozenset({2, 35, 45})  # the elements that identify the network
_FRONT = ("line", "file", "time", "stream", "mti", "version", "network", "valid", "errors")
_CAPTURED = ("time", "stream")
_BEHIND = ("error", "error_field", "error_offset", "text")
ALL = range(2, 129)
_COLUMNS = "a data element 2 to 128, as 4, 'DE4' or its name"


@dataclass(frozen=True, slots=True)
class Options:
    """How messages are read; see `sim.read`. *files* adds the column with the file name."""

    version: str | None = None
    network: str | None = None
    validate: bool = False
    columns: Iterable[Selector] | None = None
    start: int | None = None
    pattern: str | re.Pattern[str] | None = None
    files: bool = False
    format: Format | str | None = None
    framing: tuple[str, ...] | None = None
    interface: str = ""

    def checked(self) -> Options:
        """The same options with the elements as numbers. Raises OptionError for an unknown element,
        ValueError if *start* and *pattern* are both given."""
        finder(self.start, self.pattern)
        return replace(self, columns=self.numbers)

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """The elements that get a column; None for all that occur."""
        if self.columns is None:
            return None
        return chosen_numbers(self.columns, self.version, tables_of(self.interface).values())

    @property
    def find(self) -> Finder:
        """A function that finds the message in each line."""
        return finder(self.start, self.pattern)

    @property
    def unlocated(self) -> bool:
        """Whether the position of the message in its line is unknown."""
        return self.start is None and self.pattern is None

    @property
    def wanted(self) -> frozenset[int] | None:
        """The elements to read, None for all."""
        return None if self.numbers is None or self.validate else frozenset(self.numbers) | _ACCOUNTS


@dataclass(frozen=True, slots=True)
class ArrowBlock:
    """A block as Arrow columns. `empty_secondary` are the lines of messages with a second bitmap without
    elements; `spoken` has the dialect and interface of each file or stream."""

    count: int
    columns: dict[str, Any]
    versions: frozenset[str]
    empty_secondary: frozenset[int]
    said: str = ""
    spoken: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Reader:
    """Turns the blocks of one source into columns, and caches what it learns about cards and values."""

    options: Options
    cards: Cards = field(init=False)
    checks: Checks = field(init=False)
    tables: Mapping[str, Spec] = field(init=False)

    def __post_init__(self) -> None:
        self.cards = Cards(self.options.network)
        self.checks = Checks(self.options.network, self.cards)
        self.tables = tables_of(self.options.interface)

    def part(self, lines: Lines) -> ArrowBlock:
        """The messages in *lines* as columns."""
        options = self.options
        lines = self._on_link(lines) if self.tables else lines
        block = cut(lines, options.version, options.wanted)
        owners = self.cards.owners(block)
        columns: dict[str, Any] = {"line": lines.numbers}
        if options.files:
            columns["file"] = pa.repeat(pa.scalar(lines.file, _TEXT), len(lines))
        kinds = _kinds(block, options.version)
        columns["mti"], columns["version"] = kinds.mtis, kinds.versions
        columns["network"] = _coded(owners.codes, names(np.arange(len(NETWORKS) + 1, dtype=np.uint8)))
        if options.validate:
            errors = self.checks.errors(block, owners)
            columns["valid"], columns["errors"] = errors == 0, errors
        for number in block.columns if options.numbers is None else options.numbers:
            if number in block.columns:
                columns[label(number)] = block.columns[number].array()
        for name, values in lines.more.items():
            columns[name] = values if values.dtype.kind == "M" else pa.array(values, _TEXT)
        columns |= _faults(block)
        return ArrowBlock(
            len(lines), columns, kinds.known, _empty_secondary(block), lines.said, _spoken(lines)
        )

    def _on_link(self, lines: Lines) -> Lines:
        """*lines* as messages of the given interface."""
        held = {
            row: replace(one, dialect=self.tables[one.version]) if isinstance(one, Message) else one
            for row, one in lines.held.items()
        }
        return replace(lines, tables=self.tables, held=held)


def tables_of(interface: str) -> dict[str, Spec]:
    """The element tables of an *interface*, by version; empty if none is given."""
    return {one: interface_table(interface, one) for one in VERSIONS} if interface else {}


def _spoken(lines: Lines) -> dict[str, Mapping[str, str]]:
    read = (one.dialect for one in lines.held.values() if isinstance(one, Message) and one.dialect)
    own = next(iter(lines.tables.values()), None) or next(read, None)
    if own is None or not len(lines):
        return {}
    where = str(lines.more["stream"][0]) if "stream" in lines.more else lines.file
    return {where: {"dialect": own.dialect, "interface": own.interface}}


@dataclass(frozen=True, slots=True)
class _Kinds:
    mtis: pa.Array
    versions: pa.Array
    known: frozenset[str]


def _kinds(block: Block, version: str | None) -> _Kinds:
    """MTI and version of each row; both missing if the MTI cannot be read."""
    mtis: list[str | None] = [group.mti for group in block.groups]
    versions: list[str | None] = [group.version for group in block.groups]
    codes = block.head.copy()
    seen: dict[tuple[str | None, str | None], int] = {}
    for row, held in block.odd.items():
        if codes[row] >= 0:
            continue
        kind: tuple[str | None, str | None] = (None, None)
        if (message := begun(held)) is not None:
            kind = message.mti, message.version
        elif getattr(held, "field", None) != 0 and (mti := block.lines.text(row)[:4]):
            kind = mti, chosen_version(mti, version)
        if kind not in seen:
            seen[kind] = len(mtis)
            mtis.append(kind[0])
            versions.append(kind[1])
        codes[row] = seen[kind]
    return _Kinds(_coded(codes, mtis), _coded(codes, versions), frozenset(filter(None, versions)))


def _coded(codes: Any, values: list[Any]) -> pa.Array:
    """*values* selected by *codes*, as texts; None is missing."""
    if not values:
        return pa.nulls(len(codes), _TEXT)
    packed = pa.array(values, _TEXT)
    widths = {None if value is None else len(value.encode()) for value in values}
    if len(widths) > 1 or not (width := widths.pop()):
        return pc.take(packed, pa.array(codes))
    # Texts of one width, such as MTIs, are selected faster as fixed-size items.
    data = np.frombuffer(packed.buffers()[2], f"V{width}", len(values)).take(codes)
    offsets = np.arange(0, width * len(codes) + 1, width)
    return pa.Array.from_buffers(_TEXT, len(codes), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _empty_secondary(block: Block) -> frozenset[int]:
    rows: set[int] = set()
    empty = [group.has_empty_secondary for group in block.groups]
    if any(empty):
        rows.update(np.flatnonzero(np.array([*empty, False])[block.group]).tolist())
    rows.update(row for row, held in block.odd.items() if isinstance(held, Message) and held.empty_secondary)
    return frozenset(block.lines.numbers[sorted(rows)].tolist())


def _faults(block: Block) -> dict[str, Any]:
    """The error columns for rows that are not messages; empty if all are."""
    bad = {row: held for row, held in sorted(block.odd.items()) if isinstance(held, ParseError)}
    if not bad:
        return {}
    count, rows = len(block.lines), np.array([*bad])
    made: dict[str, Any] = {}
    made["error"] = few(count, {row: str(error) for row, error in bad.items()}).array()
    made["text"] = few(count, {row: block.texts[row] for row in bad}).array()
    for name in ("field", "offset"):
        values = [getattr(error, name) for error in bad.values()]
        column, missing = np.zeros(count, np.int64), np.ones(count, np.bool_)
        column[rows], missing[rows] = [value or 0 for value in values], [value is None for value in values]
        made[f"error_{name}"] = column, missing
    return made


def table(parts: list[ArrowBlock], options: Options) -> MessagesTable:
    """*parts* as one table; a part without rows only adds to `read_as`."""
    told = "; ".join(dict.fromkeys(part.said for part in parts if part.said))
    parts = [part for part in parts if part.count]
    versions = tuple(sorted(frozenset().union(*(one.versions for one in parts))))
    columns: dict[str, Any] = {}
    for name in _names(parts, options):
        cells = [part.columns.get(name) for part in parts]
        columns[name] = covered(name, _column(name, cells, [part.count for part in parts]), versions)
    made = MessagesTable(columns, copy=False)
    facts: dict[str, Any] = {"versions": versions}
    facts |= {"version": options.version, "network": options.network, "partial": options.numbers is not None}
    if empty := frozenset().union(*(one.empty_secondary for one in parts)):
        facts["empty_secondary"] = empty
    if told:
        facts["read_as"] = told
    facts["spoken"] = {where: one for part in parts for where, one in part.spoken.items()}
    made.attrs["iso"] = facts
    return made


def _names(parts: list[ArrowBlock], options: Options) -> list[str]:
    if options.numbers is None:
        found = {name for part in parts for name in part.columns}
        numbers = sorted(number for name in found if (number := number_of(name)))
    else:
        numbers = list(options.numbers)
    absent = {"file"} if not options.files else set()
    absent |= {name for name in _CAPTURED if not any(name in part.columns for part in parts)}
    if not options.validate:
        absent |= {"valid", "errors"}
    front = [name for name in _FRONT if name not in absent]
    return [*front, *map(label, numbers), *_BEHIND]


def _column(name: str, cells: list[Any], counts: list[int]) -> Any:
    """One column from its parts; None is a part without values."""
    if name in ("line", "valid", "errors"):
        dtype = np.bool_ if name == "valid" else np.int64
        return np.concatenate([np.empty(0, dtype), *cells])
    if name == "time":
        none = np.datetime64("NaT", "us")
        times = [np.full(n, none) if one is None else one for one, n in zip(cells, counts, strict=True)]
        return pd.DatetimeIndex(np.concatenate(times)).tz_localize("UTC")
    if name in ("error_field", "error_offset"):
        values = [_numbers(one, count) for one, count in zip(cells, counts, strict=True)]
        whole, missing = (
            np.concatenate([np.empty(0, kind), *(part[at] for part in values)])
            for at, kind in enumerate((np.int64, np.bool_))
        )
        return pd.arrays.IntegerArray(whole, missing)
    arrays = [_nulls(count) if one is None else one for one, count in zip(cells, counts, strict=True)]
    # The stubs do not know that the array takes its dtype.
    kind = pd.StringDtype("pyarrow", na_value=np.nan)
    return pd.arrays.ArrowStringArray(pa.chunked_array(arrays, _TEXT), dtype=kind)  # type: ignore[call-arg]


def _numbers(cells: Any, count: int) -> tuple[Ints, Bools]:
    """Values, and which of them are missing."""
    return cells if cells is not None else (np.zeros(count, np.int64), np.ones(count, np.bool_))


@lru_cache(maxsize=16)
def _nulls(count: int) -> pa.Array:
    """A column without values, shared by the columns of a part."""
    return pa.nulls(count, _TEXT)


def chosen_numbers(
    columns: Iterable[Selector], version: str | None, tables: Iterable[Spec] = ()
) -> tuple[int, ...]:
    """The elements in *columns*: 4, "DE4", or the name of an element in *version* (None: in any version) or
    in one of *tables*, in any letter case. Raises OptionError for an unknown one."""
    asked = several("columns", columns, _COLUMNS)
    chosen = [number for one in asked for number in _numbers_of(one, version, tables)]
    return tuple(dict.fromkeys(chosen))


def _numbers_of(one: Selector, version: str | None, tables: Iterable[Spec]) -> tuple[int, ...]:
    own = {
        at.number for table in tables for at in table.elements if at.name.casefold() == str(one).casefold()
    }
    found = {*own, *elements_called(str(one), VERSIONS if version is None else (version,))}
    if not found or isinstance(one, bool):
        raise OptionError("columns", _COLUMNS, shown(one))
    return tuple(sorted(found))


_ENGINES = ("pandas", "dask")


class ReadOptions(TypedDict, total=False):
    """Options of `read` that do not change its return type."""

    version: AnyVersion | None
    network: AnyNetwork | None
    validate: bool
    columns: Iterable[int | str] | None
    progress: bool | None
    start: int | None
    pattern: str | re.Pattern[str] | None
    format: str | Format | None
    framing: Iterable[str] | None
    interface: AnyInterface | None


@overload
def read(
    source: object,
    *,
    chunksize: None = None,
    engine: Literal["pandas"] = "pandas",
    **options: Unpack[ReadOptions],
) -> MessagesTable:
    """One table."""


@overload
def read(
    source: object, *, chunksize: int, engine: Literal["pandas"] = "pandas", **options: Unpack[ReadOptions]
) -> Iterator[MessagesTable]:
    """Tables of *chunksize* rows."""


@overload
def read(
    source: object, *, chunksize: None = None, engine: Literal["dask"], **options: Unpack[ReadOptions]
) -> Any:
    """A Dask DataFrame."""


def read(
    source: object,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    validate: bool = False,
    columns: Iterable[int | str] | None = None,
    chunksize: int | None = None,
    progress: bool | None = None,
    start: int | None = None,
    pattern: str | re.Pattern[str] | None = None,
    format: str | Format | None = None,
    framing: Iterable[str] | None = None,
    interface: AnyInterface | None = None,
    engine: Literal["pandas", "dask"] = "pandas",
) -> Any:
    """Read a log, capture or file of messages into a table.

    Parameters
    ----------
    source
        A list, Series or iterator of messages, texts or bytes; a text with one message per line, or one
        that `sim.parse` accepts; a path, a folder, a pattern such as `logs/*.txt`, or a list of `Path`s,
        plain, .gz or .zst; an open file, or the bytes of a file. A file is a capture (pcap, pcapng; extra
        `pcap`), length-prefixed records (IPM and VBS files, blocked or not), one or more consecutive binary
        messages, one message per line, a table with a column for each element (CSV from `to_csv` or a
        spreadsheet), or multi-line hex dumps (tcpdump, Wireshark, xxd, jPOS) and jPOS XML, with log lines
        in between; also up to 64 KB of text that names elements, as a listing or JSON does. The position of
        the message in each line, and the format of bytes, are inferred from a sample unless you give them;
        `.iso.read_as` shows the result. Blank lines are left out.
    version
        One of `sim.VERSIONS`. Default: from each MTI.
    network
        One of `sim.NETWORKS`. Default: each card's.
    validate
        Add `valid` and `errors`, the number of errors by the standard and the message's network;
        `.iso.validate()` returns the findings.
    columns
        The elements to keep: 4, "DE4" or a name. Default: all that occur.
    chunksize
        Rows per table; the result is then an iterator of tables, in constant memory.
    progress
        Whether to show a bar. Default: on long work.
    start
        Position in each line, from 0, where the message starts.
    pattern
        A regular expression whose group `message` (else its first group, else the whole match) is the
        message; lines that do not match are left out.
    format
        The format of messages that are not in the text form, one of `sim.formats()`. Lines and texts are
        then hex digits.
    framing
        Framing of each message, outermost layer first (`length-2`, `tpdu` ...). Default: recognized.
    interface
        The interface of the link, one of `sim.interfaces()`; `iso` is the standard alone. Default: the
        format's, otherwise the interface that most of the messages use, otherwise that of each card's brand.
    engine
        "dask" returns a Dask DataFrame of files.

    Returns
    -------
    MessagesTable
        `line` (from 1; the first of several), `file` (of a list of paths), `mti`, `version`, `network`, the
        data elements `DE2` to `DE128` that occur, as text, and for a row that is not a message `error`,
        `error_field`, `error_offset` (in characters from 0) and `text`, with whatever could be read.

    Raises
    ------
    ChoiceError
        Unknown version, network, interface or engine.
    OptionError
        Unknown element.
    TypeError
        *source* is not a source.
    ValueError
        Options are mutually exclusive.

    Examples
    --------
    >>> import sim
    >>> table = sim.read(["08002020000000000000990000123456", "0800"])
    >>> table["DE11"].tolist(), int(table["error"].notna().sum())
    (['123456', nan], 1)
    """
    chosen = choose("engine", engine, _ENGINES)
    edition = None if version is None else version_named(version)
    own = None if network is None else network_named(network)
    link = "" if interface is None else interface_named(interface)
    if link and (spoken := interface_of(link).version):
        edition = spoken
    if chunksize is not None and (not _is_count(chunksize) or chosen == "dask"):
        expected = "a number of rows from 1 on" if chosen != "dask" else "none for engine='dask'"
        raise OptionError("chunksize", expected, shown(chunksize))
    if isinstance(source, str) and ("\n" in source or is_paste(source)):
        source = io.BytesIO(as_bytes(source))
    elif isinstance(source, bytes | bytearray | memoryview):
        source = io.BytesIO(source)
    source = expanded(source) or source
    many = isinstance(source, list | tuple) and paths(source) is not None
    layers = None if framing is None else several("framing", framing, "names of framings such as length-2")
    options = Options(edition, own, validate, columns, start, pattern, many, format, layers, link).checked()
    if chosen == "dask":
        from sim.tables.columns.dask_engine import read_dask

        return read_dask(source, options)
    if chunksize is not None:
        return _chunks(source, options, chunksize, progress)
    made = table(list(_parts(source, options, None, progress)), options)
    # The streams of a capture are read one after the other.
    return made.sort_values(["line"], ignore_index=True) if "stream" in made.columns else made


def _chunks(source: object, options: Options, size: int, progress: bool | None) -> Iterator[MessagesTable]:
    held: list[ArrowBlock] = []
    first = 0
    for part in _parts(source, options, size, progress):
        held.append(part)
        del part
        if sum(one.count for one in held) == size:
            yield _numbered(table(held, options), first)
            held, first = [], first + size
    if held or not first:
        yield _numbered(table(held, options), first)


def _numbered(made: MessagesTable, first: int) -> MessagesTable:
    """The table with row labels that continue from one chunk to the next."""
    made.index = pd.RangeIndex(first, first + len(made))
    return made


def _parts(source: object, options: Options, size: int | None, progress: bool | None) -> Iterator[ArrowBlock]:
    reader = Reader(options)
    total, unit = _work(source)
    bar = progress_bar(total, unit, progress)
    room = size
    try:
        for lines in blocks(source, options):
            at = 0
            while at < len(lines):
                end = len(lines) if room is None else min(len(lines), at + room)
                yield reader.part(lines.pick(slice(at, end)))
                if size is not None and room is not None:
                    room = room - (end - at) or size
                at = end
            if lines.said and not len(lines):
                yield ArrowBlock(0, {}, frozenset(), frozenset(), lines.said)
            bar.update(len(lines.data) if unit == "B" else len(lines))
            del lines  # free the block before the next one is read
    finally:
        bar.close()


def _work(source: object) -> tuple[int | None, str]:
    """The amount of work, and its unit."""
    found = paths(source)
    if found is not None:
        plain = all(path.suffix not in (".gz", ".zst") for path in found)
        with masked_names():
            return (sum(path.stat().st_size for path in found) if plain else None), "B"
    if isinstance(source, list | tuple | pd.Series):
        return len(source), "message"
    return None, "B" if hasattr(source, "read") else "message"


def _is_count(rows: object) -> bool:
    return isinstance(rows, Integral) and not isinstance(rows, bool) and int(rows) >= 1
