"""The results of a suite as one page: no script, no network. Each case with its life-cycle lanes.

A lane drawing is a life line of each side and an arrow per message, in the order in which they went; words
say what colours say. What was sent and received is told by type, trace number and code, no card data.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import NamedTuple

from sim.elements import mti as mtis
from sim.link.exchange import ANSWERED, Exchange
from sim.link.scenario.run import Done, StepResult
from sim.link.scenario.suite import Case
from sim.masking import mask_words

_LEFT, _RIGHT, _STEP, _TOP = 90, 430, 34, 44

_STYLE = """
:root { color-scheme: light dark; --ok: #1a7f37; --bad: #b3261e; --line: #8888; --dim: #6e7781; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.ok { color: var(--ok); } .bad { color: var(--bad); font-weight: 600; } .dim { color: var(--dim); }
section { margin: 1.6rem 0; border-top: 2px solid var(--line); padding-top: .6rem; }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: currentColor; } svg line { stroke: currentColor; }
svg .life { stroke: var(--line); stroke-width: 2; } svg .lost { stroke: var(--bad); stroke-dasharray: 5 4; }
svg text.lost { fill: var(--bad); }
"""


class Hop(NamedTuple):
    """One arrow: to the host or from it, its words, whether it arrived in its time."""

    to_host: bool
    words: str
    arrived: bool


def as_html(done: Done) -> str:
    """The page."""
    cases = list(done.cases())
    passed = sum(all(step.passed for step in steps) for _, steps in cases)
    title = _said(done.suite.title)
    head = f"{passed} of {len(cases)} cases passed"
    when = f"{done.began:%Y-%m-%d %H:%M:%S} UTC, {done.seconds:.1f} seconds, against {_said(done.where)}"
    body = "\n".join(_section(at, case, steps) for at, (case, steps) in enumerate(cases))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>"
        f'<p class="{"ok" if passed == len(cases) else "bad"}">{head}</p><p class="dim">{when}</p>\n'
        f"{_contents(cases)}\n{body}\n</body></html>\n"
    )


def _said(text: str) -> str:
    """What a suite's author or a host has said, as text of a page, without card numbers."""
    return html.escape(mask_words(text))


def _contents(cases: list[tuple[Case, list[StepResult]]]) -> str:
    rows = "".join(
        f'<tr><td>{_verdict(all(step.passed for step in steps))}</td><td><a href="#case-{at}">'
        f"{_said(case.name)}</a></td><td>{_said(case.about)}</td></tr>"
        for at, (case, steps) in enumerate(cases)
    )
    return f"<table><tr><th>Result</th><th>Case</th><th>What it is about</th></tr>{rows}</table>"


def _verdict(passed: bool) -> str:
    return '<span class="ok">✔ passed</span>' if passed else '<span class="bad">✖ failed</span>'


def _section(at: int, case: Case, steps: list[StepResult]) -> str:
    rows = "".join(_row(step) for step in steps)
    return (
        f'<section id="case-{at}"><h2>{_said(case.name)}</h2><p>{_said(case.about)}</p>'
        "<table><tr><th>Step</th><th>Sent</th><th>Expected</th><th>Received</th><th>Time</th>"
        f"<th>Result</th></tr>{rows}</table>{lanes(case.name, steps)}</section>"
    )


def _row(step: StepResult) -> str:
    time = "" if step.latency is None else f"{step.latency * 1000:.1f} ms"
    wrong = "".join(f'<br><span class="bad">{_said(text)}</span>' for text in step.wrong)
    cells = (f"{step.number} {step.do}", step.sent, step.expected, step.received, time)
    made = "".join(f"<td>{_said(cell)}</td>" for cell in cells)
    note = f'<br><span class="dim">{_said(step.note)}</span>' if step.note else ""
    return f"<tr>{made}<td>{_verdict(step.passed)}{wrong}{note}</td></tr>"


def hops_of(exchange: Exchange) -> Iterator[Hop]:
    """What went to and fro for a request."""
    request = exchange.request
    name = mtis.split(request.mti).name or "message"
    answered = exchange.status == ANSWERED
    times = f", {exchange.sent} times" if exchange.sent > 1 else ""
    yield Hop(True, f"{request.mti} {name}, STAN {request.get(11)}{times}", True)
    if exchange.answer is not None:
        latency = "" if exchange.latency is None else f" after {exchange.latency * 1000:.1f} ms"
        yield Hop(False, f"{exchange.answer.mti} with {exchange.code}{latency}", True)
    elif not answered:
        yield Hop(False, exchange.status, False)
    undone = exchange.reversal
    if undone is not None:
        late = exchange.late
        if late is not None:
            yield Hop(False, f"{late.mti} with {late.get(39)}, too late", False)
        yield from hops_of(undone)
    elif exchange.late is not None:
        yield Hop(False, f"{exchange.late.mti} with {exchange.late.get(39)}, too late", False)


def lanes(title: str, steps: list[StepResult]) -> str:
    """The life-cycle lanes of a case, as SVG; empty where nothing was sent."""
    hops = [hop for step in steps if step.exchange for hop in hops_of(step.exchange)]
    if not hops:
        return ""
    height = _TOP + _STEP * len(hops) + 12
    parts = [
        f'<svg viewBox="0 0 520 {height}" width="520" role="img"',
        f' aria-label="Messages of {_said(title)}">',
        f'<text x="{_LEFT}" y="18" text-anchor="middle">client</text>',
        f'<text x="{_RIGHT}" y="18" text-anchor="middle">host</text>',
        *(f'<line class="life" x1="{x}" y1="26" x2="{x}" y2="{height - 6}"/>' for x in (_LEFT, _RIGHT)),
        *(_arrow(_TOP + _STEP * at + 14, hop) for at, hop in enumerate(hops)),
        "</svg>",
    ]
    return "".join(parts)


def _arrow(y: int, hop: Hop) -> str:
    start, end = (_LEFT, _RIGHT) if hop.to_host else (_RIGHT, _LEFT)
    back = -8 if hop.to_host else 8
    look = "" if hop.arrived else ' class="lost"'
    words = _said(hop.words if hop.arrived else f"✖ {hop.words}")
    tip = f"M{end + back},{y - 4} L{end},{y} L{end + back},{y + 4}"
    return (
        f'<line{look} x1="{start}" y1="{y}" x2="{end}" y2="{y}"/>'
        f'<path d="{tip}" fill="none" stroke="currentColor"/>'
        f'<text{look} x="{(_LEFT + _RIGHT) // 2}" y="{y - 5}" text-anchor="middle">{words}</text>'
    )
