"""The sentences on what surrounds a transaction: its original, totals, files, the link itself."""

from __future__ import annotations

from collections.abc import Iterator

from sim.codec import Message
from sim.elements import dates, money, mti
from sim.elements.meaning import first_amount, unfold
from sim.errors import with_article
from sim.masking import mask
from sim.operations.outcome import is_partly_approved, is_partly_undone, phrases
from sim.spec import lookup, lookup_anywhere, number_of, role
from sim.spec.networks import network

_SENT = "MMDDhhmmss"  # DE 7, which is UTC
# Totals that are told: those of 1987 and 1993 by the elements of their number and amount, those of 2003 by
# the names of their parts; and which are told also where there are none.
_ALWAYS = ("credit", "debit")
_COUNTED = {"credit": (74, 86), "reversed credit": (75, 87), "debit": (76, 88), "reversed debit": (77, 89)}
_NAMED = {
    "credit": "credits",
    "charged-back credit": "credits chargeback",
    "reversed credit": "credits reversal",
    "debit": "debits",
    "charged-back debit": "debits chargeback",
    "reversed debit": "debits reversal",
}


def say_network_management(message: Message, name: str | None) -> str:
    """What a network management message asks for or answers."""
    if not mti.is_network_management(message.mti):
        return ""
    job = role("network-code", message.version)
    if job is None or job.number not in message:
        return ""
    code, listed = message[job.number], job.codes
    known = lookup(listed, code, version=message.version, network=name)
    elsewhere = None if known else lookup_anywhere(listed, code, version=message.version)
    what = known.meaning if known else "action that is not in the list"
    if elsewhere:
        what = f"{elsewhere.meaning}, as {network(elsewhere.network).title} uses it"
    verb = "answers" if mti.is_response(message.mti) else "asks for"
    text = f"It {verb} {with_article(what)} (network management code {code})."
    if "echo" in what:
        text += " An echo test only shows that the link is alive; it concerns no card and no money."
    return text


def say_original(message: Message, name: str | None) -> str:
    """Which message a reversal or advice refers to."""
    number = number_of("original", message.version)
    if number not in message:
        return ""
    original = mti.read_original(message[number], message.version)
    if original is None:
        return "The original data elements cannot be read."
    if not (original.mti + original.stan).strip("0"):
        return "The original is not identified."
    text = f"It refers to {'the' if original.stan.strip('0') else 'a'} {original.mti}"
    text += f" with STAN {original.stan}" if original.stan.strip("0") else ""
    if when := dates.told(original.pattern, original.when):
        text += f" of {when}" + (" UTC" if original.pattern == _SENT else " local time")
    return text + (f", acquirer {original.acquirer}." if original.acquirer else ".")


def say_replacement(message: Message, name: str | None) -> str:
    """The amount that stays, or the amount there was."""
    version = message.version
    if said := first_amount(message, number_of("actual-amount", version)):
        if message.get(number_of("actual-amount", version))[:12] == message.get(4):
            return f"The final amount, {said}, equals the original amount: nothing is reversed."
        return f"The final amount is {said}; the rest is undone."
    if is_partly_approved(message):
        return ""  # told with the answer
    if is_partly_undone(message) and (stays := money.say(message)):
        return f"The final amount is {stays}; the rest is undone."
    if said := first_amount(message, number_of("original-amount", version)):
        return f"The original amount was {said}."
    return ""


def say_totals(message: Message, name: str | None) -> str:
    """Reconciliation: of which day, how many credits and debits of how much, and the net amount."""
    if message.mti[1] != "5":
        return ""
    parts = [_total(*one) for one in _totals(message) if one[1] in _ALWAYS or one[0] or one[2].strip("0")]
    if 97 in message:
        parts.append(_net(message))
    day = number_of("settled-day", message.version)
    of_day = f" for {said}:" if (said := dates.told(message.spec[day].pattern, message.get(day))) else ""
    text = f"It reports{of_day} {', '.join(parts)}." if parts else ""
    if (settled := role("settlement", message.version)) and settled.number in message:
        code = message[settled.number]
        known = lookup(settled.codes, code, version=message.version)
        text += f" Settlement code {code}: {known.meaning if known else 'not in the list'}."
    return text.strip()


def _totals(message: Message) -> Iterator[tuple[int, str, str, str]]:
    """The totals of a reconciliation: how many of what, their amount and its currency."""
    if held := number_of("totals-currency", message.version):
        for what, (count, amount) in _COUNTED.items():
            if message.get(count).isdecimal():
                yield int(message[count]), what, message.get(amount), message.get(held)
        return
    told = {one.name: one.part.value for one in unfold(message, 74)}
    for what, name in _NAMED.items():
        if (number := told.get(f"{name}: number", "")).isdecimal():
            yield int(number), what, told[f"{name}: amount"], told[f"{name}: currency"]


def _total(count: int, what: str, amount: str, currency: str) -> str:
    """`12 debits of 1,200.00 USD`, `no credits`."""
    if not count and not amount.strip("0"):
        return f"no {what}s"
    said = f"{count:,} {what}{'' if count == 1 else 's'}"
    return said + (f" of {money.say_amount(amount, currency)}" if amount else "")


def _net(message: Message) -> str:
    """`a net debit of 9,570.00 USD`; 2003 has no place for the side."""
    held, value = number_of("totals-currency", message.version), message[97]
    if not held:
        return f"a net amount of {first_amount(message, 97) or 'unknown size'}"
    said, side = money.say_amount(value[1:], message.get(held)), money.side(value)
    return f"a net {side} of {said}" if side else f"a net amount of {said}"


def say_file(message: Message, name: str | None) -> str:
    """File update: what is done to which file."""
    if message.mti[1] != "3":
        return ""
    job = role("file-action", message.version)
    code = message.get(job.number) if job else ""
    known = lookup(job.codes, code, version=message.version) if job and code else None
    file = message.get(101).strip()
    where = f"the file {mask(101, file, message.version)}" if file else "a file"
    if known is None:
        return f"It is about {where}." if file else ""
    words = str(phrases("files").get(known.meaning, f"do this to {{file}}: {known.meaning}"))
    does = "answers a request to" if mti.is_response(message.mti) else "asks to"
    return f"It {does} {words.format(file=where)}."
