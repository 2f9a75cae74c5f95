"""The sentences of a rule-based explanation, one small function each, in the order they are told.

A sentence speaks only of what the message carries; a code that no list has is called unknown.
Card data never stands in clear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sim.codec import Message
from sim.elements import dates, emv, groups, money, mti, pos, subfields
from sim.elements.pan import account
from sim.elements.words import with_article
from sim.masking import mask, mask_pan
from sim.operations.outcome import say_inquiry, say_outcome
from sim.spec import lookup, lookup_anywhere, merchant_category, number_of, role, spec
from sim.spec.networks import detect, network
from sim.spec.tables import read_toml

_SENDERS = {
    "0": ("acquirer", "issuer"),
    "1": ("acquirer", "issuer"),
    "2": ("issuer", "acquirer"),
    "3": ("issuer", "acquirer"),
}
_CLASSES_WITH_PURPOSE = "124"
_SENT = "MMDDhhmmss"  # DE 7; of 1987 also DE 13 and 12
# What could be a card number is kept by no cache: places and sentences are told anew with it.
_CARD_NUMBER = re.compile("[0-9]{12}")

Teller = Callable[[Message, str | None], str]


def tell(message: Message, name: str | None) -> dict[str, str]:
    """The sentences on *message* by what they tell of, as `outcome`; *name* is whose code lists apply."""
    told = {teller.__name__[1:]: teller(message, name) for teller in _tellers(tuple(message.fields))}
    return {what: sentence for what, sentence in told.items() if sentence}


@lru_cache(maxsize=512)
def _tellers(present: tuple[int, ...]) -> tuple[Teller, ...]:
    """Those who may have something to say of a message with the elements *present*."""
    return tuple(teller for teller, elements in _TELLERS if not elements or not elements.isdisjoint(present))


def _phrases(name: str) -> dict[str, Any]:
    found: dict[str, Any] = read_toml("phrases")[name]
    return found


def _parties(code: str) -> tuple[str, str]:
    """Who sends a message with MTI *code* and who receives it: a response travels against its request."""
    sender, receiver = _SENDERS.get(code[3], ("other party", "other party"))
    return (receiver, sender) if mti.is_response(code) else (sender, receiver)


def _opening(message: Message, name: str | None) -> str:
    return _open(message.mti, message.version)


@lru_cache(maxsize=1024)
def _open(code: str, version: str) -> str:
    kind = mti.split(code)
    function = kind.function.replace("request response", "response") or "message"
    noun = kind.name or f"{kind.message_class} {function}".strip()
    text = f"This is {with_article(noun)} (MTI {code}, ISO 8583:{version})"
    if not kind.message_class:
        text += f" of class {code[1]}, which that version reserves,"
    sender, receiver = _parties(code)
    if sender == receiver:
        return f"{text} between the two ends of a link."
    return f"{text} from the {sender} to the {receiver}."


def _card(message: Message, name: str | None) -> str:
    field, pan = account(message)
    if not field:
        return ""
    brand, owner = _brand(pan[:6])
    shown = mask_pan(pan) if pan.isdigit() else "whose number is no number"
    where = "" if field == 2 else f", read from track {2 if field == 35 else 1}"
    text = f"The card is {brand}, {shown}{where}"
    expiry = message.get(14)
    if expiry and (said := dates.say("YYMM", expiry)) != expiry:
        text += f", valid to {said}"
    if name and owner != name:
        text += f"; the message is read as one of {network(name).title}"
    return text + "."


@lru_cache(maxsize=4096)
def _brand(start: str) -> tuple[str, str | None]:
    """What card it is, by its first six digits, and the network that owns them."""
    found = detect(start)
    brand = f"{found.brand} card" if found else "card of an unknown network"
    return with_article(brand), found.network if found else None


@lru_cache(maxsize=1024)
def _purpose(code: str, version: str, name: str | None) -> str:
    """What a processing code that begins with *code* asks for, as the object of a sentence."""
    known = lookup("transaction_type", code, version=version, network=name)
    if known is None:
        return f"a transaction of the unknown type {code}"
    return str(_phrases("purposes").get(code) or f"a transaction of type {code}, {known.meaning}")


def _request(message: Message, name: str | None) -> str:
    if message.mti[1] not in _CLASSES_WITH_PURPOSE:
        return ""
    code, amount = message.get(3)[:2], money.say(message)
    wanted = _purpose(code, message.version, name) if code else ""
    if "inquiry" in wanted and not (message.get(4)[-12:]).strip("0"):
        amount = ""
    what = wanted or ("a transaction" if amount else "")
    if not what:
        return ""
    if inquiry := say_inquiry(message, wanted, *_parties(message.mti)):
        return inquiry
    before, after = _asked(message.mti)
    return f"{before} {what} for {amount}{after}" if amount else f"{before} {what}{after}"


@lru_cache(maxsize=1024)
def _asked(code: str) -> tuple[str, str]:
    """What stands before and behind that of which a message with MTI *code* speaks."""
    sender, receiver = _parties(code)
    message_class, function = code[1], code[2]
    if message_class == "4":
        return f"It {'answers the reversal of' if mti.is_response(code) else 'undoes'}", "."
    if mti.is_response(code):
        return f"It answers a {'report' if function == '3' else 'request'} about", "."
    if function in "24":
        return f"The {sender} reports", ", which has already been decided."
    verb = "authorize" if message_class == "1" else "authorize and post"
    return f"The {sender} asks the {receiver} to {verb}", "."


def _accounts(message: Message, name: str | None) -> str:
    code = message.get(3)
    parts = []
    for at, word in ((2, "from"), (4, "to")):
        kind = code[at : at + 2]
        if kind and kind != "00":
            known = lookup("account_type", kind, version=message.version, network=name)
            said = f"{with_article(known.meaning)} account" if known else f"unknown account type {kind}"
            parts.append(f"{word} {said}")
    return f"The money goes {' '.join(parts)}." if parts else ""


def _billing(message: Message, name: str | None) -> str:
    parts = []
    if 5 in message:
        parts.append(f"settled between the banks as {money.say(message, 5)}")
    if 6 in message:
        parts.append(f"billed to the cardholder as {money.say(message, 6)}")
    if (fee := number_of("fee", message.version)) in message:
        parts.append(f"charged with a fee of {money.say_signed(message[fee], message.get(49))}")
    text = f"The amount is {' and '.join(parts)}." if parts else ""
    if 54 in message and (said := groups.say_additional_amounts(message[54], message.version)):
        text = f"{text} Additional amounts: {said}.".strip()
    return text


def _when(message: Message, name: str | None) -> str:
    version, get = message.version, message.get
    local = get(13) + get(12) if version == "1987" else get(12)
    here = _moment(_SENT if version == "1987" else spec(version)[12].pattern, local)
    sent = _moment(_SENT, get(7))
    whose = "sender" if mti.is_network_management(message.mti) else "merchant"
    if not here:
        return f"The message was sent on {sent} UTC." if sent else ""
    rest = f"; the message was sent on {sent} UTC." if sent else "."
    return f"The {whose}'s local time was {here}{rest}"


def _moment(pattern: str, value: str) -> str:
    """*value* as a person reads it; empty where it is no moment."""
    said = dates.say(pattern, value)
    return said if said != value else ""


def _where(message: Message, name: str | None) -> str:
    version, get = message.version, message.get
    texts = (get(43), get(41), get(42), get(number_of("category", version)))
    known = _CARD_NUMBER.search("|".join(texts)) is None
    return _place(*texts, version) if known else _place.__wrapped__(*texts, version)


@lru_cache(maxsize=1024)
def _place(location: str, terminal: str, merchant: str, code: str, version: str) -> str:
    where = groups.say_location(mask(43, location, version), version)
    ids = (("terminal", terminal), ("merchant", merchant))
    shown = mask(
        0, ", ".join(f"{word} {' '.join(text.split())}" for word, text in ids if text.strip()), version
    )
    if where:
        text = f"It took place at {where}" + (f" ({shown})" if shown else "")
    elif shown:
        text = f"It came from {shown}"
    else:
        text = "The place is not given" if code else ""
    if code:
        business = merchant_category(code)
        text += f", merchant category {code} ({business or 'not in the ISO 18245 list'})"
    return text + "." if text else ""


def _reading(message: Message, name: str | None) -> str:
    if message.version == "1987":  # three digits, of which there are few
        return _read(message[22], message.get(25), "1987", name)
    return _read.__wrapped__(message[22], "", message.version, name)


@lru_cache(maxsize=1024)
def _read(code: str, condition: str, version: str, name: str | None) -> str:
    """What DE 22 says of the card's reading and, in 1987, DE 25 of the conditions."""
    message = Message("", {22: code}, version)
    mode = pos.entry_mode(message)
    if not mode:
        return f"The point of service code {code} says: {pos.say(message)}."
    how = f"{'How the card was read:' if version == '2003' else 'The card data came in by'} {mode}"
    if version == "1987":
        capability = lookup("pin_entry_capability", code[2:3], version="1987")
        if capability:
            how += "; " + _phrases("capabilities").get(capability.kind, capability.meaning)
    elif verified := pos.authentication(message):
        how += f"; cardholder verification: {verified}"
    if condition:
        known = lookup("pos_condition", condition, version="1987", network=name)
        how += f"; condition: {known.meaning if known else 'unknown code ' + condition}"
    return how + "."


def _verification(message: Message, name: str | None) -> str:
    if 52 in message and not mti.is_response(message.mti):
        return "The cardholder entered a PIN, which travels encrypted for the issuer to check."
    return ""


def _chip(message: Message, name: str | None) -> str:
    return " ".join(emv.summary(message))


def _reason(message: Message, name: str | None) -> str:
    if message.version == "1987":
        return ""
    parts = []
    if 24 in message and message.mti[1] not in "8":
        known = lookup("function_code", message[24], version=message.version)
        parts.append(f"function {message[24]}: {known.meaning if known else 'not in the list'}")
    if 25 in message:
        known = lookup("reason_code", message[25], version=message.version)
        parts.append(f"reason {message[25]}: {known.meaning if known else 'not in the list'}")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


def _network_management(message: Message, name: str | None) -> str:
    if not mti.is_network_management(message.mti):
        return ""
    job = role("network-code", message.version)
    if job is None or job.number not in message:
        return ""
    code, listed = message[job.number], job.codes
    known = lookup(listed, code, version=message.version, network=name)
    elsewhere = None if known else lookup_anywhere(listed, code, version=message.version)
    what = known.meaning if known else "an action not in the list"
    if elsewhere:
        what = f"{elsewhere.meaning}, as {network(elsewhere.network).title} uses it"
    verb = "answers" if mti.is_response(message.mti) else "asks for"
    text = f"It {verb} network management code {code}: {what}."
    if "echo" in what:
        text += " An echo test only shows that the link is alive; it concerns no card and no money."
    return text


def _outcome(message: Message, name: str | None) -> str:
    return say_outcome(message, name, _parties(message.mti)[0])


def _original(message: Message, name: str | None) -> str:
    number = number_of("original", message.version)
    if number not in message:
        return ""
    original = groups.read_original(message[number], message.version)
    if original is None:
        return "The original data elements cannot be read."
    if not (original.mti + original.stan).strip("0"):
        return "The original is not identified."
    text = f"It refers to the {original.mti} with STAN {original.stan}"
    when = dates.say(original.pattern, original.when)
    if when != original.when:
        text += f" of {when}" + (" UTC" if original.pattern == _SENT else " local time")
    return text + (f", acquirer {original.acquirer}." if original.acquirer else ".")


def _replacement(message: Message, name: str | None) -> str:
    version = message.version
    if said := subfields.first_amount(message, number_of("actual-amount", version)):
        if message.get(number_of("actual-amount", version))[:12] == message.get(4):
            return f"The final amount, {said}, equals the original amount: nothing is given back."
        return f"The final amount is {said}; the rest is given back."
    if said := subfields.first_amount(message, number_of("original-amount", version)):
        return f"The original amount was {said}."
    return ""


def _totals(message: Message, name: str | None) -> str:
    """Reconciliation: how many credits and debits of how much, and the net amount."""
    if message.mti[1] != "5" or message.version == "2003":
        return ""
    currency = message.get(50)
    parts = []
    for count, amount, what in ((74, 86, "credits"), (76, 88, "debits")):
        if count in message and message[count].isdecimal():
            said = f"{int(message[count]):,} {what}"
            parts.append(
                said + (f" of {money.say_amount(message[amount], currency)}" if amount in message else "")
            )
    if 97 in message:
        parts.append(f"net {money.say_signed(message[97], currency)}")
    text = f"It reports {', '.join(parts)}." if parts else ""
    if (settled := role("settlement", message.version)) and settled.number in message:
        code = message[settled.number]
        known = lookup(settled.codes, code, version=message.version)
        text += f" Settlement code {code}: {known.meaning if known else 'not in the list'}."
    return text.strip()


def _file(message: Message, name: str | None) -> str:
    """File update: what is done to which file."""
    if message.mti[1] != "3":
        return ""
    job = role("file-action", message.version)
    known = (
        lookup(job.codes, message[job.number], version=message.version)
        if job and job.number in message
        else None
    )
    parts = [f"the file action is {known.meaning}"] if known else []
    if file := message.get(101).strip():
        parts.append(f"the file is {mask(101, file, message.version)}")
    text = " and ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


def _trace(message: Message, name: str | None) -> str:
    get = message.get
    parts = [f"STAN {stan}"] if (stan := get(11).strip()) else []
    if reference := get(37).strip():
        parts.append(f"retrieval reference number {reference}")
    if acquirer := get(32).strip():
        parts.append(f"acquirer {acquirer}")
    return f"It can be traced by {', '.join(parts)}." if parts else ""


def _mac(message: Message, name: str | None) -> str:
    if 64 in message or 128 in message:
        return "A message authentication code protects it against changes on the way."
    return ""


# In the order they are told, each with the elements of which one must be there; none: always.
_TELLERS: tuple[tuple[Teller, frozenset[int]], ...] = (
    (_opening, frozenset()),
    (_network_management, frozenset({24, 70})),
    (_card, frozenset({2, 35, 45})),
    (_request, frozenset({3, 4})),
    (_outcome, frozenset({39})),
    (_accounts, frozenset({3})),
    (_billing, frozenset({5, 6, 28, 54})),
    (_totals, frozenset({66, 74, 76, 97})),
    (_file, frozenset({24, 91, 101})),
    (_original, frozenset({56, 90})),
    (_replacement, frozenset({30, 95})),
    (_where, frozenset({18, 26, 41, 42, 43})),
    (_when, frozenset({7, 12, 13})),
    (_reading, frozenset({22})),
    (_verification, frozenset({52})),
    (_chip, frozenset({55})),
    (_reason, frozenset({24, 25})),
    (_trace, frozenset({11, 32, 37})),
    (_mac, frozenset({64, 128})),
)
