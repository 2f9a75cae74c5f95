"""`Lab`: the three panels on tabs; messages pass from one to the next and are kept in a history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.widgets.asking import LanguageModel
from sim.widgets.covered_text import MOST_CHARACTERS
from sim.widgets.diff import MessageDiff
from sim.widgets.model import view
from sim.widgets.page import title_of
from sim.widgets.panels.explain import ExplainPanel
from sim.widgets.panels.fields import InputField, show
from sim.widgets.panels.generate import GeneratePanel
from sim.widgets.panels.panel import Panel
from sim.widgets.panels.validate import ValidatePanel

TABS = ("Generate", "Explain", "Validate")
_MOST = 100


@dataclass(frozen=True)
class Entry:
    """A message, its panel's name, how it was read, and whether it was typed."""

    message: str
    panel: str
    version: str | None
    network: str | None
    typed: bool

    @cached_property
    def title(self) -> str:
        """The message in one line, without card data; cached, because each new entry lists all of them."""
        return f"{title_of(view(self.message, self.version, self.network))} ({self.panel})"


class History(ipywidgets.VBox):  # type: ignore[misc]
    """The last hundred messages of a session, listed newest first. `entries`, oldest first, stay in Python;
    *restore* is called with the entry to show again."""

    def __init__(self, restore: Callable[[Entry], None]) -> None:
        self.entries: list[Entry] = []
        self._restore = restore
        self._diff: MessageDiff | None = None
        self.choice = ipywidgets.Dropdown(description="History")
        self.restore_button = ipywidgets.Button(description="Restore", tooltip="Show this message again")
        tooltip = "Compare with the previous message"
        self.diff_button = ipywidgets.Button(description="Compare", tooltip=tooltip)
        row = [self.choice, self.restore_button, self.diff_button]
        self.bar = InputField(ipywidgets.HBox(row).add_class("iso-joined"))
        super().__init__([self.bar])
        self.add_class("iso-rows")
        self.restore_button.on_click(lambda _: self.restore())
        self.diff_button.on_click(lambda _: self.compare())
        self.choice.observe(lambda change: self._close(), "value")
        self._offer()

    def add(self, entry: Entry) -> None:
        """Add *entry*. Consecutive typing is one entry; repeated and overlong messages are not added."""
        last = self.entries[-1] if self.entries else None
        if not 0 < len(entry.message) <= MOST_CHARACTERS or (last and last.message == entry.message):
            return
        if last and last.typed and entry.typed and last.panel == entry.panel:
            self.entries.pop()
        self.entries = [*self.entries, entry][-_MOST:]
        self._offer()

    def restore(self) -> None:
        """Show the chosen message in its panel again."""
        if self.choice.value is not None:
            self._restore(self.entries[self.choice.value])

    def compare(self) -> None:
        """Show or hide the differences between the chosen message and the one before."""
        at = self.choice.value
        if self._diff is not None:
            self._close()
        elif at:
            one, two = self.entries[at - 1], self.entries[at]
            self._diff = MessageDiff(one.message, two.message)
            self.children = [self.bar, self._diff]

    def _close(self) -> None:
        if self._diff is not None:
            self.children = [self.bar]
            self._diff.close()
            self._diff = None

    def _offer(self) -> None:
        self._close()
        count = len(self.entries)
        self.choice.options = [(f"{at + 1}. {self.entries[at].title}", at) for at in reversed(range(count))]
        if count:
            self.choice.value = count - 1
        self.diff_button.disabled = count < 2
        show(self, count > 0)

    def __repr__(self) -> str:
        return f"History({len(self.entries)} messages)"


def entry_of(panel: Any, name: str) -> Entry:
    """The current content of *panel*, named *name*."""
    if hasattr(panel, "asked_network"):
        return Entry(panel.message, name, None, panel.asked_network, False)
    return Entry(panel.message, name, panel.version, panel.network, panel.input.text.typing)


class Lab(Panel):
    """Generate, explain and validate on tabs. The explain and validate panels open with the message made or
    changed last in any panel; "Explain this" and "Validate this" use the message of the open panel.

    The panels are `generate`, `explain` and `validate`; `history` has earlier messages, to restore or
    compare. Traits: `tab`, the name of the open one; `message`, its message; both may be assigned. *message*
    goes into explain and validate; *at* is the date and time of generated messages, None for now; *options*
    are those of `GeneratePanel`.
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
        self.observe(self._show, "message")
        self._latest = ""  # the panel whose message changed last
        for name, panel in self.panels.items():
            panel.observe(self._follow, "message")
            panel.observe(lambda change, name=name: self._note(name), "message")
            self.history.add(entry_of(panel, name))
            self._offer(panel)
        if self.explain.message:
            self.tab = "Explain"
        self._follow()

    def cancel(self) -> None:
        """Cancel the work of all panels."""
        for panel in self.panels.values():
            panel.cancel()

    def hand_over(self, tab: str) -> None:
        """Copy the message of the open panel, and how it is read, to the panel *tab*, and open that."""
        self._carry(self.tab, tab)
        self.tab = tab

    def _carry(self, source: str, tab: str) -> None:
        self._fill(tab, entry_of(self.panels[source], source))

    def _fill(self, tab: str, entry: Entry) -> None:
        """Show the message of *entry*, read in the same way, in the panel *tab*."""
        panel = self.panels[tab]
        if panel is self.generate:
            panel.asked_network = entry.network
        else:
            panel.version, panel.network = entry.version, entry.network
        panel.message = entry.message

    def _note(self, name: str) -> None:
        if self.panels[name].message:
            self._latest = name
            self.history.add(entry_of(self.panels[name], name))

    def _restore(self, entry: Entry) -> None:
        """Show a message of the history in its panel again."""
        self._fill(entry.panel, entry)
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
        # The options of a message that is already there stay.
        if latest and self.tab != TABS[0] and latest.message != self.panels[self.tab].message:
            self._carry(self._latest, self.tab)
        self._follow()

    def _show(self, change: Any) -> None:
        self.panels[self.tab].message = self.message

    def _follow(self, change: Any = None) -> None:
        self.message = self.panels[self.tab].message

    def _static(self) -> str:
        return self.panels[self.tab]._static()

    def __repr__(self) -> str:
        return f"Lab({self.tab}: {self.panels[self.tab]!r})"
