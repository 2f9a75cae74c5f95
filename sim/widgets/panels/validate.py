"""`ValidatePanel`: is this message right, for its own network and for the others? And the edits that make
it so, each with before and after, safe or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import MTI_FIELD
from sim.operations import repair, validate
from sim.operations.repairing import Edit, Repair
from sim.operations.verdict import verdict_on
from sim.paste.reading import Reading
from sim.widgets.asking import Inquiry
from sim.widgets.markup import hint, joined, markup
from sim.widgets.panels.fields import show
from sim.widgets.panels.panel import RunBar, of_message
from sim.widgets.panels.reader import MessageInput, ReaderPanel
from sim.widgets.panels.report_view import Data, ReportView, report_data, report_html

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
        self.said.value = hint(words, news=True)
        show(self.said, bool(words))


def edit_html(edit: Edit) -> str:
    """An edit in a line: safe or not, where, what stood there and what stands there then, and why."""
    where = "The text" if edit.field is None else "MTI" if edit.field == MTI_FIELD else f"DE {edit.field}"
    mark = markup("b", SAFE if edit.safe else UNSAFE, "iso-safe" if edit.safe else "iso-unsafe")
    change = (": ", _value(edit.before), " → ", _value(edit.after)) if edit.before or edit.after else ()
    return joined(mark, f" {where} {edit.action}", *change, f". {edit.why[:1].upper()}{edit.why[1:]}.")


def _value(text: str) -> str:
    cut = text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
    return markup("code", cut) if cut else "nothing"


class ValidatePanel(ReaderPanel):
    """Judges a message at every key, by the standard's rules and by each network's.

    Traits: `message`, raw text; `version` and `network`, None for what the message itself says;
    `report`, the `Report`, None without a message; `table`, the findings table, None without pandas;
    `shown_network`, whose findings are listed, empty for the message's own; `picked`, the place of a
    finding in that list, whose characters light up in the anatomy, or None.
    """

    report = traitlets.Any(None)
    shown_network = traitlets.Unicode("")
    picked = traitlets.Int(None, allow_none=True)

    def __init__(self, message: object = "", version: str | None = None, network: str | None = None) -> None:
        self.view = ReportView()
        self.mending = Mending(lambda raw, news: self.actions.take(raw, news))
        box = MessageInput(message, version, network, repairs=False)
        super().__init__(RunBar("Validate"), box, self.view, self.mending, classes="iso-validate-panel")
        traitlets.link((self, "shown_network"), (self.view, "network"))
        traitlets.link((self, "picked"), (self.view, "picked"))
        self.observe(lambda change: self._work(), ["message", "version", "network"])
        self.observe(lambda change: self._list(), "shown_network")
        self.observe(self._light, "picked")
        self._work()

    def _work(self) -> Inquiry[Any] | None:
        """Judge the message."""
        raw = self._read()
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
        self.mending.put(raw, self.version, self.network, self.report is not None and not self.report.valid)
        tabled = self.input.tabled("parse") if raw else None
        self.views.put(raw, self.version, self.network, tabled, self.input.recognised.held)
        words = self._said_of_it if raw else "The verdict appears here as you type."
        self.said.value = hint(words, news=True)
        show(self.said, bool(words))
        return None

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

    def _static(self) -> str:
        return "" if self.report is None else report_html(self.view.data) + super()._static()

    def __repr__(self) -> str:
        return f"ValidatePanel({self.view.data['verdict']['words'] or of_message(self.views.anatomy)})"
