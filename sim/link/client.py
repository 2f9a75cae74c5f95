"""The client: sends requests, matches responses, reverses what got no response; its connection pool, reopened
with growing delays; and exchanges in which each message follows from the responses before it.

A response is matched to its request by MTI and selected elements. Every request ends as a `Sent`: answered,
timed out, lost with its connection, or not sent. When a request that moves money times out, the client sends
its reversal and repeats it until it gets a response or runs out of attempts. A late response is stored and
logged.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements import dates
from sim.elements import mti as mtis
from sim.errors import IsoError, OptionError, ParseError, counted
from sim.exchanges import Exchange, Step, follow
from sim.exchanges.amounts import final_amount, minor_units
from sim.exchanges.following import PARTIAL_REVERSAL
from sim.exchanges.roles import ANSWER, COMPLETION, INCREMENT, LATE, REPEAT, REVERSAL, management
from sim.kept import Kept
from sim.link.channel import Channel
from sim.link.line import Line, LinkError, system_reason
from sim.link.sent import ANSWERED, LOST, TIMED_OUT, Sent, tells_of_the_past, timeout_of
from sim.link.traffic import IN, OUT, Traffic
from sim.operations.answering import respond, reverse
from sim.operations.generation import generate
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.link.keys.ring import KeyRing


_CLOSED = "the other side closed it"
_CLOSED_CLIENT = ("an open client", "a closed one")


class ClientChannel(Channel):
    """An open connection of *client*, which hears the frames that arrive and, once, that it has ended."""

    side = "client"

    def __init__(
        self, client: AsyncClient, name: str, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> None:
        super().__init__(name, streams, client.line, client.limits)
        self.awaited: set[_Awaited] = set()
        self._client = client
        self._out: list[bytes] = []
        self._size = 0
        self._task = asyncio.get_running_loop().create_task(self.run())

    @property
    def left(self) -> str:
        """The reason to report when the host closes the connection."""
        partial = self._cutter.partial
        arrived = f", {counted(partial, 'byte')} of a frame had arrived" if partial else ""
        return f"the host closed the connection{arrived}"

    @property
    def queued(self) -> int:
        """The number of bytes that the other side has not read yet."""
        return self._writer.transport.get_write_buffer_size() + self._size

    @property
    def stuck(self) -> str:
        """The visible reason why a response does not arrive, or an empty string."""
        if self.queued:
            return "the host does not read"
        partial = self._cutter.partial
        return f"only {counted(partial, 'byte')} of a frame had arrived" if partial else ""

    def write(self, data: bytes) -> None:
        """Queue a frame. All frames of one turn of the event loop go out together."""
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out.append(data)
        self._size += len(data)

    def _flush(self) -> None:
        if self._out:
            self._writer.write(b"".join(self._out))
            self._out.clear()
            self._size = 0

    async def close(self) -> None:
        """Close the connection and wait until it has ended."""
        self.why = self.why or "closed by us"
        if not self._writer.transport.is_closing():
            self._flush()
        self._writer.close()
        self._writer.transport.abort()
        await asyncio.wait([self._task])

    async def hear(self, frames: Iterator[bytes]) -> None:
        """Pass *frames* to the client, then send at once whatever it wrote."""
        self._client.hear(self, frames)
        self._flush()

    def finish(self) -> None:
        """Report that the connection has ended."""
        self._client.lose(self)


class Pool:
    """*size* connections of *client* to its host."""

    def __init__(self, client: AsyncClient, size: int, tls: ssl.SSLContext | None) -> None:
        self.client, self.size, self.tls = client, size, tls
        self.name = f"{client.where[0]}:{client.where[1]}"
        self.channels: list[ClientChannel] = []
        self.closed = False
        self._limits, self._event = client.limits, client.traffic.event
        self._opening: asyncio.Task[None] | None = None
        self._news = asyncio.Event()  # wakes whoever waits for a connection
        self._refused: LinkError | None = None  # why the last attempt failed
        self._count = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def in_own_loop(self) -> bool:
        """Whether the running event loop is the one of the first call. If not, that loop is closed or belongs
        to the parent process of a fork, and nothing written in it is ever sent."""
        running = asyncio.get_running_loop()
        self._loop = self._loop or running
        return self._loop is running

    def check_loop(self) -> None:
        """Raises LinkError if another event loop is running."""
        if not self.in_own_loop:
            expected = "the event loop in which it was connected"
            raise LinkError(self.name, expected, "another one, which needs its own client")

    async def fill(self) -> None:
        """Open all connections. Raises LinkError if one cannot be opened."""
        self.closed = False
        await self._fill()

    async def close(self) -> None:
        """Close all connections; waiting callers get a LinkError."""
        self.closed = True
        if self._opening:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        self._wake()
        for channel in tuple(self.channels):
            await channel.close()

    async def channel(self, seconds: float) -> ClientChannel:
        """A free connection, after at most *seconds*. All waiting callers share one series of attempts, with
        growing delays, and its outcome. Raises LinkError."""
        try:
            async with asyncio.timeout(seconds):
                series = None
                while (channel := self.free()) is None:
                    if self.closed:
                        raise LinkError(self.name, *_CLOSED_CLIENT)
                    if series and series.done() and self._refused:
                        raise copy(self._refused)
                    series = self._fill_up()
                    await self._news.wait()
                return channel
        except TimeoutError:
            reason = str(self._refused.found) if self._refused else "none"
            raise LinkError(self.name, f"a connection within {seconds:g} seconds", reason) from None

    def free(self) -> ClientChannel | None:
        """The connection with the fewest pending requests; None if none is open. Missing connections are
        opened in the background."""
        channels = self.channels
        if self.closed or not channels:
            return None
        if len(channels) < self.size:
            self._fill_up()
        channel = min(channels, key=lambda open_channel: len(open_channel.awaited))
        if channel.queued > self._limits["queue_bytes"]:
            raise LinkError(self.name, "a host that reads", f"{counted(channel.queued, 'byte')} unread")
        return channel

    def _fill_up(self) -> asyncio.Task[None]:
        if self._opening is None or self._opening.done():
            self._opening = asyncio.get_running_loop().create_task(self._reopen())
        return self._opening

    async def _reopen(self) -> None:
        """Open missing connections, with growing delays; if the last attempt fails, so do waiting callers."""
        wait, factor, longest = self._limits["backoff"]
        for left in reversed(range(self._limits["attempts"])):
            try:
                await self._fill()
                return
            except LinkError as error:
                self._refused = error
            if left:
                self._event("", "waiting", f"{self._refused}; next try in {wait:g} seconds")
                await asyncio.sleep(wait)
                wait = min(wait * factor, longest)
        if self.channels:
            self._event("", "waiting", f"{self._refused}; the other connections go on")
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news.clear()

    async def _fill(self) -> None:
        """Open the missing connections. Raises LinkError."""
        while len(self.channels) < self.size:
            self._count += 1
            name = f"{self._count} {self.name}"
            channel = ClientChannel(self.client, name, await self._connected())
            if self.closed:  # meanwhile
                await channel.close()
                raise LinkError(self.name, *_CLOSED_CLIENT)
            self.channels.append(channel)
            self._refused = None
            self._event(name, "connected")
            self._wake()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A new connection. Raises LinkError if the host does not accept it in time, or with an untrusted
        certificate."""
        host, port = self.client.where
        expected = "a connection" if self.tls is None else "a TLS connection"
        seconds = self._limits["connect_seconds"]
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.open_connection(host, port, ssl=self.tls)
        except TimeoutError:
            raise LinkError(self.name, expected, f"none within {seconds:g} seconds") from None
        except OSError as error:
            raise LinkError(self.name, expected, _why(error)) from None


def _why(error: OSError) -> str:
    """Why there is no connection, and what to check if that is known."""
    why = system_reason(error) or _CLOSED
    if "refused" in why:
        why += "; is the host running on this port?"
    if isinstance(error, socket.gaierror):
        why += "; is the host name correct?"
    return f"none ({why})"


_MOVING = "124"  # message classes
_DISTRUSTED = {
    "no_mac": "the response has no MAC, although one is required",
    "wrong_mac": "the MAC of the response is wrong",
}
Key = tuple[str | None, ...]
Unsolicited = Callable[[Message], Message | None]


@dataclass(slots=True, eq=False)
class _Awaited:
    """A pending request: its response is expected over *channel*, since *began*, until *deadline* fires."""

    exchange: Sent
    key: Key
    channel: ClientChannel
    ended: Callable[[], None]
    began: float
    deadline: asyncio.TimerHandle | None = None

    def end(self, status: str, note: str = "") -> None:
        self.exchange.status, self.exchange.note = status, note
        self.ended()


class AsyncClient:
    """A client in the running event loop: `async with AsyncClient(("127.0.0.1", 8583)) as client:`.

    *pool* connections stay open; each new request goes to the one with the fewest pending. *match* lists the
    elements that a response shares with its request, *timeout* is the wait for it in seconds. *reverse* says
    whether a timeout is followed up: by a reversal, or, for an advice or a reversal, by repeats; *tries* is
    how often these are sent (None: the network's number), each with the same wait.

    After *echo_after* seconds of silence an echo test is sent; if it gets no response, its connection is
    reopened. *unsolicited* receives every message that is not a response, and may return a response; without
    it the client answers the host's echo tests. If *keys* have a MAC key, requests and reversals get a MAC,
    and the MAC of each response is checked.
    """

    def __init__(
        self,
        where: tuple[str, int],
        line: Line | None = None,
        *,
        network: str | None = None,
        tls: ssl.SSLContext | None = None,
        pool: int = 1,
        match: Sequence[int] | None = None,
        timeout: float | None = None,
        reverse: bool = True,
        tries: int | None = None,
        echo_after: float | None = None,
        unsolicited: Unsolicited | None = None,
        keys: KeyRing | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        self.where, self.line, self.network = where, line or Line.of(), network
        self.limits: dict[str, Any] = {**read_toml("link")["client"], **(limits or {})}
        self.match = tuple(read_toml("link")["keys"]["answer"] if match is None else match)
        self.timeout: float = self.limits["timeout"] if timeout is None else timeout
        self.reverse, self.tries = reverse, tries
        self.echo_after, self.keys = echo_after, keys
        self.traffic = Traffic(self.line, self.limits.get("traffic"))
        self.forgotten = 0  # unsettled exchanges dropped for newer ones; the traffic names each
        self._open: deque[Sent] = deque()
        self._unsolicited = unsolicited or self._answer_echo
        self._pool = Pool(self, pool, tls)
        self._awaited: dict[Key, _Awaited] = {}
        # Requests whose response may still arrive; ANSWERED replaces an exchange whose response has arrived.
        self._overdue: Kept[Key, Sent | str] = Kept(self.limits["late"])
        self._spoke = 0.0  # when a request was last answered or given up
        self._echoes: asyncio.Task[None] | None = None
        self.stan = 0  # the last STAN issued

    @property
    def unsettled(self) -> list[Sent]:
        """The most recent requests that were neither answered nor reversed: somebody has to investigate them.
        A late response settles its request."""
        return [exchange for exchange in self._open if not exchange.settled]

    async def connect(self) -> AsyncClient:
        """Open all connections of the pool. Raises LinkError if one cannot be opened."""
        self._pool.check_loop()
        await self._pool.fill()
        if self.echo_after is not None and self._echoes is None:
            self._echoes = asyncio.get_running_loop().create_task(self._echo(self.echo_after))
        return self

    async def close(self) -> None:
        """Close all connections; pending requests end as lost."""
        self._pool.closed = True
        if not self._pool.in_own_loop:
            return
        if self._echoes:
            self._echoes.cancel()
        await self._pool.close()

    async def __aenter__(self) -> AsyncClient:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def next_stan(self) -> str:
        """A STAN that this client has not used for its last 999,999 numbers."""
        self.stan = self.stan % 999_999 + 1
        return f"{self.stan:06}"

    async def send(
        self, message: Message, *, timeout: float | None = None, reverse: bool | None = None
    ) -> Sent:
        """Send *message* and wait for its response; without one, reverse it if requested. The reversal and
        each repeat have the same timeout. Raises LinkError if no connection can be opened, BuildError if the
        line cannot encode *message*."""
        self._pool.check_loop()
        exchange = Sent(message)
        undo = self.reverse if reverse is None else reverse
        try:
            await self.carry(exchange, timeout)
            if undo and exchange.status in (TIMED_OUT, LOST) and message.mti[1] in _MOVING:
                await self._follow_up(exchange, timeout)
        except asyncio.CancelledError:
            if undo and exchange.sent and not exchange.answered and message.mti[1] in _MOVING:
                self._leave_open(exchange, "its sender did not wait for the outcome")
            raise
        return exchange

    async def post(self, message: Message) -> None:
        """Send *message* without waiting for a response."""
        self._pool.check_loop()
        data = self.line.encode(message)
        channel = await self._pool.channel(self.timeout)
        channel.write(data)
        self.traffic.add(time.time(), channel.name, OUT, "unsolicited", data)

    async def _follow_up(self, exchange: Sent, timeout: float | None) -> None:
        """Follow up a request that got no response: repeat an advice or a reversal, which report what has
        already happened; reverse any other."""
        request = exchange.request
        if tells_of_the_past(request):
            await self._repeat(exchange, timeout, began=1)
            return
        if is_digits(stan := request.get(11)):  # the reversal's STAN is a later one
            self.stan = max(self.stan, int(stan) % 1_000_000)
        how: Any = {"stan": self.next_stan, "at": dates.now(), "network": self.network}
        try:
            reversal = reverse(request, reason="timeout", **how)
        except IsoError as error:
            self._leave_open(exchange, f"it cannot be reversed: {error}")
            return
        exchange.reversal = Sent(reversal.message)
        await self._repeat(exchange.reversal, timeout, of=exchange)

    async def _repeat(
        self, exchange: Sent, timeout: float | None, *, began: int = 0, of: Sent | None = None
    ) -> None:
        """Send *exchange* until it gets a response, all attempts are used up (*began* of them already), or no
        connection can be opened. Without a response, *of*, the exchange that it reverses, or itself is
        unsettled."""
        policy = timeout_of(exchange.request.version)
        tries = policy.tries if self.tries is None else self.tries
        what = "it" if of is None else "its reversal"
        why = f"{what} got no response after {tries} attempts"
        for attempt in range(began, tries):
            if attempt:
                await asyncio.sleep(policy.wait(attempt))
                exchange.request = exchange.request.replace(mti=mtis.repeat_mti(exchange.request.mti))
            try:
                await self.carry(exchange, timeout)
            except LinkError as error:
                exchange.note = str(error)
                why = f"{what} could not be sent: {error}"
                break
            if exchange.answered:
                return
            if self._pool.closed:
                break
        self._leave_open(of or exchange, why)

    def _leave_open(self, exchange: Sent, why: str) -> None:
        """Record *exchange* as neither answered nor reversed, with the reason *why*."""
        self._open.append(exchange)
        self.traffic.event("", "unsettled", why)
        while len(self._open) > self.limits["unsettled"]:
            oldest = self._open.popleft()
            if not oldest.settled:
                self.forgotten += 1
                self.traffic.event("", "forgotten", f"too many unsettled; the oldest is dropped: {oldest!r}")

    async def carry(self, exchange: Sent, timeout: float | None = None) -> None:
        """Send the request of *exchange* and wait for the outcome; nothing is reversed. Waiting for a
        connection counts towards the timeout. Raises as `send` does."""
        seconds = self.timeout if timeout is None else timeout
        channel = self._pool.free()
        if channel is None:
            start = time.perf_counter()
            channel = await self._pool.channel(seconds)
            seconds = max(0.0, seconds - (time.perf_counter() - start))
        await self._over(channel, exchange, seconds)

    async def _over(self, channel: ClientChannel, exchange: Sent, seconds: float) -> None:
        ended = asyncio.Event()
        self._begin(channel, exchange, ended.set, seconds)
        await ended.wait()

    def begin(self, exchange: Sent, ended: Callable[[], None]) -> bool:
        """Send the request of *exchange* without waiting; *ended* is called when the outcome is known. False
        if nothing was sent because no connection is open yet: use `carry`. Raises as `send` does."""
        channel = self._pool.free()
        if channel is not None:
            self._begin(channel, exchange, ended, self.timeout)
        return channel is not None

    def _begin(
        self, channel: ClientChannel, exchange: Sent, ended: Callable[[], None], seconds: float
    ) -> None:
        message = exchange.request
        expected = mtis.response_mti(message.mti)
        if expected is None:
            raise LinkError(f"MTI {message.mti}", "a request that expects a response", "another message")
        if self.keys is not None:
            exchange.request = message = self.keys.sealed(message, format=self.line.mac_format)
        data = self.line.encode(message)
        key = self._key(expected, message)
        if key in self._awaited:
            raise LinkError(f"STAN {message.get(11)}", "no pending request with the same keys", "one")
        awaited = _Awaited(exchange, key, channel, ended, time.perf_counter())
        self._awaited[key] = awaited
        channel.awaited.add(awaited)
        loop = asyncio.get_running_loop()
        # One more turn of the event loop: if the loop was blocked, a response may be unread.
        awaited.deadline = loop.call_later(seconds, loop.call_soon, self._give_up, awaited)
        exchange.sent_at, exchange.sent = time.time(), exchange.sent + 1
        channel.write(data)
        self.traffic.add(exchange.sent_at, channel.name, OUT, "request", data)

    def _give_up(self, awaited: _Awaited) -> None:
        if self._awaited.get(awaited.key) is awaited:
            self._miss(awaited, TIMED_OUT, awaited.channel.stuck)

    def _miss(self, awaited: _Awaited, status: str, note: str) -> None:
        """The response did not arrive in time; it may still arrive late."""
        self.traffic.event(awaited.channel.name, status, note)
        self._forget(awaited)
        self._overdue.keep(awaited.key, awaited.exchange)
        awaited.end(status, note)

    def _forget(self, awaited: _Awaited) -> None:
        self._awaited.pop(awaited.key, None)
        awaited.channel.awaited.discard(awaited)
        if awaited.deadline is not None:
            awaited.deadline.cancel()
        self._spoke = time.perf_counter()

    def _key(self, mti: str, message: Message) -> Key:
        return (mti, *map(message.fields.get, self.match))

    def lose(self, channel: ClientChannel) -> None:
        """*channel* has ended: the requests pending on it are lost."""
        if channel in self._pool.channels:
            self._pool.channels.remove(channel)
        self.traffic.event(channel.name, "closed", channel.why)
        for awaited in tuple(channel.awaited):
            self._miss(awaited, LOST, channel.why)

    def hear(self, channel: ClientChannel, frames: Iterator[bytes]) -> None:
        """Process the *frames* that arrived over *channel*."""
        now, wall = time.perf_counter(), time.time()  # all arrived together
        for data in frames:
            self._take(channel, data, now, wall)
            if channel.why:
                break

    def _take(self, channel: ClientChannel, data: bytes, now: float, wall: float) -> None:
        try:
            message, _ = self.line.decode(data)
        except ParseError as error:
            kind, note = channel.misread(data, error)
            self.traffic.add(wall, channel.name, IN, kind, data, note=note)
            return
        channel.understood()
        key = self._key(message.mti, message)
        awaited = self._awaited.get(key)
        if awaited is not None:
            self._forget(awaited)
            exchange = awaited.exchange
            exchange.answer, exchange.latency = message, now - awaited.began
            self.traffic.codes[message.get(39)] += 1
            wrong = self.keys.wrong_mac(message, self.line.mac_format, self.network) if self.keys else ""
            note = _DISTRUSTED[wrong] if wrong else exchange.misfit
            self.traffic.add(wall, channel.name, IN, "answer", data, exchange.latency, note=note)
            self._overdue.keep(key, ANSWERED)
            awaited.end(ANSWERED, note)
        elif (overdue := self._overdue.get(key)) is None:
            self._unasked(channel, message, data, wall)
        elif isinstance(overdue, Sent):
            overdue.late = message
            self.traffic.add(wall, channel.name, IN, "late", data)
        else:
            self.traffic.add(wall, channel.name, IN, "duplicate", data)

    def _unasked(self, channel: ClientChannel, message: Message, data: bytes, wall: float) -> None:
        is_response = mtis.is_response(message.mti)
        self.traffic.add(wall, channel.name, IN, "unmatched" if is_response else "unsolicited", data)
        if is_response:
            return
        try:
            answer = self._unsolicited(message)
            out = b"" if answer is None else self.line.encode(answer)
        except Exception as error:  # noqa: BLE001, the caller's handler may raise anything
            why = f"on MTI {message.mti}: {type(error).__name__}"
            self.traffic.event(channel.name, "handler failed", why)
            return
        if out:
            channel.write(out)
            self.traffic.add(time.time(), channel.name, OUT, "answer", out)

    def _answer_echo(self, message: Message) -> Message | None:
        return respond(message).message if management(message) == "echo" else None

    async def _echo(self, silence: float) -> None:
        """After *silence* seconds, send an echo test over each connection; one without a response ends only
        its own connection."""
        self._spoke = time.perf_counter()
        while True:
            while (left := self._spoke + silence - time.perf_counter()) > 0:
                await asyncio.sleep(left)
            try:
                channels = tuple(self._pool.channels) or (await self._pool.channel(self.timeout),)
                await asyncio.gather(*map(self._test, channels))
            except IsoError as error:
                self.traffic.event("", "echo failed", str(error))
            self._spoke = time.perf_counter()

    async def _test(self, channel: ClientChannel) -> None:
        version = self.line.version or self.line.format.version
        echo = generate("echo", network=self.network, version=version, stan=self.next_stan(), at=dates.now())
        exchange = Sent(echo.message)
        await self._over(channel, exchange, self.timeout)
        if exchange.status == TIMED_OUT:
            channel.end("an echo test got no response")


class Live:
    """An exchange in progress: `made` has the messages sent and received so far."""

    def __init__(self, client: AsyncClient, network: str | None = None) -> None:
        self.client = client
        self.made = Exchange(network=network)
        self._sent: list[tuple[int, Sent]] = []

    def follow(self, word: str, **options: Any) -> Step:
        """The next message, in the line's format; see `sim.exchanges.follow`."""
        if word != REPEAT and not options.get("stan"):
            options["stan"] = self.client.next_stan
        following = follow(self.made, word, at=dates.now(), checked=False, **options)
        return replace(following, message=self.client.line.fitted(following.message))

    async def send(self, step: Step, *, timeout: float | None = None, reverse: bool = False) -> Sent:
        """Send *step*, wait for the outcome, and add both to the exchange."""
        sent = await self.client.send(step.message, timeout=timeout, reverse=reverse)
        at = len(self.made)
        went = datetime.fromtimestamp(sent.sent_at, UTC)
        self.made = self.made.plus(replace(step, message=sent.request, at=went))
        of = step.of if step.role == REPEAT and step.of is not None else at
        if sent.answer is not None:
            answered_at = went + timedelta(seconds=sent.latency or 0)
            self.made = self.made.plus(Step(ANSWER, sent.answer, answered_at, of))
        else:
            self._sent.append((of, sent))
        return sent

    def whole(self) -> Exchange:
        """The exchange, with late responses after all others."""
        late = [Step(LATE, sent.late, dates.now(), of) for of, sent in self._sent if sent.late is not None]
        return self.made.plus(*late)


async def play(client: AsyncClient, exchange: Exchange, *, timeout: float | None = None) -> Exchange:
    """Send the requests of *exchange* in order, and return the exchange that results.

    Each follow-up is rebuilt from the actual responses: approval codes, transaction ids. If a response leaves
    a step without a purpose, such as the completion of a declined authorization, the exchange ends there with
    a note. Raises as `AsyncClient.send` does.
    """
    live = Live(client, exchange.network)
    for step in exchange.steps:
        if step.is_answer:
            continue
        try:
            again = _again(live, step)
        except OptionError as error:
            live.made = replace(live.made, notes=(f"The {step.role} was not sent: {error}.",))
            break
        await live.send(again, timeout=timeout)
    played = live.whole()
    return replace(played, purpose=exchange.purpose, notes=(*exchange.notes, *played.notes))


def _again(live: Live, step: Step) -> Step:
    """*step* of a generated exchange, rebuilt from the responses received so far."""
    stan = step.message.get(11)[-6:]
    if step.role == REVERSAL:
        final = final_amount(step.message) or None
        word = PARTIAL_REVERSAL if final else REVERSAL
        return live.follow(word, amount_minor_units=final, reason=step.reason or None, stan=stan)
    if step.role in (INCREMENT, COMPLETION):
        return live.follow(step.role, amount_minor_units=minor_units(step.message), stan=stan)
    if step.role == REPEAT:
        return live.follow(REPEAT)
    return replace(step, message=live.client.line.fitted(step.message))
