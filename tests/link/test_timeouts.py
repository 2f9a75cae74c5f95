"""What follows a time-out, network by network: which reversal, with which reason, how often, after what."""

from __future__ import annotations

import asyncio

import pytest

from sim.codec import Message
from sim.link import AsyncClient, AsyncHost
from sim.link.rules import rules_of
from sim.link.timeouts import repeated, timeout_of, undoing
from sim.operations import NETWORKS, generate, validate
from sim.spec.tables import read_csv
from tests.link.ends import AT, Clock, until

# Network, version; the reversal and its repeat; where the reason stands, and which it is.
ASKED = [
    ("VISA", "1987", "0400", "0401", 63, "2502"),
    ("MASTERCARD", "1987", "0400", "0401", 39, "82"),
    ("AMEX", "1993", "1420", "1421", 25, "4021"),
    ("DISCOVER", "1987", "0400", "0401", 0, ""),
    ("JCB", "1987", "0420", "0421", 39, "17"),
    ("UNIONPAY", "1987", "0420", "0421", 0, ""),
]


def unanswered(network: str, version: str) -> Message:
    """A request whose answer does not come."""
    kind = "auth" if network == "AMEX" else "financial"
    return generate(kind, network=network, version=version, stan="000041", at=AT).message


@pytest.mark.parametrize(("network", "version", "first", "second", "number", "reason"), ASKED)
def test_each_network_has_its_reversal(
    network: str, version: str, first: str, second: str, number: int, reason: str
) -> None:
    """The MTI, its repeat, the reason for a time-out in its place; the network's own rules find nothing."""
    message, _ = undoing(unanswered(network, version), "000042", AT)
    assert (message.mti, repeated(message).mti) == (first, second)
    assert not number or message[number].endswith(reason)
    for sent in (message, repeated(message)):
        assert validate(sent, network=network).errors == []


def test_every_row_says_where_it_comes_from() -> None:
    """A row per network; what is ours says so."""
    rows = read_csv("timeouts")
    assert {row["network"] for row in rows if row["network"]} == set(NETWORKS)
    assert all(row["source"] and row["confidence"] in ("published", "secondary", "ours") for row in rows)
    assert all(int(row["tries"]) > 0 for row in rows)


@pytest.mark.parametrize(
    ("network", "version", "waits"), [("AMEX", "1993", [2, 4, 8, 16, 32, 64]), ("MASTERCARD", "1987", [])]
)
async def test_repeats_come_as_often_and_as_late_as_the_row_says(
    clock: Clock, network: str, version: str, waits: list[float]
) -> None:
    """On a real line: the reversal, then its repeats under their own MTI, until the tries are used up."""
    row = timeout_of(network, version)
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
    """Who asks for more tries than the row has waits goes on with the longest."""
    assert timeout_of("AMEX", "1993").wait(attempt) == min(2**attempt, 64)
    assert timeout_of("VISA", "1987").wait(attempt) == 0
