"""Whether an intent says what its description says: nothing left out, nothing made up.

The description is the only witness. What it fixes in so many words or digits must be in the intent, and
what the intent gives in digits or names must stand in the description.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING

from sim.codec import Message
from sim.operations.llm.cards import Cleaned
from sim.operations.llm.numbers import NUMBER, numbers, readings
from sim.spec import Currency, currencies, currency

if TYPE_CHECKING:
    from sim.operations.llm.intent import Intent

_ALPHAS = frozenset(item.alpha for item in currencies() if item.exponent is not None)
# A number, also with blanks between its thousands.
_FIGURE = rf"(?:[0-9]{{1,3}}(?:[ \u00a0\u202f][0-9]{{3}})+(?![0-9])(?:[.,][0-9]+)?|{NUMBER})"
_MONEY = re.compile(rf"\b([A-Z]{{3}})\s?({_FIGURE})|({_FIGURE})\s?([A-Z]{{3}})\b")
_SYMBOLS = {"€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW"}
_SYMBOL = re.compile(rf"([€£₹₩])\s?({_FIGURE})|({_FIGURE})\s?([€£₹₩])")
_NETWORKS = {
    "VISA": r"\bvisa\b",
    "MASTERCARD": r"\bmaster ?card\b",
    "AMEX": r"\bamex\b|\bamerican express\b",
    "DISCOVER": r"\bdiscover\b(?= card| network|,|\.|$)",
    "JCB": r"\bjcb\b",
    "UNIONPAY": r"\bunion ?pay\b",
}
# What a description labels in so many words -> the properties of the intent that may hold it.
_LABELLED: tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), fields)
    for name, pattern, fields in (
        ("trace number", r"\b(?:stan|trace (?:number|no\.?))\s*(?:is|of|[:=#])?\s*([0-9]{1,6})\b", ("stan",)),
        ("MCC", r"\b(?:mcc|merchant category(?: code)?)\s*(?:is|of|[:=#])?\s*([0-9]{4})\b",
         ("merchant_category",)),
        ("response code", r"\b(?:response|action) code\s*(?:is|of|[:=#])?\s*([0-9][0-9A-Z]{1,3})\b",
         ("response_code",)),
        ("approval code", r"\b(?:approval|authorization|authorisation|auth) code\s*(?:is|of|[:=#])?\s*"
         r"([A-Z0-9]{6})\b", ("approval_code",)),
        ("reference", r"\b(?:rrn|retrieval reference(?: number)?)\s*(?:is|of|[:=#])?\s*([A-Z0-9]{12})\b",
         ("reference",)),
        ("terminal", r"\bterminal(?: id)?\s*(?:is|[:=#])?\s*([A-Z]*[0-9][A-Z0-9]{2,15})\b", ("terminal_id",)),
        ("merchant", r"\bmerchant (?:id|number)\s*(?:is|[:=#])?\s*([A-Z0-9]{3,35})\b", ("merchant_id",)),
        ("card ending", r"\b(?:ending|ends)(?: in| with)?\s*([0-9]{4})\b", ("card_last_four",)),
    )
)  # fmt: skip
_OUTCOME = re.compile(r"\b(?:declin|reject|refus)\w*|\bapproved\b", re.IGNORECASE)
_MTI = re.compile(r"\bMTI\s*(?:is|[:=#])?\s*([0-9]{4})\b", re.IGNORECASE)
_NAMES = ("terminal_id", "merchant_id", "merchant_name", "merchant_city", "reference", "approval_code")


def check_intent(intent: Intent, cleaned: Cleaned) -> list[str]:
    """What *intent* leaves out of, or adds to, the description, as sentences for the model."""
    text = cleaned.text
    return [
        *_cards(intent, cleaned),
        *_labelled(intent, text),
        *_amounts(intent, text),
        *_invented(intent, text),
        *_decision(intent, text),
    ]


def check_mti(message: Message, cleaned: Cleaned) -> list[str]:
    """An MTI that the description names is the message's."""
    named = _MTI.search(cleaned.text)
    if named and named[1] != message.mti:
        return [f"The description asks for MTI {named[1]}, the intent makes {message.mti}"]
    return []


def _cards(intent: Intent, cleaned: Cleaned) -> list[str]:
    problems = []
    if len(cleaned.tokens) == 1 and (intent.test_card or "").removeprefix("test card ") != cleaned.tokens[0]:
        problems.append(f"The description names a card: set `test_card` to {cleaned.tokens[0]}")
    if intent.test_card and not cleaned.tokens:
        problems.append("The description names no test card: leave `test_card` out")
    text = re.sub(r"test card [A-Z]+ #[0-9]+", "", cleaned.text)
    named = [name for name, pattern in _NETWORKS.items() if re.search(pattern, text, re.IGNORECASE)]
    if len(named) == 1 and intent.network != named[0]:
        problems.append(f"The description names a network: set `network` to {named[0]}")
    if intent.network and named and intent.network not in named:
        problems.append(f"The description does not name {intent.network}")
    return problems


def _labelled(intent: Intent, text: str) -> list[str]:
    problems = []
    for name, pattern, fields in _LABELLED:
        for match in pattern.finditer(text):
            have = [getattr(intent, field) for field in fields]
            if name == "trace number" and intent.original:
                have.append(intent.original.stan)
            if not any(_same(match[1], value) for value in have):
                problems.append(f"The description gives the {name} {match[1]}: set `{fields[0]}` to it")
    return problems


def _same(text: str, value: str | None) -> bool:
    if value is None:
        return False
    plain, have = text.upper(), value.strip().upper()
    both_numbers = plain.isdigit() and have.isdigit()
    return plain == have or (both_numbers and len(plain) < 7 and int(plain) == int(have))


def money_in(text: str) -> list[tuple[set[Decimal], Currency]]:
    """Every amount with a currency code or an unambiguous sign, as the readings of its number."""
    found = []
    for match in _MONEY.finditer(text):
        code, token = (match[1], match[2]) if match[1] else (match[4], match[3])
        if code in _ALPHAS and (known := currency(code)):
            found.append((_figures(token), known))
    for match in _SYMBOL.finditer(text):
        sign, token = (match[1], match[2]) if match[1] else (match[4], match[3])
        if known := currency(_SYMBOLS[sign]):
            found.append((_figures(token), known))
    return found


def _figures(token: str) -> set[Decimal]:
    """The readings of *token* as one number, and of its last group, as blanks may also part two."""
    *_, last = groups = token.split()
    return readings("".join(groups)) | readings(last)


def _amounts(intent: Intent, text: str) -> list[str]:
    """The amount stands in the description; an amount there stands in the intent, in its currency."""
    problems = []
    code = currency(intent.currency) if intent.currency else None
    major, minor = _values(intent, code)
    there = numbers(text)
    if intent.purpose == "cashback":
        there |= {one + other for one in there for other in there}
    if major is not None and not {major, minor} & there:
        problems.append("`amount` does not stand in the description: take it from there or leave it out")
    if intent.cashback_amount and Decimal(intent.cashback_amount) not in there:
        problems.append("`cashback_amount` does not stand in the description")
    given = money_in(text)
    if given:
        fits = [known for values, known in given if major in values or intent.purpose == "cashback"]
        if major is None:
            problems.append(f"The description gives an amount in {given[0][1].alpha}: set `amount`")
        elif not fits:
            problems.append("`amount` is not the one the description gives with its currency")
        elif code not in fits:
            problems.append(f"The description gives the amount in {fits[0].alpha}: set `currency` to it")
    return problems


def _values(intent: Intent, code: Currency | None) -> tuple[Decimal | None, Decimal | None]:
    """The intent's amount in major and in minor units."""
    exponent = 2 if code is None or code.exponent is None else code.exponent
    if intent.amount_minor_units is not None:
        minor = Decimal(intent.amount_minor_units)
        return minor.scaleb(-exponent), minor
    if intent.amount is None:
        return None, None
    return Decimal(intent.amount), Decimal(intent.amount).scaleb(exponent)


def _invented(intent: Intent, text: str) -> list[str]:
    """Names and numbers that the description does not have."""
    plain = fold(text)
    problems = [
        f"`{name}` does not stand in the description: take it from there or leave it out"
        for name in _NAMES
        if (value := getattr(intent, name)) and fold(value) not in plain
    ]
    stans = [intent.stan, intent.original.stan if intent.original else None]
    digits = {int(run) for run in re.findall(r"[0-9]+", text)}
    if any(stan and int(stan) not in digits for stan in stans):
        problems.append("`stan` does not stand in the description: leave it out")
    if intent.card_last_four and intent.card_last_four not in text:
        problems.append("`card_last_four` does not stand in the description: leave it out")
    return problems


def fold(text: str) -> str:
    """*text* without accents, case, blanks and marks, to compare names."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    return "".join(char for char in plain if char.isalnum())


def _decision(intent: Intent, text: str) -> list[str]:
    told = _OUTCOME.search(text)
    if told and intent.direction == "request" and intent.kind in ("auth", "financial"):
        return ["The description tells the issuer's decision: set `direction` to response, and `outcome`"]
    if told and intent.direction == "response" and not (intent.outcome or intent.response_code):
        return ["The description tells the issuer's decision: set `outcome`"]
    declined = [match[0] for match in _OUTCOME.finditer(text) if match[0].casefold() != "approved"]
    if declined and len(declined) == len(_OUTCOME.findall(text)) and intent.outcome == "approved":
        return ["The description tells a decline, not an approval"]
    return []
