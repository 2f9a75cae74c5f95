"""The messages that other readers are asked to read: everything generate makes, answered and reversed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import product
from typing import Any, get_args

from combined import combinations
from support import some

from sim.codec import Message, build
from sim.operations.answering import respond, reverse
from sim.operations.generation import generate
from sim.spec.networks import NETWORKS
from sim.spec.words import MessageType

AT = datetime(2026, 11, 20, 12, 30, 45, tzinfo=UTC)
# What is left open in each message: no network, an amount at either end, a currency without cents.
_EXTREMES: tuple[dict[str, Any], ...] = (
    {"network": None, "amount_minor_units": 0},
    {"network": "VISA", "amount_minor_units": 999_999_999_999, "currency": "392", "stan": "999999"},
    {"network": None, "pan": "6011000990139424", "stan": "000000"},
)


@cache
def generated(version: str) -> tuple[Message, ...]:
    """Every kind of message of *version* for every network, entry and purpose, with its answer and
    reversal where it has one."""
    return tuple({build(message): message for message in _all(version)}.values())


def _all(version: str) -> Iterator[Message]:
    for network in NETWORKS:
        for kind, purpose, entry in some(combinations(network, version), 1):
            yield from _exchange(kind, network=network, entry=entry, purpose=purpose, version=version)
    for kind, extreme in product(get_args(MessageType), _EXTREMES):
        yield from _exchange(kind, version=version, **extreme)


def _exchange(kind: str, **options: Any) -> Iterator[Message]:
    made = generate(kind, at=AT, **options).message
    yield made
    yield respond(made).message
    if made.mti[1] in "12":
        undo = reverse(made, at=AT).message
        yield undo
        yield respond(undo).message
