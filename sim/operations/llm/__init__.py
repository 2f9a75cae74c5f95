"""Explain and generate by a language model: it proposes, the rules decide.

Four providers, configured by their usual environment variables. Nothing heavy is imported until a
model is asked for. No card number leaves: a model sees masked elements and tokens for test cards.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sim import background
from sim.codec import Message
from sim.operations.explanation import Explanation
from sim.operations.generation import Generated
from sim.operations.llm.errors import CardNumberRefused as CardNumberRefused
from sim.operations.llm.errors import DescriptionUnusable as DescriptionUnusable
from sim.operations.llm.errors import LlmError as LlmError
from sim.operations.llm.errors import LlmFailed as LlmFailed
from sim.operations.llm.errors import LlmTimeout as LlmTimeout
from sim.operations.llm.errors import LlmUnavailable as LlmUnavailable
from sim.operations.llm.errors import LlmUnknownModel as LlmUnknownModel
from sim.operations.llm.errors import LlmUnknownProvider as LlmUnknownProvider
from sim.operations.llm.transport.providers import PROVIDERS as PROVIDERS
from sim.operations.llm.transport.providers import ProviderStatus as ProviderStatus
from sim.operations.llm.transport.providers import choose as choose
from sim.operations.llm.transport.providers import is_asked as is_asked
from sim.operations.llm.transport.providers import status as status

P = ParamSpec("P")
T = TypeVar("T")


async def explain_async(
    message: str | Message,
    *,
    version: str | None = None,
    network: str | None = None,
    provider: str | None = None,
    model: str | None = None,
) -> Explanation:
    """What *message* says, as a model arranges it: its sentences have slots, which are filled from the
    message, and no other words than such as state nothing. What does not fit is told to the model, then
    refused.

    Raises LlmUnavailable, LlmUnknownProvider, LlmUnknownModel, LlmFailed or LlmTimeout, and what `explain`
    by rules does.
    """
    choose(provider, model)  # refuses before the packages are loaded
    from sim.operations.llm.telling.tell import prepare, tell

    return await tell(prepare(message, version, network, provider, model))


async def generate_async(
    description: str,
    *,
    provider: str | None = None,
    model: str | None = None,
    version: str = "1987",
    at: datetime | None = None,
) -> Generated:
    """The message that *description* (English, at most 2000 characters) asks for. `notes` say what was
    assumed where it left something open. *version* holds unless the description names one; *at* is now.

    Raises CardNumberRefused before anything is sent, LlmUnavailable, LlmUnknownProvider, LlmFailed (with
    what was wrong) or LlmTimeout; DescriptionUnusable, a ValueError, where it is empty or too long.
    """
    choose(provider, model)
    from sim.operations.llm.drafting.draft import draft

    return await draft(description, provider=provider, model=model, version=version, at=at)


async def stream_explain(
    message: str | Message,
    *,
    version: str | None = None,
    network: str | None = None,
    provider: str | None = None,
    model: str | None = None,
) -> AsyncIterator[str]:
    """`explain_async` sentence by sentence, each checked before it is given. One that does not fit ends
    the text with LlmFailed. Closing the iterator cancels the request."""
    choose(provider, model)
    from sim.operations.llm.telling.tell import prepare, tell_piecewise

    pieces = tell_piecewise(prepare(message, version, network, provider, model))
    try:
        async for piece in pieces:
            yield piece
    finally:
        await pieces.aclose()  # type: ignore[attr-defined]


def _waited(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """*call*, waited for; works inside a notebook too."""

    @wraps(call)
    def waited(*args: P.args, **options: P.kwargs) -> T:
        return background.run(call(*args, **options), "sim-llm")

    return waited


explain, generate = _waited(explain_async), _waited(generate_async)
