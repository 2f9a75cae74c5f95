"""The client: sends requests, matches answers, undoes what was not answered.

Answers find their request by MTI and chosen elements. Every request ends in an `Exchange`: answered, timed
out, lost with its connection, or not sent; none of them is forgotten. A time-out of a request that moves
money is followed by its reversal, which is repeated until it is answered or the tries are used up; an
answer that comes later is kept and told.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sim.codec import Message, ParseError
from sim.codec.text import is_digits
from sim.elements import mti as mtis
from sim.errors import IsoError, WireError
from sim.kept import Kept
from sim.link.client_channel import ClientChannel
from sim.link.deadlines import Deadlines
from sim.link.errors import LinkError
from sim.link.exchange import ANSWERED, LOST, TIMED_OUT, Exchange, tells_of_the_past
from sim.link.issuer import management
from sim.link.line import Line
from sim.link.pool import Pool
from sim.link.timeouts import TimeOut, policy_of, repeated, undoing
from sim.link.timing import Handle, Timing
from sim.link.traffic import EVENT, IN, OUT, Traffic
from sim.link.unsettled import Unsettled
from sim.operations.answering import respond
from sim.operations.generation import generate
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.link.keys import KeyRing

_MOVING = "124"  # message classes
_DISTRUSTED = {
    "no_mac": "the answer has no MAC, although it is required",
    "wrong_mac": "the MAC of the answer does not fit it",
}
Key = tuple[str | None, ...]
Unsolicited = Callable[[Message], Message | None]


@dataclass(slots=True, eq=False)
class _Awaited:
    exchange: Exchange
    key: Key
    channel: ClientChannel
    ended: Callable[[], None]
    began: float
    seconds: float

    def end(self, status: str, note: str = "") -> None:
        self.exchange.status, self.exchange.note = status, note
        self.ended()


class AsyncClient:
    """A client in the running event loop: `async with AsyncClient(("127.0.0.1", 8583)) as client:`.

    *pool* connections are kept open, each new request goes to the one with the fewest awaited. *match*
    are the elements that an answer has like its request, *timeout* seconds are waited for it; *reverse*
    says whether time-outs are followed up: by a reversal, or, of an advice or a reversal, by repeats; *tries*
    how often those are sent (None: as the network has it).
    *echo_after* seconds of silence send an echo test; a connection whose echo is not answered is opened anew.
    *unsolicited* is given what answers nothing, and may give an answer; without it echo tests of the host are
    answered. With *keys* that have a MAC key, requests and reversals get a MAC, and each answer's is checked.
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
        timing: Timing | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        self.where, self.line, self.network, self.tls = where, line or Line.of(), network, tls
        self.limits: dict[str, Any] = {**read_toml("link")["client"], **(limits or {})}
        self.pool = pool
        self.match = tuple(read_toml("link")["keys"]["answer"] if match is None else match)
        self.timeout: float = self.limits["timeout"] if timeout is None else timeout
        self.reverse, self.tries = reverse, tries
        self.echo_after, self.keys = echo_after, keys
        self.timing = timing or Timing()
        self.traffic = Traffic(self.line, self.limits.get("traffic"))
        self._open = Unsettled(self.limits["unsettled"], self.tell)
        self._unsolicited = unsolicited or self._answer_echo
        name = f"{where[0]}:{where[1]}"
        self._pool = Pool(name, pool, self._open_channel, self.tell, self.timing, self.limits)
        self._awaited: dict[Key, _Awaited] = {}
        self._deadlines: Deadlines[_Awaited] = Deadlines(self.timing, self._give_up)
        # Whose answers may come late, and ANSWERED of those that came: such an exchange is not held on to.
        self._overdue: Kept[Key, Exchange | str] = Kept(self.limits["late"])
        self._idle: Handle | None = None
        self.stan = 0  # the last trace number that was given out
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def unsettled(self) -> list[Exchange]:
        """What was neither answered nor undone, the newest of it: somebody has to look into it."""
        return self._open.left()

    @property
    def forgotten(self) -> int:
        """How many of those gave way to newer ones, each of which was told."""
        return self._open.forgotten

    async def connect(self) -> AsyncClient:
        """Open all connections of the pool. Raises LinkError where one cannot be opened."""
        self._pool.check_loop()
        await self._pool.fill()
        self._rest()
        return self

    async def close(self) -> None:
        """Close all connections; requests that wait for an answer are lost, and told so."""
        self._pool.closed = True
        if not self._pool.in_own_loop:
            return
        if self._idle:
            self._idle.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await self._pool.close()

    async def __aenter__(self) -> AsyncClient:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def next_stan(self) -> str:
        """A trace number that this client has not used for 999,999 numbers."""
        self.stan = self.stan % 999_999 + 1
        return f"{self.stan:06}"

    async def send(
        self, message: Message, *, timeout: float | None = None, reverse: bool | None = None
    ) -> Exchange:
        """Send *message* and wait for its answer; what was not answered is undone, where that is asked
        for. Raises LinkError where no connection can be had, BuildError where the line cannot write it."""
        self._pool.check_loop()
        exchange = Exchange(message)
        undo = self.reverse if reverse is None else reverse
        try:
            await self.carry(exchange, timeout)
            if undo and exchange.status in (TIMED_OUT, LOST):
                await self._follow_up(exchange, timeout)
        except asyncio.CancelledError:
            if undo and exchange.sent and not exchange.answered and message.mti[1] in _MOVING:
                self._open.add(exchange, "its sender did not wait for what becomes of it")
            raise
        return exchange

    async def post(self, message: Message) -> None:
        """Send *message* without waiting for anything: what answers nothing, or is not answered."""
        self._pool.check_loop()
        data = self.line.encode(message)
        channel = await self._pool.channel(self.timeout)
        channel.write(data)
        self.traffic.add(self.timing.wall(), channel.name, OUT, "unsolicited", data)

    async def _follow_up(self, exchange: Exchange, timeout: float | None) -> None:
        """What follows on no answer: an advice and a reversal, which tell what has happened already, are
        repeated; another request that moves money is reversed."""
        message = exchange.request
        if message.mti[1] not in _MOVING:
            return
        if tells_of_the_past(message):
            await self._repeat(exchange, policy_of(message, self.network), timeout, began=1)
        else:
            await self._undo(exchange, timeout)

    async def _undo(self, exchange: Exchange, timeout: float | None) -> None:
        """Send the reversal, then its repeats, until it is answered or the tries are used up."""
        at = datetime.fromtimestamp(self.timing.wall(), UTC)
        if is_digits(own := exchange.request.get(11)):  # the reversal's trace number is a later one
            self.stan = max(self.stan, int(own) % 1_000_000)
        try:
            message, policy = undoing(exchange.request, self.next_stan(), at, self.network)
        except IsoError as error:
            self._open.add(exchange, f"no reversal can be made of it: {error}")
            return
        exchange.reversal = Exchange(message)
        await self._repeat(exchange.reversal, policy, timeout, of=exchange)

    async def _repeat(
        self,
        exchange: Exchange,
        policy: TimeOut,
        timeout: float | None,
        *,
        began: int = 0,
        of: Exchange | None = None,
    ) -> None:
        """Send *exchange* until it is answered or the tries, of which there were *began*, are used up, or no
        connection can be had; then the one that it reverses, or itself, is unsettled."""
        tries = policy.tries if self.tries is None else self.tries
        what = "it" if of is None else "its reversal"
        why = f"{what} was not answered in {tries} tries"
        for attempt in range(began, tries):
            if attempt:
                if seconds := policy.wait(attempt):
                    await self.timing.sleep(seconds)
                exchange.request = repeated(exchange.request)
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
        self._open.add(of or exchange, why)

    async def carry(self, exchange: Exchange, timeout: float | None = None) -> None:
        """Send the request of *exchange* and wait for what becomes of it; nothing is undone. What is waited
        for a connection counts as its time. Raises as `send` does."""
        seconds = self.timeout if timeout is None else timeout
        channel = self._pool.free()
        if channel is None:
            began = self.timing.now()
            channel = await self._pool.channel(seconds)
            seconds = max(0.0, seconds - (self.timing.now() - began))
        await self._over(channel, exchange, seconds)

    async def _over(self, channel: ClientChannel, exchange: Exchange, timeout: float | None) -> None:
        done = asyncio.get_running_loop().create_future()

        def ended() -> None:
            if not done.done():  # nobody waits any more where it was cancelled
                done.set_result(None)

        self._begin(channel, exchange, ended, timeout)
        await done

    def begin(self, exchange: Exchange, ended: Callable[[], None]) -> bool:
        """Send the request of *exchange* without waiting: *ended* is called when it is known what became of
        it. False where nothing was sent, as a connection is to be opened first: `carry` does. Raises as
        `send` does."""
        channel = self._pool.free()
        if channel is not None:
            self._begin(channel, exchange, ended, None)
        return channel is not None

    def _begin(
        self, channel: ClientChannel, exchange: Exchange, ended: Callable[[], None], timeout: float | None
    ) -> None:
        message = exchange.request
        expected = mtis.response_mti(message.mti)
        if expected is None:
            raise LinkError(f"MTI {message.mti}", "a request, which is answered", "another message")
        if self.keys is not None:
            exchange.request = message = self.keys.sealed(message, format=self.line.mac_format)
        data = self.line.encode(message)
        key = self._key(expected, message)
        if key in self._awaited:
            raise LinkError(f"STAN {message.get(11)}", "no request waiting with the same keys", "one")
        seconds = self.timeout if timeout is None else timeout
        now = self.timing.now()
        awaited = _Awaited(exchange, key, channel, ended, now, seconds)
        self._awaited[key] = awaited
        channel.awaited.add(awaited)
        self._deadlines.add(awaited, seconds, now)
        exchange.sent_at, exchange.sent = self.timing.wall(), exchange.sent + 1
        channel.write(data)
        self.traffic.add(exchange.sent_at, channel.name, OUT, "request", data)

    def _give_up(self, awaited: _Awaited) -> None:
        self._forget(awaited)
        self._overdue.keep(awaited.key, awaited.exchange)
        self.tell("timed out", note := awaited.channel.stuck, awaited.channel.name)
        awaited.end(TIMED_OUT, note)

    def _forget(self, awaited: _Awaited) -> None:
        self._awaited.pop(awaited.key, None)
        self._deadlines.met(awaited, awaited.seconds)
        awaited.channel.awaited.discard(awaited)
        if self.echo_after is not None:
            self._rest()

    def _key(self, mti: str, message: Message) -> Key:
        return (mti, *map(message.fields.get, self.match))

    async def _open_channel(self, name: str) -> ClientChannel:
        return await ClientChannel.open(
            name,
            self.where,
            self.line,
            self.timing,
            self.limits,
            tls=self.tls,
            heard=self._heard,
            lost=self._lost,
        )

    def _lost(self, channel: ClientChannel) -> None:
        """*channel* is over: nobody waits any more for answers over it."""
        why = channel.why
        if channel in self._pool.channels:
            self._pool.channels.remove(channel)
        self.tell("closed", why, channel.name)
        for awaited in tuple(channel.awaited):
            self._forget(awaited)
            self._overdue.keep(awaited.key, awaited.exchange)
            self.tell("lost", why, channel.name)
            awaited.end(LOST, why)

    def _heard(self, channel: ClientChannel, frames: Iterable[bytes]) -> None:
        """Take what has come over *channel*."""
        now, wall = self.timing.now(), self.timing.wall()  # they came together
        for data in frames:
            self._take(channel, data, now, wall)
            if channel.why:
                break

    def _take(self, channel: ClientChannel, data: bytes, now: float, wall: float) -> None:
        try:
            message, _ = self.line.decode(data)
        except (WireError, ParseError) as error:
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
            note = self._distrust(exchange) or exchange.misfit
            self.traffic.add(wall, channel.name, IN, "answer", data, exchange.latency, note=note)
            self._overdue.keep(key, ANSWERED)
            awaited.end(ANSWERED, note)
        elif (known := self._overdue.get(key)) is None:
            self._unasked(channel, message, data, wall)
        elif isinstance(known, Exchange):
            known.late = message
            self.traffic.add(wall, channel.name, IN, "late", data)
        else:
            self.traffic.add(wall, channel.name, IN, "duplicate", data, note="came twice")

    def _distrust(self, exchange: Exchange) -> str:
        """Why the answer of *exchange* may be another's; empty where its MAC fits, or none is asked for."""
        if self.keys is None or exchange.answer is None:
            return ""
        return _DISTRUSTED.get(self.keys.wrong_mac(exchange.answer, self.line.mac_format, self.network), "")

    def _unasked(self, channel: ClientChannel, message: Message, data: bytes, wall: float) -> None:
        kind = "unmatched" if mtis.is_response(message.mti) else "unsolicited"
        self.traffic.add(wall, channel.name, IN, kind, data)
        if kind == "unmatched":
            return
        try:
            answer = self._unsolicited(message)
            out = b"" if answer is None else self.line.encode(answer)
        except Exception as error:  # noqa: BLE001, the caller's own: the line goes on
            self.tell("handler failed", f"on MTI {message.mti}: {type(error).__name__}", channel.name)
            return
        if out:
            channel.write(out)
            self.traffic.add(self.timing.wall(), channel.name, OUT, "answer", out)

    def _answer_echo(self, message: Message) -> Message | None:
        return respond(message).message if management(message) == "echo" else None

    def _rest(self) -> None:
        """From now on nothing is said: after a while an echo test is."""
        if self.echo_after is None or self._pool.closed:
            return
        if self._idle:
            self._idle.cancel()
        self._idle = self.timing.later(self.echo_after, self._wake)

    def _wake(self) -> None:
        task = asyncio.get_running_loop().create_task(self._echo())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _echo(self) -> None:
        """An echo test over each connection: one that is not answered ends its own alone."""
        try:
            channels = tuple(self._pool.channels) or (await self._pool.channel(self.timeout),)
            await asyncio.gather(*map(self._test, channels))
        except IsoError as error:
            self.tell("echo failed", str(error))
        self._rest()

    async def _test(self, channel: ClientChannel) -> None:
        at = datetime.fromtimestamp(self.timing.wall(), UTC)
        version = self.line.version or self.line.format.version
        made = generate("echo", network=self.network, version=version, stan=self.next_stan(), at=at)
        exchange = Exchange(made.message)
        await self._over(channel, exchange, None)
        if exchange.status == TIMED_OUT:
            channel.end("an echo test was not answered")

    def tell(self, kind: str, note: str, name: str = "") -> None:
        """Write down what happened: a kind and a note, which has no card data, the connection's name."""
        self.traffic.add(self.timing.wall(), name, EVENT, kind, note=note)
