"""The messages in a source, as blocks in text form, whatever their format."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from sim.codec.bitmap import HEX_DIGITS
from sim.files import is_file, is_folder
from sim.masking import mask_words
from sim.masking.files import path_of
from sim.operations.reading import TEXT_FORM, read
from sim.tables.columns import lines as plain
from sim.tables.columns import logged, ways, wire
from sim.tables.columns.captures import of_capture
from sim.tables.columns.lines import Lines, finder, of_stream, opened
from sim.tables.columns.options import Options

_BYTES = (bytes, bytearray, memoryview)
# The byte order marks of UTF-16; and the shortest text that can be a message rather than a file name.
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_FEWEST, _HEAD = 8, 20
# Among more items than this, each item that begins like a message counts as one.
_FEW_LINES = 40
_SAMPLE = 200
# Signs of a text that is not a file name: quotation marks, several blanks, a label, a long run without a dot.
_QUOTING = re.compile(r'["{};<>|]|\s{2}|:\s|^[^./\\]{48,}$')


def blocks(source: object, options: Options) -> Iterator[Lines]:
    """The messages of *source*, block by block. Raises TypeError if it is not a source, OSError for a file
    that cannot be read, SpecError for a file in which messages cannot be recognized."""
    files = plain.paths(source)
    if files is not None:
        for path in files:
            with opened(path) as stream:
                yield from of_file(stream, options, str(path))
    elif hasattr(source, "read"):
        yield from of_file(source, options, "")
    elif isinstance(source, Iterable) and not isinstance(source, (*_BYTES, dict, pd.DataFrame)):
        yield from _of_items(source, options)
    else:
        raise TypeError(
            "a source is a list, Series or iterator of messages, a path, a list of paths or an open file, "
            f"not {type(source).__name__}"
        )


def of_file(stream: Any, options: Options, file: str) -> Iterator[Lines]:
    """The messages of an open file of any kind."""
    head, rest, is_text = _peeked(stream)
    if head[:2] in _WIDE and 5 * head.count(0) >= 2 * len(head):
        head, rest, is_text = _peeked(codecs.getreader("utf-16")(rest, "replace"))
    way = ways.way_of(head, options.format, options.framing, find=options.unlocated, is_text=is_text)
    if way.kind == ways.CAPTURE:
        yield from of_capture(rest, way, options.version, file)
    elif way.kind == ways.RECORDS:
        yield from wire.of_records(wire.pieces(rest), way, options.version, file)
    else:
        yield from _of_lines(rest, way, options, file)


# How each kind of source is read from its lines; others are messages in text form.
_READERS = {
    ways.DUMPS: logged.of_dumps,
    ways.XML: logged.of_xml,
    ways.LISTING: logged.of_listing,
    ways.TABLE: logged.of_table,
    ways.HEX_LINES: wire.of_hex,
}


def _of_lines(stream: Any, way: ways.SourceWay, options: Options, file: str) -> Iterator[Lines]:
    batches = of_stream(stream, finder(None, way.pattern) if way.pattern else options.find, file)
    if way.kind in _READERS:
        return _READERS[way.kind](batches, way, options.version, file)
    return (replace(lines, said=way.said) for lines in batches)


def _of_items(items: Iterable[object], options: Options) -> Iterator[Lines]:
    """The messages of an iterable: texts, or bytes if the first item is; lines that contain messages are read
    like a file."""
    rest = iter(items)
    first = list(islice(rest, _SAMPLE))
    source: Any = items if not isinstance(items, Iterator) else chain(first, rest)
    if first and isinstance(first[0], _BYTES):
        way = ways.way_of_items(bytes(first[0]), options.format, options.framing)
        return wire.of_bytes(source, way, options.version)
    if options.format is not None and options.format != "text":
        way = ways.way_of_items(b"", options.format, options.framing)
        return wire.of_hex(plain.of_items(source, options.find), way, options.version)
    if (line_way := _way_of_lines(first, options)) is not None:
        return _of_lines(_as_file(_as_lines(iter(source))), line_way, options, "")
    return plain.of_items(source, options.find)


def _way_of_lines(items: list[object], options: Options) -> ways.SourceWay | None:
    """How messages are found in *items* if these are lines of a log or listing; None if each item is a
    message."""
    lines = [item for item in items if isinstance(item, str)] if options.format is None else []
    if not lines or len(lines) < len(items) or not options.unlocated:
        return None
    if any(map(TEXT_FORM.match, lines)) and (len(lines) > _FEW_LINES or any(map(ways.is_whole, lines))):
        return None
    head = plain.as_bytes("\n".join(lines))[: ways.HEAD]
    way = ways.way_of(head, None, options.framing, find=True, is_text=True)
    return None if way.kind == ways.LINES and not way.pattern else way


class _Pieces(io.RawIOBase):
    """Pieces of bytes as one open file."""

    def __init__(self, pieces: Iterable[bytes], name: str = "") -> None:
        self._pieces, self._left, self.name = iter(pieces), b"", name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(filter(None, self._pieces), b"")
        piece, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def _as_file(pieces: Iterable[bytes], name: str = "") -> Any:
    return io.BufferedReader(_Pieces(pieces, name), ways.HEAD)


def _as_lines(items: Iterator[object]) -> Iterator[bytes]:
    """Texts as the lines of a file, in batches."""
    for some in plain.batched(items, _SAMPLE):
        yield b"".join(plain.as_bytes(line).rstrip(b"\r\n") + b"\n" for line in some)


def _peeked(stream: Any) -> tuple[bytes, Any, bool]:
    """The first bytes of an open file, a file that begins with them, and whether it is a text file, whose
    characters become UTF-8 bytes."""
    start = stream.tell() if getattr(stream, "seekable", bool)() else None
    head = b""
    rest = iter(partial(stream.read, ways.HEAD), stream.read(0))
    while len(head) < ways.HEAD and (piece := stream.read(ways.HEAD - len(head))):
        if isinstance(piece, str):
            return *_peeked(_as_file(map(plain.as_bytes, chain([piece], rest))))[:2], True
        head += bytes(piece)
    if start is not None and hasattr(stream, "readinto"):
        stream.seek(start)
        return head, stream, False
    return head, _as_file(chain([head], rest), getattr(stream, "name", "")), False


def is_paste(text: str) -> bool:
    """Whether a one-line text is data rather than a file name: a message, or something else that is
    recognized."""
    if len(text) < _FEWEST or is_file(text) or is_folder(text):
        return False
    if _QUOTING.search(text):
        return True  # program code, a record or a web page
    reading = read(text)
    return (
        (len(text) > _HEAD and text[:4].isdigit() and HEX_DIGITS.issuperset(text[4:20]))
        or (reading.message is not None and reading.raw is None)
        or bool(reading.kind)
    )


def expanded(source: object) -> list[Path] | None:
    """The files of a folder or a pattern with `*`, sorted by name; None for another source. Raises
    FileNotFoundError if there are none."""
    if not isinstance(source, str | Path):
        return None
    text = str(source)
    path = path_of("source", text)
    if is_folder(path):
        files = sorted(path for path in path.iterdir() if path.is_file() and not path.name.startswith("."))
    elif any(sign in text for sign in "*?["):
        root = Path(path.anchor or ".")
        try:
            files = sorted(file for file in root.glob(str(path.relative_to(path.anchor))) if file.is_file())
        except ValueError:  # an invalid pattern
            files = []
    else:
        return None
    if not files:
        raise FileNotFoundError(f"no files in {mask_words(text)}")
    return files
