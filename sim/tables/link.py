"""Hosts and clients for notebooks, with their traffic as tables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from sim.codec import Message
from sim.link.ends import Client, Host
from sim.link.ends import client as open_client
from sim.link.ends import host as open_host
from sim.link.lanes import STYLE as LANES_STYLE
from sim.link.lanes import as_svg, seen_in
from sim.link.rules import Function
from sim.link.sent import Sent
from sim.link.traffic import IN, OUT, Traffic
from sim.tables.argument import MessageArgument, take
from sim.tables.exchanges import ExchangeTable, exchange_table
from sim.tables.tables import TEXT, Table
from sim.tables.transactions import TransactionsTable, match

if TYPE_CHECKING:
    from ssl import SSLContext

    from sim.codec.wire import Format
    from sim.link.keys.ring import KeyRing
    from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion

Rules = str | Path | pd.DataFrame | Function | Iterable[Mapping[str, Any]]
Address = str | tuple[str, int] | Host

TRAFFIC_COLUMNS = (
    *("number", "at", "connection", "direction", "kind", "mti", "name", "stan", "card"),
    *("amount", "code", "meaning", "latency_ms", "rule", "note"),
)


class TrafficTable(Table):
    """The traffic of one end of a connection, one row per message or event: `number`, `at` (UTC),
    `connection`, `direction` (in, out, event), `kind` (request, answer, late, duplicate, lost, undelivered
    ...), `mti` and its `name`, `stan`, `card` (masked), `amount`, `code` (DE 39) and its `meaning`,
    `latency_ms`, `rule`, `note`."""

    _when_empty = ("connection", "rule", "note", "meaning")
    _nothing = "No messages yet."


def traffic_table(traffic: Traffic) -> TrafficTable:
    """The table of *traffic*."""
    frame = pd.DataFrame(map(traffic.record, traffic), columns=list(TRAFFIC_COLUMNS))
    texts = [name for name in TRAFFIC_COLUMNS if name not in ("number", "at", "latency_ms")]
    frame = frame.astype({**dict.fromkeys(texts, TEXT), "latency_ms": "float64"})
    return TrafficTable(frame.assign(at=pd.to_datetime(frame["at"], utc=True)))


class Drawing:
    """SVG for a notebook; `svg` is its source."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_html_(self) -> str:
        return f"<style>{LANES_STYLE}</style>{self.svg}"


class Watched:
    """One end of a connection, with its traffic, in a notebook."""

    if TYPE_CHECKING:

        @property
        def seen(self) -> Traffic: ...

    @property
    def traffic(self) -> TrafficTable:
        """Its traffic, as a table."""
        return traffic_table(self.seen)

    @property
    def transactions(self) -> TransactionsTable:
        """Its transactions, as `sim.match` finds them: requests with their responses, repeats and reversals.
        `sim.plot(..., "lanes")` draws it."""
        pairs = [(entry, parsed) for entry in self.seen if (parsed := self.seen.message(entry)) is not None]
        times = [datetime.fromtimestamp(entry.at, UTC) for entry, _ in pairs]
        return match([message for _, message in pairs], times=times)

    def lanes(self) -> Drawing:
        """The transactions as diagrams, with an arrow for each message."""
        items = seen_in(self.seen, IN if isinstance(self, Host) else OUT)
        return Drawing(as_svg(items) or "<p>Nothing was sent yet.</p>")

    def message(self, number: int) -> Message:
        """The message in row *number* of the traffic. Raises KeyError if there is none."""
        record = next((entry for entry in self.seen if entry.number == number), None)
        message = None if record is None else self.seen.message(record)
        if message is None:
            raise KeyError(f"row {number} has no message")
        return message


class LabHost(Host, Watched):
    """A host in a notebook. `traffic` is a table of all messages; assign `rules`, which may be a DataFrame,
    at any time."""

    def _rows(self, rules: Any) -> Any:
        return rows_of(rules)

    def send(self, message: MessageArgument) -> int:
        """Send an unsolicited message to all clients; returns their number."""
        return self.push(_readable(message))


class LabClient(Client, Watched):
    """A client in a notebook: `send` waits, `ask` is awaited."""

    @overload
    def send(self, message: ExchangeTable, **options: Any) -> ExchangeTable: ...
    @overload
    def send(self, message: MessageArgument, **options: Any) -> Sent: ...
    def send(self, message: MessageArgument | ExchangeTable, **options: Any) -> Sent | ExchangeTable:
        """Send *message*, in any form, and wait for the outcome. Options: `timeout` in seconds, for the
        response and for each attempt at a reversal; `reverse`, whether to reverse after a timeout. For an
        exchange from `sim.exchange`, all its requests are sent, with follow-ups built from the responses
        received; the result is another exchange, and the only option is `timeout`."""
        if isinstance(message, ExchangeTable):
            return exchange_table(self.play(message.iso.exchange, **options))
        return self.exchange(_readable(message), **options)

    def send_all(self, messages: Iterable[MessageArgument], **options: Any) -> list[Sent]:
        """Send *messages* at once, and wait for all."""
        return self.exchange_all([_readable(message) for message in messages], **options)

    async def ask(self, message: MessageArgument, **options: Any) -> Sent:
        """`send`, to be awaited in any event loop."""
        return await asyncio.wrap_future(self.start(_readable(message), **options))


def _readable(message: MessageArgument) -> Message:
    return take(message).whole()


def rows_of(rules: Any) -> Any:
    """A rule table in any form, converted from pandas if necessary."""
    if isinstance(rules, pd.DataFrame):
        plain = pd.DataFrame(rules)
        cells: list[dict[Any, Any]] = plain.astype(object).where(plain.notna(), None).to_dict("records")
        # pandas turns 50 into 50.0 if another cell of the column is empty.
        return [
            {
                name: int(cell) if isinstance(cell, float) and cell.is_integer() else cell
                for name, cell in row.items()
            }
            for row in cells
        ]
    return Path(rules) if isinstance(rules, Path) else rules


def host(
    rules: Rules | None = None,
    *,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    framing: str | Sequence[str] | None = None,
    version: AnyVersion | None = None,
    interface: AnyInterface | None = None,
    balances: Mapping[str, int] | None = None,
    opening: int | None = None,
    sign_on: bool = False,
    keys: KeyRing | Mapping[str, Any] | str | Path | None = None,
    address: str = "127.0.0.1",
    port: int = 0,
    tls: SSLContext | tuple[str | Path, ...] | None = None,
) -> LabHost:
    """Run a host: an issuer that answers on a TCP port.

    Without rules a valid request is approved up to the account balance and an invalid one declined with a
    format error. A reversal returns the money; a repeat gets the same response as the original. Echo tests,
    sign-on, sign-off, cut-over and key exchanges are answered.

    Parameters
    ----------
    rules
        A table: a CSV or TOML file, its text, rows or a DataFrame. Conditions: `mti` (`0100`, `01xx`),
        `processing_code`, `network`, `card` (`4111*`), `amount` (`1000..`, minor units), `currency`,
        `merchant`, `terminal`, `seen` (`1`, `2..`), any element or part of one: `de22` (`051`, `05*`,
        `~pattern`, `present`, `absent`), `de55.9F35`. Actions: `code`, `delay` (seconds), `approved`
        (minor units), `set.44`, `set.55.71` (elements of the response), `name`, `action`: answer, ignore,
        drop, late, duplicate, close, garbage, wrong-stan, partial. The first row that matches decides. In
        Python it may also be a function of the request that returns such a row, a response code, or nothing
        for the default.
    network
        Network whose rules requests are checked against. Default: each card's.
    format
        The wire format, one of `sim.formats()`. Default: the text form.
    framing
        Framing, outermost layer first, e.g. `length-2`, `tpdu`; `elements` if a message ends with its last
        element. Default: the format's.
    version
        The version of all messages. Default: from each MTI.
    interface
        The interface of the connection, one of `sim.interfaces()`; `iso` is the standard alone. Default:
        the format's, otherwise that of each card's brand.
    balances
        Account balances: card number -> minor units.
    opening
        Opening balance of each account without a balance of its own, in minor units. Default:
        10,000,000,000, so that nothing is declined for insufficient funds unless you ask for it.
    sign_on
        Require a sign-on before answering anything else on a connection.
    keys
        A `sim.keys.KeyRing`, its parts, or a TOML file with `zone`, `pin`, `mac` and `pins`. With it,
        keys are exchanged under the zone key, PINs (DE 52) and MACs (DE 64, DE 128) are verified, and
        responses get a MAC. With a MAC key, a financial request without a MAC is declined unless `macs` is
        `"checked"`. Default: no checks.
    address
        Address to listen on. Default: this machine only.
    port
        Port to listen on; 0 picks a free one.
    tls
        An `SSLContext`, or the paths of a certificate and its key (PEM). Default: no TLS.

    Returns
    -------
    LabHost
        `port`, `address`, `rules`, `traffic` (a table of all messages), `message(number)`,
        `balance(card)`, `send(message)` to all clients, `close()`. A context manager. It runs in its own
        thread, so the notebook stays usable.

    Raises
    ------
    LinkError
        The port is taken.
    OptionError
        A rule or an option is invalid; the text gives the row and column.
    SpecError
        Unknown format or framing.

    Examples
    --------
    >>> import sim
    >>> with sim.host([{"card": "4111*", "code": "51"}]) as host, sim.client(host) as client:
    ...     client.send(sim.generate("auth")).code
    '51'
    """
    options = dict(locals())
    return open_host(LabHost, **options | {"rules": rows_of(rules)})


def client(
    address: Address,
    *,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    framing: str | Sequence[str] | None = None,
    version: AnyVersion | None = None,
    interface: AnyInterface | None = None,
    tls: SSLContext | str | Path | bool | None = None,
    pool: int = 1,
    match: Sequence[int] | None = None,
    timeout: float | None = None,
    reverse: bool = True,
    tries: int | None = None,
    echo_after: float | None = None,
    unsolicited: Callable[[Message], Message | None] | None = None,
    keys: KeyRing | Mapping[str, Any] | str | Path | None = None,
) -> LabClient:
    """Send messages to a host.

    Parameters
    ----------
    address
        `host:port`, or a host of `sim.host`, whose format is then used as well. The client connects to
        nothing else.
    network
        Network whose echo tests to send.
    format, framing, version, interface
        As in `host`.
    tls
        An `SSLContext`, True for the system's CA certificates, or the path of a PEM file.
    pool
        Number of connections to keep open.
    match
        Elements that match a response to its request, in addition to the MTI. Default: 11 and 41.
    timeout
        Seconds to wait for a response to the request, and again for its reversal and each repeat: 1 + `tries`
        times as long if the host never answers. Default: 30.
    reverse
        Whether a request that moves money and times out is reversed: a reversal, then repeats. Advices and
        reversals, which report what has happened, are repeated instead. False returns after `timeout`.
    tries
        How often to send the reversal or advice. Default: what the network requires, from
        `sim/spec/data/timeouts.csv`, which also gives the reason of the reversal and its sources.
    echo_after
        Seconds of inactivity before an echo test. Default: no echo tests.
    unsolicited
        A function called with each message that is not a response; it may return a response. None answers
        echo tests.
    keys
        As in `host`. With a MAC key every request and reversal gets a MAC, and the MAC of each response is
        verified; a mismatch is in the exchange's `note`.

    Returns
    -------
    LabClient
        `send(message)` gives a `Sent` (`status`, `answer` as a `Message`, `code`, `latency` in seconds,
        `late`, `reversal`); `await ask(message)`, `send_all(messages)`, `start(message)` (a future),
        `traffic`, `unsettled` (the newest 1,024 that were neither answered nor reversed; `forgotten` counts
        the ones dropped), `close()`. A context manager.

    Raises
    ------
    LinkError
        No host listens there.
    OptionError
        *address* or an option is invalid.
    SpecError
        Unknown format or framing.

    Examples
    --------
    >>> import sim
    >>> with sim.host() as host, sim.client(host, timeout=5) as client:
    ...     client.send(sim.generate("financial", stan="000042"))
    Sent(0200 000042, answered: 0210 with 00)
    """
    return open_client(LabClient, **locals())
