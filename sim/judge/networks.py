"""Rules of one network: its card numbers, MTIs, required elements and formats.

The rows are data (`data/networks`); here are the few predicates and checks they name. What applies
to a network, MTI, version and set of elements is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sim.codec import Message
from sim.elements import emv, tlv
from sim.elements.pan import account, luhn_ok
from sim.judge.engine import CODED, Located, Places, RuleText, catalogue, locate_all, shadow
from sim.judge.finding import Finding, Hit, Severity
from sim.masking import is_sensitive
from sim.spec import lookup, spec, version_of
from sim.spec.networks import Format, Presence, detect, formats, judge, network, presence, response_code

Predicate = Callable[[Message], bool]
# What a format finds wrong with a value, None when nothing.
FormatCheck = Callable[[Message, int, str, Format, str], str | None]
FormatRow = tuple[RuleText, Format, FormatCheck, tuple[int, ...]]

_ACCOUNTS = (2, 34, 35, 45)
# A subelement may be a card verification code.
_PRIVATE = (48, *range(120, 128))
_CACHE_SIZE = 2048
# Several networks ask about a message one after the other; its data is kept no longer than that.
_LATEST = 4
_MOVES_MONEY = ("00", "01", "09", "10", "20", "26", "28")
_APPROVED = ("00", "10", "11", "85")
# How the card was read, by the entry mode (1987) or place 7 of the point of service code (1993).
_ENTRIES = {
    "card_read": {"1987": ("02", "05", "07", "90", "91", "95"), "1993": ("2", "5", "7", "9")},
    "keyed": {"1987": ("01", "10", "79", "81"), "1993": ("1", "6")},
    "chip": {"1987": ("05", "07", "95"), "1993": ("5", "7")},
}
_SHOWN = 20
_PAN_DIGITS = 12
_IIN_DIGITS = 6
# What a coded format may look at: the MTI, and the elements whose codes are remembered.
_KNOWN = frozenset({0, *CODED})
_CODES = frozenset(CODED)


def _approved(message: Message) -> bool:
    code = message.get(39)
    return code in _APPROVED if message.version == "1987" else code.startswith("0")


def _entered(message: Message, how: str) -> bool:
    value = message.get(22)
    entry = value[:2] if message.version == "1987" else value[6:7]
    return entry in _ENTRIES[how].get(message.version, ())


# The conditions of presence rows, by the name the tables give them.
PREDICATES: dict[str, Predicate] = {
    "no_account": lambda message: not any(number in message for number in _ACCOUNTS),
    "value": lambda message: message.get(3)[:2] in _MOVES_MONEY,
    "card_read": lambda message: _entered(message, "card_read"),
    "keyed": lambda message: _entered(message, "keyed"),
    "chip": lambda message: _entered(message, "chip"),
    "pin": lambda message: 52 in message,
    "cashback": lambda message: message.get(3)[:2] == "09",
    "approved": _approved,
    "format_error": lambda message: message.get(39) == "30",
    "sign_on": lambda message: message.get(70) in ("001", "061"),
    "key_change": lambda message: message.get(70) == "101" or message.get(70)[:2] == "16",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What one network asks of one kind of message: what is wrong in any case (`static`), what is
    when a condition holds (`conditional`), and the formats to look at: those of coded elements alone,
    whose answers are remembered, and the others."""

    static: tuple[Located, ...]
    conditional: tuple[tuple[str, Located], ...]
    coded: tuple[FormatRow, ...]
    formats: tuple[FormatRow, ...]


class Asked:
    """What several networks want to know of one message, worked out once: its codes and its card."""

    __slots__ = ("_luhn", "at", "codes", "field", "iin", "length", "message", "pan", "present")

    def __init__(self, message: Message) -> None:
        self.message = message
        self.present = tuple(message.fields)
        fields = message.fields
        self.codes = tuple([fields[number] for number in self.present if number in _CODES])
        self.field, self.pan = account(message)
        if not (self.pan.isascii() and self.pan.isdigit()):
            self.field, self.pan = 0, ""
        self.at = 1 if self.field == 45 else 0
        self.iin, self.length = self.pan[:_IIN_DIGITS], len(self.pan)
        self._luhn: bool | None = None

    @property
    def luhn(self) -> bool:
        """Whether the card's check digit is right."""
        if self._luhn is None:
            self._luhn = luhn_ok(self.pan)
        return self._luhn


def check_network(message: Message, name: str) -> tuple[Finding, ...]:
    """The findings of network *name*'s rules on *message*, in the order of the elements."""
    return tuple(locate_all(Places(message), network_hits(Asked(message), name), name))


def network_hits(asked: Asked, name: str) -> list[Located]:
    """What network *name*'s rules say of a message, not yet located."""
    message, present = asked.message, asked.present
    hits = list(_coded_hits(name, message.mti, message.version, present, asked.codes))
    if asked.field:
        owned, enforced, said = _card(name, asked.iin, asked.length, asked.field, asked.at)
        hits += said
        if owned and not asked.luhn:
            severity = None if enforced else Severity.INFO
            place = asked.at + asked.length - 1
            hit = Hit(asked.field, "a right check digit", "a wrong one", place, 1, severity=severity)
            hits.append((catalogue()["luhn"], hit))
    if rows := _plan(name, message.mti, message.version, present).formats:
        hits += _format_hits(message, name, rows)
    return hits


@lru_cache(maxsize=_CACHE_SIZE)
def _coded_hits(
    name: str, mti: str, version: str, present: tuple[int, ...], codes: tuple[str, ...]
) -> tuple[Located, ...]:
    """What depends on nothing but the kind of message and its codes: every presence row and the
    formats of coded elements."""
    plan = _plan(name, mti, version, present)
    message = shadow(version, mti, present, False, codes)
    held = {condition for condition, _ in plan.conditional if PREDICATES[condition](message)}
    hits = list(plan.static)
    hits += [located for condition, located in plan.conditional if condition in held]
    return tuple(hits + _format_hits(message, name, plan.coded))


def _format_hits(message: Message, name: str, rows: tuple[FormatRow, ...]) -> list[Located]:
    hits: list[Located] = []
    wrong: set[int] = set()
    for text, item, check, numbers in rows:
        for number in numbers:
            if number in wrong:
                continue  # an element with an error is not judged on its finer points
            value = message.fields[number] if number else message.mti
            if (found := check(message, number, value, item, name)) is not None:
                hits.append((text, Hit(number, item.expected, found)))
                if text.severity is Severity.ERROR:
                    wrong.add(number)
    return hits


@lru_cache(maxsize=_CACHE_SIZE)
def _plan(name: str, mti: str, version: str, present: tuple[int, ...]) -> Plan:
    static = list(_version_hits(mti, name))
    conditional: list[tuple[str, Located]] = []
    # Rows are keyed by the wire's MTI: a 1987 row says nothing of a message read as 1993.
    asked = presence(name, mti) if version_of(mti) == version else ()
    for row in asked:
        wanted = row.presence in "MC"
        if row.severity == "none" or row.presence == "O" or (row.field in present) is wanted:
            continue
        located = _presence_hit(row, name, version)
        if not row.when:
            static.append(located)
        elif row.when in PREDICATES:
            conditional.append((row.when, located))
    coded: list[FormatRow] = []
    others: list[FormatRow] = []
    for item in formats(name, mti, version):
        numbers = tuple(number for number in item.fields if number == 0 or number in present)
        if numbers and not item.standard:
            severity = Severity(item.severity)
            text = RuleText(f"{name.lower()}-{item.id}", severity, item.expected, item.source, item.hint)
            told: FormatRow = (text, item, _CHECKS[item.check], numbers)
            (coded if _KNOWN.issuperset(numbers) else others).append(told)
    return Plan(tuple(static), tuple(conditional), tuple(coded), tuple(others))


def format_rows(
    name: str, mti: str, version: str, present: tuple[int, ...]
) -> list[tuple[Format, FormatCheck, tuple[int, ...]]]:
    """What network *name* asks of elements that are no codes: the row, its check, the elements."""
    rows = _plan(name, mti, version, present).formats
    return [(item, check, numbers) for _, item, check, numbers in rows]


def _presence_hit(row: Presence, name: str, version: str) -> Located:
    title = network(name).title
    element = spec(version)[row.field].name
    rule_id = "forbidden-element" if row.presence == "X" else "required-element"
    text = catalogue()[rule_id]
    hint = text.hint + (f" {title}: {row.condition}." if row.condition else "")
    words = RuleText(rule_id, Severity(row.severity), text.checks, row.source, hint)
    if row.presence == "X":
        return words, Hit(row.field, f"no {element} in {row.mti} of {title}", "one")
    return words, Hit(row.field, f"{element} (required by {title} in {row.mti})", "none")


def _version_hits(mti: str, name: str) -> Iterator[Located]:
    versions = network(name).mti_versions
    if severity := versions.severity(mti):
        text = catalogue()["network-mti-version"]
        words = RuleText(text.id, Severity(severity), text.checks, versions.source, versions.hint)
        yield words, Hit(0, versions.expected, mti, 0, 1)


@lru_cache(maxsize=_CACHE_SIZE)
def _card(name: str, iin: str, length: int, field: int, at: int) -> tuple[bool, bool, tuple[Located, ...]]:
    """Whether cards of this IIN and length are network *name*'s own and their check digit is asked
    for, whether it counts, and what the network says of such a card. Keeps no card number."""
    pan = iin.ljust(length, "0")
    verdict, owner = judge(name, pan), detect(pan)
    owned = owner is not None and owner.network == name and verdict.severity != "error"
    enforced = owner is not None and owner.range.luhn
    if not verdict.severity:
        return owned, enforced, ()
    text = catalogue()["pan-network"]
    hint = f"{text.hint} {verdict.reason}."
    words = RuleText(text.id, Severity(verdict.severity), text.checks, verdict.source, hint)
    return owned, enforced, ((words, Hit(field, verdict.expected, verdict.found, at, length)),)


def _length(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    return None if item.min <= len(value) <= item.max else f"{len(value)} characters"


def _regex(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    if item.pattern is None or item.pattern.fullmatch(value):
        return None
    return _show(message, number, value)


def _multiple(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    return None if len(value) % item.multiple == 0 else f"{len(value)} characters"


def _values(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    part = value[slice(*item.at)] if item.at else value
    return None if part in item.values else _show(message, number, part)


def _tlv(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    chip = emv.read(value)  # remembered: the standard's rules have read it, too
    if chip.error is None and (chip.layout == "tags" or (item.wrapper and chip.layout == "dataset")):
        return None
    if item.wrapper and value[:2] == "01" and value[2:6].upper() == f"{len(value) // 2 - 3:04X}":
        value = value[6:]
    try:
        tlv.read(value, strict=False)
    except tlv.TlvError as error:
        return f"{error.found} where {error.expected} should be"
    return None


@lru_cache(maxsize=_LATEST)
def subelements(value: str, lead: int) -> tuple[tuple[str, str], ...] | None:
    """Id and data of a list of id n 2, length n 2, data, with up to *lead* characters that are no
    digits in front; None when the value is no such list.

    >>> subelements("T42070103210", 1)
    (('42', '0103210'),)
    """
    at = lead if lead and not value[:lead].isdigit() else 0
    found = []
    while at < len(value):
        head = value[at : at + 4]
        if len(head) < 4 or not (head.isascii() and head.isdigit()) or at + 4 + int(head[2:]) > len(value):
            return None
        found.append((head[:2], value[at + 4 : at + 4 + int(head[2:])]))
        at += 4 + int(head[2:])
    return tuple(found)


def _subelements(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    return None if subelements(value, item.lead) is not None else "another layout"


@cache
def _limits(sizes: tuple[tuple[str, int, int], ...]) -> dict[str, tuple[int, int]]:
    return {tag: (least, most) for tag, least, most in sizes}


def _subelement_sizes(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    limits = _limits(item.sizes)
    for tag, data in subelements(value, item.lead) or ():
        least, most = limits.get(tag, (0, len(data)))
        if not least <= len(data) <= most:
            return f"subelement {tag} of {len(data)} characters"
    return None


def _response_code(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    if response_code(name, value) or lookup("response_code", value, version=message.version):
        return None
    return repr(value)


_CHECKS: dict[str, FormatCheck] = {
    "length": _length,
    "regex": _regex,
    "multiple_of": _multiple,
    "values": _values,
    "tlv": _tlv,
    "subelements": _subelements,
    "subelement_sizes": _subelement_sizes,
    "response_code": _response_code,
}


def _show(message: Message, number: int, value: str) -> str:
    """A value in a finding: short coded ones as they are, never one that may hold card data."""
    shown = (
        len(value) <= _SHOWN
        and not _private(message.version, number)
        and sum(map(str.isdigit, value)) < _PAN_DIGITS
    )
    return repr(value) if shown else f"{len(value)} characters in another layout"


@cache
def _private(version: str, number: int) -> bool:
    """Whether nothing of the element may be shown, or nothing that could be read."""
    binary = number > 0 and spec(version)[number].binary
    return number in _PRIVATE or is_sensitive(number, version) or binary
