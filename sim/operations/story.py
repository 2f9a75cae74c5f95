"""The sentences of a rule-based explanation, one small function each, in the order they are told.

A sentence speaks only of what the message carries; a code that no list has is called unknown.
Card data never stands in clear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from sim.codec import Message
from sim.elements import dates, emv, money, mti, pos
from sim.elements.card import account
from sim.elements.meaning import meaning
from sim.elements.sentences import SAID, remembered
from sim.errors import with_article
from sim.masking import mask, mask_pan
from sim.masking.search import SHORTEST_PAN
from sim.operations.outcome import (
    PURCHASE,
    amount_asked,
    is_partly_approved,
    is_partly_undone,
    phrases,
    say_inquiry,
    say_outcome,
)
from sim.operations.own_parts import elements_told, purchase_meant, say_own_parts
from sim.operations.surroundings import (
    say_file,
    say_network_management,
    say_original,
    say_replacement,
    say_totals,
)
from sim.spec import VERSIONS, Code, lookup, number_of, spec, version_of
from sim.spec.codes import say_merchant
from sim.spec.networks import detect, network

_SENDERS = {
    "0": ("acquirer", "issuer"),
    "1": ("acquirer", "issuer"),
    "2": ("issuer", "acquirer"),
    "3": ("issuer", "acquirer"),
}
# Who is meant where it is not about a card: a file is kept, a link has two ends.
_RECEIVERS = {"3": "keeper of the file", "8": "other end of the link"}
_FILE, _LINK = "3", "8"  # message classes
_CLASSES_WITH_PURPOSE = "124"
_WITHOUT_MERCHANT = "3568"
# What a message with this third digit does with that of which it speaks, where it neither asks nor reports.
_CONCERNS = "concerns"
_ABOUT = {
    "5": "acknowledges a report about",
    "7": "acknowledges an instruction about",
    "8": "acknowledges the answer about",
    "9": "refuses the answer about",
}
_MOVE_NOTHING = ("inquiry", "PIN")
_OF = "{of}"  # where the amount stands in a phrase that does not end with it
# Nothing with so many digits in a row is remembered, whether they are found to be a card number or not.
_DIGITS_OF_A_CARD = re.compile("[0-9]{12}")
_SENT = "MMDDhhmmss"  # DE 7; of 1987 also DE 13 and 12


def _parties(code: str) -> tuple[str, str]:
    """Who sends a message with MTI *code* and who receives it: a response travels against its request."""
    sender, receiver = _SENDERS.get(code[3], ("other party", "other party"))
    if sender != receiver:
        receiver = _RECEIVERS.get(code[1], receiver)
    return (receiver, sender) if mti.is_response(code) else (sender, receiver)


def _opening(message: Message, name: str | None) -> str:
    code, version = message.mti, message.version
    kind = mti.split(code)
    function = kind.function.replace("request response", "response") or _function(code, name) or "message"
    noun = kind.name or f"{kind.message_class} {function}".strip()
    text = f"This is {with_article(noun)} (MTI {code}, ISO 8583:{version})"
    if not kind.message_class:
        text += f" of class {code[1]}, which that version reserves,"
    sender, receiver = _parties(code)
    if sender == receiver:
        return f"{text} between the two ends of a link."
    return f"{text} from the {sender} to the {receiver}."


def _function(code: str, name: str | None) -> str:
    """What the third digit of MTI *code* means, on network *name* where the standard reserves it; empty for
    nothing."""
    known = lookup("mti_function", code[2], version=version_of(code) or VERSIONS[0], network=name)
    return known.meaning if known and known.kind != "reserved" else ""


def _card(message: Message, name: str | None) -> str:
    field, pan = account(message)
    if not field:
        return ""
    brand, owner = remembered(_brand, pan[:6])
    shown = mask_pan(pan) if pan.isdigit() else "whose number is not numeric"
    where = "" if field == 2 else f", read from track {2 if field == 35 else 1}"
    text = f"The card is {brand}, {shown}{where}"
    if said := dates.told("YYMM", message.get(14)):
        text += f", valid to {said}"
    if name and owner != name:
        text += f"; the message is read as one of {network(name).title}"
    return text + "."


def _brand(start: str) -> tuple[str, str | None]:
    """What card it is, by its first six digits, and the network that owns them."""
    found = detect(start)
    brand = with_article(f"{found.brand} card") if found else "of an unknown network"
    return brand, found.network if found else None


def _purpose(code: str, version: str, name: str | None) -> str:
    """What a processing code that begins with *code* asks for, as the object of a sentence."""
    known = lookup("transaction_type", code, version=version, network=name)
    if known is None:
        return f"a transaction of the unknown type {code}"
    if named := phrases("meant").get(known.meaning):
        return str(named)
    return str(phrases("purposes").get(code) or f"a transaction of type {code}, {known.meaning}")


def _request(message: Message, name: str | None) -> str:
    if message.mti[1] not in _CLASSES_WITH_PURPOSE:
        return ""
    code, amount = message.get(3)[:2], amount_asked(message)
    meant = purchase_meant(message, name) if code == PURCHASE else ""
    wanted = (
        phrases("meant")[meant]
        if meant
        else remembered(_purpose, code, message.version, name)
        if code
        else ""
    )
    moves = money.moves(message)
    if not moves and any(word in wanted for word in _MOVE_NOTHING):
        amount = ""
    if not wanted and not amount:
        return ""
    if not moves and (inquiry := say_inquiry(message, wanted, *_parties(message.mti))):
        return inquiry
    part = _is_part(message)
    before, after = remembered(_around, message.mti, name, code, wanted, bool(meant), part, bool(amount))
    return f"{before}{amount}{after}"


def _around(
    mti_code: str, name: str | None, code: str, wanted: str, meant: bool, part: bool, amount: bool
) -> tuple[str, str]:
    """What stands before the amount, where there is one, and behind it."""
    before, after = _asked(mti_code, name)
    before += " a part of" if part else ""
    what = wanted or "a transaction"
    if not amount:
        return f"{before} {what.replace(_OF, '')}", after
    paid = code in phrases("joined")["for"] and not meant
    joined = " for " if paid or not wanted else " of "
    head, _, tail = what.partition(_OF)
    return f"{before} {head}{joined}", tail + after


def _is_part(message: Message) -> bool:
    """Whether a reversal leaves something of the amount."""
    if message.mti[1] != "4":
        return False
    number = number_of("actual-amount", message.version)
    if number not in message:
        return is_partly_undone(message)
    rest = message[number][:12]
    return rest.strip("0") != "" and rest != message.get(4)


def _asked(code: str, name: str | None) -> tuple[str, str]:
    """What stands before and behind that of which a message with MTI *code* speaks on network *name*."""
    sender, receiver = _parties(code)
    message_class, function = code[1], code[2]
    if message_class == "4":
        return f"It {'answers the reversal of' if mti.is_response(code) else 'undoes'}", "."
    if mti.is_response(code):
        return f"It answers a {'report' if function == '3' else 'request'} about", "."
    if function in "24":
        return f"The {sender} reports", ", which has already been decided."
    if function != "0":
        known = _function(code, name)
        return f"It {_ABOUT.get(function, _CONCERNS) if known else _CONCERNS}", "."
    verb = "authorize" if message_class == "1" else "authorize and post"
    return f"The {sender} asks the {receiver} to {verb}", "."


def _accounts(message: Message, name: str | None) -> str:
    code = message.get(3)
    parts = []
    for at, word in ((2, "from"), (4, "to")):
        kind = code[at : at + 2]
        if kind and kind != "00":
            known = lookup("account_type", kind, version=message.version, network=name)
            if known and known.kind == "unspecified":
                continue
            said = f"{with_article(known.meaning)} account" if known else f"unknown account type {kind}"
            parts.append(f"{word} {said}")
    return f"The money goes {' '.join(parts)}." if parts else ""


def _billing(message: Message, name: str | None) -> str:
    parts, fees = [], ""
    if 5 in message:
        parts.append(f"settled between the banks as {_converted(message, 5, 9)}")
    if 6 in message:
        parts.append(f"billed to the cardholder as {_converted(message, 6, 10)}")
    if (fee := number_of("fee", message.version)) in message:
        fees = f"A fee of {money.say_amount(message[fee][1:], message.get(49))}"
        fees += " is credited." if message[fee][:1] == "C" else " is charged."
    text = f"The amount is {' and '.join(parts)}." if parts else ""
    text = f"{text} {fees}".strip()
    if (
        54 in message
        and not is_partly_approved(message)
        and (said := money.say_additional_amounts(message[54], message.version, name))
    ):
        text = f"{text} Additional amounts: {said}.".strip()
    return text


def _converted(message: Message, number: int, rate: int) -> str:
    """Amount element *number*, with the rate in element *rate* that made it."""
    told = money.say_rate(message.get(rate))
    short = told.rstrip("0").removesuffix(".") if "." in told else told
    return money.say(message, number) + (f" (at a rate of {short})" if short.strip("0.") else "")


def _when(message: Message, name: str | None) -> str:
    get = message.get
    held, pattern = _local_time(message.version)
    here = dates.told(pattern, "".join(map(get, held)))
    sent = dates.told(_SENT, get(7))
    whose = "sender" if message.mti[1] in _WITHOUT_MERCHANT else "merchant"
    if not here:
        return f"The message was sent on {sent} UTC." if sent else ""
    rest = f"; the message was sent on {sent} UTC." if sent else "."
    return f"The {whose}'s local time was {here}{rest}"


@cache
def _local_time(version: str) -> tuple[tuple[int, ...], str]:
    """The elements that hold the merchant's date and time, and their joint pattern."""
    held = tuple(dict.fromkeys((number_of("local-date", version), 12)))
    return held, "".join(spec(version)[number].pattern for number in held)


def _where(message: Message, name: str | None) -> str:
    version, get = message.version, message.get
    texts = get(43), get(41), get(42), get(number_of("category", version)), version
    short = _DIGITS_OF_A_CARD.search("|".join(texts)) is None
    place: str = remembered(_place, *texts) if short else _place(*texts)
    return place


def _place(location: str, terminal: str, merchant: str, code: str, version: str) -> str:
    where = pos.say_location(mask(43, location, version), version)
    ids = (("terminal", terminal), ("merchant", merchant))
    shown = mask(
        0, ", ".join(f"{word} {' '.join(text.split())}" for word, text in ids if text.strip()), version
    )
    if where:
        text = f"It took place at {where}" + (f" ({shown})" if shown else "")
    elif shown:
        text = f"It came from {shown}"
    else:
        text = ""
    if not code:
        return text + "." if text else ""
    business = f"{code} ({say_merchant(code)})"
    if text:
        return f"{text}, merchant category {business}."
    return f"The merchant's category is {business}; the place is not given."


def _reading(message: Message, name: str | None) -> str:
    """What DE 22 says of the card's reading and, in 1987, DE 25 of the conditions."""
    code, condition = message[22], message.get(number_of("condition", message.version))
    version = message.version
    mode = pos.entry_mode(message, name)
    added = "" if mode else pos.own(message, "entry", name)
    if not mode and not added:
        return f"The point of service code {code} says: {meaning(message, 22, name)}."
    way = phrases("ways").get(version, phrases("ways")["any"])
    how = str(phrases("readings").get(pos.entry_kind(message, name), f"{way} {mode}"))
    if added:
        how = f"{phrases('ways')['own']} {added}"
    if number_of("condition", version):
        capability = lookup("pin_entry_capability", code[2:3], version=version)
        if capability and (said := phrases("capabilities").get(capability.kind, capability.meaning)):
            how += f"; {said}"
    else:
        if absent := pos.absence(message, name):
            how += f"; {absent}"
        if verified := pos.authentication(message, name):
            how += f"; cardholder verification: {verified}"
    if condition:
        known = lookup("pos_condition", condition, version=version, network=name)
        how += f"; condition: {known.meaning if known else 'unknown code ' + condition}"
    return how + "."


def _verification(message: Message, name: str | None) -> str:
    if 52 in message and not mti.is_response(message.mti):
        return "The cardholder entered a PIN, which travels encrypted for the issuer to check."
    return ""


def _chip(message: Message, name: str | None) -> str:
    return " ".join(emv.summary(message))


def _reason(message: Message, name: str | None) -> str:
    if not number_of("function", message.version):
        return ""
    parts = []
    if 24 in message and message.mti[1] != _LINK:
        known = lookup("function_code", message[24], version=message.version)
        if known is None or message.mti[1] != _FILE:  # what is done to a file has been told by it
            parts.append(f"function code {message[24]} {_means(known)}")
    if 25 in message:
        known = lookup("reason_code", message[25], version=message.version, network=name)
        parts.append(f"reason code {message[25]} {_means(known)}")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


def _means(known: Code | None) -> str:
    return f"means {known.meaning}" if known else "is not in the list"


def _outcome(message: Message, name: str | None) -> str:
    return say_outcome(message, name, _parties(message.mti)[0])


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


class Teller(NamedTuple):
    """Who tells of what, where one of the elements that it `needs` is there (none: always). What is `coded`
    follows from the MTI, the codes below and which elements there are; a test has each watched."""

    what: str
    say: Callable[[Message, str | None], str]
    needs: frozenset[int] = frozenset()
    coded: bool = False


CODES = (3, 22, 24, 25, 70)
# In the order they are told.
TELLERS = (
    Teller("opening", _opening, coded=True),
    Teller("network_management", say_network_management, frozenset({24, 70}), coded=True),
    Teller("card", _card, frozenset({2, 35, 45})),
    Teller("request", _request, frozenset({3, 4})),
    Teller("outcome", _outcome, frozenset({39})),
    Teller("accounts", _accounts, frozenset({3}), coded=True),
    Teller("billing", _billing, frozenset({5, 6, 28, 54})),
    Teller("own_parts", say_own_parts),  # of the network's own elements
    Teller("totals", say_totals, frozenset({66, 74, 76, 97})),
    Teller("file", say_file, frozenset({24, 91, 101})),
    Teller("original", say_original, frozenset({56, 90})),
    Teller("replacement", say_replacement, frozenset({30, 95})),
    Teller("where", _where, frozenset({18, 26, 41, 42, 43})),
    Teller("when", _when, frozenset({7, 12, 13})),
    Teller("reading", _reading, frozenset({22}), coded=True),
    Teller("verification", _verification, frozenset({52}), coded=True),
    Teller("chip", _chip, frozenset({55})),
    Teller("reason", _reason, frozenset({24, 25}), coded=True),
    Teller("trace", _trace, frozenset({11, 32, 37})),
    Teller("mac", _mac, frozenset({64, 128}), coded=True),
)


def tell(message: Message, name: str | None) -> dict[str, str]:
    """The sentences on *message* by what they tell of, as `outcome`; *name* is whose code lists apply."""
    sentences = {}
    for teller, sentence in _of_a_kind(message, name):
        if said := teller.say(message, name) if sentence is None else sentence:
            sentences[teller.what] = said
    return sentences


def tellers(message: Message, name: str | None) -> tuple[Teller, ...]:
    """Those who may have something to say of *message*."""
    own = elements_told(name or "")
    needs = ((one, own if one.say is say_own_parts else one.needs) for one in TELLERS)
    return tuple(one for one, needed in needs if not (needed and needed.isdisjoint(message.fields)))


def _of_a_kind(message: Message, name: str | None) -> tuple[tuple[Teller, str | None], ...]:
    """Who is asked of *message*, and what is said where it is the same of all messages with its codes."""
    codes = tuple(map(message.get, CODES))
    key = name, message.version, message.mti, *message.fields, codes
    known: tuple[tuple[Teller, str | None], ...] | None = None if message.dialect else SAID.get(key)
    if known is None:
        asked = tellers(message, name)
        known = tuple((one, one.say(message, name) if one.coded else None) for one in asked)
        if not message.dialect and max(map(len, codes)) <= SHORTEST_PAN:
            SAID.keep(key, known)
    return known
