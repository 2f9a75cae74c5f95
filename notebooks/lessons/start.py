"""Notebook 00: a message made, read and answered."""

from __future__ import annotations

import sim
from lessons.judging import Lesson, equal, wants
from lessons.messages import answers, belongs_to, costs, is_card, is_kind
from lessons.traffic import NOON
from sim.operations.drill.facts import Element
from sim.spec import spec


def _request() -> sim.Message:
    """What the notebook calls `request`."""
    made = sim.generate("auth", network="VISA", amount_minor_units=2500, currency="USD", at=NOON)
    return made.iso.to_message()


start = Lesson(
    "start",
    wants(
        is_kind("0100", "an authorization request has MTI 0100: message type `auth`."),
        is_card("MASTERCARD"),
        costs(4000, "USD"),
        stronger='`sim.generate("auth", network=..., amount_minor_units=..., currency="USD")` has everything you need.',
    ),
    equal(
        lambda: Element(next(one for one in range(2, 65) if spec("1987")[one].pattern == "YYMM")),
        "look for December 2029 in the column `meaning`; the column `number` has its number.",
        "The element is called *Date, expiration*.",
        {
            9: "that is the label of the row; the element's number is in the column `number`.",
            13: "that is the date of the purchase, not the expiry of the card.",
            7: "that is when the message was sent.",
            12: "that is the local time of the purchase.",
            2912: "that is the value. Which element contains it?",
        },
    ),
    wants(
        is_kind("0110", "the response to an 0100 is an 0110; see `sim.respond`."),
        belongs_to(_request, "this responds to a different request: give `request` to `sim.respond`."),
        answers("expired card", "Which code says only that the card has expired?"),
        stronger="Filter the table: `codes[codes['meaning'].str.contains('expired')]`.",
    ),
)
