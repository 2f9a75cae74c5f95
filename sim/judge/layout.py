"""Rules about the layout inside single elements: positions, groups and the codes that stand in them.

A value with characters that are not of its class is reported as that alone: the rules here ask
`clean` before they speak. Unknown codes warn, since links agree on codes of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial

from sim.codec import Message
from sim.elements import dates, subfields
from sim.elements.layout import layouts, place
from sim.elements.pan import account
from sim.elements.track import expiry_place, is_track_3, read_track_1, read_track_2
from sim.judge.content import clean
from sim.judge.engine import each, rule
from sim.judge.finding import Hit, Severity
from sim.spec import code_list, lookup, merchant_category
from sim.spec.layouts import Cell
from sim.spec.networks import NETWORKS, network, response_code

LATER = ("1993", "2003")
_CARD_CLASSES = "1234567"
_PRIVATE = "9"  # first digit of transaction and account types left to private use
_NONE: tuple[Hit, ...] = ()
# ISO 9564 formats 0 and 2, not enciphered: the PIN's length, the PIN, F to the end.
_CLEAR_BLOCK = re.compile("|".join(f"[02]{size:X}[0-9]{{{size}}}F{{{14 - size}}}" for size in range(4, 13)))
# The parts of DE 3 stand in the same places in every version.
_TYPE = place("1987", 3, "transaction type")
_ACCOUNTS = tuple((place("1987", 3, f"{side} account"), side) for side in ("from", "to"))


@cache
def _parts_of(version: str, number: int) -> tuple[tuple[Cell, int, int], ...]:
    """The parts of an element of fixed places, with where they start and end."""
    return layouts(version, number)[0].cell.slices or ()


@cache
def listed(name: str, version: str = "", position: str = "") -> frozenset[str]:
    """The codes of a list for *version* (all versions when empty), those of networks included."""
    return frozenset(
        row.code
        for row in code_list(name)
        if row.position == position and (not version or not row.versions or version in row.versions)
    )


@lru_cache(maxsize=1024)
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


@cache
def _of_networks(version: str, number: int, path: str) -> frozenset[str]:
    """The codes that networks' own lists have for a part of an element."""
    own = (
        one.cell.by_key.get(path)
        for name in NETWORKS
        for one in layouts(version, number, name)
        if one.network
    )
    return frozenset(code for cell in own if cell for code in cell.values)


def _unknown(message: Message, number: int, name: str, what: str) -> Iterable[Hit]:
    value = message.fields[number]
    if value in listed(name, message.version) or not clean(message, number):
        return _NONE
    if _on_a_network(message.version, number, value):
        return _NONE
    return (Hit(number, what, repr(value)),)


# Elements that are one code of one list: rule, element, version, list, what it is called.
_CODES = (
    ("pos-condition", 25, "1987", "pos_condition", "a known point of service condition"),
    ("pin-capture", 26, "1987", "pin_capture", "04 to 12 PIN characters"),
    ("settlement-code", 66, "1987", "settlement", "a known settlement code"),
    ("network-management-code", 70, "1987", "network_management", "a known network management code"),
    ("file-update-code", 91, "1987", "file_update", "a known file update code"),
)
for _id, _number, _version, _list, _what in _CODES:
    each(_id, _number, versions=(_version,))(partial(_unknown, name=_list, what=_what))


@rule("transaction-type", 3, classes=_CARD_CLASSES)
def transaction_type(message: Message) -> Iterable[Hit]:
    """DE 3, positions 1 and 2, is a known transaction type."""
    code = message.fields[3][_TYPE]
    if code in listed("transaction_type", message.version) or not clean(message, 3):
        return _NONE
    if code[0] == _PRIVATE or code in listed("transaction_type"):
        hint = "The code is outside this version's list; links that use it have agreed on its meaning."
        return (
            Hit(3, "a transaction type of this version", repr(code), 0, len(code), "", hint, Severity.INFO),
        )
    return (Hit(3, "a known transaction type", repr(code), 0, len(code)),)


@rule("account-type", 3, classes=_CARD_CLASSES)
def account_type(message: Message) -> Iterable[Hit]:
    """DE 3, positions 3 to 6, are known account types."""
    value, known = message.fields[3], listed("account_type")
    wrong = [(at, side) for at, side in _ACCOUNTS if value[at] not in known and value[at][:1] != _PRIVATE]
    if not wrong or not clean(message, 3):
        return _NONE
    return [
        Hit(3, f"a known account type ({side})", repr(value[at]), at.start, at.stop - at.start)
        for at, side in wrong
    ]


@each("conversion-rate", 9, 10)
def conversion_rate(message: Message, number: int) -> Iterable[Hit]:
    """The first digit of a rate counts the decimals among the other seven."""
    value = message.fields[number]
    if not clean(message, number):
        return _NONE
    if value[0] in "89":
        return (Hit(number, "0 to 7 decimals in the first digit", repr(value[0]), 0, 1),)
    if not value[1:].strip("0"):
        hint = "A rate of zero turns every amount into nothing; leave it out where nothing is converted."
        return (Hit(number, "a rate above zero", "zero", 1, 7, "", hint),)
    return _NONE


@rule("pos-entry-mode", 22, versions=("1987",))
def pos_entry_mode(message: Message) -> Iterable[Hit]:
    """DE 22 of 1987: how the card number was entered, and whether a PIN could be."""
    value = message.fields[22]
    names = (("a known PAN entry mode"), ("a known PIN entry capability"))
    for (cell, start, end), expected in zip(_parts_of("1987", 22), names, strict=True):
        if value[start:end] in listed(cell.codes, "1987"):
            continue
        if not clean(message, 22) or _on_a_network("1987", 22, value):
            return _NONE
        return (Hit(22, expected, repr(value[start:end]), start, end - start),)
    return _NONE


@rule("pos-data-code", 22, versions=("1993",))
def pos_data_code(message: Message) -> Iterator[Hit]:
    """DE 22 of 1993: twelve positions, each with a list of its own. Networks have added values: some are in
    their own lists, of others the layout's rows know no more than that."""
    value = message.fields[22]
    for cell, at, end in _parts_of("1993", 22):
        code = value[at:end]
        if code in listed(cell.codes, "1993", cell.argument) or not clean(message, 22):
            continue
        if code in _of_networks("1993", 22, cell.key):
            continue
        severity = Severity.INFO if cell.agreed and cell.agreed.fullmatch(code) else None
        yield Hit(22, f"a known value in position {cell.key}", repr(code), at, end - at, severity=severity)


@rule("pos-data-bits", 22, versions=("2003",))
def pos_data_bits(message: Message) -> Iterator[Hit]:
    """DE 22 of 2003: no bit is set that is reserved for ISO."""
    value = message.fields[22]
    if not clean(message, 22):
        return
    for cell, at, end in _parts_of("2003", 22):
        name, _, part = cell.argument.partition(" ")
        known, agreed = listed(name, "2003", part), cell.agreed
        bits = map(str, subfields.flags(value[at:end]))
        if wrong := [bit for bit in bits if bit not in known and not (agreed and agreed.fullmatch(bit))]:
            yield Hit(
                22, f"only bits with a meaning in {part}", "bit " + ", ".join(wrong), at, end - at, part
            )


def _agreed_function(code: str) -> bool:
    """Function codes x60 to x99, and 420 to 449, are left to national and private use."""
    return code[1] in "6789" or "420" <= code <= "449"


# Message reason codes left to national and private use, first and last.
_AGREED_REASONS = (
    *(("1151", "1499"), ("1600", "1999"), ("2400", "2999"), ("3400", "3999"), ("4200", "4499")),
    *(("4650", "4999"), ("5300", "5999"), ("6200", "6499"), ("6600", "6999"), ("7300", "7999")),
    *(("8060", "8099"), ("8160", "8199")),
)
_NO_REASON = "0000"


def _agreed_reason(code: str) -> bool:
    return code == _NO_REASON or any(first <= code <= last for first, last in _AGREED_REASONS)


def _agreed_action(code: str) -> bool:
    """Action codes whose second digit is 6 to 9 are left to national and private use."""
    return code[1] in "6789"


def known_later(message: Message, number: int) -> bool:
    """Whether DE 24, 25 or 39 of 1993 or 2003 is in a list of either, or left to agreement."""
    name, agreed = _LATER_CODES[number]
    code, version = message.fields[number], "" if number == 25 else message.version
    return code in listed(name, version) or agreed(code)


_LATER_CODES: dict[int, tuple[str, Callable[[str], bool]]] = {
    24: ("function_code", _agreed_function),
    25: ("reason_code", _agreed_reason),
    39: ("response_code", _agreed_action),
}


@each("function-code", 24, versions=LATER)
@each("reason-code", 25, versions=LATER)
@each("response-code", 39, versions=LATER)
def later_code(message: Message, number: int) -> Iterable[Hit]:
    """Function, message reason and action codes of 1993 and 2003 are known."""
    code = message.fields[number]
    if not clean(message, number) or known_later(message, number):
        return _NONE
    hint = ""
    if number == 24 and code[0] == "0":
        hint = "In 1987 DE 24 was the network international identifier; now it is the function code."
    return (Hit(number, "a code of the public lists", repr(code), hint=hint),)


@rule("response-code", 39, versions=("1987",))
def response_code_known(message: Message) -> Iterable[Hit]:
    """A response code of 1987 is the standard's or one of a network's."""
    code = message.fields[39]
    if code in listed("response_code", "1987") or not clean(message, 39):
        return _NONE
    if any(response_code(name, code) for name in NETWORKS):
        return _NONE
    return (Hit(39, "a response code of the public lists", repr(code)),)


@each("merchant-category", 18, versions=("1987", "1993"), classes=_CARD_CLASSES)
@each("merchant-category", 26, versions=LATER, classes=_CARD_CLASSES)
def merchant(message: Message, number: int) -> Iterable[Hit]:
    """The merchant category code is in the list of ISO 18245."""
    if merchant_category(message.fields[number]) or not clean(message, number):
        return _NONE
    return (Hit(number, "a merchant category of ISO 18245", repr(message.fields[number])),)


@rule("approval-code-length", 27, versions=("1987", "1993"))
def approval_code_length(message: Message) -> Iterable[Hit]:
    """DE 27 asks for as many characters as DE 38 has at most."""
    value = message.fields[27]
    return (Hit(27, "an approval code length 0 to 6", repr(value)),) if value in tuple("789") else _NONE


@rule("track-2-expiry", 35, classes=_CARD_CLASSES)
def track_2_expiry(message: Message) -> Iterable[Hit]:
    """The expiry on track 2 has a month."""
    read = read_track_2(message.fields[35])
    at = expiry_place(read.pan) if read else None
    if read is None or at is None or not read.expiry or dates.problem("YYMM", read.expiry) is None:
        return _NONE
    return (Hit(35, "an expiry YYMM", "an impossible month", at + 2, 2),)


@rule("track-2-service", 35, classes=_CARD_CLASSES)
def track_2_service(message: Message) -> Iterable[Hit]:
    """The service code on track 2 has known digits."""
    read = read_track_2(message.fields[35])
    at = expiry_place(read.pan) if read else None
    if read is None or at is None or not read.service or not _service_problem(read.service):
        return _NONE
    start = at + (len(read.expiry) or 1)
    return (Hit(35, "a service code with known digits", "another", start, 3),)


def _service_problem(code: str) -> int:
    """The first position (1 to 3) of a service code that has no meaning; 0 when all have one."""
    return next(
        (at for at, digit in enumerate(code, 1) if digit not in listed("service_code", "", str(at))), 0
    )


@rule("service-code", 40)
def service_code(message: Message) -> Iterable[Hit]:
    """DE 40 has three digits, each with its own list."""
    position = _service_problem(message.fields[40])
    if not position or not clean(message, 40):
        return _NONE
    digit = message.fields[40][position - 1]
    return (Hit(40, f"a known digit in position {position}", repr(digit), position - 1, 1),)


@rule("track-1", 45, classes=_CARD_CLASSES)
def track_1(message: Message) -> Iterable[Hit]:
    """DE 45 is laid out as track 1, with a possible expiry."""
    if not clean(message, 45):
        return _NONE
    read = read_track_1(message.fields[45])
    if read is None:
        expected = "B, PAN, ^, name, ^, expiry YYMM, service code, then discretionary data"
        return (Hit(45, expected, f"{len(message.fields[45])} characters in another layout"),)
    if read.expiry and dates.problem("YYMM", read.expiry):
        return (Hit(45, "an expiry YYMM", "an impossible month", read.at + 2, 2),)
    return _NONE


@rule("track-3", 36, classes=_CARD_CLASSES)
def track_3(message: Message) -> Iterable[Hit]:
    """DE 36 begins as track 3."""
    if is_track_3(message.fields[36]) or not clean(message, 36):
        return _NONE
    expected = "format code of 2 digits, PAN, = or D, then the rest"
    return (Hit(36, expected, f"{len(message.fields[36])} characters in another layout"),)


@rule("retrieval-reference", 37)
def retrieval_reference(message: Message) -> Iterable[Hit]:
    """DE 37 names the transaction: it is neither blank nor zeros, and has no blank in the middle."""
    value = message.fields[37]
    if value.isalnum() and value.strip("0"):
        return _NONE
    if not clean(message, 37):
        return _NONE
    if not value.strip(" 0"):
        return (Hit(37, "a reference", "blanks" if value.isspace() else "zeros"),)
    inner = value.strip().find(" ")
    if inner < 0:
        return _NONE
    return (
        Hit(37, "a reference without blanks inside", "a blank", len(value) - len(value.lstrip()) + inner, 1),
    )


@rule("pin-block", 52, classes=_CARD_CLASSES, reads=(2, 35, 45, 52))
def pin_block(message: Message) -> Iterable[Hit]:
    """DE 52 is enciphered: neither empty nor a clear block, joined with the card number or not."""
    value = message.fields[52].upper()
    if not clean(message, 52):
        return _NONE
    if len(set(value)) == 1:
        return (Hit(52, "an enciphered PIN block", "one digit repeated"),)
    number = account(message)[1][-13:-1]
    joined = f"{int(value, 16) ^ int(number, 16):016X}" if number.isdecimal() else ""
    if _CLEAR_BLOCK.fullmatch(value) or _CLEAR_BLOCK.fullmatch(joined):
        return (Hit(52, "an enciphered PIN block", "a block in clear"),)
    return _NONE


@rule("life-cycle", 57, versions=LATER)
def life_cycle(message: Message) -> Iterable[Hit]:
    """DE 57: a unit of time and how many of them the authorization holds."""
    value = message.fields[57]
    (unit, start, end), (_, many, last) = _parts_of(message.version, 57)
    code = value[start:end]
    if not clean(message, 57) or (unit.agreed and unit.agreed.fullmatch(code)):
        return _NONE
    if lookup(unit.codes, code, version=message.version) is None:
        return (Hit(57, "1 days, 2 hours or 3 minutes", repr(code), start, end - start),)
    zero = not value[many:last].strip("0")
    return (Hit(57, "a count of 01 to 99", repr(value[many:last]), many, last - many),) if zero else _NONE


@rule("extended-payment", 67)
def extended_payment(message: Message) -> Iterable[Hit]:
    """DE 67 counts months."""
    return (Hit(67, "a number of months", "'00'"),) if message.fields[67] == "00" else _NONE
