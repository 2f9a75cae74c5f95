"""A language model restates a description in words that the rules understand.

The model fills in flat fields, each a choice or a phrase. The fields form one sentence, which the rules plan
like any other; the model gets back what they do not understand. So the model chooses the words, and the rules
decide what they mean and whether it is possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, model_validator

from sim.elements import dates
from sim.exchanges import sums
from sim.exchanges.composing import MOST_DESCRIPTION, plan_of
from sim.exchanges.lexicon import fold, phrases_of, values_of
from sim.exchanges.plan import Plan, together
from sim.models.errors import DescriptionUnusable
from sim.models.guard import TOKEN, clean, safe_line, tokens
from sim.models.prompts import block, fence, restate_instructions
from sim.models.transport.calls import ask
from sim.models.transport.providers import choose
from sim.spec import country

NONE = "none"

if TYPE_CHECKING:
    Kind: TypeAlias = str
    Purpose: TypeAlias = str
    Network: TypeAlias = str
    Entry: TypeAlias = str
else:  # the choices come from the word tables
    Kind = Literal[(NONE, *values_of("kind"), *values_of("alone"))]
    Purpose = Literal[(NONE, *values_of("head"))]
    Network = Literal[(NONE, *values_of("network"))]
    Entry = Literal[(NONE, *values_of("entry"))]

_KEYS = {"kind": ("kind", "alone"), "purpose": ("head",), "network": ("network",), "entry": ("entry",)}
_DECISIONS = {"approved": "approved", "partial": "partial approval", "declined": "declined",
              "no answer": "no answer"}  # fmt: skip
_CODE = re.compile(r"[0-9A-Z][0-9]{1,3}|[A-Z][0-9]")
# Options that the rules read override the model's; a decision and a card entry only if the model does not set
# their words aside.
_FIRM = (
    *("network", "pan", "amount_minor_units", "currency", "stan", "expiry", "mcc", "terminal", "merchant_id"),
    *("acquirer", "approved_minor_units", "outcome", "entry"),
)
_DOUBTFUL = ("outcome", "entry")
_LISTS = ("then", "details", "also", "aside")
_AMOUNTS = ("amount_minor_units", "approved_minor_units")
_ANSWERS = re.compile(r"answer|response", re.IGNORECASE)
_LONGEST_PLAIN = 2 * MOST_DESCRIPTION  # one character may become a whole word
# Figures, except in names: 3-D Secure, CVV2, T1234567.
_NUMBER = re.compile(
    r"(?<![A-Za-z\d])(?!3[ -]?DS?\b|8583\b)(?:\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,'’]\d+)*)", re.I
)
_DECIMALS = re.compile(r"(.*)[.,](\d{1,3})")
# Figures in the program's own vocabulary: a merchant category, an element, a version.
_LABELS = re.compile(r"\bMCC \d{4}\b|\bDE ?\d{1,3}\b|\b(?:version|to) (?:1987|1993|2003)\b")
_CONTRADICTION = re.compile("contradict|two |approved, and|not clear")
_MOST_TIMES = 99


class Restated(BaseModel):
    """What is asked for, field by field."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    purpose: Purpose
    network: Network
    amount: str
    entry: Entry
    decision: Literal["none", "approved", "partial", "declined", "no answer"]
    reason: str
    approved_amount: str
    merchant: str
    city: str
    country: str
    then: list[str]
    details: list[str]
    also: list[str]
    aside: list[str]
    impossible: str

    @model_validator(mode="before")
    @classmethod
    def _fill_missing(cls, given: Any) -> Any:
        """Fill missing and empty fields with `none`, and drop `none` from lists."""
        if not isinstance(given, dict):
            return given
        made = {name: [] if name in _LISTS else NONE for name in cls.model_fields}
        made |= {name: value for name, value in given.items() if value not in (None, "")}
        return {
            name: [one for one in value if not isinstance(one, str) or _is_said(one)]
            if isinstance(value, list)
            else value
            for name, value in made.items()
        }

    @property
    def sentence(self) -> str:
        """All fields in one sentence for the rules."""
        return ", ".join(part for part in self._parts() if part)

    def _parts(self) -> Iterator[str]:
        yield " ".join(
            _phrase(getattr(self, name), *_KEYS[name])
            for name in ("network", "purpose", "kind")
            if _is_said(getattr(self, name))
        )
        yield self.amount if _is_said(self.amount) else ""
        yield _phrase(self.entry, "entry") if _is_said(self.entry) else ""
        yield f'merchant "{_plain(self.merchant)}"' if _is_said(self.merchant) else ""
        land = country(self.country.upper())
        place = [_plain(self.city)] if _is_said(self.city) else []
        place += [land.name if land else self.country] if _is_said(self.country) else []
        yield f"in {', '.join(place)}" if place else ""
        yield from self.details
        yield _DECISIONS.get(self.decision, "")
        if _is_said(self.reason):
            yield f"code {self.reason}" if _CODE.fullmatch(self.reason) else self.reason
        yield f"{self.approved_amount} approved" if _is_said(self.approved_amount) else ""
        yield from (f"then {one.removeprefix('then ')}" for one in self.then)


def _is_said(value: str) -> bool:
    return value.strip().casefold() not in ("", NONE)


def _phrase(value: str, *keys: str) -> str:
    """The first phrase for a choice, which the rules can read."""
    return next(values_of(key)[value][0] for key in keys if value in values_of(key))


def _plain(name: str) -> str:
    return name.replace('"', "")


async def restate(
    description: str,
    *,
    provider: str | None = None,
    model: str | None = None,
    version: str | None = None,
    at: datetime | None = None,
) -> Plan:
    """The plan of *description* as a model restates it; see `plan_async`."""
    choice, settings = choose(provider, model)
    if not description.strip() or len(description) > MOST_DESCRIPTION:
        raise DescriptionUnusable(f"A description has 1 to {MOST_DESCRIPTION} characters")
    cleaned = clean(description)
    if not cleaned.text.strip() or len(cleaned.text) > _LONGEST_PLAIN:
        raise DescriptionUnusable("The description has no readable words, or too many")
    rules = plan_of(description, version=version, at=at)
    now = at or dates.now()
    made: list[Plan] = []
    asides: list[str] = []
    earlier: list[Restated] = []

    def judge(answer: Restated) -> list[str]:
        plan = _planned(answer, version, at)
        ended = plan.not_possible and not plan.unclear
        if not ended:
            problems = problems_of(cleaned.text, answer, plan, rules, now)
        else:
            problems = [] if _is_said(answer.impossible) else _invented(cleaned.text, answer, rules, now)
        asides[:] = [*answer.aside, *(one for before in earlier for one in _dropped(before, answer))]
        earlier.append(answer)
        if rules.steps and not (rules.unclear or rules.not_possible) and (lost := _lost(rules, plan)):
            # The rules read everything: omissions or changes by the model are no reason to ask again.
            plan, problems, asides[:] = replace(rules, notes=(*rules.notes, lost)), [], []
        made[:] = [] if problems else [plan]
        return problems

    mark = fence()
    read = {one: f"{value}" for _, _, one, value, words in rules.rows() if words and one not in ("pan", "2")}
    asked = {"description": cleaned.text, "read_by_rules": read, "left_open": _left(rules)}
    told = restate_instructions(mark, now, {} if choice.shows_schema else choices())
    question = block(f"{now.date()}", asked)
    answered = await ask(choice, settings, told, block(mark, asked), Restated, judge, question)
    plan = made[0]
    notes = [*plan.notes, *([f"Left aside: {'; '.join(asides)}"] if asides else [])]
    own = rules.understood()
    steps = tuple(
        replace(step, words={name: own.get(name, said) for name, said in step.words.items()})
        for step in plan.steps
    )
    return replace(
        plan, text=description, steps=steps, notes=tuple(notes), source=choice.source, cost=answered.cost
    )


def choices() -> dict[str, str]:
    """The choices of each field, for a model that is held to the schema but does not see it."""
    return {name: ", ".join(one for key in keys for one in values_of(key)) for name, keys in _KEYS.items()}


def _planned(answer: Restated, version: str | None, at: datetime | None) -> Plan:
    """The rules' plan of an answer: its main transaction, and any others that it names."""
    if _is_said(answer.impossible):
        return Plan("", not_possible=safe_line(answer.impossible).rstrip("."))
    plans = []
    for sentence in (answer.sentence, *answer.also):
        for name, card in tokens().items():
            sentence = re.sub(rf"test card {re.escape(name)}\b", f"card {card.pan}", sentence)
        if len(sentence) > MOST_DESCRIPTION:
            return Plan("", unclear=(f"more than {MOST_DESCRIPTION} characters",))
        plans.append(plan_of(sentence, version=version, at=at))
    return plans[0] if len(plans) == 1 else together(plans)


def _dropped(before: Restated, answer: Restated) -> Iterator[str]:
    """What the rejected answer *before* said and this one no longer says."""
    every = fold(f"{answer.sentence}; {'; '.join([*answer.also, *answer.aside])}")
    for name in Restated.model_fields:
        values = (
            [one] if isinstance(one, str) else one for one in (getattr(before, name), getattr(answer, name))
        )
        was, now = ([one for one in some if _is_said(one)] for some in values)
        if len(now) < len(was) and name != "impossible":
            yield from (one for one in was if fold(one) not in every)


def _lost(rules: Plan, plan: Plan) -> str:
    """A note on what the rules read in a description but *plan* lacks or has differently; else empty."""
    if plan.not_possible and not plan.text:  # the model's word, not the rules' on its answer
        return f"A language model says that it is not possible: {plan.not_possible}"
    have = {(name, str(value)) for _, _, name, value, _ in plan.rows()}
    lost = [
        name
        for _, _, name, value, words in rules.rows()
        if words and name != "city" and (name, str(value)) not in have
    ]
    own, other = rules.asked, plan.asked
    lost += [
        name for name in ("outcome", "then", "count", "fault") if getattr(own, name) != getattr(other, name)
    ]
    if lost:
        return f"Read by rules; a model reads {', '.join(dict.fromkeys(lost))} differently"
    return f"Read by rules; a model reads it unclearly: {plan.unclear[0]}" if plan.unclear else ""


def _left(rules: Plan) -> list[str]:
    return [clean(words).text for words in rules.unclear]


def problems_of(text: str, answer: Restated, plan: Plan, rules: Plan, now: datetime) -> list[str]:
    """Problems of *answer* as a reading of *text*, as sentences for the model; *plan* is the rules' plan of
    the answer, *rules* their plan of the text."""
    problems = [_not_understood(answer, words) for words in plan.unclear]
    if left := _unsettled(text, answer, plan, rules):
        problems.append(
            f"Still open: {'; '.join(left)}. Say it in a field, or put words of no message in `aside`"
        )
    follows = [one for one in answer.then if not _ANSWERS.search(one)]
    if not answer.also and len(plan.asked.then) < len(follows):
        problems.append(f"`then`: of {len(follows)} only {len(plan.asked.then)} can follow: use `also`")
    told = TOKEN.sub("", _full_text(answer))
    problems += [
        f"The number {one} of the description is missing: say it in a field, or in `aside`"
        for one in _missing(TOKEN.sub("", text), _numbers(told, None) | _figures(plan))
    ]
    problems += _invented(text, answer, rules, now)
    city = fold(answer.city)
    if _is_said(city) and city not in fold(text) and city.upper() != _options(rules).get("city"):
        problems.append(f"`city`: {answer.city} is not in the description; write it as it stands there")
    have = {(name, value) for _, _, name, value, _ in plan.rows()}
    aside = fold("; ".join(answer.aside))
    for name, value in _firm(rules).items():
        words = rules.understood().get(name, "")
        # An amount may have another role: a balance, the approved amount.
        if (name, value) in have or (name in _AMOUNTS and value in {one for _, one in have}):
            continue
        if name in _DOUBTFUL and rules.unclear and any(fold(one) in aside for one in words.split(" … ")):
            continue
        remedy = f"; if it is not meant, put `{words}` in `aside`" if name in _DOUBTFUL else ""
        problems.append(
            f"`{name}`: the description says {value} ({words}), not {_options(plan).get(name, NONE)}{remedy}"
        )
    if rules.asked.then and not (plan.asked.then or answer.also):
        words = rules.understood().get("then", "")
        if not any(fold(one) in aside for one in words.split(" … ")):
            problems.append(
                f"`then`: the description says {' '.join(rules.asked.then)} ({words}), not {NONE}"
            )
    return problems


def _full_text(answer: Restated) -> str:
    return "; ".join([answer.sentence, *answer.also, *answer.aside])


def _invented(text: str, answer: Restated, rules: Plan, now: datetime) -> list[str]:
    """Sentences on numbers of *answer* that are neither in *text* nor computed from two that are."""
    told, theirs = TOKEN.sub("", _full_text(answer)), _numbers(TOKEN.sub("", text), now)
    theirs |= {made for two in combinations(theirs, 2) for made in (sum(two), abs(two[0] - two[1]))}
    theirs |= {one * times for one, times in permutations(_numbers(text, None), 2) if times <= _MOST_TIMES}
    missing = _missing(_LABELS.sub("", told), theirs | _figures(rules))
    return [f"The number {one} is not in the description" for one in missing]


def _unsettled(text: str, answer: Restated, plan: Plan, rules: Plan) -> list[str]:
    """What the rules left open if *answer* only repeats their reading: words that it does not even set aside,
    and contradictions."""
    made, own = (
        [(one.call, one.options, one.times, one.which) for one in some.steps] for some in (plan, rules)
    )
    if made != own:
        return []
    text, said = fold(text), fold(_full_text(answer))
    left = []
    for words in _left(rules):
        quoted = ":" not in words and fold(words) in text
        if fold(words) not in said if quoted else _CONTRADICTION.search(words):
            left.append(words)
    return left


def _not_understood(answer: Restated, words: str) -> str:
    """A sentence saying that the program does not understand *words*, and in which field."""
    begun = fold(words.split(":")[0])
    fields = ("then", "details", "also", "reason", "merchant", "amount")
    where = next((f"`{name}`: " for name in fields if begun in fold(str(getattr(answer, name)))), "")
    return f"{where}the program does not understand: {words}"


def _firm(rules: Plan) -> dict[str, Any]:
    """The options that the rules read for sure, without words in doubt."""
    doubt = " / ".join(rules.unclear)
    return {
        name: value
        for _, _, name, value, words in rules.rows()
        if name in _FIRM
        and words
        and value != "partial"
        and not any(part in doubt for part in words.split(" … "))
    }


def _options(plan: Plan) -> dict[str, Any]:
    return {name: value for _, _, name, value, _ in plan.rows()}


def _figures(plan: Plan) -> set[float]:
    """The numbers in the options of *plan*; amounts also in major units, an expiry also by parts."""
    found: set[float] = set()
    for _, _, name, value, words in plan.rows():
        # A time without words is the caller's; its digits would excuse too many numbers.
        for figures in re.findall(r"\d+", str(value)) if words or name != "at" else ():
            found |= {float(figures), float(figures) / 100}
            if name == "expiry":
                found |= {float(figures[:2]), float(figures[2:])}
    return found - {0.0}  # the cents of any amount


def _missing(text: str, known: set[float]) -> list[str]:
    """The numbers in the figures of *text* that are not among the *known* ones."""
    return [found[0] for found in _NUMBER.finditer(text) if not known & _readings(found[0])]


def _numbers(text: str, now: datetime | None) -> set[float]:
    """The numbers in *text*, in figures or words; with *now*, also those that its dates and its amounts in
    cents imply."""
    folded = fold(text)
    found = set().union(*map(_readings, _NUMBER.findall(text)))
    spelled = re.finditer(sums.spelled_pattern(folded), folded)
    found |= {float(value) for one in spelled if (value := sums.spelled(one[0])) is not None}
    if now is not None:
        words = re.findall(r"[a-z]+", folded)
        found |= {float(phrases_of("month")[word]) for word in words if word in phrases_of("month")}
        found |= {float(now.year + apart) for apart in (-1, 0, 1)}
        if not phrases_of("coin").keys().isdisjoint(words) or "minor" in words:
            found |= {value / 100 for value in found}
    return found


def _readings(figures: str) -> set[float]:
    """The numbers that *figures* may mean: marks separate thousands, decimals, or several numbers."""
    parts = re.split("[.,'’ ]", figures)
    read = {float(part) for part in parts} if any(len(part) <= 2 for part in parts[:-1]) else set()
    if all(len(part) == 3 for part in parts[1:]):
        read.add(float("".join(parts)))
    if decimal := _DECIMALS.fullmatch(figures):
        read.add(float(f"{re.sub('[^0-9]', '', decimal[1])}.{decimal[2]}"))
    return read
