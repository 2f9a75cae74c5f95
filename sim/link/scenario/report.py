"""Reports of a suite: a page with the diagrams of each case, JUnit XML, and pytest code for the suite itself.

The page has no script and needs no network. Texts from the suite's author or a host appear without card
numbers and without invisible characters.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sim import background
from sim.files import write_text
from sim.link.ends import Host, host_and_line, line_of
from sim.link.lanes import STYLE, as_svg, safe_html
from sim.link.scenario.run import Done, StepResult, play
from sim.link.scenario.suite import Case, Suite, ready_suites, suite_of
from sim.link.tls import client_tls
from sim.masking import mask_words
from sim.masking.files import masked_names
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
figcaption { color: var(--dim); }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; } tr:has(th) { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } td { border: 0; padding: .1rem 0; }
  td:empty { display: none; } td[data-of]::before { content: attr(data-of) ": "; color: var(--dim); }
  svg { font-size: 19px; } /* the drawing is half as large */
}
"""
_HEAD = '''"""{title}: one test per case, against a host started for it.

Set `ISO8583_HOST` to `host:port` to run against another host.
"""

{path}from sim.link.testing import check_case

SUITE = {suite}

'''
_TEST = '''
def {name}(iso_host):
    """{about}"""
    check_case(SUITE, {case!r}, iso_host)
'''


def _plain(text: str) -> str:
    """*text* with card numbers masked and only characters that XML allows."""
    return visible(mask_words(text))


def _passed(steps: list[StepResult]) -> bool:
    return all(step.passed for step in steps)


def as_html(done: Done) -> str:
    """The results as an HTML page."""
    cases = list(done.cases())
    passed = sum(_passed(steps) for _, steps in cases)
    title = safe_html(done.suite.title)
    head = f"{passed} of {len(cases)} cases passed"
    when = f"{done.began:%Y-%m-%d %H:%M:%S} UTC, {done.seconds:.1f} seconds, against {safe_html(done.where)}"
    body = "\n".join(
        _section(at, case, steps, as_svg(done.seen.get(case.name, ()), case.name))
        for at, (case, steps) in enumerate(cases)
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{STYLE}{_STYLE}</style></head>\n<body><main><h1>{title}</h1>"
        f'<p class="{"ok" if passed == len(cases) else "bad"}">{head}</p><p class="dim">{when}</p>\n'
        f"{_contents(cases)}\n{body}\n</main></body></html>\n"
    )


def _contents(cases: list[tuple[Case, list[StepResult]]]) -> str:
    rows = "".join(
        f'<tr><td>{_verdict(_passed(steps))}</td><td><a href="#case-{at}">'
        f"{safe_html(case.name)}</a></td><td>{safe_html(case.about)}</td></tr>"
        for at, (case, steps) in enumerate(cases)
    )
    return f"<table><tr><th>Result</th><th>Case</th><th>What it is about</th></tr>{rows}</table>"


def _verdict(passed: bool) -> str:
    return '<span class="ok">✔ passed</span>' if passed else '<span class="bad">✖ failed</span>'


def _section(at: int, case: Case, steps: list[StepResult], lanes: str) -> str:
    heads = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = "".join(_row(step) for step in steps)
    return (
        f'<section id="case-{at}"><h2>{safe_html(case.name)}</h2><p>{safe_html(case.about)}</p>'
        f"<table><tr>{heads}<th>Result</th></tr>{rows}</table>{lanes}</section>"
    )


def _row(step: StepResult) -> str:
    time = "" if step.latency is None else f"{step.latency * 1000:.1f} ms"
    wrong = "".join(f'<br><span class="bad">{safe_html(text)}</span>' for text in step.wrong)
    cells = (f"{step.number} {step.do}", step.sent, step.expected, step.received, time)
    # On a narrow page there is no header row: each cell has its own label.
    labeled = zip(_COLUMNS, cells, strict=True)
    html_cells = "".join(f'<td data-of="{name}">{safe_html(cell)}</td>' for name, cell in labeled)
    note = f'<br><span class="dim">{safe_html(step.note)}</span>' if step.note else ""
    return f"<tr>{html_cells}<td>{_verdict(step.passed)}{wrong}{note}</td></tr>"


def as_junit(done: Done) -> str:
    """The results as JUnit XML; card numbers in the suite's texts are masked."""
    cases = list(done.cases())
    failed = sum(not _passed(steps) for _, steps in cases)
    title, began = _plain(done.suite.title), done.began.replace(tzinfo=None).isoformat(timespec="seconds")
    attributes = {"name": title, "tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    attributes |= {"skipped": "0", "time": f"{done.seconds:.3f}", "timestamp": began, "hostname": done.where}
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for case, steps in cases:
        attributes = {"classname": title, "name": _plain(case.name)}
        attributes["time"] = f"{sum(step.latency or 0.0 for step in steps):.3f}"
        testcase = ElementTree.SubElement(suite, "testcase", attributes)
        wrong = [_plain(f"step {step.number}: {text}") for step in steps for text in step.wrong]
        if wrong:
            ElementTree.SubElement(testcase, "failure", message=wrong[0]).text = "\n".join(wrong)
        lines = [_plain(f"{step.number} {step.do} {step.sent}: {step.received}") for step in steps]
        ElementTree.SubElement(testcase, "system-out").text = "\n".join(lines)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def as_pytest(suite: Suite, source: str) -> str:
    """The suite as a pytest module. *source* is the suite that it names: a built-in one, or a file next to
    the module."""
    ready = source.isupper() and "/" not in source and "." not in source
    suite_source = repr(source) if ready else f"Path(__file__).with_name({source!r})"
    path = "" if ready else "from pathlib import Path\n\n"
    head = _HEAD.format(title=_sentence(suite.title).rstrip("."), suite=suite_source, path=path)
    used: set[str] = set()
    return head + "\n".join(_test(case, used) for case in suite.cases)


def _test(case: Case, used: set[str]) -> str:
    name = "test_" + (re.sub("[^a-z0-9]+", "_", mask_words(case.name).lower()).strip("_") or "case")
    while name in used:
        name += "_"
    used.add(name)
    return _TEST.format(name=name, about=_sentence(case.about or case.name), case=mask_words(case.name))


def _sentence(text: str) -> str:
    words = visible(re.sub(r'["\\\n]+', " ", mask_words(text)).strip().rstrip("."))
    return words.replace("\\", "\\\\") + "."


def run_suite(
    suite: Any,
    host: Any = None,
    *,
    format: Any = None,
    framing: Any = None,
    interface: Any = None,
    tls: Any = None,
    cases: Any = None,
    junit: Any = None,
    report: Any = None,
) -> Done:
    """Run a suite. The arguments are those of `sim.run_suite`."""
    parsed_suite = suite_of(suite)
    if cases:
        parsed_suite = parsed_suite.only(cases)
    speaks: dict[str, Any] = {"format": format, "framing": framing, "interface": interface}
    if not isinstance(host, Host):  # one of ours has a line of its own
        own = {name: getattr(parsed_suite, name) for name in speaks}
        speaks = {name: own[name] if value is None else value for name, value in speaks.items()}
    where, line = (None, line_of(**speaks)) if host is None else host_and_line(host, **speaks)
    done = background.run(play(parsed_suite, where, line=line, tls=client_tls(tls)))
    for path, write in ((junit, as_junit), (report, as_html)):
        if path is not None:
            with masked_names():
                write_text(path, write(done))
    return done


def export_suite(suite: str | Path, path: str | Path) -> Path:
    """Write a suite as a pytest module with a test per case.

    The tests use the fixture `iso_host`, which comes with the package: a host for each test, or the one
    that the environment variable `ISO8583_HOST` names.

    Parameters
    ----------
    suite
        A network, for its built-in suite, or a file, next to which the module is written.
    path
        Path of the module.

    Returns
    -------
    Path
        The path written.

    Raises
    ------
    OptionError
        The suite cannot be read.
    OSError
        The module cannot be written.

    Examples
    --------
    >>> import pathlib, sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = sim.export_suite("JCB", pathlib.Path(folder) / "test_jcb.py")
    ...     made.read_text().count("def test_")
    31
    """
    parsed_suite, target = suite_of(suite), Path(path)
    ready = str(suite).strip().upper()
    source = ready if ready in ready_suites() else Path(suite).name
    with masked_names():
        write_text(target, as_pytest(parsed_suite, source))
    return target
