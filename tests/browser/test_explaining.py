"""The panel that explains, in a real JupyterLab: what is pasted, said, lit and copied."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.rest import expect
from browser.shown import copied, panel
from support import AT

from sim.operations import generate
from sim.spec.networks import default_card

if TYPE_CHECKING:
    from browser.lab import Lab, Sheet
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

PAN = default_card("VISA").pan
MASKED = "411111******1111"
RAW = generate("financial", network="VISA", entry="chip", at=AT).raw

# Draw three boxes, each by a module of its own, while the clock stands still; the ids in them.
_DRAWN_AT_ONCE = """async code => {
    Date.now = () => 1;
    const model = { get: () => '', on() {}, off() {}, send() {} };
    const names = [];
    for (let at = 0; at < 3; at += 1) {
        const el = document.createElement('div');
        const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        (await import(url)).default.render({ model, el });
        names.push(...[...el.querySelectorAll('[id]')].map(node => node.id));
    }
    return names; }"""


def _sentences_and_elements_light_each_other(shown: Locator) -> None:
    """Of the card speak DE 2 and DE 14, of the currency the sentences on the amount and on the chip."""
    card = shown.locator(".iso-summary [data-about]", has_text="The card is")
    card.hover()
    for number in (2, 14):
        shown.locator(f'.ia-row.ia-hot[data-n="{number}"]').wait_for()
    expect(shown.locator(".ia-row.ia-hot")).to_have_count(2)
    shown.locator('.ia-row[data-n="49"]').hover()
    shown.locator('.iso-summary .iso-lit[data-about="3 4 49"]').wait_for()
    expect(shown.locator(".iso-lit")).to_have_count(2)  # the chip repeats the amount


def _copied_and_saved(sheet: Sheet, shown: Locator) -> None:
    """What is copied is on the clipboard, test cards as they are; a file is saved."""
    sheet.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for cover in ("replaced with test cards", "card data in clear"):
        shown.get_by_label("Card data", exact=True).select_option(label=cover)
        shown.locator(".cm").get_by_role("button", name="Copy as").click()
        shown.locator(".cm [role=status]", has_text="Copied").wait_for()
        assert PAN in copied(shown, PAN)
    shown.get_by_label("Card data", exact=True).select_option(label="replaced with test cards")
    shown.locator(".cm select[aria-label='Copy as']").select_option("json")
    with sheet.page.expect_download() as download:
        shown.locator(".cm").get_by_role("button", name="Download").click()
    assert json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["2"] == PAN


def test_paste_and_explain(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """A pasted text is explained without a button; once the box is left its card data is masked. Sentences
    and elements light each other; the message is copied and saved."""
    with panel(jupyterlab, chromium, "ExplainPanel()") as (sheet, shown):
        box = shown.get_by_label("Message", exact=True)
        box.fill(RAW)
        shown.locator(".iso-summary", has_text="financial transaction request").wait_for()
        assert box.input_value() == RAW
        box.press("Tab")
        sheet.page.wait_for_function(
            "mask => document.querySelector('.ict textarea').value.includes(mask)", arg=MASKED
        )
        assert sheet.ask("print(p.message)") == RAW
        assert PAN not in sheet.page.content()
        shown.screenshot(path=str(shots / "panel_explain.png"))
        _sentences_and_elements_light_each_other(shown)
        _copied_and_saved(sheet, shown)
        # Working in the masked text works in the true one: the last character goes, the rest stays.
        box.focus()
        sheet.page.wait_for_function("raw => document.querySelector('.ict textarea').value === raw", arg=RAW)
        box.press("Control+End")
        box.press("Backspace")
        shown.locator(".iso-broken", has_text="expected").wait_for()
        assert sheet.ask("print(p.message)") == RAW[:-1]


def test_no_two_boxes_of_a_page_are_named_alike(chromium: Browser) -> None:
    """Each box loads its own copy of the code, many in one millisecond: still each label leads to its own."""
    code = (Path(str(files("sim.widgets"))) / "static" / "covered_text.js").read_text(encoding="utf-8")
    page = chromium.new_page()
    names = page.evaluate(_DRAWN_AT_ONCE, code)
    page.close()
    assert len(names) == 6
    assert len(set(names)) == len(names)
