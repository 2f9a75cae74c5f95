"""`ValidatePanel`: is this message right, for its own network and for the others? And what a broken one was,
each proposal with its evidence. `ReportView` is the verdict, what each network says, and the findings.

`data` of a report holds masked texts only: findings never hold card data.

    verdict     {state, words}: state valid, invalid, broken or empty
    networks    [{name, title, passed, foreign, errors, warnings, hints, own}]: foreign for a card that is
                not of that network
    findings    [{severity, place, name, sentence, hint, source, network, number, start, end}]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import counted, element_label
from sim.grid import SEVERITY, TEXT, Grid, as_html, cut
from sim.judge import Finding, Severity
from sim.operations import Report, repair
from sim.operations.repairing import LIKELY, RESTORED, UNKNOWN_VALUE, Proposal, Repair
from sim.operations.validation import verdict_on
from sim.spec.interfaces import interface
from sim.spec.networks import NETWORKS
from sim.spec.networks import network as network_of
from sim.widgets.asking import Inquiry
from sim.widgets.markup import STATIC, hint, joined, markup
from sim.widgets.panels.fields import show
from sim.widgets.panels.panel import RunBar, of_message
from sim.widgets.panels.reader import HOW_READ, MessageInput, ReaderPanel

Data = dict[str, Any]

# The rule for the card's network: other findings of a network that is not the card's matter little.
_WHOSE = "pan-network"
_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "hint": Severity.INFO}
ELSEWHERE = "Check against other networks"
VERDICT_SIGNS = {"valid": "✔", "invalid": "✖", "broken": "✖", "empty": ""}
_NO_REPORT: Data = {"verdict": {"state": "empty", "words": ""}, "networks": [], "findings": []}


class ReportView(anywidget.AnyWidget):
    """The verdict and findings of a message. Traits: `data` as described above; `network`, whose findings are
    listed, empty for the standard's and the message's own; `picked`, the position of a finding in that list,
    or None."""

    _esm = STATIC / "report_view.js"
    _css = STATIC / "report_view.css"

    data = traitlets.Dict(_NO_REPORT).tag(sync=True)
    network = traitlets.Unicode("").tag(sync=True)
    picked = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __repr__(self) -> str:
        return f"ReportView({self.data['verdict']['words'] or 'no message'})"


def report_data(report: Report | None, network: str = "") -> Data:
    """*report* as data for `ReportView`, with the findings of *network*, or the message's own."""
    if report is None:
        return _NO_REPORT
    other = report.networks.get(network)
    networks = [
        {
            "name": name,
            "title": network_of(name).title,
            "passed": result.passed,
            "foreign": any(finding.rule == _WHOSE for finding in result.findings),
            "own": name == report.network,
            **{f"{word}s": count for word, count in _counts(result.findings).items()},
        }
        for name, result in report.networks.items()
    ]
    # Errors first, otherwise in the order of the elements.
    ranks, findings = list(Severity), report.findings if other is None else other.findings
    ordered = sorted(findings, key=lambda finding: ranks.index(finding.severity))
    return {"verdict": verdict(report), "networks": networks, "findings": [*map(_finding, ordered)]}


def verdict(report: Report) -> Data:
    """The verdict as a state and a sentence: `Valid for Visa, read as ISO 8583:1987. 1 warning.`"""
    if report.framing is not None:
        words = f"This cannot be read as an ISO 8583:{report.version} message."
        return {"state": "broken", "words": words}
    brand = network_of(report.network).title if report.network else ""
    table = report.message.dialect if report.message else None  # of a link other than its card's brand
    link = interface(table.interface).title if table and table.interface else ""
    title = " over ".join(filter(None, (brand, link))) or "the standard alone: no known network"
    counts = _said(_counts(report.findings))
    head = "Valid" if report.valid else "Invalid"
    words = f"{head} for {title}, read as ISO 8583:{report.version}." + (f" {counts}." if counts else "")
    return {"state": head.lower(), "words": words}


def _counts(findings: tuple[Finding, ...]) -> dict[str, int]:
    """The numbers of errors, warnings and hints."""
    counts = Counter(finding.severity for finding in findings)
    return {word: counts[severity] for word, severity in _LEVELS.items()}


def _said(counts: dict[str, int]) -> str:
    return ", ".join(counted(count, word) for word, count in counts.items() if count)


def _finding(finding: Finding) -> Data:
    inside = finding.path and finding.field not in (None, 0, 1)
    label = f"DE {finding.path}" if inside else element_label(finding.field)
    return {
        "severity": finding.severity.value,
        "place": label[:1].upper() + label[1:],
        "name": "" if finding.name.casefold() == label else finding.name,  # the message, the bitmap
        "sentence": finding.message,
        "hint": finding.hint,
        "source": finding.source,
        "network": _title(finding.network),
        "number": finding.field,
        "start": finding.start,
        "end": finding.end,
    }


def _title(speaker: str | None) -> str:
    """The name of the network or interface that owns the rule."""
    if not speaker:
        return ""
    return network_of(speaker).title if speaker in NETWORKS else interface(speaker).title


def report_html(data: Data) -> str:
    """The report as static HTML: verdict, findings, other networks."""
    state = data["verdict"]["state"]
    lines: list[str] = [markup("p", markup("b", f"{VERDICT_SIGNS[state]} {data['verdict']['words']}"))]
    if data["findings"]:
        cells = itemgetter("severity", "place", "sentence", "hint")
        lines.append(_table(("severity", "where", "message", "hint"), [*map(cells, data["findings"])]))
    elif state != "empty":
        lines.append("<p>No findings.</p>")
    rows = []
    for row in data["networks"]:
        passes = "✔ would pass" if row["passed"] else "✖ would fail"
        result = "– not the card's network" if row["foreign"] else passes
        if not row["own"]:
            rows.append((row["title"], result, _said({word: row[f"{word}s"] for word in _LEVELS})))
    if rows:
        lines.append(markup("p", markup("b", ELSEWHERE)))
        lines.append(_table(("network", "result", "findings"), rows))
    return "\n".join(lines)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    kinds = tuple(SEVERITY if head == "severity" else TEXT for head in heads)
    return as_html(Grid(heads, kinds, ("",) * len(rows), tuple(rows), None))


_WIDEST, _BLANK = 60, "␣"  # characters of a value; a blank at its end would not be seen
MARKS = {RESTORED: "✔ restored", LIKELY: "? likely", UNKNOWN_VALUE: "⚠ unknown"}
_NOTHING = "No repair found: no known fault explains this message."


class Repairs(ipywidgets.VBox):  # type: ignore[misc]
    """A button that finds repairs, and a row for each proposal, most likely first, with a button that applies
    it. *used* is called with the repaired text and a sentence.

    `found` is the `Repair` shown, None before the button is pressed. The text stays in Python; card data is
    hidden.
    """

    def __init__(self, used: Callable[[str, str], None]) -> None:
        self._used = used
        self.found: Repair | None = None
        self.look = ipywidgets.Button(
            description="Find repairs", tooltip="What the message was before the fault, with the evidence"
        )
        self.rows = ipywidgets.VBox()
        self.said = ipywidgets.HTML().add_class("iso-said")
        super().__init__([ipywidgets.HBox([self.look]).add_class("iso-bar"), self.said, self.rows])
        self.add_class("iso-repairs")
        self.look.on_click(lambda _: self.run())
        self.put("", False)

    def put(self, raw: str, wrong: bool, **how: Any) -> None:
        """Set the message to repair, and *how* it is read; *wrong* if it has an error."""
        self._raw, self._how = raw, how
        self.found = None
        self.rows.children = ()
        self._say("")
        show(self, wrong)

    def run(self) -> None:
        """Find repairs: what the button does."""
        self.found = done = repair(self._raw, **self._how)
        self.rows.children = tuple(self._row(at, proposal) for at, proposal in enumerate(done.proposals))
        self._say("" if done.proposals else _NOTHING)

    def use(self, row: int) -> None:
        """Apply the proposal in *row*, from 0."""
        if self.found is None or not 0 <= row < len(self.found.proposals):
            return
        chosen = self.found.proposals[row]
        if chosen.message is not None:
            self._used(chosen.text, chosen.said)

    def _row(self, at: int, proposal: Proposal) -> Any:
        parts: list[Any] = [ipywidgets.HTML(proposal_html(proposal))]
        if proposal.message is not None:
            parts.insert(0, ipywidgets.Button(description="Use this repair"))
            parts[0].on_click(lambda _: self.use(at))
        return ipywidgets.HBox(parts).add_class("iso-edit")

    def _say(self, words: str) -> None:
        self.said.value = hint(words, news=True)
        show(self.said, bool(words))


def proposal_html(proposal: Proposal) -> str:
    """A proposal in one line: its certainty, place, change and evidence."""
    sure = proposal.verdict == RESTORED
    mark = markup("b", MARKS[proposal.verdict], "iso-sure" if sure else "iso-unsure")
    texts = (cut(text, _WIDEST).replace(" ", _BLANK) for text in (proposal.before, proposal.after))
    before, after = (markup("code", text) for text in texts)
    change = (" (", before, " → ", after, ")") if proposal.changes else ()
    return joined(mark, f": {proposal.what}", *change, f". {proposal.because}")


class ValidatePanel(ReaderPanel):
    """Validates a message as you type, against the standard's rules and each network's.

    Traits: `message`, raw text, set by a message in any form; `version`, `network` and `interface`, None for
    automatic; `report`, the `Report`, None without a message; `table`, the findings table, None without
    pandas; `shown_network`, whose findings are listed, empty for the message's own; `picked`, the position of
    a finding in that list, whose characters are highlighted in the anatomy, or None.
    """

    report = traitlets.Any(None)
    shown_network = traitlets.Unicode("")
    picked = traitlets.Int(None, allow_none=True)

    def __init__(
        self,
        message: object = "",
        version: str | None = None,
        network: str | None = None,
        interface: str | None = None,
    ) -> None:
        self.view = ReportView()
        self.repairs = Repairs(lambda raw, news: self.actions.take(raw, news))
        box = MessageInput(message, version, network, interface, repairs=False)
        below = (self.view, self.repairs)
        super().__init__(box, [RunBar("Validate")], below, classes="iso-validate-panel")
        traitlets.link((self, "shown_network"), (self.view, "network"))
        traitlets.link((self, "picked"), (self.view, "picked"))
        self.observe(lambda change: self._work(), ["message", *HOW_READ])
        self.observe(lambda change: self._list(), "shown_network")
        self.observe(self._light, "picked")
        self._work()

    def _work(self) -> Inquiry[Any] | None:
        """Validate the message."""
        raw = self._read()
        self.picked = None
        self.report = verdict_on(self.input.reading) if raw else None
        self.table = self.input.tabled("validate") if raw else None
        if self.report is None or self.shown_network not in self.report.networks:
            self.shown_network = ""
        self._list()
        how = {name: getattr(self, name) for name in HOW_READ}
        self.repairs.put(raw, self.report is not None and not self.report.valid, **how)
        tabled = self.input.tabled("parse") if raw else None
        self.views.put(raw, self.version, self.network, tabled, self.input.held)
        words = self._said_of_it if raw else "The verdict appears here as you type."
        self.said.value = hint(words, news=True)
        show(self.said, bool(words))
        return None

    def _list(self) -> None:
        """List the findings of the chosen network; none is picked."""
        self.picked = None
        self.view.data = report_data(self.report, self.shown_network)

    def _light(self, change: Any) -> None:
        """Pin the element of the picked finding and mark its characters."""
        anatomy: Any = self.views.anatomy
        findings = self.view.data["findings"]
        finding = findings[self.picked] if self.picked is not None and self.picked < len(findings) else {}
        numbers = {element["number"] for element in anatomy.view["elements"]}
        anatomy.pinned = number if (number := finding.get("number")) in numbers else None
        # Of a text that does not parse, only the characters that do not fit.
        place = anatomy.view["fault"] or finding
        anatomy.marked = [place["start"], place["end"]] if finding.get("start") is not None else None

    def _static(self) -> str:
        return "" if self.report is None else report_html(self.view.data) + super()._static()

    def __repr__(self) -> str:
        return f"ValidatePanel({self.view.data['verdict']['words'] or of_message(self.views.anatomy)})"
