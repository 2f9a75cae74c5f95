"""The panels as a page of their own, served by Voila."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from llm.wire import Does, provider
from support import AT

from sim.operations import explain, generate
from sim.spec.networks import default_card

if TYPE_CHECKING:
    from browser.voila import Voila
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SOURCE = "import sim\npanel = sim.widgets.Lab(network='VISA')\npanel"


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
        llm.then(Does("This is an authorization request for 10.00 USD. Its STAN is 123456.", slow=True))
        keys = {name: llm.environment()[name] for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL")}
        source = f"import os, sim\nos.environ.update({keys})\nsim.widgets.ExplainPanel({raw!r}, llm=True)"
        with voila.page(chromium, "asking.ipynb", source) as sheet:
            shown = sheet.page.locator(".iso-explain-panel")
            shown.get_by_role("button", name="Explain", exact=True).click()
            llm.go()
            said = shown.locator(".iso-said")
            said.filter(has_text=one).wait_for()
            shown.get_by_role("button", name="Cancel", exact=True).click()
            said.filter(has_text="Canceled. This is what the rules say.").wait_for()
            assert explain(raw).summary in said.inner_text()
            assert llm.gone.acquire(timeout=60)
