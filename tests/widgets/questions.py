"""Panels that ask the stub, and ways to wait for what comes of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from llm.answers import GOOD
from llm.wire import Does
from support import AT

from sim.operations import explain, generate
from sim.widgets import ExplainPanel, GeneratePanel
from sim.widgets.asking import LanguageModel

RAW = generate("auth", network="VISA", at=AT).raw
BY_RULES = explain(RAW).summary
ONE, TWO = (
    "This is an authorization request for 10.00 USD.",
    "Its systems trace audit number (STAN) is 123456.",
)
TOLD = Does(f"{ONE} {TWO}", slow=True)
ANSWER = GOOD | {"aside": ["whimsically"]}
WORDS = "A Visa purchase of 25.50 EUR, whimsically"
PATIENCE = 60


async def until(panel: Any, ready: Callable[[], bool]) -> None:
    """Let the kernel go on until *ready*, which may change with what the panel says or `busy`."""
    event = asyncio.Event()
    look = lambda change: event.set() if ready() else None  # noqa: E731
    panel.observe(look, "busy")
    panel.said.observe(look, "value")
    if not ready():
        await asyncio.wait_for(event.wait(), PATIENCE)


async def reached(count: threading.Semaphore) -> None:
    """Let the kernel go on until the stub has counted."""
    assert await asyncio.to_thread(count.acquire, timeout=PATIENCE)


def explaining(provider: str | None = "openai") -> ExplainPanel:
    """A panel that asks *provider*."""
    return ExplainPanel(RAW, llm=True, writer=LanguageModel(provider))


def generating(provider: str | None = "openai") -> GeneratePanel:
    """A panel with a message, and a description for *provider*."""
    panel = GeneratePanel(at=AT, network="VISA", writer=LanguageModel(provider))
    panel.run()
    panel.description = WORDS
    return panel


def cancel_shown(panel: Any) -> bool:
    """Whether the button is there."""
    return panel.cancel_button.layout.display is None
