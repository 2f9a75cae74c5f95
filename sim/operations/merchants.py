"""A merchant's category, by the words of its name, so a sample hotel is not a grocer; and its time zone
(source: the IANA time zone database)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sim.errors import OptionError, closest, quoted_value
from sim.spec import merchant_category
from sim.spec.tables import read_csv, read_toml

_OFFSET = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})")
# Names passed to zoneinfo, which would import a package for each part of any other name.
_NAME = re.compile(r"[\w+-]{1,32}(?:/[\w+-]{1,32}){0,2}", re.ASCII)
_MINUTES = 60
_MOST_MINUTES = 14 * _MINUTES  # no zone is further from UTC


def zone_named(value: object) -> tzinfo:
    """The time zone of *value*: `Europe/Berlin`, `UTC`, an offset such as `+05:30`, or a tzinfo.
    Raises OptionError if there is no such zone.

    >>> zone_named("+05:30").utcoffset(None)
    datetime.timedelta(seconds=19800)
    """
    if isinstance(value, tzinfo):
        return value
    if isinstance(value, str):
        offset = _OFFSET.fullmatch(value)
        zone = _fixed(*offset.groups()) if offset else _zone(value) if _NAME.fullmatch(value) else None
        if zone is not None:
            return zone
    names = {row["zone"]: row["zone"] for row in read_csv("zones")}
    nearest = closest(value, names) if isinstance(value, str) else None
    expected = "a time zone such as Europe/Berlin, UTC or +05:30"
    raise OptionError("timezone", expected, quoted_value(value), 12, nearest)


def _fixed(sign: str, hours: str, minutes: str) -> tzinfo | None:
    span = int(hours) * _MINUTES + int(minutes)
    if int(minutes) >= _MINUTES or span > _MOST_MINUTES:
        return None
    return timezone(timedelta(minutes=-span if sign == "-" else span))


@lru_cache(maxsize=512)
def _zone(name: str) -> tzinfo | None:
    if name.upper() in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str], str]:
    """A pattern for the words of the table, the category of each, and the default category."""
    rows = read_csv("merchants")
    categories = {word: row["mcc"] for row in rows if row["words"] for word in row["words"].split("|")}
    longest_first = sorted(categories, key=len, reverse=True)
    any_shop = next(row["mcc"] for row in rows if not row["words"] and not row["name"])
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b"), categories, any_shop


def category_of(name: str) -> str:
    """The merchant category code (ISO 18245) of the last known word in a merchant's *name*, or the default.

    >>> category_of("HOTEL ADLON"), category_of("ACME")
    ('7011', '5999')
    """
    pattern, categories, any_shop = _words()
    words = pattern.findall(" ".join(name.lower().split()))
    return categories[words[-1]] if words else any_shop


def chosen_category(details: Mapping[str, Any], purpose: str) -> str:
    """The category that generate chooses for the merchant name in *details*; empty if there is none or it is
    the sample's, or if *details* or the *purpose* set the category."""
    templates = read_toml("templates")
    is_set = "mcc" in details or "mcc" in templates["places"].get(purpose, {})
    name = details.get("name", templates["sample"]["name"])
    return "" if is_set or name == templates["sample"]["name"] else category_of(name)


def shop_of(code: str) -> str:
    """The sample merchant name of a category; empty if there is none.

    >>> shop_of("5942")
    'CITY BOOKSHOP'
    """
    return next((row["name"] for row in read_csv("merchants") if row["mcc"] == code), "")


def note_of(code: str) -> str:
    """The sentence that says which category was chosen, and why."""
    why = "from the merchant's name"
    if code == _words()[2]:
        why = "a general store, because the merchant's name does not suggest another"
    return f"The merchant category is {code} ({merchant_category(code)}), {why}."
