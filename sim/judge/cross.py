"""Rules about elements that must agree with each other, with the message class and with the answer.

They look only at values that are sound by themselves: what is wrong inside an element is said once,
by the rule of that element. Nothing here asks an x8xx message about cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.codec import Message
from sim.elements import money, pos, subfields
from sim.elements.groups import AdditionalAmount, read_additional_amounts
from sim.elements.layout import place
from sim.elements.pan import detect_network
from sim.elements.track import read_track_1, read_track_2
from sim.judge.conditions import part_of_pos, purpose_kind
from sim.judge.content import clean, other_expiry
from sim.judge.engine import CARD, ZERO, each, rule
from sim.judge.finding import Hit, Severity
from sim.judge.layout import LATER, listed
from sim.spec import currency, is_particular, number_of

_NONE: tuple[Hit, ...] = ()
_TRANSACTIONS = "12"
_CARD_CLASSES = "1234567"
_REQUESTS = "0"
_REQUESTS_AND_ADVICES = "02"

_CHIP = ("chip", "contactless")
_READ = ("chip", "contactless", "magnetic stripe")
_KEYED = ("manual", "credential on file", "ecommerce")
_STATUS_INQUIRY = "account status inquiry"  # as networks' own lists call it
_CASH_BACK_AMOUNT = "40"
_CASH_BACK = "09"
_CASH_BACK_WANTED = "the cash back amount (type 40), as the processing code says"


# Point of service.


@rule(
    "pin-not-possible",
    22,
    52,
    versions=("1987", "1993"),
    classes=_TRANSACTIONS,
    functions=_REQUESTS_AND_ADVICES,
    reads=(22,),
)
def pin_not_possible(message: Message) -> Iterable[Hit]:
    """A PIN comes from a terminal that can take one."""
    where = part_of_pos(message.version, "pin-capability")
    code = message.fields[22][where]
    if not is_particular("no-pin-entry", message.version, code) or not clean(message, 22):
        return _NONE
    expected = "a terminal that can take a PIN, as DE 52 holds one"
    return (Hit(22, expected, repr(code), where.start, len(code)),)


def _entry(message: Message) -> str:
    """The characters of DE 22 that say how the card was read."""
    return message.fields[22][part_of_pos(message.version, "entry")]


def _mode_hit(message: Message, expected: str, severity: Severity | None = None) -> Hit:
    """A hit on the characters of DE 22 that say how the card was read."""
    where = part_of_pos(message.version, "entry")
    code = message.fields[22][where]
    return Hit(22, expected, repr(code), where.start, where.stop - where.start, severity=severity)


@rule("chip-without-data", 22, classes=_TRANSACTIONS, functions=_REQUESTS, missing=(55,))
def chip_without_data(message: Message) -> Iterable[Hit]:
    """A chip that was read left its data in DE 55."""
    if pos.entry_kind(message) not in _CHIP:
        return _NONE
    return (_mode_hit(message, "another way of entry, or chip data in DE 55"),)


@rule("stripe-without-track", 22, classes=_TRANSACTIONS, functions=_REQUESTS, missing=(35, 36, 45))
def stripe_without_track(message: Message) -> Iterable[Hit]:
    """A magnetic stripe that was read left a track."""
    kind = pos.entry_kind(message)
    fell_back = kind == "fallback" and is_particular("card-read", message.version, _entry(message))
    if kind != "magnetic stripe" and not fell_back:
        return _NONE
    unsure = is_particular("part-of-a-track", message.version, _entry(message))
    return (_mode_hit(message, "a track in DE 35 or 45", Severity.INFO if unsure else None),)


@rule("track-without-reading", 22, 35, classes=_TRANSACTIONS, functions=_REQUESTS, reads=(22,))
def track_without_reading(message: Message) -> Iterable[Hit]:
    """A keyed or stored card number comes without a track."""
    if pos.entry_kind(message) not in _KEYED:
        return _NONE
    if is_particular("may-come-with-a-track", message.version, _entry(message)):
        return _NONE
    return (_mode_hit(message, "an entry that reads the card, as DE 35 holds a track"),)


@rule("track-without-reading", 22, 45, classes=_TRANSACTIONS, functions=_REQUESTS, there=(35,))
def track_1_without_reading(message: Message) -> Iterable[Hit]:
    """A keyed or stored card number comes without track 1, too."""
    if not message.fields[45] or 35 in message or pos.entry_kind(message) not in _KEYED:
        return _NONE
    return (_mode_hit(message, "an entry that reads the card, as DE 45 holds a track"),)


@rule("absent-card-read", 22, 25, versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS)
def absent_card_read(message: Message) -> Iterable[Hit]:
    """A card that was read was present."""
    # 05 customer present, card not present; 08 mail or telephone order.
    if message.fields[25] not in ("05", "08") or pos.entry_kind(message) not in _READ:
        return _NONE
    return (
        Hit(25, "a condition with the card present, as DE 22 says it was read", repr(message.fields[25])),
    )


@rule("absent-card-read", 22, versions=("1993",), classes=_TRANSACTIONS, functions=_REQUESTS)
def absent_card_read_1993(message: Message) -> Iterable[Hit]:
    """Positions 6 and 7 of DE 22 agree: a card that was read was present."""
    value = message.fields[22]
    if value[5:6] != "0" or pos.entry_kind(message) not in _READ or not clean(message, 22):
        return _NONE
    return (Hit(22, "the card present (1), as position 7 says it was read", "'0'", 5, 1),)


@rule("track-1-agrees", 2, 45, classes=_CARD_CLASSES, reads=(2, 14, 45))
def track_1_agrees(message: Message) -> Iterator[Hit]:
    """The card number and expiry on track 1 are those of DE 2 and 14."""
    read = read_track_1(message.fields[45])
    if read is None:
        return
    if read.pan != message.fields[2] and clean(message, 2):
        yield Hit(45, "the card number of DE 2", "another card number", 1, len(read.pan))
    if read.expiry and other_expiry(message, read.expiry):
        yield Hit(45, "the expiry of DE 14", "another expiry", read.at, 4)


@rule("tracks-agree", 35, 45, classes=_CARD_CLASSES, there=(2,))
def tracks_agree(message: Message) -> Iterable[Hit]:
    """Both tracks are of one card. With DE 2 each is compared to that instead."""
    one, two = read_track_1(message.fields[45]), read_track_2(message.fields[35])
    if 2 in message or one is None or two is None or one.pan == two.pan:
        return _NONE
    return (Hit(45, "the card number of DE 35", "another card number", 1, len(one.pan)),)


# Amounts.


def minor_units(message: Message, number: int = 4) -> int | None:
    """The amount in element *number*, in minor units; None where there is none, or no digits."""
    found = money.amount(message, number)
    if found is None or not (found[0].isascii() and found[0].isdigit()):
        return None
    return int(found[0])


@rule("inquiry-with-amount", 3, 4, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES, reads=(3, ZERO))
def inquiry_with_amount(message: Message) -> Iterable[Hit]:
    """An inquiry moves no money."""
    if message.fields[3][:1] != "3" or purpose_kind(message) != "inquiry" or not minor_units(message):
        return _NONE
    return (Hit(4, "zero, as the processing code asks for information only", "an amount"),)


@rule(
    "zero-amount",
    3,
    4,
    classes=_TRANSACTIONS,
    functions=_REQUESTS_AND_ADVICES,
    missing=(61,),
    reads=(3, 24, 25, ZERO),
)
@rule(
    "zero-amount",
    3,
    4,
    61,
    classes=_TRANSACTIONS,
    functions=_REQUESTS_AND_ADVICES,
    reads=(3, 24, 25, 61, CARD, ZERO),
)
def zero_amount(message: Message) -> Iterable[Hit]:
    """A purchase or withdrawal of nothing is something else, but where a code says that it verifies."""
    if message.fields[3][:2] not in ("00", "01", "09") or minor_units(message) != 0:
        return _NONE
    told = message.get(number_of("function", message.version) or number_of("condition", message.version))
    if is_particular("verification", message.version, told) or _asks_for_status(message):
        return _NONE
    return (Hit(4, "an amount above zero", "zero"),)


def _asks_for_status(message: Message) -> bool:
    """Whether the own part of the card's network says that the account is only asked for."""
    owner = detect_network(message) if message.version == "1987" and 61 in message else None
    parts = subfields.unfold(message, 61, owner.network) if owner else ()
    return any(told.meaning == _STATUS_INQUIRY for told in parts)


@rule("transfer-accounts", 3, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES, missing=(102, 103))
def transfer_accounts(message: Message) -> Iterable[Hit]:
    """A transfer names its accounts."""
    if message.fields[3][:1] != "4" or purpose_kind(message) != "transfer":
        return _NONE
    return (Hit(102, "the accounts of the transfer in DE 102 and 103", "none"),)


@rule("partial-exceeds-original", 4, 95, versions=("1987",), classes="4", reads=(4, 49, 95))
def partial_exceeds_original(message: Message) -> Iterable[Hit]:
    """The actual amount in DE 95 is not above the original one in DE 4."""
    where = place("1987", 95, "actual amount, transaction")
    actual, original = message.fields[95][where], minor_units(message)
    if original is None or not (actual.isascii() and actual.isdigit()) or int(actual) <= original:
        return _NONE
    return (Hit(95, "at most the original amount in DE 4", "more", where.start, len(actual)),)


@rule("partial-exceeds-original", 4, 30, versions=LATER, classes="4", reads=(4, 30, 49))
def partial_exceeds_original_later(message: Message) -> Iterable[Hit]:
    """The amount in DE 4 is not above the original one in DE 30."""
    part = message.fields[30][place(message.version, 30, "original amount")]
    amount = minor_units(message)
    if amount is None or not part.strip("0") or not clean(message, 30) or amount <= int(part):
        return _NONE
    return (Hit(4, "at most the original amount in DE 30", "more"),)


@rule("partial-without-original", 24, versions=LATER, classes="4", functions="024", missing=(30,))
def partial_without_original(message: Message) -> Iterable[Hit]:
    """A partial reversal says what the original amount was."""
    if message.fields[24] != "401":
        return _NONE
    return (Hit(30, "the original amounts, in a partial reversal", "none"),)


def _cash_back(message: Message) -> AdditionalAmount | None:
    """The cash back amount in DE 54."""
    for group in read_additional_amounts(message.fields[54], message.version):
        if group.kind == _CASH_BACK_AMOUNT and group.amount.isascii() and group.amount.isdigit():
            return group
    return None


def _sound_groups(message: Message) -> bool:
    """Whether nothing is wrong with DE 54 itself."""
    groups = read_additional_amounts(message.fields[54], message.version)
    return bool(groups) and all(
        group.sign in "CD" and group.amount.isdecimal() and group.kind in listed("amount_type")
        for group in groups
    )


@rule("cash-back", 3, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES, missing=(54,))
def cash_back_missing(message: Message) -> Iterable[Hit]:
    """Processing code 09 comes with a cash back amount in DE 54."""
    if message.fields[3][:2] != _CASH_BACK:
        return _NONE
    return (Hit(54, _CASH_BACK_WANTED, "none"),)


@rule("cash-back", 3, 54, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES, reads=(3, 4, 49, 54))
def cash_back(message: Message) -> Iterable[Hit]:
    """Processing code 09 and a cash back amount in DE 54 come together, within the total."""
    code = message.fields[3][:2]
    if code not in ("00", _CASH_BACK):
        return _NONE
    found = _cash_back(message)
    if found is None:
        if code == _CASH_BACK and _sound_groups(message):
            return (Hit(54, _CASH_BACK_WANTED, "none"),)
        return _NONE
    if code != _CASH_BACK:
        return (Hit(3, "transaction type 09, as DE 54 holds a cash back amount", repr(code), 0, 2),)
    total, asked = minor_units(message), money.amount(message, 4)
    if total is None or asked is None or asked[1] != found.currency:
        return _NONE  # amounts of two currencies are not compared
    if int(found.amount) > total:
        return (Hit(54, "at most the total in DE 4", "more cash back", found.at),)
    return _NONE


@rule("cash-back-currency", 4, 54, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES, reads=(4, 49, 54))
def cash_back_currency(message: Message) -> Iterable[Hit]:
    """The cash back is a part of the amount, in its currency."""
    found, whole = _cash_back(message), money.amount(message)
    said, wanted = currency(found.currency if found else ""), currency(whole[1] if whole else "")
    if found is None or said is None or wanted is None or said == wanted:
        return _NONE
    where = "DE 4" if message.version == "2003" else "DE 49"
    return (Hit(54, f"cash back in the currency of {where}, {wanted.alpha}", said.alpha, found.at),)


@each("amount-currency", 5, versions=("1987", "1993"), missing=(50,))
@each("amount-currency", 6, versions=("1987", "1993"), missing=(51,))
@each("amount-currency", 8, versions=("1987", "1993"), missing=(6, 51))
def amount_currency(message: Message, number: int) -> Iterable[Hit]:
    """Settlement and billing amounts come with their currency; nothing needs none."""
    if not message[number].strip("0"):
        return _NONE
    return (Hit(money.CURRENCY_OF[number], f"the currency of the amount in DE {number}", "none"),)


@each("rate-without-amount", 9, 10, reads=())
def rate_without_amount(message: Message, number: int) -> Iterable[Hit]:
    """A conversion rate comes with the amount it gave."""
    amount = {9: 5, 10: 6}[number]
    return (
        _NONE
        if amount in message
        else (Hit(amount, f"the amount converted at the rate in DE {number}", "none"),)
    )
