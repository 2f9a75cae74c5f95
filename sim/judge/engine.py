"""Rules: what each needs and reads, and how what it reports becomes a finding.

A rule is a row of `data/rules*.csv` (severity, what it checks, source, hint) bound by its id to a
small function. `sim.judge.kind` says which are asked about a message, and when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple, TypedDict, Unpack

from sim.codec import Message
from sim.codec.bitmap import ALL_BITS, PRIMARY_BITS
from sim.codec.text import spans_of
from sim.errors import SpecError, element_label, located
from sim.judge.agreed import Agreement, Equal
from sim.judge.finding import Finding, Hit, Severity
from sim.spec import VERSIONS, Spec, spec, version_of
from sim.spec.networks import told_name
from sim.spec.tables import read_csv

Check = Callable[[Message], Iterable[Hit]]
ElementCheck = Callable[..., Iterable[Hit]]

# What a rule may read beside elements: every value there is; the card's prefix and length and whether its
# check digit is right; whether the amount in DE 4 is zero.
EVERY, CARD, ZERO = "every", "card", "zero"

# Elements that hold a short code: messages repeat them, so they are part of what is remembered by.
_CODED = (3, 18, 19, 20, 21, 22, 24, 25, 26, 39, 40, 49, 50, 51, 68, 69, 70, 91)
_LONGEST_CODE = 32  # DE 22 of 2003

ANY = "0123456789"  # any digit of the MTI

_ERROR = Severity.ERROR  # to look a member up takes as long as all else that is done with it
_CATALOGUES = ("rules", "rules_chip", "rules_layout")


def mask_of(numbers: Iterable[int]) -> int:
    """Element numbers as bits.

    >>> mask_of((2, 3))
    12
    """
    return sum(map(_BITS.__getitem__, {*numbers}))


_BITS = [1 << number for number in range(ALL_BITS + 1)]


@cache
def codes_of(version: str) -> frozenset[int]:
    """The elements of *version* that hold a short code."""
    elements = (spec(version)[number] for number in _CODED)
    return frozenset(one.number for one in elements if one.fixed and one.width <= _LONGEST_CODE)


@dataclass(frozen=True, slots=True)
class RuleText:
    """The words of a rule: its row in the catalogue."""

    id: str
    severity: Severity
    checks: str
    source: str
    hint: str


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule with its check and what must hold for it to be asked: all of `elements` present (0 alone: it
    is about the MTI and looks at nothing else), the version, the MTI's class and function digits. A rule
    of one version says nothing of a message that names another, unless `any_mti`.

    `reads` are the elements, and `EVERY`, `CARD` or `ZERO`, whose values its check looks at, beside the
    MTI and which elements there are; `tags` those of the chip data in DE 55, None for any. What follows from
    equal values is remembered by this, so it must be true. `missing` are bits of elements none of which
    is there, `there` of others of which it looks whether they are, where it reads values at all;
    `place` is the rule's in the list of all. It says nothing where the parts `equal`
    are, or, of a rule on chip data, where all of `agreement` holds.
    """

    text: RuleText
    check: Check
    elements: tuple[int, ...]
    versions: tuple[str, ...]
    classes: str
    functions: str
    any_mti: bool
    reads: frozenset[int | str]
    tags: frozenset[str] | None
    missing: int
    place: int
    there: int = 0
    agreement: Agreement | None = None
    equal: Equal | None = None

    def applies(self, version: str, mti: str) -> bool:
        """Whether to ask this rule about messages of *version* with this MTI that have its elements."""
        return (
            version in self.versions
            and (self.any_mti or version_of(mti) == version)
            and mti[1] in self.classes
            and mti[2] in self.functions
        )


@cache
def catalogue() -> dict[str, RuleText]:
    """All rules' words by id."""
    return {
        row["id"]: RuleText(row["id"], Severity(row["severity"]), row["checks"], row["source"], row["hint"])
        for table in _CATALOGUES
        for row in read_csv(table)
    }


# A rule's words and what its check reported: all that is needed to make a finding.
Located = tuple[RuleText, Hit]


class Heard(NamedTuple):
    """What was found, and what of it are errors."""

    found: tuple[Located, ...]
    wrong: tuple[Hit, ...]

    def and_then(self, more: Heard) -> Heard:
        """What this and *more* say."""
        if not self.found or not more.found:
            return self if self.found else more
        return Heard(self.found + more.found, self.wrong + more.wrong)


def heard(found: Iterable[Located]) -> Heard:
    """What was *found*, its errors told apart; `SILENT` where that is nothing."""
    held = tuple(found)
    if not held:
        return SILENT
    return Heard(held, tuple([hit for text, hit in held if (hit.severity or text.severity) is _ERROR]))


SILENT = Heard((), ())

RULES: list[Rule] = []


class Places:
    """Where the elements of a message stand in its text, worked out when a finding asks. Keeps lengths, no
    message."""

    __slots__ = ("_found", "_numbers", "_secondary", "_sizes", "spec")

    def __init__(self, message: Message) -> None:
        self.spec = message.spec
        self._secondary = message.empty_secondary
        self._numbers, self._sizes = tuple(message.fields), tuple(map(len, message.fields.values()))
        self._found: dict[int, tuple[int, int, int]] | None = None

    def of(self, field: int | None) -> tuple[int, int] | None:
        """Start and end of an element's value (0 MTI, 1 bitmap); None for one that is not there."""
        if field is None:
            return None
        if self._found is None or field not in self._found:
            if field > 1 and field not in self._numbers:
                return None
            # Most that is said is of the card, in front: the rest is worked out when that is asked for.
            last = field if self._found is None else ALL_BITS
            secondary = self._secondary or max(self._numbers, default=0) > PRIMARY_BITS
            self._found = spans_of(self.spec, zip(self._numbers, self._sizes, strict=True), secondary, last)
        return self._found[field][1:]


def rule(
    rule_id: str,
    *elements: int,
    versions: tuple[str, ...] = VERSIONS,
    classes: str = ANY,
    functions: str = ANY,
    reads: tuple[int | str, ...] | None = None,
    tags: Iterable[str] | None = None,
    missing: Iterable[int] = (),
    there: Iterable[int] = (),
    any_mti: bool | None = None,
    agreement: Agreement | None = None,
    equal: Equal | None = None,
) -> Callable[[Check], Check]:
    """Bind a check to the catalogue row *rule_id*. It reads the values of *elements*, or what *reads* says,
    and whether those of *there* are; it is asked where none of *missing* is, and need not be where
    *agreement* holds or the parts *equal* are. *any_mti* None: asked of messages that name another version
    when it is of all versions. Raises SpecError when there is no such row."""
    if rule_id not in catalogue():
        raise SpecError(None, None, "an id of data/rules*.csv", repr(rule_id))
    text = catalogue()[rule_id]
    read = frozenset[int | str](elements if reads is None else reads)
    inside, silent, beside = None if tags is None else frozenset(tags), mask_of(missing), mask_of(there)
    any_mti = len(versions) == len(VERSIONS) if any_mti is None else any_mti

    def bind(check: Check) -> Check:
        place = len(RULES)
        asked_of = versions, classes, functions, any_mti
        made = Rule(text, check, elements, *asked_of, read, inside, silent, place, beside, agreement, equal)
        RULES.append(made)
        return check

    return bind


def always(hit: Hit) -> Check:
    """The check of a rule that looks at nothing but which elements there are: it says *hit* whenever it is
    asked."""
    return lambda message: (hit,)


class _Needs(TypedDict, total=False):
    """What a rule about one element may say of itself, as `rule` takes it."""

    versions: tuple[str, ...]
    classes: str
    functions: str
    reads: tuple[int | str, ...]
    missing: Iterable[int]
    any_mti: bool
    equal: Equal


def each(rule_id: str, *numbers: int, **needs: Unpack[_Needs]) -> Callable[[ElementCheck], ElementCheck]:
    """Bind a check of one element to each of *numbers*; it gets the message and the number."""

    def bind(check: ElementCheck) -> ElementCheck:
        for number in numbers:
            rule(rule_id, number, **needs)(partial(check, number=number))
        return check

    return bind


def loudness(located: Located) -> int:
    """0 for an error, 1 for a warning, 2 for a remark."""
    text, hit = located
    return (hit.severity or text.severity).rank


def locate_all(places: Places, found: Sequence[Located], network: str = "") -> list[Finding]:
    """Hits as findings with their place in the text, ordered by element, then severity."""
    if not found:
        return []
    made = [finding(places, text, hit, network) for text, hit in found]
    return sorted(made, key=lambda one: (one.field or 0, one.severity.rank, one.start or 0))


def sentence(places: Places, hit: Hit) -> str:
    """What a hit says, in the words that errors use."""
    field, expected, found, at, _, path, *_, said = hit
    if said:
        return said
    place = places.of(field)
    label = f"DE {path}" if path else element_label(field)
    return located(label, None if place is None else place[0] + at, expected, found)


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
        name=_name(places.spec, hit.field, network),
        rule=text.id,
        message=sentence(places, hit),
        start=start,
        end=end,
        expected=hit.expected,
        found=hit.found,
        hint=hit.hint or text.hint,
        source=text.source,
    )


def _name(own: Spec, field: int | None, network: str) -> str:
    if field is None:
        return "message"
    if field == 0:
        return "Message type indicator"
    return told_name(own, field, network)
