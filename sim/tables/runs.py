"""Suites that were run and loads, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim import background
from sim.codec import Message
from sim.errors import IsoError
from sim.link import opening
from sim.link.client import AsyncClient
from sim.link.load import Load, Mix, Numbers, Replay
from sim.link.load.mix import sent_at
from sim.link.scenario import ROW, Done
from sim.link.tls import client_tls
from sim.tables.columns import read
from sim.tables.columns.table import MessagesTable
from sim.tables.tables import Table


class SuiteTable(Table):
    """A suite that was run, a row per step: `case`, `step`, `do`, `sent`, `expected`, `received`,
    `latency_ms`, `findings` (of the answer), `result` (passed, failed), `wrong` (what was not as expected),
    `note`. What the suite's author has written in is masked in the cells, too."""

    _safe_columns = ("case", "sent", "expected", "received", "findings", "result", "wrong", "note")
    _when_empty = ("findings", "wrong", "note")
    _nothing = "No steps."


def suite_table(done: Done) -> SuiteTable:
    """The table of a suite that was run."""
    frame = pd.DataFrame(done.rows(), columns=list(ROW))
    frame["latency_ms"] = frame["latency_ms"].astype("float64")
    return SuiteTable(frame)


def run_suite(suite: Any, host: Any, **options: Any) -> SuiteTable:
    """Run a suite; its steps as a table."""
    return suite_table(opening.run_suite(suite, host, **options))


class LoadTable(Table):
    """A load, a row per second: `second`, `sent`, `answered`, `failed`, `p50_ms`, `p95_ms`, `p99_ms`,
    `longest_ms`. `numbers` has the whole: `rate`, `percentile(99.9)`, `codes`, `statuses`, `kinds`,
    `wrong`, and the HDR histogram `latencies` (microseconds)."""

    _metadata = [*Table._metadata, "numbers"]  # noqa: RUF012, pandas wants a list
    numbers: Numbers | None = None
    _nothing = "Nothing was sent."

    def _title(self) -> str:
        return told(self.numbers) if self.numbers is not None else super()._title()


def told(numbers: Numbers) -> str:
    """A load in a sentence or two."""
    said = f"{numbers.sent:,} sent, {numbers.answered:,} answered in {numbers.seconds:.1f} s"
    said += f" ({numbers.rate:,.0f} a second). Latency in ms: " + ", ".join(
        f"p{percent:g} {numbers.percentile(percent):.2f}" for percent in (50, 95, 99, 99.9)
    )
    return f"{said}, longest {numbers.percentile(100):.2f}."


def load_table(numbers: Numbers) -> LoadTable:
    """The table of a load."""
    columns = ("sent", "answered", "failed", "p50_ms", "p95_ms", "p99_ms", "longest_ms")
    rows = [
        (one.sent, one.answered, one.failed, one.p50, one.p95, one.p99, one.longest)
        for one in numbers.by_second
    ]
    table = LoadTable(pd.DataFrame(rows, columns=list(columns)))
    table.insert(0, "second", range(len(rows)))
    object.__setattr__(table, "numbers", numbers)
    return table


class RunningLoad:
    """A load under way: `numbers` so far, `stop()`, `wait()` for its table."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._future = background.start(load.connected())

    @property
    def numbers(self) -> Numbers:
        """What it has come to."""
        return self._load.numbers

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return not self._future.done()

    def stop(self) -> None:
        """Send nothing more; what is in flight is waited for as long as the time-out says."""
        self._load.stop()

    def wait(self) -> LoadTable:
        """Its table, when it is over. An interrupt ends it at once: the table has the figures so far."""
        try:
            return load_table(self._future.result())
        except KeyboardInterrupt:
            if not self._load.running:  # nothing was sent yet
                self._future.cancel()
                raise
            self._load.stop(at_once=True)
            return load_table(self._future.result())

    def __repr__(self) -> str:
        return f"RunningLoad({'running' if self.running else 'over'}: {told(self.numbers)})"


def start_load(
    address: Any,
    written: tuple[Any, Any, Any],
    made: Mapping[str, Any],
    replayed: tuple[Any, float],
    connecting: Mapping[str, Any],
    bounds: Mapping[str, Any],
) -> RunningLoad:
    """A load that has begun. *written* are format, framing and version, *made* says what messages are made,
    *replayed* which are sent again and how many times as fast."""
    named = written[:2] != (None, None)
    where, line = opening.spoken_at(address, opening.line_of(*written), named=named)
    messages: Mix | Replay
    if replayed[0] is not None:
        messages = Replay(_replayed(replayed[0]), replayed[1])
    else:
        mix = made["mix"]
        others = {key: made[key] for key in made if key != "mix"}
        messages = Mix(mix, version=line.version, format=line.format, **others)
    options = {**connecting, "tls": client_tls(connecting["tls"])}
    client = AsyncClient(where, line, reverse=False, **options)
    return RunningLoad(Load(client, messages, **bounds))


def _replayed(replay: Any) -> list[tuple[float, Message]]:
    """Messages with their times: a table of `sim.read`, or what it reads; what cannot be read is left out."""
    table = replay if isinstance(replay, MessagesTable) else read(replay)
    found: list[tuple[float, Message]] = []
    at: float | None = None
    for row in table.index:
        try:
            message = table.iso.message(row)
        except IsoError:
            continue
        at = sent_at(message, at)
        found.append((at, message))
    return found
