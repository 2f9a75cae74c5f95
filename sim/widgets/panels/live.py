"""What panels of a line share: they look again while something runs, and list messages to choose from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import Message, build
from sim.errors import IsoError, ParseError
from sim.link.line import Line
from sim.link.traffic import EVENT, Traffic
from sim.masking import mask_bytes
from sim.operations.rewriting import pasted, shown_text
from sim.widgets.asking import running_loop
from sim.widgets.panels.shared import MessageViews, markup
from sim.widgets.statics import STATIC

EVERY = 0.5  # seconds between looks
_MOST_LINES = 500


class Watch:
    """Calls *look* again and again in the loop of the kernel while it says that something runs. Lines work in
    a thread of their own, so that nothing here waits; without a loop, as in a script, nothing is called."""

    def __init__(self, look: Callable[[], bool]) -> None:
        self._look = look
        self._handle: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Look from now on."""
        loop = running_loop()
        if loop is not None and self._handle is None:
            self._handle = loop.call_later(EVERY, self._again)

    def end(self) -> None:
        """Look no more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _again(self) -> None:
        self._handle = None
        if self._look():
            self.begin()


class Lines(anywidget.AnyWidget):
    """A list of lines that grows while it is looked at. `rows` are pairs of a number and its text, the first
    on top; `chosen` is the number of the chosen line, 0 of none: never a place, which is another by the time
    that Python hears of it."""

    _esm = STATIC / "lines.js"
    _css = STATIC / "lines.css"

    title = traitlets.Unicode("").tag(sync=True)
    nothing = traitlets.Unicode("").tag(sync=True)
    rows: traitlets.List[Any] = traitlets.List().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)

    def __repr__(self) -> str:
        return f"Lines({self.title!r}: {len(self.rows)})"


class TrafficView(ipywidgets.VBox):  # type: ignore[misc]
    """The traffic of one end as it comes, the latest on top; the chosen message beneath, as anatomy. Of bytes
    that are none it is said why, with what could be read, else with the first of them."""

    def __init__(self, empty: str) -> None:
        self.lines = Lines(title="Traffic", nothing=empty)
        self.views = MessageViews()
        self.said = ipywidgets.HTML().add_class("iso-said")
        self._traffic: Traffic | None = None
        self._last = 0
        super().__init__([self.lines, self.said, self.views])
        self.lines.observe(self._choose, "chosen")

    def put(self, traffic: Traffic | None) -> None:
        """Show *traffic* as it is now. What was chosen stays chosen."""
        if traffic is not self._traffic:
            self._traffic, self._last = traffic, 0
            self.lines.chosen = 0
        entries = [] if traffic is None else list(traffic)[-_MOST_LINES:]
        last = entries[-1].number if entries else 0
        if traffic is not None and last == self._last:
            return
        self._last = last
        with self.lines.hold_sync():
            self.lines.rows = [(entry.number, self._told(entry)) for entry in reversed(entries)]
            if entries and self.lines.chosen < entries[0].number:
                self.lines.chosen = 0

    def _told(self, entry: Any) -> str:
        seen = self._traffic.message(entry) if self._traffic else None
        arrow = {"in": "→", "out": "←", EVENT: "·"}[entry.direction]
        parts = [f"{entry.number:>5}", arrow, entry.kind]
        if seen is not None:
            parts += [seen.mti, seen.get(11), f"code {seen.get(39)}" if 39 in seen else ""]
        if entry.latency is not None:
            parts.append(f"{entry.latency * 1000:.1f} ms")
        return "  ".join(part for part in (*parts, entry.rule, entry.note) if part)

    def _choose(self, change: Any) -> None:
        traffic, number = self._traffic, self.lines.chosen
        entry = next((one for one in traffic or () if one.number == number), None)
        seen = traffic.read(entry) if traffic and entry else None
        self.said.value = ""
        if isinstance(seen, Message):
            self._put_message(seen)
        elif traffic and entry and seen:
            self._put_unread(traffic.line, entry.data, seen)
        else:
            self.views.put("", None, None, None)

    def _put_message(self, seen: Message) -> None:
        try:
            raw = build(seen)
        except IsoError:
            raw = ""
        self.views.put(raw, seen.version, None, None)

    def _put_unread(self, line: Line, data: bytes, error: ParseError) -> None:
        """Show bytes that are no message: why, and as far as they were read."""
        begun = error.partial is not None and bool(error.partial.fields)
        held = pasted(data, format=line.format, version=line.version) if begun else None
        self.said.value = markup("p", f"✖ This cannot be read. {error}", "iso-problem")
        if held is None:
            shown = mask_bytes(_body(line, data)) or "no bytes behind the length"
            self.said.value += markup("pre", shown, "iso-bytes")
        self.views.put(shown_text(held) if held else "", held.version if held else None, None, None, held)


def _body(line: Line, data: bytes) -> bytes:
    try:
        return line.bare(data)[0]
    except ParseError:
        return data
