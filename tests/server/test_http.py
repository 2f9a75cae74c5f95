"""The server as an HTTP server: paths, methods, sizes, malformed requests, origins."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import together

POSTS = ("/generate", "/explain", "/validate", "/parse", "/build", "/convert")
PAGES = ("/health", "/openapi.json", "/docs")
CLOSE = b"Host: localhost\r\nConnection: close\r\n"
JSON = b"Content-Type: application/json\r\n"
BIG = 2_000_000


def split(answer: bytes) -> tuple[int, dict[str, str], Any]:
    """Status, headers and JSON body of a raw response."""
    head, _, body = answer.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(item.lower().split(": ", 1) for item in lines)
    return int(line.split()[1]), headers, json.loads(body) if body else None


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
@together(
    "path",
    [
        "/nope",
        "/generate/",
        "/Generate",
        "/generate/x",
        "//generate",
        "/%67enerate",
        "/generate%2F",
        "/health/",
        "/docs/",
        "/guess",
        "/v1/generate",
        "/4111111111111111",
        "/%ff",
    ],
)
def test_unknown_path(client: Any, method: str, path: str, accept: str) -> None:
    """404 in the common error shape, also for a trailing slash, and also for a browser."""
    answer = client(
        method, client.http.base_url.copy_with(raw_path=path.encode()), headers={"accept": accept}
    )
    assert answer.status_code == 404
    assert answer.json() == {"detail": [{"type": "not_found", "loc": ["path"], "msg": "Not Found"}]}


def test_the_root_leads_to_the_documentation(client: Any) -> None:
    """A relative redirect, which works behind a proxy's prefix; no other methods."""
    answer = client("GET", "/")
    assert (answer.status_code, answer.headers["location"], answer.content) == (302, "docs", b"")
    assert answer.headers["content-type"].startswith("text/plain")
    assert client("HEAD", "/").status_code == 302
    assert client("POST", "/").status_code == 404
    followed = client.http.get("/", follow_redirects=True)
    assert followed.url.path == "/docs"
    assert followed.headers["content-type"].startswith("text/html")


@together("path", POSTS)
@together("method", ["GET", "PUT", "PATCH", "DELETE", "FROB", "post"])
def test_method_not_allowed_on_an_endpoint(client: Any, local: Any, method: str, path: str) -> None:
    """405 with Allow, with or without a body."""
    request = f"{method} {path} HTTP/1.1\r\n".encode() + CLOSE + JSON + b"Content-Length: 2\r\n\r\n{}"
    status, headers, body = split(local.talk(request))
    assert (status, headers["allow"]) == (405, "options, post")
    assert body["detail"] == [{"type": "method_not_allowed", "loc": ["method"], "msg": "Method Not Allowed"}]


@together("path", PAGES)
@together("method", ["POST", "PUT", "DELETE"])
def test_method_not_allowed_on_a_page(client: Any, method: str, path: str) -> None:
    """Pages are read only."""
    answer = client(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.mark.parametrize("path", PAGES)
def test_head_of_a_page(client: Any, path: str) -> None:
    """HEAD is GET without the body."""
    answer, whole = client("HEAD", path), client("GET", path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(whole.content))
    assert answer.headers["content-type"] == whole.headers["content-type"]


@pytest.mark.parametrize("path", [*POSTS, "/nope"])
def test_head_elsewhere(client: Any, path: str) -> None:
    """HEAD of an endpoint is 405, of an unknown path 404; never with a body."""
    answer = client("HEAD", path)
    assert answer.status_code == (404 if path == "/nope" else 405)
    assert answer.content == b""


@together("path", [*POSTS, *PAGES])
def test_options_tells_the_methods(client: Any, path: str) -> None:
    """OPTIONS returns Allow, without CORS headers on a local server."""
    answer = client("OPTIONS", path, headers={"origin": "null", "access-control-request-method": "POST"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["allow"] == ("OPTIONS, POST" if path in POSTS else "GET, HEAD, OPTIONS")
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_health(client: Any) -> None:
    """GET /health says ok and the version."""
    body = client("GET", "/health").json()
    assert body["status"] == "ok"
    assert body["version"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/generate", b"{}"),
        ("POST", "/generate", b"{"),
        ("GET", "/generate", b""),
        ("GET", "/nope", b""),
        ("GET", "/health", b""),
        ("GET", "/docs", b""),
        ("POST", "/explain", b'{"message": "x", "llm": true}'),
    ],
)
def test_any_origin_may_call_a_public_demo(
    client: Any, public_client: Any, method: str, path: str, body: bytes
) -> None:
    """Any origin may read every response of the demo, including errors; of a local server none."""
    headers = {"origin": "http://any.test", "content-type": "application/json"}
    shared = public_client(method, path, content=body, headers=headers)
    assert shared.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in shared.headers
    own = client(method, path, content=body, headers=headers)
    assert not [name for name in own.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", POSTS)
def test_preflight_on_a_public_demo(public_client: Any, path: str) -> None:
    """The preflight allows a browser to send JSON."""
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    answer = public_client("OPTIONS", path, headers={"origin": "http://any.test", **asked})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "POST" in answer.headers["access-control-allow-methods"].split(", ")
    assert answer.headers["access-control-allow-headers"].lower() == "content-type"
    assert int(answer.headers["access-control-max-age"]) > 0


def test_public_demo_sets_the_origin_on_malformed_requests(public: Any) -> None:
    """Responses to malformed requests have the header, too."""
    _, headers, _ = split(public.talk(b"nonsense\r\n\r\n"))
    assert headers["access-control-allow-origin"] == "*"


def test_query_is_ignored(client: Any) -> None:
    """The endpoints have no query parameters."""
    answer = client("POST", "/generate?network=AMEX", json={})
    assert answer.json()["network"] == "VISA"


def test_longest_message_fits_the_size_limit(client: Any) -> None:
    """32768 characters, each written as two JSON escapes, are within the limit."""
    body = b'{"message": "' + b"\\ud83d\\ude00" * 32768 + b'"}'
    assert client.post("/validate", body).status_code == 200


@pytest.mark.parametrize("path", POSTS)
def test_too_large_a_body(client: Any, path: str) -> None:
    """413, which even a client that sends everything before it reads receives."""
    answer = client.post(path, b" " * BIG)
    assert answer.status_code == 413
    fault = {"type": "payload_too_large", "loc": ["body"], "msg": "Payload Too Large"}
    assert answer.json() == {"detail": [fault]}


def test_too_large_a_body_in_chunks(local: Any) -> None:
    """413 also without a declared length."""
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    start = b"POST /generate HTTP/1.1\r\n" + CLOSE + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    status, _, body = split(local.talk(start + chunk * 40 + b"0\r\n\r\n"))
    assert (status, body["detail"][0]["type"]) == (413, "payload_too_large")


def test_too_large_a_body_is_refused_before_it_comes(local: Any) -> None:
    """The declared length is enough; the server does not wait for the body."""
    request = b"POST /generate HTTP/1.1\r\n" + CLOSE + JSON + b"Content-Length: 99999999\r\n\r\n"
    status, headers, _ = split(local.talk(request))
    assert (status, headers["connection"]) == (413, "close")


@pytest.mark.parametrize(("path", "status"), [("/nope", 404), ("/health", 413)])
def test_too_large_a_body_elsewhere(local: Any, path: str, status: int) -> None:
    """A path without a body, or an unknown path, responds in the error shape as well."""
    request = f"GET {path} HTTP/1.1\r\n".encode() + CLOSE + b"Content-Length: 99999999\r\n\r\n"
    assert split(local.talk(request))[0] == status


def test_body_in_chunks(local: Any) -> None:
    """A chunked body is read completely."""
    start = b"POST /generate HTTP/1.1\r\n" + CLOSE + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    status, _, body = split(local.talk(start + b'a\r\n{"message_\r\nd\r\ntype":"echo"}\r\n0\r\n\r\n'))
    assert (status, body["mti"]) == (200, "0800")


POST = b"POST /generate HTTP/1.1\r\n" + CLOSE + JSON
BROKEN = {
    "no request": (b"hello\r\n\r\n", 400),
    "no protocol": (b"GET /health\r\n\r\n", 400),
    "wrong protocol": (b"GET /health HTTP/2.0\r\n" + CLOSE + b"\r\n", 400),
    "header without colon": (b"GET /health HTTP/1.1\r\nnonsense\r\n\r\n", 400),
    "path beyond ASCII": (b"GET /h\xc3\xa9 HTTP/1.1\r\n" + CLOSE + b"\r\n", 400),
    "no path": (b"GET health HTTP/1.1\r\n" + CLOSE + b"\r\n", 400),
    "bad URL": (b"GET http://[x HTTP/1.1\r\n" + CLOSE + b"\r\n", 400),
    "NUL in the path": (b"GET /a\x00b HTTP/1.1\r\n" + CLOSE + b"\r\n", 400),
    "authority as path": (b"CONNECT x:1 HTTP/1.1\r\n" + CLOSE + b"\r\n", 400),
    "star": (b"OPTIONS * HTTP/1.1\r\n" + CLOSE + b"\r\n", 405),
    "length is no number": (POST + b"Content-Length: x\r\n\r\n{}", 400),
    "length is negative": (POST + b"Content-Length: -2\r\n\r\n{}", 400),
    "two lengths": (POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    "length and chunks": (POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400),
    "unknown transfer coding": (POST + b"Transfer-Encoding: gzip\r\n\r\n{}", 400),
    "bad chunk": (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400),
    "unknown expectation": (POST + b"Content-Length: 2\r\nExpect: x\r\n\r\n{}", 417),
    "header too long": (b"GET /health HTTP/1.1\r\n" + CLOSE + b"X: " + b"a" * 20_000 + b"\r\n\r\n", 431),
    "path too long": (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + CLOSE + b"\r\n", 431),
    "two content types": (POST + b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 422),
    "content type of bytes": (
        b"POST /generate HTTP/1.1\r\n" + CLOSE + b"Content-Type: \xff\xfe\r\nContent-Length: 2\r\n\r\n{}",
        422,
    ),
}


@together("request_, status", BROKEN.values())
def test_malformed_request(client: Any, local: Any, request_: bytes, status: int) -> None:
    """A request that is not HTTP, or not a supported version, is rejected in the error shape, and the
    connection closed."""
    got, headers, body = split(local.talk(request_))
    assert (got, headers["content-type"], headers["connection"]) == (status, "application/json", "close")
    (fault,) = body["detail"]
    assert set(fault) >= {"loc", "msg", "type"}
    assert client("GET", "/health").status_code == 200


@pytest.mark.parametrize(
    "data", [b"", b"\x16\x03\x01\x02\x00\x01", b"GET", POST + b"Content-Length: 9\r\n\r\n{}"]
)
def test_client_that_leaves(client: Any, local: Any, data: bytes) -> None:
    """A connection that ends within a request gets no response, and affects no other."""
    local.talk(data, end=True)
    assert client("GET", "/health").status_code == 200


def test_connection_is_kept(local: Any) -> None:
    """Two requests in one write get two answers, in order; a 422 does not close the connection."""
    first = b"POST /generate HTTP/1.1\r\nHost: localhost\r\n" + JSON + b"Content-Length: 1\r\n\r\n{"
    answer = local.talk(first + b"GET /nope HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert answer.count(b"HTTP/1.1 ") == 2
    assert answer.index(b"HTTP/1.1 422") < answer.index(b"HTTP/1.1 404")


def test_http_1_0(local: Any) -> None:
    """An HTTP/1.0 client is served, and the connection closed."""
    status, headers, _ = split(local.talk(b"GET /health HTTP/1.0\r\n\r\n"))
    assert (status, headers["connection"]) == (200, "close")


def test_continue_is_granted(local: Any) -> None:
    """A client that sends Expect: 100-continue before its body is told to go on."""
    answer = local.talk(POST + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}")
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")
