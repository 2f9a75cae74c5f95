"""An explanation by a model, of slots and of words that state nothing by themselves.

Nothing of the message can be misstated: the words are those of `words.txt`, among them no digit, no name,
no negation and no word for what was decided or which way money goes, and what fills a slot comes from the
message.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sim.codec import Message
from sim.operations import explain as rules
from sim.operations.explanation import Explanation
from sim.operations.llm.errors import LlmFailed
from sim.operations.llm.guard import shown
from sim.operations.llm.prompts import MOST_WORDS, block, explain_instructions, fence
from sim.operations.llm.telling.slots import Slot, previews, slots
from sim.operations.llm.transport.calls import ask, stream
from sim.operations.llm.transport.providers import Choice, Settings, choose
from sim.operations.validation import validate

_SLOT = re.compile(r"\{([^{}\s]{1,40})\}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST = 20 * MOST_WORDS  # characters
_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Task:
    """One explanation to be asked for. `told` is the explanation by rules."""

    choice: Choice
    settings: Settings
    told: Explanation
    slots: dict[str, Slot]
    instructions: str
    prompt: str


def prepare(
    message: str | Message,
    version: str | None,
    network: str | None,
    provider: str | None,
    model: str | None,
) -> Task:
    """What is needed to ask for an explanation. Raises what `choose` and `explain` by rules raise."""
    choice, settings = choose(provider, model)
    told = rules(message, version=version, network=network)
    against = (told.network,) if told.network else ()
    report = validate(told.message, network=told.network, against=against)
    made = slots(told.message, told.network, report)
    mark = fence()
    seen = {f"{{{name}}}": text for name, text in previews(told.message, told.network, report).items()}
    return Task(choice, settings, told, made, explain_instructions(mark, sorted(_words())), block(mark, seen))


async def tell(task: Task) -> Explanation:
    """What the message of *task* says, by the model; see `explain_async`."""
    text = await ask(
        task.choice,
        task.settings,
        task.instructions,
        task.prompt,
        str,
        lambda answer: check_text(answer, task.slots),
    )
    return Explanation(task.told.message, task.told.network, filled(text, task.slots), task.choice.source)


async def tell_piecewise(task: Task) -> AsyncIterator[str]:
    """The explanation sentence by sentence, each checked before it is given; see `stream_explain`."""
    held = given = ""
    source = stream(task.choice, task.settings, task.instructions, task.prompt)
    try:
        async for text in source:
            held += text
            *whole, held = _SENTENCE_END.split(held)
            for sentence in filter(str.strip, whole):
                given += sentence + " "
                yield _checked(sentence, given, task) + " "
    finally:
        await source.aclose()  # type: ignore[attr-defined]
    if held.strip() or not given:
        yield _checked(held, given + held, task)


def _checked(sentence: str, given: str, task: Task) -> str:
    """*sentence* with its slots filled, if it and all that was *given* may stand."""
    if problems := check_length(given) or check_text(sentence, task.slots):
        text = "; ".join(map(shown, problems))
        raise LlmFailed(f"{task.choice.source} gave nothing usable: {text}", tuple(map(shown, problems)))
    return " ".join(filled(sentence, task.slots))


def check_length(text: str) -> list[str]:
    """Whether *text* is of a bearable length."""
    long = len(text) > _LONGEST or len(text.split()) > MOST_WORDS
    return [f"Write at most {MOST_WORDS} words"] if long else []


def check_text(text: str, known: dict[str, Slot]) -> list[str]:
    """What in *text* (a whole explanation or a sentence of one) is no slot of *known* and no word that may
    join them, as sentences for the model."""
    if problems := check_length(text):
        return problems  # nothing of it is worth the time to read it
    problems = [] if text.strip() else ["Write the explanation"]
    for sentence in filter(str.strip, _SENTENCE_END.split(text)):
        names = _SLOT.findall(sentence)
        problems += [f"The message has no slot {{{name}}}" for name in names if name not in known]
        plain = _SLOT.sub(" \0 ", sentence)
        words = filter(None, (word.strip(".,;:()\0") for word in plain.split()))
        others = [word for word in words if word.lower() not in _words()]
        if others:
            said = ", ".join(dict.fromkeys(others[:_MOST_SHOWN]))
            problems.append(f"Outside of slots only the words of the list may stand, not: {said}")
        if not names:
            problems.append("A sentence without a slot says nothing of the message")
        whole = [name for name in names if name in known and known[name].whole]
        if whole and not re.fullmatch(r"[\s\0.]*", plain):
            problems.append(
                f"{{{whole[0]}}} is a whole sentence: let it stand alone, with a period behind it"
            )
    return list(dict.fromkeys(problems))


def filled(text: str, known: dict[str, Slot]) -> tuple[str, ...]:
    """The sentences of *text*, which was checked, with their slots filled."""
    made = []
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(text))):
        full = _SLOT.sub(lambda match: known[match[1]].text, sentence)
        made.append(full[:1].upper() + full[1:])
    return tuple(made)


@cache
def _words() -> frozenset[str]:
    """The words that may join slots: none of them states anything, denies anything or counts."""
    return frozenset((Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split())
