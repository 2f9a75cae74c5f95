"""The host names that a server answers for.

A foreign website can give a host name of its own the address 127.0.0.1 (DNS rebinding). The browser then
treats a local server as that website, and lets its pages call the server and read the responses. The Host
header reveals this, so a local server answers only for its own names.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import ip_address

LOCAL = ("localhost", "127.0.0.1", "[::1]")

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\[\]:@/\\]*)(?::[0-9]*)?")
_AUTHORITY = re.compile(r"(?i:https?)://(?P<authority>[^/?#]*)")


def is_loopback(host: str) -> bool:
    """Whether a server that listens on *host* can be reached only from this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    if not host:  # means every address
        return False
    try:
        ips = {str(row[4][0]) for row in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):  # no such name, or none that DNS can have, such as `a..b`
        return False
    return all(ip_address(address.partition("%")[0]).is_loopback for address in ips)


def gate(names: Iterable[str] | None) -> Callable[[str], bool]:
    """A function that says whether this server answers for a Host header, with any port and in any letter
    case. *names* None means every host.

    >>> answers = gate(LOCAL)
    >>> answers("LOCALHOST:8000"), answers("localhost.evil.test")
    (True, False)
    """
    if names is None:
        return lambda host: True
    hosts = {_bracketed(name.lower().rstrip(".")) for name in names}

    @lru_cache(maxsize=64)
    def answers(host: str) -> bool:
        match = _HOST.fullmatch(host.strip("\t "))
        return match is not None and match["name"].lower().removesuffix(".") in hosts

    return answers


def target_host(target: str, host: str | None) -> str:
    """The host of a request: the one in *target*, if that is a complete URL, otherwise the header *host* (RFC
    9112, section 3.2.2). An HTTP/1.0 client need not send one; no browser is such a client.

    >>> target_host("http://a.test/docs", "b.test"), target_host("/docs", "b.test")
    ('a.test', 'b.test')
    """
    if target[:1] != "/" and (match := _AUTHORITY.match(target)):
        return match["authority"]
    return LOCAL[0] if host is None else host


def _bracketed(name: str) -> str:
    """An IPv6 address as a Host header writes it."""
    return f"[{name}]" if ":" in name and name[:1] != "[" else name
