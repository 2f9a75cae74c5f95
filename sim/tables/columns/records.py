"""Messages as bytes, many of them: records of a file, items of a list, hex digits in lines; as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from sim.codec.wire import Format, WireError, peel
from sim.codec.wire.files import records, run, unblock
from sim.codec.wire.framing import frame
from sim.tables.columns.kinds import SourceWay
from sim.tables.columns.lines import Lines, failed, joined
from sim.tables.columns.wire import as_text

__all__ = ["block", "of_bytes", "of_hex", "of_records", "pieces", "without"]

_ITEMS = 32_768
_PIECE = 1 << 20


def pieces(stream: Any, head: bytes = b"") -> Iterator[bytes]:
    """*head* and the rest of an open binary file, a megabyte at a time."""
    if head:
        yield head
    while piece := stream.read(_PIECE):
        yield bytes(piece)


def of_records(found: Iterable[bytes], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """The records of a file that comes in pieces, a row each; bytes at its end that are no whole record are
    a row that says so."""
    data = unblock(found) if way.blocked else found
    assert way.format is not None  # noqa: S101 - only such ways come here
    made = _versioned(way.format, version)
    taken = records(data, way.length) if way.length else run(data, made, way.framing, version)
    first, fault = 1, None
    while True:
        some: list[bytes] = []
        try:
            some.extend(record for _, record in islice(taken, _ITEMS))
        except WireError as error:
            fault = error.with_traceback(None)
        if some:
            yield block(some, way, version, first, file)
        first += len(some)
        if fault is not None:
            yield failed(fault, first, file, way.said)
        if fault is not None or len(some) < _ITEMS:
            return


def of_bytes(items: Iterable[bytes], way: SourceWay, version: str | None) -> Iterator[Lines]:
    """Messages that came as bytes, a row each."""
    rest, first = iter(items), 1
    while some := list(islice(rest, _ITEMS)):
        yield block([bytes(one) for one in some], way, version, first, "")
        first += len(some)


def of_hex(found: Iterable[Lines], way: SourceWay, version: str | None) -> Iterator[Lines]:
    """Lines whose messages are hex digits, blanks allowed between them, a row each."""
    for lines in found:
        if lines.held:  # what is no line of digits
            yield lines
            continue
        some = [_unhexed(lines, row) for row in range(len(lines))]
        made = block(some, way, version, 1, lines.file)
        yield replace(made, numbers=lines.numbers)


def _unhexed(lines: Lines, row: int) -> bytes:
    try:
        return bytes.fromhex(lines.text(row))
    except ValueError:
        return b""


def block(some: list[bytes], way: SourceWay, version: str | None, first: int, file: str) -> Lines:
    """Messages as bytes, framing included, in the text form; the first is message *first*."""
    assert way.format is not None  # noqa: S101 - only such ways come here
    data, offsets = joined(some)
    numbers = np.arange(first, first + len(some), dtype=np.int64)
    lines = Lines(data, offsets[:-1].copy(), offsets[1:].copy(), numbers, file, said=way.said)
    made = _versioned(way.format, version)
    return as_text(without(lines, way.framing), made, version, way.interface, way.framing)


def _versioned(made: Format, version: str | None) -> Format:
    return made.with_(version=None) if version and made.version not in (None, version) else made


def without(lines: Lines, framing: tuple[str, ...]) -> Lines:
    """*lines* without the layers of *framing*, outermost first. Where one does not stand there the message
    is left as it is, for its reader to say what is wrong."""
    for name in framing:
        made = frame(name)
        if made.kind == "header" and len(lines):
            lines = replace(lines, starts=np.minimum(lines.starts + made.width, lines.stops))
        else:
            lines = _peeled(lines, name)
    return lines


def _peeled(lines: Lines, name: str) -> Lines:
    starts, stops = lines.starts.copy(), lines.stops.copy()
    for row in range(len(lines)):
        raw = lines.data[starts[row] : stops[row]].tobytes()
        layer = peel(name, raw)
        if layer is not None:
            starts[row] += len(layer.front)
            stops[row] -= len(layer.back)
    return replace(lines, starts=starts, stops=stops)
