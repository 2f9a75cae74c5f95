"""The client on real sockets: timeouts, reversals, repeats, late responses, lost connections, pools."""

from __future__ import annotations

import asyncio
import errno
import ssl
from typing import Any

import pytest

from sim.codec import Message
from sim.link import AsyncClient, AsyncHost, LinkError, rules_of
from sim.link.line import system_reason
from sim.operations import respond
from tests.link.ends import LINE, Clock, framed, kinds, message, until


def client_of(host: AsyncHost, **options: Any) -> AsyncClient:
    """A client of *host*."""
    return AsyncClient(("127.0.0.1", host.port), **options)


async def test_a_time_out_is_undone(clock: Clock) -> None:
    """If the response is lost, the reversal is sent after the timeout with the original's data, and the
    balance is restored."""
    sent = message()
    rules = rules_of([{"mti": "0100", "action": "drop"}])
    async with AsyncHost(rules=rules) as host, client_of(host) as client:
        sending = asyncio.ensure_future(client.send(sent))
        await until(lambda: host.traffic.counts["unanswered"])
        assert host.accounts.balance(sent[2]) == host.accounts.opening - 1000
        await clock.advance(30)
        exchange = await sending
        assert (exchange.status, exchange.settled) == ("timed out", True)
        assert exchange.reversal is not None
        assert exchange.reversal.request.mti == "0400"
        assert exchange.reversal.request[90].startswith("0100" + sent[11] + sent[7])
        assert exchange.reversal.code == "00"
        assert host.accounts.balance(sent[2]) == host.accounts.opening


async def test_a_reversal_is_repeated_until_it_is_answered(clock: Clock) -> None:
    """The first two reversals get no response: the repeats are 0401, the third is answered, and the money
    is returned once."""
    rules = rules_of([{"mti": "04xx", "seen": "3..", "action": "answer"}, {"action": "drop"}])
    async with AsyncHost(rules=rules) as host, client_of(host) as client:
        sending = asyncio.ensure_future(client.send(message()))
        for count in range(1, 4):
            await until(lambda count=count: host.traffic.counts["unanswered"] == count)
            await clock.advance(30)
        exchange = await sending
        assert exchange.reversal is not None
        assert (exchange.reversal.sent, exchange.reversal.request.mti) == (3, "0401")
        assert exchange.settled
        requests = [host.traffic.message(one) for one in host.traffic if one.kind == "request"]
        assert [one.mti for one in requests if one] == ["0100", "0400", "0401", "0401"]
        assert host.accounts.balance(message()[2]) == host.accounts.opening


async def test_what_could_not_be_undone_is_kept(clock: Clock) -> None:
    """If nothing is ever answered, the exchange is unsettled, and the client reports it."""
    async with (
        AsyncHost(rules=rules_of([{"action": "ignore"}])) as host,
        client_of(host, tries=2) as client,
    ):
        sending = asyncio.ensure_future(client.send(message()))
        for count in range(1, 4):
            await until(lambda count=count: host.traffic.counts["unanswered"] == count)
            await clock.advance(30)
        exchange = await sending
        assert not exchange.settled
        assert client.unsettled == [exchange]
        assert kinds(client.traffic)[-1] == "unsettled"


async def test_a_late_answer_is_kept_and_told(clock: Clock) -> None:
    """A response after the timeout, but before that of the reversal, is recorded as late."""
    rules = rules_of([{"mti": "0100", "action": "late"}])
    async with AsyncHost(rules=rules) as host, client_of(host) as client:
        sending = asyncio.ensure_future(client.send(message()))
        await until(lambda: host.traffic.counts["request"])
        await clock.advance(30)
        exchange = await sending
        await until(lambda: exchange.late)
        assert exchange.answer is None
        assert exchange.late is not None
        assert exchange.late.get(39) == "00"
        assert exchange.settled
        assert client.traffic.counts["late"] == 1


async def test_a_delayed_answer_within_its_time_is_an_answer(clock: Clock) -> None:
    """A response after five of thirty seconds is in time; the latency shows the delay."""
    async with (
        AsyncHost(rules=rules_of([{"delay": "5"}])) as host,
        client_of(host) as client,
    ):
        sending = asyncio.ensure_future(client.send(message()))
        await until(lambda: len(clock.due()) == 2)
        await clock.advance(5)
        exchange = await sending
        assert (exchange.code, exchange.latency) == ("00", 5.0)


@pytest.mark.parametrize(
    ("action", "told", "status"),
    [
        ("duplicate", "duplicate", "answered"),
        ("wrong-stan", "unmatched", "timed out"),
        ("garbage", "unreadable", "timed out"),
        ("close", "lost", "lost"),
    ],
)
async def test_what_a_host_does_wrong_is_told(clock: Clock, action: str, told: str, status: str) -> None:
    """Two responses, a response with another STAN, invalid bytes, a closed connection: each is one entry."""
    rules = rules_of([{"mti": "0100", "action": action}])
    async with AsyncHost(rules=rules) as host, client_of(host) as client:
        sending = asyncio.ensure_future(client.send(message(), reverse=False))
        await until(lambda: client.traffic.counts[told] == 1)
        await clock.advance(30)
        assert (await sending).status == status


async def test_a_killed_host_loses_no_request_without_a_word() -> None:
    """A hundred requests are pending when the host dies: each ends as lost, with a reason."""
    host = await AsyncHost(rules=rules_of([{"action": "ignore"}])).start()
    async with client_of(host) as client:
        sending = [asyncio.ensure_future(client.send(message(at), reverse=False)) for at in range(100)]
        await until(lambda: host.traffic.counts["request"] == 100)
        await host.stop()
        done = await asyncio.gather(*sending)
        assert {one.status for one in done} == {"lost"}
        assert {one.note for one in done} <= {
            "the host closed the connection",
            "the connection broke (ConnectionResetError)",
        }
        assert client.traffic.counts["lost"] == 100


async def test_a_lost_line_is_opened_anew_with_growing_waits(clock: Clock) -> None:
    """The host is away for three attempts: the client waits 0.5, 1 and 2 seconds between them, then goes
    on."""
    host = await AsyncHost().start()
    async with client_of(host) as client:
        port = host.port
        await host.stop()
        await until(lambda: "closed" in kinds(client.traffic))
        sending = asyncio.ensure_future(client.send(message()))
        again = AsyncHost(port=port)
        for count, wait in enumerate((0.5, 1.0, 2.0), 1):
            await until(lambda count=count: client.traffic.counts["waiting"] == count and clock.due())
            assert clock.due()[0] - clock.passed == wait
            if wait == 2.0:
                await again.start()
            await clock.advance(wait)
        assert (await sending).code == "00"
        await again.stop()


async def test_all_that_wait_for_a_connection_share_one_series_of_attempts(clock: Clock) -> None:
    """Three requests wait for a host that does not return: together they make six attempts, and all end."""
    host = await AsyncHost().start()
    async with client_of(host) as client:
        await host.stop()
        await until(lambda: "closed" in kinds(client.traffic))
        sending = [asyncio.ensure_future(client.send(message(stan))) for stan in (1, 2, 3)]
        for count in range(1, 6):
            await until(lambda count=count: client.traffic.counts["waiting"] == count)
            assert not any(one.done() for one in sending)
            await clock.advance(2 ** (count - 2))
        errors = await asyncio.gather(*sending, return_exceptions=True)
        assert clock.passed == 15.5
        assert len({id(error) for error in errors}) == 3
        for error in errors:
            assert isinstance(error, LinkError)
            assert "expected a connection, found" in str(error)


async def test_the_wait_for_a_connection_is_part_of_the_time_out(clock: Clock) -> None:
    """With a timeout of two seconds, one passes until there is a connection, and one is left for the
    response; without a connection the request ends after its timeout, with the reason."""
    host = await AsyncHost().start()
    async with client_of(host) as client:
        await host.stop()
        await until(lambda: "closed" in kinds(client.traffic))
        sending = asyncio.ensure_future(client.send(message(1), timeout=2))
        for count, wait in enumerate((0.5, 1.0, 0.5), 1):
            await until(lambda count=count: client.traffic.counts["waiting"] == count)
            await clock.advance(wait)
        with pytest.raises(
            LinkError, match=r"within 2 seconds, found none \(connection refused; is the host"
        ):
            await sending

        again = AsyncHost(port=host.port, rules=rules_of([{"action": "ignore"}]))
        sending = asyncio.ensure_future(client.send(message(2), timeout=2, reverse=False))
        await again.start()
        await clock.advance(1.5)
        await until(lambda: again.traffic.counts["unanswered"])
        await clock.advance(0.5)
        assert (await sending).status == "timed out"
        await again.stop()


async def test_a_host_that_dies_under_a_request_leaves_it_unsettled_in_its_time(clock: Clock) -> None:
    """The reversal of a lost request has the request's timeout to find a connection, and no more."""
    host = await AsyncHost(rules=rules_of([{"action": "ignore"}])).start()
    async with client_of(host) as client:
        sending = asyncio.ensure_future(client.send(message(), timeout=2))
        await until(lambda: host.traffic.counts["unanswered"])
        await host.stop()
        await until(lambda: client.traffic.counts["waiting"])
        await clock.advance(2)
        exchange = await sending
        assert client.unsettled == [exchange]
        (told,) = [one.note for one in client.traffic if one.kind == "unsettled"]
        assert told.startswith("its reversal could not be sent: 127.0.0.1:")


async def test_nobody_there_is_told_with_the_address() -> None:
    """The first connection is not retried: the error names the address."""
    host = await AsyncHost().start()
    await host.stop()
    with pytest.raises(LinkError, match=f"127.0.0.1:{host.port}: expected a connection, found"):
        await client_of(host).connect()


async def test_a_name_with_two_addresses_has_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no address of a host accepts a connection, the error gives the reason of the first, and the hint."""

    async def refused(*_: object, **__: object) -> None:
        each = (f"[Errno {errno.ECONNREFUSED}] Connect call failed ('{host}', 1)" for host in ("::1", "::2"))
        raise OSError("Multiple exceptions: " + ", ".join(each))

    monkeypatch.setattr(asyncio, "open_connection", refused)
    with pytest.raises(LinkError, match=r"found none \(connection refused; is the host running on this port"):
        await AsyncClient(("localhost", 1)).connect()


def test_the_reason_of_tls_is_a_clause() -> None:
    """Without a full stop, and with its abbreviations in capitals."""
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "IP address mismatch, certificate is not valid for '127.0.0.1'."
    assert system_reason(error) == "IP address mismatch, certificate is not valid for '127.0.0.1'"


async def test_a_host_that_does_not_read_is_told() -> None:
    """If a peer reads nothing, the client queues no more than its limit, then refuses."""
    held: list[asyncio.StreamWriter] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        held.append(writer)

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    where = ("127.0.0.1", server.sockets[0].getsockname()[1])
    async with AsyncClient(where, limits={"queue_bytes": 10_000}) as client:
        await until(lambda: held)
        while client._pool.channels[0].queued <= 10_000:
            await client.post(message())
        with pytest.raises(LinkError, match="expected a host that reads"):
            await client.post(message())
        assert client._pool.channels[0].queued < 11_000
    held[0].transport.abort()
    server.close()


async def test_half_an_answer_is_told_when_the_line_ends() -> None:
    """If the host dies in the middle of a response, the request is lost, and the note says how much had
    arrived."""

    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(2)
        writer.write(framed(respond(message()).message)[:20])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(half, "127.0.0.1", 0)
    async with AsyncClient(("127.0.0.1", server.sockets[0].getsockname()[1])) as client:
        exchange = await client.send(message(), reverse=False)
        assert (exchange.status, exchange.answer) == ("lost", None)
        assert exchange.note in (
            "the host closed the connection, 20 bytes of a frame had arrived",
            "the connection broke (ConnectionResetError)",
        )
    server.close()


async def test_silence_is_ended_by_an_echo_test(clock: Clock) -> None:
    """After a minute of silence an 0800 is sent; without a response the connection is reopened."""
    async with AsyncHost() as host, client_of(host, echo_after=60) as client:
        assert (await client.send(message())).code == "00"
        await clock.advance(59)
        assert host.traffic.counts["request"] == 1
        await clock.advance(1)
        await until(lambda: client.traffic.counts["answer"] == 2)
        host.rules = rules_of([{"mti": "0800", "action": "ignore"}])
        await until(lambda: clock.due())
        await clock.advance(60)
        await until(lambda: host.traffic.counts["request"] == 3)
        await clock.advance(30)
        await until(lambda: client.traffic.counts["closed"])
        assert client.traffic.counts["timed out"] == 1


async def test_a_client_that_is_opened_again_stays_as_it_is() -> None:
    """It sends no more echo tests than before."""
    async with AsyncHost() as host, client_of(host, echo_after=60) as client:
        running = asyncio.all_tasks()
        await client.connect()
        assert asyncio.all_tasks() == running


async def test_what_nobody_asked_for_goes_to_its_handler() -> None:
    """The host sends an echo test and an advice: the client answers the first itself, and a handler gets
    both."""
    heard: list[str] = []

    def handler(got: Message) -> Message | None:
        heard.append(got.mti)
        return respond(got).message if got.mti == "0800" else None

    async with AsyncHost() as host, client_of(host) as client, client_of(host, unsolicited=handler):
        await until(lambda: len(host.serving) == 2)
        assert await host.send(message(kind="echo")) == 2
        await until(lambda: host.traffic.counts["request"] == 2)
        assert await host.send(message(2, "advice")) == 2
        await until(lambda: client.traffic.counts["unsolicited"] == 2 and len(heard) == 2)
    assert heard == ["0800", "0120"]
    assert kinds(client.traffic).count("answer") == 1


async def test_a_pool_spreads_what_waits(clock: Clock) -> None:
    """Eight pending requests on four connections: two on each."""
    async with (
        AsyncHost(rules=rules_of([{"delay": 1}])) as host,
        client_of(host, pool=4) as client,
    ):
        sending = [asyncio.ensure_future(client.send(message(at))) for at in range(8)]
        await until(lambda: host.traffic.counts["request"] == 8)
        names = [one.connection for one in host.traffic if one.kind == "request"]
        assert sorted(names.count(name) for name in set(names)) == [2, 2, 2, 2]
        await until(lambda: len(clock.due()) == 8 + 8)
        await clock.advance(1)
        assert {one.code for one in await asyncio.gather(*sending)} == {"00"}


async def test_answers_are_matched_by_the_elements_asked_for(clock: Clock) -> None:
    """Two terminals use the same STAN: matched by DE 11 and 41 both get their own response; by DE 11 alone
    the second is ambiguous, and is not sent."""
    async with AsyncHost(rules=rules_of([{"delay": 1}])) as host:
        one, two = message(), message().replace(de41="TERM0002")
        async with client_of(host) as client, client_of(host, match=[11]) as narrow:
            sending = [asyncio.ensure_future(client.send(ask)) for ask in (one, two)]
            first = asyncio.ensure_future(narrow.send(one))
            await until(lambda: host.traffic.counts["request"] == 3)
            with pytest.raises(LinkError, match="STAN 000001: expected no pending request"):
                await narrow.send(two)
            await until(lambda: len(clock.due()) == 3 + 3)
            await clock.advance(1)
            done = [ex.answer for ex in await asyncio.gather(*sending, first)]
            assert [got and got[41] for got in done] == ["TERM0001", "TERM0002", "TERM0001"]


async def test_an_answer_is_no_request() -> None:
    """A message that expects no response cannot be awaited."""
    async with AsyncHost() as host, client_of(host) as client:
        with pytest.raises(LinkError, match="MTI 0110: expected a request"):
            await client.send(respond(message()).message)
        await client.post(respond(message()).message)
        await until(lambda: host.traffic.counts["unanswered"])


def test_the_frame_of_a_line_is_that_of_its_format() -> None:
    """The default line is the text form after two bytes of length."""
    assert framed(message(kind="echo"))[:6] == b"\x007" + b"0800"
    assert LINE.decode(framed(message()))[0] == message()
