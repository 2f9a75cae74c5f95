"""What the card networks say: the tables in `data/networks` as typed records; whose card a number is, and its
check digit (ISO/IEC 7812-1, annex B).

A network is there because its file is: `data/networks/VISA.toml` is the network VISA.

The tables say what is asked for, the rules decide. Severities are `error`, `warning`, `info` and, for
a range or an MTI, `ok`; a row whose confidence is `unsourced` is never an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import Any, TypeVar

from sim.errors import ChoiceError, SpecError, did_you_mean, either
from sim.spec.codes import Code, lookup
from sim.spec.elements import VERSIONS, Spec, spec
from sim.spec.layouts import laid_out, layouts
from sim.spec.tables import names, read_csv, read_toml

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


# Checks of what is inside an element that has its form.
_INSIDE = ("part", "listed", "holds", "lacks", "country")


@dataclass(frozen=True, slots=True)
class FormatRow:
    """One rule on the text of some elements; field 0 is the MTI. `CHECKS` says what `check` means.

    `mtis` are masks such as `02xx`; none means every MTI but network management, which has no card.
    `parts` are parts of the element's layout. `given` are other elements, or what is inside them
    (`35.service`), and the patterns that they must match for the rule to be asked at all, one that is missing
    being an empty text; `where` are parts of the value itself with their patterns.
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
    pattern: re.Pattern[str] | None = None
    min: int = 0
    max: int = 9999
    values: frozenset[str] = frozenset()
    at: tuple[int, int] | None = None
    lead: int = 0
    parts: frozenset[str] = frozenset()
    given: tuple[tuple[str, re.Pattern[str]], ...] = ()
    where: tuple[tuple[str, re.Pattern[str]], ...] = ()
    wrapper: bool = False

    @property
    def of_the_form(self) -> bool:
        """Whether the rule speaks of the form of the element, by itself."""
        return not (self.given or self.where or self.check in _INSIDE)

    def applies(self, mti: str, version: str) -> bool:
        """Whether the rule speaks of messages *mti* read as *version*."""
        asked = any(_masked(mask, mti) for mask in self.mtis) if self.mtis else mti[1:2] != "8"
        return asked and version in self.versions


@dataclass(frozen=True, slots=True)
class MtiVersions:
    """How the network takes each version digit of the MTI: `severities` pairs digit and severity; `also` are
    MTIs that it sends all the same, as in clearing files."""

    severities: tuple[tuple[str, str], ...]
    expected: str
    hint: str
    source: str
    confidence: str
    also: Sequence[str] = ()

    def severity(self, mti: str) -> str | None:
        """The severity of a message with this *mti*; None when it is fine, or no version at all."""
        severity = "ok" if mti in self.also else dict(self.severities).get(mti[:1], "ok")
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
    `stated` are its rows on the form of elements, `notes` tell what the text cannot show.

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
    stated: tuple[FormatRow, ...]
    echo: Echo
    notes: tuple[str, ...]
    dialects: Mapping[str, Mapping[str, Any]]

    @property
    def formats(self) -> tuple[FormatRow, ...]:
        """What is asked of the form of elements: what is `stated` in the file, and what layouts tell."""
        return self.stated + tuple(row for version in VERSIONS for row in _laid_out(self.name, version))


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


# What an ASCII digit counts for more where it is doubled, modulo ten (7 -> 14 -> 1 + 4 = 5, which is 8 more).
_MORE = bytes.maketrans(b"0123456789", bytes((0, 1, 2, 3, 4, 6, 7, 8, 9, 0)))
_ZERO = ord("0")


def luhn_ok(pan: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B). *pan* is ASCII
    digits.

    >>> luhn_ok("4111111111111111"), luhn_ok("4111111111111112")
    (True, False)
    """
    digits = pan.encode()
    return (sum(digits) - _ZERO * len(digits) + sum(digits[-2::-2].translate(_MORE))) % 10 == 0


def check_digit(payload: str) -> str:
    """The digit that makes *payload* a card number. *payload* is ASCII digits.

    >>> check_digit("411111111111111")
    '1'
    """
    digits = payload.encode()
    return str(-(sum(digits) - _ZERO * len(digits) + sum(digits[-1::-2].translate(_MORE))) % 10)


T = TypeVar("T")


def _found() -> tuple[str, ...]:
    """The files of networks, by place; those in lower case hold what the networks share."""
    files = [name for name in names("networks", ".toml") if name.isupper()]
    return tuple(
        sorted(files, key=lambda name: (read_toml(f"networks/{name}").get("place", len(files)), name))
    )


NETWORKS: tuple[str, ...] = _found()

# What a format's `check` and a presence row's `when` mean, by name.
CHECKS: Mapping[str, str] = read_toml("networks/terms")["checks"]
PREDICATES: Mapping[str, str] = read_toml("networks/terms")["predicates"]


def _known(name: str) -> str:
    if name not in NETWORKS:
        raise ChoiceError.of("network", name, NETWORKS)
    return name


def _range(row: dict[str, Any], luhn: bool) -> CardRange:
    row = row | {"lengths": tuple(row.get("lengths", ()))}
    return record(CardRange, {"luhn": luhn} | row, "a row of [[ranges]]")


def _format(row: dict[str, Any], name: str) -> FormatRow:
    made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    made["mtis"] = tuple(row.get("mtis", ()))
    made["values"] = frozenset(row.get("values", ()))
    made["parts"] = frozenset(row.get("parts", ()))
    if "pattern" in row:
        made["pattern"] = _compiled(row["pattern"])
    for key in ("given", "where"):
        if key in row:
            made[key] = tuple((name, _compiled(text)) for name, text in row[key].items())
    return record(FormatRow, made, f"a row of [[formats]] in {name}.toml")


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.DOTALL)


_CHIP_DATA = 55  # has rules of its own, and several forms
# The names of elements that say who may fill them, not what with.
_LEFT_OPEN = re.compile("^Reserved for|- private$")


@cache
def _laid_out(name: str, version: str) -> tuple[FormatRow, ...]:
    """A row for each of the network's own elements of *version* of whose form its table says nothing, and of
    which the parts are known."""
    own, made = network(name), []
    looked = {_CHIP_DATA} | {number for row in own.stated if row.of_the_form for number in row.fields}
    for number in sorted(laid_out(version, name) - laid_out(version) - looked):
        if not spec(version)[number].fixed:  # its places always fit
            cell = layouts(version, number, name)[0].cell
            words = f"{cell.name} in the {own.title} layout", _LAYOUT_HINT, cell.source, cell.confidence
            # Where others may fill the element, too, a row says by what the network's own form is told.
            told = [row for row in own.stated if row.check == "layout" and number in row.fields]
            others = tuple((one, _other(pattern)) for row in told for one, pattern in row.given)
            severity = "info" if told or cell.confidence == "unsourced" else "warning"
            row = FormatRow(f"layout-{number}", (number,), (version,), (), "layout", severity, *words)
            made.append(replace(row, given=others))
    return tuple(made)


def _other(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """What matches where *pattern* does not."""
    return _compiled(rf"(?!(?:{pattern.pattern})\Z).*")


_LAYOUT_HINT = (
    "The parts of this element are known from public sources only; what a link has agreed on, or a newer "
    "release of the network has added, may differ."
)


def told(name: str, what: str) -> str:
    """A plain word of the table of network *name*, such as its `title` or `aid`, without making its rules.

    >>> told("AMEX", "title")
    'American Express'
    """
    return str(read_toml(f"networks/{_known(name)}")[what])


@cache
def _ranges(name: str) -> tuple[CardRange, ...]:
    """The card ranges alone: whose a card is, is asked before anything else is."""
    table = read_toml(f"networks/{_known(name)}")
    return tuple(_range(row, table["luhn"]) for row in table["ranges"])


# What the file of every network has.
_WORDS = ("name", "title", "luhn", "aid", "issuer_data", "colour", "spoken", "native_version")
_NEEDED = (*_WORDS, "notes", "mti_versions", "ranges", "echo")


@cache
def network(name: str) -> Network:
    """The network *name*, one of `NETWORKS`. Raises ChoiceError for another.

    >>> network("AMEX").title, network("AMEX").native_version
    ('American Express', '1993')
    """
    table = read_toml(f"networks/{_known(name)}")
    if lacking := [key for key in _NEEDED if key not in table]:
        raise SpecError(None, None, f"{', '.join(lacking)} in {name}.toml", "none")
    versions = table["mti_versions"]
    return Network(
        **{key: table[key] for key in _WORDS},
        meant=table.get("meant", ""),
        mti_versions=MtiVersions(**versions | {"severities": tuple(versions["severities"].items())}),
        ranges=_ranges(name),
        foreign=tuple(table.get("foreign", {}).items()),
        stated=tuple(_format(row, name) for row in table.get("formats", ())),
        echo=Echo(**table["echo"]),
        notes=tuple(table["notes"]),
        dialects=table.get("dialects", {}),
    )


@lru_cache(maxsize=4096)
def element_name(version: str, number: int, name: str = "") -> str:
    """What element *number* of *version* is called: where the standard reserves it or leaves it to private
    use, by what network *name* puts there, or by what is in it in practice.

    >>> element_name("1987", 61), element_name("1987", 61, "MASTERCARD"), element_name("1987", 55)
    ('Reserved for private use', 'Point of service data', 'Chip data')
    """
    standard = spec(version)[number].name
    if not _LEFT_OPEN.search(standard):
        return standard
    told = {one.cell.name for one in layouts(version, number, name or None) if one.network}
    for row in read_csv("networks/names"):
        if int(row["number"]) == number and row["network"] in ("", name):
            told = {row["name"]}
    found = told.pop() if len(told) == 1 else standard
    return found[:1].upper() + found[1:]


def told_name(table: Spec, number: int, name: str = "") -> str:
    """`element_name` of an element *table*, which may be a dialect's, with names of its own."""
    own = table[number].name
    return element_name(table.version, number, name) if own == spec(table.version)[number].name else own


@lru_cache(maxsize=1024)
def formats(name: str, mti: str, version: str) -> tuple[FormatRow, ...]:
    """The formats of network *name* that speak of messages *mti* read as *version*."""
    rows = network(name).stated + _laid_out(name, version)
    return tuple(rule for rule in rows if rule.applies(mti, version))


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


def presence_of(name: str) -> tuple[Presence, ...]:
    """All rows of network *name*."""
    return tuple(row for (own, _), rows in _presence().items() if own == _known(name) for row in rows)


_TABLES_OF_NETWORKS = ("1987", "1993")  # the versions that the networks' own response codes are of


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
def response_codes_of(name: str | None = None) -> tuple[ResponseCode, ...]:
    """The codes with which network *name* answers; those of all networks where it is None.

    >>> response_codes_of("JCB")[0].meaning
    'approved'
    """
    rows = {(one.network, one.code): one for one in _response_codes().values() if one.where != "request"}
    own = None if name is None else _known(name)
    return tuple(one for (network, _), one in rows.items() if own in (None, network))


def answer(
    code: str, version: str, network: str | None, *, where: str = "response"
) -> ResponseCode | Code | None:
    """What response code *code* means in a `response` or a `request`, of which it is the reason: on *network*
    by its own table, else by the standard's list of *version*; None where neither has it.

    >>> answer("70", "1987", "VISA").meaning
    'PIN data required'
    """
    own = response_code(network, code, where=where) if network and version in _TABLES_OF_NETWORKS else None
    return own or lookup("response_code", code, version=version, network=network)


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
    for size in (6, 5, 4, 3, 2, 1):  # an IIN range is given by six digits at most
        if found := by_prefix.get(pan[:size]):
            return found
    return None


@cache
def _owners() -> Mapping[str, Detection]:
    """Whose card a prefix says. A range of another network's brand (alliance, co-brand) owns nothing."""
    titles = {name: told(name, "title") for name in NETWORKS}
    index: dict[str, Detection] = {}
    for name, own in titles.items():
        for block in _ranges(name):
            if block.brand == own or block.brand not in titles.values():
                index |= dict.fromkeys(_cover(block), Detection(name, block.brand, block))
    for row in read_toml("networks/other")["ranges"]:
        block = _range(row, luhn=True)
        index = dict.fromkeys(_cover(block), Detection(None, block.brand, block)) | index
    return index


@cache
def _accepted(name: str) -> Mapping[str, CardRange]:
    return {prefix: block for block in network(name).ranges for prefix in _cover(block)}


def detect(pan: str) -> Detection | None:
    """Whose card *pan* is, by its longest known prefix; None for no known brand.

    Looks at the leading digits only: length and check digit are judged elsewhere.

    >>> detect("6221261111117766").network, detect("36227206271667").brand
    ('UNIONPAY', 'Diners Club')
    """
    return _longest(_owners(), pan)


def _own_ranges(net: Network) -> str:
    own = (block for block in net.ranges if block.report == "ok")
    spans = [block.low if block.low == block.high else f"{block.low}-{block.high}" for block in own]
    return f"a card number of {net.title}, beginning with {either(spans)}"


def judge(name: str, pan: str) -> CardVerdict:
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
        reason = f"{found} does not belong to {net.title}"
        if severity != "error":
            reason = f"{found} is of none of {net.title}'s own ranges, but may travel in its messages"
        source = owner.range.source if owner else net.ranges[0].source
        return CardVerdict(severity, reason, _own_ranges(net), found, source)
    place = "" if block.brand == net.title else f" on {net.title}"
    if len(pan) not in block.lengths:
        lengths = either([str(length) for length in block.lengths]) + " digits"
        reason = f"card numbers of {block.brand}{place} have {lengths}, this one {len(pan)}"
        return CardVerdict("error", reason, lengths, f"{len(pan)} digits", block.source)
    found = f"a card number of {block.brand}"
    if block.report == "ok":
        return CardVerdict(None, f"{found} on its own network", _own_ranges(net), found, block.source)
    which = f"{found} ({block.status} range)"
    reason = f"{which}{place}. {block.note}".strip()
    return CardVerdict(block.report, reason, _own_ranges(net), found if place else which, block.source)
