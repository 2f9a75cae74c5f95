"""The service as jupyter-server-proxy starts it."""

from __future__ import annotations

import socket
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import httpx

from server.jupyter import NAME, setup

ROOT = Path(__file__).parents[2]


def test_the_entry_point_is_where_the_package_says() -> None:
    """pyproject.toml names an existing function, under the name that its tile opens."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["entry-points"]["jupyter_serverproxy_servers"]
    module, _, function = named[NAME].partition(":")
    assert getattr(import_module(module), function) is setup
    assert setup()["launcher_entry"]["path_info"] == f"{NAME}/docs"


def test_the_command_starts_the_service() -> None:
    """With the proxy's port instead of `{port}`; on this machine only."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [part.format(port=port) for part in setup()["command"]]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert f"http://127.0.0.1:{port} " in process.stdout.readline()
            assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).status_code == 200
        finally:
            process.terminate()
        assert process.wait(60) == 0
