"""The other side of the wire: a host that answers, a client that asks, scenarios, load, keys.

Asyncio streams, `ssl` and `cryptography`, nothing else; nothing here needs pandas. A host listens on the
loopback address unless another is asked for, and nothing connects but to the address that it was given.
Names are resolved when first used, so that keys come without sockets.
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

if not TYPE_CHECKING:  # or every name would be one, of any type
    __getattr__, __dir__ = lazily(__name__)
