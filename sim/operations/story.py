"""The sentences of a rule-based explanation, one small function each, in the order they are told.

A sentence speaks only of what the message carries; a code that no list has is called unknown.
Card data never stands in clear.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.codec import Message
from sim.elements import dates, emv, groups, money, mti, pos
from sim.elements.pan import account
from sim.elements.words import with_article
from sim.masking import mask, mask_pan
from sim.spec import lookup, lookup_anywhere, merchant_category, spec
from sim.spec.networks import detect, network, response_code
from sim.spec.tables import read_toml

_SENDERS = {
    "0": ("acquirer", "issuer"),
    "1": ("acquirer", "issuer"),
    "2": ("issuer", "acquirer"),
    "3": ("issuer", "acquirer"),
}
_CLASSES_WITH_PURPOSE = "124"


def tell(message: Message, name: str | None) -> list[str]:
    """The explanation of *message* as sentences; *name* is the network whose code lists apply."""
    told = (teller(message, name) for teller in _TELLERS)
    return [sentence for sentence in told if sentence]


def _phrases(name: str) -> dict[str, Any]:
    found: dict[str, Any] = read_toml("phrases")[name]
    return found


def parties(message: Message) -> tuple[str, str]:
    """Who sends the message and who receives it: a response travels against its request."""
    sender, receiver = _SENDERS.get(message.mti[3], ("other party", "other party"))
    return (receiver, sender) if mti.is_response(message.mti) else (sender, receiver)


def _opening(message: Message, name: str | None) -> str:
    kind = mti.split(message.mti)
    function = kind.function.replace("request response", "response") or "message"
    noun = kind.name or f"{kind.message_class} {function}".strip()
    text = f"This is {with_article(noun)} (MTI {message.mti}, ISO 8583:{message.version})"
    if not kind.message_class:
        text += f" of class {message.mti[1]}, which that version reserves,"
    sender, receiver = parties(message)
    if sender == receiver:
        return f"{text} between the two ends of a link."
    return f"{text} from the {sender} to the {receiver}."


def _card(message: Message, name: str | None) -> str:
    field, pan = account(message)
    if not field:
        return ""
    shown = mask_pan(pan) if pan.isdigit() else "whose number is no number"
    found = detect(pan)
    brand = f"{found.brand} card" if found else "card of an unknown network"
    where = {35: ", read from track 2", 45: ", read from track 1"}.get(field, "")
    text = f"The card is {with_article(brand)}, {shown}{where}"
    expiry = message.get(14)
    if expiry and (said := dates.say("YYMM", expiry)) != expiry:
        text += f", valid to {said}"
    if name and (found is None or found.network != name):
        text += f"; the message is read as one of {network(name).title}"
    return text + "."


def purpose(message: Message, name: str | None) -> str:
    """What the processing code asks for, as the object of a sentence; empty without DE 3."""
    code = message.get(3)[:2]
    if not code:
        return ""
    known = lookup("transaction_type", code, version=message.version, network=name)
    if known is None:
        return f"a transaction of the unknown type {code}"
    return _phrases("purposes").get(code) or f"a transaction of type {code}, {known.meaning}"


def _request(message: Message, name: str | None) -> str:
    if message.mti[1] not in _CLASSES_WITH_PURPOSE:
        return ""
    wanted, amount = purpose(message, name), money.say(message)
    if "inquiry" in wanted and not (message.get(4)[-12:]).strip("0"):
        amount = ""
    what = wanted or ("a transaction" if amount else "")
    if not what:
        return ""
    of = f"{what} for {amount}" if amount else what
    sender, receiver = parties(message)
    message_class, function = message.mti[1], message.mti[2]
    if message_class == "4":
        verb = "answers the reversal of" if mti.is_response(message.mti) else "undoes"
        return f"It {verb} {of}."
    if mti.is_response(message.mti):
        return f"It answers a {'report' if function == '3' else 'request'} about {of}."
    if function in "24":
        return f"The {sender} reports {of}, which has already been decided."
    verb = "authorize" if message_class == "1" else "authorize and post"
    return f"The {sender} asks the {receiver} to {verb} {of}."


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
    if 28 in message and message.version == "1987":
        parts.append(f"charged with a fee of {groups.say_signed(message[28], message.get(49))}")
    text = f"The amount is {' and '.join(parts)}." if parts else ""
    if 54 in message and (said := groups.say_additional_amounts(message[54], message.version)):
        text = f"{text} Additional amounts: {said}.".strip()
    return text


def _when(message: Message, name: str | None) -> str:
    local = message.get(12)
    if message.version == "1987":
        local = message.get(13) + local
    pattern = "MMDDhhmmss" if message.version == "1987" else spec(message.version)[12].pattern
    parts = []
    if len(local) == len(pattern) and (said := dates.say(pattern, local)) != local:
        parts.append(f"the {_clock(message)}'s local time was {said}")
    if (sent := message.get(7)) and (said := dates.say("MMDDhhmmss", sent)) != sent:
        parts.append(f"the message was sent on {said} UTC")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


def _clock(message: Message) -> str:
    return "sender" if mti.is_network_management(message.mti) else "merchant"


def _where(message: Message, name: str | None) -> str:
    where = groups.say_location(mask(43, message.get(43), message.version), message.version)
    code = message.get(18 if message.version == "1987" else 26)
    names = ((41, "terminal"), (42, "merchant"))
    ids = [f"{word} {' '.join(message[n].split())}" for n, word in names if message.get(n).strip()]
    shown = mask(0, ", ".join(ids), message.version)
    if where:
        text = f"It took place at {where}" + (f" ({shown})" if shown else "")
    elif shown:
        text = f"It came from {shown}"
    else:
        text = "The place is not given" if code else ""
    if code:
        business = merchant_category(code)
        named = business[:1].lower() + business[1:] if business else "not in the ISO 18245 list"
        text += f", merchant category {code} ({named})"
    return text + "." if text else ""


def _reading(message: Message, name: str | None) -> str:
    if 22 not in message:
        return ""
    mode = pos.entry_mode(message)
    if not mode:
        return f"The point of service code {message[22]} says: {pos.say(message)}."
    way = "How the card was read:" if message.version == "2003" else "The card data came in by"
    how = f"{way} {mode}"
    if message.version == "1987":
        capability = lookup("pin_entry_capability", message[22][2:3], version="1987")
        if capability:
            how += "; " + _phrases("capabilities").get(capability.kind, capability.meaning)
    elif verified := pos.authentication(message):
        how += f"; cardholder verification: {verified}"
    if 25 in message and message.version == "1987":
        condition = lookup("pos_condition", message[25], version="1987", network=name)
        how += f"; condition: {condition.meaning if condition else 'unknown code ' + message[25]}"
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
    number, listed = (70, "network_management") if message.version == "1987" else (24, "function_code")
    if number not in message:
        return ""
    code = message[number]
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
    if 39 not in message:
        return ""
    code = message[39]
    own = response_code(name, code) if name and message.version == "1987" else None
    known = own or lookup("response_code", code, version=message.version, network=name)
    meaning = known.meaning if known else f"not in the list of ISO 8583:{message.version} codes"
    label = spec(message.version)[39].name.lower()
    if not mti.is_response(message.mti):
        said = "gives the reason" if message.mti[1] == "4" else "tells the decision"
        return f"Its {label} {code} {said}: {meaning}."
    sender, _ = parties(message)
    kind = known.kind if known else ""
    told = "reversal" if message.mti[1] == "4" and kind == "approved" else kind
    outcome = _phrases("outcomes").get(told, "{sender} answered").format(sender=f"The {sender}")
    text = f"{outcome}: {label} {code}, {meaning}"
    if approval := message.get(38).strip():
        text += f", with approval code {approval}"
    return f"{text}. {_phrases('next').get(message.mti[1], {}).get(kind, '')}".strip()


def _original(message: Message, name: str | None) -> str:
    number = 90 if message.version == "1987" else 56
    if number not in message:
        return ""
    original = groups.read_original(message[number], message.version)
    if original is None:
        return "The original data elements cannot be read."
    text = f"It refers to the {original.mti} with STAN {original.stan}"
    when = dates.say(original.pattern, original.when)
    if when != original.when:
        text += f" of {when}" + (" UTC" if message.version == "1987" else " local time")
    return text + (f", acquirer {original.acquirer}." if original.acquirer else ".")


def _replacement(message: Message, name: str | None) -> str:
    if message.version == "1987" and 95 in message and message[95][:12].isdecimal():
        actual = money.say_amount(message[95][:12], message.get(49))
        return f"The final amount is {actual}; the rest is given back."
    if message.version != "1987" and 30 in message:
        value = message[30]
        composite = message.version == "2003"
        digits, code = (value[4:16], value[:3]) if composite else (value[:12], message.get(49))
        return f"The original amount was {money.say_amount(digits, code)}."
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
        parts.append(f"net {groups.say_signed(message[97], currency)}")
    text = f"It reports {', '.join(parts)}." if parts else ""
    if 66 in message and message.version == "1987":
        known = lookup("settlement", message[66], version="1987")
        text += f" Settlement code {message[66]}: {known.meaning if known else 'not in the list'}."
    return text.strip()


def _file(message: Message, name: str | None) -> str:
    """File update: what is done to which file."""
    if message.mti[1] != "3":
        return ""
    number, listed = (91, "file_update") if message.version == "1987" else (24, "function_code")
    known = lookup(listed, message.get(number), version=message.version) if number in message else None
    parts = [f"the file action is {known.meaning}"] if known else []
    if file := message.get(101).strip():
        parts.append(f"the file is {mask(101, file, message.version)}")
    text = " and ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


def _trace(message: Message, name: str | None) -> str:
    parts = [
        f"{word} {message[n].strip()}"
        for n, word in ((11, "STAN"), (37, "retrieval reference number"))
        if message.get(n).strip()
    ]
    if 32 in message:
        parts.append(f"acquirer {message[32]}")
    return f"It can be traced by {', '.join(parts)}." if parts else ""


def _mac(message: Message, name: str | None) -> str:
    if 64 in message or 128 in message:
        return "A message authentication code protects it against changes on the way."
    return ""


_TELLERS: tuple[Callable[[Message, str | None], str], ...] = (
    _opening,
    _network_management,
    _card,
    _request,
    _outcome,
    _accounts,
    _billing,
    _totals,
    _file,
    _original,
    _replacement,
    _where,
    _when,
    _reading,
    _verification,
    _chip,
    _reason,
    _trace,
    _mac,
)
