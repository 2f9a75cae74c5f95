"""Small projections that every caller of the operations needs."""

from __future__ import annotations

from functools import cache

from sim.codec import Message
from sim.spec import spec


def strip_line_ending(raw: str) -> str:
    """*raw* without one line ending (CR, LF or CR LF) at its end; nothing else is trimmed, since
    trailing blanks are data. Our choice: the contract does not speak of line endings."""
    for ending in ("\r\n", "\n", "\r"):
        if raw.endswith(ending):
            return raw[: -len(ending)]
    return raw


def field_values(message: Message) -> list[tuple[int, str, str]]:
    """Number, name and value of every data element, ascending, without MTI and bitmap. Values stand
    as on the wire, binary ones as upper-case hex."""
    known = _labels(message.version)
    return [
        (number, known[number][0], value.upper() if known[number][1] else value)
        for number, value in sorted(message.fields.items())
    ]


@cache
def _labels(version: str) -> dict[int, tuple[str, bool]]:
    """Name of each element and whether it is binary."""
    return {element.number: (element.name, element.binary) for element in spec(version).elements}
