"""Heads that are read and written at once: they say what any other way of reading them says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from http_requests import SMUGGLED
from hypothesis import given
from hypothesis import strategies as st
from support import together

from server.errors import to_body
from server.heads import AnswerHeads, _kept, usual_head
from server.responses import JSON, Answer, Response

POST = b"POST /explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
USUAL = POST + b"Accept: */*\r\nConnection: keep-alive\r\nContent-Length: 20"
BODIES = {
    "/generate": b'{"message_type": "echo", "network": "JCB"}',
    "/explain": b'{"message": "08002020000000000000990000123456"}',
    "/validate": b'{"message": "08002020000000000000990000123456"}',
    "/parse": b'{"message": "x"}',
    "/build": b"[",
    "/convert": b"",
    "/nowhere": b"{}",
}


def asked(path: str, body: bytes, line: bytes) -> bytes:
    """A request with *line* in its head, and one behind it that ends the connection."""
    head = POST.replace(b"/explain", path.encode()) + line
    last = b"GET /nope HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body + last


def without_moments(answer: bytes) -> bytes:
    """*answer* without the digits of the moment at which a message was generated."""
    return re.sub(rb'("(?:message|value)":")[^"]*', rb"\1", answer)


@pytest.mark.parametrize(("path", "body"), BODIES.items(), ids=BODIES)
def test_a_usual_head_changes_no_answer(local: Any, path: str, body: bytes) -> None:
    """The answer to a request is the same, byte for byte, where a header makes its head unusual."""
    plain = local.talk(asked(path, body, b"X-Name: e\r\n"))
    unusual = local.talk(asked(path, body, "X-Name: é\r\n".encode()))
    assert plain.count(b"HTTP/1.1 ") == 2
    assert without_moments(plain) == without_moments(unusual)


@together("data", SMUGGLED.values())
def test_what_http_forbids_is_unusual(data: bytes) -> None:
    """No head that is to be refused is read at once."""
    assert usual_head(data.partition(b"\r\n\r\n")[0]) is None


@together(
    "old, new",
    [
        (b"POST", b"GET"),
        (b"1.1", b"1.0"),
        (b"/explain", b"/explain?x"),
        (b"/explain", b"http://localhost/explain"),
        (b"keep-alive", b"close"),
        (b"keep-alive", b"Upgrade"),
        (b"Connection: keep-alive", b"Upgrade: websocket"),
        (b"Accept: */*", b"Expect: 100-continue"),
        (b"Accept: */*", b"Transfer-Encoding: chunked"),
        (b"Accept: */*", b"Host: other.test"),
        (b"Content-Length: 20", b"Content-Length: 9999999999999999"),
        (b"Content-Length: 20", b"X: 20"),
    ],
)
def test_what_asks_for_more_is_unusual(old: bytes, new: bytes) -> None:
    """A head that says something of the connection, the host or the body needs a closer look."""
    assert usual_head(USUAL) is not None
    assert usual_head(USUAL.replace(old, new)) is None


@given(at=st.integers(0, len(USUAL)), drop=st.integers(0, 3), put=st.binary(max_size=4))
def test_a_changed_head_is_read_as_it_stands(at: int, drop: int, put: bytes) -> None:
    """Whatever is changed in a head: it is unusual, or it has one host and one length, which is told."""
    changed = USUAL[:at] + put + USUAL[at + drop :]
    head = usual_head(changed)
    if head is None:
        return
    line, *fields = changed.decode("ascii").split("\r\n")
    told = [(name.lower(), value.lstrip()) for name, _, value in (one.partition(":") for one in fields)]
    assert line == f"POST {head.path} HTTP/1.1"
    assert sorted(head.headers.items()) == sorted(told)
    assert [value for name, value in told if name == "content-length"] == [head.headers["content-length"]]
    assert int(head.headers["content-length"]) == head.length
    assert [name for name, _ in told].count("host") == 1


def test_what_is_kept_of_heads_is_bounded() -> None:
    """As many heads as a few clients send; none with what could be a card number."""
    card = b"\r\nReferer: http://localhost/?pan=4539578763621486"
    before = _kept.cache_info()
    assert usual_head(USUAL + card) == usual_head(USUAL + card)
    assert _kept.cache_info().currsize == before.currsize
    assert usual_head(USUAL) is usual_head(USUAL)
    assert before.maxsize


@pytest.mark.parametrize("kept", [True, False])
def test_every_answer_has_the_headers_of_all(kept: bool) -> None:
    """A success and an error are written with the same headers; a line end gets into neither."""
    heads = AnswerHeads({"X-More": "a"})
    failure = Response(to_body([]), 404, headers={"X-Own": "b\r\nX-Hidden: c"}, content_type=JSON)
    for answer in (Answer(b"{}"), failure):
        head = heads(answer, 2, kept=kept)
        assert head.endswith(b"\r\n\r\n")
        _, *lines = head[:-4].decode().lower().split("\r\n")
        found = dict(line.split(": ", 1) for line in lines)
        assert found.pop("connection") == ("keep-alive" if kept else "close")
        assert (found.pop("content-length"), found.pop("content-type"), found.pop("x-more")) == (
            "2",
            JSON,
            "a",
        )
        assert set(found) <= {"x-own"}
    assert b"content-length" not in heads(Response(status=204), 0, kept=kept)
