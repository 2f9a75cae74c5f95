"""Rules about elements made of several parts: additional amounts, fees, original data, name and
location, and the composite elements of 2003."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.codec import Message
from sim.elements import dates
from sim.elements.groups import (
    ADDITIONAL_WIDTH,
    FEE_WIDTH,
    AdditionalAmount,
    original_date_place,
    read_additional_amounts,
    read_original,
)
from sim.elements.pan import luhn_ok
from sim.judge.content import clean
from sim.judge.engine import rule
from sim.judge.finding import Hit, Severity
from sim.judge.layout import LATER, each, listed
from sim.spec import country, currency, version_of

_NONE: tuple[Hit, ...] = ()
_CARD_CLASSES = "1234567"


@rule("additional-amounts", 54)
def additional_amounts(message: Message) -> Iterator[Hit]:
    """DE 54 is whole groups, each with a sign and twelve digits."""
    value, width = message.fields[54], ADDITIONAL_WIDTH[message.version]
    if not clean(message, 54):
        return
    if len(value) % width:
        hint = ""
        if message.version == "2003" and len(value) % ADDITIONAL_WIDTH["1987"] == 0:
            hint = "Groups of 20 are the layout of 1987 and 1993; 2003 has the minor unit after the currency."
        last = len(value) - len(value) % width
        yield Hit(54, f"groups of {width} characters", f"{len(value)} characters", last, hint=hint)
        return
    for group in read_additional_amounts(value, message.version):
        sign = group.at + width - 13
        if group.sign not in "CD":
            yield Hit(54, "C or D in front of the amount", repr(group.sign), sign, 1)
        elif not (group.amount.isascii() and group.amount.isdigit()):
            yield Hit(54, "twelve digits of amount", "other characters", sign + 1, 12)


@rule("additional-amount-codes", 54)
def additional_amount_codes(message: Message) -> Iterator[Hit]:
    """The codes in each group of DE 54 are known."""
    if not clean(message, 54):
        return
    for group in read_additional_amounts(message.fields[54], message.version):
        if group.sign not in "CD" or not group.amount.isdigit():
            return  # no such layout; the rule above says so
        yield from _group_codes(group)


def _group_codes(group: AdditionalAmount) -> Iterator[Hit]:
    if group.account not in listed("account_type") and group.account[0] != "9":
        yield Hit(54, "a known account type", repr(group.account), group.at, 2)
    # Types from 60 on are left to national and private use.
    if group.kind not in listed("amount_type") and group.kind[0] not in "6789":
        yield Hit(54, "a known amount type", repr(group.kind), group.at + 2, 2)
    known = currency(group.currency)
    if known is None:
        yield Hit(54, "an ISO 4217 currency code", repr(group.currency), group.at + 4, 3)
    elif group.exponent and known.exponent is not None and group.exponent != str(known.exponent):
        expected = f"minor unit {known.exponent}, as ISO 4217 has for {known.alpha}"
        yield Hit(54, expected, repr(group.exponent), group.at + 7, 1)


@each("fee-groups", 46, 66, versions=LATER)
def fee_groups(message: Message, number: int) -> Iterable[Hit]:
    """Fees are whole groups; those of 1993 have a sign in front of each amount."""
    value, width = message.fields[number], FEE_WIDTH[message.version]
    if not clean(message, number):
        return _NONE
    if len(value) % width:
        last = len(value) - len(value) % width
        return (Hit(number, f"groups of {width} characters", f"{len(value)} characters", last),)
    if message.version != "1993":
        return _NONE
    for at in range(0, len(value), width):
        for sign in (at + 5, at + 22):
            if value[sign] not in "CD":
                return (Hit(number, "C or D in front of the fee", repr(value[sign]), sign, 1),)
    return _NONE


def _has_original(message: Message, number: int) -> bool:
    """Whether the element can be taken apart and says something: zeros stand for an unknown original."""
    value = message.fields[number]
    return bool(value.strip("0")) and value.isascii() and value.isdigit()


@each("original-size", 56, versions=LATER)
def original_size(message: Message, number: int) -> Iterable[Hit]:
    """DE 56 is long enough for MTI, STAN and date of the original."""
    at, pattern = original_date_place(message.version)
    least, size = at + len(pattern), len(message.fields[number])
    if size >= least or not clean(message, number):
        return _NONE
    return (Hit(number, f"at least {least} digits: MTI, STAN, date and time", f"{size} digits"),)


@each("original-mti", 90, versions=("1987",))
@each("original-mti", 56, versions=LATER)
def original_mti(message: Message, number: int) -> Iterable[Hit]:
    """The original is a request or an advice of this version."""
    read = read_original(message.fields[number], message.version)
    if read is None or not _has_original(message, number) or not read.mti.strip("0"):
        return _NONE
    mti = read.mti
    if version_of(mti) != message.version:
        hint = "The original's MTI names another version; a converter may have left it as it was."
        return (Hit(number, f"an MTI of ISO 8583:{message.version}", repr(mti), 0, 1, "", hint),)
    if mti[1] in "09" or mti[2] not in "0246" or mti[3] > "5":
        return (Hit(number, "the MTI of a request or an advice", repr(mti), 0, 4),)
    if message.mti[1] == "4" and mti[1] not in "12":
        return (Hit(number, "an authorization or financial original", repr(mti), 1, 1),)
    return _NONE


@each("original-date", 90, versions=("1987",))
@each("original-date", 56, versions=LATER)
def original_date(message: Message, number: int) -> Iterable[Hit]:
    """The original's date and time are in the calendar."""
    read = read_original(message.fields[number], message.version)
    if read is None or not read.when.strip("0"):
        return _NONE
    if (wrong := dates.problem(read.pattern, read.when)) is None:
        return _NONE
    at, _ = original_date_place(message.version)
    start, end, text = wrong
    return (Hit(number, read.pattern, text, at + start, end - start),)


@rule("original-acquirer", 56, versions=("1993",))
def original_acquirer(message: Message) -> Iterable[Hit]:
    """The acquirer's id in DE 56 of 1993 has its own two-digit length."""
    at, pattern = original_date_place("1993")
    rest = message.fields[56][at + len(pattern) :]
    if not rest or not clean(message, 56) or rest[:2] == f"{len(rest) - 2:02}":
        return _NONE
    found = f"{rest[:2]}, with {max(len(rest) - 2, 0)} digits after it"
    return (Hit(56, "the length of the acquirer's id", found, at + len(pattern), 2),)


@rule("location-country", 43, versions=("1987",), classes=_CARD_CLASSES)
def location_country(message: Message) -> Iterable[Hit]:
    """DE 43 of 1987 ends with the country, in one of its layouts."""
    value = message.fields[43]
    if len(value) != 40 or country(value[38:40]) or country(value[37:40]) or not clean(message, 43):
        return _NONE
    tail = value[37:].strip()
    if value[22] == " " and value[36] == " " and value[37].isalpha():
        return _NONE  # a state or province, in the layout 22, 13 and 3
    if not tail:
        hint = "Nothing stands in the last three places; name, city and country have fixed places in DE 43."
        return (Hit(43, "a country in the last places", "blanks", 37, 3, "", hint, Severity.INFO),)
    return (Hit(43, "an ISO 3166 country in the last two or three places", repr(value[37:]), 37, 3),)


@rule("location-layout", 43, versions=("1993",), classes=_CARD_CLASSES)
def location_layout(message: Message) -> Iterable[Hit]:
    """DE 43 of 1993: name, street and city between backslashes, then 16 characters."""
    value = message.fields[43]
    if not clean(message, 43):
        return _NONE
    if value.count("~") >= 3:
        return _NONE  # one host's separator for the same parts
    if value.count("\\") < 3:
        hint = ""
        if len(value) == 40 and country(value[38:40]):
            hint = "These are the 40 characters of 1987; 1993 has backslashes after name, street and city."
        return (Hit(43, "name\\street\\city\\, postal code, region, country", "no such parts", hint=hint),)
    tail = value.split("\\", 3)[3]
    if len(tail) != 16:
        at = len(value) - len(tail)
        return (Hit(43, "postal code 10, region 3, country 3", f"{len(tail)} characters", at),)
    if country(tail[13:].strip()) is None:
        hint, at = "The last three characters are no country of ISO 3166.", len(value) - 3
        return (Hit(43, "an ISO 3166 country", repr(tail[13:]), at, 3, "", hint),)
    return _NONE


# 2003: where amounts of currency n 3, minor unit n 1 and digits stand. DE 4, 5, 6 and 8 have a rule
# for their currency, DE 4 one for its minor unit.
_COMPOSITE = {5: (0,), 6: (0,), 8: (0,), 30: (0, 16), 74: (0, 26, 52, 78, 104, 130), 97: (0,)}
_CURRENCY_TOLD = (5, 6, 8)


@each("composite-amount", *_COMPOSITE, versions=("2003",))
def composite_amount(message: Message, number: int) -> Iterator[Hit]:
    """Each amount of a 2003 element has a currency and that currency's minor unit."""
    value = message.fields[number]
    for at in _COMPOSITE[number]:
        code, digit = value[at : at + 3], value[at + 3 : at + 4]
        if not value[at : at + 16].strip("0") or not clean(message, number):
            continue  # zeros stand for no amount
        known = currency(code)
        if known is None:
            if number not in _CURRENCY_TOLD:
                yield Hit(number, "an ISO 4217 currency code", repr(code), at, 3)
        elif known.exponent is not None and digit != str(known.exponent):
            expected = f"minor unit {known.exponent}, as ISO 4217 has for {known.alpha}"
            yield Hit(number, expected, repr(digit), at + 3, 1)


@rule("message-error", 18, versions=("2003",))
def message_error(message: Message) -> Iterable[Hit]:
    """DE 18 of 2003: groups of severity, error code, element and place."""
    value = message.fields[18]
    if not clean(message, 18):
        return _NONE
    # The last three bytes of a group may stand as they are or as hex digits.
    width = next((width for width in (14, 17) if len(value) % width == 0), None)
    if width is None:
        if len(value) == 4 and value.isdigit():
            hint = "DE 18 was the merchant category in 1987; in 2003 that is DE 26."
            return (Hit(18, "groups of 14 characters", "4 digits", hint=hint),)
        return (Hit(18, "groups of 14 characters", f"{len(value)} characters"),)
    for at in range(0, len(value), width):
        if value[at : at + 2] not in ("00", "01"):
            return (Hit(18, "severity 00 or 01", repr(value[at : at + 2]), at, 2),)
        code = value[at + 2 : at + 6]
        if code not in listed("message_error", "2003") and not "4000" <= code <= "9999":
            return (Hit(18, "a known error code", repr(code), at + 2, 4),)
    return _NONE


@rule("life-cycle-id", 21, versions=("2003",))
def life_cycle_id(message: Message) -> Iterable[Hit]:
    """DE 21 of 2003 ends with a sequence number and an authentication token, all digits."""
    tail = message.fields[21][16:]
    if tail.isdigit() or not clean(message, 21):
        return _NONE
    at = next(at for at, char in enumerate(tail, 16) if not char.isdigit())
    return (Hit(21, "six digits at the end", repr(message.fields[21][at]), at, 1),)


@rule("pos-capability", 27, versions=("2003",))
def pos_capability(message: Message) -> Iterable[Hit]:
    """DE 27 of 2003: after eight bytes of bits, lengths in digit characters."""
    if not clean(message, 27) or len(message.fields[27]) != 54:
        return _NONE
    data = bytes.fromhex(message.fields[27])
    for at in range(8, 24):
        if not 0x30 <= data[at] <= 0x39:
            return (Hit(27, "a digit as a character, 30 to 39", f"{data[at]:02X}", 2 * at, 2),)
    return _NONE


@rule("acquirer-reference", 31, versions=("2003",))
def acquirer_reference(message: Message) -> Iterable[Hit]:
    """DE 31 of 2003 ends with a check digit."""
    if not clean(message, 31) or luhn_ok(message.fields[31]):
        return _NONE
    return (Hit(31, "a right check digit", "a wrong one", 22, 1),)


@rule("batch-control", 69, versions=("2003",))
def batch_control(message: Message) -> Iterable[Hit]:
    """DE 69 of 2003 begins with a message count."""
    head = message.fields[69][:8]
    if head.isdigit() or not clean(message, 69):
        return _NONE
    at = next(at for at, char in enumerate(head) if not char.isdigit())
    return (Hit(69, "a message count of eight digits in front", repr(head[at]), at, 1),)
