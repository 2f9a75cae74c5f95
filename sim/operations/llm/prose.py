"""Explain by a model: it tells the table it is shown, and what it tells is checked against the message."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from sim.codec import Message
from sim.operations import explain as rules
from sim.operations.explanation import Explanation
from sim.operations.llm.calls import ask, stream
from sim.operations.llm.claims import Facts, check_length, check_text, facts
from sim.operations.llm.errors import LlmFailed
from sim.operations.llm.evidence import evidence
from sim.operations.llm.prompts import block, explain_instructions, fence
from sim.operations.llm.providers import Choice, choose
from sim.operations.llm.settings import Settings
from sim.operations.validation import validate

_CONTEXT = 3  # sentences before one that are read with it
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Task:
    """One explanation to be asked for. `told` is the explanation by rules."""

    choice: Choice
    settings: Settings
    told: Explanation
    known: Facts
    instructions: str
    prompt: str


def _prepare(
    message: str | Message,
    version: str | None,
    network: str | None,
    provider: str | None,
    model: str | None,
) -> Task:
    choice, settings = choose(provider, model)
    told = rules(message, version=version, network=network)
    against = (told.network,) if told.network else ()
    report = validate(told.message, network=told.network, against=against)
    shown = evidence(told.message, told.network, report)
    mark = fence()
    instructions = explain_instructions(mark)
    known = facts(told.message, told.network, shown, told.summary, instructions)
    return Task(choice, settings, told, known, instructions, block(mark, shown))


async def tell(
    message: str | Message,
    *,
    version: str | None,
    network: str | None,
    provider: str | None,
    model: str | None,
) -> Explanation:
    """What *message* says, by a model; see `explain_async`."""
    task = _prepare(message, version, network, provider, model)
    repairs = task.settings.explain_repairs
    text = await ask(
        task.choice,
        task.settings,
        task.instructions,
        task.prompt,
        str,
        lambda answer: check_text(answer, task.known),
        repairs,
    )
    sentences = tuple(part.strip() for part in _SENTENCE_END.split(text) if part.strip())
    return Explanation(task.told.message, task.told.network, sentences, task.choice.source)


async def tell_piecewise(
    message: str | Message,
    *,
    version: str | None,
    network: str | None,
    provider: str | None,
    model: str | None,
) -> AsyncIterator[str]:
    """The explanation sentence by sentence, each checked before it is given; see `stream_explain`."""
    task = _prepare(message, version, network, provider, model)
    held = ""
    given: list[str] = []
    source = stream(task.choice, task.settings, task.instructions, task.prompt)
    try:
        async for text in source:
            held += text
            *whole, held = _SENTENCE_END.split(held)
            for sentence in whole:
                if sentence.strip():
                    yield _checked(sentence, given, task) + " "
                    given.append(sentence.strip())
    finally:
        await source.aclose()  # type: ignore[attr-defined]
    if held.strip() or not given:
        yield _checked(held, given, task)


def _checked(sentence: str, given: list[str], task: Task) -> str:
    """*sentence*, if it may follow what was *given*: a statement can run over the end of a line."""
    around = " ".join([*given[-_CONTEXT:], sentence])
    if problems := check_text(around, task.known) or check_length(" ".join([*given, sentence])):
        raise LlmFailed(f"{task.choice.source} gave nothing usable: {'; '.join(problems)}", tuple(problems))
    return sentence.strip()
