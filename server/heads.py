"""The heads of requests and answers as bytes, where they are the usual ones: read and written at once.

Nearly all requests are a POST of JSON with a plain head, which a client sends again and again; so what was
read of one is kept. Any other head is read by Sanic and held to HTTP's grammar in `server.http`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sanic.compat import Header
from sanic.headers import format_http1_response
from sanic.helpers import has_message_body
from sanic.response import BaseHTTPResponse

from server.body import is_plain
from server.responses import JSON, Answer

TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # RFC 9110, section 5.6.2
LONGEST = 1024  # bytes of a head that is kept
_USUAL = re.compile(rb"POST (/[a-z]++) HTTP/1\.1((?:\r\n" + TOKEN + rb":[\t\x20-\x7e]*+)++)")
_LENGTH = re.compile(r"[0-9]{1,15}")
_CARD_NUMBER = re.compile(rb"[0-9]{12}")  # what could be one is kept by no cache
_ONCE = ("host", "content-length")
# What changes where a request ends or how it is answered.
_UNUSUAL = frozenset({"transfer-encoding", "expect", "upgrade"})
_CONNECTION = {True: b"keep-alive", False: b"close"}


@dataclass(frozen=True, slots=True)
class Head:
    """A usual head: the path, the headers (which nobody changes), the bytes of the body that follows, and
    whether that is JSON and nothing else."""

    path: str
    headers: Header
    length: int
    plain: bool


def usual_head(raw: bytes) -> Head | None:
    """What *raw*, a head without its last line ends, says; None where it is unusual or wrong.

    >>> head = usual_head(b"POST /explain HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 20")
    >>> head.path, head.length
    ('/explain', 20)
    """
    try:
        return _kept(raw)
    except _NotKeptError:
        return _read(raw)


class _NotKeptError(Exception):
    """What is raised is remembered by no cache."""


@lru_cache(maxsize=256)
def _kept(raw: bytes) -> Head | None:
    if _CARD_NUMBER.search(raw):
        raise _NotKeptError
    return _read(raw)


def _read(raw: bytes) -> Head | None:
    match = _USUAL.fullmatch(raw)
    if match is None:
        return None
    lines = match[2].decode().split("\r\n")[1:]
    pairs = [(name.lower(), value.lstrip()) for name, _, value in (line.partition(":") for line in lines)]
    headers = Header(pairs)
    if any(len(headers.getall(name, ())) != 1 for name in _ONCE) or not _UNUSUAL.isdisjoint(headers):
        return None
    if any(value.lower() != "keep-alive" for value in headers.getall("connection", ())):
        return None
    if not _LENGTH.fullmatch(headers["content-length"]):
        return None
    return Head(match[1].decode(), headers, int(headers["content-length"]), is_plain(headers))


class AnswerHeads:
    """Writes the head of an answer; *more* are headers of every one."""

    def __init__(self, more: Mapping[str, str]) -> None:
        self._more = more
        fixed = [(name.lower().encode(), value.encode()) for name, value in more.items()]
        # What stands behind the length in the head of a success in JSON.
        self._success = {
            kept: b"".join(
                b"\r\n%b: %b" % pair
                for pair in [(b"connection", word), (b"content-type", JSON.encode()), *fixed]
            )
            for kept, word in _CONNECTION.items()
        }

    def success(self, size: int, *, kept: bool) -> bytes:
        """The head of an answer in JSON of *size* bytes that is no error."""
        return b"HTTP/1.1 200 OK\r\ncontent-length: %d%b\r\n\r\n" % (size, self._success[kept])

    def __call__(self, answer: BaseHTTPResponse, size: int, *, kept: bool) -> bytes:
        """The head of *answer*, whose body has *size* bytes; *kept*: the connection stays open."""
        headers = answer.headers
        if type(answer) is Answer and not headers:
            return self.success(size, kept=kept)
        headers.update(self._more)
        if has_message_body(answer.status):  # type: ignore[no-untyped-call]
            headers["content-length"] = str(size)
        headers["connection"] = _CONNECTION[kept].decode()
        return format_http1_response(answer.status, answer.processed_headers)
