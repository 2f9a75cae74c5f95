"""Real servers on real sockets, and a client that checks every response against the OpenAPI document."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from warmed import MARK, VARIABLE, WORKERS

ROOT = Path(__file__).parents[2]
STOP_SECONDS = 60
# What would configure the server or a language model behind the test's back.
CONFIGURING = ("SIM_", "ANTHROPIC_", "OPENAI_", "GOOGLE_", "GEMINI_", "OLLAMA_")
# Digits of the cards used here, and of what follows them in track data.
CARD_DIGITS = re.compile(r"\d{12,}")


@dataclass
class Running:
    """A server process: its address and its output."""

    process: subprocess.Popen[str]
    url: str
    out: Path
    err: Path

    @property
    def address(self) -> tuple[str, int]:
        """Host and port as a socket address."""
        host, port = self.url.removeprefix("http://").split(":")
        return host, int(port)

    def stop(self) -> int:
        """SIGTERM, then the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def written(self) -> str:
        """Everything it printed after its address, on both streams; complete once it has ended."""
        return self.out.read_text() + self.err.read_text()

    def card_digits(self) -> list[str]:
        """Runs of digits in its output that could belong to a card."""
        return CARD_DIGITS.findall(self.written())

    def talk(self, data: bytes, *, end: bool = False) -> bytes:
        """Send *data* over a separate connection and read until the server closes it. *end* signals that
        no more data follows."""
        with socket.create_connection(self.address, timeout=STOP_SECONDS) as connection:
            connection.sendall(data)
            if end:
                connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))


@contextmanager
def serving(
    folder: Path, *arguments: str, code: str = "", warm: bool = True, **variables: str
) -> Iterator[Running]:
    """A server on a free port. *code* runs before it, in its process; *variables* are its environment. If
    *warm*, it and its workers are forked from a process that has already imported the server."""
    start = ["-c", f"{MARK}{code}\nimport sys\nfrom server.__main__ import main\nsys.exit(main())"]
    command = [sys.executable, *(start if code else ["-m", "server"]), "--port", "0", *arguments]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(CONFIGURING)}
    clean[WORKERS] = "yes"
    if not warm:
        clean.pop(VARIABLE, None)
    out, err = folder / "out.txt", folder / "err.txt"
    with out.open("w") as out_file, err.open("w") as err_file:
        process = subprocess.Popen(
            command, cwd=ROOT, env=clean | variables, stdout=subprocess.PIPE, stderr=err_file, text=True
        )
        assert process.stdout is not None
        line = process.stdout.readline()  # it listens when it says so
        # The pipe is emptied all the time: a full one would stop the server.
        emptied = threading.Thread(target=shutil.copyfileobj, args=(process.stdout, out_file))
        emptied.start()
        try:
            assert line.startswith("Serving on http://"), line + err.read_text()
            yield Running(process, line.split()[2], out, err)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(STOP_SECONDS)
            emptied.join()
            process.stdout.close()


@pytest.fixture
def start(tmp_path: Path) -> Any:
    """`serving` with its own folder."""
    return partial(serving, tmp_path)


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A local server with its access log on. At the end its logs are searched for card data."""
    with serving(tmp_path_factory.mktemp("local"), "--access-log") as running:
        yield running
    assert running.card_digits() == []
    assert "Traceback" not in running.written()
    assert running.err.read_text() == ""


@pytest.fixture(scope="session")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A public demo."""
    with serving(tmp_path_factory.mktemp("public"), SIM_PUBLIC="1") as running:
        yield running


class Client:
    """Sends requests and checks each response against the OpenAPI document."""

    def __init__(self, running: Running) -> None:
        self.http = httpx.Client(base_url=running.url, timeout=STOP_SECONDS)
        self.document = self.http.get("/openapi.json").json()

    def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self.http.request(method, path, **options)
        if method != "HEAD" and answer.headers.get("content-type") == "application/json":
            self.check(method, path, answer)
        return answer

    def post(self, path: str, body: Any) -> httpx.Response:
        """POST *body*: bytes unchanged, anything else as JSON."""
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        headers = {"content-type": "application/json"}
        return self("POST", path, headers=headers, **content)

    def check(self, method: str, path: str, answer: httpx.Response) -> None:
        """Check that the body matches the document for this status, or HTTPValidationError for an error
        that the document does not list, such as 404."""
        name = "HTTPValidationError"
        if path == "/openapi.json":
            return
        if answer.status_code < 400:
            operation = self.document["paths"][path.partition("?")[0]][method.lower()]
            content = operation["responses"][str(answer.status_code)]["content"]
            name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
        schema = {"$ref": f"#/components/schemas/{name}", "components": self.document["components"]}
        jsonschema.Draft202012Validator(schema).validate(answer.json())


@pytest.fixture(scope="session")
def client(local: Running) -> Iterator[Client]:
    """A client of the local server."""
    made = Client(local)
    yield made
    made.http.close()


@pytest.fixture(scope="session")
def public_client(public: Running) -> Iterator[Client]:
    """A client of the public demo."""
    made = Client(public)
    yield made
    made.http.close()
