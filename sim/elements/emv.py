"""Chip data (DE 55): reading it, and what each tag says (EMV book 3, annexes A to C).

Card data never stands in clear: card numbers keep first 6 and last 4, tracks, names, PINs, script
commands and whatever a tag without a row holds are hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.codec import Message
from sim.elements import money, mti, tlv
from sim.elements.chip_data import ChipData as ChipData
from sim.elements.chip_data import read as read
from sim.elements.emv_values import (
    MEANINGS,
    application,
    characters,
    count,
    cvm_parts,
    numeric_country,
    on_device,
    response_code,
    three_digits,
)
from sim.elements.emv_values import bits_set as bits_set
from sim.elements.emv_values import cryptogram as cryptogram
from sim.elements.emv_values import cvm_results as cvm_results
from sim.elements.words import with_article
from sim.masking import mask_pan
from sim.spec import currency as iso_currency
from sim.spec import emv

_HEADLINE = 240
_PRIVATE_CLASS = 0xC0
_AMOUNTS = ("9F02", "9F03")
# Hex digits of one byte, of verification results (95) and action codes, of CVM results.
_BYTE, _CVM_RESULTS = 2, 6
_AAC = "00"  # cryptogram information data (9F27)


@dataclass(frozen=True, slots=True)
class TagMeaning:
    """One tag for a reader: `value_shown` is masked, `meaning` empty where the value needs no words.
    `start` and `end` bound the value inside the element, in hex digits."""

    tag: str
    name: str
    value_shown: str
    meaning: str
    depth: int = 0
    start: int = 0
    end: int = 0


def decode(value: str, network: str | None = None) -> tuple[TagMeaning, ...]:
    """Every tag of DE 55 with its meaning, templates before what is in them; what could be read of
    broken data, nothing of a fixed layout. Tags of networks' own are those of the application on the chip,
    else of *network*, the card's."""
    chip = read(value)
    owner = owner_of(chip) or network
    currency = three_digits(chip.value("5F2A"))
    pan = chip.value("5A").rstrip("F") or chip.value("57").partition("D")[0]
    return tuple(explain_tag(tag, currency=currency, pan=pan, network=owner) for tag in chip.tags)


def owner_of(chip: ChipData) -> str | None:
    """The network of the application that the chip data name; None where they name none that is known."""
    return emv.owner(chip.value("84") or chip.value("9F06") or chip.value("4F"))


def explain_tag(tag: tlv.Tag, *, currency: str = "", pan: str = "", network: str | None = None) -> TagMeaning:
    """What one tag says, by *network*'s rows where it has its own. *currency* (three digits) is that of the
    amounts, *pan* is hidden wherever it stands."""
    known = emv.tag_of(tag.tag, network)
    kind = emv.role(tag.tag)
    shown = _shown(tag, kind, known)
    if len(pan) >= 12 and pan in shown:
        shown = shown.replace(pan, mask_pan(pan))
    meaning = ""
    if tag.tag in _AMOUNTS:
        meaning = money.say_amount(tag.value, currency) if tag.value.isdecimal() else ""
    elif tag.tag == "86":
        meaning = emv.command(tag.value[2:4])
    elif tag.constructed:
        meaning = "inside is no TLV" if tag.fault else f"holds {count(len(tag.children), 'tag')}"
    elif tag.tag in MEANINGS:
        meaning = MEANINGS[tag.tag](tag.value)
    elif emv.bits(tag.tag):
        meaning = "; ".join(bits_set(tag.tag, tag.value)) or "no bit set"
    name = known.name if known else _unknown(tag.tag)
    return TagMeaning(tag.tag, name, shown, meaning, tag.depth, tag.value_start, tag.end)


def _unknown(tag: str) -> str:
    private = int(tag[:2], 16) & _PRIVATE_CLASS == _PRIVATE_CLASS
    return "private tag" if private else "unknown tag"


def _shown(tag: tlv.Tag, kind: str, known: emv.TagSpec | None) -> str:
    size = count(len(tag.value) // 2, "byte")
    if tag.constructed:
        return f"[{size} of tags]"
    digits = tag.value.rstrip("F")
    if kind == "pan" and digits.isdecimal():
        return mask_pan(digits)
    if known is None or kind in ("pan", "track", "name", "pin", "script"):
        return f"[{size} hidden]"
    if known.content == "n" and tag.value.isdecimal():
        return tag.value[-known.digits :] if known.digits else tag.value
    if known.content == "cn":
        return digits
    return (characters(tag.value) if known.content in ("an", "ans") else "") or tag.value


def headline(value: str, network: str | None = None) -> str:
    """DE 55 of a card of *network* in one line: how many tags, and their names as far as they fit.

    >>> headline("9F2701809C0100")
    '2 chip data tags: 9F27 Cryptogram information data (CID), 9C Transaction type'
    """
    chip = read(value)
    if chip.layout == "AGNS":
        return f"chip data in the fixed layout AGNS, version {value[8:12]}, which has no tags"
    if chip.error and not chip.tags:
        return "chip data that cannot be read as tags"
    names = [f"{one.tag} {one.name}" for one in decode(value, network)]
    size = len(names)
    head = f"{size} chip data tag{'' if size == 1 else 's'}"
    if chip.error:
        head += " and a rest that cannot be read"
    line = f"{head}: {', '.join(names)}"
    while len(line) > _HEADLINE and names:
        names.pop()
        line = f"{head}: {', '.join(names)} and {size - len(names)} more"
    return line


def summary(message: Message) -> list[str]:
    """The sentences a story tells of DE 55: what the chip wants, what the terminal found, how the
    cardholder was verified, whether chip and message agree; in a response what the issuer sends."""
    if 55 not in message:
        return []
    chip = read(message[55])
    if chip.layout == "AGNS":
        return ["Chip data comes with it in the fixed layout AGNS, which has no tags."]
    if chip.error and not chip.tags:
        return ["There is chip data that cannot be read as EMV tags."]
    tellers = (_opening, _wish, _terminal, _verification, _agreement, _answer, _scripts)
    return [sentence for teller in tellers if (sentence := teller(chip, message))]


def _opening(chip: ChipData, message: Message) -> str:
    made = application(chip.value("84") or chip.value("9F06") or chip.value("4F"))
    by = f" of {with_article(made)}" if made else ""
    rest = "; what follows them cannot be read" if chip.error else ""
    return f"Chip data{by} comes with it ({count(len(chip.tags), 'tag')}{rest})."


# First digit of DE 3: money goes to the cardholder. A terminal asks the chip for no approval then.
_CREDITS = "2"
_NO_WISH = "The chip signed with an AAC, as is usual for a refund: it declined nothing."
_WISHES = {
    0: "The chip declined offline (AAC)",
    1: "The chip approved offline (TC)",
    2: "The chip asked for an online decision (ARQC)",
}


def _wish(chip: ChipData, message: Message) -> str:
    value = chip.value("9F27")
    if len(value) != _BYTE:
        return ""
    if value == _AAC and message.get(3)[:1] == _CREDITS:
        return _NO_WISH
    kind = int(value, 16) >> 6
    if kind not in _WISHES:
        return ""
    parts = [_WISHES[kind], *cryptogram(value).split("; ")[1:]]
    denied = _both(chip.value("95"), chip.value("9F0E"))
    if kind == 0 and denied:
        parts.append(f"the issuer's rules for the chip decline when {' or '.join(denied)}")
    return "; ".join(parts) + "."


def _both(results: str, action_code: str) -> list[str]:
    """What an issuer action code and the terminal verification results have in common."""
    if not results or len(results) != len(action_code):
        return []
    return bits_set("95", f"{int(results, 16) & int(action_code, 16):0{len(results)}X}")


def _terminal(chip: ChipData, message: Message) -> str:
    value = chip.value("95")
    if not value:
        return ""
    found = bits_set("95", value)
    return f"The terminal found: {'; '.join(found)}." if found else "The terminal found nothing amiss."


def _verification(chip: ChipData, message: Message) -> str:
    value = chip.value("9F34")
    if len(value) != _CVM_RESULTS:
        return ""
    device = on_device(value, chip.value("82"))
    return f"The cardholder was verified by {device}." if device else _verified(value)


def _verified(value: str) -> str:
    method, _, result = cvm_parts(value)
    code = int(value[:2] or "0", 16) & 0x3F
    if not method:
        return ""
    if code == 0x1F:
        return "No cardholder verification was required."
    if code == 0x3F:
        return "No cardholder verification was performed."
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
    told = f"The chip signed {signed}" + (f" at a terminal ({place})" if place else "")
    said = money.say(message)
    if not said or mti.is_response(message.mti):
        return told + "."
    return told + (", as the message says." if said == signed else f", but the message says {said}.")


def _answer(chip: ChipData, message: Message) -> str:
    parts = []
    if proof := chip.value("91"):
        parts.append(f"issuer authentication data ({count(len(proof) // 2, 'byte')}) to prove itself")
    if code := chip.value("8A"):
        parts.append(f"response code {response_code(code)}")
    return f"For the chip the issuer sends {' and '.join(parts)}." if parts else ""


def _scripts(chip: ChipData, message: Message) -> str:
    parts = []
    for tag in chip.tags:
        if tag.tag not in ("71", "72"):
            continue
        when = "before" if tag.tag == "71" else "after"
        codes = [
            emv.command(one.value[2:4]) or "an unknown command" for one in tag.children if one.tag == "86"
        ]
        what = "its inside cannot be read" if tag.fault else ", ".join(codes) or "no command"
        parts.append(f"a script to run {when} the final cryptogram ({tag.tag}): {what}")
    return f"The issuer sends {'; '.join(parts)}." if parts else ""
