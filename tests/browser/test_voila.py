"""The panels as a page of their own, served by Voila."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from llm.wire import Does, provider
from support import AT

from sim.operations import explain, generate
from sim.spec.networks import default_card

if TYPE_CHECKING:
    from browser.lab import Sheet
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SOURCE = "import sim\npanel = sim.widgets.Lab(network='VISA')\npanel"
# Voila's own page asks a content network for the icons it has with it; blocked, it shows those.
ICONS = "fontawesome"


@dataclass
class Voila:
    """A running Voila: `address` is where it shows the notebooks of `folder`."""

    address: str
    folder: Path

    @contextmanager
    def page(self, browser: Browser, name: str, source: str) -> Iterator[Sheet]:
        """The page of a notebook with one cell. Nothing of ours is complained of, and nothing asked for
        outside this machine but Voila's own icons."""
        from browser.lab import PATIENCE, Sheet, _notebook, _watch

        (self.folder / name).write_text(json.dumps(_notebook([source])), encoding="utf-8")
        context = browser.new_context(viewport={"width": 1100, "height": 1500}, reduced_motion="reduce")
        sheet = Sheet(context.new_page())
        _watch(sheet)
        sheet.page.set_default_timeout(PATIENCE)
        try:
            sheet.page.goto(f"{self.address}/{name}", wait_until="domcontentloaded")
            yield sheet
            assert [address for address in sheet.outside if ICONS not in address] == []
            assert [line for line in sheet.complaints if "ERR_FAILED" not in line] == []
        finally:
            context.close()


@pytest.fixture(scope="module")
def voila(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Voila]:
    """The server; asks for the browser first, so that nothing is started in vain."""
    if importlib.util.find_spec("voila") is None:
        pytest.skip("voila is not installed (extra voila)")
    from browser import lab

    folder = tmp_path_factory.mktemp("pages")
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
        yield Voila(f"http://127.0.0.1:{port}/voila/render", folder)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        listener.close()


def test_one_round(chromium: Browser, voila: Voila, shots: Path) -> None:
    """The page loads; generate, explain, validate; no card number in it."""
    with voila.page(chromium, "panels.ipynb", SOURCE) as sheet:
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


def test_a_model_is_asked_and_cancelled(chromium: Browser, voila: Voila) -> None:
    """As in JupyterLab: the text grows, Cancel is heard, the text by rules is back."""
    raw = generate("auth", network="VISA", at=AT).raw
    one = "This is an authorization request for 10.00 USD."
    with provider() as llm:
        llm.then(Does("This is {kind} for {amount}. It carries {DE11}.", slow=True))
        keys = {name: llm.environment()[name] for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL")}
        source = f"import os, sim\nos.environ.update({keys})\nsim.widgets.ExplainPanel({raw!r}, llm=True)"
        with voila.page(chromium, "asking.ipynb", source) as sheet:
            shown = sheet.page.locator(".iso-explain-panel")
            shown.get_by_role("button", name="Explain", exact=True).click()
            llm.go()
            said = shown.locator(".iso-said")
            said.filter(has_text=one).wait_for()
            shown.get_by_role("button", name="Cancel", exact=True).click()
            said.filter(has_text="Cancelled. This is what the rules say.").wait_for()
            assert explain(raw).summary in said.inner_text()
            assert llm.gone.acquire(timeout=60)
