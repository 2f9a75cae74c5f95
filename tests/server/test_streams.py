"""Random streams of requests, cut anywhere: the pieces in which a stream arrives make no difference. Each
stream goes over two real connections, in one piece and in pieces of any size. Both get the same bytes and
the same end, no response is an internal error, and no client waits forever."""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import pairwise

import pytest
from http_requests import ALLOWED, JSON, SMUGGLED

from tests.server.conftest import STOP_SECONDS, Running, serving

STREAMS = 240
AT_ONCE = 100  # connections
SEED = 8583
ECHO = b'{"message": "08002020000000000000990000123456"}'
WRONG = b'{"message_type": 1, "message": 1}'
# These give the same bytes at any time; what is generated tells it.
STEADY = (b"/validate", b"/explain", b"/parse")
PAGES = (b"/health", b"/nope", b"/generate", b"/health?x=1", b"/%2e")
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def _head(line: bytes, *more: bytes) -> bytes:
    return b"\r\n".join([line, b"Host: localhost", *more, b"", b""])


def _page(some: random.Random) -> bytes:
    method = some.choice([b"GET", b"HEAD", b"OPTIONS", b"PUT"])
    return _head(method + b" " + some.choice(PAGES) + b" HTTP/1.1")


def _post(some: random.Random) -> bytes:
    body = some.choice([ECHO, WRONG, b"", b"{", b"[]", b" " * 3000])
    length = len(body) + some.choice([0, 0, 0, 0, 0, 1, -1])
    line = b"POST " + some.choice(STEADY) + b" HTTP/1.1"
    expect = [b"Expect: 100-continue"] if some.random() < 0.1 else []
    return _head(line, JSON.strip(), b"Content-Length: %d" % max(length, 0), *expect) + body


def _chunks(some: random.Random) -> bytes:
    line = b"POST " + some.choice(STEADY) + b" HTTP/1.1"
    body, made = some.choice([ECHO, WRONG]), b""
    while body:
        size = some.randint(1, len(body))
        extension = some.choice([b"", b"", b";a=b"])
        made += b"%x%b\r\n%b\r\n" % (size, extension, body[:size])
        body = body[size:]
    return _head(line, JSON.strip(), b"Transfer-Encoding: chunked") + made + b"0\r\n\r\n"


def _changed(some: random.Random, data: bytes) -> bytes:
    """*data* with some bytes changed, dropped or doubled."""
    made = bytearray(data)
    for _ in range(some.randint(1, 3)):
        at = some.randrange(len(made))
        kind = some.random()
        if kind < 0.5:
            made[at] = some.choice(b"\r\n \t:;,0aA/\x00\xff%")
        elif kind < 0.8:
            del made[at]
        else:
            made[at:at] = made[at : at + some.randint(1, 9)]
    return bytes(made)


def stream(some: random.Random) -> bytes:
    """One to five consecutive requests, some of them invalid, the last possibly truncated."""
    edges = [one.replace(b"/generate", b"/validate") for one in (*SMUGGLED.values(), *ALLOWED.values())]
    makers = (_page, _post, _chunks, lambda some: some.choice(edges))
    data = b""
    for _ in range(some.randint(1, 5)):
        made = some.choice(makers)(some)
        data += _changed(some, made) if some.random() < 0.3 else made
    return data[: some.randrange(1, len(data))] if some.random() < 0.2 else data


def cut(some: random.Random, data: bytes) -> list[bytes]:
    """*data* in pieces."""
    places = sorted({0, len(data), *(some.randrange(len(data)) for _ in range(some.randint(1, 12)))})
    return [data[start:end] for start, end in pairwise(places)]


def talk(running: Running, pieces: list[bytes]) -> bytes:
    """The whole response to *pieces* until the server closes the connection."""
    answer = b""
    with socket.create_connection(running.address, timeout=STOP_SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(ConnectionError):  # it was refused, and closed before all was sent
            for piece in pieces:
                connection.sendall(piece)
        with suppress(ConnectionError):
            while got := connection.recv(65536):
                answer += got
    return answer


def both(running: Running, streams: list[tuple[bytes, list[bytes]]]) -> list[tuple[bytes, bytes]]:
    """The responses to each stream, whole and in pieces."""
    ways = [way for data, pieces in streams for way in ([data], pieces)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(partial(talk, running), ways))
    return list(zip(answers[::2], answers[1::2], strict=True))


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with short timeouts, so that each stream ends."""
    waits = {"SIM_REQUEST_TIMEOUT": "1", "SIM_KEEP_ALIVE_TIMEOUT": "1", "SIM_RESPONSE_TIMEOUT": "4"}
    with serving(tmp_path_factory.mktemp("brief"), "--access-log", **waits) as running:
        yield running
        running.stop()
        assert running.err.read_text() == ""


def test_pieces_change_nothing(brief: Running) -> None:
    """Whole and in pieces, a stream gets the same bytes, no internal error, and an end."""
    some = random.Random(SEED)
    streams = [(data, cut(some, data)) for data in (stream(some) for _ in range(STREAMS))]
    answers = both(brief, streams)
    differ = [(data, *pair) for (data, _), pair in zip(streams, answers, strict=True) if pair[0] != pair[1]]
    assert differ == []
    statuses = [int(one) for whole, _ in answers for one in _STATUS.findall(whole)]
    assert {200, 204, 400, 404, 405, 408, 422} <= {*statuses}
    assert {one for one in statuses if one >= 500} == set()


def test_no_request_is_smuggled_in_pieces(brief: Running) -> None:
    """A request that hides another one is rejected in pieces as in one; the hidden one is never answered."""
    some = random.Random(SEED)
    streams = [(data, cut(some, data)) for data in SMUGGLED.values()]
    for whole, pieces in both(brief, streams):
        for answer in (whole, pieces):
            assert [int(one) for one in _STATUS.findall(answer)] == [400]
