"""The edits of bitmap and lengths after which the bytes of a message can be read to their end."""

from __future__ import annotations

from collections.abc import Iterator

from sim.codec import Message, bitmap
from sim.codec.wire import Format, decode, read_so_far
from sim.codec.wire.encode import length_prefix
from sim.codec.wire.formats import BCD, BINARY, HEX, RAW, Field
from sim.codec.wire.pages import view
from sim.errors import BITMAP_FIELD, BuildError, IsoError
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit

_MAP = 8
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
