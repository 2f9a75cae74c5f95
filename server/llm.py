"""The one gate to LLM features: who may ask, for which provider, and what its failures are as answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from server.errors import problem
from server.settings import Settings
from sim import models as llm
from sim.errors import either
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import Plan
from sim.operations import Explanation

PROVIDERS = llm.PROVIDERS


def reads_words(settings: Settings, asked: Any) -> bool:
    """Whether the description of *asked* is read by rules: no model is named, and none is configured or the
    demo is public, on which none is asked."""
    named = asked.provider is not None or asked.model is not None
    return not named and (settings.public or not llm.is_asked(None, None))


async def plan(settings: Settings, asked: Any) -> Plan:
    """The plan of the description of *asked*, by rules or by a model; its other fields do not count."""
    if reads_words(settings, asked):
        return plan_of(asked.description)
    with _gate(settings, "description", asked.provider):
        return await llm.plan_async(asked.description, provider=asked.provider, model=asked.model)


async def tell(settings: Settings, asked: Any) -> Explanation:
    """What the message of *asked* says. Raises ParseError where it is none."""
    with _gate(settings, "llm", asked.provider):
        return await llm.explain_async(
            asked.message,
            version=asked.version,
            network=asked.network,
            provider=asked.provider,
            model=asked.model,
        )


@contextmanager
def _gate(settings: Settings, asked_by: str, provider: str | None) -> Iterator[None]:
    """Refuse what *asked_by* (`description` or `llm`) asks for: 403 on a public demo, before anything is
    looked up; 422 for a *provider* that is not one of PROVIDERS. Then: the room's errors as answers."""
    if settings.public:
        raise problem(403, "llm_disabled", ["body", asked_by], "LLM features are off on this public demo")
    if provider is not None and provider not in PROVIDERS:
        expected = either([f"'{name}'" for name in PROVIDERS])
        msg = f"Input should be {expected}"
        loc: list[str | int] = ["body", "provider"]
        raise problem(422, "llm_provider_unknown", loc, msg, input=provider, ctx={"expected": expected})
    try:
        yield
    except llm.LlmError as error:
        # An unknown provider can only be the configured default here: the caller's own is refused above.
        unknown = isinstance(error, llm.LlmUnknownProvider)
        status, type_ = (503, "llm_unavailable") if unknown else (error.status, error.type)
        place = "model" if isinstance(error, llm.LlmUnknownModel) else asked_by
        raise problem(status, type_, ["body", place], str(error)) from None
