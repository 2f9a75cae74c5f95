"""Both ends of a line as tables: what a host or a client saw, and the ends as a notebook uses them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements.answer import answer as meaning_of
from sim.elements.money import say
from sim.elements.pan import account
from sim.link.exchange import Exchange
from sim.link.lanes import STYLE as LANES_STYLE
from sim.link.lanes import as_svg, seen_in
from sim.link.sync import Client, Host
from sim.link.traffic import IN, OUT, Entry, Traffic
from sim.masking import mask_pan
from sim.operations.choosing import chosen_network
from sim.tables.argument import MessageArgument, take
from sim.tables.matching import match
from sim.tables.messages import TEXT
from sim.tables.tables import Table
from sim.tables.transactions import TransactionsTable

Rules = str | Path | pd.DataFrame | Iterable[Mapping[str, Any]]
Address = str | tuple[str, int] | Host

TRAFFIC_COLUMNS = (
    *("number", "at", "connection", "direction", "kind", "mti", "name", "stan", "card"),
    *("amount", "code", "meaning", "latency_ms", "rule", "note"),
)


class TrafficTable(Table):
    """What one end of a line saw, a row per message or event: `number`, `at` (UTC), `connection`,
    `direction` (in, out, event), `kind` (request, answer, late, duplicate, lost, undelivered ...), `mti`
    and its `name`, `stan`, `card` (masked), `amount`, `code` (DE 39) and its `meaning`, `latency_ms`,
    `rule`, `note`.
    """

    _safe_columns = ("at", "connection", "kind", "name", "meaning", "rule", "note")
    _when_empty = ("connection", "rule", "note", "meaning")
    _nothing = "Nothing was seen yet."


def traffic_table(traffic: Traffic) -> TrafficTable:
    """The table of *traffic*."""
    rows = [_row(traffic, entry) for entry in traffic]
    frame = pd.DataFrame(rows, columns=list(TRAFFIC_COLUMNS))
    for column in TRAFFIC_COLUMNS:
        if column == "at":
            frame[column] = pd.to_datetime(frame[column], utc=True)
        elif column == "latency_ms":
            frame[column] = frame[column].astype("float64")
        elif column != "number":
            frame[column] = frame[column].astype(TEXT)
    return TrafficTable(frame)


def _row(traffic: Traffic, entry: Entry) -> tuple[object, ...]:
    at = datetime.fromtimestamp(entry.at, UTC)
    seen = traffic.message(entry)
    told: tuple[str, ...] = ("",) * 7 if seen is None else _told(seen)
    latency = None if entry.latency is None else round(entry.latency * 1000, 3)
    head = (entry.number, at, entry.connection, entry.direction, entry.kind)
    return (*head, *told, latency, entry.rule, entry.note)


def _told(seen: Message) -> tuple[str, ...]:
    """MTI, name, STAN, card, amount, code and its meaning."""
    code, pan = seen.get(39), account(seen)[1]
    known = meaning_of(code, seen.version, chosen_network(seen, None)) if code else None
    return (
        seen.mti,
        mtis.split(seen.mti).name,
        seen.get(11),
        mask_pan(pan) if pan else "",
        say(seen),
        code,
        known.meaning if known else "",
    )


class Drawing:
    """SVG that a notebook shows; `svg` is its text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_html_(self) -> str:
        return f"<style>{LANES_STYLE}</style>{self.svg}"


class Watched:
    """One end of a line whose traffic is looked at in a notebook."""

    if TYPE_CHECKING:

        @property
        def seen(self) -> Traffic: ...

    @property
    def traffic(self) -> TrafficTable:
        """What it saw, as a table."""
        return traffic_table(self.seen)

    @property
    def transactions(self) -> TransactionsTable:
        """What `sim.match` makes of it: requests with their answers, repeats and reversals, a row each.
        `sim.plot(..., "lanes")` draws it."""
        held = [(one, seen) for one in self.seen if (seen := self.seen.message(one)) is not None]
        return match([seen for _, seen in held], [datetime.fromtimestamp(one.at, UTC) for one, _ in held])

    def lanes(self) -> Drawing:
        """The same as a drawing per transaction, an arrow for each message."""
        seen = seen_in(self.seen, IN if isinstance(self, Host) else OUT)
        return Drawing(as_svg(seen) or "<p>Nothing was sent yet.</p>")

    def message(self, number: int) -> Message:
        """The message of row *number* of the traffic. Raises KeyError where there is none."""
        found = next((entry for entry in self.seen if entry.number == number), None)
        seen = None if found is None else self.seen.message(found)
        if seen is None:
            raise KeyError(f"row {number} has no message")
        return seen


class LabHost(Host, Watched):
    """A host in a notebook. `traffic` is what it saw, as a table; `rules` may be assigned at any time,
    a DataFrame, too."""

    def _rows(self, rules: Any) -> Any:
        return rows_of(rules)

    def send(self, message: MessageArgument) -> int:
        """Send a message that nobody asked for to all clients; gives to how many."""
        return self.push(_readable(message))


class LabClient(Client, Watched):
    """A client in a notebook: `send` waits, `ask` is awaited."""

    def send(self, message: MessageArgument, **options: Any) -> Exchange:
        """Send *message*, in any form, and wait for what becomes of it; options: `timeout` in seconds,
        `reverse` whether a time-out is undone."""
        return self.exchange(_readable(message), **options)

    def send_all(self, messages: Iterable[MessageArgument], **options: Any) -> list[Exchange]:
        """Send *messages* at once, and wait for all."""
        return self.exchange_all([_readable(one) for one in messages], **options)

    async def ask(self, message: MessageArgument, **options: Any) -> Exchange:
        """The same, to be awaited in any event loop."""
        return await asyncio.wrap_future(self.start(_readable(message), **options))


def _readable(message: MessageArgument) -> Message:
    return take(message).whole()


def rows_of(rules: Any) -> Any:
    """A rule table in any form, without pandas."""
    if isinstance(rules, pd.DataFrame):
        plain = pd.DataFrame(rules)
        cells: list[dict[Any, Any]] = plain.astype(object).where(plain.notna(), None).to_dict("records")
        return [{name: _whole(cell) for name, cell in row.items()} for row in cells]
    return Path(rules) if isinstance(rules, Path) else rules


def _whole(cell: Any) -> Any:
    """A cell as it was written: pandas makes 50 the number 50.0 where another row of its column is empty."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
