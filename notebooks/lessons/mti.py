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
        "Look up each of the four digits in its own table above.",
        {
            "0221": "that is the repeat: sent for the first time, the last digit is even.",
            "0230": "that is its response.",
            "0210": "a response answers a request; an advice is another function.",
            "0200": "that is a request. An advice reports a decision.",
            "0120": "that is the class of an authorization.",
            "0420": "that is the class of a reversal.",
            "0222": "that last digit means the issuer.",
            "1220": "that is the 1993 version.",
            "2220": "that is the 2003 version.",
        },
    ),
    equal(
        lambda: [_advice()[:3] + "1", mtis.response_mti(_advice()[:3] + "1")],
        "the repeat differs from its original only in the last digit; the response in the third digit.",
        "The last digit of the response is even again.",
        {
            ("0221", "0231"): "the repeat is right. Is a response a repeat because its request was?",
            ("0221", "0210"): "the repeat is right. What is the response to an *advice*?",
            ("0220", "0230"): "the first of the two should be the repeat.",
        },
    ),
    members(
        lambda: [one for one in ("0100", "0101", "0110", "0401", "0420", "0421") if mtis.is_repeat(one)],
        "look at the fourth digit only: is it odd?",
        "0, 2 and 4 in the last position are originals; 1, 3 and 5 are repeats.",
        of=Digits(""),
    ),
)
