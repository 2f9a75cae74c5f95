"""Many messages instead of one, and lines of messages as a source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from support import AT, together

import sim

ECHO = str(sim.build(sim.generate("echo", at=AT)))
ONE_MESSAGE: list[Callable[[Any], Any]] = [
    sim.parse,
    sim.explain,
    sim.validate,
    sim.mask,
    sim.respond,
    sim.show,
]


@together("verb", ONE_MESSAGE)
@together(
    "many",
    [[ECHO, ECHO], (ECHO,), pd.Series([ECHO]), iter([ECHO])],
)
def test_many_messages_are_for_read(verb: Callable[[Any], Any], many: object) -> None:
    """The error for many messages instead of one names the function to use."""
    with pytest.raises(TypeError, match=r"sim\.read takes many messages"):
        verb(many)


def test_of_a_text_with_many_messages_the_first_is_read() -> None:
    """As for any other paste; the heading gives their number."""
    other = str(sim.build(sim.generate("echo", stan=7, at=AT)))
    for text in (f"{ECHO}\n{other}\n", f"{ECHO}\r\n\r\n{other}"):
        assert sim.parse(text).iso.message == ECHO
        assert repr(sim.parse(text)).startswith("The first of 2 messages: use sim.read for all of them.")
        assert sim.guess(text)["message"].tolist() == [1, 2]
        assert sim.read(text)["DE11"].tolist() == [ECHO[46:52], other[46:52]]


def test_a_table_of_many_messages_is_none() -> None:
    """The error says how to get one of them."""
    with pytest.raises(TypeError, match=r"\.iso\.message\(row\)"):
        sim.parse(sim.read([ECHO, ECHO]))


def test_an_exchange_is_no_message() -> None:
    """The error says where its findings and its messages are."""
    with pytest.raises(TypeError, match=r"\.iso\.findings"):
        sim.validate(sim.exchange("purchase", network="VISA", at=AT))


@together("verb", [sim.respond, sim.reverse, lambda one, **how: sim.convert(one, "1993", **how)])
def test_a_message_that_its_interface_has_no_room_for_is_told(verb: Callable[..., Any]) -> None:
    """A terminal of 8 characters, where BASE24 has 16: the error names the interface, and what reads it."""
    short = sim.generate("auth", interface="base24", at=AT).iso.to_message().replace(de41="TERM0001")
    with pytest.raises(sim.BuildError, match=r"expected ans 16.* of base24; interface='iso' reads it"):
        verb(short)
    verb(short, interface="iso")


def test_a_text_of_lines_is_read_line_by_line() -> None:
    """Each line is a message, blank ones are left out, and a bad one stays as a row."""
    table = sim.read(f"{ECHO}\n\n{ECHO}\r\nno message\n")
    assert table["line"].tolist() == [1, 3, 4]
    assert table["mti"].tolist()[:2] == ["0800", "0800"]
    assert table["text"].tolist()[2] == "no message"
    assert sim.read(ECHO + "\n")["mti"].tolist() == ["0800"]


def test_a_message_with_a_line_ending_in_a_value_is_one() -> None:
    """Lines are separate messages only if all of them begin like messages."""
    raw = sim.build({"mti": "0100", 3: "000000", 43: "CORNER SHOP\nNEW YORK".ljust(40)})
    assert sim.parse(raw).set_index("number").loc[43, "value"].startswith("CORNER SHOP\n")
