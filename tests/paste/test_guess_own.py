"""Formats that somebody loaded are among what a guess tries, and win where a message has what is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.codec import Message
from sim.codec.wire import Format, catalogue, encode
from sim.codec.wire.dialects import load_format
from sim.operations import guess

_OWN = """
extends = "bcd"
name = "corner-guess"
title = "Corner bank"
source = "its specification"

[elements.41]
name = "Till"
format = "ans 20"

[elements.48]
cut = "places"
parts = [{ path = "1", name = "branch", format = "n 4" }, { path = "2", name = "teller", format = "an 6" }]
"""
_SALE = {2: "4111111111111111", 3: "000000", 4: "000000001000", 7: "1120120000", 11: "000042"}


@pytest.fixture
def own(tmp_path: Path) -> Format:
    """A dialect, known for one test."""
    path = tmp_path / "corner.toml"
    path.write_text(_OWN, encoding="utf-8")
    return load_format(path)


def _hex(fields: dict[int, str], fmt: Format | str, own: Format) -> str:
    table = own.layout("1987").dialect if isinstance(fmt, Format) else None
    return encode(Message("0100", fields, "1987", dialect=table), fmt).hex()


@pytest.mark.parametrize("fields", [{41: "TILL-000000000000001"}, {48: "1234TELLER"}])
def test_a_message_with_what_is_its_own_is_recognised(own: Format, fields: dict[int, str]) -> None:
    """Another length, parts of its own: the format by its name, and the message in its dialect."""
    best = guess(_hex(_SALE | fields | {49: "840"}, own, own))
    assert (best.format, best.confidence, best.title) == ("corner-guess", "sure", "Corner bank")
    assert best.message is not None
    assert best.message.dialect is not None
    assert best.message.fields == _SALE | fields | {49: "840"}


def test_a_message_without_what_is_its_own_is_a_plain_one(own: Format) -> None:
    """The ready format that it extends reads it all the same, and is what is told."""
    best = guess(_hex(_SALE | {49: "840"}, own, own))
    assert (best.format, best.confidence) == ("bcd", "sure")


def test_a_format_that_is_gone_is_tried_no_more(own: Format) -> None:
    """What was loaded is looked up at each guess."""
    paste = _hex(_SALE | {41: "TILL-000000000000001"}, own, own)
    assert guess(paste).format == "corner-guess"
    catalogue._LOADED.pop("corner-guess")
    assert guess(paste).format != "corner-guess"


def test_the_padding_that_a_format_states_is_not_guessed(tmp_path: Path) -> None:
    """An odd number of digits padded on either side, each element as the file has it."""
    rows = _OWN.replace("corner-guess", "corner-odd") + '\n[elements.22]\nodd = "right 0"\n'
    (tmp_path / "odd.toml").write_text(rows, encoding="utf-8")
    own, fields = load_format(tmp_path / "odd.toml"), {19: "840", 22: "051", 41: "TILL-000000000000001"}
    best = guess(_hex(_SALE | fields, own, own))
    assert (best.format, best.confidence) == ("corner-odd", "sure")
    assert best.message is not None
    assert best.message.fields == _SALE | fields
