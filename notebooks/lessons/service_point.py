"""Notebook 10: the point of service."""

from __future__ import annotations

import sim
from lessons.judging import Lesson, equal, wants
from lessons.messages import is_card, that
from sim.spec import lookup

_CAN, _CANNOT = "1", "2"  # the third digit of DE 22: whether the terminal can take a PIN


def _entry_kinds() -> dict[str, str]:
    """What the entry modes are to Mastercard: `80` is a fallback of the stripe."""
    codes = (f"{number:02}" for number in range(100))
    found = {code: lookup("pos_entry_mode", code, version="1987", network="MASTERCARD") for code in codes}
    return {code: f"{one.kind}, {one.meaning}" for code, one in found.items() if one}


def _mode(start: str) -> str:
    return next(code for code, kind in _entry_kinds().items() if kind.startswith(start))


def _swiped() -> str:
    made: str = sim.generate(network="VISA", entry="stripe").iso.to_message()[22]
    return made[:2]


def _online(message: sim.Message) -> bool:
    """Whether DE 22 says that the order came over the internet, as each version words it."""
    said = sim.parse(message).set_index("number").loc[22, "meaning"]
    return "e-commerce" in said or "electronic order" in said


service_point = Lesson(
    "service_point",
    equal(
        lambda: _swiped() + _CANNOT,
        "two digits of entry mode, for the magnetic stripe, and one for a terminal that cannot accept a PIN.",
        "The table of five messages above shows the mode for the stripe; another row shows the last digit.",
        {
            "901": "the last digit means that the terminal can accept a PIN.",
            "900": "the last digit means unknown.",
            "022": "02 is a stripe that was not read completely; the whole track has another mode.",
            "012": "that is a number typed in.",
            "052": "that is a chip.",
            "90": "that is only the entry mode; a third digit follows.",
            "290": "the entry mode comes first.",
        },
    ),
    wants(
        that(
            lambda m: m.mti[1:] in ("100", "200"),
            "a purchase is an authorization request (0100) or a financial request (0200).",
        ),
        that(lambda m: m[3][:2] == "00", "DE 3 should say that it is a purchase; see `purpose=`."),
        is_card("MASTERCARD"),
        that(
            _online,
            "DE 22 should say e-commerce, and not that a card was read or typed in at a terminal; see `entry=`.",
        ),
        stronger="`entries` above lists the five words that `entry=` takes.",
    ),
    equal(
        lambda: _mode("fallback, magnetic") + _CAN,
        'the mode is a code of only one network; filter `sim.codes("pos_entry_mode")`. A digit for the PIN follows.',
        "Look for *fallback* in the column `kind`, and for Mastercard in the column `network`.",
        {
            "802": "the last digit means that the terminal cannot accept a PIN.",
            "80": "that is only the entry mode; the third digit says whether a PIN could be accepted.",
            "791": "that is a chip card whose number was typed in, not swiped.",
            "901": "that is an ordinary swipe, without trying the chip first.",
            "051": "that is a chip that was read.",
            "951": "that is another network's code or another entry mode.",
        },
    ),
)
