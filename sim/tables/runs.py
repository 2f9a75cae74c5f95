"""Test suites and load tests, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import pandas as pd

from sim.codec import Message
from sim.errors import IsoError
from sim.link import load as loads
from sim.link.ends import Client, Host
from sim.link.load.run import Numbers, sent_at
from sim.link.scenario import report as suites
from sim.link.scenario.run import ROW
from sim.tables.columns.reading import read
from sim.tables.columns.table import MessagesTable
from sim.tables.tables import Table

if TYPE_CHECKING:
    from ssl import SSLContext

    from sim.codec.wire import Format
    from sim.link import Sent
    from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion, Entry
    from sim.tables.argument import MessageArgument
    from sim.tables.link import Address


class SuiteTable(Table):
    """The results of a suite, one row per step: `case`, `step`, `do`, `sent`, `expected`, `received`,
    `latency_ms`, `findings` (on the response), `result` (passed, failed), `wrong` (what was not as
    expected), `note`. Card data in the author's own texts is masked as well."""

    _when_empty = ("findings", "wrong", "note")
    _nothing = "No steps."


def run_suite(
    suite: str | Path,
    host: Address | None = None,
    *,
    format: Format | str | None = None,
    framing: str | Sequence[str] | None = None,
    interface: AnyInterface | None = None,
    tls: SSLContext | str | Path | bool | None = None,
    cases: str | Sequence[str] | None = None,
    junit: str | Path | None = None,
    report: str | Path | None = None,
) -> SuiteTable:
    """Run a suite of scenarios against a host.

    Parameters
    ----------
    suite
        A network (`"VISA"`) for its built-in suite, a TOML or CSV file, or its text. Steps send (messages
        generated from options, or raw), repeat, reverse and wait, and give what they expect: codes,
        elements, patterns, time, findings. Your own suite has `[[cases]]` with `name`, `tags` and
        `[[cases.steps]]`: `type`, `amount`, `set.48`, `expect.39` and so on. `${1.38}` is DE 38 of the
        response of step 1; `${now}` and `${stan}` are filled in; `rows`, a list or a CSV file, gives one
        case per row, with `${column}` for its cells; `[session]` uses one connection for all cases, with
        steps `before` and `after` them; `format` may be a file next to the suite.
    host
        `host:port`, or a host of `sim.host`. Default: a host with the suite's own rules.
    format
        Wire format of the connection. Default: the suite's.
    framing
        Framing of the connection. Default: the suite's.
    interface
        Interface of the connection. Default: the suite's.
    tls
        As in `client`.
    cases
        Names or tags of the cases to run. Default: all.
    junit
        File for the results as JUnit XML.
    report
        File for the results as one HTML page, with the life-cycle lanes of each case.

    Returns
    -------
    SuiteTable
        A row per step: what was sent, expected and received, latency, findings, result.

    Raises
    ------
    LinkError
        No host listens at *host*.
    OptionError
        The suite cannot be read; the text gives the case and step.

    Examples
    --------
    >>> import sim
    >>> done = sim.run_suite("case,type,expect.39\\nalive,echo,00\\npoor,auth,51")
    >>> done[["case", "received", "result"]].values.tolist()
    [['alive', '0810 00', 'passed'], ['poor', '0110 00', 'failed']]
    """
    done = suites.run_suite(**locals())
    return SuiteTable(pd.DataFrame(done.rows(), columns=list(ROW)).astype({"latency_ms": "float64"}))


class LoadTable(Table):
    """A load test, one row per second: `second`, `sent`, `answered`, `failed`, `p50_ms`, `p95_ms`,
    `p99_ms`, `longest_ms`. `numbers` has the totals: `rate`, `percentile(99.9)`, `codes`, `statuses`,
    `kinds`, `wrong`, and the HDR histogram `latencies` (microseconds)."""

    _nothing = "Nothing was sent."

    @property
    def numbers(self) -> Numbers | None:
        """The totals; None for a table that was joined of others, or read from a file."""
        return self.held.get("numbers")

    def _title(self) -> str:
        return self.numbers.told if self.numbers is not None else super()._title()


def load_table(numbers: Numbers) -> LoadTable:
    """The table of a load test."""
    columns = ("sent", "answered", "failed", "p50_ms", "p95_ms", "p99_ms", "longest_ms")
    seconds = numbers.by_second
    cells = {name: [getattr(second, name.removesuffix("_ms")) for second in seconds] for name in columns}
    table = LoadTable({"second": range(len(seconds)), **cells})
    table.held = {"numbers": numbers}
    return table


class RunningLoad(loads.RunningLoad):
    """A load test in progress: `numbers` so far, `stop()`, `wait()` for its table."""

    def wait(self) -> LoadTable:
        """Wait for the end and return the table. An interrupt ends it at once, with the figures so far."""
        return load_table(self.ended())

    def __repr__(self) -> str:
        return f"RunningLoad({'running' if self.running else 'over'}: {self.numbers.told})"


def replayed(replay: Any) -> list[tuple[float, Message]]:
    """Messages with their times: the traffic of a host or a client, a table from `sim.read`, or anything
    that it reads; unreadable messages are left out."""
    if isinstance(replay, Host | Client):
        entries = ((entry.at, replay.seen.message(entry)) for entry in replay.seen if entry.kind == "request")
        return [(at, message) for at, message in entries if message is not None]
    table = replay if isinstance(replay, MessagesTable) else read(replay)
    sent: list[tuple[float, Message]] = []
    at: float | None = None
    for row in table.index:
        try:
            message = table.iso.message(row)
        except IsoError:
            continue
        at = sent_at(message, at)
        sent.append((at, message))
    return sent


class LoadOptions(TypedDict, total=False):
    """Options of `load` that do not change its return type."""

    mix: Mapping[str, float] | None
    replay: str | Path | Host | Client | Iterable[MessageArgument] | None
    speed: float
    rate: float | None
    concurrency: int | None
    count: int
    seconds: float
    pool: int
    network: AnyNetwork | None
    format: Format | str | None
    framing: str | Sequence[str] | None
    version: AnyVersion | None
    interface: AnyInterface | None
    tls: SSLContext | str | Path | bool | None
    timeout: float | None
    check: Callable[[Sent], str | None] | None
    # Options of `sim.generate`.
    amount_minor_units: int
    currency: str | int
    entry: Entry | str | None
    pan: str | Sequence[str] | None


@overload
def load(address: Address, *, wait: Literal[True] = True, **options: Unpack[LoadOptions]) -> LoadTable:
    """The table, after the end."""


@overload
def load(address: Address, *, wait: Literal[False], **options: Unpack[LoadOptions]) -> RunningLoad:
    """A load test in progress."""


def load(
    address: Address,
    *,
    mix: Mapping[str, float] | None = None,
    replay: str | Path | Host | Client | Iterable[MessageArgument] | None = None,
    speed: float = 1.0,
    rate: float | None = None,
    concurrency: int | None = None,
    count: int = 10_000,
    seconds: float = 60.0,
    pool: int = 1,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    framing: str | Sequence[str] | None = None,
    version: AnyVersion | None = None,
    interface: AnyInterface | None = None,
    tls: SSLContext | str | Path | bool | None = None,
    timeout: float | None = None,
    check: Callable[[Sent], str | None] | None = None,
    wait: bool = True,
    **options: Any,
) -> LoadTable | RunningLoad:
    """Send many requests to a host and measure its responses.

    The load ends after *count* requests or *seconds*, whichever comes first, and then waits at most
    *timeout* seconds for requests in flight. An interrupt ends it immediately, with the figures so far.
    Load only hosts that you are allowed to test. With *rate*, latency counts from the time a request was
    due, so a stalled host cannot hide it.

    Parameters
    ----------
    address
        `host:port`, or a host of `sim.host`.
    mix
        Message types and their weights, as words that `sim.generate` accepts. Default: 70 auth, 20
        financial, 10 echo.
    replay
        Messages to send again with their original timing (DE 7): anything `sim.read` accepts or returns, or
        a host or a client, whose requests are sent again.
    speed
        Replay speed, as a multiple.
    rate
        Requests per second. Default: as many as *concurrency* allows.
    concurrency
        Requests in flight. Default: 50.
    count
        Maximum number of requests.
    seconds
        Maximum duration in seconds.
    pool
        Number of connections to use.
    network
        Network of the generated messages.
    format, framing
        As in `client`.
    version
        Version of all messages generated and read.
    interface
        As in `client`; the generated messages follow it.
    tls, timeout
        As in `client`.
    check
        A function called with each exchange; it returns what is wrong, or None.
    wait
        False returns the running load, with `numbers` so far, `stop()` and `wait()`.
    options
        Options of `sim.generate`: `amount_minor_units`, `currency`, `entry`, and `pan`, which may also be a
        list of cards, used in turn.

    Returns
    -------
    LoadTable or RunningLoad
        A row per second; `.numbers` has rates, codes and the histogram.

    Raises
    ------
    LinkError
        No host listens at *address*.
    OptionError
        An option is invalid.
    ImportError
        hdrhistogram is missing (extra `load`).

    Examples
    --------
    >>> import sim
    >>> with sim.host() as host:
    ...     table = sim.load(host, count=200, mix={"auth": 9, "echo": 1})
    >>> table.numbers.answered, dict(table.numbers.codes)
    (200, {'00': 200})
    """
    arguments = {name: value for name, value in locals().items() if name not in ("wait", "options")}
    running = loads.start_load(
        RunningLoad, **arguments | {"replay": None if replay is None else replayed(replay)}, **options
    )
    return running.wait() if wait else running
