"""Wireshark's ISO 8583 dissector reads our messages as we do.

It knows tables of 1987 and 1993 and takes no message of 2003 for ISO 8583.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import fewer

from sim.codec import Message, build
from sim.spec import ElementSpec, spec
from tests.interop.samples import generated
from tests.interop.tshark import PROGRAM, Reading, differs, read

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="tshark (of Wireshark) is not installed")

# Text of each content class, cut or repeated to the length that an element needs.
_TEXTS = {
    "n": "1234567890",
    "an": "A1B2C3",
    "anp": "A1B2C3",  # to Wireshark an: no blanks
    "ans": "a1 B-/\\^%",
    "ns": "12-34 ",
    "z": "4111111111111111=2912",
    "b": "0123456789ABCDEF",
}


def _agrees(message: Message, reading: Reading | None) -> bool:
    return reading == Reading(message.mti, message.bitmap, dict(message.fields), malformed=False)


@pytest.mark.parametrize(("version", "most"), [("1987", fewer(2000)), ("1993", fewer(800))])
def test_generated_messages_are_read_identically_up_to_what_its_table_has_otherwise(
    version: str, most: int, tmp_path: Path
) -> None:
    """Every generated message, its answer and its reversal: the same MTI, bitmap and elements where none of
    them is one that Wireshark lays out otherwise; else the same up to the first of those."""
    messages, known = generated(version), differs(version)
    readings = read([build(message) for message in messages], tmp_path)
    whole = 0
    for message, reading in zip(messages, readings, strict=True):
        first = min(known.keys() & message.fields, default=None)
        if first is None:
            whole += 1
            assert _agrees(message, reading), message
        else:
            assert reading is not None
            before = {number: value for number, value in message.fields.items() if number < first}
            assert before == {number: value for number, value in reading.fields.items() if number < first}
    assert whole > most


@pytest.mark.parametrize("version", ["1987", "1993"])
def test_each_element_is_read_identically_or_listed_with_a_reason(version: str, tmp_path: Path) -> None:
    """One message per data element, full and (where it varies) half full: all those not listed in
    wireshark_differs.csv are read as they were written."""
    messages = [message for element in spec(version).elements[1:] for message in _alone(version, element)]
    readings = read([build(message) for message in messages], tmp_path)
    pairs = zip(messages, readings, strict=True)
    wrong = {
        number for message, reading in pairs if not _agrees(message, reading) for number in message.fields
    }
    assert wrong == set(differs(version))
    assert all(differs(version).values())


def _alone(version: str, element: ElementSpec) -> list[Message]:
    """Messages with *element* only; hex digits come in pairs."""
    sizes = [element.width] if element.fixed else [element.width // 4 * 2, element.width]
    mti = {"1987": "0100", "1993": "1100"}[version]
    return [Message(mti, {element.number: _text(element.content, size)}, version) for size in sizes]


def _text(content: str, size: int) -> str:
    if content == "x+n":
        return "D" + _text("n", size - 1)
    text = _TEXTS[content]
    return (text * (size // len(text) + 1))[:size]
