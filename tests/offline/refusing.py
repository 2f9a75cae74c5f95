"""No word leaves this machine: a hook of the interpreter that refuses every address but this machine's own.

It sees what goes through Python's sockets: connect, connect_ex, sendto, sendmsg and the resolving of names.
It cannot be taken out again, and what swallows its error is found by `reached`. libuv (uvloop) has sockets
of its own.
"""

from __future__ import annotations

import socket
import sys
from ipaddress import ip_address
from typing import Any

# Events of the interpreter (sys.addaudithook), and which of their arguments is a host or an address.
EVENTS = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
    "socket.getnameinfo": 0,
}
# Of a number these ask nobody.
_ASKING = {"socket.getaddrinfo", "socket.gethostbyname"}
# What was refused in this process.
reached: list[str] = []
_OWN = {"", "localhost", socket.gethostname()}
_installed: list[bool] = []


def install() -> None:
    """Refuse from now on, once a process."""
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_hook)


def is_own(host: object) -> bool:
    """Whether *host* (a name, an address with or without its port, a path) is on this machine."""
    if isinstance(host, tuple):
        host = host[0] if host else ""
    elif isinstance(host, str | bytes) and b"/" in _bytes(host):
        return True  # the path of a Unix socket
    if not isinstance(host, str | bytes):
        return True  # none, or a family that has no hosts
    text = _bytes(host).decode("latin-1")
    if text in _OWN:
        return True
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _is_number(host: object) -> bool:
    """Whether *host* is an address already, so that nobody is asked for it."""
    try:
        ip_address(_bytes(host).decode("latin-1").partition("%")[0] if isinstance(host, str | bytes) else "")
    except ValueError:
        return False
    return True


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "replace")


# The hook outlives this module's names, which Python clears as it ends.
def _hook(event: str, arguments: tuple[Any, ...], *, events: dict[str, int] = EVENTS) -> None:
    place = events.get(event)
    if place is None or (event in _ASKING and _is_number(arguments[place])):
        return
    if not is_own(arguments[place]):
        reached.append(f"{event} {arguments[place]!r}")
        raise AssertionError(f"something wanted to reach {arguments[place]!r} ({event})")
