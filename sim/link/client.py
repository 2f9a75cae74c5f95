"""The client: sends requests, matches answers, undoes what was not answered.

Answers find their request by MTI and chosen elements. Every request ends in a `Sent`: answered, timed
out, lost with its connection, or not sent; none of them is forgotten. A time-out of a request that moves
money is followed by its reversal, which is repeated until it is answered or the tries are used up; an
answer that comes later is kept and told.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements import dates
from sim.elements import mti as mtis
from sim.errors import IsoError, ParseError
from sim.kept import Kept
from sim.link.issuer import management
from sim.link.line import Line, LinkError
from sim.link.pool import ClientChannel, Pool
from sim.link.sent import ANSWERED, LOST, TIMED_OUT, Sent, TimeOut, tells_of_the_past, timeout_of
from sim.link.traffic import EVENT, IN, OUT, Traffic
from sim.operations.answering import respond, reverse
from sim.operations.generation import generate
from sim.spec.tables import read_toml

if TYPE_CHECKING:
    from sim.link.keys.ring import KeyRing

_MOVING = "124"  # message classes
_DISTRUSTED = {
    "no_mac": "the answer has no MAC, although it is required",
    "wrong_mac": "the MAC of the answer does not fit it",
}
Key = tuple[str | None, ...]
Unsolicited = Callable[[Message], Message | None]


@dataclass(slots=True, eq=False)
class _Awaited:
    """An answer that is waited for: over *channel*, since *began*, until *deadline* rings."""

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

    *pool* connections are kept open, each new request goes to the one with the fewest awaited. *match*
    are the elements that an answer has like its request, *timeout* seconds are waited for it; *reverse*
    says whether time-outs are followed up: by a reversal, or, of an advice or a reversal, by repeats; *tries*
    how often those are sent (None: as the network has it), each of which is waited for as long.
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
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        self.where, self.line, self.network = where, line or Line.of(), network
        self.limits: dict[str, Any] = {**read_toml("link")["client"], **(limits or {})}
        self.match = tuple(read_toml("link")["keys"]["answer"] if match is None else match)
        self.timeout: float = self.limits["timeout"] if timeout is None else timeout
        self.reverse, self.tries = reverse, tries
        self.echo_after, self.keys = echo_after, keys
        self.traffic = Traffic(self.line, self.limits.get("traffic"))
        self.forgotten = 0  # unsettled exchanges that gave way to newer ones, each of which was told
        self._open: deque[Sent] = deque()
        self._unsolicited = unsolicited or self._answer_echo
        ends: Any = {"tls": tls, "heard": self._heard, "lost": self._lost, "tell": self.tell}
        self._pool = Pool(where, pool, self.line, self.limits, **ends)
        self._awaited: dict[Key, _Awaited] = {}
        # Whose answers may come late, and ANSWERED of those that came: such an exchange is not held on to.
        self._overdue: Kept[Key, Sent | str] = Kept(self.limits["late"])
        self._spoke = 0.0  # when an answer came last, or did not
        self._echoes: asyncio.Task[None] | None = None
        self.stan = 0  # the last trace number that was given out

    @property
    def unsettled(self) -> list[Sent]:
        """What was neither answered nor undone, the newest of it: somebody has to look into it. An answer
        that comes after all settles it."""
        return [exchange for exchange in self._open if not exchange.settled]

    async def connect(self) -> AsyncClient:
        """Open all connections of the pool. Raises LinkError where one cannot be opened."""
        self._pool.check_loop()
        await self._pool.fill()
        if self.echo_after is not None and self._echoes is None:
            self._echoes = asyncio.get_running_loop().create_task(self._echo(self.echo_after))
        return self

    async def close(self) -> None:
        """Close all connections; requests that wait for an answer are lost, and told so."""
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
        """A trace number that this client has not used for 999,999 numbers."""
        self.stan = self.stan % 999_999 + 1
        return f"{self.stan:06}"

    async def send(
        self, message: Message, *, timeout: float | None = None, reverse: bool | None = None
    ) -> Sent:
        """Send *message* and wait for its answer; what was not answered is undone, where that is asked
        for: the reversal and each repeat are waited for as long as the answer was. Raises LinkError where no
        connection can be had, BuildError where the line cannot write it."""
        self._pool.check_loop()
        exchange = Sent(message)
        undo = self.reverse if reverse is None else reverse
        try:
            await self.carry(exchange, timeout)
            if undo and exchange.status in (TIMED_OUT, LOST) and message.mti[1] in _MOVING:
                await self._follow_up(exchange, timeout)
        except asyncio.CancelledError:
            if undo and exchange.sent and not exchange.answered and message.mti[1] in _MOVING:
                self._leave_open(exchange, "its sender did not wait for what becomes of it")
            raise
        return exchange

    async def post(self, message: Message) -> None:
        """Send *message* without waiting for anything: what answers nothing, or is not answered."""
        self._pool.check_loop()
        data = self.line.encode(message)
        channel = await self._pool.channel(self.timeout)
        channel.write(data)
        self.traffic.add(time.time(), channel.name, OUT, "unsolicited", data)

    async def _follow_up(self, exchange: Sent, timeout: float | None) -> None:
        """What follows on no answer: an advice and a reversal, which tell what has happened already, are
        repeated; another request that moves money is reversed."""
        request = exchange.request
        policy = timeout_of(request.version)
        if tells_of_the_past(request):
            await self._repeat(exchange, policy, timeout, began=1)
            return
        if is_digits(own := request.get(11)):  # the reversal's trace number is a later one
            self.stan = max(self.stan, int(own) % 1_000_000)
        try:
            made = reverse(
                request, reason="timeout", stan=self.next_stan(), at=dates.now(), network=self.network
            )
        except IsoError as error:
            self._leave_open(exchange, f"no reversal can be made of it: {error}")
            return
        exchange.reversal = Sent(made.message)
        await self._repeat(exchange.reversal, policy, timeout, of=exchange)

    async def _repeat(
        self,
        exchange: Sent,
        policy: TimeOut,
        timeout: float | None,
        *,
        began: int = 0,
        of: Sent | None = None,
    ) -> None:
        """Send *exchange* until it is answered or the tries, of which there were *began*, are used up, or no
        connection can be had; then the one that it reverses, or itself, is unsettled."""
        tries = policy.tries if self.tries is None else self.tries
        what = "it" if of is None else "its reversal"
        why = f"{what} was not answered in {tries} tries"
        for attempt in range(began, tries):
            if attempt:
                if seconds := policy.wait(attempt):
                    await asyncio.sleep(seconds)
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
        """*exchange* is neither answered nor undone, and *why*."""
        self._open.append(exchange)
        self.tell("unsettled", why)
        while len(self._open) > self.limits["unsettled"]:
            oldest = self._open.popleft()
            if not oldest.settled:
                self.forgotten += 1
                self.tell("forgotten", f"unsettled, and the oldest of too many: {oldest!r}")

    async def carry(self, exchange: Sent, timeout: float | None = None) -> None:
        """Send the request of *exchange* and wait for what becomes of it; nothing is reversed. What is waited
        for a connection counts as its time. Raises as `send` does."""
        seconds = self.timeout if timeout is None else timeout
        channel = self._pool.free()
        if channel is None:
            began = time.perf_counter()
            channel = await self._pool.channel(seconds)
            seconds = max(0.0, seconds - (time.perf_counter() - began))
        await self._over(channel, exchange, seconds)

    async def _over(self, channel: ClientChannel, exchange: Sent, seconds: float) -> None:
        done = asyncio.get_running_loop().create_future()

        def ended() -> None:
            if not done.done():  # nobody waits any more where it was cancelled
                done.set_result(None)

        self._begin(channel, exchange, ended, seconds)
        await done

    def begin(self, exchange: Sent, ended: Callable[[], None]) -> bool:
        """Send the request of *exchange* without waiting: *ended* is called when it is known what became of
        it. False where nothing was sent, as a connection is to be opened first: `carry` does. Raises as
        `send` does."""
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
            raise LinkError(f"MTI {message.mti}", "a request, which is answered", "another message")
        if self.keys is not None:
            exchange.request = message = self.keys.sealed(message, format=self.line.mac_format)
        data = self.line.encode(message)
        key = self._key(expected, message)
        if key in self._awaited:
            raise LinkError(f"STAN {message.get(11)}", "no request waiting with the same keys", "one")
        awaited = _Awaited(exchange, key, channel, ended, time.perf_counter())
        self._awaited[key] = awaited
        channel.awaited.add(awaited)
        awaited.deadline = asyncio.get_running_loop().call_later(seconds, self._ring, awaited)
        exchange.sent_at, exchange.sent = time.time(), exchange.sent + 1
        channel.write(data)
        self.traffic.add(exchange.sent_at, channel.name, OUT, "request", data)

    def _ring(self, awaited: _Awaited) -> None:
        """One turn of the loop more: where it was held up, an answer may wait to be read."""
        asyncio.get_running_loop().call_soon(self._give_up, awaited)

    def _give_up(self, awaited: _Awaited) -> None:
        if self._awaited.get(awaited.key) is awaited:
            self.tell("timed out", note := awaited.channel.stuck, awaited.channel.name)
            self._miss(awaited, TIMED_OUT, note)

    def _miss(self, awaited: _Awaited, status: str, note: str) -> None:
        """The answer did not come; it may still."""
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

    def _lost(self, channel: ClientChannel) -> None:
        """*channel* is over: nobody waits any more for answers over it."""
        if channel in self._pool.channels:
            self._pool.channels.remove(channel)
        self.tell("closed", channel.why, channel.name)
        for awaited in tuple(channel.awaited):
            self.tell("lost", channel.why, channel.name)
            self._miss(awaited, LOST, channel.why)

    def _heard(self, channel: ClientChannel, frames: Iterator[bytes]) -> None:
        """Take what has come over *channel*."""
        now, wall = time.perf_counter(), time.time()  # they came together
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
            note = self._distrust(message) or exchange.misfit
            self.traffic.add(wall, channel.name, IN, "answer", data, exchange.latency, note=note)
            self._overdue.keep(key, ANSWERED)
            awaited.end(ANSWERED, note)
        elif (known := self._overdue.get(key)) is None:
            self._unasked(channel, message, data, wall)
        elif isinstance(known, Sent):
            known.late = message
            self.traffic.add(wall, channel.name, IN, "late", data)
        else:
            self.traffic.add(wall, channel.name, IN, "duplicate", data, note="came twice")

    def _distrust(self, answer: Message) -> str:
        """Why *answer* may be another's; empty where its MAC fits, or none is asked for."""
        if self.keys is None:
            return ""
        return _DISTRUSTED.get(self.keys.wrong_mac(answer, self.line.mac_format, self.network), "")

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
            self.traffic.add(time.time(), channel.name, OUT, "answer", out)

    def _answer_echo(self, message: Message) -> Message | None:
        return respond(message).message if management(message) == "echo" else None

    async def _echo(self, silence: float) -> None:
        """After *silence*, in seconds, an echo test over each connection: one that is not answered ends its
        own alone."""
        self._spoke = time.perf_counter()
        while True:
            while (left := self._spoke + silence - time.perf_counter()) > 0:
                await asyncio.sleep(left)
            try:
                channels = tuple(self._pool.channels) or (await self._pool.channel(self.timeout),)
                await asyncio.gather(*map(self._test, channels))
            except IsoError as error:
                self.tell("echo failed", str(error))
            self._spoke = time.perf_counter()

    async def _test(self, channel: ClientChannel) -> None:
        version = self.line.version or self.line.format.version
        made = generate("echo", network=self.network, version=version, stan=self.next_stan(), at=dates.now())
        exchange = Sent(made.message)
        await self._over(channel, exchange, self.timeout)
        if exchange.status == TIMED_OUT:
            channel.end("an echo test was not answered")

    def tell(self, kind: str, note: str, name: str = "") -> None:
        """Write down what happened: a kind and a note, which has no card data, the connection's name."""
        self.traffic.add(time.time(), name, EVENT, kind, note=note)
