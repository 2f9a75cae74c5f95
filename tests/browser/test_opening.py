"""Notebooks that are only looked at stay as they are."""

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
# What is open by name, and whether it says that it was changed, once a kernel is there to tell its language.
_OPEN = """() => { const held = [...window.jupyterapp.shell.widgets('main')].filter(one => one.context);
    const ready = one => one.context.isReady && one.sessionContext.isReady && one.sessionContext.session &&
        one.sessionContext.session.kernel && one.sessionContext.session.kernel.status === 'idle' &&
        one.content.widgets.length > 0;
    const told = held.map(one => [one.context.path, one.content.model.dirty]);
    return held.every(ready) ? Object.fromEntries(told) : {}; }"""


def test_a_notebook_that_was_opened_is_not_changed(jupyterlab: Lab, chromium: Browser) -> None:
    """Some notebooks of the course, with tables, panels and errors in them: none is to be saved."""
    names = ["00_start_here.ipynb", "13_broken_messages.ipynb", "16_panels.ipynb"]
    for name in names:
        shutil.copy(NOTEBOOKS / name, jupyterlab.folder / name)
    page = chromium.new_page(reduced_motion="reduce")
    page.set_default_timeout(90_000)
    try:
        page.goto(f"{jupyterlab.address}/lab/tree/{names[0]}?reset", wait_until="domcontentloaded")
        page.wait_for_function("() => window.jupyterapp && window.jupyterapp.shell.currentWidget")
        for name in names[1:]:
            order = "path => { window.jupyterapp.commands.execute('docmanager:open', { path }); }"
            page.evaluate(order, name)
        held = f"() => Object.keys(({_OPEN})()).length === {len(names)}"
        page.wait_for_function(held)
        assert page.evaluate(_OPEN) == dict.fromkeys(names, False)
    finally:
        page.close()
