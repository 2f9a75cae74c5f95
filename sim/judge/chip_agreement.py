"""Rules about chip data that must agree with elements and with what happened: amount, date and card, which
way a message goes, what was answered, whose application it was, where the terminal stands, what the card says
of itself.

As in `chip`, everything is judged only where the tags can be read, and findings point at the tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from sim.codec import Message
from sim.elements import dates, money, pos
from sim.elements.emv_values import characters, three_digits
from sim.elements.groups import read_additional_amounts, read_location
from sim.elements.pan import detect_network
from sim.elements.track import read_track_2
from sim.judge.agreed import Same, same
from sim.judge.chip import chip_of, first_of, tag_hit
from sim.judge.cross import minor_units
from sim.judge.days import months_from
from sim.judge.engine import CARD, rule
from sim.judge.finding import Hit, Severity
from sim.spec import Spec, country, number_of, region, spec
from sim.spec import emv as tables
from sim.spec.networks import network as network_of

_NONE: tuple[Hit, ...] = ()
_ACCOUNTS = ("5A", "57")
# What stands in data elements, too.
_COPIED = ("9C", "9F15", "5F24", "9F1C", "9F16", "9F39")
_TRANSACTIONS = "12"
_FROM_ISSUER = ("91", "71", "72")  # sent by issuers, to the card
_TO_ISSUER = ("9F26", "9F27")
_CASH_BACK_AMOUNT = "40"
_REFUNDS = "2"


@rule("chip-cryptogram-missing", 22, 55, classes=_TRANSACTIONS, functions="0", reads=(22, 55), tags=())
def cryptogram_missing(message: Message) -> Iterable[Hit]:
    """A chip that was read and asks the issuer signs with a cryptogram."""
    present = chip_of(message)
    unread = message[55] and not present.tags
    if unread or "9F26" in present or pos.entry_kind(message) not in ("chip", "contactless"):
        return _NONE
    return (Hit(55, "a cryptogram (9F26), as the chip was read", "none"),)


@rule("chip-other-way", 55, classes=_TRANSACTIONS, functions="0", reads=(55,), tags=_FROM_ISSUER)
def other_way(message: Message) -> Iterator[Hit]:
    """What an issuer sends to the card does not stand in the request."""
    for tag in first_of(message, *_FROM_ISSUER):
        yield tag_hit(tag, "tags of a request", "one that the issuer sends")


@rule("chip-other-way", 55, classes=_TRANSACTIONS, functions="1", reads=(55,), tags=_TO_ISSUER)
def echoed(message: Message) -> Iterator[Hit]:
    """What the card sends to its issuer does not come back in the answer; the first such tag is told."""
    for tag in first_of(message, *_TO_ISSUER)[:1]:
        yield tag_hit(tag, "tags of an answer", "one that the card sends")


@rule("chip-answer-agrees", 39, 55, versions=("1987",), classes="12", functions="1", tags=("8A", "91"))
def answer_agrees(message: Message) -> Iterator[Hit]:
    """The answer that the card is told is that of DE 39: in 8A, or in the last two bytes of a 91 of ten."""
    for tag in first_of(message, "8A", "91"):
        size = {"8A": 2, "91": 10}[tag.tag]
        told = characters(tag.value[-4:]) if len(tag.value) == 2 * size else ""
        # Other ways of making a 91 end with bits, which are no two letters or digits.
        if told.isalnum() and told != message[39]:
            expected = f"{message[39]}, the answer of DE 39"
            yield tag_hit(tag, expected, repr(told), len(tag.value) - 4, 4)


def _amounts(version: str) -> Sequence[Same]:
    inside = money.composite(version, 4)
    return (Same("9F02", 4, of_element=inside[1] if inside else slice(None)),)


@rule("chip-amount", 4, 55, classes="12", reads=(4, 49, 55), tags=("9F02",), agreement=_amounts)
def chip_amount(message: Message) -> Iterator[Hit]:
    """9F02 is the amount of DE 4. An advice may have another final amount."""
    amount, chip = money.amount(message), chip_of(message)
    digits, value = amount[0] if amount else "", chip.value("9F02")
    if value == digits or len(value) != 12 or not value.isdecimal() or not digits.isdecimal():
        return
    if int(value) != int(digits):
        severity = None if message.mti[2] in "01" else Severity.INFO
        expected = f"{int(digits)}, the amount of DE 4"
        yield tag_hit(chip.first("9F02"), expected, f"{int(value)}", severity=severity)


def _local_date(table: Spec) -> tuple[int, slice]:
    """The element that begins with the local date, and where that stands, without a century."""
    number = number_of("local-date", table.version)
    size = len(table[number].pattern.removesuffix("hhmmss"))
    return number, slice(max(0, size - 6), size)


def _days(version: str) -> Sequence[Same]:
    number, day = _local_date(spec(version))
    return (Same("9A", number, slice(6 - (day.stop - day.start), 6), day),)


@rule("chip-message-date", 12, 55, classes="12", reads=(12, 13, 55), tags=("9A",), agreement=_days)
def chip_message_date(message: Message) -> Iterator[Hit]:
    """9A is the local date of the message: DE 13 in 1987, the start of DE 12 later."""
    number, where = _local_date(message.spec)
    width = where.stop - where.start
    day = message.get(number)[where]
    chip = chip_of(message)
    value = chip.value("9A")
    if len(value) != 6 or len(day) != width or value[-width:] == day:
        return
    # With no date to compare with, its own rules say so.
    if day.isdecimal() and dates.problem("MMDD", day[-4:]) is None:
        yield tag_hit(chip.first("9A"), f"{day}, the date of DE {number}", value[-width:], 6 - width)


@rule(
    "chip-sequence-number",
    23,
    55,
    classes="12",
    tags=("5F34",),
    agreement=same(Same("5F34", 23, agrees=lambda value, number: f"0{value}" == number)),
)
def chip_sequence_number(message: Message) -> Iterator[Hit]:
    """5F34 is the card sequence number of DE 23."""
    chip, number = chip_of(message), message[23]
    value = chip.value("5F34")
    if value.isdecimal() and number.isdecimal() and int(value) != int(number):
        yield tag_hit(chip.first("5F34"), f"{int(number)}, the number of DE 23", f"{int(value)}")


def _account_of_track(value: str, pan: str) -> bool:
    track = read_track_2(value.rstrip("F"))
    return track is not None and track.pan == pan


_SAME_ACCOUNTS = same(
    Same(_ACCOUNTS[0], 2, agrees=lambda value, pan: pan == value.rstrip("F") and pan != ""),
    Same(_ACCOUNTS[1], 2, agrees=_account_of_track),
)


@rule("chip-pan", 55, classes="124", reads=(2, 55), tags=_ACCOUNTS, agreement=_SAME_ACCOUNTS)
def chip_pan(message: Message) -> Iterator[Hit]:
    """The card number of 5A and 57 is the one of DE 2; 57 is laid out as track 2."""
    pan, chip = message.get(2), chip_of(message)
    for name in _ACCOUNTS:
        if name not in chip:
            continue
        value = chip.value(name).rstrip("F")
        if name == _ACCOUNTS[1]:
            track = read_track_2(value)
            if track is None:
                expected = "card number, D, expiry YYMM, service code, digits"
                yield tag_hit(chip.first(name), expected, "another layout")
                continue
            value = track.pan
        if pan and value.isdecimal() and value != pan:
            yield tag_hit(chip.first(name), "the card number of DE 2", "another card number", 0, len(value))


@cache
def _copies(version: str) -> tuple[tuple[str, int, slice], ...]:
    """Tag, data element and the part of it that the tag repeats."""
    whole, two = slice(None), slice(2)
    found = [("9C", 3, two), ("9F15", number_of("category", version), whole), ("5F24", 14, whole)]
    found += [("9F1C", 41, whole), ("9F16", 42, whole)]
    if number_of("condition", version):  # else DE 22 is no entry mode of two digits
        found.append(("9F39", 22, two))
    return tuple(found)


def _same_copies(version: str) -> Sequence[Same]:
    """Each tag begins with what it repeats, digits as they are, text as its bytes."""
    return [
        Same(name, number, of_element=part, agrees=str.startswith if _holds_digits(name) else _same_text)
        for name, number, part in _copies(version)
    ]


def _holds_digits(name: str) -> bool:
    return tables.tags()[name].content == "n"


def _same_text(value: str, text: str) -> bool:
    return text.encode("ascii", "replace").hex() == value.lower()


@rule(
    "chip-agrees",
    55,
    classes="12",
    reads=(3, 14, 18, 22, 26, 41, 42, 55),
    tags=_COPIED,
    agreement=_same_copies,
)
def chip_agrees(message: Message) -> Iterator[Hit]:
    """What stands both in a tag and in a data element is the same."""
    chip = chip_of(message)
    for name, number, part in _copies(message.version):
        if name not in chip or not (value := message.get(number)[part]):
            continue
        known, mine = tables.tags()[name], chip.value(name)
        if known.content in ("an", "ans"):
            value = value.strip()
            same = not value or characters(mine).strip() == value
        elif known.content == "n" and not value.isdecimal():
            continue  # what is wrong with the data element is said there
        else:
            same = mine[: len(value)] == value
        if not same:
            about = known.name.split(" (")[0].lower()
            yield tag_hit(chip.first(name), f"the value of DE {number}", f"another {about}")


@rule("chip-application", 55, classes="12", reads=(CARD, 55), tags=("84", "4F", "9F06"))
def application(message: Message) -> Iterator[Hit]:
    """The application on the chip is of the card's network; a card of two networks has one of each."""
    for tag in first_of(message, "84", "4F", "9F06")[:1]:
        owner, card = tables.owner(tag.value), detect_network(message)
        if owner and card and owner != card.network:
            expected = f"an application of {card.brand}, as the card number says"
            yield tag_hit(tag, expected, f"one of {network_of(owner).title}")


@lru_cache(maxsize=1024)
def _stands_in(code: str, end: str) -> bool:
    """Whether a merchant's place that ends with *end* surely is in the country *code* of 9F1A."""
    stands = country(three_digits(code))
    return stands is not None and end.endswith((stands.alpha2, stands.alpha3))


@rule(
    "chip-terminal-country",
    43,
    55,
    classes="12",
    functions="02",
    reads=(43, 55),
    tags=("9F1A",),
    agreement=same(Same("9F1A", 43, of_element=slice(-3, None), agrees=_stands_in)),
)
def terminal_country(message: Message) -> Iterator[Hit]:
    """The terminal (9F1A) stands in the country of the merchant (DE 43)."""
    stands = country(three_digits(chip_of(message).value("9F1A")))
    if stands is None or message[43].endswith((stands.alpha2, stands.alpha3)):
        return
    where = read_location(message[43], message.version)[2]
    known = country(where)
    if known is None and not region(where):
        return
    if stands == known if known else stands.alpha2 in _WITH_REGIONS:
        return
    yield tag_hit(chip_of(message).first("9F1A"), "the country of DE 43", stands.name)


_WITH_REGIONS = ("US", "CA")


def _same_track(value: str, track: str) -> bool:
    return value.rstrip("F").replace("D", "=") == track.replace("D", "=")


@rule(
    "chip-track-2",
    22,
    35,
    55,
    classes="12",
    functions="0",
    reads=(22, 35, 55),
    tags=("57",),
    agreement=same(Same("57", 35, agrees=_same_track)),
)
def track_2(message: Message) -> Iterator[Hit]:
    """Where a chip was read, DE 35 is its track 2 equivalent (57)."""
    if pos.entry_kind(message) != "chip":
        return
    track = message[35].replace("D", "=")
    for tag in first_of(message, "57"):
        mine = tag.value.rstrip("F").replace("D", "=")
        # The card number has a rule of its own.
        if mine != track and mine.split("=")[0] == track.split("=")[0]:
            yield tag_hit(tag, "the track of DE 35", "other data after the card number")


@rule(
    "chip-other-amount",
    4,
    55,
    classes="12",
    functions="02",
    reads=(4, 49, 55),
    tags=("9F03",),
    agreement=same(Same("9F03", 4, agrees=lambda cash, _: not cash.strip("0"))),
)
def other_amount(message: Message) -> Iterator[Hit]:
    """The cash part the chip signed (9F03) is within the amount."""
    if not chip_of(message).value("9F03").strip("0"):
        return
    amount = minor_units(message)
    for tag in first_of(message, "9F03"):
        if amount is not None and tag.value.isdecimal() and int(tag.value) > amount:
            yield tag_hit(tag, "at most the amount of DE 4", "more")


@rule("chip-other-amount", 54, 55, classes="12", functions="0", reads=(54, 55), tags=("9F03",))
def cash_back_signed(message: Message) -> Iterator[Hit]:
    """The cash back that the chip signed is that of DE 54."""
    groups = read_additional_amounts(message[54], message.version)
    back = next((one.amount for one in groups if one.kind == _CASH_BACK_AMOUNT), "")
    for tag in first_of(message, "9F03"):
        if back.isdecimal() and tag.value.isdecimal() and int(tag.value) != int(back):
            yield tag_hit(tag, "the cash back amount of DE 54", "another amount")


@lru_cache(maxsize=1024)
def _is_over(month: str, expiry: str) -> bool:
    return _is_month(expiry) and _is_month(month) and months_from(month, expiry) < 0


def _is_month(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and "01" <= text[2:] <= "12"


@rule(
    "card-expired",
    14,
    55,
    versions=("1987",),
    classes="12",
    functions="02",
    reads=(3, 14, 55),
    tags=("9A",),
    agreement=same(Same("9A", 14, slice(4), agrees=lambda month, expiry: not _is_over(month, expiry))),
)
def expired(message: Message) -> Iterator[Hit]:
    """1987 has no year but in the chip's date: the card has not expired on it."""
    day, expiry = chip_of(message).value("9A"), message[14]
    if len(day) == 6 and _is_over(day[:4], expiry) and message.get(3)[:1] != _REFUNDS:
        yield Hit(14, "an expiry not before the chip's date (9A)", "an earlier month")
