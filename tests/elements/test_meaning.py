"""The meaning of an element, in the words of its kind, in every version that has it."""

from __future__ import annotations

import pytest

from sim.codec import Message
from sim.elements.meaning import meaning


@pytest.mark.parametrize(
    ("mti", "version", "number", "value", "said"),
    [
        ("0100", "1987", 18, "5411", "Groceries and supermarkets"),
        (*("0101", "1987", 0, ""), "ISO 8583:1987, authorization request repeat, from the acquirer"),
        ("1100", "1993", 26, "5411", "Groceries and supermarkets"),
        ("2100", "2003", 26, "5411", "Groceries and supermarkets"),
        (
            *("0100", "1987", 43, "CORNER SHOP              NEW YORK     US"),
            "CORNER SHOP, NEW YORK, United States",
        ),
    ],
)
def test_an_element_says_what_its_kind_says(
    mti: str, version: str, number: int, value: str, said: str
) -> None:
    """Merchant categories and locations have names, in every version."""
    assert meaning(Message(mti, {number: value}, version), number) == said
