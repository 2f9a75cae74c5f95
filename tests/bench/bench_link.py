"""Requests and answers a second over loopback: our client and host, and another package's, in turn.

Each host is a process of its own, the client is in this one or another of its own kind, all four on asyncio's
own event loop; both ends write the text form behind two bytes of length, the host approves by one rule, fifty
requests are in flight on one connection. Both clients match each answer and measure its latency.

"The same messages": both clients send one authorization of 19 elements, its STAN another each time. "Own
messages": each makes its requests with its own generator, ours 19 elements, the peer's 11.

The peer's host finds its rule, repeats up to fourteen elements, adds two and counts. Ours finds its rule,
looks for a repeat, repeats what the network's answers repeat and makes what they have of their own (DE 44, 62
and 63), books the amount, remembers the answer, and keeps its traffic: more work, not less. Both have
exchanged some messages before the measured ones.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from statistics import median

from table import Group, Limit, Row, ratio

PEER = "iso8583sim"
COUNT, QUICK_COUNT = 20_000, 3_000
ROUNDS, QUICK_ROUNDS = 5, 3
LEAST = 5_000

_OUR_HOST = """
import asyncio, sys
from sim.link import AsyncHost, rules_of
async def main():
    async with AsyncHost(rules={rules}, opening=10**12) as host:
        print(host.port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
asyncio.run(main())
"""
_SAME = """
from sim import operations
_FIELDS = operations.generate("auth", network="VISA").message.fields
def fields(at):
    return {**_FIELDS, 11: f"{at % 999_999 + 1:06}"}
"""
_OUR_CLIENT = """
import asyncio, sys
from sim.link import AsyncClient
from sim.link.load import Load, Mix
async def main():
    async with AsyncClient(("127.0.0.1", int(sys.argv[1]))) as client:
        first = Mix({"auth": 1}, network="VISA", amount_minor_units=999)
        await Load(client, first, concurrency=50, count=500).run()
        mix = Mix({"auth": 1}, network="VISA")
        done = await Load(client, mix, concurrency=50, count=int(sys.argv[2])).run()
        assert done.codes == {"00": int(sys.argv[2])}, done
        print(done.rate)
asyncio.run(main())
"""
_OUR_CLIENT_SAME = (
    _SAME
    + """
import asyncio, sys
from itertools import count
from sim.codec import Message
from sim.link import AsyncClient
from sim.link.load import Load
from sim.link.load.run import Sending
def messages(first):
    return (Sending(None, "auth", Message("0100", fields(at))) for at in count(first))
async def main():
    async with AsyncClient(("127.0.0.1", int(sys.argv[1]))) as client:
        await Load(client, messages(900_000), concurrency=50, count=500).run()
        done = await Load(client, messages(0), concurrency=50, count=int(sys.argv[2])).run()
        assert done.codes == {"00": int(sys.argv[2])}, done
        print(done.rate)
asyncio.run(main())
"""
)
_PEERS_HOST = """
import asyncio, sys
from iso8583sim.net.host import MockHost
from iso8583sim.wire import WireFormat
async def main():
    host = MockHost(wire_format=WireFormat.ascii_hex())
    await host.start(port=0)
    print(host.port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
asyncio.run(main())
"""
_PEERS_CLIENT = """
import asyncio, sys
from iso8583sim.net.client import ISO8583Client
from iso8583sim.net.load import run_load
from iso8583sim.wire import WireFormat
def client():
    return ISO8583Client("127.0.0.1", int(sys.argv[1]), wire_format=WireFormat.ascii_hex())
async def main():
    await run_load(client, 200, 50)
    return await run_load(client, int(sys.argv[2]), 50)
done = asyncio.run(main())
assert done.responses == int(sys.argv[2]), done
print(done.responses / done.duration_s)
"""
_PEERS_CLIENT_SAME = (
    _SAME
    + """
import asyncio, sys
from iso8583sim.core.types import ISO8583Message
from iso8583sim.net.client import ISO8583Client
from iso8583sim.net.load import run_load
from iso8583sim.wire import WireFormat
def client():
    return ISO8583Client("127.0.0.1", int(sys.argv[1]), wire_format=WireFormat.ascii_hex())
def message(at):
    return ISO8583Message(mti="0100", fields=fields(at))
async def main():
    await run_load(client, 200, 50, make_message=message)
    return await run_load(client, int(sys.argv[2]), 50, make_message=message)
done = asyncio.run(main())
assert done.responses == int(sys.argv[2]), done
assert done.response_codes == {"00": int(sys.argv[2])}, done
print(done.responses / done.duration_s)
"""
)
_APPROVE = 'rules_of([{"code": "00"}])'


def pairs(host: str, client: str, count: int) -> float:
    """Exchanges a second of *client* with *host*, both programs."""
    serving = subprocess.Popen(
        [sys.executable, "-c", host], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert serving.stdin is not None
    assert serving.stdout is not None
    port = serving.stdout.readline().strip()
    command = [sys.executable, "-c", client, port, str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    finally:
        serving.stdin.write("\n")
        serving.stdin.close()
        serving.wait()
    return float(done.stdout)


def groups(quick: bool = False) -> Sequence[Group]:
    """Measure everything; what the table says of it."""
    count, rounds = (QUICK_COUNT, QUICK_ROUNDS) if quick else (COUNT, ROUNDS)
    approving, judging = _OUR_HOST.format(rules=_APPROVE), _OUR_HOST.format(rules="()")
    runs: dict[str, tuple[str, str, int]] = {
        "same": (approving, _OUR_CLIENT_SAME, count),
        "same, peer": (_PEERS_HOST, _PEERS_CLIENT_SAME, count // 3),
        "own": (approving, _OUR_CLIENT, count),
        "own, peer": (_PEERS_HOST, _PEERS_CLIENT, count // 3),
        "judged": (judging, _OUR_CLIENT, count),
    }
    seen: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            seen[name].append(pairs(*run))

    def row(work: str, ours: str, peers: str, limit: Limit | None = None) -> Row:
        made, theirs = f"{median(seen[ours]):,.0f}/s", f"{median(seen[peers]):,.0f}/s"
        return Row(work, made, PEER, theirs, ratio(seen[ours], seen[peers]), limit)

    best = median(seen["own"])
    rows = [
        row("pairs, the same messages", "same", "same, peer", Limit(5)),
        row("pairs, own messages", "own", "own, peer"),
        Row("pairs, own messages", f"{best:,.0f}/s", "", "", None, Limit(LEAST, unit="/s"), best),
        row("pairs, own messages, each judged and booked", "judged", "own, peer"),
    ]
    return [Group("Client and host over loopback, 2 processes", rows)]


if __name__ == "__main__":
    from table import plain

    print("\n".join(plain(groups("--quick" in sys.argv))))
