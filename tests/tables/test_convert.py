"""`sim.convert`: a message table of the new version, with a table of notes."""

from __future__ import annotations

import inspect
from datetime import datetime

import pytest
from support import AT

import sim
from sim.operations import convert

AUTH = sim.generate("auth", network="VISA", version="1987", at=AT)


def test_the_table_is_the_new_message() -> None:
    """It can be built, validated and explained like any other, and has the operation's notes."""
    table = sim.convert(AUTH, "1993", at=AT)
    made = convert(AUTH.iso.to_message(), "1993", at=AT)
    assert sim.build(table) == made.raw
    assert (table.iso.version, table.iso.valid, table.iso.source) == ("1993", True, "convert")
    notes = table.iso.notes
    assert list(notes.columns) == ["number", "to", "action", "note"]
    assert notes["number"].tolist() == [note.number for note in made.notes]
    assert notes.set_index("number").loc[13].tolist()[:2] == ["12", "filled"]
    assert table.iso.lossless is made.lossless


@pytest.mark.parametrize(
    "argument", [str(AUTH.iso.message), AUTH, AUTH.iso.to_message()], ids=["text", "table", "Message"]
)
def test_any_message_argument(argument: object) -> None:
    """Text, table and `Message` give the same result."""
    assert sim.convert(argument, 1993, at=AT).equals(sim.convert(AUTH, "1993", at=AT))  # type: ignore[arg-type]


def test_notes_stay_with_copies_and_hold_no_card() -> None:
    """A copy has them, too; the notes of other messages are sentences, and `lossless` is None there."""
    table = sim.convert(AUTH, "2003", at=AT).copy()
    assert table.iso.notes.equals(sim.convert(AUTH, "2003", at=AT).iso.notes)
    assert (
        str(AUTH.iso.to_message()[2]) not in table.iso.notes.to_string() + repr(table) + table._repr_html_()
    )
    assert isinstance(AUTH.iso.notes, tuple)
    assert AUTH.iso.lossless is None


def test_editors_are_told_what_the_notes_are() -> None:
    """Sentences for a generated message, a table for a converted one: each has its own type."""
    table = sim.convert(AUTH, "2003", at=AT)
    said = [inspect.get_annotations(vars(type(one.iso))["notes"].fget)["return"] for one in (AUTH, table)]
    assert said == ["tuple[str, ...]", type(table.iso.notes).__name__]
    assert inspect.signature(sim.convert).return_annotation == type(table).__name__ != type(AUTH).__name__


def test_the_clock() -> None:
    """Years missing from the message are those nearest to `at`."""
    old = sim.convert(AUTH, "1993", at=datetime(1999, 1, 1))  # noqa: DTZ001 (local time)
    assert old.iso.to_message()[12].startswith("98")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("0100", "1993"), sim.BuildError), ((AUTH, "1997"), sim.ChoiceError), ((5, "1993"), TypeError)],
)
def test_what_cannot_be_converted(arguments: tuple[object, str], error: type[Exception]) -> None:
    """Not a message, an unknown version, a wrong argument."""
    with pytest.raises(error):
        sim.convert(*arguments)  # type: ignore[arg-type]
