"""Distributed load: locust's own master and two workers, each a process, with our client."""

from __future__ import annotations

import csv
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import sim

_PATIENCE = 60  # seconds, for processes to start; nothing waits for them to pass
_SECONDS = "2s"
_LOCUSTFILE = """
from sim.link.load.locust import IsoUser


class Terminal(IsoUser):
    network = "VISA"
    mix = {"auth": 8, "financial": 2}

    def check(self, exchange):
        return None if exchange.code == "00" else f"code {exchange.code}"
"""


@pytest.mark.skipif(find_spec("locust") is None, reason="pip install 'iso8583-lab[locust]'")
def test_two_workers_share_a_load(tmp_path: Path) -> None:
    """The master counts what the host answered to two processes, without errors; both end."""
    (tmp_path / "locustfile.py").write_text(_LOCUSTFILE, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with sim.host(opening=10**12) as host:
        argv = [sys.executable, "-m", "locust", "-f", "locustfile.py", "--host", host.address]
        quiet = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        quiet["env"] = {**os.environ, "PYTHONWARNINGS": "ignore"}
        worker = [*argv, "--worker", "--master-port", port]
        workers = [subprocess.Popen(worker, **quiet) for _ in range(2)]  # type: ignore[call-overload]
        master = [*argv, "--master", "--master-bind-port", port, "--headless", "--expect-workers", "2"]
        try:
            done = subprocess.run(  # type: ignore[call-overload]
                [*master, "-u", "4", "-r", "4", "-t", _SECONDS, "--csv", "out"], timeout=_PATIENCE, **quiet
            )
            assert done.returncode == 0
            assert [one.wait(timeout=_PATIENCE) for one in workers] == [0, 0]
        finally:
            for one in workers:
                one.kill()
        seen = dict(host.seen.counts)
    stats = (tmp_path / "out_stats.csv").read_text(encoding="utf-8")
    rows = {row["Name"]: row for row in csv.DictReader(stats.splitlines())}
    total = rows["Aggregated"]
    assert set(rows) == {"0100 auth", "0200 financial", "Aggregated"}
    assert total["Failure Count"] == "0"
    assert 0 < int(total["Request Count"]) <= seen["answer"] == seen["request"]
    assert seen["connected"] == 4
