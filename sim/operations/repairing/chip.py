"""Repair inside chip data: a tag or tag length that is wrong or lost. The tag dictionary gives the possible
lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from math import log2
from operator import ne
from typing import NamedTuple

from sim.codec.bitmap import HEX_DIGITS
from sim.operations.repairing.framing import common
from sim.operations.repairing.witnesses import fits
from sim.parts import chip_data
from sim.spec import emv
from sim.spec.emv import tag_of

_MORE_BYTES = 0x1F
_FURTHER = 2  # more tags than could fit by chance
_LONGEST, _HEAD = 127, 6
# Bits for a tag that occurs twice, is unknown or has the wrong form, is private, is rare.
_TWICE, _STRANGE, _OWN, _RARE, _FAR = 8.0, 8.0, 3.0, 3.0, 6.0
_PRINTED = frozenset(range(32, 127))
_PRIVATE, _APPLICATIONS = ("DF", "9F5", "9F6", "9F7"), ("4F", "84", "9F06")
OF_LENGTH = "with a length"


class Tag(NamedTuple):
    """The position of a tag: name, start, start of the value, end."""

    name: str
    start: int
    first: int
    end: int


def walk(value: str, at: int = 0) -> tuple[list[Tag], int]:
    """The known tags of *value* from *at*, each of a valid length, and where they end."""
    tags = list[Tag]()
    while at < len(value):
        byte = value[at : at + 2]
        is_long = HEX_DIGITS.issuperset(byte) and int(byte, 16) & _MORE_BYTES == _MORE_BYTES
        first = at + (6 if is_long else 4)
        head = value[at:first]
        if len(head) < first - at or not HEX_DIGITS.issuperset(head):
            break
        entry, size = tag_of(head[:-2].upper(), None), int(head[-2:], 16)
        end = first + 2 * size
        if entry is None or size not in _sizes(entry.tag) or end > len(value):
            break
        tags.append(Tag(head[:-2].upper(), at, first, end))
        at = end
    return tags, at


@cache
def _sizes(name: str) -> range:
    entry = emv.tags()[name]
    return range(entry.minimum, min(entry.maximum or _LONGEST, _LONGEST) + 1)


def is_sound(value: str, at: int = 0) -> bool:
    """Whether *value* consists of known tags with valid lengths."""
    return walk(value, at)[1] == len(value)


def odd(value: str) -> float:
    """How implausible these tags and lengths are, in bits."""
    places = chip_data.read(value).places
    names = [name for name, _, _ in places]
    bits = _TWICE * (len(names) - len(set(names)))
    for name, start, end in places:
        entry, digits = tag_of(name, None), value[start:end]
        if entry is None or (end - start) // 2 not in _sizes(name):
            bits += _OWN if name.startswith(_PRIVATE) else _STRANGE
            continue
        bits += log2(len(_sizes(name))) / 2 + _RARE * (not entry.usage) + (emv.role(name) != "cryptogram")
        printed = entry.content not in ("an", "ans") or _PRINTED.issuperset(bytes.fromhex(digits))
        known_owner = name not in _APPLICATIONS or emv.owner(digits) is not None
        bits += _STRANGE * (not printed or not known_owner or (entry.content == "n" and not digits.isdigit()))
    return bits


def goes_on(before: str, after: str) -> bool:
    """Whether several tags of *after* follow the first difference from *before*."""
    at = common(before, after)
    return sum(tag.start > at for tag in walk(after)[0]) >= _FURTHER


def is_begun(value: str) -> bool:
    """Whether *value* can be truncated chip data: more bytes would complete the last tag."""
    return walk(value + "00" * _LONGEST)[1] + _HEAD > len(value)


def restored(value: str, lost: int, given: Mapping[str, str]) -> Iterator[tuple[str, float, str]]:
    """*value* with *lost* hex digits restored in a tag, its length, or a value that other elements repeat
    (*given*, by tag); with 0, a wrong tag or length corrected. Each with its cost in bits and the reason."""
    tags, stop = walk(value)
    starts = [*(item.start for item in tags), stop]
    if stop == len(value):
        # A rare tag may really be another one.
        starts = [] if lost else [item.start for item in tags if not emv.tags()[item.name].usage]
    for start in starts:
        for head, rest, bits, why in _heads(value, start, lost):
            candidate = value[:start] + head + value[rest:]
            if candidate != value and is_sound(candidate, start):
                yield candidate, bits + lost, why
        for candidate, why in () if lost else _turned(value, start):
            if candidate != value and is_sound(candidate, start):
                yield candidate, 1.0, why
    for tag in tags if lost else ():
        for digits in fits(value[tag.first : tag.end - lost], given.get(tag.name, ""), lost):
            candidate = value[: tag.first] + digits + value[tag.end - lost :]
            if len(digits) == tag.end - tag.first and is_sound(candidate, tag.start):
                yield candidate, 0.0, f"tag {tag.name} can be taken from other elements"


@lru_cache(maxsize=512)
def _less(text: str, count: int) -> frozenset[str]:
    """*text* without *count* adjacent characters, for each position."""
    return frozenset(text[:at] + text[at + count :] for at in range(len(text) - count + 1))


def _heads(value: str, start: int, lost: int) -> Iterator[tuple[str, int, float, str]]:
    """The tags with lengths that may belong at *start*: each with the start of its value, cost and reason."""
    for name in emv.tags():
        width = len(name)
        stands, first = value[start : start + width].upper(), start + width + 2 - lost
        if stands == name and lost <= 2:
            stated = value[start + width : first].upper()
            now = int(stated, 16) if len(stated) == 2 and HEX_DIGITS.issuperset(stated) else -1
            for size in _sizes(name):
                if lost != 1 or stated in f"{size:02X}":
                    near = lost or abs(size - now) <= 2 or now in (2 * size, size // 2)
                    why = f"{OF_LENGTH} of {size} in tag {name}, all tags in DE 55 can be read"
                    yield f"{name}{size:02X}", first, 0.0 if near else _FAR, why
        if lost <= width and (stands[: width - lost] in _less(name, lost) if lost else _alike(stands, name)):
            why = f"with tag {name} all tags in DE 55 can be read"
            yield name + value[first - 2 : first], first, 0.0, why


def _turned(value: str, start: int) -> Iterator[tuple[str, str]]:
    """*value* with two adjacent bytes or digits swapped, in or next to the tag at *start* and its length."""
    for size, what in ((2, "bytes"), (1, "characters")):
        for at in range(max(start - size, 0), start + _HEAD, size):
            one, two = value[at : at + size], value[at + size : at + 2 * size]
            yield f"{value[:at]}{two}{one}{value[at + 2 * size :]}", f"two adjacent {what} were swapped"


def _alike(a: str, b: str) -> bool:
    """Whether one character differs."""
    return len(a) == len(b) and sum(map(ne, a, b)) == 1
