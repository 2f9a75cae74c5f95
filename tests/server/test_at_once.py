"""Requests that are answered as they come, without waking the task of their connection."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from http_requests import JSON
from support import VECTORS, together, vector_id

from tests.server.conftest import STOP_SECONDS, Running, serving

PLAIN = b"\r\nHost: localhost\r\n" + JSON
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
ECHO = b'{"message": "08002020000000000000990000123456"}'
USUAL = b"POST /validate HTTP/1.1" + PLAIN + b"Content-Length: %d\r\n\r\n%b" % (len(ECHO), ECHO)
# A server whose tasks fail at every POST, and do not at anything else.
BROKEN_TASKS = """
from server.http import LabHttp
usual = LabHttp._answer
async def answer(self, request):
    if request.method == "POST" and self._refused is None:
        raise RuntimeError
    await usual(self, request)
LabHttp._answer = answer
"""


class Line:
    """A connection that is kept: each answer is read before the next request is sent."""

    def __init__(self, running: Running) -> None:
        self.socket = socket.create_connection(running.address, timeout=STOP_SECONDS)
        self.ask(HEALTH)  # the connection's task waits for the next request now

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, data: bytes) -> bytes:
        """The answer to the request *data*, sent in one piece."""
        self.socket.sendall(data)
        return self.read()

    def read(self) -> bytes:
        """The next answer."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        size = int(re.findall(rb"content-length: (\d+)", head)[0])
        while len(body) < size:
            body += self._more()
        return head + b"\r\n\r\n" + body

    def _more(self) -> bytes:
        got = self.socket.recv(65536)
        assert got, "the connection was closed"
        return got


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that answers at once or fails."""
    with serving(tmp_path_factory.mktemp("broken"), code=BROKEN_TASKS) as running:
        yield running


@pytest.fixture
def line(local: Running) -> Iterator[Line]:
    """A kept connection to the local server."""
    with Line(local) as made:
        yield made


def post(path: str, body: bytes, more: bytes = b"") -> bytes:
    """A POST of JSON, with *more* lines in its head."""
    return b"POST %b HTTP/1.1%b%bContent-Length: %d\r\n\r\n%b" % (path.encode(), PLAIN, more, len(body), body)


def status(answer: bytes) -> int:
    """The status of *answer*."""
    return int(answer.split(b" ", 2)[1])


@together("path", ["/generate", "/explain", "/validate"])
def test_a_usual_request_wakes_no_task(broken: Running, path: str) -> None:
    """A success is written as the request comes, again and again; a refusal is the task's."""
    body = b"{}" if path == "/generate" else ECHO
    wrong = b'{"message_type": 1, "message": 1}'
    with Line(broken) as line:
        assert [status(line.ask(post(path, body))) for _ in range(3)] == [200] * 3
        assert [status(line.ask(post(path, one))) for one in (b"[", body, wrong)] == [422, 200, 422]


@pytest.mark.parametrize(
    "data",
    [
        post("/validate", ECHO, b"X-Name: \xc3\xa9\r\n"),
        post("/validate", ECHO, b"Connection: close\r\n"),
        post("/validate", ECHO).replace(b"application/json", b"application/json; charset=utf-8"),
        post("/validate", ECHO).replace(b"/validate", b"/validate?x"),
        post("/parse", ECHO),
        USUAL + HEALTH,
    ],
    ids=["unusual head", "close", "content type", "query", "waits", "two"],
)
def test_anything_else_is_left_to_the_task(broken: Running, data: bytes) -> None:
    """What is unusual, may have to wait or is more than one request."""
    with Line(broken) as line:
        assert status(line.ask(data)) == 500


@pytest.mark.parametrize("row", VECTORS[::7], ids=vector_id)
def test_the_answer_is_the_same(line: Line, row: dict[str, Any]) -> None:
    """Byte for byte, whether the task was woken or not; of errors, too."""
    for path in ("/explain", "/validate"):
        body = b'{"message": %b}' % _quoted(row["message"])
        assert line.ask(post(path, body)) == line.ask(post(path, body, b"X-Name: \xc3\xa9\r\n"))


@together(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"message": 1}',
        b"\xef\xbb\xbf" + ECHO,
        b'{"message": NaN}',
        b'{"x": "\xff"}',
        b"\0",
    ],
)
def test_a_refusal_is_the_same(line: Line, body: bytes) -> None:
    """Of whatever body. What generate does not refuse is of the second in which it was asked."""
    for path in ("/generate", "/explain", "/validate"):
        plain, named = (line.ask(post(path, body, head)) for head in (b"", b"X-Name: \xc3\xa9\r\n"))
        assert status(plain) == status(named)
        assert plain == named or (path, status(plain)) == ("/generate", 200)


def test_a_request_in_pieces(line: Line) -> None:
    """Wherever it is cut: half of it is not answered, all of it is."""
    whole = line.ask(USUAL)
    for cut in (1, USUAL.index(b"\r\n\r\n") + 2, USUAL.index(b"\r\n\r\n") + 4, len(USUAL) - 1):
        line.socket.sendall(USUAL[:cut])
        line.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        assert line.ask(USUAL[cut:]) == whole


def test_the_last_request_of_a_connection_says_so(start: Any) -> None:
    """The answer to the last request that a connection may carry closes it."""
    with start(SIM_KEEP_ALIVE_REQUESTS="4") as running, Line(running) as line:
        answers = [line.ask(USUAL) for _ in range(3)]
        assert [b"connection: close" in one for one in answers] == [False, False, True]
        assert line.socket.recv(10) == b""


def test_half_closed_behind_a_request(broken: Running) -> None:
    """A client that says that it sends no more, in the same moment, still gets its answer."""
    with Line(broken) as line:
        line.socket.sendall(USUAL)
        line.socket.shutdown(socket.SHUT_WR)
        assert status(line.read()) == 200
        assert line.socket.recv(10) == b""


def _quoted(text: str) -> bytes:
    return json.dumps(text).encode()
