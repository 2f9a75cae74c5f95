"""The base of all panels: their button, long-running work, and the two views of a message.

A panel is a column of widgets with its state in traits. Traits with card data are not synced, so no saved
notebook contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import closest_name
from sim.grid import Page
from sim.operations import strip_line_ending
from sim.operations.anatomy import masked_text
from sim.paste.reading import Reading
from sim.widgets.anatomy import MessageAnatomy
from sim.widgets.asking import Asker, Inquiry, running_loop
from sim.widgets.markup import STATIC, bundled, joined, markup
from sim.widgets.page import page, text_of
from sim.widgets.panels.fields import dress, show

STILL = (
    "This panel needs ipywidgets containers, which marimo does not show: the view below is static. "
    "sim.widgets.MessageAnatomy(message) and sim.show(table) are interactive in marimo as well."
)
ANATOMY, TABLE = "Anatomy", "Table"


@cache
def style() -> str:
    """The style sheet of the panels as a `<style>` element."""
    return f"<style>{(STATIC / 'panel.css').read_text(encoding='utf-8')}</style>"


def has_tables() -> bool:
    """Whether pandas is installed; in a browser without a server it may not be."""
    return find_spec("pandas") is not None


def cover(raw: str, version: str | None = None) -> str:
    """*raw*, valid or broken, with card data masked; all characters keep their positions."""
    if not raw:
        return raw
    text = strip_line_ending(raw)
    return masked_text(text, version) + raw[len(text) :]  # the line ending is not part of the message


class MessageViews(ipywidgets.VBox):  # type: ignore[misc]
    """A message as anatomy or table; the table needs pandas."""

    def __init__(self) -> None:
        self.anatomy = MessageAnatomy(mends=False)  # the box above has the button
        self.table = ipywidgets.HTML().add_class("jp-RenderedHTMLCommon").add_class("iso-table")
        self.choice = ipywidgets.ToggleButtons(options=[ANATOMY, TABLE], tooltips=["", ""])
        self.choice.add_class("iso-choice")
        self._frame: Any = None
        super().__init__([self.choice, self.anatomy, self.table])
        self.choice.observe(self._choose, "value")
        self.put("", None, None, None)

    def put(
        self, raw: str, version: str | None, network: str | None, frame: Any, held: Reading | None = None
    ) -> None:
        """Show the message *raw*; *frame* is its table, or None; *held* the bytes it came in."""
        self.anatomy.put(raw, version, network, held)
        self._frame = frame
        self._choose()

    def _choose(self, change: Any = None) -> None:
        tabled = self.choice.value == TABLE and self._frame is not None
        if tabled:  # drawn when shown: it takes longer than everything else
            self.table.value = self._frame._repr_html_()
        has_message = bool(self.anatomy.message)
        show(self.choice, has_message and self._frame is not None)
        show(self.anatomy, has_message and not tabled)
        show(self.table, has_message and tabled)


class _Keys(anywidget.AnyWidget):
    """Invisible: keeps keys pressed in a panel from the notebook."""

    _esm = STATIC / "panel_keys.js"

    def __repr__(self) -> str:
        return "_Keys()"


class _Focus(anywidget.AnyWidget):
    """Invisible: a disabled button keeps the focus during a request, and regains it after Cancel."""

    _esm = STATIC / "run_bar.js"

    asking = traitlets.Bool(False).tag(sync=True)

    def __repr__(self) -> str:
        return "_Focus()"


class RunBar(ipywidgets.HBox):  # type: ignore[misc]
    """`button`, labeled *words*; `cancel_button`, shown during work; *others*; and a progress bar with a
    text, which the style sheet shows after half a second."""

    def __init__(self, words: str, *others: Any, cancel: str = "Cancel") -> None:
        self.button = ipywidgets.Button(description=words, button_style="primary").add_class("iso-run")
        self.cancel_button = ipywidgets.Button(description=cancel).add_class("iso-cancel")
        self.progress = ipywidgets.HTML().add_class("iso-progress")
        self._focus = _Focus(layout={"display": "none"})
        super().__init__([self.button, self.cancel_button, *others, self.progress, self._focus])
        self.add_class("iso-bar")
        self.tell("")

    def tell(self, doing: str, *, hears: bool = True, done: float | None = None) -> None:
        """Show what is being done, and the part *done* if known; empty for nothing. *hears* is whether Cancel
        has an effect."""
        attributes = {} if done is None else {"value": f"{min(done, 1.0):.3f}"}
        status = joined(markup("progress", "", **attributes), f" {doing}")
        self.progress.value = markup("div", status, role="status") if doing else ""
        self._focus.asking = bool(doing)  # first, so that the focus leaves Cancel before it disappears
        show(self.cancel_button, bool(doing) and hears)
        show(self.progress, bool(doing))


class Panel(ipywidgets.VBox):  # type: ignore[misc]
    """The base of a panel: its work, done by its button and by `run()`.

    Long-running work (a language model is asked, a message is sent) is only started by the button if an event
    loop runs, as in a kernel: other cells run meanwhile, and `busy` is true until it ends. The second button,
    `cancel()`, a change of the input and closing the panel cancel it. `run()` waits for its end; buttons do
    not respond meanwhile, but interrupting the kernel cancels it. `problem` says what is wrong.
    """

    busy = traitlets.Bool(False)
    problem = traitlets.Unicode("")

    def __init__(self, *parts: Any, classes: str | Iterable[str] = ()) -> None:
        if has_tables():
            import_module("sim.tables")  # slow: now rather than when the button is pressed
        bar = self.bar = next((part for part in parts if isinstance(part, RunBar)), None)
        self._waits = False
        looks = ipywidgets.HTML(style(), layout={"display": "none"})
        super().__init__([looks, _Keys(), *parts])
        dress(self, "iso-panel", classes)
        if bar is not None:
            self.button, self.cancel_button = bar.button, bar.cancel_button
            self.button.on_click(lambda _: self.start())
            self.cancel_button.on_click(lambda _: self.stop())

    @cached_property
    def _asker(self) -> Asker:
        return Asker(self._show_busy)

    def _choose(self, options: Mapping[str, Any], names: Collection[str]) -> None:
        """Set the traits named in *options*, in the order of *names*. Raises TypeError for another name."""
        for name in options:
            if name not in names:
                near = closest_name(name, names)
                hint = f"did you mean {near!r}?" if near else f"it has {', '.join(names)}"
                raise TypeError(f"{type(self).__name__} has no option {name!r}; {hint}")
        for name in names:
            if name in options:
                setattr(self, name, options[name])

    def run(self) -> None:
        """Do the panel's work, and wait for it. Running work is canceled."""
        self._begin(wait=True)()

    def start(self) -> None:
        """What the button does: `run()`, but without waiting if an event loop runs. Does nothing while work
        is running."""
        with self._asker.lock:
            if self.busy:
                return
            until_over = self._begin(wait=running_loop() is None)
        until_over()

    def stop(self) -> None:
        """What the second button does."""
        self.cancel()

    def cancel(self) -> None:
        """Cancel the work; the previous result is shown again."""
        self._asker.cancel()

    def _work(self) -> Inquiry[Any] | None:
        """Do the immediate work; returns long-running work, if any."""
        return None

    def _begin(self, *, wait: bool) -> Callable[[], None]:
        """Start the work; returns a function that waits for its end."""
        with self._asker.lock:
            question = self._work()
            self._waits = wait
            return self._asker.ask(question, wait=wait) if question else lambda: None

    def _show_busy(self, doing: str) -> None:
        if self.bar is not None:
            self.bar.tell(doing, hears=not self._waits)
        self.busy = bool(doing)

    def close(self) -> None:
        """Close the panel and cancel its work."""
        self.cancel()
        super().close()

    def _static(self) -> str:
        """The panel as HTML for viewers without widgets; empty if there is nothing to show."""
        return ""

    def _still(self) -> str:
        return self._static() or markup("p", repr(self))

    def _display_(self) -> Any:
        # marimo calls this first: it cannot draw ipywidgets containers, and would show one line of text.
        return Page(f"<p>{markup('b', STILL)}</p>\n{self._still()}")

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return bundled(super()._repr_mimebundle_(**kwargs), repr(self), self._still())


def of_message(anatomy: MessageAnatomy) -> str:
    """The message of *anatomy* in one line, without card data, for a repr."""
    return text_of(anatomy.view).splitlines()[0] if anatomy.message else "no message yet"


def static_anatomy(anatomy: MessageAnatomy) -> str:
    """The anatomy as HTML without a script; empty without a message."""
    return page(anatomy.view) if anatomy.message else ""
