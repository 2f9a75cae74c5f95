"""The log explorer in a real JupyterLab: a long log scrolled, sorted, filtered, opened; files dropped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.rest import at_rest
from support import ALL, AT

import sim

if TYPE_CHECKING:
    from browser.lab import Lab
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

CARD = "4111111111111111"
CELLS = [
    "import sim\nfrom datetime import UTC, datetime\nat = datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)\n"
    "kinds = [sim.generate('auth', network=name, stan=n, at=at) for n, name in enumerate(sim.NETWORKS, 1)]\n"
    "answers = [sim.respond(one) for one in kinds]\n"
    "texts = [sim.build(one) for one in kinds + answers] + ['0100broken']\n"
    "panel = sim.widgets.LogExplorer(texts * 400)",
    "panel",
]
COUNT = 13 * 400


def overhang(panel: Locator) -> int:
    """By how many pixels what is in the panel is wider than it, once it has come to rest."""
    width = "node => node.scrollWidth - node.clientWidth"
    return at_rest(lambda: int(panel.evaluate(width)), lambda found: found <= 1)


def test_only_what_is_seen_is_drawn_and_all_can_be_reached(chromium: Browser, jupyterlab: Lab) -> None:
    """A window's worth of rows stands in the page; the last row is a key away; a row opens its anatomy."""
    with jupyterlab.notebook(chromium, CELLS, width=1400) as sheet:
        grid = sheet.page.get_by_role("grid", name=f"Messages: {COUNT:,} rows")
        grid.wait_for()
        sheet.page.locator(".rg-row").first.wait_for()
        assert sheet.page.locator(".rg-row").count() < 40
        grid.focus()
        sheet.page.keyboard.press("End")
        last = sheet.page.locator(f'.rg-row[data-place="{COUNT - 1}"]')
        last.locator(".rg-cell", has_text="unreadable").wait_for()
        assert sheet.page.locator(".rg-row").count() < 40
        sheet.page.keyboard.press("Home")
        sheet.page.locator('.rg-row[data-place="0"].current').wait_for()
        sheet.page.locator(".iso-explorer .ia").first.wait_for()
        sheet.wait_until("print(panel.grid.current)", "0")
        assert CARD not in sheet.page.content()
        assert sheet.complaints == []
        assert sheet.outside == []


def test_sort_filter_select_and_pair(chromium: Browser, jupyterlab: Lab) -> None:
    """A click on a head sorts, a filter leaves rows out, ticks select, transactions are a tab away."""
    with jupyterlab.notebook(chromium, CELLS, width=1400) as sheet:
        sheet.page.locator(".rg-row").first.wait_for()
        sheet.page.locator(".rg-head button", has_text="network").click()
        sheet.wait_until("print(panel.grid.order)", "{'name': 'network', 'descending': False}")
        box = sheet.page.get_by_placeholder("e.g. DE39")
        box.fill("DE39=00")
        box.press("Enter")
        expected = sheet.ask("print(panel.messages['DE39'].isin(['00', '000']).sum())")
        sheet.wait_until("print(panel.grid.count)", expected)
        sheet.page.get_by_role("grid", name=f"Messages: {int(expected):,} rows", exact=True).wait_for()
        for place in (0, 1):
            sheet.page.locator(f'.rg-row[data-place="{place}"] .rg-tick').click()
        sheet.wait_until("print(len(panel.grid.chosen))", "2")
        sheet.page.get_by_role("button", name="Compare the two selected").click()
        sheet.page.locator(".iso-explorer .ia").first.wait_for()
        sheet.page.get_by_role("button", name="Transactions").click()
        sheet.page.get_by_role("grid", name="Transactions").wait_for()
        assert sheet.complaints == []


def test_a_file_is_dropped(chromium: Browser, jupyterlab: Lab, tmp_path: Path) -> None:
    """A file goes to Python in pieces and is read; an export comes back, masked."""
    message = sim.build(sim.generate("auth", network="VISA", pan=CARD, at=AT))
    file = tmp_path / "traffic.log"
    file.write_text("\n".join([message] * 12_000), encoding="ascii")
    assert file.stat().st_size > 2_000_000
    with jupyterlab.notebook(chromium, ["import sim\npanel = sim.widgets.LogExplorer()\npanel"]) as sheet:
        sheet.page.locator(".rg-drop input").set_input_files(str(file))
        sheet.page.get_by_role("grid", name="Messages: 12,000 rows").wait_for()
        with sheet.page.expect_download() as download:
            sheet.page.get_by_role("button", name="Export").click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert len(text.splitlines()) == 12_001
        assert CARD not in text
        assert "411111******1111" in text


@pytest.mark.parametrize("width", [420, 900, 1900] if ALL else [420, 1900])
def test_pictures(chromium: Browser, jupyterlab: Lab, shots: Path, width: int) -> None:
    """Nothing sticks out of the page, in a narrow window or a wide one; a picture is kept to be looked at."""
    with jupyterlab.notebook(chromium, CELLS, width=width, height=1400) as sheet:
        sheet.page.locator(".rg-row").first.wait_for()
        if width < 800:
            sheet.page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
        sheet.page.locator(".rg-row .rg-cell", has_text="0100").nth(3).wait_for()
        sheet.page.locator(".rg-row").nth(2).click()
        panel = sheet.page.locator(".iso-explorer")
        panel.locator(".ia").first.wait_for()
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            sheet.theme(theme)
            # A page that changes its look is out of sight for a moment: the rows are there all the same.
            sheet.page.locator(".rg-row .rg-cell", has_text="0100").nth(3).wait_for()
            panel.scroll_into_view_if_needed()
            panel.screenshot(path=shots / f"explorer_{width}_{theme.split()[-1].lower()}.png")
            assert overhang(panel) <= 1
