"""Both ends of a line, and suites, as callers name them: notebooks and the command line open them alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sim import background
from sim.codec.wire.dialects import named_format
from sim.errors import OptionError, quotable, shown
from sim.files import write_text
from sim.link import arguments, scenario
from sim.link.client import AsyncClient, Unsolicited
from sim.link.host import LOOPBACK, AsyncHost
from sim.link.line import Line, address_of
from sim.link.load import Load, Mix, Numbers, Replay
from sim.link.load.run import Check
from sim.link.rules import rules_of
from sim.link.sync import Client, Host
from sim.link.tls import client_tls, server_tls
from sim.masking.files import masked_names
from sim.spec.spellings import network_named, version_named

if TYPE_CHECKING:
    from sim.codec import Message
    from sim.codec.wire import Format

AHost = TypeVar("AHost", bound=Host)
AClient = TypeVar("AClient", bound=Client)
_MOST_CONNECTIONS = 1000


def line_of(format: Format | str | Path | None, framing: Any, version: object) -> Line:
    """The line that a caller names; a format may be the file that describes it."""
    chosen = None if format is None else named_format(format)
    return Line.of(chosen, framing, None if version is None else version_named(version))


def host_and_line(address: Any, line: Line, *, named: bool) -> tuple[tuple[str, int], Line]:
    """Host and port of *address*, and the line spoken there: that of a host of our own unless one was
    *named*, else *line*."""
    if isinstance(address, Host):
        return (address.server.address, address.port), line if named else address.server.line
    return address_of(address), line


def host(
    kind: type[AHost],
    rules: Any,
    *,
    network: Any = None,
    format: Format | str | None = None,
    framing: Any = None,
    version: Any = None,
    balances: Mapping[Any, Any] | None = None,
    opening: int | None = None,
    sign_on: bool = False,
    keys: Any = None,
    address: str = "",
    port: int = 0,
    tls: Any = None,
) -> AHost:
    """A host that listens. The arguments are those of `sim.host`."""
    opening = None if opening is None else arguments.whole("opening", opening)
    if quotable(str(address)) != str(address):
        raise OptionError("address", "an address of this machine, such as 127.0.0.1", shown(address))
    server = AsyncHost(
        line_of(format, framing, version),
        rules_of(rules),
        network=None if network is None else network_named(network),
        balances=arguments.balances(balances),
        opening=opening,
        sign_on=sign_on,
        keys=_ring(keys),
        address=address or LOOPBACK,
        port=arguments.whole("port", port, 0, 65535),
        tls=server_tls(tls),
    )
    return kind(server).start()


def client(
    kind: type[AClient],
    address: Any,
    *,
    network: Any = None,
    format: Format | str | None = None,
    framing: Any = None,
    version: Any = None,
    tls: Any = None,
    pool: int = 1,
    match: Any = None,
    timeout: float | None = None,
    reverse: bool = True,
    tries: int | None = None,
    echo_after: float | None = None,
    unsolicited: Unsolicited | None = None,
    keys: Any = None,
) -> AClient:
    """A client that is connected. The arguments are those of `sim.client`."""
    line = line_of(format, framing, version)
    where, line = host_and_line(address, line, named=format is not None or framing is not None)
    asking = AsyncClient(
        where,
        line,
        network=None if network is None else network_named(network),
        tls=client_tls(tls),
        pool=arguments.whole("pool", pool, 1, _MOST_CONNECTIONS),
        match=arguments.elements("match", match),
        timeout=None if timeout is None else arguments.seconds("timeout", timeout),
        reverse=reverse,
        tries=None if tries is None else arguments.whole("tries", tries, 0),
        echo_after=None if echo_after is None else arguments.seconds("echo_after", echo_after),
        unsolicited=unsolicited,
        keys=_ring(keys),
    )
    return kind(asking).connect()


class RunningLoad:
    """A load under way: `numbers` so far, `stop()`, `ended()` for all of them."""

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

    def ended(self) -> Numbers:
        """What it came to, when it is over. An interrupt ends it at once, with the figures so far."""
        try:
            return self._future.result()
        except KeyboardInterrupt:
            if not self._load.running:  # nothing was sent yet
                self._future.cancel()
                raise
            self._load.stop(at_once=True)
            return self._future.result()


ALoad = TypeVar("ALoad", bound=RunningLoad)


def load(
    kind: type[ALoad],
    address: Any,
    *,
    mix: Mapping[str, float] | None = None,
    replay: Iterable[tuple[float, Message]] | None = None,
    speed: float = 1.0,
    network: Any = None,
    format: Format | str | None = None,
    framing: Any = None,
    version: Any = None,
    tls: Any = None,
    pool: int = 1,
    timeout: float | None = None,
    rate: float | None = None,
    concurrency: int | None = None,
    count: int = 10_000,
    seconds: float = 60.0,
    check: Check | None = None,
    **made: Any,
) -> ALoad:
    """A load that has begun. The arguments are those of `sim.load`; what is replayed are messages with their
    times."""
    named = format is not None or framing is not None
    where, line = host_and_line(address, line_of(format, framing, version), named=named)
    messages: Mix | Replay
    if replay is not None:
        messages = Replay(replay, speed)
    else:
        messages = Mix(mix, version=line.version, format=line.format, network=network, **made)
    client = AsyncClient(where, line, reverse=False, pool=pool, tls=client_tls(tls), timeout=timeout)
    bounds: dict[str, Any] = {"rate": rate, "concurrency": concurrency, "count": count, "seconds": seconds}
    return kind(Load(client, messages, **bounds, check=check))


def _ring(keys: Any) -> Any:
    """A key ring in any form; the ciphers are an extra, and wanted where there are keys alone."""
    if keys is None:
        return None
    from sim.link.keys import KeyRing

    return KeyRing.of(keys)


def run_suite(
    suite: Any,
    host: Any = None,
    *,
    format: Any = None,
    framing: Any = None,
    tls: Any = None,
    cases: Any = None,
    junit: Any = None,
    report: Any = None,
) -> scenario.Done:
    """Run a suite. The arguments are those of `sim.run_suite`."""
    whole = scenario.suite_of(suite)
    if cases:
        whole = whole.only(cases)
    line = line_of(format or whole.format, framing or whole.framing, None)
    where = None
    if host is not None:
        where, line = host_and_line(host, line, named=False)
    done = background.run(scenario.run_suite(whole, where, line=line, tls=client_tls(tls)))
    for path, write in ((junit, scenario.as_junit), (report, scenario.as_html)):
        if path is not None:
            with masked_names():
                write_text(path, write(done))
    return done


def export_suite(suite: str | Path, path: str | Path) -> Path:
    """Write a suite as a pytest module, a test per case.

    The tests use the fixture `iso_host`, which comes with the package: a host for each test, or the one
    that the environment variable `ISO8583_HOST` names.

    Parameters
    ----------
    suite
        A ready one by its network, or a file, beside which the module is to stand.
    path
        Where to write the module.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    OptionError
        The suite cannot be read.
    OSError
        The module cannot be written.

    Examples
    --------
    >>> import pathlib, sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = sim.export_suite("JCB", pathlib.Path(folder) / "test_jcb.py")
    ...     made.read_text().count("def test_")
    31
    """
    whole, target = scenario.suite_of(suite), Path(path)
    ready = str(suite).strip().upper()
    source = ready if ready in scenario.ready_suites() else Path(suite).name
    with masked_names():
        write_text(target, scenario.as_pytest(whole, source))
    return target
