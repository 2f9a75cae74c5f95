"""What a button beside a hint offers to do about a text that does not parse, and doing it."""

from __future__ import annotations

from sim.codec import ParseError, parse
from sim.judge.causes import first_cause
from sim.operations.repairing import Proposal, repair

REPAIR = "Repair"


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


def first_repair(raw: str, version: str) -> Proposal | None:
    """The likeliest repair of *raw*, read as *version*; one without a text says where the fault is and that
    nothing tells what was there.

    >>> first = first_repair("6000010000" + "08002020000000000000990000123456", "1987")
    >>> first.text, first.verdict
    ('08002020000000000000990000123456', 'restored')
    """
    return next(iter(repair(raw, version=version).proposals), None)
