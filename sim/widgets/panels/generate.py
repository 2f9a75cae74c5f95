"""`GeneratePanel`: a test message from options, or from a description in plain English, which is read as it
is typed. Options can be saved as templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.elements.money import say_amount
from sim.exchanges import tell
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import Asked, Plan, UnclearError, masked_description, shown_value, steps_of, together
from sim.grid import cut
from sim.masking import mask_words
from sim.operations.asked import generated, usual_entry
from sim.operations.copying import NO_CARD, call_of, covered_call
from sim.operations.generation import native_version
from sim.operations.options import Setting, goes_with
from sim.operations.reading import recognised
from sim.spec import currency
from sim.spec.networks import NETWORKS, answer, detect
from sim.spec.tables import read_toml
from sim.spec.words import OF_A_MODEL
from sim.verbs import MINOR_UNITS, verb
from sim.widgets.asking import Inquiry, LanguageModel
from sim.widgets.covered_text import CoveredText
from sim.widgets.markup import hint, joined, markup, wrong
from sim.widgets.panels.actions import MessageActions
from sim.widgets.panels.fields import Form, InputField, show, traits_of
from sim.widgets.panels.panel import (
    MessageViews,
    Panel,
    RunBar,
    cover,
    has_tables,
    of_message,
    static_anatomy,
)
from sim.widgets.panels.reader import Gallery
from sim.widgets.panels.templates import TemplateBar, Templates

_BETWEEN = " … "
_LONGEST = 500  # characters of a story
_PREVIOUS = ("The message below is the previous one.",)
_TITLES = {option.name: option.label for name in ("exchange", "generate") for option in verb(name).options}


def planned(plan: Plan) -> str:
    """*plan* as HTML: its text with the understood words underlined, the options they set, the messages it
    makes, and what was assumed."""
    text = masked_description(plan.text)
    titles: dict[str, dict[str, None]] = {}
    for words, title in _choices(plan):
        titles.setdefault(words, {})[title] = None
    phrases = [("u", words, values) for words, values in titles.items()]
    phrases += [("mark", masked_description(words), {"not understood": None}) for words in plan.unclear]
    spans: dict[tuple[int, int], tuple[str, dict[str, None]]] = {}
    for tag, words, values in phrases:
        for part in filter(None, words.split(_BETWEEN)):
            if (at := text.find(part)) >= 0:
                spans.setdefault((at, at + len(part)), (tag, {}))[1].update(values)
    pieces, at = [], 0
    for (start, end), (tag, values) in sorted(spans.items()):
        if start >= at:
            pieces += [text[at:start], markup(tag, text[start:end], title=", ".join(values))]
            at = end
    rows = [
        joined(markup("dt", words), markup("dd", ", ".join(values)))
        for words, values in sorted(titles.items(), key=lambda item: text.find(item[0].split(_BETWEEN)[0]))
    ]
    hints = [note if note.endswith("?") else f"{note}." for note in plan.remarks]
    if plan.makes_messages and not (plan.unclear or plan.not_possible):
        exchange = plan.run().exchange
        story = f" {cut(tell(exchange), _LONGEST)}" if any(step.is_answer for step in exchange.steps) else ""
        hints.insert(0, f"Makes {_counted([message.mti for message in exchange.messages])}.{story}")
    paragraph = markup("p", joined(*pieces, text[at:]), "iso-planned")
    return paragraph + markup("dl", joined(*rows), "iso-plan") + "".join(map(hint, [*hints, plan.cost]))


def _counted(types: list[str]) -> str:
    """Message types in order, a repeated series once: `0100, 0110, 40 times`."""
    size = next(size for size in range(1, len(types) + 1) if types == types[:size] * (len(types) // size))
    times = len(types) // size
    return ", ".join(types[:size]) + (f", {times} times; the last message is shown" if times > 1 else "")


def _choices(plan: Plan) -> Iterator[tuple[str, str]]:
    """The words of the description, each with the option it sets as a person reads it."""
    for number, _, name, value, words in plan.rows():
        step = plan.steps[number - 1]
        with_amount = name == "currency" and any(
            words == of and option.endswith(MINOR_UNITS) for option, of in step.words.items()
        )
        if words and not with_amount:
            title = _TITLES.get(name, name.capitalize()).partition(",")[0]
            shown = shown_value(name, _value_in_words(name, str(value), step.options))
            yield masked_description(words), f"{title}: {shown}"


def _value_in_words(name: str, value: str, options: Mapping[str, Any]) -> str:
    """The *value* of an option with its currency or the meaning of its code."""
    code = str(options.get("currency", "840"))
    if name.endswith(MINOR_UNITS):
        return say_amount(value, code)
    if name == "then":
        steps = (step.partition(":") for step in value.split())
        return ", ".join(f"{step} of {say_amount(of, code)}" if of else step for step, _, of in steps)
    if name == "outcome" and value.isdigit():
        network, pan = options.get("network"), options.get("pan")
        row = answer(value, options.get("version") or native_version(network, pan), network)
        return f"{value} {row.meaning}" if row else value
    return value


OPTIONS = tuple(
    option.name for option in verb("generate").options if option.name not in (*OF_A_MODEL, "at", "format")
)
# The first are in the form, the others collapsed below it.
FIRST = OPTIONS[: OPTIONS.index("entry") + 1]
MORE = OPTIONS[len(FIRST) :]
MOST_DESCRIPTION = 2000  # characters, as the interface has it
_SECRET = tuple(name for name, row in read_toml("templates")["options"].items() if row.get("secret"))
_Options: Any = traitlets.MetaHasTraits("_Options", (traitlets.HasTraits,), traits_of("generate", OPTIONS))


def offered(chosen: Mapping[str, Any]) -> tuple[str, ...]:
    """The options of `MORE` that apply with those *chosen*, including those that others need."""
    kind, purpose, pan = chosen["message_type"], chosen["purpose"], chosen["pan"]
    card = detect(str(pan)) if pan else None
    network = chosen["network"] or (card.network if card else None if pan else NETWORKS[0])
    version = chosen["version"] or native_version(chosen["network"], pan)
    entry = chosen["entry"] or usual_entry(purpose)
    setting = Setting(kind, network, version, purpose, entry, details=chosen)
    if setting.alone:
        return ()
    table = read_toml("templates")["options"]
    cash = purpose in ("purchase", "cashback")
    return tuple(
        name
        for name in MORE
        if (goes_with(name, setting) if name in table else cash or "cashback" not in name)
    )


class GeneratePanel(Panel, _Options):  # type: ignore[misc]
    """Makes a test message from the chosen options.

    Traits: the options of `sim.generate` by their names (`network`, `stan`, `merchant`, `three_d_secure`
    ...), None for the default; those that do not apply are ignored. `description`; `plan`, its reading, or
    None; `message`, the raw text, empty before the first `run()`; `table`, the message table, None without
    pandas; `notes`; `problem`; `busy`, whether a model is being asked. *at* is the date and time at the
    merchant, None for now.

    A description is read as it is typed and fills in the form, in which options can still be changed. `run()`
    makes the message that the description is about. If something was not understood and a language model is
    configured, the model is asked: `run()` waits for it, the button does not (see `Panel`). The previous
    message stays until then; any change of an option, the description or the message cancels the request, as
    does `cancel()`. `code` is the Python code for the same result; *templates* is the file of saved options,
    None for the user's own.
    """

    message_type: Any
    entry: Any
    description = traitlets.Unicode("")
    plan = traitlets.Any(None)
    message = traitlets.Unicode("")
    table = traitlets.Any(None)
    notes = traitlets.Tuple()

    def __init__(
        self,
        *,
        at: datetime | None = None,
        writer: LanguageModel | None = None,
        templates: Path | None = None,
        **options: Any,
    ) -> None:
        self.at = at
        # The network chosen for the message, None for the card's.
        self.asked_network: str | None = None
        self.writer = writer or LanguageModel()
        self._set_inputs(templates)
        self._set_outputs()
        chosen = (self.saved, self.describe, self.read, self.form, self.folded)
        made = (RunBar("Generate"), self.call, self.said, self.result)
        super().__init__(*chosen, *made, classes="iso-generate-panel")
        self._link()
        self.observe(lambda change: self._read(), "description")
        self._choose(options, ("description", *OPTIONS))  # the options take precedence
        self.observe(lambda change: self._asker.cancel(), [*OPTIONS, "description", "message"])
        self.observe(lambda change: self._adapt(), [*OPTIONS, "description"])
        self.observe(self._follow, "purpose")
        self.observe(lambda change: self._show(), "message")
        self._adapt()
        self._show()

    def options(self) -> dict[str, Any]:
        """The chosen options, without defaults and those that do not apply."""
        chosen = {name: getattr(self, name) for name in OPTIONS}
        names = (*FIRST, *offered(chosen))
        return {name: value for name, value in chosen.items() if value is not None and name in names}

    def use(self, options: Mapping[str, Any]) -> None:
        """Choose *options* and reset the others; unknown names are ignored."""
        for name in self._set(options):  # a file may hold anything
            self.problem = f"{name} cannot be {str(options[name])[:20]!r}"
            self._tell()
        self.description = ""

    def _set(self, options: Mapping[str, Any]) -> list[str]:
        """Choose *options* and reset the others; returns the names of those with impossible values."""
        impossible = []
        for name in dict.fromkeys(("purpose", *OPTIONS)):  # the purpose may reset the message type and entry
            value = options.get(name)
            try:
                setattr(self, name, self.traits()[name].default_value if value is None else value)
            except traitlets.TraitError:
                impossible.append(name)
        return impossible

    @property
    def code(self) -> str:
        """The Python code for the current choices."""
        if self.plan is not None and self.plan.steps:
            return str(self._edited(self.plan).code)
        return call_of(self.options(), self.description)

    def _read(self) -> None:
        """Plan the description and fill in the form."""
        described = self.description.strip()
        self.plan, self.describe.problem = None, ""
        if described and len(self.description) <= MOST_DESCRIPTION:
            plan = plan_of(described, at=self.at)
            self._fill(plan.asked)
            self.plan = plan
            self.describe.problem = plan.refusal
        self.read.value = planned(self.plan) if self.plan is not None else ""

    def _fill(self, asked: Asked) -> None:
        values = {"purpose": asked.purpose, "message_type": asked.kind, **asked.options}
        if iso_currency := currency(str(values.get("currency", ""))):
            values["currency"] = iso_currency.numeric
        self._set(values)  # the purpose of a network management message is none

    def _edited(self, plan: Plan) -> Plan:
        """*plan* with the current options, if it makes messages."""
        if not plan.makes_messages:
            return plan
        chosen = {name: value for name, value in self.options().items()
                  if value != self.traits()[name].default_value or name in plan.asked.options}  # fmt: skip
        link = plan.asked.kind == plan.asked.purpose and "purpose" not in chosen
        request = replace(
            plan.asked,
            kind=chosen.pop("message_type", plan.asked.kind),
            purpose=plan.asked.purpose if link else chosen.pop("purpose", "purchase"),
            options={"at": self.at.isoformat(), **chosen} if self.at else chosen,
        )
        parts = [Plan("", asked, steps_of(asked)) for asked in (*plan.earlier, request)]
        return replace(plan, asked=request, steps=together(parts).steps)

    def _saved_options(self) -> dict[str, Any]:
        """The options to save; verification values are not saved."""
        return {name: value for name, value in self.options().items() if name not in _SECRET or value is True}

    def _set_inputs(self, templates: Path | None) -> None:
        self.gallery = Gallery(lambda sample: self.use(sample.make), plain=True)
        self.templates = TemplateBar(Templates(templates), self._saved_options, self.use)
        self.saved = ipywidgets.Box([self.gallery, self.templates]).add_class("iso-form")
        self.form = Form(self, "generate", OPTIONS)
        more = self.form.children[len(FIRST) :]
        self.form.children = self.form.children[: len(FIRST)]
        titles = ("More options: merchant, date and time, extras",)
        more_options = ipywidgets.Box(more).add_class("iso-form")
        self.folded = ipywidgets.Accordion([more_options], titles=titles, selected_index=None)
        self.folded.add_class("iso-carried")
        self.amount: Any = self.form.fields["amount_minor_units"]
        self.card: Any = self.form.fields["pan"]
        example = "Visa contactless 12.50 EUR in Lyon, declined for insufficient funds"
        self.words = CoveredText(cover=mask_words, label="Describe it", placeholder=example, rows=2)
        self.describe = InputField(self.words)
        self.read = ipywidgets.HTML().add_class("iso-said")

    def _set_outputs(self) -> None:
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.call = CoveredText(
            cover=lambda call: covered_call(call, self.pan),
            label="Python code",
            rows=1,
            disabled=True,
        ).add_class("iso-call")
        self.text = CoveredText(cover=cover, label="Message", rows=2, disabled=True)
        self.views = MessageViews()
        self.views.anatomy.on_edit(lambda raw: self._take(raw, ""))
        self.actions = MessageActions(self._take, at=self.at)
        self.result = ipywidgets.VBox([self.text, self.actions, self.views]).add_class("iso-rows")

    def _link(self) -> None:
        for name, field in (("network", self.card), ("currency", self.amount)):
            traitlets.dlink((self, name), (field, name))
        traitlets.link((self, "description"), (self.words, "value"))
        traitlets.link((self.text, "masked"), (self.views.anatomy, "masked"))
        traitlets.dlink((self, "message"), (self.text, "value"))
        for name in ("message", "interface"):
            traitlets.dlink((self, name), (self.actions, name))

    def _work(self) -> Inquiry[Plan] | None:
        """Make the message; a problem is shown at its input, and the previous message stays."""
        self._asker.cancel()
        self.problem = self.describe.problem = ""
        self.form.settle()
        question = None
        if self.description.strip():
            question = self._described()
        else:
            self.problem = self.form.attempt(self._build, NO_CARD if self._cardless else ())
            if any(self.form.fields[name].problem for name in MORE):
                self.folded.selected_index = 0
        if self.problem:
            self.notes = _PREVIOUS
        self._tell()
        return question

    def _build(self) -> None:
        """Make the message of the options."""
        automatic = dict.fromkeys(("network", "pan", "version", "entry"))
        result = generated(**automatic | self.options(), at=self.at)
        self._put(result.raw, result.notes)

    def _described(self) -> Inquiry[Plan] | None:
        """Make the described message; returns a question for the model if something is unclear and one is
        configured."""
        if len(self.description) > MOST_DESCRIPTION:
            self.problem = self.describe.problem = f"At most {MOST_DESCRIPTION:,} characters"
            return None
        if self.plan is None:
            self._read()
        try:
            self._run(self._edited(self.plan))
        except UnclearError as error:
            if error.words and not self.writer.refusal():
                return self._question()
            self.problem = self.describe.problem = str(error)
        return None

    def _run(self, plan: Plan) -> None:
        """Show the message that *plan* is about. Raises UnclearError."""
        run = plan.run()
        self._put(run.text(run.subject), (*plan.notes, *run.exchange.notes))

    def _question(self) -> Inquiry[Plan]:
        description, version = self.description, self.version

        def answered(plan: Plan) -> None:
            self.read.value = planned(plan)
            try:
                self._run(plan)
                self._tell()
            except UnclearError as error:
                failed(str(error))

        def failed(problem: str) -> None:
            self.problem, self.describe.problem, self.notes = problem, problem, _PREVIOUS
            self._tell()

        return Inquiry(
            doing=f"Asking {self.writer.name() or 'the model'}\N{NO-BREAK SPACE}…",
            put=lambda listener: self.writer.plan(description, version=version, at=self.at),
            answered=answered,
            failed=failed,
            cancelled=lambda: self._tell("Canceled: no new message was made."),
        )

    def _put(self, raw: str, notes: tuple[str, ...]) -> None:
        """Show the message *raw* and its notes."""
        self.notes = notes
        self.asked_network = None if self.description.strip() else self.network
        self.message = raw

    def _take(self, raw: str, said: str) -> None:
        """Show a message made by the buttons below the result."""
        self.notes = (said,) if said else ()
        self.message = raw
        self._tell()

    @property
    def _cardless(self) -> bool:
        return bool(read_toml("templates")["kinds"][self.message_type].get("cardless"))

    def _follow(self, change: Any) -> None:
        """Reset the message type and card entry if they do not apply to the purpose."""
        row = read_toml("templates")["purposes"][self.purpose]
        if self.message_type not in row["kinds"]:
            self.message_type = row["kinds"][0]
        if self.entry not in row["entries"]:
            self.entry = None

    def _adapt(self) -> None:
        """Offer only options that apply: an echo test has no card and no amount."""
        cardless = self._cardless
        self.call.value = self.code
        names = offered({name: getattr(self, name) for name in OPTIONS})
        for name, field in self.form.fields.items():
            show(field, name in FIRST or name in names)
            field.disabled = cardless and name in NO_CARD
        note = "It has no card and no amount." if cardless else ""
        self.form.fields["message_type"].note = note

    def _show(self) -> None:
        table = None
        if self.message and has_tables():
            from sim import tables

            table = tables.parse(self.message, network=self.asked_network, interface=self.interface)
        self.table = table
        reading = recognised(self.message, interface=self.interface) if self.interface else None
        self.views.put(self.message, None, self.asked_network, self.table, reading)
        show(self.result, bool(self.message))
        self._tell()

    def _tell(self, news: str = "") -> None:
        lines = [hint(note) for note in self.notes if self.message]
        if self.problem and not self.describe.problem:
            lines.insert(0, wrong(f"{self.problem}.", "p"))
        elif news:
            lines.insert(0, hint(news, news=True))
        elif not (self.message or self.problem):
            lines = [hint("Describe or choose what you need, then press Generate.")]
        self.said.value = "".join(lines)

    def _static(self) -> str:
        return static_anatomy(self.views.anatomy)

    def __repr__(self) -> str:
        return f"GeneratePanel({of_message(self.views.anatomy)})"
