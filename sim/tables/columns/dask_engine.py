"""Many messages on many machines: byte ranges of files as the partitions of a Dask DataFrame.

A partition is the table that `sim.tables.columns` makes of its range. The lines of each range are counted
before they are read, so that each row has its line number; a compressed file is one range, because it can
only be read from its beginning.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.masking.files import masked_names
from sim.tables.card_data import CardData, CardDataType
from sim.tables.columns.arrow_blocks import Reader, table
from sim.tables.columns.lines import of_stream, opened, paths
from sim.tables.columns.options import ALL, Options
from sim.tables.columns.sources import of_file
from sim.tables.columns.ways import HEAD, LINES, way_of

# The approximate number of bytes in a partition.
RANGE = 64 << 20
_PACKED = (".gz", ".zst")
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes *start* to *stop* of a file, both just after a line ending; *stop* None is a whole compressed
    file."""

    path: str
    start: int = 0
    stop: int | None = None


def ranges(path: Path, size: int) -> Iterator[ByteRange]:
    """Ranges of about *size* bytes of *path* that end at line endings."""
    if path.suffix in _PACKED:
        yield ByteRange(str(path))
        return
    with masked_names():
        total, start = path.stat().st_size, 0
    with path.open("rb") as file:
        while start < total:
            file.seek(min(start + size, total) - 1)
            file.readline()
            yield ByteRange(str(path), start, file.tell())
            start = file.tell()


def lines_in(part: ByteRange) -> int:
    """The number of line endings in a range."""
    if part.stop is None:
        return 0
    count, left = 0, part.stop - part.start
    with Path(part.path).open("rb") as file:
        file.seek(part.start)
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            count += piece.count(b"\n")
            left -= len(piece)
    return count


def read_range(part: ByteRange, first: int, options: Options) -> Any:
    """The messages of a range as a table; its first line is line *first* of the file."""
    reader = Reader(options)
    with opened(Path(part.path)) as stream:
        if part.stop is None:
            blocks = of_file(stream, options, part.path)
        else:
            stream.seek(part.start)
            limit = part.stop - part.start
            blocks = of_stream(stream, options.find, part.path, first=first, limit=limit)
        # All partitions have the same columns: those of captures are left out.
        return table([reader.part(replace(lines, more={})) for lines in blocks if len(lines)], options)


def planned(path: Path, options: Options) -> tuple[list[ByteRange], Options]:
    """The ranges of a file, and how its lines are read; a file of another kind is one range."""
    with opened(path) as stream:
        way = way_of(stream.read(HEAD), options.format, options.framing, find=options.unlocated)
    if way.kind != LINES or path.suffix in _PACKED:
        return [ByteRange(str(path))], options
    chosen = options if way.pattern is None else replace(options, pattern=way.pattern)
    return list(ranges(path, RANGE)), chosen


def read_dask(source: object, options: Options) -> Any:
    """The files of *source* as a Dask DataFrame. Raises ImportError without Dask, TypeError if *source* is
    not a path or a list of paths."""
    try:
        import dask.dataframe
        from dask.dataframe.extensions import make_array_nonempty
        from dask.delayed import delayed
    except ImportError as error:
        raise ImportError("engine='dask' needs Dask: pip install 'iso8583-lab[dask]'") from error
    # Dask infers dtypes from columns of two cells.
    nonempty: Any = make_array_nonempty  # untyped
    nonempty.register(CardDataType, lambda kind: CardData.of(["", ""]))
    files = paths(source)
    if files is None:
        raise TypeError("engine='dask' reads files: give a path or a list of paths")
    # All partitions have the same columns, whichever elements they contain.
    chosen = replace(options, columns=options.numbers or tuple(ALL))
    parts = []
    for path in files:
        first: Any = 1
        pieces, line_options = planned(path, chosen)
        for piece in pieces:
            parts.append(delayed(read_range)(piece, first, line_options))
            first = delayed(operator.add)(first, delayed(lines_in)(piece))
    meta = table([], chosen)
    frames: Any = dask.dataframe  # partly typed
    if not parts:
        return frames.from_pandas(meta, npartitions=1)
    return frames.from_delayed(parts, meta=meta, verify_meta=False)
