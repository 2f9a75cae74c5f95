"""Rules about dates that must agree: UTC and the local date, the card's validity and the day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from sim.codec import Message
from sim.elements import dates
from sim.judge.agreed import Equal
from sim.judge.conditions import purpose_kind
from sim.judge.engine import rule
from sim.judge.finding import Hit
from sim.judge.layout import LATER
from sim.spec import number_of

_NONE: tuple[Hit, ...] = ()
_TRANSACTIONS = "12"
_REQUESTS_AND_ADVICES = "02"

_LEAP_YEAR, _COMMON_YEAR = 2024, 2023
_LEAP_DAY = "0229"
_DAY = 86_400  # seconds
_CENTURY_MONTHS = 1200


def sound_date(message: Message, number: int) -> str:
    """The value of a date element that is in the calendar; empty otherwise."""
    value = message.get(number)
    pattern = message.spec[number].pattern
    if len(value) != len(pattern) or not (value.isascii() and value.isdigit()):
        return ""
    return "" if dates.problem(pattern, value) else value


@rule(
    "dates-apart",
    7,
    12,
    versions=("1987",),
    classes=_TRANSACTIONS,
    functions="01",
    reads=(7, 12, 13),
    any_mti=True,
    equal=Equal(7, 13, slice(4)),
)
@rule(
    "dates-apart",
    7,
    12,
    versions=LATER,
    classes=_TRANSACTIONS,
    functions="01",
    any_mti=True,
    equal=Equal(7, 12, slice(4), slice(-10, -6)),
)
def dates_apart(message: Message) -> Iterable[Hit]:
    """DE 7 (UTC) and the local date and time are at most a day apart. Without a year, the nearer one
    counts, so that New Year's Eve is next to New Year's Day."""
    fields = message.fields
    local = fields.get(13, "") + fields[12] if message.version == "1987" else fields[12][-10:]
    if local[:4] == fields[7][:4]:
        return _NONE
    at = number_of("local-date", message.version)
    if not sound_date(message, 7) or not sound_date(message, 12):
        return _NONE
    if at == 13 and not sound_date(message, 13):
        return _NONE
    apart = _DAY * days_between(fields[7][:4], local[:4]) + _second(local[4:]) - _second(fields[7][4:])
    if abs(apart) <= _DAY:
        return _NONE
    start = len(message.fields[at]) - 10 if at == 12 else 0
    return (Hit(at, "a local date within a day of DE 7", repr(local[:4]), start, 4),)


def _second(text: str) -> int:
    """The second of a day, of hhmmss."""
    return 3600 * int(text[:2]) + 60 * int(text[2:4]) + int(text[4:6])


@lru_cache(maxsize=1024)
def days_between(first: str, second: str) -> int:
    """Days from *first* to *second*, both MMDD, the nearer way round the year. Without a year, February
    has the 29 days of a leap year only where one of them is its last.

    >>> days_between("1231", "0102"), days_between("0301", "0229"), days_between("0301", "0228")
    (2, -1, -1)
    """
    year = _LEAP_YEAR if _LEAP_DAY in (first, second) else _COMMON_YEAR
    days = date(year + 1, 1, 1).toordinal() - date(year, 1, 1).toordinal()
    one, other = (date(year, int(text[:2]), int(text[2:])).toordinal() for text in (first, second))
    gap = (other - one) % days
    return gap - days if gap > days // 2 else gap


def months_from(first: str, second: str) -> int:
    """Months from *first* to *second*, both YYMM, the nearer way round the century."""
    gap = sum((int(second[at : at + 2]) - int(first[at : at + 2])) * size for at, size in ((0, 12), (2, 1)))
    gap %= _CENTURY_MONTHS
    return gap - _CENTURY_MONTHS if gap > _CENTURY_MONTHS // 2 else gap


@rule(
    "card-expired",
    12,
    14,
    versions=LATER,
    classes=_TRANSACTIONS,
    functions=_REQUESTS_AND_ADVICES,
    reads=(2, 3, 12, 14),
)
def card_expired(message: Message) -> Iterable[Hit]:
    """The card has not expired at the local date; a refund may go to an expired card."""
    local, expiry = sound_date(message, 12)[-12:-8], sound_date(message, 14)
    if not local or not expiry or months_from(local, expiry) >= 0 or purpose_kind(message) == "credit":
        return _NONE
    found = "an expiry before it" if message.get(2) else "an earlier month"
    return (Hit(14, "an expiry not before the local date in DE 12", found),)


@rule("card-not-yet-valid", 12, 13, versions=LATER, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def card_not_yet_valid(message: Message) -> Iterable[Hit]:
    """The card is valid already at the local date."""
    local, effective = sound_date(message, 12)[-12:-8], sound_date(message, 13)[-4:]
    if not local or not effective or months_from(effective, local) >= 0:
        return _NONE
    return (Hit(13, "an effective date not after the local date in DE 12", "a later month"),)
