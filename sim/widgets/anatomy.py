"""`MessageAnatomy`: one message as raw text, bitmap and elements, linked by hover, keys and click.

What the browser is sent, and a notebook may save, is the masked view alone. The text itself stays in
Python (`message` is not synced); the view with card data travels as a passing message, and only when
the eye asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sim.codec import IsoError, parse
from sim.operations import chosen_version, strip_line_ending
from sim.widgets import edits
from sim.widgets.model import Data, as_text, view
from sim.widgets.page import page
from sim.widgets.plain import text_of

STATIC = Path(__file__).parent / "static"
_MOST_UNDONE = 100


def script(*names: str) -> str:
    """The named files of `static` as the one module a widget can have."""
    return "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)


class MessageAnatomy(anywidget.AnyWidget):
    """The anatomy of one message, sound or broken.

    *message* is a text, a `Message` or a message table; *version* None reads it off the MTI, *network*
    None is the card's. With *editable* a click on the bitmap adds or drops an element and values can be
    changed; `message` follows.

    Traits: `message` (text; set it and the view follows), `version`, `network`; `hovered` and `pinned`,
    a data element number, 0 for the MTI, 1 for the bitmap, -1 for what was left unread, or None;
    `marked`, characters to light as (start, end), or None; `masked`, False shows card data; `editable`;
    `view`, the masked view as `sim.widgets.model` describes it; `problem`, why the last edit was refused
    as {number, text}, else empty. Of these `message`, `version` and `network` stay in Python.
    """

    _esm = script("dom", "drawing", "anatomy")
    _css = STATIC / "anatomy.css"

    message = traitlets.Unicode("")
    version = traitlets.Unicode(None, allow_none=True)
    network = traitlets.Unicode(None, allow_none=True)
    masked = traitlets.Bool(True).tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)
    hovered = traitlets.Int(None, allow_none=True).tag(sync=True)
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)
    marked = traitlets.List(traitlets.Int(), None, allow_none=True, minlen=2, maxlen=2).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    problem = traitlets.Dict().tag(sync=True)
    can_undo = traitlets.Bool(False).tag(sync=True)
    compared = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        message: object = "",
        version: str | None = None,
        network: str | None = None,
        editable: bool = False,
        **kwargs: Any,
    ) -> None:
        raw, version = as_text(message, version)
        self._past: list[str] = []
        self._dropped: dict[int, str] = {}
        super().__init__(message=raw, version=version, network=network, editable=editable, **kwargs)
        self._refresh()
        self.observe(self._follow, ["message", "version", "network"])
        self.observe(self._redraw, "editable")
        self.observe(self._unmask, "masked")
        self.on_msg(self._asked)

    @traitlets.validate("message")
    def _without_line_ending(self, proposal: dict[str, Any]) -> str:
        return strip_line_ending(proposal["value"])

    @traitlets.validate("marked")
    def _as_list(self, proposal: dict[str, Any]) -> list[int] | None:
        found = proposal["value"]
        return None if found is None else list(found)

    def _follow(self, change: Any) -> None:
        with self.hold_sync():
            self._refresh()
            there = {element["number"] for element in self.view["elements"]}
            if self.pinned not in there:
                self.pinned = None
            self.set_trait("marked", None)
            self.problem = {}

    def _redraw(self, change: Any) -> None:
        self._refresh()

    def _unmask(self, change: Any) -> None:
        if not self.masked:
            self._send_clear()

    def _refresh(self) -> None:
        self.view = self._seen(masked=True)
        if not self.masked:
            self._send_clear()

    def _seen(self, *, masked: bool) -> Data:
        return view(self.message, self.version, self.network, masked, full_bitmap=self.editable)

    def _send_clear(self) -> None:
        self.send({"kind": "clear", "view": self._seen(masked=False)})

    def _asked(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        """A request of the browser: the clear view, or an edit."""
        ask, number = content.get("ask"), content.get("number")
        if ask == "clear" and not self.masked:
            self._send_clear()
        elif ask == "undo":
            self.undo()
        elif isinstance(number, int) and self.editable:
            if ask == "set":
                self.set_value(number, str(content.get("value", "")))
            elif ask == "toggle":
                self.toggle(number)

    def set_value(self, number: int, value: str) -> bool:
        """Write *value* into element *number*, which may be new; 0 is the MTI. False, with the reason in
        `problem`, when the message cannot be built so."""
        return self._edit(number, lambda raw, version: edits.set_value(raw, version, number, value))

    def toggle(self, number: int) -> bool:
        """Drop element *number*, or add it with the value it had before, else with a sample. False, with
        the reason in `problem`, when that cannot be done."""
        return self._edit(number, lambda raw, version: self._toggled(raw, version, number))

    def undo(self) -> None:
        """Take the last edit back."""
        if self._past:
            self.message = self._past.pop()
            self.can_undo = bool(self._past)

    def _toggled(self, raw: str, version: str, number: int) -> str:
        value = edits.value_of(raw, version, number)
        if value is not None:
            self._dropped[number] = value
            return edits.drop(raw, version, number)
        known = self._dropped.get(number)
        sample = known if known is not None else edits.sample(version, number, self.view["network"])
        return edits.set_value(raw, version, number, sample)

    def _edit(self, number: int, change: Callable[[str, str], str]) -> bool:
        before = self.message
        try:
            after = change(before, chosen_version(before, self.version))
            # A new MTI may name another version, in whose layout the rest does not fit.
            parse(after, chosen_version(after, self.version))
        except IsoError as error:
            self.problem = {"number": number, "text": str(error)}
            return False
        self._past = [*self._past, before][-_MOST_UNDONE:]
        self.message = after
        self.can_undo = True
        self.problem = {}
        return True

    def __repr__(self) -> str:
        seen = self.view
        count = sum(element["number"] > 1 and element["state"] == "read" for element in seen["elements"])
        verdict = "broken" if seen["fault"] else "valid" if seen["valid"] else "invalid"
        network = seen["network"] or "no network"
        head = f"{seen['mti'] or 'no MTI'}, {seen['version']}, {network}"
        return f"MessageAnatomy({head}: {count} data elements in {seen['length']} characters, {verdict})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        made = super()._repr_mimebundle_(**kwargs)
        if made is None:
            return None
        bundle, metadata = made if isinstance(made, tuple) else (made, {})
        bundle["text/plain"] = text_of(self.view)
        bundle["text/html"] = page(self.view)
        return bundle, metadata
