"""Typed records of the tables in `data/networks`: what a network says, row by row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from sim.errors import SpecError, did_you_mean

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class CardRange:
    """Card numbers that begin with `low` to `high` (prefixes of equal length) and have one of `lengths`.

    `brand` is the brand the card really is; `report` the severity of such a card on the network whose
    range this is. `status`: current, legacy, alliance, co-brand or secondary (known to one list only).
    """

    low: str
    high: str
    lengths: tuple[int, ...]
    luhn: bool
    status: str
    brand: str
    report: str
    note: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class FormatRow:
    """One rule on the text of some elements; field 0 is the MTI. `CHECKS` says what `check` means.

    `mtis` are masks such as `02xx`; none means every MTI but network management, which has no card.
    `parts` are parts of the element's layout; `beside` another element and `when` what it holds, where the
    rule speaks of the two together. `standard` marks what the standard itself says of the element in these
    versions: a caller that has judged the element by the standard need not say it twice.
    """

    id: str
    fields: tuple[int, ...]
    versions: tuple[str, ...]
    mtis: tuple[str, ...]
    check: str
    severity: str
    expected: str
    hint: str
    source: str
    confidence: str
    standard: bool = False
    pattern: re.Pattern[str] | None = None
    min: int = 0
    max: int = 9999
    multiple: int = 1
    values: frozenset[str] = frozenset()
    at: tuple[int, int] | None = None
    lead: int = 0
    parts: frozenset[str] = frozenset()
    beside: int = 0
    when: re.Pattern[str] | None = None
    wrapper: bool = False

    def applies(self, mti: str, version: str) -> bool:
        """Whether the rule speaks of messages *mti* read as *version*."""
        asked = any(_masked(mask, mti) for mask in self.mtis) if self.mtis else mti[1:2] != "8"
        return asked and version in self.versions


@dataclass(frozen=True, slots=True)
class MtiVersions:
    """How the network takes each version digit of the MTI: `severities` pairs digit and severity."""

    severities: tuple[tuple[str, str], ...]
    expected: str
    hint: str
    source: str
    confidence: str

    def severity(self, mti: str) -> str | None:
        """The severity of a message with this *mti*; None when it is fine, or no version at all."""
        severity = dict(self.severities).get(mti[:1], "ok")
        return None if severity == "ok" else severity


@dataclass(frozen=True, slots=True)
class Echo:
    """The echo test in the network's own dialect: the MTI, and the element that says echo."""

    mti: str
    field: int
    code: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Network:
    """One card network. `foreign` pairs brand and severity of a card in none of `ranges` (others are errors);
    `notes` tell what the text cannot show.

    `aid` is the application identifier of its chip cards, `colour` the one plots draw it in. `spoken` is a
    pattern of the words that name it in plain English, `meant` one of words that may mean it. `dialects`
    say by version what generate adds to, or leaves out of, messages with a card.
    """

    name: str
    title: str
    luhn: bool
    aid: str
    issuer_data: str
    colour: str
    spoken: str
    meant: str
    native_version: str
    mti_versions: MtiVersions
    ranges: tuple[CardRange, ...]
    foreign: tuple[tuple[str, str], ...]
    formats: tuple[FormatRow, ...]
    echo: Echo
    notes: tuple[str, ...]
    dialects: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a message of one network and MTI carries an element. `presence`: M must, C must when
    the predicate `when` holds, X must not, O may."""

    network: str
    mti: str
    field: int
    presence: str
    severity: str
    when: str
    condition: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class ResponseCode:
    """One code of DE 39. `kind`: approved, declined, pick-up, referral, system, accepted or reason;
    `where`: response, request or both."""

    network: str
    code: str
    meaning: str
    kind: str
    where: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class TestCard:
    """A published test card number. `network` is its own, `detected` what its prefix says (both empty
    for a brand outside the networks); `exception` tells why, where they differ."""

    __test__ = False  # not a test case, whatever pytest makes of the name

    network: str
    pan: str = field(repr=False)
    luhn: bool
    default: bool
    detected: str
    exception: str
    note: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Detection:
    """Whose card a number is. `network` is None for a brand outside the networks."""

    network: str | None
    brand: str
    range: CardRange


@dataclass(frozen=True, slots=True)
class CardVerdict:
    """What one network says of a card number; `severity` None: nothing. Holds no digits of it."""

    severity: str | None
    reason: str
    expected: str
    found: str
    source: str


def _masked(mask: str, mti: str) -> bool:
    return len(mti) == 4 and all(want in ("x", have) for want, have in zip(mask, mti, strict=True))


def record(kind: Callable[..., Made], row: Mapping[str, Any], where: str) -> Made:
    """The record of *row*, which stands *where*. Raises SpecError for a column that it does not have, with
    the nearest, and for one that is missing."""
    known = {one.name: one.default is MISSING for one in fields(kind)}  # type: ignore[arg-type]
    for name in row:
        if name not in known:
            found = f"{name!r}{did_you_mean(name, known)}"
            raise SpecError(None, None, f"{where} with some of {', '.join(known)}", found)
    if lacking := [name for name, needed in known.items() if needed and name not in row]:
        raise SpecError(None, None, f"{where} with {', '.join(lacking)}", "none")
    return kind(**row)
