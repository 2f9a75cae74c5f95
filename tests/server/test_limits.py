"""What a single client can use up: time, connections, memory, response bytes."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from time import monotonic
from typing import Any

import httpx
import psutil
import pytest
from support import long, together

from server.errors import MAX_FAULTS, to_body
from tests.server.conftest import Running, serving

JSON = b"Content-Type: application/json\r\n"
POST = b"POST /generate HTTP/1.1\r\nHost: localhost\r\n" + JSON
HALF = POST + b"Content-Length: 1000\r\n\r\n" + b"{" * 500
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATIENCE = 60.0
SHORT = "0.3"
CAP = 8  # connections


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with short timeouts."""
    limits = ("REQUEST", "RESPONSE", "KEEP_ALIVE")
    waits = {f"SIM_{one}_TIMEOUT": SHORT for one in limits}
    with serving(tmp_path_factory.mktemp("hasty"), warm=False, **waits) as running:
        yield running


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with few connections, whose log stays empty."""
    with serving(tmp_path_factory.mktemp("capped"), warm=False, SIM_MAX_CONNECTIONS=str(CAP)) as running:
        yield running
        running.stop()
        assert running.err.read_text() == ""


def connect(running: Any, data: bytes = b"") -> socket.socket:
    """A connection on which *data* has been sent."""
    made = socket.create_connection(running.address, timeout=PATIENCE)
    made.sendall(data)
    return made


def trickle(running: Any, begun: bytes, piece: bytes) -> tuple[bytes, float]:
    """Send *begun*, then *piece* after *piece* until the server closes the connection; returns the
    response and the seconds."""
    start = monotonic()
    answer = b""
    with connect(running, begun) as connection:
        connection.settimeout(0.02)
        while monotonic() - start < PATIENCE:
            try:
                if not (got := connection.recv(65536)):
                    break
                answer += got
            except TimeoutError:
                pass
            except OSError:
                break
            try:
                connection.sendall(piece)
            except OSError:
                break
    return answer, monotonic() - start


def held(running: Any) -> int:
    """The number of connections that the server has open."""
    states = [one.status for one in psutil.Process(running.process.pid).net_connections("tcp")]
    return states.count(psutil.CONN_ESTABLISHED)


@pytest.mark.parametrize(
    ("begun", "piece"),
    [
        pytest.param(b"GET /health HTTP/1.1\r\nX: ", b"a", id="header"),
        pytest.param(POST + b"Content-Length: 100000\r\n\r\n", b" ", id="body"),
        pytest.param(POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", id="chunks", marks=long),
    ],
)
def test_a_trickle_does_not_buy_time(hasty: Running, begun: bytes, piece: bytes) -> None:
    """A slow stream of bytes extends no deadline: the request gets 408, and the connection is closed."""
    answer, seconds = trickle(hasty, begun, piece)
    assert b"HTTP/1.1 408 " in answer
    assert b'"type":"request_timeout"' in answer
    assert seconds < PATIENCE / 2


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(HALF, id="half a body", marks=long),
        pytest.param(POST, id="half a head"),
        pytest.param(b"", id="silent"),
        pytest.param(HEALTH, id="idle"),
    ],
)
def test_what_stays_half_done_is_closed(hasty: Running, data: bytes) -> None:
    """Half a request, and an idle connection, are closed."""
    hasty.talk(data)
    assert held(hasty) == 0


def test_a_header_that_does_not_come_is_told_so(hasty: Running) -> None:
    """Half a header gets 408, and the connection is closed."""
    answer = hasty.talk(b"GET /health HTTP/1.1\r\n")
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"type":"request_timeout"' in answer


@long
def test_a_refused_body_is_read_away_for_a_time_only(hasty: Running) -> None:
    """A rejected body may not trickle on forever after its response."""
    begun = b"POST /nope HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n"
    answer, seconds = trickle(hasty, begun, b" ")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert seconds < PATIENCE / 2


@long
def test_an_answer_that_nobody_reads(hasty: Running) -> None:
    """A client that sends requests but reads nothing is disconnected."""
    page = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    httpx.get(hasty.url + "/openapi.json")  # made once, which takes longer than to be let go
    with connect(hasty) as one:
        one.settimeout(0.2)
        while True:
            try:
                one.sendall(page * 1000)
            except TimeoutError:  # neither takes any more
                if held(hasty) == 0:
                    break
            except OSError:  # closed while it was sending
                break
        assert httpx.get(hasty.url + "/health", timeout=PATIENCE).status_code == 200


def test_who_sends_ahead_waits_in_turn(start: Any) -> None:
    """A client that sends a hundred requests at once does not block others until they are all answered; in
    the end they are."""
    many = (POST + b"Content-Length: 2\r\n\r\n{}") * 100
    with (
        start("--access-log") as running,
        connect(running, HEALTH) as other,
        connect(running, HEALTH) as greedy,
    ):
        for one in (other, greedy):
            assert one.recv(65536).startswith(b"HTTP/1.1 200 ")
        running.process.send_signal(signal.SIGSTOP)  # until both have asked
        greedy.sendall(many)
        other.sendall(HEALTH)
        running.process.send_signal(signal.SIGCONT)
        assert other.recv(65536).startswith(b"HTTP/1.1 200 ")
        answers = b""
        while answers.count(b"HTTP/1.1 200 ") < 100:
            answers += greedy.recv(65536)
        running.stop()
    lines = running.out.read_text().splitlines()
    assert [index for index, line in enumerate(lines) if " GET /health " in line][2] < 50


def test_connections_beyond_the_cap_are_told_so(capped: Running) -> None:
    """If all connections are busy, one more gets 503 and Retry-After; the others go on."""
    with ExitStack() as stack:
        busy = [stack.enter_context(connect(capped, HALF)) for _ in range(CAP)]
        with connect(capped, HEALTH) as late:
            answer = b"".join(iter(lambda: late.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1" in answer
        detail = json.loads(answer.partition(b"\r\n\r\n")[2])["detail"]
        assert [(fault["type"], fault["loc"]) for fault in detail] == [("service_unavailable", ["server"])]
        busy[0].sendall(b"{" * 500)
        assert busy[0].recv(65536).startswith(b"HTTP/1.1 422 ")


def test_idle_connections_make_room(capped: Running) -> None:
    """Silent connections, and those between requests, are closed for new ones, the oldest first."""
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(capped)) for _ in range(3 * CAP)]
        assert httpx.get(capped.url + "/health", timeout=PATIENCE).status_code == 200
        assert silent[0].recv(1) == b""
        kept = [stack.enter_context(connect(capped, HEALTH)) for _ in range(CAP)]
        assert all(one.recv(65536).startswith(b"HTTP/1.1 200") for one in kept)
        assert httpx.get(capped.url + "/health", timeout=PATIENCE).status_code == 200


def test_half_bodies_hold_bounded_memory(capped: Running) -> None:
    """However many clients begin a body of the largest size, only the maximum number are buffered."""
    body = POST + b"Content-Length: 1000000\r\n\r\n" + b" " * 999_000
    with ExitStack() as stack:
        process = psutil.Process(capped.process.pid)
        assert httpx.get(capped.url + "/health", timeout=PATIENCE).status_code == 200
        before = process.memory_info().rss
        for _ in range(4 * CAP):
            one = stack.enter_context(socket.create_connection(capped.address, timeout=PATIENCE))
            try:
                one.sendall(body)
            except OSError:
                continue  # turned away
        assert process.memory_info().rss - before < 3 * CAP * 1_000_000


FLOODS: dict[str, tuple[str, bytes]] = {
    "against of numbers": ("/validate", b'{"message":"x","against":[' + b",".join([b"0"] * 500_000) + b"]}"),
    "against of texts": ("/validate", b'{"message":"x","against":[' + b",".join([b'"x"'] * 250_000) + b"]}"),
    "against of nulls": ("/validate", b'{"message":5,"against":[' + b",".join([b"null"] * 200_000) + b"]}"),
    "against of networks": (
        "/validate",
        b'{"message":"x","against":[' + b",".join([b'"VISA"'] * 140_000) + b"]}",
    ),
    "against of an object": ("/validate", b'{"against":{' + b",".join([b'"a":0'] * 160_000) + b"}}"),
    "a long name": ("/generate", b'{"network":"' + b"x" * 1_000_000 + b'"}'),
    "a long number": ("/generate", b'{"network":"' + b"9" * 1_000_000 + b'"}'),
    "a long provider": ("/explain", b'{"message":"x","llm":true,"provider":"' + b"x" * 1_000_000 + b'"}'),
    "a long description": ("/generate", b'{"description":"' + b"x" * 1_000_000 + b'"}'),
    "escapes": ("/generate", b'{"pan":"' + b"\\u0000" * 170_000 + b'"}'),
    "a long key": ("/generate", b'{"stan":5,"' + b"x" * 1_000_000 + b'":5}'),
    "nothing that is asked for": ("/explain", b'{"x":[' + b",".join([b"{}"] * 300_000) + b"]}"),
    "a list": ("/explain", b"[" + b",".join([b"{}"] * 300_000) + b"]"),
    "a long message": ("/explain", b'{"message":"' + b"0" * 1_000_000 + b'"}'),
}


@together("path, body", FLOODS.values())
def test_no_answer_is_larger_than_its_request(client: Any, path: str, body: bytes) -> None:
    """A large body with many faults gets a small response, in whichever field they are."""
    answer = client.post(path, body)
    assert answer.status_code in (200, 422)
    assert len(answer.content) < 30_000


def test_faults_beyond_a_hundred_are_not_listed() -> None:
    """Only the first hundred faults are listed."""
    fault = {"type": "enum", "loc": ["body"], "msg": "no"}
    assert json.loads(to_body([fault] * 1000))["detail"] == [fault] * MAX_FAULTS


def test_a_list_of_networks_ends(client: Any) -> None:
    """A hundred networks may be given, although there are six; more is an error."""
    for count, status in ((100, 200), (101, 422)):
        answer = client.post("/validate", {"message": "x", "against": ["VISA"] * count})
        assert answer.status_code == status
    (fault,) = answer.json()["detail"]
    assert (fault["type"], fault["loc"]) == ("too_long", ["body", "against"])


@together(
    "path, body",
    [
        ("/generate", {"pan": "45395787636"}),
        ("/generate", {"pan": "4539 5787 6362 1486"}),
        ("/generate", {"pan": "4539-5787-6362-1486"}),
        ("/generate", {"pan": 4539578763621486}),
        ("/generate", {"pan": ["453957876362"]}),
        ("/generate", {"network": "453957876362"}),
        ("/generate", {"stan": "4539578763621486"}),
        ("/generate", {"stan": 4539578763621486}),
        ("/generate", {"stan": [{"453957876362": "4539578763621486"}]}),
        ("/explain", {"pan": "45395787636", "text": "4539578763621486"}),
        ("/validate", ["4539578763621486", 4539578763621486]),
        ("/validate", "4539578763621486"),
    ],
)
def test_card_numbers_are_not_echoed(client: Any, path: str, body: Any) -> None:
    """A 422 quotes no card number, however short, from any position."""
    answer = client.post(path, body)
    assert answer.status_code == 422
    quoted = json.dumps([fault.get("input") for fault in answer.json()["detail"]])
    assert "787636" not in "".join(filter(str.isdigit, quoted))


def test_pages_may_not_be_framed(client: Any) -> None:
    """The documentation cannot be framed, and browsers must not guess its type."""
    headers = client("GET", "/docs").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@together("path", ["/health", "/docs", "/openapi.json", "/nope", "/generate"])
@together("method", ["GET", "OPTIONS"])
def test_no_header_is_empty(client: Any, method: str, path: str) -> None:
    """No response has an empty header."""
    assert all(value for value in client(method, path).headers.values())


@pytest.mark.parametrize("path", ["/health", "/docs", "/nope", "/generate"])
def test_security_headers_of_a_public_demo(public_client: Any, path: str) -> None:
    """Any origin may read every response of the demo; none is sniffed or cached."""
    headers = public_client("POST" if path == "/generate" else "GET", path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "cross-origin"
