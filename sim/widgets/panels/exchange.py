"""`ExchangePanel`: an exchange from options, its story and its messages."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.exchanges import make, tell
from sim.grid import as_html
from sim.widgets.markup import hint, wrong
from sim.widgets.model import taken
from sim.widgets.panels.fields import Form, InputField, show, traits_of
from sim.widgets.panels.panel import MessageViews, Panel, RunBar, has_tables

OPTIONS = (
    *("purpose", "network", "pan", "amount_minor_units", "currency"),
    *("entry", "outcome", "approved_minor_units", "then"),
)
_Options: Any = traitlets.MetaHasTraits("_Options", (traitlets.HasTraits,), traits_of("exchange", OPTIONS))


class ExchangePanel(Panel, _Options):  # type: ignore[misc]
    """Makes an exchange from the chosen options, tells its story and shows one of its messages.

    Traits: the options of `sim.exchange` by their names (`purpose`, `outcome`, `then` as a text ...);
    `exchange`, the result, None before the first `run()`; `step`, the message shown, counted from 1;
    `problem`, why there is no result. *at* is the date and time of the first message, None for now.
    """

    exchange = traitlets.Any(None)
    step = traitlets.Int(1, min=1)
    outcome = traitlets.Unicode("approved")  # a word or a response code

    def __init__(self, *, at: datetime | None = None, **options: Any) -> None:
        self.at = at
        self.form = Form(self, "exchange", OPTIONS)
        self.form.fields["then"].box.placeholder = "e.g. completion:800"
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.table = ipywidgets.HTML().add_class("jp-RenderedHTMLCommon").add_class("iso-table")
        self.steps = ipywidgets.Dropdown(description="Message")
        self.chosen = InputField(self.steps)
        self.views = MessageViews()
        parts = (self.form, RunBar("Make exchange"), self.said, self.table, self.chosen, self.views)
        super().__init__(*parts, classes="iso-exchange-panel")
        self._choose(options, OPTIONS)
        self.observe(lambda change: self._show(), ["exchange", "problem"])
        self.observe(lambda change: self._show_step(), "step")
        self.steps.observe(self._choose_step, "value")
        self._show()

    def _work(self) -> None:
        """Make the exchange; a problem is shown at its input, and the previous exchange stays."""
        self.form.settle()
        self.problem = self.form.attempt(self._make)

    def _make(self) -> None:
        chosen = {name: getattr(self, name) for name in OPTIONS}
        options = {name: value for name, value in chosen.items() if value not in (None, "")}
        self.exchange = make(**options, at=self.at)

    @traitlets.validate("step")
    def _existing(self, proposal: Any) -> int:
        return int(min(proposal.value, len(self.exchange or (None,))))

    def _choose_step(self, change: Any) -> None:
        if change.new is not None:
            self.step = change.new

    def _show(self) -> None:
        text = ""
        if self.exchange is not None and has_tables():
            from sim.tables.exchanges import exchange_table

            table = exchange_table(self.exchange)
            text = as_html(replace(table.drawn(), label_header=None), table.heading())  # it counts by `step`
        self.table.value = text
        show(self.table, bool(text))
        if self.problem:
            self.said.value = wrong(f"{self.problem}.", "p")
        elif self.exchange is None:
            self.said.value = hint("Choose what happens, then press Make exchange.")
        else:
            self.said.value = "" if text else hint(tell(self.exchange))
        steps = self.exchange.steps if self.exchange is not None else ()
        words = [f"{at}: {step.message.mti} {step.role}" for at, step in enumerate(steps, 1)]
        self.steps.options = [(text, at) for at, text in enumerate(words, 1)]
        show(self.chosen, bool(steps))
        self._show_step()

    def _show_step(self) -> None:
        if self.exchange:
            self.steps.value = self.step
            raw, version, held = taken(self.exchange.messages[self.step - 1], None)
            self.views.put(raw, version, self.exchange.network, None, held)
        else:
            self.views.put("", None, None, None)

    def __repr__(self) -> str:
        return f"ExchangePanel({len(self.exchange) if self.exchange is not None else 'no'} messages)"
