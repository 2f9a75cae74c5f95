"""An explanation in a model's own words. A sentence that is false of the message is struck out; one that the
message neither proves nor contradicts comes at the end, as not checked.

A model never sees free text from a message, which could give it orders: it sees a name in braces, which the
program fills in. Card data is masked as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sim.codec import Message, build
from sim.elements.mti import response_mti
from sim.errors import BITMAP_FIELD, MTI_FIELD, ChoiceError, OptionError, quoted_value
from sim.judge.finding import labelled
from sim.masking import is_sensitive, mask_words
from sim.models.grounding import STRUCK, Compared, Facts, Ground, Verdict, whole_sentences
from sim.models.guard import clean
from sim.models.prompts import LANGUAGES, MOST_WORDS, NOT_CHECKED, block, explain_instructions, fence
from sim.models.transport.calls import ask, stream
from sim.models.transport.providers import Choice, Settings, choose
from sim.operations import explain as rules
from sim.operations.anatomy import Anatomy, dissect
from sim.operations.explanation import Explanation, tellable
from sim.operations.explanation import sentences_of as by_elements
from sim.operations.story import tell
from sim.operations.validation import validate
from sim.paste.reading import Reading, read_text
from sim.spec.layouts import CHARACTER

MOST_QUESTION = 500  # characters
_SLOT = re.compile(r"\{([A-Za-z0-9_]{1,40})\}")
_OPEN = CHARACTER.keys() - {"n", "b"}  # content that may be free text
_FEWEST_TYPED = 13  # characters: a shorter value is a reference, a code or a terminal ID
_MOST_FINDINGS = 10
_LONGEST = 20 * MOST_WORDS  # characters
# Names of the rules' sentences.
_DECISION = "outcome"
_CHECKS = re.compile(r"Checks performed: [^.]*")  # not of the card entry
_CIRCUMSTANCES = ("reading", "verification", "own_parts")
_PURPOSE = ("opening", "request", "own_parts", "network_management")
_LABELS = {MTI_FIELD: "MTI", BITMAP_FIELD: "bitmap"}
_ENTRY, _ANSWER = 22, 39
_ACCOUNT = 2


@dataclass(frozen=True, slots=True)
class Task:
    """One explanation to request. `told` is the explanation by rules, `slots` the values for the names in
    braces, `ground` the supported statements."""

    choice: Choice
    settings: Settings
    told: Explanation
    slots: dict[str, str]
    ground: Ground | Compared
    language: str
    instructions: str
    prompt: str
    question: str


class Answer:
    """A model's answer to *task*, sentence by sentence."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._size = 0
        self._supported = False
        self._unchecked: list[str] = []

    def put(self, sentence: str) -> str:
        """What to show of *sentence*, struck out if it is false; empty if it comes later or is too much."""
        self._size += len(sentence)
        if self._size > _LONGEST or not sentence.strip():
            return ""
        verdict, _ = self._task.ground.judge(sentence)
        said = _SLOT.sub(lambda found: self._task.slots.get(found[1], ""), mask_words(sentence.strip()))
        said = said[:1].upper() + said[1:]
        if verdict is Verdict.UNCHECKED:
            self._unchecked.append(said)
            return ""
        self._supported |= verdict is Verdict.SUPPORTED
        return said if verdict is Verdict.SUPPORTED else STRUCK.format(said)

    def end(self) -> Iterator[str]:
        """What follows: the rules' sentences if none is supported, and those that are not checked."""
        if not self._supported:
            yield from self._task.told.sentences
        if self._unchecked:
            yield " ".join((NOT_CHECKED[self._task.language], *self._unchecked))


@dataclass(frozen=True, slots=True)
class Together:
    """Messages to explain together: `parts` are the name and the reading of each, `told` the text by rules,
    `differing` the elements in which two messages differ."""

    parts: tuple[tuple[str, Reading], ...]
    told: str
    differing: frozenset[int] = frozenset()


def prepare(
    message: str | Message | Reading | Together,
    version: str | None,
    network: str | None,
    provider: str | None,
    model: str | None,
    question: str = "",
    language: str = "en",
) -> Task:
    """Prepare the request for an explanation. Raises as `choose` and `explain` by rules do, OptionError for
    an unusable question, ChoiceError for an unknown language, CardNumberRefused."""
    choice, settings = choose(provider, model)
    if not isinstance(question, str) or len(question) > MOST_QUESTION:
        raise OptionError("ask", f"a text of at most {MOST_QUESTION} characters", quoted_value(question))
    if language not in LANGUAGES:
        raise ChoiceError.of("language", language, tuple(LANGUAGES))
    asked = clean(question).text.strip()
    ground: Ground | Compared
    if isinstance(message, Together):
        told, known, ground = _together(message, language)
    else:
        told = rules(message, version=version, network=network)
        whole = told.message.spec
        reading = message if isinstance(message, Reading) else read_text(build(told.message), whole)
        known = Known(dissect(reading, network=told.network), told)
        ground = Ground(known.facts, language)
    mark = fence()
    data = {"question": asked} if asked else {}
    return Task(
        choice,
        settings,
        told,
        known.slots,
        ground,
        language,
        explain_instructions(mark, LANGUAGES[language]),
        block(mark, data | known.shown),
        block(language, data | known.shown),
    )


def _together(asked: Together, language: str) -> tuple[Explanation, Known, Ground | Compared]:
    """The rules' text on several messages, what a model sees of them, and what they support: all together,
    or each of two that are compared."""
    made: list[Known] = []
    explained = [rules(reading) for _, reading in asked.parts]
    for at, ((name, reading), one) in enumerate(zip(asked.parts, explained, strict=True), 1):
        known = Known(dissect(reading, network=one.network), one, f"_{at}")
        elements = known.shown.pop("elements", {})
        labels = {f"DE {number}" for number in asked.differing}
        if differing := {label: text for label, text in elements.items() if label in labels}:
            known.shown["differing"] = differing
        known.shown["message"] = name
        known.facts.texts.append(name)
        made.append(known)
    if not made:
        raise OptionError("message", "messages to ask about", "none")
    whole = made[0]
    told = replace(explained[0], sentences=(asked.told,), warned=False)
    whole.shown = {"messages": [known.shown for known in made]}
    for known in made[1:]:
        whole.slots |= known.slots
    if asked.differing:
        names = (name for name, _ in asked.parts)
        grounds = (Ground(known.facts, language) for known in made)
        return told, whole, Compared(dict(zip(names, grounds, strict=True)))
    for known in made[1:]:
        whole.facts.add(known.facts)
    whole.facts.texts.append(asked.told)
    # The story has the final decision; an earlier response may say otherwise.
    whole.facts.decided = " . ".join((asked.told, *(known.code for known in made)))
    return told, whole, Ground(whole.facts, language)


class Known:
    """What is known of a message: its `facts`; `shown` is what a model sees, `slots` the values for the names
    in braces."""

    def __init__(self, view: Anatomy, told: Explanation, mark: str = "") -> None:
        self.slots: dict[str, str] = {}
        self._mark = mark  # suffix of its slots, if it is one of several messages
        message, rows = view.message, view.rows
        typed = {number for number in message.fields if _is_typed(message, number)}
        sentences: dict[str, str] = {}
        self.facts = Facts()
        self.facts.entered = next((view.meaning(one) for one in view.places if one.number == _ENTRY), "")
        if not view.findings:
            said = tell(tellable(message), rows)
            self.facts.decided = self.facts.answers = said.get(_DECISION, "")
            self.facts.entered += "".join(
                f" . {_CHECKS.sub('', said.get(name, ''))}" for name in _CIRCUMSTANCES
            )
            self.facts.requested = " . ".join(said.get(name, "") for name in _PURPOSE)
            for (name, sentence), one in zip(said.items(), by_elements(tellable(message), rows), strict=True):
                sentences[name] = self._slot(name, sentence) if typed & set(one.elements) else sentence
        elements: dict[str, str] = {}
        self.code = message.get(_ANSWER)
        for place in view.places:
            number, name, value = place.number, view.name(place), ""
            if number in typed:
                value, meaning = self._slot(f"DE{number}", labelled(number, name)), ""
            else:
                meaning = view.meaning(place)
                if not _is_hidden(message, number):
                    value = " ".join(view.shown_values[number].split())
            label = _LABELS.get(number, f"DE {number}")
            texts = [text for text in (name, value, meaning) if text]
            self.facts.elements[number] = " . ".join((label, *texts))
            self.facts.texts += (label, *texts)
            if number != BITMAP_FIELD:  # the elements themselves say which there are
                elements[label] = "; ".join(texts)
        found = view.findings or validate(message, network=told.network).findings
        findings = [
            f"{one.severity}, {one.name}: expected {one.expected}. {one.hint}".strip()
            for one in found[:_MOST_FINDINGS]
        ]
        # The trace repeats elements.
        sentences.pop("trace", None)
        shown = {"rules": sentences, "elements": elements, "findings": findings}
        self.shown: dict[str, Any] = {name: part for name, part in shown.items() if part}
        self.facts.names = [*self.slots.values()]
        self.facts.texts += [
            *told.sentences,
            *findings,
            *(one.message for one in found[:_MOST_FINDINGS]),
            *self.slots.values(),
            # The MTI and the approving DE 39 of its response; the MTI that it responds to.
            *(response_mti(message.mti) or "", "0" * (message.spec[_ANSWER].width or 0), f"{_ANSWER}"),
        ]
        if message.mti[2:3] in "13":
            before = f"{message.mti[:2]}{int(message.mti[2]) - 1}{message.mti[3:]}"
            self.facts.texts.append(f"{before}, answered")

    def _slot(self, name: str, text: str) -> str:
        self.slots[name + self._mark] = text
        return f"{{{name}{self._mark}}}"


def _is_hidden(message: Message, number: int) -> bool:
    """Whether the model does not see the value: binary data, and card data except the masked card number."""
    if number not in message.fields or number == _ACCOUNT:
        return False
    return message.spec[number].binary or is_sensitive(number, message.version)


def _is_typed(message: Message, number: int) -> bool:
    """Whether an element has free text long enough to give orders and not hidden anyway."""
    version = message.version
    free = message.spec[number].content in _OPEN and not is_sensitive(number, version)
    return free and len(message[number]) >= _FEWEST_TYPED


async def tell_whole(task: Task) -> Explanation:
    """The model's explanation for *task*; see `explain_async`."""
    answered = await ask(
        task.choice, task.settings, task.instructions, task.prompt, str, _is_there, task.question
    )
    answer = Answer(task)
    whole, last = whole_sentences(answered.output)
    told = [text for sentence in (*whole, last) if (text := answer.put(sentence))]
    rest = tuple(answer.end())
    if rest == task.told.sentences:  # nothing of it can be shown
        return task.told
    return replace(task.told, sentences=(*told, *rest), source=task.choice.source, warned=False)


def _is_there(text: str) -> list[str]:
    return [] if text.strip() else ["Write the explanation"]


async def tell_piecewise(task: Task) -> AsyncIterator[str]:
    """The explanation sentence by sentence, each checked before it is yielded; see `stream_explain`."""
    answer, held = Answer(task), ""
    source = stream(task.choice, task.settings, task.instructions, task.prompt)
    try:
        async for text in source:
            sentences, held = whole_sentences(held + text)
            for sentence in sentences:
                if told := answer.put(sentence):
                    yield told + " "
    finally:
        await source.aclose()  # type: ignore[attr-defined]
    told, rest = answer.put(held), " ".join(answer.end())
    if told:
        yield f"{told} " if rest else told
    if rest:
        yield rest
