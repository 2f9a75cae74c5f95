"""Rules about chip data (DE 55): the tags themselves, and whether they fit the message.

Only framing is an error, since tags are the networks' and issuers' own business. Everything but framing
is judged only where the tags can be read. Findings point at the tag: path `55.9F26`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache

from sim.codec import Message
from sim.elements import dates, emv, money, mti, pos
from sim.elements.emv_values import count, set_bits, three_digits
from sim.elements.pan import detect_network
from sim.elements.tlv import Tag, TlvError
from sim.judge.content import clean
from sim.judge.engine import CARD, rule
from sim.judge.finding import Hit, Severity
from sim.spec import country, currency, lookup, spec
from sim.spec import emv as tables
from sim.spec.networks import element_name

DATES = dict.fromkeys(("9A", "5F24", "5F25"), "YYMMDD") | {"9F21": "hhmmss"}
_NOT_DIGITS = {"n": re.compile(r"[^0-9]"), "cn": re.compile(r"[^0-9F]|F(?=[^F])")}
# Each payment system gives these tags a meaning of its own (EMV book 3, annex A).
_SYSTEMS_OWN = re.compile(r"9F[5-7]")
_REPEATING = ("script",)
_EARLY = ("1987", "1993")  # the currency of the amount is an element of its own
_REFUNDS = "2"
_ONLINE_PIN = 0x0000040000  # byte 3 bit 3 of the terminal verification results
_ONLINE_PIN_METHOD = "02"


def chip_of(message: Message) -> emv.ChipData:
    """The chip data, empty where they cannot be read."""
    chip = emv.read(message.fields[55])
    return _UNREAD if chip.error else chip


_UNREAD = emv.ChipData("tags", ())


def first_of(message: Message, *names: str) -> list[Tag]:
    """The first of each of these tags that the message has."""
    chip = chip_of(message)
    return [chip.first(name) for name in names if name in chip]


def tag_hit(
    tag: Tag,
    expected: str,
    found: str,
    at: int = 0,
    size: int | None = None,
    severity: Severity | None = None,
) -> Hit:
    """A hit on *size* digits of a tag's value, from *at* on; to its end without a size."""
    width = len(tag.value) - at if size is None else size
    return Hit(55, expected, found, tag.value_start + at, width, f"55.{tag.tag}", severity=severity)


@rule("chip-data", 55, reads=(CARD, 55), tags=())
def chip_data(message: Message) -> Iterator[Hit]:
    """DE 55 is BER-TLV. A template with a wrong inside is common in scripts and hurts no tag beside it."""
    chip = emv.read(message.fields[55])
    if chip.error:
        half = len(message[55]) % 2 and message.spec[55].binary
        if half or (message[55] and not clean(message, 55)):
            return  # whole bytes and character classes have rules of their own
        yield _misfit(chip.error, None, _severity(message))
        return
    for tag in chip.tags:
        if tag.fault:
            yield _misfit(tag.fault, tag.end, Severity.WARNING)


def _severity(message: Message) -> Severity | None:
    """DE 55 of 1987 is reserved: the networks put chip data there, others may put anything."""
    left_open = element_name(message.version, 55) != spec(message.version)[55].name
    unknown = left_open and detect_network(message) is None
    return Severity.WARNING if unknown else None


def _misfit(error: TlvError, end: int | None, severity: Severity | None) -> Hit:
    """A TLV error as a hit, to the *end* of its template or of the element."""
    at = error.offset or 0
    path = f"55.{error.tag}" if error.tag else ""
    size = None if end is None else end - at
    return Hit(55, error.expected, error.found, at, size, path, severity=severity)


@rule("chip-fixed-layout", 55, tags=())
def fixed_layout(message: Message) -> Iterator[Hit]:
    """Chip data in a network's own layout cannot be checked tag by tag."""
    if emv.read(message[55]).layout == "AGNS":
        yield Hit(55, "EMV tags", "the fixed layout AGNS", 0, len("C1C7D5E2"))


@rule("chip-tag-unknown", 55, tags=())
def tag_unknown(message: Message) -> Iterator[Hit]:
    """Tags are in the dictionary."""
    chip = chip_of(message)
    if chip.firsts.keys() <= tables.tags().keys():
        return
    for tag in chip.tags:
        if tag.tag not in tables.tags():
            yield tag_hit(tag, "a tag of the dictionary", f"tag {tag.tag}")


_ANY_SIZE = range(sys.maxsize)


@cache
def _sizes() -> dict[str, range]:
    """How many hex digits each tag of the dictionary may have."""
    return {
        tag: range(2 * known.minimum, sys.maxsize if known.maximum is None else 2 * known.maximum + 1)
        for tag, known in tables.tags().items()
    }


@rule("chip-tag-length", 55, tags=())
def tag_length(message: Message) -> Iterator[Hit]:
    """Values are as long as the dictionary says; a length that rests on no source, or on one payment
    system, only informs."""
    sizes = _sizes()
    for tag in chip_of(message).tags:
        if len(tag.value) in sizes.get(tag.tag, _ANY_SIZE):
            continue
        known, size = tables.tags()[tag.tag], len(tag.value) // 2
        if known.maximum is None:
            expected = f"at least {count(known.minimum, 'byte')}"
        elif known.minimum == known.maximum:
            expected = count(known.minimum, "byte")
        else:
            expected = f"{known.minimum} to {known.maximum} bytes"
        unsure = "unsourced" in known.source or _SYSTEMS_OWN.match(tag.tag)
        yield tag_hit(tag, expected, count(size, "byte"), severity=Severity.INFO if unsure else None)


@cache
def _numbers() -> dict[str, tables.TagSpec]:
    """The tags that hold digits."""
    return {tag: known for tag, known in tables.tags().items() if known.content in _NOT_DIGITS}


@rule("chip-tag-digits", 55)
def tag_digits(message: Message) -> Iterator[Hit]:
    """Values of format n and cn are digits, no more of them than the format has."""
    numbers = _numbers()
    for tag in chip_of(message).tags:
        known = numbers.get(tag.tag)
        if known is None or (known.digits is None and tag.value.isdecimal()):
            continue
        if wrong := _NOT_DIGITS[known.content].search(tag.value):
            yield tag_hit(tag, f"{known.format}, packed digits", repr(wrong[0]), wrong.start(), 1)
        elif known.content == "n" and known.digits and tag.value[: -known.digits].strip("0"):
            more = f"{len(tag.value.lstrip('0'))} digits"
            yield tag_hit(tag, f"{known.format}, zeros in front", more)


@rule("chip-tag-repeated", 55, tags=())
def tag_repeated(message: Message) -> Iterator[Hit]:
    """A tag stands once in its template; scripts and their commands may repeat."""
    chip = chip_of(message)
    tags = chip.tags
    if len(chip.firsts) == len(tags):
        return
    levels = [[tag for tag in tags if tag.depth == 0], *(tag.children for tag in tags if tag.children)]
    for level in levels:
        counts = Counter(tag.tag for tag in level)
        last = {tag.tag: tag for tag in level}
        for name, number in counts.items():
            if number > 1 and not last[name].constructed and tables.role(name) not in _REPEATING:
                yield tag_hit(last[name], f"one tag {name}", f"{number}")


@cache
def _reserved() -> dict[str, int]:
    """The reserved bits of each tag that is nothing but bits, as a number."""
    masks = {}
    for tag, known in tables.tags().items():
        if tables.only_bits(tag):
            size = 8 * known.minimum
            used = sum(1 << size - 8 * byte + bit - 1 for byte, bit in tables.bits(tag))
            masks[tag] = (1 << size) - 1 & ~used
    return masks


@rule("chip-reserved-bits", 55)
def reserved_bits(message: Message) -> Iterator[Hit]:
    """Reserved bits are zero."""
    reserved = _reserved()
    for tag in chip_of(message).tags:
        if tag.tag not in reserved:
            continue
        known = tables.tags()[tag.tag]
        if len(tag.value) == 2 * known.minimum and int(tag.value, 16) & reserved[tag.tag]:
            set_ones = [place for place in set_bits(tag.value) if place not in tables.bits(tag.tag)]
            found = ", ".join(f"byte {byte} bit {bit}" for byte, bit in set_ones) + " set"
            yield tag_hit(tag, f"reserved bits of the {known.name} at 0", found)


@rule("chip-date", 55, tags=DATES)
def chip_date(message: Message) -> Iterator[Hit]:
    """Dates and times of the chip exist in the calendar."""
    for tag in first_of(message, *DATES):
        pattern = DATES[tag.tag]
        if len(tag.value) != len(pattern) or not tag.value.isdecimal():
            continue  # length and digits have rules of their own
        if wrong := dates.problem(pattern, tag.value):
            start, end, found = wrong
            yield tag_hit(tag, pattern, found, start, end - start)


def _code(tag: Tag) -> str:
    """The three digits of a country or currency code; empty when there are none."""
    code = three_digits(tag.value)
    return code if len(code) == 3 and code.isdecimal() else ""


@rule("chip-country", 55, tags=("9F1A", "5F28"))
def chip_country(message: Message) -> Iterator[Hit]:
    """Country codes of the chip data are in ISO 3166."""
    for tag in first_of(message, "9F1A", "5F28"):
        if _code(tag) and country(_code(tag)) is None:
            yield tag_hit(tag, "an ISO 3166 numeric country code", repr(tag.value))


def _approved(message: Message) -> bool:
    """Whether the answer in an advice says approved."""
    found = lookup("response_code", message.get(39), version=message.version)
    return found is not None and found.kind == "approved"


@rule("chip-cryptogram-kind", 55, classes="12", functions="02", reads=(3, 39, 55), tags=("9F27",))
def cryptogram_kind(message: Message) -> Iterator[Hit]:
    """The cryptogram's type fits the message: requests carry an ARQC."""
    for tag in first_of(message, "9F27"):
        if len(tag.value) != 2:
            continue
        kind = int(tag.value, 16) >> 6
        request = message.mti[2] == "0"
        refund = message.get(3)[:1] == _REFUNDS
        if kind == 3:
            yield tag_hit(tag, "AAC, TC or ARQC in bits 8 and 7", "the reserved type 11")
        elif kind == 0 and request and not refund:
            yield tag_hit(tag, "an ARQC in a request", "an AAC: the chip has declined")
        elif kind == 1 and request:
            yield tag_hit(
                tag, "an ARQC in a request", "a TC: the chip has approved offline", severity=Severity.INFO
            )
        elif kind == 0 and not request and not refund and _approved(message):
            yield tag_hit(tag, "a TC or an ARQC where DE 39 approves", "an AAC: the chip has declined")


@rule("chip-cryptogram-data", 22, 55, classes="12", functions="02", tags=())
def cryptogram_data(message: Message) -> Iterator[Hit]:
    """Where there is a cryptogram of a chip that was read, the data it is computed over are there."""
    present = chip_of(message)
    if "9F26" in present and pos.entry_kind(message) in ("chip", "contactless"):
        missing = [tag for tag in tables.with_role("cryptogram") if tag not in present]
        if missing:
            yield Hit(55, "tags to check the cryptogram with", f"none of {', '.join(missing)}")


@rule("chip-currency", 55, versions=_EARLY, classes="124", reads=(49, 55), tags=("5F2A",), any_mti=True)
@rule("chip-currency", 55, versions=("2003",), classes="124", reads=(4, 55), tags=("5F2A",), any_mti=True)
def chip_currency(message: Message) -> Iterator[Hit]:
    """5F2A is a currency, and the one of the amount."""
    # DE 49 is no currency in 2003.
    inside = money.composite(message.version, 4) is not None
    stated = None if inside and 4 not in message else money.currency_of(message)
    for tag in first_of(message, "5F2A"):
        code = _code(tag)
        if not code:
            continue  # length and digits have rules of their own
        if currency(code) is None:
            yield tag_hit(tag, "an ISO 4217 currency code", repr(tag.value))
        elif stated and stated.numeric != code:
            where = "DE 4" if inside else "DE 49"
            yield tag_hit(tag, f"{stated.numeric}, the currency of {where}", code)


@rule("chip-online-pin", 55, classes="12", functions="0", tags=("9F34", "95"))
def online_pin(message: Message) -> Iterator[Hit]:
    """An online PIN that the chip data speak of travels in DE 52, and the other way round."""
    for tag in first_of(message, "9F34"):
        if len(tag.value) != 6:
            continue
        results = chip_of(message).value("95")
        method = f"{int(tag.value[:2], 16) & 0x3F:02X}"
        seen = len(results) == 10 and int(results, 16) & _ONLINE_PIN
        if 52 not in message and (seen or method == _ONLINE_PIN_METHOD):
            yield tag_hit(tag, "DE 52 beside an online PIN", "none")
        elif 52 in message and not seen and method != _ONLINE_PIN_METHOD:
            yield tag_hit(tag, "an online PIN beside DE 52", emv.cvm_results(tag.value))


@rule("chip-entry-mode", 22, 55, classes="12", functions="0", reads=(22,))
def entry_mode(message: Message) -> Iterator[Hit]:
    """Where there are chip data, DE 22 says that a chip was read."""
    if pos.entry_kind(message) in ("manual", "magnetic stripe") and not mti.is_response(message.mti):
        yield Hit(55, "chip or contactless in DE 22", pos.entry_mode(message))
