"""`CoveredText`: a text box for input that may contain card data, masked unless it is being edited.

A notebook may save the state of a widget, so the clear text stays in Python (`value` is not synced). The
browser has the masked text, of the same length, and asks for the clear one when the box is focused, when the
eye is opened, and to copy it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from sim.errors import counted
from sim.widgets.markup import STATIC, script

MOST_CHARACTERS = 32_768  # as the interface has it for a message


class CoveredText(anywidget.AnyWidget):
    """A labeled text box with an eye and a copy button.

    *cover* masks the text without changing its length. Traits: `value`, the clear text, which stays in
    Python; `shown`, the masked one; `masked`, False to show the clear one; `label`, `placeholder`, `rows`,
    `disabled`, `lazy`; `problem`, shown below.
    """

    _esm = script("clipboard", "covered_text")
    _css = STATIC / "covered_text.css"

    value = traitlets.Unicode("")
    shown = traitlets.Unicode("").tag(sync=True)
    hides = traitlets.Bool(False).tag(sync=True)
    masked = traitlets.Bool(True).tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    placeholder = traitlets.Unicode("").tag(sync=True)
    problem = traitlets.Unicode("").tag(sync=True)
    rows = traitlets.Int(3).tag(sync=True)
    # Whether typed text is sent on Enter and on leaving the box, not at every key.
    lazy = traitlets.Bool(False).tag(sync=True)
    # Counts changes from Python, so that the browser asks for them.
    edition = traitlets.Int(0).tag(sync=True)

    def __init__(self, value: str = "", *, cover: Callable[[str], str], **kwargs: Any) -> None:
        self._cover = cover
        self.typing = False  # whether `value` is changed by typing
        super().__init__(value=value, **kwargs)
        self.cover_again()
        self.observe(self._take, "value")
        self.on_msg(self._on_message)

    def cover_again(self) -> None:
        """Mask the text again, after it or anything *cover* depends on has changed."""
        covered = self._cover(self.value)
        self.hides = covered != self.value
        self.shown = covered.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _take(self, change: Any) -> None:
        with self.hold_sync():
            self.cover_again()
            if not self.typing:
                self.edition += 1

    def _on_message(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        """A message from the browser: typed text, or a request for the clear text."""
        if content.get("kind") == "typed" and not self.disabled:
            self.typing = True
            try:
                self.value = str(content.get("text", ""))[: MOST_CHARACTERS + 1]
            finally:
                self.typing = False
                self.send({"kind": "heard"})
        elif content.get("kind") == "ask":
            self.send({"kind": "text", "why": content.get("why", ""), "text": self.value})

    def __repr__(self) -> str:
        return f"CoveredText({self.label!r}: {counted(len(self.value), 'character')})"
