"""The process whose copies the programs of tests are."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from warmed import MARK, VARIABLE


@pytest.mark.skipif(VARIABLE not in os.environ, reason="programs are started as always here")
@pytest.mark.parametrize("sent", [b"", b'{"program": "sim.cli"'], ids=["nothing", "half of it"])
def test_who_is_killed_while_asking_holds_up_nobody(sent: bytes) -> None:
    """The next program is a copy all the same."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(f"{os.environ[VARIABLE]}/programs")
        line.sendall(sent)
    code = f"{MARK}import sys, server\nprint('server.app' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("True\n", "")
