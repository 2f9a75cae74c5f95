"""Numbers in digits and words, and amounts with their currency."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sim.operations.llm.amounts import currencies_in, money_in
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
        ("twelve fifty", "12.50"),
    ],
)
def test_the_numbers_of_a_text(text: str, value: str) -> None:
    """Words, multipliers and blanks between thousands are understood."""
    assert Decimal(value) in numbers(text)


@pytest.mark.parametrize(
    ("text", "value", "codes"),
    [
        ("EUR 5", "5", {"EUR"}),
        ("7.50 usd", "7.50", {"USD"}),
        ("£3", "3", {"GBP"}),
        ("12,50 euros", "12.50", {"EUR"}),
        ("twelve euros fifty", "12.50", {"EUR"}),
        ("twenty-five US dollars and fifty cents", "25.50", {"USD"}),
        ("105 Bahraini dinars", "105", {"BHD"}),
        ("¥500", "500", {"JPY", "CNY"}),
        ("500 日元", "500", {"JPY"}),
        ("199 cents USD", "1.99", {"USD"}),
        ("50 pence", "0.5", {"GBP"}),
        ("US$20", "20", {"USD"}),
        ("2.5k EUR", "2500", {"EUR"}),
        ("2026-11-20 EUR 5", "5", {"EUR"}),
    ],
)
def test_amounts_have_their_currency(text: str, value: str, codes: set[str]) -> None:
    """Codes before or behind, signs and names; each gives the currencies that it may mean."""
    [one] = money_in(text)
    assert (set(one.values), set(one.codes)) == ({Decimal(value)}, codes)


def test_a_name_that_many_currencies_have_means_any_of_them() -> None:
    """Dollars are of many countries, unless a word before says of which."""
    assert {"USD", "CAD", "AUD"} <= currencies_in("20 dollars")
    assert currencies_in("20 Canadian dollars") == {"CAD"}
    assert currencies_in("try 4 of all the top pens") == set()
    assert money_in("4 ABC, or 5 top shops") == []
