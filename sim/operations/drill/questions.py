"""The question makers, one per topic: from a level and dice to the question, the fact that answers it, and
why. Level 1 takes one step, 2 is as in a message, 3 takes several steps or is the rarer case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from random import Random

from sim.codec import bitmap as bitmaps
from sim.elements import dates, money
from sim.elements import mti as mtis
from sim.errors import with_article
from sim.operations.drill.facts import (
    Choice,
    Decimals,
    Digits,
    Element,
    Fact,
    Hex,
    NetworkName,
    Number,
    Several,
    Text,
    YesNo,
)
from sim.parts.chip_data import write_tags
from sim.spec import VERSIONS, code_list, currency, emv, spec
from sim.spec.networks import NETWORKS, check_digit, network

_WORDS = ("ECHO", "CLOSE OF BATCH", "LINK TEST", "GOOD DAY", "RETRY", "SECOND ATTEMPT")
_TVR = "95"
_COMMON = ("00", "05", "14", "41", "51", "54", "55", "75", "91")
_CURRENCIES = (("USD", "EUR", "GBP"), ("USD", "JPY", "KWD", "EUR"), ("JPY", "KWD", "BHD", "KRW", "CHF"))
_PIN = {"1": "can accept a PIN", "2": "cannot accept a PIN"}

# The question, the fact that answers it, and why.
Asked = tuple[str, Fact, str]


def mti(level: int, dice: Random) -> Asked:
    """Level 1: the response to a message; 2: the message that a name means; 3: a repeat and its response."""
    names = {row.code: row.meaning for row in code_list("message_types")}
    asking = sorted(code for code in names if code[0] in "124" and code[1] in "02" and code[2] in "0")
    code = dice.choice(asking)
    version = dice.choice(VERSIONS) if level > 1 else VERSIONS[0]
    request = f"{VERSIONS.index(version)}{code}"
    answer = mtis.response_mti(request) or ""
    if level == 1:
        why = "The third digit increases by one: 0 to 1, 2 to 3."
        return f"Which MTI answers {request}?", Digits(answer), why
    if level == 2:
        why = f"The version is digit {request[0]}, and the rest is {code}."
        text = f"What is the MTI of {with_article(names[code])} from an acquirer in ISO 8583:{version}?"
        return text, Digits(request), why
    why = "A repeat has an odd last digit; the response is the one to the original."
    text = f"{request} got no response. Give the MTI of its repeat and of the response to the repeat."
    return text, Several((request[:3] + "1", answer), Digits(""), names=("repeat", "response")), why


def bitmap(level: int, dice: Random) -> Asked:
    """Level 1: read two digits; 2: read sixteen; 3: write a bitmap with both halves."""
    if level < 3:
        last, least, most = (8, 1, 4) if level == 1 else (bitmaps.PRIMARY_BITS, 4, 7)
        numbers = sorted(dice.sample(range(2, last + 1), dice.randint(least, most)))
        digits = bitmaps.to_hex(numbers)
        text = f"Which elements does the bitmap {digits} announce?"
        why = "Four bits for each digit; digit number n holds the bits from 4n - 3 to 4n."
        if level == 1:
            digits = digits[:2]
            text = f"A bitmap begins with {digits}, and the rest is zeros. Which elements follow?"
            why = f"{digits} is {int(digits, 16):08b}: count from the left, starting at 1."
        return text, Several(tuple(numbers), Element(0), ordered=False), why
    first = dice.sample(range(2, bitmaps.PRIMARY_BITS + 1), 3)
    second = dice.sample(range(bitmaps.PRIMARY_BITS + 2, bitmaps.ALL_BITS + 1), 1)
    elements = ", ".join(map(str, sorted([*first, *second])))
    why = "Bit 1 announces the second half; DE 65 would be its first bit."
    return f"Write the bitmap of a message with DE {elements}.", Hex(bitmaps.to_hex([*first, *second])), why


def lengths(level: int, dice: Random) -> Asked:
    """Level 1: a value after its prefix; 2: after another one; 3: in a whole message."""
    element, other = spec(VERSIONS[0])[32], spec(VERSIONS[0])[48]
    digits = "".join(dice.choices("0123456789", k=dice.randint(5, element.width)))
    word = dice.choice(_WORDS)
    first, second = f"{len(digits):0{element.prefix}}{digits}", f"{len(word):0{other.prefix}}{word}"
    why = f"DE {element.number} has {element.prefix} length digits, DE {other.number} has {other.prefix}."
    if level == 1:
        text = f"DE {element.number} ({element.format}) starts here: {first}{second[:4]}. What is its value?"
        return text, Digits(digits), why
    ask = f"What is the value of DE {other.number} ({other.format})?"
    if level == 2:
        text = f"DE {element.number} ({element.format}) starts here: {first}{second}. {ask}"
        return text, Text(word), why
    stan = spec(VERSIONS[0])[11]
    number = f"{dice.randrange(10**stan.width):0{stan.width}}"
    message = f"0800{bitmaps.to_hex([stan.number, element.number, other.number])}{number}{first}{second}"
    return f"{message}\n{ask}", Text(word), f"{why} DE {stan.number} is {stan.format}."


def chip(level: int, dice: Random) -> Asked:
    """Level 1: the tags of a list; 2: a tag written; 3: the value of a tag among others, one of them long."""
    tags = sorted(tag for tag, row in emv.tags().items() if len(tag) <= 4 and not int(tag[:2], 16) & 0x20)
    names = dice.sample(tags, 3)
    values = {name: "".join(dice.choices("0123456789ABCDEF", k=2 * dice.randint(1, 4))) for name in names}
    why = "A tag whose low five bits are all ones has a second byte; then a byte of length, then the value."
    if level == 1:
        return f"Which tags, in order, are in {write_tags(values)}?", Several(tuple(names), Hex("")), why
    if level == 2:
        name, value = names[0], values[names[0]]
        return f"Write tag {name} with the value {value}.", Hex(write_tags({name: value})), why
    values = {names[0]: "".join(dice.choices("0123456789", k=2 * 0x82)), **{n: values[n] for n in names[1:]}}
    why = "81 says that one byte of length follows: a value of more than 127 bytes."
    return f"What is the value of tag {names[1]} in {write_tags(values)}?", Hex(values[names[1]]), why


def bits(level: int, dice: Random) -> Asked:
    """Level 1: the bits of a digit; 2: those of a byte; 3: a finding in the terminal verification results."""
    if level == 1:
        digit = dice.choice("123456789ABCDEF")
        text = f"Write the hexadecimal digit {digit} as four bits."
        return text, Digits(f"{int(digit, 16):04b}"), "8, 4, 2, 1."
    if level == 2:
        number = dice.randint(1, 255)
        on = tuple(bit for bit in range(8, 0, -1) if number >> (bit - 1) & 1)
        why = f"{number:02X} is {number:08b}; bit 8 is the first."
        text = f"Which bits, 8 to 1, of the byte {number:02X} are set?"
        return text, Several(on, Element(0), ordered=False), why
    meanings = {at: words for at, words in emv.bits(_TVR).items() if "reserved" not in words}
    (byte, bit), meaning = dice.choice(sorted(meanings.items()))
    value = f"{1 << (8 * (5 - byte) + bit - 1):010X}"
    text = f"Tag {_TVR} is {value}. Which byte, counting from 1, and which bit, 8 to 1, is set?"
    place = Number(0, ("bytes", "bits"))
    return text, Several((byte, bit), place, names=("byte", "bit")), f"Byte {byte}, bit {bit}: {meaning}."


def card(level: int, dice: Random) -> Asked:
    """Level 1: the network of a prefix; 2: the check digit of nine digits; 3: of fourteen."""
    if level == 1:
        blocks = [(name, row) for name in NETWORKS for row in network(name).ranges if row.status == "current"]
        name, block = dice.choice(blocks)
        start = f"{dice.randint(int(block.low), int(block.high)):0{len(block.low)}}"
        why = f"{name} has the numbers from {block.low} to {block.high}."
        return f"Which network issues a card that begins with {start}?", NetworkName(name), why
    digits = "".join(dice.choices("123456789", k=9 if level == 2 else 14))
    why = "Double every second digit, starting with the last; the sum must end in 0."
    return f"Which check digit completes {digits}?", Digits(check_digit(digits)), why


def amounts(level: int, dice: Random) -> Asked:
    """Levels 1 and 2: an amount as in DE 4, in easy and in other currencies; 3: read one."""
    alpha = dice.choice(_CURRENCIES[level - 1])
    row = currency(alpha)
    exponent = (row.exponent if row else None) or 0
    units = dice.randint(1, 9999) * 5
    digits = f"{units:0{spec(VERSIONS[0])[4].width}}"
    amount = money.in_major_units(digits, exponent)
    why = f"{alpha} has {exponent} decimals: {amount} {alpha} is {units} of the smallest unit."
    if level < 3:
        return f"Which twelve digits are in DE 4 for {amount} {alpha}?", Digits(digits), why
    elements = f"DE 4 is {digits} and DE 49 is {row.numeric if row else ''} ({alpha})."
    text = f"{elements} How much is that? Give a number with its decimals."
    return text, Decimals(Decimal(units).scaleb(-exponent), alpha), why


def moments(level: int, dice: Random) -> Asked:
    """Level 1: DE 7 for a time in UTC; 2: for a local time; 3: for one on another day."""
    element = spec(VERSIONS[0])[7]
    day = datetime(2026, dice.randint(1, 12), dice.randint(2, 27), tzinfo=UTC)
    minute = dice.randrange(0, 60, 5)
    hours = dice.choice([-10, -8, -5, 2, 5, 9])
    if level == 1:
        at = day.replace(hour=dice.randrange(24), minute=minute)
        text = f"A message is sent on {at:%d %B at %H:%M:%S} UTC. What is DE 7?"
        return text, Digits(dates.write(element.pattern, at)), f"DE 7 is {element.pattern}."
    near_midnight = (22 if hours < 0 else 1) if level == 3 else 12
    at = day.replace(hour=near_midnight, minute=minute, tzinfo=timezone(timedelta(hours=hours)))
    ahead = f"{abs(hours)} hours {'ahead of' if hours > 0 else 'behind'} UTC"
    text = f"A store {ahead} sends a message on {at:%d %B at %H:%M:%S} local time. What is DE 7?"
    sent = dates.write(element.pattern, at.astimezone(UTC))
    return text, Digits(sent), f"DE 7 is {element.pattern}, in UTC."


def responses(level: int, dice: Random) -> Asked:
    """Level 1: the kind of a response code; 2: the code of a meaning; 3: in the later versions."""
    version = VERSIONS[0] if level < 3 else dice.choice(VERSIONS[1:])
    rows = [row for row in code_list("response_code") if not row.network]
    common = {row.code: row for row in rows if row.code in _COMMON and VERSIONS[0] in row.versions}
    if level < 3:
        row = common[dice.choice(_COMMON)]
    else:
        meanings = {row.meaning for row in rows if row.code in _COMMON}
        row = dice.choice([row for row in rows if version in row.versions and row.meaning in meanings])
    why = f"{row.code} is {row.meaning} ({row.kind})."
    if level == 1:
        text = f"DE 39 is {row.code}. Which kind of response is that: approved, declined, pick-up or system?"
        return text, Choice(row.kind, "answer"), why
    return f"Which code in DE 39 says “{row.meaning}” in ISO 8583:{version}?", Digits(row.code), why


def entry(level: int, dice: Random) -> Asked:
    """Level 1: the PIN capability in DE 22; 2: DE 22 for a card entry; 3: with a network's own modes."""
    modes = [row for row in code_list("pos_entry_mode") if VERSIONS[0] in row.versions]
    usual = {"manual entry", "magnetic stripe, full track", "chip", "contactless chip"}
    mode = dice.choice(
        [row for row in modes if (row.network if level == 3 else not row.network and row.meaning in usual)]
    )
    pin = dice.choice(sorted(_PIN))
    why = f"{mode.code} is {mode.meaning}; {pin} means that the terminal {_PIN[pin]}."
    if level == 1:
        text = f"DE 22 is {mode.code}{pin}. Can the terminal accept a PIN? Answer yes or no."
        return text, YesNo(_PIN[pin].startswith("can "), "pin"), why
    whose = f" ({mode.network})" if mode.network else ""
    text = f"Entry mode: {mode.meaning}{whose}. The terminal {_PIN[pin]}. Which three digits are in DE 22?"
    return text, Digits(f"{mode.code}{pin}"), why


# By topic: its question maker, and the notebook to read again.
TOPICS: Mapping[str, tuple[Callable[[int, Random], Asked], str]] = {
    "mti": (mti, "01_mti"),
    "bitmap": (bitmap, "02_bitmap"),
    "lengths": (lengths, "03_length_prefixes"),
    "card": (card, "06_card_number"),
    "amounts": (amounts, "07_amounts_currencies_dates"),
    "dates": (moments, "07_amounts_currencies_dates"),
    "responses": (responses, "09_a_transactions_life"),
    "entry": (entry, "10_point_of_service"),
    "tlv": (chip, "11_chip_data"),
    "bits": (bits, "11_chip_data"),
}
