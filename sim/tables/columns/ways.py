"""How to find the messages in a source: determined from its first bytes, or from a sample of its lines.

A file is a capture, a sequence of records with length fields (blocked or not) or of consecutive messages, or
lines. In a line the message may have a time and a name before it and more text after it, as text or as hex
digits; its position is learned from lines in which it can be read to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from sim.codec import ParseError, parse
from sim.codec.message import is_mti
from sim.codec.wire import Format, WireError, decode, strip, wire_format
from sim.codec.wire.files import is_blocked, message_size, records, stream_framing, unblock
from sim.codec.wire.framing import frame
from sim.errors import SpecError
from sim.operations import chosen_version, read
from sim.paste import Reading, guess
from sim.paste.anchors import strangeness
from sim.paste.reading import NAMED
from sim.paste.spellings import Wide, dumps_apart, looks_at_all, named_messages
from sim.tables.columns.lines import decoded

# The number of bytes examined before anything is read.
HEAD = 1 << 16
_SAMPLE = 200
# How many records are tried to find a readable one.
_TRIED = 20
_GUESSED = 20
_FEW_LINES = 40
_FEWEST = 3
MAGIC = tuple(bytes.fromhex(magic) for magic in ("d4c3b2a1", "a1b2c3d4", "4d3cb2a1", "a1b23c4d", "0a0d0d0a"))
_CONTROL = bytes(range(9)) + b"\x0b\x0c" + bytes(range(14, 32)) + b"\x7f"
# Signs of a message in a line.
LIKELY = re.compile(r"[0-9]{4}[0-9A-Fa-f]{16}|(?:[0-9A-Fa-f]{2}){12}|(?:[0-9A-Fa-f]{2} ){11}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){12,}(?![0-9A-Za-z])")
_PAIRS = re.compile(r"(?<!\S)[0-9A-Fa-f]{2}(?: [0-9A-Fa-f]{2}){11,}(?!\S)")
# The most characters before a message that are used to find it in each line.
_LONGEST_MARK = 16
# This many messages in the same format determine that of all.
_ALIKE = 3


LINES, RECORDS, CAPTURE, HEX_LINES, DUMPS, XML = "lines", "records", "capture", "hex lines", "dumps", "XML"
LISTING, TABLE = "listing", "table"
TEXT = "text"


@dataclass(frozen=True, slots=True)
class SourceWay:
    """How messages are found and encoded. `kind` is one of those above; `pattern` finds the message in its
    line; `format` is the wire format, None for text; `length` the length field of a record, empty for
    messages that end with their last elements; `blocked` whether the file has blocks of 1014 bytes; `framing`
    the other layers; `said` a one-line description. For hex dumps, `shape` is the layout of the offsets,
    `spelling` the notation of the bytes, and `in_packets` whether network headers come first."""

    kind: str
    pattern: str | None = None
    format: Format | None = None
    length: str = ""
    blocked: bool = False
    framing: tuple[str, ...] = ()
    said: str = ""
    shape: tuple[int, str] | None = None
    spelling: str = ""
    in_packets: bool = False


def writing_of(best: Reading) -> Format | None:
    """The format of a guess; None if its message is incomplete. The text form as bytes is ASCII."""
    if not best.complete:
        return None
    return wire_format("ascii") if best.format == TEXT else best.written


def layers_of(best: Reading) -> tuple[str, ...]:
    """The names of the framing layers of a guess. Raises SpecError for one that has no name."""
    if not has_named_layers(best):
        raise SpecError(None, None, "a known framing; name it with framing=", ", ".join(best.framing)[:80])
    return tuple(layer.name for layer in best.layers)


def has_named_layers(best: Reading) -> bool:
    """Whether all layers around the message of a guess have a name."""
    return all(layer.name for layer in best.layers)


def is_sure(best: Reading) -> bool:
    """Whether a guess is sure or likely, and all layers around the message have a name."""
    return best.believed and has_named_layers(best)


# The length field of records, empty for consecutive messages; the format; the rest of the framing.
_Way = tuple[str, Format, tuple[str, ...]]


def way_of_records(head: bytes, fmt: Format | None, framing: Sequence[str] | None) -> SourceWay:
    """How a binary file that begins with *head* is read. Raises SpecError if its messages cannot be
    separated."""
    blocked = is_blocked(head)
    data = b"".join(unblock([head])) if blocked else head
    way = _records_way(data, fmt, framing)
    if way is None:
        expected = (
            f"messages in {fmt.title}: name a different format=, or what surrounds each in framing="
            if fmt
            else "messages that can be told apart: name format=, and what surrounds each in framing="
        )
        raise SpecError(None, None, expected, "; ".join(guess(data, format=fmt).reasons[:2])[:80])
    length, fmt, inner = way
    titles = [frame(name).title for name in (length, *inner) if name]
    label = ", ".join([*(["blocks of 1014 bytes"] if blocked else []), *titles, fmt.title])
    return SourceWay(RECORDS, format=fmt, length=length, blocked=blocked, framing=inner, said=label)


def _records_way(data: bytes, fmt: Format | None, framing: Sequence[str] | None) -> _Way | None:
    """How *data* is read, given the caller's format and framing, the most certain way first: as records with
    a length field, as messages without one, as records of which only some or a beginning can be read."""
    names = tuple(frame(name).name for name in framing or ())
    stated = next((name for name in names if frame(name).kind == "length"), "")
    length = stated or stream_framing(data) or ""
    some = [*islice(_records(data, length), _TRIED)]
    first = some[0] if some else b""
    best = _best_of(some[:_ALIKE]) if some and fmt is None else None
    writing = fmt or (best and writing_of(best))

    def records_in(writing: Format) -> _Way:
        if framing is not None:
            inner = tuple(name for name in names if name != length)
        else:
            inner = layers_of(best) if best else _usual(writing, first)
        return length, writing, inner

    if best and writing and is_sure(best):
        return records_in(writing)
    if fmt is not None and first:
        way = records_in(fmt)
        if reads(first, *way[1:]):
            return way
    if not stated and (bare := _bare_way(data, fmt, names, framing is None)):
        return bare
    # Whether one of the records is a message, or begins as one.
    if writing and (best or stated or any(_begins(each, writing, _usual(writing, each)) for each in some)):
        return records_in(writing)
    return None


def _best_of(some: list[bytes]) -> Reading:
    """The guess of the first of *some* records that is sure, since one may be damaged; else of the first."""
    guesses: list[Reading] = []
    for record in some:
        guesses.append(guess(record))
        if is_sure(guesses[-1]):
            return guesses[-1]
    return guesses[0]


def _records(data: bytes, length: str) -> Iterator[bytes]:
    """The complete records in *data* with length field *length*, if there is one."""
    with suppress(WireError):
        yield from (record for _, record in (records([data], length) if length else ()))


def reads(record: bytes, fmt: Format | str, inner: Sequence[str]) -> bool:
    """Whether *record*, without the layers *inner*, is a message in *fmt*."""
    try:
        _, start, end = strip(record, inner)
        decode(record[start:end], fmt)
    except WireError:
        return False
    return True


def _is_message(line: str, fmt: Format) -> bool:
    """Whether the hex digits *line* are a message in *fmt*, without framing."""
    with suppress(ValueError):
        return reads(bytes.fromhex(line), fmt, ())
    return False


def _begins(data: bytes, fmt: Format, inner: tuple[str, ...], *, whole: bool = False) -> bool:
    """Whether *data* begins as a message; with *whole*, it must be valid to its end."""
    try:
        message_size(data, fmt, inner)
    except WireError as error:
        return not whole and error.partial is not None and is_mti(error.partial.mti)
    return True


def _bare_way(data: bytes, fmt: Format | None, names: tuple[str, ...], find: bool) -> _Way | None:
    """How *data* without length fields is read: as one message, or several that end with their last elements;
    None for other bytes."""
    inner = _usual(fmt, data) if find and fmt is not None else names
    if fmt is not None and _begins(data, fmt, inner, whole=True):
        return "", fmt, inner
    best = guess(data, format=fmt)
    if best.format == TEXT:
        best = guess(data, format="ascii")  # including the framing around the characters
    writing = writing_of(best)
    if writing is not None and is_sure(best):
        layers = layers_of(best) if find else names
        length = layers[0] if layers and frame(layers[0]).kind == "length" else ""
        return length, fmt or writing, layers[1:] if length else layers
    return ("", fmt, inner) if fmt is not None and _begins(data, fmt, inner) else None


def _usual(fmt: Format, record: bytes) -> tuple[str, ...]:
    """The usual framing of a format, without the length field, if *record* has it."""
    inner = tuple(name for name in fmt.frames if frame(name).kind != "length")
    try:
        strip(record, inner)
    except WireError:
        return ()
    return inner


def way_of(
    head: bytes,
    format: Format | str | None,
    framing: Sequence[str] | None,
    *,
    find: bool,
    is_text: bool = False,
) -> SourceWay:
    """How a file that begins with *head* is read. *format* and *framing* are the caller's, *find* says
    whether to search for the message in its line, *is_text* whether the file is open as text. Raises
    SpecError for a binary file whose messages cannot be separated."""
    fmt = _wire(format)
    if head.startswith(MAGIC):
        return SourceWay(CAPTURE, format=fmt, framing=tuple(framing or ()))
    if fmt is None and find and _is_table(head):
        return SourceWay(TABLE, said="table with one message per row")
    is_text = is_text or head.translate(None, _CONTROL) == head
    if is_text or (fmt is None and _is_lines(head)):
        way = _way_of_text(head.decode("utf-8-sig", "replace"), fmt, framing, find=find)
        if fmt is None or way.kind != LINES:
            return way
    if fmt is not None and _is_hex(head):
        return SourceWay(HEX_LINES, format=fmt, framing=tuple(framing or ()), said=f"hex lines, {fmt.title}")
    return way_of_records(head, fmt, framing)


def _wire(fmt: Format | str | None) -> Format | None:
    return None if fmt is None or fmt == TEXT else wire_format(fmt)


def _is_hex(head: bytes) -> bool:
    return not head.translate(None, b"0123456789ABCDEFabcdef \t\r\n")


def _way_of_text(head: str, fmt: Format | None, framing: Sequence[str] | None, *, find: bool) -> SourceWay:
    """How the lines of a text that begins with *head* are read, given the caller's format and framing."""
    all_lines = [line for line in head.splitlines() if line.strip()]
    lines = all_lines[:_SAMPLE]
    if not lines or not find:
        return SourceWay(LINES)
    readable = fmt is None and 2 * sum(map(_begins_with_message, lines)) >= len(lines)
    if readable and any(map(is_whole, lines[:_GUESSED])):
        return SourceWay(LINES)
    # Lines of hex digits may still have a number, or framing, before each message.
    digits = fmt is not None and _is_hex(head.encode()) and any(_is_message(line, fmt) for line in lines)
    sightings = {} if digits else _messages_in(lines, fmt)
    way = _located(lines, {at: sighting for at, sighting in sightings.items() if not sighting.in_pairs}, fmt)
    if way is None and not readable:
        if fmt is None and any("<isomsg" in line for line in all_lines):
            return SourceWay(XML, said="jPOS XML")
        way = _way_of_dumps(all_lines, fmt, framing)
    way = way or _located(lines, sightings, fmt)
    few = fmt is None and framing is None and len(all_lines) <= _FEW_LINES
    if few and (way is None or way.kind == LINES):
        # This shows which blanks and quotes are not part of a message.
        pasted = _way_of_paste(head, all_lines)
        way = pasted if pasted.kind == LISTING else way
    if way is not None:
        return way if framing is None else replace(way, framing=tuple(framing))
    if fmt or framing:
        return SourceWay(LINES)
    listed = len(head) < HEAD and not any(map(_begins_with_message, lines))
    if listed and (looks_at_all(head) or all(map(named_messages, lines))):  # otherwise messages would be lost
        return _way_of_paste(head, all_lines)
    return SourceWay(LINES)


def _is_lines(head: bytes) -> bool:
    """Whether lines are messages in text form, even with unprintable characters. A single line must be valid
    to its end."""
    lines = [decoded(line).rstrip("\r") for line in head.split(b"\n", _GUESSED)[:_GUESSED] if line]
    if len(lines) == 1:
        return is_whole(lines[0])
    return 2 * sum(map(_begins_with_message, lines)) > len(lines)


def _is_table(head: bytes) -> bool:
    """Whether one of the first lines names elements, and most lines after it are messages with them."""
    some = (decoded(line).strip("\r\ufeff") for line in head.split(b"\n", _GUESSED)[:_GUESSED])
    lines = [line for line in some if not Wide.is_line(line)]
    for at, line in enumerate(lines[:_FEWEST]):
        if table := Wide.of(line):
            rows = [table.message(row) for row in lines[at + 1 :]]
            return bool(rows) and 2 * sum(each is not None and is_mti(each.mti) for each in rows) >= len(rows)
    return False


def _way_of_paste(text: str, lines: list[str]) -> SourceWay:
    """How a text that is completely known is read: as a listing, if its messages can only be read together
    (named elements, bytes over several lines) or it is something else that is recognized; as lines if it has
    no messages, or if the lines contain more messages by themselves."""
    reading = read(text)
    if reading.message is None and reading.kind:
        return SourceWay(LISTING, said=reading.reasons[0])
    if reading.message is None or reading.raw is not None:
        return SourceWay(LINES)
    if len(lines) > 1 and any(message.format != NAMED for message in reading.messages):
        likely = [line for line in lines[:_SAMPLE] if LIKELY.search(line)][:_GUESSED]
        together = len(reading.messages)
        alone = islice((line for line in likely if guess(line).believed), together + 1)
        if len(likely) > together and len([*alone]) > together:
            return SourceWay(LINES)
    return SourceWay(LISTING, said=reading.read_as)


def _way_of_dumps(lines: list[str], fmt: Format | None, framing: Sequence[str] | None) -> SourceWay | None:
    """How hex dumps among *lines* are read; None if there are none with messages."""
    ways: Counter[SourceWay] = Counter()
    dumps = [dump for dump in dumps_apart(enumerate(lines, 1)) if len(dump.rows) > 1]
    for dump in dumps[:_GUESSED]:
        best = guess(dump.text, format=fmt)
        writing = fmt or writing_of(best)
        if writing is None or not has_named_layers(best):
            continue
        layers = layers_of(best) if framing is None else tuple(framing)
        spelling, headers = best.spelling, best.framing[: bool(best.ahead)]
        titles = (*headers, *(frame(name).title for name in layers), writing.title)
        label = ", ".join((spelling.replace("dump", "dumps"), *titles))
        way = SourceWay(DUMPS, format=writing, framing=layers, said=label, shape=dump.shape)
        way = replace(way, spelling=spelling, in_packets=bool(headers))
        ways[way] += 1
        if ways.most_common(1)[0][1] == _FEWEST:
            break
    return ways.most_common(1)[0][0] if ways else None


def is_whole(line: str) -> bool:
    """Whether *line* is a complete message in text form, apart from blanks after it."""
    return any(_fault(text) is None for text in dict.fromkeys((line, line.rstrip())))


def _begins_with_message(text: str) -> bool:
    """Whether *text* begins with a message. One with a later fault counts, too; a length field before a
    message is not an MTI."""
    fault = _fault(text)
    return fault is None or (
        fault.partial is not None and fault.field not in (0, 1) and strangeness(text[:4]) is not None
    )


def _fault(text: str) -> ParseError | None:
    try:
        parse(text, chosen_version(text, None))
    except ParseError as error:
        return error
    return None


class _Sighting(NamedTuple):
    """A message in a line: the start of its framing, of the message, and its end; its format (None for text),
    the framing, and whether its hex digits are in pairs."""

    at: int
    start: int
    end: int
    format: Format | None
    layers: tuple[str, ...]
    in_pairs: bool = False

    @property
    def writing(self) -> tuple[object, ...]:
        """What messages in the same format have in common."""
        return self.format and self.format.name, self.layers, self.start - self.at, self.in_pairs


def _sighting_in(line: str, fmt: Format | None) -> _Sighting | None:
    best = guess(line, format=fmt)
    writing = writing_of(best)
    if writing is None or not has_named_layers(best):
        return None
    layers = layers_of(best)
    if best.format == TEXT:
        text = best.data.decode("latin-1") if best.data else best.raw or ""
        at = line.find(text)
        end = at + (best.end if best.data else len(text))
        return _Sighting(at, at + best.start, end, None, layers) if text and at >= 0 else None
    for runs in (_HEX, _PAIRS):
        for match in runs.finditer(line):
            if bytes.fromhex(match[0]) == best.data:
                return _Sighting(match.start(), match.start(), match.end(), writing, layers, runs is _PAIRS)
    return None


def _messages_in(lines: list[str], fmt: Format | None) -> dict[int, _Sighting]:
    """The messages in *lines*, by position, among the lines that may contain one; a few in the same format
    determine that of all."""
    sightings: dict[int, _Sighting] = {}
    ways: Counter[tuple[object, ...]] = Counter()
    for at in [place for place, line in enumerate(lines) if LIKELY.search(line)][:_GUESSED]:
        if (sighting := _sighting_in(lines[at], fmt)) is not None:
            sightings[at] = sighting
            ways[sighting.writing] += 1
            if ways[sighting.writing] == _ALIKE:
                break
    return sightings


def _located(lines: list[str], sightings: dict[int, _Sighting], fmt: Format | None) -> SourceWay | None:
    """How to find the messages in all *lines*, given the *sightings* in some; None if there are
    hardly any. Lines that may contain a message but do not match are examined, too: they may have another
    prefix."""
    if not sightings or (len(sightings) < _FEWEST and 2 * len(sightings) < len(lines)):
        return None
    way = _way_of_sightings(lines, sightings)
    if way is None or way.pattern is None:
        return way
    likely = (at for at, line in enumerate(lines) if LIKELY.search(line))
    missed = [at for at in likely if not re.search(way.pattern, lines[at])]
    more = {at: sighting for at in missed[:_GUESSED] if (sighting := _sighting_in(lines[at], fmt))}
    return _way_of_sightings(lines, sightings | more) if more else way


def _way_of_sightings(lines: list[str], sightings: dict[int, _Sighting]) -> SourceWay | None:
    """How to find the messages in *lines* that have the most common format among *sightings*; None if the
    lines are the messages."""
    usual, _ = Counter(sighting.writing for sighting in sightings.values()).most_common(1)[0]
    alike = {at: sighting for at, sighting in sightings.items() if sighting.writing == usual}
    first = next(iter(alike.values()))
    writing, layers, around = first.format, first.layers, first.start - first.at
    if writing is None and not layers and not any(sighting.start for sighting in alike.values()):
        return None
    front = _shared([lines[at][: sighting.at][::-1] for at, sighting in alike.items()])[::-1]
    pattern = (re.escape(front) if front else r"(?<![0-9A-Fa-f])") + (f".{{{around}}}" if around else "")
    if writing is not None:
        pattern += r"(?P<message>[0-9A-Fa-f]{24,}|[0-9A-Fa-f]{2}(?: [0-9A-Fa-f]{2}){11,})"
    else:
        rests = [lines[at][sighting.end :] for at, sighting in alike.items()]
        back = _shared(rests)
        ends_line = all(rest.strip() == back.strip() for rest in rests)
        ending = re.escape(back.rstrip()) + (r"\s*$" if ends_line else "") if back.strip() else ""
        pattern += rf"(?P<message>[0-9]{{4}}[0-9A-Fa-f]{{16}}.*{'?' if ending else ''}){ending}"
    matched = sum(bool(re.search(pattern, line)) for line in lines)
    title = writing.title if writing else f"text form{' after its length' if layers else ''}"
    behind = f" behind {front[-8:].strip()!r}" if front.strip() else ""
    label = f"{title}{behind}, in {matched} of the first {len(lines)} lines"
    if writing is None:
        return SourceWay(LINES, pattern=pattern, said=label)
    return SourceWay(HEX_LINES, pattern=pattern, format=writing, framing=layers, said=label)


def _shared(texts: list[str]) -> str:
    """The common prefix of all *texts*, up to a limit and to the first digit: digits vary."""
    first, last = min(texts), max(texts)
    size = 0
    while size < min(len(first), len(last), _LONGEST_MARK) and first[size] == last[size]:
        size += 1
    return re.split(r"\d", first[:size])[0]


def way_of_items(first: bytes, format: Format | str | None, framing: Sequence[str] | None) -> SourceWay:
    """How messages in separate byte strings are read; *first* is the first of them. Raises SpecError if that
    cannot be determined."""
    if fmt := _wire(format):
        return SourceWay(RECORDS, format=fmt, framing=tuple(framing or ()), said=fmt.title)
    best = guess(first)
    if (writing := writing_of(best)) is None:
        expected = "messages in a format that can be told from the first of them: name it with format="
        raise SpecError(None, None, expected, "; ".join(best.reasons[:2])[:80] or "another")
    layers = layers_of(best) if framing is None else tuple(framing)
    return SourceWay(RECORDS, format=writing, framing=layers, said=best.read_as)
