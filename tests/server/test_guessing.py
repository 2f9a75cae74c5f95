"""A separate process makes a guess, and is killed if it takes too long."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import monotonic
from typing import Any

import httpx
import psutil
import pytest
from support import MORE

from server.guessing import work
from tests.server.conftest import STOP_SECONDS, Running, serving

HEXED = "0800 2020 0000 0000 0000 9900 0012 3456"  # no text form: it has to be guessed
ECHO = "0800822000000000000004000000000000001120093000123456301"
SPINNING = "spin"
# The usual process, but for a paste that holds up the interpreter in C for longer than anybody lives.
SPIN = f"""
import re
from server import guessing
from sim import operations
usual = operations.read
def read(given, **options):
    if {SPINNING!r} in given and options["format"] is None:
        re.match("(a+)+$", "a" * 64 + "b")
    return usual(given, **options)
operations.read = read
guessing.main()
"""
CODE = f"from server import guessing\nimport sys\nguessing.COMMAND = (sys.executable, '-c', {SPIN!r})"
BODIES = {
    "/parse": {"message": SPINNING},
    "/convert": {"message": SPINNING, "target_version": "1993"},
}


@pytest.fixture(scope="module")
def spinning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose guess for one paste never ends by itself."""
    folder = tmp_path_factory.mktemp("spinning")
    with serving(folder, "--access-log", code=CODE, SIM_GUESS_TIMEOUT="1") as running:
        yield running
        running.stop()
        assert running.err.read_text() == ""


@pytest.fixture
def asking(spinning: Running) -> Iterator[httpx.Client]:
    """A client of that server, after one guess."""
    with httpx.Client(base_url=spinning.url, timeout=STOP_SECONDS) as client:
        assert client.post("/parse", json={"message": HEXED}).status_code == 200
        yield client


@pytest.mark.parametrize("path", BODIES if MORE else ["/parse"])
def test_a_guess_that_takes_too_long_is_ended(asking: httpx.Client, path: str) -> None:
    """An endless regular expression gets 503 after the timeout; other requests are served meanwhile, and
    the next guess works."""
    with ThreadPoolExecutor(1) as beside:
        begun = monotonic()
        late = beside.submit(httpx.post, asking.base_url.join(path), json=BODIES[path], timeout=STOP_SECONDS)
        waits = []
        while not late.done():
            start = monotonic()
            assert asking.get("/health").status_code == 200
            assert asking.post("/parse", json={"message": ECHO}).status_code == 200  # nothing to guess
            waits.append((monotonic() - start) / 2)
    assert 1 <= monotonic() - begun < STOP_SECONDS / 2
    assert len(waits) > 3
    assert median(waits) < 0.1
    (fault,) = late.result().json()["detail"]
    assert (late.result().status_code, fault["type"], fault["loc"]) == (
        503,
        "guess_timeout",
        ["body", "message"],
    )
    assert asking.post("/parse", json={"message": HEXED}).json()["mti"] == "0800"


def test_who_leaves_is_not_guessed_for(spinning: Running, asking: httpx.Client) -> None:
    """If a client disconnects, its guess ends, and the next one does not wait for it."""
    body = json.dumps(BODIES["/parse"]).encode()
    head = b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection(spinning.address, timeout=STOP_SECONDS) as leaving:
        leaving.sendall(head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        assert asking.get("/health").status_code == 200
    assert asking.post("/parse", json={"message": HEXED}).status_code == 200


def test_its_process_ends_with_the_server(start: Any) -> None:
    """The process ends whether the server is stopped or killed."""
    for end in ("terminate", "kill") if MORE else ("kill",):
        with start(warm=False) as running:
            httpx.post(running.url + "/parse", json={"message": HEXED}, timeout=STOP_SECONDS)
            found = psutil.Process(running.process.pid).children()
            assert len(found) == 1
            getattr(running.process, end)()
            running.process.wait(STOP_SECONDS)
            gone, alive = psutil.wait_procs(found, STOP_SECONDS)
            assert (len(gone), alive) == (len(found), [])


def test_a_fault_says_nothing_of_the_inside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An unexpected error is a 500 here as in the server, and the log quotes no message."""

    def fail(given: str, **_: Any) -> None:
        raise RuntimeError(given)

    monkeypatch.setattr("sim.operations.read", fail)
    status, body = work("/parse", json.dumps({"message": "4539578763621486"}).encode())
    assert (status, json.loads(body)["detail"][0]["type"]) == (500, "internal_server_error")
    assert "RuntimeError" in caplog.text
    assert "4539578763621486" not in caplog.text
