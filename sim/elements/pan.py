"""The primary account number: where it stands, its check digit, its network."""

from __future__ import annotations

from sim.codec import Message
from sim.elements.mti import is_network_management
from sim.elements.track import pan_of_track_1, read_track_2
from sim.spec.networks import Detection, detect

# What a digit counts for when it is doubled: 7 -> 14 -> 1 + 4.
_DOUBLED = {"0": 0, "1": 2, "2": 4, "3": 6, "4": 8, "5": 1, "6": 3, "7": 5, "8": 7, "9": 9}


def luhn_ok(pan: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B).

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    plain = sum(map(int, pan[-1::-2]))
    return (plain + sum(_DOUBLED[digit] for digit in pan[-2::-2])) % 10 == 0


def check_digit(payload: str) -> str:
    """The digit that makes *payload* a card number.

    >>> check_digit("411111111111111")
    '1'
    """
    total = sum(map(int, payload[-2::-2])) + sum(_DOUBLED[digit] for digit in payload[-1::-2])
    return str(-total % 10)


def account(message: Message) -> tuple[int, str]:
    """Which element gives the PAN, and the PAN: DE 2, else the tracks (35, 45), else (0, "").

    Network management has no card: what stands in its DE 2 is a group id in one dialect.
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
    """The network of the message's card, by the longest matching prefix; None without a card or
    for a prefix no network of ours has."""
    _, pan = account(message)
    return detect(pan) if pan else None
