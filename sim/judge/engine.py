"""The engine: which rules apply to a message, and their findings.

A rule is a row of `data/rules*.csv` (severity, what it checks, source, hint) bound by its id to a
small function. What applies to a version, MTI and set of elements is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sim.codec import Message, spans
from sim.errors import SpecError, element_label, locate
from sim.judge.finding import Finding, Hit, Severity
from sim.spec import VERSIONS, spec, version_of
from sim.spec.tables import read_csv

Check = Callable[[Message], Iterable[Hit]]
# Answers for a whole kind of message whether it surely has nothing that some rules would report.
Screen = Callable[[Message], bool]
ScreenMaker = Callable[[str, tuple[int, ...]], Screen]

# Elements that hold a short code: messages repeat them, so what rules say of them is remembered.
CODED = (3, 18, 19, 20, 21, 22, 24, 25, 26, 39, 40, 49, 50, 51, 68, 69, 70, 91)

_CACHE_SIZE = 1024
_ORDER = {severity: place for place, severity in enumerate(Severity)}
_CODED_CACHE = 1024
# What a rule may read beside the MTI and which elements are there: the values of CODED elements; the
# card's prefix and length, and whether its check digit is right; whether the amount in DE 4 is zero.
_CODES = frozenset({"codes"})
_FACTS = frozenset({"codes", "card", "zero"})
_CATALOGUES = ("rules", "rules_chip", "rules_layout")


@dataclass(frozen=True, slots=True)
class RuleText:
    """The words of a rule: its row in the catalogue. `reads` says what its check looks at (`_FACTS`);
    empty where that is values of any element."""

    id: str
    severity: Severity
    checks: str
    source: str
    hint: str
    reads: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its check and what must hold for it to be asked: all of `elements` present,
    the version, the MTI's class and function digits. `reads` is as in its words. A rule of one version
    says nothing of a message that names another, unless `any_mti`."""

    text: RuleText
    check: Check
    elements: tuple[int, ...]
    versions: tuple[str, ...]
    classes: str
    functions: str
    reads: frozenset[str]
    any_mti: bool

    @property
    def coded(self) -> bool:
        """Whether the check reads codes only."""
        return self.reads == _CODES

    @property
    def free(self) -> bool:
        """Whether the check reads more than the facts."""
        return not self.reads or not self.reads <= _FACTS

    def applies(self, version: str, mti: str, present: frozenset[int]) -> bool:
        """Whether to ask this rule about such a message."""
        return (
            version in self.versions
            and (self.any_mti or version_of(mti) == version)
            and mti[1] in self.classes
            and mti[2] in self.functions
            and present.issuperset(self.elements)
        )


@cache
def catalogue() -> dict[str, RuleText]:
    """All rules' words by id."""
    return {
        row["id"]: RuleText(
            row["id"],
            Severity(row["severity"]),
            row["checks"],
            row["source"],
            row["hint"],
            frozenset(row["reads"].split()),
        )
        for table in _CATALOGUES
        for row in read_csv(table)
    }


# A rule's words and what its check reported: all that is needed to make a finding.
Located = tuple[RuleText, Hit]

_RULES: list[Rule] = []


class Places:
    """Where the elements of a message stand in its text, worked out when the first finding asks."""

    __slots__ = ("_message", "_spans", "version")

    def __init__(self, message: Message) -> None:
        self.version = message.version
        self._message: Message | None = message
        self._spans: dict[int, tuple[int, int, int]] = {}

    def let_go(self) -> Places:
        """Itself, without the message: only numbers stay."""
        if (message := self._message) is not None:
            self._spans = spans(message)
            self._message = None
        return self

    def of(self, field: int | None) -> tuple[int, int] | None:
        """Start and end of an element's value (0 MTI, 1 bitmap); None for one that is not there."""
        if self._message is not None:
            self.let_go()
        place = self._spans.get(-1 if field is None else field)
        return place[1:] if place else None


def rule(
    rule_id: str,
    *elements: int,
    versions: tuple[str, ...] = VERSIONS,
    classes: str = "0123456789",
    functions: str = "0123456789",
    reads: str | None = None,
    any_mti: bool | None = None,
) -> Callable[[Check], Check]:
    """Bind a check to the catalogue row *rule_id*; *reads* where this check reads less than the row
    says of all of them. *any_mti* None: asked of messages that name another version when it is of all
    versions. Raises SpecError when there is no such row."""
    if rule_id not in catalogue():
        raise SpecError(None, None, "an id of data/rules*.csv", repr(rule_id))
    text = catalogue()[rule_id]
    read = text.reads if reads is None else frozenset(reads.split())
    any_mti = len(versions) == len(VERSIONS) if any_mti is None else any_mti

    def bind(check: Check) -> Check:
        _RULES.append(Rule(text, check, elements, versions, classes, functions, read, any_mti))
        return check

    return bind


# The ids of rules a screen can speak for, and what makes the screen for a version and elements.
_SCREENED: dict[str, ScreenMaker] = {}


def screen(*rule_ids: str) -> Callable[[ScreenMaker], ScreenMaker]:
    """Bind a maker of screens to the rules *rule_ids*: where its screen says yes, they report nothing
    and are not asked."""

    def bind(maker: ScreenMaker) -> ScreenMaker:
        _SCREENED.update(dict.fromkeys(rule_ids, maker))
        return maker

    return bind


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask about one kind of message (version, MTI, elements): `codes` are its coded elements."""

    codes: tuple[int, ...]
    coded: tuple[Rule, ...]
    screen: Screen | None
    screened: tuple[Rule, ...]
    others: tuple[Rule, ...]

    @property
    def free(self) -> tuple[Rule, ...]:
        """Those of `others` that read more than the facts."""
        return tuple(item for item in self.others if item.free)


@lru_cache(maxsize=_CACHE_SIZE)
def plan_for(version: str, mti: str, present: tuple[int, ...]) -> Plan:
    """Which rules speak of such messages, and how each is asked most cheaply."""
    chosen = frozenset(present)
    asked = [item for item in _RULES if item.applies(version, mti, chosen)]
    makers = {_SCREENED[item.text.id] for item in asked if item.text.id in _SCREENED}
    made = [maker(version, present) for maker in makers]
    return Plan(
        tuple(number for number in present if number in CODED),
        tuple(item for item in asked if item.coded),
        made[0] if len(made) == 1 else None,
        tuple(item for item in asked if item.text.id in _SCREENED),
        tuple(item for item in asked if not item.coded and item.text.id not in _SCREENED),
    )


def shadow(
    version: str, mti: str, present: tuple[int, ...], empty_secondary: bool, codes: tuple[str, ...]
) -> Message:
    """A message of that kind with no values but its codes: all that coded rules may look at."""
    fields = dict.fromkeys(present, "")
    fields |= zip((number for number in present if number in CODED), codes, strict=True)
    return Message(mti, fields, version, empty_secondary)


@lru_cache(maxsize=_CODED_CACHE)
def _coded_hits(
    version: str, mti: str, present: tuple[int, ...], empty_secondary: bool, codes: tuple[str, ...]
) -> tuple[Located, ...]:
    message = shadow(version, mti, present, empty_secondary, codes)
    return tuple(
        (item.text, hit) for item in plan_for(version, mti, present).coded for hit in item.check(message)
    )


def hits(message: Message) -> list[Located]:
    """What the standard's own rules say of *message*, not yet located: cheap where all is well."""
    fields, present = message.fields, tuple(message.fields)
    plan = plan_for(message.version, message.mti, present)
    codes = tuple([fields[number] for number in plan.codes])
    found = list(_coded_hits(message.version, message.mti, present, message.empty_secondary, codes))
    if plan.screen is None or not plan.screen(message):
        found += [(item.text, hit) for item in plan.screened for hit in item.check(message)]
    for item in plan.others:
        for hit in item.check(message):
            found.append((item.text, hit))
    return found


def run(message: Message) -> list[Finding]:
    """The findings of the standard's own rules, in the order of the elements."""
    return locate_all(Places(message), hits(message))


def loudness(located: Located) -> int:
    """0 for an error, 1 for a warning, 2 for a remark."""
    text, hit = located
    return _ORDER[hit.severity or text.severity]


def locate_all(places: Places, found: Sequence[Located], network: str = "") -> list[Finding]:
    """Hits as findings with their place in the text, ordered by element, then severity."""
    if not found:
        return []
    made = [finding(places, text, hit, network) for text, hit in found]
    return sorted(made, key=lambda one: (one.field or 0, _ORDER[one.severity], one.start or 0))


def sentence(places: Places, hit: Hit) -> str:
    """What a hit says, in the words that errors use."""
    place = places.of(hit.field)
    said = locate(hit.field, place[0] + hit.at if place else None, hit.expected, hit.found)
    return said.replace(element_label(hit.field), f"DE {hit.path}", 1) if hit.path else said


def finding(places: Places, text: RuleText, hit: Hit, network: str = "") -> Finding:
    """One hit of a rule as a finding."""
    start = end = None
    if place := places.of(hit.field):
        start = place[0] + hit.at
        end = place[1] if hit.size is None else min(start + hit.size, place[1])
    path = hit.path or ("" if hit.field is None else str(hit.field))
    return Finding(
        severity=hit.severity or text.severity,
        network=network,
        field=hit.field,
        path=path,
        name=_name(places.version, hit.field),
        rule=text.id,
        message=sentence(places, hit),
        start=start,
        end=end,
        expected=hit.expected,
        found=hit.found,
        hint=hit.hint or text.hint,
        source=text.source,
    )


def _name(version: str, field: int | None) -> str:
    if field is None:
        return "message"
    return "Message type indicator" if field == 0 else spec(version)[field].name
