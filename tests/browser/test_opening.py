"""Our notebooks as somebody opens them: nothing is changed by looking."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser.lab import Lab
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
_STATE = """() => { const model = window.jupyterapp.shell.currentWidget.content.model;
    return [model.dirty, model.getMetadata('language_info').version ?? null]; }"""

# JupyterLab draws the cells in view alone: the window is as high as the notebook.
_TALL = {"width": 1280, "height": 12_000}
_TABLES = """() => [...document.querySelectorAll('.jp-OutputArea-output table')].map(
    table => [table.scrollWidth, table.closest('.jp-OutputArea-output').clientWidth])"""

_LINES = """cells => cells.map(cell => { const all = new Range(); all.selectNodeContents(cell);
    return Math.max(1, new Set([...all.getClientRects()].map(box => box.top)).size); })"""
_CUT = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length"


@pytest.mark.parametrize("name", ["00_start_here.ipynb", "16_panels.ipynb"])
def test_a_notebook_that_was_only_opened_is_not_changed(
    jupyterlab: Lab, chromium: Browser, name: str
) -> None:
    """Its kernel is ready and has said what Python it is: the tab asks nobody to save anything."""
    shutil.copy(NOTEBOOKS / name, jupyterlab.folder)
    with jupyterlab.opened(chromium, name) as sheet:
        kernels = sheet.ask("import sys; print(sys.version.split()[0])")
        assert sheet.page.evaluate(_STATE) == [False, kernels]
        assert sheet.page.locator(".lm-TabBar-tab.jp-mod-dirty").count() == 0


def test_stored_tables_fit_a_screen_where_nobody_trusts_the_notebook(
    jupyterlab: Lab, chromium: Browser
) -> None:
    """Their style sheets are taken out then; long values break, and no column is pushed off the screen."""
    shutil.copy(NOTEBOOKS / "00_start_here.ipynb", jupyterlab.folder)
    with jupyterlab.opened(chromium, "00_start_here.ipynb") as sheet:
        sheet.page.set_viewport_size(_TALL)
        # The message table, and the bitmap and the table of its anatomy.
        sheet.page.wait_for_function(f"() => ({_TABLES})().length > 3")
        assert [table for table in sheet.page.evaluate(_TABLES) if table[0] > table[1]] == []


def test_values_are_cut_short_and_names_are_not(jupyterlab: Lab, chromium: Browser) -> None:
    """Where style sheets stand, a long value has one line, and a name as many as it takes."""
    with jupyterlab.notebook(chromium, ["import sim\nsim.generate('auth', at='2026-11-20')"]) as sheet:
        rows = sheet.page.locator("table.iso8583 tbody tr")
        rows.first.wait_for()
        names, others = rows.locator("td.b"), rows.locator("td:not(.b)")
        assert set(others.evaluate_all(_LINES)) == {1}
        assert others.evaluate_all(_CUT) > 0
        assert max(names.evaluate_all(_LINES)) == 2
        assert names.evaluate_all(_CUT) == 0
