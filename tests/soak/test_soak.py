"""A short form of `make soak`: a service and a host among good, broken, hostile, slow and silent clients."""

from __future__ import annotations

import asyncio
from random import Random

from support import long

from soak import hosting, mix
from soak.run import DOCUMENTED, Seen, disturb, growth, measure, p99, serving, told


@long
def test_the_service_answers_as_documented() -> None:
    """Requests of every kind, beside idle, slow, half sent and forbidden ones: no answer but the
    documented, nothing lost, and good requests are answered."""
    seen = Seen()
    with serving(1) as (process, where):
        _, good = measure(where, 1)
        asyncio.run(disturb(process.pid, where, 150, seen))
    statuses = {what for what in seen.tally if what.isdigit()}
    assert {"200", "422"} <= statuses <= DOCUMENTED
    assert seen.tally["lost with their connection"] == seen.tally["refused"] == 0
    assert {what for what in seen.tally if what.startswith("forbidden")} <= {
        "forbidden 400",
        "forbidden, closed",
    }
    assert set(good) == {"good 200"}


def test_the_host_answers_every_message() -> None:
    """Messages beside garbage, broken and half frames and silent connections: all answered."""
    seen = hosting.soak(100)
    assert set(seen.statuses) == {"answered"}
    assert set(seen.beside) == {"garbage", "broken", "half", "silent"}


def test_good_requests_are_of_every_kind() -> None:
    """What the good client sends asks four endpoints."""
    paths = {one.split(b" ", 2)[1] for one in mix.good(Random(1), 20)}
    assert paths == {b"/generate", b"/validate", b"/explain", b"/parse"}


def test_what_is_out_of_bounds_is_told() -> None:
    """An answer that nobody documents, memory that grows and latency that rises each make the run fail."""
    seen = Seen(alone=[0.001] * 100, meanwhile=[0.002] * 100)
    seen.memory = [(at / 10, 100) for at in range(11)]
    seen.tally.update({"200": 5})
    host = hosting.Told(alone=[0.001], meanwhile=[0.001], memory=[(0.4, 5), (1.0, 5)])
    host.statuses.update({"answered": 3})
    assert told(seen, host)[1]
    for broken in (
        Seen(**{**vars(seen), "meanwhile": [0.1] * 100}),
        Seen(**{**vars(seen), "alone": [0.001] * 10}),
        Seen(**{**vars(seen), "memory": [(at / 10, 100 * at) for at in range(11)]}),
        Seen(**{**vars(seen), "tally": seen.tally + type(seen.tally)({"500": 1})}),
    ):
        assert not told(broken, host)[1]
    host.statuses.update({"lost": 1})
    assert not told(seen, host)[1]
    assert (p99([0.001]), growth(seen.memory)) == (1.0, 1.0)
