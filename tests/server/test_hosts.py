"""The host names that a server answers for do not include a foreign site's name that resolves to this
machine."""

from __future__ import annotations

import json
import socket
from typing import Any

import httpx
import pytest
from support import turns

from server.hosts import gate, is_loopback, target_host
from server.jupyter import setup
from server.settings import Settings
from tests.server.conftest import STOP_SECONDS

FOREIGN = "evil.test"
PATHS = ("/generate", "/explain", "/validate", "/health", "/openapi.json", "/docs", "/nope")


def ask(url: str, path: str, host: str) -> httpx.Response:
    """GET *path*, or POST it if it is an endpoint, with the host name *host*."""
    method = "POST" if path in PATHS[:3] else "GET"
    return httpx.request(method, url + path, json={} if method == "POST" else None, headers={"host": host})


FOREIGN_NAMES = (
    FOREIGN,
    f"{FOREIGN}:8000",
    "localhost.evil.test",
    "evil.localhost.",
    "127.0.0.1.evil.test",
    "",
    "[",
)


@pytest.mark.parametrize(("path", "host"), turns(PATHS, FOREIGN_NAMES))
def test_a_foreign_name_is_misdirected(local: Any, path: str, host: str) -> None:
    """421 in the common error shape, for every path and port: nothing is done or disclosed."""
    answer = ask(local.url, path, host)
    assert answer.status_code == 421
    (fault,) = answer.json()["detail"]
    assert (fault["type"], fault["loc"]) == ("misdirected_request", ["header", "host"])
    assert "input" not in fault


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:1", "localhost.", "127.0.0.1", "127.0.0.1:8888", "[::1]", "[::1]:8000"]
)
def test_names_of_this_machine(local: Any, host: str) -> None:
    """A local server answers for this machine's names with any port, which a tunnel may change."""
    assert ask(local.url, "/generate", host).status_code == 200


def test_the_target_of_a_request_names_its_host(local: Any) -> None:
    """The host in a complete URL takes precedence over the Host header."""
    start = b"GET http://%b/health HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n"
    assert local.talk(start % (b"evil.test", b"localhost")).startswith(b"HTTP/1.1 421")
    assert local.talk(start % (b"localhost", b"evil.test")).startswith(b"HTTP/1.1 200")


def test_a_language_model_is_not_reached_under_a_foreign_name(local: Any) -> None:
    """A page whose own name resolves to this machine cannot spend the user's language model budget."""
    body = {"description": "an echo test"}
    answer = httpx.post(local.url + "/generate", json=body, headers={"host": FOREIGN})
    assert answer.status_code == 421


def test_hosts_named_in_the_settings(start: Any) -> None:
    """SIM_HOSTS adds names, and removes none of this machine's."""
    with start(SIM_HOSTS=f"lab.test, {FOREIGN}") as running:
        answered = [ask(running.url, "/health", host).status_code for host in (FOREIGN, "lab.test:80", "x")]
        assert answered == [200, 200, 421]
        assert httpx.get(running.url + "/health", timeout=STOP_SECONDS).status_code == 200


def test_a_public_demo_answers_for_any_host(public: Any) -> None:
    """Checking its names is up to the proxy in front."""
    assert ask(public.url, "/health", FOREIGN).status_code == 200


@pytest.mark.parametrize(
    ("settings", "guarded"),
    [
        (Settings(), True),
        (Settings(host="localhost"), True),
        (Settings(host="::1"), True),
        (Settings(host="0.0.0.0"), False),  # noqa: S104 (no socket is opened)
        (Settings(host=""), False),
        (Settings(public=True), False),
        (Settings(host="0.0.0.0", hosts=("lab.test",)), True),  # noqa: S104
        (Settings(public=True, hosts=("lab.test",)), True),
    ],
)
def test_which_servers_are_guarded(settings: Settings, guarded: bool) -> None:
    """A server that only this machine can reach, unless it is a public demo, and any server with
    configured hosts."""
    answers = gate(settings.own_hosts)
    assert answers("localhost:8000")
    assert answers("elsewhere.test") is not guarded
    assert all(answers(name) for name in settings.hosts)


def test_an_address_of_version_6_is_named_in_brackets() -> None:
    """`SIM_HOST=::1` answers for `[::1]`, as in a Host header."""
    assert gate(("2001:db8::7",))("[2001:db8::7]:80")
    assert is_loopback("::1")
    assert target_host("/x", None) == "localhost"


def test_a_name_that_nobody_knows_is_not_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that cannot be resolved does not count as local."""

    def unknown(*asked: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert not is_loopback("no such host at all")


@pytest.mark.parametrize("name", ["a..b", "x" * 64])
def test_a_name_that_dns_cannot_have_is_not_this_machine(name: str) -> None:
    """A name with an empty or too long label does not count as local."""
    assert not is_loopback(name)


def test_jupyter_server_proxy_names_this_machine() -> None:
    """Behind a Jupyter server with any address, the service is called as localhost."""
    assert setup()["request_headers_override"] == {"Host": "localhost"}


def test_behind_a_jupyter_server(start: Any) -> None:
    """With the headers of jupyter-server-proxy's own code the service responds; under the browser's name
    it would not."""
    handlers = pytest.importorskip("jupyter_server_proxy.handlers")
    from tornado.httputil import HTTPHeaders

    class Asked:
        headers = HTTPHeaders({"Host": "hub.example.test", "Content-Type": "application/json"})

    class Handler:
        request = Asked
        get_request_headers_override = staticmethod(lambda: setup()["request_headers_override"])

    made = handlers.ProxyHandler.proxy_request_headers(Handler())
    with start() as running:
        url = running.url + "/generate"
        assert httpx.post(url, content=b"{}", headers=list(made.get_all())).status_code == 200
        sent = list(Asked.headers.get_all())
        refused = httpx.post(url, content=b"{}", headers=sent)
        assert json.loads(refused.content)["detail"][0]["type"] == "misdirected_request"
