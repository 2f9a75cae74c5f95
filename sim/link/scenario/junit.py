"""The results of a suite as JUnit XML, which build servers read: a test case per case."""

from __future__ import annotations

from xml.etree import ElementTree

from sim.link.scenario.run import Done
from sim.masking import mask_words
from sim.visible import visible


def as_junit(done: Done) -> str:
    """The results as JUnit XML, card numbers in what the suite says hidden."""
    cases = list(done.cases())
    failed = sum(any(not step.passed for step in steps) for _, steps in cases)
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=_said(done.suite.title),
        tests=str(len(cases)),
        failures=str(failed),
        errors="0",
        skipped="0",
        time=f"{done.seconds:.3f}",
        timestamp=done.began.replace(tzinfo=None).isoformat(timespec="seconds"),
        hostname=done.where,
    )
    for case, steps in cases:
        seconds = sum(step.latency or 0.0 for step in steps)
        made = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_said(done.suite.title),
            name=_said(case.name),
            time=f"{seconds:.3f}",
        )
        wrong = [_said(f"step {step.number}: {text}") for step in steps for text in step.wrong]
        if wrong:
            ElementTree.SubElement(made, "failure", message=wrong[0]).text = "\n".join(wrong)
        told = [_said(f"{step.number} {step.do} {step.sent}: {step.received}") for step in steps]
        ElementTree.SubElement(made, "system-out").text = "\n".join(told)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _said(text: str) -> str:
    """What a suite's author or a host has said, without card numbers, in characters that XML has."""
    return visible(mask_words(text))
