"""`parse` and `build` for the text form: MTI, hex bitmap, field data."""

from __future__ import annotations

from sim.codec import plan
from sim.codec.message import Message
from sim.codec.walk import BITMAP_WIDTH, MTI_WIDTH, walk, write
from sim.spec import spec


def parse(raw: str, version: str = "1987") -> Message:
    """Split *raw* into MTI, bitmap and data elements.

    Checks framing only; what values mean is for the rules. Raises ParseError naming field and
    offset, SpecError for an unknown version, TypeError when *raw* is not a str.

    >>> parse("08002020000000000000990000123456")[11]
    '123456'
    """
    try:
        kept = plan.READERS[version]
        # No 16 digits that announce a secondary bitmap are ever a key.
        reader = kept.get(raw[4:20]) or kept.get(raw[4:36])
    except (KeyError, TypeError):
        reader = None
    if reader is None:
        if not isinstance(raw, str):
            raise TypeError(f"a message is a str, not {type(raw).__name__}")
        spec(version)  # raises for an unknown one
        reader = plan.reader_for(raw, version)
    if reader is not None and (message := reader(raw)) is not None:
        return message
    return walk(raw, version)


def build(message: Message) -> str:
    """Write *message* as text; `build(parse(raw)) == raw` but for the bitmap, always upper case.

    Raises BuildError naming the element whose value does not fit.

    >>> build(Message("0800", {11: "123456", 3: "990000"}))
    '08002020000000000000990000123456'
    """
    fields = message.fields
    try:
        text = plan.writer(message.version, tuple(fields), message.empty_secondary)(message.mti, fields)
    except (ValueError, KeyError, TypeError, AttributeError):
        text = None
    return write(message) if text is None else text


def spans(message: Message) -> dict[int, tuple[int, int, int]]:
    """Where everything stands in `build(message)`: number -> (start of its length prefix or value,
    start of its value, end), in characters. 0 is the MTI, 1 the bitmap."""
    elements = spec(message.version).elements
    end = MTI_WIDTH + (2 if message.has_secondary else 1) * BITMAP_WIDTH
    found = {0: (0, 0, MTI_WIDTH), 1: (MTI_WIDTH, MTI_WIDTH, end)}
    for number, value in sorted(message.fields.items()):
        start = end
        first = start + elements[number - 1].prefix
        end = first + len(value)
        found[number] = (start, first, end)
    return found
