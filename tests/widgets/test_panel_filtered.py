"""The long lists beneath a message: narrowed by what is typed, and as safe as a list to choose from."""

from __future__ import annotations

import pytest
import traitlets
from support import AT

from sim.operations import generate
from sim.widgets.panels.actions import FAULTS, MessageActions
from sim.widgets.panels.fields import NOT_THERE, FilteredList


@pytest.fixture
def made() -> list[str]:
    """What the buttons made."""
    return []


@pytest.fixture
def actions(made: list[str]) -> MessageActions:
    """The buttons beneath a request of 1987."""
    bar = MessageActions(lambda raw, said: made.append(raw), at=AT)
    bar.message = generate("auth", network="VISA", at=AT).raw
    return bar


@pytest.mark.parametrize("typed", ["51", " 51 ", "sufficient", "FUNDS not", "51 not sufficient funds"])
def test_a_code_or_words_find_the_one(actions: MessageActions, made: list[str], typed: str) -> None:
    """By code, by part of the meaning, by its words in any order; the box then shows it whole."""
    actions.code.box.value = typed
    assert (actions.code.value, actions.code.box.value) == ("51", "51 not sufficient funds")
    actions.reply_button.click()
    assert made[0].startswith("0110")
    assert actions.problem == ""


def test_what_is_not_in_the_list_is_told_and_changes_nothing(
    actions: MessageActions, made: list[str]
) -> None:
    """It stays where it was typed, the choice stays, and the button waits until it is mended."""
    actions.code.value = "05"
    actions.code.box.value = "nonsense"
    assert actions.problem == f"Response code: {NOT_THERE}"
    assert (actions.code.value, actions.code.box.value) == ("05", "nonsense")
    actions.reply_button.click()
    assert made == []
    actions.code.box.value = "51"
    assert actions.problem == ""


def test_words_of_several_ask_for_more(actions: MessageActions) -> None:
    """How many there are is told; none of them is taken."""
    actions.code.box.value = "pick up"
    assert "entries contain these words: type more" in actions.problem
    assert actions.code.value == ""


def test_an_empty_box_is_the_first_of_the_list(actions: MessageActions) -> None:
    """Its name is the placeholder; emptying the box goes back to it."""
    assert (actions.code.box.value, actions.code.box.placeholder) == ("", "approve")
    actions.fault.box.value = "month-13"
    assert (actions.fault.value, actions.fault.box.value) == ("month-13", "a date with month 13")
    actions.fault.box.value = ""
    assert actions.fault.value == FAULTS[0][1]
    assert actions.fault.box.placeholder == FAULTS[0][0]


def test_every_fault_of_the_version_can_be_found(actions: MessageActions) -> None:
    """By its id; those from which most is learned come first, and no two have the same name."""
    labels = actions.fault.box.options
    assert labels[: len(FAULTS)] == tuple(label for label, _ in FAULTS)
    assert len(set(labels)) == len(labels) > 300
    actions.fault.box.value = "hex-dump"
    assert actions.fault.value == "hex-dump"


def test_a_choice_stays_where_the_new_list_has_it(actions: MessageActions) -> None:
    """1993 knows the fault, not the two-digit response code."""
    actions.code.value, actions.fault.value = "51", "month-13"
    actions.message = generate("auth", network="VISA", version="1993", at=AT).raw
    assert (actions.code.value, actions.code.box.value) == ("", "")
    assert (actions.fault.value, actions.fault.box.value) == ("month-13", "a date with month 13")


def test_a_program_can_choose_only_what_is_there() -> None:
    """Another value is refused, and the one before stays."""
    choice = FilteredList("Colour")
    choice.options = (("red", "r"), ("green", "g"))
    choice.value = "g"
    with pytest.raises(traitlets.TraitError, match="'b' is not in the list 'Colour'"):
        choice.value = "b"
    assert (choice.value, choice.box.value) == ("g", "green")
