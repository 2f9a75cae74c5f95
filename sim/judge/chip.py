"""Rules about chip data (DE 55): the tags themselves, how they agree with each other and with elements, and
with what happened.

Only framing errors are errors, since tags are up to networks and issuers. All other rules need readable tags.
Findings point at the tag: path `55.9F26`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from sim.elements import dates, emv, pos
from sim.elements.card import read_track_2
from sim.elements.emv import characters, three_digits
from sim.elements.money import read_additional_amounts
from sim.errors import counted
from sim.judge.between import days_between, months_from, months_left, second_of, year_of_reference
from sim.judge.elements import LATER, clean, country_of_place
from sim.judge.finding import Hit, Severity
from sim.judge.parts import (
    ACCOUNT,
    APPLICATION,
    CARD,
    CURRENCY,
    DE,
    MTI,
    NUMBER,
    TABLE,
    TAG,
    TAG_VALUE,
    VALUE,
    Card,
    Maybe,
    MaybeTag,
    Misfit,
    Part,
    Present,
    Tag,
    TagHead,
)
from sim.judge.rules import Told, each, each_tag, rule
from sim.parts.layout import read, set_bits
from sim.spec import VERSIONS, Spec, country, currency, number_of, spec
from sim.spec import emv as tables
from sim.spec.layouts import tag_layouts
from sim.spec.networks import element_name
from sim.spec.networks import network as network_of

_TRANSACTIONS = "12"
_REQUESTS = "0"
_REQUESTS_AND_ADVICES = "02"
_EARLY = ("1987", "1993")  # the currency of the amount is an element of its own
_REFUNDS = "2"
_NO_CHIP = ("manual", "magnetic stripe", "fallback")
_CHIP = ("chip", "contactless")
_CASH_BACK_AMOUNT = "40"
_HOUR, _DAY = 3_600, 86_400  # seconds
_UNSOURCED = "unsourced"
# M/Chip 4 and Advance: key index, version, results, code and counters, in hex digits.
_MCHIP, _MCHIP_SIZES = "MASTERCARD", (36, 40, 52, 56)
_LEAST_LENGTH, _COMMON_CORE = 5, "0F"  # first byte of issuer application data; EMV book 3, annex C9


def tag_hit(
    tag: str,
    value: str,
    expected: str,
    found: str,
    at: int = 0,
    size: int | None = None,
    severity: Severity | None = None,
) -> Hit:
    """A hit on *size* digits of a tag's value, from *at* on; without a size, to its end."""
    width = len(value) - at if size is None else size
    return Hit(55, expected, found, at, width, f"55.{tag}", severity=severity, tag=tag)


# Framing.


@rule("chip-data")
def chip_data(
    wrong: tuple[Misfit, ...] = DE[55].misfits,
    card: Card = CARD,
    value: str = DE[55].tagged,
    table: Spec = TABLE,
) -> Told:
    """DE 55 is BER-TLV. A malformed template, common in scripts, does not affect the tags around it."""
    if not wrong:
        return None
    if wrong[0].end is not None:
        return [_misfit(misfit, Severity.WARNING) for misfit in wrong]
    half = len(value) % 2 and table[55].binary
    if half or (value and not clean(value, 55, table)):
        return None  # whole bytes and character classes have rules of their own
    # DE 55 of 1987 is reserved: the networks put chip data there, others may put anything.
    left_open = element_name(table.version, 55) != spec(table.version)[55].name
    unknown = left_open and card.owner is None
    return _misfit(wrong[0], Severity.WARNING if unknown else None)


def _misfit(wrong: Misfit, severity: Severity | None) -> Hit:
    path = f"55.{wrong.tag}" if wrong.tag else ""
    size = None if wrong.end is None else wrong.end - wrong.at
    return Hit(55, wrong.expected, wrong.found, wrong.at, size, path, severity=severity)


# Which tags there are, and how long they are.

# The meaning of these tags depends on the payment system (EMV book 3, annex A).
_SYSTEMS_OWN = re.compile(r"9F[5-7]")
_REPEATING = ("script",)
_Heads = tuple[TagHead, ...]


def _on(head: TagHead, expected: str, found: str, severity: Severity | None = None) -> Hit:
    """A hit on the whole value of a tag."""
    size = head.end - head.value_start
    return Hit(55, expected, found, head.value_start, size, f"55.{head.tag}", severity=severity)


@rule("chip-tag-unknown")
def tag_unknown(heads: _Heads = DE[55].heads) -> Told:
    """Tags are in the dictionary."""
    dictionary = tables.tags()
    return [
        _on(head, "a tag in the EMV dictionary", f"tag {head.tag}")
        for head in heads
        if head.tag not in dictionary
    ]


@rule("chip-tag-length")
def tag_length(heads: _Heads = DE[55].heads, owner: str = APPLICATION) -> Iterator[Hit]:
    """Values have the lengths in the dictionary or, for networks' own tags, those of the application's
    network. A length without a source, or of one payment system, gives only a remark."""
    for head in heads:
        proprietary = head.tag in tables.own_tags()
        tag_spec = tables.tag_of(head.tag, owner) if proprietary else tables.tags().get(head.tag)
        size = (head.end - head.value_start) // 2
        if tag_spec is None:
            continue
        most = size if tag_spec.maximum is None else tag_spec.maximum
        if tag_spec.minimum <= size <= most:
            continue
        unsure = proprietary or "unsourced" in tag_spec.source or _SYSTEMS_OWN.match(head.tag)
        severity = Severity.INFO if unsure else None
        yield _on(head, _lengths(tag_spec), counted(size, "byte"), severity)


def _lengths(tag_spec: tables.TagSpec) -> str:
    if tag_spec.maximum is None:
        return f"at least {counted(tag_spec.minimum, 'byte')}"
    if tag_spec.minimum == tag_spec.maximum:
        return counted(tag_spec.minimum, "byte")
    return f"{tag_spec.minimum} to {tag_spec.maximum} bytes"


@rule("chip-tag-repeated")
def tag_repeated(heads: _Heads = DE[55].heads) -> Iterator[Hit]:
    """A tag occurs once in its template; scripts and their commands may repeat."""
    if len({head.tag for head in heads}) == len(heads):
        return
    alike: dict[tuple[int, str], list[TagHead]] = {}
    around = [0]  # where the templates that contain the next tag begin
    for head in heads:
        del around[head.depth + 1 :]
        alike.setdefault((around[-1], head.tag), []).append(head)
        around.append(head.value_start)
    for (_, name), occurrences in alike.items():
        if len(occurrences) > 1 and not occurrences[-1].constructed and tables.role(name) not in _REPEATING:
            yield _on(occurrences[-1], f"one tag {name}", f"{len(occurrences)}")


@rule("chip-cryptogram-data", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def cryptogram_data(entry: str = DE[22].entry, heads: _Heads = DE[55].heads) -> Told:
    """If a chip was read and sent a cryptogram, the data that it is computed over are present."""
    present = {head.tag for head in heads}
    if "9F26" not in present or entry not in _CHIP:
        return None
    missing = ", ".join(tag for tag in tables.with_role("cryptogram") if tag not in present)
    return Hit(55, "all tags needed to verify the cryptogram", f"no {missing}") if missing else None


@rule("chip-cryptogram-missing", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def cryptogram_missing(
    entry: str = DE[22].entry, heads: _Heads = DE[55].heads, size: int = DE[55].size
) -> Told:
    """A chip transaction that is sent to the issuer has a cryptogram."""
    unread = size and not heads
    if unread or entry not in _CHIP or any(head.tag == "9F26" for head in heads):
        return None
    return Hit(55, "a cryptogram (9F26), because the chip was read", "none")


@rule("chip-entry-mode", classes=_TRANSACTIONS, functions=_REQUESTS, needs=(55,))
def entry_mode(
    value: str = DE[22], entry: str = DE[22].entry, card: Card = CARD, table: Spec = TABLE
) -> Told:
    """With chip data, DE 22 is a chip or contactless entry mode, of the standard or of the card's network."""
    stated = bool(value.strip("0"))  # zeros mean unspecified
    if stated and entry not in _NO_CHIP:
        return None
    if stated and card.owner is not None and pos.kind_of(value, table.version, card.network) not in _NO_CHIP:
        return None
    return Hit(55, "chip or contactless entry in DE 22", pos.mode_of(value, table.version))


# Values of tags.

_NOT_DIGITS = {"n": re.compile(r"[^0-9]"), "cn": re.compile(r"[^0-9F]|F(?=[^F])")}


@each_tag("chip-tag-digits", *(tag for tag, known in tables.tags().items() if known.content in _NOT_DIGITS))
def tag_digits(value: str = TAG_VALUE, tag: str = TAG) -> Told:
    """Values of format n and cn are digits, and not more than the format allows."""
    tag_spec = tables.tags()[tag]
    if value.isdecimal() and len(value) <= (tag_spec.digits or len(value)):
        return None
    if wrong := _NOT_DIGITS[tag_spec.content].search(value):
        return tag_hit(tag, value, f"{tag_spec.format}, packed digits", repr(wrong[0]), wrong.start(), 1)
    if tag_spec.content == "n" and tag_spec.digits and value[: -tag_spec.digits].strip("0"):
        found = counted(len(value.lstrip("0")), "digit")
        return tag_hit(tag, value, f"{tag_spec.format}, with leading zeros", found)
    return None


@cache
def _reserved(tag: str) -> int:
    """The reserved bits of a tag that consists of bits, as a number."""
    size = 8 * tables.tags()[tag].minimum
    used = sum(1 << size - 8 * byte + bit - 1 for byte, bit in tables.bits(tag))
    return (1 << size) - 1 & ~used


@each_tag("chip-reserved-bits", *filter(tables.only_bits, tables.tags()))
def reserved_bits(value: str = TAG_VALUE, tag: str = TAG) -> Told:
    """Reserved bits are zero."""
    tag_spec = tables.tags()[tag]
    if len(value) != 2 * tag_spec.minimum or not int(value, 16) & _reserved(tag):
        return None
    set_ones = [place for place in set_bits(value) if place not in tables.bits(tag)]
    actual = ", ".join(f"byte {byte} bit {bit}" for byte, bit in set_ones) + " set"
    return tag_hit(tag, value, f"reserved bits of the {tag_spec.name} at 0", actual)


_MOMENTS = {"9A": "YYMMDD", "5F24": "YYMMDD", "5F25": "YYMMDD", "9F21": "hhmmss"}


@each_tag("chip-date", *_MOMENTS)
def chip_date(value: str = TAG_VALUE, tag: str = TAG) -> Told:
    """Dates and times of the chip exist in the calendar."""
    pattern = _MOMENTS[tag]
    if len(value) != len(pattern) or not value.isdecimal():
        return None  # length and digits have rules of their own
    if (wrong := dates.problem(pattern, value)) is None:
        return None
    start, end, text = wrong
    return tag_hit(tag, value, pattern, text, start, end - start)


def _code(value: str) -> str:
    """The three digits of a country or currency code; empty if there are none."""
    code = three_digits(value)
    return code if len(code) == 3 and code.isdecimal() else ""


@each_tag("chip-country", "9F1A", "5F28")
def chip_country(value: str = TAG_VALUE, tag: str = TAG) -> Told:
    """Country codes of the chip data are in ISO 3166."""
    if not _code(value) or country(_code(value)) is not None:
        return None
    return tag_hit(tag, value, "an ISO 3166 numeric country code", repr(value))


# How the cardholder was verified.

_METHOD = 0x3F  # of 9F34
_ONLINE_PIN = 0x0000040000  # byte 3 bit 3 of the terminal verification results
_SIGNATURE = "1E"
_ONLINE_PIN_METHOD, _NO_METHOD = "02", ("00", "3F")


@rule("chip-online-pin", classes=_TRANSACTIONS, functions=_REQUESTS)
def online_pin(
    done: str = Tag["9F34"],
    results: str = MaybeTag["95"],
    entry: str = Maybe[22].entry,
    pin: bool = Present[52],
    table: Spec = TABLE,
) -> Told:
    """If the chip data report an online PIN, DE 52 has it, and vice versa."""
    if len(done) != 6:
        return None
    method = f"{int(done[:2], 16) & _METHOD:02X}"
    reported = len(results) == 10 and int(results, 16) & _ONLINE_PIN
    if not pin and (reported or method == _ONLINE_PIN_METHOD):
        return tag_hit("9F34", done, "DE 52 with an online PIN", "none")
    if pin and reported and method == _SIGNATURE:
        return tag_hit("9F34", done, "an online PIN (02), because 95 says so", emv.cvm_results(done), 0, 2)
    if pin and not reported and method != _ONLINE_PIN_METHOD:
        # No verification, or a failed one, does not contradict the online PIN.
        severity = Severity.INFO if method in _NO_METHOD else None
        actual = emv.cvm_results(done)
        return tag_hit("9F34", done, "an online PIN with DE 52", actual, severity=severity)
    # Some terminals report nothing in 95 for a tapped card, and 2003 has no code for one.
    inserted = table.version in _EARLY and entry == "chip"
    if method == _ONLINE_PIN_METHOD and len(results) == 10 and not reported and inserted:
        expected = "online PIN entered (byte 3 bit 3), because 9F34 says so"
        return tag_hit("95", results, expected, "none", 4, 2)
    return None


_EXPIRED = 0x0040000000  # byte 2 bit 7


@rule("chip-results-agree", classes=_TRANSACTIONS, functions=_REQUESTS)
def expired_application(results: str = Tag["95"], day: str = MaybeTag["9A"], expiry: str = DE[14]) -> Told:
    """An expired application has an earlier expiry."""
    bits = int(results, 16) if len(results) == 10 else 0
    if not (bits & _EXPIRED and _is_month(expiry) and _is_month(day[:4])):
        return None
    if months_from(day[:4], expiry) <= 0:
        return None
    return tag_hit("95", results, "no expired application, because DE 14 is a later month", "one", 2, 2)


# The networks' rows give the place of the results in 9F10.
_KINDS = ("an AAC", "a TC", "an ARQC")
_NOT_ASKED_AGAIN, _RESERVED_KIND = 2, 3


@rule("chip-results-cryptogram", classes="124")
def results_cryptogram(
    data: str = Tag["9F10"].head, kind: str = Tag["9F27"], owner: str = APPLICATION
) -> Told:
    """The card verification results in 9F10 name the same cryptogram type as 9F27."""
    if len(kind) != 2:
        return None
    if (results := _results(data, owner)) is None:
        return None
    at, first_byte = results
    result_kind, stated_kind = first_byte >> 6, int(kind, 16) >> 6
    if result_kind == _NOT_ASKED_AGAIN:
        result_kind = first_byte >> 4 & 3
    if result_kind == stated_kind or _RESERVED_KIND in (result_kind, stated_kind):
        return None
    expected, found = f"{_KINDS[stated_kind]}, as 9F27 says", f"results of {_KINDS[result_kind]}"
    return tag_hit("9F10", data, expected, found, at, 2)


@rule("chip-issuer-data", classes="124")
def issuer_data(data: str = Tag["9F10"].head, card: Card = CARD, owner: str = APPLICATION) -> Told:
    """Issuer application data has the layout of the application's network: its inner lengths add up."""
    if owner == _MCHIP and data[2:3] == "1" and len(data) not in _MCHIP_SIZES and data.strip("0"):
        expected = "18, 20, 26 or 28 bytes (Mastercard cryptogram version 1x)"
        return tag_hit("9F10", data, expected, counted(len(data) // 2, "byte"))
    tried = tag_layouts("9F10", owner) if owner and card.network in (None, owner) else ()
    if not tried or not data.strip("0") or any(read(layout, data).fits for layout in tried):
        return None
    # It starts with a key index or the common core definitions, as other networks' data does.
    if int(data[:2], 16) < _LEAST_LENGTH or data[:2] == _COMMON_CORE:
        return None
    expected = f"the issuer application data of {network_of(owner).title}"
    severity = Severity.INFO if tried[0].cell.confidence == _UNSOURCED else None
    return tag_hit("9F10", data, expected, "inner lengths that do not add up", severity=severity)


def _results(data: str, owner: str) -> tuple[int, int] | None:
    """The position and value of the first byte of the card verification results in 9F10; None if its bits are
    not known."""
    for layout in tag_layouts("9F10", owner):
        reading = read(layout, data)
        for part in reading.parts if reading.fits else ():
            if part.cell.codes == "bits" and "1.6" in part.cell.values:
                return part.start, int(part.value[:2], 16)
    return None


# Tags that repeat data elements.


@rule("chip-currency", classes="124")
def chip_currency(value: str = Tag["5F2A"], stated: str = CURRENCY, table: Spec = TABLE) -> Told:
    """5F2A is a currency, the one of the amount."""
    code = _code(value)
    if not code:
        return None  # length and digits have rules of their own
    if currency(code) is None:
        return tag_hit("5F2A", value, "an ISO 4217 currency code", repr(value))
    expected = currency(stated)
    if expected is None or expected.numeric == code:
        return None
    where = "DE 49" if table.version in _EARLY else "DE 4"
    return tag_hit("5F2A", value, f"{expected.numeric}, the currency of {where}", code)


@rule("chip-currency", classes="124")
def chip_exponent(value: str = Tag["5F36"], code: str = Tag["5F2A"]) -> Told:
    """5F36 has the number of decimals of the currency in 5F2A."""
    unit = currency(_code(code))
    if unit is None or unit.exponent is None or len(value) != 2 or value[0] != "0":
        return None  # no exponent: a tag of another size may hold card data
    if value[1] == str(unit.exponent):
        return None
    return tag_hit("5F36", value, f"{unit.exponent}, the decimals of {unit.alpha}", repr(value))


def _bind_answer(tag: str, size: int) -> None:
    @rule("chip-answer-agrees", versions=("1987",), classes=_TRANSACTIONS, functions="1")
    def _(value: str = Tag[tag], answer: str = DE[39]) -> Told:
        """The response code for the card is that of DE 39: in 8A, or in the last two bytes of a 91 of
        ten."""
        code = characters(value[-4:]) if len(value) == 2 * size else ""
        # Other kinds of 91 end with bits, not with two letters or digits.
        if not code.isalnum() or code == answer:
            return None
        return tag_hit(tag, value, f"{answer}, the response code in DE 39", repr(code), len(value) - 4, 4)


_bind_answer("8A", 2)
_bind_answer("91", 10)


@rule("chip-amount", classes=_TRANSACTIONS)
def chip_amount(value: str = Tag["9F02"], amount: int | None = DE[4].amount, mti: str = MTI) -> Told:
    """9F02 is the amount of DE 4. An advice may have another final amount."""
    if amount is None or len(value) != 12 or not value.isdecimal() or int(value) == amount:
        return None
    severity = None if mti[2] in "01" else Severity.INFO
    return tag_hit("9F02", value, f"{amount}, the amount in DE 4", f"{int(value)}", severity=severity)


@each("chip-message-date", 13, versions=("1987",), classes=_TRANSACTIONS, any_mti=True, needs=(12,))
@each("chip-message-date", 12, versions=LATER, classes=_TRANSACTIONS, any_mti=True)
def chip_message_date(
    local: str = VALUE, value: str = Tag["9A"], number: int = NUMBER, table: Spec = TABLE
) -> Told:
    """9A is the local date of the message: DE 13 in 1987, the start of DE 12 since."""
    size = len(table[number].pattern.removesuffix("hhmmss"))
    width = min(size, 6)
    day = local[:size][-width:]  # without a century
    if len(value) != 6 or len(day) != width or value[-width:] == day:
        return None
    # An invalid date is reported by its own rules.
    if not day.isdecimal() or dates.problem("MMDD", day[-4:]) is not None:
        return None
    # Around midnight, terminal and acquirer may be a day apart.
    sound = dates.problem("MMDD", value[-4:]) is None if value.isdecimal() else False
    near = sound and value[-width:-4] == day[:-4] and abs(days_between(day[-4:], value[-4:])) == 1
    severity = Severity.INFO if near else None
    expected = f"{day}, the date of DE {number}"
    return tag_hit("9A", value, expected, value[-width:], 6 - width, severity=severity)


@rule("chip-agrees", classes=_TRANSACTIONS, functions=_REQUESTS)
def chip_time(local: str = DE[12], value: str = Tag["9F21"]) -> Told:
    """9F21 is the local time of the message; the clocks of terminal and acquirer may be an hour apart."""
    time = local[-6:]
    if not (dates.is_sound("hhmmss", time) and dates.is_sound("hhmmss", value)):
        return None
    gap = abs(second_of(value) - second_of(time))
    return tag_hit("9F21", value, "the time of DE 12", "another") if _HOUR < gap < _DAY - _HOUR else None


@rule(
    "retrieval-reference-day",
    versions=("1987",),
    classes=_TRANSACTIONS,
    functions=_REQUESTS_AND_ADVICES,
    any_mti=True,
)
def retrieval_reference_year(reference: str = DE[37], stan: str = DE[11], value: str = Tag["9A"]) -> Told:
    """In 1987, only the chip's date has the year of the retrieval reference number."""
    return year_of_reference(reference, stan, value, "the chip's date (9A)")


@rule("chip-pan", classes="124")
def chip_pan(value: str = Tag["5A"], account: tuple[int, str] = ACCOUNT) -> Told:
    """The card number in 5A is that of DE 2 or the track."""
    return _other_pan("5A", value, value.rstrip("F"), account)


@rule("chip-pan", classes="124")
def chip_pan_of_track(value: str = Tag["57"], account: tuple[int, str] = ACCOUNT) -> Told:
    """57 has the layout of track 2; its card number is that of DE 2 or the track."""
    track = read_track_2(value.rstrip("F"))
    if track is None:
        return tag_hit("57", value, "card number, D, expiry YYMM, service code, digits", "another layout")
    return _other_pan("57", value, track.pan, account)


def _other_pan(tag: str, value: str, number: str, account: tuple[int, str]) -> Told:
    field, pan = account
    if not pan or not number.isdecimal() or number == pan:
        return None
    return tag_hit(tag, value, f"the card number in DE {field}", "another card number", 0, len(number))


def _bind_copy(
    tag: str,
    part: Part,
    size: int | None = None,
    versions: tuple[str, ...] = VERSIONS,
    rule_id: str = "chip-agrees",
    *,
    any_mti: bool = True,
) -> None:
    """Bind a rule to a *tag* and the *part* that it repeats, whole or its first *size* characters."""
    tag_spec, number = tables.tags()[tag], part.looks.bit_length() - 1
    name = tag_spec.name.split(" (")[0]
    expected, actual = f"the value of DE {number}", f"another {name[:1].lower()}{name[1:]}"
    is_text = tag_spec.content in ("an", "ans")
    # Terminals and acquirers may number terminals and merchants differently.
    severity = Severity.INFO if is_text else None

    @rule(rule_id, versions=versions, classes=_TRANSACTIONS, any_mti=any_mti)
    def _(value: str = Tag[tag], element: Any = part) -> Told:
        """A tag and the data element that it repeats have the same value."""
        text = element[:size]
        if not text:
            return None
        if is_text:
            text = text.strip()
            same = not text or characters(value).strip() == text
        elif tag_spec.content == "n" and not text.isdecimal():
            return None  # an invalid data element has its own rule
        else:
            same = value.startswith(text) or value.lstrip("0") == text.lstrip("0")
        return None if same else tag_hit(tag, value, expected, actual, severity=severity)


_bind_copy("9C", DE[3], 2)
for _version in VERSIONS:
    _bind_copy("9F15", DE[number_of("category", _version)], None, (_version,))
_bind_copy("5F24", DE[14])
_bind_copy("5F30", DE[35].service)
_bind_copy("5F34", DE[23], rule_id="chip-sequence-number", any_mti=False)
_bind_copy("9F1C", DE[41])
_bind_copy("9F16", DE[42])
_bind_copy("9F39", DE[22], 2, ("1987",))  # later versions have no entry mode of two digits


@rule("chip-application", classes=_TRANSACTIONS)
def application(
    dedicated: str = MaybeTag["84"],
    named: str = MaybeTag["4F"],
    terminal: str = MaybeTag["9F06"],
    heads: _Heads = DE[55].heads,
    card: Card = CARD,
) -> Told:
    """The application on the chip is the card network's; a card of two networks has one of each."""
    present = {head.tag for head in heads}
    candidates = (("84", dedicated), ("4F", named), ("9F06", terminal))
    tag, value = next((pair for pair in candidates if pair[0] in present), ("", ""))
    owner = tables.owner(value)
    if not owner or not card.owner or owner == card.network:
        return None
    expected = f"a {card.owner.brand} application, because the card number is {card.owner.brand}'s"
    return tag_hit(tag, value, expected, f"one of {network_of(owner).title}")


@rule("chip-terminal-country", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def terminal_country(value: str = Tag["9F1A"], place: str = DE[43], table: Spec = TABLE) -> Told:
    """The terminal's country (9F1A) is the merchant's (DE 43)."""
    stands = country(three_digits(value))
    if stands is None or place.endswith((stands.alpha2, stands.alpha3)):
        return None
    place_country = country_of_place(place, table.version)
    if place_country in (None, stands):
        return None
    return tag_hit("9F1A", value, "the country in DE 43", stands.name)


@rule("chip-track-2", classes=_TRANSACTIONS, functions=_REQUESTS)
def track_2(value: str = Tag["57"], track: str = DE[35], entry: str = DE[22].entry) -> Told:
    """If a chip was read, DE 35 is its track 2 equivalent (57)."""
    if entry != "chip":
        return None
    mine, stripe = value.rstrip("F").replace("D", "="), track.replace("D", "=")
    # The card number has its own rule.
    if mine == stripe or mine.split("=")[0] != stripe.split("=")[0]:
        return None
    return tag_hit("57", value, "the track in DE 35", "other data after the card number")


@rule("chip-other-amount", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def other_amount(
    value: str = Tag["9F03"],
    amount: int | None = Maybe[4].amount,
    more: str = Maybe[54],
    code: str = Maybe[3],
    mti: str = MTI,
    table: Spec = TABLE,
) -> Told:
    """The cash part that the chip signed (9F03) is within the amount; in a request it is the cash back in
    DE 54, and a purchase without cash back has none."""
    if (not more and not value.strip("0")) or not value.isdecimal():
        return None
    if amount is not None and int(value) > amount:
        return tag_hit("9F03", value, "at most the amount in DE 4", "more")
    if mti[2] not in _REQUESTS:
        return None
    groups = read_additional_amounts(more, table.version)
    back = next((group.amount for group in groups if group.kind == _CASH_BACK_AMOUNT), "")
    if back.isdecimal() and int(value) != int(back):
        return tag_hit("9F03", value, "the cash back amount of DE 54", "another amount")
    if not more and code[:2] == "00" and int(value):
        return tag_hit("9F03", value, "zeros, because DE 3 says a purchase without cash back", "an amount")
    return None


def _is_month(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and "01" <= text[2:] <= "12"


@rule("card-expired", versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def expired(day: str = Tag["9A"], expiry: str = DE[14], code: str = Maybe[3]) -> Told:
    """The card has not expired on the chip's date, the only one in 1987 with a year."""
    if len(day) != 6 or code[:1] == _REFUNDS or not _is_month(expiry) or not _is_month(day[:4]):
        return None
    return months_left(months_from(day[:4], expiry), "the chip's date (9A)", "an earlier month")


@rule("card-not-yet-valid", classes=_TRANSACTIONS, functions=_REQUESTS_AND_ADVICES)
def not_yet_valid(day: str = Tag["9A"], effective: str = Tag["5F25"]) -> Told:
    """The application is in effect on the chip's date."""
    if not all(len(date) == 6 and date.isdecimal() for date in (day, effective)) or effective <= day:
        return None
    return tag_hit("5F25", effective, "an effective date no later than the chip's date (9A)", "a later one")
