"""Many messages at once: lists, logs and files of them into one table, a row per message.

A message is read here as `sim.codec.parse` reads it and judged as `sim.operations.validation` judges it; only
the way is another: columns, not rows.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any, Literal, overload

import pandas as pd

from sim.codec.wire import Format
from sim.errors import OptionError, shown
from sim.masking.files import masked_names
from sim.spec.interfaces import interface as interface_of
from sim.spec.spellings import choose, interface_named, network_named, several, version_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion
from sim.tables.columns.lines import as_bytes, paths
from sim.tables.columns.parts import ArrowBlock, Options, Reader, table
from sim.tables.columns.progress import Bar
from sim.tables.columns.sources import blocks, expanded, is_paste
from sim.tables.columns.table import MessagesTable

_ENGINES = ("pandas", "dask")


@overload
def read(
    source: object,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    validate: bool = False,
    columns: Iterable[int | str] | None = None,
    chunksize: None = None,
    progress: bool | None = None,
    start: int | None = None,
    pattern: str | re.Pattern[str] | None = None,
    format: str | Format | None = None,
    framing: Iterable[str] | None = None,
    interface: AnyInterface | None = None,
    engine: Literal["pandas"] = "pandas",
) -> MessagesTable:
    """One table."""


@overload
def read(
    source: object,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    validate: bool = False,
    columns: Iterable[int | str] | None = None,
    chunksize: int,
    progress: bool | None = None,
    start: int | None = None,
    pattern: str | re.Pattern[str] | None = None,
    format: str | Format | None = None,
    framing: Iterable[str] | None = None,
    interface: AnyInterface | None = None,
    engine: Literal["pandas"] = "pandas",
) -> Iterator[MessagesTable]:
    """Tables of *chunksize* rows."""


@overload
def read(
    source: object,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    validate: bool = False,
    columns: Iterable[int | str] | None = None,
    chunksize: None = None,
    progress: bool | None = None,
    start: int | None = None,
    pattern: str | re.Pattern[str] | None = None,
    format: str | Format | None = None,
    framing: Iterable[str] | None = None,
    interface: AnyInterface | None = None,
    engine: Literal["dask"],
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
        A list, Series or iterator of messages, texts or bytes; a text, with a message in each line or as
        `sim.parse` takes it; a path, a folder, a pattern such as `logs/*.txt`, or a list of `Path`s, plain,
        .gz or .zst; an open file, or the bytes that a file holds. A file is a capture (pcap, pcapng; extra
        `pcap`), records behind lengths (IPM and VBS files, in blocks or not), one binary message or several
        one behind another, lines with a message each, a table with a column for each element (CSV, as
        `to_csv` and spreadsheets write it), or hex dumps (tcpdump, Wireshark, xxd, jPOS) and XML of jPOS in
        several lines, with lines of a log between; also up to 64 KB of text that names elements, as a listing
        or JSON does. Where a message stands in its line, and how bytes are written, is found from a sample
        unless you say it; `.iso.read_as` tells. Blank lines are left out.
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
        Rows of each table: gives an iterator of tables, in constant memory.
    progress
        Whether to show a bar. Default: on long work.
    start
        Position in each line, from 0, where the message starts.
    pattern
        A regular expression whose group `message` (else its first group, else the whole match) is the
        message; lines that do not match are left out.
    format
        How messages that are no text are written, one of `sim.formats()`. Lines and
        texts are then hex digits.
    framing
        Framing of each message, outermost layer first (`length-2`, `tpdu` ...). Default: recognized.
    interface
        What the link speaks, one of `sim.interfaces()`: `iso` for the standard alone. Default: the format's,
        else what most of the messages must travel on, else that of each card's brand.
    engine
        "dask" gives a Dask DataFrame of files.

    Returns
    -------
    MessagesTable
        `line` (from 1; of several the first), `file` (of a list of paths), `mti`, `version`, `network`, the
        data elements `DE2` to `DE128` that occur, as text, and for a row that is no message `error`,
        `error_field`, `error_offset` (in characters from 0) and `text`.

    Raises
    ------
    ChoiceError
        No version, network, interface or engine is called that.
    OptionError
        No element is called that.
    TypeError
        *source* is none.
    ValueError
        Options exclude each other.

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
    # The streams of a capture come one by one.
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
    """Rows are counted on from one chunk to the next."""
    made.index = pd.RangeIndex(first, first + len(made))
    return made


def _parts(source: object, options: Options, size: int | None, progress: bool | None) -> Iterator[ArrowBlock]:
    reader = Reader(options)
    total, unit = _work(source)
    bar = Bar(total, unit, progress)
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
            bar.add(len(lines.data) if unit == "B" else len(lines))
            del lines  # a block is let go before the next one is read
    finally:
        bar.close()


def _work(source: object) -> tuple[int | None, str]:
    """How much there is to read, and in what unit."""
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
