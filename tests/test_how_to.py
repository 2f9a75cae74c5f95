"""The shell lines of the how-to guides and the programs of the examples do what the pages say.
`test_site.py` runs their Python. Lines that install something or open a window are not run."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).parents[1]
OFFLINE = ROOT / "tests" / "offline"  # nothing that is run here leaves this machine
SITE = ROOT / "notebooks" / "site"
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NOT_HERE = ("make ", "pip install")  # another environment, a window
_SECONDS = 120

pytestmark = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl"
)


def blocks(page: str) -> list[str]:
    """The shell blocks of a guide that can run in a folder, in order."""
    found = _BLOCK.findall((SITE / "how-to" / f"{page}.md").read_text(encoding="utf-8"))
    return [one for one in found if not one.startswith(_NOT_HERE)]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which `iso8583` is this toolkit, installed or not."""
    command = tmp_path / "bin" / "iso8583"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sim.cli "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    paths = {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{OFFLINE}",
    }
    return os.environ | paths | {"PYTHONUNBUFFERED": "1"}


def run(script: str, folder: Path, environment: dict[str, str]) -> str:
    """The output of *script*, each line of which must succeed."""
    done = subprocess.run(
        ["bash", "-euc", script],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        cwd=folder,
        env=environment,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    return done.stdout


def said(stream: IO[str] | None, pattern: str) -> str:
    """What a process prints when it is ready: the first group of *pattern* in its lines."""
    assert stream is not None
    found = next(filter(None, (re.search(pattern, line) for line in stream)), None)
    assert found is not None
    return found[1]


def test_use_the_command_line(tmp_path: Path, environment: dict[str, str]) -> None:
    """Messages are made, validated, explained, parsed, converted and broken, line by line."""
    first, second = blocks("use_the_command_line")
    shown = run(first, tmp_path, environment)
    assert shown.count("✔ valid") == 3
    assert "invalid, as it should be" in shown
    assert run(second, tmp_path, environment).endswith("valid\n")


def test_read_a_log(tmp_path: Path, environment: dict[str, str]) -> None:
    """A hundred messages are made and read into a file without card numbers."""
    run("\n".join(blocks("read_a_log")), tmp_path, environment)
    assert len((tmp_path / "day.log").read_text(encoding="utf-8").splitlines()) == 100
    assert b"4111111111111111" not in (tmp_path / "day.parquet").read_bytes()


def test_run_a_host(tmp_path: Path, environment: dict[str, str]) -> None:
    """The host prints its address; its rule declines the request from the second terminal."""
    first, second = blocks("run_a_host")
    script = first.replace("iso8583 host", "exec iso8583 host --port 0")
    with subprocess.Popen(
        ["bash", "-euc", script], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    ) as host:
        try:
            address = said(host.stderr, r"Listening on (\S+)\. ")
            shown = run(second.replace("127.0.0.1:8583", address), tmp_path, environment)
        finally:
            host.send_signal(signal.SIGTERM)
    assert "0110, insufficient funds (51)" in shown


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The address of the HTTP service, running."""
    with subprocess.Popen(
        [sys.executable, "-m", "server", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        try:
            yield said(running.stdout, r"Serving on (http://\S+)")
        finally:
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=_SECONDS)


def test_call_the_service(service: str, tmp_path: Path, environment: dict[str, str]) -> None:
    """The three calls get the responses on the page: a message, a summary, a verdict."""
    (calls,) = blocks("call_the_service")
    shown = run(calls.replace("http://127.0.0.1:8000", service), tmp_path, environment)
    assert '"source":"template"' in shown.replace(": ", ":")
    assert "It asks for an echo test" in shown
    assert '"valid":true' in shown.replace(": ", ":")


@pytest.mark.parametrize("program", ["service.sh", "service.mjs"])
def test_the_clients_of_the_examples(
    program: str, service: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """The shell and JavaScript clients explain the messages that they requested, and print the verdicts."""
    runner = "bash" if program.endswith(".sh") else "node"
    if not shutil.which(runner):
        pytest.skip(f"needs {runner}")
    shown = run(f"{runner} {SITE / 'examples' / program} {service}", tmp_path, environment)
    assert "This is an authorization request" in shown
    assert "American Express" in shown
    assert "422" in shown or runner == "bash"
