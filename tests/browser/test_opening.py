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


def test_a_row_of_a_table_is_one_line(jupyterlab: Lab, chromium: Browser) -> None:
    """A long value is cut short where style sheets stand: all rows are equally high."""
    cells = ["import sim\nsim.generate('auth', at='2026-11-20')"]
    with jupyterlab.notebook(chromium, cells) as sheet:
        rows = sheet.page.locator("table.iso8583 tbody tr")
        rows.first.wait_for()
        assert len(set(rows.evaluate_all("rows => rows.map(row => row.offsetHeight)"))) == 1
