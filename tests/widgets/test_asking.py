"""Asking a model from a panel: the kernel stays free, sentences come one by one, Cancel ends the request.

The event loop of each test plays the kernel's; the model is the stub, asked by the real clients.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llm.wire import Does, Provider
from support import AT, MORE
from widgets.questions import (
    ANSWER,
    BY_RULES,
    ONE,
    RAW,
    TOLD,
    TWO,
    WORDS,
    cancel_shown,
    explaining,
    generating,
    reached,
    until,
)

from sim.models import PROVIDERS
from sim.operations import explain, generate
from sim.spec.networks import default_card
from sim.widgets import Lab
from sim.widgets.asking import LanguageModel

# What they say differently is a matter of tests/llm, which has all of them loaded.
ASKED = PROVIDERS if MORE else PROVIDERS[-1:]


@pytest.mark.parametrize("provider", ASKED)
def test_sentences_come_one_by_one(llm: Provider, provider: str) -> None:
    """The click returns at once; each sentence is shown when the provider has said it, the summary stays
    the rules' until the last."""
    llm.then(TOLD)

    async def cells() -> None:
        panel = explaining(provider)
        panel.button.click()
        assert (panel.busy, cancel_shown(panel), panel.summary) == (True, True, BY_RULES)
        await reached(llm.hanging)
        assert ONE not in panel.said.value
        llm.go()
        await until(panel, lambda: ONE in panel.said.value)
        assert TWO not in panel.said.value
        assert (panel.busy, panel.summary) == (True, BY_RULES)
        llm.go()
        await until(panel, lambda: not panel.busy)
        assert panel.summary == f"{ONE} {TWO}"
        assert f"Written by {provider}/" in panel.said.value
        assert not cancel_shown(panel)

    asyncio.run(cells())
    assert len(llm.calls) == 1


@pytest.mark.parametrize("provider", ASKED)
def test_cancel_closes_the_connection_and_leaves_the_rules(llm: Provider, provider: str) -> None:
    """After the first sentence: the provider sees who asked go, the text by rules is back and says why."""
    llm.then(TOLD)

    async def cells() -> None:
        panel = explaining(provider)
        panel.button.click()
        await reached(llm.hanging)
        llm.go()
        await until(panel, lambda: ONE in panel.said.value)
        panel.cancel_button.click()
        assert (panel.busy, cancel_shown(panel), panel.summary) == (False, False, BY_RULES)
        assert "Canceled. This is what the rules say." in panel.said.value
        assert ONE not in panel.said.value
        await reached(llm.gone)
        assert ONE not in panel.said.value

    asyncio.run(cells())
    assert len(llm.calls) == 1


@pytest.mark.parametrize("provider", ASKED)
def test_a_message_is_made_of_a_description_meanwhile(llm: Provider, provider: str) -> None:
    """The message before stays until the new one is there."""
    llm.then(Does(ANSWER, slow=True))

    async def cells() -> None:
        panel = generating(provider)
        before = panel.message
        panel.button.click()
        await reached(llm.hanging)
        assert (panel.busy, panel.message) == (True, before)
        llm.go()
        await until(panel, lambda: not panel.busy)
        assert panel.problem == ""
        assert panel.table.iso.to_message()[4] == "000000002550"

    asyncio.run(cells())
    assert len(llm.calls) == 1


@pytest.mark.parametrize("provider", ASKED)
def test_cancel_makes_no_message(llm: Provider, provider: str) -> None:
    """The provider sees who asked go; message, notes and description are those before."""
    llm.then(Does(ANSWER, slow=True))

    async def cells() -> None:
        panel = generating(provider)
        before, notes, said = panel.message, panel.notes, panel.said.value
        panel.button.click()
        await reached(llm.hanging)
        panel.cancel_button.click()
        assert (panel.busy, panel.problem) == (False, "")
        assert (panel.message, panel.notes, panel.description) == (before, notes, WORDS)
        assert "Canceled: no new message was made." in panel.said.value
        assert panel.said.value.endswith(said)
        await reached(llm.gone)

    asyncio.run(cells())
    assert len(llm.calls) == 1


def test_cancel_during_a_repair_sends_no_further_one(llm: Provider) -> None:
    """The second request, which tells the model what was wrong, is the last."""
    llm.then(ANSWER | {"amount": "1.00 EUR"}, Does(ANSWER, slow=True))

    async def cells() -> None:
        panel = generating()
        panel.start()
        await reached(llm.hanging)
        panel.cancel()
        await reached(llm.gone)

    asyncio.run(cells())
    assert len(llm.calls) == 2


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (explaining, lambda panel: setattr(panel.input.text, "value", generate("echo", at=AT).raw)),
        (explaining, lambda panel: setattr(panel.input.form.fields["version"].box, "value", "1993")),
        (explaining, lambda panel: setattr(panel.input.form.fields["network"].box, "value", "JCB")),
        (explaining, lambda panel: setattr(panel.model_choice, "value", False)),
        (explaining, lambda panel: panel.actions.reply_button.click()),
        (generating, lambda panel: setattr(panel.words, "value", "An echo test")),
        (generating, lambda panel: setattr(panel.form.fields["version"].box, "value", "1993")),
        (generating, lambda panel: panel.actions.reverse_button.click()),
        (explaining, lambda panel: panel.close()),
        (generating, lambda panel: panel.close()),
    ],
)
def test_a_change_of_what_is_asked_about_cancels(
    llm: Provider, make: Callable[[], Any], change: Callable[[Any], None]
) -> None:
    """An edit, another choice, a button beneath the message, or closing the panel: the request ends, and
    what is shown is of the message that is there now."""
    llm.then(TOLD if make is explaining else Does(ANSWER, slow=True))

    async def cells() -> None:
        panel = make()
        panel.button.click()
        await reached(llm.hanging)
        change(panel)
        assert not panel.busy
        shown = panel.message, panel.said.value
        await reached(llm.gone)
        assert (panel.message, panel.said.value) == shown
        if make is explaining and panel.summary and not panel.problem:
            expected = explain(panel.message, version=panel.version, network=panel.network)
            assert panel.summary == expected.summary

    asyncio.run(cells())


def test_closing_a_lab_cancels_in_its_panels(llm: Provider) -> None:
    """Whichever of them asks."""
    llm.then(TOLD)

    async def cells() -> None:
        lab = Lab(RAW, at=AT)
        lab.explain.llm, lab.explain.writer = True, LanguageModel("openai")
        lab.explain.start()
        await reached(llm.hanging)
        lab.close()
        await reached(llm.gone)
        assert not lab.explain.busy

    asyncio.run(cells())


def test_a_second_click_asks_nothing(llm: Provider) -> None:
    """One request is under way, and it goes on."""
    llm.then(TOLD)

    async def cells() -> None:
        panel = explaining()
        panel.button.click()
        panel.button.click()
        await reached(llm.hanging)
        panel.button.click()
        llm.go()
        llm.go()
        await until(panel, lambda: not panel.busy)
        assert panel.summary == f"{ONE} {TWO}"

    asyncio.run(cells())
    assert len(llm.calls) == 1


def test_two_panels_ask_at_the_same_time(llm: Provider) -> None:
    """Cancel in one leaves the other alone."""
    llm.then(TOLD)

    async def cells() -> None:
        one, other = explaining("openai"), explaining("ollama")
        one.start()
        await reached(llm.hanging)
        other.start()
        await reached(llm.hanging)
        one.cancel()
        await reached(llm.gone)
        llm.go()
        llm.go()
        await until(other, lambda: not other.busy)
        assert (one.summary, other.summary) == (BY_RULES, f"{ONE} {TWO}")

    asyncio.run(cells())


def test_after_cancel_the_model_can_be_asked_again(llm: Provider) -> None:
    """A new question, a new answer."""
    llm.then(TOLD)

    async def cells() -> None:
        panel = explaining()
        panel.start()
        await reached(llm.hanging)
        panel.cancel()
        panel.cancel()
        await reached(llm.gone)
        panel.start()
        llm.go()
        llm.go()
        await until(panel, lambda: not panel.busy)
        assert panel.summary == f"{ONE} {TWO}"

    asyncio.run(cells())


def test_a_real_error_is_told(llm: Provider) -> None:
    """What the provider answered with, beside the rules' text and beneath the description."""
    llm.then(Does(status=400))

    async def cells() -> None:
        reader, maker = explaining(), generating()
        for panel in (reader, maker):
            panel.button.click()
            await until(panel, lambda panel=panel: not panel.busy)
        assert "openai answered with status 400. This is what the rules say." in reader.said.value
        assert reader.summary == BY_RULES
        assert maker.describe.problem == maker.problem == "openai answered with status 400"

    asyncio.run(cells())


def test_a_false_sentence_is_struck_out(llm: Provider) -> None:
    """It is shown so as it comes; what is not proven comes last."""
    llm.then(Does(f"{ONE} Advise nobody. It is for 99.00 USD.", slow=True))

    async def cells() -> None:
        panel = explaining()
        panel.start()
        llm.go()
        await until(panel, lambda: ONE in panel.said.value)
        llm.go()
        llm.go()
        await until(panel, lambda: not panel.busy)
        assert panel.summary == (
            f"{ONE} ~~It is for 99.00 USD.~~ Not checked against the message: Advise nobody."
        )
        assert "<del>It is for 99.00 USD.</del>" in panel.said.value
        last = '<p class="iso-unchecked"><strong>Not checked against the message:</strong> Advise nobody.</p>'
        assert last in panel.said.value

    asyncio.run(cells())


def test_nothing_shown_holds_card_data_while_a_model_is_asked(llm: Provider) -> None:
    """Neither the number nor the request's text is in a widget's state; nor does it go to the provider."""
    llm.then(TOLD)

    async def cells() -> None:
        panel = explaining()
        panel.start()
        await reached(llm.hanging)
        llm.go()
        await until(panel, lambda: ONE in panel.said.value)
        parts = [panel.bar.progress, panel.said, panel.input.text, panel.bar._focus, panel]
        shown = "".join(str(part.get_state()) for part in parts) + str(panel._repr_mimebundle_())
        assert default_card("VISA").pan not in shown + llm.calls[0].text
        panel.cancel()
        await reached(llm.gone)

    asyncio.run(cells())
