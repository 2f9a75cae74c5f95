"""Notebook 20: the bytes of a message."""

from __future__ import annotations

import sim
from lessons.answers import Spelling
from lessons.judging import Lesson, equal
from sim.codec.wire import encode
from sim.operations.drill.facts import BYTES, Number, Several

# What the notebook sends in four ways: no card in it, so that everything may be seen.
MESSAGE = sim.Message("0200", {3: "000000", 4: "000000002599", 11: "000042", 41: "TERM0042", 49: "978"})
# What is to be read by hand, with a length and an address in front.
SEALED = sim.Message("0800", {7: "1120231500", 11: "000777", 41: "KIOSK009"})


def sealed() -> bytes:
    """The dump to be read: packed digits behind a length and a TPDU."""
    return encode(SEALED, "bcd", framing=["length-2", "tpdu"])


wire = Lesson(
    "wire",
    equal(
        lambda: Several(
            tuple(len(encode(MESSAGE, name)) for name in ("ascii", "bcd", "ebcdic")), Number(0, BYTES)
        ),
        "count the bytes: `len(encode(message, name))` for each of the three, in this order.",
        "ASCII uses a byte per character; BCD packs two digits per byte; EBCDIC's bitmap here is 8 bytes.",
    ),
    equal(
        lambda: "KIOSK009",
        "two hex digits are one character: 4b is K.",
        "In ASCII 41 is A, 42 is B and so on; 30 is 0.",
        {
            "KIOSK": "three digits follow: 30 30 39.",
            "4b494f534b303039": "that is the hex. Which characters are they?",
        },
    ),
    equal(
        lambda: "TERM0042",
        "in EBCDIC c1 is A, c9 is I, d1 is J, d9 is R, e2 is S, and f0 is 0.",
        "`bytes.fromhex(...).decode('cp500')` works, too.",
        {"4042": "the letters come first."},
    ),
    equal(
        lambda: Number(len(sealed()) - len(encode(SEALED, "bcd")), BYTES),
        "a two-byte length, and a TPDU of ten hex digits.",
        "Ten hex digits are five bytes.",
        {
            2: "that is only the length; an address follows.",
            12: "count bytes, not digits.",
            10: "two digits are one byte.",
        },
    ),
    equal(
        lambda: Spelling(str(sim.build(SEALED))),
        "the MTI, bitmap and digits are as in the dump; only the terminal's name must be converted to letters.",
        "Omit seven bytes, write the rest as digits, and the last eight bytes as characters.",
    ),
)
