"""Host and client without `await`, with the arguments as callers write them; they run in a thread of their
own.

Notebooks and the command line use the same functions. What nobody closes is closed when the program ends. An
invalid argument raises OptionError, which names the option and never quotes a card number.
"""

from __future__ import annotations

import atexit
import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sim import background
from sim.codec import Message
from sim.codec.wire.dialects import named_format
from sim.errors import OptionError, counted, quotable, quoted_value
from sim.exchanges import Exchange
from sim.link.client import AsyncClient, play
from sim.link.host import LOOPBACK, AsyncHost
from sim.link.line import Line, address_of
from sim.link.rules import MOST_ELEMENT, Rule, Source, rules_of
from sim.link.sent import Sent
from sim.link.tls import client_tls, server_tls
from sim.link.traffic import Traffic
from sim.masking import mask_pan
from sim.spec.spellings import interface_named, network_named, version_named

if TYPE_CHECKING:
    from sim.codec.wire import Format

AHost = TypeVar("AHost", bound="Host")
AClient = TypeVar("AClient", bound="Client")
_MOST_CONNECTIONS = 1000
_LONGEST = 86_400.0


class _End:
    """A host or client, open until `close`: `with Host(AsyncHost()) as host: host.port`."""

    def __init__(self, end: AsyncHost | AsyncClient) -> None:
        self._end = end
        self.running = False

    def _open(self) -> Self:
        if not self.running:
            background.run(self._end.__aenter__())
            self.running = True
            atexit.register(self.close)
        return self

    def close(self) -> None:
        """Close all connections: a host stops listening, a client's pending requests end as lost."""
        if self.running:
            self.running = False
            atexit.unregister(self.close)
            background.run(self._end.__aexit__())

    def __enter__(self) -> Self:
        return self._open()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def seen(self) -> Traffic:
        """Everything it sent, received and logged."""
        return self._end.traffic


class Host(_End):
    """A host that listens."""

    def __init__(self, server: AsyncHost) -> None:
        super().__init__(server)
        self.server = server

    def start(self) -> Self:
        """Listen. Raises LinkError if the port is taken."""
        return self._open()

    def __repr__(self) -> str:
        line = self.server.line
        state = f"listening on {self.address}" if self.running else "closed"
        rules = counted(len(self.rules), "rule")
        return f"Host({state}, {line.format.name} in {' '.join(line.framing)}, {rules})"

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.server.port

    @property
    def address(self) -> str:
        """Its address: `127.0.0.1:8583`."""
        return f"{self.server.address}:{self.server.port}"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rule table; assign rows, a file or rules at any time."""
        return self.server.rules

    @rules.setter
    def rules(self, rules: Source | None) -> None:
        self.server.rules = rules_of(self._rows(rules))

    def _rows(self, rules: Any) -> Any:
        """*rules* in a form that `rules_of` accepts."""
        return rules

    def balance(self, pan: str) -> int:
        """The available balance of the account of *pan*, in minor units."""
        return self.server.accounts.balance(pan)

    def push(self, message: Message) -> int:
        """Send an unsolicited message to all clients; returns their number."""
        return background.run(self.server.send(message))


class Client(_End):
    """A client that is connected. `start` sends without waiting."""

    def __init__(self, client: AsyncClient) -> None:
        super().__init__(client)
        self.client = client

    def connect(self) -> Self:
        """Open the connections. Raises LinkError if no host listens."""
        return self._open()

    def __repr__(self) -> str:
        host, port = self.client.where
        state = "connected to" if self.running else "closed; its address was"
        return f"Client({state} {host}:{port}, {self.client.line.format.name})"

    @property
    def unsettled(self) -> tuple[Sent, ...]:
        """Requests that were neither answered nor reversed, the newest ones."""
        return tuple(self.client.unsettled)

    @property
    def forgotten(self) -> int:
        """How many unsettled requests were dropped for newer ones; the traffic names each."""
        return self.client.forgotten

    def start(self, message: Message, **options: Any) -> Future[Sent]:
        """Send *message*; the future has its `Sent`. The options are those of `exchange`."""
        return background.start(self.client.send(message, **options))

    def exchange(self, message: Message, **options: Any) -> Sent:
        """Send *message* and wait for the outcome: `timeout` in seconds; `reverse`, whether to reverse
        after a timeout, with the same wait for each attempt."""
        return self.start(message, **options).result()

    def play(self, exchange: Exchange, *, timeout: float | None = None) -> Exchange:
        """Send the requests of *exchange* one after the other; returns the resulting exchange. See
        `sim.link.client`."""
        return background.start(play(self.client, exchange, timeout=timeout)).result()

    def exchange_all(self, messages: Iterable[Message], **options: Any) -> list[Sent]:
        """Send *messages* at once, and wait for all."""
        return [future.result() for future in [self.start(message, **options) for message in messages]]


def line_of(
    format: Format | str | Path | None = None,
    framing: Any = None,
    version: object = None,
    interface: object = None,
) -> Line:
    """The line for a caller's arguments; *format* may be the path of a format file."""
    chosen = None if format is None else named_format(format)
    spoken = "" if interface is None else interface_named(interface)
    return Line.of(chosen, framing, None if version is None else version_named(version), spoken)


def line_options(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `line_of` among *options*, from which they are removed."""
    return {name: options.pop(name, None) for name in ("format", "framing", "version", "interface")}


def host_and_line(address: Any, **options: Any) -> tuple[tuple[str, int], Line]:
    """Host and port of *address*, and the line to use there: for a host of ours its own line, unless
    *options*, those of `line_of`, have a format, framing or interface."""
    line = line_of(**options)
    if not isinstance(address, Host):
        return address_of(address), line
    server = address.server
    own = all(options.get(name) is None for name in ("format", "framing", "interface"))
    return (server.address, server.port), server.line if own else line


def host(kind: type[AHost], rules: Any, **options: Any) -> AHost:
    """A host that listens. The arguments are those of `sim.host`."""
    line = line_of(**line_options(options))
    return kind(AsyncHost(line, rules_of(rules), **_checked(options, _OF_A_HOST))).start()


def client(kind: type[AClient], address: Any, **options: Any) -> AClient:
    """A client that is connected. The arguments are those of `sim.client`."""
    where, line = host_and_line(address, **line_options(options))
    return kind(AsyncClient(where, line, **_checked(options, _OF_A_CLIENT))).connect()


def key_ring(keys: Any) -> Any:
    """A key ring from any form of *keys*. The ciphers are an extra, imported only when there are keys."""
    if keys is None:
        return None
    from sim.link.keys.ring import KeyRing

    return KeyRing.of(keys)


def _whole_number(option: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """*value* as a whole number from *least* to *most*, if these are given."""
    fits = isinstance(value, int) and not isinstance(value, bool)
    if fits and (least is None or value >= least) and (most is None or value <= most):
        return int(value)
    bounds = "" if least is None else f" of at least {least}" if most is None else f", {least} to {most}"
    raise OptionError(option, f"a whole number{bounds}", quoted_value(value))


def _seconds(option: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and math.isfinite(value) and 0 < value <= _LONGEST:
        return float(value)
    raise OptionError(option, "seconds, above 0 and at most 86400", quoted_value(value))


def _elements(option: str, value: Any) -> tuple[int, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionError(option, "a list of element numbers, such as [11, 41]", quoted_value(value))
    return tuple(_whole_number(option, number, 2, MOST_ELEMENT) for number in value)


def _balances(option: str, value: Any) -> dict[str, int]:
    """Balances in minor units by card number; blanks in a card number are ignored."""
    if not isinstance(value, Mapping):
        found = f"a value of type {type(value).__name__}"
        raise OptionError(option, "a mapping of card numbers to minor units", found)
    cards = {str(card).replace(" ", ""): units for card, units in value.items()}
    return {card: _whole_number(f"{option}, card {mask_pan(card)}", units) for card, units in cards.items()}


def _address(option: str, value: Any) -> str:
    if quotable(str(value)) != str(value):
        raise OptionError(option, "an address of this machine, such as 127.0.0.1", quoted_value(value))
    return str(value) or LOOPBACK


# How each option's value is checked and converted; other options are passed unchanged.
_Check = Callable[[str, Any], Any]
_OF_BOTH: dict[str, _Check] = {
    "network": lambda _, value: network_named(value),
    "keys": lambda _, value: key_ring(value),
}
_OF_A_HOST = _OF_BOTH | {
    "opening": _whole_number,
    "balances": _balances,
    "address": _address,
    "port": partial(_whole_number, least=0, most=65535),
    "tls": lambda _, value: server_tls(value),
}
_OF_A_CLIENT = _OF_BOTH | {
    "pool": partial(_whole_number, least=1, most=_MOST_CONNECTIONS),
    "match": _elements,
    "timeout": _seconds,
    "tries": partial(_whole_number, least=0),
    "echo_after": _seconds,
    "tls": lambda _, value: client_tls(value),
}


def _checked(options: Mapping[str, Any], checks: Mapping[str, _Check]) -> dict[str, Any]:
    """*options*, checked and converted; None means the default and is left out."""
    return {
        name: checks[name](name, value) if name in checks else value
        for name, value in options.items()
        if value is not None
    }
