"""The results of a suite as one page: no script, no network. Each case with the life-cycle lanes of its
transactions, as they were seen on the line."""

from __future__ import annotations

import html

from sim.link.lanes import as_svg
from sim.link.scenario.run import Done, StepResult
from sim.link.scenario.suite import Case
from sim.masking import mask_words
from sim.visible import visible

_COLUMNS = ("Step", "Sent", "Expected", "Received", "Time")
_STYLE = """
:root { color-scheme: light dark; --ok: #1a7f37; --bad: #b3261e; --line: #8888; --dim: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ok: #4ac26b; --bad: #ff8a80; --dim: #9da7b1; } }
html { background: Canvas; color: CanvasText; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
  overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { overflow-wrap: normal; }
.ok { color: var(--ok); } .bad { color: var(--bad); font-weight: 600; } .dim { color: var(--dim); }
section { margin: 1.6rem 0; border-top: 2px solid var(--line); padding-top: .6rem; }
figure { margin: .8rem 0; } figcaption { color: var(--dim); }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: currentColor; } svg line { stroke: currentColor; }
svg .life { stroke: var(--line); stroke-width: 2; } svg .lost { stroke: var(--bad); stroke-dasharray: 5 4; }
svg text.lost { fill: var(--bad); }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; } tr:has(th) { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } td { border: 0; padding: .1rem 0; }
  td:empty { display: none; } td[data-of]::before { content: attr(data-of) ": "; color: var(--dim); }
  svg { font-size: 19px; } /* the drawing is half as large */
}
"""


def as_html(done: Done) -> str:
    """The page."""
    cases = list(done.cases())
    passed = sum(all(step.passed for step in steps) for _, steps in cases)
    title = _said(done.suite.title)
    head = f"{passed} of {len(cases)} cases passed"
    when = f"{done.began:%Y-%m-%d %H:%M:%S} UTC, {done.seconds:.1f} seconds, against {_said(done.where)}"
    body = "\n".join(
        _section(at, case, steps, as_svg(done.seen.get(case.name, ()), case.name))
        for at, (case, steps) in enumerate(cases)
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body><main><h1>{title}</h1>"
        f'<p class="{"ok" if passed == len(cases) else "bad"}">{head}</p><p class="dim">{when}</p>\n'
        f"{_contents(cases)}\n{body}\n</main></body></html>\n"
    )


def _said(text: str) -> str:
    """What a suite's author or a host has said, as text of a page, without card numbers."""
    return html.escape(visible(mask_words(text)))


def _contents(cases: list[tuple[Case, list[StepResult]]]) -> str:
    rows = "".join(
        f'<tr><td>{_verdict(all(step.passed for step in steps))}</td><td><a href="#case-{at}">'
        f"{_said(case.name)}</a></td><td>{_said(case.about)}</td></tr>"
        for at, (case, steps) in enumerate(cases)
    )
    return f"<table><tr><th>Result</th><th>Case</th><th>What it is about</th></tr>{rows}</table>"


def _verdict(passed: bool) -> str:
    return '<span class="ok">✔ passed</span>' if passed else '<span class="bad">✖ failed</span>'


def _section(at: int, case: Case, steps: list[StepResult], lanes: str) -> str:
    heads = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = "".join(_row(step) for step in steps)
    return (
        f'<section id="case-{at}"><h2>{_said(case.name)}</h2><p>{_said(case.about)}</p>'
        f"<table><tr>{heads}<th>Result</th></tr>{rows}</table>{lanes}</section>"
    )


def _row(step: StepResult) -> str:
    time = "" if step.latency is None else f"{step.latency * 1000:.1f} ms"
    wrong = "".join(f'<br><span class="bad">{_said(text)}</span>' for text in step.wrong)
    cells = (f"{step.number} {step.do}", step.sent, step.expected, step.received, time)
    # Where the page is narrow there is no head: each cell says its own.
    named = zip(_COLUMNS, cells, strict=True)
    made = "".join(f'<td data-of="{name}">{_said(cell)}</td>' for name, cell in named)
    note = f'<br><span class="dim">{_said(step.note)}</span>' if step.note else ""
    return f"<tr>{made}<td>{_verdict(step.passed)}{wrong}{note}</td></tr>"
