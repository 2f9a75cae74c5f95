"""Explain a message or read a description with a language model: the model proposes, the rules decide.

Four providers, configured by their usual environment variables. Nothing heavy is imported before a model is
used. No card number is sent: a model sees masked elements and tokens for test cards.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sim import background
from sim.codec import Message
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import Plan
from sim.models.errors import CardNumberRefused as CardNumberRefused
from sim.models.errors import DescriptionUnusable as DescriptionUnusable
from sim.models.errors import LlmError as LlmError
from sim.models.errors import LlmFailed as LlmFailed
from sim.models.errors import LlmTimeout as LlmTimeout
from sim.models.errors import LlmUnavailable as LlmUnavailable
from sim.models.errors import LlmUnknownModel as LlmUnknownModel
from sim.models.errors import LlmUnknownProvider as LlmUnknownProvider
from sim.models.transport.providers import PROVIDERS as PROVIDERS
from sim.models.transport.providers import ProviderStatus as ProviderStatus
from sim.models.transport.providers import choose as choose
from sim.models.transport.providers import is_asked as is_asked
from sim.models.transport.providers import status as status
from sim.operations.explanation import Explanation
from sim.paste.reading import Reading

if TYPE_CHECKING:
    from sim.models.telling import Together

P = ParamSpec("P")
T = TypeVar("T")


async def explain_async(
    message: str | Message | Reading | Together,
    *,
    version: str | None = None,
    network: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    ask: str = "",
    language: str = "en",
) -> Explanation:
    """An explanation of *message*, or of several, by a model: the answer to *ask*, in *language* (en, de,
    es, pt or fr). A sentence with a number, name, code or decision that the message does not have is struck
    out; one that the message neither proves nor contradicts comes at the end, as not checked. If none is
    supported, the rules explain.

    Raises LlmUnavailable, LlmUnknownProvider, LlmUnknownModel, LlmFailed or LlmTimeout, CardNumberRefused for
    a question with card data, and as `explain` by rules does.
    """
    choose(provider, model)  # raises before the packages are loaded
    from sim.models.telling import prepare, tell_whole

    return await tell_whole(prepare(message, version, network, provider, model, ask, language))


async def plan_async(
    description: str,
    *,
    provider: str | None = None,
    model: str | None = None,
    version: str | None = None,
    at: datetime | None = None,
) -> Plan:
    """The plan of *description* (at most 2,000 characters, in any language), restated by a model. *version*
    and *at* (date and time) apply if it names none.

    Raises CardNumberRefused before anything is sent, LlmUnavailable, LlmUnknownProvider, LlmFailed (with
    what was wrong) or LlmTimeout; DescriptionUnusable, a ValueError, if it is empty or too long.
    """
    choose(provider, model)
    from sim.models.restating import restate

    return await restate(description, provider=provider, model=model, version=version, at=at)


async def stream_explain(
    message: str | Message | Reading,
    *,
    version: str | None = None,
    network: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    ask: str = "",
    language: str = "en",
) -> AsyncIterator[str]:
    """`explain_async` sentence by sentence, each checked before it is yielded. Closing the iterator cancels
    the request."""
    choose(provider, model)
    from sim.models.telling import prepare, tell_piecewise

    pieces = tell_piecewise(prepare(message, version, network, provider, model, ask, language))
    try:
        async for piece in pieces:
            yield piece
    finally:
        await pieces.aclose()  # type: ignore[attr-defined]


def _waited(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """*call* as a blocking function, which also works in a notebook."""

    @wraps(call)
    def waited(*args: P.args, **options: P.kwargs) -> T:
        return background.run(call(*args, **options), "sim-llm")

    return waited


explain, plan = _waited(explain_async), _waited(plan_async)


def plan_of_any(
    description: str, *, provider: str | None, model: str | None, version: str | None, at: datetime | None
) -> Plan:
    """The plan of *description* by a model, if one is named or configured, otherwise by the rules; see
    `plan_async`."""
    if is_asked(provider, model):
        return plan(description, provider=provider, model=model, version=version, at=at)
    return plan_of(description, version=version, at=at)
