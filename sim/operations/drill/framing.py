"""Questions on how a message is put together: MTI, bitmap, lengths, tags and bits."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from sim.codec import bitmap as bitmaps
from sim.elements import mti as mtis
from sim.errors import with_article
from sim.operations.drill.facts import Digits, Element, Fact, Hex, Number, Several, Text
from sim.parts import chip_data
from sim.spec import VERSIONS, code_list, emv, spec

_WORDS = ("ECHO", "CLOSE OF BATCH", "LINK TEST", "GOOD DAY", "RETRY", "SECOND ATTEMPT")
_TVR = "95"
_OF_A_BYTE = ("bytes", "bits")


class Asked(NamedTuple):
    """A question as its topic makes it."""

    text: str
    fact: Fact
    why: str


def mti(level: int, dice: Random) -> Asked:
    """Level 1: what answers a message; 2: which message a name means; 3: a repeat and its answer."""
    names = {one.code: one.meaning for one in code_list("message_types")}
    asking = sorted(code for code in names if code[0] in "124" and code[1] in "02" and code[2] in "0")
    code = dice.choice(asking)
    version = dice.choice(VERSIONS) if level > 1 else VERSIONS[0]
    whole = f"{VERSIONS.index(version)}{code}"
    answer = mtis.response_mti(whole) or ""
    if level == 1:
        return Asked(
            f"Which MTI answers {whole}?", Digits(answer), "The third digit goes up by one: 0 to 1, 2 to 3."
        )
    if level == 2:
        digits = f"The version is digit {whole[0]}, and the rest is {code}."
        asked = f"What is the MTI of {with_article(names[code])} from an acquirer in ISO 8583:{version}?"
        return Asked(asked, Digits(whole), digits)
    repeat = whole[:3] + "1"
    why = "A repeat has an odd last digit; the answer is that to the original."
    asked = f"{whole} got no answer. Give the MTI of its repeat, and of the answer to it."
    return Asked(asked, Several((repeat, answer), Digits("")), why)


def bitmap(level: int, dice: Random) -> Asked:
    """Level 1: read two digits; 2: read sixteen; 3: write a bitmap with both halves."""
    if level == 1:
        numbers = sorted(dice.sample(range(2, 9), dice.randint(1, 4)))
        digits = bitmaps.to_hex(numbers)[:2]
        why = f"{digits} is {int(digits, 16):08b}: count from the left, from 1."
        asked = f"A bitmap begins with {digits}, and the rest is zeros. Which elements follow?"
        return Asked(asked, Several(tuple(numbers), Element(0), ordered=False), why)
    if level == 2:
        numbers = sorted(dice.sample(range(2, bitmaps.PRIMARY_BITS + 1), dice.randint(4, 7)))
        digits = bitmaps.to_hex(numbers)
        why = "Four bits for each digit; digit number n holds the bits from 4n - 3 to 4n."
        return Asked(
            f"Which elements does the bitmap {digits} announce?",
            Several(tuple(numbers), Element(0), ordered=False),
            why,
        )
    first = dice.sample(range(2, bitmaps.PRIMARY_BITS + 1), 3)
    second = dice.sample(range(bitmaps.PRIMARY_BITS + 2, bitmaps.ALL_BITS + 1), 1)
    said = ", ".join(map(str, sorted([*first, *second])))
    why = "Bit 1 announces the second half; DE 65 would be its first bit."
    return Asked(
        f"Write the bitmap of a message with DE {said}.", Hex(bitmaps.to_hex([*first, *second])), why
    )


def lengths(level: int, dice: Random) -> Asked:
    """Level 1: a value behind its prefix; 2: behind another one; 3: in a whole message."""
    one, other = spec(VERSIONS[0])[32], spec(VERSIONS[0])[48]
    digits = "".join(dice.choices("0123456789", k=dice.randint(5, one.width)))
    word = dice.choice(_WORDS)
    first, second = f"{len(digits):0{one.prefix}}{digits}", f"{len(word):0{other.prefix}}{word}"
    why = f"DE {one.number} has {one.prefix} digits of length in front, DE {other.number} has {other.prefix}."
    if level == 1:
        text = f"DE {one.number} ({one.format}) starts here: {first}{second[:4]}. What is its value?"
        return Asked(text, Digits(digits), why)
    ask = f"What is the value of DE {other.number} ({other.format})?"
    if level == 2:
        return Asked(f"DE {one.number} ({one.format}) starts here: {first}{second}. {ask}", Text(word), why)
    stan = spec(VERSIONS[0])[11]
    number = f"{dice.randrange(10**stan.width):0{stan.width}}"
    whole = f"0800{bitmaps.to_hex([stan.number, one.number, other.number])}{number}{first}{second}"
    return Asked(f"{whole}\n{ask}", Text(word), f"{why} DE {stan.number} is {stan.format}.")


def chip(level: int, dice: Random) -> Asked:
    """Level 1: the tags of a list; 2: a tag written; 3: the value of a tag among others, one of them long."""
    known = sorted(tag for tag, one in emv.tags().items() if len(tag) <= 4 and not int(tag[:2], 16) & 0x20)
    names = dice.sample(known, 3)
    values = {name: "".join(dice.choices("0123456789ABCDEF", k=2 * dice.randint(1, 4))) for name in names}
    why = "A tag whose low five bits are all ones has a second byte; then a byte of length, then the value."
    if level == 1:
        return Asked(
            f"Which tags, in order, are in {chip_data.write_tags(values)}?",
            Several(tuple(names), Hex("")),
            why,
        )
    if level == 2:
        name = names[0]
        return Asked(
            f"Write tag {name} with the value {values[name]}.",
            Hex(chip_data.write_tags({name: values[name]})),
            why,
        )
    values = {names[0]: "".join(dice.choices("0123456789", k=2 * 0x82)), **{n: values[n] for n in names[1:]}}
    why = "81 says that one byte of length follows: a value of more than 127 bytes."
    return Asked(
        f"What is the value of tag {names[1]} in {chip_data.write_tags(values)}?", Hex(values[names[1]]), why
    )


def bits(level: int, dice: Random) -> Asked:
    """Level 1: the bits of a digit; 2: those of a byte; 3: a finding in the terminal verification results."""
    if level == 1:
        digit = dice.choice("123456789ABCDEF")
        return Asked(
            f"Write the hexadecimal digit {digit} as four bits.",
            Digits(f"{int(digit, 16):04b}"),
            "8, 4, 2, 1.",
        )
    if level == 2:
        number = dice.randint(1, 255)
        on = tuple(bit for bit in range(8, 0, -1) if number >> (bit - 1) & 1)
        why = f"{number:02X} is {number:08b}; bit 8 is the first."
        return Asked(
            f"Which bits, 8 to 1, of the byte {number:02X} are set?",
            Several(on, Element(0), ordered=False),
            why,
        )
    meanings = {at: said for at, said in emv.bits(_TVR).items() if "reserved" not in said}
    (byte, bit), said = dice.choice(sorted(meanings.items()))
    value = f"{1 << (8 * (5 - byte) + bit - 1):010X}"
    text = f"Tag {_TVR} is {value}. Which byte, from 1, and which bit, 8 to 1, is set?"
    return Asked(text, Several((byte, bit), Number(0, _OF_A_BYTE)), f"Byte {byte}, bit {bit}: {said}.")
