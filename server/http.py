"""Where this service is stricter than Sanic: HTTP's grammar, time limits that hold, a cap on connections.

A proxy and the service behind it must agree where a request ends, or one request can be smuggled in another;
so what RFC 9112 forbids is refused and the connection closed. A request has to be there within its time,
however slowly its bytes come. Where no more connections may be held, the one that has been idle for longest
makes room; where none is idle, the new one is told so.

And where it is quicker: a usual request that waits for nothing is answered as its bytes come. All others wake
the task of their connection, which reads them as Sanic does; both ways give the same bytes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from time import monotonic, perf_counter
from typing import Any

from sanic import Request
from sanic.exceptions import BadRequest, RequestTimeout, ServiceUnavailable
from sanic.http import Http, Stage
from sanic.http.http1 import HTTP_CONTINUE
from sanic.server.protocols.http_protocol import HttpProtocol

from server import logs
from server.errors import Problem, to_body
from server.heads import LONGEST, TOKEN, usual_head
from server.hosts import target_host
from server.responses import JSON

LINGER = 1.0  # seconds that a client who is being turned away has to read why
LONGEST_CHECK = 1.0  # seconds between two looks at a connection's time

# RFC 9112: request line (3), field lines (5): no blank before the colon, no line folding, no bare CR or LF.
_HEAD = re.compile(TOKEN + rb" [\x21-\x7e]++ HTTP/1\.[01](?:\r\n" + TOKEN + rb":[\t\x20-\x7e\x80-\xff]*+)*+")
# Section 7.1: the line end of the chunk before, hex digits, extensions without control characters.
_CHUNK = re.compile(rb"\r\n[0-9A-Fa-f]{1,16}(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?")
_MOST_OF_CHUNK_LINE = 256
_WRONG_HOST = {"type": "misdirected_request", "loc": ["header", "host"]}


class LabRequest(Request):
    """A request as Sanic has it, but for two things.

    One whose URL cannot be read still gets an answer: Sanic makes a second one for the error, by the method
    NONE, and would stumble over the same URL again. And a body is read without a generator, which would
    take longer than the reading.
    """

    def __init__(self, url_bytes: bytes, *args: Any, **kwargs: Any) -> None:
        super().__init__(b"*" if kwargs.get("method") == "NONE" else url_bytes, *args, **kwargs)

    async def receive_body(self) -> None:
        """Read the body, where it has not been read yet."""
        stream: Any = self.stream
        if self.body:
            return
        parts = []
        while stream.request_body:
            if part := await stream.read():
                parts.append(part)
        self.body = b"".join(parts)
        stream.protocol.since = monotonic()  # from now on the answer is waited for


class LabHttp(Http):
    """One connection's requests, read by HTTP's grammar. After `keep_alive_requests` of them it is closed, so
    that clients that stay for long are dealt out anew among the workers."""

    __slots__ = ("_ahead", "_refused", "_served")
    protocol: LabProtocol
    request_body: Any  # Sanic's: False or None, True, or "chunked"
    request_bytes: Any
    url: str

    def __init__(self, protocol: LabProtocol) -> None:
        super().__init__(protocol)  # type: ignore[no-untyped-call]
        self.init_for_request()  # type: ignore[no-untyped-call]  # there is no body before the first request
        self._served = 0
        self._ahead = False  # the client did not wait for an answer before it sent more
        self._refused: Exception | None = None  # what was wrong with a request that was looked at at once
        protocol.request_handler = self._answer

    async def http1_request_header(self) -> None:
        """Read the head of a request. Raises BadRequest for what HTTP forbids, Problem 421 for a host that
        is not this server's."""
        self.protocol.since = monotonic()
        if self._ahead:
            await asyncio.sleep(0)  # one request of each client in turn, however many it sent at once
        if not self._read_usual():
            await self._read_unusual()
        self._served += 1
        if self._served >= self.protocol.app.ctx.settings.keep_alive_requests:
            self.keep_alive = False

    def _read_usual(self) -> bool:
        """Take a request whose head is a usual one, with its body where all of it is there. False where the
        head is any other: nothing was taken."""
        buffer, protocol = self.recv_buffer, self.protocol
        end = buffer.find(b"\r\n\r\n", 0, LONGEST)
        head = usual_head(bytes(buffer[:end])) if end > 0 else None
        if head is None or not protocol.app.ctx.hosts(head.headers["host"]):
            return False
        request = LabRequest(
            head.path.encode(), head.headers, "1.1", "POST", protocol.transport, protocol.app, b""
        )
        self.url, self.keep_alive, self.head_only = head.path, True, False
        end += 4
        whole = end + head.length
        if len(buffer) >= whole and head.length <= self.request_max_size:
            request.body, end = bytes(buffer[end:whole]), whole
        else:
            self.request_body = True
            self.request_bytes = self.request_bytes_left = head.length
        del buffer[:end]
        self.request, request.stream = request, self
        return True

    async def _read_unusual(self) -> None:
        await super().http1_request_header()  # type: ignore[no-untyped-call]
        if fault := self._head_fault():
            self.request_body = None  # where it ends cannot be known
            raise BadRequest(fault)
        asked = target_host(self.url, self.request.headers.get("host"))
        if not self.protocol.app.ctx.hosts(asked):
            msg = "This server does not answer for the host that was asked; name it in SIM_HOSTS if it should"
            raise Problem(421, [{**_WRONG_HOST, "msg": msg}])

    async def _answer(self, request: Request) -> None:
        """Have *request* answered: by its endpoint at once, or as Sanic finds what answers it."""
        app = self.protocol.app
        route, handler = app.ctx.endpoints.get((request.method, self.url), (None, None))
        refused, self._refused = self._refused, None
        if refused is not None:
            request.route = route
            raise refused
        if handler is None:
            await app.handle_request(request)
            return
        request.route = route
        if self.request_body:
            await request.receive_body()  # type: ignore[no-untyped-call]
        self.response = await handler(request)
        await self.http1_response_header(b"", end_stream=True)

    def answer_at_once(self, data: bytes) -> bool:
        """Answer *data* where that is one usual request, all of it, which needs no waiting: without waking
        the connection's task, which costs as much as the rest of HTTP. False where it is anything else, and
        for what is refused: the task does that."""
        end = data.find(b"\r\n\r\n", 0, LONGEST)
        head = usual_head(data[:end]) if end > 0 else None
        if head is None or not head.plain or len(data) != end + 4 + head.length:
            return False
        protocol, ctx = self.protocol, self.protocol.app.ctx
        handler = ctx.at_once.get(head.path)
        if handler is None or not ctx.hosts(head.headers["host"]) or head.length > protocol.request_max_size:
            return False
        if self._served + 1 >= ctx.settings.keep_alive_requests:
            return False
        begun = perf_counter()
        try:
            answer = handler(data[end + 4 :])
        except Exception as error:  # noqa: BLE001, whatever it is: the task tells of it
            self._refused = error
            return False
        if answer is None:
            return False
        self._served += 1
        if ctx.settings.access_log:
            logs.write_access("POST", head.path, 200, len(answer), begun)
        protocol.transport.write(ctx.heads.success(len(answer), kept=True) + answer)
        return True

    async def http1_response_header(self, data: bytes, end_stream: bool) -> None:
        """Send the answer. None here comes in parts, so *data* and *end_stream* say nothing new."""
        answer, ctx = self.response, self.protocol.app.ctx
        body = answer.body or b""
        head = ctx.heads(answer, len(body), kept=self.keep_alive)
        if ctx.settings.access_log:
            route = self.request.route
            uri = route.uri if route else None
            logs.write_access(self.request.method, uri, answer.status, len(body), self.perft0)
        if self.expecting_continue:  # the body was not waited for, but will come
            self.expecting_continue = False
            head = HTTP_CONTINUE + head
        self.response_func: Any = None  # all is sent
        await self._send(head if self.head_only else head + body)
        self.stage = Stage.IDLE
        self._ahead = bool(self.recv_buffer)

    def _head_fault(self) -> str | None:
        request = self.request
        headers = request.headers
        if not _HEAD.fullmatch(request.head):
            return "malformed head"
        if len(headers.getall("host", ())) != 1 and (request.version == "1.1" or "host" in headers):
            return "not one Host"  # section 3.2
        length = headers.get("content-length")
        if length is not None and not (length.isascii() and length.strip("\t ").isdigit()):
            return "Content-Length is no number"
        if "transfer-encoding" in headers and request.version == "1.0":
            return "chunks in HTTP/1.0"  # section 6.1
        return None

    def read(self) -> Coroutine[Any, Any, bytes | None]:
        """Some bytes of the body, None at its end. Raises BadRequest for a chunk that is none."""
        if self.request_body == "chunked" and not self.request_bytes_left:
            return self._read_chunk()
        return super().read()

    async def _read_chunk(self) -> bytes | None:
        buffer = self.recv_buffer
        while (end := buffer.find(b"\r\n", 2)) < 0 and len(buffer) < _MOST_OF_CHUNK_LINE:
            await self._receive_more()
        if end > _MOST_OF_CHUNK_LINE or not _CHUNK.fullmatch(buffer, 0, max(end, 0)):
            self.keep_alive, self.request_body = False, None
            raise BadRequest("Bad chunked encoding")
        self.request_bytes += end  # chunks of one byte each cost more than their bytes
        return await super().read()


class LabProtocol(HttpProtocol):
    """One connection: how long it may take, and whether there is room for it.

    `since`: when the request's first byte was looked at; once all of it has been read, that moment.
    """

    HTTP_CLASS = LabHttp
    __slots__ = ("_at_rest", "_ended", "_turned_away", "since")
    recv_buffer: bytearray
    transport: Any
    _task: Any

    def connection_made(self, transport: Any) -> None:
        """Take the connection if there is room, or if an idle one can make room."""
        self._turned_away: float | None = None
        self._ended = False  # the client sends no more
        self._at_rest = False  # the task waits for the next request
        self.since = monotonic()
        if len(self.connections) < self.app.ctx.settings.max_connections or self._make_room():
            super().connection_made(transport)  # type: ignore[no-untyped-call]
        else:
            transport.set_protocol(_Full(transport, self.loop))

    def data_received(self, data: bytes) -> None:
        """Take what came: answer it at once, or have the task look at it."""
        if self._at_rest and not self.recv_buffer and self._can_write.is_set():
            http = self.http
            if not self.transport.is_closing() and http.answer_at_once(data):
                self._time = self.since = monotonic()
                return
        super().data_received(data)

    def eof_received(self) -> bool:
        """The client sends no more: it still gets the answers to all that came. False closes at once."""
        self._ended = self._data_received.is_set() and bool(self.recv_buffer)
        return self._ended

    async def receive_more(self) -> None:
        """Wait until more has come, where more can come."""
        if self._ended:
            self.close()
        http = self.http
        self._at_rest = http.stage is Stage.IDLE and not http.request_body
        try:
            await super().receive_more()  # type: ignore[no-untyped-call]
        finally:
            self._at_rest = False

    def _make_room(self) -> bool:
        """Close the connection that has been idle for longest. False where none is."""
        idle = [one for one in self.connections if one.idle]
        if idle:
            min(idle, key=lambda one: one.since).close()
        return bool(idle)

    @property
    def idle(self) -> bool:
        """Whether the connection is open and between two requests."""
        http = self.http
        between = http is None or (http.stage is Stage.IDLE and not http.request_body)
        return between and not self.transport.is_closing()

    def check_timeouts(self) -> None:
        """Runs while the connection is open: end what has taken too long."""
        http = self.http
        if http is None or self._task is None:
            return
        now = monotonic()
        if self._turned_away is not None:
            if now - self._turned_away >= LINGER:
                self.transport.abort()
                return
        elif self.idle:
            if now - self._time > self.keep_alive_timeout:
                self.close()
                return
        else:
            self._check_request(http, now)
        limits = self.keep_alive_timeout, self.request_timeout, self.response_timeout
        wait = min(LONGEST_CHECK, max(min(limits) / 4, 0.02))
        self._callback_check_timeouts = self.loop.call_later(wait, self.check_timeouts)

    def _check_request(self, http: LabHttp, now: float) -> None:
        receiving = http.stage is Stage.REQUEST or http.request_body
        if now - self.since <= (self.request_timeout if receiving else self.response_timeout):
            return
        # It is told so, and then has LINGER to read it.
        self._turned_away = now
        if http.stage is not Stage.IDLE:  # idle with a body: answered already, reading the rest away
            http.exception = RequestTimeout() if receiving else ServiceUnavailable()
            self._task.cancel()


class _Full(asyncio.Protocol):
    """A connection too many: it gets 503, and what it sends is not looked at."""

    _DETAIL = to_body([{"type": "service_unavailable", "loc": ["server"], "msg": "Too many connections"}])
    _ANSWER = (
        b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: %d\r\nconnection: close\r\n"
        b"content-type: %b\r\nretry-after: 1\r\n\r\n%b"
    ) % (len(_DETAIL), JSON.encode(), _DETAIL)

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        transport.write(self._ANSWER)
        transport.write_eof()
        loop.call_later(LINGER, transport.abort)
