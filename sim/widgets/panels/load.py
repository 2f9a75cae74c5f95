"""`LoadPanel`: a load test with live results."""

from __future__ import annotations

import asyncio
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import IsoError
from sim.link.client import AsyncClient
from sim.link.line import address_of
from sim.link.load.run import MIX, Load, Mix, Numbers, weights_of
from sim.widgets.asking import Heard, Inquiry
from sim.widgets.markup import markup, wrong
from sim.widgets.panels.fields import Form
from sim.widgets.panels.host import EVERY
from sim.widgets.panels.panel import Panel, RunBar

_MOST = 1e9


class LoadPanel(Panel):
    """Runs a load and shows rates, percentiles, codes and progress.

    Traits: `address` (`host:port`), `mix` (kinds and weights: `auth 70, echo 30`), `rate` (requests per
    second, 0 for as many as 50 in flight allow), `count`, `seconds`; `busy`; `numbers`, the result, None
    before; `problem`. `run()` runs it to the end; the button starts it, and "Stop" stops sending.
    """

    address = traitlets.Unicode("")
    mix = traitlets.Unicode(MIX)
    rate = traitlets.Float(0.0, min=0.0, max=_MOST)
    count = traitlets.Int(10_000, min=1, max=int(_MOST))
    seconds = traitlets.Float(60.0, min=0.1, max=_MOST)
    numbers = traitlets.Any(None)

    def __init__(self, address: str = "", **options: Any) -> None:
        names = ("address", "mix", "rate", "count", "seconds")
        self.form = Form(self, "load", names, notes=("rate", "count", "seconds"))
        self.form.fields["mix"].add_class("iso-wide")
        self.form.fields["rate"].note = "Requests per second. 0: as many as possible."
        self.said = ipywidgets.HTML().add_class("iso-said")
        self._bar = RunBar("Start", cancel="Stop")
        super().__init__(self.form, self._bar, self.said, classes="iso-load-panel")
        self._load: Load | None = None
        self._choose({"address": address, **options}, names)
        self.observe(lambda change: self._tell(), ["problem", "numbers"])

    def _work(self) -> Inquiry[Numbers] | None:
        self._asker.cancel()
        self.problem, self.numbers = "", None
        try:
            where, mix = address_of(self.address), Mix(weights_of(self.mix))
            client = AsyncClient(where, reverse=False)
            load = Load(client, mix, rate=self.rate or None, count=self.count, seconds=self.seconds)
        except IsoError as error:
            self.problem = str(error)
            return None
        self._load = load
        return Inquiry(
            doing="Sending",
            put=lambda listener: _driven(load, listener),
            heard=self._look,
            answered=self._look,
            failed=lambda problem: self.set_trait("problem", problem),
            what="The load could not be run",
            thread="sim-link",
        )

    def stop(self) -> None:
        """Stop sending."""
        if self._load is not None:
            self._load.stop()

    def _look(self, numbers: Numbers) -> None:
        """Show the results so far."""
        self.numbers = None  # the same object, updated
        self.numbers = numbers
        done = max(numbers.sent / self.count, numbers.seconds / self.seconds)
        self._bar.tell("Sending", hears=not self._waits, done=done)

    def _tell(self) -> None:
        text = self.numbers.told if self.numbers else ""
        self.said.value = wrong(self.problem) or markup("span", text, "iso-note")

    def __repr__(self) -> str:
        state = "running" if self.busy else "over" if self.numbers else "not started"
        return f"LoadPanel({state})"


async def _driven(load: Load, listener: Heard) -> Numbers:
    """Run *load* to its end, reporting the results so far from time to time."""
    task = asyncio.create_task(load.connected())
    try:
        while not (await asyncio.wait({task}, timeout=EVERY))[0]:
            listener(load.numbers)
        return task.result()
    finally:
        task.cancel()
