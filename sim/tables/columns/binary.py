"""How the messages of a binary file stand in it: behind lengths, in blocks or not, or one behind another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from sim.codec.message import is_mti
from sim.codec.wire import Format, WireError, decode, strip
from sim.codec.wire.files import is_blocked, message_size, records, stream_framing, unblock
from sim.codec.wire.framing import frame
from sim.errors import SpecError
from sim.paste import guess
from sim.tables.columns.kinds import RECORDS, TEXT, SourceWay, is_sure, layers_of, writing_of

# How many records are looked at for one that reads.
_TRIED = 20
# The length in front of records, empty for messages one behind another; the format; what else is around.
_Way = tuple[str, Format, tuple[str, ...]]


def way_of_records(head: bytes, known: Format | None, framing: Sequence[str] | None) -> SourceWay:
    """How a binary file that begins with *head* is read. Raises SpecError where its messages cannot be told
    apart."""
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
            f"messages in {known.title}: name another format=, or what stands around each in framing="
            if known
            else "messages that can be told apart: name format=, and what stands around each in framing="
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
    """The records behind a *length* that are whole in *data*."""
    try:
        yield from (record for _, record in records([data], length))
    except WireError:
        return


def _without(names: tuple[str, ...], length: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != length)


def _record_way(
    first: bytes, known: Format | None, names: tuple[str, ...], find: bool, length: str
) -> _Way | None:
    """How records behind a *length* are read, of which this is the first; None where it does not read."""
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
    """Whether one of the first records behind a *length* reads, or begins to."""
    if not length:
        return False
    some = islice(_records(data, length), _TRIED)
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
    best = guess(data, format=known)
    if best.format == TEXT:
        best = guess(data, format="ascii")  # with all that stands around the characters
    made = writing_of(best)
    if made is not None and is_sure(best):
        layers = layers_of(best) if find else names
        length = layers[0] if layers and frame(layers[0]).kind == "length" else ""
        return length, known or made, _without(layers, length)
    return ("", known, inner) if known is not None and _begins(data, known, inner) else None


def _usual(known: Format, record: bytes) -> tuple[str, ...]:
    """What usually stands around messages of a format, behind the length, where it stands around *record*."""
    inner = tuple(name for name in known.frames if frame(name).kind != "length")
    try:
        strip(record, inner)
    except WireError:
        return ()
    return inner
