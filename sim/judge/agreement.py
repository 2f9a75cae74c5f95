"""Rules about elements that say the same thing twice: an amount and its conversion, a date and the day it
belongs to, a stripe and the way the card was read, a reversal and its original.

Each is a warning or a remark: what disagrees can be read all the same. Nothing here asks an x8xx message,
except whether it carries a card at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sim.codec import Message
from sim.elements import dates, money, pos
from sim.elements.groups import read_original
from sim.elements.pan import detect_network, luhn_ok
from sim.elements.track import Track2, expiry_place, read_track_2
from sim.judge.agreed import Equal
from sim.judge.conditions import part_of_pos
from sim.judge.content import clean
from sim.judge.cross import minor_units
from sim.judge.days import days_between
from sim.judge.engine import CARD, ZERO, each, rule
from sim.judge.finding import Hit
from sim.judge.layout import LATER
from sim.masking.search import SHORTEST_PAN
from sim.spec import code_list, currency, is_particular, number_of

_NONE: tuple[Hit, ...] = ()
_TRANSACTIONS = "12"
_CARD_CLASSES = "1234"
_REQUESTS = "0"
_REQUESTS_AND_ADVICES = "02"
_CURRENCY_OF = money.CURRENCY_OF

# A rate has six or seven digits, and who converts rounds: a hundredth, and one unit, is no disagreement.
_TOLERANCE = 100
_RATE_OF = {5: 9, 6: 10}
_SCALES: tuple[int, ...] = tuple(10**decimals for decimals in range(10))
# Settlement and capture follow the transaction within days, also over a long weekend.
_DAYS_BEFORE, _DAYS_AFTER = 1, 7
# First digit of a service code: international or national use, with a chip.
_HAS_CHIP = ("2", "6")
# Third digit: a PIN is required, whatever it is used for.
_NEEDS_PIN = ("0", "3", "5")
_STRIPE, _FALLBACK = "magnetic stripe", "fallback"
_CHIP = ("chip", "contactless")
_STORED = ("credential on file", "ecommerce")
_ABSENT = ("05", "08")  # 1987: the card is not present; mail or telephone order
_CASH_MACHINE, _PURCHASE = "6011", "00"
# What a network management message has no use for, beside a card number: an amount, a PIN, chip data.
_OF_CARDS = (4, 52, 55)
_WITH_CARDS = frozenset((2, 35, *_OF_CARDS))


@each("converted-amount", 5, versions=("1987", "1993"), classes=_CARD_CLASSES, reads=(4, 5, 9, 49, 50))
@each("converted-amount", 6, versions=("1987", "1993"), classes=_CARD_CLASSES, reads=(4, 6, 10, 49, 51))
def converted_amount(message: Message, number: int) -> Iterable[Hit]:
    """DE 5 and 6 are DE 4 times their rate: in minor units, or in major units of both currencies."""
    rate, fields = _RATE_OF[number], message.fields
    before, after, told = fields.get(4, ""), fields[number], fields.get(rate, "")
    if not (before.isdecimal() and after.isdecimal() and told.isdecimal() and len(told) > 1):
        return _NONE
    amount, found, scale, factor = int(before), int(after), _SCALES[int(told[0])], int(told[1:])
    right = amount * factor
    if found * scale == right or _is_near(found, right, scale):
        return _NONE
    if not right or int(told[0]) >= len(told):
        return _NONE  # nothing is multiplied; an impossible rate has a rule of its own
    shift = _exponent(message, number) - _exponent(message, 4)
    if shift and _is_near(found, right * 10 ** max(shift, 0), scale * 10 ** max(-shift, 0)):
        return _NONE
    divided = _is_near(found, amount * scale, factor)
    hint = "The amount was divided by the rate; DE 4 is multiplied by it." if divided else ""
    expected = f"the amount of DE 4 times the rate in DE {rate}"
    return (Hit(number, expected, "another amount", 0, None, "", hint),)


def _is_near(found: int, dividend: int, divisor: int) -> bool:
    """Whether *found* is the quotient, but for a minor unit or the tolerance."""
    off = found * divisor - dividend
    return -divisor <= off <= divisor or abs(off) <= dividend // _TOLERANCE


def _exponent(message: Message, number: int) -> int:
    """Decimals of the currency of an amount; two where it is not known."""
    known = currency(message.get(_CURRENCY_OF.get(number, 49)))
    return 2 if known is None or known.exponent is None else known.exponent


@rule("fee-exceeds-amount", 4, 28, versions=("1987",), classes=_TRANSACTIONS, reads=(4, 28, 49))
def fee_exceeds_amount(message: Message) -> Iterable[Hit]:
    """A fee is part of what a transaction costs, not most of it."""
    amount, fee = minor_units(message), message[28][1:]
    if not amount or not clean(message, 28) or int(fee) <= amount:
        return _NONE
    return (Hit(28, "a fee not above the amount in DE 4", "more"),)


@each(
    "business-date",
    15,
    versions=("1987",),
    classes=_TRANSACTIONS,
    functions="01",
    reads=(13, 15),
    equal=Equal(13, 15),
)
@each(
    "business-date",
    17,
    versions=("1987",),
    classes=_TRANSACTIONS,
    functions="01",
    reads=(13, 17),
    equal=Equal(13, 17),
)
def business_date(message: Message, number: int) -> Iterable[Hit]:
    """Settlement and capture are at the local date or within days; without a year, the nearer way round."""
    if not _is_far(message.get(13), message[number]):
        return _NONE
    return (Hit(number, "a date within a week after the local date in DE 13", repr(message[number])),)


@lru_cache(maxsize=1024)
def _is_far(local: str, day: str) -> bool:
    """Whether two days of the calendar, MMDD, are further apart than such dates are."""
    if dates.problem("MMDD", local) or dates.problem("MMDD", day):
        return False
    return not -_DAYS_BEFORE <= days_between(local, day) <= _DAYS_AFTER


# How the card was read, and what its stripe says of it.


def _track(message: Message) -> Track2 | None:
    return read_track_2(message[35])


def _at_service(track: Track2, digit: int) -> tuple[int, int] | None:
    """Where a digit (from 0) of the service code stands; None where the track has a country in front."""
    at = expiry_place(track.pan)
    return None if at is None or len(track.service) != 3 or not track.expiry else (at + 4 + digit, 1)


@rule("service-code-entry", 22, 35, classes=_TRANSACTIONS, functions=_REQUESTS, reads=(CARD, 22, 35))
def service_code_entry(message: Message) -> Iterable[Hit]:
    """Track 2 says whether the card has a chip: a card with one is inserted, one without cannot be."""
    kind, track = pos.entry_kind(message), _track(message)
    if track is None or (where := _at_service(track, 0)) is None or track.service[0] not in "12567":
        return _NONE
    has_chip = track.service[0] in _HAS_CHIP
    if kind == _STRIPE and has_chip and _tells_fallback(message):
        hint = "A card with a chip is swiped where the terminal has no reader, or the chip fails (entry 80)."
        return (Hit(35, "a card without a chip, as the stripe was read", "a chip card", *where, hint=hint),)
    if kind in (*_CHIP, _FALLBACK) and not has_chip:
        hint = "A service code that begins with 2 or 6 says that the card has a chip."
        return (Hit(35, "the service code of a card with a chip", "a card without one", *where, hint=hint),)
    return _NONE


def _tells_fallback(message: Message) -> bool:
    """Whether the card's network has a code for a stripe that is read after the chip failed; elsewhere the
    plain code may mean that, too."""
    owner = detect_network(message)
    codes = code_list("pos_entry_mode") if owner and message.version == "1987" else ()
    return any(one.kind == _FALLBACK and one.network == owner.network for one in codes if owner)


@rule("service-code-pin", 22, 35, classes=_TRANSACTIONS, functions=_REQUESTS, missing=(52,))
def service_code_pin(message: Message) -> Iterable[Hit]:
    """A stripe whose service code asks for a PIN comes with one: only the issuer can check it."""
    if pos.entry_kind(message) not in (_STRIPE, _FALLBACK):
        return _NONE
    track = _track(message)
    if track is None or _at_service(track, 2) is None or track.service[2] not in _NEEDS_PIN:
        return _NONE
    return (Hit(52, "a PIN block, as the service code on the stripe asks for a PIN", "none"),)


@rule("pin-without-card", 22, 52, classes=_TRANSACTIONS, functions=_REQUESTS, reads=(22, 25))
def pin_without_card(message: Message) -> Iterable[Hit]:
    """A PIN is entered where the card is, not in an order by mail or from a file."""
    absent = number_of("condition", message.version) and message.get(25) in _ABSENT
    if not absent and pos.entry_kind(message) not in _STORED:
        return _NONE
    return (Hit(52, "no PIN block, as the card was not there", "one"),)


@rule("cash-machine-purchase", 3, 18, versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS)
@rule("cash-machine-purchase", 3, 26, versions=LATER, classes=_TRANSACTIONS, functions=_REQUESTS)
def cash_machine_purchase(message: Message) -> Iterable[Hit]:
    """A cash machine pays out; it sells nothing."""
    number = number_of("category", message.version)
    if message[3][:2] != _PURCHASE or message[number] != _CASH_MACHINE:
        return _NONE
    return (Hit(number, "a merchant who sells something", repr(message[number])),)


@rule("card-in-network-message", classes="8", reads=(2, 35), there=_WITH_CARDS, any_mti=False)
def card_in_network_message(message: Message) -> Iterable[Hit]:
    """A sign-on, a test or a key exchange is about the line, not about a card. What networks have in DE 2
    and 35 there is no card number and no track."""
    if _WITH_CARDS.isdisjoint(message.fields):
        return _NONE
    found = [number for number in _OF_CARDS if number in message]
    pan = message.get(2)
    if len(pan) >= SHORTEST_PAN and luhn_ok(pan):
        found.insert(0, 2)
    elif read_track_2(message.get(35)):
        found.insert(0, 35)
    return tuple(Hit(number, "no card data or amount in network management", "some") for number in found[:1])


# Places of DE 22 of 1993 that contradict each other.


@rule(
    "pos-parts-agree",
    22,
    versions=("1993",),
    classes=_TRANSACTIONS,
    functions=_REQUESTS_AND_ADVICES,
    there=(52,),
)
def pos_parts_agree(message: Message) -> Iterable[Hit]:
    """What was done at the terminal is something that the terminal can do."""
    value, version = message[22], message.version
    if not clean(message, 22):
        return _NONE
    entry, can = part_of_pos(version, "entry"), part_of_pos(version, "entry-capability")
    way, by, pin = (
        part_of_pos(version, job) for job in ("authentication", "authenticated-by", "pin-capability")
    )
    if is_particular("chip", version, value[entry]) and is_particular("no-chip-reader", version, value[can]):
        return (_misfit(value, entry, "an entry that the terminal in position 1 is capable of"),)
    checked = is_particular("pin", version, value[way])
    if checked and is_particular("no-pin-entry", version, value[pin]):
        return (_misfit(value, way, "no PIN, as position 12 says that none can be entered"),)
    online = checked and is_particular("online", version, value[by])
    if online and message.mti[2] in _REQUESTS and 52 not in message:
        return (_misfit(value, by, "a PIN block in DE 52, as the issuer is to check the PIN"),)
    return _NONE


def _misfit(value: str, where: slice, expected: str) -> Hit:
    return Hit(22, expected, repr(value[where]), where.start, where.stop - where.start)


# What a reversal undoes.


def _local(message: Message) -> str:
    """The day by which an original is told, MMDD: DE 7 in 1987, the local date later."""
    value = message.get(number_of("sent-of-original", message.version))
    return value[-10:-6]


@each("original-later", 90, versions=("1987",), reads=(7, 90), classes="4", functions=_REQUESTS_AND_ADVICES)
@each("original-later", 56, versions=LATER, reads=(12, 56), classes="4", functions=_REQUESTS_AND_ADVICES)
def original_later(message: Message, number: int) -> Iterable[Hit]:
    """What is undone was done before. A day is allowed, for clocks and time zones."""
    original, day = read_original(message[number], message.version), _local(message)
    if original is None or not original.when.strip("0"):
        return _NONE
    if dates.problem(original.pattern, original.when) or not _is_day(day):
        return _NONE
    if days_between(day, original.when[-10:-6]) <= 1:
        return _NONE
    return (Hit(number, "an original before this message", "a later date", original.at, len(original.when)),)


def _is_day(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and dates.problem("MMDD", text) is None


@each("original-other-acquirer", 90, versions=("1987",), reads=(32, 90), classes="4", functions="02")
def original_other_acquirer(message: Message, number: int) -> Iterable[Hit]:
    """Who undoes a transaction has sent it."""
    original, own = read_original(message[number], message.version), message.get(32).lstrip("0")
    if original is None or not original.acquirer or not own or original.acquirer == own:
        return _NONE
    if not clean(message, 32) or not clean(message, number):
        return _NONE
    start = original.at + len(original.when)
    return (Hit(number, "the acquirer of DE 32", "another", start, 11),)


@rule("zero-approval-code", 4, 38, 39, classes=_TRANSACTIONS, functions="13", reads=(38, 39, ZERO))
def zero_approval_code(message: Message) -> Iterable[Hit]:
    """The approval code of an approval that moves money says more than nothing."""
    if not is_particular("approved", message.version, message[39]) or not minor_units(message):
        return _NONE
    if message[38].strip("0") or not message[38]:
        return _NONE
    return (Hit(38, "an approval code, as the response approves", "zeros"),)
