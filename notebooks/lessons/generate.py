"""Notebook 04: messages made to order."""

from __future__ import annotations

from functools import cache

import sim
from lessons.judging import Lesson, wants
from lessons.messages import costs, is_card, is_kind, that
from sim.elements import mti as mtis
from sim.spec.elements import spec


@cache
def _codes(version: str) -> frozenset[str | None]:
    """By which codes, in DE 70 or DE 24, the networks ask for an echo."""
    made = (sim.generate("echo", network=name, version=version).iso.to_message() for name in sim.NETWORKS)
    return frozenset(one.get(70, one.get(24)) for one in made)


def _is_request(message: sim.Message) -> str:
    if not mtis.is_network_management(message.mti):
        return "an echo test is a network management message, MTI 0800; see the list of kinds."
    answered = mtis.response_mti(message.mti) is None
    return "this is the response to an echo test; generate the request." if answered else ""


generate = Lesson(
    "generate",
    wants(
        is_kind("0200", "a financial message has MTI 0200."),
        is_card("MASTERCARD"),
        that(lambda m: m[3][:2] == "01", "DE 3 should say cash withdrawal; see `purpose=`."),
        costs(6000, "EUR"),
        stronger='Start from `sim.generate("financial", network=..., purpose=..., ...)`.',
    ),
    wants(
        _is_request,
        that(lambda m: m.get(70, m.get(24)) in _codes(m.version), "DE 70 should ask for an echo test."),
        that(
            lambda m: m[11] == f"{777:0{spec(m.version)[11].width}}",
            "the STAN is six digits, with leading zeros.",
        ),
        stronger="`stan=` takes the six digits as a text.",
    ),
    wants(
        that(lambda m: m[12][-6:] == "093000", "the merchant's clock (DE 12) should show 09:30:00."),
        that(
            lambda m: m[7][4:] != m[12][-6:],
            "DE 7 is the local time; give `at` a time zone one hour ahead of UTC.",
        ),
        that(
            lambda m: m[7][4:] != "103000",
            "DE 7 is an hour *later*: ahead of UTC, the local clock shows the later time.",
        ),
        that(
            lambda m: m[7][4:] == "083000",
            "DE 7 should be 08:30:00 in UTC, one hour behind the local time.",
        ),
        stronger="`datetime.datetime(2026, 11, 20, 9, 30, tzinfo=...)` is a local time at the merchant.",
    ),
)
