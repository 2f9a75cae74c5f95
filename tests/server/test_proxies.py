"""The public demo behind nginx and Caddy, each with the configuration that comes with the service."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from http_requests import ALLOWED, POST, SMUGGLED

PROXIES = Path(__file__).parents[2] / "server" / "proxy"
PATIENCE = 60.0
USUAL_RATE = "20r/s"
NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/iso8583.conf;
}}
"""


@dataclass(frozen=True)
class Proxy:
    """A proxy in front of a service: its kind and address."""

    kind: str
    port: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def talk(self, data: bytes, *, end: bool = False) -> bytes:
        """Send *data* and read until the connection is closed. *end* signals that no more data follows."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            with suppress(ConnectionError):
                if end:
                    self._end(connection)
                while got := connection.recv(65536):
                    answer += got
        return answer

    @staticmethod
    def _end(connection: socket.socket) -> None:
        with suppress(OSError):  # it is closed already
            connection.shutdown(socket.SHUT_WR)


def free_port() -> int:
    """An unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(kind: str, folder: Path, port: int, service: int, rate: str) -> list[str]:
    """The command for a proxy of *kind* on *port*, with its configuration in *folder*."""
    name = {"nginx": "nginx.conf", "caddy": "Caddyfile"}[kind]
    settings = (PROXIES / name).read_text(encoding="utf-8").replace("127.0.0.1:8000", f"127.0.0.1:{service}")
    if kind == "nginx":
        assert settings.count("listen 80;") == 1
        settings = settings.replace("listen 80;", f"listen 127.0.0.1:{port};").replace(USUAL_RATE, rate)
        if rate != USUAL_RATE:
            settings = settings.replace("rate=2r/s", f"rate={rate}")
        (folder / "iso8583.conf").write_text(settings, encoding="utf-8")
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder), encoding="utf-8")
        return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    assert settings.count("\n:80 {") == 1
    settings = settings.replace("\n:80 {", f"\nhttp://127.0.0.1:{port} {{").replace(
        "{\n", "{\n\tadmin off\n", 1
    )
    (folder / "Caddyfile").write_text(settings, encoding="utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@contextmanager
def proxying(kind: str, folder: Path, service: int, rate: str = USUAL_RATE) -> Iterator[Proxy]:
    """A proxy of *kind* in front of port *service*; nginx allows a client *rate*."""
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not on the PATH")
    port = free_port()
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(
            command(kind, folder, port, service, rate),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **home},
            stdout=out,
            stderr=out,
        )
        try:
            wait_for(port, process, folder)
            yield Proxy(kind, port)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def wait_for(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    """Return as soon as *process* listens on *port*."""
    for _ in range(1_000_000):
        assert process.poll() is None, (folder / "out.txt").read_text()
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            return
        except OSError:
            continue
    pytest.fail("the proxy does not listen")


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest, public: Any, tmp_path_factory: Any) -> Iterator[Proxy]:
    """The public demo behind each proxy."""
    folder = tmp_path_factory.mktemp(request.param)
    with proxying(request.param, folder, public.address[1], "100000r/s") as made:
        yield made


@pytest.fixture
def nginx(public: Any, tmp_path: Path) -> Iterator[Proxy]:
    """The public demo behind a separate nginx with fresh counters."""
    with proxying("nginx", tmp_path, public.address[1]) as made:
        yield made


def test_the_service_is_what_it_is_alone(proxy: Proxy, public: Any) -> None:
    """Responses and errors pass through unchanged."""
    with httpx.Client(base_url=proxy.url) as one, httpx.Client(base_url=public.url) as other:
        for path, body in (
            ("/generate", {"network": "JCB"}),
            ("/validate", {"message": "0800822000000000000004000000000000001120093000123456301"}),
            ("/explain", {"message": "x"}),
            ("/generate", {"description": "an echo test"}),
            ("/nope", {}),
        ):
            through, alone = one.post(path, json=body), other.post(path, json=body)
            assert through.status_code == alone.status_code
            if path != "/generate":  # whose message has a time in it
                assert through.content == alone.content
            assert through.headers["access-control-allow-origin"] == "*"
            assert through.headers["x-content-type-options"] == "nosniff"
        assert one.get("/docs").headers["content-security-policy"]


def test_too_large_a_body(proxy: Proxy) -> None:
    """413 in the service's error shape."""
    answer = httpx.post(proxy.url + "/generate", content=b" " * 1_500_000)
    assert answer.status_code == 413
    assert answer.json()["detail"][0]["type"] == "payload_too_large"


@pytest.mark.parametrize("name", SMUGGLED)
def test_nothing_is_smuggled(proxy: Proxy, name: str) -> None:
    """Whatever the proxy does with forbidden HTTP, the next client on a connection that the proxy keeps to
    the service gets the response to its own request."""
    proxy.talk(SMUGGLED[name], end=True)
    with httpx.Client(base_url=proxy.url) as client:
        for _ in range(5):
            assert client.get("/nope").json()["detail"][0]["type"] == "not_found"


# nginx takes no tab beside a length.
@pytest.mark.parametrize("name", [name for name in ALLOWED if name != "blanks around a length"])
def test_what_http_allows_comes_through(proxy: Proxy, name: str) -> None:
    """Unusual but valid requests are answered."""
    answer = proxy.talk(ALLOWED[name].replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
    assert answer.startswith(b"HTTP/1.1 200")


def test_a_client_has_a_rate(nginx: Proxy) -> None:
    """A client that exceeds the rate gets 429 in the error shape, with Retry-After; other clients are
    served."""
    with httpx.Client(base_url=nginx.url, timeout=PATIENCE) as client:
        answers = [client.get("/health") for _ in range(200)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert {answer.status_code for answer in answers} == {200, 429}
        assert 40 <= len(answers) - len(refused) < 200
        assert refused[0].json()["detail"][0]["type"] == "too_many_requests"
        assert refused[0].headers["retry-after"] == "1"
        assert refused[0].headers["access-control-allow-origin"] == "*"
        other = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(base_url=nginx.url, transport=other, timeout=PATIENCE) as another:
            assert another.get("/health").status_code == 200


@pytest.mark.parametrize("path", ["/parse", "/convert"])
def test_what_is_guessed_has_a_rate_of_its_own(nginx: Proxy, path: str) -> None:
    """Pastes, which take long, have a lower limit than fast requests."""
    body = {"message": "0800 2020 0000 0000 0000 9900 0012 3456", "target_version": "1993"}
    with httpx.Client(base_url=nginx.url, timeout=PATIENCE) as client:
        answers = [client.post(path, json=body).status_code for _ in range(30)]
        assert set(answers) == {200, 429}
        assert client.get("/health").status_code == 200


def test_a_client_has_so_many_requests_at_a_time(nginx: Proxy) -> None:
    """A client's eleventh concurrent request is rejected."""
    head = POST + b"Content-Length: 2\r\n\r\n{"
    with ExitStack() as stack:
        begun = []
        for _ in range(11):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", nginx.port), timeout=PATIENCE))
            one.sendall(head)
            begun.append(one)
        begun[-1].settimeout(PATIENCE)
        assert begun[-1].recv(65536).startswith(b"HTTP/1.1 429 ")
        begun[0].sendall(b"}")
        assert begun[0].recv(65536).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("kind", ["nginx", "caddy"])
def test_a_service_that_is_away(kind: str, tmp_path: Path) -> None:
    """503 in the service's error shape."""
    with proxying(kind, tmp_path, free_port()) as proxy:
        answer = httpx.post(proxy.url + "/generate", json={})
        assert answer.status_code == 503
        assert answer.json()["detail"][0]["type"] == "service_unavailable"


def test_a_local_service_answers_for_the_names_it_was_told(start: Any, tmp_path: Path) -> None:
    """Behind a proxy, a service that is not a public demo is called by the proxy's own name."""
    for hosts, status in (("", 421), ("lab.test", 200)):
        folder = tmp_path / str(status)
        folder.mkdir()
        with start(SIM_HOSTS=hosts) as running, proxying("nginx", folder, running.address[1]) as proxy:
            answer = httpx.get(proxy.url + "/health", headers={"host": "lab.test"})
            assert answer.status_code == status
