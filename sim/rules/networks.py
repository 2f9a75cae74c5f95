"""Rules of one network: its card numbers, MTIs, required elements and formats.

The rows are data (`data/networks`); here are the few predicates and checks they name. What applies
to a network, MTI, version and set of elements is worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from sim.codec import Message
from sim.elements import pos, tlv
from sim.elements.pan import account, luhn_ok
from sim.rules.engine import RuleText, catalogue, locate_all
from sim.rules.finding import Finding, Hit, Severity
from sim.spec import lookup, spec, version_of
from sim.spec.networks import Format, Presence, detect, formats, judge, network, presence, response_code

Located = tuple[RuleText, Hit]
Predicate = Callable[[Message], bool]

_ACCOUNTS = (2, 34, 35, 45)
_CACHE_SIZE = 2048
_MOVES_MONEY = ("00", "01", "09", "10", "20", "26", "28")
_APPROVED = ("00", "10", "11", "85")
_READ = ("chip", "contactless", "magnetic stripe")
_SHOWN = 20
_PAN_DIGITS = 12


def _approved(message: Message) -> bool:
    code = message.get(39)
    return code in _APPROVED if message.version == "1987" else code.startswith("0")


# The conditions of presence rows, by the name the tables give them.
PREDICATES: dict[str, Predicate] = {
    "no_account": lambda message: not any(number in message for number in _ACCOUNTS),
    "value": lambda message: message.get(3)[:2] in _MOVES_MONEY,
    "card_read": lambda message: pos.entry_kind(message) in _READ,
    "keyed": lambda message: pos.entry_kind(message) in ("manual", "credential on file"),
    "chip": lambda message: pos.entry_kind(message) in ("chip", "contactless"),
    "pin": lambda message: 52 in message,
    "cashback": lambda message: message.get(3)[:2] == "09",
    "approved": _approved,
    "format_error": lambda message: message.get(39) == "30",
    "sign_on": lambda message: message.get(70) in ("001", "061"),
    "key_change": lambda message: message.get(70) == "101" or message.get(70)[:2] == "16",
}


def check_network(message: Message, name: str) -> tuple[Finding, ...]:
    """The findings of network *name*'s rules on *message*, in the order of the elements."""
    hits = [*_version_hits(message, name), *_card_hits(message, name)]
    static, rows, checks = _applicable(name, message.mti, message.version, tuple(message.fields))
    hits += static
    hits += [located for row, located in rows if PREDICATES[row.when](message)]
    hits += [located for item in checks for located in _format_hits(message, name, item)]
    return tuple(locate_all(message, hits, name)) if hits else ()


@lru_cache(maxsize=_CACHE_SIZE)
def _applicable(
    name: str, mti: str, version: str, present: tuple[int, ...]
) -> tuple[list[Located], list[tuple[Presence, Located]], list[Format]]:
    """What is wrong in any case, what depends on values, and the formats to check."""
    static: list[Located] = []
    rows: list[tuple[Presence, Located]] = []
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
            rows.append((row, located))
    checks = [
        item
        for item in formats(name, mti, version)
        if not item.standard and any(number == 0 or number in present for number in item.fields)
    ]
    return static, rows, checks


def _presence_hit(row: Presence, name: str, version: str) -> Located:
    title = network(name).title
    element = spec(version)[row.field].name
    rule_id = "forbidden-element" if row.presence == "X" else "required-element"
    text = catalogue()[rule_id]
    severity = Severity(row.severity)
    hint = text.hint + (f" {title}: {row.condition}." if row.condition else "")
    words = RuleText(rule_id, severity, text.checks, row.source, hint)
    if row.presence == "X":
        return words, Hit(row.field, f"no {element} in a {title} {row.mti}", "one")
    return words, Hit(row.field, f"{element} (required by {title} in {row.mti})", "none")


def _version_hits(message: Message, name: str) -> Iterator[Located]:
    versions = network(name).mti_versions
    if severity := versions.severity(message.mti):
        text = catalogue()["network-mti-version"]
        words = RuleText(text.id, Severity(severity), text.checks, versions.source, versions.hint)
        yield words, Hit(0, versions.expected, message.mti, 0, 1)


def _card_hits(message: Message, name: str) -> Iterator[Located]:
    """Range, length and check digit of the card number, from DE 2 or a track."""
    field, pan = account(message)
    if not field or not (pan.isascii() and pan.isdigit()):
        return
    at = 1 if field == 45 else 0
    verdict = judge(name, pan)
    if verdict.severity:
        text = catalogue()["pan-network"]
        words = RuleText(
            text.id, Severity(verdict.severity), text.checks, verdict.source, f"{text.hint} {verdict.reason}."
        )
        yield words, Hit(field, verdict.expected, verdict.found, at, len(pan))
    owner = detect(pan)
    if owner and owner.network == name and verdict.severity != "error" and not luhn_ok(pan):
        severity = None if owner.range.luhn else Severity.INFO
        yield (
            catalogue()["luhn"],
            Hit(field, "a right check digit", "a wrong one", at + len(pan) - 1, 1, severity=severity),
        )


def _format_hits(message: Message, name: str, item: Format) -> Iterator[Located]:
    text = RuleText(
        f"{name.lower()}-{item.id}", Severity(item.severity), item.expected, item.source, item.hint
    )
    for number in item.fields:
        value = message.mti if number == 0 else message.get(number)
        if number and number not in message:
            continue
        if (found := _CHECKS[item.check](message, number, value, item, name)) is not None:
            yield text, Hit(number, item.expected, found)


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
    if item.wrapper and value[:2] == "01" and value[2:6].upper() == f"{len(value) // 2 - 3:04X}":
        value = value[6:]
    try:
        tlv.read(value, strict=False)
    except tlv.TlvError as error:
        return f"{error.found} where {error.expected} should be"
    return None


def subelements(value: str, lead: int) -> list[tuple[str, str]] | None:
    """Id and data of a list of id n 2, length n 2, data, with up to *lead* characters that are no
    digits in front; None when the value is no such list.

    >>> subelements("T42070103210", 1)
    [('42', '0103210')]
    """
    at = lead if lead and not value[:lead].isdigit() else 0
    found = []
    while at < len(value):
        head = value[at : at + 4]
        if len(head) < 4 or not (head.isascii() and head.isdigit()) or at + 4 + int(head[2:]) > len(value):
            return None
        found.append((head[:2], value[at + 4 : at + 4 + int(head[2:])]))
        at += 4 + int(head[2:])
    return found


def _subelements(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    return None if subelements(value, item.lead) is not None else "another layout"


def _subelement_sizes(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    limits = {tag: (least, most) for tag, least, most in item.sizes}
    for tag, data in subelements(value, item.lead) or ():
        least, most = limits.get(tag, (0, len(data)))
        if not least <= len(data) <= most:
            return f"subelement {tag} of {len(data)} characters"
    return None


def _response_code(message: Message, number: int, value: str, item: Format, name: str) -> str | None:
    if response_code(name, value) or lookup("response_code", value, version=message.version):
        return None
    return repr(value)


_CHECKS: dict[str, Callable[[Message, int, str, Format, str], str | None]] = {
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
    """A value in a finding: short ones as they are, unless they may hold card data."""
    short = (
        len(value) <= _SHOWN
        and number not in _ACCOUNTS
        and not (number and spec(message.version)[number].binary)
    )
    digits = sum(char.isdigit() for char in value)
    return repr(value) if short and digits < 13 else f"{len(value)} characters in another layout"
