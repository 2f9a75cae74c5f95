"""Numbers in digits and words, and amounts with their currency."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sim.operations.llm.ground import money_in
from sim.operations.llm.numbers import numbers, readings


@pytest.mark.parametrize(
    ("token", "values"),
    [
        ("7", {"7"}),
        ("25.50", {"25.50"}),
        ("25,50", {"25.50"}),
        ("1,234", {"1234", "1.234"}),
        ("1.234.567", {"1234567"}),
        ("1,234,567.89", {"1234567.89"}),
        ("1.234.567,8", {"1234567.8"}),
        ("12'500.00", {"12500"}),
        ("1,23,4", set()),
    ],
)
def test_the_readings_of_a_number(token: str, values: set[str]) -> None:
    """A mark before three digits may group or divide; other marks can mean one thing only, or nothing."""
    assert readings(token) == {Decimal(value) for value in values}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("twenty-five dollars", "25"),
        ("one hundred and five dinars", "105"),
        ("two thousand three hundred forty yen", "2340"),
        ("a hundred euros", "100"),
        ("one million won", "1000000"),
        ("2.5k EUR", "2500"),
        ("1 250 000 KRW", "1250000"),
    ],
)
def test_the_numbers_of_a_text(text: str, value: str) -> None:
    """Words, multipliers and blanks between thousands are understood."""
    assert Decimal(value) in numbers(text)


def test_amounts_have_their_currency() -> None:
    """Codes before or behind and unambiguous signs; the dollar sign belongs to many currencies."""
    assert [
        (sorted(values), known.alpha) for values, known in money_in("EUR 5, 7.50 USD, £3, $9, 4 ABC")
    ] == [
        ([Decimal(5)], "EUR"),
        ([Decimal("7.50")], "USD"),
        ([Decimal(3)], "GBP"),
    ]
