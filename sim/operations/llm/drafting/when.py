"""Dates, times of day and offsets: whether a value is what the words for it say."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from sim.operations.llm.drafting.marks import Mark

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def is_day(value: str, words: str, marks: list[Mark], now: datetime) -> bool | None:
    """Whether *value*, YYYY-MM-DD, is the day that *words* name; None where they leave it open."""
    try:
        day = datetime.fromisoformat(value)
    except ValueError:
        return False
    digits, month = re.findall("[0-9]+", words), _month(words)
    if not digits:
        if named := _values(marks, "date"):
            return any((now + timedelta(int(one))).date() == day.date() for one in named)
        weekdays = [name for name in _DAYS if name in words.casefold()]
        if weekdays and _DAYS[day.weekday()] not in weekdays:
            return False
        return None if month or any(one.property == "when" for one in marks) else False
    given = [int(one) for one in digits]
    years: tuple[list[int], ...] = ([], [day.year], [day.year % 100])
    if month:
        return month == day.month and any(sorted(given) == sorted([day.day, *year]) for year in years)
    if len(digits[0]) == 4:  # year, month, day: no other order
        return given == [day.year, day.month, day.day]
    if len(given) == 2 and not re.search(r"[/-]|[.]\D*$", words):
        return False  # 1.20 may be anything
    return sorted(given[:2]) == sorted([day.month, day.day]) and given[2:] in years


def is_time(value: str, words: str, marks: list[Mark]) -> bool | None:
    """Whether *value*, HH:MM or HH:MM:SS, is the time of day that *words* tell; None where they leave it
    open."""
    have = [int(part) for part in value.split(":")]
    given = [int(one) for one in re.findall("[0-9]+", words)]
    if not given:
        if named := _values(marks, "time"):
            return any([int(part) for part in one.split(":")] == have[:2] for one in named)
        return None if any(one.property == "when" for one in marks) else False
    half = _values(marks, "half")
    if len(given) == 1 and not half and not re.search(r"\bat\b|o.clock", words, re.IGNORECASE):
        return False
    if len(given) == 1 and given[0] > 24:
        given = [given[0] // 100, given[0] % 100]
    if half:
        given[0] = given[0] % 12 + (12 if "pm" in half else 0)
    told = [*given, 0, 0][:3] if len(given) < 3 else given
    return told == [*have, 0][:3]


def is_offset(value: str, words: str, marks: list[Mark]) -> bool:
    """Whether *value*, such as +02:00, is the offset or the zone that *words* name."""
    found = re.fullmatch(r"[^0-9]*([+-])([0-9]{1,2}):?([0-9]{2})?[^0-9]*", words)
    if found:
        return value == f"{found[1]}{int(found[2]):02}:{found[3] or '00'}"
    return not re.search("[0-9]", words) and value in _values(marks, "utc_offset")


def is_expiry(value: str, words: str) -> bool:
    """Whether *value*, YYMM, is the month that *words* name: 12/31, 2031-12, 3112 or December 2031."""
    given, month = re.findall("[0-9]+", words), _month(words)
    year, number = value[:2], value[2:]
    if month:
        return month == int(number) and [one[-2:] for one in given] == [year]
    if len(given) == 1:
        return given[0] in (value, number + year)
    short = [one[-2:].zfill(2) for one in given]
    return len(given) == 2 and short == ([year, number] if len(given[0]) == 4 else [number, year])


def _values(marks: list[Mark], name: str) -> set[str]:
    return {value for one in marks if one.property == name for value in one.values}


def _month(words: str) -> int | None:
    for word in re.findall("[a-z]{3,}", words.casefold()):
        for number, name in enumerate(_MONTHS, start=1):
            if name.startswith(word) or word == "sept":
                return 9 if word == "sept" else number
    return None
