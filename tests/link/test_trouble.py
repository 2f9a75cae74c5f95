"""Trouble around messages: canceled senders, failing handlers, stopped hosts, blocked loops."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import long

import sim
from sim.codec import Message
from sim.link import AsyncClient, AsyncHost, LinkError, client_context, rules_of, server_context
from sim.link.issuer import Session
from sim.link.keys.ring import KeyRing
from sim.operations import NETWORKS, generate, respond
from sim.spec import VERSIONS
from tests.link.ends import AT, LINE, Clock, certificate, framed, kinds, message, until

PAN = message()[2]
_KEY = "0123456789ABCDEFFEDCBA9876543210"
_KEYS = {"zone": _KEY, "mac": _KEY, "pin": _KEY, "macs": "checked"}
_KINDS = ("auth", "financial", "advice", "reversal", "echo")
_RULES: list[list[dict[str, str]]] = [
    [],
    [{"code": "00", "amount": "1.."}],
    [{"action": "partial", "approved": "300"}],
    [{"action": "wrong-stan"}],
]


def client_of(host: AsyncHost, **options: Any) -> AsyncClient:
    """A client of *host*."""
    return AsyncClient(("127.0.0.1", host.port), **options)


@pytest.mark.parametrize(
    ("sent", "mtis"),
    [
        (message(kind="advice"), ["0120", "0121", "0121"]),
        (message(kind="reversal"), ["0400", "0401", "0401"]),
    ],
    ids=["advice", "reversal"],
)
async def test_what_tells_of_the_past_is_repeated_and_never_reversed(
    clock: Clock, sent: Message, mtis: list[str]
) -> None:
    """An advice or reversal without a response is repeated until it gets one."""
    rules = rules_of([{"seen": "..2", "action": "ignore"}])
    async with AsyncHost(rules=rules) as host, client_of(host) as client:
        sending = asyncio.ensure_future(client.send(sent))
        for count in (1, 2):
            await until(lambda count=count: host.traffic.counts["unanswered"] == count)
            await clock.advance(30)
        exchange = await sending
        seen = [host.traffic.message(one) for one in host.traffic if one.kind == "request"]
        assert [one.mti for one in seen if one] == mtis
        assert (exchange.status, exchange.sent, exchange.reversal) == ("answered", 3, None)
        assert client.unsettled == []


async def test_an_advice_that_nobody_answers_is_unsettled(clock: Clock) -> None:
    """After all attempts of its network it is recorded as unsettled, and logged."""
    async with (
        AsyncHost(rules=rules_of([{"action": "ignore"}])) as host,
        client_of(host, tries=1) as client,
    ):
        sending = asyncio.ensure_future(client.send(message(kind="advice")))
        await until(lambda: host.traffic.counts["unanswered"])
        await clock.advance(30)
        assert client.unsettled == [await sending]


def test_a_client_in_another_loop_says_so_and_can_be_closed() -> None:
    """Its own loop has ended while its pool was open: nothing waits for events that cannot happen."""

    async def opened() -> tuple[AsyncHost, AsyncClient]:
        host = await AsyncHost().start()
        return host, await client_of(host, pool=2, echo_after=5).connect()

    async def used(client: AsyncClient) -> None:
        for call in (client.send(message()), client.post(message()), client.connect()):
            with pytest.raises(LinkError, match="expected the event loop in which it was connected"):
                await call
        await client.close()

    first = asyncio.new_event_loop()
    host, client = first.run_until_complete(opened())
    asyncio.run(used(client))

    first.run_until_complete(_left(host, client))
    first.close()


async def _left(host: AsyncHost, client: AsyncClient) -> None:
    """Close, in their own loop, the connections left open there."""
    for channel in tuple(client._pool.channels):
        await channel.close()
    await host.stop()


@long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_process_has_a_loop_of_its_own() -> None:
    """It can open new hosts and clients; inherited ones raise an error, and the parent's go on."""
    done = subprocess.run([sys.executable, "-c", _FORKED], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["own", "00", "theirs", "LinkError", "ended", "0", "parent", "00"], (
        done.stderr
    )


_FORKED = """
import os
from sim.link import Client, Host, LinkError, ends
from sim.operations import generate
host = ends.host(Host, None)
client = ends.client(Client, host)
made = [generate("echo", stan=f"{stan:06}").message for stan in (1, 2, 3)]
child = os.fork()
if not child:
    with ends.host(Host, None) as own, ends.client(Client, own) as asking:
        print("own", asking.exchange(made[0]).code)
    try:
        client.exchange(made[1])
    except LinkError as error:
        print("theirs", type(error).__name__, flush=True)
    client.close()
    host.close()
    os._exit(0)
print("ended", os.waitpid(child, 0)[1])
print("parent", client.exchange(made[2]).code)
client.close()
host.close()
"""


def test_what_nobody_closes_is_closed_when_the_program_ends() -> None:
    """With a host, a pending client and a load test in progress, the program ends without output from
    asyncio."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", _LEFT_OPEN],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0
    said = [
        line for line in done.stderr.splitlines() if not line.startswith("Executing <")
    ]  # how long it took
    assert (done.stdout, said) == ("00\n", [])


_LEFT_OPEN = """
from sim.codec import Message
from sim.link import Client, Host, ends
from sim.link.load import RunningLoad, start_load
from sim.operations import generate
host = ends.host(Host, [{"mti": "0200", "action": "ignore"}])
client = ends.client(Client, host, echo_after=30, pool=2)
print(client.exchange(generate("auth").message).code)
client.start(Message("0200", {11: "000001"}))
load = start_load(RunningLoad, host, seconds=50, mix={"financial": 1})
"""


async def test_what_is_unsettled_is_bounded_and_what_gives_way_is_told(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """A host answers nothing for hours: the newest requests are kept; each dropped one is counted and
    named, without its card; one settled in the meantime does not count."""
    caplog.set_level(logging.INFO)
    rules = rules_of([{"action": "ignore"}])
    async with (
        AsyncHost(rules=rules) as host,
        client_of(host, tries=1, limits={"unsettled": 2}) as client,
    ):
        for stan in range(1, 6):
            sending = asyncio.ensure_future(client.send(message(stan, kind="advice")))
            await until(lambda stan=stan: host.traffic.counts["unanswered"] == stan)
            await clock.advance(30)
            done = await sending
            if stan == 3:
                done.late = respond(done.request).message
        assert [one.request[11] for one in client.unsettled] == ["000004", "000005"]
        told = [one.note for one in client.traffic if one.kind == "forgotten"]
        assert [note.split(": ")[1] for note in told] == [
            f"Sent(0120 00000{stan}, timed out)" for stan in (1, 2)
        ]
        assert client.forgotten == 2
    assert "forgotten" in caplog.text
    assert PAN not in caplog.text


async def test_a_sender_that_leaves_leaves_its_request_behind(clock: Clock) -> None:
    """A canceled `send` leaves open what the host booked: the exchange is unsettled until its response
    arrives."""
    rules = rules_of([{"delay": 1}])
    async with AsyncHost(rules=rules) as host, client_of(host) as client:
        sending = asyncio.ensure_future(client.send(message()))
        await until(lambda: clock.due() and host.traffic.counts["request"])
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        (left,) = client.unsettled
        assert not left.answered
        await clock.advance(1)
        await until(lambda: left.answered)
        assert left.code == "00"
        assert client.unsettled == []


async def test_a_handler_and_an_observer_that_fail_do_not_end_the_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Their exceptions are logged, and requests are answered as before."""

    def fails(_: object) -> None:
        raise RuntimeError(PAN)

    caplog.set_level(logging.INFO)
    async with AsyncHost() as host, client_of(host, unsolicited=fails) as client:
        host.traffic.observe(fails)
        assert (await client.send(message())).code == "00"
        assert await host.send(message(2, "echo")) == 1
        await until(lambda: client.traffic.counts["handler failed"])
        assert (await client.send(message(3))).code == "00"
    assert "RuntimeError" in caplog.text
    assert PAN not in caplog.text


async def test_nobody_waits_for_a_connection_that_cannot_be_had() -> None:
    """One of two connections is lost and cannot be reopened: requests use the other at once."""
    host = await AsyncHost().start()
    async with client_of(host, pool=2) as client:
        await until(lambda: len(host.serving) == 2)
        assert host._server is not None
        host._server.close()
        next(iter(host.serving)).end("by the test")
        await until(lambda: client.traffic.counts["closed"])
        for stan in (1, 2, 3):
            assert (await client.send(message(stan))).code == "00"
        await until(lambda: client.traffic.counts["waiting"])
        assert client.traffic.counts["waiting"] == 1
    await host.stop()


async def test_a_client_that_is_closed_while_it_connects_leaves_no_connection() -> None:
    """Callers that wait for the connection get an error, and the host sees it end."""
    async with AsyncHost() as host:
        client = client_of(host)
        sending = asyncio.ensure_future(client.send(message()))
        await until(lambda: host.traffic.counts["connected"] or client._pool._opening)
        await client.close()
        with pytest.raises(LinkError, match="a closed one"):
            await sending
        await until(lambda: host.traffic.counts["connected"] == host.traffic.counts["closed"])
        assert client._pool.channels == []


async def test_an_echo_test_that_fails_ends_its_own_connection_alone(clock: Clock) -> None:
    """Each connection of a pool is tested, and requests pending on the others are not lost."""
    rules = rules_of([{"mti": "08xx", "seen": "1", "action": "ignore"}, {"mti": "01xx", "delay": 95}])
    async with (
        AsyncHost(rules=rules) as host,
        client_of(host, pool=2, echo_after=60) as client,
    ):
        sending = asyncio.ensure_future(client.send(message(100), timeout=100))
        await until(lambda: host.traffic.counts["request"] == 1)
        await clock.advance(60)
        await until(lambda: host.traffic.counts["request"] == 3 and client.traffic.counts["answer"])
        await clock.advance(30)
        await until(lambda: client.traffic.counts["closed"])
        assert client.traffic.counts["timed out"] == 1
        names = [one.connection for one in client.traffic if one.kind == "request"]
        (ended,) = [one.connection for one in client.traffic if one.kind == "closed"]
        assert len(set(names)) == 2
        assert client.traffic.counts["lost"] == (names[0] == ended)
        sending.cancel()


async def test_an_answer_that_waits_to_be_read_is_in_time(clock: Clock) -> None:
    """If the loop was blocked beyond a deadline, responses that have arrived are read first."""
    with sim.host() as host:  # in a thread of its own: it answers while this loop is held up
        async with AsyncClient(("127.0.0.1", host.port), reverse=False) as client:
            sending = asyncio.ensure_future(client.send(message(), timeout=5))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            waited = time.monotonic()
            while not host.seen.counts["answer"] and time.monotonic() < waited + 60:
                pass
            clock.passed = 60
            assert (await sending).answered


async def test_under_tls_an_answer_is_written_down_when_it_is_handed_over(tmp_path: Path) -> None:
    """It is not logged only at the next request; a client that leaves after its response counts as served."""
    cert, key = certificate(tmp_path)
    async with AsyncHost(tls=server_context(cert, key)) as host:
        async with client_of(host, tls=client_context(cert)) as client:
            assert (await client.send(message())).code == "00"
            await until(lambda: host.traffic.counts["answer"])
        await until(lambda: host.traffic.counts["closed"])
        assert "undelivered" not in kinds(host.traffic)


async def test_a_stopped_host_serves_nobody_who_was_still_coming() -> None:
    """A connection whose handshake ends after the stop is rejected."""
    host = await AsyncHost().start()
    await host.stop()
    server = await asyncio.start_server(host._serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    assert await reader.read() == b""
    assert kinds(host.traffic)[-1] == "refused"
    server.close()
    writer.close()
    await asyncio.gather(writer.wait_closed(), *host._tasks)


def test_nothing_that_comes_in_is_too_odd_to_be_decided() -> None:
    """Frames with randomly changed bytes, under rules and keys of every kind, each get a decision."""
    some = random.Random(11)
    made = [generate(kind, network=one, version=None, at=AT).message for one in NETWORKS for kind in _KINDS]
    made += [generate("key_exchange", version=one, at=AT).message for one in VERSIONS]
    made += [one.replace(de96="Z" * 16) for one in made[-2:]]
    frames = [framed(one) for one in made]
    hosts = [
        AsyncHost(rules=rules_of(rule), keys=KeyRing.of(keys)) for rule in _RULES for keys in (None, _KEYS)
    ]
    for at in range(1500):
        frame = bytearray(frames[at % len(frames)])
        for _ in range(some.randrange(4)):
            frame[some.randrange(2, len(frame))] = some.randrange(256)
        channel: Any = SimpleNamespace(session=Session(), misread=LINE.unread, understood=lambda: None)
        decision, _ = hosts[at % len(hosts)].decide(bytes(frame), channel)
        assert decision.answer is not None or decision.note


def test_an_advice_without_a_readable_transaction_category_is_booked() -> None:
    """The name of a transaction is looked for in its parts, and not found where they do not read."""
    asked = generate("advice", network="MASTERCARD", at=AT).message.replace(de48="R6z0500000")
    channel: Any = SimpleNamespace(session=Session(), misread=LINE.unread, understood=lambda: None)
    decision, _ = AsyncHost(rules=rules_of([{"code": "00"}])).decide(framed(asked), channel)
    assert decision.answer is not None
    assert decision.answer[39] == "00"
