"""`parse` and `build` for the text form: MTI, hex bitmap, field data."""

from __future__ import annotations

from collections.abc import Iterable

from sim.codec import bitmap, plan
from sim.codec.message import Message
from sim.codec.walk import BITMAP_WIDTH, MTI_WIDTH, walk, write
from sim.errors import BuildError
from sim.spec import Spec


def parse(raw: str, version: str | Spec = "1987") -> Message:
    """Split *raw* into MTI, bitmap and data elements.

    *version* may be the table of a dialect. Checks framing only; what values mean is for the rules.
    Raises ParseError naming field and offset, ChoiceError for an unknown version, TypeError when *raw*
    is not a str.

    >>> parse("08002020000000000000990000123456")[11]
    '123456'
    """
    if isinstance(version, Spec):
        # Few messages are a dialect's: no reader is made for them.
        return walk(raw, version)
    try:
        known = plan.READERS[version].young
        # No 16 digits that announce a secondary bitmap are ever a key.
        reader = known.get(raw[4:20]) or known.get(raw[4:36])
    except (KeyError, TypeError):
        reader = None
    if reader is not None and (message := reader(raw)) is not None:
        return message
    if not isinstance(raw, str):
        raise TypeError(f"a message is a str, not {type(raw).__name__}")
    message = walk(raw, version)
    if reader is None:
        plan.READERS[version].came(raw[4 : 36 if bitmap.has_secondary(raw[4]) else 20])
    return message


def build(message: Message) -> str:
    """Write *message* as text; `build(parse(raw)) == raw` but for the bitmap, always upper case.

    Raises BuildError naming the element whose value does not fit.

    >>> build(Message("0800", {11: "123456", 3: "990000"}))
    '08002020000000000000990000123456'
    """
    if message.dialect is not None:
        return write(message)
    fields = message.fields
    layout = message.version, tuple(fields), message.empty_secondary
    try:
        if (writer := plan.WRITERS.young.get(layout)) is not None:
            text = writer(message.mti, fields)
            return write(message) if text is None else text
    except (ValueError, KeyError, TypeError, AttributeError):
        return write(message)
    text = write(message)
    plan.WRITERS.came(layout)
    return text


def misfits(message: Message) -> tuple[BuildError, ...]:
    """One error for each element of *message* that the text form cannot carry; empty when it can be written.

    >>> [str(one) for one in misfits(Message("0200", {12: "260903123045", 49: "840"}))]
    ['DE 12: expected n 6, found 12 characters']
    """
    found = []
    for number, value in message.fields.items():
        try:
            write(Message(message.mti, {number: value}, message.version, False, message.dialect))
        except BuildError as error:
            found.append(error)
            if error.field != number:
                break  # the MTI, or no element at all
    return tuple(found)


def spans(message: Message) -> dict[int, tuple[int, int, int]]:
    """Where everything stands in `build(message)`: number -> (start of its length prefix or value,
    start of its value, end), in characters. 0 is the MTI, 1 the bitmap."""
    sizes = zip(message.fields, map(len, message.fields.values()), strict=True)
    return spans_of(message.spec, sizes, message.has_secondary)


def spans_of(
    own: Spec, sizes: Iterable[tuple[int, int]], secondary: bool, last: int = bitmap.ALL_BITS
) -> dict[int, tuple[int, int, int]]:
    """The same by the table *own*, from the *sizes* of values by number, in characters; up to *last*."""
    elements = own.elements
    end = MTI_WIDTH + (2 if secondary else 1) * BITMAP_WIDTH
    found = {0: (0, 0, MTI_WIDTH), 1: (MTI_WIDTH, MTI_WIDTH, end)}
    for number, size in sorted(sizes):
        if number > last:
            break
        start = end
        first = start + elements[number - 1].prefix
        end = first + size
        found[number] = (start, first, end)
    return found
