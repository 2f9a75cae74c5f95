"""The rule engine: runs all rules on a message, each on its parts.

Rules whose results are cached by the same values, or by some of them, form a `Group` and run together, once
per distinct values. Rules on a part that differs in nearly every message run every time. Rules without parts
depend only on which elements are present: like the networks' presence rows, they are rows of bits.

A `Type` contains all this for messages of one version and MTI; a `Kind` selects from it what applies to
messages with the same elements and tags. Kinds, shapes of chip data and results share one cache, which is
cleared when full. It affects only speed: the findings on a message never depend on earlier messages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, repeat
from operator import attrgetter, itemgetter
from threading import RLock
from typing import Any, NamedTuple, TypeVar

# Importing these modules registers their rules.
import sim.judge.agreements
import sim.judge.between
import sim.judge.chip
import sim.judge.message  # noqa: F401
from sim.codec import Message
from sim.judge import dialect, networks
from sim.judge.elements import of_element
from sim.judge.finding import Answer, Finding, Hit, Places, Said, hit_of_rule, locate_all
from sim.judge.parts import (
    ANY,
    APPLICATION,
    CARD,
    CARDS,
    CURRENCY,
    EMPTY_SECONDARY,
    SECONDARY,
    SHAPE,
    Part,
    Shape,
    Values,
    mask_of,
    presence,
    readable,
)
from sim.judge.rules import RULES, Bound, Check, Row, Rule, standard
from sim.spec import Spec, reshaped, spec

_CHIP = 55

# Cached results, their keys, kinds, shapes and selections of groups, counted together; types are few.
MOST = 100_000
_MOST_TYPES = 256
# Parts with few values, which hardly vary independently: rules that differ only in these are one group.
_OF_CHIP = ("82", "84", "95", "9C", "9F1A", "9F33", "9F34", "9F35", "5F2A")
_FEW = frozenset((3, 19, 22, 25, 49, *_OF_CHIP, CURRENCY, APPLICATION))
_WHEN: Callable[[Any], int] = itemgetter(0)  # the condition of a row
_NETWORK: Callable[[Any], str] = attrgetter("network")
# The most shapes that are kept for chip data of one size.
_MOST_SHAPES = 16


class Asked:
    """The rules of a group that apply to certain messages, and their results: `memory`, by the messages'
    values for `names`."""

    __slots__ = ("entry", "key_of", "memory", "names", "rules")

    def __init__(self, rules: Sequence[Bound], names: Sequence[Any]) -> None:
        self.rules, self.names = rules, names
        self.key_of: Callable[[Any], Any] = itemgetter(*names) if names else lambda values: ()
        self.memory: dict[Any, Answer] = {}
        self.entry = self.key_of, self.memory, self

    def ask(self, values: Values, key: Any) -> Answer:
        """Run the rules on *values* and cache the result under *key*."""
        answer = self.memory[key] = tuple([verdict for bound in self.rules for verdict in bound.ask(values)])
        MEMORY.grow(len(answer) + len(self.names))
        return answer


class Group(dict[Any, Asked | None]):
    """Rules whose results are cached by the same names, or by some of them; and those of them that apply to
    messages with the same of the bits `looks` and, if `shaped`, chip data of the same shape: None if there
    are none."""

    __slots__ = ("looks", "needs", "rules", "shaped")

    def __init__(self, rules: Sequence[Bound]) -> None:
        self.rules = rules
        self.shaped = any(SHAPE in (bound.key or ()) for bound in rules)
        self.looks, self.needs = 0, -1
        for bound in rules:
            self.looks |= bound.looks
            self.needs &= bound.needs

    def pick(self, mask: int, shape: Shape | None) -> Asked | None:
        """The rules that apply to messages with presence bits *mask* and chip data of that *shape*."""
        return self[mask & self.looks, self.shaped and shape]

    def __missing__(self, looked: tuple[int, object]) -> Asked | None:
        MEMORY.grow(1)
        mask, _ = looked
        rules = [bound for bound in self.rules if bound.applies(mask)]
        names = {name for bound in rules for name in bound.key or () if _is_there(name, mask)}
        asked = self[looked] = Asked(rules, sorted(names, key=str)) if rules else None
        return asked


def _is_there(name: Any, mask: int) -> bool:
    """Whether the part called *name* can differ between messages with presence bits *mask*."""
    if isinstance(name, Part):
        return name is not SHAPE and bool(name.looks & mask)
    return bool((1 << name if isinstance(name, int) else presence((), (name,))) & mask)


def _grouped(bounds: Iterable[Bound]) -> Iterator[Group]:
    """*bounds* in groups: rules cached by fewer names join rules cached by those and more, unless these may
    differ in every message."""
    by_key: dict[frozenset[Any], list[Bound]] = {}
    for bound in bounds:
        key = bound.key or frozenset()
        by_key.setdefault((key - _FEW) or (_FEW if key else key), []).append(bound)
    for key in sorted(by_key, key=len):
        wider = [other for other in by_key if key < other and not any(map(_is_new, other - key))]
        if key and wider:
            by_key[max(wider, key=lambda other: len(by_key[other]))] += by_key.pop(key)
    return map(Group, by_key.values())


def _is_new(name: Any) -> bool:
    """Whether the part called *name* hardly ever recurs."""
    return isinstance(name, Part) and (name is SHAPE or name.hashed)


# The getter of a rule's parts, its check, and the conversion of the result.
Entry = tuple[Any, Check, Callable[[Any], Iterable[Said]]]


# The condition of a row, and the hits on messages that meet it.
OfRow = tuple[int, list[Said]]
T = TypeVar("T")
ByBit = dict[int, list[T]]


def _highest(bits: int) -> int:
    """The highest of *bits*, which few messages have; 0 if there is none."""
    return bits.bit_length() - 1 if bits > 0 else 0


class Type:
    """All rules for messages of one version or dialect and MTI, by a bit that they need (0 if none): groups,
    uncached rules, and rows. With each of the latter are the bits to test and those that must be set, with a
    rule also whether it has a single part."""

    def __init__(self, table: Spec, mti: str) -> None:
        version = table.version
        self.table, self.mti = table, mti
        self.every_tag: dict[str, list[Bound]] = {}
        self.kinds: dict[Any, Kind] = {}
        rows: list[Row] = [*networks.rows(table, mti)]
        formats = networks.formats_of(table, mti)
        if (of_type := formats.pop(0, None)) and (result := of_type.check(mti)):
            rows.append(Row(0, 0, 0, tuple(of_type.say(result))))
        of_elements = (bound for element in table.elements[1:] for bound in of_element(element, table))
        bounds = [*networks.cards(table, mti), *formats.values(), *of_elements]
        otherwise = reshaped(table) if table.dialect else frozenset()
        for item in RULES:
            own = bool(item.interfaces) or otherwise.isdisjoint(item.sources)
            if own and item.applies(version, mti, table.interface):
                if item.parts:
                    bounds.append(self._bound(item))
                elif result := item.bound(mti, table)():
                    rows.append(
                        Row(item.needs, item.lacks, 0, tuple(standard(item.text, item.place)(result)))
                    )
        self.groups: ByBit[Group] = defaultdict(list)
        self.rules: ByBit[tuple[int, int, bool, Entry]] = defaultdict(list)
        self.rows: ByBit[tuple[int, int, OfRow]] = defaultdict(list)
        for group in _grouped(bound for bound in bounds if bound.key is not None):
            self.groups[_highest(group.needs)].append(group)
        for bound in bounds:
            if bound.key is None:
                alone = len(bound.parts) == 1
                self.rules[_highest(bound.needs)].append((bound.bits, bound.needs, alone, bound.entry))
        alike: dict[tuple[int, int, int], list[Said]] = {}
        for row in rows:
            alike.setdefault((row.needs | row.lacks, row.needs, row.when), []).extend(row.said)
        for (bits, needs, when_it), said in alike.items():
            self.rows[_highest(needs)].append((bits, needs, (when_it, said)))
        self._holds, self._conditions = networks.conditions(table), dict[int, Group]()
        # The rules that can report an error, and the conditions that an error depends on.
        when = {row.when for row in rows if any(verdict.error for verdict in row.said)}
        self.of_errors = [bound for bit, bound in self._holds.items() if bit in when]
        self.of_errors += [bound for bound in bounds if bound.error]

    def _bound(self, item: Rule) -> Bound:
        check, say = item.bound(self.mti, self.table), standard(item.text, item.place)
        bound = Bound(check, say, item.parts, self.table, item.needs, item.lacks, item.error)
        if item.tag:
            self.every_tag.setdefault(item.tag, []).append(bound)
        return bound

    def forget(self) -> None:
        """Clear the cache, but keep the rules."""
        self.kinds.clear()
        for group in self._groups():
            group.clear()
        self._conditions.clear()

    def remembered(self) -> list[Any]:
        """All cached keys and results."""
        return [
            *self.kinds,
            *(ruleset.memory for group in self._groups() for ruleset in group.values() if ruleset),
        ]

    def conditions(self, bits: int) -> Group:
        """The conditions with these *bits*."""
        if bits not in self._conditions:
            self._conditions[bits] = Group([bound for bit, bound in self._holds.items() if bit & bits])
        return self._conditions[bits]

    def _groups(self) -> Iterator[Group]:
        return chain(self._conditions.values(), *self.groups.values())


def _of(by_bit: ByBit[T], bits: Iterable[int]) -> Iterator[T]:
    """What there is for any of *bits*."""
    return chain.from_iterable(map(by_bit.get, bits, repeat(())))  # in C, because every new layout needs it


class Kind:
    """The rules for messages of a type with the same elements and tags."""

    __slots__ = ("_rows", "_said", "conditions", "has_card", "kept", "several", "single", "type")

    def __init__(self, kept: Type, message: Message, shape: Shape | None) -> None:
        fields, inside = message.fields, shape.bits if shape else ()
        mask = presence(fields, empty_secondary=message.empty_secondary) | mask_of(inside)
        self.type, self.has_card = kept, not CARDS.isdisjoint(fields)
        present = (ANY, EMPTY_SECONDARY, SECONDARY, *fields, *inside)
        self.kept = [asked.entry for group in _of(kept.groups, present) if (asked := group.pick(mask, shape))]
        self.single: list[Entry] = []
        self.several: list[Entry] = []
        for bits, needs, alone, entry in _of(kept.rules, present):
            if bits & mask == needs:
                (self.single if alone else self.several).append(entry)
        self._rows = [row for bits, needs, row in _of(kept.rows, present) if bits & mask == needs]
        conditions = sum(set(map(_WHEN, self._rows)))
        self.conditions = kept.conditions(conditions).pick(mask, shape) if conditions else None
        self._said: dict[Any, Mapping[str, Sequence[Said]]] = {}

    def rows(self, values: Values) -> Mapping[str, Sequence[Said]]:
        """The hits from rows, by network, for messages of this kind with the same conditions as *values*."""
        conditions: tuple[Any, ...] = ()
        if (asked := self.conditions) is not None:
            key = asked.key_of(values)
            conditions = asked.memory[key] if key in asked.memory else asked.ask(values, key)
        if (cached := self._said.get(conditions)) is None:
            hits = chain(*[said for when, said in self._rows if not when or when in conditions])
            by_network = groupby(sorted(hits, key=_NETWORK), _NETWORK)
            cached = self._said[conditions] = {name: [*of] for name, of in by_network}
        return cached


class Types(dict[tuple[str, Spec | None, str], Type]):
    """The types by version, dialect and MTI, each created for its first message."""

    def __missing__(self, key: tuple[str, Spec | None, str]) -> Type:
        version, table, mti = key
        with MEMORY.lock:
            if len(self) >= _MOST_TYPES:
                MEMORY.clear()
            message_type = self[key] = Type(table or spec(version), mti)
            return message_type


class Memory:
    """The cache: it counts what it contains, and is cleared when full."""

    def __init__(self) -> None:
        self.types = Types()
        self.shapes: dict[Any, list[Shape]] = {}
        self.count = 0
        self.lock = RLock()

    def grow(self, size: int) -> None:
        """Count *size* more; clear the cache if that is too much."""
        self.count += size
        if self.count > MOST:
            self.forget()

    def forget(self) -> None:
        """Clear the results for all messages."""
        with self.lock:
            self.count = 0
            self.shapes.clear()
            for kept in self.types.values():
                kept.forget()

    def clear(self) -> None:
        """Clear everything, as new rules require."""
        with self.lock:
            self.types.clear()
            self.forget()

    def cut(self, text: str) -> tuple[Shape, Iterable[tuple[str, str]]]:
        """The shape of chip data, and the tags with their values."""
        for shape in self.shapes.get(len(text), ()):
            if (tags := shape.cut(text)) is not None:
                return shape, tags
        chip = readable(text)
        new_shape = Shape(chip, text)
        alike = self.shapes.setdefault(len(text) if new_shape.plain else new_shape.places, [])
        if alike and not new_shape.plain:
            return alike[0], chip.values.items()
        self.grow(len(chip.places))
        alike.insert(0, new_shape)
        del alike[_MOST_SHAPES:]
        return new_shape, chip.values.items()


MEMORY = Memory()


class Heard(NamedTuple):
    """All hits on a message, by network, and the card's network."""

    said: Mapping[str, Sequence[Said]]
    network: str | None


def hear(message: Message, network: str | None = None) -> Heard:
    """Run the rules of the standard and of all networks on *message*, which is well framed. Its network is
    *network*, else the card's."""
    fields, shape = message.fields, None
    kept = MEMORY.types[message.version, message.dialect, message.mti]
    values = Values(fields)
    values.mti, values.table = kept.mti, kept.table
    if _CHIP in fields:
        shape, tags = MEMORY.cut(fields[_CHIP])
        values.update(tags)
    layout = *fields, shape, message.empty_secondary
    kind = kept.kinds.get(layout)
    if kind is None:
        kind = kept.kinds[layout] = Kind(kept, message, shape)
        MEMORY.grow(len(layout))
    verdicts: list[Said] = []
    for key_of, memory, ruleset in kind.kept:
        key = key_of(values)
        answer = memory.get(key)
        if answer is None:
            answer = ruleset.ask(values, key)
        if answer:
            verdicts += answer
    for name, check, say in kind.single:
        if wrong := check(values[name]):
            verdicts += say(wrong)
    for parts_of, check, say in kind.several:
        if wrong := check(*parts_of(values)):
            verdicts += say(wrong)
    if shape is not None:
        if verdicts:
            verdicts = [
                _shifted(verdict, shape.starts[verdict.hit.tag]) if verdict.hit.tag else verdict
                for verdict in verdicts
            ]
        if shape.repeats:
            verdicts += _again(message.fields[_CHIP], kind.type)
    said = kind.rows(values)
    owner = network or (values[CARD].network if kind.has_card else None)
    if verdicts:
        by_network = {name: [*of_rows] for name, of_rows in said.items()}  # rows are shared by messages
        for verdict in verdicts:
            by_network.setdefault(verdict.network, []).append(verdict)
        said = by_network
    if message.dialect is not None or message.mti[2] in dialect.RESERVED_FUNCTIONS:
        said = dialect.otherwise(message, owner, said)
    return Heard(said, owner)


def _shifted(verdict: Said, start: int) -> Said:
    field, expected, actual, at, size, path, hint, severity, _, sentence = verdict.hit
    hit = Hit(field, expected, actual, at + start, size, path, hint, severity, "", sentence)
    return hit_of_rule(verdict.network, verdict.place[-1], verdict.text, hit)


def _again(text: str, kept: Type) -> Iterator[Said]:
    """The hits on repeated tags, because rules bound to a tag check every occurrence."""
    chip = readable(text)
    firsts = {tag.start for tag in chip.firsts.values()}
    for tag in chip.tags:
        if tag.start not in firsts:
            for bound in kept.every_tag.get(tag.tag, ()):
                if result := bound.check(tag.value):
                    yield from (_shifted(verdict, tag.value_start) for verdict in bound.say(result))


def run(message: Message) -> list[Finding]:
    """The findings of the standard's own rules, by element."""
    return locate_all(Places(message), hear(message).said.get("", ()))
