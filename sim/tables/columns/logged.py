"""Logs whose messages take several lines (hex dumps, jPOS XML), as blocks of messages in text form. A message
has the number of its first line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sim.codec import BuildError, Message, ParseError, build
from sim.operations import read
from sim.paste.front import network_headers
from sim.paste.spelled import message_of
from sim.paste.spellings import MOST_CHARACTERS, Wide, dumps_apart, named_messages, sighting_named
from sim.tables.columns.lines import Lines, batched
from sim.tables.columns.ways import SourceWay
from sim.tables.columns.wire import block

_ITEMS = 32_768
_BEGIN, _END = "<isomsg", "</isomsg>"


def of_dumps(batches: Iterable[Lines], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """Multi-line hex dumps, one row each. Packets without payload are left out."""
    dumps = iter(dumps_apart(_numbered(batches), way.shape))
    packets = ((dump.line, data) for dump in dumps if (data := _undumped(dump.text, way)) is not None)
    for some in batched(packets, _ITEMS):
        yield block([data for _, data in some], [line for line, _ in some], way, version, file)


def _numbered(batches: Iterable[Lines]) -> Iterator[tuple[int, str]]:
    for lines in batches:
        yield from zip(lines.numbers.tolist(), map(lines.text, range(len(lines))), strict=True)


def _undumped(text: str, way: SourceWay) -> bytes | None:
    """The bytes of a message; None for a packet without payload."""
    reading = sighting_named(text, way.spelling)
    data = reading.data if reading else b""
    if way.in_packets:
        skip, _ = network_headers(data)
        data = data[skip:] if skip else b""
        # An Ethernet frame is padded to its minimum size.
        return data if data.strip(b"\0") else None
    return data


def of_listing(batches: Iterable[Lines], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """The messages of a paste, one row each: one per line if most lines name elements, otherwise the messages
    of the whole paste, each with the line number of its MTI."""
    numbered = list(_numbered(batches))
    rows = [(number, _message(line)) for number, line in numbered]
    if 2 * sum(isinstance(message, Message) for _, message in rows) < len(rows):
        rows = list(_placed(numbered))
    yield _rows(rows, way, file)


def _placed(numbered: list[tuple[int, str]]) -> Iterator[tuple[int, Message | ParseError]]:
    """The messages of all lines together, separated by blank lines, each with its line number."""
    lines = dict(numbered)
    at = 0  # before the first line
    paste = read("\n".join(lines.get(number, "") for number in range(1, numbered[-1][0] + 1)))
    if paste.message is None:
        yield numbered[0][0], paste.error or _unread()
    for reading in paste.messages:
        mti = re.compile(rf"(?<![0-9]){reading.mti}(?![0-9])|(?<![0-9]){reading.mti}[0-9A-Fa-f]{{16}}")
        at = next((number for number, line in numbered if number > at and mti.search(line)), at)
        yield at or numbered[0][0], reading.error or reading.message or _unread()


def of_table(batches: Iterable[Lines], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """The rows of a table after the header row that names its elements."""
    numbered = _numbered(batches)
    table = next((header for _, line in numbered if (header := Wide.of(line))), None)
    assert table is not None  # noqa: S101 - only such tables come here
    rows = ((number, line) for number, line in numbered if not table.is_line(line))
    for some in batched(rows, _ITEMS):
        cells = ((number, table.message(line)) for number, line in some)
        yield _rows([(number, message_of(row)[0] if row else _unread()) for number, row in cells], way, file)


def of_xml(batches: Iterable[Lines], way: SourceWay, version: str | None, file: str) -> Iterator[Lines]:
    """Messages in jPOS XML, one row each."""
    for some in batched(_parts(_numbered(batches)), _ITEMS):
        yield _rows([(line, _message(text)) for line, text in some], way, file)


def _rows(read: list[tuple[int, Message | ParseError]], way: SourceWay, file: str) -> Lines:
    """Messages in text form, with their line numbers; a message without a text form is stored in `held`."""
    texts = [_text(message) for _, message in read]
    held = {row: message for row, (_, message) in enumerate(read) if not texts[row]}
    return Lines.of(texts, [line for line, _ in read], file, held=held, said=way.said)


def _parts(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Each message in numbered *lines*, with the messages nested in it, unchanged; text in between is left
    out, and an overlong message is truncated."""
    first, lines_held, size, depth = 0, list[str](), 0, 0
    for number, line in lines:
        begins, ends = line.count(_BEGIN), line.count(_END)
        if not lines_held and not begins:
            continue
        first = first if lines_held else number
        depth += begins - ends
        size += len(line)
        lines_held.append(line)
        if depth <= 0 or size > MOST_CHARACTERS:
            yield first, "\n".join(lines_held)
            lines_held, size, depth = [], 0, 0
    if lines_held:
        yield first, "\n".join(lines_held)


def _message(text: str) -> Message | ParseError:
    read = named_messages(text)
    return message_of(read[0])[0] if read else _unread()


def _unread() -> ParseError:
    return ParseError(0, None, "4 digits in field 0", "none")


def _text(message: Message | ParseError) -> str:
    """The text form; empty if there is none, or if the message has a dialect's own layout."""
    try:
        return build(message) if isinstance(message, Message) and message.dialect is None else ""
    except BuildError:
        return ""
