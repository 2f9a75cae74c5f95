"""`AskingPanel`: a panel with a button that may ask a language model, and with Cancel beside it."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.widgets.asking import Asker, Inquiry, running_loop
from sim.widgets.panels.shared import Panel, show
from sim.widgets.statics import STATIC


class _Focus(anywidget.AnyWidget):
    """Unseen: while a model is asked the button that asks is out of order but keeps the focus, and when
    Cancel goes, the focus it had goes back to that button."""

    _esm = STATIC / "run_bar.js"

    asking = traitlets.Bool(False).tag(sync=True)

    def __repr__(self) -> str:
        return "_Focus()"


class RunBar(ipywidgets.HBox):  # type: ignore[misc]
    """`button`, which reads *words*; `cancel_button`, there while a model is asked; *others*; and beneath
    them a bar and what goes on, which the style sheet shows after half a second."""

    def __init__(self, words: str, *others: Any) -> None:
        self.button = ipywidgets.Button(description=words, button_style="primary").add_class("iso-run")
        self.cancel_button = ipywidgets.Button(description="Cancel").add_class("iso-cancel")
        self.progress = ipywidgets.HTML().add_class("iso-progress")
        self._focus = _Focus(layout={"display": "none"})
        super().__init__([self.button, self.cancel_button, *others, self.progress, self._focus])
        self.add_class("iso-bar")
        self.tell("")

    def tell(self, doing: str, *, hears: bool = True) -> None:
        """Say what goes on; empty for nothing. *hears* is whether Cancel would be heard."""
        words = html.escape(doing)
        self.progress.value = f'<div role="status"><progress></progress> {words}</div>' if doing else ""
        self._focus.asking = bool(doing)  # first, so that the focus leaves Cancel before Cancel goes
        show(self.cancel_button, bool(doing) and hears)
        show(self.progress, bool(doing))


class AskingPanel(Panel):
    """What panels that may ask a language model have in common.

    The button starts: where an event loop runs, as in a kernel, other cells run while the model is asked,
    and `busy` is true until the answer is there. The button Cancel, `cancel()`, a change of what is asked
    about and closing the panel end the request. `run()` waits for the answer; no button is heard meanwhile,
    but an interrupt of the kernel ends the request, too.
    """

    busy = traitlets.Bool(False)

    def __init__(self, bar: RunBar, *parts: Any, classes: str) -> None:
        self.bar = bar
        self.button, self.cancel_button = bar.button, bar.cancel_button
        self._asker = Asker(self._show_busy)
        self._waits = False
        super().__init__(*parts, classes=classes)
        self.button.on_click(lambda _: self.start())
        self.cancel_button.on_click(lambda _: self.cancel())

    def run(self) -> None:
        """Do what the button does, and wait for it. A question that is under way is cancelled."""
        self._begin(wait=True)()

    def start(self) -> None:
        """What the button does: `run()`, but without waiting where an event loop runs. Does nothing while
        a model is asked."""
        with self._asker.lock:
            if self.busy:
                return
            until_over = self._begin(wait=running_loop() is None)
        until_over()

    def cancel(self) -> None:
        """Ask no further: the request ends, and what was there before is shown again."""
        self._asker.cancel()

    def _work(self) -> Inquiry[Any] | None:
        """Do what is done without a model; gives the question to one, where there is one."""
        return None

    def _begin(self, *, wait: bool) -> Callable[[], None]:
        """Do the work; gives what waits until it is over."""
        with self._asker.lock:
            question = self._work()
            self._waits = wait
            return self._asker.ask(question, wait=wait) if question else lambda: None

    def _show_busy(self, doing: str) -> None:
        self.bar.tell(doing, hears=not self._waits)
        self.busy = bool(doing)
