"""What all panels share: their frame, the two views of a message, masking.

A panel is a column of widgets whose state is in traits. What holds card data is no synced trait, so
that no saved notebook has it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.operations import strip_line_ending
from sim.operations.anatomy import masked_text
from sim.paste.reading import Reading
from sim.spec import VERSIONS
from sim.widgets.anatomy import MessageAnatomy
from sim.widgets.page import page
from sim.widgets.plain import text_of
from sim.widgets.statics import STATIC, bundled

STILL = (
    "This panel needs ipywidgets, whose containers marimo does not draw: what follows stands still. "
    "sim.widgets.MessageAnatomy(message) and sim.show(table) are alive here, too."
)
ANATOMY, TABLE = "Anatomy", "Table"
VERSION_CHOICES = (("Auto (from MTI)", ""), *((version, version) for version in VERSIONS))


@cache
def style() -> str:
    """The panels' style sheet as a `<style>` element."""
    return f"<style>{(STATIC / 'panel.css').read_text(encoding='utf-8')}</style>"


def has_tables() -> bool:
    """Whether pandas is there: in a browser without a server it may not be."""
    return find_spec("pandas") is not None


def cover(raw: str, version: str | None = None) -> str:
    """*raw*, sound or broken, with card data starred out; every character keeps its place."""
    if not raw:
        return raw
    text = strip_line_ending(raw)
    return masked_text(text, version) + raw[len(text) :]  # the line ending is no part of the message


def markup(tag: str, text: str, classes: str = "", **attributes: str) -> str:
    """An element with *text* in it, escaped."""
    said = "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items())
    return f'<{tag} class="{classes}"{said}>{html.escape(text)}</{tag}>'


def wrong(problem: str, tag: str = "span") -> str:
    """What is wrong, as an element; empty where nothing is."""
    return markup(tag, f"✖ {problem}", "iso-problem", role="alert") if problem else ""


def one_of(values: Iterable[str]) -> Any:
    """A trait that is one of *values*, or None."""
    return traitlets.Enum([None, *values], None, allow_none=True)


def link_choice(panel: Any, name: str, choice: Any) -> None:
    """Keep the trait *name*, where None is a value, in step with a list, where the empty text stands for
    it: a Dropdown takes None for nothing chosen."""
    traitlets.link((panel, name), (choice, "value"), (lambda value: value or "", lambda value: value or None))


def show(widget: Any, visible: bool) -> None:
    """Let *widget* take part in the layout, or not."""
    widget.layout.display = None if visible else "none"


def _dress(widget: Any, own: str, classes: str | Iterable[str]) -> None:
    """Give *widget* its class and others: a text with blanks between them, or one after the other."""
    for name in (own, *(classes.split() if isinstance(classes, str) else classes)):
        widget.add_class(name)


class InputField(ipywidgets.VBox):  # type: ignore[misc]
    """An input with room beneath for what is wrong with it (`problem`) or worth knowing (`note`)."""

    problem = traitlets.Unicode("")
    note = traitlets.Unicode("")

    def __init__(self, *inputs: Any, classes: str | Iterable[str] = (), **kwargs: Any) -> None:
        self._said = ipywidgets.HTML()
        super().__init__([*inputs, self._said], **kwargs)
        _dress(self, "iso-field", classes)
        self.observe(self._tell, ["problem", "note"])
        show(self._said, False)

    def _tell(self, change: Any) -> None:
        note = markup("span", self.note, "iso-note") if self.note else ""
        self._said.value = wrong(self.problem) or note
        show(self._said, bool(self._said.value))


class MessageViews(ipywidgets.VBox):  # type: ignore[misc]
    """One message as anatomy or as table, whichever is chosen; the table only where pandas is there."""

    def __init__(self) -> None:
        self.anatomy = MessageAnatomy(mends=False)  # the box above has the button
        self.table = ipywidgets.HTML().add_class("jp-RenderedHTMLCommon").add_class("iso-table")
        self.choice = ipywidgets.ToggleButtons(options=[ANATOMY, TABLE], tooltips=["", ""])
        self.choice.add_class("iso-choice")
        self._frame: Any = None
        self._drawn: Any = None
        super().__init__([self.choice, self.anatomy, self.table])
        self.choice.observe(self._choose, "value")
        self.put("", None, None, None)

    def put(
        self, raw: str, version: str | None, network: str | None, frame: Any, held: Reading | None = None
    ) -> None:
        """Show the message *raw*; *frame* is its table, or None; *held* the bytes that it came in."""
        self.anatomy.put(raw, version, network, held)
        self._frame = frame
        self._choose()

    def _choose(self, change: Any = None) -> None:
        tabled = self.choice.value == TABLE and self._frame is not None
        if tabled and self._drawn is not self._frame:
            # Drawn when it is looked at: it takes longer than all the rest.
            self.table.value = self._frame._repr_html_()
            self._drawn = self._frame
        there = bool(self.anatomy.message)
        show(self.choice, there and self._frame is not None)
        show(self.anatomy, there and not tabled)
        show(self.table, there and tabled)


class _Keys(anywidget.AnyWidget):
    """Unseen: keeps the keys pressed in a panel from the notebook around it."""

    _esm = STATIC / "panel_keys.js"

    def __repr__(self) -> str:
        return "_Keys()"


class Panel(ipywidgets.VBox):  # type: ignore[misc]
    """The frame of a panel."""

    def __init__(self, *parts: Any, classes: str | Iterable[str] = ()) -> None:
        if has_tables():
            import_module("sim.tables")  # takes a while: not at the first press of a button
        looks = ipywidgets.HTML(style(), layout={"display": "none"})
        super().__init__([looks, _Keys(), *parts])
        _dress(self, "iso-panel", classes)

    def cancel(self) -> None:
        """Stop whatever the panels in this one wait for."""
        for panel in _panels_in(self):
            panel.cancel()

    def close(self) -> None:
        """Take the panel away. Nobody waits for anything any more."""
        self.cancel()
        super().close()

    def _static(self) -> str:
        """The panel as HTML for where widgets do not run; empty where it has nothing to show."""
        return ""

    def _still(self) -> str:
        return self._static() or f"<p>{html.escape(repr(self))}</p>"

    def _display_(self) -> Any:
        # What marimo asks first: it draws no containers of ipywidgets, and would show a line of text.
        return _Still(self._still())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return bundled(super()._repr_mimebundle_(**kwargs), repr(self), self._still())


class _Still:
    """A panel as a picture of itself, for a front end that cannot draw it."""

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def _repr_html_(self) -> str:
        return f"<p><b>{STILL}</b></p>\n{self._shown}"


def _panels_in(widget: Any) -> Iterator[Panel]:
    for child in getattr(widget, "children", ()):
        if isinstance(child, Panel):
            yield child
        else:
            yield from _panels_in(child)


def of_message(anatomy: MessageAnatomy) -> str:
    """The message of *anatomy* in one line, for a repr: no card data, nothing random."""
    return text_of(anatomy.view).splitlines()[0] if anatomy.message else "no message yet"


def static_anatomy(anatomy: MessageAnatomy) -> str:
    """The anatomy as HTML without a script; empty where there is no message."""
    return page(anatomy.view) if anatomy.message else ""
