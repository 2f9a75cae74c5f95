"""What an error may quote of a request: never a card number, in whatever JSON it stands."""

from __future__ import annotations

from typing import Any

import pytest

from sim.operations.project import covered

CARD = "4111111111111111"


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        (int(CARD), "411111******1111"),
        (-int(CARD), "411111******1111"),
        (CARD, "411111******1111"),
        ([1, [int(CARD)]], [1, ["411111******1111"]]),
        ({"deep": {"pan": 41111111}}, {"deep": {"pan": "********"}}),
        ({"pan": [41111111]}, {"pan": ["********"]}),
        ({CARD: True}, {"411111******1111": True}),
        (int(CARD) + 1, int(CARD) + 1),  # the check digit is wrong: an amount, a counter
        (4111111111119, "411111***1119"),  # 13 digits
        (79927398713, 79927398713),  # 11 digits, fewer than a card has
        (41111111, 41111111),
        (True, True),
        (None, None),
        (2.5, 2.5),
        ("twelve", "twelve"),
    ],
)
def test_a_card_number_is_covered_in_whatever_json(value: Any, quoted: Any) -> None:
    """As a text, as a number, as a key, in lists; where a card number belongs, also one that looks like none.
    What is none stays what it was, of its own type."""
    found = covered(value)
    assert found == quoted
    assert type(found) is type(quoted)


def test_a_number_in_place_of_a_card_is_covered_whatever_its_check_digit() -> None:
    """Its owner mistyped it, and it may still be nearly all of a card number."""
    assert covered(int(CARD) + 1, card=True) == "411111******1112"
    assert covered(12, card=True) == 12


@pytest.mark.parametrize(
    ("digits", "hidden"),
    [
        ("41111111112", False),
        ("411111111117", True),
        ("4111111111111111110", True),
        ("41111111111111111115", False),
    ],
)
def test_numbers_as_long_as_cards_have_are_covered(digits: str, hidden: bool) -> None:
    """Twelve digits to nineteen, where the check digit is right."""
    assert (covered(int(digits)) != int(digits)) is hidden
