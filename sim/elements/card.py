"""The card of a message: its number, in whichever element, its network, and its magnetic stripe: tracks 1
and 2 (ISO/IEC 7813), track 3 (ISO/IEC 4909)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sim.codec import Message
from sim.elements.mti import is_network_management
from sim.spec.networks import NETWORKS, Detection, detect
from sim.spec.spellings import network_named


def account(message: Message) -> tuple[int, str]:
    """The element that has the PAN, and the PAN: DE 2, else the tracks (35, 45), else (0, "").

    Network management has no card: in one dialect its DE 2 is a group ID.
    """
    if is_network_management(message.mti):
        return 0, ""
    if pan := message.get(2):
        return 2, pan
    if (track := message.get(35)) and (read := read_track_2(track)):
        return 35, read.pan
    if (track := message.get(45)) and (pan := pan_of_track_1(track)):
        return 45, pan
    return 0, ""


def detect_network(message: Message) -> Detection | None:
    """The network of the message's card, by the longest matching prefix; None without a card or for an
    unknown prefix."""
    _, pan = account(message)
    return detect(pan[:6]) if pan else None


def chosen_network(message: Message, network: str | None) -> str | None:
    """The network that *network* names; if it is None, that of the message's card, if known. Raises
    ChoiceError."""
    if network is not None:
        return network if network in NETWORKS else network_named(network)
    detection = detect_network(message)
    return detection.network if detection else None


# PAN, separator, [country for PANs that start with 59], expiry or separator, service code or
# separator, discretionary data. ISO/IEC 7813; the country code as ISO/IEC 4909 describes it. Tables
# read their columns by these patterns, too.
TRACK_2 = r"^(?P<pan>[0-9]{1,19})[=D](?:(?P<expiry>[0-9]{4})|[=D])?(?:(?P<service>[0-9]{3})|[=D])?[0-9]*$"
TRACK_1 = r"^(?P<code>[A-Z])(?P<pan>[0-9]{1,19})\^"
_TRACK_2, _TRACK_1 = re.compile(TRACK_2), re.compile(TRACK_1)
# Format code B, PAN, name of 2 to 26 characters (a country code in front for PANs that start with 59),
# expiry or separator, service code or separator, rest.
_WHOLE_TRACK_1 = re.compile(
    r"B(?P<pan>[0-9]{1,19})\^(?P<name>[^^?%]{2,29})\^"
    r"(?P<expiry>[0-9]{4}|\^)(?P<service>[0-9]{3}|\^)(?P<rest>[^^?%]*)"
)
# Card numbers with this prefix have a country code before the expiry date.
_WITH_COUNTRY = "59"


@dataclass(slots=True)
class Track2:
    """The parts of track 2; `expiry` (YYMM) and `service` may be empty. The repr shows no card data."""

    pan: str = field(repr=False)
    expiry: str = field(repr=False)
    service: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Track1:
    """The parts of track 1; `expiry` (YYMM) and `service` may be empty, `at` is the offset of the expiry.
    The repr shows no card data."""

    pan: str = field(repr=False)
    name: str = field(repr=False)
    expiry: str = field(repr=False)
    service: str = field(repr=False)
    at: int


def read_track_2(value: str) -> Track2 | None:
    """The parts of DE 35; None if it is not track 2.

    >>> read_track_2("4111111111111111=29122010000012345678").service
    '201'
    """
    match = _TRACK_2.fullmatch(value)
    return Track2(*match.groups("")) if match else None


def read_track_1(value: str) -> Track1 | None:
    """The parts of DE 45; None if it is not track 1 of format B, without sentinels.

    >>> read_track_1("B4111111111111111^DOE/JANE^2912201000000").expiry
    '2912'
    """
    match = _WHOLE_TRACK_1.fullmatch(value)
    if match is None:
        return None
    expiry, service = match["expiry"].strip("^"), match["service"].strip("^")
    return Track1(match["pan"], match["name"], expiry, service, match.start("expiry"))


def expiry_place(pan: str) -> int | None:
    """The offset of the expiry in track 2 with card number *pan*; None if a country code precedes it.

    >>> expiry_place("4111111111111111")
    17
    """
    return None if pan.startswith(_WITH_COUNTRY) else len(pan) + 1


def pan_of_track_1(value: str) -> str:
    """The card number in track 1 (DE 45); empty if there is none."""
    match = _TRACK_1.match(value)
    return match["pan"] if match else ""
