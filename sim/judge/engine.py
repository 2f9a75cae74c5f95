"""How a message is judged: by all rules at once, each asked of its parts.

Rules whose parts are remembered by the same values are a `Group`, asked together, once per distinct values.
Rules that name a part that is new in nearly every message are asked each time. Rules that name no part at
all say the same of all messages with, and without, certain elements: they are rows of bits, as the presence
rows of the networks are.

A `Type` holds this for messages of a version and MTI, a `Kind` picks from it what concerns messages of the
same elements and tags. There is one memory: kinds, what groups look for, and what was said. When it is full,
all of it is forgotten. Nothing but time depends on it: what is said of a message is the same whatever came
before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from threading import RLock
from typing import Any, NamedTuple

# Importing the files of rules enters them.
import sim.judge.between
import sim.judge.chip
import sim.judge.message  # noqa: F401
from sim.codec import Message
from sim.judge import networks
from sim.judge.finding import Answer, Finding, Hit, Places, Said, locate_all
from sim.judge.parts import CARD, DE, SHAPE, Part, Values, presence, readable, shape_of
from sim.judge.rules import OF_EVERY, RULES, Bound, Check, Row, Rule, standard
from sim.parts.chip_data import ChipData, Tag
from sim.spec import Spec, reshaped, spec

_CHIP = 55

# What is said, the values it is remembered by, kinds and what groups look for, all counted together; types
# are few.
MOST = 100_000
_MOST_TYPES = 256


class Asked:
    """What rules of a group say where certain of their parts are there, and what they said: `memory`, by the
    values that messages have for `names`."""

    __slots__ = ("key_of", "memory", "names", "rules")

    def __init__(self, rules: Sequence[Bound], names: Sequence[Any]) -> None:
        self.rules, self.names = rules, names
        self.key_of: Callable[[Any], Any] = itemgetter(*names) if names else _nothing
        self.memory: dict[Any, Answer] = {}

    def ask(self, values: Values, key: Any) -> Answer:
        """What is said of *values*, which have that *key*, remembered from now on."""
        answer = self.memory[key] = tuple([one for bound in self.rules for one in bound.ask(values)])
        MEMORY.grow(len(answer) + _size(key))
        return answer


def _nothing(values: object) -> tuple[()]:
    return ()


def _size(key: Any) -> int:
    """How much a key holds: chip data may have hundreds of tags."""
    return sum(len(one) for one in key if isinstance(one, tuple)) + len(key) if isinstance(key, tuple) else 1


class Group:
    """Rules whose parts are remembered by the same names."""

    __slots__ = ("looks", "names", "picked", "rules", "shaped")

    def __init__(self, names: frozenset[Any]) -> None:
        self.names = sorted(names - {SHAPE}, key=str)
        self.shaped = SHAPE in names
        self.rules: list[Bound] = []
        self.looks = 0
        self.picked: dict[Any, Asked | None] = {}

    def add(self, bound: Bound) -> None:
        """One more rule."""
        self.rules.append(bound)
        self.looks |= bound.looks

    def pick(self, mask: int, shape: object) -> Asked | None:
        """What is asked where *mask* says what there is, and chip data have that *shape*; None for
        nothing."""
        looked: Any = mask & self.looks
        if self.shaped:
            looked = looked, shape
        try:
            return self.picked[looked]
        except KeyError:
            MEMORY.grow(1)
            rules = [bound for bound in self.rules if bound.applies(mask)]
            names = [name for name in self.names if _is_there(name, mask)]
            made = self.picked[looked] = Asked(rules, names) if rules else None
            return made

    def forget(self) -> None:
        """Forget what was said."""
        self.picked.clear()


def _is_there(name: Any, mask: int) -> bool:
    """Whether the part of that *name* can differ between messages with what *mask* says."""
    if isinstance(name, Part):
        return bool(name.looks & mask)
    return bool((1 << name if isinstance(name, int) else presence((), (name,))) & mask)


class Type:
    """What is asked of messages of a version, or a dialect of it, and MTI. By a bit that each of its rules
    needs (0 where there is none): the groups, the rules that are asked each time, and the rows."""

    def __init__(self, table: Spec, mti: str) -> None:
        version = table.version
        self.table, self.mti = table, mti
        self.groups: dict[int, list[Group]] = {}
        self.rules: dict[int, list[Bound]] = {}
        self.rows: dict[int, list[Row]] = {}
        self.absent: dict[int, list[Row]] = {}
        self.every_tag: dict[str, list[Bound]] = {}
        self.kinds: dict[Any, Kind] = {}
        self._by_key: dict[frozenset[Any], Group] = {}
        self._elements: set[int] = set()
        self._formats = networks.formats_of(table, mti)
        self._conditions: dict[int, Group] = {}
        otherwise = reshaped(table) if table.dialect else frozenset()
        for item in RULES:
            if item.applies(version, mti) and (not otherwise or otherwise.isdisjoint(item.sources)):
                self._add(item)
        for row in networks.rows(version, mti):
            self._add_row(row)
        for bound in networks.cards(table, mti):
            self._bind(bound)
        of_type = self._formats.pop(0, None)
        if of_type is not None and (told := of_type.check(mti)):
            self._add_row(Row(0, 0, 0, tuple(of_type.say(told))))
        self._index()

    def _add(self, item: Rule) -> None:
        check = item.bound(self.mti, self.table, item.number)
        say = standard(item.text, item.place)
        if not item.parts:
            if told := check():
                self._add_row(Row(item.needs, item.lacks, 0, tuple(say(told))))
            return
        bound = Bound(check, say, item.parts, self.table, item.needs, item.lacks, item.tag)
        if item.tag:
            self.every_tag.setdefault(item.tag, []).append(bound)
        self._bind(bound)

    def _add_row(self, row: Row) -> None:
        if row.needs or not row.lacks:
            self.rows.setdefault(_highest(row.needs), []).append(row)
        else:
            self.absent.setdefault(row.lacks.bit_length() - 1, []).append(row)

    def _bind(self, bound: Bound) -> None:
        if bound.key is None:
            self.rules.setdefault(_highest(bound.needs), []).append(bound)
            return
        if bound.key not in self._by_key:
            self._by_key[bound.key] = Group(bound.key)
        self._by_key[bound.key].add(bound)

    def _index(self) -> None:
        self.groups = {}
        for group in self._by_key.values():
            needed = -1
            for bound in group.rules:
                needed &= bound.needs
            self.groups.setdefault(_highest(needed), []).append(group)

    def know(self, numbers: Iterable[int]) -> None:
        """Add the rules about any element, and the networks' formats, of those of *numbers* that come for the
        first time."""
        new = self._elements.symmetric_difference(self._elements.union(numbers))
        if new:
            for number in new:
                self._every(number)
                self._format(number)
            self._elements |= new
            self._index()

    def _every(self, number: int) -> None:
        for item, concerns in OF_EVERY:
            if concerns(self.table[number]):
                check = item.bound(self.mti, self.table, number)
                self._bind(Bound(check, standard(item.text, item.place), (DE[number],), self.table))

    def _format(self, number: int) -> None:
        bound = self._formats.get(number)
        if bound is not None:
            self._bind(bound)

    def conditions(self, when: int) -> Group:
        """The conditions whose bits are in *when*."""
        if when not in self._conditions:
            asked = [bound for bit, bound in networks.conditions(self.table).items() if bit & when]
            group = self._conditions[when] = Group(frozenset().union(*(one.key or () for one in asked)))
            for bound in asked:
                group.add(bound)
        return self._conditions[when]

    def remembered(self) -> list[Any]:
        """All keys and answers."""
        groups = [*self._by_key.values(), *self._conditions.values()]
        return [*self.kinds, *(asked.memory for group in groups for asked in group.picked.values() if asked)]

    def forget(self) -> None:
        """Forget all but the rules."""
        self.kinds.clear()
        self._conditions.clear()
        for group in self._by_key.values():
            group.forget()


def _highest(bits: int) -> int:
    """Few messages have what stands far behind."""
    return bits.bit_length() - 1 if bits > 0 else 0


class Kind:
    """Messages of a type with the same elements and tags: what to ask of them."""

    __slots__ = ("_rows", "_said", "asked", "conditions", "kept", "several", "single", "type")

    def __init__(self, kept: Type, mask: int, shape: object) -> None:
        self.type = kept
        self.kept: list[tuple[Callable[[Any], Any], dict[Any, Answer], Asked]] = []
        self.single: list[tuple[Any, Check, Callable[[Any], Iterable[Said]]]] = []
        self.several: list[tuple[Callable[[Any], Any], Check, Callable[[Any], Iterable[Said]]]] = []
        self.asked: list[Bound] = []
        rows: list[Row] = []
        bits, at = mask | 1, 0
        groups, rules, by_bit = kept.groups, kept.rules, kept.rows
        while bits:
            low = bits & -bits
            at = low.bit_length() - 1
            bits ^= low
            for group in groups.get(at, ()):
                if asked := group.pick(mask, shape):
                    self.kept.append((asked.key_of, asked.memory, asked))
            for bound in rules.get(at, ()):
                if bound.needs & mask == bound.needs and not bound.lacks & mask:
                    self._take(bound)
            if at in by_bit:
                rows += [row for row in by_bit[at] if row.needs & mask == row.needs and not row.lacks & mask]
        for at, absent in kept.absent.items():
            if not mask >> at & 1:
                rows += [row for row in absent if not row.lacks & mask]
        when = 0
        for row in rows:
            when |= row.when
        self.conditions = kept.conditions(when).pick(mask, shape) if when else None
        self._rows = rows
        self._said: dict[Any, Mapping[str, Rows]] = {}

    def _take(self, bound: Bound) -> None:
        self.asked.append(bound)
        (self.single if len(bound.parts) == 1 else self.several).append(bound.entry)

    def rows(self, values: Values) -> Mapping[str, Rows]:
        """What is said of all messages of this kind in which the same conditions hold as in *values*, by
        network."""
        held: Any = ()
        if (asked := self.conditions) is not None:
            key = asked.key_of(values)
            if (held := asked.memory.get(key)) is None:
                held = asked.ask(values, key)
        if (known := self._said.get(held)) is None:
            by_network: dict[str, list[Said]] = {}
            for row in self._rows:
                if not row.when or row.when in held:
                    for one in row.said:
                        by_network.setdefault(one.network, []).append(one)
            known = self._said[held] = {name: rows_of(told) for name, told in by_network.items()}
        return known


class Rows(NamedTuple):
    """What one network says, in its order, and the errors of it by their place."""

    said: Answer
    wrong: tuple[Hit, ...]


def rows_of(told: Iterable[Said]) -> Rows:
    """What is *told* by one network."""
    said = tuple(sorted(told, key=by_order))
    return Rows(said, tuple(sorted([one.hit for one in said if one.error], key=by_place)))


by_order = itemgetter(1)


def by_place(hit: Hit) -> tuple[int, int]:
    """Where a hit stands: the element, and the place in it."""
    return hit.field or 0, hit.at


class Memory:
    """Counts what is remembered; where it is too much, all is forgotten."""

    def __init__(self) -> None:
        self.types: dict[tuple[Spec, str], Type] = {}
        self.count = 0
        self.lock = RLock()

    def grow(self, size: int) -> None:
        """So much more is remembered."""
        self.count += size
        if self.count > MOST:
            self.forget()

    def forget(self) -> None:
        """Forget what was said of any message."""
        with self.lock:
            self.count = 0
            for kept in self.types.values():
                kept.forget()

    def clear(self) -> None:
        """Forget all, as when there are new rules."""
        with self.lock:
            self.types.clear()
            self.count = 0

    def type_of(self, table: Spec, mti: str) -> Type:
        """What is asked of messages of that type."""
        found = self.types.get((table, mti))
        return found if found is not None else self._made(table, mti)

    def _made(self, table: Spec, mti: str) -> Type:
        with self.lock:
            if len(self.types) >= _MOST_TYPES:
                self.clear()
            found = self.types.get((table, mti)) or Type(table, mti)
            self.types[table, mti] = found
            return found


MEMORY = Memory()


class Heard(NamedTuple):
    """All that is said of a message: by network what follows from its elements and codes (`rows`), which
    messages alike share, and what is said of its values; and the network of its card."""

    rows: Mapping[str, Rows]
    found: list[Said]
    network: str | None


def kind_of(message: Message, chip: ChipData | None) -> Kind:
    """What to ask of messages with the elements of *message*, and the tags of *chip*."""
    fields, dialect = message.fields, message.dialect
    kept = MEMORY.type_of(dialect or spec(message.version), message.mti)
    shape = () if chip is None else shape_of(chip)
    key = *fields, *shape, message.empty_secondary
    kind = kept.kinds.get(key)
    if kind is None:
        mask = presence(fields, chip.values if chip else (), empty_secondary=message.empty_secondary)
        with MEMORY.lock:
            kept.know(fields)
            kind = Kind(kept, mask, shape)
        kept.kinds[key] = kind
        MEMORY.grow(len(key))
    return kind


def values_of(message: Message, chip: ChipData | None, kept: Type) -> Values:
    """What rules may read of *message*."""
    values = Values(message.fields)
    values.mti, values.table = kept.mti, kept.table
    if chip is not None:
        values.update(chip.values)
    return values


def hear(message: Message) -> Heard:
    """All that the standard and all networks say of *message*, which is well framed."""
    fields = message.fields
    chip = readable(fields[_CHIP]) if _CHIP in fields else None
    kind = kind_of(message, chip)
    values = values_of(message, chip, kind.type)
    found: list[Said] = []
    for key_of, memory, asked in kind.kept:
        seen = key_of(values)
        answer = memory.get(seen)
        if answer is None:
            answer = asked.ask(values, seen)
        if answer:
            found += answer
    for name, check, say in kind.single:
        if told := check(values[name]):
            found += say(told)
    for parts_of, check, say in kind.several:
        if told := check(*parts_of(values)):
            found += say(told)
    if found and chip is not None:
        found = _at_tags(found, chip)
    if chip is not None and len(chip.tags) > len(chip.values):
        found += _again(chip, kind.type)
    return Heard(kind.rows(values), found, values[CARD].network)


def _at_tags(found: list[Said], chip: ChipData) -> list[Said]:
    """What was *found*, that of a tag at its place."""
    return [_shifted(one, chip.first(one.hit.tag)) if one.hit.tag else one for one in found]


def _shifted(one: Said, tag: Tag) -> Said:
    hit = one.hit
    return one._replace(hit=hit._replace(at=hit.at + tag.value_start, tag=""))


def _again(chip: ChipData, kept: Type) -> Iterator[Said]:
    """What is said of tags that come again: rules about any tag look at all of them."""
    firsts = {chip.first(name).start for name in chip.values}
    for tag in chip.tags:
        if tag.start not in firsts:
            for bound in kept.every_tag.get(tag.tag, ()):
                if told := bound.check(tag.value):
                    yield from (_shifted(one, tag) for one in bound.say(told))


def run(message: Message) -> list[Finding]:
    """The findings of the standard's own rules, in the order of the elements."""
    rows, found, _ = hear(message)
    own = rows[""].said if "" in rows else ()
    told = sorted([*own, *(one for one in found if not one.network)], key=by_order)
    return locate_all(Places(message), told)
