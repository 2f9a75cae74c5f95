"""Magnetic stripe data: track 2 (ISO/IEC 7813) and the account number in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# PAN, separator, [country for PANs that start with 59], expiry or separator, service code or
# separator, discretionary data. ISO/IEC 7813; the country code as ISO/IEC 4909 describes it.
_TRACK_2 = re.compile(
    r"(?P<pan>[0-9]{1,19})(?P<separator>[=D])"
    r"(?P<expiry>[0-9]{4}|[=D])?(?P<service>[0-9]{3}|[=D])?(?P<rest>[0-9]*)"
)
_TRACK_1 = re.compile(r"(?P<code>[A-Z])(?P<pan>[0-9]{1,19})\^")


@dataclass(frozen=True, slots=True)
class Track2:
    """Track 2 taken apart; `expiry` YYMM and `service` may be empty. The repr shows nothing."""

    pan: str = field(repr=False)
    expiry: str = field(repr=False)
    service: str = field(repr=False)


def read_track_2(value: str) -> Track2 | None:
    """Take DE 35 apart; None when it is no track 2.

    >>> read_track_2("4111111111111111=29122010000012345678").service
    '201'
    """
    match = _TRACK_2.fullmatch(value)
    if match is None:
        return None
    expiry, service = match["expiry"] or "", match["service"] or ""
    return Track2(match["pan"], expiry.strip("=D"), service.strip("=D"))


def pan_of_track_1(value: str) -> str:
    """The account number in track 1 (DE 45); empty when there is none."""
    match = _TRACK_1.match(value)
    return match["pan"] if match else ""
