"""The host: an issuer that answers on a TCP port.

Each connection is one task that reads, decides and writes. It reads no more while its answers are not taken,
so that a client that never reads costs one buffer; what a length field says is never allocated; a frame
that does not become whole, an answer that is not taken, are given up after their time, and told. An answer
that could not be handed over is an entry of kind `undelivered`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim.codec import Message
from sim.errors import IsoError, WireError
from sim.link.accounts import Accounts
from sim.link.errors import LinkError
from sim.link.host_channel import HostChannel
from sim.link.issuer import Decision, Issuer
from sim.link.line import KEEP_ALIVE, Line, answering
from sim.link.rules import Rule, Table
from sim.link.timing import Timing
from sim.link.tls import why_not
from sim.link.traffic import EVENT, Traffic
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.link.keys import KeyRing

LOOPBACK = "127.0.0.1"
_STOPPED = "the host was stopped"


class AsyncHost:
    """A host in the running event loop: `async with AsyncHost(line) as host: host.port`.

    *rules* are tried in their order; *balances* (minor units by card number) and *opening* say what accounts
    hold; *keys* are exchanged, PINs and MACs checked with them; *address* is where it listens, the loopback
    address unless asked otherwise, *port* 0 any free one.
    `traffic` is what it saw, `accounts` what it holds.
    """

    def __init__(
        self,
        line: Line | None = None,
        rules: tuple[Rule, ...] = (),
        *,
        network: str | None = None,
        balances: Mapping[str, int] | None = None,
        opening: int | None = None,
        sign_on: bool = False,
        address: str = LOOPBACK,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        timing: Timing | None = None,
        keys: KeyRing | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        self.address, self.port = address, port
        self.tls = tls
        self.timing = timing or Timing()
        self.limits: dict[str, Any] = {**read_toml("link")["host"], **(limits or {})}
        self.traffic = Traffic(line or Line.of(), self.limits["traffic"])
        self.accounts = Accounts(balances, opening, self.limits)
        self.issuer = Issuer(
            Table(rules),
            self.accounts,
            network=network,
            sign_on=sign_on,
            keys=keys,
            format=self.line.mac_format,
        )
        self.serving: set[HostChannel] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._shaking: set[asyncio.Task[None]] = set()
        self._stopped = False
        self._count = 0

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rule table; assign another one at any time."""
        return self.issuer.table.rules

    @rules.setter
    def rules(self, rules: tuple[Rule, ...]) -> None:
        self.issuer.table = Table(rules)

    @property
    def line(self) -> Line:
        """What it speaks; assign another one for the connections to come."""
        return self.traffic.line

    @line.setter
    def line(self, line: Line) -> None:
        self.traffic.line, self.issuer.format = line, line.mac_format

    async def start(self) -> AsyncHost:
        """Listen. Raises LinkError where the place is taken or not ours."""
        self.issuer.ready()
        self._stopped = False
        try:
            self._server = await asyncio.start_server(
                self._serve, self.address, self.port, backlog=self.limits["connections"]
            )
        except OSError as error:
            where = f"{self.address}:{self.port}"
            # asyncio puts words of its own around what the system says; a name that is not found has none.
            named = isinstance(error, socket.gaierror) or not error.errno
            why = (error.strerror or str(error)) if named else os.strerror(error.errno or 0)
            raise LinkError(where, "a place to listen at", why) from None
        self.port = self._server.sockets[0].getsockname()[1]
        self._tell("listening", f"on {self.address}:{self.port}")
        return self

    async def stop(self) -> None:
        """Close all connections and listen no more. What was not answered is told."""
        server, self._server = self._server, None
        if server is None:
            return
        self._stopped = True
        if server.get_loop() is not asyncio.get_running_loop():
            return  # that loop is closed, or of the process that this one was forked from
        server.close()
        for one in tuple(self.serving):
            one.end(_STOPPED)
        for task in tuple(self._shaking):
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()
        self._tell("stopped", "")

    async def __aenter__(self) -> AsyncHost:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def send(self, message: Message) -> int:
        """Send a message that no client asked for to all connections; gives to how many."""
        data = self.line.encode(message)
        taken = [one for one in tuple(self.serving) if one.push(data, "unsolicited")]
        return len(taken)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        peer = writer.get_extra_info("peername") or ("", 0)
        name = f"{self._count} {peer[0]}:{peer[1]}"
        if why := self._no_room() or await self._shake(writer) or self._no_room():
            self._tell("refused", why, name)
            writer.close()
            return
        opened = (name, (reader, writer), self.line, self.timing, self.limits)
        one = HostChannel(*opened, traffic=self.traffic, decide=self.decide)
        self.serving.add(one)
        self._tell("connected", "", name)
        try:
            await one.run()
        finally:
            self.serving.discard(one)

    def _no_room(self) -> str:
        """Why no connection is taken, empty where one is."""
        full = len(self.serving) + len(self._shaking) >= self.limits["connections"]
        return "there are as many connections as there may be" if full else _STOPPED if self._stopped else ""

    async def _shake(self, writer: asyncio.StreamWriter) -> str:
        """Begin TLS, where it is spoken; why that failed, empty where it did not. Not left to the server: it
        keeps a failure to itself, and somebody whose client cannot connect wants to see why."""
        task = asyncio.current_task()
        if self.tls is None or task is None:
            return ""
        self._shaking.add(task)
        try:
            await writer.start_tls(self.tls, ssl_handshake_timeout=self.limits["tls_seconds"])
        except OSError as error:
            return f"no TLS connection: {why_not(error)}"
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            return _STOPPED
        finally:
            self._shaking.discard(task)
        return ""

    def _tell(self, kind: str, note: str, name: str = "") -> None:
        self.traffic.add(self.timing.wall(), name, EVENT, kind, note=note)

    def decide(self, data: bytes, one: HostChannel) -> tuple[Decision, bytes]:
        """The decision on a frame, and the frame of its answer (empty: none)."""
        try:
            request, layers = self.line.decode(data)
        except WireError as error:
            kind, why = one.misread(data, error)
            empty = kind == KEEP_ALIVE
            decision = Decision(None, note=why) if empty else self.issuer.unreadable(error, why)
            layers = ()
        else:
            one.understood()
            try:
                decision = self.issuer.decide(request, one.session)
            except IsoError as error:
                decision = Decision(None, note=f"it cannot be answered: {error}")
        if decision.answer is None:
            return decision, b""
        try:
            return decision, self.line.encode(decision.answer, answering(layers), decision.text)
        except IsoError:
            pass  # the format has an element of the answer otherwise, or has no place for it
        try:
            decision.answer, decision.note = self.issuer.fitted(decision.answer, decision.note)
            return decision, self.line.encode(decision.answer, answering(layers))
        except IsoError as error:
            decision.answer, decision.note = None, f"its answer cannot be written: {error}"
            return decision, b""
