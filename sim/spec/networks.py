"""The card networks: the tables in `data/networks` as typed records; which network a card number belongs to,
and its check digit (ISO/IEC 7812-1, annex B).

Each network is a file: `data/networks/VISA.toml` is the network VISA.

The tables state the requirements, the rules apply them. Severities are `error`, `warning`, `info` and, for
a range or an MTI, `ok`; a row whose confidence is `unsourced` is never an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, lru_cache
from typing import Any, TypeVar

from sim.errors import ChoiceError, SpecError, counted, did_you_mean, either
from sim.spec.codes import Code, lookup
from sim.spec.elements import VERSIONS, Spec, spec
from sim.spec.layouts import laid_out, layouts
from sim.spec.tables import names, read_csv, read_toml

T = TypeVar("T")


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


# Checks of the parts of an element whose format is right.
_INSIDE = ("part", "listed", "holds", "lacks", "country", "recent")


@dataclass(frozen=True, slots=True)
class FormatRow:
    """One rule on the text of some elements; field 0 is the MTI. `CHECKS` says what `check` means.

    `mtis` are masks such as `02xx`; none means every MTI except network management, which has no card.
    `parts` are parts of the element's layout. The rule applies only if the elements, or parts of them
    (`35.service`), in `given` match their patterns (a missing one is an empty text), and the value's own
    parts in `where` match theirs.
    """

    id: str
    fields: tuple[int, ...]
    versions: tuple[str, ...]
    check: str
    severity: str
    expected: str
    hint: str
    source: str
    confidence: str
    mtis: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    min: int = 0
    max: int = 9999
    values: frozenset[str] = frozenset()
    at: tuple[int, int] | None = None
    parts: frozenset[str] = frozenset()
    given: tuple[tuple[str, re.Pattern[str]], ...] = ()
    where: tuple[tuple[str, re.Pattern[str]], ...] = ()
    wrapper: bool = False

    @property
    def of_the_form(self) -> bool:
        """Whether the rule is about the format of the element, unconditionally."""
        return not (self.given or self.where or self.check in _INSIDE)

    def applies(self, mti: str, version: str) -> bool:
        """Whether the rule applies to messages *mti* read as *version*."""
        covers_mti = any(_masked(mask, mti) for mask in self.mtis) if self.mtis else mti[1:2] != "8"
        return covers_mti and version in self.versions


@dataclass(frozen=True, slots=True)
class MtiVersions:
    """The network's severity for each version digit of the MTI; `also` are MTIs that it sends nevertheless,
    as in clearing files."""

    severities: Mapping[str, str]
    expected: str
    hint: str
    source: str
    confidence: str
    also: Sequence[str] = ()

    def severity(self, mti: str) -> str | None:
        """The severity of this *mti*; None if it is allowed, or its version digit is unknown."""
        severity = "ok" if mti in self.also else self.severities.get(mti[:1], "ok")
        return None if severity == "ok" else severity


@dataclass(frozen=True, slots=True)
class Echo:
    """The network's echo test: its MTI, and the element and code that mark it."""

    mti: str
    field: int
    code: str
    source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Network:
    """One card network. `foreign` are severities of cards outside `ranges` by brand (others are errors);
    `stated` are its rows on the format of elements, `notes` say what the text form cannot show.

    `aid` is the application identifier of its chip cards, `colour` its color in plots. `spoken` is a pattern
    of the words that name it in plain English. `dialects` are, by version, what generate adds to messages
    with a card, or leaves out.
    """

    name: str
    title: str
    luhn: bool
    aid: str
    issuer_data: str
    colour: str
    spoken: str
    native_version: str
    mti_versions: MtiVersions
    ranges: tuple[CardRange, ...]
    foreign: Mapping[str, str]
    stated: tuple[FormatRow, ...]
    echo: Echo
    notes: tuple[str, ...]
    dialects: Mapping[str, Mapping[str, Any]]

    @property
    def formats(self) -> tuple[FormatRow, ...]:
        """The rules on the format of elements: those `stated` in the file, and those from layouts."""
        return self.stated + tuple(row for version in VERSIONS for row in _laid_out(self.name, version))


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a message of one network and MTI carries an element. `presence`: M must, C must if the
    predicate `when` is true, X must not, O may."""

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
    """A published test card number. `network` is its own, `detected` the one of its prefix (both empty for a
    brand outside the networks); `exception` says why if they differ."""

    __test__ = False  # not a test case, despite the name

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
    """The network and brand of a card number. `network` is None for a brand outside the networks."""

    network: str | None
    brand: str
    range: CardRange


@dataclass(frozen=True, slots=True)
class CardVerdict:
    """One network's verdict on a card number; `severity` None: accepted. Contains no digits of it."""

    severity: str | None
    reason: str
    expected: str
    found: str
    source: str


def _masked(mask: str, mti: str) -> bool:
    return len(mti) == 4 and all(want in ("x", have) for want, have in zip(mask, mti, strict=True))


def record(kind: Callable[..., T], row: Mapping[str, Any], where: str) -> T:
    """The record of *row*, which is found at *where*. Raises SpecError for an unknown column, with the
    nearest name, and for a missing one."""
    columns = {item.name: item.default is MISSING for item in fields(kind)}  # type: ignore[arg-type]
    for name in row:
        if name not in columns:
            found = f"{name!r}{did_you_mean(name, columns)}"
            raise SpecError(None, None, f"{where} with some of {', '.join(columns)}", found)
    if lacking := [name for name, needed in columns.items() if needed and name not in row]:
        raise SpecError(None, None, f"{where} with {', '.join(lacking)}", "none")
    return kind(**row)


# What doubling adds to an ASCII digit, modulo ten (7 -> 14 -> 1 + 4 = 5, which adds 8).
_MORE = bytes.maketrans(b"0123456789", bytes((0, 1, 2, 3, 4, 6, 7, 8, 9, 0)))
_ZERO = ord("0")


def luhn_ok(pan: str) -> bool:
    """Whether the last digit of *pan* (ASCII digits) is the check digit of the others (ISO/IEC 7812-1, annex
    B).

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    digits = pan.encode()
    return (sum(digits) - _ZERO * len(digits) + sum(digits[-2::-2].translate(_MORE))) % 10 == 0


def check_digit(payload: str) -> str:
    """The check digit that completes *payload* (ASCII digits) to a card number.

    >>> check_digit("411111111111111")
    '1'
    """
    digits = payload.encode()
    return str(-(sum(digits) - _ZERO * len(digits) + sum(digits[-1::-2].translate(_MORE))) % 10)


# By `place`; files with names in lower case contain what networks share.
NETWORKS: tuple[str, ...] = tuple(
    sorted(
        filter(str.isupper, names("networks", ".toml")),
        key=lambda name: (read_toml(f"networks/{name}").get("place", 99), name),
    )
)

# The meanings of a format's `check` and of a presence row's `when`.
CHECKS: Mapping[str, str] = read_toml("networks/terms")["checks"]
PREDICATES: Mapping[str, str] = read_toml("networks/terms")["predicates"]


def _checked_name(name: str) -> str:
    if name not in NETWORKS:
        raise ChoiceError.of("network", name, NETWORKS)
    return name


def _range(row: dict[str, Any], luhn: bool) -> CardRange:
    row = {"luhn": luhn, **row, "lengths": tuple(row.get("lengths", ()))}
    return record(CardRange, row, "a row of [[ranges]]")


def _format(row: dict[str, Any], name: str) -> FormatRow:
    columns: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    columns |= {key: frozenset(row[key]) for key in ("values", "parts") if key in row}
    if "pattern" in row:
        columns["pattern"] = _compiled(row["pattern"])
    for key in {"given", "where"} & row.keys():
        columns[key] = tuple((name, _compiled(text)) for name, text in row[key].items())
    return record(FormatRow, columns, f"a row of [[formats]] in {name}.toml")


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.DOTALL)


_CHIP_DATA = 55  # has its own rules, and several layouts
# Element names that say who uses the element, not what for.
_LEFT_OPEN = re.compile("^Reserved for|- private$")


@cache
def _laid_out(name: str, version: str) -> tuple[FormatRow, ...]:
    """A row for each element of *version* with a layout of the network's own, unless its table already has
    rows on the element's format."""
    owner, rows = network(name), []
    looked = {_CHIP_DATA} | {number for row in owner.stated if row.of_the_form for number in row.fields}
    for number in sorted(laid_out(version, name) - laid_out(version) - looked):
        if not spec(version)[number].fixed:  # a fixed element always fits
            cell = layouts(version, number, name)[0].cell
            words = f"{cell.name} in the {owner.title} layout", _LAYOUT_HINT, cell.source, cell.confidence
            # If others may use the element, too, a row says what identifies the network's own layout.
            layout_rows = [row for row in owner.stated if row.check == "layout" and number in row.fields]
            others = tuple((key, _other(pattern)) for row in layout_rows for key, pattern in row.given)
            severity = "info" if layout_rows or cell.confidence == "unsourced" else "warning"
            row = FormatRow(
                f"layout-{number}", (number,), (version,), "layout", severity, *words, given=others
            )
            rows.append(row)
    return tuple(rows)


def _other(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """A pattern that matches exactly what *pattern* does not."""
    return _compiled(rf"(?!(?:{pattern.pattern})\Z).*")


_LAYOUT_HINT = (
    "The parts of this element are known from public sources only; what a link has agreed on, or a newer "
    "release of the network has added, may differ."
)


def network_value(name: str, what: str) -> str:
    """A plain value in the table of network *name*, such as its `title` or `aid`, without building its rules.

    >>> network_value("AMEX", "title")
    'American Express'
    """
    return str(read_toml(f"networks/{_checked_name(name)}")[what])


@cache
def _ranges(name: str) -> tuple[CardRange, ...]:
    """The card ranges only: detecting a card's network needs nothing else."""
    table = read_toml(f"networks/{_checked_name(name)}")
    return tuple(_range(row, table["luhn"]) for row in table["ranges"])


# What every network's file must have.
_WORDS = ("name", "title", "luhn", "aid", "issuer_data", "colour", "spoken", "native_version")
_NEEDED = (*_WORDS, "notes", "mti_versions", "ranges", "echo")


@cache
def network(name: str) -> Network:
    """The network *name*, one of `NETWORKS`. Raises ChoiceError for any other.

    >>> network("AMEX").title, network("AMEX").native_version
    ('American Express', '1993')
    """
    table = read_toml(f"networks/{_checked_name(name)}")
    if lacking := [key for key in _NEEDED if key not in table]:
        raise SpecError(None, None, f"{', '.join(lacking)} in {name}.toml", "none")
    return Network(
        **{key: table[key] for key in _WORDS},
        mti_versions=MtiVersions(**table["mti_versions"]),
        ranges=_ranges(name),
        foreign=table.get("foreign", {}),
        stated=tuple(_format(row, name) for row in table.get("formats", ())),
        echo=Echo(**table["echo"]),
        notes=tuple(table["notes"]),
        dialects=table.get("dialects", {}),
    )


@lru_cache(maxsize=4096)
def element_name(version: str, number: int, name: str = "") -> str:
    """The name of element *number* of *version*. If the standard reserves it or leaves it to private use, it
    is named after what network *name* puts there, or what it contains in practice.

    >>> element_name("1987", 61), element_name("1987", 61, "MASTERCARD"), element_name("1987", 55)
    ('Reserved for private use', 'Point of service data', 'Chip data')
    """
    standard = spec(version)[number].name
    if not _LEFT_OPEN.search(standard):
        return standard
    labels = {layout.cell.name for layout in layouts(version, number, name or None) if layout.network}
    for row in read_csv("networks/names"):
        if int(row["number"]) == number and row["network"] in ("", name):
            labels = {row["name"]}
    label = labels.pop() if len(labels) == 1 else standard
    return label[:1].upper() + label[1:]


def told_name(table: Spec, number: int, name: str = "") -> str:
    """`element_name` for an element *table*, which may be a dialect with its own names."""
    label = table[number].name
    return element_name(table.version, number, name) if label == spec(table.version)[number].name else label


@lru_cache(maxsize=1024)
def formats(name: str, mti: str, version: str) -> tuple[FormatRow, ...]:
    """The format rules of network *name* for messages *mti* read as *version*."""
    rows = network(name).stated + _laid_out(name, version)
    return tuple(rule for rule in rows if rule.applies(mti, version))


@cache
def _presence() -> Mapping[tuple[str, str], tuple[Presence, ...]]:
    index: dict[tuple[str, str], list[Presence]] = {}
    for row in read_csv("networks/presence"):
        entry = Presence(**row | {"field": int(row["field"])})  # type: ignore[arg-type]
        index.setdefault((entry.network, entry.mti), []).append(entry)
    return {key: tuple(rows) for key, rows in index.items()}


def presence(name: str, mti: str) -> tuple[Presence, ...]:
    """The rows of network *name* for *mti*, by element; none if it has no rows for the MTI.

    An element without a row is optional, not forbidden.
    """
    return _presence().get((_checked_name(name), mti), ())


def presence_of(name: str) -> tuple[Presence, ...]:
    """All rows of network *name*."""
    by_mti = (rows for (owner, _), rows in _presence().items() if owner == _checked_name(name))
    return tuple(row for rows in by_mti for row in rows)


_TABLES_OF_NETWORKS = ("1987", "1993")  # the versions of the networks' own response codes


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
    index, owner = _response_codes(), _checked_name(name)
    hits = (index.get((owner, code, place)) for place in (where, "response", "request"))
    return next(filter(None, hits), None)


@cache
def response_codes_of(name: str | None = None) -> tuple[ResponseCode, ...]:
    """The response codes of network *name*, or of all networks if it is None.

    >>> response_codes_of("JCB")[0].meaning
    'approved'
    """
    rows = {(row.network, row.code): row for row in _response_codes().values() if row.where != "request"}
    owners = NETWORKS if name is None else (_checked_name(name),)
    return tuple(row for row in rows.values() if row.network in owners)


def answer(
    code: str, version: str, network: str | None, *, where: str = "response"
) -> ResponseCode | Code | None:
    """What response code *code* means in a `response`, or as the reason in a `request`: by the table of
    *network*, else by the standard's list of *version*; None if neither has it.

    >>> answer("70", "1987", "VISA").meaning
    'PIN data required'
    """
    has_table = version in _TABLES_OF_NETWORKS
    own_code = response_code(network, code, where=where) if network and has_table else None
    return own_code or lookup("response_code", code, version=version, network=network)


@cache
def test_cards(network: str | None = None) -> tuple[TestCard, ...]:  # noqa: PT028, a public name, no test
    """Published test cards: those of *network*, or all, including brands outside the six."""
    if network is not None:
        return tuple(card for card in test_cards() if card.network == _checked_name(network))
    flags = ("luhn", "default")
    return tuple(
        TestCard(**{k: v == "yes" if k in flags else v for k, v in row.items() if k != "length"})  # type: ignore[arg-type]
        for row in read_csv("networks/test_cards")
    )


test_cards.__test__ = False  # type: ignore[attr-defined]


@cache
def default_card(name: str) -> TestCard:
    """The test card in messages of network *name* if the caller chooses none."""
    return next(card for card in test_cards(name) if card.default)


def _cover(block: CardRange) -> Iterator[str]:
    """The fewest prefixes that cover *block*: 222100 to 272099 is 2221, 2222 ... 2720."""
    width, at, last = len(block.low), int(block.low), int(block.high)
    while at <= last:
        step = 1
        while at % (10 * step) == 0 and at + 10 * step - 1 <= last and 10 * step < 10**width:
            step *= 10
        yield str(at).zfill(width)[: width - len(str(step)) + 1]
        at += step


def _longest(by_prefix: Mapping[str, T], pan: str) -> T | None:
    for size in (6, 5, 4, 3, 2, 1):  # our IIN ranges have at most six digits
        if value := by_prefix.get(pan[:size]):
            return value
    return None


@cache
def _owners() -> Mapping[str, Detection]:
    """The owner of each prefix. A range of another network's brand (alliance, co-brand) does not count."""
    titles = {name: network_value(name, "title") for name in NETWORKS}
    index: dict[str, Detection] = {}
    for name, title in titles.items():
        for block in _ranges(name):
            if block.brand == title or block.brand not in titles.values():
                index |= dict.fromkeys(_cover(block), Detection(name, block.brand, block))
    for row in read_toml("networks/other")["ranges"]:
        block = _range(row, luhn=True)
        index = dict.fromkeys(_cover(block), Detection(None, block.brand, block)) | index
    return index


@cache
def _accepted(name: str) -> Mapping[str, CardRange]:
    return {prefix: block for block in network(name).ranges for prefix in _cover(block)}


def detect(pan: str) -> Detection | None:
    """The network and brand of *pan*, by its longest known prefix; None if the brand is unknown.

    Looks at the leading digits only: length and check digit are checked elsewhere.

    >>> detect("6221261111117766").network, detect("36227206271667").brand
    ('UNIONPAY', 'Diners Club')
    """
    return _longest(_owners(), pan)


def _own_ranges(net: Network) -> str:
    blocks = (block for block in net.ranges if block.report == "ok")
    spans = [block.low if block.low == block.high else f"{block.low}-{block.high}" for block in blocks]
    return f"a card number of {net.title}, beginning with {either(spans)}"


def judge(name: str, pan: str) -> CardVerdict:
    """The verdict of network *name* on the range, length and brand of *pan*, but not on its check digit.

    The network's own card is accepted; a shared one gets its range's severity; a wrong length is an error; so
    is a foreign card, unless the network's table says less.
    """
    net = network(name)
    block = _longest(_accepted(name), pan)
    if block is None:
        owner = detect(pan)
        brand = owner.brand if owner else "unknown"
        card = f"a card number of {owner.brand}" if owner else "a card number of no known brand"
        severity = net.foreign.get(brand, "error")
        reason = f"{card} does not belong to {net.title}"
        if severity != "error":
            reason = f"{card} is of none of {net.title}'s own ranges, but may travel in its messages"
        source = owner.range.source if owner else net.ranges[0].source
        return CardVerdict(severity, reason, _own_ranges(net), card, source)
    place = "" if block.brand == net.title else f" on {net.title}"
    if len(pan) not in block.lengths:
        lengths = either([str(length) for length in block.lengths]) + " digits"
        reason = f"card numbers of {block.brand}{place} have {lengths}, this one {len(pan)}"
        return CardVerdict("error", reason, lengths, counted(len(pan), "digit"), block.source)
    card = f"a card number of {block.brand}"
    if block.report == "ok":
        return CardVerdict(None, f"{card} on its own network", _own_ranges(net), card, block.source)
    which = f"{card} ({block.status} range)"
    reason = f"{which}{place}. {block.note}".strip()
    return CardVerdict(block.report, reason, _own_ranges(net), card if place else which, block.source)
