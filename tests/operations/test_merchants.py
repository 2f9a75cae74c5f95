"""The merchant category that generate chooses for a merchant of another name."""

from __future__ import annotations

import re

import pytest
from support import AT, together

from sim.operations import generate
from sim.operations.merchants import category_of
from sim.spec import merchant_category
from sim.spec.tables import read_csv


@together(
    "name, category",
    [
        ("HOTEL ADLON", "7011"),
        ("Grand  hotel", "7011"),
        ("NORTHERN AIRLINES", "4511"),
        ("CITY GAS STATION", "5541"),
        ("ST MARY'S PHARMACY", "5912"),
        ("HOTEL BAR", "5813"),
        ("ACME", "5999"),
        ("HOTELIER", "5999"),
        ("A+B (C)", "5999"),
    ],
)
def test_a_name_tells_the_category(name: str, category: str) -> None:
    """By whole words, the last of them; where none is known it is any shop, and the notes say so."""
    assert category_of(name) == category
    made = generate("auth", network="VISA", at=AT, details={"name": name})
    assert made.message[18] == category
    note = next(one for one in made.notes if "merchant category" in one)
    assert f"{category} ({merchant_category(category)})" in note
    assert ("does not suggest another" in note) is (category == "5999")


@pytest.mark.parametrize(
    ("options", "category"),
    [
        ({}, "5411"),
        ({"details": {"name": "CORNER SHOP"}}, "5411"),
        ({"details": {"name": "HOTEL ADLON", "mcc": "5812"}}, "5812"),
        ({"purpose": "cash", "details": {"name": "HOTEL ADLON"}}, "6011"),
    ],
)
def test_what_else_tells_the_category_wins(options: dict[str, object], category: str) -> None:
    """The category as given, the purpose's, the sample shop's: nothing is chosen then, nothing noted."""
    made = generate("auth", network="VISA", at=AT, entry="chip", **options)  # type: ignore[arg-type]
    assert made.message[18] == category
    assert not any("merchant category" in one for one in made.notes)


def test_the_table_of_words_is_sound() -> None:
    """Each word stands once, in small letters; each category is in ISO 18245; one is any shop's."""
    rows = read_csv("merchants")
    words = [word for row in rows if row["words"] for word in row["words"].split("|")]
    assert len(words) == len(set(words))
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)*", word) for word in words)
    assert all(merchant_category(row["mcc"]) and row["source"] for row in rows)
    assert [row["mcc"] for row in rows if not row["words"] and not row["name"]] == ["5999"]
