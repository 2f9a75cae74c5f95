"""How the messages of a source stand in it: seen from its first bytes, or from a sample of its lines.

A file is a capture, a run of records behind lengths (in blocks or not) or one behind another, or lines. In a
line the message may stand behind a time and a name and in front of more, as text or as hex digits: where, is
found from lines in which it can be read to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sim.codec import ParseError, parse
from sim.codec.wire import Format, WireError, decode, strip, wire_format
from sim.codec.wire.dumps import dumps_apart, looks_at_all, named
from sim.codec.wire.dumps.parts import is_mti
from sim.codec.wire.files import is_blocked, message_size, records, stream_framing, unblock
from sim.codec.wire.framing import frame
from sim.errors import SpecError
from sim.operations import chosen_version
from sim.operations.guessing import Guessed, guess
from sim.operations.sureness import LIKELY, SURE

LINES, RECORDS, CAPTURE, HEX_LINES, DUMPS, XML = "lines", "records", "capture", "hex lines", "dumps", "XML"
LISTING = "listing"
TEXT = "text"
# What is looked at before anything is read.
HEAD = 1 << 16
_SAMPLE = 200
_GUESSED = 20
_FEWEST = 3
_MAGIC = tuple(bytes.fromhex(one) for one in ("d4c3b2a1", "a1b2c3d4", "4d3cb2a1", "a1b23c4d", "0a0d0d0a"))
_CONTROL = bytes(range(9)) + b"\x0b\x0c" + bytes(range(14, 32)) + b"\x7f"
_STARTS = re.compile(r"(?<![0-9A-Fa-f])[0-9]{4}[0-9A-Fa-f]{16}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){12,}(?![0-9A-Za-z])")
_END = re.compile(r"[\s\"'\]})>,;]*$")
# As much of what stands in front is looked for in each line.
_LONGEST_MARK = 16
_MOST_TRIED = 4


@dataclass(frozen=True, slots=True)
class SourceWay:
    """How messages are found and written. `kind` is one of those above; `start` or `pattern` say where a
    message stands in its line; `format` how it is written, None as text; `length` the length field in
    front of a record, empty where each says itself where it ends, `blocked` whether the file is in blocks
    of 1014 bytes; `framing` what else stands around it; `said` one line for a person. Dumps have `shape`,
    what stands around their offsets, `spelling`, how their bytes are written, and `in_packets`, whether
    headers of the network stand in front."""

    kind: str
    start: int | None = None
    pattern: str | None = None
    format: Format | None = None
    length: str = ""
    blocked: bool = False
    framing: tuple[str, ...] = ()
    said: str = ""
    shape: tuple[int, str] | None = None
    spelling: str = ""
    in_packets: bool = False


def way_of(
    head: bytes, format: Format | str | None, framing: Sequence[str] | None, *, find: bool
) -> SourceWay:
    """How a file that begins with *head* is read. *format* and *framing* are what the caller knows, *find*
    whether the message is to be looked for in its line. Raises SpecError for a binary file whose
    messages cannot be told apart."""
    if head.startswith(_MAGIC):
        return SourceWay(CAPTURE, format=_wire(format), framing=tuple(framing or ()))
    known = _wire(format)
    if head.translate(None, _CONTROL) == head:
        way = way_of_text(head.decode("utf-8-sig", "replace"), known, framing, find=find)
        if known is None or way.kind == DUMPS:
            return way
    if known is not None and _is_hex(head):
        return SourceWay(
            HEX_LINES, format=known, framing=tuple(framing or ()), said=f"hex lines, {known.title}"
        )
    return _way_of_records(head, known, framing)


def _wire(given: Format | str | None) -> Format | None:
    if given is None or given == TEXT:
        return None
    return wire_format(given) if isinstance(given, str) else given


def _is_hex(head: bytes) -> bool:
    return not head.translate(None, b"0123456789ABCDEFabcdef \t\r\n")


def _way_of_records(head: bytes, known: Format | None, framing: Sequence[str] | None) -> SourceWay:
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
    elif found is None and known is None and first and (made := writing_of(best := guess(first).best)):
        found = length, made, layers_of(best) if framing is None else _without(names, length)
    if found is None:
        expected = (
            f"messages in {known.title}: name another format=, or what stands around each in framing="
            if known
            else "messages that can be told apart: name format=, and what stands around each in framing="
        )
        raise SpecError(None, None, expected, "; ".join(guess(data, format=known).best.reasons[:2])[:80])
    length, known, inner = found
    parts = (
        "blocks of 1014 bytes" if blocked else "",
        frame(length).title if length else "",
        *(frame(one).title for one in inner),
    )
    said = ", ".join(part for part in (*parts, known.title) if part)
    return SourceWay(RECORDS, format=known, length=length, blocked=blocked, framing=inner, said=said)


def _records(data: bytes, length: str) -> Iterator[bytes]:
    """The records behind a *length* that are whole in *data*."""
    try:
        yield from (record for _, record in records([data], length))
    except WireError:
        return


def _guessed(record: bytes) -> Guessed:
    best = guess(record).best
    if writing_of(best) is None:
        expected = "messages in a format that can be told from the first of them: name it with format="
        raise SpecError(None, None, expected, "; ".join(best.reasons[:2])[:80] or "another")
    return best


# The length in front of records, empty for messages one behind another; the format; what else is around.
_Way = tuple[str, Format, tuple[str, ...]]


def _is_sure(best: Guessed) -> bool:
    return best.confidence in (SURE, LIKELY) and all(layer.name for layer in best.layers)


def _without(names: tuple[str, ...], length: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != length)


def _record_way(
    first: bytes, known: Format | None, names: tuple[str, ...], find: bool, length: str
) -> _Way | None:
    """How records behind a *length* are read, of which this is the first; None where it does not read."""
    inner = _without(names, length)
    if known is None:
        best = guess(first).best
        made = writing_of(best) if _is_sure(best) else None
        return None if made is None else (length, made, layers_of(best) if find else inner)
    inner = _usual(known, first) if find else inner
    try:
        _, start, end = strip(first, inner)
        decode(first[start:end], known)
    except WireError:
        return None
    return length, known, inner


def _any_reads(data: bytes, length: str, known: Format) -> bool:
    """Whether one of the first records behind a *length* reads, or begins to."""
    if not length:
        return False
    some = islice(_records(data, length), _GUESSED)
    return any(_begins(record, known, _usual(known, record)) for record in some)


def _begins(data: bytes, known: Format, inner: tuple[str, ...], *, whole: bool = False) -> bool:
    """Whether a message begins there, be it broken further on unless it must be *whole*."""
    try:
        message_size(data, known, inner)
    except WireError as error:
        return not whole and error.partial is not None and is_mti(error.partial.mti)
    return True


def _bare_way(data: bytes, known: Format | None, names: tuple[str, ...], find: bool) -> _Way | None:
    """How *data* without lengths in front are read: as one message, or several that say where they end; None
    for other bytes."""
    inner = _usual(known, data) if find and known is not None else names
    if known is not None and _begins(data, known, inner, whole=True):
        return "", known, inner
    best = guess(data, format=known).best
    if best.format == TEXT:
        best = guess(data, format="ascii").best  # with all that stands around the characters
    made = writing_of(best)
    if made is not None and _is_sure(best):
        layers = layers_of(best) if find else names
        length = layers[0] if layers and frame(layers[0]).kind == "length" else ""
        return length, known or made, _without(layers, length)
    return ("", known, inner) if known is not None and _begins(data, known, inner) else None


def writing_of(best: Guessed) -> Format | None:
    """The format that a guess found; None where the message is not whole, or none. Bytes of the text form
    are ASCII."""
    if not best.complete:
        return None
    return wire_format("ascii") if best.format == TEXT else best.written


def layers_of(best: Guessed) -> tuple[str, ...]:
    """The names of the framing that a guess found. Raises SpecError for one that has no name."""
    names = tuple(layer.name for layer in best.layers)
    if not all(names):
        raise SpecError(
            None, None, "framing of a known kind: name it with framing=", ", ".join(best.framing)[:80]
        )
    return names


def _usual(known: Format, record: bytes) -> tuple[str, ...]:
    """What usually stands around messages of a format, behind the length, where it stands around *record*."""
    inner = tuple(name for name in known.frames if frame(name).kind != "length")
    try:
        strip(record, inner)
    except WireError:
        return ()
    return inner


def way_of_text(
    head: str, format: Format | str | None, framing: Sequence[str] | None, *, find: bool
) -> SourceWay:
    """How the lines of a text that begins with *head* are read, by what the caller knows."""
    known = _wire(format)
    whole = [line for line in head.splitlines() if line.strip()]
    lines = whole[:_SAMPLE]
    if not lines or not find:
        return SourceWay(LINES)
    if known is None:
        if sum(_reads(line) for line in lines) * 2 >= len(lines):
            return SourceWay(LINES)
        for look in (_text_at, _hex_at):
            if (way := _located(lines, look)) is not None:
                return way
    if known is None and any("<isomsg" in line for line in whole):
        return SourceWay(XML, said="jPOS XML")
    listed = known is None and len(head) < HEAD and not any(map(_reads, lines))
    listed = listed and (looks_at_all(head) or all(map(named, lines)))  # else messages would be lost
    return _way_of_dumps(whole, known, framing) or (_way_of_listing(head) if listed else SourceWay(LINES))


def _way_of_listing(whole: str) -> SourceWay:
    """How a text is read that names its elements, of which it has seen all: a paste, as its messages are told
    apart by all that it holds; lines where it names none."""
    found = guess(whole)
    spelled = found.messages and all(one.format == "elements" for one in found.messages)
    if spelled and found.best.confidence in (SURE, LIKELY):
        return SourceWay(LISTING, said=found.best.read_as)
    return SourceWay(LINES)


def _way_of_dumps(lines: list[str], known: Format | None, framing: Sequence[str] | None) -> SourceWay | None:
    """How hex dumps among *lines* are read; None where there are none that hold messages."""
    found = list(dumps_apart(enumerate(lines, 1)))
    ways: Counter[SourceWay] = Counter()
    for dump in islice((one for one in found if len(one.rows) > 1), _GUESSED):
        best = guess(dump.text, format=known).best
        made = known or writing_of(best)
        if made is None or best.origin is None or not all(layer.name for layer in best.layers):
            continue
        layers = layers_of(best) if framing is None else tuple(framing)
        spelling, headers = best.origin.reading.name, best.origin.skipped[:1]
        titles = (*headers, *(frame(one).title for one in layers), made.title)
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


def _reads(text: str) -> bool:
    try:
        parse(text, chosen_version(text, None))
    except ParseError as error:
        # A message that is broken further on is one all the same.
        return error.partial is not None and error.field not in (0, 1)
    return True


# A message in a line: where it starts and ends, and how it is written, None as text.
_Found = tuple[int, int, Format | None, tuple[str, ...]]


def _text_at(line: str) -> _Found | None:
    """Where a text form stands that reads to the end of its line, or to what closes it."""
    for match in list(_STARTS.finditer(line))[:_MOST_TRIED]:
        rest = line[match.start() :]
        for end in dict.fromkeys((len(rest), len(rest.rstrip()), *_ends(rest))):
            try:
                parse(rest[:end], chosen_version(rest, None))
            except ParseError:
                continue
            return match.start(), match.start() + end, None, ()
    return None


def _ends(rest: str) -> Iterable[int]:
    closed = _END.search(rest)
    if closed:
        yield closed.start()
    yield from [match.start() for match in re.finditer(r"[\"'\]|\s]", rest)][:8]


def _hex_at(line: str) -> _Found | None:
    """Where hex digits of a message stand, and how it is written."""
    for match in sorted(_HEX.finditer(line), key=lambda one: one.start() - one.end())[:2]:
        best = guess(bytes.fromhex(match[0])).best
        made = writing_of(best)
        if made is not None and all(layer.name for layer in best.layers):
            return match.start(), match.end(), made, layers_of(best)
    return None


def _located(lines: list[str], look: Callable[[str], _Found | None]) -> SourceWay | None:
    # A guess takes its time: of hex digits fewer lines are looked at.
    tried = lines[: _SAMPLE if look is _text_at else _GUESSED]
    found = {at: place for at, line in enumerate(tried) if (place := look(line)) is not None}
    if len(found) * 2 < len(tried) and len(found) < _FEWEST:
        return None
    writings = Counter(_writing(one) for one in found.values())
    usual, _ = writings.most_common(1)[0]
    alike = {at: one for at, one in found.items() if _writing(one) == usual}
    _, _, made, layers = next(iter(alike.values()))
    if made is None and not any(start for start, *_ in alike.values()):
        return None
    front = _shared([lines[at][:start][::-1] for at, (start, *_) in alike.items()])[::-1]
    rests = [lines[at][end:] for at, (_, end, *_) in alike.items()]
    back = _shared(rests)
    whole = all(rest.strip() == back.strip() for rest in rests)
    pattern = _pattern(front, back, whole=whole, hexed=made is not None)
    matched = sum(bool(re.search(pattern, line)) for line in lines)
    title = made.title if made else "text form"
    behind = f" behind {front[-8:].strip()!r}" if front.strip() else ""
    said = f"{title}{behind}, in {matched} of the first {len(lines)} lines"
    return SourceWay(HEX_LINES if made else LINES, pattern=pattern, format=made, framing=layers, said=said)


def _writing(one: _Found) -> tuple[str, tuple[str, ...]]:
    return (one[2].name if one[2] else "", one[3])


def _shared(texts: list[str]) -> str:
    """What all *texts* begin with, as far as it is looked at; digits are no mark, they count something."""
    first, last = min(texts), max(texts)
    size = 0
    while size < min(len(first), len(last), _LONGEST_MARK) and first[size] == last[size]:
        size += 1
    return re.split(r"\d", first[:size])[0]


def _pattern(front: str, back: str, *, whole: bool, hexed: bool) -> str:
    """What finds a message behind *front* and before *back*, which ends the line where *whole*."""
    mark = re.escape(front) if front else r"(?<![0-9A-Fa-f])"
    if hexed:
        return rf"{mark}(?P<message>[0-9A-Fa-f]{{24,}})"
    ending = re.escape(back.rstrip()) + (r"\s*$" if whole else "") if back.strip() else ""
    return rf"{mark}(?P<message>[0-9]{{4}}[0-9A-Fa-f]{{16}}.*{'?' if ending else ''}){ending}"


def way_of_items(first: bytes, format: Format | str | None, framing: Sequence[str] | None) -> SourceWay:
    """How messages that come one by one as bytes are read; *first* is the first of them. Raises SpecError
    where that cannot be told from it."""
    known = _wire(format)
    if known is None:
        best = _guessed(first)
        layers = layers_of(best) if framing is None else tuple(framing)
        return SourceWay(RECORDS, format=writing_of(best), framing=layers, said=best.read_as)
    return SourceWay(RECORDS, format=known, framing=tuple(framing or ()), said=known.title)
