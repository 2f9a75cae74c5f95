"""`Lab`: the three panels behind tabs; a message goes from one to the next."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.widgets.panels.explain import ExplainPanel
from sim.widgets.panels.generate import GeneratePanel
from sim.widgets.panels.history import Entry, History, entry_of
from sim.widgets.panels.language_model import LanguageModel
from sim.widgets.panels.shared import Panel, show
from sim.widgets.panels.validate import ValidatePanel

TABS = ("Generate", "Explain", "Validate")


class Lab(Panel):
    """Generate, explain and validate behind tabs. The readers open with the message that was made or changed
    last, wherever that was; "Explain this" and "Validate this" take that of the open panel.

    The panels are `generate`, `explain` and `validate`; `history` has the messages there were, to be restored
    and compared. Traits: `tab`, the open one by its name;
    `message`, that of the open panel. *message* is put into explain and validate; *at* is the moment of
    generated messages, None for now; *options* are those of `GeneratePanel`.
    """

    tab = traitlets.Enum(TABS, "Generate")
    message = traitlets.Unicode("")

    def __init__(
        self,
        message: object = "",
        *,
        at: datetime | None = None,
        writer: LanguageModel | None = None,
        **options: Any,
    ) -> None:
        self.generate = GeneratePanel(at=at, writer=writer, **options)
        self.explain = ExplainPanel(message, writer=writer)
        self.validate = ValidatePanel(message)
        self.panels = dict(zip(TABS, (self.generate, self.explain, self.validate), strict=True))
        self.tabs = ipywidgets.Tab(list(self.panels.values()), titles=TABS).add_class("iso-tabs")
        self.history = History(self._restore)
        super().__init__(self.tabs, self.history, classes="iso-lab")
        self.tabs.observe(self._selected, "selected_index")
        self.observe(self._select, "tab")
        self._latest = ""  # the panel whose message was changed last
        for name, panel in self.panels.items():
            panel.observe(self._follow, "message")
            panel.observe(lambda change, name=name: self._note(name), "message")
            self.history.add(entry_of(panel, name))
            self._offer(panel)
        if self.explain.message:
            self.tab = "Explain"
        self._follow()

    def hand_over(self, tab: str) -> None:
        """Take the message of the open panel, and how it is read, to the panel *tab*, and open that."""
        self._carry(self.tab, tab)
        self.tab = tab

    def _carry(self, source_tab: str, tab: str) -> None:
        source, target = self.panels[source_tab], self.panels[tab]
        if source is self.generate:
            target.version, target.network = None, self.generate.asked_network
        else:
            target.version, target.network = source.version, source.network
        target.message = source.message

    def _note(self, name: str) -> None:
        if self.panels[name].message:
            self._latest = name
            self.history.add(entry_of(self.panels[name], name))

    def _restore(self, entry: Entry) -> None:
        """Show a message of the history again in the panel where it was."""
        panel = self.panels[entry.panel]
        if panel is self.generate:
            panel.asked_network = entry.network
        else:
            panel.version, panel.network = entry.version, entry.network
        panel.message = entry.message
        self.tab = entry.panel

    def _offer(self, panel: Any) -> None:
        actions = panel.actions
        for button, tab in ((actions.explain_button, "Explain"), (actions.validate_button, "Validate")):
            show(button, self.panels[tab] is not panel)
            button.on_click(lambda _, tab=tab: self.hand_over(tab))

    def _selected(self, change: Any) -> None:
        if self.tabs.selected_index is not None:
            self.tab = TABS[self.tabs.selected_index]

    def _select(self, change: Any) -> None:
        self.tabs.selected_index = TABS.index(self.tab)
        latest = self.panels.get(self._latest)
        # How a message that is there already was read is not changed.
        if latest and self.tab != TABS[0] and latest.message != self.panels[self.tab].message:
            self._carry(self._latest, self.tab)
        self._follow()

    def _follow(self, change: Any = None) -> None:
        self.message = self.panels[self.tab].message

    def _static(self) -> str:
        return self.panels[self.tab]._static()

    def __repr__(self) -> str:
        return f"Lab({self.tab}: {self.panels[self.tab]!r})"
