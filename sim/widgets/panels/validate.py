"""`ValidatePanel`: is this message right, for its own network and for the others?"""

from __future__ import annotations

from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.operations import validate
from sim.operations.verdict import verdict_on
from sim.paste.reading import Reading
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS
from sim.widgets.panels.actions import MessageActions
from sim.widgets.panels.explain import MessageInput
from sim.widgets.panels.mending import Mending
from sim.widgets.panels.report_view import Data, ReportView, report_data, report_html
from sim.widgets.panels.shared import (
    MessageViews,
    Panel,
    markup,
    of_message,
    one_of,
    show,
    static_anatomy,
)


class ValidatePanel(Panel):
    """Judges a message at every key, by the standard's rules and by each network's.

    Traits: `message`, raw text; `version` and `network`, None for what the message itself says;
    `report`, the `Report`, None without a message; `table`, the findings table, None without pandas;
    `shown_network`, whose findings are listed, empty for the message's own; `picked`, the place of a
    finding in that list, whose characters light up in the anatomy, or None.
    """

    message = traitlets.Unicode("")
    version = one_of(VERSIONS)
    network = one_of(NETWORKS)
    report = traitlets.Any(None)
    table = traitlets.Any(None)
    shown_network = traitlets.Unicode("")
    picked = traitlets.Int(None, allow_none=True)

    def __init__(self, message: object = "", version: str | None = None, network: str | None = None) -> None:
        self.input = MessageInput(message, version, network, repairs=False)
        self.button = ipywidgets.Button(description="Validate", button_style="primary")
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.view = ReportView()
        self.views = MessageViews()
        self.views.anatomy.on_edit(lambda raw: self._take(raw, ""))
        self.actions = MessageActions(self._take)
        self.mending = Mending(self.actions.take)
        bar = ipywidgets.HBox([self.button]).add_class("iso-bar")
        super().__init__(
            self.input,
            bar,
            self.said,
            self.view,
            self.mending,
            self.actions,
            self.views,
            classes="iso-validate-panel",
        )
        for name in ("message", "version", "network"):
            traitlets.link((self.input, name), (self, name))
        traitlets.link((self, "shown_network"), (self.view, "network"))
        traitlets.link((self, "picked"), (self.view, "picked"))
        traitlets.link((self.input.text, "masked"), (self.views.anatomy, "masked"))
        traitlets.dlink((self, "message"), (self.actions, "message"))
        traitlets.dlink((self, "version"), (self.actions, "version"))
        self._news = ("", "")
        self.button.on_click(lambda _: self.run())
        self.observe(lambda change: self.run(), ["message", "version", "network"])
        self.observe(lambda change: self._list(), "shown_network")
        self.observe(self._light, "picked")
        self.run()

    def run(self) -> None:
        """Judge the message: what the button does, and every key."""
        there = self.input.check()
        raw = self.input.raw if there else ""
        self.picked = None
        self.input.dissected(raw)
        subject = self.input.subject if raw else None
        if isinstance(subject, Reading):
            self.report = verdict_on(subject)
        else:
            judged = {"network": self.network, "version": self.version}
            self.report = None if subject is None else validate(subject, **judged)
        self.table = self.input.tabled("validate") if raw else None
        if self.report is None or self.shown_network not in self.report.networks:
            self.shown_network = ""
        self._list()
        wrong = self.report is not None and not self.report.valid
        self.mending.put(raw, self.version, self.network, wrong)
        tabled = self.input.tabled("parse") if raw else None
        self.views.put(raw, self.version, self.network, tabled, self.input.recognised.held)
        show(self.actions, there)
        self.button.disabled = not there
        raw_of, news = self._news
        words = (news if raw_of == self.message else "") if raw else "The verdict appears here as you type."
        self.said.value = markup("p", words, "iso-hint", role="status") if words else ""
        show(self.said, bool(words))

    def _list(self) -> None:
        """The findings of the network that is shown; nothing is picked among them."""
        self.picked = None
        self.view.data = report_data(self.report, self.shown_network)

    def _light(self, change: Any) -> None:
        """Pin the element of the picked finding and mark its characters."""
        anatomy: Any = self.views.anatomy
        found = self.view.data["findings"]
        one = found[self.picked] if self.picked is not None and self.picked < len(found) else None
        there = {element["number"] for element in anatomy.view["elements"]}
        anatomy.pinned = one["number"] if one and one["number"] in there else None
        anatomy.marked = self._place(one)

    def _place(self, one: Data | None) -> list[int] | None:
        """The characters to mark; of a text that does not parse, those that misfit, not all the rest."""
        if one is None or one["start"] is None:
            return None
        fault = self.views.anatomy.view["fault"]
        return [fault["start"], fault["end"]] if fault else [one["start"], one["end"]]

    def _take(self, raw: str, said: str) -> None:
        """A message that the buttons made of the one before, and what they say of it."""
        self._news = (raw, said)
        self.message = raw

    def _static(self) -> str:
        if self.report is None:
            return ""
        return report_html(self.view.data) + static_anatomy(self.views.anatomy)

    def __repr__(self) -> str:
        return f"ValidatePanel({self.view.data['verdict']['words'] or of_message(self.views.anatomy)})"
