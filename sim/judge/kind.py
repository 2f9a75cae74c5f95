"""How a message is judged, and what is remembered of it.

Messages of one version, MTI and set of elements are a `Kind`. It is cheap to make, since rules and formats
are picked from tables by what they need, and it knows for each rule how it is asked:

* What looks at codes only (short elements, coded tags of chip data), at the card's prefix, length and check
  digit, at whether the amount is zero or at nothing but which elements there are, says the same wherever
  these are equal.
* What looks at one other element is asked only where the value is not surely fine (`sim.judge.fine`).
* What compares chip data with elements is asked only where they do not surely agree (`sim.judge.agreed`).
* All else is asked of every message.

So a kind *looks* at a message: it gives a key that holds the kind, those codes and facts, the lengths of
values, and all that the rules and formats asked said. Whatever else is said of the message follows from the
key, and a verdict can be kept by it and told again of other messages (`sim.operations.verdict`). It holds no
card number, track, PIN or chip data. For a kind that came often a function is generated that looks at the
text itself (`sim.judge.look`), as bitmaps get readers (`sim.codec.plan`); nothing is compiled for others.

All this rests on what a rule says it reads: a test asks each of them with elements that record it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from sim.codec import Message, bitmap
from sim.codec.walk import BITMAP_WIDTH, MTI_WIDTH, is_digits
from sim.elements import emv
from sim.elements.emv_shapes import Shape
from sim.elements.money import composite
from sim.elements.mti import is_network_management
from sim.elements.pan import account
from sim.judge import all_rules, chip_codes, networks
from sim.judge.agreed import Comparison
from sim.judge.engine import Located, Places, Rule, locate_all, mask_of
from sim.judge.finding import Finding
from sim.judge.fine import Fits, fine
from sim.judge.networks import Facts, network_hits
from sim.judge.questions import Answers, Inquiry, Question
from sim.judge.ways import BY_KEY, OF_CODES, Coded, Element, Known, Said, type_of
from sim.kept import Earned, Kept
from sim.spec import Spec, reshaped
from sim.spec.luhn import luhn_ok

_CARDS = mask_of((2, 35, 45))
_MTI, _BITMAP = 0, 1
PAN, AMOUNT, CHIP = 2, 4, 55
IIN_DIGITS = 6
KINDS_KEPT = 1024

Key = tuple[Any, ...]


class Kind:
    """Messages of one version, MTI and elements: what to ask of them. `numbers` are the elements in the
    order of the message; `secondary` an empty second bitmap. Verdicts may be kept by the keys of a `lasting`
    one. Those of a *dialect* may have any element otherwise: no value is surely fine, and rules that read an
    element of another shape are not asked."""

    def __init__(
        self, version: str, mti: str, numbers: tuple[int, ...], secondary: bool, dialect: Spec | None = None
    ) -> None:
        self.version, self.mti, self.numbers, self.secondary = version, mti, numbers, secondary
        self.mask = mask = mask_of(numbers) | secondary << _BITMAP
        self.has_chip, self.has_amount = CHIP in numbers, AMOUNT in numbers
        self.has_card = mask & _CARDS != 0 and not is_network_management(mti)
        self.lasting = False
        self._type = kept = type_of(version, mti)
        self._dialect = dialect
        self._constant: list[Said] | None = None
        self.fines: list[tuple[int, Fits]] = []
        self.coded: list[Coded] = []
        self.inquiries: list[Inquiry] = []
        # What networks ask of lengths, of codes beside others, and of the type.
        self.others: list[Question] = [*kept.asked.others.get(_MTI, ())]
        elements = [kept.elements.get(number) or kept.element(number) for number in numbers]
        by_way = self._sort([*elements, kept.element(_BITMAP)] if secondary else elements)
        if dialect is not None:
            self._disown(reshaped(dialect), by_way)
        self._by_key, self._by_chip_key, self._of_tags, *others = by_way
        self._where_doubtful, self.always, self._of_every = others
        if not self.has_chip:  # what else such a rule looks at is codes
            self._by_key += self._by_chip_key
        self.compared: list[Rule] = []
        if self.has_chip and dialect is None:
            self.compared = [item for item in self.always if item.agreement]
            self.always = [item for item in self.always if not item.agreement]
        self._comparing = version, *[item.place for item in self.compared]

    def _sort(self, elements: list[Element]) -> tuple[list[Rule], ...]:
        """Gather what is asked of *elements*. Gives the rules by the way they are asked."""
        mask, fines = self.mask, self.fines
        by_way: tuple[list[Rule], ...] = ([], [], [], [], [], [])
        for coded, _, fits, free, others, alone, together in elements:
            if coded is not None:
                self.coded.append(coded)
            elif fits is not None:
                fines.append(fits)
            if free is not None:
                self.inquiries.append(free)
            if others:
                self.others += others
            for way, item in alone:
                by_way[way].append(item)
            for here, needed, way, item in together:
                if mask & here == needed:
                    by_way[way].append(item)
        for read, missing, way, item in self._type.general:
            if not missing & mask:  # who reads elements none of which is there, reads nothing
                by_way[way if read & mask else BY_KEY].append(item)
        return by_way

    def _disown(self, otherwise: frozenset[int], by_way: Iterable[list[Rule]]) -> None:
        """Let no rule speak of the elements that a dialect has *otherwise*, and nothing be surely fine."""
        self.fines = [(number, _never) for number, _ in self.fines]
        self.coded = [one.otherwise(otherwise) for one in self.coded]
        for asked in by_way:
            asked[:] = [item for item in asked if otherwise.isdisjoint(item.reads)]

    @cached_property
    def codes(self) -> list[int]:
        """The elements that are codes, part of each key."""
        return [one.number for one in self.coded]

    @cached_property
    def sized(self) -> list[int]:
        """The others of varying width, whose lengths are."""
        known = self._type.elements
        return [number for number in self.numbers if known[number].sized and known[number].coded is None]

    @cached_property
    def head(self) -> str:
        """How texts of this kind begin: MTI and bitmap. Empty where no text gives these elements, so."""
        if len(self.mti) != MTI_WIDTH or not is_digits(self.mti) or min(self.numbers, default=2) < 2:
            return ""
        head = self.mti + bitmap.to_hex(self.numbers, secondary=self.secondary)
        return head if announced(head) == (self.numbers, self.secondary) else ""

    def look(self, message: Message) -> Key:
        """All that what is said of *message*, of this kind, depends on."""
        fields = message.fields
        seen: list[Any] = [self, *map(fields.__getitem__, self.codes)]
        seen += [len(fields[number]) for number in self.sized]
        if self.has_amount:
            seen.append(is_zero(fields[AMOUNT], self.version))
        if self.has_card:
            seen.append(card_facts(message))
        return (*seen, *self.ask(message))

    def ask(self, message: Message) -> Key:
        """The end of a key: what is seen of chip data, where there are any, what networks' formats find and
        what rules say. The verdict on one message needs no more; the rest of a key is to remember it by."""
        fields = message.fields
        doubtful = [number for number, fits in self.fines if not fits(fields[number])]
        asked, tags = self.always, None
        if self.has_chip and (tags := self.look_at_chip(fields[CHIP])) is None:
            asked = [*asked, *self._by_chip_key, *self._of_tags, *self.compared]
            if self._dialect is not None or not fine(self.version, CHIP)(fields[CHIP]):
                doubtful.append(CHIP)
        elif tags and self.compared:
            asked = [*asked, *self.disagreeing(tags, fields)]
        if doubtful:
            spared = [item for item in self._where_doubtful if item.elements[0] in doubtful]
            asked = [*asked, *self._of_every, *spared]
        answers = self.answers(message, plain=tags is not None)
        said = tuple([(item.place, hit) for item in asked for hit in item.check(message)])
        return (tags, answers, said) if self.has_chip else (answers, said)

    def look_at_chip(self, text: str) -> tuple[Shape, tuple[str, ...]] | None:
        """Shape and codes of chip data of a known shape whose other values have their form; else None."""
        shape = emv.read(text).shape
        return chip_codes.look(shape, text) if shape else None

    def disagreeing(self, tags: tuple[Shape, tuple[str, ...]], fields: Mapping[int, str]) -> list[Rule]:
        """The rules on chip data of these *tags* that compare them with *fields* and must be asked."""
        compared, shape = self.compared, tags[0]
        key = self._comparing, shape
        if (comparison := _COMPARISONS.get(key)) is None:
            agreements = [item.agreement(self.version) for item in compared if item.agreement]
            comparison = _COMPARISONS.keep(key, Comparison(shape, agreements))
        doubtful = comparison.doubtful(fields, fields[CHIP])
        return [compared[place] for place in dict.fromkeys(doubtful)] if doubtful else []

    def answers(self, message: Message, *, plain: bool = False) -> Answers:
        """What networks' formats find in elements that are no codes, by the question's place; *plain* chip
        data need not be asked for."""
        fields = message.fields
        found: Answers = ()
        for one in self.inquiries:
            value = fields[one.number]
            if (plain and one.of_tags and one.number == CHIP) or (one.usual and one.usual(value)):
                continue
            found += one.ask(message, value)
        return found

    def known(self, message: Message) -> list[Known]:
        """What is said of each code by itself."""
        if self._dialect is not None:
            return [one.ask(message) for one in self.coded]
        fields, kept = message.fields, OF_CODES.young
        return [kept.get((one, fields[one.number])) or one.told(message) for one in self.coded]

    def facts(
        self, message: Message, answers: Iterable[tuple[int, str]], codes: Iterable[Known] | None = None
    ) -> Facts:
        """What networks want to know of *message*, of which their formats found *answers*; *codes* are what
        is `known` of them."""
        found = dict(answers)
        for known in self.known(message) if codes is None else codes:
            found.update(known.answers)
        return Facts(message, self._type.asked, self.mask, found, self.others)

    def hits(self, message: Message, key: Key, codes: Iterable[Known]) -> list[Located]:
        """What the standard's own rules say of *message*, with that *key* or its end, in the order of the
        rules; *codes* are what is `known` of them."""
        if self._constant is None:
            blank = [item for item in self._by_key if not item.reads]
            self._constant = [*self._type.typed, *_ask(blank, message)]
            self._by_key = [item for item in self._by_key if item.reads]
        found = [*self._constant, *_ask(self._by_key, message), *key[-1]]
        if self.has_chip and (tags := key[-3]) is not None:
            found += self._of_chip(message, tags)
        fine = True
        for known in codes:
            found += known.said
            fine = fine and known.fine
        if not fine:
            said = {place for place, _ in key[-1]}
            if said.isdisjoint(item.place for item in self._of_every):  # else these were asked already
                found += _ask(self._of_every, message)
        if len(found) > 1:
            found.sort(key=_PLACE)
        return [(all_rules.RULES[place].text, hit) for place, hit in found]

    def _of_chip(self, message: Message, tags: tuple[Shape, tuple[str, ...]]) -> Sequence[Said]:
        """What rules say of chip data of these *tags*, beside codes, the card and the amount."""
        if self._dialect is not None:
            return _ask([*self._by_chip_key, *self._of_tags], message)
        hangs_on, numbers, card, zero = self._type.by_chip
        seen: list[Any] = [self._type, self.mask & hangs_on, tags, *map(message.fields.get, numbers)]
        if card:
            seen += card_facts(message)
        if zero and self.has_amount:
            seen.append(is_zero(message.fields[AMOUNT], self.version))
        key = tuple(seen)
        if (known := _CHIP_SAID.get(key)) is None:
            known = _CHIP_SAID.keep(key, tuple(_ask([*self._by_chip_key, *self._of_tags], message)))
        return known


_PLACE = itemgetter(0)
# What is compared, by version, the rules that compare and the shape of chip data.
_COMPARISONS: Kept[tuple[object, ...], Comparison] = Kept(256)
# What rules on chip data say, by shape and codes, other codes, the card's prefix and length: cards and
# terminals repeat them in all messages.
_CHIP_SAID: Kept[tuple[Any, ...], tuple[Said, ...]] = Kept(512)


def _never(_: str) -> None:
    """What no value fits."""


def _ask(rules: Iterable[Rule], message: Message) -> list[Said]:
    return [(item.place, hit) for item in rules for hit in item.check(message)]


def is_zero(amount: str, version: str) -> bool:
    """Whether an amount element has no digit but zeros."""
    inside = composite(version, AMOUNT)
    return not (amount[inside[1]] if inside else amount).strip("0")


def card_facts(message: Message) -> tuple[int, str, int, bool]:
    """Where the card number stands, its prefix and length, and whether its check digit is right."""
    number, pan = account(message)
    return number, pan[:IIN_DIGITS], len(pan), pan.isascii() and pan.isdigit() and luhn_ok(pan)


def announced(head: str) -> tuple[tuple[int, ...], bool]:
    """The elements of texts that begin with *head*, and whether their second bitmap is empty."""
    numbers = bitmap.numbers(head[MTI_WIDTH:])
    secondary = len(head) > MTI_WIDTH + BITMAP_WIDTH
    return numbers, secondary and max(numbers, default=0) <= bitmap.PRIMARY_BITS


def _lasting(key: _Layout) -> Kind:
    kind = Kind(*key)
    kind.lasting = True
    return kind


# Version, MTI, elements and empty second bitmap.
_Layout = tuple[str, str, tuple[int, ...], bool]
# What comes once leaves no more than its key.
KINDS: Earned[_Layout, Kind] = Earned(_lasting, KINDS_KEPT, 2)


def lasting(layout: _Layout) -> Kind:
    """The kind of *layout* (version, MTI, elements, empty second bitmap) that verdicts are kept by."""
    return KINDS.get(layout) or KINDS.keep(layout, _lasting(layout))


def kind_of(message: Message) -> Kind:
    """The kind of *message*: a `lasting` one from its second message on."""
    key = message.version, message.mti, tuple(message.fields), message.empty_secondary
    if message.dialect is not None:
        return Kind(*key, message.dialect)
    kind = KINDS.young.get(key)
    if kind is None:
        KINDS.came(key)
        kind = KINDS.young.get(key) or Kind(*key)
    return kind


def run(message: Message) -> list[Finding]:
    """The findings of the standard's own rules, in the order of the elements."""
    kind = kind_of(message)
    return locate_all(Places(message), kind.hits(message, kind.look(message), kind.known(message)))


def check_network(message: Message, name: str) -> tuple[Finding, ...]:
    """The findings of network *name*'s rules on *message*, in the order of the elements."""
    kind = kind_of(message)
    facts = kind.facts(message, kind.answers(message))
    (_, said), *_ = network_hits(facts, (name,))
    return tuple(locate_all(Places(message), networks.found(said), name))
