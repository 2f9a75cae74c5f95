"""`LoadPanel`: a load on a host, watched while it runs."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import IsoError, OptionError, shown
from sim.link.client import AsyncClient
from sim.link.line import address_of
from sim.link.load import Load, Mix, Numbers
from sim.widgets.asking import Heard, Inquiry
from sim.widgets.markup import markup, wrong
from sim.widgets.panels.form import Form
from sim.widgets.panels.host import EVERY
from sim.widgets.panels.panel import Panel, RunBar

MIX = "auth 70, financial 20, echo 10"
_MOST = 1e9
# A kind, in words or as an MTI, and its weight.
_PART = re.compile(
    r"(?P<kind>[A-Za-z_][A-Za-z_ -]*|[0-9]{4})(?:(?:\s+|\s*[=:]\s*)(?P<weight>[0-9]+(?:\.[0-9]+)?)\s*%?)?"
)


class LoadPanel(Panel):
    """Drives a load and shows rates, percentiles, codes and how far it has come.

    Traits: `address` (`host:port`), `mix` (kinds and weights: `auth 70, echo 30`), `rate` (requests a
    second, 0 for as many as 50 in flight allow), `count`, `seconds`; `busy`; `numbers`, what it has come
    to, None before; `problem`. `run()` drives it to its end; the button starts it, "Stop" sends nothing more.
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
        self.said = ipywidgets.HTML().add_class("iso-said")
        self._bar = RunBar("Start", cancel="Stop")
        super().__init__(self.form, self._bar, self.said, bar=self._bar, classes="iso-load-panel")
        self._load: Load | None = None
        for name, value in {"address": address, **options}.items():
            setattr(self, name, value)
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
            put=lambda heard: _driven(load, heard),
            heard=self._look,
            answered=self._look,
            failed=lambda problem: self.set_trait("problem", problem),
            what="The load could not be run",
            thread="sim-link",
        )

    def stop(self) -> None:
        """Send nothing more."""
        if self._load is not None:
            self._load.stop()

    def _look(self, numbers: Numbers) -> None:
        """Show what it has come to."""
        self.numbers = None  # the same object, with more in it
        self.numbers = numbers
        done = max(numbers.sent / self.count, numbers.seconds / self.seconds)
        self._bar.tell("Sending", hears=not self._waits, done=done)

    def _tell(self) -> None:
        told_of = told(self.numbers) if self.numbers else ""
        self.said.value = wrong(self.problem) or markup("span", told_of, "iso-note")

    def __repr__(self) -> str:
        state = "running" if self.busy else "over" if self.numbers else "not started"
        return f"LoadPanel({state})"


async def _driven(load: Load, heard: Heard) -> Numbers:
    """Drive *load* to its end, telling what it has come to from time to time."""
    task = asyncio.create_task(load.connected())
    try:
        while not (await asyncio.wait({task}, timeout=EVERY))[0]:
            heard(load.numbers)
        return task.result()
    finally:
        task.cancel()


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
