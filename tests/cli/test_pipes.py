"""Output that is not read to its end: `iso8583 ... | head` ends quietly, like other programs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

ENDED_BY_SIGPIPE = 141


@contextmanager
def unread() -> Iterator[int]:
    """The writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        yield writing
    finally:
        os.close(writing)


@pytest.mark.parametrize(
    "argv", [["fields"], ["parse", "--help"], ["codes", "response_code", "--json"]], ids=" ".join
)
def test_a_closed_pipe_ends_a_command_quietly(argv: list[str]) -> None:
    """The status is that of a program ended by SIGPIPE; neither 0 (success) nor 1 (an invalid message)."""
    with unread() as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "sim.cli", *argv], stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (ENDED_BY_SIGPIPE, b"")


def test_a_host_whose_output_nobody_reads_ends_too() -> None:
    """Without a reader of its output the host ends; the connection is not broken by it."""
    with unread() as pipe:
        argv = [sys.executable, "-m", "sim.cli", "host", "--port", "0"]
        host = subprocess.Popen(argv, stdout=pipe, stderr=subprocess.PIPE, text=True)
    assert host.stderr is not None
    with host.stderr as said:
        where = said.readline().split()[2].rstrip(".").rpartition(":")
        with socket.create_connection((where[0], int(where[2]))):
            assert host.wait(timeout=120) == ENDED_BY_SIGPIPE
        assert said.read() == ""
