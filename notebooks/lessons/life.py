"""Notebook 09: a transaction's life."""

from __future__ import annotations

import sim
from lessons.judging import Lesson, equal, wants
from lessons.messages import answers, belongs_to, costs, is_kind, that
from lessons.traffic import NOON
from sim.spec import spec

_STAN = "004242"
_FINDS = (2, 3, 4, 7, 11)  # by which an issuer finds what is undone


def _request() -> sim.Message:
    """What the notebook calls `request`."""
    made = sim.generate("auth", network="VISA", amount_minor_units=2500, stan="000100", at=NOON)
    return made.iso.to_message()


def _original(message: sim.Message) -> tuple[str, str]:
    """MTI and STAN of the message that a reversal undoes: DE 90, or DE 56 in the later versions."""
    if message.version == "1987":
        return message[90][:4], message[90][4:10]
    return message[56][:4], message[56][4 : 4 + spec(message.version)[11].width][-len(_STAN) :]


life = Lesson(
    "life",
    wants(
        is_kind("0110", "an authorization response is an 0110: `sim.respond` to `request`."),
        belongs_to(_request, "this responds to a different request."),
        answers("incorrect PIN", "Which code says incorrect PIN?"),
        stronger="The table of codes above has it.",
    ),
    equal(
        lambda: ["0421", "0430"],
        "JCB reverses with an *advice* from the start; a repeat has an odd last digit.",
        "The advice is 0420. Its repeat changes the last digit, its response the third.",
        {
            ("0401", "0410"): "right for Visa; JCB reverses with an advice, not a request.",
            ("0421", "0431"): "the repeat is right. A response is not marked as a repeat.",
            ("0420", "0430"): "0420 was sent first; the exercise asks for its repeat.",
            ("0421", "0410"): "the repeat is right. An advice gets an advice response.",
        },
    ),
    wants(
        that(lambda m: m.mti[1] == "4", "this is not a reversal; see `sim.reverse`."),
        that(
            lambda m: m.mti[1:] in ("400", "420"),
            "the exercise asks for the reversal, sent once, not for its response.",
        ),
        that(
            lambda m: _original(m)[1] == _STAN,
            f"DE 90 should contain the original's STAN, {_STAN}.",
        ),
        that(lambda m: _original(m)[0][1:] == "100", "DE 90 should name an authorization request, 0100."),
        that(
            lambda m: all(m.get(number) for number in _FINDS),
            "this cannot be matched: a reversal also needs the card, processing code, time and STAN.",
        ),
        costs(7500, "USD"),
        stronger="First `sim.generate` with `stan=` and `amount_minor_units=`, then `sim.reverse` with the result.",
    ),
)
