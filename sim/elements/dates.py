"""Dates and times in the patterns of the element tables: `MMDDhhmmss`, `YYMM`, `CCYYMMDD` ..."""

from __future__ import annotations

import calendar
import re
import time
from datetime import UTC, datetime
from functools import cache

PART = re.compile(r"CCYY|YY|MM|DD|hh|mm|ss")
# The position of each part in ISO 8601: 2026-11-20T10:15:30.
_ISO = {
    "CCYY": slice(0, 4),
    "YY": slice(2, 4),
    "MM": slice(5, 7),
    "DD": slice(8, 10),
    "hh": slice(11, 13),
    "mm": slice(14, 16),
    "ss": slice(17, 19),
}
_LIMITS = {"CCYY": (1970, 2099), "MM": (1, 12), "DD": (1, 31), "hh": (0, 23), "mm": (0, 59), "ss": (0, 59)}
_LEGAL = {
    name: frozenset(f"{number:02}" for number in range(low, high + 1))
    for name, (low, high) in _LIMITS.items()
}
# The same as patterns, a day with its month; 29 February is excluded because not every year has it.
_USUAL = {
    "MMDD": "(?:(?:0[13578]|1[02])(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)(?:0[1-9]|[12][0-9]|30)"
    "|02(?:0[1-9]|1[0-9]|2[0-8]))",
    "MM": "(?:0[1-9]|1[0-2])",
    "hh": "(?:[01][0-9]|2[0-3])",
    "mm": "[0-5][0-9]",
    "ss": "[0-5][0-9]",
    "CC": "(?:19|20)",
    "YY": "[0-9]{2}",
}
_NAMES = {"CCYY": "year", "MM": "month", "DD": "day", "hh": "hour", "mm": "minute", "ss": "second"}
# A pattern without a year cannot rule 29 February out.
_ANY_LEAP_YEAR = 2024
_CENTURY = 2000


def now() -> datetime:
    """The current time, in UTC; the only function that reads the clock."""
    return datetime.fromtimestamp(time.time(), UTC)


_LAST_CENTURY = "50"
_SHORTEST_MONTH = "28"
_MONTHS = tuple(calendar.month_name)


@cache
def _layout(pattern: str) -> tuple[tuple[str, int, int], ...]:
    return tuple((part[0], *part.span()) for part in PART.finditer(pattern))


@cache
def _limited(pattern: str) -> tuple[tuple[str, int, int, frozenset[str]], ...]:
    return tuple((*part, _LEGAL[part[0]]) for part in _layout(pattern) if part[0] in _LEGAL)


@cache
def limits(pattern: str) -> tuple[tuple[int, int, int, int], ...]:
    """For each part with limits: the number of digits after it, its own number of digits, and the limits.

    >>> limits("hhmm")
    ((2, 2, 0, 23), (0, 2, 0, 59))
    """
    size = len(pattern)
    return tuple(
        (size - end, end - start, *_LIMITS[name]) for name, start, end in _layout(pattern) if name in _LIMITS
    )


@cache
def unusual(pattern: str) -> re.Pattern[str]:
    """A pattern that matches whatever may be an invalid date or time of *pattern*."""
    usual = re.sub("MMDD|[A-Za-z]{2}", lambda part: _USUAL[part[0]], pattern)
    return re.compile(rf"(?!{usual}\Z)")


def times(pattern: str) -> list[tuple[int, frozenset[str]]]:
    """The positions of hours, minutes and seconds in *pattern*, each with its valid values."""
    return [(start, legal) for name, start, _, legal in _limited(pattern) if name.islower()]


def split(pattern: str, value: str) -> dict[str, str]:
    """The parts of *value* by the letters of *pattern*: {"MM": "11", "DD": "20"}."""
    return {name: value[start:end] for name, start, end in _layout(pattern)}


def problem(pattern: str, value: str) -> tuple[int, int, str] | None:
    """What makes *value* an invalid date or time of *pattern*: (start, end, text) within the value; None if
    it is valid. Month lengths and leap years are checked; a two-digit year means 20YY.

    >>> problem("MMDD", "0230")
    (2, 4, 'day 30 of month 02')
    >>> problem("hhmmss", "251530")
    (0, 2, 'hour 25')
    """
    if not unusual(pattern).match(value):
        return None
    for name, start, end, legal in _limited(pattern):
        if value[start:end] not in legal:
            return start, end, f"{_NAMES[name]} {value[start:end]}"
    day = pattern.find("DD")
    if day < 0 or value[day : day + 2] <= _SHORTEST_MONTH:
        return None
    parts = split(pattern, value)
    year = int(parts["CCYY"]) if "CCYY" in parts else _CENTURY + int(parts["YY"]) if "YY" in parts else 0
    last = calendar.monthrange(year or _ANY_LEAP_YEAR, int(parts["MM"]))[1]
    if int(parts["DD"]) > last:
        return day, day + 2, f"day {parts['DD']} of month {parts['MM']}" + (f" in {year}" if year else "")
    return None


def is_sound(pattern: str, value: str) -> bool:
    """Whether *value* is a valid date or time of *pattern*: length, digits, and calendar.

    >>> is_sound("MMDD", "0229"), is_sound("MMDD", "0230"), is_sound("MMDD", "229")
    (True, False, False)
    """
    if not unusual(pattern).match(value):
        return True
    well_formed = len(value) == len(pattern) and value.isascii() and value.isdigit()
    return well_formed and problem(pattern, value) is None


def write(pattern: str, at: datetime) -> str:
    """*at* in *pattern*.

    >>> write("MMDDhhmmss", datetime(2026, 11, 20, 10, 15, 30))
    '1120101530'
    """
    text = at.isoformat()
    return "".join([text[_ISO[name]] for name, _, _ in _layout(pattern)])


@cache
def _spoken(pattern: str) -> tuple[slice | None, slice | None, slice | None, tuple[slice, ...]]:
    """The positions of the day, the month, the year, and the parts of the time in *pattern*."""
    at = {name: slice(start, end) for name, start, end in _layout(pattern)}
    times = tuple(at[name] for name in ("hh", "mm", "ss") if name in at)
    return at.get("DD"), at.get("MM"), at.get("CCYY") or at.get("YY"), times


def say(pattern: str, value: str) -> str:
    """*value* as a person reads it; unchanged if it is not a date of *pattern*.

    >>> say("MMDDhhmmss", "1120101530")
    '20 November, 10:15:30'
    >>> say("YYMM", "2912"), say("YYMMDD", "950108"), say("YYMM", "A112")
    ('December 2029', '8 January 1995', 'A112')
    """
    if not is_sound(pattern, value):
        return value
    day, month, year, times = _spoken(pattern)
    words = [value[day].lstrip("0")] if day else []
    if month:
        words.append(_MONTHS[int(value[month])])
    if year:  # two digits from 00 to 49 are of this century, 50 to 99 of the last (EMV book 4, section 6.7.3)
        text = value[year]
        words.append(text if len(text) > 2 else f"{'20' if text < _LAST_CENTURY else '19'}{text}")
    time = ":".join([value[part] for part in times])
    return f"{' '.join(words)}, {time}" if words and time else time or " ".join(words)


def readable_date(pattern: str, value: str) -> str:
    """*value* as a person reads it; empty if it is not a date of *pattern*."""
    text = say(pattern, value)
    return "" if text == value else text
