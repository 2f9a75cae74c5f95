"""`Mending`: the edits that make a message read or valid, each with before and after, safe or not."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from sim.errors import MTI_FIELD
from sim.operations import repair
from sim.operations.repairing import Edit, Repair
from sim.widgets.panels.shared import markup, show

_WIDEST = 60  # characters of a value that are shown
SAFE, UNSAFE = "✔ safe", "⚠ unsafe"
_NOTHING = "No edit that was tried makes this message read or takes an error away."


class Mending(ipywidgets.VBox):  # type: ignore[misc]
    """A button that looks for repairs, and what it finds: a row for each edit in its order, with a button
    that makes it and those above it. *made* is given the text after them and a sentence.

    `found` is the `Repair` that is shown, None before somebody asks. The text stays in Python; what is shown
    hides card data.
    """

    def __init__(self, made: Callable[[str, str], None]) -> None:
        self._made = made
        self._asked: tuple[str, str | None, str | None] = ("", None, None)
        self.found: Repair | None = None
        self.look = ipywidgets.Button(
            description="Find repairs", tooltip="Smallest edits that make the message readable or valid"
        )
        self.safe_button = ipywidgets.Button(description="Apply safe fixes")
        self.rows = ipywidgets.VBox()
        self.said = ipywidgets.HTML().add_class("iso-said")
        bar = ipywidgets.HBox([self.look, self.safe_button]).add_class("iso-bar")
        super().__init__([bar, self.said, self.rows])
        self.add_class("iso-mending")
        self.look.on_click(lambda _: self.run())
        self.safe_button.on_click(lambda _: self.make_safe())
        self.put("", None, None, False)

    def put(self, raw: str, version: str | None, network: str | None, wrong: bool) -> None:
        """The message that is mended; *wrong*: it has an error."""
        self._asked = raw, version, network
        self.found = None
        self.rows.children = ()
        show(self.safe_button, False)
        self._say("")
        show(self, wrong)

    def run(self) -> None:
        """Look for edits: what the button does."""
        raw, version, network = self._asked
        self.found = done = repair(raw, version=version, network=network)
        self.rows.children = tuple(self._row(at, edit) for at, edit in enumerate(done.edits))
        show(self.safe_button, not done.safe and any(edit.safe for edit in done.edits))
        if not done.edits:
            self._say(_NOTHING)
        elif done.left:
            left = "; ".join(one.message for one in done.left[:3])
            self._say(f"What no edit takes away: {left}")
        else:
            self._say("After these edits no error is left.")

    def make(self, count: int) -> None:
        """Make the first *count* edits."""
        if self.found is None or not 0 < count <= len(self.found.edits):
            return
        unsafe = sum(not edit.safe for edit in self.found.edits[:count])
        words = "1 edit was made" if count == 1 else f"{count} edits were made"
        if unsafe:
            risk = "unsafe" if unsafe == count else f"{unsafe} of them unsafe"
            words += f", {risk}: look at what it says before the message is used"
        self._made(self.found.texts[count - 1], f"{words}.")

    def make_safe(self) -> None:
        """Make all safe edits and no other."""
        raw, version, network = self._asked
        done = repair(raw, version=version, network=network, unsafe=False)
        if done.edits:
            count = len(done.edits)
            self._made(done.text, f"{count} safe edit{' was' if count == 1 else 's were'} made.")

    def _row(self, at: int, edit: Edit) -> Any:
        words = "Make this edit" if at == 0 else f"Make edits 1 to {at + 1}"
        button = ipywidgets.Button(description=words)
        button.on_click(lambda _: self.make(at + 1))
        return ipywidgets.HBox([button, ipywidgets.HTML(edit_html(edit))]).add_class("iso-edit")

    def _say(self, words: str) -> None:
        self.said.value = markup("p", words, "iso-hint", role="status") if words else ""
        show(self.said, bool(words))


def edit_html(edit: Edit) -> str:
    """An edit in a line: safe or not, where, what stood there and what stands there then, and why."""
    where = "The text" if edit.field is None else "MTI" if edit.field == MTI_FIELD else f"DE {edit.field}"
    mark = markup("b", SAFE if edit.safe else UNSAFE, "iso-safe" if edit.safe else "iso-unsafe")
    change = ""
    if edit.before or edit.after:
        change = f": {_value(edit.before)} → {_value(edit.after)}"
    why = edit.why[:1].upper() + edit.why[1:]
    return f"{mark} {html.escape(f'{where} {edit.action}')}{change}. {html.escape(why)}."


def _value(text: str) -> str:
    cut = text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
    return f"<code>{html.escape(cut)}</code>" if cut else "nothing"
