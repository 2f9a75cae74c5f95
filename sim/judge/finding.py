"""Findings: the one record behind tables, panels and JSON; their wording and positions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import takewhile
from operator import attrgetter
from typing import NamedTuple

from sim.codec import Message
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH
from sim.errors import BITMAP_FIELD, MTI_FIELD, element_label, located, with_article
from sim.spec.networks import told_name
from sim.spec.tables import read_csv

ADDRESS = "SIM_DOCS"
# The short form in a name: `(PAN)`, `(merchant category code)`.
_IN_BRACKETS = re.compile(r" \(([A-Z]{2,}|[a-z ]{10,})\)$")
_PACKAGE = "iso8583-lab"
_LABEL = "Documentation"
_PLACEHOLDER = "example.org"


def rule_page(rule: str) -> str:
    """The address of the page about *rule*; empty if no site is known.

    >>> os.environ["SIM_DOCS"] = "https://docs.example/iso8583/"
    >>> rule_page("framing")
    'https://docs.example/iso8583/rules/framing.html'
    >>> del os.environ["SIM_DOCS"]
    """
    site = (os.environ.get(ADDRESS) or _published()).rstrip("/")
    return f"{site}/rules/{rule}.html" if site and rule else ""


@cache
def _published() -> str:
    """The documentation site in the package's metadata; empty if that is a placeholder or not installed."""
    # Imported here because it loads socket and mail modules, and few findings are asked for a page.
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata(_PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    sites = dict(line.split(", ", 1) for line in urls if ", " in line)
    site = sites.get(_LABEL, "")
    return "" if _PLACEHOLDER in site else site


class Severity(StrEnum):
    """The severity of a finding. Only errors make a message invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    rank: int  # 0 is the worst


for _rank, _severity in enumerate(Severity):
    _severity.rank = _rank


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem with one message.

    `network` is empty for the standard's own rules. `field` is the data element (0 MTI, 1 bitmap,
    None the whole message), `path` the same down to a tag: `55.9F26`. `start` and `end` bound the
    faulty characters of the text form; both None where something is missing. Texts are masked.
    """

    severity: Severity
    network: str
    field: int | None
    path: str
    name: str
    rule: str
    message: str
    start: int | None
    end: int | None
    expected: str
    found: str
    hint: str
    source: str

    @property
    def is_error(self) -> bool:
        """Whether the finding makes the message invalid."""
        return self.severity is Severity.ERROR

    @property
    def url(self) -> str:
        """The page about its rule; empty if no documentation site is known."""
        return rule_page(self.rule)


class Hit(NamedTuple):
    """What a rule's check reports: where and what, without the rule's own words.

    `at` and `size` bound the fault inside the element's value, in characters; *size* None extends to its end.
    With a `tag`, `at` counts from the value of that tag. `path` names a tag or part inside the element.
    `found` must be masked. `hint` and `severity` replace the rule's own if this case needs others. `said` is
    a complete sentence, for a hit without a position.
    """

    field: int | None
    expected: str
    found: str
    at: int = 0
    size: int | None = None
    path: str = ""
    hint: str = ""
    severity: Severity | None = None
    tag: str = ""
    said: str = ""


def wrong_check_digit(field: int, at: int) -> Hit:
    """A hit on a wrong check digit; it never shows any digits."""
    text = f"DE {field}: the check digit is wrong"
    return Hit(field, "the correct check digit", "a wrong one", at, 1, said=text)


_CATALOGUES = ("rules", "rules_chip", "rules_layout", "rules_exchange")


@dataclass(frozen=True, slots=True)
class RuleText:
    """The texts of a rule: its row in the catalogue."""

    id: str
    severity: Severity
    checks: str
    source: str
    hint: str


@cache
def catalogue() -> dict[str, RuleText]:
    """The texts of all rules by id."""
    return {text.id: text for table in _CATALOGUES for text in texts(read_csv(table))}


def texts(rows: Iterable[Mapping[str, str]]) -> list[RuleText]:
    """The rows of a catalogue."""
    return [
        RuleText(row["id"], Severity(row["severity"]), row["checks"], row["source"], row["hint"])
        for row in rows
    ]


class Said(NamedTuple):
    """One hit with its network ("" for the standard), its place among others (element, position there, order
    of the rules), its rule, and whether it is an error."""

    network: str
    place: tuple[int, int, int]
    text: RuleText
    hit: Hit
    error: bool


def hit_of_rule(network: str, order: int, text: RuleText, hit: Hit) -> Said:
    """A hit of rule *text*, with its own severity, else the rule's."""
    place, severity = (hit.field or 0, hit.at, order), hit.severity or text.severity
    return Said(network, place, text, hit, severity is Severity.ERROR)


Answer = tuple[Said, ...]

by_place: Callable[[Said], tuple[int, int, int]] = attrgetter("place")
is_error: Callable[[Said], bool] = attrgetter("error")


class Places(dict[int | None, tuple[int, int] | None]):
    """The start and end of each element's value (0 MTI, 1 bitmap) in a message's text form, computed on
    demand; None if it is missing."""

    __slots__ = ("_message", "spec")

    def __init__(self, message: Message) -> None:
        self.spec = message.spec
        self._message = message

    def __missing__(self, field: int | None) -> tuple[int, int] | None:
        place = self[field] = self._place(field)
        return place

    def _place(self, field: int | None) -> tuple[int, int] | None:
        if field == MTI_FIELD:
            return 0, MTI_WIDTH
        message, elements = self._message, self.spec.elements
        end = MTI_WIDTH + (2 if message.has_secondary else 1) * BITMAP_WIDTH
        if field == BITMAP_FIELD:
            return MTI_WIDTH, end
        fields = message.fields
        if field is None or field not in fields:
            return None
        ahead = takewhile(field.__gt__, sorted(fields))
        start = end + sum([len(fields[number]) + elements[number - 1].prefix for number in ahead])
        start += elements[field - 1].prefix
        return start, start + len(fields[field])


def loudness(said: Said) -> int:
    """The rank of a hit's severity: 0 for an error, 1 for a warning, 2 for a remark."""
    return (said.hit.severity or said.text.severity).rank


def locate_all(places: Places, verdicts: Sequence[Said]) -> list[Finding]:
    """Hits as findings with positions in the text form, ordered by element, then severity."""
    findings = [
        finding(places, verdict.text, verdict.hit, verdict.network)
        for verdict in sorted(verdicts, key=by_place)
    ]
    return sorted(findings, key=lambda item: (item.field or 0, item.severity.rank, item.start or 0))


ABSENT, PRESENT = "none", ("one", "some")


def labelled(field: int, name: str) -> str:
    """An element as a sentence introduces it: its number, and its *name* or the short form in that.

    >>> labelled(49, "Currency code, transaction"), labelled(11, "Systems trace audit number (STAN)")
    ('DE 49 (currency code, transaction)', 'DE 11 (STAN)')
    >>> labelled(18, "Merchant's type (merchant category code)")
    'DE 18 (merchant category code)'
    """
    if short := _IN_BRACKETS.search(name):
        name = short[1]
    return f"DE {field} ({name[:1].lower() + name[1:] if name[1:2].islower() else name})"


def sentence(places: Places, hit: Hit, network: str = "") -> str:
    """The sentence for a hit: the element is missing or must not be present, or what was expected and found,
    as in errors."""
    if hit.said:
        return hit.said
    field, expected, actual, at, _, path, *_ = hit
    place = places[field]
    present = actual in PRESENT
    if (present or (place is None and actual == ABSENT)) and field and field > BITMAP_FIELD and not path:
        name = told_name(places.spec, field, network)
        suffix = "" if expected == with_article(name.lower()) else f"; expected {expected}"
        return f"{labelled(field, name)} is {'present' if present else 'missing'}{suffix}"
    label = f"DE {path}" if path else element_label(field)
    return located(label, None if place is None else place[0] + at, expected, actual)


_NAMES: dict[int | None, str] = {None: "message", 0: "Message type indicator"}


def finding(places: Places, text: RuleText, hit: Hit, network: str = "") -> Finding:
    """One hit of a rule as a finding."""
    start = end = None
    if place := places[hit.field]:
        start = place[0] + hit.at
        end = place[1] if hit.size is None else min(start + hit.size, place[1])
    path = hit.path or ("" if hit.field is None else str(hit.field))
    return Finding(
        severity=hit.severity or text.severity,
        network=network,
        field=hit.field,
        path=path,
        name=_NAMES.get(hit.field) or told_name(places.spec, hit.field or 0, network),
        rule=text.id,
        message=sentence(places, hit, network),
        start=start,
        end=end,
        expected=hit.expected,
        found=hit.found,
        hint=hit.hint or text.hint,
        source=text.source,
    )
