"""The meaning of chip data (DE 55), by tag and in sentences (EMV book 3, annexes A to C; book 4, annex A).

Values are uppercase hex; a value without a meaning has an empty text. Card data is always masked: card
numbers show the first 6 and last 4 digits; tracks, names, PINs, script commands and tags without a row show
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sim.codec import Message
from sim.elements import dates, money, mti
from sim.elements.sentences import remembered
from sim.errors import counted, with_article
from sim.masking import mask_pan
from sim.parts.chip_data import ChipData, Tag, read
from sim.parts.layout import set_bits
from sim.spec import currency as iso_currency
from sim.spec import emv, lookup, merchant_category
from sim.spec.codes import say_country
from sim.spec.networks import network


def characters(value: str) -> str:
    """The characters encoded in hex *value*; empty if one is not printable ASCII.

    >>> characters("3030")
    '00'
    """
    decoded = bytes.fromhex(value).decode("latin-1")
    return decoded if decoded.isascii() and decoded.isprintable() else ""


def bits_set(tag: str, value: str) -> list[str]:
    """The meanings of the bits set in *value* (hex) of *tag*; a bit without a meaning is called reserved if
    the tag consists only of bits.

    >>> bits_set("95", "0000208000")
    ['PIN try limit exceeded', 'over the floor limit']
    """
    meanings = emv.bits(tag)
    reserved = emv.only_bits(tag)
    return [
        meanings.get(place) or f"byte {place[0]} bit {place[1]} (reserved)"
        for place in set_bits(value)
        if reserved or place in meanings
    ]


def cryptogram(value: str) -> str:
    """The cryptogram information data (9F27) in words; empty if the value is not one byte.

    >>> cryptogram("80")
    'ARQC, online authorization requested'
    """
    if len(value) != 2:
        return ""
    bits = f"{int(value, 16):08b}"
    parts = [emv.value("9F27", "cryptogram", bits[:2]) or "reserved cryptogram type"]
    parts += bits_set("9F27", value)
    if bits[5:] != "000":
        parts.append(emv.value("9F27", "reason", bits[5:]) or "reserved reason")
    return "; ".join(parts)


def cvm_parts(value: str) -> tuple[str, str, str]:
    """The method, condition and result of CVM results (9F34) in words; unknown ones are empty."""
    if len(value) != _CVM_RESULTS:
        return "", "", ""
    method = emv.value("9F34", "method", f"{int(value[:2], 16) & _METHOD:02X}")
    return method, emv.value("9F34", "condition", value[2:4]), emv.value("9F34", "result", value[4:])


def cvm_results(value: str) -> str:
    """CVM results (9F34) in words; empty if the value is not three bytes.

    >>> cvm_results("1E0300")
    'signature, if the terminal supports the method: unknown'
    """
    method, condition, result = cvm_parts(value)
    if len(value) != _CVM_RESULTS:
        return ""
    text = method or f"method {int(value[:2], 16) & _METHOD:02X} of the payment system or issuer"
    text += f", {condition}" if condition else ""
    return f"{text}: {result or 'reserved result ' + value[4:]}"


_ON_DEVICE = 0x0200  # byte 1 bit 2 of the interchange profile


def on_device(results: str, profile: str) -> str:
    """Who verified the cardholder if the CVM *results* (9F34) mean a device of their own; the interchange
    *profile* (82) distinguishes it from a card. Otherwise empty.

    >>> on_device("010002", "1B80"), on_device("010002", "1980")
    ("the cardholder's own device (CDCVM)", '')
    """
    able = len(profile) == 4 and int(profile, 16) & _ON_DEVICE
    return emv.value("9F34", "device", results) if able else ""


def response_code(value: str) -> str:
    """The authorization response code (8A) with its meaning: the terminal's own, else that of DE 39
    (1987)."""
    code = characters(value)
    meaning = emv.value("8A", "result", code) or _in_list("response_code", code)
    return f"{code}, {meaning}" if meaning else f"{code or value}, not in the list"


def application(aid: str) -> str:
    """The network whose application an AID (hex) is; empty if it is unknown."""
    owner = emv.owner(aid)
    return f"{network(owner).title} application" if owner else ""


def _terminal_type(value: str) -> str:
    parts = (emv.value("9F35", "operator", value[:1]), emv.value("9F35", "environment", value[1:]))
    return f"{parts[0]}'s terminal, {parts[1]}" if all(parts) else "not in the list"


def transaction_type(value: str) -> str:
    """The transaction type (9C): by EMV's own list, else by that of DE 3; empty if unknown."""
    return emv.value("9C", "type", value) or _in_list("transaction_type", value)


def _in_list(name: str, value: str) -> str:
    """The meaning of *value* in a code list of 1987; empty if it is not in it."""
    row = lookup(name, value, version="1987")
    return row.meaning if row else ""


def three_digits(value: str) -> str:
    """A country or currency code from its two bytes, which start with a 0; other values are unchanged.

    >>> three_digits("0840")
    '840'
    """
    return value[1:] if len(value) == 4 and value[0] == "0" else value


def numeric_country(value: str) -> str:
    """The country for a two-byte code (9F1A, 5F28)."""
    return say_country(three_digits(value))


def _tries(value: str) -> str:
    left = int(value or "0", 16)
    return f"{left} PIN {'try' if left == 1 else 'tries'} left" if value else ""


def _authentication(value: str) -> str:
    # Method 1 of book 2, section 8.2: an eight-byte cryptogram, then the response code.
    code = characters(value[16:])
    return f"cryptogram of 8 bytes, response code {response_code(value[16:])}" if len(code) == 2 else ""


MEANINGS: dict[str, Callable[[str], str]] = {
    "4F": application,
    "84": application,
    "8A": response_code,
    "91": _authentication,
    "9A": partial(dates.readable_date, "YYMMDD"),
    "9C": transaction_type,
    "5F24": partial(dates.readable_date, "YYMMDD"),
    "5F25": partial(dates.readable_date, "YYMMDD"),
    "5F28": numeric_country,
    "5F2A": lambda value: money.say_currency(three_digits(value)),
    "9F06": application,
    "9F15": merchant_category,
    "9F17": _tries,
    "9F1A": numeric_country,
    "9F21": partial(dates.readable_date, "hhmmss"),
    "9F27": cryptogram,
    "9F34": cvm_results,
    "9F35": _terminal_type,
    "9F36": lambda value: f"transaction {int(value, 16)} of this card" if value else "",
    "9F39": partial(_in_list, "pos_entry_mode"),
    "9F42": lambda value: money.say_currency(three_digits(value)),
}


_HEADLINE = 240
_PRIVATE_CLASS = 0xC0
_AMOUNTS = ("9F02", "9F03")
_SCRIPTS = ("71", "72")
# Hex digits of one byte, of verification results (95) and action codes, of CVM results.
_BYTE, _CVM_RESULTS = 2, 6
_AAC = "00"  # cryptogram information data (9F27)
_METHOD = 0x3F  # the bits of the first byte of CVM results (9F34) that give the method
_NO_METHOD = {0x1F: "required", 0x3F: "performed"}


@dataclass(frozen=True, slots=True)
class TagMeaning:
    """One tag for display: `value_shown` is masked, `meaning` is empty if the value is self-explanatory.
    `start` and `end` are the limits of the value within the element, in hex digits."""

    tag: str
    name: str
    value_shown: str
    meaning: str
    depth: int = 0
    start: int = 0
    end: int = 0


def decode(value: str, network: str | None = None) -> tuple[TagMeaning, ...]:
    """Every tag of DE 55 with its meaning, templates before their contents; as far as broken data can be
    read, and nothing for a fixed layout. A network's own tags are those of the chip's application, else of
    *network*."""
    chip = read(value)
    owner = owner_of(chip) or network
    currency = three_digits(chip.value("5F2A"))
    pan = chip.value("5A").rstrip("F") or chip.value("57").partition("D")[0]
    return tuple(explain_tag(tag, currency=currency, pan=pan, network=owner) for tag in chip.tags)


def owner_of(chip: ChipData) -> str | None:
    """The network of the application in the chip data; None if there is none or it is unknown."""
    return emv.owner(_aid(chip))


def _aid(chip: ChipData) -> str:
    return chip.value("84") or chip.value("9F06") or chip.value("4F")


def explain_tag(tag: Tag, *, currency: str = "", pan: str = "", network: str | None = None) -> TagMeaning:
    """The meaning of one tag, by *network*'s rows if it has its own. *currency* (three digits) is that of
    the amounts; *pan* is masked wherever it occurs."""
    spec = emv.tag_of(tag.tag, network)
    text = _masked_text(tag, spec)
    if len(pan) >= 12 and pan in text:
        text = text.replace(pan, mask_pan(pan))
    meaning = ""
    if tag.tag in _AMOUNTS:
        meaning = money.say_amount(tag.value, currency) if tag.value.isdecimal() else ""
    elif tag.tag == "86":
        meaning = emv.command(tag.value[2:4])
    elif tag.constructed:
        meaning = "its content is not TLV" if tag.fault else f"holds {counted(len(tag.children), 'tag')}"
    elif tag.tag in MEANINGS:
        meaning = MEANINGS[tag.tag](tag.value)
    elif emv.bits(tag.tag):
        meaning = "; ".join(bits_set(tag.tag, tag.value)) or "no bit set"
    is_private = int(tag.tag[:2], 16) & _PRIVATE_CLASS == _PRIVATE_CLASS
    name = spec.name if spec else "private tag" if is_private else "unknown tag"
    return TagMeaning(tag.tag, name, text, meaning, tag.depth, tag.value_start, tag.end)


def _masked_text(tag: Tag, spec: emv.TagSpec | None) -> str:
    size, kind, digits = counted(len(tag.value) // 2, "byte"), emv.role(tag.tag), tag.value.rstrip("F")
    if tag.constructed:
        return f"[{size} of tags]"
    if kind == "pan" and digits.isdecimal():
        return mask_pan(digits)
    if spec is None or kind in ("pan", "track", "name", "pin", "script"):
        return f"[{size} masked]"
    if spec.content == "n" and tag.value.isdecimal():
        return tag.value[-spec.digits :] if spec.digits else tag.value
    if spec.content == "cn":
        return digits
    return (characters(tag.value) if spec.content in ("an", "ans") else "") or tag.value


def headline(value: str, network: str | None = None) -> str:
    """DE 55 of a card of *network* in one line: the number of tags, and as many names as fit.

    >>> headline("9F2701809C0100")
    '2 chip data tags: 9F27 Cryptogram information data (CID), 9C Transaction type'
    """
    chip = read(value)
    if chip.error and not chip.tags:
        return "chip data that cannot be read as tags"
    names = [f"{tag.tag} {tag.name}" for tag in decode(value, network)]
    size = len(names)
    head = counted(size, "chip data tag") + (" and data that cannot be read" if chip.error else "")
    line = f"{head}: {', '.join(names)}"
    while len(line) > _HEADLINE and names:
        names.pop()
        line = f"{head}: {', '.join(names)} and {size - len(names)} more"
    return line


def summary(message: Message) -> list[str]:
    """The sentences about DE 55 in an explanation: what the chip requests, what the terminal found, how
    the cardholder was verified, whether chip and message agree; in a response, what the issuer sends."""
    if 55 not in message:
        return []
    chip = read(message[55])
    if chip.error and not chip.tags:
        return ["There is chip data that cannot be read as EMV tags."]
    value = chip.value
    refund = value("9F27") == _AAC and message.get(3)[:1] == _CREDITS
    sentences = [
        remembered(_opening, _aid(chip), len(chip.places), bool(chip.error)),
        remembered(_wish, value("9F27"), value("95"), value("9F0E"), refund),
        remembered(_terminal, value("95")),
        remembered(_verification, value("9F34"), value("82")),
        _agreement(chip, message),
        _answer(chip),
        _scripts(chip),
    ]
    return list(filter(None, sentences))


def _opening(aid: str, tags: int, broken: bool) -> str:
    owner = application(aid)
    by = f" from {with_article(owner)}" if owner else ""
    rest = "; the data after them cannot be read" if broken else ""
    return f"It includes chip data{by} ({counted(tags, 'tag')}{rest})."


# First digit of DE 3: money goes to the cardholder. The terminal then asks the chip for no approval.
_CREDITS = "2"
_NO_WISH = "The chip returned an AAC, which is normal for a refund; it is not a decline."
# By the first two bits of 9F27; the fourth type of cryptogram is reserved.
_WISHES = (
    "The chip declined offline (AAC)",
    "The chip approved the transaction (TC)",
    "The chip asked for an online decision (ARQC)",
    "",
)


def _wish(information: str, results: str, denial: str, refund: bool) -> str:
    if refund:
        return _NO_WISH
    wish = _WISHES[int(information, 16) >> 6] if len(information) == _BYTE else ""
    if not wish:
        return ""
    parts = [wish, *cryptogram(information).split("; ")[1:]]
    if wish == _WISHES[0] and results and len(results) == len(denial):
        # The bits that the issuer action code and the terminal verification results have in common.
        both = f"{int(results, 16) & int(denial, 16):0{len(results)}X}"
        if denied := bits_set("95", both):
            parts.append(f"the issuer's rules tell the chip to decline if {' or '.join(denied)}")
    return "; ".join(parts) + "."


def _terminal(results: str) -> str:
    bits = "; ".join(bits_set("95", results))
    found = f"Terminal verification results: {bits}." if bits else "The terminal found no problem."
    return found if results else ""


def _verification(results: str, profile: str) -> str:
    method, _, result = cvm_parts(results)
    if len(results) == _CVM_RESULTS and (device := on_device(results, profile)):
        method, result = device, "successful"
    if not method:
        return ""
    code = int(results[:2], 16) & _METHOD
    if code in _NO_METHOD:
        return f"No cardholder verification was {_NO_METHOD[code]}."
    if code == 0 or result == "failed":
        return "Cardholder verification failed" + (f": {method}." if code else ".")
    if result == "successful":
        return f"The cardholder was verified by {method}."
    return f"The cardholder was to be verified by {method}; the terminal does not know the result."


def _agreement(chip: ChipData, message: Message) -> str:
    amount, currency = chip.value("9F02"), three_digits(chip.value("5F2A"))
    if not amount.isdecimal() or not iso_currency(currency):
        return ""
    signed = money.say_amount(amount, currency)
    place = numeric_country(chip.value("9F1A")) if chip.value("9F1A") else ""
    text = f"The chip signed {signed}" + (f" at a terminal ({place})" if place else "")
    total = money.amount(message)
    # An amount without a currency is in that of the chip.
    statement = money.say_amount(total[0], currency) if total and not total[1] else money.say(message)
    if not statement or mti.is_response(message.mti):
        return text + "."
    return text + (
        ", which matches the message." if statement == signed else f", but the message says {statement}."
    )


def _answer(chip: ChipData) -> str:
    parts = []
    if proof := chip.value("91"):
        parts.append(
            f"issuer authentication data ({counted(len(proof) // 2, 'byte')}) to authenticate itself"
        )
    if code := chip.value("8A"):
        parts.append(f"response code {response_code(code)}")
    return f"The issuer sends the chip {' and '.join(parts)}." if parts else ""


def _scripts(chip: ChipData) -> str:
    parts = []
    for tag in chip.tags if any(script in chip for script in _SCRIPTS) else ():
        if tag.tag not in _SCRIPTS:
            continue
        when = "before" if tag.tag == "71" else "after"
        codes = [
            emv.command(sub.value[2:4]) or "an unknown command" for sub in tag.children if sub.tag == "86"
        ]
        what = "its contents cannot be read" if tag.fault else ", ".join(codes) or "no command"
        parts.append(f"a script to run {when} the final cryptogram ({tag.tag}): {what}")
    return f"The issuer sends {'; '.join(parts)}." if parts else ""
