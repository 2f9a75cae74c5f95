"""The single gate to LLM features: who may use them, with which provider, and how failures are reported."""

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


async def plan(settings: Settings, body: Any) -> Plan:
    """The plan for the description of *body*, by a model if one is named, or configured on a server that is
    no public demo; otherwise by rules. Other fields are ignored."""
    has_model = body.provider is not None or body.model is not None
    if not has_model and (settings.public or not llm.is_asked(None, None)):
        return plan_of(body.description)
    with _gate(settings, "description", body.provider):
        return await llm.plan_async(body.description, provider=body.provider, model=body.model)


async def tell(settings: Settings, body: Any) -> Explanation:
    """The explanation of the message of *body*. Raises ParseError if it is not a message."""
    options = {name: getattr(body, name) for name in ("version", "network", "provider", "model")}
    with _gate(settings, "llm", body.provider):
        return await llm.explain_async(body.message, **options)


@contextmanager
def _gate(settings: Settings, asked_by: str, provider: str | None) -> Iterator[None]:
    """Check a request for an LLM by *asked_by* (`description` or `llm`): 403 on a public demo, before
    anything else; 422 for an unknown *provider*. Inside, LLM errors become Problems."""
    if settings.public:
        raise problem(403, "llm_disabled", ["body", asked_by], "LLM features are off on this public demo")
    if provider is not None and provider not in llm.PROVIDERS:
        expected = either([f"'{name}'" for name in llm.PROVIDERS])
        msg = f"Input should be {expected}"
        loc: list[str | int] = ["body", "provider"]
        raise problem(422, "llm_provider_unknown", loc, msg, input=provider, ctx={"expected": expected})
    try:
        yield
    except llm.LlmError as error:
        # Here an unknown provider can only be the configured default: the caller's is rejected above.
        unknown = isinstance(error, llm.LlmUnknownProvider)
        status, type_ = (503, "llm_unavailable") if unknown else (error.status, error.type)
        place = "model" if isinstance(error, llm.LlmUnknownModel) else asked_by
        raise problem(status, type_, ["body", place], str(error)) from None
