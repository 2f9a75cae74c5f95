"""Rules: each binds a row of the catalogue to a function of message parts.

`data/rules*.csv` gives severity, description, source and hint; the function returns what it finds. The
decorator selects the messages that it checks; its signature lists the parts that it reads
(`sim.judge.parts`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

from sim.errors import SpecError
from sim.judge.finding import Answer, Hit, RuleText, Said, Severity, catalogue, hit_of_rule
from sim.judge.parts import CARD, TAG_VALUE, Constant, Part, Tag, Value, Values, kept_by, mask_of
from sim.spec import VERSIONS, Spec, version_of

# The result of a check: nothing, one hit, or several.
Told = Hit | Iterable[Hit] | None
Check = Callable[..., Told]

C = TypeVar("C", bound=Check)

EVERY_DIGIT = "0123456789"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule with the parts that its check takes, in order, followed by the constants, by name.

    It checks messages of `versions` whose MTI has one of `classes` and `functions`, with all elements in
    `needs` and none in `lacks`, as bits. Unless `any_mti`, the MTI must name the version the message is read
    as. With `interfaces`, it checks only messages of those. `place` is the rule's position among all rules.
    """

    text: RuleText
    check: Check
    parts: tuple[Part, ...]
    constants: tuple[str, ...]
    needs: int
    lacks: int
    versions: tuple[str, ...]
    classes: str
    functions: str
    any_mti: bool
    interfaces: tuple[str, ...]
    place: int
    number: int = 0
    tag: str = ""

    def bound(self, mti: str, table: Spec) -> Check:
        """Its check as a function of the parts only, for messages of a type."""
        check = self.check
        by_name = {"mti": mti, "table": table, "number": self.number, "tag": self.tag}
        constants = [by_name[name] for name in self.constants]
        if not constants:
            return check
        if len(self.parts) != 1:
            return partial(check, **dict(zip(self.constants, constants, strict=True)))
        first, *others = constants  # most rules have one part, and a positional call is faster
        return (lambda part: check(part, first, *others)) if others else (lambda part: check(part, first))

    def applies(self, version: str, mti: str, interface: str) -> bool:
        """Whether the rule checks messages of *version* with this MTI on *interface*, if any."""
        return (
            version in self.versions
            and (not self.interfaces or interface in self.interfaces)
            and (self.any_mti or version_of(mti) == version)
            and mti[1] in self.classes
            and mti[2] in self.functions
        )

    @property
    def sources(self) -> frozenset[int]:
        """The elements whose values it reads."""
        return frozenset().union(*(part.sources for part in self.parts))

    @property
    def error(self) -> bool:
        """Whether it can report an error: a hit is never more severe than its rule."""
        return self.text.severity is Severity.ERROR

    @property
    def alone(self) -> bool:
        """Whether it checks the inside of a single element, which must be present."""
        sources, needs = self.sources, self.needs
        for part in self.parts:
            needs |= part.needs
        return len(sources) == 1 and CARD not in self.parts and bool(needs & mask_of(sources))


RULES: list[Rule] = []


class When(TypedDict, total=False):
    """The messages that a rule checks: by version, message class and function, elements present or absent,
    and interface."""

    versions: tuple[str, ...]
    classes: str
    functions: str
    needs: Iterable[int]
    lacks: Iterable[int]
    any_mti: bool
    interfaces: tuple[str, ...]


def rule(rule_id: str, **when: Unpack[When]) -> Callable[[C], C]:
    """Bind a function of parts to the catalogue row *rule_id*. By default, a rule for all versions also
    checks messages whose MTI names another version (*any_mti*). Raises SpecError if there is no such row, or
    a parameter is not a part."""
    return _binding(rule_id, [{}], when)


def each(rule_id: str, *numbers: int, **when: Unpack[When]) -> Callable[[C], C]:
    """Bind a function of one element, `VALUE`, to each of *numbers*."""
    return _binding(rule_id, [{"number": number} for number in numbers], when)


def each_tag(rule_id: str, *tags: str, **when: Unpack[When]) -> Callable[[C], C]:
    """Bind a function of the value of one tag, `TAG_VALUE`, to each of *tags*, anywhere in the chip data."""
    return _binding(rule_id, [{"tag": tag} for tag in tags], when)


def _binding(rule_id: str, places: Sequence[dict[str, Any]], when: When) -> Callable[[C], C]:
    text = _text(rule_id)

    def bind(check: C) -> C:
        for at in places:
            RULES.append(_bound(text, check, at, when))
        return check

    return bind


def of_parts(rule_id: str, parts: Sequence[Part], check: Check, tag: str = "", **when: Unpack[When]) -> None:
    """Bind *check*, which takes the values of *parts*, to the catalogue row *rule_id*; with a *tag*, to each
    occurrence of that."""
    RULES.append(_bound(_text(rule_id), check, {"tag": tag}, when, parts))


def _text(rule_id: str) -> RuleText:
    texts = catalogue()
    if rule_id not in texts:
        raise SpecError(None, None, "an id in data/rules*.csv or in the pack", repr(rule_id))
    return texts[rule_id]


def _bound(text: RuleText, check: Check, at: dict[str, Any], when: When, of: Sequence[Part] = ()) -> Rule:
    parts, constants = (tuple(of), ()) if of else signature(text.id, check, at)
    needs, lacks = mask_of(when.get("needs", ())), mask_of(when.get("lacks", ()))
    versions = when.get("versions", VERSIONS)
    return Rule(
        text,
        check,
        parts,
        constants,
        needs,
        lacks,
        versions,
        when.get("classes", EVERY_DIGIT),
        when.get("functions", EVERY_DIGIT),
        when.get("any_mti", len(versions) == len(VERSIONS)),
        when.get("interfaces", ()),
        len(RULES),
        at.get("number", 0),
        at.get("tag", ""),
    )


def signature(
    name_of_it: str, check: Callable[..., object], at: Mapping[str, Any]
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """The parts that *check* takes, bound *at* a number or a tag, and the names of the constants after them.
    Raises SpecError for a parameter that is neither."""
    parts: list[Part] = []
    constants: list[str] = []
    for name, parameter in inspect.signature(check).parameters.items():
        default = parameter.default
        if isinstance(default, Constant):
            if default.name != name:
                expected = f"a parameter {default.name} for {default!r}"
                raise SpecError(None, None, expected, f"{name} in {name_of_it}")
            constants.append(name)
        elif (part := _part(default, at)) is None or constants:
            raise SpecError(None, None, f"parts of the message, then constants, in {name_of_it}", name)
        else:
            parts.append(part)
    return tuple(parts), tuple(constants)


def _part(default: object, at: Mapping[str, Any]) -> Part | None:
    if default is TAG_VALUE:
        part: Part = Tag[at["tag"]]
        return part
    if isinstance(default, Value):
        return default.of(at["number"])
    return default if isinstance(default, Part) else None


class Bound:
    """A rule for one type of message: `check` takes the values of `parts`, `say` converts its result to
    `Said`. It applies if exactly those of its `bits` are set that it `needs`; its result depends on the bits
    `looks`. `key` names what its result is cached by, None if it runs every time; `error` says whether it can
    report an error. `entry` is the getter of its parts, the check and `say`."""

    __slots__ = ("bits", "check", "entry", "error", "key", "looks", "needs", "parts", "say")

    def __init__(
        self,
        check: Callable[..., Any],
        say: Callable[[Any], Iterable[Said]],
        parts: Sequence[Part],
        table: Spec,
        needs: int = 0,
        lacks: int = 0,
        error: bool = True,
    ) -> None:
        self.check, self.say, self.parts, self.needs = check, say, tuple(parts), needs
        self.error = error
        looks, names = 0, set[Any]()
        kept = True
        for part in parts:
            self.needs |= part.needs
            looks |= part.looks
            if part.key is None:
                kept = False
            else:
                names.update(kept_by(name, table) for name in part.key)
        self.bits = self.needs | lacks
        self.looks = looks | self.bits
        of: list[Any] = [part.name for part in parts]
        take: Any = itemgetter(*of) if len(of) > 1 else next(iter(of), None)
        self.entry: tuple[Any, Callable[..., Any], Callable[[Any], Iterable[Said]]] = (take, check, say)
        self.key = frozenset(names) if kept else None

    def applies(self, mask: int) -> bool:
        """Whether it applies to messages with the presence bits *mask*."""
        return self.bits & mask == self.needs

    def ask(self, values: Values) -> Iterable[Said]:
        """Its hits for *values*."""
        result = self.check(*[values[part.name] for part in self.parts])
        return self.say(result) if result else ()


class Row(NamedTuple):
    """Hits for every message with all bits of `needs` and none of `lacks`, if the condition `when` (one bit
    or none) is true."""

    needs: int
    lacks: int
    when: int
    said: Answer


def standard(text: RuleText, order: int) -> Callable[[Told], list[Said]]:
    """A function that converts the hits of one of the standard's rules to `Said`."""

    def say(result: Any) -> list[Said]:
        hits = (result,) if isinstance(result, Hit) else result
        return [hit_of_rule("", order, text, hit) for hit in hits]

    return say
