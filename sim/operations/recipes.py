"""The values of generated elements: the placeholders of `templates.toml` and of network recipes.

OF_SETTING values are the same in all messages of a setting and computed once; OF_MESSAGE values also depend
on the card, amount, STAN or time. Values that only a network, card or directory server could assign (a
cryptogram, a transaction id) are digests of the message's own data: stable, well-formed, valid for no key.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from hashlib import sha256
from string import Formatter

from sim.elements import dates, money
from sim.errors import OptionError, quoted_value
from sim.operations.filling import Text, Values, filler
from sim.operations.options import Setting
from sim.parts import chip_data
from sim.parts.writing import Value, write
from sim.spec import Country, country, currency, number_of, region, spec
from sim.spec.layouts import Layout, layouts
from sim.spec.networks import network
from sim.spec.spellings import currency_named
from sim.spec.tables import read_toml

_CASH_BACK = "40"  # amount type in DE 54
_TRANSMITTED = 7
_CHIP_CARDS = ("chip", "contactless", "fallback")
# Message kinds: approved offline by the chip; reported after a decision.
_OFFLINE, _DECIDED = ("advice",), ("advice", "financial_advice")
_REQUEST, _TRANSACTION = "80", "40"  # 9F27: ARQC, TC
# First byte of the card verification results: a request and nothing after it; a request, then an approval; an
# approval at once.
_ASKED, _APPROVED, _AT_ONCE = "A0", "60", "90"
_TRANSACTIONS_OF_A_CARD = 1000  # a plausible count
# The age of the original of a generated reversal or advice.
EARLIER = timedelta(minutes=5)
# How long a card stays on a stop list.
_LISTED = timedelta(days=30)
_DATED = {"1987": (7, 12, 13), "1993": (7, 12), "2003": (7, 12)}


@dataclass(frozen=True, slots=True)
class Clock:
    """One moment as messages of one version write it: `elements` are DE 7 (UTC), 12 and 13, `hour` the
    year's last digit, the day of the year and the hour, `expiry` (YYMM) December some years ahead."""

    at: datetime
    utc: datetime
    elements: Mapping[int, str]
    hour: str
    expiry: str


def clock(version: str, at: datetime | None, zone: tzinfo) -> Clock:
    """The clock of the moment *at* (naive: UTC; None: the present second) at a merchant in *zone*. Raises
    OptionError if that is beyond the calendar."""
    if at is None:
        return _clock_of_second(version, int(dates.now().timestamp()), zone)
    try:
        return _clock(version, at.replace(tzinfo=UTC) if at.tzinfo is None else at, zone)
    except OverflowError:
        expected = "a date and time that exists in every time zone"
        raise OptionError("at", expected, quoted_value(str(at))) from None


@lru_cache(maxsize=16)
def _clock_of_second(version: str, second: int, zone: tzinfo) -> Clock:
    return _clock(version, datetime.fromtimestamp(second, UTC), zone)


def _clock(version: str, moment: datetime, zone: tzinfo) -> Clock:
    at, utc, elements = moment.astimezone(zone), moment.astimezone(UTC), spec(version)
    written = {n: dates.write(elements[n].pattern, utc if n == 7 else at) for n in _DATED[version]}
    year = at.year + int(read_toml("templates")["sample"]["years_to_expiry"])
    return Clock(at, utc, written, utc.strftime("%Y%j%H")[3:], f"{year % 100:02}12")


@dataclass(slots=True)
class Context:
    """The placeholder values of one message: `known` are shared by all messages of the setting, `card` is the
    PAN. Not frozen, because one is created per message."""

    setting: Setting
    known: Values
    card: str = field(repr=False)
    amount_minor_units: int
    stan: str
    clock: Clock

    def __getitem__(self, name: str) -> Text:
        if name in self.known or name not in OF_MESSAGE:
            return self.known[name]
        return Text(OF_MESSAGE[name](self))


def amount_of(version: str, code: str, minor_units: int) -> str:
    """DE 4: twelve digits; since 2003 preceded by the currency and its decimals."""
    digits = f"{minor_units:012}"
    if money.composite(version, 4) is None:
        return digits
    parts = {"currency": code, "minor unit": str(exponent_of(code)), "amount": digits}
    return write(layouts(version, 4)[0], parts)


def _in_currency(context: Context, minor_units: int) -> str:
    return amount_of(context.setting.version, context.setting.currency, minor_units)


def _amount(context: Context) -> str:
    return _in_currency(context, 0 if context.setting.purposes.get("zero") else context.amount_minor_units)


def _day(number: int, later: timedelta = timedelta()) -> Callable[[Context], str]:
    """A local date, *later* than the message."""
    return lambda context: dates.write(
        spec(context.setting.version)[number].pattern, context.clock.at + later
    )


def _local(context: Context) -> Clock:
    """The clock of DE 12 and 13: a reversal repeats those of the original."""
    moment = context.clock
    if context.setting.kind != "reversal":
        return moment
    return _clock(context.setting.version, moment.at - EARLIER, moment.at.tzinfo or UTC)


def _stan(context: Context) -> str:
    return context.stan.zfill(spec(context.setting.version)[11].width)


def _processing_code(setting: Setting) -> str:
    return str(setting.purposes.get("type", {}).get(setting.version, "00")) + "0000"


def _point_of_service(setting: Setting) -> str:
    value = setting.entries[setting.version]
    return "".join(f"{1 << (32 - bit):08X}" for bit in value) if isinstance(value, list) else str(value)


def _condition(setting: Setting) -> str:
    if number_of("condition", setting.version) == 0:
        return str(setting.kinds.get("reason", "1510"))  # 1510: over the floor limit, which may be zero
    return str(setting.entries.get("condition", "00"))


STATE = "state or province"


def _location(setting: Setting) -> str:
    sample, layout = setting.sample, _layout_of_place(setting)
    inner = {"postal code": sample["postal"], "region": sample["region"], "country": sample["country"]}
    more = {"street": sample["street"], "postal code, region and country": inner}
    land = country(sample["country"])
    return place_in(layout, sample["name"], sample["city"], sample["region"], land, more)


def place_in(
    layout: Layout, name: str, city: str, state: str, land: Country | None, more: Mapping[str, Value]
) -> str:
    """DE 43 of a merchant in *layout*, which uses some of these parts and of *more*; names are truncated."""
    widths = {cell.name: cell.most for cell in layout.cell.cells}
    codes = (land.alpha2, land.alpha3) if land else ()
    parts = {"name": name, "name and street": name, "city": city, STATE: state}
    parts["country"] = next((code for code in codes if len(code) == widths.get("country")), "")
    cut = {key: value[: widths[key]] for key, value in parts.items() if key in widths}
    return write(layout, cut | {key: value for key, value in more.items() if key in widths})


def _layout_of_place(setting: Setting) -> Layout:
    """The network's layout of DE 43: with the state if it has such a layout and the merchant is in the United
    States or Canada; the standard's if the merchant's name is too long."""
    sample = setting.sample
    tried = layouts(setting.version, 43, setting.network)
    roomy = [layout for layout in tried if len(sample["name"]) <= layout.cell.cells[0].most] or list(tried)
    return (with_state(roomy, bool(region(sample["region"]))) or roomy)[0]


def with_state(tried: Iterable[Layout], has_state: bool) -> list[Layout]:
    """The network's own layouts of DE 43, with a state only if the merchant has one."""
    return [
        layout
        for layout in tried
        if layout.network and has_state == (STATE in {cell.name for cell in layout.cell.cells})
    ]


def _track_2(context: Context) -> str:
    service = "201" if context.setting.entry in _CHIP_CARDS else "101"
    expiry = context.setting.details.get("expiry") or context.clock.expiry
    head = f"{context.card}={expiry}{service}"
    return head + "0" * max(0, min(13, spec(context.setting.version)[35].width - len(head)))


def approved(version: str, message_class: str, function: str = "0") -> str:
    """The response code that accepts a message of a class, or acknowledges an advice (*function* 2)."""
    codes = read_toml("templates")["answer"]["approved"][version]
    is_reported = function == "2" and message_class in "12"
    return str(codes.get("reported" if is_reported else message_class, codes["usual"]))


def original_of(context: Context) -> str:
    """The original of a reversal: the same transaction as an authorization request, sent earlier."""
    template = read_toml("templates")["kinds"]["auth"]["mti"]
    setting, clock = context.setting, context.clock
    version, sample = setting.version, setting.sample
    sent = number_of("sent-of-original", version)
    earlier = (clock.utc if sent == _TRANSMITTED else clock.at) - EARLIER
    moment = dates.write(spec(version)[sent].pattern, earlier)
    institutions = sample["acquirer"], sample["forwarding"] if 33 in setting.parts else ""
    return original_data(version, template[version], _stan(context), moment, *institutions)


def original_data(version: str, mti: str, stan: str, moment: str, acquirer: str, forwarding: str = "") -> str:
    """DE 90 (1987) or DE 56 (1993, 2003) from the original's MTI, DE 11, DE 7 (1987) or DE 12, DE 32,
    DE 33."""
    layout = layouts(version, number_of("original", version))[0]
    values = (mti, stan, moment, acquirer, forwarding)
    return write(layout, {cell.key: value for cell, value in zip(layout.cell.cells, values, strict=False)})


def _chip(context: Context) -> str:
    """Chip data of a request: the tags an issuer needs to check a cryptogram. The cryptogram itself is a
    digest of the message's own data: stable, and right for no key."""
    setting, at = context.setting, context.clock.at
    tapped = setting.entry == "contactless"
    # The chip signs the amount in DE 4, zero for an inquiry.
    amount = _amount(context)[-12:]
    seed = f"{context.card}{context.stan}{amount}{at.isoformat()}"
    digest = sha256(seed.encode()).hexdigest().upper()
    # After the decision, the card has returned the cryptogram of an approval (TC).
    decided = setting.kind in _DECIDED
    at_once = setting.kind in _OFFLINE
    issuer_data = network(setting.card_network).issuer_data
    fixed = any(layout.variant == chip_data.FIXED for layout in layouts(setting.version, 55, setting.network))
    write_chip = chip_data.write_fixed if fixed else chip_data.write_tags
    return write_chip(
        {
            "9F26": digest[:16],
            "9F27": _TRANSACTION if decided else _REQUEST,
            "9F10": (_AT_ONCE if at_once else _APPROVED).join(issuer_data.rsplit(_ASKED, 1))
            if decided
            else issuer_data,
            "9F37": digest[16:24],
            "9F36": f"{int(context.stan) % _TRANSACTIONS_OF_A_CARD + 1:04X}",
            "95": _terminal_results(setting),
            "9A": at.strftime("%y%m%d"),
            "9C": setting.parts.get(3, {}).get("1", _processing_code(setting)[:2]),
            "9F02": amount,
            "5F2A": f"0{setting.currency}",
            # Both with combined data authentication; tapped in EMV mode, inserted also with issuer
            # authentication.
            "82": "1980" if tapped else "3D00",
            "9F1A": f"0{setting.sample['country']}",
            "9F03": _cash_back(context),
            # The terminal that DE 22 describes: keys, stripe and chip, every way to verify.
            "9F33": "E0F8C8",
            # PIN sent online: unknown yet. Tapped: no verification required. Inserted: PIN in clear,
            # checked by the chip, successful.
            "9F34": "420300" if "pin" in setting.words else "1F0302" if tapped else "410302",
            "9F35": "22",
            "84": network(setting.card_network).aid,
            "5F34": setting.sample["card_sequence"][1:],
        }
    )


def _terminal_results(setting: Setting) -> str:
    """Tag 95. Tapped, or approved by the chip: nothing. Inserted: over the floor limit, which is why
    it goes online, and the PIN that was entered for the issuer."""
    if setting.entry == "contactless" or setting.kind in _OFFLINE:
        return "0000000000"
    return "0000048000" if "pin" in setting.words else "0000008000"


def additional_amount(version: str, kind: str, code: str, sign: str, minor_units: int) -> str:
    """One group of DE 54: *kind* says what it is, *sign* is C or D.

    >>> additional_amount("1987", "02", "840", "C", 2500)
    '0002840C000000002500'
    """
    parts = {"account type": "00", "amount type": kind, "currency": code}
    parts["amount"] = f"{sign}{minor_units:012}"
    layout = layouts(version, 54)[0]
    if "minor unit" in {cell.name for cell in layout.cell.cells}:
        parts["minor unit"] = str(exponent_of(code))
    return write(layout, [parts])


def _cash_group(context: Context) -> str:
    """DE 54: the cash back part of the amount."""
    setting, cash = context.setting, int(_cash_back(context))
    return additional_amount(setting.version, _CASH_BACK, setting.currency, "D", cash)


def _cash_back(context: Context) -> str:
    """The part of the amount that is cash, twelve digits: as given, else half of it for a purchase with
    cash back (our choice), else nothing."""
    total, cash = context.amount_minor_units, context.setting.details.get("cashback")
    if cash is not None and int(cash) > total:
        raise OptionError("cashback", f"at most amount_minor_units, {total}", str(int(cash)), 54)
    half = (total + 1) // 2 if context.setting.purpose == "cashback" else 0
    return f"{half if cash is None else cash:0>12}"


def exponent_of(code: str) -> int:
    """The decimals of a currency, 2 where ISO 4217 has none."""
    entry = currency(code)
    return 2 if entry is None or entry.exponent is None else entry.exponent


def _padded(number: int, name: str) -> Callable[[Setting], str]:
    def write(setting: Setting) -> str:
        element = spec(setting.version)[number]
        value = str(setting.sample[name])
        return value.ljust(element.width)[: element.width] if element.fixed else value

    return write


_PRICE = "58"  # amount type in DE 54: at the point of interaction
_REFERENCE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def known_values(setting: Setting) -> Values:
    """The placeholders with the same value in every message of *setting*."""
    code = setting.currency
    values = {**setting.sample, "currency": code, "exponent": str(exponent_of(code))}
    return Values(
        {name: str(value) for name, value in values.items()}, lambda name: OF_SETTING[name](setting)
    )


def varies(parts: Mapping[str, str], values: Values) -> bool:
    """Whether *parts* depend on the message."""
    names = (name for text in parts.values() for name in placeholders(text))
    return any(name in OF_MESSAGE and name not in values for name in names)


def maker(number: int, parts: Mapping[str, str], setting: Setting) -> Callable[[Context], str]:
    """The function that writes a varying element, mostly a single placeholder."""
    name = parts[""][1:-1] if len(parts) == 1 and "" in parts else ""
    if name in OF_MESSAGE:
        return OF_MESSAGE[name]
    return filler(number, parts, setting.version, setting.network)


def placeholders(text: str) -> list[str]:
    """The names of the placeholders in a recipe's text."""
    return [name.partition("[")[0] for _, name, _, _ in Formatter().parse(text) if name]


def digest(seed: str, name: str, digits: int) -> str:
    """Hex digits in place of a secret or random value, the same for the same *seed*."""
    text = ""
    while len(text) < digits:
        text += sha256(f"{seed}{name}{len(text)}".encode()).hexdigest().upper()
    return text[:digits]


def _number(seed: str, name: str) -> int:
    """The first forty digits of `digest` as a number."""
    return int.from_bytes(sha256(f"{seed}{name}0".encode()).digest()[:20], "big")


def digits(seed: str, name: str, width: int) -> str:
    """`digest` in decimal digits."""
    return str(_number(seed, name) % 10**width).zfill(width)


def reference(seed: str, name: str, width: int) -> str:
    """`digest` in capital letters and digits."""
    base = len(_REFERENCE)
    number, text = _number(seed, name) % base**width, ""
    for _ in range(width):
        number, rest = divmod(number, base)
        text += _REFERENCE[rest]
    return text


def directory_id(seed: str) -> str:
    """The form of a transaction id of a 3-D Secure directory server: a UUID."""
    text = digest(seed, "directory", 32).lower()
    return "-".join((text[:8], text[8:12], f"4{text[13:16]}", f"8{text[17:20]}", text[20:]))


def _seed(context: Context) -> str:
    return f"{context.card}{context.stan}{context.amount_minor_units}{context.clock.at.isoformat()}"


def _hex(name: str, size: int) -> Callable[[Context], str]:
    return lambda context: digest(_seed(context), name, size)


_cryptogram = _hex("cryptogram", 40)


def _cavv(context: Context) -> str:
    """The form of a CAVV (DE 126.9): result (0 authenticated, 7 attempted), no second factor, key 1, three
    digits of the value, the number that it was made with, a tracking number, and nothing else."""
    result = "07" if "attempted" in context.setting.words else "00"
    return f"{result}00010{digits(_seed(context), 'cavv', 23)}0000000000"


def _final(context: Context) -> int:
    """The final amount after a partial reversal."""
    final = int(context.setting.details.get("final_amount_minor_units") or 0)
    if final > context.amount_minor_units:
        name = "final_amount_minor_units"
        raise OptionError(name, "at most amount_minor_units", f"{final}", 95)
    return final


def _original_amounts(context: Context) -> str:
    """DE 30 of 1993 and 2003: the original amount; none for reconciliation."""
    amount = _in_currency(context, context.amount_minor_units)
    return amount + "0" * len(amount)


def _price(context: Context) -> str:
    """The merchant's own price in DE 54 if the amount is in the cardholder's currency; by default, four
    fifths of the number (our choice)."""
    setting = context.setting
    code = str(setting.sample["merchant_currency"])
    entry = currency_named(code, "merchant_currency", 54)
    if entry.numeric == setting.currency:
        raise OptionError("merchant_currency", "another currency than that of the amount", code, 54)
    price = setting.details.get("merchant_amount_minor_units")
    units = int(price) if price else (context.amount_minor_units * 4 + 4) // 5
    return additional_amount(setting.version, _PRICE, entry.numeric, "D", units)


OF_SETTING: dict[str, Callable[[Setting], str]] = {
    "processing_code": _processing_code,
    "point_of_service": _point_of_service,
    "function": lambda setting: str(setting.kinds["function"]),
    "condition": _condition,
    "approved": lambda setting: approved(setting.version, "1"),  # an advice
    "terminal_id": _padded(41, "terminal"),
    "merchant_id": _padded(42, "merchant"),
    "location": _location,
    "management_code": lambda setting: str(setting.kinds["code"]),
}
OF_MESSAGE: dict[str, Callable[[Context], str]] = {
    "card": lambda context: context.card,
    "stan": lambda context: context.stan,
    "amount": lambda context: f"{context.amount_minor_units:012}",
    "amount_moved": _amount,
    "sent": lambda context: context.clock.elements[7],
    "trace_number": _stan,
    "local_time": lambda context: _local(context).elements[12],
    "local_date_time": lambda context: f"{_local(context).at:%y%m%d%H%M%S}",
    "local_date": lambda context: _local(context).elements[13],
    "expiry": lambda context: context.clock.expiry,
    "settlement_date": _day(15),
    "reconciliation_date": _day(28),
    "track_2": _track_2,
    # DE 37: last digit of the year, day of the year, hour, STAN, as is common.
    "reference": lambda context: context.clock.hour + context.stan,
    "cashback_amount": _cash_group,
    "cash_amount": _cash_back,
    "chip": _chip,
    "listed_until": _day(73, _LISTED),
    "cryptogram": _cryptogram,
    "cryptogram_text": lambda context: b64encode(bytes.fromhex(_cryptogram(context))).decode("ascii"),
    "cavv": _cavv,
    "xid": _hex("xid", 40),
    "directory_id": lambda context: directory_id(_seed(context)),
    "pin_block": _hex("pin", 16),
    "new_pin_block": _hex("new pin", 16),
    "key": _hex("key", 32),
    "key_half": _hex("key", 16),
    # The id of the first transaction of a stored credential is the same in all later ones.
    "first_transaction_id": lambda context: digits(context.card, "first", 15),
    # The trace id of the first approval: network, reference, settlement date, blanks.
    "first_trace": lambda context: f"MCC{reference(context.card, 'first', 6)}{context.clock.at:%m%d}  ",
    "unique_reference": lambda context: reference(_seed(context), "unique", 19),
    "original": original_of,
    "original_amounts": _original_amounts,
    "final_amount": lambda context: f"{_final(context):012}",
    "final_amount_composite": lambda context: _in_currency(context, _final(context)),
    "price": _price,
}
