"""What axe-core finds in the pages: panels in JupyterLab and Voila, the service's own page.

In light, dark and high contrast. Only what is ours is looked at: what a notebook's frame does is not ours to
mend. Contrast is measured in Voila: in JupyterLab's window axe-core takes most texts for unseen.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from browser import contrast
from browser.rest import at_rest
from support import ALL, AT, turns

import sim
from sim.operations import generate
from sim.spec.networks import default_card
from sim.widgets.copying import CopyMenu

if TYPE_CHECKING:
    from browser.lab import Lab, Sheet
    from browser.voila import Voila
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        importlib.util.find_spec("axe_playwright_python") is None,
        reason="axe is not installed (extra browser)",
    ),
]

RAW = generate("financial", network="VISA", entry="chip", at=AT).raw
BROKEN = RAW[:60] + RAW[61:]
WRONG = RAW.replace("4111111111111111", "4111111111111112", 1)
CELLS = {
    "generate": "g = W.GeneratePanel(at=at, network='VISA', entry='chip')\ng.run()\ng",
    "explain": f"W.ExplainPanel({RAW!r})",
    "nothing yet": "W.ExplainPanel()",
    "broken": f"W.ExplainPanel({BROKEN!r})",
    "validate": f"v = W.ValidatePanel({WRONG!r})\nv.picked = 0\nv",
    "lab": f"l = W.Lab({RAW!r}, at=at)\nl.explain.actions.reply('05')\nl.history.compare()\nl",
    "diff": f"W.MessageDiff({RAW!r}, sim.respond({RAW!r}))",
    "table": "sim.show(sim.rules())",
    "edited": f"a = W.MessageAnatomy({RAW!r}, editable=True)\na.pinned = 55\na",
    "bytes": f"W.MessageAnatomy({RAW.encode().hex()!r})",
    "explorer": f"e = W.LogExplorer([{RAW!r}, {WRONG!r}, {BROKEN!r}] * 20)\ne.grid.current = 1\n"
    "e.tools.plot()\ne",
    "host": "h = W.HostPanel([{'code': '51'}])\nh.run()\nh.cancel()\nh.traffic.lines.chosen = 1\nh",
    "send": "W.SendPanel()",
    "load": "W.LoadPanel()",
    "exchange": "W.ExchangePanel()",
    "drill": "W.DrillPanel(seed=1)",
    "explained": f"sim.explain({RAW!r})",
    "tables": "from IPython.display import display\ndisplay(sim.validate(v.message), sim.parse(v.message))",
}
SUITE = """
network = "VISA"
[[cases]]
name = "a name that is long, and has_a_word_that_nothing_breaks_and_no_narrow_page_has_room_for"
about = "One that passes, and one that fails."
steps = [{ type = "auth" }, { type = "auth", expect = { code = "51" } }]
"""
START = f"import sim, datetime\nat = {AT!r}\nW = sim.widgets"
# What tells by its frame, and what changes beneath the mouse.
SIGNS = {
    ".ia-bit.ia-on": "borderTopColor",
    ".ia-bit.ia-wrong": "borderTopColor",
    ".ia-badge.ia-good": "borderTopColor",
    ".ia-badge.ia-error": "borderTopColor",
    ".ia-badge.ia-warning": "borderTopColor",
    ".irv-finding.irv-error": "borderLeftColor",
    ".irv-finding.irv-warning": "borderLeftColor",
}
HOVERED = (
    ".ia-row",
    ".ia-bit",
    ".ia-button:enabled",
    ".jupyter-button:enabled",
    ".rg-row",
    ".irv-finding",
    ".ia-parts tr",
    ".irv-network",
    ".il-line",
)
# What comes last in a cell, or later than it.
DRAWN = (
    *(".rg-row", ".ia-details", ".ia-hexrows", ".ia-difftable", ".iso-edit, .irv-hint", ".iso-summary"),
    *(".iso-explorer .rg-row", ".iso-explorer svg", ".iso-host-panel", ".iso-send-panel", ".iso-load-panel"),
)
PATIENCE = 90_000  # milliseconds
THEMES = ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast")
# Of the notebook around: its cells are no landmarks, and have no headings.
# Wide outputs scroll in JupyterLab's own box, which the keyboard reaches in browsers that need no stop.
_OFF = ("region", "page-has-heading-one", "heading-order", "scrollable-region-focusable")
_RULES = {name: {"enabled": False} for name in _OFF}


def violations(page: Page, inside: str) -> list[str]:
    """What axe-core finds in the elements *inside*, a line each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, context=inside, options={"rules": _RULES, "resultTypes": ["violations"]})
    return [
        f"{one['id']}: {node['target']} {node['html'][:150]} {_data(node)}"
        for one in found.response["violations"]
        for node in one["nodes"][:3]
    ]


def _data(node: dict[str, Any]) -> str:
    for check in node["any"]:
        data = check.get("data") or {}
        if isinstance(data, dict) and "contrastRatio" in data:
            return f"{data['fgColor']} on {data['bgColor']}: {data['contrastRatio']}"
    return ""


def drawn(sheet: Sheet) -> None:
    """Wait for all that is looked at: the kernel is done with a cell long before the page is."""
    for name in (*SIGNS, *HOVERED, *DRAWN):
        sheet.page.locator(f".jp-OutputArea-output {name}").locator("visible=true").first.wait_for()


@pytest.fixture(scope="module")
def everything(jupyterlab: Lab, chromium: Browser) -> Iterator[Sheet]:
    """A notebook with every panel, view and table, all of it drawn."""
    with jupyterlab.notebook(chromium, [START, *CELLS.values()], width=1400, height=24_000) as sheet:
        drawn(sheet)
        yield sheet


@pytest.mark.parametrize("theme", THEMES)
def test_the_panels_in_jupyterlab(everything: Sheet, theme: str) -> None:
    """No panel, view or table has a violation, in any theme."""
    everything.theme(theme)
    found = violations(everything.page, ".jp-OutputArea-output")
    assert "\n".join(found) == ""


@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_signs_stand_out_in_jupyterlab(everything: Sheet, theme: str) -> None:
    """Every text that can be seen, those of unset and reserved bits and of badges among them; the frames
    that tell set bits, badges and findings."""
    everything.theme(theme)
    page, inside = everything.page, ".jp-OutputArea-output"
    assert contrast.low(page, inside) == {}
    found = contrast.texts(page, inside)
    assert {"ia-bit", "ia-bit ia-reserved", "ia-badge ia-good", "ia-badge ia-error"} <= found.keys()
    told = at_rest(
        lambda: contrast.signs(page, inside, SIGNS),
        lambda told: all(one >= contrast.SIGN for one in told.values()),
    )
    assert told.keys() == SIGNS.keys()
    assert {name: value for name, value in told.items() if value < contrast.SIGN} == {}


@pytest.mark.parametrize("theme", THEMES if ALL else THEMES[:1])
def test_what_the_mouse_is_on_can_be_read(everything: Sheet, theme: str) -> None:
    """Rows, bits and buttons change beneath the mouse, and their texts stand out still."""
    everything.theme(theme)
    for selector in HOVERED:
        shown = everything.page.locator(f".jp-OutputArea-output {selector}").locator("visible=true").first
        shown.hover()
        low = contrast.low(everything.page, f".jp-OutputArea-output {selector}:hover")
        assert low == {}, f"{selector} in {theme}"


@pytest.mark.skipif(not ALL, reason="takes as long as ten others; wants TESTS_ALL")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_of_voila(chromium: Browser, voila: Voila, theme: str) -> None:
    """A page with every panel, view and table has no violation; texts stand out from their ground."""
    cells = (source.rpartition("\n") for source in CELLS.values() if "IPython" not in source)
    shown = "\n".join(f"{before}\ndisplay({last})" for before, _, last in cells)
    with voila.page(chromium, "access.ipynb", f"{START}\n{shown}", theme=theme, height=24_000) as sheet:
        drawn(sheet)
        found = violations(sheet.page, ".jp-OutputArea-output")
        assert "\n".join(found) == ""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service."""
    from tests.server.conftest import serving

    with serving(tmp_path_factory.mktemp("service")) as running:
        yield running.url


@pytest.mark.parametrize(("look", "width"), turns(["light", "dark", "contrast"], [420, 1200]))
def test_the_page_of_the_service(chromium: Browser, service: str, look: str, width: int) -> None:
    """/docs has no violation, wide or narrow, and nothing in it reaches beyond the edge."""
    context = chromium.new_context(
        viewport={"width": width, "height": 1000},
        color_scheme="light" if look == "light" else "dark",
        forced_colors="active" if look == "contrast" else "none",
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        page.goto(f"{service}/docs")
        page.locator("section").first.wait_for()
        assert "\n".join(violations(page, "body")) == ""
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    finally:
        context.close()


@pytest.mark.parametrize(("look", "width"), turns(["light", "dark"], [1200, 360]))
def test_the_pages_that_are_kept(
    chromium: Browser, tmp_path: Path, look: Literal["light", "dark"], width: int
) -> None:
    """The table, the anatomy and the results of a suite as files: nothing else is asked for, no violation,
    nothing beyond the edge, no card number."""
    results = tmp_path / "results.html"
    sim.run_suite(SUITE, report=results)
    pages = {"results": results.read_text("utf-8"), "table": sim.parse(RAW).iso.to_html()}
    pages["anatomy"] = CopyMenu(message=RAW).text("html")
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=look)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    try:
        for name, text in pages.items():
            file = tmp_path / f"{name}.html"
            file.write_text(text, encoding="utf-8")
            page.goto(file.as_uri())
            assert asked.pop() == file.as_uri()
            # The column of signs has no name.
            found = [one for one in violations(page, "body") if not one.startswith("empty-table-header")]
            assert "\n".join(found) == ""
            assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
            assert default_card("VISA").pan not in page.content()
            page.keyboard.press("Tab")
            first = "A" if name == "results" else "MAIN"  # what scrolls is reached by keys
            assert page.evaluate("() => document.activeElement.tagName") == first
        assert asked == []
    finally:
        context.close()
