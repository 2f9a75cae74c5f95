"""What the six card networks say: typed records of the tables in `data/networks`.

The tables say what is asked for, the rules decide. Severities are `error`, `warning`, `info` and, for
a range or an MTI, `ok`; a row whose confidence is `unsourced` is never an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

from sim.errors import SpecError
from sim.spec.tables import read_csv, read_toml

T = TypeVar("T")
NETWORKS: tuple[str, ...] = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY")

# What a format's `check` and a presence row's `when` mean, by name.
CHECKS: Mapping[str, str] = read_toml("networks/terms")["checks"]
PREDICATES: Mapping[str, str] = read_toml("networks/terms")["predicates"]


@dataclass(frozen=True, slots=True)
class Range:
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
class Format:
    """One rule on the text of some elements; field 0 is the MTI. `CHECKS` says what `check` means.

    `mtis` are masks such as `02xx`; none means every MTI but network management, which has no card.
    `standard` marks what the standard itself says of the element in these versions: a caller that
    has judged the element by the standard need not say it twice.
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
    sizes: tuple[tuple[str, int, int], ...] = ()
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
    """One card network. `response_lengths` pairs version and length of DE 39; `foreign` pairs brand and
    severity of a card in none of `ranges` (others are errors); `notes` tell what the text cannot show."""

    name: str
    title: str
    luhn: bool
    native_version: str
    mti_versions: MtiVersions
    ranges: tuple[Range, ...]
    foreign: tuple[tuple[str, str], ...]
    formats: tuple[Format, ...]
    echo: Echo
    response_lengths: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]


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
    for none of the six); `exception` tells why, where they differ."""

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
    """Whose card a number is. `network` is None for a brand outside the six."""

    network: str | None
    brand: str
    range: Range


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one network says of a card number; `severity` None: nothing. Holds no digits of it."""

    severity: str | None
    reason: str
    expected: str
    found: str
    source: str


def _masked(mask: str, mti: str) -> bool:
    return len(mti) == 4 and all(want in ("x", have) for want, have in zip(mask, mti, strict=True))


def _known(name: str) -> str:
    if name not in NETWORKS:
        raise SpecError(None, None, "one of " + ", ".join(NETWORKS), repr(name)[:40])
    return name


def _range(row: dict[str, Any], luhn: bool) -> Range:
    return Range(**{"luhn": luhn} | row | {"lengths": tuple(row["lengths"])})


def _format(row: dict[str, Any]) -> Format:
    made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    made["mtis"] = tuple(row.get("mtis", ()))
    made["values"] = frozenset(row.get("values", ()))
    made["sizes"] = tuple((tag, *limits) for tag, limits in row.get("sizes", {}).items())
    if "pattern" in row:
        made["pattern"] = re.compile(row["pattern"], re.ASCII | re.DOTALL)
    return Format(**made)


@cache
def network(name: str) -> Network:
    """The network *name*, one of `NETWORKS`. Raises SpecError for another.

    >>> network("AMEX").title, network("AMEX").native_version
    ('American Express', '1993')
    """
    table = read_toml(f"networks/{_known(name)}")
    versions = table["mti_versions"]
    return Network(
        name=table["name"],
        title=table["title"],
        luhn=table["luhn"],
        native_version=table["native_version"],
        mti_versions=MtiVersions(**versions | {"severities": tuple(versions["severities"].items())}),
        ranges=tuple(_range(row, table["luhn"]) for row in table["ranges"]),
        foreign=tuple(table.get("foreign", {}).items()),
        formats=tuple(_format(row) for row in table["formats"]),
        echo=Echo(**table["echo"]),
        response_lengths=tuple(table["response_codes"]["lengths"].items()),
        notes=tuple(table["notes"]),
    )


@lru_cache(maxsize=1024)
def formats(name: str, mti: str, version: str) -> tuple[Format, ...]:
    """The formats of network *name* that speak of messages *mti* read as *version*."""
    return tuple(rule for rule in network(name).formats if rule.applies(mti, version))


@cache
def _presence() -> Mapping[tuple[str, str], tuple[Presence, ...]]:
    index: dict[tuple[str, str], list[Presence]] = {}
    for row in read_csv("networks/presence"):
        made = Presence(**row | {"field": int(row["field"])})  # type: ignore[arg-type]
        index.setdefault((made.network, made.mti), []).append(made)
    return {key: tuple(rows) for key, rows in index.items()}


def presence(name: str, mti: str) -> tuple[Presence, ...]:
    """The rows of network *name* for *mti*, by element; none for an MTI it has no rows of.

    An element without a row is optional, not forbidden.
    """
    return _presence().get((_known(name), mti), ())


@cache
def _response_codes() -> Mapping[tuple[str, str, str], ResponseCode]:
    index: dict[tuple[str, str, str], ResponseCode] = {}
    for row in read_csv("networks/response_codes"):
        for where in ("response", "request") if row["where"] == "both" else (row["where"],):
            index[row["network"], row["code"], where] = ResponseCode(**row)
    return index


def response_code(name: str, code: str, *, where: str = "response") -> ResponseCode | None:
    """What *code* in DE 39 means on network *name*, in a `response` or a `request`; None if unlisted.

    >>> response_code("VISA", "70").meaning
    'PIN data required'
    """
    index, places = _response_codes(), (where, "response", "request")
    return next((hit for place in places if (hit := index.get((_known(name), code, place)))), None)


@cache
def test_cards(network: str | None = None) -> tuple[TestCard, ...]:  # noqa: PT028, a public name, no test
    """Published test cards: those of *network*, or all, also of brands outside the six."""
    if network is not None:
        return tuple(card for card in test_cards() if card.network == _known(network))
    flags = ("luhn", "default")
    return tuple(
        TestCard(**{k: v == "yes" if k in flags else v for k, v in row.items() if k != "length"})  # type: ignore[arg-type]
        for row in read_csv("networks/test_cards")
    )


test_cards.__test__ = False  # type: ignore[attr-defined]


@cache
def default_card(name: str) -> TestCard:
    """The test card a message of network *name* gets when none is asked for."""
    return next(card for card in test_cards(name) if card.default)


def _cover(block: Range) -> Iterator[str]:
    """The fewest prefixes that cover *block*: 222100 to 272099 is 2221, 2222 ... 2720."""
    width, at, last = len(block.low), int(block.low), int(block.high)
    while at <= last:
        step = 1
        while at % (10 * step) == 0 and at + 10 * step - 1 <= last and 10 * step < 10**width:
            step *= 10
        yield str(at).zfill(width)[: width - len(str(step)) + 1]
        at += step


def _longest(by_prefix: Mapping[str, T], pan: str) -> T | None:
    for size in (6, 5, 4, 3, 2, 1):  # an IIN range is given by six digits at most
        if found := by_prefix.get(pan[:size]):
            return found
    return None


@cache
def _owners() -> Mapping[str, Detection]:
    """Whose card a prefix says. A range of another network's brand (alliance, co-brand) owns nothing."""
    titles = {name: network(name).title for name in NETWORKS}
    index: dict[str, Detection] = {}
    for name, title in titles.items():
        for block in network(name).ranges:
            if block.brand == title or block.brand not in titles.values():
                index |= dict.fromkeys(_cover(block), Detection(name, block.brand, block))
    for row in read_toml("networks/other")["ranges"]:
        block = _range(row, luhn=True)
        index = dict.fromkeys(_cover(block), Detection(None, block.brand, block)) | index
    return index


@cache
def _accepted(name: str) -> Mapping[str, Range]:
    return {prefix: block for block in network(name).ranges for prefix in _cover(block)}


def detect(pan: str) -> Detection | None:
    """Whose card *pan* is, by its longest known prefix; None for no known brand.

    Looks at the leading digits only: length and check digit are judged elsewhere.

    >>> detect("6221261111117766").network, detect("36227206271667").brand
    ('UNIONPAY', 'Diners Club')
    """
    return _longest(_owners(), pan)


def _either(words: list[str]) -> str:
    return " or ".join(", ".join(words).rsplit(", ", 1))


def _own_ranges(net: Network) -> str:
    own = (block for block in net.ranges if block.report == "ok")
    spans = [block.low if block.low == block.high else f"{block.low}-{block.high}" for block in own]
    return f"a card number of {net.title}, beginning with {_either(spans)}"


def judge(name: str, pan: str) -> Verdict:
    """What network *name* says of card number *pan*: range, length, brand. Luhn is not looked at.

    The network's own card is fine; a shared one gets its range's severity; a foreign one, or one of a
    wrong length, is an error unless the network's table says less.
    """
    net = network(name)
    block = _longest(_accepted(name), pan)
    if block is None:
        owner = detect(pan)
        brand = owner.brand if owner else "unknown"
        found = f"a card number of {owner.brand}" if owner else "a card number of no known brand"
        severity = dict(net.foreign).get(brand, "error")
        source = owner.range.source if owner else net.ranges[0].source
        return Verdict(severity, f"{found} does not belong to {net.title}", _own_ranges(net), found, source)
    if len(pan) not in block.lengths:
        lengths = _either([str(length) for length in block.lengths]) + " digits"
        place = "" if block.brand == net.title else f" on {net.title}"
        reason = f"card numbers of {block.brand}{place} have {lengths}, this one {len(pan)}"
        return Verdict("error", reason, lengths, f"{len(pan)} digits", block.source)
    found = f"a card number of {block.brand}"
    if block.report == "ok":
        return Verdict(None, f"{found} on its own network", _own_ranges(net), found, block.source)
    reason = f"{found} ({block.status} range) on {net.title}. {block.note}".strip()
    return Verdict(block.report, reason, _own_ranges(net), found, block.source)


def allowed(name: str, pan: str) -> tuple[str | None, str]:
    """The severity of card number *pan* on network *name*, None when fine, and the reason.

    >>> allowed("VISA", "5555555555554444")
    ('error', 'a card number of Mastercard does not belong to Visa')
    >>> allowed("DISCOVER", "3530111333300000")[0]
    'info'
    """
    return (verdict := judge(name, pan)).severity, verdict.reason
