"""What a network asks of a request that was not answered: its reversal's reason, how often it is repeated.

The rows are `data/timeouts.csv`, a source for each; the reversal's MTI is the network's own (0400, 0420,
1420), its repeat's the next digit (0401, 0421, 1421).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sim.codec import Message
from sim.elements import mti as mtis
from sim.elements.card import detect_network
from sim.operations.answering import reverse
from sim.operations.filling import Values, filled
from sim.spec.tables import read_csv


@dataclass(frozen=True, slots=True)
class TimeOut:
    """One row: `tries` counts the first reversal and its repeats, `waits` are the seconds before each repeat
    (none: at once), `element` says where `reason` stands (`39`, `63.3`; empty: nowhere)."""

    tries: int
    waits: tuple[float, ...]
    element: str
    reason: str
    source: str

    def wait(self, attempt: int) -> float:
        """Seconds before repeat *attempt*, from 1; the last wait holds for all after it."""
        return self.waits[min(attempt, len(self.waits)) - 1] if self.waits else 0.0


@cache
def _rows() -> dict[tuple[str, str], TimeOut]:
    return {
        (row["network"], version): TimeOut(
            int(row["tries"]),
            tuple(map(float, row["waits"].split())),
            row["element"],
            row["reason"],
            row["source"],
        )
        for row in read_csv("timeouts")
        for version in row["versions"].split("|")
    }


def timeout_of(network: str | None, version: str) -> TimeOut:
    """The row of a network, else the one of its version.

    >>> timeout_of("MASTERCARD", "1987").reason
    '82'
    """
    rows = _rows()
    return rows.get((network or "", version)) or rows["", version]


def _owner(request: Message, network: str | None) -> str | None:
    found = detect_network(request) if network is None else None
    return str(found.network) if found and found.network else network


def policy_of(request: Message, network: str | None) -> TimeOut:
    """The row of *request*; *network* None is the card's."""
    return timeout_of(_owner(request, network), request.version)


def undoing(request: Message, stan: str, at: datetime, network: str | None = None) -> tuple[Message, TimeOut]:
    """The reversal of a *request* that was not answered, with the reason for that, and its row. *network*
    None is the card's."""
    owner, row = _owner(request, network), policy_of(request, network)
    message = reverse(request, stan=stan, at=at).message
    if not row.element:
        return message, row
    number, _, inside = row.element.partition(".")
    base = message.get(int(number)) if inside else ""
    value = filled(int(number), base, {inside: row.reason}, Values({}, str), message.version, owner)
    return message.replace(**{f"de{number}": value}), row


def repeated(reversal: Message) -> Message:
    """The repeat of *reversal*: the same under the MTI of a repeat."""
    return reversal.replace(mti=mtis.repeat_mti(reversal.mti))
