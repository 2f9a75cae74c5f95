"""A message is read out of the line that it stands in."""

from __future__ import annotations

import pytest
from support import together

import sim
from sim.codec import parse
from sim.errors import ParseError
from sim.operations import convert, generate, parse_any, read

REQUEST = generate("auth", network="VISA").raw


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-20 12:00:01 INFO out {}",
        "2026-11-20 12:00:01,123 [main] DEBUG sent: {}",
        "msg={}",
        "msg='{}' ok",
    ],
)
def test_a_text_in_a_log_line_is_found(line: str) -> None:
    """By parse, explain, validate and the message table alike; the line itself is no message of 2003."""
    text = line.format(REQUEST)
    assert parse_any(text).text == REQUEST
    table = sim.parse(text)
    assert (table.iso.mti, str(table.iso.message)) == ("0100", REQUEST)
    assert table.iso.read_as == "text among other text, text form, sure"
    assert sim.validate(text).iso.valid
    assert "authorization request" in sim.explain(text).iso.summary


@pytest.mark.parametrize("front", ["0150", "I get this: ", "0xISO ", "A4M09000"])
def test_a_text_cut_short_is_read_behind_what_stands_in_front(front: str) -> None:
    """The error names the element that is cut, not one of a text that begins with that."""
    last = max(parse_any(REQUEST).message.fields)
    with pytest.raises(ParseError) as caught:
        parse_any(front + REQUEST[:-1])
    assert caught.value.field == last


def test_a_cut_dump_after_an_empty_line_is_read_as_far_as_it_goes() -> None:
    """As in a literal of several lines, whose first is empty."""
    data = (
        bytes.fromhex("0026600003000001") + bytes.fromhex("00723C648108E08010164111111111111111") + b"\0" * 9
    )
    rows = (f"{at:08x}: {data[at : at + 16].hex(' ', 2)}" for at in range(0, 32, 16))
    dump = "\n".join(rows)
    assert "hex dump with offsets" in sim.parse(dump).iso.read_as
    assert sim.parse(f"\n{dump}\n").iso.read_as == sim.parse(dump).iso.read_as


@together("interface", ["amex", "elavon", "ifsf", "ipm"])
def test_a_version_that_an_interface_does_not_have_is_kept(interface: str) -> None:
    """A message of 1987 on an interface of 1993 is read by its own elements, and the reasons say so; it can
    be converted."""
    raw = generate("auth", network="VISA").raw
    reading = read(raw, interface=interface)
    assert (reading.version, reading.text) == ("1987", raw)
    assert reading.message is not None
    assert reading.message.fields == parse(raw).fields
    assert f"not of {interface}: DE 12" in reading.reasons[-1]
    assert convert(reading.message, "1993").message.mti == "1100"
