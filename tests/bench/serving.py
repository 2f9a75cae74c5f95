"""Servers to measure: processes of their own on loopback, with the time until each answered first."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

HOST = "127.0.0.1"
PATIENCE = 20.0  # seconds until a server that does not answer is given up
ROOT = Path(__file__).parents[2]

OURS = (sys.executable, "-m", "server", "--host", HOST, "--workers", "1", "--port")
# Its own server, as its documentation starts it, without the log line per request that it writes by default.
OTHER = (
    *(sys.executable, "-m", "uvicorn", "iso8583sim.web.app:app", "--host", HOST),
    *("--no-access-log", "--log-level", "warning", "--port"),
)


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers on `port` of loopback; `ready` seconds after its start it answered first."""

    port: int
    ready: float
    process: int

    def url(self, path: str) -> str:
        """The address of *path*."""
        return f"http://{HOST}:{self.port}{path}"

    def spent(self) -> float:
        """Seconds of processor time that its process has used; 0 where the system does not tell."""
        stat = Path(f"/proc/{self.process}/stat")
        if not stat.exists():
            return 0.0
        user, system = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def post(self, path: str, body: str) -> Any:
        """The JSON answer to *body*. Fails unless its status is 200."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {text[:500]!r}")
        return json.loads(text)


def environment() -> dict[str, str]:
    """Ours for a process that is measured: without our settings, and with bytecode written as it is where
    packages are installed, or every start would compile the sources."""
    return {
        name: text
        for name, text in os.environ.items()
        if not name.startswith("SIM_") and name != "PYTHONDONTWRITEBYTECODE"
    }


@contextmanager
def serving(*command: str, more: tuple[str, ...] = ()) -> Iterator[Server]:
    """Run *command* with a free port and *more* behind it, until the block is left."""
    port = _free_port()
    start = perf_counter()
    process = subprocess.Popen(
        [*command, str(port), *more], cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL
    )
    try:
        _wait(port, process, start + PATIENCE)
        yield Server(port, perf_counter() - start, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as some:
        some.bind((HOST, 0))
        return int(some.getsockname()[1])


def _wait(port: int, process: subprocess.Popen[bytes], end: float) -> None:
    """Return as soon as GET /health is answered with 200."""
    while perf_counter() < end and process.poll() is None:
        connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            sleep(0.002)
        finally:
            connection.close()
    raise RuntimeError(f"no answer from {process.args!r}")
