"""Forty messages to copy and run: every network, version and entry, responses, and broken ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from support import AT, requested

import sim
from sim.codec import build

_CARD = "4539578763621486"  # of nobody


def _generated(kind: str, network: str, **options: str) -> str:
    return build(requested(kind, network=network, stan="000001", at=AT, **options))


def _messages() -> Iterator[tuple[str, str, str | None]]:
    for network in sim.NETWORKS:
        for kind, entry in (("auth", "chip"), ("financial", "stripe"), ("reversal", "manual")):
            yield f"{network} {kind} {entry}", _generated(kind, network, entry=entry), network
    for network, version in (("VISA", "1993"), ("JCB", "1993"), ("VISA", "2003"), ("UNIONPAY", "2003")):
        yield f"{network} {version}", _generated("auth", network, version=version), network
    for network in ("VISA", "MASTERCARD", "AMEX", "DISCOVER"):
        answer = sim.respond(_generated("auth", network))
        yield f"{network} answer", sim.build(answer), network
    for kind in ("echo", "sign_on", "key_exchange", "settlement"):
        yield kind, _generated(kind, "VISA"), "VISA"
    for entry in ("chip", "stripe", "contactless", "ecommerce"):
        yield f"another card, {entry}", _generated("auth", "VISA", pan=_CARD, entry=entry), "VISA"
    chip = sim.generate("auth", network="VISA", entry="chip", at=AT)
    raw = sim.build(chip)
    yield "month 13", str(sim.break_message(chip, "month-13").iso.message), "VISA"
    yield "cut", raw[:-3], "VISA"
    yield "cut early", raw[:60], "VISA"
    yield "one character more", raw + "7", "VISA"
    yield "reserved function", raw.replace("0100", "0190", 1), "VISA"
    yield "another card, cut", _generated("auth", "VISA", pan=_CARD)[:-3], "VISA"


@cache
def forty() -> list[tuple[str, str, str | None]]:
    """The label, text and network of each."""
    return list(_messages())
