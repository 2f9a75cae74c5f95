"""Networking: a host that responds, a client that asks, scenarios, load tests and keys.

It uses asyncio streams, `ssl` and `cryptography` only, never pandas. A host listens on the loopback address
by default; a client connects only to the address it is given. Names are resolved on first use, so keys load
without sockets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.link.client import AsyncClient
    from sim.link.ends import Client, Host
    from sim.link.host import AsyncHost
    from sim.link.line import Cutter, Line, LinkError
    from sim.link.rules import Rule, rules_of
    from sim.link.sent import Sent
    from sim.link.tls import client_context, server_context
    from sim.link.traffic import Entry, Traffic

__all__ = [
    "AsyncClient",
    "AsyncHost",
    "Client",
    "Cutter",
    "Entry",
    "Host",
    "Line",
    "LinkError",
    "Rule",
    "Sent",
    "Traffic",
    "client_context",
    "rules_of",
    "server_context",
]

if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__, __dir__ = lazily(__name__)
