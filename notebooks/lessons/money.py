"""Notebook 07: amounts, currencies, dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from lessons.judging import Lesson, equal
from sim.elements import dates
from sim.spec import currency, spec


def minor(units: str, alpha: str) -> int:
    """An amount such as `7.5` in the smallest unit of the currency *alpha*."""
    known = currency(alpha)
    whole, _, part = units.partition(".")
    return int(whole + part.ljust((known.exponent if known else None) or 0, "0"))


money = Lesson(
    "money",
    equal(
        lambda: minor("1250", "JPY"),
        "the yen has no smaller unit: its exponent is 0.",
        "With exponent 0, the number stays as it is.",
        {
            125000: "that would be right with cents; the yen's exponent is 0.",
            12: "the yen's exponent is 0, not -2.",
        },
    ),
    equal(
        lambda: f"{minor('7.5', 'KWD'):0{spec('1987')[4].width}}",
        "three decimals, twelve digits.",
        "7.500 dinar are 7500 fils. Pad with zeros on the left.",
        {
            "000000000750": "that is two decimals; the Kuwaiti dinar has three.",
            "000000075000": "that is four decimals; the Kuwaiti dinar has three.",
            "7500": "the number is right; DE 4 always has twelve digits.",
            "750000000000": "zeros go on the left of a number, not on the right.",
            "0000007500": "DE 4 has twelve digits.",
        },
    ),
    equal(
        lambda: dates.write(
            spec("1987")[7].pattern,
            datetime(2026, 11, 20, 21, 15, tzinfo=timezone(-timedelta(hours=5))).astimezone(UTC),
        ),
        "UTC is five hours ahead of New York in November, which may change the day as well.",
        "21:15 plus five hours is past midnight: the next day.",
        {
            "1120211500": "that is the local time; DE 7 is in UTC.",
            "1120161500": "UTC is ahead of New York: add the five hours.",
            "1120021500": "the hour is right. Is it still the same day?",
            "2111021500": "the month comes first: MMDDhhmmss.",
            "1121221500": "five hours, not one day.",
        },
    ),
)
