"""Messages of every type with one seeded fault each, like those made by links, terminals and people."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from support import requested

from sim.codec import Message, bitmap, build, spans, wire
from sim.codec.wire import encode
from sim.errors import IsoError
from sim.operations import NETWORKS, respond, reverse
from sim.parts.chip_data import read as read_chip
from sim.parts.chip_data import read_tags

TYPES = (
    *("auth", "financial", "echo", "advice", "reversal", "financial_advice", "sign_on", "sign_off"),
    *("key_exchange", "settlement", "settlement_advice", "file_update"),
)
PURPOSES = (
    *("purchase", "cash", "cashback", "refund", "balance", "verification", "preauthorization", "incremental"),
    *("completion", "recurring", "instalment", "pin_change", "account_funding", "original_credit", "dcc"),
)
SHOPS = (
    *(("ALPINE SPORTS", "ZURICH", "CH", "CHF"), ("BOULANGERIE DU PORT", "MARSEILLE", "FR", "EUR")),
    *(("TEXAS GRILL 0042", "AUSTIN", "US", "USD"), ("SAKURA BOOKS", "OSAKA", "JP", "JPY")),
    *(("BLUE LAGOON DIVING", "CANCUN", "MX", "MXN"), ("KIRANA STORE", "MUMBAI", "IN", "INR")),
    *(("FARMACIA CENTRAL", "LISBON", "PT", "EUR"), ("HARBOUR FISH AND CHIPS", "SYDNEY", "AU", "AUD")),
)
ENTRIES = ("chip", "stripe", "contactless", "ecommerce", "manual")


@cache
def originals(seed: int, count: int) -> tuple[Message, ...]:
    """Valid messages: every type of every network in turn, with responses, reversals and interfaces."""
    roll = random.Random(seed)
    kinds = [(kind, network) for kind in (*TYPES, *PURPOSES) for network in NETWORKS]
    found: list[Message] = []
    while len(found) < count:
        kind, network = kinds[len(found) % len(kinds)] if seed % 2 else roll.choice(kinds)
        name, city, country, currency = roll.choice(SHOPS)
        given = {
            "stan": f"{roll.randrange(1, 10**6):06}",
            "amount_minor_units": roll.choice((500, 1999, 12350, 4207, 88000)),
            "at": datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=roll.randrange(86400 * 330)),
        }
        shop = {"merchant": name, "city": city, "country": country, "currency": currency}
        usual, entry = {**given, **shop}, roll.choice(ENTRIES)
        tries = ({**usual, "entry": entry}, usual, given, {"at": given["at"]})
        message = None
        for options in tries:
            try:
                how = {"purpose": kind} if kind in PURPOSES else {}
                message = requested("auth" if how else kind, network=network, **how, **options)
                break
            except IsoError:
                continue
        if message is None:
            kinds.remove((kind, network))
            continue
        found.append(_turned(message, roll))
    return tuple(found)


def _turned(message: Message, roll: random.Random) -> Message:
    """The message itself, its response, or a reversal of it."""
    turn = roll.random()
    try:
        if turn < 0.25:
            return respond(message).message
        if turn < 0.35 and message.mti[1] in "12" and message.mti[2] == "0":
            return reverse(message).message
    except IsoError:
        pass
    return message


@dataclass(frozen=True)
class Case:
    """A valid text, and the same text with one kind of fault."""

    kind: str
    sound: str
    broken: str
    version: str


class Text:
    """A valid message, to be broken."""

    def __init__(self, message: Message, roll: random.Random) -> None:
        self.message, self.roll, self.raw = message, roll, build(message)
        self.at = spans(message)
        self.numbers = [number for number in message.fields if number != 65]

    def value(self, number: int) -> str:
        """The value of an element, empty if there is none."""
        return self.message.fields.get(number, "")

    def over(self, start: int, end: int, text: str) -> str:
        """The raw text with a part replaced."""
        return self.raw[:start] + text + self.raw[end:]

    def inside(self, number: int, value: str) -> str:
        """The raw text with another value in an element, of the same length."""
        _, first, end = self.at[number]
        return self.over(first, end, value)

    def bits(self, change: Callable[[set[int]], set[int]]) -> str:
        """The raw text with another bitmap of the same width."""
        wide = len(self.message.bitmap)
        bits = bitmap.to_hex(change(set(self.numbers)), secondary=wide == 32)
        return self.over(4, 4 + wide, bits) if len(bits) == wide else ""


def bit_more(text: Text) -> str:
    """A bit is set, but its element is not sent."""
    last = 128 if text.message.has_secondary else 64
    free = [number for number in range(2, last) if number not in text.numbers and number != 65]
    number = text.roll.choice(free)
    return text.bits(lambda numbers: numbers | {number})


def bit_less(text: Text) -> str:
    """An element is sent, but its bit is not set."""
    number = text.roll.choice(text.numbers)
    return text.bits(lambda numbers: numbers - {number})


def second_map(text: Text) -> str:
    """Bit 1 announces a second bitmap that is missing, or hides one that is present."""
    turned = f"{int(text.raw[4], 16) ^ 8:X}"
    return text.over(4, 5, turned)


def prefix(text: Text) -> str:
    """A length is too high or too low by one."""
    lengths = [one for one in text.numbers if text.at[one][1] > text.at[one][0]]
    if not lengths:
        return ""
    start, first, end = text.at[text.roll.choice(lengths)]
    size = end - first + text.roll.choice((-1, 1))
    return text.over(start, first, f"{size:0{first - start}}") if size >= 0 else ""


def in_bytes(text: Text) -> str:
    """The length of binary data counts bytes, but the text has hex digits."""
    for number in (55, 96, 126, 125):
        start, first, end = text.at.get(number, (0, 0, 0))
        if first > start and (end - first) % 2 == 0 and (number == 55 or text.message.spec[number].binary):
            return text.over(start, first, f"{(end - first) // 2:0{first - start}}")
    return ""


def lost(text: Text) -> str:
    """A character is lost, but another element, or the padding around it, shows which."""
    places = []
    card, track = text.value(2), text.value(35)
    if card and track.startswith(card):
        places += [(2, at) for at in range(len(card))] + [(35, at) for at in range(len(card))]
    if text.value(14) and text.value(14) in track[len(card) :]:
        places += [(14, at) for at in range(4)]
    if text.value(11) and text.value(37).endswith(text.value(11)):
        places += [(37, at) for at in range(1, 12)] + [(11, at) for at in range(6)]
    if len(text.value(4)) - len(text.value(4).lstrip("0")) > 2:
        places.append((4, 0))
    for number in (41, 42, 43):
        if text.value(number).endswith("  "):
            places.append((number, len(text.value(number)) - 1))
    if "   " in text.value(43):
        places.append((43, text.value(43).index("   ")))
    if not places:
        return ""
    number, at = text.roll.choice(places)
    return text.inside(number, text.value(number)[:at] + text.value(number)[at + 1 :])


def added(text: Text) -> str:
    """A character is doubled, and the rest of the message shows it."""
    places = [one for one in (2, 4, 7, 11, 12, 37) if one in text.numbers]
    if text.value(43).endswith(" ") or "   " in text.value(43):
        places.append(43)
    if not text.value(37).endswith(text.value(11)):
        places = [one for one in places if one not in (11, 37)]
    number = text.roll.choice(places) if places else 0
    value = text.value(number)
    at = value.find("   ") if number == 43 else text.roll.randrange(max(len(value), 1))
    if number == 4:
        at = 0
    return text.inside(number, value[: at + 1] + value[at:]) if value and at >= 0 else ""


def swapped(text: Text) -> str:
    """Two adjacent digits are swapped in a card number that the track repeats, or in a UTC time."""
    number = text.roll.choice((2, 7))
    value = text.value(number)
    if number == 2 and not text.value(35).startswith(value or "?"):
        return ""
    if number == 7 and not (text.value(37) and value[-4:] == text.value(12)[-4:]):
        return ""  # half an hour apart, either may be right
    places = [at for at in range(len(value) - 1) if value[at] != value[at + 1]]
    if not places:
        return ""
    at = text.roll.choice(places)
    return text.inside(number, value[:at] + value[at + 1] + value[at] + value[at + 2 :])


def padded(text: Text) -> str:
    """Track 2 with the F of its packed form, or with the stripe's sentinels."""
    track = text.value(35)
    if not track:
        return ""
    value = text.roll.choice((f"{track}F", f";{track}?"))
    start, _, end = text.at[35]
    return text.over(start, end, f"{len(value):02}{value}")


def mmyy(text: Text) -> str:
    """The expiry in the wrong order, on the track as well."""
    expiry = text.value(14)
    if not expiry or int(expiry[:2]) <= 12:
        return ""
    turned = expiry[2:] + expiry[:2]
    _, first, end = text.at[14]
    whole = text.over(first, end, turned)
    return whole.replace(f"={expiry}", f"={turned}", 1)


def front(text: Text) -> str:
    """A header is left before the message."""
    size = len(text.raw)
    fronts = ("6000030000", "ISO016000015", f"{size:04}", f"{size:04X}", f"{size + 10:04}6000010000")
    return text.roll.choice(fronts[:4]) + text.raw


def version(text: Text) -> str:
    """The MTI gives another version than that of the elements."""
    other = text.roll.choice(sorted({*"012"} - {text.raw[0]}))
    return other + text.raw[1:]


SINGLE: dict[str, Callable[[Text], str]] = {
    one.__name__: one
    for one in (
        *(bit_more, bit_less, second_map, prefix, in_bytes, lost, added, swapped),
        *(padded, mmyy, front, version),
    )
}


def cases(seed: int, count: int) -> Iterator[Case]:
    """Single faults, each kind in turn, in messages of all types."""
    roll = random.Random(f"{seed} faults")
    pool = originals(seed, 200)
    made = at = 0
    kinds = list(SINGLE)
    while made < count:
        kind = kinds[made % len(kinds)]
        message = pool[at % len(pool)]
        at += 1
        text = Text(message, roll)
        broken = SINGLE[kind](text)
        if broken and broken != text.raw:
            made += 1
            yield Case(kind, text.raw, broken, message.version)


def anywhere(seed: int, count: int) -> Iterator[Case]:
    """A random edit at a random position: a character lost, doubled, changed or foreign, a swap, a flipped
    bit."""
    roll = random.Random(f"{seed} anywhere")
    pool = originals(seed + 1, 200)
    for _ in range(count):
        message = roll.choice(pool)
        raw = build(message)
        at = roll.randrange(len(raw) - 1)
        kind = roll.choice(("lost", "doubled", "changed", "foreign", "swapped", "bit"))
        if kind == "bit":
            digit = 4 + roll.randrange(16)
            broken = f"{raw[:digit]}{int(raw[digit], 16) ^ 1 << roll.randrange(4):X}{raw[digit + 1 :]}"
        else:
            char = roll.choice("0123456789" if raw[at].isdigit() else "ABCDEFGHKLMNOPRSTUW ")
            put = {
                "lost": "",
                "doubled": raw[at] * 2,
                "changed": char,
                "foreign": char + raw[at],
                "swapped": raw[at + 1] + raw[at],
            }[kind]
            broken = raw[:at] + put + raw[at + 1 + (kind == "swapped") :]
        if broken != raw:
            yield Case(kind, raw, broken, message.version)


def headed(seed: int, count: int) -> Iterator[Case]:
    """Every edit of one digit of the MTI, and every swap of two: several faults may explain one."""
    for message in originals(seed, count):
        raw = build(message)
        for at in range(4):
            broken = {raw[:at] + raw[at + 1 :], raw[:at] + raw[at] + raw[at:]}
            broken |= {raw[:at] + digit + raw[at + 1 :] for digit in "0123456789"}
            broken.add(raw[:at] + raw[at + 1] + raw[at] + raw[at + 2 :])
            for one in sorted(broken - {raw}):
                yield Case(f"MTI at {at}", raw, one, message.version)


def fronted(seed: int, count: int) -> Iterator[Case]:
    """A header before a message that has a fault of its own."""
    roll = random.Random(f"{seed} fronted")
    for case in cases(seed, 2 * count):
        if case.kind not in ("front", "version") and count:
            count -= 1
            size = len(roll.choice((case.broken, case.sound)))
            head = roll.choice(("6000030000", "ISO016000015", f"{size:04}", f"{size:04X}"))
            yield Case(f"{case.kind} behind a header", case.sound, head + case.broken, case.version)


def halves(seed: int, count: int) -> Iterator[Case]:
    """A raw bitmap pasted through a seven-bit code page, among characters."""
    roll = random.Random(f"{seed} halves")
    pool = [one for one in originals(seed, 200) if not any(one.spec[number].binary for number in one.fields)]
    for _ in range(count):
        message = roll.choice(pool)
        raw, bits = build(message), bytes.fromhex(message.bitmap)
        lost = roll.choice("\ufffd?")
        half = "".join(chr(byte) if byte < 0x80 else lost for byte in bits)
        if lost in half[:8]:
            yield Case("half", raw, raw[:4] + half + raw[4 + 2 * len(bits) :], message.version)


def chip_faults(seed: int, count: int) -> Iterator[Case]:
    """A wrong or lost tag or length inside the chip data, whose own length may include the fault or not."""
    roll = random.Random(f"{seed} chip")
    chips = [(one, read_chip(one.get(55))) for one in originals(seed, 200)]
    pool = [one for one, chip in chips if chip.layout == "tags" and len(chip.places) > 2]
    for _ in range(count):
        message = roll.choice(pool)
        text = Text(message, roll)
        value = message[55]
        tag = roll.choice([tag for tag in read_tags(value) if tag.end < len(value)])
        at, length = roll.randrange(tag.start, tag.value_start), tag.value_start - 2
        kind = roll.choice(("digit lost", "length", "digit", "tag lost", "length lost"))
        changed = value
        if kind == "digit lost":
            changed = value[:at] + value[at + 1 :]
        elif kind == "length":
            size = (tag.end - tag.value_start) // 2 + roll.choice((-1, 1))
            changed = f"{value[:length]}{size:02X}{value[tag.value_start :]}"
        elif kind == "digit":
            at = roll.randrange(tag.start, length)
            changed = value[:at] + roll.choice("0123456789ABCDEF") + value[at + 1 :]
        elif kind == "tag lost":
            changed = value[: tag.start] + value[length:]
        elif kind == "length lost":
            changed = value[:length] + value[tag.value_start :]
        if changed == value:
            continue
        broken = text.inside(55, changed)
        if roll.random() < 0.5 and "digit" not in kind:
            start, first, end = text.at[55]
            broken = text.over(start, end, f"{len(changed):0{first - start}}{changed}")
        yield Case(kind, text.raw, broken, message.version)


def wired(seed: int, count: int) -> Iterator[tuple[str, bytes, str]]:
    """Binary messages with a wrong bit or length, and the text of the valid message."""
    roll = random.Random(f"{seed} wire")
    pool = originals(seed, 200)
    while count:
        message, name = roll.choice(pool), roll.choice(("bcd", "ebcdic", "ascii-binary", "bcd-ebcdic"))
        data = bytearray(encode(message, name))
        places = wire.read(bytes(data), name, message.version).spans
        lengths = [one for one, (start, first, _) in places.items() if first > start and one > 1]
        start, first, end = places[roll.choice(lengths)] if lengths else places[1]
        if lengths and roll.random() < 0.5:
            if data[first - 1] & 15 in (0, 9):
                continue
            data[first - 1] += roll.choice((-1, 1))
        else:
            start, _, end = places[1]
            bit = roll.randrange(1, 8 * (end - start))
            data[start + bit // 8] ^= 0x80 >> bit % 8
        try:
            wire.decode(bytes(data), name)
        except IsoError:
            count -= 1
            yield name, bytes(data), build(message)
