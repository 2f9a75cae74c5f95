"""One connection of a host, from its first byte to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from sim.codec.wire import strip, wrap
from sim.errors import WireError
from sim.link.channel import Channel
from sim.link.issuer import Decision, Session
from sim.link.line import Line
from sim.link.traffic import EVENT, IN, OUT, Traffic

_GARBAGE = b"\xde\xad\xbe\xef" * 4

# An answer on its way out: its frame, what is written down of it, when its request came.
Outgoing = tuple[bytes, str, str, float]
# The decision on a frame, and the frame of its answer (empty: none).
Decide = Callable[[bytes, "HostChannel"], tuple[Decision, bytes]]


class HostChannel(Channel):
    """A connection of a host. `session` is what the issuer knows of it; `waiting` counts answers that wait
    for their delay or for the next message; *decide* says what a frame gets."""

    def __init__(self, *opened: Any, traffic: Traffic, decide: Decide) -> None:
        super().__init__(*opened)
        self.session = Session()
        self.waiting = 0
        self.traffic, self._decide = traffic, decide
        # drain() waits until all is handed to the system: what it does not reach is undelivered. A buffer of
        # TLS is full when it reaches its limit, another when it is beyond.
        over_tls = self._writer.get_extra_info("ssl_object") is not None
        self._writer.transport.set_write_buffer_limits(high=int(over_tls))
        self._late: list[Outgoing] = []
        self._delayed: dict[asyncio.Task[None], Outgoing] = {}

    async def run(self) -> None:
        """Serve until either side ends it."""
        why = "the other side closed"
        try:
            await self.read()
        except WireError as error:
            why = f"no frame: {error}"
        except (ConnectionError, OSError) as error:
            why = f"the connection broke ({type(error).__name__})"
        except Exception as error:
            why = f"a fault of this host ({type(error).__name__})"
            raise
        finally:
            self.why = self.why or why
            self._finish()

    def push(self, data: bytes, kind: str) -> bool:
        """Write *data*, which answers nothing; False where the other side does not read."""
        transport = self._writer.transport
        if transport.is_closing() or transport.get_write_buffer_size():
            self._note("undelivered", data, "the other side does not read")
            return False
        self._writer.write(data)
        self.traffic.add(self.timing.wall(), self.name, OUT, kind, data)
        return True

    async def hear(self, frames: Iterator[bytes]) -> None:
        """Decide on what has come, and answer it; where no frame can start, what came before has its answers
        first."""
        outgoing: list[Outgoing] = []
        closing, broken = False, None
        now, wall = self.timing.now(), self.timing.wall()
        try:
            for frame in frames:
                if (closing := self._take(frame, outgoing, now, wall)) or self.why:
                    break
        except WireError as error:
            broken = error
        if outgoing:
            await self._deliver(outgoing)
        if broken:
            raise broken
        if closing:
            self.why = self.why or "by a rule"
        elif not self.why and self.waiting >= self.limits["waiting"] and self._delayed:
            await asyncio.wait(self._delayed, return_when=asyncio.FIRST_COMPLETED)

    def _take(self, frame: bytes, outgoing: list[Outgoing], came: float, wall: float) -> bool:
        """Decide on a frame; True where the connection is to be closed."""
        self.traffic.add(wall, self.name, IN, "request", frame)
        decision, answer = self._decide(frame, self)
        if answer:
            self.understood()
        if decision.plain and answer and not self._late:  # as nearly all are
            self.traffic.codes[decision.code] += 1
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
            self.traffic.codes[decision.code] += 1
        if action == "garbage":
            answer, note = _garbage(self.line, answer), "bytes that are no message"
        out: Outgoing = (answer, rule, note, came)
        if decision.delay:
            self._delay(out, decision.delay)
        elif action == "late":
            if len(self._late) < self.limits["waiting"]:
                self._late.append(out)
                self.waiting += 1
            else:
                self._note("undelivered", answer, "too many answers wait", rule)
        else:
            outgoing += [out, out] if action == "duplicate" else [out]
        return False

    def _delay(self, out: Outgoing, seconds: float) -> None:
        async def wait() -> None:
            await self.timing.sleep(seconds)
            self._delayed.pop(task, None)
            self.waiting -= 1
            await self._deliver([out])

        task = asyncio.get_running_loop().create_task(wait())
        self._delayed[task] = out
        self.waiting += 1

    async def _deliver(self, outgoing: list[Outgoing]) -> None:
        """Write answers and wait until they are taken; what is not is told."""
        self._writer.write(b"".join(out[0] for out in outgoing))
        watch = None
        try:
            if self._writer.transport.get_write_buffer_size():
                seconds = self.limits["write_seconds"]
                watch = self.timing.later(
                    seconds, lambda: self.end(f"answers were not taken for {seconds} seconds")
                )
            await self._writer.drain()
            if self._writer.transport.is_closing():  # drain() returns, too, when we broke it off
                raise ConnectionAbortedError
        except (ConnectionError, OSError) as error:
            why = self.why or f"the connection broke ({type(error).__name__})"
            for data, rule, _, _ in outgoing:
                self._note("undelivered", data, why, rule)
            self.end(why)
            return
        finally:
            if watch:
                watch.cancel()
        wall, now, add = self.timing.wall(), self.timing.now(), self.traffic.add
        for data, rule, note, came in outgoing:
            add(wall, self.name, OUT, "answer", data, now - came, rule, note)

    def _note(self, kind: str, data: bytes, note: str, rule: str = "") -> None:
        self.traffic.add(self.timing.wall(), self.name, EVENT, kind, data, rule=rule, note=note)

    def _finish(self) -> None:
        for data, rule, _, _ in (*self._delayed.values(), *self._late):
            self._note("undelivered", data, self.why, rule)
        for task in self._delayed:
            task.cancel()
        if self._cutter.partial:
            self._note("cut off", b"", f"{self._cutter.partial} bytes of a frame")
        self._note("closed", b"", self.why)
        self.over()


def _garbage(line: Line, answer: bytes) -> bytes:
    """A frame of the same framing whose content is no message."""
    layers, _, _ = strip(answer, line.framing)
    return wrap(_GARBAGE, layers)
