"""What a button beside a hint offers to do about a text that does not parse, and doing it."""

from __future__ import annotations

from dataclasses import dataclass

from sim.codec import ParseError, build, parse
from sim.errors import BuildError, element_label
from sim.judge.causes import first_cause
from sim.operations.repairing import readable

REPAIR = "Repair"


@dataclass(frozen=True, slots=True)
class Mending:
    """A text that reads as `version`, and what was done for it in a sentence (`said`)."""

    text: str
    version: str
    said: str


def offered(raw: str, version: str) -> str:
    """What can be done about *raw*, read as *version*, in the words of a button: of a cause upstream what
    undoes it, `Repair` where the misfit is inside the message; empty where it reads, or is no message at
    all.

    >>> offered("6000010000" + "08002020000000000000990000123456", "1987")
    'Read without the TPDU'
    >>> offered("080020200000000000009900001234", "1987"), offered("hello", "1987")
    ('Repair', '')
    """
    try:
        parse(raw, version)
    except ParseError as error:
        cause = first_cause(raw, version)
        if cause is not None:
            return cause.offer
        return REPAIR if error.partial is not None else ""
    return ""


def mend(raw: str, version: str) -> Mending | None:
    """Do what `offered` says; None where no edit makes *raw* read.

    >>> done = mend("6000010000" + "08002020000000000000990000123456", "1987")
    >>> done.text, done.said
    ('08002020000000000000990000123456', 'Read without the TPDU.')
    """
    cause = first_cause(raw, version)
    if cause is not None and cause.text is not None:
        return Mending(cause.text, cause.version, f"{cause.offer}.")
    try:
        parse(raw, version)
    except ParseError as error:
        found = readable(raw, version, error.field, unsafe=True)
        try:
            text = build(found.message) if found else ""
        except BuildError:
            text = ""
        if found and text:
            where = f"{element_label(found.field)}: " if found.field is not None else ""
            guessed = "" if found.safe else " Nobody can know what stood there; look at it."
            said = f"Repaired, {where}{found.action}; {found.why}.{guessed}"
            return Mending(text, found.message.version, said)
    return None
