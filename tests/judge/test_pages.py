"""The page about a rule: where findings lead, once a site of documentation is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import sim
from sim.cli.group import iso8583
from sim.judge.finding import rule_page
from sim.operations import validate

BROKEN = sim.build(sim.generate("auth", network="VISA", pan="4111111111111112"))
SITE = "https://docs.test/lab/"
VECTORS = Path(__file__).parents[1] / "vectors"


def test_no_site_no_address() -> None:
    """While no site is published and none is named, a finding has no address, in no projection."""
    found = validate(BROKEN).findings
    assert found
    assert {one.url for one in found} == {""}
    table = sim.validate(BROKEN)
    assert set(table.iso.urls) == {""}
    assert "<a " not in table._repr_html_()
    said = CliRunner().invoke(iso8583, ["validate", "--json", BROKEN])
    assert all("url" not in one for one in json.loads(said.output)["findings"])


def test_a_site_gives_every_finding_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `SIM_DOCS` the rule leads to its page: in Python, in tables, on the command line."""
    monkeypatch.setenv("SIM_DOCS", SITE)
    page = "https://docs.test/lab/rules/luhn.html"
    assert page in {one.url for one in validate(BROKEN).findings}
    table = sim.validate(BROKEN)
    assert page in table.iso.urls
    html = table._repr_html_()
    assert f'<a href="{page}" target="_blank" rel="noopener">luhn</a>' in html
    assert f'href="{page}"' in sim.show(table).to_html()
    assert "<a " not in sim.parse(BROKEN)._repr_html_()
    said = CliRunner().invoke(iso8583, ["validate", "--json", BROKEN])
    assert page in {one["url"] for one in json.loads(said.output)["findings"]}


def test_the_catalogue_leads_to_the_same_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """`sim.rules()` has a page for each rule, and every rule that a finding can name is in it."""
    monkeypatch.setenv("SIM_DOCS", SITE)
    rules = sim.rules()
    assert f'href="{SITE}rules/framing.html"' in sim.show(rules).to_html()
    faults = [file.read_text(encoding="utf-8") for file in VECTORS.glob("faults_*.jsonl")]
    named = {json.loads(line)["rule"] for text in faults for line in text.splitlines()}
    assert named
    assert named <= set(rules["rule"])
    assert all(rule_page(name).removeprefix(SITE).isascii() for name in rules["rule"])
