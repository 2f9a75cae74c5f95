"""Rules about chip data that must agree with what happened: which way a message goes, what was answered,
whose application it was, where the terminal stands, what the card says of itself.

As in `chip`, everything is judged only where the tags can be read, and findings point at the tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from sim.codec import Message
from sim.elements import pos
from sim.elements.emv_values import characters, three_digits
from sim.elements.groups import read_additional_amounts, read_location
from sim.elements.pan import detect_network
from sim.judge.chip import chip_of, first_of, tag_hit
from sim.judge.cross import minor_units, months_from
from sim.judge.engine import CARD, rule
from sim.judge.finding import Hit
from sim.spec import country, region
from sim.spec import emv as tables
from sim.spec.networks import network as network_of

_NONE: tuple[Hit, ...] = ()
_EARLY = ("1987", "1993")
_TRANSACTIONS = "12"
_FROM_ISSUER = ("91", "71", "72")  # sent by issuers, to the card
_TO_ISSUER = ("9F26", "9F27")
_CASH_BACK_AMOUNT = "40"
_PIN_BY_CHIP = frozenset((1, 3, 4, 5))  # methods of 9F34
_METHOD = 0x3F
_SUPPORTS_CARDHOLDER = 0x1000  # byte 1 bit 5 of the interchange profile
_NOT_VERIFIED = 0x0000800000  # byte 3 bit 8 of the terminal verification results
_SUCCESSFUL = "02"
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


@rule("chip-application", 55, classes="12", reads=(CARD, 55), tags=("84", "4F", "9F06"))
def application(message: Message) -> Iterator[Hit]:
    """The application on the chip is of the card's network; a card of two networks has one of each."""
    for tag in first_of(message, "84", "4F", "9F06")[:1]:
        owner, card = tables.owner(tag.value), detect_network(message)
        if owner and card and owner != card.network:
            expected = f"an application of {card.brand}, as the card number says"
            yield tag_hit(tag, expected, f"one of {network_of(owner).title}")


@rule("chip-terminal-country", 43, 55, classes="12", functions="02", reads=(43, 55), tags=("9F1A",))
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


@rule("chip-track-2", 22, 35, 55, classes="12", functions="0", reads=(22, 35, 55), tags=("57",))
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


@rule("chip-other-amount", 4, 55, classes="12", functions="02", reads=(4, 49, 55), tags=("9F03",))
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


@rule(
    "card-expired", 14, 55, versions=("1987",), classes="12", functions="02", reads=(3, 14, 55), tags=("9A",)
)
def expired(message: Message) -> Iterator[Hit]:
    """1987 has no year but in the chip's date: the card has not expired on it."""
    day, expiry = chip_of(message).value("9A"), message[14]
    if len(day) == 6 and _is_over(day[:4], expiry) and message.get(3)[:1] != _REFUNDS:
        yield Hit(14, "an expiry not before the chip's date (9A)", "an earlier month")


@lru_cache(maxsize=1024)
def _is_over(month: str, expiry: str) -> bool:
    return _is_month(expiry) and _is_month(month) and months_from(month, expiry) < 0


def _is_month(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and "01" <= text[2:] <= "12"


@rule("chip-results-agree", 55, tags=("82", "95", "9F34"))
def results_agree(message: Message) -> Iterator[Hit]:
    """What the terminal did (9F34), what came of it (95) and what the card can do (82) fit together."""
    chip = chip_of(message)
    done, profile, results = chip.value("9F34"), chip.value("82"), chip.value("95")
    if len(done) != 6:
        return
    failed = len(results) == 10 and int(results, 16) & _NOT_VERIFIED
    if failed and done[4:] == _SUCCESSFUL:
        yield tag_hit(chip.first("9F34"), "a verification that failed, as 95 says", "a successful one", 4, 2)
    able = len(profile) != 4 or int(profile, 16) & _SUPPORTS_CARDHOLDER
    if not able and int(done[:2], 16) & _METHOD in _PIN_BY_CHIP:
        expected = "no verification by the chip, which supports none (82)"
        yield tag_hit(chip.first("9F34"), expected, "a PIN checked by the chip", 0, 2)
