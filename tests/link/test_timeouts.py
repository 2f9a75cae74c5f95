"""After a timeout: how many repeats, after which delays, until when."""

from __future__ import annotations

import asyncio

import pytest

from sim.codec import Message
from sim.link import AsyncClient, AsyncHost
from sim.link.rules import rules_of
from sim.link.sent import timeout_of
from sim.operations import generate
from sim.spec import VERSIONS
from sim.spec.tables import read_csv
from tests.link.ends import AT, Clock, until


def unanswered(network: str, version: str) -> Message:
    """A request that gets no response."""
    kind = "auth" if network == "AMEX" else "financial"
    return generate(kind, network=network, version=version, stan="000041", at=AT).message


def test_every_version_has_its_row() -> None:
    """Every version has a row, and the values of our choice are marked."""
    assert all(timeout_of(version).tries > 0 for version in VERSIONS)
    assert {row["confidence"] for row in read_csv("timeouts")} <= {"published", "secondary", "ours"}


@pytest.mark.parametrize(
    ("network", "version", "waits"), [("AMEX", "1993", [2, 4, 8, 16, 32, 64]), ("MASTERCARD", "1987", [])]
)
async def test_repeats_come_as_often_and_as_late_as_the_row_says(
    clock: Clock, network: str, version: str, waits: list[float]
) -> None:
    """On a real connection: the reversal, then its repeats with their own MTI, until the attempts are used
    up."""
    row = timeout_of(version)
    async with (
        AsyncHost(rules=rules_of([{"action": "drop"}])) as host,
        AsyncClient((host.address, host.port)) as client,
    ):
        sending = asyncio.ensure_future(client.send(unanswered(network, version)))
        for count, wait in enumerate((0, *(waits or [0] * (row.tries - 1)), 0), 1):
            await until(lambda count=count: host.traffic.counts["unanswered"] == count)
            await clock.advance(30)
            if wait:
                await until(lambda: clock.due())
                assert clock.due()[0] - clock.passed == wait
                await clock.advance(wait)
        exchange = await sending
        assert not exchange.settled
        assert client.unsettled == [exchange]
        sent = [client.traffic.message(one) for one in client.traffic if one.direction == "out"]
    first, *rest = [one.mti for one in sent if one]
    reversal = "1420" if version == "1993" else "0400"
    assert first == unanswered(network, version).mti
    assert rest == [reversal, *[f"{reversal[:3]}1"] * (row.tries - 1)]


@pytest.mark.parametrize("attempt", [1, 6, 7, 60])
def test_the_last_wait_holds_for_all_after_it(attempt: int) -> None:
    """With more attempts than waits, the longest wait applies to the rest."""
    assert timeout_of("1993").wait(attempt) == min(2**attempt, 64)
    assert timeout_of("1987").wait(attempt) == 0
