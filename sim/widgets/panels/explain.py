"""`ExplainPanel`: paste a message, read what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import IsoError, Message
from sim.grid import LINKED, lighting, told_html
from sim.operations import explain, strip_line_ending
from sim.operations.anatomy import Anatomy
from sim.operations.choosing import chosen_version
from sim.operations.explanation import Told, explain_so_far
from sim.paste.reading import TEXT, Reading
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS, network
from sim.widgets.asking import Inquiry
from sim.widgets.covered_text import MOST_CHARACTERS, CoveredText
from sim.widgets.model import as_text, dissected
from sim.widgets.panels.actions import MessageActions
from sim.widgets.panels.asking import AskingPanel, RunBar
from sim.widgets.panels.gallery import Gallery
from sim.widgets.panels.language_model import LanguageModel
from sim.widgets.panels.linked import Linked
from sim.widgets.panels.recognised import Recognised
from sim.widgets.panels.shared import (
    VERSION_CHOICES,
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

BY_RULES = "This is what the rules say."
PASTE = "Paste a message: its text, a hex dump, a line of a log"
NETWORK_CHOICES = (("Auto (from card)", ""), *((network(name).title, name) for name in NETWORKS))


class MessageInput(ipywidgets.VBox):  # type: ignore[misc]
    """A box for a message and how to read it. Traits: `message` (stays in Python), `version`, `network`,
    None for what the message itself says."""

    message = traitlets.Unicode("")
    version = one_of(VERSIONS)
    network = one_of(NETWORKS)

    def __init__(
        self, message: object, version: str | None, network: str | None, *, repairs: bool = True
    ) -> None:
        raw, version = as_text(message, version)
        self.text = CoveredText(
            cover=lambda text: cover(text, self.version), label="Message", placeholder=PASTE, rows=4
        )
        self.version_choice = ipywidgets.Dropdown(options=VERSION_CHOICES, description="Version")
        self.network_choice = ipywidgets.Dropdown(options=NETWORK_CHOICES, description="Network")
        self.gallery = Gallery(lambda sample: self._put(sample.text()))
        first = self.gallery.samples[0]
        self.example_button = ipywidgets.Button(description="Try an example", tooltip=first.name)
        self.example_button.on_click(lambda _: self._put(first.text()))
        choices = [InputField(self.version_choice), InputField(self.network_choice), self.gallery]
        self.recognised = Recognised(self._put, repairs)
        form = ipywidgets.Box(choices).add_class("iso-form")
        super().__init__([self.text, self.example_button, self.recognised, form])
        self.add_class("iso-rows")
        link_choice(self, "version", self.version_choice)
        link_choice(self, "network", self.network_choice)
        self.version, self.network = version, network
        self.observe(lambda change: self.text.cover_again(), "version")
        traitlets.link((self, "message"), (self.text, "value"))
        self.message = raw

    @property
    def raw(self) -> str:
        """The message as text: without the line ending that pasting brings; of bytes in any spelling, framing
        and format, the message they are."""
        return self.recognised.text(strip_line_ending(self.message), self.version)

    @property
    def subject(self) -> str | Message | Reading:
        """What to judge and explain: the message itself where its text is a dialect's, what was read where
        that has no text form, else the text."""
        raw, held = self.raw, self.recognised.held
        return held if held is not None and held.text is None else self.recognised.message or raw

    def tabled(self, verb: Literal["explain", "parse", "validate"]) -> Any:
        """The table that *verb* makes of the message; None without pandas."""
        if not has_tables():
            return None
        from sim import tables

        subject = self.subject
        # What was pasted is text by now, and not guessed again.
        read_as = TEXT if isinstance(subject, str) else None
        made: Callable[..., Any] = getattr(tables, verb)
        return made(subject, version=self.version, network=self.network, format=read_as)

    def dissected(self, raw: str) -> Anatomy | None:
        """The anatomy of the message; it is held, so that nobody who asks for it has another made."""
        held = self.recognised.held
        self._seen = dissected(raw, self.version, self.network, held) if raw else None
        return self._seen

    def _put(self, text: str, version: str | None = None) -> None:
        """Another message in the box, and what to read it as, where that changes."""
        with self.hold_trait_notifications():
            self.version = version or self.version
            self.message = text

    def check(self) -> bool:
        """Whether there is a message that is not too long; says so beneath the box when it is."""
        long = len(self.raw) > MOST_CHARACTERS
        self.text.problem = f"At most {MOST_CHARACTERS} characters" if long else ""
        show(self.example_button, not self.raw)
        return bool(self.raw) and not long


class ExplainPanel(AskingPanel):
    """Says what a message means, at every key, by rules; or, when asked, by a language model.

    Traits: `message`, raw text; `version` and `network`, None for what the message itself says; `llm`,
    whether the button asks the model; `table`, the message table, None without pandas; `summary`, of a
    broken text what was read before the fault; `problem`, what is broken; `busy`, whether a model is
    asked. *message* may be a text, a `Message` or a message table.

    `run()` explains and, with `llm`, waits for the model; the button does not wait (see `AskingPanel`).
    While the model writes, its sentences are shown one by one; `summary` is by rules until it is done.
    Any change of the message or of how it is read ends the request, as `cancel()` does.
    """

    message = traitlets.Unicode("")
    version = one_of(VERSIONS)
    network = one_of(NETWORKS)
    llm = traitlets.Bool(False)
    table = traitlets.Any(None)
    summary = traitlets.Unicode("")
    problem = traitlets.Unicode("")

    def __init__(
        self,
        message: object = "",
        version: str | None = None,
        network: str | None = None,
        *,
        llm: bool = False,
        writer: LanguageModel | None = None,
    ) -> None:
        self.writer = writer or LanguageModel()
        refusal = self.writer.refusal()
        self.model_choice = ipywidgets.Checkbox(
            description="Use a language model", indent=False, disabled=bool(refusal)
        ).add_class("iso-check")
        model_field = InputField(self.model_choice, classes="iso-rest")
        model_field.note = refusal and f"{refusal}."
        self.input = MessageInput(message, version, network)
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.views = MessageViews()
        self.views.anatomy.on_edit(lambda raw: self._take(raw, ""))
        self.linked = Linked(self.views.anatomy)
        self.actions = MessageActions(self._take)
        bar = RunBar("Explain", model_field)
        super().__init__(
            *(bar, self.input, bar, self.said, self.linked, self.actions, self.views),
            classes="iso-explain-panel",
        )
        for name in ("message", "version", "network"):
            traitlets.link((self.input, name), (self, name))
        traitlets.link((self, "llm"), (self.model_choice, "value"))
        traitlets.link((self.input.text, "masked"), (self.views.anatomy, "masked"))
        traitlets.dlink((self, "message"), (self.actions, "message"))
        traitlets.dlink((self, "version"), (self.actions, "version"))
        self._news = ("", "")
        self._seen: Anatomy | None = None
        self._told: tuple[Told, ...] = ()
        self.llm = llm and not refusal
        self.observe(lambda change: self._refresh(), ["message", "version", "network", "llm"])
        self._refresh()

    def _work(self) -> Inquiry[str] | None:
        self._refresh()
        return self._question() if self.llm and self.summary and not self.problem else None

    def _refresh(self) -> None:
        """By rules, whatever was typed: quick enough for every key. No model goes on with what was there."""
        self._asker.cancel()
        there = self.input.check()
        raw = self.input.raw if there else ""
        self._seen = self.input.dissected(raw)
        self.problem, self.summary, hint = self._explained(raw)
        self.table = self.input.tabled("explain") if raw else None
        self.views.put(raw, self.version, self.network, self.table, self.input.recognised.held)
        show(self.actions, there)
        self.button.disabled = not there
        raw_of, news = self._news
        self._tell(hint, news if raw_of == self.message else "")

    def _explained(self, raw: str) -> tuple[str, str, str]:
        """Problem, summary, hint."""
        if not raw:
            return "", "", ""
        subject = self.input.subject
        if isinstance(subject, Reading) and self._seen and (findings := self._seen.findings):
            so_far = explain_so_far(subject, network=self.network, stopped=False)
            return findings[0].message, so_far, findings[0].hint
        try:
            made = explain(subject, version=self.version, network=self.network)
            self._told = made.told
            return "", made.summary, ""
        except IsoError as error:
            fault = self._seen.fault if self._seen else None
            # Where reading stopped, the problem says.
            version = chosen_version(raw, self.version)
            so_far = explain_so_far(raw, version, self.network, stopped=False)
            return str(error), so_far, fault.hint if fault else ""

    def _tell(self, hint: str = "", note: str = "") -> None:
        if self.problem:
            broken = wrong(f"{self.problem}.", "strong") + markup("span", f" {hint}")
            told = markup("p", note, "iso-hint", role="status") if note else ""
            so_far = markup("p", self.summary, "iso-summary") if self.summary else ""
            self.said.value = told + f'<div class="iso-broken">{broken}</div>' + so_far
        elif self.summary:
            by_rules = self.summary == " ".join(one.sentence for one in self._told)
            told = told_html(self._told) if by_rules else markup("p", self.summary, "iso-summary")
            self.said.value = told + (markup("p", note, "iso-hint", role="status") if note else "")
        else:
            self.said.value = markup("p", "What it says appears here as you type.", "iso-hint")

    def _question(self) -> Inquiry[str]:
        raw, version, network = self.input.raw, self.version, self.network
        name = self.writer.name() or "the model"

        def answered(text: str) -> None:
            self.summary = text
            self._tell(note=f"Written by {name}, checked against the message.")

        return Inquiry(
            doing=f"Asking {name}\N{NO-BREAK SPACE}…",
            put=lambda heard: self.writer.explain(raw, version=version, network=network, heard=heard),
            heard=self._hear,
            answered=answered,
            failed=lambda problem: self._tell(note=f"{problem}. {BY_RULES}"),
            cancelled=lambda: self._tell(note=f"Cancelled. {BY_RULES}"),
        )

    def _hear(self, text: str) -> None:
        self.said.value = markup("p", text, "iso-summary")

    def _take(self, raw: str, said: str) -> None:
        """A message that the buttons made of the one before, and what they say of it."""
        self._news = (raw, said)
        self.message = raw

    def _static(self) -> str:
        if not self.message:
            return ""
        numbers = [element["number"] for element in self.views.anatomy.view["elements"]]
        drawn = self.said.value + static_anatomy(self.views.anatomy)
        return f'<div class="{LINKED}"><style>{lighting(numbers)}</style>{drawn}</div>'

    def __repr__(self) -> str:
        return f"ExplainPanel({of_message(self.views.anatomy)})"
