"""The server as a process: starting, stopping, settings, logs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import turns

from server.__main__ import main
from sim import __version__

ROOT = Path(__file__).parents[2]
PATIENCE = 60
PAN = "4111111111111111"
JSON = {"content-type": "application/json"}
BEGUN = (
    b"POST /generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"
)


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A server that is expected not to start."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SIM_")}
    command = [sys.executable, "-m", "server", *arguments]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=clean | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(("workers", "number"), turns(["1", "2"], [signal.SIGTERM, signal.SIGINT]))
def test_stop_lets_a_begun_request_finish(start: Any, workers: str, number: signal.Signals) -> None:
    """A request whose body arrives after the stop signal is answered; idle connections are closed at once."""
    with start("--workers", workers) as running:
        assert httpx.get(running.url + "/health", timeout=PATIENCE).status_code == 200
        with socket.create_connection(running.address, timeout=PATIENCE) as connection:
            connection.sendall(BEGUN)
            assert connection.recv(999).startswith(b"HTTP/1.1 100")  # its handler waits for the body
            running.process.send_signal(number)
            wait_until_closed(running.address)
            connection.sendall(b"{}")
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
            assert connection.recv(1) == b""
        assert running.process.wait(PATIENCE) == 0
        assert running.err.read_text() == ""


def wait_until_closed(address: tuple[str, int]) -> None:
    """Return when the server no longer listens: a new connection is reset, refused or closed without a
    response."""
    for _ in range(10_000):
        try:
            with socket.create_connection(address, timeout=PATIENCE) as connection:
                connection.sendall(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
                if not connection.recv(1):
                    return
        except OSError:
            return
    pytest.fail("still listening")


def test_idle_connection_does_not_hold_the_stop(start: Any) -> None:
    """An idle keep-alive connection does not delay the stop."""
    with start() as running, socket.create_connection(running.address, timeout=PATIENCE) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        assert running.stop() == 0
        assert connection.recv(1) == b""


def test_workers_serve_and_share_the_port(start: Any) -> None:
    """Several processes answer on one address."""
    with start("--workers", "2") as running:
        with httpx.Client(base_url=running.url, timeout=PATIENCE) as client:
            answers = [client.post("/generate", json={}) for _ in range(8)]
        assert {answer.status_code for answer in answers} == {200}
        assert running.stop() == 0


def test_worker_that_cannot_start_ends_the_server(start: Any) -> None:
    """Workers that die at once are not replaced forever: exit status 1, and a line that says so."""
    code = "import server.workers as w\nimport os\nw._work = os.abort"
    with start("--workers", "2", code=code) as running:
        assert running.process.wait(PATIENCE) == 1
        assert "worker ended with status" in running.err.read_text()


def test_port_that_is_taken() -> None:
    """One line that names it, and exit status 1."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("--port", str(port))
    assert ended.returncode == 1
    assert ended.stderr == (
        f"iso8583-lab-server: cannot listen on 127.0.0.1 port {port}: Address already in use\n"
    )
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("--port", "65536"), {}),
        (("--port", "-1"), {}),
        (("--port", "x"), {}),
        (("--workers", "0"), {}),
        (("--workers", "some"), {}),
        (("--unknown",), {}),
        ((), {"SIM_PORT": "x"}),
        ((), {"SIM_PUBLIC": "maybe"}),
        ((), {"SIM_REQUEST_MAX_SIZE": "0"}),
        ((), {"SIM_REQUEST_TIMEOUT": "-1"}),
    ],
)
def test_setting_that_cannot_be_used(
    arguments: tuple[str, ...],
    variables: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit status 2 and a line that says so."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    try:
        status: object = main(arguments)
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert "iso8583-lab-server: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "variables"), [(("--port", "65536"), {}), ((), {"SIM_PUBLIC": "maybe"})]
)
def test_a_bad_setting_ends_the_process(arguments: tuple[str, ...], variables: dict[str, str]) -> None:
    """Exit status 2 and no traceback."""
    ended = run(*arguments, **variables)
    assert ended.returncode == 2
    assert "iso8583-lab-server: " in ended.stderr
    assert "Traceback" not in ended.stderr


def test_host_that_is_not_ours() -> None:
    """An address of another machine is reported in one line."""
    ended = run("--host", "192.0.2.1", "--port", "0")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "cannot listen on 192.0.2.1" in ended.stderr


def test_settings_from_the_environment(start: Any) -> None:
    """SIM_ variables set the same as the options; an option takes precedence."""
    with start("--no-public", SIM_PUBLIC="1", SIM_REQUEST_MAX_SIZE="2000") as running:
        answer = httpx.post(running.url + "/generate", content=b" " * 2001, headers=JSON, timeout=PATIENCE)
        assert answer.status_code == 413
        assert "access-control-allow-origin" not in answer.headers


CRASH = """
from server import endpoints
from sim import operations

def explain(raw, **options):
    try:
        raise ValueError("cannot read " + raw)
    except ValueError as error:
        raise RuntimeError(raw) from error

operations.explain, endpoints.prepare = explain, lambda: None
"""


def test_failure_says_nothing_of_the_inside(start: Any) -> None:
    """An internal error is a 500 without details; the log gives the location, and quotes no message."""
    with start("--access-log", code=CRASH) as running:
        for _ in range(2):
            answer = httpx.post(running.url + "/explain", json={"message": f"secret {PAN}"}, timeout=PATIENCE)
            assert answer.status_code == 500
            fault = {"type": "internal_server_error", "loc": ["server"], "msg": "Internal Server Error"}
            assert answer.json() == {"detail": [fault]}
        assert httpx.get(running.url + "/health", timeout=PATIENCE).status_code == 200
        running.stop()
    log = running.err.read_text()
    assert "RuntimeError" in log
    assert "caused by ValueError" in log
    assert "endpoints.py" in log
    assert "secret" not in log
    assert running.card_digits() == []


def test_logs_hold_no_card_data(start: Any) -> None:
    """Whatever a client sends, and wherever, the logs contain only method, route, status and size."""
    with start("--access-log") as running:
        with httpx.Client(base_url=running.url, timeout=PATIENCE) as client:
            for path in ("/generate", "/explain", "/validate"):
                for body in ({"message": PAN, "pan": PAN}, {"pan": PAN + "1111", "message": 5}, [PAN], PAN):
                    client.post(f"{path}?pan={PAN}", json=body, headers={"referer": PAN, "user-agent": PAN})
            client.get(f"/{PAN}?message={PAN}")
            client.request(PAN, f"/generate/{PAN}")
            client.post("/explain", content=f'{{"message":"{PAN}'.encode(), headers=JSON)
        running.talk(f"{PAN}\r\n\r\n".encode())
        running.talk(f"GET http://[{PAN} HTTP/1.1\r\nHost: {PAN}\r\n\r\n".encode())
        running.talk(f"POST /{PAN} HTTP/1.1\r\nHost: {PAN}\r\nContent-Length: 99\r\n\r\n".encode(), end=True)
        running.stop()
    lines = running.out.read_text().splitlines()
    assert len(lines) >= 17
    assert any(" POST /explain 422 " in line for line in lines)
    assert PAN not in running.written()
    assert running.card_digits() == []
    assert running.err.read_text() == ""


def test_access_log_is_off_by_default(start: Any) -> None:
    """By default a server prints nothing after its address."""
    with start() as running:
        httpx.post(running.url + "/generate", json={}, timeout=PATIENCE)
        httpx.get(running.url + "/nope", timeout=PATIENCE)
        running.stop()
    assert running.written() == ""


def test_server_is_ready_before_the_first_request() -> None:
    """It starts without pandas, numpy, ipywidgets or sanic-ext; the first request reads no table from
    disk."""
    code = (
        "import sys\nfrom server.app import create_app\nfrom server.endpoints import prepare\n"
        "from server.settings import Settings\nfrom sim import operations\nfrom sim.spec import tables\n"
        "create_app(Settings())\nprepare()\ntables._DATA = None\n"
        "for name in operations.NETWORKS:\n"
        "    raw = operations.generate(network=name).raw\n"
        "    operations.explain(raw), operations.validate(raw, against=())\n"
        "print(sorted({'pandas', 'numpy', 'ipywidgets', 'sanic_ext', 'IPython'} & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert ended.stdout == "[]\n"


def test_create_app_takes_its_settings_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default settings are the environment's."""
    from server.app import create_app

    monkeypatch.setenv("SIM_PUBLIC", "yes")
    app = create_app(name="from-the-environment")
    assert app.ctx.settings.public is True


# As in a checkout on PYTHONPATH: nothing tells of the package that it is installed.
_BARE = """
from importlib.metadata import Distribution, PackageNotFoundError
_found = Distribution.from_name
def _hidden(name):
    if name == "iso8583-lab":
        raise PackageNotFoundError(name)
    return _found(name)
Distribution.from_name = _hidden
"""


def test_a_checkout_that_is_not_installed_serves(start: Any) -> None:
    """A checkout without installation reports its version, and validates."""
    with start(code=_BARE) as running:
        told = httpx.get(running.url + "/health", timeout=PATIENCE).json()
        asked = {"message": "08002020000000000000990000123456X"}
        judged = httpx.post(running.url + "/validate", json=asked, timeout=PATIENCE).json()
    assert told["version"] == __version__
    assert judged["valid"] is False
