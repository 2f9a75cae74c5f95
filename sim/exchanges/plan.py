"""A plan: calls of the toolkit with their options, and the words behind each option."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sim.codec import Message, ParseError, build, parse
from sim.elements import dates
from sim.errors import IsoError
from sim.exchanges.exchange import Exchange
from sim.exchanges.lexicon import fold
from sim.exchanges.making import make
from sim.exchanges.roles import ANSWER, asking_role
from sim.exchanges.roles import Step as Sent
from sim.masking import mask_piece
from sim.operations import answering, faults
from sim.operations.asked import generated, written_call
from sim.operations.conversion import convert
from sim.spec.tables import read_csv

SOURCE_WORDS = "words"  # our choice: the `source` of a description read by rules
# Calls that make no message: start a host, run a suite.
HOST, SUITE = "host", "run_suite"
_REWORD = "Leave out what is not understood, or say it in other words"
_MOST_REMEDIES = 3
_LONGEST_WORDS = 100  # characters that an error quotes
_MOST_NUMBERS = 5  # that are shown
_NEXT = timedelta(minutes=1)  # between two payments
_USUAL: dict[str, Any] = {
    **{"network": None, "pan": None, "amount_minor_units": 1000, "currency": "840", "stan": "123456"},
    **{"version": None, "at": None, "purpose": "purchase", "entry": None, "outcome": "approved"},
}
# The options that people read first.
_ORDER = (
    *("message_type", "purpose", "outcome", "approved_minor_units", "then", "network", "pan"),
    *("amount_minor_units", "currency", "entry", "version"),
)
# The positional argument of each call.
_FIRST = {"generate": "message_type", "exchange": "purpose", "respond": "code", "break_message": "fault",
          "convert": "to", HOST: "rules", SUITE: "suite"}  # fmt: skip
_NAMES = {"generate": "request", "respond": "answer", "exchange": "exchange", "break_message": "broken",
          "convert": "converted", HOST: "host", SUITE: "results"}  # fmt: skip


class UnclearError(IsoError):
    """Something important in a description was not understood, or is not possible. `words` are what is not
    clear: words not understood, and `doubts` such as two amounts; `not_possible` is the reason why the rest
    cannot be made. The text says what to write instead."""

    def __init__(
        self, words: tuple[str, ...] = (), not_possible: str = "", doubts: tuple[str, ...] = ()
    ) -> None:
        super().__init__(None, None, "", "")
        self.words, self.not_possible, self.doubts = words, not_possible, doubts
        lists = {"Not understood": [text for text in words if text not in doubts], "Unclear": doubts}
        quoted = [f"{name}: {'; '.join(map(_short, every))}" for name, every in lists.items() if every]
        quoted += [*dict.fromkeys(map(_remedy, (*doubts, *words)))][:_MOST_REMEDIES]
        self.say(f"Not possible: {masked_description(not_possible)}" if not_possible else ". ".join(quoted))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.words, self.not_possible, self.doubts)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a description requests. `purpose`, `options`, `outcome` (None: a request without a response),
    `approved` (a partial amount) and `then` are those of `sim.exchange`; `kind` is the message type, None for
    the usual one. `approval` and `balance` go into the response; `elements` are set by hand in message `at`
    (None removes one), which also gets the `fault`; `convert` is the version to convert the message to at the
    end. All of it is made `count` times; those at `which` (counted from 0; None: all) have the outcome.
    `answered`: the description is about the last response. `words` are those behind each option."""

    purpose: str = "purchase"
    kind: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    outcome: str | None = None
    approved: int | None = None
    then: tuple[str, ...] = ()
    approval: str | None = None
    balance: int | None = None
    fault: str = ""
    convert: str = ""
    elements: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    at: int = 0
    count: int = 1
    which: Sequence[int] | None = None
    answered: bool = False
    words: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_declined(self) -> bool:
        """Whether the outcome is a response code."""
        return self.outcome not in (None, "approved", "partial", "timeout", "late")


@dataclass(frozen=True, slots=True)
class Step:
    """One call: `generate`, `exchange`, `respond`, `break_message`, `convert`, `host`, `run_suite` or `set`,
    which sets elements by hand (None removes one). It takes message `at` of step `of` and runs `times` times;
    those at `which` (counted from 0; None: all) have the outcome in its options."""

    call: str
    options: Mapping[str, Any] = field(repr=False)
    words: Mapping[str, str] = field(default_factory=dict, repr=False)
    of: int = 0
    at: int = 0
    times: int = 1
    which: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """The result of a plan: an exchange, the `texts` of its broken messages by index, and as `subject` the
    index of the message that the description is about."""

    exchange: Exchange
    texts: Mapping[int, str] = field(repr=False)
    subject: int

    def text(self, at: int) -> str:
        """Message *at* as text."""
        return self.texts.get(at) or build(self.exchange.steps[at].message)


@dataclass(frozen=True, slots=True)
class Plan:
    """A description as calls. The `steps` make what is `asked`, after the `earlier` transactions of the
    description. `notes` say what was assumed, `unclear` are the words not understood, `not_possible` says why
    the rest cannot be made; `cost` is the usage of a language model, `previous` the plan before the last
    follow-up."""

    text: str = field(repr=False)
    asked: Asked = field(default_factory=Asked)
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    unclear: tuple[str, ...] = field(default=(), repr=False)
    not_possible: str = ""
    source: str = SOURCE_WORDS
    cost: str = ""
    earlier: tuple[Asked, ...] = ()
    previous: Plan | None = field(default=None, repr=False, compare=False)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, ready to show."""
        notes, prefixes = dict.fromkeys(self.notes), ("Left aside: ", "Did you mean ")
        return tuple(note if note.startswith(prefixes) else f"Assumed: {note}" for note in notes)

    @property
    def refusal(self) -> str:
        """Why the plan cannot run, in words; empty if it can."""
        if self.unclear or self.not_possible:
            return str(UnclearError(self.unclear, "" if self.unclear else self.not_possible, self.doubts))
        return ""

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is unclear besides words: two amounts, a contradiction."""
        text = fold(masked_description(self.text))
        return tuple(one for one in self.unclear if fold(one) not in text)

    @property
    def reports(self) -> list[tuple[str, str]]:
        """What was assumed, what was not understood, and why nothing can be made: words of the description
        (empty: all of it), masked, and the note on them."""
        doubts, refusal = self.doubts, f"Not possible: {self.not_possible}" if self.not_possible else ""
        unknown = [masked_description(words) for words in self.unclear if words not in doubts]
        unclear = (f"Unclear: {masked_description(doubt)}" for doubt in doubts)
        return [
            *(("", note) for note in self.remarks),
            *((words, "Not understood") for words in unknown),
            *(("", note) for note in (*unclear, self.cost, refusal) if note),
        ]

    @property
    def makes_messages(self) -> bool:
        """Whether the calls make messages; those of a host or a suite do not."""
        return not any(step.call in (HOST, SUITE) for step in self.steps)

    @property
    def requests(self) -> tuple[Asked, ...]:
        """What is asked, transaction by transaction."""
        return (*self.earlier, self.asked)

    def check(self) -> Plan:
        """The plan with the reason why it cannot run, if any."""
        if not self.not_possible and self.makes_messages and (self.steps or not self.unclear):
            try:
                self._run()
            except UnclearError as error:
                return replace(self, not_possible=error.not_possible)
        return self

    def run(self, *, partial: bool = False) -> Run:
        """Make the messages. *partial*: even if something was not understood. Raises UnclearError."""
        if self.unclear and not partial:
            raise UnclearError(self.unclear, doubts=self.doubts)
        return self._run()

    def _run(self) -> Run:
        if not self.steps:
            raise UnclearError(not_possible=self.not_possible or "nothing was understood")
        if not self.makes_messages:
            raise UnclearError(not_possible="a host or a suite makes no message; its call is the plan's code")
        try:
            running = _Running(self.steps)
        except (IsoError, ValueError) as error:
            raise UnclearError(not_possible=str(error)) from error
        asks = self.asked.then and not self.asked.answered
        places = [at for at, step in enumerate(running.exchange.steps) if not (asks and step.is_answer)]
        return Run(running.exchange, running.texts, max(places, default=0))

    def rows(self) -> Iterator[tuple[int, str, str, Any, str]]:
        """Each option: the number of the step, its call, the option, its value, the words behind it."""
        for number, step in enumerate(self.steps, 1):
            options = dict(step.options)
            if step.times > 1:
                options["times"] = step.times
            if step.which is not None:
                options["which"] = ", ".join(str(at + 1) for at in step.which)
            for name, value in (options or {"": ""}).items():
                yield number, step.call, name, value, step.words.get(name, "")

    def understood(self) -> dict[str, str]:
        """The words that were understood, masked, by the option that they set."""
        return {name: masked_description(words) for _, _, name, _, words in self.rows() if words}

    @property
    def code(self) -> str:
        """The plan as Python calls for a notebook cell."""
        names: list[str] = []
        lines = []
        for step in self.steps:
            name, line = _coded(step, names)
            names.append(name)
            lines.append(line)
        return "\n".join(lines)


def together(plans: Sequence[Plan]) -> Plan:
    """Several plans as one: their calls in sequence, each with its own STANs."""
    steps: tuple[Step, ...] = ()
    for plan in plans:
        steps += tuple(_moved(plan.steps, steps))
    *earlier, asked = (request for plan in plans for request in plan.requests)
    return replace(
        plans[-1],
        text="; ".join(plan.text for plan in plans),
        asked=asked,
        steps=steps,
        earlier=tuple(earlier),
        notes=tuple(dict.fromkeys(note for plan in plans for note in plan.notes)),
        unclear=tuple(dict.fromkeys(words for plan in plans for words in plan.unclear)),
        not_possible=next((plan.not_possible for plan in plans if plan.not_possible), ""),
    )


def _moved(steps: Iterable[Step], before: Sequence[Step]) -> Iterator[Step]:
    """*steps* renumbered to come after those *before*."""
    requests = [step for step in before if step.call in ("generate", "exchange")]
    count = sum(step.times * (1 + len(str(step.options.get("then", "")).split())) for step in requests)
    for step in steps:
        options = dict(step.options)
        if requests and step.call in ("generate", "exchange"):
            options.setdefault("stan", stan_after({}, count))
        yield replace(step, options=options, of=step.of + len(before))


def steps_of(asked: Asked) -> tuple[Step, ...]:
    """The calls that make what is *asked*: a request, an exchange, or one call per message if one of them is
    changed or the response needs what `exchange` has no option for. Options are in reading order."""

    def ordered(options: Mapping[str, Any]) -> dict[str, Any]:
        return {name: options[name] for name in _ORDER if name in options} | dict(options)

    return tuple(replace(step, options=ordered(step.options)) for step in _calls(asked))


def _calls(asked: Asked) -> Iterator[Step]:
    words = dict(asked.words)
    times: dict[str, Any] = {"times": asked.count, "which": asked.which}
    changed = bool(asked.fault or asked.elements)
    piecewise = asked.approval is not None or asked.balance is not None or (changed and not asked.at)
    purpose = {} if asked.kind == asked.purpose else {"purpose": asked.purpose}
    if asked.then or (asked.outcome is not None and not piecewise):
        more: dict[str, Any] = {"outcome": asked.outcome or "approved"}
        if asked.approved is not None:
            more["approved_minor_units"] = asked.approved
        if asked.then:
            more["then"] = " ".join(asked.then)
        kind = {} if asked.kind == asked.purpose else {"message_type": asked.kind}
        yield Step("exchange", {"purpose": asked.purpose, **kind, **more, **asked.options}, words, **times)
        yield from _changes(asked, asked.at)
        if asked.convert:
            yield Step("convert", {"to": asked.convert}, words, 0, 0 if asked.then else 1)
        return
    part = {"partial_approval": True} if asked.outcome == "partial" else {}
    first = {"message_type": asked.kind, **purpose, **asked.options, **part}
    yield Step("generate", first, words, **times)
    yield from _changes(asked, 0)
    if asked.outcome is not None and asked.outcome != "timeout":
        options = {"code": asked.outcome if asked.is_declined else None, "balance_minor_units": asked.balance}
        options |= {"approval": asked.approval, "amount_minor_units": asked.approved}
        words |= dict.fromkeys(("code", "amount_minor_units"), words.get("outcome", ""))
        yield Step("respond", {name: value for name, value in options.items() if value is not None}, words)
    if asked.convert:
        yield Step("convert", {"to": asked.convert}, words, 0, int(asked.outcome is not None))


def _changes(asked: Asked, at: int) -> Iterator[Step]:
    if asked.elements:
        yield Step("set", asked.elements, asked.words, 0, at)
    if asked.fault:
        yield Step("break_message", {"fault": asked.fault}, asked.words, 0, at)


class _Running:
    """Runs the calls of a plan in order."""

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self.exchange = Exchange()
        self.texts: dict[int, str] = {}
        self.places: list[int] = []  # index of the first message of each step
        self.last: datetime | None = None  # time of the last message
        for step in steps:
            self.places.append(len(self.exchange))
            getattr(self, f"_{step.call}")(step)

    def _generate(self, step: Step) -> None:
        for options in repeated(step):
            usual = {name: value for name, value in _USUAL.items() if name != "outcome"}
            result = generated(options.pop("message_type"), **usual | self._timed(options))
            self._add(result.network, result.notes, Sent(asking_role(result.message, None), result.message))
            self.last = (self.last + _NEXT) if self.last else dates.now().replace(microsecond=0)

    def _exchange(self, step: Step) -> None:
        for options in repeated(step):
            exchange = make(**self._timed(options))
            self.last = max((one.at for one in exchange.steps if one.at), default=None)
            first = len(self.exchange)
            sent = (one if one.of is None else replace(one, of=one.of + first) for one in exchange.steps)
            self._add(exchange.network, exchange.notes, *sent)

    def _timed(self, options: dict[str, Any]) -> dict[str, Any]:
        """*options* with the time of a payment that follows the one before, unless they give a time."""
        return options if self.last is None else {"at": self.last + _NEXT} | options

    def _respond(self, step: Step) -> None:
        place = self.places[step.of]
        request, network = self.exchange.steps[place], self.exchange.network
        done = answering.respond(request.message, network=network, at=request.at, **step.options)
        self._add(network, done.notes, Sent(ANSWER, done.message, None, place))

    def _set(self, step: Step) -> None:
        place = self._place(step)
        values = {f"de{number}": value for number, value in step.options.items()}
        self._put(place, self.exchange.steps[place].message.replace(**values))

    def _convert(self, step: Step) -> None:
        place = self._place(step)
        message, network = self.exchange.steps[place].message, self.exchange.network
        conversion = convert(message, step.options["to"], network=network)
        lost = (change for change in conversion.notes if change.action == "lost")
        self._put(place, conversion.message, tuple(f"DE {one.number}: {one.note}" for one in lost))

    def _break_message(self, step: Step) -> None:
        place = self._place(step)
        network, message = self.exchange.network, self.exchange.steps[place].message
        broken = faults.break_message(message, step.options["fault"], network=network)
        try:
            message = parse(broken.raw, message.version)
        except ParseError as error:
            message = error.partial or Message("", {}, message.version)
        self._put(place, message, (broken.what,))
        self.texts[place] = broken.raw

    def _place(self, step: Step) -> int:
        place = self.places[step.of] + step.at
        if place >= len(self.exchange):
            raise ValueError("there is no such message to change")
        return place

    def _put(self, place: int, message: Message, notes: tuple[str, ...] = ()) -> None:
        messages = [*self.exchange.messages]
        messages[place] = message
        self.exchange = self.exchange.fitted(messages, notes)

    def _add(self, network: str | None, notes: tuple[str, ...], *steps: Sent) -> None:
        every = tuple(dict.fromkeys((*self.exchange.notes, *notes)))
        self.exchange = replace(self.exchange, network=network, notes=every).plus(*steps)


def stan_after(options: Mapping[str, Any], number: int) -> str:
    """The STAN of the message *number* messages after the one with *options*."""
    return f"{int(options.get('stan', _USUAL['stan'])) + number:06}"[-6:]


def repeated(step: Step) -> Iterator[dict[str, Any]]:
    """The options of each run of *step*: a STAN of its own, and the outcome for the runs that have it."""
    for number in range(step.times):
        options = dict(step.options)
        if number:
            options["stan"] = stan_after(options, number)
        if step.which is not None and number not in step.which:
            options["outcome"] = "approved"
        yield options


def _coded(step: Step, names: list[str]) -> tuple[str, str]:
    """The variable and the line of code for a step; *names* are the variables so far."""
    options, source = dict(step.options), ""
    if step.call in ("set", "break_message", "respond", "convert"):
        source = f"{names[-1]}.iso.messages[{step.at}]" if names[-1].startswith("exchange") else names[-1]
    if step.call == "set":
        changes = ", ".join(f"de{number}={value!r}" for number, value in options.items())
        name = names[-1] if names[-1].startswith("request") else "changed"
        return name, f"{name} = sim.parse({source}.iso.to_message().replace({changes}))"
    arguments = [source] if source else []
    if (first := _FIRST[step.call]) in options:
        value = options.pop(first)
        arguments.append(f'"""\n{value}\n"""' if "\n" in str(value) else repr(value))
    for name, value in options.items():
        if name == "outcome" and step.which is not None:
            arguments.append(f"outcome={value!r} if number in {step.which} else 'approved'")
        elif _USUAL.get(name, _USUAL) != value:
            arguments.append(f"{name}={value!r}")
    name = _NAMES[step.call]
    again = sum(other.rstrip("s0123456789_") == name for other in names)
    if again and step.call in ("generate", "exchange"):
        name = f"{name}_{again + 1}"
    if step.times == 1:
        return name, written_call(f"{name} = sim.{step.call}", arguments)
    stan = int(options.get("stan", _USUAL["stan"]))
    arguments = [argument for argument in arguments if not argument.startswith("stan=")]
    arguments.append(f'stan=f"{{{stan} + number:06}}"')
    call = written_call(f"sim.{step.call}", arguments).replace("\n", "\n    ")
    return f"{name}s", f"{name}s = [\n    {call}\n    for number in range({step.times})\n]"


def _remedy(problem: str) -> str:
    """What to write instead of the words or the doubt *problem*."""
    rows = read_csv("descriptions/remedies")
    text = fold(problem)
    return next((row["remedy"] for row in rows if re.match(row["problem"], text)), _REWORD)


def _short(words: str) -> str:
    masked = masked_description(words)
    return masked if len(masked) <= _LONGEST_WORDS else f"{masked[:_LONGEST_WORDS]}…"


def masked_description(text: str) -> str:
    """*text* of a description with its card data masked."""
    return mask_piece(text)


def shown_value(name: str, value: object) -> str:
    """The *value* of an option, masked if it is card data by itself or by the *name* of the option."""
    if name == "which" and len(numbers := str(value).split(", ")) > _MOST_NUMBERS:
        value = f"{numbers[0]}, {numbers[1]}, … {numbers[-1]} ({len(numbers)} in all)"
    return mask_piece(f"{name}: {value}").removeprefix(f"{name}: ")
