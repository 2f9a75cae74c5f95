"""Load tests: limited, counted, measured; at a rate, at a concurrency, replayed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from itertools import islice
from typing import Any

import pytest
from warmed import MARK

import sim
from sim.codec import Message
from sim.errors import OptionError
from sim.link import AsyncClient, AsyncHost, Sent, rules_of
from sim.link.load import Load, Mix, Numbers, Replay
from sim.link.load.run import histogram, sent_at
from sim.operations import respond
from tests.link.ends import Clock, message, settled, until


async def drive(host: AsyncHost, messages: Any = None, **options: Any) -> Numbers:
    """A load test on *host*."""
    async with AsyncClient(("127.0.0.1", host.port), reverse=False) as client:
        return await Load(client, messages or Mix(), **options).run()


@pytest.mark.parametrize("name", ["amex", "base24", "smartvista", "unionpay", "visa-base1"])
def test_what_a_format_has_otherwise_is_made_and_answered_so(name: str) -> None:
    """Load tests and suites make messages that fit the connection's format, and the host's responses fit
    it, including a MAC; elements without room in a response are reported."""
    with sim.host(format=name, keys={"mac": "0123456789ABCDEFFEDCBA9876543210"}) as host:
        keys = host.server.issuer.keys
        with sim.client(host, network="VISA", keys=keys) as client:
            asked = sim.generate("auth", format=name)
            assert client.send(asked).code == ("000" if asked.iso.version == "1993" else "00")
        left = [entry.note for entry in host.seen if "left out" in entry.note]
        assert len(left) == (name == "visa-base1")
    with sim.host(format=name) as host:
        assert sim.load(host, count=20, timeout=5).numbers.answered == 20
    assert set(sim.run_suite("case,type\nsold,auth\nalive,echo", format=name)["result"]) == {"passed"}


async def test_a_load_ends_at_its_count_and_loses_nothing() -> None:
    """Every request is answered, and counted by type, code and second."""
    async with AsyncHost() as host:
        numbers = await drive(host, Mix({"auth": 3, "echo": 1}), count=400, concurrency=20)
        assert (numbers.sent, numbers.answered) == (400, 400)
        assert host.traffic.counts["request"] == 400
        assert numbers.codes == {"00": 400}
        assert sum(numbers.kinds.values()) == sum(one.answered for one in numbers.by_second) == 400
        assert 200 < numbers.kinds["auth"] < 400
        assert 0 < numbers.percentile(50) <= numbers.percentile(99) <= numbers.percentile(100)
        assert numbers.latencies.get_total_count() == 400


def test_a_load_does_not_empty_the_account_of_its_card() -> None:
    """Every request has the same card: a host with default settings approves them all."""
    with sim.host() as host:
        assert sim.load(host, mix={"auth": 1}, count=1500).numbers.codes == {"00": 1500}
    with sim.host(opening=50_000) as host:
        assert sim.load(host, mix={"auth": 1}, count=60).numbers.codes == {"00": 50, "51": 10}


async def test_a_load_at_a_rate_sends_what_is_due_before_its_end(clock: Clock) -> None:
    """Four per second for 2.5 seconds are 10 requests; one due exactly at the end is not sent."""
    async with AsyncHost() as host:
        driving = asyncio.ensure_future(drive(host, rate=4, seconds=2.5))
        for sent in range(1, 10):
            await until(lambda: host.traffic.counts["answer"] == sent and clock.due(sent))  # noqa: B023
            await clock.advance(0.25)
        await clock.advance(9)
        assert (await driving).sent == 10


async def test_what_held_a_load_up_cannot_hide_at_a_rate(clock: Clock) -> None:
    """Four requests per second are due when five seconds pass at once: latency counts from when each was
    due."""
    async with AsyncHost() as host:
        driving = asyncio.ensure_future(drive(host, rate=4, count=20, seconds=60))
        await until(lambda: host.traffic.counts["answer"] == 1 and clock.due(0.25))
        await settled()
        clock.passed = 5
        numbers = await driving
        assert numbers.answered == 20
        assert 1000 < numbers.percentile(100) <= 5000


async def test_a_load_can_be_stopped() -> None:
    """After a stop, requests in flight are awaited, and no more are sent."""
    async with AsyncHost() as host, AsyncClient(("127.0.0.1", host.port)) as client:
        load = Load(client, Mix(), concurrency=5, count=1_000_000)
        driving = asyncio.ensure_future(load.run())
        await until(lambda: load.numbers.answered >= 50)
        load.stop()
        numbers = await driving
        assert numbers.sent == numbers.answered < 1000


@pytest.mark.parametrize("how", [{"rate": 100}, {"concurrency": 20}], ids=["rate", "concurrency"])
async def test_a_load_whose_host_is_killed_ends_with_its_seconds(clock: Clock, how: dict[str, Any]) -> None:
    """The host's process is killed in the middle: requests due after that wait for a connection in vain,
    and count as not sent when the five seconds are over."""
    code = f"{MARK}import sys; from sim.link.ends import Host, host; print(host(Host, None).port, flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        async with AsyncClient(("127.0.0.1", port), reverse=False) as client:
            load = Load(client, Mix(), seconds=5, count=1_000_000, **how)
            driving = asyncio.ensure_future(load.run())
            for answered in range(1, 11):
                await until(lambda: load.numbers.answered >= answered)  # noqa: B023
                await clock.advance(0.01)
            process.kill()
            await until(lambda: client.traffic.counts["closed"])
            await clock.advance(5)
            numbers = await driving
    assert numbers.seconds <= 6
    assert numbers.statuses["not sent"]
    assert sum(numbers.statuses.values()) == numbers.sent
    assert sum(numbers.wrong.values()) == numbers.statuses["not sent"]


async def test_a_load_that_is_given_up_ends_at_once(clock: Clock) -> None:
    """If a host answers nothing, giving up returns the figures at once, with requests in flight or between
    two."""
    for how in ({"concurrency": 5}, {"rate": 0.01}):
        rules = rules_of([{"action": "ignore"}])
        async with (
            AsyncHost(rules=rules) as host,
            AsyncClient(("127.0.0.1", host.port)) as client,
        ):
            load = Load(client, Mix(), **how)
            driving = asyncio.ensure_future(load.run())
            await until(lambda: host.traffic.counts["unanswered"])
            load.stop(at_once=True)
            numbers = await driving
            assert clock.passed == 0
            assert (numbers.sent, numbers.answered) == (5 if "concurrency" in how else 1, 0)


def test_an_interrupt_ends_the_command_at_once_with_its_figures() -> None:
    """After Ctrl-C while the host answers nothing, the figures so far are printed, and the status is 1."""
    with sim.host([{"seen": "21..", "action": "ignore"}]) as host:
        call = [sys.executable, "-m", "sim.cli", "load", host.address, "--concurrency", "5", "--mix", "auth"]
        with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            asyncio.run(until(lambda: host.seen.counts["unanswered"] == 5))
            process.send_signal(signal.SIGINT)
            told, wrong = process.communicate(timeout=60)
    assert "25 sent, 20 answered" in told, wrong
    assert process.returncode == 1


async def test_failures_are_counted_by_what_they_are(clock: Clock) -> None:
    """Declines are counted by code, lost responses by status, failed checks by their text."""

    def check(exchange: Sent) -> str | None:
        return None if exchange.code == "00" else f"code {exchange.code or exchange.status}"

    rules = rules_of("mti,seen,action,code\n0100,1..5,answer,05\n0100,1,drop,")
    async with AsyncHost(rules=rules) as host:
        driving = asyncio.ensure_future(drive(host, Mix({"auth": 1}), concurrency=1, count=7, check=check))
        await until(lambda: host.traffic.counts["request"] == 6)
        await clock.advance(30)
        numbers = await driving
        assert numbers.codes == {"05": 5, "00": 1}
        assert numbers.statuses == {"answered": 6, "timed out": 1}
        assert numbers.wrong == {"code 05": 5, "code timed out": 1}


async def test_what_was_sent_once_is_sent_again_with_its_timing(clock: Clock) -> None:
    """Responses are left out; requests are sent with their original timing, twice as fast."""
    log = [(10.0, message(1)), (10.2, respond(message(1)).message), (14.0, message(2, "echo"))]
    replay = Replay(log, speed=2)
    assert [(one.due, one.message.mti) for one in replay] == [(0.0, "0100"), (2.0, "0800")]
    assert (
        sent_at(Message("0800", {7: "1120101530"}), None) - sent_at(Message("0800", {7: "1120101500"}), None)
        == 30
    )
    assert sent_at(Message("0800", {7: "no time"}), 5.0) == 5.0
    async with AsyncHost() as host:
        driving = asyncio.ensure_future(drive(host, replay))
        await until(lambda: host.traffic.counts["request"] == 1 and clock.due(2.0))
        await clock.advance(1.9)
        assert host.traffic.counts["request"] == 1
        await clock.advance(0.1)
        assert (await driving).answered == 2


async def test_what_a_check_raises_ends_the_load() -> None:
    """The caller gets the exception; nothing more is sent, and nothing stays pending."""

    def check(exchange: Sent) -> str | None:
        raise KeyError(exchange.code)

    async with AsyncHost() as host:
        for how in ({"concurrency": 5}, {"rate": 1000.0}):
            with pytest.raises(KeyError, match="00"):
                await drive(host, Mix({"echo": 1}), count=50, check=check, **how)


def test_latencies_stand_in_the_histogram_as_each_would_alone() -> None:
    """Values recorded together count as if recorded one by one, in every percentile and at both ends."""
    numbers, alone = Numbers(), histogram()
    micros = [7 * at * at % 200_003 + 1 for at in range(3000)]
    sent = Sent(message(), status="answered")
    for micro in micros:
        numbers.take(sent, 0.0, micro / 1e6 + 1e-9)
        alone.record_value(micro)
    numbers.end(1.0)
    assert numbers.latencies.get_total_count() == 3000
    for percent in (0, 1, 10, 50, 90, 99, 99.9, 100):
        assert numbers.percentile(percent) == alone.get_value_at_percentile(percent) / 1000
    assert (numbers.latencies.min_value, numbers.latencies.max_value) == (min(micros), max(micros))


def test_a_mix_is_the_same_with_the_same_seed() -> None:
    """Order and STANs follow from the seed; the weights are met approximately."""
    made = [[one.kind for one in islice(Mix({"auth": 9, "echo": 1}, seed=seed), 500)] for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert 400 < made[0].count("auth") < 490
    assert [one.message[11] for one in islice(Mix(), 3)] == ["000001", "000002", "000003"]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda client: Load(client, Mix(), rate=0), "rate: expected a number above 0"),
        (lambda client: Load(client, Mix(), rate=1, concurrency=1), "either a rate or a concurrency"),
        (lambda client: Load(client, Mix(), count=0), "count: expected"),
        (lambda _: Mix({"auth": 0}), "mix: expected message types with weights above 0"),
        (lambda _: Mix({"auth": True}), "mix: expected message types with weights above 0"),
        (lambda _: Mix({"auth": "9"}), "mix: expected message types with weights above 0"),
        (lambda _: Mix("auth"), "mix: expected message types with weights above 0, found 'auth'"),
        (lambda _: Mix({"authh": 1}), "mix: expected .*found 'authh'; did you mean 'auth'"),
        (lambda _: Replay([]), "replay: expected messages"),
        (lambda _: Replay([(0.0, message())], 0), "speed: expected"),
    ],
)
def test_what_cannot_be_met_is_told(call: Any, text: str) -> None:
    """The error names the option, and what is allowed."""
    with pytest.raises(OptionError, match=text):
        call(AsyncClient(("127.0.0.1", 1)))


def test_the_face_gives_a_table_and_a_running_load() -> None:
    """The table has a row per second and a summary as heading; a running load can be watched and stopped."""
    with sim.host() as host:
        table = sim.load(host, count=100, seconds=30, amount_minor_units=1)
        assert int(table["answered"].sum()) == table.numbers.answered == 100
        assert "100 sent, 100 answered" in repr(table)
        running = sim.load(host, count=1_000_000, seconds=30, wait=False)
        running.stop()
        assert running.wait().numbers.sent == running.numbers.answered
        assert not running.running
        raw = [sim.build(sim.generate("auth", stan=at, at="2026-11-20T10:15:30Z")) for at in range(1, 6)]
        assert sim.load(host, replay=raw).numbers.answered == 5


def test_a_load_takes_many_cards_in_turn() -> None:
    """Cards are used in turn, so that all accounts get the same load; an empty list is an error."""
    cards = [f"411111{at:09}" + "0" for at in range(20)]
    made = [one.message for one in islice(Mix({"auth": 1}, pan=cards), 40)]
    assert [one[2] for one in made] == cards * 2
    with pytest.raises(OptionError, match="pan: expected a card number, or several, found none"):
        Mix(pan=[])
