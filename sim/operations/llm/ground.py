"""Whether an intent says what its description says: nothing left out, nothing made up.

The description is the only witness. What it fixes in so many words or digits must be in the intent, and
what the intent gives in digits or names must stand in the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from sim.codec import Message
from sim.operations.llm.amounts import Money, currencies_in, money_in
from sim.operations.llm.cards import TOKEN, Cleaned
from sim.operations.llm.decision import meaning_of
from sim.operations.llm.numbers import NUMBER, numbers, readings
from sim.operations.llm.when import check_when, without_when
from sim.operations.llm.wording import (
    APPROVED,
    DECLINED,
    NETWORKS,
    check_decision,
    check_words,
    fold,
    names_in,
    said,
    unnamed,
    without_names,
)
from sim.spec import Currency, currency
from sim.spec.networks import detect, network, test_cards

if TYPE_CHECKING:
    from sim.operations.llm.intent import Intent

# Words by which a network that is not named in full may be meant.
_MEANT = {name: network(name).meant for name in NETWORKS if network(name).meant}
# What a description labels in so many words -> the properties of the intent that may hold it.
_LABELLED: tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), fields)
    for name, pattern, fields in (
        ("trace number", r"\b(?:stan|trace (?:number|no\.?))\s*(?:is|of|[:=#])?\s*([0-9]{1,6})\b", ("stan",)),
        ("MCC", r"\b(?:mcc|merchant category(?: code)?)\s*(?:is|of|[:=#])?\s*([0-9]{4})\b",
         ("merchant_category",)),
        ("response code", r"\b(?:(?:response|action) code|RC|(?:DE|field|bit) ?39)\s*(?:is|of|[:=#])?\s*"
         r"([0-9][0-9A-Z]{1,3})\b",
         ("response_code",)),
        ("approval code", r"\b(?:approval|authorization|authorisation|auth) code\s*(?:is|of|[:=#])?\s*"
         r"([A-Z0-9]{6})\b", ("approval_code",)),
        ("reference", r"\b(?:rrn|retrieval reference(?: number)?)\s*(?:is|of|[:=#])?\s*([A-Z0-9]{12})\b",
         ("reference",)),
        ("terminal", r"\bterminal(?: id)?\s*(?:is|[:=#])?\s*([A-Z]*[0-9][A-Z0-9]{2,15})\b", ("terminal_id",)),
        ("merchant", r"\bmerchant (?:id|number)\s*(?:is|[:=#])?\s*([A-Z0-9]{3,35})\b", ("merchant_id",)),
        ("card ending", r"(?:\b(?:ending|ends)(?: in| with)?|\blast (?:four|4)(?: digits)?(?: are| is)?|x{4})"
         r"\s*([0-9]{4})\b", ("card_last_four",)),
    )
)  # fmt: skip
_MTI = re.compile(r"\bMTI\s*(?:is|[:=#])?\s*([0-9]{4})\b", re.IGNORECASE)
_ISO = re.compile(r"\b(?:ISO[ -]?)?8583\b|\b(?:DE|field|bit|element) ?[0-9]{1,3}\b", re.IGNORECASE)
_SPAN = re.compile(
    r"\b[0-9]+ (?:second|minute|hour|day|week|month|year)s?\b"
    r"|(?:\b(?:UTC|GMT)\s?)?[+-][0-9]{1,2}:?[0-9]{2}\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(rf"(?<![A-Za-z0-9*]){NUMBER}(?![A-Za-z0-9*])")
_NEGATIVE = re.compile(r"(?:^|(?<=[\s(]))[-\u2212]$")
_NAMES = ("terminal_id", "merchant_id", "merchant_name", "merchant_city", "reference", "approval_code")


def check_intent(intent: Intent, cleaned: Cleaned) -> list[str]:
    """What *intent* leaves out of, or adds to, the description, as sentences for the model."""
    text = cleaned.text
    return [
        *_cards(intent, cleaned),
        *_labelled(intent, text),
        *_amounts(intent, text),
        *_invented(intent, text),
        *check_words(intent, text),
        *check_when(intent, text),
        *check_decision(intent, text, ""),
    ]


def check_message(message: Message, network: str | None, intent: Intent, cleaned: Cleaned) -> list[str]:
    """What the description fixes, and *message*, made of *intent*, has not: an MTI, a reason to decline,
    numbers and names that stand nowhere in it and are not said to concern no element."""
    text = cleaned.text
    named = _MTI.search(text)
    if named and named[1] != message.mti:
        return [f"The description asks for MTI {named[1]}, the intent makes {message.mti}"]
    problems = check_decision(intent, text, meaning_of(message, network)[0])
    problems += [
        f"`beside` has {one[:40]}, which does not stand in the description"
        for one in intent.beside
        if fold(one) not in fold(text)
    ]
    return problems + [
        f"The description has {one[:40]}, which is nowhere in the intent: put it where it belongs, in "
        "`unmet` if the message should have it, or in `beside` if it concerns no element"
        for one in _unused(intent, message, text)
        if not any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", aside) for aside in intent.beside)
    ]


def notes_of(intent: Intent, cleaned: Cleaned) -> list[str]:
    """What was understood though no word says it, and what was left out, as notes."""
    text = cleaned.text
    meant = unnamed(intent, text)
    known = currency(intent.currency) if intent.currency else None
    if known and known.alpha not in currencies_in(text) and known.numeric not in text:
        meant.insert(0, f"currency {known.alpha}")
    notes = [*_torn(intent, text)]
    notes += [f"Understood, though not named: {', '.join(meant)}."] if meant else []
    if intent.beside:
        notes.append(f"Left out, as it concerns no element: {'; '.join(intent.beside)}.")
    return notes


def _torn(intent: Intent, text: str) -> Iterator[str]:
    """Notes on what the description says in two ways."""
    plain = without_names(intent, TOKEN.sub("", text))
    if intent.network and len(_networks(plain)) > 1:
        yield f"The description names several networks: {intent.network} is used."
    if said(DECLINED, plain) and said(APPROVED, plain) and intent.outcome:
        yield f"The description tells an approval and a decline: {intent.outcome} is used."


def _networks(text: str) -> list[str]:
    return [name for name, pattern in NETWORKS.items() if re.search(rf"\b(?:{pattern})", text, re.IGNORECASE)]


def _unused(intent: Intent, message: Message, text: str) -> Iterator[str]:
    """The numbers and names of *text* that *message* does not have."""
    plain = "".join(fold(value) for value in _texts(intent.model_dump(exclude={"beside", "unmet"})))
    for name in names_in(text):
        if fold(name) not in plain:
            yield name
    text = _SPAN.sub(" ", without_when(_ISO.sub(" ", TOKEN.sub(" ", text))))
    have = _have(intent, message)
    values = [*message.fields.values(), message.mti]
    amounts = money_in(text)
    for match in _WHOLE.finditer(text):
        money = next((one for one in amounts if one.start <= match.start() < one.end), None)
        found = money.values if money else readings(match[0])
        cut = {message.get(3)[:2], message.get(22)[:2], message.get(22)[:3], message.get(3)}
        if not (
            found & have or match[0] in cut or any(len(match[0]) > 2 and match[0] == one for one in values)
        ):
            yield match[0]


def _have(intent: Intent, message: Message) -> set[Decimal]:
    """The numbers of *intent*, as a description may have them."""
    code = currency(intent.currency) if intent.currency else None
    have = {value for value in _values(intent, code) if value is not None}
    if intent.cashback_amount and intent.amount:
        have |= {Decimal(intent.cashback_amount), Decimal(intent.amount) - Decimal(intent.cashback_amount)}
    have |= {Decimal(run) for value in _texts(intent.model_dump(exclude={"beside", "unmet"}))
             for run in re.findall(r"[0-9]+", value)}  # fmt: skip
    if expiry := intent.card_expiry:
        have |= {
            Decimal(expiry[:2]),
            Decimal(expiry[2:]),
            Decimal(f"20{expiry[:2]}"),
            Decimal(expiry[2:] + expiry[:2]),
        }
    for one in (intent, intent.original):
        if one and one.time:
            hour = int(one.time[:2])
            have |= {Decimal(hour % 12 or 12), Decimal(hour * 100 + int(one.time[3:5]))}
        if one and one.date:
            have.add(Decimal(one.date[2:4]))
    return have | {Decimal(message.version), Decimal(message.mti)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def _cards(intent: Intent, cleaned: Cleaned) -> list[str]:
    problems = []
    if len(cleaned.tokens) == 1 and (intent.test_card or "").removeprefix("test card ") != cleaned.tokens[0]:
        problems.append(f"The description names a card: set `test_card` to {cleaned.tokens[0]}")
    if intent.test_card and not cleaned.tokens:
        problems.append("The description names no test card: leave `test_card` out")
    text = without_names(intent, TOKEN.sub("", cleaned.text))
    named = _networks(text)
    brand = next((one for one in _brands() if re.search(rf"\b{one}\b", text, re.IGNORECASE)), None)
    if brand and not (intent.card_brand or intent.network or intent.test_card):
        problems.append(f"The description names a brand: set `card_brand` to {brand}")
    if len(named) == 1 and intent.network != named[0]:
        problems.append(f"The description names a network: set `network` to {named[0]}")
    meant = _MEANT.get(intent.network or "", r"(?!)")
    carried = {token.split()[0] for token in cleaned.tokens}
    if (
        intent.network
        and intent.network not in (*named, *carried)
        and not re.search(meant, text, re.IGNORECASE)
    ):
        problems.append(f"The description does not name {intent.network}: leave `network` out")
    return problems


@cache
def _brands() -> tuple[str, ...]:
    """The brands of cards beside the networks."""
    brands = {owner.brand for card in test_cards() if not card.network and (owner := detect(card.pan))}
    return tuple(sorted(re.escape(one) for one in brands | {"Maestro", "RuPay", "Mir", "Elo", "Interac"}))


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


def _amounts(intent: Intent, text: str) -> list[str]:
    """The amount stands in the description; an amount there stands in the intent, in its currency."""
    problems = []
    code = currency(intent.currency) if intent.currency else None
    major, minor = _values(intent, code)
    given = money_in(text)
    there = numbers(text) | {value for one in given for value in one.values}
    if intent.purpose == "cashback":
        there |= {one + other for one in there for other in there}
    if major is not None and not {major, minor} & there:
        problems.append("`amount` does not stand in the description: take it from there or leave it out")
    if any(_NEGATIVE.search(text[: one.start]) for one in given):
        problems.append(
            "The description has a negative amount, which no message can hold: name it in `unmet`"
        )
    stated = re.search(r"\bcurrency(?: code)?\s*(?:is|of|[:=#])?\s*([A-Z]{3}|[0-9]{3})\b", text)
    wanted = currency(stated[1]) if stated else None
    if wanted and wanted != code:
        problems.append(f"The description gives the currency: set `currency` to {wanted.alpha}")
    return problems + _money(intent, given, major, code) + _cashback(intent, given, there, text)


def _money(intent: Intent, given: list[Money], major: Decimal | None, code: Currency | None) -> list[str]:
    if not given:
        return []
    shown = _alpha(given[0])
    fits = [one for one in given if major in one.values or intent.purpose == "cashback"]
    if major is None:
        return [f"The description gives an amount{shown}: set `amount`"]
    if not fits:
        return ["`amount` is not the one the description gives with its currency"]
    if not any(code and code.alpha in one.codes for one in fits):
        return [f"The description gives the amount{_alpha(fits[0])}: set `currency` to it"]
    return []


def _alpha(one: Money) -> str:
    return f" in {min(one.codes)}" if len(one.codes) == 1 else ""


def _cashback(intent: Intent, given: list[Money], there: set[Decimal], text: str) -> list[str]:
    """The cash part is the one that the description calls so, and no more than the whole."""
    if intent.cashback_amount is None:
        return []
    cash = Decimal(intent.cashback_amount)
    if cash not in there or (intent.amount and cash > Decimal(intent.amount)):
        return ["`cashback_amount` does not stand in the description, or is more than `amount`"]
    called = [
        one
        for one in given
        if re.match(r"[ ,]*(?:of (?:it|which|that) )?(?:is |in |as |was )?cash", text[one.end :])
    ]
    if called and not any(cash in one.values for one in called):
        return ["`cashback_amount` is not the amount that the description calls cash"]
    return []


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
    if intent.version and not re.search(
        rf"(?<![0-9])(?:{intent.version[:2]})?{intent.version[2:]}(?![0-9])", text
    ):
        problems.append("`version` does not stand in the description: leave it out")
    stans = [intent.stan, intent.original.stan if intent.original else None]
    digits = {int(run) for run in re.findall(r"[0-9]+", text)}
    if any(stan and int(stan) not in digits for stan in stans):
        problems.append("`stan` does not stand in the description: leave it out")
    if intent.card_last_four and intent.card_last_four not in text:
        problems.append("`card_last_four` does not stand in the description: leave it out")
    return problems
