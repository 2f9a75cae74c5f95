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
from sim.elements.pan import account
from sim.operations.llm.amounts import money_in
from sim.operations.llm.decision import check_claim
from sim.operations.llm.evidence import is_open
from sim.operations.llm.numbers import NUMBER, readings
from sim.operations.llm.prompts import MOST_WORDS
from sim.operations.llm.when import dates_in, months_in, times_in
from sim.operations.llm.wording import ANSWER, ENTRY, KIND, NETWORKS, PURPOSE, said

_MARKUP = re.compile(r"://|www\.|\]\(|<[a-z/!]|```|^\s*[#|]", re.IGNORECASE | re.MULTILINE)
_IS = r"(?:is|of|was|[:=(#])?\s*[\"'“]?"
_CODED = r"([A-Z0-9]*[0-9][A-Z0-9]*)\b"
_CODE = re.compile(
    r"\b(response|action|approval|authorization|authorisation|processing|condition|function|reason|currency|"
    rf"country|merchant category|category)\s+code\s*(?:\([A-Za-z]+\)\s*)?{_IS}{_CODED}",
    re.IGNORECASE,
)
_TRACED = re.compile(
    r"\b(stan|trace number|audit number|rrn|retrieval reference number|mcc|terminal|mti|rc|response|currency|"
    rf"entry mode)\s*(?:id|identifier|number)?\s*(?:\([A-Za-z]+\)\s*)?{_IS}{_CODED}",
    re.IGNORECASE,
)
_BARE_CODE = re.compile(rf"\bcode\s*{_IS}{_CODED}", re.IGNORECASE)
_ENDING = re.compile(
    r"\b(?:ending|ends)(?: in| with)?\s*([0-9]{2,6})\b|\blast (?:four|4)\D{0,20}([0-9]{4})\b"
)
_ELEMENT = re.compile(r"\b(?:DE|field|data element|element)\s?([0-9]{1,3})\b", re.IGNORECASE)
_ABSENT = re.compile(
    r"\b(?:no|not|without|absent|missing|lacks?|required|requires?|needs?|expected)\b|n't", re.IGNORECASE
)
_AMOUNT = re.compile(
    rf"\b(?:amount|total|sum|purchase|payment|refund|withdrawal)\b(?: (?:is|was|of|to|:))+\s*"
    rf"({NUMBER})(?![0-9])",
    re.IGNORECASE,
)
_MASKED = re.compile(r"([0-9]*)[*•]+([0-9]*)")
# What a code is called in prose -> the elements it may stand in, by version.
_ELEMENTS: dict[str, dict[str, tuple[int, ...]]] = {
    "1987": {"category": (18,), "condition": (25,), "function": (70,), "reason": (39, 60)},
    "1993": {"category": (26, 18), "condition": (22,), "function": (24,), "reason": (25,)},
    "2003": {"category": (26,), "condition": (22,), "function": (24,), "reason": (25,)},
}
_COMMON = {
    "response": (39,),
    "rc": (39,),
    "action": (39,),
    "approval": (38,),
    "authorization": (38,),
    "authorisation": (38,),
    "processing": (3,),
    "entry mode": (22,),
    "currency": (4, 49, 50, 51),
    "country": (19, 20, 21, 43),
    "stan": (11, 56, 90),
    "trace number": (11, 56, 90),
    "audit number": (11, 56, 90),
    "rrn": (37,),
    "retrieval reference number": (37,),
    "terminal": (41,),
}
# Elements of free characters that hold amounts.
_AMOUNTS = (46, 54, 55, 95)
_CODES = (3, 18, 19, 20, 21, 22, 24, 25, 26, 38, 39, 40, 49, 50, 51, 60, 70)
_DAYS = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")
_LONGEST = 24 * MOST_WORDS  # characters
_SHINGLE = 9  # words in a row that only a copy of the instructions has


@dataclass(frozen=True, slots=True)
class Facts:
    """What the explanation of one message may state. `numbers` are the readings of every number in its
    table; `tokens` its codes as they stand; `text` is the table and what the rules tell, without free text,
    which vouches for nothing."""

    message: Message
    network: str | None
    text: str
    money: frozenset[tuple[Decimal, str]]
    numbers: frozenset[Decimal]
    tokens: frozenset[str]
    instructions: str


def facts(
    message: Message, network: str | None, shown: dict[str, Any], told: str, instructions: str
) -> Facts:
    """The facts of *message*: from the table that the model sees and the explanation by rules."""
    rows = [row for row in shown["elements"] if row["element"] != "MTI"]
    free = [
        row
        for row in rows
        if (number := int(row["element"][3:])) not in _AMOUNTS and is_open(message, number)
    ]
    text = " ".join([*_strings(shown), told])
    typed = " ".join(_strings(free))
    sure = " ".join([*_strings([row for row in shown["elements"] if row not in free]), _without(told, typed)])
    money = {(value, code) for one in money_in(sure) for value in one.values for code in one.codes}
    values = {value for token in re.findall(NUMBER, text) for value in readings(token)}
    values |= {Decimal(number) for number in message.fields}
    # A clock of twelve hours, the number of elements, and the standard's own.
    values |= {value - 12 for value in values if 12 < value < 24}
    values |= {Decimal(len(message.fields)), Decimal(8583), Decimal(1987), Decimal(1993), Decimal(2003)}
    tokens = {token.upper() for token in re.findall(r"[A-Za-z0-9]+", text)}
    return Facts(message, network, sure, frozenset(money), frozenset(values), frozenset(tokens), instructions)


def _without(told: str, typed: str) -> str:
    """What the rules tell, without the names they quote."""
    words = sorted(set(re.findall(r"\S+", typed)), key=len, reverse=True)
    for word in words:
        if re.search(r"[0-9]", word) or word.isupper():
            told = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", told)
    return told


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
    if problems := check_length(text):
        return problems  # nothing of it is worth the time to read it
    checks = (_form, _money, _codes, _others, _cards, _when, _words, check_claim)
    return [problem for check in checks for problem in check(text, known)]


def check_length(text: str) -> list[str]:
    """Whether *text* is of a bearable length."""
    long = len(text) > _LONGEST or len(text.split()) > 2 * MOST_WORDS
    return [f"Write at most {MOST_WORDS} words"] if long else []


def _form(text: str, known: Facts) -> list[str]:
    problems = [] if text.strip() else ["Write the explanation"]
    if _MARKUP.search(text):
        problems.append("Write plain prose, without links, markup or tables")
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
    problems = [
        "The message has no such amount"
        + (f" in {min(one.codes)}" if len(one.codes) == 1 else "")
        + f", {text[one.start : one.end][:30]}: use the amounts of the table"
        for one in money_in(text)
        if not any((value, code) in known.money for value in one.values for code in one.codes)
    ]
    amounts = {value for value, _ in known.money}
    for match in _AMOUNT.finditer(text):
        if not readings(match[1]) & amounts:
            problems.append(f"The message has no amount {match[1][:20]}: use the amounts of the table")
    return problems


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
            fits = any(_stands(code, value, label) for value in values) or (
                label in ("stan", "trace number", "audit number") and _is_original_stan(code, message)
            )
        if not fits:
            problems.append(f"The message has no {match[1]} {'code ' if match.re is _CODE else ''}{code}")
    values = [message.get(number).strip().upper() for number in _CODES]
    for match in _BARE_CODE.finditer(text):
        code = match[1].upper()
        if not any(value and (code == value or value.startswith(code)) for value in values):
            problems.append(f"The message has no code {code}")
    for match in _ELEMENT.finditer(text):
        around = text[max(0, match.start() - 60) : match.end() + 60]
        if int(match[1]) not in (*message.fields, 1) and not _ABSENT.search(around):
            problems.append(f"The message has no DE {match[1]}")
    return problems


def _is_original_stan(code: str, message: Message) -> bool:
    """Whether *code* is the trace number in the original data elements, behind the MTI there."""
    width = 12 if message.version == "2003" else 6
    stans = [message.get(number)[4 : 4 + width] for number in (56, 90)]
    return any(stan.isdigit() and code.isdigit() and int(stan) == int(code) for stan in stans)


def _stands(code: str, value: str, label: str) -> bool:
    if not value:
        return False
    if code == value or (code.isdigit() and value.isdigit() and int(code) == int(value)):
        return True
    # Part of a composite element: of an amount its currency, of a merchant's place the country at the end.
    if label in ("processing", "currency", "entry mode"):
        return value.startswith(code)
    return label == "country" and value.endswith(code)


def _others(text: str, known: Facts) -> list[str]:
    """Numbers that stand nowhere in the table."""
    problems = []
    text = _ELEMENT.sub(" ", text)  # whether the message has it is another question
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


def _cards(text: str, known: Facts) -> list[str]:
    """Digits of another card number."""
    pan = account(known.message)[1]
    problems = []
    for match in _MASKED.finditer(text):
        first, last = match[1], match[2]
        if (first or last) and not (
            pan.startswith(first[:6]) and pan.endswith(last[-4:]) and len(first) <= 6
        ):
            problems.append("The card number is not that of the table: write it as it stands there")
    for match in _ENDING.finditer(text):
        if not pan.endswith(match[1] or match[2]):
            problems.append(f"The card does not end in {match[1] or match[2]}")
    return problems


def _when(text: str, known: Facts) -> list[str]:
    """Dates and times that the message does not have."""
    days = [day for choices in dates_in(known.text) for day in choices]
    problems = [
        "The message has no such date: write dates as the table has them"
        for choices in dates_in(text)
        if not any(
            one[1:] == day[1:] and (None in (one[0], day[0]) or one[0] == day[0])
            for one in choices
            for day in days
        )
    ]
    have = times_in(known.text)
    for hour, minute, second in times_in(text):
        if not any((hour, minute) == one[:2] and second in (None, one[2]) for one in have):
            problems.append(
                f"The message has no time {hour:02}:{minute:02}: write times as the table has them"
            )
    if months_in(text) - months_in(known.text) or set(_DAYS.findall(text)) - set(_DAYS.findall(known.text)):
        problems.append("The message names no such month or day of the week")
    return problems


def _words(text: str, known: Facts) -> list[str]:
    """Networks, kinds, purposes and ways of reading a card that the message does not have."""
    problems = []
    for words in (NETWORKS, KIND, PURPOSE, ENTRY):
        for name, pattern in words.items():
            if said(pattern, text) and not re.search(rf"\b(?:{pattern})\b", known.text, re.IGNORECASE):
                problems.append(f"The message says nothing of {name.lower()}")
    if said(ANSWER, text) and not mtis.is_response(known.message.mti):
        problems.append("The message is no answer")
    return problems
