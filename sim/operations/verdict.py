"""The verdict on a reading, and its findings with their positions in the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.operations.anatomy import dissect
from sim.operations.findings import placed
from sim.paste.reading import TEXT, Reading
from sim.spec.spellings import network_named

if TYPE_CHECKING:
    from sim.judge import Finding
    from sim.operations.validation import Report


def placed_findings(report: Report, reading: Reading, against: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """The findings of a verdict on a reading, including those of the networks *against*, with their positions
    in the input."""
    view = dissect(reading) if reading.misfits or reading.message is None else None
    if view is not None:
        return view.findings
    return placed(report.all_findings if against else report.findings, reading)


def verdict_on(reading: Reading, against: tuple[str, ...] = ()) -> Report:
    """The verdict on a reading; if it is incomplete or does not fit, the first misfit is the only finding."""
    # Code that only shows messages loads no rules.
    from sim.operations.validation import Report, asked_of, judge, validate

    network, networks = reading.network, asked_of(against)
    if reading.message is not None and not reading.misfits:
        if reading.format != TEXT:
            return validate(reading.message, network=network, against=against)
        # The text form was just parsed, so building it again would check nothing.
        return judge(reading.message, network and network_named(network), networks)
    view = dissect(reading)
    return Report(None, view.version, network, view.findings[0])
