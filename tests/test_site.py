"""The pages of the site are true: their examples run, and everything they name exists."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from click import Context
from support import long

import sim
from sim.cli.group import iso8583

ROOT = Path(__file__).parents[1]
SITE = ROOT / "notebooks" / "site"
EXAMPLES = SITE / "examples"
# Once, whether or not the environment knows the toolkit's own plugin by its entry point.
_PLUGIN = ("-p", "sim.link.pytest_plugin")
PAGES = sorted(SITE.rglob("*.md"))


WITH_EXAMPLES = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


def _python(*arguments: str) -> str:
    """The output of a program that must succeed."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_the_python_examples_give_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every example of a page runs in its own folder, with the output shown there."""
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(page), module_relative=False, globs={})
    assert result.attempted > 0
    assert result.failed == 0


@long
def test_the_suite_for_a_switch_passes() -> None:
    """The example's tests pass against their own host, through the toolkit's fixture."""
    done = _python(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        *_PLUGIN,
        str(EXAMPLES / "test_switch.py"),
    )
    assert " passed" in done
    assert "failed" not in done


@long
def test_the_day_with_dask_finds_the_terminal() -> None:
    """The example finds exactly the terminal that declines, in the hours in which it does."""
    pytest.importorskip("dask.dataframe")
    done = _python(str(EXAMPLES / "day_with_dask.py"))
    assert "cannot be read: 0" in done
    assert set(re.findall("TERM000[0-9]", done)) == {"TERM0002"}
    assert re.findall(r"\b(\d\d) +0\.33\b", done) == ["14", "15", "16", "17"]


def test_the_start_page_and_guides_name_what_is_there() -> None:
    """Every `make` target, `iso8583` verb and `sim` function that a page names exists."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE)) <= targets
    assert set(re.findall(r"`sim\.([a-zA-Z_]+)\(", text)) <= {*sim.__all__}
    verbs = set(re.findall(r"(?:`|^|\| )iso8583 ([a-z]+)", text, re.MULTILINE))
    assert len(verbs) > 5
    assert verbs <= set(iso8583.list_commands(Context(iso8583)))


def test_the_page_of_a_rule_says_what_repairs_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A rule with a repair, an error without one, and a warning each have their page."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "tools" / "site"))
    site = import_module("rules")
    of = ("framing", "luhn", "mti-class", "country", "transaction-id-carried")
    rows = [row for row in site._rows() if row["rule"] in of]
    monkeypatch.setattr(site, "_rows", lambda: rows)
    site.write(tmp_path, ROOT / "tests" / "vectors")
    pages = {rule: (tmp_path / f"{rule}.md").read_text(encoding="utf-8") for rule in of}
    assert "<td>restored</td>" in pages["framing"]
    assert "proposes nothing" in pages["mti-class"]
    assert "the message is valid" in pages["country"]
    assert "on message 3" in pages["transaction-id-carried"]
    assert "between the messages of an exchange" in pages["transaction-id-carried"]
