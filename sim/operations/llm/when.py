"""Dates and times of day as people write them, and whether an intent has those of its description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.operations.llm.intent import Intent

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+([0-9]{4})\b(?!:))?"
_DATES = (
    (re.compile(r"(?<![\w-])([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9-])"), "ymd"),
    (re.compile(r"(?<![\w./-])([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![\w-])"), "either"),
    (re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", re.IGNORECASE), "dmy"),
    (re.compile(rf"\b{_MONTH}\s+{_DAY}\b{_YEAR}", re.IGNORECASE), "mdy"),
)
_CLOCK = re.compile(
    r"(?<![\w:.+-])([0-9]{1,2})[:h]([0-9]{2})(?::([0-9]{2}))?(?:\s?([ap])\.?m\b)?(?![0-9:])"
    r"|(?<![\w:.,-])([0-9]{1,2})\s?([ap])\.?m\b",
    re.IGNORECASE,
)
_OFFSET = re.compile(
    r"(?:\b(?:UTC|GMT|offset(?: of)?)\s?|(?<=[0-9][:0-9][0-9])\s?)([+-])([0-9]{1,2})(?::?([0-9]{2}))?\b(?!-)"
)
_SOME_DAY = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|ago|last|next|this|now|earlier|day|week|month|weekend|eve|christmas|"
    r"easter|\w+day|new year\w*|end|beginning|first|minutes?|hours?)\b|" + _MONTH,
    re.IGNORECASE,
)
_SOME_TIME = re.compile(
    r"\b(?:noon|midday|midnight|o'?clock|half|quarter|morning|evening|afternoon|night|now|ago|earlier|minutes?|"
    r"hours?|hrs?|past|just|start|end|lunch\w*)\b|[0-9]\s?[ap]\.?m\b|\b[0-9]{1,2}[:h][0-9]{2}\b"
    r"|\bat [0-9]{1,4}\b",
    re.IGNORECASE,
)
_SOME_ZONE = re.compile(
    r"\b(?:UTC|GMT|Z|Zulu|zone|(?-i:[A-Z]{2,3}T)|time|offset)\b|[0-9]Z\b|[+-][0-9]", re.IGNORECASE
)
_EXPIRY = re.compile(
    r"\b(?:exp(?:\.|ir\w*)?|expiry date|valid (?:thru|through|until|till|to))\W*(?:date|in|on|is|of)?\W*"
    r"(?:([0-9]{2})\s?[/.-]\s?([0-9]{4}|[0-9]{2})|([0-9]{4})-([0-9]{2})|([0-9]{4}))(?![0-9/-])",
    re.IGNORECASE,
)
Day = tuple[int | None, int, int]


def dates_in(text: str) -> list[set[Day]]:
    """Every full date of *text*: year (None where it has none), month and day, in each order it may mean."""
    found: list[set[Day]] = []
    one: Day
    for pattern, order in _DATES:
        for match in pattern.finditer(_EXPIRY.sub(" ", text)):
            parts = match.groups()
            if order == "either":
                year = int(parts[3]) if len(parts[3]) == 4 else 2000 + int(parts[3])
                first, second = int(parts[0]), int(parts[2])
                found.append({(year, first, second), (year, second, first)})
            elif order == "ymd":
                one = (int(parts[0]), int(parts[1]), int(parts[2]))
                found.append({one})
            else:
                month, day = (parts[1], parts[0]) if order == "dmy" else (parts[0], parts[1])
                year_said = int(parts[2]) if parts[2] else None
                found.append({(year_said, _MONTHS.index(month[:3].lower()) + 1, int(day))})
    return found


def months_in(text: str) -> set[int]:
    """Every month that *text* names with a capital, as all but one are no other words then."""
    return {
        _MONTHS.index(match[1][:3].lower()) + 1
        for match in re.finditer(rf"\b{_MONTH}", text, re.IGNORECASE)
        if match[1][0].isupper()
    }


def times_in(text: str) -> list[tuple[int, int, int | None]]:
    """Every time of day of *text* in hours of 24, minutes, and seconds where it has them."""
    found = []
    for match in _CLOCK.finditer(_OFFSET.sub(" ", text)):
        hour = int(match[1] or match[5])
        half = (match[4] or match[6] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        found.append((hour, int(match[2] or 0), int(match[3]) if match[3] else None))
    return found


def without_when(text: str) -> str:
    """*text* without its dates, times of day and expiry."""
    for pattern in (_EXPIRY, *(pattern for pattern, _ in _DATES), _OFFSET, _CLOCK):
        text = pattern.sub(" ", text)
    return text


def check_when(intent: Intent, text: str) -> list[str]:
    """What *intent* has of dates, times, offset and expiry that *text* has not, and the other way round."""
    return [*_days(intent, text), *_times(intent, text), *_zone(intent, text), *_expiry(intent, text)]


def _days(intent: Intent, text: str) -> list[str]:
    have = [value for value in (intent.date, intent.original and intent.original.date) if value]
    days = [tuple(int(part) for part in value.split("-")) for value in have]
    problems = []
    told = dates_in(text)
    for choices in told:
        if not any(day[1:] == one[1:] and one[0] in (None, day[0]) for day in days for one in choices):
            year, month, number = sorted(choices, key=str)[0]
            problems.append(
                f"The description gives the date {year or ''}-{month:02}-{number:02}".replace(" -", " ")
                + ": set `date` to it, or that of the original"
            )
    every = [one for choices in told for one in choices]
    for day in days:
        fits = any(day[1:] == one[1:] and one[0] in (None, day[0]) for one in every)
        if not fits and not _SOME_DAY.search(text):
            problems.append("`date` does not stand in the description: leave it out")
    return problems


def _times(intent: Intent, text: str) -> list[str]:
    have = [value for value in (intent.time, intent.original and intent.original.time) if value]
    clocks = [tuple(int(part) for part in value.split(":")) for value in have]
    told = times_in(text)
    problems = [
        f"The description gives the time {hour:02}:{minute:02}: set `time` to it, or that of the original"
        for hour, minute, second in told
        if not any(one[:2] == (hour, minute) and second in (None, *one[2:]) for one in clocks)
    ]
    for one in clocks:
        fits = any(one[:2] == stated[:2] for stated in told)
        if not fits and (told or not _SOME_TIME.search(text)):
            problems.append("`time` does not stand in the description: take it from there or leave it out")
    return problems


def _zone(intent: Intent, text: str) -> list[str]:
    if not intent.utc_offset:
        told = bool(_OFFSET.search(text)) and bool(intent.time)
        return ["The description gives the offset from UTC: set `utc_offset`"] if told else []
    if not _SOME_ZONE.search(text):
        return ["`utc_offset` does not stand in the description: leave it out"]
    stated = [f"{sign}{int(hours):02}:{minutes or '00'}" for sign, hours, minutes in _OFFSET.findall(text)]
    if stated and intent.utc_offset not in stated:
        return [f"The description gives the offset {stated[0]}: set `utc_offset` to it"]
    return []


def _expiry(intent: Intent, text: str) -> list[str]:
    told = _EXPIRY.search(text)
    if told is None:
        witness = re.search(r"expir|valid|\bexp\b", text, re.IGNORECASE)
        if intent.card_expiry and not witness:
            return ["`card_expiry` does not stand in the description: leave it out"]
        return []
    month, year = told[1] or told[4], told[2] or told[3]
    wanted = {f"{year[-2:]}{month}"} if told[5] is None else {told[5], told[5][2:] + told[5][:2]}
    if intent.card_expiry not in wanted:
        return [f"The description gives an expiry: set `card_expiry` to {min(wanted)}"]
    return []
