"""The JupyterLite site in a real browser; skipped where `make lite` has not built it.

Only static files are served, so that whatever works here works without a server.
"""

from __future__ import annotations

import functools
import http.server
import mimetypes
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.lab import Sheet

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

SITE = Path(__file__).parents[2] / "build" / "lite"
PATIENCE = 180_000  # milliseconds; Python is compiled first
_READY = """() => {
    const shown = window.jupyterapp && window.jupyterapp.shell.currentWidget;
    const kernel = shown && shown.sessionContext && shown.sessionContext.session
        && shown.sessionContext.session.kernel;
    return !!kernel && kernel.status === 'idle'; }"""
_ALL_RUN = """() => {
    const marks = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
    return marks.length > 3 && marks.every(mark => /\\[\\d+\\]/.test(mark.textContent)); }"""
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="make lite has not been run"),
]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The site on loopback."""
    mimetypes.add_type("application/wasm", ".wasm")
    mimetypes.add_type("text/javascript", ".mjs")
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(SITE))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def outside() -> list[str]:
    """Requests that would have left the machine."""
    return []


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """What the browser's console complained of."""
    return []


@pytest.fixture(scope="module")
def page(chromium: Browser, address: str, outside: list[str], complaints: list[str]) -> Iterator[Page]:
    """The notebook, opened and all its cells run."""
    opened = _opened(chromium, address, outside, complaints)
    yield opened
    opened.context.close()


def _opened(browser: Browser, address: str, outside: list[str], complaints: list[str]) -> Page:
    def gate(route: Route) -> None:
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    page = browser.new_context(viewport={"width": 1280, "height": 2600}).new_page()
    page.set_default_timeout(PATIENCE)
    page.context.route("**/*", gate)
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address, wait_until="domcontentloaded")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
    page.wait_for_function(_READY)
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_function(_ALL_RUN)
    return page


def ask(page: Page, code: str) -> str:
    """What *code* prints in the browser's Python."""
    return Sheet(page).ask(code)


def test_the_site_opens_on_its_notebook(page: Page) -> None:
    """From its address alone: no launcher, from which a newcomer would have to choose."""
    shown = page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    assert shown == "in_the_browser.ipynb"


def test_the_core_runs(page: Page) -> None:
    """Generate, build, explain and validate, and there is no pandas."""
    assert page.locator(".jp-OutputArea-output[data-mime-type*=error]").count() == 0
    assert "authorization request" in page.locator(".jp-OutputArea-output").nth(1).inner_text()
    assert ask(page, "print(operations.validate(raw).valid)") == "True"
    assert ask(page, "from importlib.util import find_spec; print(find_spec('pandas'))") == "None"


def test_the_anatomy_is_alive(page: Page) -> None:
    """Pointing at a bit lights the element everywhere, and Python hears of it."""
    anatomy = page.locator(".jp-OutputArea-output .ia").first
    anatomy.wait_for()
    anatomy.locator('.ia-bit[data-n="4"]').hover()
    anatomy.locator('.ia-row.ia-hot[data-n="4"]').wait_for()
    assert "25.00 USD" in anatomy.locator(".ia-inspector").inner_text()


def test_the_explain_panel_explains_and_python_reads_it(page: Page) -> None:
    """What is set from Python appears in the page; the panel's state is Python's."""
    panel = page.locator(".iso-explain-panel")
    assert "authorization request" in panel.locator(".iso-summary").inner_text()
    assert ask(page, "explain.message = build(operations.generate('echo').message); print('set')") == "set"
    panel.locator(".iso-summary", has_text="echo").wait_for()
    assert panel.locator(".ia-row").count() > 3


def test_the_explain_button_works_where_no_model_can_be_asked(page: Page) -> None:
    """There are no threads and no packages for models: the choice says so, the button explains by rules."""
    panel = page.locator(".iso-explain-panel")
    assert panel.get_by_label("Use a language model").is_disabled()
    panel.get_by_role("button", name="Explain", exact=True).click()
    assert (
        ask(page, "explain.run(); print(explain.busy, explain.llm, bool(explain.summary))")
        == "False False True"
    )
    assert panel.get_by_role("button", name="Cancel", exact=True).locator("visible=true").count() == 0


def test_the_validate_panel_finds_the_fault(page: Page) -> None:
    """The broken message of the notebook: invalid, the place named; a whole one: valid."""
    panel = page.locator(".iso-validate-panel")
    assert "DE " in panel.inner_text()
    assert ask(page, "validate.message = raw; print(validate.report.valid)") == "True"
    panel.get_by_text("Valid for Visa").first.wait_for()


def test_nothing_leaves_the_machine_until_pandas_is_asked_for(
    page: Page, outside: list[str], complaints: list[str]
) -> None:
    """No request to any other host, no complaint; `import pandas` asks Pyodide's host for it."""
    assert outside == []
    assert complaints == []
    assert "ModuleNotFoundError" in ask(page, "import pandas")
    assert any("/pandas-" in url for url in outside)
