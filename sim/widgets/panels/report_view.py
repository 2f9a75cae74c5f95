"""`ReportView`: a verdict, what each network says, and the findings, each of which can be picked.

`data` holds masked texts only: findings never hold card data.

    verdict     {state, words}: state valid, invalid, broken or empty
    networks    [{name, title, passed, foreign, errors, warnings, hints, own}]: foreign for a card that is
                not of that network
    findings    [{severity, place, name, sentence, hint, source, network, number, start, end}]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from sim.errors import element_label
from sim.grid import SEVERITY, TEXT, Grid, as_html
from sim.judge import Finding, Severity
from sim.operations import Report
from sim.spec.interfaces import interface
from sim.spec.networks import NETWORKS
from sim.spec.networks import network as network_of
from sim.widgets.markup import markup
from sim.widgets.statics import STATIC

Data = dict[str, Any]

# The rule that says whose card it is; what a network finds beside it is said of somebody else's card.
_WHOSE = "pan-network"
ELSEWHERE = "Would it pass elsewhere?"
VERDICT_SIGNS = {"valid": "✔", "invalid": "✖", "broken": "✖", "empty": ""}
_NOTHING: Data = {"verdict": {"state": "empty", "words": ""}, "networks": [], "findings": []}


class ReportView(anywidget.AnyWidget):
    """What validate says of a message. Traits: `data` as described above; `network`, whose findings are
    listed, empty for the standard's and the message's own; `picked`, the place of a finding in the
    list that is shown, or None."""

    _esm = STATIC / "report_view.js"
    _css = STATIC / "report_view.css"

    data = traitlets.Dict(_NOTHING).tag(sync=True)
    network = traitlets.Unicode("").tag(sync=True)
    picked = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __repr__(self) -> str:
        return f"ReportView({self.data['verdict']['words'] or 'no message'})"


def report_data(report: Report | None, network: str = "") -> Data:
    """*report* as `ReportView` takes it, with the findings of *network*, or the message's own."""
    if report is None:
        return _NOTHING
    other = report.networks.get(network)
    found = sorted(report.findings if other is None else other.findings, key=_rank)
    return {
        "verdict": verdict(report),
        "networks": [
            {
                "name": name,
                "title": network_of(name).title,
                "passed": result.passed,
                "foreign": any(one.rule == _WHOSE for one in result.findings),
                "errors": _count(result.findings, Severity.ERROR),
                "warnings": _count(result.findings, Severity.WARNING),
                "hints": _count(result.findings, Severity.INFO),
                "own": name == report.network,
            }
            for name, result in report.networks.items()
        ],
        "findings": [_finding(one) for one in found],
    }


def verdict(report: Report) -> Data:
    """The verdict in a state and in words: `Valid for Visa, read as ISO 8583:1987. 1 warning.`"""
    if report.framing is not None:
        words = f"This cannot be read as an ISO 8583:{report.version} message."
        return {"state": "broken", "words": words}
    title = network_of(report.network).title if report.network else "the standard alone: no known network"
    told = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "hint"))
    counts = ", ".join(_many(n, word) for severity, word in told if (n := _count(report.findings, severity)))
    head = "Valid" if report.valid else "Invalid"
    words = f"{head} for {title}, read as ISO 8583:{report.version}." + (f" {counts}." if counts else "")
    return {"state": head.lower(), "words": words}


def _rank(one: Finding) -> int:
    """Errors first; otherwise the order of the elements stays."""
    return list(Severity).index(one.severity)


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _count(found: tuple[Finding, ...], severity: Severity) -> int:
    return sum(one.severity is severity for one in found)


def _finding(one: Finding) -> Data:
    label = f"DE {one.path}" if one.path and one.field not in (None, 0, 1) else element_label(one.field)
    return {
        "severity": one.severity.value,
        "place": label[:1].upper() + label[1:],
        "name": "" if one.name.casefold() == label else one.name,  # the message, the bitmap
        "sentence": one.message,
        "hint": one.hint,
        "source": one.source,
        "network": _title(one.network),
        "number": one.field,
        "start": one.start,
        "end": one.end,
    }


def _title(speaker: str | None) -> str:
    """What the network or the interface whose rule it is calls itself."""
    if not speaker:
        return ""
    return network_of(speaker).title if speaker in NETWORKS else interface(speaker).title


def report_html(data: Data) -> str:
    """The same as HTML that needs no widget: verdict, findings, what the other networks say."""
    state = data["verdict"]["state"]
    lines: list[str] = [markup("p", markup("b", f"{VERDICT_SIGNS[state]} {data['verdict']['words']}"))]
    if data["findings"]:
        rows = [(one["severity"], one["place"], one["sentence"], one["hint"]) for one in data["findings"]]
        lines.append(_table(("severity", "where", "message", "hint"), rows))
    elif state != "empty":
        lines.append("<p>No findings.</p>")
    others = [row for row in data["networks"] if not row["own"]]
    if others:
        lines.append(markup("p", markup("b", ELSEWHERE)))
        lines.append(_table(("network", "result", "findings"), [_network_cells(row) for row in others]))
    return "\n".join(lines)


def _network_cells(row: Data) -> tuple[str, ...]:
    result = "– not its own card" if row["foreign"] else "✔ would pass" if row["passed"] else "✖ would fail"
    counts = [_many(row[f"{word}s"], word) for word in ("error", "warning", "hint") if row[f"{word}s"]]
    return row["title"], result, ", ".join(counts)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    kinds = tuple(SEVERITY if head == "severity" else TEXT for head in heads)
    return as_html(Grid(heads, kinds, ("",) * len(rows), tuple(rows), None))
