"""The host: an issuer that responds on a TCP port.

Each connection is one task that reads, decides and writes. It stops reading while its responses are not read,
so that a client that never reads costs one buffer. It never allocates what a length field claims. A frame
that is not completed in time and a response that is not read in time end the connection; each response that
could not be delivered is logged as `undelivered`.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sim.codec import Message
from sim.codec.wire import wrap
from sim.errors import IsoError, WireError, counted
from sim.link.channel import Channel
from sim.link.issuer import Accounts, Decision, Issuer, Session
from sim.link.line import KEEP_ALIVE, Line, LinkError, answering, system_reason
from sim.link.rules import Rule, Table
from sim.link.tls import why_not
from sim.link.traffic import IN, OUT, Traffic
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.link.keys.ring import KeyRing

LOOPBACK = "127.0.0.1"
_STOPPED = "the host was stopped"
_GARBAGE = b"\xde\xad\xbe\xef" * 4
_UNANSWERED = {"drop": "the response was dropped", "close": "closed instead of a response"}


class AsyncHost:
    """A host in the running event loop: `async with AsyncHost(line) as host: host.port`.

    *rules* are tried in order. *balances* (minor units by card number) and *opening* set the balances of
    accounts. *keys* are exchanged, and verify PINs and MACs. *address* is where it listens, by default the
    loopback address; *port* 0 is any free one. `traffic` logs what it sent and received; `accounts` has the
    balances.
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
        keys: KeyRing | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        self.address, self.port, self.tls = address, port, tls
        self.limits: dict[str, Any] = {**read_toml("link")["host"], **(limits or {})}
        self.traffic = Traffic(line or Line.of(), self.limits["traffic"])
        self.accounts = Accounts(balances, opening, self.limits)
        options: Any = {"network": network, "sign_on": sign_on, "keys": keys, "format": self.line.mac_format}
        self.issuer = Issuer(Table(rules), self.accounts, **options)
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
        """The line it uses; assign another one for future connections."""
        return self.traffic.line

    @line.setter
    def line(self, line: Line) -> None:
        self.traffic.line, self.issuer.format = line, line.mac_format

    async def start(self) -> AsyncHost:
        """Listen. Raises LinkError if the address or port is taken or not available."""
        self.issuer.ready()
        self._stopped = False
        backlog = self.limits["connections"]
        try:
            self._server = await asyncio.start_server(self._serve, self.address, self.port, backlog=backlog)
        except OSError as error:
            why = f"none ({system_reason(error)})"
            raise LinkError(f"{self.address}:{self.port}", "an address to listen on", why) from None
        self.port = self._server.sockets[0].getsockname()[1]
        self.traffic.event("", "listening", f"on {self.address}:{self.port}")
        return self

    async def stop(self) -> None:
        """Close all connections and stop listening. Pending responses are logged as undelivered."""
        server, self._server = self._server, None
        if server is None:
            return
        self._stopped = True
        if server.get_loop() is not asyncio.get_running_loop():
            return  # that loop is closed, or belongs to the parent process of a fork
        server.close()
        for channel in tuple(self.serving):
            channel.end(_STOPPED)
        for task in tuple(self._shaking):
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()
        self.traffic.event("", "stopped")

    async def __aenter__(self) -> AsyncHost:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def send(self, message: Message) -> int:
        """Send an unsolicited message to all connections; returns how many got it."""
        data = self.line.encode(message)
        return sum([channel.push(data, "unsolicited") for channel in tuple(self.serving)])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        peer = writer.get_extra_info("peername") or ("", 0)
        name = f"{self._count} {peer[0]}:{peer[1]}"
        if why := self._no_room() or await self._shake(writer) or self._no_room():
            self.traffic.event(name, "refused", why)
            writer.close()
            return
        channel = HostChannel(self, name, (reader, writer))
        self.serving.add(channel)
        self.traffic.event(name, "connected")
        try:
            await channel.run()
        finally:
            self.serving.discard(channel)

    def _no_room(self) -> str:
        """Why no connection can be accepted; empty if one can."""
        full = len(self.serving) + len(self._shaking) >= self.limits["connections"]
        return "the maximum number of connections is open" if full else _STOPPED if self._stopped else ""

    async def _shake(self, writer: asyncio.StreamWriter) -> str:
        """Start TLS, if configured; returns why that failed, or an empty string. The server would do it
        without reporting failures, and the user of a client that cannot connect needs the reason."""
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

    def decide(self, data: bytes, channel: HostChannel) -> tuple[Decision, bytes]:
        """The decision on a frame, and the frame of the response (empty: none)."""
        layers: Any = ()
        try:
            request, layers = self.line.decode(data)
        except WireError as error:
            kind, why = channel.misread(data, error)
            empty = kind == KEEP_ALIVE
            decision = Decision(None, note=why) if empty else self.issuer.unreadable(error, why)
        else:
            channel.understood()
            try:
                decision = self.issuer.decide(request, channel.session)
            except IsoError as error:
                decision = Decision(None, note=f"it cannot be responded to: {error}")
        if decision.answer is None:
            return decision, b""
        try:
            return decision, self.line.encode(decision.answer, answering(layers), decision.text)
        except IsoError:
            pass  # the format encodes an element of the response differently, or has no room for it
        try:
            decision.answer, decision.note = self.issuer.fitted(decision.answer, decision.note)
            return decision, self.line.encode(decision.answer, answering(layers))
        except IsoError as error:
            decision.answer, decision.note = None, f"its response cannot be written: {error}"
            return decision, b""


class _Outgoing(NamedTuple):
    """A response on its way out: its frame, its log entry's rule and note, and when its request arrived."""

    data: bytes
    rule: str
    note: str
    came: float


class HostChannel(Channel):
    """A connection of *host*. `session` is the issuer's state for it; `waiting` counts the responses that
    wait for their delay or for the next message."""

    side = "host"

    def __init__(
        self, host: AsyncHost, name: str, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> None:
        super().__init__(name, streams, host.line, host.limits)
        self.session = Session()
        self.traffic, self._decide = host.traffic, host.decide
        # drain() waits until everything is handed to the operating system; the rest is undelivered. A TLS
        # buffer is full when it reaches its limit, a plain one when it exceeds it.
        over_tls = self._writer.get_extra_info("ssl_object") is not None
        self._writer.transport.set_write_buffer_limits(high=int(over_tls))
        self._late: list[_Outgoing] = []
        self._delayed: dict[asyncio.Task[None], _Outgoing] = {}

    @property
    def waiting(self) -> int:
        """How many responses wait for their delay or for the next message."""
        return len(self._late) + len(self._delayed)

    def push(self, data: bytes, kind: str) -> bool:
        """Send *data*, an unsolicited message; False if the other side does not read its connection."""
        transport = self._writer.transport
        if transport.is_closing() or transport.get_write_buffer_size():
            why = "the other side does not read its connection"
            self.traffic.event(self.name, "undelivered", why, data)
            return False
        self._writer.write(data)
        self.traffic.add(time.time(), self.name, OUT, kind, data)
        return True

    async def hear(self, frames: Iterator[bytes]) -> None:
        """Decide on *frames* and respond; if no frame can start, respond to the earlier ones first."""
        outgoing: list[_Outgoing] = []
        now, wall = time.perf_counter(), time.time()
        try:
            for frame in frames:
                self._take(frame, outgoing, now, wall)
                if self.why:
                    break
        finally:
            if outgoing:
                await self._deliver(outgoing)
        if not self.why and self.waiting >= self.limits["waiting"] and self._delayed:
            await asyncio.wait(self._delayed, return_when=asyncio.FIRST_COMPLETED)

    def _take(self, frame: bytes, outgoing: list[_Outgoing], arrival: float, wall: float) -> None:
        """Decide on a frame and carry out the decision; responses to send at once go to *outgoing*."""
        self.traffic.add(wall, self.name, IN, "request", frame)
        decision, answer = self._decide(frame, self)
        action, rule, note = decision.action, decision.rule, decision.note
        late: list[_Outgoing] = []
        if action != "late":
            late, self._late = self._late, late
        if answer:
            self.understood()
        if action in ("ignore", *_UNANSWERED) or not answer:
            why = _UNANSWERED.get(action, note) or "ignored"
            self.traffic.event(self.name, "unanswered", why, rule=rule)
            if action == "close":
                self.why = self.why or "by a rule"
        else:
            self.traffic.codes[decision.code] += 1
            if action == "garbage":
                answer = wrap(_GARBAGE, self.line.bare(answer)[1] or self.line.framing)
                note = "bytes that are not a message"
            out = _Outgoing(answer, rule, note, arrival)
            if decision.delay:
                task = asyncio.get_running_loop().create_task(self._later(out, decision.delay))
                self._delayed[task] = out
            elif action != "late":
                outgoing += [out, out] if action == "duplicate" else [out]
            elif len(self._late) < self.limits["waiting"]:
                self._late.append(out)
            else:
                why = "too many responses are pending"
                self.traffic.event(self.name, "undelivered", why, answer, rule=rule)
        outgoing += late

    async def _later(self, out: _Outgoing, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if (task := asyncio.current_task()) is not None:
            self._delayed.pop(task, None)
        await self._deliver([out])

    async def _deliver(self, outgoing: list[_Outgoing]) -> None:
        """Send responses and wait until they are read; log those that are not."""
        self._writer.write(b"".join([out.data for out in outgoing]))
        watch = None
        try:
            if self._writer.transport.get_write_buffer_size():
                seconds = self.limits["write_seconds"]
                why = f"responses were not read for {seconds} seconds"
                watch = asyncio.get_running_loop().call_later(seconds, self.end, why)
            await self._writer.drain()
            if self._writer.transport.is_closing():  # drain() also returns after our own abort
                raise ConnectionAbortedError
        except OSError as error:
            why = self.why or f"the connection broke ({type(error).__name__})"
            for out in outgoing:
                self.traffic.event(self.name, "undelivered", why, out.data, rule=out.rule)
            self.end(why)
            return
        finally:
            if watch:
                watch.cancel()
        wall, now, add = time.time(), time.perf_counter(), self.traffic.add
        for data, rule, note, arrival in outgoing:
            add(wall, self.name, OUT, "answer", data, now - arrival, rule, note)

    def finish(self) -> None:
        """Log the responses that were not sent, and the end of the connection."""
        for out in (*self._delayed.values(), *self._late):
            self.traffic.event(self.name, "undelivered", self.why, out.data, rule=out.rule)
        for task in self._delayed:
            task.cancel()
        if self._cutter.partial:
            self.traffic.event(self.name, "cut off", f"{counted(self._cutter.partial, 'byte')} of a frame")
        self.traffic.event(self.name, "closed", self.why)
