"""How each rule is asked, and what there is to know of messages of a version and type, element by element,
so that a kind of messages is made by picking (`sim.judge.kind`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sim.codec import Message
from sim.judge import all_rules, chip_codes
from sim.judge.engine import ANY, CARD, EVERY, ZERO, Rule, codes_of, mask_of
from sim.judge.finding import Hit
from sim.judge.fine import Fits, fine, finer
from sim.judge.networks import Tables, tables
from sim.judge.questions import Inquiry, Question
from sim.spec import VERSIONS, spec

_MTI, _CHIP = 0, 55

# What a rule said, by its place among the rules.
Said = tuple[int, Hit]
# How a rule is asked. The chip's rules are told by codes where the data have a known shape.
BY_KEY, BY_CHIP_KEY, OF_TAGS, WHERE_DOUBTFUL, ALWAYS, OF_EVERY = range(6)


def _way(item: Rule, version: str) -> int:
    """How *item* is asked of messages of *version*."""
    told = codes_of(version) | {CARD, ZERO}
    if item.reads <= told:
        return BY_KEY
    if EVERY in item.reads:
        return OF_EVERY
    if _CHIP in item.reads:
        alone = item.reads == {_CHIP}
        if alone and item.versions == VERSIONS and item.any_mti and item.classes == item.functions == ANY:
            return OF_TAGS
        coded = item.tags is not None and chip_codes.are_coded(item.tags)
        return BY_CHIP_KEY if alone or (coded and item.reads - {_CHIP} <= told) else ALWAYS
    alone = len(item.reads) == 1 and item.reads == set(item.elements)
    return WHERE_DOUBTFUL if alone and (version, item.elements[0]) in finer() else ALWAYS


# A rule with the elements it needs and those none of which is there, as bits, and how it is asked.
Entry = tuple[int, int, int, Rule]


class Element(NamedTuple):
    """What there is to know of an element in messages of a version and type: whether it is a code, whether
    its width varies, what is surely fine, what networks' formats ask of it (`free`: where that is no code),
    and the rules: by way those that need nothing else, and those that need it first, but not alone."""

    coded: bool
    sized: bool
    fine: tuple[int, Fits]
    free: Inquiry | None
    others: Sequence[Question]
    alone: Sequence[tuple[int, Rule]]
    rules: list[Entry]


class Type:
    """Messages of a version and type: the rules of the type itself, which are asked here, once; those of no
    element; and by element what there is to know of it. Each rule has the mask of what it needs and the way
    it is asked."""

    def __init__(self, version: str, mti: str) -> None:
        self.version = version
        self.typed: list[Said] = []
        self.general: list[Entry] = []
        self.asked: Tables = tables(version, mti)
        self.elements: dict[int, Element] = {}
        self._of: dict[int, list[Entry]] = {}
        for item in all_rules.RULES:
            if not item.applies(version, mti):
                continue
            entry = mask_of(item.elements), item.missing, _way(item, version), item
            if item.elements == (_MTI,):
                self.typed += [(item.place, hit) for hit in item.check(Message(mti, {}, version))]
            elif item.elements:
                self._of.setdefault(item.elements[0], []).append(entry)
            else:
                self.general.append(entry)

    def element(self, number: int) -> Element:
        """What there is to know of element *number*."""
        if (known := self.elements.get(number)) is None:
            version, asked, bit = self.version, self.asked, 1 << number
            rules = self._of.get(number, [])
            self.elements[number] = known = Element(
                number in codes_of(version),
                not spec(version)[number].fixed,
                (number, fine(version, number)),
                asked.free.get(number),
                asked.others.get(number, ()),
                [(way, item) for needed, missing, way, item in rules if needed == bit and not missing],
                [entry for entry in rules if entry[0] != bit or entry[1]],
            )
        return known


type_of = lru_cache(maxsize=512)(Type)
