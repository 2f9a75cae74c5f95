"""The answers as they go over the wire: a status, a body, and headers that say what is true."""

from __future__ import annotations

from collections.abc import Iterator

from sanic import HTTPResponse
from sanic.response import BaseHTTPResponse

JSON = "application/json"


class Response(HTTPResponse):
    """Sanic's answer without a header that it sets though it has nothing to say in it."""

    @property
    def processed_headers(self) -> Iterator[tuple[bytes, bytes]]:
        """Name and value of each header, as they are sent."""
        if not self.headers.get("alt-svc", "?"):
            del self.headers["alt-svc"]
        return super().processed_headers


class Answer(BaseHTTPResponse):
    """A success in JSON.

    Sanic looks through every header for what must not stand in one, which takes a fifth of what it needs for
    a request. The two that it sets itself cannot hold any such thing; with others, its own way is taken.
    """

    def __init__(self, body: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.status = 200
        self.content_type = JSON
        self.body = body

    @property
    def processed_headers(self) -> Iterator[tuple[bytes, bytes]]:
        """Name and value of each header, as they are sent."""
        headers = self.headers
        if "alt-svc" in headers and not headers["alt-svc"]:  # Sanic's, where it knows no other service
            del headers["alt-svc"]
        size, connection = headers.get("content-length"), headers.get("connection")
        if len(headers) != 2 or not isinstance(size, int) or connection not in _CONNECTION:
            return super().processed_headers
        return iter(((b"content-length", b"%d" % size), _CONNECTION[connection], _CONTENT_TYPE))


_CONNECTION = {text: (b"connection", text.encode()) for text in ("keep-alive", "close")}
_CONTENT_TYPE = (b"content-type", JSON.encode())
