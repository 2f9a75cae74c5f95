"""Notebook 11: chip data."""

from __future__ import annotations

from lessons.judging import Lesson, equal
from sim.operations.drill.facts import Hex, Several
from sim.parts import chip_data
from sim.spec import emv as tables

_LIST = "5F2A0209789A032611209C0100"
_TVR = "95"
_FOUND = ("PIN try limit exceeded", "over the floor limit")
_BYTES = 5


def results(found: tuple[str, ...]) -> str:
    """The terminal verification results in which just the bits that mean *found* are set."""
    value = 0
    for (byte, bit), meaning in tables.bits(_TVR).items():
        if meaning in found:
            value |= 1 << (8 * (_BYTES - byte) + bit - 1)
    return f"{value:0{2 * _BYTES}X}"


chip = Lesson(
    "chip",
    equal(
        lambda: Several(tuple(tag.tag for tag in chip_data.read_tags(_LIST)), Hex("")),
        "read tag, length, value, and start again after the value.",
        "5F ends in five ones, so that tag has two bytes; 9A does not, so it has one.",
        {
            ("5F", "2A", "9A", "9C"): "5F ends in five ones: another byte of the same tag follows.",
            ("9A", "9C"): "the first tag is missing: it has two bytes.",
            ("5F2A", "9A03", "9C01"): "you read the length as part of the tag.",
            ("5F2A", "9A", "26", "9C"): "26 is inside the value of 9A, which has three bytes.",
        },
    ),
    equal(
        lambda: Hex(chip_data.write_tags({"9F02": f"{1234:012}"})),
        "tag, length, value: twelve digits are six bytes.",
        "9F02, then the number of bytes in two hex digits, then twelve digits of cents.",
        {
            "9F0212000000001234": "the length counts bytes: two digits are one byte.",
            "9F020C000000001234": "the length counts bytes, not digits: two digits are one byte.",
            "9F0206001234000000": "zeros go on the left.",
            "9F02021234": "9F02 always has six bytes.",
            "9F0206000000123400": "that is 1,234.00; the amount counts cents.",
            "000000001234": "that is only the value; the tag and length come first.",
        },
    ),
    equal(
        lambda: Hex(results(_FOUND)),
        "five bytes, ten hexadecimal digits. Find byte and bit of both findings in the table, and set those bits.",
        "Bit 8 of a byte is 80, bit 7 is 40, bit 6 is 20, bit 5 is 10. One finding is in byte 3, one in byte 4.",
        {
            results(_FOUND[:1]): "the limit is missing: the amount was over the floor limit, too.",
            results(_FOUND[1:]): "the PIN is missing: the try limit was exceeded.",
            "0000800020": "count the bits of a byte from 8 on the left to 1 on the right.",
            "0000048000": "in byte 3 that is the online PIN; the try limit is another bit.",
        },
    ),
)
