"""Asking a model in a real JupyterLab: the text grows, other cells run, Cancel is heard.

The model is a stub that says a sentence when the test lets it; the kernel asks it by the real client.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser.contrast import TEXT
from browser.rest import expect
from browser.shown import contrast, overflow, panel, press, until_focused, until_generated
from llm.answers import answer
from llm.wire import Does, Provider, provider
from support import ALL, AT

from sim.operations import explain, generate
from sim.spec.networks import default_card

if TYPE_CHECKING:
    from browser.lab import Lab, Sheet
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

PAN = default_card("VISA").pan
RAW = generate("auth", network="VISA", at=AT).raw
BY_RULES = explain(RAW).summary
ONE, TWO = (
    "This is an authorization request for 10.00 USD.",
    "It carries systems trace audit number (STAN) 123456.",
)
TOLD = Does(f"{ONE} {TWO}", slow=True)
ANSWER = answer(purpose="purchase", network="JCB", amount="500 JPY", aside=["whimsically"])
WORDS = "A JCB card whimsically pays 500 JPY"
EXPLAIN = f"ExplainPanel({RAW!r}, llm=True)"
GENERATE = f"GeneratePanel(at=at, network='VISA', description={WORDS!r})"
_RUN = """() => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    window.ended = undefined;
    const future = kernel.requestExecute({ code: 'p.run()' });
    future.done.then(reply => { window.ended = reply.content.ename || 'no error'; }); }"""
PATIENCE = 60
SLIM = 400


@pytest.fixture
def llm() -> Iterator[Provider]:
    """The stub."""
    with provider() as server:
        yield server


def keys(llm: Provider) -> str:
    """A line that points a kernel at *llm*."""
    names = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
    return f"import os; os.environ.update({ {name: llm.environment()[name] for name in names} })\n"


def asked(llm: Provider) -> None:
    """Wait until the stub waits for the test."""
    assert llm.hanging.acquire(timeout=PATIENCE)


def told(shown: Locator, text: str) -> Locator:
    """Wait until the explanation holds *text*."""
    found = shown.locator(".iso-said", has_text=text)
    found.wait_for()
    return found


def cancel_button(shown: Locator) -> Locator:
    """The button, where it can be seen."""
    return shown.get_by_role("button", name="Cancel", exact=True).locator("visible=true")


def run_second_cell(sheet: Sheet) -> str:
    """What the notebook's second cell says when it is run by hand."""
    cell = sheet.page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".cm-content").click()
    sheet.page.keyboard.press("Control+Enter")
    output = cell.locator(".jp-OutputArea-output", has_text="True 42")
    output.wait_for()
    return output.inner_text().strip()


def test_the_text_grows_and_cancel_brings_the_rules_back(
    jupyterlab: Lab, chromium: Browser, shots: Path, llm: Provider
) -> None:
    """Sentence by sentence; a cell runs meanwhile; after Cancel the provider sees the request given up, the
    text by rules stands there again, and the focus is on Explain."""
    llm.then(TOLD)
    cell = "print(p.busy, 6 * 7)"
    with panel(jupyterlab, chromium, EXPLAIN, before=keys(llm), after=(cell,)) as (sheet, shown):
        told(shown, BY_RULES)
        assert cancel_button(shown).count() == 0
        press(shown, "Explain")
        cancel_button(shown).wait_for()
        shown.get_by_text("Asking openai/").wait_for()
        asked(llm)
        assert run_second_cell(sheet) == "True 42"
        llm.go()
        grown = told(shown, ONE)
        assert TWO not in grown.inner_text()
        assert sheet.ask("print(p.busy, p.summary)") == f"True {BY_RULES}"
        shown.screenshot(path=str(shots / "asking_explain.png"))
        cancel_button(shown).click()
        back = told(shown, "Canceled. This is what the rules say.")
        assert BY_RULES in back.inner_text()
        assert ONE not in back.inner_text()
        assert llm.gone.acquire(timeout=PATIENCE)
        cancel_button(shown).wait_for(state="detached")
        until_focused(shown, "Explain")
        sheet.wait_until("print(p.busy, p.summary)", f"False {BY_RULES}")
        assert PAN not in shown.inner_html()
        shown.screenshot(path=str(shots / "asking_cancelled.png"))
    assert len(llm.calls) == 1


def test_the_whole_answer_replaces_the_rules(jupyterlab: Lab, chromium: Browser, llm: Provider) -> None:
    """Both sentences and who wrote them; the button that was pressed keeps the focus all the while."""
    llm.then(TOLD)
    with panel(jupyterlab, chromium, EXPLAIN, before=keys(llm)) as (sheet, shown):
        button = shown.get_by_role("button", name="Explain", exact=True)
        button.focus()
        sheet.page.keyboard.press("Enter")
        asked(llm)
        cancel_button(shown).wait_for()
        expect(button).to_have_attribute("aria-disabled", "true")
        until_focused(shown, "Explain")
        sheet.page.keyboard.press("Enter")  # not taken: one request is enough
        llm.go()
        told(shown, ONE)
        llm.go()
        told(shown, f"{ONE} {TWO}")
        told(shown, "Written by openai/")
        expect(button).to_have_attribute("aria-disabled", "false")
        until_focused(shown, "Explain")
    assert len(llm.calls) == 1


def test_cancel_by_keys_alone(jupyterlab: Lab, chromium: Browser, llm: Provider) -> None:
    """Tab leads from Generate to Cancel, Enter presses it, the focus comes back, the message stays."""
    llm.then(Does(ANSWER, slow=True))
    with panel(jupyterlab, chromium, GENERATE, before=keys(llm)) as (sheet, shown):
        sheet.ask("p.description = ''; p.run(); before = p.message")
        until_generated(shown, "VISA")
        shown.get_by_label("Describe it", exact=False).fill(WORDS)
        sheet.wait_until("print(p.description)", WORDS)
        shown.get_by_role("button", name="Generate", exact=True).focus()
        sheet.page.keyboard.press("Enter")
        cancel_button(shown).wait_for()
        asked(llm)
        sheet.page.keyboard.press("Tab")
        until_focused(shown, "Cancel")
        sheet.page.keyboard.press("Enter")
        told(shown, "Canceled: no new message was made.")
        assert llm.gone.acquire(timeout=PATIENCE)
        cancel_button(shown).wait_for(state="detached")
        until_focused(shown, "Generate")
        sheet.wait_until("print(p.busy, p.message == before)", "False True")
    assert len(llm.calls) == 1


def test_typing_while_the_model_writes_ends_it(jupyterlab: Lab, chromium: Browser, llm: Provider) -> None:
    """The new message is explained by rules; the response about the old one never comes."""
    llm.then(TOLD)
    echo = generate("echo", at=AT).raw
    with panel(jupyterlab, chromium, EXPLAIN, before=keys(llm)) as (sheet, shown):
        press(shown, "Explain")
        asked(llm)
        llm.go()
        told(shown, ONE)
        shown.get_by_label("Message", exact=True).fill(echo)
        after = told(shown, explain(echo).summary)
        assert llm.gone.acquire(timeout=PATIENCE)
        assert ONE not in after.inner_text()
        cancel_button(shown).wait_for(state="detached")
        sheet.wait_until("print(p.busy, p.message)", f"False {echo}")


def test_a_description_becomes_a_message(
    jupyterlab: Lab, chromium: Browser, shots: Path, llm: Provider
) -> None:
    """The kernel is free until the model has answered."""
    llm.then(Does(ANSWER, slow=True))
    with panel(jupyterlab, chromium, GENERATE, before=keys(llm)) as (sheet, shown):
        press(shown, "Generate")
        asked(llm)
        shown.get_by_text("Asking openai/").wait_for()
        assert sheet.ask("print(p.busy, p.message == '')") == "True True"
        shown.screenshot(path=str(shots / "asking_generate.png"))
        llm.go()
        until_generated(shown, "JCB")
        sheet.wait_until("print(p.busy, p.problem == '')", "False True")


def test_a_cell_that_waits_is_interrupted(jupyterlab: Lab, chromium: Browser, llm: Provider) -> None:
    """`run()` in a cell shows the sentences and offers no Cancel, which nobody would hear; the stop button
    of the notebook ends cell and request."""
    llm.then(TOLD)
    with panel(jupyterlab, chromium, EXPLAIN, before=keys(llm)) as (sheet, shown):
        sheet.page.evaluate(_RUN)
        asked(llm)
        llm.go()
        told(shown, ONE)
        assert cancel_button(shown).count() == 0
        sheet.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:interrupt-kernel'); }")
        told(shown, "Canceled. This is what the rules say.")
        assert llm.gone.acquire(timeout=PATIENCE)
        sheet.page.wait_for_function("() => window.ended")
        assert sheet.page.evaluate("() => window.ended") == "KeyboardInterrupt"
        assert sheet.ask("print(p.busy, p.summary)") == f"False {BY_RULES}"


@pytest.mark.parametrize("theme", ["Light", "Dark"] if ALL else ["Dark"])
@pytest.mark.parametrize(
    ("name", "source", "answer"),
    [("explain", EXPLAIN, TOLD), ("generate", GENERATE, ANSWER)],
    ids=["explain", "generate"],
)
def test_how_it_looks_while_a_model_is_asked(
    jupyterlab: Lab,
    chromium: Browser,
    shots: Path,
    llm: Provider,
    theme: str,
    name: str,
    source: str,
    answer: object,
) -> None:
    """In 400 pixels nothing reaches beyond the edge, and words stand out from their ground."""
    llm.then(answer if isinstance(answer, Does) else Does(answer, slow=True))
    with panel(jupyterlab, chromium, source, before=keys(llm), width=SLIM) as (sheet, shown):
        sheet.theme(f"JupyterLab {theme}")
        press(shown, name.capitalize())
        asked(llm)
        doing = shown.get_by_text("Asking openai/")
        doing.wait_for()
        for words in (doing, cancel_button(shown)):
            assert contrast(words) >= TEXT
        assert overflow(shown) == []
        shown.screenshot(path=str(shots / f"asking_{name}_{theme.lower()}_slim.png"))
        cancel_button(shown).click()
        told(shown, "Canceled")
        assert overflow(shown) == []
        sheet.theme("JupyterLab Light")
