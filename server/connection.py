"""What SECURITY.md promises and Sanic has no setting for; each promise is stated at its code.

pyproject.toml pins Sanic's versions, because its connection classes are undocumented.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from time import perf_counter
from typing import Any

from sanic import Request
from sanic.exceptions import BadRequest, PayloadTooLarge
from sanic.http import Http, Stage
from sanic.server import HttpProtocol

from server.errors import JSON, LINGER, problem, to_body
from server.hosts import target_host

# RFC 9112: request line (3), field lines (5): no blank before the colon, no line folding, no bare CR or LF.
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # RFC 9110, section 5.6.2
_FIELD = rb"\r\n" + _TOKEN + rb":[\t\x20-\x7e\x80-\xff]*+"
_HEAD = re.compile(_TOKEN + rb" [\x21-\x7e]++ HTTP/1\.[01](?:" + _FIELD + rb")*+")
# Section 7.1: the line end of the chunk before, hex digits, extensions without control characters.
_CHUNK = re.compile(rb"\r\n[0-9A-Fa-f]{1,16}(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?")
_MOST_OF_CHUNK_LINE = 256
_READ_AWAY = 16  # how many times the largest body is read, and discarded, of one that is too large


class StrictRequest(Request):
    """A request with a well-formed HTTP head and a host name that this server answers for."""

    def __init__(self, url_bytes: bytes, *rest: Any, **named: Any) -> None:
        """Promise: requests smuggled inside another one, and requests for other hosts, are rejected.

        Without a head this is not a request: Sanic makes such an object to report an error, perhaps for an
        invalid URL.
        """
        super().__init__(url_bytes if named.get("head") else b"*", *rest, **named)
        self.begun = perf_counter()
        if not self.head:
            return
        if fault := _head_fault(self):
            raise BadRequest(fault)
        if coding := self.headers.get("transfer-encoding"):
            self.headers["transfer-encoding"] = coding.strip("\t ").lower()  # RFC 9112, section 7
        if not self.app.ctx.hosts(target_host(url_bytes.decode(), self.headers.get("host"))):
            msg = "This server does not serve the requested host name; to allow it, add it to SIM_HOSTS"
            raise problem(421, "misdirected_request", ["header", "host"], msg)

    async def receive_body(self) -> None:
        """Promise: clients take turns, one request each, however many a client sends at once.

        An oversized body is read and discarded up to a limit: a client that is still sending would lose the
        response.
        """
        stream: Any = self.stream
        if len(stream.recv_buffer) > stream.request_bytes_left:  # otherwise reading waits anyway
            await asyncio.sleep(0)
        most = self.app.config.REQUEST_MAX_SIZE
        stream.request_max_size = _READ_AWAY * most  # as Sanic does for a streaming handler
        body, size = bytearray(), 0
        while (part := await stream.read()) is not None:
            size += len(part)
            if size <= most:
                body += part
        if size > most:
            raise PayloadTooLarge
        self.body = bytes(body)


def _head_fault(request: Request) -> str | None:
    headers = request.headers
    if not _HEAD.fullmatch(request.head):
        return "malformed head"
    if len(headers.getall("host", ())) != 1 and (request.version == "1.1" or "host" in headers):
        return "not one Host"  # section 3.2
    length = headers.get("content-length", "0").strip("\t ")
    if not (length.isascii() and length.isdigit()):
        return "Content-Length is not a number"
    if request.version == "1.0" and "transfer-encoding" in headers:
        return "chunks in HTTP/1.0"  # section 6.1
    return None


class StrictHttp(Http):
    """The requests of a connection as Sanic reads them, except for the lines between chunks."""

    recv_buffer: bytearray
    request_body: Any  # Sanic's: None, True, or "chunked"
    request_bytes: Any
    request_bytes_left: Any

    def read(self) -> Coroutine[Any, Any, bytes | None]:
        """Promise: smuggled requests are rejected: an invalid line between chunks gives 400."""
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


class Connection(HttpProtocol):
    """One connection: limits the number of connections, and the time of a request."""

    HTTP_CLASS = StrictHttp
    _time: float  # Sanic's: when the connection was last active

    def connection_made(self, transport: Any) -> None:
        """Promise: at most SIM_MAX_CONNECTIONS; the connection idle for longest makes room."""
        if len(self.connections) < self.app.ctx.settings.max_connections or self._make_room():
            super().connection_made(transport)  # type: ignore[no-untyped-call]
        else:
            transport.set_protocol(_Full(transport, self.loop))

    def data_received(self, data: bytes) -> None:
        """Promise: slow clients cannot extend a deadline: a request's time counts from its first byte."""
        since, idle = self._time, self.idle
        super().data_received(data)
        if not idle:
            self._time = since

    @property
    def idle(self) -> bool:
        """Whether the connection is open and between two requests."""
        http = self.http
        return http is None or (http.stage is Stage.IDLE and not http.request_body)

    def _make_room(self) -> bool:
        idle = [peer for peer in self.connections if peer.idle and not peer.transport.is_closing()]
        if idle:
            min(idle, key=lambda peer: peer._time).close()
        return bool(idle)


class _Full(asyncio.Protocol):
    """A connection beyond the limit: it gets 503, and its data is ignored."""

    _DETAIL = to_body([{"type": "service_unavailable", "loc": ["server"], "msg": "Too many connections"}])
    _ANSWER = (
        b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: %d\r\nconnection: close\r\n"
        b"content-type: %b\r\nretry-after: 1\r\n\r\n%b"
    ) % (len(_DETAIL), JSON.encode(), _DETAIL)

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        transport.write(self._ANSWER)
        transport.write_eof()
        loop.call_later(LINGER, transport.abort)
