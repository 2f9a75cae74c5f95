"""What chip data were before a fault inside them: the dictionary of tags says how long each may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sim.codec.bitmap import HEX_DIGITS
from sim.spec.emv import tag_of

_MORE_BYTES = 0x1F
_FURTHER = 2  # tags that do not end where the value ends by chance
_AROUND = 6  # hex digits of a tag and its length
OF_LENGTH = "with a length"
_DIGITS = "0123456789ABCDEF"


class Tag(NamedTuple):
    """Where a tag stands: its name, its start, its value's start and the end."""

    name: str
    start: int
    first: int
    end: int


def walk(value: str) -> tuple[list[Tag], int]:
    """The tags of *value* that the dictionary has, as long as it says, and where the next is none."""
    at, found = 0, list[Tag]()
    while at < len(value):
        first = at + (6 if _two_bytes(value[at : at + 2]) else 4)
        head = value[at:first]
        if len(head) < first - at or not HEX_DIGITS.issuperset(head):
            break
        known, size = tag_of(head[:-2].upper(), None), int(head[-2:], 16)
        end = first + 2 * size
        if known is None or size < known.minimum or size > (known.maximum or 127) or end > len(value):
            break
        found.append(Tag(head[:-2].upper(), at, first, end))
        at = end
    return found, at


def _two_bytes(byte: str) -> bool:
    return len(byte) == 2 and HEX_DIGITS.issuperset(byte) and int(byte, 16) & _MORE_BYTES == _MORE_BYTES


def is_sound(value: str) -> bool:
    """Whether *value* is tags of the dictionary to its end, each as long as it says."""
    return walk(value)[1] == len(value)


def goes_on(before: str, after: str) -> bool:
    """Whether further tags of *after* stand after the one in which it is not *before*."""
    at = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(after))
    return sum(tag.start > at for tag in walk(after)[0]) >= _FURTHER


def is_begun(value: str) -> bool:
    """Whether *value* may be chip data that are cut: its last tag goes on after its end."""
    at = walk(value)[1]
    first = at + (6 if _two_bytes(value[at : at + 2]) else 4)
    if first >= len(value):
        return True
    known, size = tag_of(value[at : first - 2].upper(), None), value[first - 2 : first]
    if known is None or not HEX_DIGITS.issuperset(size):
        return False
    return known.minimum <= int(size, 16) <= (known.maximum or 127) and first + 2 * int(size, 16) > len(value)


def rewritten(value: str) -> Iterator[tuple[str, str]]:
    """*value* with the length of one tag, or one digit of one tag, as the dictionary has it; and why."""
    found, stop = walk(value)
    if stop == len(value) or len(value) % 2:
        return
    for start in {stop, *(tag.start for tag in found[-1:])}:
        first = start + (6 if _two_bytes(value[start : start + 2]) else 4)
        name = value[start : first - 2].upper()
        if (known := tag_of(name, None)) is not None and HEX_DIGITS.issuperset(value[first - 2 : first]):
            for size in range(known.minimum, min(known.maximum or 32, 127) + 1):
                whole = f"{value[: first - 2]}{size:02X}{value[first:]}"
                if whole != value and is_sound(whole):
                    yield whole, f"{OF_LENGTH} of {size} in tag {name} all tags of DE 55 can be read"
        for at in range(start, min(start + 4, len(value))):
            for digit in _DIGITS:
                whole = value[:at] + digit + value[at + 1 :]
                if whole != value and is_sound(whole):
                    yield whole, "with this digit all tags of DE 55 can be read"


def restored(short: str, given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """*short*, which lacks one hex digit, with it in a tag or a length, or in a value that others (*given*,
    by tag) have; and why. Where the digit is in another value nothing tells it, and nothing comes."""
    found, stop = walk(short)
    seen = set()
    for at in range(stop, min(stop + _AROUND, len(short)) + 1):
        for digit in _DIGITS:
            whole = short[:at] + digit + short[at:]
            tags, end = walk(whole)
            inside = any(tag.first <= at < tag.end for tag in tags)
            if end == len(whole) and not inside and whole not in seen:
                seen.add(whole)
                yield whole, "with this digit all tags of DE 55 can be read"
    for tag in found[-1:]:
        want = given.get(tag.name, "")
        whole = short[: tag.first] + want + short[tag.end - 1 :]
        if (
            len(want) == tag.end - tag.first
            and whole not in seen
            and is_sound(whole)
            and _is_less(short, whole)
        ):
            yield whole, f"other elements give tag {tag.name} again"


def _is_less(short: str, whole: str) -> bool:
    """Whether *short* is *whole* less one character."""
    at = next((at for at, (a, b) in enumerate(zip(short, whole, strict=False)) if a != b), len(short))
    return short == whole[:at] + whole[at + 1 :]
