"""Whether an intent says what its description says: nothing left out, nothing made up.

The words that a property carries must stand in the description and give its value; what the description
fixes in so many words or digits must be among the words of a property.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sim.codec import Message
from sim.operations.llm.drafting.marks import Mark, Marked, is_beside
from sim.operations.llm.drafting.when import is_day, is_expiry, is_offset, is_time
from sim.operations.numbers import Figure
from sim.spec import country, currency
from sim.spec.networks import answer

if TYPE_CHECKING:
    from sim.operations.llm.drafting.intent import Intent

# What words may give without naming it, which is noted then.
_UNDERSTOOD = ("entry", "purpose", "currency", "merchant_country", "original_kind", "merchant_category")
_OTHER_AMOUNTS = ("approved_amount", "final_amount", "merchant_amount")
_AMOUNTS = ("amount", "amount_minor_units", "cashback_amount", *_OTHER_AMOUNTS)
_NAMES = ("merchant_name", "merchant_city")
_IDS = ("terminal_id", "merchant_id", "reference", "approval_code", "acquirer_id", "postal_code", "address")
# What must be named by the words that give it, and by which.
_LABELLED = {"stan": "stan", "original_stan": "stan", "card_last_four": "card_last_four",
             "card_expiry": "card_expiry", "instalments": "instalments",
             **{name: name for name in (*_IDS, *_OTHER_AMOUNTS)}}  # fmt: skip
# Marks of these stand for another property, too.
_ALSO = {"stan": ("original_stan",), "reason": ("response_code",), "network": ("test_card",),
         "card_brand": ("network", "test_card"), "kind": ("original_kind",)}  # fmt: skip
# What an MTI says, by its second and third digit, or by one of them.
_KINDS = {"1": "auth", "12": "advice", "13": "advice", "2": "financial", "22": "financial_advice",
          "23": "financial_advice", "3": "file_update", "4": "reversal", "5": "settlement",
          "52": "settlement_advice", "53": "settlement_advice", "8": "echo"}  # fmt: skip
_WAYS = {"0": "request", "1": "response", "2": "request", "3": "response"}
_LEFT = "Nothing of the intent has {}: put it where it belongs (an amount, a code, a date, a name ...), in \
`unmet` if the message should have it, or in `beside` if it concerns no element"
_WRONG = "`{}`: the value does not follow from its words; quote just those that name it, or leave it out"


@dataclass(slots=True)
class Held:
    """An intent held against its description. `spans` are the places of the words that count."""

    told: Marked
    intent: Intent
    now: datetime
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def marks(self, start: int, end: int) -> list[Mark]:
        """The marks between two places of the description that are no part of a name."""
        return [
            one
            for one in self.told.marks
            if start <= one.start and one.end <= end and not self._named(one.start, one.end)
        ]

    def near(self, start: int, end: int) -> list[Mark]:
        """The marks between two places, and one right behind: the cents of an amount, the half of a day."""
        rest = re.compile(r"[\s-]?\w+(?:\.m\.)?").match(self.told.text, end)
        return self.marks(start, rest.end() if rest else end)

    def figures(self, start: int, end: int) -> list[Figure]:
        """The numbers between two places of the description; half of a number counts as that number."""
        return [one for one in self.told.figures if one.start < end and start < one.end]

    def covered(self, names: tuple[str, ...], start: int, end: int) -> bool:
        """Whether a place stands among the words of one of the properties *names*."""
        return any(s <= start and end <= e for name in names for s, e in self.spans.get(name, ()))

    def _named(self, start: int, end: int) -> bool:
        return self.covered(_NAMES, start, end)


def check(intent: Intent, told: Marked, now: datetime) -> Held:
    """*intent*, held against the description *told*: problems are sentences for the model."""
    held = Held(told, intent, now)
    given = intent.said()
    for name in sorted(given, key=lambda one: one not in _NAMES):  # the words of names mean nothing else
        value, words = given[name]
        places = _places(words, told.text)
        if not places:
            held.problems.append(f"`{name}`: its words do not stand in the description")
            continue
        right = [place for place in places if _follows(held, name, value, *place)]
        if not right:
            held.problems.append(_WRONG.format(name))
        held.spans[name] = right
    if not held.problems:
        _left_out(held)
    return held


def check_message(held: Held, message: Message, network: str | None) -> list[str]:
    """What *message*, made of the intent, does not have of the description: a number, a name, a reason to
    decline. And what is said to lie beside it, but is of it, or stands nowhere."""
    told, problems = held.told, []
    aside = [place for text in held.intent.beside for place in _places(text, told.text) or [(0, 0)]]
    if (0, 0) in aside or any(_must(held, *place) for place in aside):
        problems.append("`beside` may only have what stands in the description and concerns no element")
    currencies = [one for one in told.marks if one.property == "currency" and one.values]
    for mark in currencies:
        amounts = [one for one in told.figures if is_beside(told.text, one, mark)]
        if amounts and not any(held.covered(_AMOUNTS, one.start, one.end) for one in amounts):
            problems.append("The description gives an amount: set `amount`")
    for one in told.figures:
        money = any(is_beside(told.text, one, mark) for mark in currencies)
        if not money and (one.spelled or _of_a_word(told.text, one)):
            continue
        if any(s <= one.start and one.end <= e for s, e in aside) or _counted(held, one):
            continue
        if not _written(told.text[one.start : one.end], message):
            problems.append(_LEFT.format(told.text[one.start : one.end][:40]))
    plain = fold(" ".join(str(value) for value, _ in held.intent.said().values()))
    problems += [_LEFT.format(name[:40]) for name in told.names if fold(name) not in plain]
    known = answer(message.get(39), message.version, network)
    if known and known.kind != "approved":
        reasons = {
            value for one in held.marks(0, len(told.text)) if one.property == "reason" for value in one.values
        }
        if reasons and not any(reason in known.meaning for reason in reasons):
            problems.append(f"The description gives a reason to decline, and the code means {known.meaning}")
    return problems


def fold(text: str) -> str:
    """*text* without accents, case, blanks and marks, to compare names."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    return "".join(char for char in plain if char.isalnum())


def _places(words: str, text: str) -> list[tuple[int, int]]:
    """Where *words* stand in *text* as whole words, whatever their case and blanks."""
    parts = [re.escape(part) for part in words.split()]
    pattern = r"(?<!\w)(?=\w)|(?=\W)" if parts else "(?!)"
    found = re.finditer(
        rf"(?:{pattern})(?:" + r"\s+".join(parts) + r")(?:(?<=\w)(?!\w)|(?<=\W))", text, re.IGNORECASE
    )
    return [match.span() for match in found]


def _follows(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    """Whether the words between two places give *value* to the property *name*."""
    words, marks = held.told.text[start:end], held.marks(start, end)
    if any(one.start < start or end < one.end for one in held.figures(start, end)):
        return False  # half a number
    label = _LABELLED.get(name)
    if label and not any(one.property == label for one in marks):
        return False
    special = _SPECIAL.get(name)
    if special:
        return special(held, name, value, start, end)
    if name in _NAMES:
        return fold(value) == fold(words)
    if name in _IDS:
        return fold(str(value)) in fold(words) and _all_in(held, str(value), start, end)
    if name in ("kind", "direction") and (mti := re.search(r"\b[0129]([1-58])([0-3])[0-5]\b", words)):
        said = _WAYS[mti[2]] if name == "direction" else _KINDS.get(mti[1] + mti[2], _KINDS[mti[1]])
        return bool(value == said)
    own = [one for one in marks if one.property == name and one.values]
    if any(str(value) in one.values or _alike(name, value, one) for one in own):
        return True
    return not own and name in _UNDERSTOOD and _understood(held, name, value, words)


def _understood(held: Held, name: str, value: Any, words: str) -> bool:
    """Take *words* to mean *value* though they do not name it, and note it; not where others name one."""
    if len(fold(words)) < 2 or any(one.property == name for one in held.marks(0, len(held.told.text))):
        return False
    held.notes.append(f"Understood from “{words}”: {_said(name)} {value}.")
    return True


def _said(name: str) -> str:
    return "MCC" if name == "merchant_category" else name.removeprefix("merchant_").replace("_", " ")


def _alike(name: str, value: Any, mark: Mark) -> bool:
    """Codes of currencies and countries are of digits or letters."""
    if name == "currency":
        known = currency(str(value))
        return known is not None and known.alpha in mark.values
    if name == "merchant_country":
        place = country(str(value))
        return place is not None and place.alpha2 in mark.values
    return name == "card_brand" and fold(str(value)) in map(fold, mark.values)


def _all_in(held: Held, value: str, start: int, end: int) -> bool:
    """Whether every number between two places is part of *value*."""
    text = held.told.text
    return all(
        one.spelled or fold(text[one.start : one.end]) in fold(value) for one in held.figures(start, end)
    )


def _is_number(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    """The one number there is the value."""
    found = held.figures(start, end)
    return len(found) == 1 and found[0].values == {Decimal(value)}


def _is_amount(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    marks = held.marks(start, end)
    others = {*_LABELLED.values(), "merchant_category", "response_code"} - {name}
    if any(one.property in others for one in marks):
        return False
    found = held.figures(start, end)
    if name == "cashback_amount" and not any(one.property == "cash" for one in marks):
        return False
    minor = any(one.property == "minor" for one in held.near(start, end))
    return Decimal(value) in _sums(held, name, found, minor)


def _sums(held: Held, name: str, found: list[Figure], minor: bool) -> set[Decimal]:
    """What the numbers *found* may come to, as an amount in major units (in minor ones where asked)."""
    if not found or len(found) > 2 or any(_negative(held, one) for one in found):
        return set()
    first = found[0].values
    if len(found) == 1:
        whole = name == "amount_minor_units"
        return set(first) if whole or not minor else {value / 100 for value in first}
    second = found[1].values
    if name == "amount" and held.intent["purpose"] == "cashback":
        return {one + other for one in first for other in second}
    # twelve euros fifty; twenty-five dollars and fifty cents
    fits = minor or (found[0].spelled and found[1].spelled)
    return {one + other / 100 for one in first for other in second if fits and other < 100}


def _negative(held: Held, one: Figure) -> bool:
    return bool(re.search(r"(?:^|[\s(])[-\u2212]$", held.told.text[: one.start]))


def _is_code(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    """A response code in digits, or by a reason; a merchant category in digits, or by a kind of shop."""
    found, words = held.figures(start, end), held.told.text[start:end]
    marks = held.marks(start, end)
    if found:
        own = any(one.property == name for one in marks)
        return own and len(found) == 1 and fold(value) in re.findall(r"\w+", words.casefold())
    if name == "response_code":  # whether it is the code of that reason is seen when the message is there
        return any(one.property == "reason" for one in marks)
    return _understood(held, name, value, words)


def _is_currency(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    known, found = currency(str(value)), held.figures(start, end)
    own = [one for one in held.marks(start, end) if one.property == "currency" and one.values]
    if own:
        return any(_alike("currency", value, one) for one in own)
    if len(found) == 1 and known:
        return held.told.text[found[0].start : found[0].end] == known.numeric
    return not found and _understood(held, name, value, held.told.text[start:end])


def _is_version(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    found = held.figures(start, end)
    return len(found) == 1 and found[0].values <= {Decimal(value), Decimal(value) % 100}


def _is_when(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    words, marks = held.told.text[start:end], held.marks(start, end)
    if name.endswith("date"):
        right = is_day(value, words, marks, held.now)
    elif name.endswith("time"):
        right = is_time(value, words, held.near(start, end))
    else:
        right = is_offset(value, words, marks)
    if right is None:
        held.notes.append(f"Understood from “{words}”: {_said(name)} {value}.")
    return right is not False


def _is_card(held: Held, name: str, value: Any, start: int, end: int) -> bool:
    named = {value for one in held.marks(start, end) if one.property == name for value in one.values}
    return value.removeprefix("test card ").strip().upper() in named


_SPECIAL: dict[str, Callable[[Held, str, Any, int, int], bool]] = {
    "version": _is_version,
    "test_card": _is_card,
    "card_last_four": lambda held, name, value, *at: (
        _is_number(held, name, value, *at) and value in held.told.text[at[0] : at[1]]
    ),
    "card_expiry": lambda held, name, value, *at: is_expiry(value, held.told.text[at[0] : at[1]]),
    "currency": _is_currency,
    "merchant_category": _is_code,
    "response_code": _is_code,
    "merchant_currency": _is_currency,
    "stan": _is_number,
    "original_stan": _is_number,
    "instalments": _is_number,
    "time_zone": lambda held, name, value, *at: (
        fold(value.rpartition("/")[2]) in fold(held.told.text[at[0] : at[1]])
    ),
    **dict.fromkeys(_AMOUNTS, _is_amount),
    **dict.fromkeys(("date", "time", "utc_offset", "original_date", "original_time"), _is_when),
}


def _left_out(held: Held) -> None:
    """What the description has in so many words, and the intent has not, or has otherwise."""
    text, intent = held.told.text, held.intent
    musts = _must(held, 0, len(text))
    for one in musts:
        if held.covered((one.property, *_ALSO.get(one.property, ())), one.start, one.end):
            continue
        others = [other for other in musts if other.property == one.property]
        values = {value for other in others for value in other.values}
        if values and _has(intent, one.property, values):
            continue
        held.problems.append(f"The description says “{text[one.start : one.end]}”: {_ask(one, values)}")
    for name in ("network", "outcome", "entry"):
        named = {value for one in musts if one.property == name for value in one.values}
        if len(named) > 1 and intent[name]:
            held.notes.append(f"The description names {' and '.join(sorted(named))}: {intent[name]} is used.")


def _ask(mark: Mark, values: set[str]) -> str:
    name = mark.property
    return f"set `{name}`" + (f" to {min(values)}" if len(values) == 1 else "") + ", with these words"


def _must(held: Held, start: int, end: int) -> list[Mark]:
    echo = bool(held.intent.carries.get("alone"))
    return [
        one
        for one in held.marks(start, end)
        if one.must and not (echo and one.property in ("purpose", "entry"))
    ]


def _has(intent: Intent, name: str, values: set[str]) -> bool:
    """Whether the intent gives a property one of *values*; a reason is for the message to show."""
    if name == "reason":
        return bool(intent["outcome"] or intent["response_code"])
    if name == "card_brand":
        return bool(intent["network"] or intent["test_card"])
    return str(intent[name]) in values or any(
        str(intent[other]) in values for other in _ALSO.get(name, ()) if intent[name]
    )


def _of_a_word(text: str, figure: Figure) -> bool:
    """Whether a digit or two end a word: base64, MP3."""
    return figure.end - figure.start < 3 and text[max(0, figure.start - 1) : figure.start].isalpha()


def _counted(held: Held, figure: Figure) -> bool:
    """Whether a number stands among the words of a property that has it as its value."""
    names = tuple(name for name in held.spans if name in (*_SPECIAL, *_NAMES, *_IDS) and name != "currency")
    money = currency(held.intent["currency"] or "")
    numeric = money is not None and held.told.text[figure.start : figure.end] == money.numeric
    return held.covered(names if not numeric else (*names, "currency"), figure.start, figure.end)


def _written(text: str, message: Message) -> bool:
    """Whether digits of the description stand in the message just so: its MTI, an element, or the first
    digits of the processing code or of the entry mode."""
    code, entry = message.get(3), message.get(22)
    return text in (message.mti, code[:2], entry[:2], entry[:3]) or (
        len(text) > 2 and text in message.fields.values()
    )
