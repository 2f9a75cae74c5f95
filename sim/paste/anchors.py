"""Anchors: the places where an MTI is followed by a plausible bitmap. What precedes an anchor is explained
later, so that framings never multiply with formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log2
from operator import getitem

from sim.codec import bitmap
from sim.codec.text import is_digits
from sim.codec.wire.decode import Views, read_bitmap
from sim.codec.wire.formats import BCD, HEX, RAW
from sim.elements.mti import split
from sim.errors import WireError
from sim.paste.ways import TriedFormat, kinds
from sim.paste.weights import WEIGHTS
from sim.spec.tables import read_csv

FARTHEST = 72
_MOST = 8
_SHORTEST = 10
# How MTI and bitmap are written: page, form, size in bytes if fixed, whether a third map may follow.
Head = tuple[str, str, int, bool]
# A bit is 0 or 1; further knowledge about it counts for this share only, since bits are correlated.
_SHARE = WEIGHTS["bit_share"]
_LEAST = WEIGHTS["bit_least"]
_RARE = WEIGHTS["bit_private"]
_NO_BITS = 40
# So many digits of which all are 0 or 1 are those of a bitmap that was written out in bits.
_BITS = 40
_WORST = WEIGHTS["bitmap_worst"]
_STRANGE = WEIGHTS["mti_strange"]
_PRIVATE = "89"  # the versions of MTIs for national and for private use
_NO_MTI = WEIGHTS["no_mti"]
_MTI = re.compile(r"(?=([0-9][1-9][0-9]{2}))")


@dataclass(frozen=True, slots=True)
class Anchor:
    """An MTI at byte *at* and its bitmap, up to byte *end*. `head` is how they are written, `numbers` the
    elements announced, `secondary` whether bit 1 announces a second map, `score` the bits saved, `rank` how
    likely a message starts here."""

    at: int
    head: Head
    mti: str
    numbers: tuple[int, ...]
    secondary: bool
    end: int
    score: float
    rank: float
    note: str


@lru_cache(maxsize=4)
def _heads(tried: tuple[TriedFormat, ...]) -> dict[str, dict[Head, TriedFormat]]:
    """One format for each way to write the MTI and the bitmap, keyed by how the MTI is written."""
    formats: dict[str, dict[Head, TriedFormat]] = {}
    for kind in reversed(tried):
        formats.setdefault(kind.head[0], {})[kind.head] = kind
    return formats


@cache
def _gains() -> tuple[tuple[float, float], ...]:
    """For each bit, the bits saved if it is clear and how many more if it is set, by how many kinds of
    messages have the element."""
    rows = read_csv("networks/presence")
    kinds_of = len({(row["network"], row["mti"]) for row in rows})
    count = Counter(int(row["field"]) for row in rows)
    gains = []
    for number in range(bitmap.ALL_BITS + bitmap.PRIMARY_BITS + 1):
        floor = _RARE if number in (15, 17, 44, 46, 47, 48, 54, 60, 61, 62, 63, 64, 128) else _LEAST
        share = min(0.95, max(floor, count[number] / kinds_of))
        gains.append((1 + log2(1 - share), log2(share) - log2(1 - share)))
    return tuple(gains)


@cache
def _of_bytes() -> tuple[tuple[float, ...], ...]:
    """For each byte of three bitmaps, the bits saved by each of its 256 values."""
    gains = ((0.0, 0.0), *_gains()[2:])
    return tuple(_of_byte(gains[8 * place : 8 * place + 8]) for place in range(24))


def _of_byte(gains: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """The bits saved by each value of a byte, built up one bit at a time."""
    savings = [sum(clear for clear, _ in gains)]
    for _, more in reversed(gains):
        savings += [saving + more for saving in savings]
    return tuple(savings)


def _saved(maps: bytes) -> float:
    """The bits saved by *maps*, the bytes of all bitmaps."""
    return _SHARE * sum(map(getitem, _of_bytes(), maps))


@lru_cache(maxsize=1024)
def usual(mti: str) -> bool:
    """Whether a network uses messages of this class and function, in any version."""
    return mti[1:3] in {row["mti"][1:3] for row in read_csv("networks/presence")}


def is_known_mti(mti: str) -> bool:
    """Whether every digit of *mti* has a meaning.

    >>> is_known_mti("0200"), is_known_mti("0999")
    (True, False)
    """
    return strangeness(mti) == 0.0


@lru_cache(maxsize=1024)
def strangeness(mti: str) -> float | None:
    """The penalty in bits for MTI digits without a meaning; None if the digits cannot be an MTI: an unknown
    version, or class 0. The versions for national and private use have no meaning."""
    meaning = split(mti)
    if mti[1] == "0" or (meaning.version is None and mti[0] not in _PRIVATE):
        return None
    parts = (meaning.version, meaning.message_class, meaning.function, meaning.origin)
    return sum(_STRANGE for part in parts if not part)


def anchors(
    views: Views,
    only: int | None = None,
    alike: Head | None = None,
    tried: tuple[TriedFormat, ...] | None = None,
) -> list[Anchor]:
    """Return the likeliest anchors in the first bytes, or at byte *only*, the best first; only those written
    *alike*, if that is given; as the formats *tried* write them, by default all."""
    candidates = []
    by_page = _heads(kinds() if tried is None else tried)
    last = min(len(views.data) - _SHORTEST, FARTHEST)
    for page, heads in by_page.items():
        wanted = heads if alike is None else {alike: heads[alike]} if alike in heads else {}
        if not wanted:
            continue
        for at, mti in _mtis(views, page, last) if only is None else _mtis(views, page, only, only):
            attempts = (_anchor(views, at, mti, head, kind) for head, kind in wanted.items())
            candidates += [anchor for anchor in attempts if anchor]
    candidates.sort(key=lambda anchor: (-anchor.rank, anchor.at))
    # EBCDIC digits look like heads at every byte, so the best of each way to write one is kept, too.
    best = {anchor.head: anchor for anchor in reversed(candidates)}
    return [anchor for place, anchor in enumerate(candidates) if place < _MOST or best[anchor.head] is anchor]


def _mtis(views: Views, page: str, last: int, first: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the place and the digits of each possible MTI from byte *first* to byte *last*."""
    step = 2 if page == BCD else 1
    digits = views.hex if page == BCD else views.text("cp037" if page == "ebcdic" else page)
    if first == 0 and page == "ascii" and digits[1:2] == "0" and is_digits(digits[:4]) and len(digits) > 3:
        yield 0, digits[:4]  # a text form always starts with its MTI
    for match in _MTI.finditer(digits, step * first, max(0, step * last + 4)):
        at, odd = divmod(match.start(), step)
        bits = digits[match.start() : match.start() + _BITS]
        if not odd and strangeness(match[1]) is not None and (len(bits) < _BITS or bits.strip("01")):
            yield at, match[1]


def _anchor(views: Views, at: int, mti: str, head: Head, kind: TriedFormat) -> Anchor | None:
    page, form, size, _ = head
    start = at + (2 if page == BCD else 4)
    if form == RAW:
        first = views.data[start : start + 1]
        if _saved(views.data[start : start + (size or (16 if first >= b"\x80" else 8))]) < _WORST:
            return None
    try:
        numbers, secondary, end = read_bitmap(views, start, kind.format)
    except WireError:
        return None
    fixed = bool(size) and not kind.format.bit_1
    digits = views.text("cp037" if page == "ebcdic" else "ascii")[start:end]
    if fixed and bitmap.has_secondary(digits[:1] if form == HEX else views.hex[2 * start : 2 * start + 1]):
        return None  # bit 1 announces the second map anyway
    if not numbers and len(views.data) - at > _NO_BITS:
        return None
    more = 4.0 * len(digits) if form == HEX else 0.0
    gain = more + _saved(bytes.fromhex(digits) if form == HEX else views.data[start:end])
    if gain < _WORST:
        return None
    strange = strangeness(mti)
    against = _NO_MTI if strange is None else strange
    width = 16.0 if page == BCD else 32.0
    base = width - 7.0 - against - 0.15 * at
    rank = gain - more + (8.0 if usual(mti) else -6.0) - 0.3 * at
    note = "the bitmap has 16 bytes though bit 1 is clear" if fixed else ""
    return Anchor(at, head, mti, numbers, secondary, end, base + gain, rank - against, note)
