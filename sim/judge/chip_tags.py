"""Rules about the tags of chip data by the dictionary: known ones, as long as they may be, their digits and
reserved bits, each once.

As in `chip`, only where the tags can be read; findings point at the tag.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache

from sim.codec import Message
from sim.elements import emv
from sim.elements.emv_values import count, set_bits
from sim.elements.pan import detect_network
from sim.elements.tlv import Tag
from sim.judge.chip import chip_of, tag_hit
from sim.judge.engine import CARD, rule
from sim.judge.finding import Hit, Severity
from sim.spec import emv as tables

_NOT_DIGITS = {"n": re.compile(r"[^0-9]"), "cn": re.compile(r"[^0-9F]|F(?=[^F])")}
# Each payment system gives these tags a meaning of its own (EMV book 3, annex A).
_SYSTEMS_OWN = re.compile(r"9F[5-7]")
_REPEATING = ("script",)


@rule("chip-tag-unknown", 55, tags=())
def tag_unknown(message: Message) -> Iterator[Hit]:
    """Tags are in the dictionary."""
    chip = chip_of(message)
    if chip.firsts.keys() <= tables.tags().keys():
        return
    for tag in chip.tags:
        if tag.tag not in tables.tags():
            yield tag_hit(tag, "a tag of the dictionary", f"tag {tag.tag}")


_ANY_SIZE = range(sys.maxsize)


@cache
def _sizes() -> dict[str, range]:
    """How many hex digits each tag may have that is the same everywhere."""
    return {tag: _size(known) for tag, known in tables.tags().items() if tag not in tables.own_tags()}


def _size(known: tables.TagSpec) -> range:
    return range(2 * known.minimum, sys.maxsize if known.maximum is None else 2 * known.maximum + 1)


@rule("chip-tag-length", 55, tags=())
def tag_length(message: Message) -> Iterator[Hit]:
    """Values are as long as the dictionary says; a length that rests on no source, or on one payment
    system, only informs."""
    sizes = _sizes()
    for tag in chip_of(message).tags:
        if len(tag.value) in sizes.get(tag.tag, _ANY_SIZE):
            continue
        known = tables.tags()[tag.tag]
        unsure = "unsourced" in known.source or _SYSTEMS_OWN.match(tag.tag)
        yield _size_hit(tag, known, Severity.INFO if unsure else None)


def _size_hit(tag: Tag, known: tables.TagSpec, severity: Severity | None) -> Hit:
    if known.maximum is None:
        expected = f"at least {count(known.minimum, 'byte')}"
    elif known.minimum == known.maximum:
        expected = count(known.minimum, "byte")
    else:
        expected = f"{known.minimum} to {known.maximum} bytes"
    return tag_hit(tag, expected, count(len(tag.value) // 2, "byte"), severity=severity)


@rule("chip-tag-length", 55, reads=(CARD, 55), tags=("84", "4F", "9F06"))
def own_tag_length(message: Message) -> Iterator[Hit]:
    """Tags of networks' own are as long as the network has them: that of the application, else the card's."""
    chip = chip_of(message)
    if tables.own_tags().keys().isdisjoint(chip.firsts):
        return
    card = detect_network(message)
    owner = emv.owner_of(chip) or (card.network if card else None)
    for tag in chip.tags:
        if tag.tag in tables.own_tags():
            known = tables.tag_of(tag.tag, owner)
            if known and len(tag.value) not in _size(known):
                yield _size_hit(tag, known, Severity.INFO)


@cache
def _numbers() -> dict[str, tables.TagSpec]:
    """The tags that hold digits."""
    return {tag: known for tag, known in tables.tags().items() if known.content in _NOT_DIGITS}


@rule("chip-tag-digits", 55)
def tag_digits(message: Message) -> Iterator[Hit]:
    """Values of format n and cn are digits, no more of them than the format has."""
    numbers = _numbers()
    for tag in chip_of(message).tags:
        known = numbers.get(tag.tag)
        if known is None or (known.digits is None and tag.value.isdecimal()):
            continue
        if wrong := _NOT_DIGITS[known.content].search(tag.value):
            yield tag_hit(tag, f"{known.format}, packed digits", repr(wrong[0]), wrong.start(), 1)
        elif known.content == "n" and known.digits and tag.value[: -known.digits].strip("0"):
            more = f"{len(tag.value.lstrip('0'))} digits"
            yield tag_hit(tag, f"{known.format}, zeros in front", more)


@rule("chip-tag-repeated", 55, tags=())
def tag_repeated(message: Message) -> Iterator[Hit]:
    """A tag stands once in its template; scripts and their commands may repeat."""
    chip = chip_of(message)
    tags = chip.tags
    if len(chip.firsts) == len(tags):
        return
    levels = [[tag for tag in tags if tag.depth == 0], *(tag.children for tag in tags if tag.children)]
    for level in levels:
        counts = Counter(tag.tag for tag in level)
        last = {tag.tag: tag for tag in level}
        for name, number in counts.items():
            if number > 1 and not last[name].constructed and tables.role(name) not in _REPEATING:
                yield tag_hit(last[name], f"one tag {name}", f"{number}")


@cache
def _reserved() -> dict[str, int]:
    """The reserved bits of each tag that is nothing but bits, as a number."""
    masks = {}
    for tag, known in tables.tags().items():
        if tables.only_bits(tag):
            size = 8 * known.minimum
            used = sum(1 << size - 8 * byte + bit - 1 for byte, bit in tables.bits(tag))
            masks[tag] = (1 << size) - 1 & ~used
    return masks


@rule("chip-reserved-bits", 55)
def reserved_bits(message: Message) -> Iterator[Hit]:
    """Reserved bits are zero."""
    reserved = _reserved()
    for tag in chip_of(message).tags:
        if tag.tag not in reserved:
            continue
        known = tables.tags()[tag.tag]
        if len(tag.value) == 2 * known.minimum and int(tag.value, 16) & reserved[tag.tag]:
            set_ones = [place for place in set_bits(tag.value) if place not in tables.bits(tag.tag)]
            found = ", ".join(f"byte {byte} bit {bit}" for byte, bit in set_ones) + " set"
            yield tag_hit(tag, f"reserved bits of the {known.name} at 0", found)
