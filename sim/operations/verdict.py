"""The verdict on what was read, and its findings where they stand in what was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.operations.anatomy import dissect
from sim.operations.findings import placed
from sim.paste.reading import TEXT, Reading
from sim.spec.spellings import network_named

if TYPE_CHECKING:
    from sim.judge import Finding
    from sim.operations.validation import Report


def told(report: Report, reading: Reading, against: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """The findings of a verdict on what was read, those of the networks asked for included, each where it
    stands in what was given."""
    view = dissect(reading) if reading.misfits or reading.message is None else None
    if view is not None:
        return view.findings
    return placed(report.all_findings if against else report.findings, reading)


def verdict_on(reading: Reading, against: tuple[str, ...] = ()) -> Report:
    """The verdict on what was read: of what does not read to its end, or not fit, that is the finding."""
    # What only shows a message loads no rules.
    from sim.operations.validation import Report, asked_of, judge, validate

    network, asked = reading.network, asked_of(against)
    if reading.message is not None and not reading.misfits:
        if reading.format != TEXT:
            return validate(reading.message, network=network, against=against)
        # It was read from the text that it would be written as.
        return judge(reading.message, network and network_named(network), asked)
    view = dissect(reading)
    return Report(None, view.version, network, view.findings[0])
