"""Validation: the findings on one or more messages as a table, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from sim.codec import BuildError
from sim.judge import Finding
from sim.judge.finding import rule_page
from sim.operations.findings import NO_ROWS, framing_finding
from sim.operations.validation import Report, networks_against, placed_findings, verdict_on
from sim.spec.spellings import DEFAULT_VERSION, version_named
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, take
from sim.tables.tables import Table, View, columns_from

if TYPE_CHECKING:
    from sim.codec.wire import Format

FINDING_COLUMNS = (
    *("severity", "network", "field", "name", "rule", "message"),
    *("start", "end", "expected", "found", "hint", "source"),
)


class FindingsTable(Table):
    """The findings on a message, one per row, as `sim.validate` describes them; empty if there are none.
    Displays omit `start`, `end`, `expected` and `found`, which `message` repeats."""

    _when_empty = ("network", "hint", "source")
    _never = ("start", "end", "expected", "found")
    _nothing = "No findings."
    _rules = "rule"

    if TYPE_CHECKING:

        @property
        def iso(self) -> FindingsView: ...


class FindingsView(View):
    """The verdict behind a findings table; filtering rows does not change it."""

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network finds an error."""
        facts = self._facts
        return bool(facts["valid"]) if "valid" in facts else "error" not in set(self._table["severity"])

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        facts = self._facts
        if "errors" in facts:
            return list(facts["errors"])
        rows = self._table[self._table["severity"] == "error"]
        return [str(sentence) for sentence in rows["message"].tolist()]

    @property
    def urls(self) -> list[str]:
        """The documentation page of each row's rule, on the site that `SIM_DOCS` names; else empty."""
        return [rule_page(rule) for rule in self._table["rule"].tolist()]

    @property
    def version(self) -> str:
        """The version the message was read as; empty if unknown."""
        return str(self._facts.get("version", ""))

    @property
    def network(self) -> str | None:
        """The message's own network, given or detected."""
        network = self._facts.get("network")
        return str(network) if network else None

    @property
    def networks(self) -> pd.DataFrame:
        """The verdict of each network, one per row: `network`, `passed`, and the number of `errors` and
        `warnings`. No rows if the text does not parse."""
        rows = self._facts.get("networks", [])
        columns = {"network": "str", "passed": "bool", "errors": "int64", "warnings": "int64"}
        return Table(rows, columns=list(columns)).astype(columns)


def validate(
    message: MessageArgument | bytes,
    *,
    against: Iterable[AnyNetwork] = (),
    network: AnyNetwork | None = None,
    version: AnyVersion | None = None,
    interface: AnyInterface | None = None,
    format: Format | str | None = None,
) -> FindingsTable:
    """Check a message against ISO 8583 and its network's rules.

    Parameters
    ----------
    message
        A message in any form that `parse` takes. A broken text or a bad cell is a finding.
    against
        Other networks whose findings to list as well; they never make the message invalid.
    network
        The message's own network: one of `sim.NETWORKS`. Default: the card's.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    interface
        The interface of the link, one of `sim.interfaces()`; `iso` is the standard alone. Default: the
        format's, otherwise the card brand's own.
    format
        The wire format, one of `sim.formats()`, or `text`. Default: recognized.

    Returns
    -------
    FindingsTable
        A row per finding, none if all is well: `severity` (error, warning, info), `network` (empty for the
        standard), `field`, `name`, `rule`, `message`, `start` and `end` of the fault (characters of a text
        or a log, bytes of a dump), `expected`, `found`, `hint`, `source`. `.iso.valid` is the verdict,
        `.iso.networks` each network's result.

    Raises
    ------
    TypeError
        *message* is not a message.
    ChoiceError
        Unknown version, network or interface.
    SpecError
        Unknown format.

    Examples
    --------
    >>> import sim
    >>> report = sim.validate("0800202000000000000099000012")
    >>> report.iso.valid, len(report)
    (False, 1)
    """
    networks = networks_against(against)
    try:
        reading = take(message, version, network, format, interface)
    except BuildError as error:
        # The rows are not a message at all: a repeated number, a cell that is not text.
        edition = version_named(version) if version else ""
        finding = framing_finding(error, edition or DEFAULT_VERSION, hint=NO_ROWS)
        refused = Report(None, edition, network, finding)
        return findings_table(refused, refused.findings)
    report = verdict_on(reading, networks)
    return findings_table(report, placed_findings(report, reading, networks))


def findings_table(report: Report, found: Iterable[Finding]) -> FindingsTable:
    """The findings *found* as a table. The results of all requested networks are kept in `attrs`."""
    table = FindingsTable(columns_from(found, FINDING_COLUMNS))
    matrix = [
        {"network": name, "passed": result.passed, "errors": result.wrong, "warnings": result.warnings}
        for name, result in report.networks.items()
    ]
    facts = {"version": report.version, "network": report.network, "valid": report.valid}
    table.attrs["iso"] = {**facts, "errors": report.errors, "networks": matrix}
    return table
