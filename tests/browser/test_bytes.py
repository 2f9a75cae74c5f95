"""Dumps in a real JupyterLab: pasted into a panel, their bytes pointed at, edited, mended by the button."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browser.rest import expect
from support import some

from sim.codec import Message
from sim.codec.wire import encode
from tests.spellings import SPELLINGS

if TYPE_CHECKING:
    from browser.lab import Lab
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

_SALE = Message(
    "0200",
    {2: "4111111111111111", 3: "000000", 4: "000000012345", 7: "1120101530", 11: "146739", 41: "TERM0001"}
    | {42: "MERCHANT1234567", 49: "840"},
)
_BODY = bytes.fromhex("6000030000") + encode(_SALE, "bcd")
_DATA = len(_BODY).to_bytes(2, "big") + _BODY
_AMOUNT = _DATA.index(bytes.fromhex("000000012345")) + 5  # its last byte


def test_each_kind_of_dump_is_pasted_and_read(jupyterlab: Lab, chromium: Browser) -> None:
    """The message stands there, with its bytes, whatever program printed them; the card is hidden."""
    cells = ["from sim.widgets import ExplainPanel\np = ExplainPanel()\np"]
    with jupyterlab.notebook(chromium, cells, height=2600) as sheet:
        box = sheet.page.locator(".iso-explain-panel textarea").first
        box.wait_for()
        for name, spell in some(SPELLINGS.items(), 1):
            box.fill("")
            sheet.wait_until("print(p.views.anatomy.view['length'])", "0")
            box.fill(spell(_DATA))
            sheet.wait_until("print(p.views.anatomy.view['mti'], p.views.anatomy.view['length'])", "0200 98")
            sheet.page.wait_for_selector(".ia-bytes")
            assert sheet.ask("print(len(p.views.anatomy.held.data))") == str(len(_DATA)), name
        expect(sheet.page.locator(".ia-hexrows")).to_contain_text("••")
        assert sheet.outside == []


def test_a_byte_lights_its_element_and_follows_an_edit(jupyterlab: Lab, chromium: Browser) -> None:
    """By pointer and by keys; two digits typed on a byte are the message's, and undo takes them back."""
    source = f"from sim.widgets import MessageAnatomy\na = MessageAnatomy({_DATA.hex()!r})\na"
    with jupyterlab.notebook(chromium, [source], height=2600) as sheet:
        page = sheet.page
        byte = page.locator(f'.ia-half [data-b="{_AMOUNT}"]')
        byte.hover()
        for lit in (".ia-row", ".ia-bit", ".ia-piece"):
            page.wait_for_selector(f'{lit}.ia-hot[data-n="4"]')
        page.locator('.ia-row[data-n="11"]').hover()
        expect(page.locator(".ia-half .ia-hot")).to_have_text(["14", "67", "39"])
        byte.click()
        sheet.wait_until("print(a.pinned)", "4")
        page.locator('[data-act="edit"]').click()
        sheet.wait_until("print(a.editable)", "True")
        page.locator(f'.ia-half [data-b="{_AMOUNT}"]').focus()
        page.keyboard.type("99")
        sheet.wait_until("print(a.message[44:56], a.held.data.hex()[-2:])", "000000012399 30")
        page.keyboard.press("Control+z")
        sheet.wait_until("print(a.message[44:56])", "000000012345")
        page.locator('.ia-bit[data-n="49"]').click()
        page.locator(".ia-notice").wait_for()
        page.locator('[data-hold="undo-notice"]').click()
        sheet.wait_until("print(a.held.data.hex())", _DATA.hex())
        assert sheet.complaints == []


def test_a_framed_dump_is_mended_by_the_button(jupyterlab: Lab, chromium: Browser) -> None:
    """The button puts the message in the place of the paste."""
    cells = [f"from sim.widgets import ValidatePanel\np = ValidatePanel({_DATA.hex(' ')!r})\np"]
    with jupyterlab.notebook(chromium, cells, height=2600) as sheet:
        button = sheet.page.get_by_role("button", name="Read without the TPDU")
        button.click()
        sheet.wait_until("print(p.message[:4], len(p.message))", "0200 98")


def test_a_cause_named_is_undone_by_the_button(jupyterlab: Lab, chromium: Browser) -> None:
    """A text with quotes around it and a cut one: the panel's button and the anatomy's make them read."""
    text = "08002020000000000000990000123456"
    imports = "from sim.widgets import MessageAnatomy, ValidatePanel"
    cells = [
        f"{imports}\np = ValidatePanel({'6000010000' + text!r})\np",
        f"a = MessageAnatomy({text[:-1]!r})\na",
    ]
    with jupyterlab.notebook(chromium, cells, height=2600) as sheet:
        sheet.page.get_by_role("button", name="Read without the TPDU").click()
        sheet.wait_until("print(p.message)", text)
        sheet.page.locator('[data-act="mend"]').click()
        sheet.wait_until("print(len(a.message), a.view['fault'])", f"{len(text)} None")
        sheet.page.locator('[data-hold="undo-notice"]').click()
        sheet.wait_until("print(len(a.message))", str(len(text) - 1))
        assert sheet.complaints == []
