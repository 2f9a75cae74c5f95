"""Which hosts a server answers for.

A page of a foreign site can name a host of its own whose address becomes 127.0.0.1 (DNS rebinding). The
browser then takes a local server for that site, and lets the page call it and read its answers. The name in
the Host header gives it away: a local server answers for names of its own only.
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
    """Whether who listens on *host* can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    if not host:  # every address
        return False
    try:
        found = {host} if _is_address(host) else {str(row[4][0]) for row in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ip_address(address.partition("%")[0]).is_loopback for address in found)


def gate(names: Iterable[str] | None) -> Callable[[str], bool]:
    """What says of the value of a Host header whether this server answers for it: with any port, in any
    letter case. *names* None: for every host.

    >>> answers = gate(LOCAL)
    >>> answers("LOCALHOST:8000"), answers("localhost.evil.test")
    (True, False)
    """
    if names is None:
        return lambda host: True
    own = {_bracketed(name.lower().rstrip(".")) for name in names}

    @lru_cache(maxsize=64)
    def answers(host: str) -> bool:
        match = _HOST.fullmatch(host.strip("\t "))
        return match is not None and match["name"].lower().removesuffix(".") in own

    return answers


def target_host(target: str, host: str | None) -> str:
    """The host that a request asks: a *target* that is a whole URL names it, otherwise the header *host*
    does (RFC 9112, section 3.2.2). A client of HTTP/1.0 need not name any; no browser is one.

    >>> target_host("http://a.test/docs", "b.test"), target_host("/docs", "b.test")
    ('a.test', 'b.test')
    """
    if target[:1] != "/" and (match := _AUTHORITY.match(target)):
        return match["authority"]
    return LOCAL[0] if host is None else host


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _bracketed(name: str) -> str:
    """A version 6 address as a Host header writes it."""
    return f"[{name}]" if ":" in name and name[:1] != "[" else name
