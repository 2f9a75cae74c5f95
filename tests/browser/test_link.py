"""The panels of a line in a real JupyterLab: a host, a message to it, a load on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.contrast import TEXT
from browser.rest import at_rest, expect
from browser.shown import NARROW, contrast, overflow, panel, press

from sim.spec.networks import default_card

if TYPE_CHECKING:
    from browser.lab import Lab
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PAN = default_card("VISA").pan
IN_SIGHT = "one => one.offsetTop >= one.parentElement.scrollTop"
MADE = "sim.generate('auth', network='VISA', at=at)"


@pytest.mark.parametrize("width", [1280, NARROW])
def test_a_host_is_started_given_a_rule_and_shows_its_traffic(
    jupyterlab: Lab, chromium: Browser, shots: Path, width: int
) -> None:
    """Start, by a double click as well, add a rule by the grid, a message comes, its row is chosen and shown
    masked; stop."""
    with panel(jupyterlab, chromium, "HostPanel()", width=width) as (sheet, shown):
        shown.get_by_role("button", name="Start", exact=True).dblclick()
        shown.locator(".iso-note", has_text="listening on 127.0.0.1:").wait_for()
        press(shown, "Add rule")
        shown.get_by_label("Code", exact=True).fill("51")
        shown.get_by_label("Code", exact=True).press("Tab")
        sheet.wait_until("print(p.host.rules[0].code if p.host.rules else '')", "51")
        # The kernel is free: it sends while the panel watches.
        sent = f"c = sim.client(p.host); print(c.send({MADE}).code); c.close()"
        assert sheet.ask(sent) == "51"
        shown.get_by_role("option", name="request").click()
        shown.locator(".ia-header").wait_for()
        assert PAN not in sheet.page.content()
        assert overflow(shown) == []
        shown.screenshot(path=str(shots / f"panel_host_{width}.png"))
        press(shown, "Stop")
        shown.get_by_text("not running").wait_for()


def test_the_line_that_was_meant_is_chosen_while_others_come(jupyterlab: Lab, chromium: Browser) -> None:
    """Lines beneath the pointer do not move; a press counts where it began; keys go from line to line."""
    before = "from sim.link.traffic import Traffic; from sim.link.line import Line\n"
    with panel(jupyterlab, chromium, "HostPanel()", before=before) as (sheet, shown):
        sheet.ask(
            "t = Traffic(Line.of())\ndef more(n):\n  for _ in range(n): t.add(0, '', 'event', 'kind')\n"
            "  p.traffic.put(t)\nmore(3)"
        )
        line = shown.locator('.il-line[data-number="2"]')
        line.hover()
        place = line.bounding_box()
        sheet.page.mouse.down()
        sheet.ask("more(40)")
        shown.locator('.il-line[data-number="43"]').wait_for(state="attached")
        assert line.bounding_box() == place
        sheet.page.mouse.up()
        sheet.wait_until("print(p.traffic.lines.chosen)", "2")
        assert line.get_attribute("aria-selected") == "true"
        shown.get_by_role("listbox", name="Traffic").press("ArrowUp")
        sheet.wait_until("print(p.traffic.lines.chosen)", "3")
        sheet.page.keyboard.press("Home")
        sheet.wait_until("print(p.traffic.lines.chosen)", "43")
        top = shown.locator('.il-line[data-number="43"]')
        assert at_rest(lambda: bool(top.evaluate(IN_SIGHT)), bool)


@pytest.mark.parametrize("width", [1280, NARROW])
def test_a_message_is_sent_and_its_answer_shown(
    jupyterlab: Lab, chromium: Browser, shots: Path, width: int
) -> None:
    """By keys, from wherever they are pressed. The answer stands in the anatomy; a host that is gone is told
    beside the button."""
    before = "host = sim.host()\n"
    source = f"SendPanel(host.address, {MADE})"
    with panel(jupyterlab, chromium, source, before=before, width=width) as (sheet, shown):
        shown.get_by_label("Address", exact=True).press("Control+Enter")
        shown.get_by_text("Approved (00) in").wait_for()
        shown.locator(".ia-header").wait_for()
        assert PAN not in sheet.page.content()
        assert overflow(shown) == []
        shown.screenshot(path=str(shots / f"panel_send_{width}.png"))
        sheet.ask("host.close(); print('closed')")
        press(shown, "Send")
        problem = shown.locator(".iso-said .iso-problem")
        expect(problem).to_contain_text("expected a connection")
        assert contrast(problem) >= TEXT


def test_a_load_is_watched_and_stopped(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Rates and percentiles while it runs, the kernel free meanwhile; stopped by its button."""
    before = "host = sim.host()\n"
    source = "LoadPanel(host.address, count=1_000_000, seconds=600.0, rate=50.0)"
    with panel(jupyterlab, chromium, source, before=before) as (sheet, shown):
        press(shown, "Start")
        shown.get_by_text("answered").first.wait_for()
        assert sheet.ask("print(p.busy)") == "True"
        shown.get_by_text("p99").wait_for()
        assert overflow(shown) == []
        shown.screenshot(path=str(shots / "panel_load.png"))
        press(shown, "Stop")
        shown.get_by_role("button", name="Start", exact=True).wait_for()
        assert sheet.ask("print(p.numbers.sent == p.numbers.answered)") == "True"
