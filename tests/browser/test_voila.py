"""The panels as a page of their own, served by Voila."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sim.spec.networks import default_card

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SOURCE = "import sim\npanel = sim.widgets.Lab(network='VISA')\npanel"
# Voila's own page asks a content network for the icons it has with it; blocked, it shows those.
ICONS = "fontawesome"


@pytest.fixture(scope="module")
def page_address(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Voila with one notebook; asks for the browser first, so that nothing is started in vain."""
    if importlib.util.find_spec("voila") is None:
        pytest.skip("voila is not installed (extra voila)")
    from browser import lab

    folder = tmp_path_factory.mktemp("pages")
    (folder / "panels.ipynb").write_text(json.dumps(lab._notebook([SOURCE])), encoding="utf-8")
    port = lab._free_port()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "voila", "--no-browser", "--Voila.ip=127.0.0.1"),
            *(f"--port={port}", "--token=", str(folder)),
        ],
        env=lab._environment(tmp_path_factory.mktemp("voila")),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    listener = lab._Listener(process)
    try:
        listener.wait_ready()
        yield f"http://127.0.0.1:{port}/voila/render/panels.ipynb"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        listener.close()


def test_one_round(chromium: Browser, page_address: str, shots: Path) -> None:
    """The page loads; generate, explain, validate; no card number in it, no complaint of ours, and nothing
    asked for outside this machine but Voila's own icons."""
    from browser.lab import PATIENCE, Sheet, _watch

    context = chromium.new_context(viewport={"width": 1100, "height": 1500}, reduced_motion="reduce")
    sheet = Sheet(context.new_page())
    _watch(sheet)
    sheet.page.set_default_timeout(PATIENCE)
    try:
        sheet.page.goto(page_address, wait_until="domcontentloaded")
        shown = sheet.page.locator(".iso-lab")
        shown.wait_for()
        for button, result in (
            ("Generate", ".iso-generate-panel .ia-good"),
            ("Explain this", ".iso-explain-panel .iso-summary"),
            ("Validate this", ".irv-verdict.irv-valid"),
        ):
            shown.get_by_role("button", name=button, exact=True).locator("visible=true").click()
            shown.locator(result).wait_for()
        sheet.page.screenshot(path=str(shots / "voila.png"))
        assert default_card("VISA").pan not in sheet.page.content()
        assert [address for address in sheet.outside if ICONS not in address] == []
        assert [line for line in sheet.complaints if "ERR_FAILED" not in line] == []
    finally:
        context.close()
