"""Suites of scenarios: read, run against a host, told as JUnit XML and as a page, written as pytest code."""

from sim.link.scenario.export import as_pytest
from sim.link.scenario.junit import as_junit
from sim.link.scenario.page import as_html
from sim.link.scenario.run import ROW, Done, StepResult, run_suite
from sim.link.scenario.suite import Case, Step, Suite, ready_suites, suite_of

__all__ = [
    "ROW",
    "Case",
    "Done",
    "Step",
    "StepResult",
    "Suite",
    "as_html",
    "as_junit",
    "as_pytest",
    "ready_suites",
    "run_suite",
    "suite_of",
]
