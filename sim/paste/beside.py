"""Pastes that are not ISO 8583 messages: related data by kind, each with a sentence, and the contents of
those that concern a card."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from sim.codec import Message, bitmap
from sim.elements import card, dates, emv, money, mti, pos
from sim.elements.meaning import meaning
from sim.errors import IsoError, counted
from sim.masking import mask_pan
from sim.parts.chip_data import read_tags, walk_tags
from sim.paste.spellings import Sighting, tidy
from sim.paste.spellings.sighting import longest
from sim.spec import VERSIONS, country, lookup, spec
from sim.spec import emv as chip
from sim.spec.networks import detect, luhn_ok
from sim.spec.tables import read_csv

NO_MTI = "no MTI followed by a bitmap whose elements can be read"
# Three fields of printable characters, after at most a length or a header.
_NDC = re.compile(rb"(?s).{0,8}?(?:[ -~]{0,999}\x1c){3}")
_BLANKS = re.compile(r"\s+")
_SEPARATORS = re.compile(r"[\s:-]")
_HEX = re.compile(r"[0-9A-Fa-f\s]+")
_COMMAND = re.compile("(?<![0-9A-F])([08]0)[ :]?([0-9A-F]{2})[ :]?([0-9A-F]{2})[ :]?([0-9A-F]{2})")
# Nothing else has so many of them.
_FEWEST_TAGS, _MANY_TAGS = 2, 4
_LITERAL = re.compile(r"\"[^\"\r\n]{16,}\"|'[^'\r\n]{16,}'")
_MOST_LINES = 40
_HIDDEN = "[hidden]"
_LENGTH_OF_TAG = 2


class Piece(NamedTuple):
    """One part of a paste: its name, its value as it may be shown, and the meaning of that."""

    name: str
    value: str
    meaning: str


class Verdict(NamedTuple):
    """What a text is instead of a message: its *kind* (empty if unknown), the *reasons*, and the *part*
    of the text that shows it."""

    kind: str
    reasons: tuple[str, ...]
    part: str = ""


class _Kind(NamedTuple):
    kind: str
    on: str  # what the pattern is matched against: the text, its first line, or its hex digits
    proof: bool  # whether its shape is proof enough, even if it might start like a message
    pattern: re.Pattern[str]
    sentence: str


@cache
def _kinds() -> tuple[_Kind, ...]:
    return tuple(
        _Kind(row["kind"], row["on"], bool(row["proof"]), re.compile(row["pattern"]), row["sentence"])
        for row in read_csv("beside")
    )


def kinds() -> tuple[str, ...]:
    """Return the names of all recognized kinds."""
    names = ("empty", "network-headers", "ndc", "emv-tlv", "dol")
    return tuple(dict.fromkeys((*names, *(kind.kind for kind in _kinds()))))


@cache
def is_proven(kind: str) -> bool:
    """Whether the shape of a *kind* is proof enough, even if it might start like a message."""
    return any(row.proof for row in _kinds() if row.kind == kind)


def what_else(sightings: Sequence[Sighting], text: str, headers: str) -> Verdict:
    """Return the kind of *text*, in which the bytes *sightings* were seen after network *headers*, and why it
    is not an ISO 8583 message; the kind is empty if it is unknown.

    >>> what_else((), "9F2701809C0100", "").reasons
    ('Chip data in TLV (DE 55) without its message.',)
    """
    if headers:
        return Verdict("network-headers", (f"{headers} come first, but no ISO 8583 message follows",))
    if not text.strip() and not any(sighting.data.strip() for sighting in sightings):
        return Verdict("empty", ("no text",))
    if any(_NDC.match(sighting.data) for sighting in sightings[:3]):
        reason = "An NDC or DDC message of a cash machine: its fields are separated by 1C."
        return Verdict("ndc", (reason, NO_MTI))
    return recognized(text) or Verdict("", (NO_MTI,))


def recognized(text: str, *, proof: bool = False) -> Verdict | None:
    """Return what *text* is; with *proof*, only if its shape leaves no doubt, though it may start like a
    message. None if it is unknown. The part that is recognized is all of it, its longest literal, or the last
    of its lines that are recognized; the literal or these lines are at least half of it.

    >>> recognized("TVR: 80 00 04 80 00").kind
    'tvr'
    >>> recognized("Key: 0123456789ABCDEF\\nKCV: D5D44F")
    Verdict(kind='kcv', reasons=('A key check value (KCV).',), part='KCV: D5D44F')
    """
    joined = tidy.joined(text).strip()
    literal = longest(_LITERAL, joined)
    is_most = literal is not None and 2 * len(literal[0]) >= len(joined)
    for part in (text, literal[0].strip("\"'")) if literal and is_most else (text,):
        if verdict := _recognized_whole(part, proof):
            return verdict
    lines = [line for line in text.splitlines() if line.strip()][: _MOST_LINES + 1]
    if not 1 < len(lines) <= _MOST_LINES:
        return None
    verdicts = [verdict for line in lines if (verdict := _recognized_whole(line, proof))]
    return verdicts[-1] if 2 * len(verdicts) >= len(lines) else None


def _recognized_whole(text: str, proof: bool) -> Verdict | None:
    bare = text.strip()
    digits = _BLANKS.sub("", bare).upper() if _HEX.fullmatch(bare) else ""
    if digits and _is_chip_data(digits, _MANY_TAGS if proof else 1):
        return Verdict("emv-tlv", ("Chip data in TLV (DE 55) without its message.",), text)
    if digits and not proof and _tag_list(digits):
        return Verdict("dol", ("A data object list (DOL): tags with their lengths.",), text)
    for kind in _kinds():
        if proof and not kind.proof:
            continue
        subject = {"text": bare, "line": text.strip("\r\n"), "hex": digits}[kind.on]
        if subject and kind.pattern.fullmatch(subject) and _sound(kind.kind, subject):
            return Verdict(kind.kind, (kind.sentence,), text)
    return None


def _sound(kind: str, text: str) -> bool:
    """Whether text with the shape of a *kind* can be one, by more than its shape."""
    if kind == "iban":
        moved = _BLANKS.sub("", text)
        return int("".join(str(int(char, 36)) for char in moved[4:] + moved[:4])) % 97 == 1
    if kind == "card-number":
        pan = re.sub("[^0-9]", "", text)
        return luhn_ok(pan) and detect(pan) is not None
    if kind == "de43":
        return country(text[-2:]) is not None
    if kind == "de90":
        return mti.read_original(text, VERSIONS[0]) is not None
    return True


def _is_chip_data(digits: str, fewest: int) -> bool:
    """Whether hex *digits* are at least *fewest* tags, most of which EMV knows."""
    try:
        tags = read_tags(digits)
    except IsoError:
        return False
    leaves = [tag for tag in walk_tags(tags) if not tag.constructed]
    known = sum(leaf.tag in chip.tags() and bool(leaf.value) for leaf in leaves)
    return known >= fewest and 2 * known > len(leaves)


def _tag_list(digits: str) -> list[tuple[str, int]]:
    """Return known EMV tags with their lengths; empty if *digits* are not such a list."""
    at, pairs = 0, list[tuple[str, int]]()
    while at < len(digits):
        size = 4 if int(digits[at : at + 2] or "0", 16) & 0x1F == 0x1F else 2
        tag, length = digits[at : at + size], digits[at + size : at + size + _LENGTH_OF_TAG]
        if tag not in chip.tags() or len(length) < _LENGTH_OF_TAG:
            return []
        pairs.append((tag, int(length, 16)))
        at += size + _LENGTH_OF_TAG
    return pairs if len(pairs) >= _FEWEST_TAGS else []


def inside(kind: str, part: str) -> tuple[Piece, ...]:
    """Return the contents of the *part* of a paste that is of a *kind* that concerns a card or its payment,
    with card data masked; empty for others.

    >>> inside("track-2", ";4111111111111111=2912201123?")[0]
    Piece(name='card number', value='411111******1111', meaning='Visa card')
    """
    make = _INSIDE.get(kind)
    if make is None:
        return ()
    bare = part.strip()
    labeled = (row.pattern.fullmatch(bare) for row in _kinds() if row.kind == kind and row.pattern.groups)
    for match in filter(None, labeled):
        return tuple(make(_SEPARATORS.sub("", match[1]).upper()))
    return tuple(make(_BLANKS.sub("", bare).upper() if _HEX.fullmatch(bare) else bare))


def _chip_data(digits: str) -> Iterator[Piece]:
    for item in emv.decode(digits):
        yield Piece(f"{'  ' * item.depth}{item.tag} {item.name}", item.value_shown, item.meaning)


def _data_objects(digits: str) -> Iterator[Piece]:
    for tag, size in _tag_list(digits):
        yield Piece(f"{tag} {chip.tags()[tag].name}", "", counted(size, "byte"))


def _bitmap(digits: str) -> Iterator[Piece]:
    table = spec(VERSIONS[0])
    if not digits.strip("01") and len(digits) % bitmap.PRIMARY_BITS == 0:
        digits = f"{int(digits, 2):0{len(digits) // 4}X}"
    for number in bitmap.numbers(digits):
        if 1 < number <= len(table.elements):
            yield Piece(f"DE {number}", "", table[number].name)


def _card_number(text: str) -> Iterator[Piece]:
    pan = re.sub("[^0-9]", "", text)
    owner = detect(pan)
    yield Piece(
        "card number", mask_pan(pan), f"{owner.brand} card" if owner else "card of an unknown network"
    )
    yield Piece("check digit", pan[-1], "correct" if luhn_ok(pan) else "wrong")


def _track(read: card.Track1 | card.Track2 | None, hidden: str) -> Iterator[Piece]:
    if read is None:
        return
    yield next(_card_number(read.pan))
    if read.expiry:
        yield Piece("expiry", read.expiry, dates.readable_date("YYMM", read.expiry))
    if read.service:
        yield Piece("service code", read.service, meaning(Message("0100", {40: read.service}), 40))
    yield Piece(hidden, _HIDDEN, "")


def _pin_block(digits: str) -> Iterator[Piece]:
    sentences = {"0": "the PIN is combined with the card number", "2": "the PIN alone, for a chip card"}
    yield Piece(
        "format", digits[0], f"ISO 9564-1 format {digits[0]}: {sentences.get(digits[0], sentences['0'])}"
    )
    yield Piece("PIN length", digits[1], counted(int(digits[1], 16), "digit"))
    yield Piece("PIN", _HIDDEN, "")


def _of_tag(tag: str) -> Callable[[str], Iterator[Piece]]:
    def pieces(digits: str) -> Iterator[Piece]:
        for sentence in emv.bits_set(tag, digits) or ["no bit set"]:
            yield Piece(tag, digits, sentence)

    return pieces


def _cvm(digits: str) -> Iterator[Piece]:
    for name, text, at in zip(
        ("method", "condition", "result"), emv.cvm_parts(digits), (0, 2, 4), strict=True
    ):
        yield Piece(name, digits[at : at + 2], text or "reserved, or of a payment system")


def _information(digits: str) -> Iterator[Piece]:
    yield Piece("9F27", digits, emv.cryptogram(digits))


def _application(digits: str) -> Iterator[Piece]:
    yield Piece("registered provider (RID)", digits[:10], emv.application(digits))
    yield Piece("extension (PIX)", digits[10:], "")


def _serial_number(digits: str) -> Iterator[Piece]:
    bits = int(digits, 16)
    yield Piece("key set ID", digits[:10], "")
    yield Piece("device ID", str(bits >> 21 & 0x7FFFF), "")
    yield Piece(
        "transaction counter", str(bits & 0x1FFFFF), counted(bits & 0x1FFFFF, "transaction") + " so far"
    )


def _key_block(text: str) -> Iterator[Piece]:
    meanings = {(row["part"], row["code"]): row["meaning"] for row in read_csv("keys/key_block")}
    places = (
        ("version", 0, 1),
        ("usage", 5, 7),
        ("algorithm", 7, 8),
        ("mode", 8, 9),
        ("exportability", 11, 12),
    )
    yield Piece("length", text[1:5], f"{int(text[1:5])} characters, {len(text)} are here")
    for part, start, end in places:
        yield Piece(part, text[start:end], meanings.get((part, text[start:end]), "not in the list"))
    yield Piece("key", _HIDDEN, "")


def _commands(text: str) -> Iterator[Piece]:
    """Yield the first command of each line; what follows depends on the card."""
    for match in filter(None, map(_COMMAND.search, text.upper().splitlines())):
        if description := chip.command(match[2]):
            yield Piece("command", "".join(match.groups()), description)


def _response(text: str) -> Iterator[Piece]:
    code = re.split(r"[\s:=]+", text)[-1].upper()
    entry = lookup("response_code", code, version="1987" if len(code) == 2 else "1993")
    yield Piece("response code", code, entry.meaning if entry else "not in the list of response codes")


def _reference(text: str) -> Iterator[Piece]:
    yield Piece("format", text[0], "")
    yield Piece("acquirer's BIN", text[1:7], "")
    yield Piece("date", text[7:11], f"day {int(text[8:11])} of a year that ends in {text[7]}")
    yield Piece("film locator", text[11:22], "")
    yield Piece("check digit", text[22], "correct" if luhn_ok(text) else "wrong")


_INSIDE: dict[str, Callable[[str], Iterator[Piece]]] = {
    "emv-tlv": _chip_data,
    "dol": _data_objects,
    "bitmap": _bitmap,
    "card-number": _card_number,
    "track-1": lambda text: _track(card.read_track_1(text.strip("%").split("?")[0]), "cardholder name"),
    "track-2": lambda text: _track(
        card.read_track_2(text.strip(";?")[:37].rstrip("F")), "discretionary data"
    ),
    "pin-block": _pin_block,
    "tvr": _of_tag("95"),
    "tsi": _of_tag("9B"),
    "aip": _of_tag("82"),
    "auc": _of_tag("9F07"),
    "terminal-capabilities": _of_tag("9F33"),
    "cvm-results": _cvm,
    "cid": _information,
    "aid": _application,
    "ksn": _serial_number,
    "key-block": _key_block,
    "apdu": _commands,
    "response-code": _response,
    "arn": _reference,
    "mti": lambda text: iter((Piece("MTI", text, meaning(Message(text), 0)),)),
    "de90": lambda text: iter((Piece("DE 90", text, mti.say_original(text, VERSIONS[0])),)),
    "de54": lambda text: iter((Piece("DE 54", text, money.say_additional_amounts(text, VERSIONS[0])),)),
    "de43": lambda text: iter((Piece("DE 43", text, pos.say_location(text.ljust(40), VERSIONS[0])),)),
}
