"""Small projections that every caller of the operations needs."""

from __future__ import annotations

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
    elements = spec(message.version)
    return [
        (number, elements[number].name, value.upper() if elements[number].binary else value)
        for number, value in sorted(message.fields.items())
    ]
