"""The other side of the wire: a host that answers, a client that asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ssl import SSLContext

    from sim.codec import Message
    from sim.codec.wire import Format
    from sim.link.keys import KeyRing
    from sim.spec.words import AnyNetwork, AnyVersion
    from sim.tables.link import Address, LabClient, LabHost, Rules


def host(
    rules: Rules | None = None,
    *,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    framing: str | Sequence[str] | None = None,
    version: AnyVersion | None = None,
    balances: Mapping[str, int] | None = None,
    opening: int | None = None,
    sign_on: bool = False,
    keys: KeyRing | Mapping[str, Any] | str | Path | None = None,
    address: str = "127.0.0.1",
    port: int = 0,
    tls: SSLContext | tuple[str | Path, ...] | None = None,
) -> LabHost:
    """Start a host: an issuer that answers on a TCP port, until it is closed.

    Without a rule a valid request is approved while its account has the money, an invalid one declined
    with a format error; reversals bring the money back, a repeat gets the answer that its message got.
    Echo tests, sign-on, sign-off, cut-over and key exchanges are answered. Everything runs in a thread of
    its own, so that the notebook goes on.

    Parameters
    ----------
    rules
        A table: a CSV or TOML file, its text, rows or a DataFrame. Conditions: `mti` (`0100`, `01xx`),
        `processing_code`, `network`, `card` (`4111*`), `amount` (`1000..`, minor units), `currency`,
        `merchant`, `terminal`, `seen` (`1`, `2..`). What is done: `code`, `delay` (seconds), `approved`
        (minor units), `name`, `action`: answer, ignore, drop, late, duplicate, close, garbage, wrong-stan,
        partial. The first row that fits holds.
    network
        Whose rules requests are judged by; None is each card's.
    format
        How messages are written as bytes, one of `sim.formats()`; None is the text form.
    framing
        What stands around them, outermost first, such as `["length-2", "tpdu"]`; None is the format's.
    version
        The version of all messages; None reads it off each MTI.
    balances
        What accounts hold: card number -> minor units.
    opening
        What every other account holds, in minor units; None is 10,000,000,000: nothing is declined for
        lack of funds unless asked for.
    sign_on
        Whether a connection must sign on before anything else is answered.
    keys
        A `sim.keys.KeyRing`, its parts, or a TOML file with them: `zone`, `pin`, `mac`, `pins`. Keys are then
        exchanged under the zone key, PINs (DE 52) and MACs (DE 64, DE 128) checked, answers given a MAC. With
        a MAC key, what moves money is refused without a MAC, unless `macs` is `"checked"`. None checks
        neither.
    address
        Where to listen: this machine alone, unless another address is asked for.
    port
        The port; 0 takes any free one.
    tls
        An `SSLContext`, or the paths of a certificate and its key (PEM); None speaks without TLS.

    Returns
    -------
    LabHost
        `port`, `address`, `rules`, `traffic` (a table of everything it saw), `message(number)`,
        `balance(card)`, `send(message)` to all clients, `close()`. A context manager.

    Raises
    ------
    LinkError
        The port is taken.
    OptionError
        A rule or an option cannot be met; the text names row and column.
    SpecError
        No format or framing is called that.

    Examples
    --------
    >>> import sim
    >>> with sim.host([{"card": "4111*", "code": "51"}]) as host, sim.client(host) as client:
    ...     client.send(sim.generate("auth")).code
    '51'
    """
    options = dict(locals())
    from sim.link.opening import host as started
    from sim.tables.link import LabHost, rows_of

    return started(LabHost, **options | {"rules": rows_of(rules)})


def client(
    address: Address,
    *,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    framing: str | Sequence[str] | None = None,
    version: AnyVersion | None = None,
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
    """Connect to a host and send it messages.

    Parameters
    ----------
    address
        `host:port`, or a host of `sim.host`, whose format is then taken, too. Nothing else is connected to.
    network
        The network whose echo tests are sent.
    format, framing, version
        As in `host`.
    tls
        An `SSLContext`, True for the authorities of the system, or the path of one's own (PEM).
    pool
        How many connections to keep open.
    match
        The elements by which an answer finds its request, beside its MTI; None is 11 and 41.
    timeout
        Seconds to wait for an answer; None is 30.
    reverse
        Whether a request that moves money and was not answered is undone: reversal, then repeats. An advice
        and a reversal, which tell of what has happened, are repeated instead.
    tries
        How often the reversal or the advice is sent; None is what the network asks for, which
        `sim/spec/data/timeouts.csv` has with its sources, as it has the reason that the reversal gives.
    echo_after
        Seconds of silence after which an echo test is sent; None sends none.
    unsolicited
        Given each message that answers nothing; may give an answer. None answers echo tests.
    keys
        As in `host`. With a MAC key every request gets a MAC, its reversal too, and the MAC of each answer is
        checked: what does not fit stands in the exchange's `note`.

    Returns
    -------
    LabClient
        `send(message)` gives an `Exchange` (`status`, `answer` as a `Message`, `code`, `latency` in seconds,
        `late`, `reversal`); `await ask(message)`, `send_all(messages)`, `start(message)` (a future),
        `traffic`, `unsettled` (the newest 1,024 that were neither answered nor undone; `forgotten` counts
        those that gave way), `close()`. A context manager.

    Raises
    ------
    LinkError
        Nobody listens there.
    OptionError
        *address* or an option cannot be met.
    SpecError
        No format or framing is called that.

    Examples
    --------
    >>> import sim
    >>> with sim.host() as host, sim.client(host, timeout=5) as client:
    ...     client.send(sim.generate("financial", stan="000042"))
    Exchange(0200 000042, answered: 0210 with 00)
    """
    options = dict(locals())
    from sim.link.opening import client as connected
    from sim.tables.link import LabClient

    return connected(LabClient, **options)
