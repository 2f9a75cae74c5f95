"""How a message is judged: by all rules at once, each asked of its parts.

Rules whose parts are remembered by the same values, or by some of them, are a `Group`, asked together, once
per distinct values. Rules that name a part that is new in nearly every message are asked each time. Rules
that name no part at all say the same of all messages with, and without, certain elements: they are rows of
bits, as the presence rows of the networks are.

A `Type` holds this for messages of a version and MTI, a `Kind` picks from it what concerns messages of the
same elements and tags. There is one memory: kinds, shapes of chip data, and what was said. When it is full,
all of it is forgotten. Nothing but time depends on it: what is said of a message is the same whatever came
before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from threading import RLock
from typing import Any, NamedTuple

# Importing the files of rules enters them.
import sim.judge.between
import sim.judge.chip
import sim.judge.message  # noqa: F401
from sim.codec import Message
from sim.judge import dialect, networks
from sim.judge.finding import Answer, Finding, Hit, Places, Said, by_place, locate_all
from sim.judge.parts import DE, SHAPE, Part, Shape, Values, mask_of, presence, readable
from sim.judge.rules import OF_EVERY, RULES, Bound, Check, Row, Rule, standard
from sim.spec import Spec, reshaped, spec

_CHIP = 55

# What is said, the values it is remembered by, kinds, shapes and what groups look for, all counted together;
# types are few.
MOST = 100_000
_MOST_TYPES = 256
# So many shapes of chip data of one size are tried.
_MOST_SHAPES = 16


class Asked:
    """What rules of a group say where certain of their parts are there, and what they said: `memory`, by the
    values that messages have for `names`."""

    __slots__ = ("entry", "key_of", "memory", "names", "rules")

    def __init__(self, rules: Sequence[Bound], names: Sequence[Any]) -> None:
        self.rules, self.names = rules, names
        self.key_of: Callable[[Any], Any] = itemgetter(*names) if names else _nothing
        self.memory: dict[Any, Answer] = {}
        self.entry = self.key_of, self.memory, self

    def ask(self, values: Values, key: Any) -> Answer:
        """What is said of *values*, which have that *key*, remembered from now on."""
        answer = self.memory[key] = tuple([one for bound in self.rules for one in bound.ask(values)])
        MEMORY.grow(len(answer) + _size(key))
        return answer


def _nothing(values: object) -> tuple[()]:
    return ()


def _size(key: Any) -> int:
    """How much a key holds."""
    return len(key) if isinstance(key, tuple) else 1


class Group:
    """Rules that are remembered by the same names, or by some of them."""

    __slots__ = ("looks", "needs", "picked", "rules", "shaped")

    def __init__(self, rules: Sequence[Bound]) -> None:
        self.rules = rules
        self.shaped = any(SHAPE in (bound.key or ()) for bound in rules)
        self.looks, self.needs = 0, -1
        for bound in rules:
            self.looks |= bound.looks
            self.needs &= bound.needs
        self.picked: dict[Any, Asked | None] = {}

    def pick(self, mask: int, shape: Shape | None) -> Asked | None:
        """What is asked where *mask* says what there is, and chip data have that *shape*; None for
        nothing."""
        looked: Any = (mask & self.looks, shape) if self.shaped else mask & self.looks
        try:
            return self.picked[looked]
        except KeyError:
            MEMORY.grow(1)
            rules = [bound for bound in self.rules if bound.applies(mask)]
            names = {name for bound in rules for name in bound.key or () if _is_there(name, mask)}
            asked = self.picked[looked] = Asked(rules, sorted(names, key=str)) if rules else None
            return asked


def _is_there(name: Any, mask: int) -> bool:
    """Whether the part of that *name* can differ between messages with what *mask* says."""
    if isinstance(name, Part):
        return name is not SHAPE and bool(name.looks & mask)
    return bool((1 << name if isinstance(name, int) else presence((), (name,))) & mask)


def _grouped(bounds: Iterable[Bound]) -> Iterator[Group]:
    """*bounds* in groups: those remembered by fewer names go with some that are remembered by these and
    others, but not by what may be new in every message."""
    by_key: dict[frozenset[Any], list[Bound]] = {}
    for bound in bounds:
        by_key.setdefault(bound.key or frozenset(), []).append(bound)
    for key in sorted(by_key, key=len):
        wider = [other for other in by_key if key < other and not any(map(_is_new, other - key))]
        if key and wider:
            by_key[min(wider, key=len)] += by_key.pop(key)
    return map(Group, by_key.values())


def _is_new(name: Any) -> bool:
    """Whether hardly two messages may have the same by that *name*."""
    return isinstance(name, Part) and (name is SHAPE or name.hashed)


# What takes the value of one part, its check and what it says.
Entry = tuple[Any, Check, Callable[[Any], Iterable[Said]]]


class _OfBit(NamedTuple):
    """What is asked where a bit is there: groups; rules that are asked each time, behind the bits that they
    look at, those that must be there and whether they name one part."""

    groups: list[Group]
    rules: list[tuple[int, int, bool, Entry]]


class Type:
    """What is asked of messages of a version, or a dialect of it, and MTI: by a bit that each of its rules
    needs (0 where there is none) the groups, and the rules that are asked each time; the rows, in the order
    of their places."""

    def __init__(self, table: Spec, mti: str) -> None:
        version = table.version
        self.table, self.mti = table, mti
        self.every_tag: dict[str, list[Bound]] = {}
        self.kinds: dict[Any, Kind] = {}
        rows: list[Row] = [*networks.rows(table, mti)]
        formats = networks.formats_of(table, mti)
        if (of_type := formats.pop(0, None)) and (told := of_type.check(mti)):
            rows.append(Row(0, 0, 0, tuple(of_type.say(told))))
        bounds = [*networks.cards(table, mti), *formats.values(), *self._of_every()]
        otherwise = reshaped(table) if table.dialect else frozenset()
        for item in RULES:
            if item.applies(version, mti) and (not otherwise or otherwise.isdisjoint(item.sources)):
                if item.parts:
                    bounds.append(self._bound(item))
                elif told := item.bound(mti, table, item.number)():
                    rows.append(Row(item.needs, item.lacks, 0, tuple(standard(item.text, item.place)(told))))
        self.by_bit: dict[int, _OfBit] = {}
        for group in _grouped(bound for bound in bounds if bound.key is not None):
            self._at(group.needs).groups.append(group)
        for bound in bounds:
            if bound.key is None:
                alone = len(bound.parts) == 1
                self._at(bound.needs).rules.append((bound.bits, bound.needs, alone, bound.entry))
        self.rows = _in_order(rows)
        holds = networks.conditions(table)
        self.owner = Group([networks.owner(table)])
        self.conditions = Group([holds[bit] for bit in sorted({row.when for row in rows} - {0})])
        # What can tell of an error, and the conditions on which one hangs.
        when = {row.when for row in rows if any(one.error for one in row.said)}
        self.of_errors = [bound for bit, bound in holds.items() if bit in when]
        self.of_errors += [bound for bound in bounds if bound.error]

    def _at(self, needs: int) -> _OfBit:
        highest = needs.bit_length() - 1 if needs > 0 else 0  # few messages have what stands far behind
        return self.by_bit.setdefault(highest, _OfBit([], []))

    def _bound(self, item: Rule) -> Bound:
        check, say = item.bound(self.mti, self.table, item.number), standard(item.text, item.place)
        bound = Bound(check, say, item.parts, self.table, item.needs, item.lacks, item.error)
        if item.tag:
            self.every_tag.setdefault(item.tag, []).append(bound)
        return bound

    def _of_every(self) -> Iterator[Bound]:
        """The rules about any element."""
        for element in self.table.elements[1:]:
            for every in OF_EVERY:
                if every.concerns(element):
                    tagged = element.number == _CHIP
                    part = DE[_CHIP].tagged if tagged else every.item.part_of(element.number)
                    yield every.bound(element, self.table, part)

    def forget(self) -> None:
        """Forget all but the rules."""
        self.kinds.clear()
        for group in self._groups():
            group.picked.clear()

    def remembered(self) -> list[Any]:
        """All keys and answers."""
        return [
            *self.kinds,
            *(asked.memory for group in self._groups() for asked in group.picked.values() if asked),
        ]

    def _groups(self) -> Iterator[Group]:
        yield from (self.owner, self.conditions)
        for of_bit in self.by_bit.values():
            yield from of_bit.groups


def _in_order(rows: Iterable[Row]) -> list[tuple[int, int, tuple[int, Answer]]]:
    """What *rows* say in the order of its places: the bits that are looked at, those that must be there, then
    the condition and what is said."""
    single = [((row.needs | row.lacks, row.needs, row.when), one) for row in rows for one in row.said]
    single.sort(key=lambda pair: by_place(pair[1]))
    return [
        (bits, needs, (when, tuple(one for _, one in alike)))
        for (bits, needs, when), alike in groupby(single, key=itemgetter(0))
    ]


class Kind:
    """Messages of a type with the same elements and tags: what to ask of them."""

    __slots__ = ("_rows", "_said", "conditions", "kept", "owner", "several", "single", "type")

    def __init__(self, kept: Type, message: Message, shape: Shape | None) -> None:
        fields, inside = message.fields, shape.bits if shape else ()
        mask = presence(fields, empty_secondary=message.empty_secondary) | mask_of(inside)
        self.type = kept
        self.kept: list[tuple[Callable[[Any], Any], dict[Any, Answer], Asked]] = []
        self.single: list[Entry] = []
        self.several: list[Entry] = []
        for of_bit in map(kept.by_bit.get, (0, *fields, *inside)):
            if of_bit is not None:
                for group in of_bit.groups:
                    if asked := group.pick(mask, shape):
                        self.kept.append(asked.entry)
                for bits, needs, alone, entry in of_bit.rules:
                    if bits & mask == needs:
                        (self.single if alone else self.several).append(entry)
        self.owner = kept.owner.pick(mask, None)
        self._rows = [row for bits, needs, row in kept.rows if bits & mask == needs]
        self.conditions = kept.conditions.pick(mask, shape) if any(when for when, _ in self._rows) else None
        self._said: dict[Any, Mapping[str, Sequence[Said]]] = {}

    def rows(self, values: Values) -> Mapping[str, Sequence[Said]]:
        """What is said of all messages of this kind in which the same conditions hold as in *values*, by
        network."""
        held = _told(self.conditions, values)
        if (known := self._said.get(held)) is None:
            said: dict[str, list[Said]] = defaultdict(list)
            for when, alike in self._rows:
                if not when or when in held:
                    for one in alike:
                        said[one.network].append(one)
            known = self._said[held] = said
        return known


def _told(asked: Asked | None, values: Values) -> tuple[Any, ...]:
    """What is said of *values*; nothing where nothing is asked."""
    if asked is None:
        return ()
    key = asked.key_of(values)
    answer = asked.memory.get(key)
    return asked.ask(values, key) if answer is None else answer


class Types(dict[tuple[str, Spec | None, str], Type]):
    """What is asked of messages of each version, dialect and MTI, made when one comes for the first time."""

    def __missing__(self, key: tuple[str, Spec | None, str]) -> Type:
        version, table, mti = key
        with MEMORY.lock:
            if len(self) >= _MOST_TYPES:
                MEMORY.clear()
            made = self[key] = Type(table or spec(version), mti)
            return made


class Memory:
    """Counts what is remembered; where it is too much, all is forgotten."""

    def __init__(self) -> None:
        self.types = Types()
        self.shapes: dict[Any, list[Shape]] = {}
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
            self.shapes.clear()
            for kept in self.types.values():
                kept.forget()

    def clear(self) -> None:
        """Forget all, as when there are new rules."""
        with self.lock:
            self.types.clear()
            self.shapes.clear()
            self.count = 0

    def cut(self, text: str) -> tuple[Shape, Iterable[tuple[str, str]]]:
        """The shape of chip data, and their tags with their values."""
        for shape in self.shapes.get(len(text), ()):
            if (tags := shape.cut(text)) is not None:
                return shape, tags
        chip = readable(text)
        made = Shape(chip, text)
        alike = self.shapes.setdefault(len(text) if made.plain else made.places, [])
        if alike and not made.plain:
            return alike[0], chip.values.items()
        self.grow(len(chip.places))
        alike.insert(0, made)
        del alike[_MOST_SHAPES:]
        return made, chip.values.items()


MEMORY = Memory()


class Heard(NamedTuple):
    """All that is said of a message, by network: what follows from its elements and codes (`rows`), which
    messages alike share, and what is said of its values; and whose card it is."""

    rows: Mapping[str, Sequence[Said]]
    found: Mapping[str, Sequence[Said]]
    network: str | None


def hear(message: Message, network: str | None = None) -> Heard:
    """All that the standard and all networks say of *message*, which is well framed and of *network*, else of
    its card's."""
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
    told: list[Said] = []
    for key_of, memory, asked in kind.kept:
        key = key_of(values)
        answer = memory.get(key)
        if answer is None:
            answer = asked.ask(values, key)
        if answer:
            told += answer
    for name, check, say in kind.single:
        if wrong := check(values[name]):
            told += say(wrong)
    for parts_of, check, say in kind.several:
        if wrong := check(*parts_of(values)):
            told += say(wrong)
    if shape is not None:
        if told:
            told = [_shifted(one, shape.starts[one.hit.tag]) if one.hit.tag else one for one in told]
        if shape.repeats:
            told += _again(message.fields[_CHIP], kind.type)
    rows, found = kind.rows(values), dict[str, list[Said]]()
    own = network or next(iter(_told(kind.owner, values)), None)
    for one in told:
        found.setdefault(one.network, []).append(one)
    if message.dialect is not None or message.mti[2] in dialect.RESERVED_FUNCTIONS:
        found = dialect.otherwise(message, own, rows, found)
        rows = {}
    return Heard(rows, found, own)


def _shifted(one: Said, start: int) -> Said:
    field, expected, found, at, size, path, hint, severity, _, said = one.hit
    hit = Hit(field, expected, found, at + start, size, path, hint, severity, "", said)
    return Said(one.network, one.order, one.text, hit, one.error)


def _again(text: str, kept: Type) -> Iterator[Said]:
    """What is said of tags that come again: rules about any tag look at all of them."""
    chip = readable(text)
    firsts = {tag.start for tag in chip.firsts.values()}
    for tag in chip.tags:
        if tag.start not in firsts:
            for bound in kept.every_tag.get(tag.tag, ()):
                if told := bound.check(tag.value):
                    yield from (_shifted(one, tag.value_start) for one in bound.say(told))


def run(message: Message) -> list[Finding]:
    """The findings of the standard's own rules, in the order of the elements."""
    rows, found, _ = hear(message)
    said = [*rows.get("", ()), *found.get("", ())]
    return locate_all(Places(message), said)
