"""The drill in a real JupyterLab: an answer counts when it is given, not when its field is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browser.shown import panel

if TYPE_CHECKING:
    from browser.lab import Lab
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_an_answer_is_given_by_enter(jupyterlab: Lab, chromium: Browser) -> None:
    """Who looks something up elsewhere has not answered yet; Enter gives the answer, with its last key."""
    with panel(jupyterlab, chromium, "DrillPanel('mti', seed=5)") as (sheet, shown):
        field = shown.get_by_label("Answer", exact=True)
        field.fill("99")
        field.press("Tab")
        sheet.wait_until("print(p.answer.value, p.drill.asked)", "99 0")
        field.press("End")
        field.press("9")
        field.press("Enter")
        sheet.wait_until("print(p.drill.asked, p.said[:7])", "1 Not qui")
