"""A tester's day against a real host: suites, lost and late answers, load, a wrong format, a death."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import sim
from sim.spec.networks import check_digit
from tests.peers.have import Sources
from tests.peers.peer import Peer, PeerError, line_of

HERE = Path(__file__).parent
_LINE = {"format": "ascii", "framing": "length-4-ascii"}
_RATE, _SECONDS, _CARDS = 300, 4, 2000
_SPARE, _DEATH = 1.0, 0.3
# What each takes by itself where nobody answers: its time-out, those of its steps left, its seconds.
_OWN = {"send": 2.0, "suite": 4.0, "load": float(_SECONDS)}
Outcome = tuple[str, str, bool]


def played(sources: Sources, peer: Peer) -> Iterator[Outcome]:
    """What was tried, what came of it, and whether that is right."""
    port = peer("serve", "ASCIIChannel", "ISO87APackager", "")
    address = f"127.0.0.1:{port}"
    for play in (_suite, _chosen, _late, _load, _replay):
        yield play(address)
    yield _wrong_format(peer)
    for name, busy in (("send", _send_until_dead), ("suite", _suite_until_dead), ("load", _load_until_dead)):
        yield _killed(sources, name, busy)


def _suite(address: str) -> Outcome:
    with TemporaryDirectory() as folder:
        place = Path(folder)
        table = sim.run_suite(HERE / "day.toml", address, junit=place / "a.xml", report=place / "a.html")
        sim.export_suite(HERE / "day.toml", place / "test_day.py")
        ast.parse((place / "test_day.py").read_text(encoding="utf-8"))
        files = all((place / name).stat().st_size for name in ("a.xml", "a.html"))
    passed = int((table["result"] == "passed").sum())
    what = "a suite of nine cases: session, completion, decline, lost answer; JUnit, page, pytest module"
    return what, f"{passed} of {len(table)} steps pass", files and passed == len(table)


def _chosen(address: str) -> Outcome:
    table = sim.run_suite(HERE / "day.toml", address, cases="quick")
    cases = [case for case in dict.fromkeys(table["case"]) if not case.endswith("all cases")]
    return "cases by a tag", ", ".join(cases), cases == ["echo", "purchase"]


def _late(address: str) -> Outcome:
    with sim.client(address, timeout=0.5, reverse=False, **_LINE) as client:
        sent = client.send(sim.generate("auth", entry="manual", amount_minor_units=5088))
        end = time.monotonic() + 3
        while not client.traffic["kind"].eq("late").any() and time.monotonic() < end:
            time.sleep(0.05)
        late = int(client.traffic["kind"].eq("late").sum())
    return (
        "a late answer",
        f"{sent.status}, {late} late answer matched",
        (sent.status, late) == ("timed out", 1),
    )


def _load(address: str) -> Outcome:
    cards = [_card(at) for at in range(_CARDS)]
    begun = time.monotonic()
    done = sim.load(address, rate=_RATE, seconds=_SECONDS, pan=cards, **_LINE)
    took = time.monotonic() - begun
    numbers = done.numbers
    said = f"{numbers.sent} sent, {numbers.answered} answered, p99 {numbers.percentile(99):.0f} ms"
    right = numbers.answered == numbers.sent > 0 and took < _SECONDS + _SPARE + 1
    return f"{_RATE} requests a second with {_CARDS:,} cards", said, right


def _card(at: int) -> str:
    body = f"400000{at:09}"
    return body + check_digit(body)


def _replay(address: str) -> Outcome:
    """What one host saw, sent to a peer and to a host of ours."""
    answers = []
    requests = [
        sim.generate("auth", entry="manual", stan=f"{at:06}", amount_minor_units=100 * at)
        for at in range(1, 9)
    ]
    with sim.host(**_LINE) as ours:
        for host in (address, ours.address):
            with sim.client(host, **_LINE) as client:
                answers.append([client.send(one).answer for one in requests])
    changed = [
        one
        for one, other in zip(*answers, strict=True)
        if one is None or other is None or any(one.get(number) != other.get(number) for number in (4, 39, 49))
    ]
    return "the same requests to two hosts", f"{len(changed)} of {len(requests)} answers differ", not changed


def _wrong_format(peer: Peer) -> Outcome:
    with sim.host(format="ascii", framing="length-2-zeros") as host:
        peer("connect", host.port, "CSChannel", "ISO87BPackager", "")
        with suppress(PeerError):
            peer("send", host.port, line_of({"0": "0800", "7": "1126120000", "11": "000001", "70": "301"}))
        notes = " ".join(host.traffic["note"])
    right = "reads as bcd" in notes
    return "packed digits on a line of ASCII", "the host names bcd" if right else notes, right


def _killed(sources: Sources, name: str, busy: Callable[[str], None]) -> Outcome:
    """A host that is killed in the middle: what is under way ends within its own time and a second."""
    with Peer(sources.jpos, sources.folder) as doomed:
        port = doomed("serve", "ASCIIChannel", "ISO87APackager", "")
        sim.run_suite(HERE / "day.toml", f"127.0.0.1:{port}", cases="echo")
        begun = time.monotonic()
        doomed.end_after(_DEATH)
        busy(f"127.0.0.1:{port}")
        took = time.monotonic() - begun
    return f"the host is killed during a {name}", f"ended after {took:.1f} s", took <= _OWN[name] + _SPARE


def _send_until_dead(address: str) -> None:
    with sim.client(address, timeout=2, reverse=False, **_LINE) as client:
        client.send(sim.generate("auth", entry="manual", amount_minor_units=5077))


def _suite_until_dead(address: str) -> None:
    sim.run_suite(HERE / "day.toml", address, cases=["lost", "chip", "e-commerce"])


def _load_until_dead(address: str) -> None:
    sim.load(address, rate=_RATE, seconds=_SECONDS, **_LINE)
