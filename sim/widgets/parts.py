"""What is inside one element: digits of the MTI, parts of codes and dates, groups, chip data tags.

Every part is a slice of the value, named, with its meaning: what a panel unfolds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sim.codec import Message
from sim.elements import dates, emv, groups, money, mti, pos
from sim.masking import is_sensitive
from sim.spec import country, lookup
from sim.widgets.covered import CHIP

_IIN = 6
_DATE_NAMES = {
    "CCYY": "year",
    "YY": "year",
    "MM": "month",
    "DD": "day",
    "hh": "hour",
    "mm": "minute",
    "ss": "second",
}
_SERVICE = ("interchange and technology", "authorization", "services and PIN")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a value. `start` and `end` count characters of the value; `label` is short (a tag, a
    position), `depth` how deep it is nested."""

    label: str
    name: str
    meaning: str
    start: int
    end: int
    depth: int = 0
    value: str = ""


def parts(message: Message, number: int, shown: str) -> list[Part]:
    """The parts of element *number* of *message* (0 is the MTI); *shown* is its value as it may be
    shown. Empty for an element without a known inside, and where hidden text would have to be read."""
    if number == 0:
        return list(_mti(message.mti))
    value = message.get(number)
    if number == CHIP:
        return list(_chip(value))
    hidden = shown != value
    if hidden and number != 2 and is_sensitive(number, message.version):
        return []
    cutter = _CUTTERS.get(message.version, {}).get(number) or _CUTTERS["any"].get(number)
    if cutter:
        return list(cutter(message, shown))
    pattern = message.spec[number].pattern
    return list(_date(pattern, value)) if pattern and len(pattern) == len(value) else []


def _mti(text: str) -> Iterator[Part]:
    said = mti.split(text)
    version = f"ISO 8583:{said.version}" if said.version else ""
    told = (
        ("version", version),
        ("class", said.message_class),
        ("function", said.function),
        ("origin", said.origin),
    )
    for at, (name, meaning) in enumerate(told):
        yield Part(str(at + 1), name, meaning or "no known meaning", at, at + 1)


def _date(pattern: str, value: str) -> Iterator[Part]:
    at = 0
    for letters in dates.split(pattern, value):
        yield Part(letters, _DATE_NAMES[letters], "", at, at + len(letters))
        at += len(letters)


def _pan(message: Message, shown: str) -> Iterator[Part]:
    size = len(shown)
    if size < 13 or mti.is_network_management(message.mti):
        return
    yield Part(f"1-{_IIN}", "issuer identification number (IIN)", "who issued the card", 0, _IIN)
    yield Part(f"{_IIN + 1}-{size - 1}", "account", "whose card it is", _IIN, size - 1)
    yield Part(str(size), "check digit", "Luhn, over all digits before it", size - 1, size)


def _processing_code(message: Message, shown: str) -> Iterator[Part]:
    kinds = (
        ("transaction type", "transaction_type"),
        ("from account", "account_type"),
        ("to account", "account_type"),
    )
    for at, (name, codes) in zip((0, 2, 4), kinds, strict=True):
        found = lookup(codes, shown[at : at + 2], version=message.version)
        yield Part(f"{at + 1}-{at + 2}", name, found.meaning if found else "not in the list", at, at + 2)


def _amount_2003(message: Message, shown: str) -> Iterator[Part]:
    if len(shown) < 5:
        return
    yield Part("1-3", "currency", money.say_currency(shown[:3]) or "not an ISO 4217 code", 0, 3)
    yield Part("4", "decimals", "", 3, 4)
    yield Part(
        f"5-{len(shown)}", "amount in minor units", money.say_amount(shown[4:], shown[:3]), 4, len(shown)
    )


def _signed(message: Message, shown: str) -> Iterator[Part]:
    side = {"C": "credit", "D": "debit"}.get(shown[:1], "neither C nor D")
    yield Part("1", "sign", side, 0, 1)
    yield Part(f"2-{len(shown)}", "amount in minor units", "", 1, len(shown))


def _pos_1987(message: Message, shown: str) -> Iterator[Part]:
    mode = lookup("pos_entry_mode", shown[:2], version="1987")
    pin = lookup("pin_entry_capability", shown[2:3], version="1987")
    yield Part("1-2", "how the card number was entered", mode.meaning if mode else "not in the list", 0, 2)
    yield Part("3", "whether the terminal takes a PIN", pin.meaning if pin else "not in the list", 2, 3)


def _pos_1993(message: Message, shown: str) -> Iterator[Part]:
    for at, text in enumerate(pos.say(message).split("; ")[: len(shown)]):
        name, _, meaning = text.partition(f" {shown[at]} ")
        yield Part(str(at + 1), name, meaning, at, at + 1)


def _pos_2003(message: Message, shown: str) -> Iterator[Part]:
    names = ("reading capability", "verification capability", "operating environment", "security")
    for at, (part, bits) in enumerate(pos.bits_2003(shown).items()):
        known = (lookup("pos_data_bits", str(bit), version="2003", position=part) for bit in bits)
        said = ", ".join(code.meaning for code in known if code) or "no known bit set"
        yield Part(part, names[at], said, 8 * at, 8 * at + 8)


def _service_code(message: Message, shown: str) -> Iterator[Part]:
    for at, (digit, name) in enumerate(zip(shown, _SERVICE, strict=False)):
        found = lookup("service_code", digit, position=at + 1)
        yield Part(str(at + 1), name, found.meaning if found else "not in the list", at, at + 1)


def _location_1987(message: Message, shown: str) -> Iterator[Part]:
    if len(shown) != 40:
        return
    cuts = ((0, 25), (25, 38), (38, 40))
    if groups.read_location(shown, "1987")[2] != shown[38:40].strip():
        cuts = ((0, 22), (23, 36), (37, 40))
    for (start, end), name in zip(cuts, ("name and street", "city", "country"), strict=True):
        found = country(shown[start:end].strip()) if name == "country" else None
        yield Part(f"{start + 1}-{end}", name, found.name if found else "", start, end)


def _amounts(message: Message, shown: str) -> Iterator[Part]:
    width = 21 if message.version == "2003" else 20
    if len(shown) % width:
        return
    for at in range(0, len(shown), width):
        said = groups.say_additional_amounts(shown[at : at + width], message.version)
        yield Part(str(at // width + 1), "additional amount", said, at, at + width)


def _original(message: Message, shown: str) -> Iterator[Part]:
    read = groups.read_original(shown, message.version)
    if read is None:
        return
    stan, when = 4 + len(read.stan), 4 + len(read.stan) + len(read.when)
    yield Part("1-4", "MTI of the original", mti.split(read.mti).name, 0, 4)
    yield Part(f"5-{stan}", "its STAN", "", 4, stan)
    yield Part(f"{stan + 1}-{when}", "its date and time", dates.say(read.pattern, read.when), stan, when)
    if when < len(shown):
        said = f"acquirer {read.acquirer}" if read.acquirer else ""
        yield Part(f"{when + 1}-{len(shown)}", "its institutions", said, when, len(shown))


def _chip(value: str) -> Iterator[Part]:
    for said in emv.decode(value):
        yield Part(said.tag, said.name, said.meaning, said.start, said.end, said.depth, said.value_shown)


Cutter = Callable[[Message, str], Iterator[Part]]
_CUTTERS: dict[str, dict[int, Cutter]] = {
    "any": {2: _pan, 3: _processing_code, 40: _service_code, 54: _amounts},
    "1987": {
        22: _pos_1987,
        **dict.fromkeys((28, 29, 30, 31, 97), _signed),
        43: _location_1987,
        90: _original,
    },
    "1993": {22: _pos_1993, 56: _original, 97: _signed},
    "2003": {22: _pos_2003, **dict.fromkeys((4, 5, 6, 8), _amount_2003), 56: _original},
}
