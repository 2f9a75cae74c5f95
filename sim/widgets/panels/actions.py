"""`MessageActions`: what every panel can do with a message: reply to it, reverse it, break it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import Message, ParseError, parse
from sim.codec.wire import interface_table
from sim.errors import IsoError
from sim.operations import all_faults, break_message, chosen_version, respond, reverse
from sim.spec import code_list
from sim.widgets.copying import CopyMenu
from sim.widgets.markup import wrong
from sim.widgets.panels.fields import FilteredList, show

# The most instructive faults come first in the list.
FAULTS = (
    ("a length prefix one too high", "length-too-long"),
    ("a bit set without its element", "bit-without-data"),
    ("the last character missing", "cut-at-the-end"),
    ("a digit missing in the middle", "character-lost"),
    ("an extra character at the end", "trailing-character"),
    ("a letter in a length prefix", "length-letter"),
    ("the letter O in the amount", "letter-o-for-zero"),
    ("a date with month 13", "month-13"),
    ("a wrong check digit", "check-digit-wrong"),
    ("no STAN (DE 11)", "stan-missing"),
    ("no amount (DE 4)", "amount-missing"),
    ("a later version's MTI", "version-later"),
)


class MessageActions(ipywidgets.VBox):  # type: ignore[misc]
    """Buttons that make a new message from `message`: reply (with a chosen response code), reverse, break
    (with a chosen fault), and back to the previous one. *made* receives the raw text and a sentence about its
    origin; problems appear below the buttons.

    Traits: `message`, raw text that stays in Python; `version`, None to take it from the MTI; `interface`,
    None for the brand's own; `problem`. `paste` is what the message was read from, empty for its own text.
    *at* is the date and time of a reversal, None for the original's.
    """

    message = traitlets.Unicode("")
    version = traitlets.Unicode(None, allow_none=True)
    interface = traitlets.Unicode(None, allow_none=True)
    problem = traitlets.Unicode("")

    def __init__(self, made: Callable[[str, str], None], *, at: datetime | None = None) -> None:
        self._made, self._at, self.paste = made, at, ""
        self._past: list[str] = []
        self._offered = ""  # the version of the lists
        self.code, self.fault = FilteredList("Response code"), FilteredList("Fault")
        self.explain_button = _button("Explain this")
        self.validate_button = _button("Validate this")
        self.reply_button = _button("Reply")
        self.reverse_button = _button("Reverse")
        self.break_button = _button("Break")
        self.back_button = _button("Back", "The message before")
        self.copy = CopyMenu()
        self._said = ipywidgets.HTML()
        reply = ipywidgets.HBox([self.code, self.reply_button]).add_class("iso-pair")
        breaking = ipywidgets.HBox([self.fault, self.break_button]).add_class("iso-pair")
        making = [self.explain_button, self.validate_button, reply, self.reverse_button, breaking]
        bar = ipywidgets.HBox([*making, self.back_button, self._said]).add_class("iso-bar")
        super().__init__([bar, self.copy])
        self.add_class("iso-actions")
        for name in ("message", "version"):
            traitlets.dlink((self, name), (self.copy, name))
        for button in (self.explain_button, self.validate_button, self.back_button, self._said):
            show(button, False)
        self.reply_button.on_click(lambda _: self._by(self.code, self.reply))
        self.reverse_button.on_click(lambda _: self.reverse())
        self.break_button.on_click(lambda _: self._by(self.fault, self.break_by))
        self.back_button.on_click(lambda _: self.back())
        for choice in (self.code, self.fault):
            choice.observe(lambda change: self._judge(change["owner"]), "problem")
        self.observe(self._tell, "problem")
        self.observe(self._adapt, ["message", "version"])
        self._adapt()

    def reply(self, code: str | None = None) -> None:
        """Build the response with response code *code*, None for the chosen one."""
        chosen = code or self.code.value or None
        answered = f"The reply{f', response code {chosen}' if chosen else ''}."
        self._make(lambda message: (respond(message, chosen).raw, answered))

    def reverse(self) -> None:
        """Build the reversal."""
        self._make(lambda message: (reverse(message, at=self._at).raw, "The reversal."))

    def break_by(self, name: str) -> None:
        """Break the message with fault *name*, one of `sim.operations.faults()`."""

        def broken(message: Message) -> tuple[str, str]:
            result = break_message(message, name)
            return result.raw, f"Broken on purpose: {result.what}"

        # The list of faults that apply would be too long here.
        self._make(broken, "This fault does not apply to this message; choose another")

    def back(self) -> None:
        """Return to the message before the last reply, reversal, break or repair."""
        if self._past:
            raw = self._past.pop()
            self._made(raw, "")
            show(self.back_button, bool(self._past))

    def take(self, raw: str, said: str) -> None:
        """Continue with a message made elsewhere; `back` returns to the current one."""
        self.problem = ""
        self._past.append(self.paste or self.message)
        show(self.back_button, True)
        self._made(raw, said)

    def _by(self, choice: FilteredList, do: Callable[[str], None]) -> None:
        """*do* it with the choice, unless the typed text is not in the list."""
        self._judge(choice)
        if not choice.problem:
            do(choice.value)

    def _judge(self, choice: FilteredList) -> None:
        self.problem = choice.problem and f"{choice.box.description}: {choice.problem}"

    def _make(self, change: Callable[[Message], tuple[str, str]], refusal: str = "") -> None:
        """Continue with the message that *change* makes, and its sentence; if it fails, show why, or
        *refusal*."""
        try:
            edition = chosen_version(self.message, self.version)
            table = interface_table(self.interface, edition) if self.interface else edition
            raw, note = change(parse(self.message, table))
        except ParseError:
            self.problem = "The message cannot be read. Fix it first, or go back."
            return
        except IsoError as error:
            self.problem = refusal or str(error)
            return
        self.take(raw, note)

    def _adapt(self, change: Any = None) -> None:
        self.problem = ""
        version = chosen_version(self.message, self.version)
        if version == self._offered:
            return
        self._offered = version
        rows = [row for row in code_list("response_code") if not row.network]
        codes = {row.code: row.meaning for row in rows if version in (row.versions or (version,))}
        choices = ((f"{code} {meaning}", code) for code, meaning in sorted(codes.items()))
        self.code.options = (("approve", ""), *choices)
        self.fault.options = _faults(version)

    def _tell(self, change: Any) -> None:
        self._said.value = wrong(self.problem)
        show(self._said, bool(self.problem))


def _button(words: str, tooltip: str = "") -> Any:
    return ipywidgets.Button(description=words, tooltip=tooltip)


@cache
def _faults(version: str) -> tuple[tuple[str, str], ...]:
    """The faults of *version*, as labels with ids."""
    first = {name for _, name in FAULTS}
    faults = [fault for fault in all_faults() if fault.kinds and version in fault.versions]
    others = [(f"{fault.what} ({fault.id})", fault.id) for fault in faults if fault.id not in first]
    return (*FAULTS, *others)
