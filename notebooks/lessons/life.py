"""Notebook 09: a transaction's life."""

from __future__ import annotations

import sim
from lessons.judging import Lesson, equal, wants
from lessons.messages import answers, belongs_to, costs, is_kind, that
from lessons.traffic import NOON


def _request() -> sim.Message:
    """What the notebook calls `request`."""
    made = sim.generate("auth", network="VISA", amount_minor_units=2500, stan="000100", at=NOON)
    return made.iso.to_message()


life = Lesson(
    "life",
    wants(
        is_kind("0110", "an authorization response is an 0110: `sim.respond` to `request`."),
        belongs_to(_request, "this answers another request than `request`."),
        answers("incorrect PIN", "Which code says incorrect PIN?"),
        stronger="The table of codes above has it.",
    ),
    equal(
        lambda: ["0421", "0430"],
        "JCB reverses with an *advice* from the start; a repeat has an odd last digit.",
        "The advice is 0420. Its repeat changes the last digit, its answer the third.",
        {
            ("0401", "0410"): "right for Visa; JCB reverses with an advice, not with a request.",
            ("0421", "0431"): "the repeat is right. An answer is not numbered as a repeat.",
            ("0420", "0430"): "0420 is what was sent first; its repeat is asked for.",
            ("0421", "0410"): "the repeat is right. An advice is answered by an advice response.",
        },
    ),
    wants(
        that(lambda m: m.mti[1] == "4", "this is not a reversal; see `sim.reverse`."),
        that(
            lambda m: m.mti in ("0400", "0420"),
            "the reversal itself is asked for, sent once, and not its answer.",
        ),
        that(lambda m: m[90][4:10] == "004242", "DE 90 should hold the original's STAN, 004242."),
        that(lambda m: m[90][:4] == "0100", "DE 90 should name an authorization request, 0100."),
        costs(7500, "USD"),
        stronger="First `sim.generate` with `stan=` and `amount_minor_units=`, then `sim.reverse` of what it made.",
    ),
)
