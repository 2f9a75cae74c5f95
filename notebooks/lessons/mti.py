"""Notebook 01: the message type indicator."""

from __future__ import annotations

from lessons.judging import Lesson, equal, members
from sim.elements import mti as mtis
from sim.operations.drill.facts import Digits
from sim.spec import code_list

_ADVICE = "financial transaction advice"


def _advice() -> str:
    return "0" + next(one.code for one in code_list("message_types") if one.meaning == _ADVICE)


mti = Lesson(
    "mti",
    equal(
        _advice,
        "version 1987, class financial, function advice, originator acquirer: one digit each.",
        "Write the four digits below each other, and look each up in its own table above.",
        {
            "0221": "that is the repeat: sent for the first time, the last digit is even.",
            "0230": "that is the answer to it.",
            "0210": "a response answers a request; an advice is another function.",
            "0200": "that one asks. An advice tells what was decided.",
            "0120": "the class is that of an authorization.",
            "0420": "the class is that of a reversal.",
            "0222": "the last digit is that of the issuer.",
            "1220": "the version is that of 1993.",
            "2220": "the version is that of 2003.",
        },
    ),
    equal(
        lambda: [_advice()[:3] + "1", mtis.response_mti(_advice()[:3] + "1")],
        "the repeat differs from its original in the last digit alone; the answer in the third digit.",
        "An answer answers the message, not its repeat: its last digit is even again.",
        {
            ("0221", "0231"): "the repeat is right. Is an answer repeated because its question was?",
            ("0221", "0210"): "the repeat is right. What answers an *advice*?",
            ("0220", "0230"): "the first of the two should be the repeat.",
        },
    ),
    members(
        lambda: [one for one in ("0100", "0101", "0110", "0401", "0420", "0421") if mtis.is_repeat(one)],
        "look at the fourth digit only: is it odd?",
        "0, 2 and 4 in the last place are originals; 1, 3 and 5 repeats.",
        of=Digits(""),
    ),
)
