"""What is asked where no money moves, and what an answer means for those who wait for it (DE 39).

The words are in `data/phrases.toml`; here is which of them a message asks for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from sim.codec import Message
from sim.elements import money, mti
from sim.elements.meaning import first_amount, unfold
from sim.elements.money import read_additional_amounts
from sim.operations.own_parts import purchase_meant
from sim.spec import is_particular, lookup, number_of
from sim.spec.networks import answer
from sim.spec.tables import read_csv, read_toml

_ORIGINAL_AMOUNT = "57"
PURCHASE = "00"  # of nothing, it verifies the account
_DECIDED = "024"  # function digits of what asks or reports: no acknowledgement
_ADVICE = "3"  # function digit of the answer to an advice
# Kinds of answers after which the code itself may say what can be done.
_WITH_STEP = ("declined", "system")
# By message class: what is accepted rather than approved.
_ACCEPTED = {"3": "filed", "4": "reversal", "5": "totals"}


def say_outcome(message: Message, name: str | None, sender: str) -> str:
    """The sentences about DE 39 of *message*, whose *sender* answers: what it says, what happens next.

    >>> say_outcome(Message("0810", {39: "00"}), None, "other side")
    'The other side answered: all well (00).'
    """
    code = message.get(39)
    if not code:
        return ""
    where = "response" if mti.is_response(message.mti) else "request"
    known = answer(code, message.version, name, where=where)
    meaning = known.meaning if known else f"not in the list of ISO 8583:{message.version} codes"
    label = message.spec[39].name.lower()
    if not mti.is_response(message.mti):
        undoes = message.mti[1] == "4"
        if undoes and known and known.kind == "approved":
            return f"Its {label} {code}, {meaning}, is that of the original and gives no reason."
        if message.mti[2] not in _DECIDED:
            return f"Its {label} {code} means {meaning}."
        return f"Its {label} {code} {'gives the reason' if undoes else 'gives the decision'}: {meaning}."
    kind = known.kind if known else ""
    if mti.is_network_management(message.mti) and kind in ("approved", "network"):
        return f"The other side answered: all well ({code})."
    told = "partly" if is_partly_approved(message) else _told(message, kind)
    found = _deciders(message, name)
    sender = next((row.who for row in found if row.who), sender)
    outcome = phrases("outcomes").get(told, "{sender} answered").format(sender=f"The {sender}")
    text = f"{outcome}: {label} {code}" + ("" if meaning == kind else f", {meaning}")
    if approval := message.get(38).strip():
        text += f", with approval code {approval}"
    step = next((row.step for row in found if row.step), "") if kind in _WITH_STEP else ""
    return f"{text}. {_next(message, kind, name, step)}".strip()


class _Decider(NamedTuple):
    """Which values of a part tell who decided, other than the sender, and what can be done about it."""

    path: str
    codes: re.Pattern[str]
    who: str
    step: str


@cache
def _rows_of(name: str, version: str) -> tuple[_Decider, ...]:
    return tuple(
        _Decider(row["path"], re.compile(row["codes"]), row["who"], row["next"])
        for row in read_csv("deciders")
        if row["network"] in ("", name) and row["versions"] == version
    )


def _deciders(message: Message, name: str | None) -> list[_Decider]:
    """The rows of `deciders.csv` that say something of an answer to a request."""
    if message.mti[1] not in "12" or message.mti[2] != "1":
        return []
    return [
        row
        for row in _rows_of(name or "", message.version)
        if row.codes.fullmatch(_value(message, row, name))
    ]


def _value(message: Message, row: _Decider, name: str | None) -> str:
    number = int(row.path.partition(".")[0])
    if number not in message or str(number) == row.path:
        return message.get(number)
    parts = unfold(message, number, name)
    return next((one.part.value for one in parts if one.part.cell.path == row.path), "")


def say_inquiry(message: Message, wanted: str, sender: str, receiver: str) -> str:
    """What a request asks for, or an answer was asked for, that moves no money, *wanted* by its processing
    code; empty for others."""
    if message.mti[1] not in "12" or message.mti[2] not in "01" or money.moves(message):
        return ""
    answers = mti.is_response(message.mti)
    if "inquiry" in wanted:
        asked_for = phrases("asked_for").get(message[3][:2], wanted)
        if answers:
            return f"It answers a request for {asked_for}."
        return f"The {sender} asks the {receiver} for {asked_for}."
    if 4 in message and message.mti[1] == "1" and message.get(3)[:2] == PURCHASE:
        if answers:
            return "It answers a request to verify the account."
        return f"The {sender} asks the {receiver} to verify the account; nothing is charged."
    return ""


def is_partly_approved(message: Message) -> bool:
    """Whether *message* is an answer that approves a part of what was asked for."""
    return (
        message.mti[1] in "12"
        and mti.is_response(message.mti)
        and is_particular("partial", message.version, message.get(39))
    )


def is_partly_undone(message: Message) -> bool:
    """Whether *message* is a reversal whose function code says that a part of the amount stays, that of DE 4;
    1987 has an element for what stays."""
    if message.mti[1] != "4":
        return False
    number = number_of("function", message.version)
    return number in message and is_particular("partial-reversal", message.version, message[number])


def phrases(name: str) -> dict[str, Any]:
    """The words of table *name*, by what they say."""
    found: dict[str, Any] = read_toml("phrases")[name]
    return found


def _told(message: Message, kind: str) -> str:
    """Which of the outcomes: an advice is acknowledged, a reversal accepted, and so are totals and files."""
    if kind not in ("approved", "administrative"):
        return kind
    if message.mti[1] in _ACCEPTED and kind == "approved":
        return _ACCEPTED[message.mti[1]]
    if message.mti[1] == "4":
        return "reversal"
    return "acknowledged" if message.mti[1] in "12" and message.mti[2] == _ADVICE else kind


def _next(message: Message, kind: str, name: str | None, step: str = "") -> str:
    """What happens next, by message class, kind of answer and what was asked for; *step* is what can be done
    about a decline or a failure."""
    message_class = message.mti[1]
    if message_class in "12" and message.mti[2] == _ADVICE:
        return str(phrases("next")["advice"].get(kind, ""))
    if is_partly_approved(message):
        return _partly(message)
    words: dict[str, Any] = phrases("next").get(message_class, {})
    wanted = _wanted(message, name)
    if kind == "approved":
        return str(words.get(wanted) or words.get(kind, ""))
    if step:
        return step if message_class == "1" else f"{words['declined']} {step}"
    return str(words.get(f"{kind} {wanted}") or words.get(kind, ""))


def _wanted(message: Message, name: str | None) -> str:
    """What was asked for, as far as the next step depends on it: cash, credit, balance, inquiry, check."""
    code = message.get(3)[:2]
    meant = purchase_meant(message, name) if code == PURCHASE else ""
    special = phrases("wanted").get(meant or code)
    if special:
        return str(special)
    known = lookup("transaction_type", code, version=message.version, network=name)
    if known and (special := phrases("wanted").get(known.meaning)):
        return str(special)
    if known and known.kind == "debit" and 4 in message and not money.moves(message):
        return "check"
    return known.kind if known else ""


def amount_asked(message: Message) -> str:
    """The amount that *message* asks for or answers: of a partial approval or reversal the original one."""
    partly = is_partly_approved(message) or is_partly_undone(message)
    return (_original(message) if partly else "") or money.say(message)


def _partly(message: Message) -> str:
    """How much of how much is approved."""
    approved = money.say(message)
    if not approved:
        return "Only a part is approved; the rest needs another payment."
    asked = _original(message)
    return f"Only {approved}{f' of {asked}' if asked else ''} is approved; the rest needs another payment."


def _original(message: Message) -> str:
    """The amount that was asked for: DE 54 type 57, since 1993 DE 30."""
    number = number_of("original-amount", message.version)
    if not number:
        groups = read_additional_amounts(message.get(54), message.version)
        found = next((group for group in groups if group.kind == _ORIGINAL_AMOUNT), None)
        return money.say_amount(found.amount, found.currency) if found else ""
    return first_amount(message, number)
