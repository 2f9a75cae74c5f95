"""For users' own tests: run one case, and the pytest fixture `iso_host`.

The fixture comes with the package (entry point `pytest11`): a host of ours for each test, or the one that the
environment variable `ISO8583_HOST` (`host:port`) names.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.link.ends import Host


def check_case(suite: str | Path, name: str, host: Host | str) -> None:
    """Run the case *name* of *suite* against *host*, a host of ours or `host:port`. Raises AssertionError
    with everything that was not as expected."""
    __tracebackhide__ = True  # a failure should show the test and what was wrong
    from sim.link.scenario.report import run_suite
    from sim.link.scenario.run import serve
    from sim.link.scenario.suite import suite_of
    from sim.masking import mask_words
    from sim.visible import visible

    parsed_suite = suite_of(suite)
    if not isinstance(host, str):
        serve(parsed_suite, host.server)
        if parsed_suite.format or parsed_suite.framing is not None or parsed_suite.interface:
            host.server.line = parsed_suite.line
    done = run_suite(replace(parsed_suite, cases=(parsed_suite.case(name),)), host)
    wrong = [f"step {step.number} ({step.sent}): {text}" for step in done.results for text in step.wrong]
    if wrong:
        raise AssertionError("\n".join(visible(mask_words(text)) for text in wrong))
