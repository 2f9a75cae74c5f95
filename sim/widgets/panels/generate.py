"""`GeneratePanel`: a test message from options, or from a description in plain English."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import BuildError, IsoError, OptionError
from sim.operations import Generated, generate
from sim.operations.asked import option_named, options_of
from sim.operations.generation import native_version
from sim.operations.options import LARGEST_AMOUNT
from sim.operations.recalled import call_of, covered_call
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS, detect, network
from sim.spec.tables import read_toml
from sim.widgets.asking import Inquiry
from sim.widgets.covered_text import CoveredText
from sim.widgets.panels.actions import MessageActions
from sim.widgets.panels.asking import AskingPanel, RunBar
from sim.widgets.panels.carried import CarriedInputs, carried_names, offered
from sim.widgets.panels.gallery import Gallery
from sim.widgets.panels.inputs import AmountInput, CardInput, StanInput
from sim.widgets.panels.language_model import LanguageModel
from sim.widgets.panels.shared import (
    InputField,
    MessageViews,
    cover,
    has_tables,
    link_choice,
    markup,
    of_message,
    one_of,
    show,
    static_anatomy,
    wrong,
)
from sim.widgets.panels.templates import TemplateBar, Templates


def _titled(table: str) -> tuple[tuple[str, str], ...]:
    """What a person reads and what `generate` takes, for each row of a table of the templates."""
    return tuple((row["title"], name) for name, row in read_toml("templates")[table].items())


TYPES, PURPOSES, ENTRIES = _titled("kinds"), _titled("purposes"), _titled("entries")
OPTIONS = (
    *("message_type", "network", "pan", "amount_minor_units", "currency", "stan"),
    *("version", "purpose", "entry"),
)
MOST_DESCRIPTION = 2000  # characters, as the interface has it


class GeneratePanel(AskingPanel):
    """Makes a test message of the options chosen.

    Traits: the options `message_type`, `network`, `pan`, `amount_minor_units`, `currency`, `stan`,
    `version`, `purpose`, `entry` and `description`, as `sim.generate` takes them; `given`, what else it
    takes (`merchant`, `timezone`, `three_d_secure` ...) by its names, of which what does not go with the rest
    is not asked for; `message`, the raw text, empty before the first `run()`; `table`, the message table,
    None without pandas; `notes`; `problem`, why nothing was made; `busy`, whether a model is asked. *at* is
    the moment at the merchant, None for now. `version` follows the network (1993 at Amex and Discover) until
    another is chosen.

    `run()` makes the message and, with a description, waits for the model; the button does not wait (see
    `AskingPanel`). Until then the message made before stays; any change of an option, the description or
    the message ends the request, as `cancel()` does. `code` is the call that makes the same in a cell;
    *templates* the file of options saved by name, None for the user's own.
    """

    message_type = traitlets.Enum([value for _, value in TYPES], "auth")
    network = one_of(NETWORKS)
    pan = traitlets.Unicode(None, allow_none=True)
    amount_minor_units = traitlets.Int(1000, min=0, max=LARGEST_AMOUNT)
    currency = traitlets.Unicode("840")
    stan = traitlets.Unicode("123456")
    version = traitlets.Enum(VERSIONS, "1987")
    purpose = traitlets.Enum([value for _, value in PURPOSES], "purchase")
    entry = traitlets.Enum([value for _, value in ENTRIES], "chip")
    description = traitlets.Unicode("")
    given = traitlets.Dict()
    message = traitlets.Unicode("")
    table = traitlets.Any(None)
    notes = traitlets.Tuple()
    problem = traitlets.Unicode("")

    def __init__(
        self,
        *,
        at: datetime | None = None,
        writer: LanguageModel | None = None,
        templates: Path | None = None,
        **options: Any,
    ) -> None:
        self.at = at
        # The network the message was made for, when one was asked for; else it is the card's.
        self.asked_network: str | None = None
        self.writer = writer or LanguageModel()
        self._set_inputs()
        self._set_saved(templates)
        self._set_outputs()
        bar = RunBar("Generate")
        super().__init__(
            bar,
            self.saved,
            self.form,
            self.carried,
            self.describe,
            bar,
            self.call,
            self.said,
            self.result,
            classes="iso-generate-panel",
        )
        self._link()
        self._take_options(options)
        self.observe(lambda change: self._asker.cancel(), [*OPTIONS, "given", "description", "message"])
        self.observe(lambda change: self._write_call(), [*OPTIONS, "given", "description"])
        self.observe(self._adapt, ["message_type", "description"])
        self.observe(self._follow, "purpose")
        self.observe(lambda change: self._offer(), [*OPTIONS, "given"])
        self.observe(lambda change: self._show(), "message")
        self._adapt()
        self._offer()
        self._write_call()
        self._show()

    def _take_options(self, options: Mapping[str, Any]) -> None:
        known = (*OPTIONS, *carried_names())
        for name, value in sorted(options.items(), key=lambda item: item[0] == "version"):
            if name in carried_names():
                self.given = {**self.given, name: value}
            elif name in (*OPTIONS, "given", "description"):
                setattr(self, name, value)
            else:
                raise TypeError(f"GeneratePanel has no option {name!r}; it has {', '.join(known)}")

    def options(self) -> dict[str, Any]:
        """The options as they are chosen now, with what else was filled in and goes with them."""
        chosen = {name: getattr(self, name) for name in OPTIONS}
        names = self._offered()
        return chosen | {name: value for name, value in self.given.items() if name in names}

    def _offered(self) -> tuple[str, ...]:
        found = detect(self.pan) if self.network is None and self.pan else None
        own = self.network or (found.network if found else NETWORKS[0] if not self.pan else None)
        return offered(self.message_type, own, self.version, self.purpose, self.entry, self.given)

    def _offer(self) -> None:
        self.carried.offer(self._offered())

    def use(self, options: Mapping[str, Any]) -> None:
        """Choose *options*; those not among them get what they have at first, and names unknown here are
        left aside."""
        for name in OPTIONS:
            usual = self._native() if name == "version" else self.traits()[name].default_value
            try:
                setattr(self, name, options.get(name, usual))
            except traitlets.TraitError:  # a file may hold anything
                self.problem = f"{name} cannot be {str(options[name])[:20]!r}"
                self._tell()
        self.given = {name: options[name] for name in carried_names() if name in options}
        self.description = ""

    @property
    def code(self) -> str:
        """The call of `sim.generate` that makes what is chosen."""
        return call_of(self.options(), self.description)

    def _write_call(self) -> None:
        self.call.value = self.code

    def _set_saved(self, templates: Path | None) -> None:
        self.gallery = Gallery(lambda sample: self.use(sample.make), plain=True)
        self.templates = TemplateBar(Templates(templates), self._kept, self.use)
        self.saved = ipywidgets.Box([self.gallery, self.templates]).add_class("iso-form")

    def _kept(self) -> dict[str, Any]:
        """The options that are saved: a verification value is none of them."""
        return {name: value for name, value in self.options().items() if name != "cvv2"}

    def _set_inputs(self) -> None:
        networks = [("of the card", ""), *((network(name).title, name) for name in NETWORKS)]
        self.type_choice = ipywidgets.Dropdown(options=TYPES, description="Type")
        self.network_choice = ipywidgets.Dropdown(options=networks, description="Network")
        self.version_choice = ipywidgets.Dropdown(options=VERSIONS, description="Version")
        self.purpose_choice = ipywidgets.Dropdown(options=PURPOSES, description="Purpose")
        self.entry_choice = ipywidgets.Dropdown(options=ENTRIES, description="Card entry")
        self.card, self.amount, self.stan_input = CardInput(), AmountInput(), StanInput()
        self.type_field = InputField(self.type_choice)
        parts = [
            self.type_field,
            InputField(self.network_choice),
            InputField(self.version_choice),
            self.stan_input,
        ]
        parts += [self.card, self.amount, InputField(self.purpose_choice), InputField(self.entry_choice)]
        self.form = ipywidgets.Box(parts).add_class("iso-form")
        self.carried = CarriedInputs()
        self._inputs: dict[str, tuple[Any, str]] = {
            "message_type": (self.type_choice, "value"),
            "pan": (self.card, "pan"),
            "amount_minor_units": (self.amount, "amount_minor_units"),
            "currency": (self.amount, "currency"),
            "stan": (self.stan_input, "stan"),
            "version": (self.version_choice, "value"),
            "purpose": (self.purpose_choice, "value"),
            "entry": (self.entry_choice, "value"),
        }
        self._set_description()

    def _set_description(self) -> None:
        refusal = self.writer.refusal()
        self.words = ipywidgets.Textarea(
            description="Or describe it in plain English: a language model builds it",
            placeholder="A declined contactless purchase of 12.50 euros in Lyon",
            rows=2,
            disabled=bool(refusal),
        )
        self.describe = InputField(self.words)
        self.describe.note = refusal and f"{refusal}."

    def _set_outputs(self) -> None:
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.call = CoveredText(
            cover=lambda call: covered_call(call, self.pan),
            label="The same in a cell",
            rows=1,
            editable=False,
        ).add_class("iso-call")
        self.text = CoveredText(cover=lambda raw: cover(raw, None), label="Message", rows=2, editable=False)
        self.views = MessageViews()
        self.views.anatomy.on_edit(lambda raw: self._take(raw, ""))
        self.actions = MessageActions(self._take, at=self.at)
        self.result = ipywidgets.VBox([self.text, self.actions, self.views]).add_class("iso-rows")

    def _link(self) -> None:
        self._spoken = self.version  # the one that the network speaks; another was chosen by somebody
        self.observe(lambda change: self._speak(), ["network", "pan"])
        for name, (widget, trait) in self._inputs.items():
            traitlets.link((self, name), (widget, trait))
        traitlets.link((self, "given"), (self.carried, "given"))
        link_choice(self, "network", self.network_choice)
        traitlets.dlink((self, "network"), (self.card, "network"))
        traitlets.link((self, "description"), (self.words, "value"))
        traitlets.link((self.text, "masked"), (self.views.anatomy, "masked"))
        traitlets.dlink((self, "message"), (self.text, "value"))
        traitlets.dlink((self, "message"), (self.actions, "message"))

    def _work(self) -> Inquiry[Generated] | None:
        """A problem is told beside the input it concerns, and the message made before stays."""
        self._asker.cancel()
        self.problem = self.describe.problem = ""
        question = None
        if self.description.strip():
            question = self._question()
        elif self._inputs_ok():
            self._build()
        self._tell()
        return question

    def _inputs_ok(self) -> bool:
        wrong = [] if self.stan_input.ok else ["the STAN"]
        if not read_toml("templates")["kinds"][self.message_type].get("cardless"):
            wrong += [] if self.amount.ok else ["the amount or its currency"]
            wrong += ["the card number"] if self.card.own.problem or self.card.choice.problem else []
        self.problem = f"Fix {' and '.join(wrong)} first" if wrong else ""
        return not wrong

    def _build(self) -> None:
        try:
            made = generate(**options_of(**self.options(), at=self.at))
        except (BuildError, OptionError) as error:
            self._refuse(error)
        else:
            self._put(made)

    def _refuse(self, error: IsoError) -> None:
        """Say what cannot be met beside the input it concerns."""
        self.problem = str(error)
        option = error.option if isinstance(error, OptionError) else ""
        if self.carried.refuse(option_named(option), str(error)):
            return
        if option in ("amount_minor_units", "currency"):
            self.amount.refuse(option, str(error))
        elif option == "pan":
            self.card.refuse(str(error))
        elif option == "stan":
            self.stan_input.field.problem = str(error)

    def _question(self) -> Inquiry[Generated] | None:
        description, version = self.description, self.version
        if len(description) > MOST_DESCRIPTION:
            self.problem = self.describe.problem = f"At most {MOST_DESCRIPTION} characters"
            return None

        def answered(made: Generated) -> None:
            self._put(made)
            self._tell()

        def failed(problem: str) -> None:
            self.problem = self.describe.problem = problem

        return Inquiry(
            doing=f"Asking {self.writer.name() or 'the model'}\N{NO-BREAK SPACE}…",
            put=lambda heard: self.writer.generate(description, version=version, at=self.at),
            heard=lambda text: None,  # a message comes whole
            answered=answered,
            failed=failed,
            cancelled=lambda: self._tell("Cancelled: no new message was made."),
        )

    def _put(self, made: Generated) -> None:
        self.notes = made.notes
        self.asked_network = None if self.description.strip() else self.network
        self.message = made.raw

    def _take(self, raw: str, said: str) -> None:
        """A message that the buttons beneath the result made of the one before."""
        self.notes = (said,) if said else ()
        self.message = raw
        self._tell()

    def _native(self) -> str:
        """The version that the network, or that of the card, speaks."""
        return native_version(self.network, self.pan)

    def _speak(self) -> None:
        """The version becomes the network's own, unless another was chosen."""
        if self.version == self._spoken:
            self.version = self._spoken = self._native()

    def _follow(self, change: Any) -> None:
        """The type of message and the way of reading the card become usual ones where they do not go with a
        purpose that is chosen."""
        row = read_toml("templates")["purposes"][self.purpose]
        if self.message_type not in row["kinds"]:
            self.message_type = row["kinds"][0]
        if self.entry not in row["entries"]:
            self.entry = row["entry"]

    def _adapt(self, change: Any = None) -> None:
        """An echo test has no card and no amount; a description stands for all options."""
        row = read_toml("templates")["kinds"][self.message_type]
        echo, described = bool(row.get("cardless")), bool(self.description.strip())
        self.type_field.note = "It carries no card and no amount." if echo and not described else ""
        for widget in (self.card, self.amount, self.purpose_choice, self.entry_choice):
            widget.disabled = echo or described
        for widget in (self.type_choice, self.network_choice, self.stan_input.text, self.stan_input.button):
            widget.disabled = described

    def _show(self) -> None:
        self.table = self._tabled()
        self.views.put(self.message, None, self.asked_network, self.table)
        show(self.result, bool(self.message))
        self._tell()

    def _tabled(self) -> Any:
        if not self.message or not has_tables():
            return None
        from sim import tables

        return tables.parse(self.message, network=self.asked_network)

    def _tell(self, news: str = "") -> None:
        notes = [markup("p", note, "iso-hint") for note in self.notes if self.message]
        if self.problem and not self.describe.problem:
            notes = [wrong(f"{self.problem}.", "p")]
        elif news:
            notes.insert(0, markup("p", news, "iso-hint", role="status"))
        elif not self.message:
            notes = [markup("p", "Choose what you need, then press Generate.", "iso-hint")]
        self.said.value = "".join(notes)

    def _static(self) -> str:
        return static_anatomy(self.views.anatomy)

    def __repr__(self) -> str:
        return f"GeneratePanel({of_message(self.views.anatomy)})"
