"""Rules about elements that tell two stories: of a card that was read and was not there, of a PIN that did
not come, of a chip that decided otherwise than it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.codec import Message
from sim.elements import emv, pos
from sim.elements.layout import read
from sim.elements.pan import detect_network
from sim.judge.agreed import Same, same
from sim.judge.chip import first_of, tag_hit
from sim.judge.engine import CARD, rule
from sim.judge.finding import Hit
from sim.spec import lookup
from sim.spec.layouts import tag_layouts
from sim.spec.networks import presence

_NONE: tuple[Hit, ...] = ()
_TRANSACTIONS = "12"
_REQUESTS = "0"
_ECOMMERCE = "ecommerce"
# In an app a card may be tapped, so to speak.
_INSERTED = ("chip", "magnetic stripe", "fallback")
_MACS = (64, 128)


@rule(
    "ecommerce-card-read",
    22,
    25,
    versions=("1987",),
    classes=_TRANSACTIONS,
    functions=_REQUESTS,
    reads=(CARD, 22, 25),
)
def ecommerce_card_read(message: Message) -> Iterable[Hit]:
    """Nobody inserts or swipes a card online."""
    card = detect_network(message)
    if card is None or pos.entry_kind(message, card.network) not in _INSERTED:
        return _NONE
    told = lookup("pos_condition", message[25], version=message.version, network=card.network)
    if told is None or told.kind != _ECOMMERCE:
        return _NONE
    expected = "a condition with the card present, as DE 22 says it was read"
    return (Hit(25, expected, f"{message[25]!r}, {told.meaning}"),)


@rule(
    "security-without-pin",
    53,
    versions=("1987",),
    classes=_TRANSACTIONS,
    functions=_REQUESTS,
    reads=(CARD, 53),
    missing=(52, *_MACS),
)
def security_without_pin(message: Message) -> Iterable[Hit]:
    """How a PIN block is enciphered is told where there is one, on networks whose rows say that of DE 53."""
    card = detect_network(message) if message[53].strip("0") else None
    rows = presence(card.network, message.mti) if card and card.network else ()
    if not any(row.field == 53 and row.when == "pin" for row in rows):
        return _NONE
    return (Hit(53, "no key and format of a PIN block, as there is none in DE 52", "some"),)


# The first digit of the results: no second cryptogram, the first an ARQC.
_ASKED = "A"
# Where the results stand in 9F10, by its first byte: behind a length, else at the third byte. The common core
# has them elsewhere.
_PLACES, _USUAL_PLACE, _COMMON_CORE = {"06": 8, "1F": 8}, 4, "0F"


def _asks(issuer_data: str, _: str) -> bool:
    first = issuer_data[:2].upper()
    at = _PLACES.get(first, _USUAL_PLACE)
    return first != _COMMON_CORE and issuer_data[at : at + 1] == _ASKED


_KINDS = ("an AAC", "a TC", "an ARQC")
_NOT_ASKED_AGAIN = 2


@rule(
    "chip-results-cryptogram",
    55,
    classes="124",
    reads=(CARD, 55),
    tags=("9F10", "9F27", "84", "4F", "9F06"),
    agreement=same(Same("9F27", 55, agrees=lambda kind, _: kind[:1] == "8"), Same("9F10", 55, agrees=_asks)),
)
def results_cryptogram(message: Message) -> Iterator[Hit]:
    """The card verification results in 9F10 tell which cryptogram the card made: that of 9F27."""
    tags = first_of(message, "9F10", "9F27")
    if len(tags) < 2 or len(tags[1].value) != 2:
        return
    results = _results(message, tags[0].value)
    if results is None:
        return
    at, first_byte = results
    made = first_byte >> 6
    if made == _NOT_ASKED_AGAIN:
        made = first_byte >> 4 & 3
    told = int(tags[1].value, 16) >> 6
    if made < len(_KINDS) and told < len(_KINDS) and made != told:
        yield tag_hit(tags[0], f"{_KINDS[told]}, as 9F27 says", f"results of {_KINDS[made]}", at, 2)


def _results(message: Message, value: str) -> tuple[int, int] | None:
    """The first byte of the card verification results in 9F10, with its place; None where its bits are not
    known, of the application's network or the card's."""
    card = detect_network(message)
    owner = emv.owner_of(emv.read(message[55])) or (card.network if card else None)
    for layout in tag_layouts("9F10", owner or ""):
        found = read(layout, value)
        for part in found.parts if found.fits else ():
            if part.cell.codes == "bits" and "1.6" in part.cell.values:
                return part.start, int(part.value[:2], 16)
    return None
