"""Markup in a message, shown in a real JupyterLab: it is text there, and nothing of it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import ALL
from test_markup import TAG, everywhere

from sim.codec import build

if TYPE_CHECKING:
    from browser.lab import Lab
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SHOWN = """
import sim
from IPython.display import display
from sim.widgets import ExplainPanel, MessageAnatomy, ValidatePanel, anatomy_html
text = {text!r}
table = sim.explain(text)
display(table, table.style, sim.show(table), sim.validate(text), sim.diff(text, {other!r}), sim.read([text]))
display(sim.parse(text[:-3]), table.rename(columns={{"name": {tag!r}}}))
display(MessageAnatomy(text), ExplainPanel(message=text), ValidatePanel(message=text))
"""


@pytest.mark.parametrize("version", ["1987", "1993"] if ALL else ["1993"])
def test_markup_in_every_element_runs_nowhere(jupyterlab: Lab, chromium: Browser, version: str) -> None:
    """No picture is asked for and no script of a message runs in tables, styles, anatomy or panels."""
    text, other = build(everywhere(version)), "08002020000000000000990000123456"
    cell = SHOWN.format(text=text, other=other, tag=TAG)
    with jupyterlab.notebook(chromium, [cell], height=2600) as sheet:
        sheet.page.wait_for_selector(".ia-table")
        planted = "() => [...document.querySelectorAll('img')].filter(one => one.src.endsWith('/x')).length"
        assert sheet.page.evaluate(planted) == 0
        assert "<img" in sheet.page.locator(".jp-OutputArea").first.inner_text()
        assert sheet.complaints == []
        assert sheet.outside == []
