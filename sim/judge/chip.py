"""Rules about chip data (DE 55): the tags themselves, and whether they fit the message.

Only framing is an error, since tags are the networks' and issuers' own business. Everything but framing
is judged only where the tags can be read. Findings point at the tag: path `55.9F26`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.codec import Message
from sim.elements import dates, emv, money, pos
from sim.elements.emv_values import three_digits
from sim.elements.pan import detect_network
from sim.elements.tlv import Tag, TlvError
from sim.judge.conditions import answer_kind
from sim.judge.content import clean
from sim.judge.engine import CARD, rule
from sim.judge.finding import Hit, Severity
from sim.spec import country, currency, spec
from sim.spec import emv as tables
from sim.spec.networks import element_name

DATES = dict.fromkeys(("9A", "5F24", "5F25"), "YYMMDD") | {"9F21": "hhmmss"}
_EARLY = ("1987", "1993")  # the currency of the amount is an element of its own
_REFUNDS = "2"
_NO_CHIP = ("manual", "magnetic stripe")
NEVER_ZERO = ("9F26", "9F36", "9F37")
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
        elif kind == 0 and not request and not refund and answer_kind(message) == "approved":
            yield tag_hit(tag, "a TC or an ARQC where DE 39 approves", "an AAC: the chip has declined")


@rule("chip-cryptogram-data", 22, 55, classes="12", functions="02", tags=())
def cryptogram_data(message: Message) -> Iterator[Hit]:
    """Where there is a cryptogram of a chip that was read, the data it is computed over are there."""
    present = chip_of(message)
    if "9F26" in present and pos.entry_kind(message) in ("chip", "contactless"):
        missing = [tag for tag in tables.with_role("cryptogram") if tag not in present]
        if missing:
            yield Hit(55, "tags to check the cryptogram with", f"none of {', '.join(missing)}")


@rule("chip-zeros", 55, classes="12", functions="0", reads=(55,), tags=NEVER_ZERO)
def zeros(message: Message) -> Iterator[Hit]:
    """Cryptogram, counter and unpredictable number are the card's and the terminal's own, not a filler."""
    for tag in first_of(message, *NEVER_ZERO):
        if tag.value and not tag.value.strip("0"):
            yield tag_hit(tag, "what card and terminal made", "zeros")


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


@rule("chip-online-pin", 55, classes="12", functions="0", reads=(22, 55), tags=("9F34", "95"), there=(52,))
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
        elif method == _ONLINE_PIN_METHOD and len(results) == 10 and not seen and _is_inserted(message):
            expected = "an online PIN entered (byte 3 bit 3), as 9F34 says"
            yield tag_hit(chip_of(message).first("95"), expected, "none", 4, 2)


def _is_inserted(message: Message) -> bool:
    """Whether the chip's contacts were read. Of a card that was tapped some terminals report nothing in 95,
    and 2003 has no code for one."""
    return message.version in _EARLY and pos.entry_kind(message) == "chip"


@rule("chip-entry-mode", 22, 55, classes="12", functions="0", reads=(CARD, 22))
def entry_mode(message: Message) -> Iterator[Hit]:
    """Where there are chip data, DE 22 says that a chip was read, be it by a code of the card's network."""
    if pos.entry_kind(message) not in _NO_CHIP:
        return
    card = detect_network(message)
    if card is None or pos.entry_kind(message, card.network) in _NO_CHIP:
        yield Hit(55, "chip or contactless in DE 22", pos.entry_mode(message))
