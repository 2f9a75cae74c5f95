"""Nothing leaves this machine: not from a test, not from a process that it starts, not at import."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import refusing
from support import long, together

ROOT = Path(__file__).parents[2]
AWAY = "192.0.2.1"  # RFC 5737: an address for documentation
NAME = "example.org"


def _with(
    kind: socket.SocketKind, family: socket.AddressFamily, use: Callable[[socket.socket], object]
) -> None:
    with socket.socket(family, kind) as one:
        one.setblocking(False)
        use(one)


TCP = (socket.SOCK_STREAM, socket.AF_INET)
UDP = (socket.SOCK_DGRAM, socket.AF_INET)
WAYS: dict[str, Callable[[], object]] = {
    "connect": lambda: _with(*TCP, lambda one: one.connect((AWAY, 80))),
    "connect_ex": lambda: _with(*TCP, lambda one: one.connect_ex((AWAY, 80))),
    "connect of IPv6": lambda: _with(
        socket.SOCK_STREAM, socket.AF_INET6, lambda one: one.connect(("2001:db8::1", 80))
    ),
    "connect of UDP": lambda: _with(*UDP, lambda one: one.connect((AWAY, 53))),
    "sendto": lambda: _with(*UDP, lambda one: one.sendto(b"x", (AWAY, 53))),
    "sendmsg": lambda: _with(*UDP, lambda one: one.sendmsg([b"x"], [], 0, (AWAY, 53))),
    "getaddrinfo": lambda: socket.getaddrinfo(NAME, 80),
    "gethostbyname": lambda: socket.gethostbyname(NAME),
    "gethostbyaddr": lambda: socket.gethostbyaddr(AWAY),
    "getnameinfo": lambda: socket.getnameinfo((AWAY, 80), 0),
    "create_connection": lambda: socket.create_connection((NAME, 80), 1),
    "asyncio": lambda: asyncio.run(asyncio.wait_for(asyncio.open_connection(AWAY, 80), 1)),
}


@together("way", WAYS)
def test_no_way_leaves_this_machine(way: str) -> None:
    """Each way out of Python's sockets is refused, and told to the test that tried it."""
    with pytest.raises(AssertionError, match="wanted to reach"):
        WAYS[way]()
    assert refusing.reached
    refusing.reached.clear()


@together(
    "host, own",
    [
        ("127.0.0.1", True),
        (("127.9.9.9", 80), True),
        (("::1", 80, 0, 0), True),
        ("localhost", True),
        (None, True),
        ("::", True),
        ("/run/some.sock", True),
        (b"\0abstract/socket", True),
        ("127.0.0.1.example.org", False),
        ("localhost.example.org", False),
        (b"example.org", False),
        (("10.0.0.1", 80), False),
        (("fe80::1%eth0", 80), False),
        ("169.254.169.254", False),
    ],
)
def test_what_is_this_machine(host: object, own: bool) -> None:
    """Loopback in all its spellings is; a name that only begins like it is not."""
    assert refusing.is_own(host) == own


_STARTED = f"""
import socket, sys
try: socket.create_connection(({AWAY!r}, 80), 1)
except AssertionError: print("no")
import refusing
class Late:
    def __del__(self, audit=sys.audit): audit("late")
refusing.late = Late()
"""


def test_a_process_that_a_test_starts_is_refused_too() -> None:
    """Python started without a word about it, as kernels and services are; and it ends without a word, though
    something goes on while the names of modules are cleared."""
    done = subprocess.run([sys.executable, "-c", _STARTED], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("no", "")


_IMPORTS = """
import json, pkgutil, sys, importlib
used = []
calm = ("socket.__new__", "socket.gethostname")
sys.addaudithook(lambda event, _: event[:7] == "socket." and event not in calm and used.append(event))
for package in ("sim", "server"):
    top = importlib.import_module(package)
    for module in pkgutil.walk_packages(top.__path__, package + "."):
        if module.name.endswith(("__main__", ".locust")):
            continue  # starts a program; changes the sockets of the whole process
        importlib.import_module(module.name)
print(json.dumps([sorted(set(used)), len(sys.modules)]))
"""


@long
def test_importing_opens_no_socket() -> None:
    """All modules of the toolkit and the service, with all they import: nothing is connected, sent, bound or
    resolved, not even on this machine."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _IMPORTS], capture_output=True, text=True, check=True, cwd=ROOT
    )
    used, modules = json.loads(done.stdout.splitlines()[-1])
    assert (used, modules > 500) == ([], True)
