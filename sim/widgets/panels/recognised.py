"""`Recognised`: what a paste was taken for, or what can be done about a broken text, beneath the box it came
into; a button does it."""

from __future__ import annotations

import html
from collections.abc import Callable

import ipywidgets  # type: ignore[import-untyped]

from sim.codec import Message
from sim.operations.choosing import chosen_version
from sim.operations.reading import recognised
from sim.operations.repairing.offering import REPAIR, mend, offered
from sim.operations.rewriting import kept, shown_text
from sim.paste.reading import Reading
from sim.widgets.panels.shared import markup, show


class Recognised(ipywidgets.HBox):  # type: ignore[misc]
    """Reads a paste that is no text form, says how it was written, and offers to put the message in its
    place. Of a text that does not parse it offers to undo the cause that its hint names, or to repair it;
    without *repairs*, where the panel lists repairs itself, the cause alone.

    *mend* is given the text form when the button is pressed, and the version to read it by where that is
    another one, else None. `said` is how the paste was written.
    """

    def __init__(self, mend: Callable[[str, str | None], None], repairs: bool = True) -> None:
        self._mend = mend
        self._repairs = repairs
        self._did = ("", "")
        self._seen: tuple[str, str | None] | None = None
        self._found: Reading | None = None
        self._bare = ""
        self._said = ipywidgets.HTML().add_class("iso-read")
        self.button = ipywidgets.Button(tooltip="Put the message itself into the box")
        self.button.on_click(lambda _: self.mend())
        super().__init__([self._said, self.button])
        self.add_class("iso-bar")
        show(self, False)

    @property
    def said(self) -> str:
        """What the paste was recognised as; empty for a text form."""
        return "" if self._found is None else self._found.read_as

    def text(self, raw: str, version: str | None) -> str:
        """The text form of the message in *raw*; *raw* itself where it is one, or none can be made of it."""
        if self._seen != (raw, version):
            self._seen, self._found = (raw, version), None
            self._found = recognised(raw, version=version) if raw.strip() else None
            self._bare = self._unframed(version)
            self._tell(raw, version)
        return self._taken or raw

    @property
    def message(self) -> Message | None:
        """The message, where it has elements otherwise than the standard, so that its text is not the text
        form; else None."""
        best = self._found
        there = best is not None and best.complete and best.message is not None and best.message.dialect
        return best.message if best and there else None

    @property
    def held(self) -> Reading | None:
        """What was read beside the text form, where its message is what the panel shows."""
        return kept(self._found) if self._found and self._taken else None

    @property
    def _taken(self) -> str:
        """The message to show: the whole one, or what could be read of one that stops or does not fit."""
        best = self._found
        if best is None:
            return ""
        if best.text is None:
            return shown_text(best) if kept(best) else ""
        return best.text if self.message is not None else self._mended

    @property
    def _mended(self) -> str:
        """The text form, or of a dialect the message's own bytes in hex, where reading it again as the panel
        does gives the same message."""
        if self._found is None or self._seen is None:
            return ""
        best = self._found
        if not best.complete:
            return ""
        if self.message is not None:
            return self._bare
        same = (self._seen[1] or chosen_version(best.mti, None)) == best.version
        return best.text or "" if same else ""

    def _unframed(self, version: str | None) -> str:
        """The bytes of a dialect's message without what stands around them; empty where nothing does, or they
        are not known by themselves."""
        if self._found is None or self.message is None:
            return ""
        best = self._found
        bare = best.data[best.start : best.end].hex().upper()
        again = recognised(bare, version=version) if len(bare) < 2 * len(best.data) else None
        return bare if again and again.message == best.message else ""

    def mend(self) -> None:
        """What the button does: the message in place of the paste."""
        if text := self._mended:
            self._mend(text, None)
        elif self._found is None and self._seen is not None:
            self._repair(*self._seen)

    def _repair(self, raw: str, version: str | None) -> None:
        read_as = chosen_version(raw, version)
        done = mend(raw, read_as)
        if done is None:
            self._said.value = markup("p", "No small edit makes it read.", "iso-hint", role="status")
            show(self.button, False)
            return
        self._did = (done.text, done.said)
        self._mend(done.text, None if done.version == read_as else done.version)

    def _tell(self, raw: str, version: str | None) -> None:
        if self._found is None:
            offer = offered(raw, chosen_version(raw, version)) if raw.strip() else ""
            if offer == REPAIR and not self._repairs:
                offer = ""
            did = self._did[1] if raw == self._did[0] else ""
            self._said.value = markup("p", did, "iso-hint", role="status") if did else ""
            self.button.description = offer
            show(self.button, bool(offer))
            show(self, bool(offer or did))
            return
        best, count = self._found, 1 + len(self._found.more)
        more = f" The first of {count} messages." if count > 1 else ""
        why = "; ".join(best.reasons)
        reasons = "" if best.confidence == "sure" else f" {why[:1].upper()}{why[1:]}."
        self._said.value = f"<p>{html.escape(f'Read as {best.read_as}.{more}{reasons}')}</p>"
        taken = [layer.label.split()[0] for layer in best.layers]
        self.button.description = f"Read without the {taken[-1]}" if taken else "Keep the message only"
        show(self.button, bool(self._mended))
        show(self, True)
