"""pyiso8583 reads our messages as we do, and writes them as we do."""

from __future__ import annotations

from typing import Any

import iso8583
import pytest
from iso8583.specs import default_ascii
from support import some

from sim.codec import Message, build
from sim.spec import VERSIONS, spec
from tests.interop.samples import generated

_SECONDARY = "1"


def _by_our_table(version: str) -> dict[str, dict[str, Any]]:
    """Our table of *version* as pyiso8583 takes it: all text, lengths in characters."""
    text = {"data_enc": "ascii", "len_enc": "ascii"}
    given: dict[str, dict[str, Any]] = {
        "h": text | {"len_type": 0, "max_len": 0},
        "t": text | {"len_type": 0, "max_len": 4},
        "p": text | {"len_type": 0, "max_len": 16},
    }
    for element in spec(version).elements:
        given[str(element.number)] = text | {"len_type": element.prefix, "max_len": element.width}
    return given


def _assert_same(message: Message, table: dict[str, Any]) -> None:
    read, _ = iso8583.decode(build(message).encode("ascii"), spec=table)
    assert read.pop("t") == message.mti
    assert read.pop("p") + read.pop(_SECONDARY, "") == message.bitmap
    assert read.pop("h", "") == ""
    assert {int(number): value for number, value in read.items()} == dict(message.fields)


@pytest.mark.parametrize("version", VERSIONS)
def test_generated_messages_are_read_identically(version: str) -> None:
    """Every generated message, its answer and its reversal, by our table: same MTI, bitmap and values."""
    table = _by_our_table(version)
    for message in some(generated(version), 4):
        _assert_same(message, table)


def test_generated_1987_messages_are_read_identically_by_its_own_table() -> None:
    """pyiso8583 comes with a 1987 table of its own, and reads every generated message of 1987 by it."""
    for message in generated("1987"):
        _assert_same(message, default_ascii)


@pytest.mark.parametrize("version", VERSIONS)
def test_generated_messages_are_written_identically(version: str) -> None:
    """From the same values pyiso8583 makes the same text."""
    table = _by_our_table(version)
    for message in generated(version):
        values = {"t": message.mti} | {str(number): value for number, value in message.fields.items()}
        raw, _ = iso8583.encode(values, spec=table)
        assert bytes(raw).decode("ascii") == build(message)


def test_its_1987_table_has_the_lengths_of_ours() -> None:
    """Fixed or variable, prefix digits and maximum of all 1987 elements agree but two: DE 54 holds twice as
    much there; DE 55 is chip data of 255 bytes there and reserved text here."""
    ours = {element.number: (element.prefix, element.width) for element in spec("1987").elements[1:]}
    theirs = {
        number: (default_ascii[str(number)]["len_type"], default_ascii[str(number)]["max_len"])
        for number in ours
    }
    assert {number for number in ours if ours[number] != theirs[number]} == {54, 55}
