"""Small projections that every caller of the operations needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from sim.codec import Message
from sim.spec import spec

_LINE_ENDS = ("\n", "\r")


def strip_line_ending(raw: str) -> str:
    """*raw* without one line ending (CR, LF or CR LF) at its end; nothing else is trimmed, since
    trailing blanks are data. Our choice: the contract does not speak of line endings."""
    if raw[-1:] not in _LINE_ENDS:
        return raw
    for ending in ("\r\n", "\n", "\r"):
        if raw.endswith(ending):
            return raw[: -len(ending)]
    return raw


def field_values(message: Message) -> list[tuple[int, str, str]]:
    """Number, name and value of every data element, ascending, without MTI and bitmap. Values stand
    as on the wire, binary ones as upper-case hex."""
    known = labels(message.version)
    return [
        (number, known[number].name, value.upper() if known[number].binary else value)
        for number, value in sorted(message.fields.items())
    ]


class Label(NamedTuple):
    """The name of a data element, and whether its value is hex digits of binary data."""

    name: str
    binary: bool


@cache
def labels(version: str) -> Mapping[int, Label]:
    """The labels of all data elements of *version*, by number."""
    return {element.number: Label(element.name, element.binary) for element in spec(version).elements}
