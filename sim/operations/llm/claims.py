"""Whether an explanation states what its message says: amounts, codes, decision, and no other numbers.

Also that it is an explanation: prose of a bearable length, without links, markup or the instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sim.codec import Message
from sim.elements import mti as mtis
from sim.operations.llm.ground import money_in
from sim.operations.llm.numbers import NUMBER, readings
from sim.operations.llm.prompts import MOST_WORDS
from sim.spec import lookup
from sim.spec.networks import response_code

_MARKUP = re.compile(r"://|www\.|\]\(|<[a-z/!]|```|^\s*[#|]", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(
    r"\b(response|action|approval|authorization|authorisation|processing|condition|function|reason|currency|"
    r"country|merchant category|category)\s+code\s*"
    r"(?:is|of|was|[:=(#])?\s*[\"'“]?([A-Z0-9]*[0-9][A-Z0-9]*)\b",
    re.IGNORECASE,
)
_TRACED = re.compile(
    r"\b(stan|trace number|audit number|rrn|retrieval reference number|mcc|terminal|mti)\s*"
    r"(?:\([A-Za-z]+\)\s*)?(?:is|of|was|[:=(#])?\s*[\"'“]?([A-Z0-9]*[0-9][A-Z0-9]*)\b",
    re.IGNORECASE,
)
# What a code is called in prose -> the elements it may stand in, by version.
_ELEMENTS: dict[str, dict[str, tuple[int, ...]]] = {
    "1987": {"category": (18,), "condition": (25,), "function": (70,), "reason": (39, 60)},
    "1993": {"category": (26, 18), "condition": (22,), "function": (24,), "reason": (25,)},
    "2003": {"category": (26,), "condition": (22,), "function": (24,), "reason": (25,)},
}
_COMMON = {
    "response": (39,),
    "action": (39,),
    "approval": (38,),
    "authorization": (38,),
    "authorisation": (38,),
    "processing": (3,),
    "currency": (4, 49, 50, 51),
    "country": (19, 20, 21, 43),
    "stan": (11, 56, 90),
    "trace number": (11, 56, 90),
    "audit number": (11, 56, 90),
    "rrn": (37,),
    "retrieval reference number": (37,),
    "terminal": (41,),
}
_DECLINED = re.compile(
    r"\b(?:is|was|were|has been|been|got) (?:\w+ly )?(?:declined|rejected|refused)\b|\b(?:declined|rejected) "
    r"(?:it|the|this)\b|\bdeclines (?:it|the|this)\b",
    re.IGNORECASE,
)
_APPROVED = re.compile(
    r"\b(?:is|was|were|has been|been|got) (?:\w+ly )?(?:approved|accepted|authori[sz]ed)\b|\bapproved "
    r"(?:it|the|this)\b|\bapproves (?:it|the|this)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|nor|never|neither|yet|whether|if|until|without)\b|n't\b", re.IGNORECASE)
_SHINGLE = 9  # words in a row that only a copy of the instructions has


@dataclass(frozen=True, slots=True)
class Facts:
    """What the explanation of one message may state. `numbers` are the readings of every number in its
    table; `tokens` its codes as they stand."""

    message: Message
    network: str | None
    money: frozenset[tuple[Decimal, str]]
    numbers: frozenset[Decimal]
    tokens: frozenset[str]
    instructions: str


def facts(
    message: Message, network: str | None, shown: dict[str, Any], told: str, instructions: str
) -> Facts:
    """The facts of *message*: from the table that the model sees and the explanation by rules."""
    text = " ".join([*_strings(shown), told])
    money = {(value, known.alpha) for values, known in money_in(text) for value in values}
    values = {value for token in re.findall(NUMBER, text) for value in readings(token)}
    values |= {Decimal(number) for number in message.fields}
    # A clock of twelve hours, the number of elements, and the standard's own.
    values |= {value - 12 for value in values if 12 < value < 24}
    values |= {Decimal(len(message.fields)), Decimal(8583), Decimal(1987), Decimal(1993), Decimal(2003)}
    tokens = {token.upper() for token in re.findall(r"[A-Za-z0-9]+", text)}
    return Facts(message, network, frozenset(money), frozenset(values), frozenset(tokens), instructions)


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    else:
        yield str(value)


def check_text(text: str, known: Facts) -> list[str]:
    """What *text* (a whole explanation or a sentence of one) states that *known* has not, as sentences
    for the model."""
    return [*_form(text, known), *_money(text, known), *_codes(text, known), *_others(text, known),
            *_decision(text, known)]  # fmt: skip


def _form(text: str, known: Facts) -> list[str]:
    problems = []
    if _MARKUP.search(text):
        problems.append("Write plain prose, without links, markup or tables")
    if len(text.split()) > 2 * MOST_WORDS:
        problems.append(f"Write at most {MOST_WORDS} words")
    if _copies(text, known.instructions):
        problems.append("Do not repeat the instructions")
    return problems


def _copies(text: str, instructions: str) -> bool:
    mark = re.search(r"data-[0-9a-f]{16}", instructions)
    if mark and mark[0][5:] in text:
        return True
    words = re.findall(r"[a-z0-9]+", instructions.lower())
    runs = {tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1)}
    said = re.findall(r"[a-z0-9]+", text.lower())
    return any(tuple(said[at : at + _SHINGLE]) in runs for at in range(len(said) - _SHINGLE + 1))


def _money(text: str, known: Facts) -> list[str]:
    return [
        f"The message has no amount in {stated.alpha} of that size: use the amounts of the table"
        for values, stated in money_in(text)
        if not any((value, stated.alpha) in known.money for value in values)
    ]


def _codes(text: str, known: Facts) -> list[str]:
    message = known.message
    where = {**_COMMON, **_ELEMENTS[message.version]}
    where["mcc"] = where["merchant category"] = where["category"]
    problems = []
    for match in [*_CODE.finditer(text), *_TRACED.finditer(text)]:
        label, code = match[1].lower(), match[2].upper()
        if label == "mti":
            fits = code in known.tokens
        else:
            values = [message.get(number).strip().upper() for number in where[label]]
            fits = any(_stands(code, value, label) for value in values)
        if not fits:
            problems.append(f"The message has no {match[1]} {'code ' if match.re is _CODE else ''}{code}")
    return problems


def _stands(code: str, value: str, label: str) -> bool:
    if not value:
        return False
    if code == value or (code.isdigit() and value.isdigit() and int(code) == int(value)):
        return True
    # Part of a composite element: a processing code's type, an original's trace number, a currency.
    part = label in ("processing", "stan", "trace number", "audit number", "currency", "country", "terminal")
    return part and code in value


def _others(text: str, known: Facts) -> list[str]:
    """Numbers that stand nowhere in the table."""
    problems = []
    for word in re.findall(r"[A-Za-z0-9*]*[0-9][A-Za-z0-9*]*(?:[.,'’][0-9]+)*", text):
        if word.upper() in known.tokens or "*" in word:
            continue
        plain = re.sub(r"(?i)(?<=[0-9])(?:st|nd|rd|th|am|pm|s)$|^DE(?=[0-9])", "", word)
        if re.fullmatch(NUMBER, plain):
            if readings(plain) & known.numbers:
                continue
        elif any(part.upper() in known.tokens for part in (plain, word)):
            continue
        problems.append(f"{word[:20]} does not stand in the table")
    return problems


def _decision(text: str, known: Facts) -> list[str]:
    """A decision that the message does not carry."""
    kind = _kind(known)
    problems = []
    for sentence in re.split(r"(?<=[.;!?])\s+", text):
        if _NOT.search(sentence):
            continue
        if kind != "approved" and _APPROVED.search(sentence):
            problems.append("The message carries no approval: do not state one")
        if kind != "declined" and _DECLINED.search(sentence):
            problems.append("The message carries no decline: do not state one")
    return problems


def _kind(known: Facts) -> str:
    """approved, declined, or empty where the message tells neither."""
    message = known.message
    code = message.get(39)
    if not code:
        return ""
    own = response_code(known.network, code) if known.network and message.version == "1987" else None
    row = own or lookup("response_code", code, version=message.version, network=known.network)
    if row is None or (message.mti[1] == "4" and not mtis.is_response(message.mti)):
        return ""
    if row.kind in ("declined", "pick-up", "referral", "system"):
        return "declined"
    return "approved"
