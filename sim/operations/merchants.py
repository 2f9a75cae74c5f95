"""What a merchant does, by the words of its name: so that a made-up hotel is no grocer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from sim.spec import merchant_category
from sim.spec.tables import read_csv, read_toml


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str], str]:
    """What finds the words of the table in a name, the category of each, and the category of any shop."""
    rows = read_csv("merchants")
    categories = {word: row["mcc"] for row in rows if row["words"] for word in row["words"].split("|")}
    longest_first = sorted(categories, key=len, reverse=True)
    any_shop = next(row["mcc"] for row in rows if not row["words"])
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b"), categories, any_shop


def category_of(name: str) -> str:
    """The merchant category code (ISO 18245) that the words of a merchant's *name* tell, the last that does;
    that of any shop where none does.

    >>> category_of("HOTEL ADLON"), category_of("ACME")
    ('7011', '5999')
    """
    pattern, categories, any_shop = _words()
    found = pattern.findall(" ".join(name.lower().split()))
    return categories[found[-1]] if found else any_shop


def chosen_category(details: Mapping[str, Any], purpose: str) -> str:
    """The category that generate chooses for the merchant whose name *details* have; empty where they have
    none or the sample shop's, where they say the category, or where the *purpose* does."""
    templates = read_toml("templates")
    told = "mcc" in details or "mcc" in templates["places"].get(purpose, {})
    name = details.get("name", templates["sample"]["name"])
    return "" if told or name == templates["sample"]["name"] else category_of(name)


def note_of(code: str) -> str:
    """The sentence that says which category was chosen, and why."""
    known = f"The merchant category is {code} ({merchant_category(code)}), "
    if code == _words()[2]:
        return known + "that of any shop: the merchant's name tells none."
    return known + "by the merchant's name."
