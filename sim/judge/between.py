"""Rules about elements that must agree: with each other, with the card entry mode, with the original of a
reversal.

They check only values that are valid by themselves: an error inside an element is reported once, by that
element's rule. None of them checks x8xx messages for cards. Since contradictions do not stop a parser, most
are warnings or remarks.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from sim.codec import Message
from sim.elements import dates, money, pos
from sim.elements.card import read_track_1, read_track_2
from sim.elements.meaning import unfold
from sim.elements.money import AdditionalAmount
from sim.elements.mti import Original
from sim.judge.elements import LATER, clean, country_of_place, listed, purpose_kind
from sim.judge.finding import Hit, Severity
from sim.judge.parts import (
    CARD,
    CURRENCY,
    DE,
    MTI,
    NUMBER,
    TABLE,
    VALUE,
    Card,
    Maybe,
    Present,
    Stripe,
    amount_in,
)
from sim.judge.rules import Told, each, rule
from sim.parts.layout import place
from sim.spec import (
    Spec,
    code_list,
    country,
    currency,
    is_particular,
    lookup,
    number_of,
    zone_of,
)
from sim.spec.layouts import layouts
from sim.spec.networks import presence

# By the first part of a time zone. The others are islands, many of which belong to countries elsewhere;
# Cyprus, Turkey and others lie between the continents of the Old World.
_REGIONS = {"America": 1, "Australia": 2, **dict.fromkeys(("Africa", "Asia", "Europe"), 3)}
_TRANSACTIONS = "12"
_CARD_CLASSES = "1234567"
_REQUESTS = "0"
_REQUESTS_AND_ADVICES = "02"
_RESPONSES = "13"

_STRIPE, _FALLBACK, _ECOMMERCE = "magnetic stripe", "fallback", "ecommerce"
_CHIP = ("chip", "contactless")
# A payment in an app may count as a tapped card.
_INSERTED = ("chip", _STRIPE, _FALLBACK)
_STATUS_INQUIRY = "account status inquiry"  # as networks' own lists call it
# Amount types: cash back, the amount requested, the price before conversion.
_CASH_BACK_AMOUNT, _REQUESTED, _CONVERTED_FROM = "40", "57", "58"
_OF_AN_ACCOUNT = "account"  # amount types that an issuer reports of it
_CASH_BACK, _OF_DE_49 = "09", ("amount", "DE49")  # the latter: an amount in the transaction's currency
_CASH_BACK_WANTED = "the cash back amount (type 40) that processing code 09 announces"
_PURCHASE = "00"
_MACS = (64, 128)

# Rates have six or seven digits, and converters round: a hundredth, or one minor unit, is tolerated.
_TOLERANCE = 100
_SCALES = [10**decimals for decimals in range(10)]
# Settlement and capture follow the transaction within days, even over a long weekend.
_DAYS_BEFORE, _DAYS_AFTER = 1, 7
_CONVERSION = 16  # its rate may be older, as over a weekend
# First digit of a service code: international or national use, with a chip.
_HAS_CHIP = ("2", "6")
# Transaction types, and the third digits that exclude them: cash only, goods and services only.
_FOR = {"00": ("3", "4"), "01": ("2", "5", "7")}


# Point of service.


@rule("ecommerce-card-read", versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS)
def ecommerce_card_read(
    value: str = DE[22], condition: str = DE[25], card: Card = CARD, table: Spec = TABLE
) -> Told:
    """Nobody inserts or swipes a card online."""
    if card.owner is None or pos.kind_of(value, table.version, card.network) not in _INSERTED:
        return None
    code = lookup("pos_condition", condition, version=table.version, network=card.network)
    if code is None or code.kind != _ECOMMERCE:
        return None
    expected = "a condition with the card present, because DE 22 says it was read"
    return Hit(25, expected, f"{condition!r}, {code.meaning}")


@rule("service-code-entry", classes=_TRANSACTIONS, functions=_REQUESTS)
def service_code_entry(
    entry: str = DE[22].entry, stripe: Stripe = DE[35].stripe, card: Card = CARD, table: Spec = TABLE
) -> Told:
    """The service code on track 2 says whether the card has a chip: only then can it be inserted."""
    if (where := _at_service(stripe, 0)) is None or stripe.service[0] not in "12567":
        return None
    has_chip = stripe.service[0] in _HAS_CHIP
    if entry == _STRIPE and has_chip and _tells_fallback(card, table):
        hint = (
            "A chip card is swiped only if the terminal has no chip reader or the chip fails (entry mode 80)."
        )
        expected = "a card without a chip, because the stripe was read"
        return Hit(35, expected, "a chip card", *where, hint=hint, severity=Severity.INFO)
    if entry in (*_CHIP, _FALLBACK) and not has_chip:
        hint = "A service code starting with 2 or 6 means that the card has a chip."
        severity = Severity.INFO if table.interface else None  # terminals on private links test with any card
        expected = "the service code of a card with a chip"
        return Hit(35, expected, "a card without one", *where, hint=hint, severity=severity)
    return None


def _at_service(stripe: Stripe, digit: int) -> tuple[int, int] | None:
    """The position and size of a digit (from 0) of the service code; None if a country code precedes the
    expiry."""
    if stripe.expiry_at is None or len(stripe.service) != 3 or not stripe.expiry:
        return None
    return stripe.expiry_at + 4 + digit, 1


def _tells_fallback(card: Card, table: Spec) -> bool:
    """Whether the card's network has a code of its own for fallback from chip to stripe; on other networks,
    the code for a stripe may mean that, too."""
    if card.owner is None or table.version != "1987":
        return False
    codes = code_list("pos_entry_mode")
    return any(code.kind == _FALLBACK and code.network == card.network for code in codes)


@rule("service-code-use", classes=_TRANSACTIONS, functions=_REQUESTS)
def service_code_use(code: str = DE[3], stripe: Stripe = DE[35].stripe) -> Told:
    """A card for cash only makes no purchases, and one for goods and services only withdraws no cash."""
    where = _at_service(stripe, 2)
    if where is None or stripe.service[2] not in _FOR.get(code[:2], ()):
        return None
    allowed = "cash" if code[:2] == _PURCHASE else "goods and services"
    return Hit(35, "a service code that allows this transaction", f"one for {allowed} only", *where)


@rule(
    "security-without-pin", versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS, lacks=(52, *_MACS)
)
@rule("security-zeros", versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS, needs=(52,))
def security_of_pin(value: str = DE[53], pin: bool = Present[52], card: Card = CARD, mti: str = MTI) -> Told:
    """DE 53 describes the encryption of a PIN block, and is sent only with one, on networks whose rows say
    so."""
    if not value or bool(value.strip("0")) == pin or card.network is None:
        return None
    if not any(row.field == 53 and row.when == "pin" for row in presence(card.network, mti)):
        return None
    what = "PIN block key and format"
    return Hit(53, f"the {what}", "zeros") if pin else Hit(53, f"no {what}, because DE 52 is missing", "some")


@rule("acquirer-country", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def acquirer_country(code: str = DE[19], location: str = DE[43], table: Spec = TABLE) -> Told:
    """An acquirer is in the country of its merchants. Europe's acquire across borders and overseas, others
    for islands and neighbors, so only another region of the world is a contradiction."""
    acquirer, merchant = country(code), country_of_place(location, table.version)
    if acquirer is None or merchant in (None, acquirer):
        return None
    here, there = (zone_of(one.alpha2).partition("/")[0] for one in (acquirer, merchant))
    is_far = here != "Europe" and len({_REGIONS.get(here), _REGIONS.get(there), None}) == 3
    severity = None if is_far else Severity.INFO
    return Hit(19, f"{merchant.numeric}, the country in DE 43", f"{code}, {acquirer.name}", severity=severity)


# Tracks.


@rule("track-2-agrees", classes=_CARD_CLASSES)
def track_2_agrees(
    pan: str = DE[2], track: str = DE[35], stated: str = Maybe[14], table: Spec = TABLE
) -> Told:
    """The card number and expiry on the track are those of DE 2 and 14."""
    at = len(pan) + 1
    if stated and track[:at] in (f"{pan}=", f"{pan}D") and track[at : at + len(stated)] == stated:
        return None
    if (read := read_track_2(track)) is None:
        return None
    return _track_agrees(35, (read.pan, 0), (read.expiry, len(read.pan) + 1), pan, stated, table)


@rule("track-1-agrees", classes=_CARD_CLASSES)
def track_1_agrees(
    pan: str = DE[2], track: str = DE[45], stated: str = Maybe[14], table: Spec = TABLE
) -> Told:
    """The card number and expiry on track 1 are those of DE 2 and 14."""
    read = read_track_1(track)
    return _track_agrees(45, (read.pan, 1), (read.expiry, read.at), pan, stated, table) if read else None


def _track_agrees(
    number: int, card: tuple[str, int], expiry: tuple[str, int], pan: str, stated: str, table: Spec
) -> list[Hit]:
    """The hits on the card number and expiry of a track, each with its position."""
    hits = []
    if card[0] != pan and clean(pan, 2, table):
        hits.append(Hit(number, "the card number in DE 2", "another card number", card[1], len(card[0])))
    # An impossible month is reported by itself.
    if stated != expiry[0] and all(dates.is_sound("YYMM", text) for text in (stated, expiry[0])):
        hits.append(Hit(number, "the expiry in DE 14", "another expiry", expiry[1], 4))
    return hits


@rule("track-2-agrees", classes=_CARD_CLASSES)
def service_code_agrees(code: str = DE[40], stripe: Stripe = DE[35].stripe) -> Told:
    """The service code in DE 40 is that of the track."""
    if not stripe.service or not code.strip(" 0") or code == stripe.service:
        return None
    return Hit(40, "the service code of the track in DE 35", "another")


@rule("tracks-agree", classes=_CARD_CLASSES)
def tracks_agree(track_2: str = DE[35], track_1: str = DE[45], pan: bool = Present[2]) -> Told:
    """Both tracks are from the same card. If there is a DE 2, other rules compare each track with that."""
    first, two = read_track_1(track_1), read_track_2(track_2)
    if first is None or two is None:
        return None
    if first.pan != two.pan:
        return None if pan else Hit(45, "the card number in DE 35", "another card number", 1, len(first.pan))
    if not first.service or not two.service or first.service == two.service:
        return None
    start = first.at + len(first.expiry or "^")
    return Hit(45, "the service code of the track in DE 35", "another", start, 3)


# Amounts.


@rule("inquiry-with-amount", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def inquiry_with_amount(
    code: str = Maybe[3],
    moves: bool | None = DE[4].moves,
    function: str = Maybe[24],
    condition: str = Maybe[25],
    own: str = Maybe[61],
    card: Card = CARD,
    table: Spec = TABLE,
) -> Told:
    """An inquiry, an account verification and an account status inquiry move no money."""
    if not moves:
        return None
    if code[:1] == "3" and purpose_kind(code, table.version) == "inquiry":
        reason = "the processing code requests information only"
    else:
        reason = _moves_nothing(function, condition, own, card, table)
    return Hit(4, f"zero, because {reason}", "an amount") if reason else None


@rule("zero-amount", classes="124", functions=_REQUESTS_AND_ADVICES)
def zero_amount(
    code: str = DE[3],
    moves: bool | None = DE[4].moves,
    function: str = Maybe[24],
    condition: str = Maybe[25],
    own: str = Maybe[61],
    card: Card = CARD,
    table: Spec = TABLE,
) -> Told:
    """A purchase or withdrawal has an amount, unless a code, or the network's own element, says that it only
    verifies the account."""
    # Since 1993, the function code of a reversal does not say what it reverses.
    if moves is not False or code[:2] not in ("00", "01", "09") or function[:1] == "4":
        return None
    if _moves_nothing(function, condition, own, card, table):
        return None
    return Hit(4, "an amount above zero", "zero")


def _moves_nothing(function: str, condition: str, own: str, card: Card, table: Spec) -> str:
    """Why no money moves: the function code, or in 1987 the condition, says that only the account is
    verified, or the network's own DE 61 asks for its status; empty if neither does."""
    where = number_of("function", table.version)
    if is_particular("verification", table.version, function if where else condition):
        return f"DE {where or number_of('condition', table.version)} says verification only"
    if not own or table.version != "1987" or card.owner is None:
        return ""
    alone = Message("", {61: own}, table.version, dialect=table if table.dialect else None)
    asks = any(part.meaning == _STATUS_INQUIRY for part in unfold(alone, 61, card.network))
    return "DE 61 says an account status inquiry" if asks else ""


@rule("partial-exceeds-original", versions=("1987",), classes="4")
def partial_exceeds_original(amount: int | None = DE[4].amount, replaced: str = DE[95]) -> Told:
    """The actual amount in DE 95 is not above the original one in DE 4."""
    where = place("1987", 95, "actual amount, transaction")
    actual = replaced[where]
    if amount is None or not (actual.isascii() and actual.isdigit()) or int(actual) <= amount:
        return None
    return Hit(95, "at most the original amount in DE 4", "more", where.start, len(actual))


@rule("partial-exceeds-original", versions=("1987",), classes=_TRANSACTIONS, functions=_RESPONSES)
def partial_exceeds_request(
    groups: tuple[AdditionalAmount, ...] = DE[54].groups,
    answer: str = DE[39],
    amount: int | None = DE[4].amount,
    stated: str = CURRENCY,
) -> Told:
    """The amount approved in part, in DE 4, is below the one requested, in DE 54."""
    if amount is None or not is_particular("partial", "1987", answer):
        return None
    for group in groups:
        requested = group.amount.isdecimal() and group.kind == _REQUESTED and group.currency == stated
        if requested and int(group.amount) <= amount:
            return Hit(54, "more than the amount approved in DE 4", "as much or less", group.at + 8, 12)
    return None


@rule("partial-exceeds-original", versions=LATER, classes="4")
@rule("partial-exceeds-original", versions=LATER, classes=_TRANSACTIONS, functions=_RESPONSES)
def partial_exceeds_original_later(
    amount: int | None = DE[4].amount,
    original: str = DE[30],
    answer: str = Maybe[39],
    mti: str = MTI,
    table: Spec = TABLE,
) -> Told:
    """The amount in DE 4 of a reversal or a partial approval is not above the original one in DE 30."""
    if mti[1] in _TRANSACTIONS and not is_particular("partial", table.version, answer):
        return None
    part = original[place(table.version, 30, "original amount")]
    if amount is None or not part.strip("0") or not clean(original, 30, table) or amount <= int(part):
        return None
    return Hit(4, "at most the original amount in DE 30", "more")


@rule("nothing-given-back", versions=("1987",), classes="4", functions=_REQUESTS_AND_ADVICES)
def nothing_given_back(amount: str = DE[4], replaced: str = DE[95]) -> Told:
    """A partial reversal leaves less than the original amount."""
    if replaced[:12] != amount or not amount.strip("0"):
        return None
    return Hit(95, "an amount below DE 4", "the same amount", 0, 12)


@rule("balance-in-request", classes="1", functions=_REQUESTS)
@rule("balance-in-request", classes="4", functions=_REQUESTS_AND_ADVICES)
def balance_in_request(groups: tuple[AdditionalAmount, ...] = DE[54].groups) -> Told:
    """Only the issuer reports account balances."""
    for group in groups:
        code = lookup("amount_type", group.kind)
        if code and code.kind == _OF_AN_ACCOUNT:
            return Hit(54, "no account balance in a request", f"amount type {group.kind!r}", group.at + 2, 2)
    return None


@rule("cash-back", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def cash_back(
    code: str = DE[3],
    groups: tuple[AdditionalAmount, ...] = DE[54].groups,
    amount: str = Maybe[4],
    stated: str = CURRENCY,
    table: Spec = TABLE,
) -> Told:
    """Processing code 09 and a cash back amount in DE 54 occur together, and the latter is within the
    total."""
    kind = code[:2]
    if kind not in (_PURCHASE, _CASH_BACK):
        return None
    numbers = [group for group in groups if group.amount.isascii() and group.amount.isdigit()]
    group = next((group for group in numbers if group.kind == _CASH_BACK_AMOUNT), None)
    if group is None:
        known = [group for group in numbers if group.sign in "CD" and group.kind in listed("amount_type")]
        sound = groups and len(known) == len(groups)
        return Hit(54, _CASH_BACK_WANTED, "none") if kind == _CASH_BACK and sound else None
    if kind != _CASH_BACK:
        return Hit(3, "transaction type 09, because DE 54 contains a cash back amount", repr(kind), 0, 2)
    total = amount_in(amount, table)
    # Amounts of two currencies are not compared.
    if total is None or stated != group.currency or int(group.amount) <= total:
        return None
    return Hit(54, "at most the total in DE 4", "more cash back", group.at)


@cache
def _cash_part(network: str) -> tuple[int, int]:
    """The start and end of the cash back amount in the network's DE 61; zeros if it has none."""
    cells = (cell for layout in layouts("1987", 61, network) for cell in layout.cell.slices or ())
    mine = ((start, end) for cell, start, end in cells if (cell.codes, cell.argument) == _OF_DE_49)
    return next(mine, (0, 0))


@rule("cash-back", versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def cash_back_again(own: str = DE[61], amount: int | None = DE[4].amount, card: Card = CARD) -> Told:
    """The cash back amount that a network has in DE 61 as well is within the total."""
    if amount is None or not own.isdecimal() or card.network is None:
        return None
    start, stop = _cash_part(card.network)
    if not 0 < stop <= len(own) or int(own[start:stop]) <= amount:
        return None
    return Hit(61, "at most the total in DE 4", "more cash back", start, stop - start)


@rule("cash-back-currency", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES, needs=(4,))
def cash_back_currency(
    groups: tuple[AdditionalAmount, ...] = DE[54].groups, stated: str = CURRENCY, table: Spec = TABLE
) -> Told:
    """The cash back is part of the amount, a debit in its currency; a price before conversion is in
    another."""
    expected = currency(stated)
    where = "DE 4" if table.version == "2003" else "DE 49"
    for group in groups:
        actual = currency(group.currency)
        if actual is None or expected is None:
            continue
        if group.kind == _CASH_BACK_AMOUNT and group.sign == "C":
            return Hit(54, "cash back as a debit (D)", "'C'", group.at + 7, 1)
        if group.kind == _CASH_BACK_AMOUNT and actual != expected:
            return Hit(54, f"cash back in the currency of {where}, {expected.alpha}", actual.alpha, group.at)
        if group.kind in (_CASH_BACK_AMOUNT, _CONVERTED_FROM) and not group.amount.strip("0"):
            return Hit(54, "an amount above zero", "zero", group.at + 8, 12)
        if group.kind == _CONVERTED_FROM and actual == expected:
            return Hit(54, f"a price in another currency than that of {where}", actual.alpha, group.at)
    return None


@each("amount-currency", 5, versions=("1987", "1993"), lacks=(50,))
@each("amount-currency", 6, versions=("1987", "1993"), lacks=(51,))
@each("amount-currency", 8, versions=("1987", "1993"), lacks=(6, 51))
def amount_currency(value: str = VALUE, number: int = NUMBER) -> Told:
    """Settlement and billing amounts have their currency, unless they are zero."""
    if not value.strip("0"):
        return None
    return Hit(money.CURRENCY_OF[number], f"the currency of the amount in DE {number}", "none")


def _bind_converted(number: int, rate: int, currency_of_it: int) -> None:
    @rule("converted-amount", versions=("1987", "1993"), classes="1234")
    def _(
        after: str = DE[number],
        before: str = Maybe[4],
        rate_text: str = Maybe[rate],
        base: str = Maybe[49],
        other: str = Maybe[currency_of_it],
    ) -> Told:
        """DE 5 and 6 are DE 4 times their rates, in minor units or in the major units of both currencies."""
        if not rate_text and base and other and after.strip("0") and base != other:
            return Hit(rate, f"the rate that gave DE {number}", "none")
        if not rate_text and base and base == other and before and before != after:
            return Hit(number, "the amount of DE 4, because the currency is the same", "another amount")
        if not (before.isdecimal() and after.isdecimal() and rate_text.isdecimal() and len(rate_text) > 1):
            return None
        amount, converted = int(before), int(after)
        scale, factor = _SCALES[int(rate_text[0])], int(rate_text[1:])
        right = amount * factor
        if converted * scale == right or _is_near(converted, right, scale):
            return None
        if not right or int(rate_text[0]) >= len(rate_text):
            return None  # a zero amount or rate; an impossible rate has its own rule
        shift = _exponent(other) - _exponent(base)
        if shift and _is_near(converted, right * 10 ** max(shift, 0), scale * 10 ** max(-shift, 0)):
            return None
        divided = _is_near(converted, amount * scale, factor)
        hint = "The amount was divided by the rate; multiply DE 4 by it instead." if divided else ""
        return Hit(number, f"DE 4 times the rate in DE {rate}", "another amount", hint=hint)


_bind_converted(5, 9, 50)
_bind_converted(6, 10, 51)


def _is_near(value: int, dividend: int, divisor: int) -> bool:
    """Whether *value* is the quotient, except for one minor unit or the tolerance."""
    off = value * divisor - dividend
    return -divisor <= off <= divisor or abs(off) <= dividend // _TOLERANCE


def _exponent(code: str) -> int:
    """The decimals of a currency; two if it is not known."""
    entry = currency(code)
    return 2 if entry is None or entry.exponent is None else entry.exponent


@rule("fee-exceeds-amount", versions=("1987",), classes=_TRANSACTIONS)
def fee_exceeds_amount(amount: int | None = DE[4].amount, value: str = DE[28], table: Spec = TABLE) -> Told:
    """A fee does not exceed the amount."""
    if not amount or not clean(value, 28, table) or int(value[1:]) <= amount:
        return None
    return Hit(28, "a fee no higher than the amount in DE 4", "more")


@rule("net-settlement", versions=("1987", "1993"), classes="5", functions=_REQUESTS_AND_ADVICES)
def net_settlement(
    net: str = DE[97],
    credits_: str = DE[86],
    credits_back: str = DE[87],
    debits: str = DE[88],
    debits_back: str = DE[89],
    processing: str = Maybe[82],
    charges: str = Maybe[83],
    debit_processing: str = Maybe[84],
    debit_charges: str = Maybe[85],
    table: Spec = TABLE,
) -> Told:
    """The net settlement is credits less debits, without what was reversed. Not checked for 1987 with fees,
    which count by agreement."""
    amounts = credits_, credits_back, debits, debits_back
    fees = processing + charges + debit_processing + debit_charges
    if (table.version == "1987" and fees.strip("0")) or not all(amount.isdecimal() for amount in amounts):
        return None
    gross, gross_back, less, less_back = map(int, amounts)
    difference = (gross - gross_back) - (less - less_back)
    if not net[1:].isdecimal():
        return None
    if int(net[1:]) != abs(difference):
        return Hit(97, "the difference between credits (86, 87) and debits (88, 89)", "another amount", 1)
    sign = "C" if difference > 0 else "D"
    if not difference or net[0] == sign:
        return None
    return Hit(97, f"{sign}, as the totals are", repr(net[0]), 0, 1)


# Dates.

_LEAP_YEAR, _COMMON_YEAR = 2024, 2023


def _days_of(year: int) -> dict[str, int]:
    """The days of *year*, counted, by MMDD."""
    days = (date(year, 1, 1) + timedelta(at) for at in range(366))
    return {f"{day:%m%d}": at for at, day in enumerate(days, 1) if day.year == year}


_DAYS, _COMMON_DAYS = _days_of(_LEAP_YEAR), _days_of(_COMMON_YEAR)
_LEAP_DAY, _MOMENT = "0229", "MMDDhhmmss"
# The day of a leap and of a common year, in three digits, by MMDD.
DAYS_OF_YEAR = {day: (f"{at:03}", f"{at - (day > _LEAP_DAY):03}") for day, at in _DAYS.items()}
_DAY = 86_400  # seconds
_FURTHEST_WEST, _FURTHEST_EAST, _DELAY = -43_200, 50_400, 3_600  # seconds from UTC; from sale to transmission
_CLOCKS = 300  # seconds that two clocks of one acquirer may differ
_LONGEST_HOLD, _ACQUIRERS = 31, "01"  # days that an authorization is valid; senders of reversals in the MTI
_CENTURY_MONTHS = 1200
_LONGEST_VALID = 240  # months from issue to expiry that networks allow


def _sound_date(value: str, number: int, table: Spec) -> str:
    """The value of a date element if it is in the calendar, else empty."""
    return value if dates.is_sound(table[number].pattern, value) else ""


def _moment(time: str, day: str, table: Spec) -> str:
    """The local date and time, MMDDhhmmss: DE 13 and 12 in 1987, the end of DE 12 since."""
    return day + time if table.version == "1987" else time[-10:]


@rule("dates-apart", classes=_TRANSACTIONS, functions="01")
def dates_apart(sent: str = DE[7], time: str = DE[12], day: str = Maybe[13], table: Spec = TABLE) -> Told:
    """The local date and time are those of a zone on earth, by DE 7 (UTC). Without a year, the nearer date
    counts, so that New Year's Eve is next to New Year's Day."""
    local = _moment(time, day, table)
    if local[:4] == sent[:4] or not _sound_date(time, 12, table):
        return None
    if not all(dates.is_sound(_MOMENT, moment) for moment in (sent, local)):
        return None
    gap = _DAY * days_between(sent[:4], local[:4]) + second_of(local[4:]) - second_of(sent[4:])
    if _FURTHEST_WEST - _DELAY <= gap <= _FURTHEST_EAST + _DELAY:
        return None
    number, pattern = (13, "") if table.version == "1987" else (12, table[12].pattern.removesuffix(_MOMENT))
    expected = "a local time from 12 hours before DE 7 (UTC) to 14 hours after it"
    return Hit(number, expected, repr(local[:4]), len(pattern), 4)


def second_of(text: str) -> int:
    """The second of a day, of hhmmss."""
    return 3600 * int(text[:2]) + 60 * int(text[2:4]) + int(text[4:6])


def days_between(first: str, second: str) -> int:
    """Days from *first* to *second*, both MMDD, the shorter way around the year. February has 29 days only if
    one of them is 0229.

    >>> days_between("1231", "0102"), days_between("0301", "0229"), days_between("0301", "0228")
    (2, -1, -1)
    """
    days = _DAYS if _LEAP_DAY in (first, second) else _COMMON_DAYS
    gap = (days[second] - days[first]) % len(days)
    return gap - len(days) if gap > len(days) // 2 else gap


def months_from(first: str, second: str) -> int:
    """Months from *first* to *second*, both YYMM, the shorter way around the century."""
    gap = sum((int(second[at : at + 2]) - int(first[at : at + 2])) * size for at, size in ((0, 12), (2, 1)))
    gap %= _CENTURY_MONTHS
    return gap - _CENTURY_MONTHS if gap > _CENTURY_MONTHS // 2 else gap


_FAR_FROM_UTC = timedelta(hours=2)  # a country whose zone is nearer may have another zone that is UTC


@rule("transmission-time-local", classes=_TRANSACTIONS, functions="0")
def transmission_time_local(
    sent: str = DE[7], time: str = DE[12], day: str = Maybe[13], place: str = DE[43], table: Spec = TABLE
) -> Told:
    """DE 7 is UTC; a clock that is hours away cannot show the same."""
    if sent != _moment(time, day, table) or not dates.is_sound(_MOMENT, sent):
        return None
    if (stands := country_of_place(place, table.version)) is None:
        return None
    moment = datetime.fromisoformat(f"{_LEAP_YEAR}{sent[:4]}T{sent[4:]}")
    offset = ZoneInfo(zone_of(stands.alpha2)).utcoffset(moment)
    if offset is None or abs(offset) < _FAR_FROM_UTC:
        return None
    what = f"UTC, which is not local time in the merchant's country ({stands.name})"
    return Hit(7, what, "the local time of DE 12")


_ROUND_THE_YEAR, _NEW_YEAR = (1, 365, 366), ("1231", "0101")


@rule("retrieval-reference-day", classes=_TRANSACTIONS, functions="0123", any_mti=True)
def retrieval_reference_day(
    reference: str = DE[37], stan: str = DE[11], sent: str = DE[7], day: str = Maybe[13]
) -> Told:
    """A reference of the usual form (yddd, hour, STAN) names the day of the message, UTC or local; without
    the local date the day before or after may be that. Others write month and day."""
    julian, hour, days = reference[1:4], reference[4:6], DAYS_OF_YEAR.get(sent[:4], ())
    if julian in days and hour < "24":
        return None
    if not days or reference[6:] != stan[-6:] or not reference.isdecimal():
        return None
    if julian in days:
        return Hit(37, "an hour 00 to 23", repr(hour), 4, 2)
    local = DAYS_OF_YEAR.get(day, ())
    if hour > "23" or julian in local or any(date and date in reference[:6] for date in (sent[:4], day)):
        return None
    if not local and _is_near_day(int(julian), days):
        return None
    return Hit(37, "the day of the message in positions 2 to 4 (yddd)", repr(reference[:4]), 0, 4)


@rule("retrieval-reference-day", versions=LATER, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def retrieval_reference_year(reference: str = DE[37], stan: str = DE[11], local: str = DE[12]) -> Told:
    """Since 1993, the local date has the year of the retrieval reference number."""
    return year_of_reference(reference, stan, local[:-6][-6:], "the local date (DE 12)")


def year_of_reference(reference: str, stan: str, day: str, where: str) -> Told:
    """A reference of the usual form starts with the last digit of the year; around New Year, the years may
    differ. *day* is YYMMDD."""
    if reference[:1] == day[1:2] or day[2:] in _NEW_YEAR:
        return None
    if reference[6:] != stan[-6:] or not reference.isdecimal() or len(day) != 6 or not day.isdecimal():
        return None
    if reference[1:4] not in DAYS_OF_YEAR.get(day[2:], ()):
        return None
    return Hit(37, f"{day[1]}, the last digit of the year of {where}", reference[0], 0, 1)


def _is_near_day(julian: int, days: tuple[str, ...]) -> bool:
    """Whether a day of the year is next to one of *days*, also round the end of the year."""
    near = any(abs(julian - int(day)) == 1 for day in days)
    return near or (julian in _ROUND_THE_YEAR and any(int(day) in _ROUND_THE_YEAR for day in days))


@each("business-date", 15, 16, 17, versions=("1987",), classes=_TRANSACTIONS, functions="01")
def business_date(day: str = VALUE, local: str = Maybe[13], number: int = NUMBER) -> Told:
    """Settlement and capture are within days of the local date, and so is the day of the conversion rate;
    without a year, the nearer date counts."""
    if day == local or dates.problem("MMDD", local) or dates.problem("MMDD", day):
        return None
    return _far_from(13, number, repr(day), days_between(local, day))


@each("business-date", 15, 28, versions=LATER, classes="125", functions="0123")
def business_date_later(
    day: str = VALUE, local: str = DE[12], number: int = NUMBER, table: Spec = TABLE
) -> Told:
    """Settlement and reconciliation are within days of the local date; since 1993, both have a year."""
    stated, today = _sound_date(day, number, table)[-6:], _sound_date(local, 12, table)[-12:-6]
    if len(stated) != len(today) or not stated:
        return None
    apart = date.fromisoformat(f"20{stated}") - date.fromisoformat(f"20{today}")
    return _far_from(12, number, repr(day), apart.days)


def _far_from(local: int, number: int, day: str, apart: int) -> Told:
    """A hit on a date that is not within days of the local date in DE *local*."""
    before, words = (_DAYS_AFTER, "of") if number == _CONVERSION else (_DAYS_BEFORE, "after")
    if -before <= apart <= _DAYS_AFTER:
        return None
    return Hit(number, f"a date within a week {words} the local date in DE {local}", day)


@rule("card-expired", versions=LATER, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def card_expired(
    local: str = DE[12],
    stated: str = DE[14],
    code: str = Maybe[3],
    card: int = Maybe[2].size,
    table: Spec = TABLE,
) -> Told:
    """The card has not expired on the local date; a refund may go to an expired card."""
    day, expiry = _sound_date(local, 12, table)[-12:-8], _sound_date(stated, 14, table)
    if not day or not expiry:
        return None
    left = months_from(day, expiry)
    if left < 0 and purpose_kind(code, table.version) == "credit":
        return None
    return months_left(left, "the local date in DE 12", "an expiry before it" if card else "an earlier month")


def months_left(months: int, of: str, actual: str) -> Told:
    """The hit on an expiry that is before the month *of* something, or too many *months* after it."""
    if months > _LONGEST_VALID:
        return Hit(14, "an expiry within 20 years", "a later one")
    return Hit(14, f"an expiry no earlier than {of}", actual) if months < 0 else None


@rule("card-not-yet-valid", versions=LATER, classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def card_not_yet_valid(local: str = DE[12], valid: str = DE[13], table: Spec = TABLE) -> Told:
    """The card is already valid on the local date."""
    day, effective = _sound_date(local, 12, table)[-12:-8], _sound_date(valid, 13, table)[-4:]
    if not day or not effective or months_from(effective, day) >= 0:
        return None
    return Hit(13, "an effective date no later than the local date in DE 12", "a later month")


# The original of a reversal.


@each("original-later", 90, versions=("1987",), classes="4", functions=_REQUESTS_AND_ADVICES)
@each("original-later", 56, versions=LATER, classes="4", functions=_REQUESTS_AND_ADVICES)
def original_later(
    original: Original | None = VALUE.original,
    sent: str = Maybe[7],
    local: str = Maybe[12],
    number: int = NUMBER,
    mti: str = MTI,
    table: Spec = TABLE,
) -> Told:
    """The original is earlier than its reversal, except for the difference of two clocks, and an acquirer
    reverses it while the authorization is valid. DE 90 has the time of DE 7, DE 56 that of DE 12."""
    if original is None or not original.when.strip("0"):
        return None
    moment = (sent if table.version == "1987" else local)[-10:]
    day, second = moment[:4], moment[4:]
    if dates.problem(original.pattern, original.when) or day not in _DAYS:
        return None
    after = _DAY * days_between(day, original.when[-10:-6])
    if dates.is_sound("hhmmss", second):
        after += second_of(original.when[-6:]) - second_of(second)
    if after > _CLOCKS:
        what, actual = "an original earlier than this message", "a later date"
    elif after < -_LONGEST_HOLD * _DAY and mti[3:] in _ACQUIRERS:
        what, actual = f"an original from the last {_LONGEST_HOLD} days", "an older one"
    else:
        return None
    return Hit(number, what, actual, original.at, len(original.when))


@each("original-other-acquirer", 32, 33, versions=("1987",), classes="4", functions="02")
def original_other_acquirer(
    value: str = VALUE,
    original: Original | None = DE[90].original,
    number: int = NUMBER,
    table: Spec = TABLE,
) -> Told:
    """A reversal is sent by the institutions that sent the original."""
    at, institution = number - 32, value.lstrip("0")
    original_id = (original.acquirer, original.forwarder)[at] if original else ""
    if not original or not institution or original_id in ("", institution) or not clean(value, number, table):
        return None
    role = table[number].name.split()[0].lower()
    start = original.at + len(original.when) + 11 * at
    return Hit(90, f"the {role} institution in DE {number}", "another", start, 11)
