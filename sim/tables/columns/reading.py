"""`sim.read`: lists, logs, captures and files of messages into one table, one row per message.

Messages are read as `sim.codec.parse` does and validated as `sim.operations.validation` does, but by column
rather than by row.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any, Literal, TypedDict, Unpack, overload

import pandas as pd

from sim.codec.wire import Format
from sim.errors import OptionError, quoted_value
from sim.masking.files import masked_names
from sim.spec.interfaces import interface as interface_of
from sim.spec.spellings import choose, interface_named, network_named, several, version_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion
from sim.tables.columns.arrow_blocks import ArrowBlock, Reader, table
from sim.tables.columns.lines import as_bytes, paths
from sim.tables.columns.options import Options
from sim.tables.columns.sources import blocks, expanded, is_paste
from sim.tables.columns.table import MessagesTable, progress_bar

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
        `line` (from 1; the first of several), `file` (of several files), `time` (UTC) and `stream` (of
        captures), `mti`, `version`, `network`, with *validate* `valid` and `errors`, the data elements `DE2`
        to `DE128` that occur, as text, and for a row that is not a message `error`, `error_field` (0 MTI, 1
        bitmap), `error_offset` (characters, or bytes of binary data) and `text`, its hex digits after `0x`
        if it is binary.

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
    brand = None if network is None else network_named(network)
    link = "" if interface is None else interface_named(interface)
    if link and (spoken := interface_of(link).version):
        edition = spoken
    if chunksize is not None and chosen == "dask":
        raise OptionError("chunksize", "none for engine='dask'", quoted_value(chunksize))
    if chunksize is not None and (
        isinstance(chunksize, bool) or not isinstance(chunksize, Integral) or int(chunksize) < 1
    ):
        raise OptionError("chunksize", "a number of rows from 1 on", quoted_value(chunksize))
    if isinstance(source, str) and ("\n" in source or is_paste(source)):
        source = io.BytesIO(as_bytes(source))
    elif isinstance(source, bytes | bytearray | memoryview):
        source = io.BytesIO(source)
    source = expanded(source) or source
    many = isinstance(source, list | tuple) and paths(source) is not None
    layers = None if framing is None else several("framing", framing, "names of framings such as length-2")
    options = Options(edition, brand, validate, columns, start, pattern, many, format, layers, link).checked()
    if chosen == "dask":
        from sim.tables.columns.dask_engine import read_dask

        return read_dask(source, options)
    if chunksize is not None:
        return _chunks(source, options, chunksize, progress)
    result = table(list(_parts(source, options, None, progress)), options)
    # The streams of a capture are read one after the other.
    return result.sort_values(["line"], ignore_index=True) if "stream" in result.columns else result


def _chunks(source: object, options: Options, size: int, progress: bool | None) -> Iterator[MessagesTable]:
    """Tables whose row labels continue from one to the next."""
    parts: list[ArrowBlock] = []
    first = 0

    def chunk() -> MessagesTable:
        rows = table(parts, options)
        rows.index = pd.RangeIndex(first, first + len(rows))
        return rows

    for part in _parts(source, options, size, progress):
        parts.append(part)
        del part
        if sum(block.count for block in parts) == size:
            yield chunk()
            parts, first = [], first + size
    if parts or not first:
        yield chunk()


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
                yield ArrowBlock(0, {}, frozenset(), said=lines.said)
            bar.update(len(lines.data) if unit == "B" else len(lines))
            del lines  # free the block before the next one is read
    finally:
        bar.close()


def _work(source: object) -> tuple[int | None, str]:
    """The amount of work, and its unit."""
    files = paths(source)
    if files is not None:
        plain = all(path.suffix not in (".gz", ".zst") for path in files)
        with masked_names():
            return (sum(path.stat().st_size for path in files) if plain else None), "B"
    if isinstance(source, list | tuple | pd.Series):
        return len(source), "message"
    return None, "B" if hasattr(source, "read") else "message"
