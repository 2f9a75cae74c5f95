"""How each rule is asked, and what there is to know of messages of a version and type, element by element,
so that a kind of messages is made by picking (`sim.judge.kind`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sim.codec import Message
from sim.judge import all_rules, chip_codes
from sim.judge.engine import ANY, CARD, EVERY, ZERO, Rule, codes_of, mask_of
from sim.judge.finding import Hit
from sim.judge.fine import Fits, fine, finer
from sim.judge.networks import Tables, tables
from sim.judge.questions import Answers, Inquiry, Question
from sim.kept import Kept
from sim.spec import VERSIONS, spec

_MTI, _BITMAP, _CHIP = 0, 1, 55

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


# Twice elements as bits, by which a rule is asked or not; how it is asked; the rule.
Entry = tuple[int, int, int, Rule]


class Known(NamedTuple):
    """What is said of a code by itself: whether it is surely `fine`, what rules say that read nothing else,
    and what networks' formats find."""

    fine: bool
    said: Sequence[Said]
    answers: Answers


@dataclass(slots=True, eq=False, repr=False)
class Coded:
    """A code in messages of a version and type. What is said of it by itself is the same wherever it comes,
    and remembered by its value."""

    number: int
    _fits: Fits
    _rules: Sequence[Rule]
    _questions: Sequence[Question]

    def told(self, message: Message) -> Known:
        """What is said of the code in *message*."""
        key = self, message.fields[self.number]
        return OF_CODES.get(key) or OF_CODES.keep(key, self.ask(message))

    def ask(self, message: Message) -> Known:
        """The same, asked."""
        value = message.fields[self.number]
        said = [(item.place, hit) for item in self._rules for hit in item.check(message)]
        asked = [(one.place, one.ask(message, value)) for one in self._questions]
        answers = tuple([(place, wrong) for place, wrong in asked if wrong is not None])
        return Known(bool(self._fits(value)), said, answers)

    def otherwise(self, reshaped: Collection[int]) -> Coded:
        """The same in a dialect, where no value is surely fine; its rules do not speak of an element that is
        *reshaped*."""
        rules = () if self.number in reshaped else self._rules
        return Coded(self.number, lambda _: None, rules, self._questions)


# By code of a type, and value.
OF_CODES: Kept[tuple[Coded, str], Known] = Kept(2048)


class Element(NamedTuple):
    """What there is to know of an element in messages of a version and type: what is said of it where it is
    a code, whether its width varies, what is surely fine of others but chip data, what networks' formats ask
    of it (`free`: where that is no code), and the rules: by way those that need nothing else, and those that
    need it first, but not alone, with the elements that matter to that, and which of these shall be there."""

    coded: Coded | None
    sized: bool
    fine: tuple[int, Fits] | None
    free: Inquiry | None
    others: Sequence[Question]
    alone: Sequence[tuple[int, Rule]]
    rules: list[Entry]


class Type:
    """Messages of a version and type: the rules of the type itself, which are asked here, once; the `general`
    ones, which need no element, with those they read and those that shall not be there; and by element what
    there is to know of it. `by_chip` are the bits and the readings on which hangs what rules say of known
    chip data."""

    def __init__(self, version: str, mti: str) -> None:
        self.version = version
        self.typed: list[Said] = []
        self.general: list[Entry] = []
        self.asked: Tables = tables(version, mti)
        self.elements: dict[int, Element] = {}
        self._of: dict[int, list[Entry]] = {}
        hangs_on, read = 0, set[int | str]()
        for item in all_rules.RULES:
            if not item.applies(version, mti):
                continue
            way = _way(item, version)
            entry = mask_of(item.elements), item.missing, way, item
            if way in (BY_CHIP_KEY, OF_TAGS):
                hangs_on |= entry[0] | item.missing | item.there
                read |= item.reads
            if item.elements == (_MTI,):
                self.typed += [(item.place, hit) for hit in item.check(Message(mti, {}, version))]
            elif item.elements:
                self._of.setdefault(item.elements[0], []).append(entry)
            else:
                numbers = [number for number in item.reads if isinstance(number, int)]
                known = len(numbers) == len(item.reads)
                self.general.append((mask_of(numbers) if known else -1, item.missing, way, item))
        numbers = sorted(number for number in read if isinstance(number, int) and number != _CHIP)
        self.by_chip = hangs_on, numbers, CARD in read, ZERO in read

    def element(self, number: int) -> Element:
        """What there is to know of element *number*."""
        if (known := self.elements.get(number)) is None:
            version, asked, bit = self.version, self.asked, 1 << number
            rules, fits = self._of.get(number, []), fine(version, number)
            alone = [(way, item) for needed, missing, way, item in rules if needed == bit and not missing]
            others, coded = asked.others.get(number, ()), None
            if number in codes_of(version):
                own = [item for _, item in alone if item.reads == {number} and not item.there]
                coded = Coded(number, fits, own, [one for one in others if not one.beside])
                alone = [(way, item) for way, item in alone if item not in own]
                others = [one for one in others if one.beside]
            self.elements[number] = known = Element(
                coded,
                not spec(version)[number].fixed,
                None if number in (_BITMAP, _CHIP) else (number, fits),
                asked.free.get(number),
                others,
                alone,
                [
                    (needed | missing, needed, way, item)
                    for needed, missing, way, item in rules
                    if needed != bit or missing
                ],
            )
        return known


type_of = lru_cache(maxsize=512)(Type)
