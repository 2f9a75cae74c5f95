"""The panels in a real JupyterLab: what a person chooses, pastes, breaks and sees."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.contrast import TEXT
from browser.rest import expect
from browser.shown import (
    NARROW,
    choose_network,
    contrast,
    copied,
    overflow,
    panel,
    press,
    until_focused,
    until_generated,
)
from support import ALL, AT

from sim.operations import generate, validate
from sim.spec.networks import NETWORKS, default_card, network

if TYPE_CHECKING:
    from browser.lab import Lab, Sheet
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PAN = default_card("VISA").pan
MASKED = "411111******1111"
RAW = generate("financial", network="VISA", entry="chip", at=AT).raw
ROUNDS = 15

# Press New STAN and Generate, and wait until text and anatomy show the new number. In milliseconds.
_ROUND = """async () => {
    const panel = document.querySelector('.iso-generate-panel');
    const buttons = [...panel.querySelectorAll('button')];
    const press = words => buttons.find(one => one.textContent.trim() === words).click();
    const box = [...panel.querySelectorAll('.iso-joined')].find(one => one.textContent.includes('New STAN'));
    const stan = box.querySelector('input');
    const before = stan.value;
    const until = ready => new Promise((done, fail) => {
        const end = performance.now() + 60_000;
        const look = () => ready() ? done() : performance.now() > end ? fail(new Error(`never ${ready}`))
            : requestAnimationFrame(look);
        look(); });
    press('New STAN');
    await until(() => stan.value !== before);
    const start = performance.now();
    press('Generate');
    await until(() => panel.querySelector('.iso-call textarea')?.value.includes(stan.value)
        && panel.querySelector('.ia-row[data-n="11"]')?.textContent.includes(stan.value));
    return performance.now() - start; }"""


def test_generate_for_each_network(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Choose a network, press the button: a message that is valid for it, in its version, masked, as anatomy
    and table."""
    with panel(jupyterlab, chromium, "GeneratePanel(at=at)") as (sheet, shown):
        for name in NETWORKS if ALL else ("AMEX", "UNIONPAY"):
            choose_network(sheet, shown, name)
            press(shown, "Generate")
            until_generated(shown, name)
            raw = sheet.ask("print(p.message)")
            spoken = network(name).native_version
            assert raw == generate(network=name, version=spoken, entry="chip", at=AT).raw
            assert validate(raw, version=spoken).valid
        shown.screenshot(path=str(shots / "panel_generate.png"))
        press(shown, "Table")
        shown.locator(".iso-table td", has_text="Primary account number").wait_for()
        assert default_card("UNIONPAY").pan not in sheet.page.content()


def test_amounts_follow_each_other_and_errors_stand_beside_their_input(
    jupyterlab: Lab, chromium: Browser
) -> None:
    """Yen have no decimals, dinars three; a wrong amount is told beneath its box and stays there."""
    with panel(jupyterlab, chromium, "GeneratePanel(at=at)") as (sheet, shown):
        currency = shown.get_by_label("Currency", exact=True)
        for name, major in (("yen", "1000"), ("kuwait", "1.000"), ("usd", "10.00")):
            currency.fill(name)
            currency.press("Tab")
            sheet.wait_until("print(p.amount.major.value)", major)
        amount = shown.get_by_label("Amount in USD")
        amount.fill("10.005")
        problem = shown.locator(".iso-field", has=sheet.page.get_by_label("Amount in USD")).get_by_role(
            "alert"
        )
        expect(problem).to_contain_text("2 decimals")
        assert amount.input_value() == "10.005"
        amount.fill("12.5")
        sheet.wait_until("print(p.amount_minor_units, repr(p.amount.typed))", "1250 ''")
        expect(shown.get_by_label("In minor units", exact=True)).to_have_value("1250")


def test_typing_never_loses_a_key(jupyterlab: Lab, chromium: Browser) -> None:
    """Keys that come faster than the kernel answers all arrive, in order."""
    echo = generate("echo", at=AT).raw
    with panel(jupyterlab, chromium, "ExplainPanel()") as (sheet, shown):
        box = shown.get_by_label("Message", exact=True)
        box.press_sequentially(echo)
        sheet.wait_until("print(p.message)", echo)
        shown.locator(".iso-summary", has_text="echo").wait_for()
        assert box.input_value() == echo


def test_repairs_are_shown_and_made(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """The button finds a proposal, the row shows it before and after; its button uses it, Back undoes it."""
    wrong = RAW.replace(f"16{PAN}", f"15{PAN}", 1)
    for width in (1280, NARROW):
        with panel(jupyterlab, chromium, f"ValidatePanel({wrong!r})", width=width) as (sheet, shown):
            shown.locator(".irv-verdict.irv-broken").wait_for()
            press(shown, "Find repairs")
            row = shown.locator(".iso-edit").first
            expect(row).to_contain_text("restored: DE 2 length changed (15 → 16)")
            assert overflow(shown) == []
            shown.screenshot(path=str(shots / f"panel_repairs_{width}.png"))
            shown.get_by_role("button", name="Use this repair").first.press("Enter")
            shown.locator(".irv-verdict.irv-valid").wait_for()
            assert sheet.ask("print(p.message)") == RAW
            press(shown, "Back")
            shown.locator(".irv-verdict.irv-broken").wait_for()
            assert sheet.ask("print(p.message)") == wrong
            sheet.ask(f"p.message = {RAW[:40] + RAW[41:]!r}")
            press(shown, "Find repairs")
            assert contrast(shown.locator(".iso-unsure").first) >= TEXT


def test_one_character_less_is_located(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """The verdict turns, the finding names the place, and picking it lights the characters."""
    with panel(jupyterlab, chromium, f"ValidatePanel({RAW!r})") as (sheet, shown):
        shown.locator(".irv-verdict.irv-valid").wait_for()
        shown.screenshot(path=str(shots / "panel_validate.png"))
        box = shown.get_by_label("Message", exact=True)
        box.focus()
        sheet.page.wait_for_function("raw => document.querySelector('.ict textarea').value === raw", arg=RAW)
        box.press("Control+Home")
        for _ in range(40):
            box.press("ArrowRight")
        box.press("Delete")
        shown.locator(".irv-verdict.irv-broken").wait_for()
        broken = RAW[:40] + RAW[41:]
        assert sheet.ask("print(p.message)") == broken
        finding = shown.locator(".irv-finding")
        assert validate(broken).errors[0] in finding.inner_text()
        finding.click()
        shown.locator(".ia-piece.ia-marked").first.wait_for()
        start, _ = json.loads(sheet.ask("print(p.views.anatomy.marked)"))
        assert f"offset {start}" in finding.inner_text()
        assert shown.locator(".ia-marked").first.get_attribute("data-at") == str(start)
        shown.screenshot(path=str(shots / "panel_validate_broken.png"))


def test_validate_against_all_networks(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """A result for each other network; choosing one says why; an own finding lights its bytes."""
    wrong = RAW.replace(PAN, PAN[:-1] + "2", 1)
    with panel(jupyterlab, chromium, f"ValidatePanel({wrong!r})") as (sheet, shown):
        others = [name for name in NETWORKS if name != "VISA"]
        expect(shown.locator(".irv-title")).to_have_text([network(name).title for name in others])
        expected = validate(wrong).networks
        # A Visa card is none of theirs: none says that it passed.
        assert not any("✔" in text for text in shown.locator(".irv-network").all_inner_texts())
        title = shown.locator(".irv-findings h4")
        shown.locator('[data-network="MASTERCARD"]').click()
        expect(title).to_have_text("Findings of Mastercard")
        expect(shown.locator(".irv-finding")).to_have_count(len(expected["MASTERCARD"].findings))
        shown.locator('[data-network="MASTERCARD"]').click()
        expect(title).to_have_text("Findings")
        finding = shown.locator(".irv-finding", has_text="check digit")
        finding.click()
        shown.locator(".ia-marked").first.wait_for()
        sheet.wait_until("print(p.views.anatomy.pinned)", "2")
        shown.screenshot(path=str(shots / "panel_validate_networks.png"))


def test_a_long_list_is_typed_into(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Words find a response code and a fault by the keyboard alone; what is in no list is told beneath."""
    with panel(jupyterlab, chromium, "GeneratePanel(at=at, network='VISA')", width=900) as (sheet, shown):
        press(shown, "Generate")
        until_generated(shown, "VISA")
        code = shown.get_by_role("combobox", name="Response code", exact=True)
        code.press_sequentially("nonsense")
        code.press("Tab")
        shown.get_by_role("alert").filter(has_text="Response code: Not in the list").wait_for()
        code.click()  # all of it is selected: the next key begins anew
        code.press_sequentially("sufficient")
        code.press("Tab")
        sheet.wait_until("print(p.actions.code.value + p.actions.problem)", "51")
        expect(code).to_have_value("51 not sufficient funds")
        fault = shown.get_by_role("combobox", name="Fault", exact=True)
        fault.press_sequentially("hex-dump")
        fault.press("Tab")
        sheet.wait_until("print(p.actions.fault.value)", "hex-dump")
        assert overflow(shown) == []
        shown.screenshot(path=str(shots / "panel_long_lists.png"))


def test_a_message_goes_through_the_lab(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Generate, explain this, validate this, break, back: buttons only."""
    with panel(jupyterlab, chromium, "Lab(at=at, network='VISA')") as (sheet, shown):
        press(shown, "Generate")
        until_generated(shown, "VISA")
        press(shown, "Explain this")
        shown.locator(".iso-explain-panel .iso-summary").wait_for()
        press(shown, "Validate this")
        shown.locator(".irv-verdict.irv-valid").wait_for()
        press(shown, "Break")
        shown.locator(".irv-verdict.irv-broken").wait_for()
        press(shown, "Back")
        shown.locator(".irv-verdict.irv-valid").wait_for()
        press(shown, "Reply")
        shown.locator(".ia-header", has_text="0110").locator("visible=true").wait_for()
        assert sheet.ask("print(p.tab, p.message[:4])") == "Validate 0110"
        shown.screenshot(path=str(shots / "panel_lab.png"))


def test_keys_alone(jupyterlab: Lab, chromium: Browser) -> None:
    """From the first input on, Tab, arrows and Enter unfold, generate, explain and change the tab."""
    with panel(jupyterlab, chromium, "Lab(at=at)") as (sheet, shown):
        keys = sheet.page.keyboard
        shown.get_by_label("Message type", exact=True).focus()
        keys.press("ArrowDown")
        sheet.wait_until("print(p.generate.message_type)", "financial")
        _tab_to(sheet, "More options: merchant, date and time, extras")
        keys.press("Enter")
        shown.get_by_role("button", name="More options", expanded=True).wait_for()
        keys.press("Space")
        _tab_to(sheet, "Generate")
        keys.press("Enter")
        shown.locator(".ia-header", has_text="0200").locator("visible=true").wait_for()
        until_focused(shown, "Generate")
        _tab_to(sheet, "Explain this")
        keys.press("Enter")
        shown.locator(".iso-explain-panel .iso-summary").wait_for()
        shown.get_by_label("Message", exact=True).locator("visible=true").focus()
        keys.press("Shift+Tab")
        _tab_to(sheet, "Validate this")
        keys.press("Space")
        shown.locator(".irv-verdict.irv-valid").wait_for()
        shown.get_by_role("tab", name="Validate", selected=True).focus()
        keys.press("ArrowLeft")
        keys.press("Enter")
        sheet.wait_until("print(p.tab)", "Explain")
        # The notebook has not taken a key for itself: no cell was added or removed.
        assert sheet.page.locator(".jp-Notebook .jp-Cell").count() == 1


def _tab_to(sheet: Sheet, words: str) -> None:
    """Press Tab until the button *words* has the focus."""
    for _ in range(60):
        sheet.page.keyboard.press("Tab")
        if sheet.page.evaluate("() => document.activeElement.textContent.trim()") == words:
            return
    raise AssertionError(f"no Tab leads to {words!r}")


def test_card_data_is_masked_until_the_eye_opens(jupyterlab: Lab, chromium: Browser) -> None:
    """Neither the page nor the saved notebook has the number; the eye shows it. Copy asks which while stars
    are shown, and Enter takes the masked one."""
    with panel(jupyterlab, chromium, "Lab(at=at, network='VISA')") as (sheet, shown):
        sheet.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        press(shown, "Generate")
        until_generated(shown, "VISA")
        assert PAN not in sheet.page.content()
        # The call behind the form has such a box, too; this is the message's, which has an eye.
        eye = sheet.page.get_by_role("button", name="Show card data")
        box = shown.locator(".ict", has=eye).locator("visible=true")
        text = box.locator("textarea[readonly]").element_handle()
        copy = box.get_by_role("button", name="Copy", exact=True)
        copy.click()
        shown.get_by_role("button", name="Copy masked").locator("visible=true").wait_for()
        sheet.page.keyboard.press("Enter")
        shown.locator(".ict-said", has_text="Copied, masked.").wait_for()
        assert PAN not in copied(shown, MASKED)
        copy.click()
        press(shown, "Copy with card data")
        shown.locator(".ict-said", has_text=re.compile("^Copied.$")).wait_for()
        assert copied(shown, PAN) == sheet.ask("print(p.message)")
        shown.locator(".ict").get_by_role("button", name="Show card data").locator("visible=true").click()
        sheet.page.wait_for_function("([box, pan]) => box.value.includes(pan)", arg=[text, PAN])
        shown.locator(".ia-row", has_text=PAN).first.wait_for()
        shown.locator(".ict").get_by_role("button", name="Hide card data").locator("visible=true").click()
        sheet.page.wait_for_function("([box, mask]) => box.value.includes(mask)", arg=[text, MASKED])
        assert _saved(sheet, "p").count(PAN) == 0


def _saved(sheet: Sheet, name: str) -> str:
    """All that a notebook that keeps its widgets would hold."""
    return sheet.ask(
        "from ipywidgets.embed import embed_data; import json\n"
        f"print(json.dumps(embed_data([{name}]), default=str))"
    )


def test_dark_theme(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Texts stand out from their ground, in the colours of the theme."""
    with panel(jupyterlab, chromium, f"Lab({RAW!r}, at=at)") as (sheet, shown):
        sheet.theme("JupyterLab Dark")
        press(shown, "Validate this")
        shown.locator(".irv-verdict").wait_for()
        shown.locator('[data-network="MASTERCARD"]').click()
        shown.locator(".irv-findings h4", has_text="Mastercard").wait_for()
        seen = (
            ".ict label",
            ".ict textarea",
            ".irv-result",
            ".irv-counts",
            ".irv-sentence",
            ".irv-hint",
            ".ict-button",
        )
        for what in (*seen, ".widget-label", "select"):
            assert contrast(shown.locator(what).locator("visible=true").first) >= TEXT, what
        shown.screenshot(path=str(shots / "panel_validate_dark.png"))
        shown.get_by_role("tab", name="Generate").click()
        press(shown, "Generate")
        until_generated(shown.locator(".iso-generate-panel"), "VISA")
        shown.screenshot(path=str(shots / "panel_generate_dark.png"))
        sheet.theme("JupyterLab Light")


def test_a_narrow_column(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """In 480 pixels everything stands one under the other, and nothing reaches beyond the edge."""
    with panel(jupyterlab, chromium, f"Lab({RAW!r}, at=at)", width=NARROW, height=5000) as (_, shown):
        shown.locator(".iso-summary").wait_for()
        shown.screenshot(path=str(shots / "panel_narrow_explain.png"))
        assert overflow(shown) == []
        press(shown, "Validate this")
        shown.locator('[data-network="JCB"]').click()
        shown.locator(".irv-findings h4", has_text="JCB").wait_for()
        shown.locator(".irv-finding").first.click()
        shown.screenshot(path=str(shots / "panel_narrow_validate.png"))
        assert overflow(shown) == []
        shown.get_by_role("tab", name="Generate").click()
        press(shown, "Generate")
        until_generated(shown.locator(".iso-generate-panel"), "VISA")
        shown.screenshot(path=str(shots / "panel_narrow_generate.png"))
        assert overflow(shown) == []


def test_from_click_to_result(jupyterlab: Lab, chromium: Browser, shots: Path) -> None:
    """Every press of Generate shows its own message, in text and anatomy; how long that takes is noted."""
    with panel(jupyterlab, chromium, "GeneratePanel(at=at, network='VISA')") as (sheet, shown):
        press(shown, "Generate")
        until_generated(shown, "VISA")
        times: list[Any] = [sheet.page.evaluate(_ROUND) for _ in range(ROUNDS)]
        assert sheet.ask("print(p.stan)") == f"{123456 + ROUNDS:06}"
        words = f"median {statistics.median(times):.0f} ms, least {min(times):.0f}, most {max(times):.0f}"
        (shots / "panel_times.txt").write_text(f"click to rendered result: {words}, {ROUNDS} rounds\n")


def test_enter_generates(jupyterlab: Lab, chromium: Browser) -> None:
    """Enter in a line of the form and Ctrl+Enter anywhere in a panel do what its button does, once; what was
    typed last is heard first."""
    with panel(jupyterlab, chromium, "Lab(at=at, network='VISA')") as (sheet, shown):
        amount = shown.get_by_label("Amount in USD")
        amount.fill("10,50")
        amount.press("Enter")
        until_generated(shown, "VISA")
        assert sheet.ask("print(p.generate.amount_minor_units, len(p.history.entries))") == "1050 1"
        shown.get_by_role("tab", name="Validate").click()
        shown.locator(".irv-verdict.irv-valid").wait_for()
        shown.get_by_role("tab", name="Generate").click()
        shown.get_by_label("STAN", exact=True).fill("000077")
        shown.get_by_label("STAN", exact=True).press("Control+Enter")
        sheet.wait_until("print(p.message[:4], '000077' in p.message)", "0100 True")


def test_a_panel_whose_kernel_is_gone_says_so_once(jupyterlab: Lab, chromium: Browser) -> None:
    """After a restart of the kernel a sentence stands above it, and none of its boxes has a broken link."""
    with panel(jupyterlab, chromium, "Lab(at=at)") as (sheet, _):
        sheet.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
        )
        gone = sheet.page.locator(".iso-panel.jupyter-widgets-disconnected").first
        gone.locator(".jupyter-widgets-disconnected").first.wait_for(state="attached")
        said = gone.evaluate(
            "panel => [panel, ...panel.querySelectorAll('.jupyter-widgets-disconnected')]"
            ".map(one => getComputedStyle(one, '::before').content).filter(text => text !== 'none')"
        )
        assert said == ['"The kernel of this panel is gone: run its cell again."']
