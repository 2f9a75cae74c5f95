"""How many requests a second the service answers, beside another package's web server and a bare handler.

wrk drives one process of each over loopback with 32 connections, in turn, round by round. The bare handler
reads each body as JSON and writes an answer of ours as JSON: what the same framework does at most.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from sys import executable

from bench_layouts import new_layouts
from serving import OTHER, OURS, Server, serving
from table import Group, Limit, Row, plain, rate, ratio

from sim.operations import generate
from sim.spec.networks import NETWORKS, check_digit, default_card

HERE = Path(__file__).parent
CONNECTIONS = 32
ROUNDS, QUICK_ROUNDS = 4, 2
SECONDS, QUICK_SECONDS = 2, 1
BODIES = 192  # different ones per endpoint
PEER, BARE = "iso8583sim web", "bare Sanic"
# Of the third no two have the same bitmap, and they are more than anybody remembers.
FRESH = "/validate, new layouts"
FRESH_BODIES = 20_000
TIMES_PEER = {"/generate": 3.0, "/explain": 3.0, "/validate": 3.0}
TIMES_BARE = {"/generate": 0.5, "/explain": 0.5, "/validate": 0.5}
TAIL = 5.0  # times the usual latency that the slowest of a hundred answers may take
_AT = datetime(2026, 11, 20, 12, 30, 45, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Run:
    """What wrk measured in one round: requests a second; latency in microseconds; the processor time of
    one request in microseconds, which a busy machine disturbs least."""

    speed: float
    p50: float
    p99: float
    spent: float


def bodies() -> dict[str, list[str]]:
    """Path -> JSON bodies that all servers understand, one message or set of options each."""
    some = random.Random(1)
    made: dict[str, list[str]] = {"/validate": [], "/generate": [], "/explain": []}
    for at in range(BODIES):
        network = tuple(NETWORKS)[at % len(NETWORKS)]
        sample = default_card(network).pan
        payload = sample[:6] + "".join(some.choices("0123456789", k=len(sample) - 7))
        options = {
            "network": network,
            "pan": payload + check_digit(payload),
            "amount_minor_units": some.randrange(1, 10**6),
            "stan": f"{some.randrange(1, 10**6):06}",
        }
        moment = _AT + timedelta(seconds=some.randrange(86_400))
        # A quarter of what is explained and validated has chip data.
        raw = generate("auth", **options, at=moment, entry="chip" if at % 4 == 3 else "manual").raw
        made["/validate"].append(json.dumps({"message": raw, "against": []}))
        made["/generate"].append(json.dumps({"message_type": "auth", **options}))
        made["/explain"].append(json.dumps({"message": raw}))
    texts = new_layouts(FRESH_BODIES, seed=11)
    made[FRESH] = [json.dumps({"message": text, "against": []}) for text in texts]
    return made


def _address(work: str) -> str:
    """The path of what is measured."""
    return work.partition(",")[0]


def drive(wrk: str, server: Server, path: str, file: Path, seconds: int) -> Run:
    """One run of wrk with the bodies of *file*. Fails where an answer was no success."""
    load = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", str(HERE / "post.lua")]
    command = [*load, server.url(_address(path)), "--", str(file)]
    before = server.spent()
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 30)
    figures = next(line for line in done.stdout.splitlines() if line.startswith("figures "))
    requests, microseconds, p50, p99, failed = map(int, figures.split()[1:])
    if failed:
        raise RuntimeError(f"{path}: {failed} of {requests} requests failed")
    spent = (server.spent() - before) / requests * 1e6
    return Run(requests / microseconds * 1e6, p50, p99, spent)


def check(servers: dict[str, Server], asked: dict[str, list[str]]) -> None:
    """Fails unless every server answers the first bodies with what the interface names."""
    keys = {
        "/validate": {"valid", "errors", "networks"},
        "/generate": {"message", "mti", "network", "fields", "source"},
        "/explain": {"fields", "mti", "source", "summary"},
    }
    for server in servers.values():
        for path, texts in asked.items():
            for text in texts[: len(NETWORKS)]:
                answer = server.post(_address(path), text)
                assert set(answer) == keys[_address(path)]
                assert _address(path) != "/validate" or set(answer["networks"]) == set(NETWORKS)


def rows(path: str, runs: dict[str, list[Run]]) -> list[Row]:
    """Speed against each of the others, and our slow answers against our usual ones."""
    speeds = {name: [run.speed for run in each] for name, each in runs.items()}
    ours = speeds.pop("ours")
    asked = {PEER: TIMES_PEER.get(path), BARE: TIMES_BARE.get(path)}
    made = []
    for name, theirs in speeds.items():
        least = asked[name]
        limit = None if least is None else Limit(least)
        made.append(Row(path, rate(ours), name, rate(theirs), ratio(ours, theirs), limit))
    p99, p50 = ([getattr(run, name) for run in runs["ours"]] for name in ("p99", "p50"))
    slow, usual = f"p99 {median(p99) / 1000:.1f} ms", f"p50 {median(p50) / 1000:.1f} ms"
    limit = Limit(TAIL, most=True) if path in TIMES_BARE else None
    made.append(Row(f"{path}, latency", slow, "our usual one", usual, ratio(p99, p50), limit))
    return made + _spent_rows(path, {name: [run.spent for run in each] for name, each in runs.items()})


def _spent_rows(path: str, spent: dict[str, list[float]]) -> list[Row]:
    ours = spent.pop("ours")
    if not all(ours):
        return []
    return [
        Row(
            f"{path}, processor time",
            f"{median(ours):.0f} µs",
            name,
            f"{median(theirs):.0f} µs",
            ratio(ours, theirs),
        )
        for name, theirs in spent.items()
    ]


def measure(wrk: str, rounds: int, seconds: int) -> dict[str, dict[str, list[Run]]]:
    """Path -> server -> one run a round."""
    asked = bodies()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        files = {path: folder / f"{path.replace('/', '')}.txt" for path in asked}
        for path, texts in asked.items():
            files[path].write_text("\n".join(texts) + "\n", encoding="ascii")
        ours = stack.enter_context(serving(*OURS))
        answers = folder / "answers.json"
        held = {path: ours.post(path, asked[path][0]) for path in TIMES_BARE}
        answers.write_text(json.dumps(held), encoding="utf-8")
        bare = serving(executable, str(HERE / "bare_app.py"), more=(str(answers),))
        servers = {"ours": ours, PEER: stack.enter_context(serving(*OTHER))}
        check(servers, asked)
        servers[BARE] = stack.enter_context(bare)
        runs: dict[str, dict[str, list[Run]]] = {
            path: {one: [] for one in servers if one != BARE or path in TIMES_BARE} for path in asked
        }
        for path, each in runs.items():
            chosen = {one: server for one, server in servers.items() if one != BARE or path in TIMES_BARE}
            for server in chosen.values():
                drive(wrk, server, path, files[path], 1)  # warm
            for _ in range(rounds):
                for one, server in chosen.items():
                    each[one].append(drive(wrk, server, path, files[path], seconds))
    return runs


def groups(quick: bool = False) -> Sequence[Group]:
    """Measure everything; what the table says of it. Without wrk there are no rows, but a note."""
    title = "HTTP service, 1 process"
    wrk = shutil.which("wrk")
    if wrk is None:
        return [Group(title, [], ["skipped: wrk is not on the PATH (Debian: apt-get install wrk)."])]
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    measured = measure(wrk, rounds, seconds)
    notes = [
        f"wrk on the same machine, {CONNECTIONS} connections, median of {rounds} runs of {seconds} s each,",
        f"{BODIES} different bodies in turn, a quarter with chip data; validate is against all networks;",
        f"of {FRESH_BODIES:,} new layouts no two have the same bitmap, more than anybody remembers. All",
        "three servers run on uvloop, the peer under uvicorn with httptools and without its access log.",
    ]
    return [Group(title, [row for path, runs in measured.items() for row in rows(path, runs)], notes)]


if __name__ == "__main__":
    print("\n".join(plain(groups())))
