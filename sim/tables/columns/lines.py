"""Sources of many messages: lists, files and streams as blocks of bytes that contain lines.

A block is one byte buffer and the start and stop of each message in it. Text is UTF-8; a line that is not
valid UTF-8 is read as Latin-1, one character per byte, so that nothing is lost and offsets count characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sim.codec import Message, ParseError
from sim.codec.wire import Format
from sim.codec.wire.files import LONGEST
from sim.files import is_file
from sim.masking.files import masked_names, path_of
from sim.operations.rewriting import shown_text
from sim.spec import Spec
from sim.tables.argument import facts_of, take

T = TypeVar("T")
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Large enough for many messages of each kind, small enough for a processor's cache.
BLOCK = 4 << 20
_ITEMS = 16_384
_NEWLINE, _RETURN = 10, 13
_BLANKS = (9, 32)
_BOM = b"\xef\xbb\xbf"
# This mark is followed by the bytes of a row that is not a message, as hex digits.
BYTES_MARK = "0x"
_SUFFIXES = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True, slots=True)
class Lines:
    """Messages in one buffer: message i is `data[starts[i]:stops[i]]`, in line `numbers[i]` (from 1) of
    `file` (empty if there is no file). `format` is their wire format, None for text. `held` has messages that
    are already read, or their errors; `tables` the element table of their dialect by version, if it is not
    the standard's. `said` describes how the messages were found, `more` has additional columns."""

    data: Bytes
    starts: Ints
    stops: Ints
    numbers: Ints
    file: str = ""
    format: Format | None = None
    held: Mapping[int, Message | ParseError] = field(default_factory=dict, repr=False)
    tables: Mapping[str, Spec] = field(default_factory=dict, repr=False)
    said: str = ""
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, items: Any, numbers: Sequence[int] | Ints, file: str = "", **facts: Any) -> Lines:
        """Texts, bytes or messages in the lines *numbers*."""
        data, offsets = joined(items)
        return cls(
            data, offsets[:-1].copy(), offsets[1:].copy(), np.asarray(numbers, np.int64), file, **facts
        )

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, row: int) -> str:
        """Message *row* as text; binary ones as hex digits after a mark."""
        raw = self.raw(row)
        return decoded(raw) if self.format is None else BYTES_MARK + raw.hex().upper()

    def raw(self, row: int) -> bytes:
        """The bytes of message *row*."""
        return self.data[self.starts[row] : self.stops[row]].tobytes()

    def pick(self, rows: Any) -> Lines:
        """The messages *rows* (a slice, indexes or a mask) of the same buffer."""
        parsed: Mapping[int, Message | ParseError] = {}
        if self.held:
            kept = np.arange(len(self))[rows].tolist()
            parsed = {new: self.held[old] for new, old in enumerate(kept) if old in self.held}
        starts, stops, numbers = self.starts[rows], self.stops[rows], self.numbers[rows]
        more = {name: values[rows] for name, values in self.more.items()}
        return replace(self, starts=starts, stops=stops, numbers=numbers, held=parsed, more=more)

    def not_ascii(self) -> Bools:
        """Which messages have characters outside ASCII."""
        marks = np.zeros(len(self), dtype=np.bool_)
        if len(self.data) and int(self.data.max()) > 127:
            ends = np.flatnonzero(self.data > 127)
            first = np.searchsorted(ends, self.starts)
            marks = first < np.searchsorted(ends, self.stops)
        return marks


Finder = Callable[[Lines], Lines]


def decoded(raw: bytes) -> str:
    """*raw* as text: UTF-8, otherwise Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def finder(start: int | None, pattern: str | re.Pattern[str] | None) -> Finder:
    """A function that finds the message in each line: from character *start*, or by *pattern* (the group
    named `message`, else the first group, else the whole match; lines without a match are left out). Raises
    ValueError for both, or for a negative start."""
    if start is not None and pattern is not None:
        raise ValueError("start and pattern both set where a message begins; use only one of them")
    if start is not None:
        if start < 0:
            raise ValueError("start counts characters from 0")
        return lambda lines: _from(lines, start)
    if pattern is not None:
        expression = re.compile(pattern)
        return lambda lines: _matched(lines, expression)
    return lambda lines: lines


def _from(lines: Lines, start: int) -> Lines:
    starts = np.minimum(lines.starts + start, lines.stops)
    for row in np.flatnonzero(lines.not_ascii()).tolist():
        raw = lines.raw(row)
        text = decoded(raw)
        width = len(text[:start]) if len(text) == len(raw) else len(text[:start].encode("utf-8"))
        starts[row] = lines.starts[row] + width
    return replace(lines, starts=starts)


def _matched(lines: Lines, pattern: re.Pattern[str]) -> Lines:
    group: str | int = "message" if "message" in pattern.groupindex else min(pattern.groups, 1)
    keep = np.zeros(len(lines), dtype=np.bool_)
    starts, stops = lines.starts.copy(), lines.stops.copy()
    for row, first in enumerate(lines.starts.tolist()):
        raw = lines.raw(row)
        text = decoded(raw)
        match = pattern.search(text)
        if match is None or match.start(group) < 0:
            continue
        at, end = match.span(group)
        if len(text) != len(raw):
            at, end = (len(text[:place].encode("utf-8")) for place in (at, end))
        keep[row], starts[row], stops[row] = True, first + at, first + end
    return replace(lines, starts=starts, stops=stops).pick(keep)


def paths(source: object) -> list[Path] | None:
    """The paths in *source*; None if it is another kind of source. Strings in a list count as paths only if
    the first one is an existing file."""
    if isinstance(source, Path):
        return [source]
    if isinstance(source, str):
        return [path_of("source", source)]
    if isinstance(source, list | tuple) and source:
        first = source[0]
        if isinstance(first, Path) or (isinstance(first, str) and is_file(first)):
            return [Path(path) for path in source]
    return None


def opened(path: Path) -> BinaryIO:
    """*path* opened for reading, decompressed if its name ends in .gz or .zst."""
    packed = _SUFFIXES.get(path.suffix)
    with masked_names():
        if packed is None:
            return path.open("rb", buffering=0)
        return pa.input_stream(str(path), compression=packed)  # type: ignore[no-any-return]


def of_items(items: Iterable[object], find: Finder) -> Iterator[Lines]:
    """Messages from an iterable, each with or without its line ending."""
    first = 1
    for some in _runs(items):
        yield find(_lines(some, np.arange(first, first + len(some))))
        first += len(some)


def _runs(items: Iterable[object]) -> Iterator[Any]:
    """*items* in batches: lists, or slices of a Series' Arrow array."""
    sequence: Any = items
    if isinstance(items, pd.Series):
        sequence = items.array if isinstance(items.array, pd.arrays.ArrowStringArray) else items.tolist()
    if isinstance(sequence, list | tuple | pd.arrays.ArrowStringArray):
        for first in range(0, len(sequence), _ITEMS):
            yield sequence[first : first + _ITEMS]
        return
    yield from batched(items, _ITEMS)


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """*items* in lists of *size*."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _lines(items: Any, numbers: Ints) -> Lines:
    parsed: dict[int, Message | ParseError] = {}
    kinds = () if isinstance(items, pd.arrays.ArrowStringArray) else set(map(type, items))
    if any(issubclass(kind, Message | pd.DataFrame) for kind in kinds):
        parsed = {row: message for row, item in enumerate(items) if (message := _of_dialect(item))}
    lines = Lines.of(items, numbers, held=parsed)
    _trim(lines, _NEWLINE, _RETURN)
    return lines


def _of_dialect(item: object) -> Message | None:
    """*item* as a message, if its dialect has a layout other than its version's; otherwise None."""
    if isinstance(item, pd.DataFrame) and "dialect" in facts_of(item):
        item = take(item).message
    return item if isinstance(item, Message) and item.dialect is not None else None


def joined(items: Any) -> tuple[Bytes, Ints]:
    """Texts, bytes or messages as one buffer, with the start of each and the end of the last; any other item
    counts as empty."""
    try:
        packed = pa.array(items, pa.large_binary())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        packed = pa.array([as_bytes(item) for item in items], pa.large_binary())
    if isinstance(packed, pa.ChunkedArray):  # of a Series; a single chunk is not copied
        packed = packed.combine_chunks()
    if packed.null_count:
        packed = packed.fill_null(b"")
    _, ends, data = packed.buffers()
    buffer = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    offsets = np.frombuffer(ends, np.int64)[packed.offset : packed.offset + len(items) + 1]
    return buffer[offsets[0] : offsets[-1]], offsets - offsets[0]


def as_bytes(item: object) -> bytes:
    """A text, bytes or a message as bytes; empty for anything else."""
    if isinstance(item, bytes):
        return item
    if isinstance(item, Message | pd.DataFrame):
        item = shown_text(take(item))
    if not isinstance(item, str):
        return b""
    # A lone surrogate is not a character; it counts as one and becomes U+FFFD.
    return item.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def _trim(lines: Lines, *endings: int) -> None:
    """Remove one byte of each of *endings*, in this order, from the end of each line, in place."""
    for ending in endings if len(lines.data) else ():
        last = lines.data[lines.stops - 1]
        if not np.count_nonzero(last <= _RETURN):
            return  # no line ending
        np.subtract(lines.stops, (last == ending) & (lines.stops > lines.starts), out=lines.stops)


def of_stream(
    stream: Any, find: Finder, file: str = "", *, first: int = 1, limit: int | None = None
) -> Iterator[Lines]:
    """The lines of an open binary file that are not blank, numbered from *first*; at most *limit* bytes are
    read. A line longer than LONGEST bytes is a row with an error, so that a file without line
    endings takes no more memory than any other."""
    rest, left = np.empty(0, np.uint8), limit
    while True:
        piece, ended = _next(stream, rest, left)
        if left is not None:
            left -= len(piece) - len(rest)
        last = len(piece) if ended else _after_last(piece)
        rest = piece[last:][: LONGEST + 1].copy()  # the rest of an overlong line is not kept
        if last:
            lines = _split(piece[:last], first, file)
            first = int(lines.numbers[-1]) + 1
            _trim(lines, _RETURN)
            yield from _short_ones(lines, find)
            del lines
        del piece  # free the block before the next one is read
        if ended:
            return


def _short_ones(lines: Lines, find: Finder) -> Iterator[Lines]:
    """The messages found in *lines* that are not blank; an overlong line is a row with an error."""
    start = 0
    for row in [*np.flatnonzero(lines.stops - lines.starts > LONGEST).tolist(), len(lines)]:
        some = lines.pick(slice(start, row))
        if len(some):
            yield find(some.pick(~_blank(some)))
        if row < len(lines):
            fault = ParseError(None, LONGEST, f"a line of at most {LONGEST:,} bytes", "a longer one")
            yield failed(fault, int(lines.numbers[row]), lines.file)
        start = row + 1


def failed(fault: ParseError, number: int, file: str, said: str = "") -> Lines:
    """The row of line *number*, which is not a message because of *fault*."""
    places, numbers = np.zeros(1, np.int64), np.array([number], np.int64)
    return Lines(np.zeros(1, np.uint8), places, places.copy(), numbers, file, held={0: fault}, said=said)


def _next(stream: Any, rest: Bytes, left: int | None) -> tuple[Bytes, bool]:
    """*rest* followed by the next bytes of *stream*, and whether the stream has ended."""
    size = BLOCK if left is None else min(BLOCK, left)
    data = np.empty(len(rest) + size, np.uint8)
    data[: len(rest)] = rest
    count = stream.readinto(data[len(rest) :]) if size else 0
    return data[: len(rest) + (count or 0)], not count


def _after_last(data: Bytes) -> int:
    """The position after the last line ending, searched from the end; 0 if there is none."""
    for size in (4096, len(data)):
        ends = np.flatnonzero(data[-size:] == _NEWLINE)
        if len(ends):
            return max(len(data) - size, 0) + int(ends[-1]) + 1
    return 0


def _split(data: Bytes, first: int, file: str) -> Lines:
    begin = len(_BOM) if first == 1 and data[:3].tobytes() == _BOM else 0
    ends = np.flatnonzero(data == _NEWLINE)
    if not len(ends) or ends[-1] != len(data) - 1:
        ends = np.append(ends, len(data))
    starts = np.empty_like(ends)
    starts[0], starts[1:] = begin, ends[:-1] + 1
    return Lines(data, starts, ends, np.arange(first, first + len(ends), dtype=np.int64), file)


def _blank(lines: Lines) -> Bools:
    blank = lines.stops <= lines.starts
    heads = lines.data[np.minimum(lines.starts, len(lines.data) - 1)]
    for row in np.flatnonzero(np.isin(heads, _BLANKS) & ~blank).tolist():
        blank[row] = not lines.text(row).strip()
    return blank


def windows(data: Bytes, width: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Every run of *width* bytes as one item, where item i begins at byte i: indexing copies runs."""
    return np.ndarray((max(len(data) - width + 1, 0),), f"V{width}", data, strides=(1,))


def by_width(widths: Ints) -> Iterator[tuple[int, Ints]]:
    """Each width that occurs, with its positions."""
    counts = np.bincount(widths)
    order = np.argsort(widths.astype(np.uint16) if len(counts) < 1 << 16 else widths, kind="stable")
    ends = np.cumsum(counts)
    for width in np.flatnonzero(counts).tolist():
        yield width, order[ends[width] - counts[width] : ends[width]]


def copy(into: Bytes, at: Ints, data: Bytes, starts: Ints, width: int) -> None:
    """Copy the runs of *width* bytes from *starts* in *data* to *at* in *into*."""
    if width and len(at):
        windows(into, width)[at] = windows(data, width)[starts]


def first_of(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Numbers from 0, equal where all *columns* are, and the first position of each."""
    kinds, *others = [column for column in columns if column.any()] or columns[:1]
    for other in others:
        kinds = _dense(kinds) * (int(other.max()) + 1) + other
    kinds = _dense(kinds)
    first = np.empty(int(kinds.max(initial=0)) + 1, np.int64)
    first[kinds[::-1]] = np.arange(len(kinds))[::-1]
    return kinds, first


def _dense(kinds: Ints) -> Ints:
    """*kinds* renumbered without gaps."""
    most = int(kinds.max(initial=0))
    if most > 4 * len(kinds):
        return pd.factorize(kinds)[0].astype(np.int64)
    used = np.zeros(most + 1, np.bool_)
    used[kinds] = True
    return kinds if used.all() else (np.cumsum(used) - 1)[kinds]
