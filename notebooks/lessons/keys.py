"""Notebook 26: MAC, PIN and keys."""

from __future__ import annotations

from lessons.judging import Lesson, equal
from sim.keys import mac, read_key_block, read_pin_block
from sim.operations.drill.facts import Hex

_CARD = "4111111111111111"
_BLOCK = "046265EEEEEEEEEE"
_DATA, _KEY = b"Now is the time for all ", "0123456789ABCDEF"
_WRAPPED = "B0096P0TE00N000016BE8107E8D42F5AE207FDEB20181809FDEACEB11C0289CDD5262EC4A54580A942867CF5321B7765"
_PROTECTS = "89E88CF7931444F334BD7547FC3F380C"


def _inside() -> str:
    key = read_key_block(_WRAPPED, _PROTECTS).key
    return key.check_value if key else ""


keys = Lesson(
    "keys",
    equal(
        lambda: read_pin_block(_BLOCK, _CARD).value,
        "write the PAN field above it: 0000, then the twelve digits before the check digit.",
        "The second digit is the PIN's length; from the third digit on, the PIN is combined with the PAN.",
        {
            "6265": "that is still combined with the card number: xor it with 0000111111111111.",
        },
    ),
    equal(
        lambda: Hex(mac(_DATA, _KEY, algorithm="ISO9797-1-1", length=4).value),
        "the algorithm is ISO9797-1-1, the length is 4 bytes.",
        "Both are arguments of sim.keys.mac, `algorithm` and `length`; the answer is the `value` of the result.",
        {
            mac(
                _DATA, _KEY, algorithm="ISO9797-1-1"
            ).value: "that is eight bytes; the exercise asks for four.",
        },
    ),
    equal(
        lambda: Hex(_inside()),
        "the key in the block has a check value: inside.key.check_value.",
        "It is the check value of the first key of this notebook.",
        {
            "P0": "that says what the key may be used for.",
            _WRAPPED[-8:]: "that is part of the block's MAC.",
        },
    ),
)
