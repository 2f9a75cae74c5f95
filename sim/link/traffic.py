"""The traffic of one end of a connection: limited in size, cheap to record, decoded only when somebody looks.

An entry keeps its bytes; the message in them is decoded on request. Neither a repr nor a log line shows them.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import starmap
from typing import Any

from sim.codec import Message, ParseError
from sim.elements import mti as mtis
from sim.elements.card import account, chosen_network
from sim.elements.money import say
from sim.link.line import Line
from sim.masking import mask_pan
from sim.spec.networks import answer
from sim.spec.tables import read_toml

LOG = logging.getLogger("sim.link")

IN, OUT, EVENT = "in", "out", "event"
_DATA = 5  # the position of the bytes in an entry


@dataclass(slots=True)
class Entry:
    """One message, or one event of a connection. `at` is in seconds since 1970 (UTC); `latency`, in seconds,
    is set for responses; `kind` is what the message was recognized as."""

    number: int
    at: float
    connection: str
    direction: str
    kind: str
    data: bytes = field(default=b"", repr=False)
    latency: float | None = None
    rule: str = ""
    note: str = ""


class Traffic:
    """The entries of one end; the oldest are dropped. `counts` counts them by kind, `codes` by response code;
    `forgotten` is the number of dropped entries."""

    def __init__(self, line: Line, most: int | None = None) -> None:
        limits = read_toml("link")["host"]
        self.line = line
        self.most = limits["traffic"] if most is None else most
        self.most_bytes: int = limits["traffic_bytes"]
        self.counts: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.forgotten = 0
        # Entries as plain tuples, which the garbage collector does not keep scanning.
        self._entries: deque[tuple[Any, ...]] = deque()
        self._bytes = 0
        self._number = 0
        self._heard: list[Callable[[Entry], None]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        # A copy: another thread may be writing.
        return starmap(Entry, tuple(self._entries))

    def add(
        self,
        at: float,
        connection: str,
        direction: str,
        kind: str,
        data: bytes = b"",
        latency: float | None = None,
        rule: str = "",
        note: str = "",
    ) -> None:
        """Record an entry."""
        self._number += 1
        record = (self._number, at, connection, direction, kind, data, latency, rule, note)
        self.counts[kind] += 1
        entries = self._entries
        entries.append(record)
        self._bytes += len(data)
        while len(entries) > self.most or self._bytes > self.most_bytes:
            self._bytes -= len(entries.popleft()[_DATA])
            self.forgotten += 1
        if direction == EVENT:
            LOG.info("%s %s %s", connection, kind, note)
        for observer in tuple(self._heard):
            try:
                observer(Entry(*record))
            except Exception as error:  # noqa: BLE001, an observer may raise anything
                LOG.warning("an observer of the traffic failed: %s", type(error).__name__)

    def event(self, connection: str, kind: str, note: str = "", data: bytes = b"", *, rule: str = "") -> None:
        """Record an event that happens now: its *kind*, a *note* without card data, the frame it is about."""
        self.add(time.time(), connection, EVENT, kind, data, rule=rule, note=note)

    def observe(self, observer: Callable[[Entry], None]) -> Callable[[], None]:
        """Call *observer* with every entry from now on, in the connection's thread; returns a function that
        stops it."""
        self._heard.append(observer)
        return lambda: self._heard.remove(observer)

    def message(self, entry: Entry) -> Message | None:
        """The message of an entry; None for an event, or for bytes that are not a message."""
        message = self.read(entry)
        return None if isinstance(message, ParseError) else message

    def record(self, entry: Entry) -> dict[str, Any]:
        """An entry as a row of the traffic table, with card data masked."""
        message = self.message(entry)
        at = datetime.fromtimestamp(entry.at, UTC)
        head = {"number": entry.number, "at": at, "connection": entry.connection}
        described = dict.fromkeys(("mti", "name", "stan", "card", "amount", "code", "meaning"), "")
        if message is not None:
            code, pan = message.get(39), account(message)[1]
            row = answer(code, message.version, chosen_network(message, None)) if code else None
            described |= {"mti": message.mti, "name": mtis.split(message.mti).name, "stan": message.get(11)}
            described |= {"card": mask_pan(pan) if pan else "", "amount": say(message), "code": code}
            described |= {"meaning": row.meaning if row else ""}
        latency = None if entry.latency is None else round(entry.latency * 1000, 3)
        head |= {"direction": entry.direction, "kind": entry.kind, **described}
        return {**head, "latency_ms": latency, "rule": entry.rule, "note": entry.note}

    def read(self, entry: Entry) -> Message | ParseError | None:
        """The message of an entry, or the error of decoding it; None for an event."""
        if not entry.data:
            return None
        try:
            return self.line.decode(entry.data)[0]
        except ParseError as error:
            return error
