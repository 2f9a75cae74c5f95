"""A page for each rule: what it checks, by what source, what is wrong and right, and how to repair it."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from writing import PLACE, anchor, put, records, table, toctree

import sim
from sim.codec import build
from sim.exchanges import break_exchange, findings
from sim.exchanges.breaking import good_exchange
from sim.spec.tables import read_toml

_MEANS = {
    "error": "The message is invalid.",
    "warning": "The message stays valid, but check it.",
    "info": "A remark; the message stays valid.",
}
_EXAMPLES = 2  # a page
_ROWS = 8  # an example


@cache
def _rows() -> tuple[dict[str, Any], ...]:
    return tuple(records(sim.rules()))


def names() -> frozenset[str]:
    """The ids of all rules."""
    return frozenset(row["rule"] for row in _rows())


def link(rule: str, up: str = "") -> str:
    """A rule's name that leads to its page."""
    return f'<a href="{up}{anchor(rule)}.html"><code>{rule}</code></a>'


def write(folder: Path, vectors: Path) -> None:
    """A page for each rule, and their list, below *folder*; the faults of *vectors* have a broken message in
    each line."""
    broken: dict[str, list[dict[str, Any]]] = defaultdict(list)
    faults = [file.read_text(encoding="utf-8") for file in sorted(vectors.glob("faults_*.jsonl"))]
    for case in (json.loads(line) for text in faults for line in text.splitlines()):
        if case["fault"] not in {one["fault"] for one in broken[case["rule"]]}:
            broken[case["rule"]].append(case)
    for row in _rows():
        put(folder / f"{anchor(row['rule'])}.md", _page(row, broken[row["rule"]]))
    listed = [
        {PLACE: anchor(row["rule"]), "rule": link(row["rule"])}
        | {key: row[key] for key in ("severity", "network", "checks")}
        for row in _rows()
    ]
    put(
        folder / "index.md",
        [
            "# Rules",
            "",
            "What `sim.validate` checks in a message, and `.iso.findings` in an exchange. The column `rule`",
            "of a finding is the name of its page:",
            "`rules/framing.html` explains a finding of `framing`. `sim.rules()` returns this table.",
            "",
            *table(listed, ready=["rule"]),
            *toctree([anchor(row["rule"]) for row in _rows()], hidden=True),
        ],
    )


def _page(row: dict[str, Any], cases: list[dict[str, Any]]) -> list[str]:
    between = faults_between(row["rule"])
    whose = f"A rule of {row['network']}" if row["network"] else "A rule of the standard, or of all networks"
    if between:
        whose = "A rule between the messages of an exchange"
    checks = row["checks"][:1].upper() + row["checks"][1:]
    lines = [f"# `{row['rule']}`", "", f"**{row['severity']}** · {whose}. {_MEANS[row['severity']]}", ""]
    lines += [
        "## What it checks",
        "",
        f"{checks}.",
        "",
        "## How to repair it",
        "",
        row["hint"],
        "",
        *repairs(row, cases),
    ]
    lines += ["## Source", "", row["source"], ""]
    if cases:
        lines += ["## Wrong and right", ""]
        for case in cases[:_EXAMPLES]:
            lines += _example(case)
    if between:
        lines += ["## Wrong and right", ""]
        for fault in between[:_EXAMPLES]:
            lines += _exchange_example(fault)
    if len(cases) > _EXAMPLES:
        others = [f"- `{case['fault']}`: {case['what']}" for case in cases[_EXAMPLES:]]
        lines += ["Other ways to break it:", "", *others, ""]
    return lines


def _example(case: dict[str, Any]) -> list[str]:
    """A broken message beside the good one that it was, card data hidden, and the call that gives it."""
    found = sim.validate(case["message"], version=case["version"], against=case["network"] or ())
    said = found.loc[found["rule"] == case["rule"], "message"].tolist()[:1]
    fault, given = (
        case["fault"],
        'broken["message"], version=broken["version"], against=broken["network"] or ()',
    )
    return [
        f"### {case['what']}",
        "",
        *[f"The finding: {text}." for text in said],
        "",
        *table(_differences(case), search=False),
        "```python",
        "import sim",
        "",
        f"broken = sim.cases().query(\"fault == '{fault}'\").iloc[0]",
        f"sim.validate({given})",
        "```",
        "",
    ]


def faults_between(rule: str) -> list[str]:
    """The faults between messages that cause *rule*."""
    rows = read_toml("faults_exchange")["faults"]
    return [name for name, row in rows.items() if row["rule"] == rule]


def _exchange_example(fault: str) -> list[str]:
    """What is found in a broken exchange, and its messages, card data hidden."""
    row = read_toml("faults_exchange")["faults"][fault]
    good, broken = good_exchange(fault), break_exchange(fault)
    said = [f"The finding, on message {at + 1}: {one.message}." for at, one in findings(broken)]
    at = row["step"]
    one, other = (build(each.messages[at]) for each in (broken, good))
    rows = [
        {"element": f"DE {each['number']}", "name": each["name"], "wrong": each["a"], "right": each["b"]}
        for each in records(sim.diff(sim.parse(one), sim.parse(other)))
    ]
    steps = ", ".join(f"{step.message.mti} {step.role}" for step in broken.steps)
    lines = [f"### {row['what']}", "", *said, "", f"The messages: {steps}.", ""]
    return [*lines, *(table(rows, search=False) if rows else [])]


def repairs(row: dict[str, Any], cases: list[dict[str, Any]]) -> list[str]:
    """What `sim.repair` does about a finding of the rule *row*, tried on its broken messages."""
    if faults_between(row["rule"]):
        return ["`sim.repair` does not change it: it reads one message at a time.", ""]
    if row["severity"] != "error":
        return ["`sim.repair` does not change it: the message is valid.", ""]
    found: dict[tuple[str, ...], dict[str, object]] = {}
    for case in cases:
        proposals = sim.repair(case["message"], version=case["version"], network=case["network"] or None)
        for one in records(proposals)[:1]:
            key = one["name"], one["action"], one["verdict"]
            if one["verdict"] != "unknown" and key not in found:
                what = {"wrong": case["what"], "element": one["name"], "repair": one["action"]}
                found[key] = {**what, "evidence": one["evidence"], "verdict": one["verdict"]}
    if not found:
        return ["`sim.repair` proposes nothing: only the sender of the message can say what was meant.", ""]
    return [
        "What `sim.repair`, `iso8583 validate --fix` and the buttons of the validate panel propose.",
        "*Restored* means that no other known fault explains the message; *likely* means check it first.",
        "",
        *table([*found.values()], search=False),
    ]


def _differences(case: dict[str, Any]) -> list[dict[str, object]]:
    """What differs, while it can be taken in at a glance; of a text that breaks off it is all the rest."""
    if not case["message"]:
        return []
    try:
        one, other = (sim.parse(case[key], version=case["version"]) for key in ("message", "original"))
        rows = records(sim.diff(one, other))
    except sim.IsoError:
        return []
    if len(rows) > _ROWS:
        return []
    return [
        {"element": f"DE {row['number']}", "name": row["name"], "wrong": row["a"], "right": row["b"]}
        for row in rows
    ]
