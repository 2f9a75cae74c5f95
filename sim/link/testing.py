"""What tests of somebody's own use: run one case, and the pytest fixture `iso_host`.

The fixture comes with the package (entry point `pytest11`): a host of our own for each test, or the one
that the environment variable `ISO8583_HOST` (`host:port`) names.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.link.sync import Host


def check_case(suite: str | Path, name: str, host: Host | str) -> None:
    """Run the case *name* of *suite* against *host*, an own one or `host:port`. Raises AssertionError with
    all that was not as expected."""
    __tracebackhide__ = True  # who reads a failure wants its test, and what was wrong
    from sim import background
    from sim.link.line import Line, spoken
    from sim.link.scenario.run import run_suite
    from sim.link.scenario.suite import suite_of

    whole = suite_of(suite)
    chosen = replace(whole, cases=(whole.case(name),))
    if isinstance(host, str):
        where, line = spoken(host), Line.of(whole.format, whole.framing)
    else:
        host.rules = whole.rules
        host.server.issuer.network = whole.network
        where, line = (host.server.address, host.port), host.server.line
    done = background.run(run_suite(chosen, where, line=line))
    wrong = [f"step {one.number} ({one.sent}): {text}" for one in done.results for text in one.wrong]
    if wrong:
        raise AssertionError("\n".join(wrong))
