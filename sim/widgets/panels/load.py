"""`LoadPanel`: a load on a host, watched while it runs."""

from __future__ import annotations

import re
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim import background
from sim.errors import IsoError, OptionError, shown
from sim.link.client import AsyncClient
from sim.link.line import address_of
from sim.link.load import Load, Mix, Numbers
from sim.widgets.panels.live import Watch
from sim.widgets.panels.shared import InputField, Panel, markup, wrong

MIX = "auth 70, financial 20, echo 10"
_MOST = 1e9
# A kind, in words or as an MTI, and its weight.
_PART = re.compile(
    r"(?P<kind>[A-Za-z_][A-Za-z_ -]*|[0-9]{4})(?:(?:\s+|\s*[=:]\s*)(?P<weight>[0-9]+(?:\.[0-9]+)?)\s*%?)?"
)


class LoadPanel(Panel):
    """Drives a load and shows rates, percentiles, codes and how far it has come.

    Traits: `address` (`host:port`), `mix` (kinds and weights: `auth 70, echo 30`), `rate` (requests a
    second, 0 for as many as 50 in flight allow), `count`, `seconds`; `running`; `numbers`, what it has come
    to, None before; `problem`. `run()` drives it to its end; the button starts it, and stops it.
    """

    address = traitlets.Unicode("")
    mix = traitlets.Unicode(MIX)
    rate = traitlets.Float(0.0, min=0.0, max=_MOST)
    count = traitlets.Int(10_000, min=1, max=int(_MOST))
    seconds = traitlets.Float(60.0, min=0.1, max=_MOST)
    running = traitlets.Bool(False)
    numbers = traitlets.Any(None)
    problem = traitlets.Unicode("")

    def __init__(self, address: str = "", **options: Any) -> None:
        self.inputs = {
            "address": ipywidgets.Text(description="Address", placeholder="127.0.0.1:8583"),
            "mix": ipywidgets.Text(description="Mix"),
            "rate": ipywidgets.BoundedFloatText(description="Requests per second", min=0.0, max=_MOST),
            "count": ipywidgets.BoundedIntText(description="Max requests", min=1, max=int(_MOST)),
            "seconds": ipywidgets.BoundedFloatText(description="Max seconds", min=0.1, max=_MOST),
        }
        self.button = ipywidgets.Button(description="Start", button_style="primary").add_class("iso-toggle")
        self.progress = ipywidgets.FloatProgress(min=0.0, max=1.0, description="Progress")
        self.progress.style.description_width = "initial"
        self.said = ipywidgets.HTML().add_class("iso-said")
        fields = [
            InputField(one, classes="iso-wide" if name == "mix" else "") for name, one in self.inputs.items()
        ]
        fields[2].note = "0 = unlimited"
        form = ipywidgets.Box(fields).add_class("iso-form")
        bar = ipywidgets.HBox([self.button, self.progress]).add_class("iso-bar")
        super().__init__(form, bar, self.said, classes="iso-load-panel")
        self._load: Load | None = None
        self._future: Any = None
        self.watch = Watch(self.look)
        for name, widget in self.inputs.items():
            traitlets.link((self, name), (widget, "value"))
        self.button.on_click(lambda _: self.stop() if self.running else self.start())
        self.address = address
        for name, value in options.items():
            setattr(self, name, value)
        self._tell()

    def start(self) -> None:
        """Begin; what it comes to is shown while it runs."""
        if self.running:
            return
        self.problem, self.numbers = "", None
        try:
            where, mix = address_of(self.address), Mix(weights_of(self.mix))
            client = AsyncClient(where, reverse=False)
            self._load = Load(client, mix, rate=self.rate or None, count=self.count, seconds=self.seconds)
        except IsoError as error:
            self.problem = str(error)
            self._tell()
            return
        self._future = background.start(self._load.connected())
        self.running = True
        self.look()
        self.watch.begin()

    def run(self) -> None:
        """Drive the load to its end."""
        self.start()
        if self._future is not None:
            self._future.exception()
            self.look()

    def stop(self) -> None:
        """Send nothing more."""
        if self._load is not None:
            self._load.stop()

    def cancel(self) -> None:
        """Stop, and wait no more."""
        self.stop()
        self.watch.end()

    def look(self) -> bool:
        """Show what it has come to; whether it runs."""
        if self._future is not None and self._future.done():
            error = self._future.exception()
            self.problem = str(error) if isinstance(error, IsoError) else "" if error is None else repr(error)
            self.running, self._future = False, None
        self.numbers = self._load.numbers if self._load else None
        self._tell()
        return self.running

    def _tell(self) -> None:
        self.button.description = "Stop" if self.running else "Start"
        numbers = self.numbers
        done = max(numbers.sent / self.count, numbers.seconds / self.seconds) if numbers else 0.0
        self.progress.value = min(done, 1.0)
        self.said.value = wrong(self.problem) or markup("span", told(numbers) if numbers else "", "iso-note")

    def __repr__(self) -> str:
        state = "running" if self.running else "over" if self.numbers else "not started"
        return f"LoadPanel({state})"


def told(numbers: Numbers) -> str:
    """Rates, percentiles and codes in words."""
    parts = [f"{numbers.sent:,} sent, {numbers.answered:,} answered, {numbers.rate:,.0f} a second"]
    if numbers.answered:
        parts.append(", ".join(f"p{at:g} {numbers.percentile(at):.2f} ms" for at in (50, 95, 99, 99.9)))
    parts.append(", ".join(f"code {code}: {count:,}" for code, count in numbers.codes.most_common(6)))
    lost = {status: count for status, count in numbers.statuses.items() if status != "answered"}
    parts.append(", ".join(f"{status}: {count:,}" for status, count in lost.items()))
    return ". ".join(part for part in parts if part)


def weights_of(text: str) -> dict[str, float]:
    """Kinds and weights as a person writes them. Raises OptionError for what is neither.

    >>> weights_of("auth 70, echo 30"), weights_of("auth=2; sign on: 1")
    ({'auth': 70.0, 'echo': 30.0}, {'auth': 2.0, 'sign on': 1.0})
    """
    found: dict[str, float] = {}
    for part in filter(None, map(str.strip, re.split("[,;]", text))):
        written = _PART.fullmatch(part)
        if written is None or not float(written["weight"] or 1):
            raise OptionError("mix", f"kinds and weights such as {MIX}", shown(part))
        kind = written["kind"].strip()
        found[kind] = found.get(kind, 0.0) + float(written["weight"] or 1)
    if not found:
        raise OptionError("mix", f"kinds and weights such as {MIX}", "none")
    return found
