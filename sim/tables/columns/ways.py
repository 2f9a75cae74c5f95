"""How to find the messages in a source: determined from its first bytes, or from a sample of its lines.

A file is a capture, a sequence of records with length fields (blocked or not) or of consecutive messages, or
lines. In a line the message may have a time and a name before it and more text after it, as text or as hex
digits; its position is learned from lines in which it can be read to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
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
from sim.paste.spellings import Wide, dumps_apart, looks_at_all, named
from sim.tables.columns.lines import decoded

# How many records are tried to find a readable one.
_TRIED = 20
# The length field of records, empty for consecutive messages; the format; the rest of the framing.
_Way = tuple[str, Format, tuple[str, ...]]


def way_of_records(head: bytes, known: Format | None, framing: Sequence[str] | None) -> SourceWay:
    """How a binary file that begins with *head* is read. Raises SpecError if its messages cannot be
    separated."""
    blocked = is_blocked(head)
    data = b"".join(unblock([head])) if blocked else head
    names = tuple(frame(name).name for name in framing or ())
    named = next((name for name in names if frame(name).kind == "length"), "")
    length = named or stream_framing(data) or ""
    first = next(_records(data, length), b"") if length else b""
    found = _record_way(first, known, names, framing is None, length) if first else None
    if found is None and not named:
        found = _bare_way(data, known, names, framing is None)
    if found is None and known is not None and (named or _any_reads(data, length, known)):
        found = length, known, _usual(known, first) if framing is None else _without(names, length)
    elif found is None and known is None and first and (made := writing_of(best := guess(first))):
        found = length, made, layers_of(best) if framing is None else _without(names, length)
    if found is None:
        expected = (
            f"messages in {known.title}: name a different format=, or what surrounds each in framing="
            if known
            else "messages that can be told apart: name format=, and what surrounds each in framing="
        )
        raise SpecError(None, None, expected, "; ".join(guess(data, format=known).reasons[:2])[:80])
    length, known, inner = found
    parts = (
        "blocks of 1014 bytes" if blocked else "",
        frame(length).title if length else "",
        *(frame(one).title for one in inner),
    )
    said = ", ".join(part for part in (*parts, known.title) if part)
    return SourceWay(RECORDS, format=known, length=length, blocked=blocked, framing=inner, said=said)


def _records(data: bytes, length: str) -> Iterator[bytes]:
    """The complete records with length field *length* in *data*."""
    try:
        yield from (record for _, record in records([data], length))
    except WireError:
        return


def _without(names: tuple[str, ...], length: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != length)


def _record_way(
    first: bytes, known: Format | None, names: tuple[str, ...], find: bool, length: str
) -> _Way | None:
    """How records with length field *length* are read, judging by the *first*; None if it cannot be read."""
    inner = _without(names, length)
    if known is None:
        best = guess(first)
        made = writing_of(best) if is_sure(best) else None
        return None if made is None else (length, made, layers_of(best) if find else inner)
    inner = _usual(known, first) if find else inner
    try:
        _, start, end = strip(first, inner)
        decode(first[start:end], known)
    except WireError:
        return None
    return length, known, inner


def _any_reads(data: bytes, length: str, known: Format) -> bool:
    """Whether one of the first records with length field *length* is a message, or begins as one."""
    if not length:
        return False
    some = islice(_records(data, length), _TRIED)
    return any(_begins(record, known, _usual(known, record)) for record in some)


def _begins(data: bytes, known: Format, inner: tuple[str, ...], *, whole: bool = False) -> bool:
    """Whether *data* begins as a message; with *whole*, it must be valid to its end."""
    try:
        message_size(data, known, inner)
    except WireError as error:
        return not whole and error.partial is not None and is_mti(error.partial.mti)
    return True


def _bare_way(data: bytes, known: Format | None, names: tuple[str, ...], find: bool) -> _Way | None:
    """How *data* without length fields is read: as one message, or several that end with their last elements;
    None for other bytes."""
    inner = _usual(known, data) if find and known is not None else names
    if known is not None and _begins(data, known, inner, whole=True):
        return "", known, inner
    best = guess(data, format=known)
    if best.format == TEXT:
        best = guess(data, format="ascii")  # including the framing around the characters
    made = writing_of(best)
    if made is not None and is_sure(best):
        layers = layers_of(best) if find else names
        length = layers[0] if layers and frame(layers[0]).kind == "length" else ""
        return length, known or made, _without(layers, length)
    return ("", known, inner) if known is not None and _begins(data, known, inner) else None


def _usual(known: Format, record: bytes) -> tuple[str, ...]:
    """The usual framing of a format, without the length field, if *record* has it."""
    inner = tuple(name for name in known.frames if frame(name).kind != "length")
    try:
        strip(record, inner)
    except WireError:
        return ()
    return inner


LINES, RECORDS, CAPTURE, HEX_LINES, DUMPS, XML = "lines", "records", "capture", "hex lines", "dumps", "XML"
LISTING, TABLE = "listing", "table"
TEXT = "text"


@dataclass(frozen=True, slots=True)
class SourceWay:
    """How messages are found and encoded. `kind` is one of those above; `pattern` finds the message in its
    line; `format` is the wire format, None for text; `length` the length field of a record, empty for
    messages that end with their last elements; `blocked` whether the file has blocks of 1014 bytes; `framing`
    the other layers; `interface` the caller's interface; `said` a one-line description. For hex dumps,
    `shape` is the layout of the offsets, `spelling` the notation of the bytes, and `in_packets` whether
    network headers come first."""

    kind: str
    pattern: str | None = None
    format: Format | None = None
    length: str = ""
    blocked: bool = False
    framing: tuple[str, ...] = ()
    interface: str = ""
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
    names = tuple(layer.name for layer in best.layers)
    if not all(names):
        raise SpecError(None, None, "a known framing; name it with framing=", ", ".join(best.framing)[:80])
    return names


def is_sure(best: Reading) -> bool:
    """Whether a guess is sure or likely, and all layers around the message have a name."""
    return best.believed and all(layer.name for layer in best.layers)


# The number of bytes examined before anything is read.
HEAD = 1 << 16
_SAMPLE = 200
_GUESSED = 20
_FEW_LINES = 40
_FEWEST = 3
MAGIC = tuple(bytes.fromhex(one) for one in ("d4c3b2a1", "a1b2c3d4", "4d3cb2a1", "a1b23c4d", "0a0d0d0a"))
_CONTROL = bytes(range(9)) + b"\x0b\x0c" + bytes(range(14, 32)) + b"\x7f"
# Signs of a message in a line.
_LIKELY = re.compile(r"[0-9]{4}[0-9A-Fa-f]{16}|(?:[0-9A-Fa-f]{2}){12}|(?:[0-9A-Fa-f]{2} ){11}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){12,}(?![0-9A-Za-z])")
_PAIRS = re.compile(r"(?<!\S)[0-9A-Fa-f]{2}(?: [0-9A-Fa-f]{2}){11,}(?!\S)")
# The most characters before a message that are used to find it in each line.
_LONGEST_MARK = 16
# This many messages in the same format determine that of all.
_ALIKE = 3


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
    if head.startswith(MAGIC):
        return SourceWay(CAPTURE, format=_wire(format), framing=tuple(framing or ()))
    known = _wire(format)
    if known is None and find and _is_table(head):
        return SourceWay(TABLE, said="table with one message per row")
    is_text = is_text or head.translate(None, _CONTROL) == head
    if is_text or (known is None and _is_lines(head)):
        way = _way_of_text(head.decode("utf-8-sig", "replace"), known, framing, find=find)
        if known is None or way.kind != LINES:
            return way
    if known is not None and _is_hex(head):
        return SourceWay(
            HEX_LINES, format=known, framing=tuple(framing or ()), said=f"hex lines, {known.title}"
        )
    return way_of_records(head, known, framing)


def _wire(fmt: Format | str | None) -> Format | None:
    if fmt is None or fmt == TEXT:
        return None
    return wire_format(fmt) if isinstance(fmt, str) else fmt


def _is_hex(head: bytes) -> bool:
    return not head.translate(None, b"0123456789ABCDEFabcdef \t\r\n")


def _guessed(record: bytes) -> Reading:
    best = guess(record)
    if writing_of(best) is None:
        expected = "messages in a format that can be told from the first of them: name it with format="
        raise SpecError(None, None, expected, "; ".join(best.reasons[:2])[:80] or "another")
    return best


def _way_of_text(head: str, known: Format | None, framing: Sequence[str] | None, *, find: bool) -> SourceWay:
    """How the lines of a text that begins with *head* are read, given the caller's format and framing."""
    whole = [line for line in head.splitlines() if line.strip()]
    lines = whole[:_SAMPLE]
    if not lines or not find:
        return SourceWay(LINES)
    begun = known is None and 2 * sum(map(_reads, lines)) >= len(lines)
    if begun and any(map(is_whole, lines[:_GUESSED])):
        return SourceWay(LINES)
    digits = known is not None and _is_hex(head.encode())
    found = {} if digits else _messages_in(lines, known)
    way = _located(lines, {at: one for at, one in found.items() if not one.in_pairs}, known)
    if way is None and not begun:
        if known is None and any("<isomsg" in line for line in whole):
            return SourceWay(XML, said="jPOS XML")
        way = _way_of_dumps(whole, known, framing)
    way = way or _located(lines, found, known)
    few = known is None and framing is None and len(whole) <= _FEW_LINES
    if few and (way is None or way.kind == LINES):
        pasted = _way_of_paste(head, whole)  # this shows which blanks and quotes are not part of a message
        way = pasted if pasted.kind == LISTING else way
    if way is not None:
        return way if framing is None else replace(way, framing=tuple(framing))
    if known or framing:
        return SourceWay(LINES)
    listed = len(head) < HEAD and not any(map(_reads, lines))
    if listed and (looks_at_all(head) or all(map(named, lines))):  # otherwise messages would be lost
        return _way_of_paste(head, whole)
    return SourceWay(LINES)


def _is_lines(head: bytes) -> bool:
    """Whether lines are messages in text form, even with unprintable characters. A single line must be valid
    to its end."""
    lines = [decoded(line).rstrip("\r") for line in head.split(b"\n", _GUESSED)[:_GUESSED] if line]
    if len(lines) == 1:
        return is_whole(lines[0])
    return 2 * sum(map(_reads, lines)) > len(lines)


def _is_table(head: bytes) -> bool:
    """Whether one of the first lines names elements, and most lines after it are messages with them."""
    some = (decoded(line).strip("\r\ufeff") for line in head.split(b"\n", _GUESSED)[:_GUESSED])
    lines = [line for line in some if not Wide.is_line(line)]
    for at, line in enumerate(lines[:_FEWEST]):
        if table := Wide.of(line):
            rows = [table.message(row) for row in lines[at + 1 :]]
            return bool(rows) and 2 * sum(each is not None and is_mti(each.mti) for each in rows) >= len(rows)
    return False


def _way_of_paste(whole: str, lines: list[str]) -> SourceWay:
    """How a text that is completely known is read: as a listing, if its messages can only be read together
    (named elements, bytes over several lines) or it is something else that is recognized; as lines if it has
    no messages, or if the lines contain more messages by themselves."""
    reading = read(whole)
    if reading.message is None and reading.kind:
        return SourceWay(LISTING, said=reading.reasons[0])
    if reading.message is None or reading.raw is not None:
        return SourceWay(LINES)
    if len(lines) > 1 and any(message.format != NAMED for message in reading.messages):
        likely = [line for line in lines[:_SAMPLE] if _LIKELY.search(line)][:_GUESSED]
        if sum(guess(line).believed for line in likely) > len(reading.messages):
            return SourceWay(LINES)
    return SourceWay(LISTING, said=reading.read_as)


def _way_of_dumps(lines: list[str], known: Format | None, framing: Sequence[str] | None) -> SourceWay | None:
    """How hex dumps among *lines* are read; None if there are none with messages."""
    dumps = list(dumps_apart(enumerate(lines, 1)))
    ways: Counter[SourceWay] = Counter()
    for dump in islice((dump for dump in dumps if len(dump.rows) > 1), _GUESSED):
        best = guess(dump.text, format=known)
        made = known or writing_of(best)
        if made is None or not all(layer.name for layer in best.layers):
            continue
        layers = layers_of(best) if framing is None else tuple(framing)
        spelling, headers = best.spelling, best.framing[: bool(best.ahead)]
        titles = (*headers, *(frame(name).title for name in layers), made.title)
        way = SourceWay(
            DUMPS,
            format=made,
            framing=layers,
            said=", ".join((spelling.replace("dump", "dumps", 1), *titles)),
            shape=dump.shape,
            spelling=spelling,
            in_packets=bool(headers),
        )
        ways[way] += 1
        if ways.most_common(1)[0][1] == _FEWEST:
            break
    return ways.most_common(1)[0][0] if ways else None


def is_whole(line: str) -> bool:
    """Whether *line* is a complete message in text form, apart from blanks after it."""
    for text in dict.fromkeys((line, line.rstrip())):
        try:
            parse(text, chosen_version(text, None))
        except ParseError:
            continue
        return True
    return False


def _reads(text: str) -> bool:
    try:
        parse(text, chosen_version(text, None))
    except ParseError as error:
        # A message with a later fault still counts; a length field before a message is not an MTI.
        return error.partial is not None and error.field not in (0, 1) and strangeness(text[:4]) is not None
    return True


class _Found(NamedTuple):
    """A message in a line: the start of its framing, of the message, and its end; its format (None for text),
    the framing, and whether its hex digits are in pairs."""

    at: int
    start: int
    end: int
    made: Format | None
    layers: tuple[str, ...]
    in_pairs: bool = False


def _found_in(line: str, known: Format | None) -> _Found | None:
    best = guess(line, format=known)
    made = writing_of(best)
    if made is None or not all(layer.name for layer in best.layers):
        return None
    layers = tuple(layer.name for layer in best.layers)
    if best.format == TEXT:
        text = best.data.decode("latin-1") if best.data else best.raw or ""
        at = line.find(text)
        end = at + (best.end if best.data else len(text))
        return _Found(at, at + best.start, end, None, layers) if text and at >= 0 else None
    for runs in (_HEX, _PAIRS):
        for match in runs.finditer(line):
            if bytes.fromhex(match[0]) == best.data:
                return _Found(match.start(), match.start(), match.end(), made, layers, runs is _PAIRS)
    return None


def _messages_in(lines: list[str], known: Format | None) -> dict[int, _Found]:
    """The messages in *lines*, by position, among the lines that may contain one; a few in the same format
    determine that of all."""
    found: dict[int, _Found] = {}
    ways: Counter[tuple[object, ...]] = Counter()
    for at in [place for place, line in enumerate(lines) if _LIKELY.search(line)][:_GUESSED]:
        one = _found_in(lines[at], known)
        if one is not None:
            found[at] = one
            ways[_writing(one)] += 1
            if ways[_writing(one)] == _ALIKE:
                break
    return found


def _located(lines: list[str], found: dict[int, _Found], known: Format | None) -> SourceWay | None:
    """How to find the messages in all *lines*, given those that were *found* in some; None if there are
    hardly any. Lines that may contain a message but do not match are examined, too: they may have another
    prefix."""
    if not found or (len(found) < _FEWEST and 2 * len(found) < len(lines)):
        return None
    way = _way_of_found(lines, found)
    if way is None or way.pattern is None:
        return way
    missed = [
        at for at, line in enumerate(lines) if _LIKELY.search(line) and not re.search(way.pattern, line)
    ]
    more = {at: one for at in missed[:_GUESSED] if (one := _found_in(lines[at], known)) is not None}
    return _way_of_found(lines, found | more) if more else way


def _way_of_found(lines: list[str], found: dict[int, _Found]) -> SourceWay | None:
    """How to find the messages in *lines* that have the most common format among those *found*; None if the
    lines are the messages."""
    usual, _ = Counter(map(_writing, found.values())).most_common(1)[0]
    alike = {at: one for at, one in found.items() if _writing(one) == usual}
    first = next(iter(alike.values()))
    made, layers, around = first.made, first.layers, first.start - first.at
    if made is None and not layers and not any(one.start for one in alike.values()):
        return None
    front = _shared([lines[at][: one.at][::-1] for at, one in alike.items()])[::-1]
    rests = [lines[at][one.end :] for at, one in alike.items()]
    back = _shared(rests)
    whole = all(rest.strip() == back.strip() for rest in rests)
    size = f".{{{around}}}" if around else ""
    pattern = _pattern(front, back, size, whole=whole, hexed=made is not None)
    matched = sum(bool(re.search(pattern, line)) for line in lines)
    title = made.title if made else f"text form{' after its length' if layers else ''}"
    behind = f" behind {front[-8:].strip()!r}" if front.strip() else ""
    said = f"{title}{behind}, in {matched} of the first {len(lines)} lines"
    framing = layers if made else ()
    return SourceWay(HEX_LINES if made else LINES, pattern=pattern, format=made, framing=framing, said=said)


def _writing(hit: _Found) -> tuple[object, ...]:
    return hit.made.name if hit.made else "", hit.layers, hit.start - hit.at, hit.in_pairs


def _shared(texts: list[str]) -> str:
    """The common prefix of all *texts*, up to a limit and to the first digit: digits vary."""
    first, last = min(texts), max(texts)
    size = 0
    while size < min(len(first), len(last), _LONGEST_MARK) and first[size] == last[size]:
        size += 1
    return re.split(r"\d", first[:size])[0]


def _pattern(front: str, back: str, size: str, *, whole: bool, hexed: bool) -> str:
    """A regular expression for a message after *front* and the pattern *size*, and before *back*, which ends
    the line if *whole*."""
    mark = (re.escape(front) if front else r"(?<![0-9A-Fa-f])") + size
    if hexed:
        return rf"{mark}(?P<message>[0-9A-Fa-f]{{24,}}|[0-9A-Fa-f]{{2}}(?: [0-9A-Fa-f]{{2}}){{11,}})"
    ending = re.escape(back.rstrip()) + (r"\s*$" if whole else "") if back.strip() else ""
    return rf"{mark}(?P<message>[0-9]{{4}}[0-9A-Fa-f]{{16}}.*{'?' if ending else ''}){ending}"


def way_of_items(first: bytes, format: Format | str | None, framing: Sequence[str] | None) -> SourceWay:
    """How messages in separate byte strings are read; *first* is the first of them. Raises SpecError if that
    cannot be determined."""
    known = _wire(format)
    if known is None:
        best = _guessed(first)
        layers = layers_of(best) if framing is None else tuple(framing)
        return SourceWay(RECORDS, format=writing_of(best), framing=layers, said=best.read_as)
    return SourceWay(RECORDS, format=known, framing=tuple(framing or ()), said=known.title)
