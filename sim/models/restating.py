"""A description restated by a language model in the words that the rules read, and read by them.

The model fills in flat fields, each a choice or a phrase. They are put together as one sentence, which is
planned as any other: what the rules do not understand of it goes back to the model. So a model chooses words;
what becomes of them, and whether it can be, the rules say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sim.elements import dates
from sim.exchanges import sums
from sim.exchanges.composing import MOST_DESCRIPTION, plan_of
from sim.exchanges.lexicon import fold, phrases_of, values_of
from sim.exchanges.plan import Plan
from sim.models.errors import DescriptionUnusable
from sim.models.guard import TOKEN, clean, shown, tokens
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
else:  # the choices are those of the words
    Kind = Literal[(NONE, *values_of("kind"), *values_of("alone"))]
    Purpose = Literal[(NONE, *values_of("head"))]
    Network = Literal[(NONE, *values_of("network"))]
    Entry = Literal[(NONE, *values_of("entry"))]

Text = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Phrases = Annotated[list[Text], Field(max_length=12)]
_KEYS = {"kind": ("kind", "alone"), "purpose": ("head",), "network": ("network",), "entry": ("entry",)}
_DECISIONS = {"approved": "approved", "partial": "partial approval", "declined": "declined",
              "no answer": "no answer"}  # fmt: skip
_CODE = re.compile(r"[0-9A-Z][0-9]{1,3}|[A-Z][0-9]")
# What the rules read of a description holds also against a model: values, and the decision.
_FIRM = (
    *("network", "pan", "amount_minor_units", "currency", "entry", "outcome", "stan", "expiry", "mcc"),
    *("terminal", "merchant_id", "acquirer", "approved_minor_units"),
)
_AMOUNTS = ("amount_minor_units", "approved_minor_units")
_LONGEST_PLAIN = 2 * MOST_DESCRIPTION  # a character may stand for a whole word
# Figures, but for those of names: 3-D Secure, CVV2, T1234567.
_NUMBER = re.compile(
    r"(?<![A-Za-z\d])(?!3[ -]?DS?\b|8583\b)(?:\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,'’]\d+)*)", re.I
)
_DECIMALS = re.compile(r"(.*)[.,](\d{1,3})")
_MERCHANT_CATEGORY = re.compile(r"\bMCC \d{4}\b")


class Restated(BaseModel):
    """What the description asks for, field by field; `none` where it does not say."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    purpose: Purpose
    network: Network
    amount: Text
    entry: Entry
    decision: Literal["none", "approved", "partial", "declined", "no answer"]
    reason: Text
    approved_amount: Text
    merchant: Text
    city: Text
    country: Text
    then: Phrases
    details: Phrases
    aside: Phrases
    impossible: Text

    @property
    def sentence(self) -> str:
        """All of it in one sentence, as the rules read it."""
        return ", ".join(part for part in self._parts() if part)

    def _parts(self) -> Iterator[str]:
        yield " ".join(
            _phrase(getattr(self, name), *_KEYS[name])
            for name in ("network", "purpose", "kind")
            if _is_said(getattr(self, name))
        )
        yield _given(self.amount)
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


def _given(value: str) -> str:
    return value if _is_said(value) else ""


def _phrase(value: str, *keys: str) -> str:
    """The first phrase for a choice: what the rules read it from."""
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
    """The plan of *description* as a model reads it: see `plan_async`."""
    choice, settings = choose(provider, model)
    if not description.strip() or len(description) > MOST_DESCRIPTION:
        raise DescriptionUnusable(f"A description has 1 to {MOST_DESCRIPTION} characters")
    cleaned = clean(description)
    if not cleaned.text.strip() or len(cleaned.text) > _LONGEST_PLAIN:
        raise DescriptionUnusable("The description has no words that can be read, or too many")
    rules = plan_of(description, version=version, at=at)
    now = at or dates.now()
    made: list[Plan] = []

    def judge(answer: Restated) -> list[str]:
        plan = _planned(answer, version, at)
        ended = plan.not_possible and not plan.unclear
        problems = [] if ended else problems_of(cleaned.text, answer, plan, rules, now)
        made[:] = [] if problems else [plan]
        return problems

    mark = fence()
    asked = {"description": cleaned.text, "read_by_rules": _read(rules), "left_open": _left(rules)}
    question = block(f"{now.date()}", asked)
    prompt, told = block(mark, asked), restate_instructions(mark, now)
    answered = await ask(choice, settings, told, prompt, Restated, judge, question)
    plan, aside = made[0], [one for one in answered.output.aside if _is_said(one)]
    notes = [*plan.notes, *([f"Left aside: {'; '.join(aside)}"] if aside else [])]
    own = rules.understood()
    steps = tuple(
        replace(step, words={name: own.get(name, said) for name, said in step.words.items()})
        for step in plan.steps
    )
    return replace(
        plan, text=description, steps=steps, notes=tuple(notes), source=choice.source, cost=answered.cost
    )


def _planned(answer: Restated, version: str | None, at: datetime | None) -> Plan:
    if _is_said(answer.impossible):
        return Plan("", not_possible=shown(answer.impossible).rstrip("."))
    sentence = answer.sentence
    for name, card in tokens().items():
        sentence = re.sub(rf"test card {re.escape(name)}\b", f"card {card.pan}", sentence)
    return plan_of(sentence[:MOST_DESCRIPTION], version=version, at=at)


def _read(rules: Plan) -> dict[str, str]:
    """What the rules understood, but for the card."""
    return {
        name: str(value) for _, _, name, value, words in rules.rows() if words and name not in ("pan", "2")
    }


def _left(rules: Plan) -> list[str]:
    return [clean(words).text for words in rules.unclear]


def problems_of(text: str, answer: Restated, plan: Plan, rules: Plan, now: datetime) -> list[str]:
    """What is wrong with *answer*, of which the rules made *plan*, as the reading of *text*, of which they
    made *rules* by themselves; as sentences for the model."""
    problems = [f"The program does not understand: {words}" for words in plan.unclear]
    told, numbers = f"{answer.sentence}; {'; '.join(answer.aside)}", _numbers(text, now)
    told = TOKEN.sub("", told)
    problems += [
        f"The number {one} of the description is missing: say it in a field, or in `aside`"
        for one in _missing(TOKEN.sub("", text), _numbers(told, None))
    ]
    numbers |= {sum(two) for two in combinations(_numbers(text, None), 2)}  # with a tip the total
    problems += [
        f"The number {one} is not in the description"
        for one in _missing(_MERCHANT_CATEGORY.sub("", told), numbers)
    ]
    options = _options(plan)
    for name, value in _firm(rules).items():
        # An amount may turn out to be another one: a balance, what was approved.
        if (other := options.get(name)) != value and not (name in _AMOUNTS and value in options.values()):
            words = rules.understood().get(name, "")
            problems.append(f"`{name}`: the description says {value} ({words}), not {other}")
    return problems


def _firm(rules: Plan) -> dict[str, Any]:
    """What the rules read for sure: not where its words are in doubt."""
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


def _missing(text: str, known: set[float]) -> list[str]:
    """The numbers in the figures of *text* that are not among the *known* ones."""
    return [found[0] for found in _NUMBER.finditer(text) if not known & _readings(found[0])]


def _numbers(text: str, now: datetime | None) -> set[float]:
    """The numbers that *text* names, in figures or words; with *now*, also what its dates and its amounts in
    cents come to."""
    folded = fold(text)
    found: set[float] = set()
    for figures in _NUMBER.findall(text):
        found |= _readings(figures)
    spelled = re.finditer(sums.spelled_pattern(), folded)
    found |= {float(value) for one in spelled if (value := sums.spelled(one[0])) is not None}
    if now is not None:
        words = re.findall(r"[a-z]+", folded)
        found |= {float(phrases_of("month")[word]) for word in words if word in phrases_of("month")}
        found |= {float(now.year + apart) for apart in (-1, 0, 1)}
        if not phrases_of("coin").keys().isdisjoint(words) or "minor" in words:
            found |= {value / 100 for value in found}
    return found


def _readings(figures: str) -> set[float]:
    """What *figures* may mean: marks part thousands, stand before decimals, or part numbers."""
    parts = re.split("[.,'’ ]", figures)
    read = {float(part) for part in parts} if any(len(part) <= 2 for part in parts[:-1]) else set()
    if all(len(part) == 3 for part in parts[1:]):
        read.add(float("".join(parts)))
    if decimal := _DECIMALS.fullmatch(figures):
        read.add(float(f"{re.sub('[^0-9]', '', decimal[1])}.{decimal[2]}"))
    return read
