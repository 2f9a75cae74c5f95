"""Notebook 08: networks compared."""

from __future__ import annotations

import sim
from lessons.judging import Lesson, equal, members
from sim.operations.drill.facts import NetworkName
from sim.spec.networks import network, response_code

_DIGITS = "0123456789"


def _required(name: str) -> set[int]:
    """The elements that the network *name* asks for in an 0100."""
    fields = sim.fields("1987", name)
    return {int(one) for one in fields.loc[fields["required_in"].fillna("").str.contains("0100"), "number"]}


def _kept() -> str:
    """UnionPay's code for too many wrong PINs by which the shop keeps the card."""
    codes = (f"{a}{b}" for a in _DIGITS for b in _DIGITS)
    return next(
        code
        for code in codes
        if (one := response_code("UNIONPAY", code)) and "tries exceeded, retain" in one.meaning
    )


networks = Lesson(
    "networks",
    members(
        lambda: _required("JCB") - _required("MASTERCARD"),
        "filter the column `required_in` of both tables for 0100, and subtract one set of numbers from the other.",
        "`set(a) - set(b)` is what a has and b does not. The order matters.",
    ),
    equal(
        _kept,
        'ask `response_code("UNIONPAY", code).meaning` about the codes between 30 and 80.',
        "Codes for keeping the card say *retain*; most of them are between 33 and 41.",
        {
            "75": "with this one the merchant returns the card.",
            "55": "that is one wrong PIN, not too many of them.",
            "43": "that is a stolen card.",
            "41": "that is a lost card.",
        },
    ),
    members(
        lambda: [name for name in sim.NETWORKS if network(name).native_version == "1993"],
        "validate a message of version 1993 for each network: two of them do not warn about its MTI.",
        "Section 1 says which networks use the 1993 version on their own links.",
        of=NetworkName(""),
    ),
)
