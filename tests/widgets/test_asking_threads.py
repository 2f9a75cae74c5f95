"""Asking a model from a panel: who waits, in which thread, and what comes too late."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from llm.wire import Provider
from widgets.questions import BY_RULES, ONE, PATIENCE, RAW, TOLD, TWO, cancel_shown, explaining, reached

from sim.widgets import ExplainPanel
from sim.widgets.asking import LanguageModel, ModelError


class Writer(LanguageModel):
    """A model that says one thing, and tells when it has; it then ends as *end* does."""

    def __init__(self, end: Callable[[], Coroutine[Any, Any, str]]) -> None:
        super().__init__()
        self.end, self.said = end, threading.Event()

    def refusal(self) -> str:
        """None."""
        return ""

    def name(self) -> str:
        """A name."""
        return "test/model"

    async def explain(self, subject: object, *, heard: Callable[[str], None], **_: Any) -> str:
        """One sentence, and the end."""
        heard(ONE)
        self.said.set()
        return await self.end()


async def never() -> str:
    """No end."""
    await asyncio.Event().wait()
    raise AssertionError


async def at_once() -> str:
    """The end."""
    return ONE


async def sulking() -> str:
    """An error of its own where it is cancelled."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise ModelError("It was broken off") from None
    raise AssertionError


async def broken() -> str:
    """An error nobody thought of."""
    raise KeyError("secret")


@pytest.mark.parametrize("end", [never, at_once, sulking])
def test_what_was_said_before_cancel_and_not_yet_heard_is_dropped(end: Any) -> None:
    """The kernel was at work while the model answered; Cancel comes first, and nothing after it."""

    async def cells() -> None:
        panel = ExplainPanel(RAW, llm=True, writer=Writer(end))
        panel.start()
        assert panel.writer.said.wait(PATIENCE)
        panel.cancel()
        told = panel.said.value
        for _ in range(20):
            await asyncio.sleep(0)
        assert (panel.said.value, panel.summary, panel.busy) == (told, BY_RULES, False)
        assert "Canceled" in told

    asyncio.run(cells())


def test_an_error_nobody_thought_of_leaves_the_panel_as_it_was() -> None:
    """The rules' text is back with the error's name, not its words; who waits gets the error."""
    panel = ExplainPanel(RAW, llm=True, writer=Writer(broken))
    with pytest.raises(KeyError):
        panel.run()
    assert (panel.busy, panel.summary) == (False, BY_RULES)
    assert "The model could not be asked (KeyError). This is what the rules say." in panel.said.value
    assert "secret" not in panel.said.value


def test_run_waits_also_in_a_kernel(llm: Provider) -> None:
    """A cell that runs a panel has the answer in the next line; sentences are shown meanwhile."""
    llm.then(TOLD)
    llm.go()
    llm.go()

    async def cell() -> None:
        panel = explaining()
        heard: list[str] = []
        buttons: list[bool] = []
        panel.said.observe(lambda change: heard.append(change.new), "value")
        panel.observe(lambda change: buttons.append(cancel_shown(panel)), "busy")
        panel.run()
        assert buttons == [False, False], "nobody would hear it"
        assert panel.summary == f"{ONE} {TWO}"
        assert any(ONE in text and TWO not in text for text in heard)

    asyncio.run(cell())


def test_the_button_waits_in_a_plain_script(llm: Provider) -> None:
    """Where no loop runs there is nobody to hand the answer to later."""
    llm.then(TOLD.answer)
    panel = explaining()
    panel.button.click()
    assert panel.summary == f"{ONE} {TWO}"


def test_cancel_from_another_thread_ends_the_wait(llm: Provider) -> None:
    """JupyterLab can be set to hear panels in another thread than the one in which a cell waits."""
    llm.then(TOLD)
    panel = explaining()

    def press() -> None:
        assert llm.hanging.acquire(timeout=PATIENCE)
        panel.cancel()

    thread = threading.Thread(target=press)
    thread.start()
    panel.run()
    thread.join()
    assert (panel.summary, panel.busy) == (BY_RULES, False)
    assert llm.gone.acquire(timeout=PATIENCE)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals for threads here")
def test_an_interrupt_of_the_wait_cancels(llm: Provider) -> None:
    """As the kernel's stop button sends it: the request ends, too."""
    llm.then(TOLD)
    panel = explaining()
    here = threading.main_thread().ident

    def interrupt() -> None:
        assert llm.hanging.acquire(timeout=PATIENCE)
        signal.pthread_kill(here, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        panel.run()
    thread.join()
    assert (panel.busy, panel.summary) == (False, BY_RULES)
    assert llm.gone.acquire(timeout=PATIENCE)


def test_an_answer_outlives_the_loop_that_asked(llm: Provider) -> None:
    """The loop of a page that was closed; the panel may be open in another."""
    llm.then(TOLD)
    panel, over = explaining(), threading.Event()

    async def cell() -> None:
        panel.start()
        await reached(llm.hanging)

    asyncio.run(cell())
    panel.observe(lambda change: over.set(), "busy")
    llm.go()
    llm.go()
    assert over.wait(PATIENCE)
    assert panel.summary == f"{ONE} {TWO}"
