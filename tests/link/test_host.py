"""The host on real sockets: responses, many connections, TLS, hostile peers."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import socket
import tracemalloc

import pytest
from support import long

from sim.link import AsyncClient, AsyncHost, Line, LinkError, rules_of
from sim.link.traffic import Traffic
from tests.link.ends import LINE, Clock, framed, kinds, message, until


async def connect(host: AsyncHost) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A plain connection to *host*."""
    return await asyncio.open_connection("127.0.0.1", host.port)


async def never_reading(host: AsyncHost) -> tuple[asyncio.StreamWriter, int]:
    """A connection that sends requests and reads no responses; returns how many it tried to send."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", host.port))
    _, writer = await asyncio.open_connection(sock=plain, limit=1)
    frames, sent = framed(message()) * 100, 0
    while writer.transport.get_write_buffer_size() < 1 << 20:
        writer.write(frames)
        sent += 100
        await asyncio.sleep(0)
    return writer, sent


async def answer_of(reader: asyncio.StreamReader) -> str:
    """MTI and response code of the next frame."""
    size = int.from_bytes(await reader.readexactly(2), "big")
    got, _ = LINE.decode(size.to_bytes(2, "big") + await reader.readexactly(size))
    return f"{got.mti} {got.get(39)}"


async def test_a_request_is_answered_and_written_down() -> None:
    """An authorization gets 0110 with 00, and is in the traffic of both host and client."""
    async with AsyncHost() as host, AsyncClient(("127.0.0.1", host.port)) as client:
        exchange = await client.send(message())
        assert (exchange.status, exchange.code, exchange.sent) == ("answered", "00", 1)
        assert exchange.answer is not None
        assert exchange.answer.mti == "0110"
        assert kinds(client.traffic) == ["connected", "request", "answer"]
        assert kinds(host.traffic)[-2:] == ["request", "answer"]
        assert host.traffic.codes == {"00": 1}


@pytest.mark.parametrize(
    "name", ["ascii", "ascii-binary", "bcd", "visa", "mastercard", "nac", "ebcdic", "unionpay"]
)
async def test_every_format_and_its_framing_carry_an_exchange(name: str) -> None:
    """Format and framing are selected by name, and headers are returned around the response."""
    line = Line.of(name, ["length-2", "tpdu"] if name == "bcd" else None)
    own = name.upper() if name in ("unionpay", "mastercard") else "VISA"  # whose interface it is
    async with AsyncHost(line) as host, AsyncClient(("127.0.0.1", host.port), line) as client:
        assert (await client.send(message(network=own))).code == "00"
        assert host.traffic.counts["answer"] == 1


@pytest.mark.parametrize(
    ("name", "sent", "answered"),
    [
        ("tpdu", "6000030009", "6000090003"),
        ("tpdu-hex", "60010A035E", "60035E010A"),
        ("tpdu-ascii", b"6000030009".hex(), b"6000090003".hex()),
        ("visa", "160102%04x111111222222" + 22 * "7", "160102%04x222222111111" + 22 * "7"),
        (
            "unionpay-switch",
            "2e02" + b"%04d00010000   00020000   ".hex() + "000000" + 15 * "30",
            "2e02" + b"%04d00020000   00010000   ".hex() + "000000" + 15 * "30",
        ),
    ],
)
async def test_an_answer_goes_back_to_where_the_request_came_from(
    name: str, sent: str, answered: str
) -> None:
    """Destination and source of a routing header are swapped in the response, whose length it has."""

    def head(pattern: str, size: int) -> bytes:
        if name == "unionpay-switch":
            return bytes.fromhex(pattern.replace("25303464", f"{size + 46:04}".encode().hex()))
        return bytes.fromhex(pattern % (size + 22) if "%" in pattern else pattern)

    async with AsyncHost(Line.of("ascii", ["length-2", name])) as host:
        reader, writer = await connect(host)
        text = framed(message())[2:]
        body = head(sent, len(text)) + text
        writer.write(len(body).to_bytes(2, "big") + body)
        size = int.from_bytes(await reader.readexactly(2), "big")
        back = await reader.readexactly(size)
        front = len(body) - len(text)
        assert back[:front] == head(answered, size - front)
        assert back[front:].startswith(b"0110")
        writer.close()


async def test_many_connections_share_one_host() -> None:
    """Fifty clients send at the same time; each gets its own response, and the host's log tells them
    apart."""
    async with AsyncHost(rules=rules_of([{"terminal": "TERM0007", "code": "05"}])) as host:
        clients = [await AsyncClient(("127.0.0.1", host.port)).connect() for _ in range(50)]
        asked = [message().replace(de41=f"TERM{at:04}") for at in range(50)]
        done = await asyncio.gather(*(one.send(ask) for one, ask in zip(clients, asked, strict=True)))
        assert [at for at, exchange in enumerate(done) if exchange.code == "05"] == [7]
        assert len({entry.connection for entry in host.traffic if entry.kind == "request"}) == 50
        for client in clients:
            await client.close()


async def test_a_thousand_idle_connections_do_not_hinder_one_that_works() -> None:
    """With a thousand idle connections open, another one is answered, and the end of each is logged."""
    async with AsyncHost() as host:
        idle = [await connect(host) for _ in range(1000)]
        await until(lambda: len(host.serving) == 1000)
        async with AsyncClient(("127.0.0.1", host.port)) as client:
            assert (await client.send(message())).code == "00"
        for _, writer in idle:
            writer.close()
        await until(lambda: not host.serving)
        assert host.traffic.counts["closed"] == 1001


async def test_more_connections_than_allowed_are_refused() -> None:
    """A connection beyond the limit is closed at once, and logged."""
    async with AsyncHost(limits={"connections": 2}) as host:
        kept = [await connect(host) for _ in range(2)]
        await until(lambda: len(host.serving) == 2)
        reader, writer = await connect(host)
        assert await reader.read() == b""
        assert host.traffic.counts["refused"] == 1
        for one in (writer, *(other for _, other in kept)):
            one.close()


async def test_a_frame_that_does_not_become_whole_is_given_up(clock: Clock) -> None:
    """FFFF with nothing after it, and half a message: both connections end after the time limit, no
    sooner; nothing is allocated for the length."""
    async with AsyncHost() as host:
        _, one = await connect(host)
        two_reader, two = await connect(host)
        one.write(b"\xff\xff")
        whole = framed(message())
        two.write(whole + whole[:40])
        assert await answer_of(two_reader) == "0110 00"
        await until(lambda: len(clock.due()) == 2)
        await clock.advance(29)
        assert len(host.serving) == 2
        await clock.advance(2)
        await until(lambda: not host.serving)
        notes = [entry.note for entry in host.traffic if entry.kind in ("closed", "cut off")]
        assert sorted(notes) == [
            "2 bytes of a frame",
            "40 bytes of a frame",
            "a frame was not complete after 30 seconds; only 2 bytes had arrived",
            "a frame was not complete after 30 seconds; only 40 bytes had arrived",
        ]
        one.close()
        two.close()


async def test_a_frame_may_come_byte_by_byte() -> None:
    """A frame that arrives byte by byte gets the same response."""
    async with AsyncHost() as host:
        reader, writer = await connect(host)
        for byte in framed(message()):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert await answer_of(reader) == "0110 00"
        writer.close()


async def test_what_cannot_be_a_frame_ends_the_connection_behind_the_answers_before_it() -> None:
    """After a length field of letters the host answers the earlier request, then closes with a reason."""
    line = Line.of("ascii", ["length-4-ascii"])
    async with AsyncHost(line) as host:
        reader, writer = await connect(host)
        writer.write(line.encode(message()) + b"ABCD")
        got = await reader.read()
        assert line.decode(got)[0].get(39) == "00"
        await until(lambda: not host.serving)
        assert [one.note for one in host.traffic][-1].startswith(
            "not a frame: message at byte 0: expected a 4-digit"
        )
        writer.close()


async def test_bytes_that_are_no_message_are_told_and_harm_nobody() -> None:
    """Random bytes in a frame get no response, a message cut inside an element gets a format error; the
    connection goes on."""
    async with AsyncHost() as host:
        reader, writer = await connect(host)
        writer.write(b"\x00\x08\xde\xad\xbe\xef\xde\xad\xbe\xef")
        cut = framed(message())[2:-9]
        writer.write(len(cut).to_bytes(2, "big") + cut)
        assert await answer_of(reader) == "0110 30"
        writer.write(framed(message(2)))
        assert await answer_of(reader) == "0110 00"
        assert kinds(host.traffic).count("unanswered") == 1
        writer.close()


async def test_who_floods_a_host_does_not_hold_up_another() -> None:
    """The host reads one piece of 120 KB of messages without responses, then serves the other connections."""
    rules = rules_of([{"mti": "0100", "action": "ignore"}])
    async with AsyncHost(rules=rules) as host:
        _, flood = await connect(host)
        reader, writer = await connect(host)
        await until(lambda: len(host.serving) == 2)
        flood.write(framed(message()) * 1000)
        writer.write(framed(message(2, "echo")))
        assert await answer_of(reader) == "0810 00"
        assert host.traffic.counts["unanswered"] < 800
        await until(lambda: host.traffic.counts["unanswered"] == 1000)
        flood.close()
        writer.close()


async def test_frame_after_frame_that_is_no_message_is_cut_off() -> None:
    """40,000 one-byte frames: the formats that would read one are determined once, and a limited number in
    a row ends the connection; frames that get a format error may continue forever."""
    async with AsyncHost(limits={"unreadable": 100}) as host:
        reader, flood = await connect(host)
        flood.write(b"\x00\x01X" * 40_000)
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
        await until(lambda: not host.serving)
        assert host.traffic.counts["unanswered"] == 100
        assert [one.note for one in host.traffic if one.kind == "closed"] == [
            "100 consecutive frames were not messages"
        ]
        flood.close()

        reader, other = await connect(host)
        body = framed(message())[2:-9]
        other.write((len(body).to_bytes(2, "big") + body) * 300)
        for _ in range(300):
            assert await answer_of(reader) == "0110 30"
        other.close()


async def test_the_formats_that_read_a_frame_are_named_once_a_connection() -> None:
    """A peer with another format is told once which one it is."""
    async with AsyncHost() as host:
        other = Line.of("bcd", ["length-2"])
        _, writer = await connect(host)
        writer.write(other.encode(message()) * 3)
        await until(lambda: host.traffic.counts["unanswered"] == 3)
        notes = [one.note for one in host.traffic if one.kind == "unanswered"]
        assert ["it reads as bcd" in note for note in notes] == [True, False, False]
        writer.close()


async def test_a_client_that_never_reads_stops_being_read(clock: Clock) -> None:
    """The host keeps only a buffer for it, disconnects it after its time limit, and logs the undelivered
    responses."""
    async with AsyncHost(limits={"traffic": 200_000}) as host:
        writer, sent = await never_reading(host)
        before = -1
        while before != host.traffic.counts["request"]:
            before = host.traffic.counts["request"]
            for _ in range(500):
                await asyncio.sleep(0)
        assert 0 < before < sent
        await clock.advance(31)
        await until(lambda: not host.serving)
        assert host.traffic.counts["undelivered"] > 0
        assert before == host.traffic.counts["answer"] + host.traffic.counts["undelivered"]
        # Both clocks run out at the same time: what it did not take, what it did not finish.
        why = list(host.traffic)[-1].note
        assert why.partition(";")[0] in (
            "responses were not read for 30 seconds",
            "a frame was not complete after 30 seconds",
        )
        writer.transport.abort()


async def test_a_stopped_host_tells_the_answers_that_it_did_not_give(clock: Clock) -> None:
    """A response that is still delayed is logged as undelivered."""
    host = AsyncHost(rules=rules_of([{"delay": 5}]))
    async with host:
        _, writer = await connect(host)
        writer.write(framed(message()))
        await until(lambda: clock.due())
    assert [(one.kind, one.note) for one in host.traffic if one.kind == "undelivered"] == [
        ("undelivered", "the host was stopped")
    ]
    writer.close()


@long
async def test_traffic_grows_no_further_than_its_bound() -> None:
    """After five times the limit of requests, the traffic has as many entries as the limit, and uses no
    more memory."""
    limits = {"traffic": 100, "remembered": 100, "late": 100}
    tracemalloc.start()
    async with (
        AsyncHost(limits=limits) as host,
        AsyncClient(("127.0.0.1", host.port), limits=limits) as client,
    ):

        async def ask(first: int, count: int) -> int:
            for stan in range(first, first + count):
                assert (await client.send(message(stan, amount_minor_units=1))).code == "00"
            gc.collect()
            return tracemalloc.get_traced_memory()[0]

        before = await ask(1, 200)
        after = await ask(1000, 400)
    tracemalloc.stop()
    assert len(host.traffic) == 100
    assert host.traffic.forgotten > 800
    assert after - before < 50_000


async def test_a_place_that_is_taken_is_told() -> None:
    """A second host on the same port raises a LinkError that names it."""
    async with AsyncHost() as host:
        reason = r"expected an address to listen on, found none \(address already in use\)"
        with pytest.raises(LinkError, match=f"127.0.0.1:{host.port}: {reason}"):
            await AsyncHost(port=host.port).start()


async def test_a_host_listens_on_the_loopback_address_unless_asked() -> None:
    """By default no other machine can reach it."""
    async with AsyncHost() as host:
        assert host._server is not None
        assert [one.getsockname()[0] for one in host._server.sockets] == ["127.0.0.1"]


async def test_no_log_line_and_no_repr_shows_a_card_number(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Entries, rules and log lines of requests, broken frames and lost responses quote no card number."""
    caplog.set_level(logging.INFO, logger="sim.link")
    rules = rules_of([{"card": "4111111111111111", "action": "drop"}])
    async with (
        AsyncHost(rules=rules) as host,
        AsyncClient(("127.0.0.1", host.port)) as client,
    ):
        sending = asyncio.ensure_future(client.send(message(), reverse=False))
        await until(lambda: host.traffic.counts["unanswered"])
        await clock.advance(31)
        exchange = await sending
        cut = framed(message())[2:-9]
        _, writer = await connect(host)
        writer.write(len(cut).to_bytes(2, "big") + cut)
        await until(lambda: host.traffic.counts["answer"])
        writer.close()
        shown = f"{[*host.traffic]} {[*client.traffic]} {exchange} {rules} {host.accounts}"
    assert "4111111111111111" not in shown + caplog.text
    assert "timed out" in caplog.text


def test_traffic_is_bounded_by_its_bytes() -> None:
    """Few large messages are forgotten as many small ones are, and only as many as must be."""
    traffic = Traffic(LINE)
    traffic.most_bytes = 1000
    for at in range(5):
        traffic.add(float(at), "", "in", "request", bytes(400))
    assert ([one.at for one in traffic], traffic.forgotten) == ([3.0, 4.0], 3)
