"""`ExplainPanel`: paste a message, read what it says."""

from __future__ import annotations

import re
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.grid import LINKED, lighting, told_html
from sim.models.prompts import LANGUAGES, NOT_CHECKED
from sim.operations import explain
from sim.operations.anatomy import dissect
from sim.operations.explanation import Told, explain_so_far
from sim.widgets.anatomy import MessageAnatomy
from sim.widgets.asking import Inquiry, LanguageModel
from sim.widgets.markup import STATIC, Markup, hint, joined, markup, wrong
from sim.widgets.panels.fields import InputField, show
from sim.widgets.panels.panel import RunBar, of_message
from sim.widgets.panels.reader import HOW_READ, MessageInput, ReaderPanel

BY_RULES = "This is what the rules say."
_STRUCK = re.compile("~~(.+?)~~")
_UNCHECKED = re.compile(f"({'|'.join(map(re.escape, NOT_CHECKED.values()))})")


def _written(text: str) -> Markup:
    """A text as a paragraph. False sentences of a model are struck out; those that are not checked are in a
    paragraph of their own."""
    told, *unchecked = _UNCHECKED.split(text, maxsplit=1)
    parts = _STRUCK.split(told)
    pieces = joined(*(markup("del", part) if at % 2 else part for at, part in enumerate(parts)))
    said = markup("p", pieces, "iso-summary") if told.strip() else Markup()
    if not unchecked:
        return said
    heading, rest = unchecked
    return joined(said, markup("p", joined(markup("strong", heading), rest), "iso-unchecked"))


class Linked(anywidget.AnyWidget):
    """Invisible. Links the sentences written by `sim.grid.told_html` in the same panel with the elements of
    *anatomy*, in both directions; in the page, so that no kernel is needed.

    Traits: `lit`, the elements of the sentence under the pointer; `hovered`, the element under the pointer.
    """

    _esm = STATIC / "linked.js"

    lit = traitlets.List(traitlets.Int()).tag(sync=True)
    hovered = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, anatomy: MessageAnatomy, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._links = (
            ipywidgets.jslink((self, "lit"), (anatomy, "lit")),
            ipywidgets.jsdlink((anatomy, "hovered"), (self, "hovered")),
        )

    def __repr__(self) -> str:
        return "Linked()"


class ExplainPanel(ReaderPanel):
    """Explains a message as you type, by rules or, on request, with a language model.

    Traits: `message`, raw text, set by a message in any form; `version`, `network` and `interface`, None for
    automatic; `llm`, whether the button asks the model; `ask` and `language`, the question and the language
    of the answer; `table`, the message table, None without pandas; `summary`, of broken text the part before
    the fault; `problem`; `busy`, whether a model is being asked.

    `run()` explains and, with `llm`, waits for the model; the button does not wait (see `Panel`). The model's
    sentences appear one by one; `summary` is by rules until it has finished. Any change of the message or its
    options cancels the request, as does `cancel()`.
    """

    llm = traitlets.Bool(False)
    ask = traitlets.Unicode("")
    language = traitlets.Enum(tuple(LANGUAGES), "en")
    summary = traitlets.Unicode("")

    def __init__(
        self,
        message: object = "",
        version: str | None = None,
        network: str | None = None,
        interface: str | None = None,
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
        example = "Why was it declined, and what do I do next?"
        self.question = ipywidgets.Text(description="Question", placeholder=example)
        languages = [(name, code) for code, name in LANGUAGES.items()]
        self.tongue = ipywidgets.Dropdown(description="Language", options=languages)
        box = MessageInput(message, version, network, interface)
        fields = InputField(self.question, classes="iso-rest"), InputField(self.tongue)
        self.asked = ipywidgets.HBox(fields).add_class("iso-asked")
        super().__init__(box, [RunBar("Explain", model_field), self.asked], classes="iso-explain-panel")
        self.linked = Linked(self.views.anatomy)
        self.set_trait("children", [*self.children, self.linked])
        inputs = {"llm": self.model_choice, "ask": self.question, "language": self.tongue}
        for name, widget in inputs.items():
            traitlets.link((self, name), (widget, "value"))
        self._told: tuple[Told, ...] = ()
        self.llm = llm and not refusal
        show(self.asked, self.llm)
        self.observe(lambda change: show(self.asked, self.llm), "llm")
        self.observe(lambda change: self._refresh(), ["message", *HOW_READ, "llm"])
        self._refresh()

    def _work(self) -> Inquiry[str] | None:
        self._refresh()
        return self._question() if self.llm and self.summary and not self.problem else None

    def _refresh(self) -> None:
        """Explain the input by rules, at each key. A request to a model is canceled."""
        self._asker.cancel()
        raw, cause, problem, summary = self._read(), "", "", ""
        if raw and (findings := dissect(reading := self.input.reading).findings):
            # The problem says where parsing stopped.
            problem, cause = findings[0].message, findings[0].hint
            summary = explain_so_far(reading, stopped=False)
        elif raw:
            explanation = explain(self.input.reading)
            self._told, summary = explanation.told, explanation.summary
        self.problem, self.summary = problem, summary
        self.table = self.input.tabled("explain") if raw else None
        self.views.put(raw, self.version, self.network, self.table, self.input.held)
        self._tell(cause, self._said_of_it)

    def _tell(self, cause: str = "", news: str = "") -> None:
        summary = _written(self.summary) if self.summary else Markup()
        notice = hint(news, news=True)
        if self.problem:
            broken = joined(wrong(f"{self.problem}.", "strong"), markup("span", f" {cause}"))
            self.said.value = joined(notice, markup("div", broken, "iso-broken"), summary)
        elif self.summary:
            by_rules = self.summary == " ".join(entry.sentence for entry in self._told)
            self.said.value = (told_html(self._told) if by_rules else summary) + notice
        else:
            self.said.value = hint("The explanation appears here as you type.")

    def _question(self) -> Inquiry[str]:
        reading = self.input.reading
        options = {key: getattr(self, key) for key in ("version", "network", "ask", "language")}
        name = self.writer.name() or "the model"

        def answered(text: str) -> None:
            self.summary = text
            self._tell(news=f"Written by {name}, checked against the message.")

        return Inquiry(
            doing=f"Asking {name}\N{NO-BREAK SPACE}…",
            put=lambda listener: self.writer.explain(reading, heard=listener, **options),
            heard=lambda text: self.said.set_trait("value", _written(text)),
            answered=answered,
            failed=lambda problem: self._tell(news=f"{problem}. {BY_RULES}"),
            cancelled=lambda: self._tell(news=f"Canceled. {BY_RULES}"),
        )

    def _static(self) -> str:
        if not self.message:
            return ""
        numbers = [element["number"] for element in self.views.anatomy.view["elements"]]
        style = f"<style>{lighting(numbers)}</style>"
        return markup("div", Markup(style + self.said.value + super()._static()), LINKED)

    def __repr__(self) -> str:
        return f"ExplainPanel({of_message(self.views.anatomy)})"
