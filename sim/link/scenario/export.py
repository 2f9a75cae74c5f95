"""A suite as a pytest module: a test per case, which uses the fixture `iso_host`."""

from __future__ import annotations

import re

from sim.link.scenario.suite import Case, Suite
from sim.masking import mask_words
from sim.visible import visible

_HEAD = '''"""{title}: a test per case, against a host that is started for it.

Set `ISO8583_HOST` to `host:port` to run against another one.
"""

from pathlib import Path

import pytest

from sim.link.testing import check_case

SUITE = {suite}

'''
_TEST = '''
def {name}(iso_host):
    """{about}"""
    check_case(SUITE, {case!r}, iso_host)
'''


def as_pytest(suite: Suite, source: str) -> str:
    """The module. *source* is what it names as its suite: a ready one's name, or a path beside the module."""
    ready = source.isupper() and "/" not in source and "." not in source
    said = repr(source) if ready else f"Path(__file__).with_name({source!r})"
    head = _HEAD.format(title=_plain(suite.title).rstrip("."), suite=said)
    if ready:
        head = head.replace("from pathlib import Path\n\n", "")
    head = head.replace("import pytest\n\n", "")
    used: set[str] = set()
    return head + "\n".join(_test(case, used) for case in suite.cases)


def _test(case: Case, used: set[str]) -> str:
    name = "test_" + (re.sub("[^a-z0-9]+", "_", mask_words(case.name).lower()).strip("_") or "case")
    while name in used:
        name += "_"
    used.add(name)
    return _TEST.format(name=name, about=_plain(case.about or case.name), case=mask_words(case.name))


def _plain(text: str) -> str:
    """*text* as a sentence of a docstring."""
    words = visible(re.sub(r'["\\\n]+', " ", mask_words(text)).strip().rstrip("."))
    return words.replace("\\", "\\\\") + "."
