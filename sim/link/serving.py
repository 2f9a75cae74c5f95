"""One connection of a host, from its first byte to its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sim.errors import WireError
from sim.link.issuer import Decision, Session
from sim.link.line import PIECE
from sim.link.timing import Handle
from sim.link.traffic import EVENT, IN, OUT

if TYPE_CHECKING:
    from sim.link.host import AsyncHost

_GARBAGE = b"\xde\xad\xbe\xef" * 4

# An answer on its way out: its frame, what is written down of it, when its request came.
Outgoing = tuple[bytes, str, str, float]


class Serving:
    """A connection. `session` is what the issuer knows of it; `waiting` counts answers that wait for their
    delay or for the next message."""

    def __init__(
        self, host: AsyncHost, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.host, self.name = host, name
        self.session = Session()
        self.waiting = 0
        self._reader, self._writer = reader, writer
        # drain() waits until all is handed to the system: what it does not reach is undelivered. A buffer of
        # TLS is full when it reaches its limit, another when it is beyond.
        writer.transport.set_write_buffer_limits(high=int(writer.get_extra_info("ssl_object") is not None))
        self._cutter = host.line.cutter()
        self._late: list[Outgoing] = []
        self._delayed: dict[asyncio.Task[None], Outgoing] = {}
        self._frame_watch: Handle | None = None
        self._ended = ""

    async def run(self) -> None:
        """Serve until either side ends it."""
        try:
            await self._read_all()
        except WireError as error:
            self._ended = f"no frame: {error}"
        except (ConnectionError, OSError) as error:
            self._ended = self._ended or f"the connection broke ({type(error).__name__})"
        except Exception as error:
            self._ended = f"a fault of this host ({type(error).__name__})"
            raise
        finally:
            self._finish()

    def end(self, why: str) -> None:
        """Break the connection off."""
        self._ended = self._ended or why
        self._writer.transport.abort()

    def push(self, data: bytes, kind: str) -> bool:
        """Write *data*, which answers nothing; False where the other side does not read."""
        transport = self._writer.transport
        if transport.is_closing() or transport.get_write_buffer_size():
            self._note("undelivered", data, "the other side does not read")
            return False
        self._writer.write(data)
        self.host.traffic.add(self.host.timing.wall(), self.name, OUT, kind, data)
        return True

    async def _read_all(self) -> None:
        while data := await self._reader.read(PIECE):
            outgoing: list[Outgoing] = []
            closing, came, broken = False, False, None
            now, wall = self.host.timing.now(), self.host.timing.wall()
            try:
                for frame in self._cutter.feed(data):
                    came = True
                    if closing := self._take(frame, outgoing, now, wall):
                        break
            except WireError as error:
                broken = error
            self._watch_frame(came)
            if outgoing:
                await self._deliver(outgoing)
            if broken:
                raise broken
            if closing:
                self._ended = self._ended or "by a rule"
            if self._ended:  # also what has come meanwhile is not looked at any more
                return
            if self.waiting >= self.host.limits["waiting"] and self._delayed:
                await asyncio.wait(self._delayed, return_when=asyncio.FIRST_COMPLETED)

    def _take(self, frame: bytes, outgoing: list[Outgoing], came: float, wall: float) -> bool:
        """Decide on a frame; True where the connection is to be closed."""
        host = self.host
        host.traffic.add(wall, self.name, IN, "request", frame)
        decision, answer = host.decide(frame, self)
        if decision.plain and answer and not self._late:  # as nearly all are
            host.traffic.codes[decision.code] += 1
            outgoing.append((answer, decision.rule, decision.note, came))
            return False
        if self._late and decision.action != "late":
            held, self._late = self._late, []
        else:
            held = []
        closing = self._act(decision, answer, came, outgoing)
        outgoing += held
        self.waiting -= len(held)
        return closing

    def _act(self, decision: Decision, answer: bytes, came: float, outgoing: list[Outgoing]) -> bool:
        action, rule, note = decision.action, decision.rule, decision.note
        if action in ("ignore", "drop", "close") or not answer:
            said = {"drop": "the answer was dropped", "close": "closed instead of an answer"}.get(
                action, note
            )
            self._note("unanswered", b"", said or "ignored", rule)
            return action == "close"
        if decision.answer is not None:
            self.host.traffic.codes[decision.code] += 1
        if action == "garbage":
            answer, note = _garbage(self.host, answer), "bytes that are no message"
        out: Outgoing = (answer, rule, note, came)
        if decision.delay:
            self._delay(out, decision.delay)
        elif action == "late":
            if len(self._late) < self.host.limits["waiting"]:
                self._late.append(out)
                self.waiting += 1
            else:
                self._note("undelivered", answer, "too many answers wait", rule)
        else:
            outgoing += [out, out] if action == "duplicate" else [out]
        return False

    def _delay(self, out: Outgoing, seconds: float) -> None:
        async def wait() -> None:
            await self.host.timing.sleep(seconds)
            self._delayed.pop(task, None)
            self.waiting -= 1
            await self._deliver([out])

        task = asyncio.get_running_loop().create_task(wait())
        self._delayed[task] = out
        self.waiting += 1

    async def _deliver(self, outgoing: list[Outgoing]) -> None:
        """Write answers and wait until they are taken; what is not is told."""
        host = self.host
        self._writer.write(b"".join(out[0] for out in outgoing))
        watch = None
        try:
            if self._writer.transport.get_write_buffer_size():
                seconds = host.limits["write_seconds"]
                watch = host.timing.later(
                    seconds, lambda: self.end(f"answers were not taken for {seconds} seconds")
                )
            await self._writer.drain()
            if self._writer.transport.is_closing():  # drain() returns, too, when we broke it off
                raise ConnectionAbortedError
        except (ConnectionError, OSError) as error:
            why = self._ended or f"the connection broke ({type(error).__name__})"
            for data, rule, _, _ in outgoing:
                self._note("undelivered", data, why, rule)
            self.end(why)
            return
        finally:
            if watch:
                watch.cancel()
        wall, now, add = host.timing.wall(), host.timing.now(), host.traffic.add
        for data, rule, note, came in outgoing:
            add(wall, self.name, OUT, "answer", data, now - came, rule, note)

    def _watch_frame(self, came: bool) -> None:
        """A frame that has begun must end in its time; *came*: the one before it has."""
        if self._frame_watch and (came or not self._cutter.partial):
            self._frame_watch.cancel()
            self._frame_watch = None
        if self._cutter.partial and self._frame_watch is None:
            seconds = self.host.limits["frame_seconds"]
            self._frame_watch = self.host.timing.later(
                seconds, lambda: self.end(f"a frame did not become whole in {seconds} seconds")
            )

    def _note(self, kind: str, data: bytes, note: str, rule: str = "") -> None:
        self.host.traffic.add(self.host.timing.wall(), self.name, EVENT, kind, data, rule=rule, note=note)

    def _finish(self) -> None:
        if self._frame_watch:
            self._frame_watch.cancel()
        why = self._ended or "the other side closed"
        for data, rule, _, _ in (*self._delayed.values(), *self._late):
            self._note("undelivered", data, why, rule)
        for task in self._delayed:
            task.cancel()
        if self._cutter.partial:
            self._note("cut off", b"", f"{self._cutter.partial} bytes of a frame")
        self._note("closed", b"", why)
        self._writer.close()


def _garbage(host: AsyncHost, answer: bytes) -> bytes:
    """A frame of the same framing whose content is no message."""
    from sim.codec.wire import strip, wrap

    layers, _, _ = strip(answer, host.line.framing)
    return wrap(_GARBAGE, layers)
