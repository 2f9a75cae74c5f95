"""Faulty partners: wrong lengths, responses that repeat other values, empty frames, another format."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import pytest

from sim.codec import Message
from sim.codec.wire import encode
from sim.link import AsyncClient, AsyncHost
from sim.link.load import Load, Mix
from sim.link.scenario.run import play
from sim.link.scenario.suite import suite_of
from sim.operations import respond
from tests.link.ends import LINE, Clock, framed, message, until


async def answered(reader: asyncio.StreamReader) -> str:
    """The MTI of the next frame."""
    head = await reader.readexactly(2)
    return LINE.decode(head + await reader.readexactly(int.from_bytes(head, "big")))[0].mti


async def test_lengths_out_of_step_end_the_connection_and_a_new_one_goes_on(clock: Clock) -> None:
    """A response with too short a length leaves bytes that are read as the next length: the timeout
    reports them, the frame they begin never ends, and the reversal uses a new connection. A frame of
    length zero is a keep-alive, not a message."""
    seen: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.read(2):
            request, _ = LINE.decode(head + await reader.readexactly(int.from_bytes(head, "big")))
            seen.append(request.mti)
            frame = framed(respond(request).message)
            short = (len(frame) - 9).to_bytes(2, "big") + frame[2:]
            writer.write(b"\0\0" + short if request.mti == "0100" else frame)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    where = server.sockets[0].getsockname()
    async with AsyncClient(where, timeout=20) as client:
        sending = asyncio.ensure_future(client.send(message()))
        await until(lambda: client.traffic.counts["unreadable"] == 1)
        assert client.traffic.counts["keep-alive"] == 1
        await clock.advance(20)
        await until(lambda: seen == ["0100", "0400"])
        await clock.advance(10)  # the frame had half a minute
        await until(lambda: client.traffic.counts["lost"] == 1)
        await clock.advance(60)
        exchange = await sending
        assert exchange.note == "only 7 bytes of a frame had arrived"
        assert exchange.reversal is not None
        assert exchange.reversal.answered
        assert seen == ["0100", "0400", "0401"]
    server.close()


async def test_an_answer_that_repeats_something_else_is_told() -> None:
    """A response with another amount and reference still counts, with a note on the differences, also in
    the traffic. A partial approval has another amount, which is not reported."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for changed in ({4: "000000000999", 37: "999999999999"}, {4: "000000000999", 39: "10"}):
            head = await reader.readexactly(2)
            request, _ = LINE.decode(head + await reader.readexactly(int.from_bytes(head, "big")))
            made = respond(request).message
            writer.write(framed(Message(made.mti, made.fields | changed, made.version)))
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with AsyncClient(server.sockets[0].getsockname()) as client:
        notes = [(await client.send(message(stan))).note for stan in (1, 2)]
        assert notes == ["not as in the request: DE 4, 37", ""]
        assert [one.note for one in client.traffic if one.kind == "answer"] == notes
    server.close()


async def test_a_frame_of_length_zero_keeps_the_line_open() -> None:
    """A frame of length zero is not an unreadable message: it gets no response, and the next message is
    answered."""
    async with AsyncHost() as host:
        reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
        writer.write(b"\0\0" + framed(message()))
        assert await answered(reader) == "0110"
        writer.close()
        notes = [entry.note for entry in host.traffic if entry.kind == "unanswered"]
        assert notes == ["a frame of length 0 keeps the connection open"]


async def test_a_partner_that_writes_another_format_is_told_by_its_name() -> None:
    """EBCDIC on an ASCII connection: the traffic names the formats that can read it; for garbage it names
    none."""
    async with AsyncHost() as host:
        reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
        for data in (encode(message(), "ebcdic"), b"\xff" * 40):
            writer.write(len(data).to_bytes(2, "big") + data)
        writer.write(framed(message()))
        assert await answered(reader) == "0110"
        writer.close()
        known, unknown = [entry.note for entry in host.traffic if entry.kind == "unanswered"]
        assert "; it reads as ebcdic or" in known
        assert "reads as" not in unknown


def test_a_host_that_floods_keeps_neither_a_request_nor_the_end() -> None:
    """Frames that are not messages: the request is lost with its connection, which gives the reason. The
    client can be closed while unexpected responses arrive."""
    flood = b"\x00\x01X" * 3000

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(2)
        writer.write(flood)
        await reader.read()
        writer.close()

    async def run() -> None:
        nonlocal flood
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        where = server.sockets[0].getsockname()
        async with AsyncClient(where, reverse=False) as client:
            exchange = await client.send(message())
            assert exchange.status == "lost"
            assert exchange.note.endswith("consecutive frames were not messages")
        flood = framed(respond(message(9)).message) * 1000
        client = await AsyncClient(where, reverse=False).connect()
        sending = asyncio.ensure_future(client.send(message()))
        await until(lambda: client.traffic.counts["unmatched"])
        await client.close()
        assert (await sending).status == "lost"
        assert client.traffic.counts["unmatched"] < 1000
        server.close()

    asyncio.run(run())


_FAULTS = ("stall", "half a frame", "reset", "flood", "refuse")


@pytest.mark.parametrize("fault", _FAULTS)
async def test_whatever_a_host_does_every_verb_ends_in_its_time(clock: Clock, fault: str) -> None:
    """A request ends within its timeout, a load test within its seconds plus one timeout, a suite within
    the timeouts of its steps, a close at once, whatever the host does."""
    whole = framed(respond(message(900)).message)

    async def misbehave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readexactly(2)
            if fault == "half a frame":
                writer.write(whole[:20])
            elif fault == "flood":
                writer.write(whole * 500)
            elif fault in ("reset", "refuse"):
                if fault == "refuse":
                    server.close()
                writer.transport.abort()
            await reader.read()
        writer.close()

    async def timed(work: Coroutine[Any, Any, Any], most: float) -> Any:
        """The result of *work*; time passes only while nothing else happens."""
        began, running = clock.passed, asyncio.ensure_future(work)
        while not running.done():
            for _ in range(300):
                await asyncio.sleep(0)
            if not running.done() and (due := clock.due()):
                await clock.advance(max(0.0, due[0] - clock.passed))
            assert clock.passed - began <= most
        return running.result()

    for verb in ("send", "load", "suite"):
        server = await asyncio.start_server(misbehave, "127.0.0.1", 0)
        where = server.sockets[0].getsockname()
        client = AsyncClient(where, timeout=2, reverse=False)
        if verb == "send":
            await client.connect()
            exchange = await timed(client.send(message()), 2)
            assert exchange.status in ("timed out", "lost")
            await timed(client.close(), 0)
        elif verb == "load":
            load = Load(client, Mix(), concurrency=3, seconds=1, count=50)
            assert (await timed(load.connected(), 3)).answered == 0
        else:
            suite = suite_of("\n".join(f"[[cases]]\nname='{at}'\nsteps=[{{timeout = 2}}]" for at in range(2)))
            done = await timed(play(suite, where), 4)
            assert not done.passed
        server.close()
