"""The time zone of a merchant: what its local time is. Source: the IANA time zone database."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sim.errors import OptionError, closest, shown
from sim.spec.tables import read_csv

_OFFSET = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})")
# What zoneinfo is asked for: it would import a package for each part of another name.
_NAME = re.compile(r"[\w+-]{1,32}(?:/[\w+-]{1,32}){0,2}", re.ASCII)
_MINUTES = 60
_MOST_MINUTES = 14 * _MINUTES  # no zone is further from UTC


@cache
def zone_of(alpha2: str) -> str:
    """The zone of a country, by its two letters: of several that of the capital or the largest city; UTC
    for a country without one.

    >>> zone_of("DE"), zone_of("AU")
    ('Europe/Berlin', 'Australia/Sydney')
    """
    return next((row["zone"] for row in read_csv("zones") if row["country"] == alpha2), "UTC")


def zone_named(value: object) -> tzinfo:
    """The zone that *value* names: `Europe/Berlin`, `UTC`, an offset such as `+05:30`, or a tzinfo.

    Raises
    ------
    OptionError
        There is no such zone.

    Examples
    --------
    >>> zone_named("+05:30").utcoffset(None)
    datetime.timedelta(seconds=19800)
    """
    if isinstance(value, tzinfo):
        return value
    if isinstance(value, str):
        offset = _OFFSET.fullmatch(value)
        found = _fixed(*offset.groups()) if offset else _zone(value) if _NAME.fullmatch(value) else None
        if found is not None:
            return found
    names = {row["zone"]: row["zone"] for row in read_csv("zones")}
    nearest = closest(value, names) if isinstance(value, str) else None
    expected = "a time zone such as Europe/Berlin, UTC or +05:30"
    raise OptionError("timezone", expected, shown(value), 12, nearest)


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
