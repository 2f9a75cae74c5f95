"""Rules about the layout inside single elements: positions, groups and the codes that stand in them.

A value with characters that are not of its class is reported as that alone: the rules here ask
`clean` before they speak. Unknown codes warn, since links agree on codes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from sim.codec import Message
from sim.elements import dates, groups, money, pos
from sim.elements.pan import luhn_ok
from sim.elements.track import expiry_place, is_track_3, read_track_1, read_track_2
from sim.rules.content import _class_checks
from sim.rules.engine import Check, rule
from sim.rules.finding import Hit, Severity
from sim.spec import VERSIONS, code_list, country, currency, lookup, merchant_category, version_of
from sim.spec.networks import NETWORKS, network, response_code

ElementCheck = Callable[..., Iterable[Hit]]

LATER = ("1993", "2003")
_CARD_CLASSES = "1234567"
_PRIVATE = "9"  # first digit of transaction and account types left to private use
_NONE: tuple[Hit, ...] = ()


def clean(message: Message, number: int) -> bool:
    """Whether the element is there, not empty, and has only characters of its class."""
    value = message.fields.get(number)
    return bool(value) and _class_checks(message.version)[number].search(value or "") is None


def each(
    rule_id: str,
    *numbers: int,
    versions: tuple[str, ...] = VERSIONS,
    classes: str = "0123456789",
    functions: str = "0123456789",
) -> Callable[[ElementCheck], ElementCheck]:
    """Bind a check of one element to each of *numbers*; it gets the message and the number."""

    def bind(check: ElementCheck) -> ElementCheck:
        for number in numbers:
            asked: Check = partial(check, number=number)
            rule(rule_id, number, versions=versions, classes=classes, functions=functions)(asked)
        return check

    return bind


@cache
def listed(name: str, version: str = "", position: str = "") -> frozenset[str]:
    """The codes of a list for *version* (all versions when empty), those of networks included."""
    return frozenset(
        row.code
        for row in code_list(name)
        if row.position == position and (not version or not row.versions or version in row.versions)
    )


@cache
def _on_a_network(version: str, number: int, value: str) -> bool:
    """Whether the table of some network lists *value* for the element."""
    for item in (item for name in NETWORKS for item in network(name).formats):
        if number not in item.fields or version not in item.versions:
            continue
        if item.check == "values" and value[slice(*item.at) if item.at else slice(None)] in item.values:
            return True
        if item.id.endswith("-values") and item.pattern and item.pattern.fullmatch(value):
            return True
    return False


def _unknown(message: Message, number: int, name: str, what: str) -> Iterable[Hit]:
    value = message.fields[number]
    if value in listed(name, message.version) or not clean(message, number):
        return _NONE
    if _on_a_network(message.version, number, value):
        return _NONE
    return (Hit(number, f"a {what} of the public lists", repr(value)),)


# Elements that are one code of one list: rule, element, version, list, what it is called.
_CODES = (
    ("pos-condition", 25, "1987", "pos_condition", "point of service condition"),
    ("pin-capture", 26, "1987", "pin_capture", "number of PIN characters, 04 to 12, or another code"),
    ("settlement-code", 66, "1987", "settlement", "settlement code"),
    ("network-management-code", 70, "1987", "network_management", "network management code"),
    ("file-update-code", 91, "1987", "file_update", "file update code"),
)
for _id, _number, _version, _list, _what in _CODES:
    each(_id, _number, versions=(_version,))(partial(_unknown, name=_list, what=_what))


@rule("transaction-type", 3, classes=_CARD_CLASSES)
def transaction_type(message: Message) -> Iterable[Hit]:
    """DE 3, positions 1 and 2, is a known transaction type."""
    code = message.fields[3][:2]
    if code in listed("transaction_type", message.version) or not clean(message, 3):
        return _NONE
    if code[0] == _PRIVATE or code in listed("transaction_type"):
        hint = "The code is outside this version's list; links that use it have agreed on its meaning."
        return (Hit(3, "a transaction type of this version", repr(code), 0, 2, "", hint, Severity.INFO),)
    return (Hit(3, "a known transaction type", repr(code), 0, 2),)


@rule("account-type", 3, classes=_CARD_CLASSES)
def account_type(message: Message) -> Iterable[Hit]:
    """DE 3, positions 3 to 6, are known account types."""
    value, known = message.fields[3], listed("account_type")
    wrong = [at for at in (2, 4) if value[at : at + 2] not in known and value[at] != _PRIVATE]
    if not wrong or not clean(message, 3):
        return _NONE
    side = {2: "from", 4: "to"}
    return [Hit(3, f"a known account type ({side[at]})", repr(value[at : at + 2]), at, 2) for at in wrong]


@each("conversion-rate", 9, 10)
def conversion_rate(message: Message, number: int) -> Iterable[Hit]:
    """The first digit of a rate counts the decimals among the other seven."""
    value = message.fields[number]
    if not clean(message, number):
        return _NONE
    if value[0] in "89":
        return (Hit(number, "0 to 7 decimals in the first digit", repr(value[0]), 0, 1),)
    if not value[1:].strip("0"):
        hint = "A rate of zero turns every amount into nothing; leave the element out where nothing is converted."
        return (Hit(number, "a rate above zero", "zero", 1, 7, "", hint),)
    return _NONE


@rule("pos-entry-mode", 22, versions=("1987",))
def pos_entry_mode(message: Message) -> Iterable[Hit]:
    """DE 22 of 1987: how the card number was entered, and whether a PIN could be."""
    value = message.fields[22]
    mode = value[:2] in listed("pos_entry_mode", "1987")
    capability = value[2:] in listed("pin_entry_capability", "1987")
    if mode and capability or not clean(message, 22) or _on_a_network("1987", 22, value):
        return _NONE
    if not mode:
        return (Hit(22, "a known PAN entry mode", repr(value[:2]), 0, 2),)
    return (Hit(22, "a known PIN entry capability", repr(value[2:]), 2, 1),)


# Values some networks have added to the twelve positions; public descriptions of their interfaces.
_ADDED_1993 = ("", "789", "89S", "9", "69MST", "69S", "89", "8ACDEJMRSTUV", "9ST", "89", "S", "9", "")


@rule("pos-data-code", 22, versions=("1993",))
def pos_data_code(message: Message) -> Iterator[Hit]:
    """DE 22 of 1993: twelve positions, each with a list of its own."""
    for position, code in enumerate(message.fields[22], start=1):
        if code in listed("pos_data_code", "1993", str(position)) or not clean(message, 22):
            continue
        severity = Severity.INFO if code in _ADDED_1993[position] else None
        expected = f"a known {pos.POSITIONS_1993[position - 1]}" if _named() else "a known value"
        yield Hit(22, f"{expected} in position {position}", repr(code), position - 1, 1, severity=severity)


def _named() -> bool:
    return True


# Bits 2003 leaves to national and private use, by part of DE 22.
_AGREED_BITS = {"22-1": range(23, 33), "22-4": range(25, 33)}


@rule("pos-data-bits", 22, versions=("2003",))
def pos_data_bits(message: Message) -> Iterator[Hit]:
    """DE 22 of 2003: no bit is set that is reserved for ISO."""
    if not clean(message, 22):
        return
    for index, (part, bits) in enumerate(pos.bits_2003(message.fields[22]).items()):
        known, agreed = listed("pos_data_bits", "2003", part), _AGREED_BITS.get(part, ())
        if wrong := [bit for bit in bits if str(bit) not in known and bit not in agreed]:
            text = "bit " + ", ".join(map(str, wrong))
            yield Hit(22, f"only bits with a meaning in {part}", text, index * 8, 8, f"22.{part}")
