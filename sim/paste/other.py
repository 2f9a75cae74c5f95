"""What a paste is that is no ISO 8583 message: what stands on the same desks, its kind and a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.elements.card import read_track_1, read_track_2
from sim.errors import IsoError
from sim.parts.chip_data import read_tags
from sim.paste.spellings import Sighting
from sim.spec.emv import tags

NO_MTI = "no MTI followed by a bitmap whose elements can be read"
_HTTP = re.compile(r"(?:HTTP/[0-9.]+ [0-9]{3}|(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH) \S+ HTTP/)")
_NDC = (b"\x1c", 3)
_BLANKS = re.compile(r"\s+")
# A clear PIN block of ISO 9564-1: format 0 or 3, whose PIN is covered by the card number, or format 2.
_PIN_BLOCK = re.compile(r"[03][4-9A-C][0-9]{2}[0-9A-F]{12}|2[4-9A-C](?=[0-9A-F]{14}$)[0-9]{4,12}F{2,10}")
_BITMAP = re.compile(r"[0-9A-F]{16}(?:[0-9A-F]{16})?")
_CHIP, _TRACK = "chip data in TLV: DE 55 without its message", "track {} of a card without its message"


def what_else(found: Sequence[Sighting], text: str, headers: str) -> tuple[str, tuple[str, ...]]:
    """The kind of a *text*, in which the bytes *found* were seen behind network *headers*, and why it is no
    ISO 8583 message; an empty kind for what is not known.

    >>> what_else((), "9F2701809C0100", "")
    ('emv-tlv', ('chip data in TLV: DE 55 without its message',))
    """
    if headers:
        return "network-headers", (f"{headers} in front, and no ISO 8583 message behind them",)
    if not text.strip() and not any(one.data.strip() for one in found):
        return "empty", ("there is nothing in it",)
    if _HTTP.search(text[:200]):
        return "http", ("this is HTTP; paste what its body holds",)
    mark, least = _NDC
    if any(one.data.count(mark) >= least for one in found[:3]):
        return "ndc", ("fields divided by 1C, as NDC and DDC messages of cash machines have them", NO_MTI)
    bare = _BLANKS.sub("", text).upper()
    track = text.strip().strip(";%?")
    for number, reader in ((1, read_track_1), (2, read_track_2)):
        if reader(track) is not None:
            return f"track-{number}", (_TRACK.format(number),)
    if _is_chip_data(bare):
        return "emv-tlv", (_CHIP,)
    if _PIN_BLOCK.fullmatch(bare):
        return "pin-block", ("8 bytes as a clear PIN block has them, without a message",)
    if _BITMAP.fullmatch(bare):
        return "bitmap", ("as many hex digits as a bitmap has, and no elements behind them",)
    return "", (NO_MTI,)


def _is_chip_data(digits: str) -> bool:
    """Whether hex *digits* are tags, most of which EMV knows."""
    try:
        found = read_tags(digits)
    except IsoError:
        return False
    return bool(found) and 2 * sum(one.tag in tags() for one in found) > len(found)
