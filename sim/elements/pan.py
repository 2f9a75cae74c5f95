"""The primary account number: where it stands, its check digit, its network."""

from __future__ import annotations

from sim.codec import Message
from sim.elements.mti import is_network_management
from sim.elements.track import pan_of_track_1, read_track_2
from sim.spec.networks import Detection, check_digit, detect, luhn_ok

__all__ = ["account", "check_digit", "detect_network", "luhn_ok"]


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
    return detect(pan[:6]) if pan else None
