"""`Recognised`: what a paste was taken for, beneath the box it came into; a button mends it."""

from __future__ import annotations

import html
from collections.abc import Callable

import ipywidgets  # type: ignore[import-untyped]

from sim.operations.guessing import Guess
from sim.operations.reading import recognised
from sim.operations.validation import chosen_version
from sim.operations.wired import Wired, of_guessed
from sim.widgets.panels.shared import show


class Recognised(ipywidgets.HBox):  # type: ignore[misc]
    """Reads a paste that is no text form, says how it was written, and offers to put the message in its
    place.

    *mend* is given the text form when the button is pressed. `said` is what is shown.
    """

    def __init__(self, mend: Callable[[str], None]) -> None:
        self._mend = mend
        self._seen: tuple[str, str | None] | None = None
        self._found: Guess | None = None
        self._said = ipywidgets.HTML()
        self.button = ipywidgets.Button(tooltip="Put the message itself into the box")
        self.button.on_click(lambda _: self.mend())
        super().__init__([self._said, self.button])
        self.add_class("iso-bar")
        show(self, False)

    @property
    def said(self) -> str:
        """What the paste was recognised as; empty for a text form."""
        return "" if self._found is None else self._found.best.read_as

    def text(self, raw: str, version: str | None) -> str:
        """The text form of the message in *raw*; *raw* itself where it is one, or none can be made of it."""
        if self._seen != (raw, version):
            self._seen, self._found = (raw, version), None
            self._found = recognised(raw, version=version) if raw.strip() else None
            self._tell()
        return self._taken or raw

    @property
    def held(self) -> Wired | None:
        """The bytes of the paste, where it was bytes and its message is what the panel shows."""
        return of_guessed(self._found.best) if self._found and self._taken else None

    @property
    def _taken(self) -> str:
        """The message to show: the whole one, or what could be read of one that stops before its end."""
        if self._found is None:
            return ""
        best = self._found.best
        return self._mended if best.complete else best.partial_text if best.spans else ""

    @property
    def _mended(self) -> str:
        """The text form, where reading it again as the panel does gives the same message."""
        if self._found is None or self._seen is None:
            return ""
        best = self._found.best
        if not best.complete:
            return ""
        same = (self._seen[1] or chosen_version(best.mti, None)) == best.version
        return best.text or "" if same else ""

    def mend(self) -> None:
        """What the button does: the message in place of the paste."""
        if text := self._mended:
            self._mend(text)

    def _tell(self) -> None:
        if self._found is None:
            show(self, False)
            return
        best, count = self._found.best, len(self._found.messages)
        more = f" The first of {count} messages." if count > 1 else ""
        reasons = "" if best.confidence == "sure" else f" {'; '.join(best.reasons)}."
        self._said.value = f"<p>{html.escape(f'Read as {best.read_as}.{more}{reasons}')}</p>"
        taken = [layer.label.split()[0] for layer in best.layers]
        self.button.description = f"Read without the {taken[-1]}" if taken else "Keep the message only"
        show(self.button, bool(self._mended))
        show(self, True)
