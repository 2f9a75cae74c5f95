"""A plan: calls of the toolkit with their options, each with the words that it follows from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sim.codec import Message, build
from sim.errors import IsoError, OptionError
from sim.masking import mask_words
from sim.operations import answering, faults
from sim.operations.asked import generated
from sim.operations.generation import Generated

SOURCE_WORDS = "words"  # our choice: what `source` says of a description read by rules
_WIDEST = 88  # characters of a line of code
_USUAL = {"network": None, "pan": None, "amount_minor_units": 1000, "currency": "840", "stan": "123456"} | {
    "version": None, "at": None, "purpose": "purchase", "entry": None}  # fmt: skip
_KINDS = {"generate": "request", "respond": "answer", "reverse": "reversal"}


class UnclearError(IsoError):
    """A description of which something that matters was not understood, or cannot be made. `words` are the
    very words that were not understood, `not_possible` the reason why what was described cannot be made."""

    def __init__(self, words: tuple[str, ...] = (), not_possible: str = "") -> None:
        super().__init__(None, None, "", "")
        self.words, self.not_possible = words, not_possible
        said = "; ".join(words)
        self.say(f"Not possible: {not_possible}" if not_possible else f"Not understood: {said}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.words, self.not_possible)


@dataclass(frozen=True, slots=True)
class Step:
    """One call: `generate`, `respond`, `reverse`, `break_message`, or `set`, which writes elements by
    hand (None removes one). `of` is the number of the step whose message it takes, `words` what each option
    follows from, `answer` the number of the step with the answer to what is reversed."""

    call: str
    options: Mapping[str, Any]
    words: Mapping[str, str] = field(default_factory=dict)
    of: int | None = None
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A message that a plan made: its `role` is request, answer, reversal or broken; `notes` say what was
    assumed. `broken` is the text of one with a fault, of which `message` is the original."""

    role: str
    message: Message
    network: str | None
    notes: tuple[str, ...]
    broken: str = ""

    @property
    def raw(self) -> str:
        """The message as text."""
        return self.broken or build(self.message)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a description asks for. `notes` say what was assumed, `unclear` are the words that were not
    understood, `not_possible` says why what was understood cannot be made."""

    text: str
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    not_possible: str = ""
    source: str = SOURCE_WORDS

    def check(self) -> Plan:
        """The plan with the reason why it cannot be run, if any."""
        try:
            self._made()
        except UnclearError as error:
            return replace(self, not_possible=error.not_possible)
        return self

    def run(self, *, partial: bool = False) -> tuple[Made, ...]:
        """The messages, in order. *partial*: also where something was not understood. Raises UnclearError."""
        if self.unclear and not partial:
            raise UnclearError(self.unclear)
        return self._made()

    def _made(self) -> tuple[Made, ...]:
        made: list[Made] = []
        replaced: set[int] = set()
        for step in self.steps:
            try:
                made.append(_run(step, made))
            except (IsoError, ValueError) as error:
                raise UnclearError(not_possible=str(error)) from error
            if step.call in _CHANGES:
                replaced.add(step.of or 0)
        return tuple(one for number, one in enumerate(made) if number not in replaced)

    def understood(self) -> dict[str, str]:
        """The words that were understood, as they may be shown, by the option they give."""
        pairs = ((name, words) for step in self.steps for name, words in step.words.items() if name and words)
        return {name: shown(words) for name, words in pairs}

    @property
    def code(self) -> str:
        """The calls that make the same in a cell."""
        names: list[str] = []
        lines = []
        for step in self.steps:
            name, line = _coded(step, names)
            names.append(name)
            lines.append(line)
        return "\n".join(lines)


_CHANGES = ("break_message", "set")


def _run(step: Step, made: list[Made]) -> Made:
    options = dict(step.options)
    if step.call == "generate":
        done = generated(options.pop("message_type"), **{**_USUAL, **options})
        return Made("request", done.message, done.network, done.notes)
    before = made[step.of or 0]
    message, network = before.message, before.network
    if before.broken:
        raise OptionError("fault", "a fault in the last message", "one before it")
    if step.call == "respond":
        done = answering.respond(message, options.pop("code", None), network=network, **options)
        return Made("answer", done.message, network, done.notes)
    if step.call == "reverse":
        answer = None if step.answer is None else made[step.answer].message
        return _of(answering.reverse(message, answer=answer, network=network, **options), "reversal", network)
    if step.call == "break_message":
        broken = faults.break_message(message, options["fault"], network=network)
        return Made("broken", message, network, (broken.what,), broken.raw)
    values = {_written(name): value for name, value in options.items()}
    return replace(before, message=message.replace(**values))


def _written(element: str) -> str:
    return element if element == "mti" else f"de{element}"


def _of(done: Generated, role: str, network: str | None) -> Made:
    return Made(role, done.message, done.network or network, done.notes)


def _coded(step: Step, names: list[str]) -> tuple[str, str]:
    """The variable that a step's message has in code, and the line of code."""
    options = dict(step.options)
    if step.call == "set":
        name = names[step.of or 0]
        changes = ", ".join(f"{_written(one)}={value!r}" for one, value in options.items())
        return name, f"{name} = sim.parse({name}.iso.to_message().replace({changes}))"
    given = [repr(options.pop("message_type"))] if step.call == "generate" else [names[step.of or 0]]
    given += [repr(options.pop(name)) for name in ("code", "fault") if name in options]
    given += [] if step.answer is None else [f"answer={names[step.answer]}"]
    given += [f"{name}={value!r}" for name, value in options.items() if _USUAL.get(name, _USUAL) != value]
    kind = _KINDS.get(step.call, "broken")
    count = sum(name.rstrip("_0123456789") == kind for name in names) + 1
    name = kind if count == 1 else f"{kind}_{count}"
    flat = f"{name} = sim.{step.call}({', '.join(given)})"
    if len(flat) > _WIDEST:
        flat = f"{name} = sim.{step.call}(\n" + "".join(f"    {one},\n" for one in given) + ")"
    return name, flat


def shown(text: str) -> str:
    """*text* of a description as it may be shown: card numbers masked."""
    return mask_words(text)
