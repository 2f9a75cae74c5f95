"""The sentences of a rule-based explanation, one small function each: the message, the request, the response
(DE 39), and what surrounds a transaction (original, totals, files, the link).

A sentence covers only what the message contains; a code that is in no list is called unknown. Card data is
always masked. The wording of requests and responses is in `data/phrases.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from sim.codec import Message
from sim.elements import dates, emv, money, mti, pos
from sim.elements.card import account
from sim.elements.meaning import first_amount, meaning, unfold
from sim.elements.money import read_additional_amounts
from sim.elements.sentences import SAID, remembered
from sim.errors import with_article
from sim.masking import mask, mask_pan
from sim.masking.search import SHORTEST_PAN
from sim.operations.filling import Inside
from sim.operations.own_parts import elements_told, purchase_meant, say_own_parts
from sim.spec import VERSIONS, is_particular, lookup, lookup_anywhere, number_of, role, spec, version_of
from sim.spec.codes import say_merchant
from sim.spec.networks import answer, detect, network
from sim.spec.tables import read_csv, read_toml

_ALWAYS = ("credit", "debit")  # totals that are mentioned even if there are none


def say_network_management(message: Message, name: str | None) -> str:
    """The purpose of a network management message."""
    version, job = message.version, role("network-code", message.version)
    if not mti.is_network_management(message.mti) or job is None or job.number not in message:
        return ""
    code, what = message[job.number], "action that is not in the list"
    if entry := lookup(job.codes, code, version=version, network=name):
        what = entry.meaning
    elif elsewhere := lookup_anywhere(job.codes, code, version=version):
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
    article = "the" if original.stan.strip("0") else "an" if original.mti[0] == "0" else "a"
    text = f"It refers to {article} {original.mti}"
    text += f" with STAN {original.stan}" if original.stan.strip("0") else ""
    if when := dates.readable_date(original.pattern, original.when):
        text += f" of {when}" + (" UTC" if original.pattern == _SENT else " local time")
    return text + (f", acquirer {original.acquirer}." if original.acquirer else ".")


def say_replacement(message: Message, name: str | None) -> str:
    """The final or the original amount."""
    version = message.version
    if amount := first_amount(message, number_of("actual-amount", version)):
        if message.get(number_of("actual-amount", version))[:12] == message.get(4):
            return f"The final amount, {amount}, equals the original amount: nothing is reversed."
        return f"The final amount is {amount}; the rest is reversed."
    if is_partly_approved(message):
        return ""  # covered by the outcome
    if is_partly_undone(message) and (stays := money.say(message)):
        return f"The final amount is {stays}; the rest is reversed."
    if amount := first_amount(message, number_of("original-amount", version)):
        return f"The original amount was {amount}."
    return ""


def say_totals(message: Message, name: str | None) -> str:
    """Reconciliation: the date, the number and amount of credits and debits, the net amount."""
    if message.mti[1] != "5":
        return ""
    parts = list(_totals(message))
    if 97 in message:
        parts.append(_net(message))
    day = number_of("settled-day", message.version)
    date = dates.readable_date(message.spec[day].pattern, message.get(day))
    text = f"It reports{f' for {date}:' if date else ''} {', '.join(parts)}." if parts else ""
    if (settled := role("settlement", message.version)) and settled.number in message:
        code = message[settled.number]
        entry = lookup(settled.codes, code, version=message.version)
        text += f" Settlement code {code}: {entry.meaning if entry else 'not in the list'}."
    return text.strip()


def _totals(message: Message) -> Iterator[str]:
    """The totals of a reconciliation: `12 debits of 1,200.00 USD`, `no credits`."""
    totals, rows = phrases("totals"), list[tuple[str, str, str, str]]()
    if element := number_of("totals-currency", message.version):
        for what, (count, value) in totals["elements"].items():
            if count in message:
                rows.append((what, message[count], message.get(value), message.get(element)))
    else:
        values = {subfield.name: subfield.part.value for subfield in unfold(message, 74)}
        for what, name in totals["parts"].items():
            parts = [values.get(f"{name}: {part}", "") for part in ("number", "amount", "currency")]
            rows.append((what, parts[0], parts[1], parts[2]))
    for what, number, amount, currency in rows:
        is_none = not (number + amount).strip("0")
        if number.isdecimal() and (what in _ALWAYS or not is_none):
            text = f"{int(number):,} {what}{'' if int(number) == 1 else 's'}"
            of = f" of {money.say_amount(amount, currency)}" if amount else ""
            yield f"no {what}s" if is_none else text + of


def _net(message: Message) -> str:
    """`a net debit of 9,570.00 USD`; 2003 does not give the side."""
    element, value = number_of("totals-currency", message.version), message[97]
    if not element:
        return f"a net amount of {first_amount(message, 97) or 'unknown size'}"
    amount, side = money.say_amount(value[1:], message.get(element)), money.side(value)
    return f"a net {side} of {amount}" if side else f"a net amount of {amount}"


def say_file(message: Message, name: str | None) -> str:
    """File update: the action and the file."""
    if message.mti[1] != "3":
        return ""
    job = role("file-action", message.version)
    entry = lookup(job.codes, message.get(job.number), version=message.version) if job else None
    file = message.get(101).strip()
    where = f"the file {mask(101, file, message.version)}" if file else "a file"
    if entry is None:
        return f"It is about {where}." if file else ""
    words = str(phrases("files").get(entry.meaning, f"do this to {{file}}: {entry.meaning}"))
    does = "answers a request to" if mti.is_response(message.mti) else "asks to"
    return f"It {does} {words.format(file=where)}."


_ORIGINAL_AMOUNT = "57"
PURCHASE = "00"  # with a zero amount, it verifies the account
_DECIDED = "024"  # function digits of requests, advices and notifications
_ADVICE = "3"  # function digit of the answer to an advice
# Kinds of responses whose code may tell the next step.
_WITH_STEP = ("declined", "system")


def say_outcome(message: Message, name: str | None) -> str:
    """The sentences about DE 39: its meaning, and what happens next.

    >>> say_outcome(Message("0810", {39: "00"}), None)
    'The other end accepted it (00).'
    """
    code = message.get(39)
    if not code:
        return ""
    where = "response" if mti.is_response(message.mti) else "request"
    entry = answer(code, message.version, name, where=where)
    meaning = entry.meaning if entry else f"not in the list of ISO 8583:{message.version} codes"
    label, kind = message.spec[39].name.lower(), entry.kind if entry else ""
    if not mti.is_response(message.mti):
        reverses = message.mti[1] == "4"
        if reverses and kind == "approved":
            return f"Its {label} {code}, {meaning}, is the original's and gives no reason."
        if message.mti[2] not in _DECIDED:
            return f"Its {label} {code} means {meaning}."
        return f"Its {label} {code} gives the {'reason' if reverses else 'decision'}: {meaning}."
    if mti.is_network_management(message.mti) and kind in ("approved", "network"):
        return f"The other end accepted it ({code})."
    result = "partly" if is_partly_approved(message) else _result(message, kind)
    values, is_decision = Inside(message, name), message.mti[1] in "12" and message.mti[2] == "1"
    rows = _deciders(name, message.version) if is_decision else ()
    rows = tuple(row for row in rows if row.codes.fullmatch(values[row.path]))
    sender = next((row.who for row in rows if row.who), _parties(message.mti)[0])
    outcome = phrases("outcomes").get(result, "{sender} answered").format(sender=f"The {sender}")
    text = f"{outcome}: {label} {code}" + ("" if meaning == kind else f", {meaning}")
    if approval := message.get(38).strip():
        text += f", with approval code {approval}"
    step = next((row.step for row in rows if row.step), "") if kind in _WITH_STEP else ""
    return f"{text}. {_next(message, kind, name, step)}".strip()


class _Decider(NamedTuple):
    """Values of an element part that show who decided, if not the sender, and the next step."""

    path: str
    codes: re.Pattern[str]
    who: str
    step: str


@cache
def _deciders(name: str | None, version: str) -> tuple[_Decider, ...]:
    return tuple(
        _Decider(row["path"], re.compile(row["codes"]), row["who"], row["next"])
        for row in read_csv("deciders")
        if row["network"] in ("", name) and row["versions"] == version
    )


def say_inquiry(message: Message, purpose: str) -> str:
    """An inquiry or account verification; empty if money moves. *purpose* describes the processing code."""
    if message.mti[1] not in "12" or message.mti[2] not in "01" or money.moves(message):
        return ""
    if "inquiry" in purpose:
        what, end = f"for {phrases('asked_for').get(message[3][:2], purpose)}", "."
    elif 4 in message and message.mti[1] == "1" and message.get(3)[:2] == PURCHASE:
        what, end = "to verify the account", "; nothing is charged."
    else:
        return ""
    if mti.is_response(message.mti):
        return f"It responds to a request {what}."
    sender, receiver = _parties(message.mti)
    return f"The {sender} asks the {receiver} {what}{end}"


def is_partly_approved(message: Message) -> bool:
    """Whether *message* is a response that approves part of the amount."""
    return (
        message.mti[1] in "12"
        and mti.is_response(message.mti)
        and is_particular("partial", message.version, message.get(39))
    )


def is_partly_undone(message: Message) -> bool:
    """Whether *message* is a partial reversal by its function code, with the final amount in DE 4; 1987 has
    an element for the final amount instead."""
    if message.mti[1] != "4":
        return False
    number = number_of("function", message.version)
    return number in message and is_particular("partial-reversal", message.version, message[number])


def phrases(name: str) -> dict[str, Any]:
    """Table *name* of `phrases.toml`."""
    table: dict[str, Any] = read_toml("phrases")[name]
    return table


def _result(message: Message, kind: str) -> str:
    """The outcome: an advice is acknowledged; a reversal, totals and files are accepted."""
    message_class, function = message.mti[1], message.mti[2]
    if kind not in ("approved", "administrative"):
        return kind
    if message_class in "12":
        return "acknowledged" if function == _ADVICE else kind
    is_accepted = kind == "approved" or message_class == "4"
    return str(phrases("accepted").get(message_class, kind)) if is_accepted else kind


def _next(message: Message, kind: str, name: str | None, step: str = "") -> str:
    """What happens next, by message class, kind of response and transaction; *step* is the advice after a
    decline or failure."""
    message_class = message.mti[1]
    if message_class in "12" and message.mti[2] == _ADVICE:
        return str(phrases("next")["advice"].get(kind, ""))
    if is_partly_approved(message):
        part = money.say(message)
        total = _original(message) if part else ""
        of_total = f" of {total}" if total else ""
        return f"Only {part or 'part of it'}{of_total} is approved; the rest needs another payment."
    words: dict[str, Any] = phrases("next").get(message_class, {})
    transaction = _transaction_kind(message, name)
    if kind == "approved":
        return str(words.get(transaction) or words.get(kind, ""))
    if step:
        return step if message_class == "1" else f"{words['declined']} {step}"
    return str(words.get(f"{kind} {transaction}") or words.get(kind, ""))


def _transaction_kind(message: Message, name: str | None) -> str:
    """The transaction, as far as the next step depends on it: cash, credit, balance, inquiry, check."""
    code = message.get(3)[:2]
    meant = purchase_meant(message, name) if code == PURCHASE else ""
    entry = lookup("transaction_type", code, version=message.version, network=name)
    wanted = phrases("wanted")
    if special := wanted.get(meant or code) or (entry and wanted.get(entry.meaning)):
        return str(special)
    if entry and entry.kind == "debit" and 4 in message and not money.moves(message):
        return "check"
    return entry.kind if entry else ""


def amount_asked(message: Message) -> str:
    """The amount requested; for a partial approval or reversal, the original amount."""
    partly = is_partly_approved(message) or is_partly_undone(message)
    return (_original(message) if partly else "") or money.say(message)


def _original(message: Message) -> str:
    """The requested amount: DE 54 type 57 in 1987, DE 30 since 1993."""
    number = number_of("original-amount", message.version)
    if not number:
        groups = read_additional_amounts(message.get(54), message.version)
        original = next((group for group in groups if group.kind == _ORIGINAL_AMOUNT), None)
        return money.say_amount(original.amount, original.currency) if original else ""
    return first_amount(message, number)


_FILE, _LINK = "3", "8"  # message classes
_CLASSES_WITH_PURPOSE = "124"
_WITHOUT_MERCHANT = "3568"
_CONCERNS = "concerns"
_MOVE_NOTHING = ("inquiry", "PIN")
_OF = "{of}"  # the place of the amount in a phrase that does not end with it
# Texts with this many digits in a row may contain a card number and are not cached.
_DIGITS_OF_A_CARD = re.compile("[0-9]{12}")
_SENT = "MMDDhhmmss"  # DE 7; of 1987 also DE 13 and 12


def _parties(code: str) -> tuple[str, str]:
    """The sender and the receiver of a message with MTI *code*."""
    sender, receiver = phrases("parties").get(code[3], ("other party", "other party"))
    if sender != receiver:
        receiver = phrases("receivers").get(code[1], receiver)
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
    """The meaning of the third digit of MTI *code*, also on network *name*; empty if reserved."""
    entry = lookup("mti_function", code[2], version=version_of(code) or VERSIONS[0], network=name)
    return entry.meaning if entry and entry.kind != "reserved" else ""


def _card(message: Message, name: str | None) -> str:
    field, pan = account(message)
    if not field:
        return ""
    brand, owner = remembered(_brand, pan[:6])
    shown = mask_pan(pan) if pan.isdigit() else "whose number is not numeric"
    where = "" if field == 2 else f", read from track {2 if field == 35 else 1}"
    text = f"The card is {brand}, {shown}{where}"
    if expiry := dates.readable_date("YYMM", message.get(14)):
        text += f", valid to {expiry}"
    if name and owner != name:
        text += f"; the message is read as one of {network(name).title}"
    return text + "."


def _brand(start: str) -> tuple[str, str | None]:
    """The kind of card, by its first six digits, and its network."""
    detection = detect(start)
    brand = with_article(f"{detection.brand} card") if detection else "of an unknown network"
    return brand, detection.network if detection else None


def _purpose(code: str, version: str, name: str | None) -> str:
    """The transaction type *code* as the object of a sentence."""
    entry = lookup("transaction_type", code, version=version, network=name)
    if entry is None:
        return f"a transaction of the unknown type {code}"
    if phrase := phrases("meant").get(entry.meaning):
        return str(phrase)
    return str(phrases("purposes").get(code) or f"a transaction of type {code}, {entry.meaning}")


def _request(message: Message, name: str | None) -> str:
    if message.mti[1] not in _CLASSES_WITH_PURPOSE:
        return ""
    code, amount = message.get(3)[:2], amount_asked(message)
    purpose = remembered(_purpose, code, message.version, name) if code else ""
    meant = purchase_meant(message, name) if code == PURCHASE else ""
    if meant:
        purpose = phrases("meant")[meant]
    moves = money.moves(message)
    if not moves and any(word in purpose for word in _MOVE_NOTHING):
        amount = ""
    if not purpose and not amount:
        return ""
    if not moves and (inquiry := say_inquiry(message, purpose)):
        return inquiry
    part = _is_part(message)
    before, after = remembered(_around, message.mti, name, code, purpose, bool(meant), part, bool(amount))
    return f"{before}{amount}{after}"


def _around(
    mti_code: str, name: str | None, code: str, purpose: str, meant: bool, part: bool, amount: bool
) -> tuple[str, str]:
    """The words before and after the amount."""
    before, after = _words_around(mti_code, name)
    before += " part of" if part else ""
    what = purpose or "a transaction"
    if not amount:
        return f"{before} {what.replace(_OF, '')}", after
    paid = code in phrases("joined")["for"] and not meant
    joined = " for " if paid or not purpose else " of "
    head, _, tail = what.partition(_OF)
    return f"{before} {head}{joined}", tail + after


def _is_part(message: Message) -> bool:
    """Whether a reversal is partial."""
    if message.mti[1] != "4":
        return False
    number = number_of("actual-amount", message.version)
    if number not in message:
        return is_partly_undone(message)
    rest = message[number][:12]
    return rest.strip("0") != "" and rest != message.get(4)


def _words_around(code: str, name: str | None) -> tuple[str, str]:
    """The words before and after the transaction, for MTI *code* on network *name*."""
    sender, receiver = _parties(code)
    message_class, function = code[1], code[2]
    if message_class == "4":
        return f"It {'answers the reversal of' if mti.is_response(code) else 'reverses'}", "."
    if mti.is_response(code):
        return f"It answers a {'report' if function == '3' else 'request'} about", "."
    if function in "24":
        return f"The {sender} reports", ", which has already been decided."
    if function != "0":
        label = _function(code, name)
        return f"It {phrases('about').get(function, _CONCERNS) if label else _CONCERNS}", "."
    verb = "authorize" if message_class == "1" else "authorize and post"
    return f"The {sender} asks the {receiver} to {verb}", "."


def _accounts(message: Message, name: str | None) -> str:
    code = message.get(3)
    parts = []
    for kind, word in ((code[2:4], "from"), (code[4:6], "to")):
        entry = lookup("account_type", kind, version=message.version, network=name)
        if kind in ("", "00") or (entry and entry.kind == "unspecified"):
            continue
        label = f"{with_article(entry.meaning)} account" if entry else f"unknown account type {kind}"
        parts.append(f"{word} {label}")
    return f"The money goes {' '.join(parts)}." if parts else ""


def _billing(message: Message, name: str | None) -> str:
    sentences, version, parts = [], message.version, []
    for number, rate, how in ((5, 9, "settled between the banks"), (6, 10, "billed to the cardholder")):
        if number in message:
            text = money.say_rate(message.get(rate))
            short = text.rstrip("0").removesuffix(".") if "." in text else text
            at = f" (at a rate of {short})" if short.strip("0.") else ""
            parts.append(f"{how} as {money.say(message, number)}{at}")
    if parts:
        sentences.append(f"The amount is {' and '.join(parts)}.")
    if (fee := number_of("fee", version)) in message:
        amount = money.say_amount(message[fee][1:], message.get(49))
        sentences.append(f"A fee of {amount} is {'credited' if message[fee][:1] == 'C' else 'charged'}.")
    groups = "" if is_partly_approved(message) else message.get(54)
    if amounts_in_words := money.say_additional_amounts(groups, version, name):
        sentences.append(f"Additional amounts: {amounts_in_words}.")
    return " ".join(sentences)


def _when(message: Message, name: str | None) -> str:
    get = message.get
    numbers, pattern = _local_time(message.version)
    local_time = dates.readable_date(pattern, "".join(map(get, numbers)))
    sent = dates.readable_date(_SENT, get(7))
    whose = "sender" if message.mti[1] in _WITHOUT_MERCHANT else "merchant"
    if not local_time:
        return f"The message was sent on {sent} UTC." if sent else ""
    rest = f"; the message was sent on {sent} UTC." if sent else "."
    return f"The {whose}'s local time was {local_time}{rest}"


@cache
def _local_time(version: str) -> tuple[tuple[int, ...], str]:
    """The elements with the local date and time, and their combined pattern."""
    numbers = tuple(dict.fromkeys((number_of("local-date", version), 12)))
    return numbers, "".join(spec(version)[number].pattern for number in numbers)


def _where(message: Message, name: str | None) -> str:
    version, get = message.version, message.get
    texts = get(43), get(41), get(42), get(number_of("category", version)), version
    short = _DIGITS_OF_A_CARD.search("|".join(texts)) is None
    place: str = remembered(_place, *texts) if short else _place(*texts)
    return place


def _place(location: str, terminal: str, merchant: str, code: str, version: str) -> str:
    where = pos.say_location(mask(43, location, version), version)
    ids = (("terminal", terminal), ("merchant", merchant))
    listed = ", ".join(f"{word} {' '.join(text.split())}" for word, text in ids if text.strip())
    details = mask(0, listed, version)
    business = f"{code} ({say_merchant(code)})" if code else ""
    if where:
        text = f"It took place at {where}" + (f" ({details})" if details else "")
    elif details:
        text = f"It came from {details}"
    else:
        return f"The merchant's category is {business}; the location is not given." if code else ""
    return f"{text}, merchant category {business}." if code else f"{text}."


def _reading(message: Message, name: str | None) -> str:
    """Card entry (DE 22) and, in 1987, the condition (DE 25)."""
    code, condition = message[22], message.get(number_of("condition", message.version))
    version = message.version
    mode = pos.mode_of(code, version, name)
    added = "" if mode else pos.added_meaning(message, "entry", name)
    if not mode and not added:
        return f"The point of service code {code} says: {meaning(message, 22, name)}."
    how = f"Card entry: {added or mode}"
    if number_of("condition", version):
        capability = lookup("pin_entry_capability", code[2:3], version=version)
        if capability and (phrase := phrases("capabilities").get(capability.kind, capability.meaning)):
            how += f"; {phrase}"
    else:
        if absent := pos.absence(message, name):
            how += f"; {absent}"
        if verified := pos.authentication(message, name):
            how += f"; cardholder verification: {verified}"
    if condition:
        entry = lookup("pos_condition", condition, version=version, network=name)
        how += f"; condition: {entry.meaning if entry else 'unknown code ' + condition}"
    return how + "."


def _verification(message: Message, name: str | None) -> str:
    if 52 in message and not mti.is_response(message.mti):
        return "The cardholder entered a PIN, which is sent encrypted for the issuer to verify."
    return ""


def _reason(message: Message, name: str | None) -> str:
    if not number_of("function", message.version):
        return ""
    texts = []
    for number, label, owner in ((24, "function code", None), (25, "reason code", name)):
        if number not in message or (number == 24 and message.mti[1] == _LINK):
            continue
        code = message[number]
        entry = lookup(label.replace(" ", "_"), code, version=message.version, network=owner)
        if number == 24 and entry and message.mti[1] == _FILE:
            continue  # the file sentence covers it
        texts.append(f"{label} {code} {f'means {entry.meaning}' if entry else 'is not in the list'}")
    text = "; ".join(texts)
    return text[:1].upper() + text[1:] + "." if text else ""


def _trace(message: Message, name: str | None) -> str:
    labels = ((11, "STAN"), (37, "retrieval reference number"), (32, "acquirer"))
    parts = [f"{label} {value}" for number, label in labels if (value := message.get(number).strip())]
    return f"It can be traced by {', '.join(parts)}." if parts else ""


def _mac(message: Message, name: str | None) -> str:
    if 64 in message or 128 in message:
        return "A message authentication code protects it against changes in transit."
    return ""


class Teller(NamedTuple):
    """A sentence maker, used if one of the elements it `needs` is present (none: always). A `coded` sentence
    depends only on the MTI, the codes below and the set of elements."""

    what: str
    say: Callable[[Message, str | None], str]
    needs: frozenset[int] = frozenset()
    coded: bool = False


CODES = (3, 22, 24, 25, 70)
# In reading order.
TELLERS = (
    Teller("opening", _opening, coded=True),
    Teller("network_management", say_network_management, frozenset({24, 70}), coded=True),
    Teller("card", _card, frozenset({2, 35, 45})),
    Teller("request", _request, frozenset({3, 4})),
    Teller("outcome", say_outcome, frozenset({39})),
    Teller("accounts", _accounts, frozenset({3}), coded=True),
    Teller("billing", _billing, frozenset({5, 6, 28, 54})),
    Teller("own_parts", say_own_parts),  # which ones depends on the network
    Teller("totals", say_totals, frozenset({66, 74, 76, 97})),
    Teller("file", say_file, frozenset({24, 91, 101})),
    Teller("original", say_original, frozenset({56, 90})),
    Teller("replacement", say_replacement, frozenset({30, 95})),
    Teller("where", _where, frozenset({18, 26, 41, 42, 43})),
    Teller("when", _when, frozenset({7, 12, 13})),
    Teller("reading", _reading, frozenset({22}), coded=True),
    Teller("verification", _verification, frozenset({52}), coded=True),
    Teller("chip", lambda message, name: " ".join(emv.summary(message)), frozenset({55})),
    Teller("reason", _reason, frozenset({24, 25}), coded=True),
    Teller("trace", _trace, frozenset({11, 32, 37})),
    Teller("mac", _mac, frozenset({64, 128}), coded=True),
)


def tell(message: Message, name: str | None) -> dict[str, str]:
    """The sentences on *message* by topic, such as `outcome`; the code lists of network *name* apply."""
    sentences = {}
    for teller, sentence in _of_a_kind(message, name):
        if text := teller.say(message, name) if sentence is None else sentence:
            sentences[teller.what] = text
    return sentences


def tellers(message: Message, name: str | None) -> tuple[Teller, ...]:
    """The tellers that may apply to *message*."""
    numbers = elements_told(name or "")
    needs = ((teller, numbers if teller.say is say_own_parts else teller.needs) for teller in TELLERS)
    return tuple(teller for teller, needed in needs if not (needed and needed.isdisjoint(message.fields)))


def _of_a_kind(message: Message, name: str | None) -> tuple[tuple[Teller, str | None], ...]:
    """The tellers for messages with these codes, and the sentences that are the same for all of them."""
    codes = tuple(map(message.get, CODES))
    key = name, message.version, message.mti, *message.fields, codes
    pairs: tuple[tuple[Teller, str | None], ...] | None = None if message.dialect else SAID.get(key)
    if pairs is None:
        candidates = tellers(message, name)
        pairs = tuple((teller, teller.say(message, name) if teller.coded else None) for teller in candidates)
        if not message.dialect and max(map(len, codes)) <= SHORTEST_PAN:
            SAID.keep(key, pairs)
    return pairs
