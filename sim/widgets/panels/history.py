"""`History`: the messages that a Lab has had, to be looked at again and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from sim.widgets.covered_text import MOST_CHARACTERS
from sim.widgets.diff import MessageDiff
from sim.widgets.model import view
from sim.widgets.panels.shared import InputField, show
from sim.widgets.plain import title_of

_MOST = 100


@dataclass(frozen=True)
class Entry:
    """One message and where it was: the panel's name, how it was read, whether a key was pressed there."""

    message: str
    panel: str
    version: str | None
    network: str | None
    typed: bool

    @cached_property
    def title(self) -> str:
        """The message in one line, without card data. Made once: each new entry offers all of them again."""
        return f"{title_of(view(self.message, self.version, self.network))} ({self.panel})"


class History(ipywidgets.VBox):  # type: ignore[misc]
    """The messages of a session, the newest first, at most a hundred. `entries` are they, the oldest first,
    and stay in Python; *restore* is given the entry that is to be shown again."""

    def __init__(self, restore: Callable[[Entry], None]) -> None:
        self.entries: list[Entry] = []
        self._restore = restore
        self._diff: MessageDiff | None = None
        self.choice = ipywidgets.Dropdown(description="History")
        self.restore_button = ipywidgets.Button(description="Restore", tooltip="Show this message again")
        self.diff_button = ipywidgets.Button(
            description="Compare", tooltip="Compare with the previous message"
        )
        row = [self.choice, self.restore_button, self.diff_button]
        self.bar = InputField(ipywidgets.HBox(row).add_class("iso-joined"))
        super().__init__([self.bar])
        self.add_class("iso-rows")
        self.restore_button.on_click(lambda _: self.restore())
        self.diff_button.on_click(lambda _: self.compare())
        self.choice.observe(lambda change: self._close(), "value")
        self._offer()

    def add(self, entry: Entry) -> None:
        """Remember *entry*. What is typed key by key is one entry; the same message again, and what no panel
        takes as it is too long, are none."""
        last = self.entries[-1] if self.entries else None
        if not 0 < len(entry.message) <= MOST_CHARACTERS or (last and last.message == entry.message):
            return
        if last and last.typed and entry.typed and last.panel == entry.panel:
            self.entries.pop()
        self.entries = [*self.entries, entry][-_MOST:]
        self._offer()

    def restore(self) -> None:
        """Show the chosen message again where it was."""
        if self.choice.value is not None:
            self._restore(self.entries[self.choice.value])

    def compare(self) -> None:
        """Show what differs between the message before the chosen one and that; again, and it is gone."""
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
    """What *panel*, the one called *name*, holds now."""
    if hasattr(panel, "asked_network"):
        return Entry(panel.message, name, None, panel.asked_network, False)
    return Entry(panel.message, name, panel.version, panel.network, panel.input.text.typing)
