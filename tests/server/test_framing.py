"""Where a request ends: what HTTP forbids is rejected, so that no proxy sees a different end."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from http_requests import ALLOWED, CHUNKED, SMUGGLED
from support import together

from tests.server.conftest import STOP_SECONDS


@together("data", SMUGGLED.values())
def test_what_http_forbids_is_refused(local: Any, data: bytes) -> None:
    """400 in the common error shape, and the connection is closed: what follows is never answered."""
    answer = local.talk(data)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer
    assert b'"type":"bad_request"' in answer


@pytest.mark.parametrize("data", ALLOWED.values(), ids=ALLOWED)
def test_what_http_allows_is_read(local: Any, data: bytes) -> None:
    """Unusual heads and chunks are accepted, and so is the next request on the same connection."""
    last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = local.talk(data + last)
    assert answer.count(b"HTTP/1.1 200 OK") == 2


@pytest.mark.parametrize("size", [1, 2, 7])
def test_pieces_do_not_matter(local: Any, size: int) -> None:
    """A chunked request in pieces of any size is read as if in one piece."""
    data = CHUNKED + b"Connection: close\r\n\r\n1;x\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
    with socket.create_connection(local.address, timeout=STOP_SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(data), size):
            connection.sendall(data[at : at + size])
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200 OK")
