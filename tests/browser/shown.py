"""A panel in a notebook, and what is asked of how it looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from browser.contrast import TEXT
from browser.rest import at_rest

from sim.spec.networks import network

if TYPE_CHECKING:
    from browser.lab import Lab, Sheet
    from playwright.sync_api import Browser, Locator

TALL, NARROW = 2600, 480
_FOCUS = "words => document.activeElement?.textContent.trim() === words"
CLOCK = "import datetime, sim\nat = datetime.datetime(2026, 11, 20, 10, 15, 30, tzinfo=datetime.UTC)\n"

# Whatever of a panel that can be seen reaches beyond its right edge; what scrolls by itself may.
OVERFLOW = """panel => {
    const edge = panel.getBoundingClientRect().right + 1;
    const scrolls = node => { const own = node.parentElement.closest('.ia, .ict, .irv, .iso-table');
        for (let up = node.parentElement; own && up !== own.parentElement; up = up.parentElement)
            if (getComputedStyle(up).overflowX !== 'visible') return true;
        return false; };
    const beyond = node => { const box = node.getBoundingClientRect();
        return box.width && box.height && box.right > edge && !scrolls(node); };
    return [...panel.querySelectorAll('*')].filter(beyond).map(node => node.outerHTML.slice(0, 120)); }"""
# The contrast of an element's text with the first ground behind it, as WCAG 2 counts it; none of one that was
# drawn anew meanwhile.
_CONTRAST = """node => {
    if (!node.isConnected) return 0;
    // Mixed colors are written as parts of 1: color(srgb 0.6 0.1 0.1).
    const parse = text => text.match(/[\\d.]+/g).map(Number)
        .map((part, at) => text.startsWith('color(') && at < 3 ? 255 * part : part);
    const light = ([r, g, b]) => { const part = [r, g, b].map(c => { c /= 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]; };
    let up = node, ground = [255, 255, 255];
    for (; up; up = up.parentElement) { const c = parse(getComputedStyle(up).backgroundColor);
        if (c.length < 4 || c[3] > 0.5) { ground = c; break; } }
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05); }"""


@contextmanager
def panel(
    lab: Lab,
    browser: Browser,
    source: str,
    *,
    width: int = 1280,
    height: int = TALL,
    before: str = "",
    after: tuple[str, ...] = (),
) -> Iterator[tuple[Sheet, Locator]]:
    """A notebook with the panel that *source* makes, called `p` there; *before* is run first, the cells
    *after* last. At the end nothing was complained of and nothing asked for outside this machine."""
    cells = [f"{CLOCK}{before}p = sim.widgets.{source}\np", *after]
    with lab.notebook(browser, cells, width=width, height=height) as sheet:
        shown = sheet.page.locator(".iso-panel").first
        shown.wait_for()
        if width < 900:
            sheet.page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
        yield sheet, shown
        assert sheet.complaints == [], sheet.complaints
        assert sheet.outside == [], sheet.outside


def overflow(shown: Locator) -> list[str]:
    """What reaches beyond the edge of a panel once it has come to rest."""
    return at_rest(lambda: list(shown.evaluate(OVERFLOW)), lambda found: not found)


def contrast(text: Locator) -> float:
    """How far a text stands out from its ground once it has come to rest."""
    return at_rest(lambda: float(text.evaluate(_CONTRAST)), lambda found: found >= TEXT)


def until_focused(shown: Locator, words: str) -> None:
    """Wait until what has the focus says *words*."""
    shown.page.wait_for_function(_FOCUS, arg=words)


def copied(shown: Locator, text: str) -> str:
    """What the clipboard has, once it holds *text*, or at last."""
    read = "() => navigator.clipboard.readText()"
    return at_rest(lambda: str(shown.page.evaluate(read)), lambda found: text in found)


def press(shown: Locator, name: str) -> None:
    """Press the visible button *name*."""
    shown.get_by_role("button", name=name, exact=True).locator("visible=true").click()


def choose_network(sheet: Sheet, shown: Locator, name: str) -> None:
    """Choose it, and wait until the kernel knows: ipywidgets holds a change back while an earlier one is on
    its way, and no press of a button."""
    shown.get_by_label("Network", exact=True).select_option(label=network(name).title)
    sheet.wait_until("print(p.network)", name)


def until_generated(shown: Locator, name: str) -> None:
    """Wait until the anatomy shows a valid message of network *name*."""
    shown.locator(".ia-header", has_text=name).locator(".ia-good").wait_for()
