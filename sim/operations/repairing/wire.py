"""The edits of bitmap and lengths after which the bytes of a message can be read to their end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from math import log2

from sim.codec import Message, bitmap
from sim.codec.wire import Format, decode, encode, read_so_far
from sim.codec.wire.encode import length_prefix
from sim.codec.wire.formats import BCD, BINARY, HEX, RAW, Field
from sim.codec.wire.pages import view
from sim.errors import BITMAP_FIELD, BuildError, IsoError
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit
from sim.operations.repairing.witnesses import expected

_MAP = 8
_ENOUGH = 2000  # bytes that any element has
# A length off by one or two, or counted in the other unit.
_OFF = (-2, -1, 1, 2)

Found = tuple[Message, Edit]


def readings(data: bytes, fmt: Format) -> Iterator[Found]:
    """What *data* are after an edit: the message, and the edit, without its text."""
    try:
        begun = read_so_far(data, fmt)
    except IsoError:
        return
    _, first, end = begun.spans[BITMAP_FIELD]
    if fmt.bitmap == RAW:
        yield from _bits(data, fmt, first, end)
    layout = fmt.layout(begun.message.version)
    places = {number: span[:2] for number, span in begun.spans.items() if number > BITMAP_FIELD}
    stop = begun.error.field if begun.error else None
    if stop and (field := layout[stop]) is not None:
        at = max(span[2] for span in begun.spans.values())
        places[stop] = (at, at + field.prefix)
    for number, (start, value) in places.items():
        field = layout[number]
        if field is not None and value - start == field.prefix > 0:
            yield from _lengths(data, fmt, field, start, value)
    for number, (_, value, end) in begun.spans.items():
        if number > BITMAP_FIELD and end > value:
            yield from _bytes(data, fmt, number, value, end)


def _bytes(data: bytes, fmt: Format, number: int, value: int, end: int) -> Iterator[Found]:
    """A byte lost or added in element *number*: first where that lets all after it be read, then which."""
    filled = data[end - 1 : end]
    if (made := _tried(data[: end - 1] + filled + data[end - 1 :], fmt)) is not None:
        why = "nothing tells which byte it was"
        yield made, Edit("", undoing.PRIOR[undoing.LOST], undoing.MISSING, number, why)
        short = data[value : end - 1]
        for at, size in _runs(short):
            made = _tried(data[: value + at] + short[at : at + 1] + data[value + at :], fmt)
            if made is not None and size > 1:
                bits = undoing.PRIOR[undoing.LOST] + log2(len(short) / size)
                yield made, Edit("", bits, undoing.LOST, number, "a byte is one of a run")
        others = {key: text for key, text in made.fields.items() if key != number} if made else {}
        for given in expected(number, others, made.spec) if made else ():
            told = replace(made, fields={**made.fields, number: given}) if made else None
            if told and "." not in given and _lacks_one(data, told, fmt):
                yield told, Edit("", undoing.PRIOR[undoing.LOST], undoing.LOST, number, undoing.TOLD)
    if end < len(data) and _tried(data[:end] + data[end + 1 :], fmt) is not None:
        long = data[value : end + 1]
        for at, size in _runs(long):
            if (made := _tried(data[: value + at] + data[value + at + 1 :], fmt)) is not None:
                bits = log2(len(long) / (size - 1)) if size > 1 else log2(len(long)) + undoing.NO_HABIT
                why = "a byte is there twice" if size > 1 else "without it all elements after it can be read"
                yield made, Edit("", undoing.PRIOR[undoing.ADDED] + bits, undoing.ADDED, number, why)


def _runs(data: bytes) -> Iterator[tuple[int, int]]:
    """Where bytes begin that are the same, and how many they are."""
    at = 0
    for _, group in groupby(data):
        size = sum(1 for _ in group)
        yield at, size
        at += size


def _lacks_one(data: bytes, message: Message, fmt: Format) -> bool:
    """Whether *data* are *message* less one byte."""
    try:
        whole = encode(message, fmt)
    except IsoError:
        return False
    at = next((at for at, (a, b) in enumerate(zip(data, whole, strict=False)) if a != b), len(data))
    return data == whole[:at] + whole[at + 1 :]


def cut(data: bytes, fmt: Format) -> tuple[Message, tuple[int, ...], int, int] | None:
    """What was read of *data* that end inside an element: the message so far, the elements that its bitmap
    announces, the one that is cut, and how many bytes it lacks; None where they do not."""
    try:
        begun = read_so_far(data, fmt)
        stop = begun.error.field if begun.error else None
        field = fmt.layout(begun.message.version)[stop] if stop else None
        if stop is None or field is None or not begun.announced:
            return None
        # With more bytes it would be read.
        further = read_so_far(data + bytes(_ENOUGH), fmt).spans.get(stop)
    except IsoError:
        return None
    at = max(span[2] for span in begun.spans.values())
    missing = (further[2] if further else at + field.prefix + field.width(field.size)) - len(data)
    return (begun.message, begun.announced, stop, missing) if missing > 0 else None


def reads_to(data: bytes, fmt: Format) -> int:
    """How far *data* can be read as *fmt* writes it."""
    try:
        return max(span[2] for span in read_so_far(data, fmt).spans.values())
    except IsoError:
        return 0


def _tried(data: bytes, fmt: Format) -> Message | None:
    try:
        return decode(data, fmt)
    except IsoError:
        return None


def _bits(data: bytes, fmt: Format, first: int, end: int) -> Iterator[Found]:
    value, top = int.from_bytes(data[first:end]), 8 * (end - first)

    def put(bits: bytes, after: int) -> Message | None:
        return _tried(data[:first] + bits + data[after:], fmt)

    for number in range(2, top + 1):
        bit = 1 << (top - number)
        if number == bitmap.PRIMARY_BITS + 1 and not value & bit:
            continue  # a third bitmap, which nobody announces by mistake
        if made := put((value ^ bit).to_bytes(end - first), end):
            action = undoing.BIT_CLEARED if value & bit else undoing.BIT_SET
            yield (
                made,
                Edit("", undoing.PRIOR[action], action, number, undoing.announced_wrongly(number, action)),
            )
    turned = bytes([data[first] ^ 0x80]) + data[first + 1 : first + _MAP]
    if made := put(turned, first + _MAP):
        why = "bit 1 is set, and there is no second bitmap"
        if top == bitmap.PRIMARY_BITS:
            why = "there is a second bitmap, and bit 1 is not set"
        yield made, Edit("", undoing.PRIOR[undoing.SECOND], undoing.SECOND, BITMAP_FIELD, why)


def _lengths(data: bytes, fmt: Format, field: Field, start: int, value: int) -> Iterator[Found]:
    now = _stated(data[start:value], field)
    tried = {now + by for by in _OFF} | {2 * now, now // 2} if now >= 0 else {*range(field.size + 1)}
    for size in sorted(tried - {now}):
        try:
            prefix = length_prefix(field, size) if 0 <= size <= field.size else b""
        except BuildError:
            continue
        if not prefix:
            continue
        if made := _tried(data[:start] + prefix + data[value:], fmt):
            near, doubled = abs(size - now) == 1, size in (2 * now, now // 2)
            bits = undoing.PRIOR[undoing.LENGTH] + (0.0 if near else 2.0 if doubled else 8.0)
            why = "with this length all elements after it can be read"
            before = str(now) if now >= 0 else data[start:value].hex().upper()
            yield made, Edit("", bits, undoing.LENGTH, field.number, why, before, str(size))


def _stated(prefix: bytes, field: Field) -> int:
    """The length that *prefix* states; -1 where it states none."""
    if field.lengths == BINARY:
        return int.from_bytes(prefix)
    if field.lengths == HEX:
        return int(prefix, 16) if bitmap.HEX_DIGITS.issuperset(view(prefix, "ascii")) else -1
    text = prefix.hex() if field.lengths == BCD else view(prefix, field.lengths)
    return int(text) if text.isascii() and text.isdigit() else -1
