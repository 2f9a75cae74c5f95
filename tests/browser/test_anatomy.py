"""The anatomy and the diff in a real JupyterLab: what a person points at, types and sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import contrast
from browser.rest import at_rest, expect
from support import VECTORS

from sim.widgets import anatomy_html

if TYPE_CHECKING:
    from browser.lab import Lab, Sheet
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

_BY_ID = {row["id"]: row["message"] for row in VECTORS}
GOOD, RESPONSE, CHIP = _BY_ID["m0001"], _BY_ID["m0002"], _BY_ID["m0006"]
TWO_BITMAPS = next(
    row["message"]
    for row in VECTORS
    if row["message"][4:5] in tuple("89ABCDEF") and row["expect_valid"] and row["message"].startswith("04")
)
PAN = "4111111111111111"
TALL = 2600  # high enough that nothing has to be scrolled into a picture
HOT = '.ia-hot[data-n="{}"]'


@contextmanager
def anatomy(lab: Lab, browser: Browser, message: str, more: str = "", width: int = 1280) -> Iterator[Sheet]:
    """A notebook with the anatomy of *message*, called `a` there; at the end nothing was complained of and
    nothing asked for outside this machine."""
    source = f"from sim.widgets import MessageAnatomy\na = MessageAnatomy({message!r}{more})\na"
    with lab.notebook(browser, [source], width=width, height=TALL) as sheet:
        sheet.page.wait_for_selector(".ia-table")
        yield sheet
        assert sheet.complaints == []
        assert sheet.outside == []


def shoot(sheet: Sheet, path: Path, what: str = ".ia") -> None:
    """A picture of the widget for people to look at."""
    sheet.page.locator(what).first.screenshot(path=str(path))


def focused(sheet: Sheet) -> str | None:
    """The element number that the focus is on."""
    return sheet.page.evaluate("() => document.activeElement.dataset.n ?? null")


def _rows_are_filtered(sheet: Sheet) -> None:
    """Those that hold the text stay, also when all is drawn anew; the others are back without it."""
    box, rows = sheet.page.get_by_label("Filter elements"), sheet.page.locator(".ia-row:visible")
    every = rows.count()
    box.fill("currency")
    expect(rows).to_have_count(1)
    rows.click()
    sheet.page.wait_for_selector('.ia-details[data-of="49"]')
    expect(rows).to_have_count(1)
    box.fill("")
    expect(rows).to_have_count(every)


def test_hovering_lights_the_element_in_all_three_views(
    jupyterlab: Lab, chromium: Browser, shots: Path
) -> None:
    """From the bitmap, the table and the raw text alike; Python hears of it; away from it, it goes out."""
    with anatomy(jupyterlab, chromium, GOOD) as sheet:
        for place in (".ia-bit", ".ia-row", ".ia-piece"):
            sheet.page.locator(f'{place}[data-n="4"]').first.hover()
            for lit in (".ia-bit", ".ia-row", ".ia-piece"):
                sheet.page.wait_for_selector(lit + HOT.format(4))
            sheet.wait_until("print(a.hovered)", "4")
            expect(sheet.page.locator(".ia-inspector")).to_contain_text("123.45 GBP")
            sheet.page.locator(".ia-header .ia-title").hover()
            sheet.wait_until("print(a.hovered)", "None")
        sheet.page.locator('.ia-bit[data-n="4"]').hover()
        expect(sheet.page.locator(".ia-digit")).to_have_text("7")
        ground = "node => getComputedStyle(node).backgroundColor"
        lit, plain = (sheet.page.locator(f'.ia-bit[data-n="{n}"]').evaluate(ground) for n in (4, 3))
        assert lit != plain
        shoot(sheet, shots / "good.png")
        sheet.ask("a.hovered = 11")
        sheet.page.wait_for_selector(".ia-row" + HOT.format(11))
        _rows_are_filtered(sheet)


def test_keys_alone_do_what_the_mouse_does(jupyterlab: Lab, chromium: Browser) -> None:
    """Tab reaches each view, arrows walk, Enter pins with all that belongs to the element, Escape unpins."""
    with anatomy(jupyterlab, chromium, GOOD) as sheet:
        page = sheet.page
        page.locator('.ia-piece[data-n="0"]').focus()
        for key, expected in (("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowRight", "3"), ("End", "49")):
            page.keyboard.press(key)
            assert focused(sheet) == expected
        page.keyboard.press("Tab")
        page.keyboard.press("Home")
        page.locator(".ia strong", has_text=re.compile("^Bitmap$")).wait_for()
        for key, expected in (("Home", "1"), ("ArrowRight", "2"), ("ArrowDown", "18"), ("ArrowUp", "2")):
            page.keyboard.press(key)
            assert focused(sheet) == expected
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert focused(sheet) == "3"
        page.wait_for_selector(".ia-bit" + HOT.format(3))
        page.keyboard.press("Enter")
        inside = page.locator('.ia-details[data-of="3"]').inner_text()
        assert "n 6" in inside
        assert "transaction type" in inside
        sheet.wait_until("print(a.pinned)", "3")
        assert focused(sheet) == "3"
        page.keyboard.press("Escape")
        page.wait_for_selector(".ia-details", state="detached")
        sheet.wait_until("print(a.pinned)", "None")


def test_a_click_unfolds_the_chip_data(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Every tag has its name, value and meaning; pointing at one lights its bytes in the raw text."""
    with anatomy(jupyterlab, chromium, CHIP) as sheet:
        sheet.page.locator('.ia-row[data-n="55"]').click()
        tag = sheet.page.locator(".ia-parts tr", has_text="9F27")
        assert "ARQC" in tag.inner_text()
        tag.hover()
        expect(sheet.page.locator(".ia-part")).to_have_text(["80"])
        shoot(sheet, shots / "chip.png")
        sheet.page.locator('.ia-row[data-n="55"]').click()
        sheet.page.wait_for_selector(".ia-details", state="detached")


def test_the_eye_shows_card_data_and_hides_it_again(jupyterlab: Lab, chromium: Browser) -> None:
    """Masked, the page does not hold the card number, not even hidden; nor does the state that a notebook
    may save, whatever the eye shows."""
    held = f"print(any('{PAN}' in str(value) for value in a.get_state().values()))"
    with anatomy(jupyterlab, chromium, GOOD) as sheet:
        drawn = sheet.page.locator(".ia")
        # The cell above holds the message, so look at the widget only.
        assert PAN not in drawn.evaluate("node => node.outerHTML")
        sheet.page.get_by_role("button", name="Show card data").click()
        value = sheet.page.locator('.ia-row[data-n="2"] .ia-value', has_text=PAN)
        value.wait_for()
        assert sheet.ask(held) == "False"
        sheet.page.get_by_role("button", name="Hide card data").click()
        value.wait_for(state="detached")
        assert PAN not in drawn.evaluate("node => node.outerHTML")
        sheet.ask("a.masked = False")
        value.wait_for()


def test_a_broken_message_shows_where_it_breaks(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """What was read, the place of the fault with sentence and hint, and the rest; mended, all is well."""
    broken = GOOD[:105] + "x" + GOOD[106:]
    shifted = GOOD[:98] + "99" + GOOD[100:]
    with anatomy(jupyterlab, chromium, shifted) as sheet:
        page = sheet.page
        assert "DE 32 at offset 98" in page.locator(".ia-fault").first.inner_text()
        assert page.locator(".ia-piece.ia-fault").inner_text() == "99"
        assert page.locator('.ia-row[data-state="unread"]').count() == 1
        assert page.locator('.ia-bit.ia-wrong[data-n="32"]').count() == 1
        assert page.locator('.ia-bit.ia-waiting[data-n="49"]').count() == 1
        shoot(sheet, shots / "broken.png")
        sheet.ask(f"a.message = {broken!r}")
        page.wait_for_selector(".ia-badge.ia-error")
        page.wait_for_selector("div.ia-fault", state="detached")
        sheet.ask(f"a.message = {GOOD!r}")
        page.wait_for_selector(".ia-badge.ia-good")


def test_editing_changes_the_message(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """The bitmap adds and drops, a value can be changed, a refused edit says why and keeps what was typed,
    undo takes the last one back; `.message` follows."""
    with anatomy(jupyterlab, chromium, GOOD, ", editable=True") as sheet:
        page = sheet.page
        page.locator('.ia-bit[data-n="70"]').click()
        page.wait_for_selector('.ia-row[data-n="70"]')
        sheet.wait_until("print(a.message[:20])", "0100F23C458108C08000")
        page.locator('.ia-bit[data-n="70"]').click()
        page.wait_for_selector('.ia-row[data-n="70"]', state="detached")
        sheet.wait_until(f"print(a.message == {GOOD!r})", "True")
        page.locator('.ia-row[data-n="4"]').click()
        page.get_by_label("Value").fill("12")
        page.keyboard.press("Enter")
        page.wait_for_selector('.ia-input[aria-invalid="true"]')
        expect(page.locator(".ia-editor .ia-refused")).to_contain_text("expected n 12")
        assert page.get_by_label("Value").input_value() == "12"
        sheet.wait_until(f"print(a.message == {GOOD!r})", "True")
        shoot(sheet, shots / "edit.png")
        page.get_by_label("Value").fill("000000000099")
        page.get_by_role("button", name="Apply").click()
        page.locator('.ia-row[data-n="4"] .ia-meaning', has_text="0.99 GBP").wait_for()
        page.get_by_role("button", name="Undo").click()
        page.locator('.ia-row[data-n="4"] .ia-meaning', has_text="123.45 GBP").wait_for()
        sheet.wait_until(f"print(a.message == {GOOD!r})", "True")


def test_the_dark_theme_keeps_text_readable(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Light letters on a dark ground, contrast of text at least 4.5, that of what is lit included."""
    with anatomy(jupyterlab, chromium, GOOD) as sheet:
        sheet.theme("JupyterLab Dark")
        sheet.page.locator('.ia-row[data-n="3"]').click()
        sheet.page.locator('.ia-bit[data-n="4"]').hover()
        shoot(sheet, shots / "dark.png")
        for place in (
            '.ia-row[data-n="7"] .ia-value',
            '.ia-row[data-n="4"] .ia-value',
            '.ia-bit[data-n="4"]',
        ):
            assert contrast.low(sheet.page, place) == {}
        sheet.theme("JupyterLab Light")  # the settings are the server's: the next test wants it light


@pytest.mark.parametrize(("name", "message"), [("narrow", GOOD), ("two_bitmaps", TWO_BITMAPS)])
def test_a_column_of_480_pixels_is_enough(
    jupyterlab: Lab, chromium: Browser, shots: Path, name: str, message: str
) -> None:
    """Nothing sticks out of a narrow column, unfolded or not."""
    source = (
        "import ipywidgets\nfrom sim.widgets import MessageAnatomy\n"
        f"ipywidgets.VBox([MessageAnatomy({message!r})], layout={{'width': '480px'}})"
    )
    with jupyterlab.notebook(chromium, [source], height=TALL) as sheet:
        sheet.page.locator('.ia-row[data-n="3"]').click()
        sheet.page.wait_for_selector(".ia-details")
        anatomy = sheet.page.locator(".ia")
        assert at_rest(lambda: anatomy.evaluate(_STICKS_OUT), lambda found: not found) == []
        shoot(sheet, shots / f"{name}.png")
        assert sheet.complaints == []


_STICKS_OUT = """root => {
    const edge = root.getBoundingClientRect().right + 1;
    return [...root.querySelectorAll('*')].filter(node => node.getBoundingClientRect().right > edge)
        .map(node => node.className); }"""


def test_two_bitmaps_and_a_wide_window(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """128 cells; the bitmaps stand beside the table where there is room."""
    with anatomy(jupyterlab, chromium, TWO_BITMAPS, width=1700) as sheet:
        expect(sheet.page.locator(".ia-bit")).to_have_count(128)
        beside = "() => { const [bits, table] = ['.ia-bits', '.ia-table'].map(name =>"
        beside += " document.querySelector(name).getBoundingClientRect()); return bits.right <= table.left; }"
        sheet.page.wait_for_function(beside)
        shoot(sheet, shots / "wide.png")


def test_a_diff_marks_what_differs(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """The table has the elements side by side with their meanings, and unfolds both messages; pointing at one
    lights it in table and anatomy; the marks are signs."""
    source = f"from sim.widgets import MessageDiff\nd = MessageDiff({GOOD!r}, {RESPONSE!r})\nd"
    with jupyterlab.notebook(chromium, [source], width=1700, height=TALL) as sheet:
        listed = sheet.page.locator('.ia-difftable tr[data-depth="0"]')
        expect(listed).to_have_count(8)
        assert re.sub(r"\s+", " ", listed.last.inner_text()).strip() == "+ 39 Response code 00 approved"
        whole = sheet.page.get_by_label("Show what is the same, too")
        whole.check()
        sheet.page.locator('.ia-difftable [data-kind="same"]').first.wait_for()
        whole.uncheck()
        expect(listed).to_have_count(8)
        sheet.page.get_by_role("button", name="Both messages").click()
        expect(sheet.page.locator(".ia-pair .ia-table")).to_have_count(2)
        listed.last.hover()
        sheet.page.wait_for_selector(".ia-row" + HOT.format(39))
        expect(sheet.page.locator('.ia-row[data-n="39"] .ia-diffsign')).to_have_text("+")
        expect(sheet.page.locator('.ia-row[data-n="25"] .ia-diffsign')).to_have_text("−")
        sheet.page.locator('.ia-row[data-n="3"]').last.click()
        sheet.wait_until("print(d.left.pinned, d.right.pinned)", "3 3")
        shoot(sheet, shots / "diff.png", ".jp-OutputArea-output .widget-vbox")
        assert sheet.complaints == []


def test_hostile_text_stays_text(jupyterlab: Lab, chromium: Browser) -> None:
    """Markup in a value is shown, not obeyed, in the widget and in its static page."""
    name = "<img src=x onerror=alert(1)><b>BOLD</b>".ljust(40)
    hostile = "01000000000000200000" + name
    with anatomy(jupyterlab, chromium, hostile) as sheet:
        assert "<b>BOLD</b>" in sheet.page.locator('.ia-row[data-n="43"] .ia-value').inner_text()
        assert sheet.page.locator(".ia img, .ia b").count() == 0


def test_the_static_page_lights_up_without_a_script(chromium: Browser, shots: Path) -> None:
    """With scripts off, pointing at a row of the HTML lights its characters and its bit."""
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 900, "height": 1200})
    page = context.new_page()
    try:
        page.set_content(f"<!doctype html><meta charset=utf-8>{anatomy_html(CHIP)}")
        page.locator('tr[data-n="4"] td').first.hover()
        for place in ('.raw [data-n="4"]', '.bits [data-n="4"]', 'tr[data-n="4"]'):
            lit = page.locator(f"{place}").first
            expect(lit).to_have_css("background-color", "rgb(255, 213, 77)")
        page.locator('tr[data-n="55"] summary').click()
        assert "ARQC" in page.locator('tr[data-n="55"] li').nth(1).inner_text()
        page.locator('tr[data-n="4"] td').first.hover()
        page.screenshot(path=str(shots / "static.png"), full_page=True)
    finally:
        context.close()
