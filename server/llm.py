"""The one gate to LLM features: who may ask, and for which provider."""

from __future__ import annotations

from typing import NoReturn

from server.errors import problem
from server.settings import Settings

PROVIDERS = ("anthropic", "openai", "google", "ollama")


def llm_gate(settings: Settings, asked_by: str, provider: str | None) -> NoReturn:
    """Refuse what *asked_by* (`description` or `llm`) asks for: 403 on a public demo, before anything is
    looked up; 422 for a *provider* that is not one of PROVIDERS; else 503, as none is configured."""
    if settings.public:
        raise problem(403, "llm_disabled", ["body", asked_by], "LLM features are off on this public demo")
    if provider is not None and provider not in PROVIDERS:
        names = ", ".join(f"'{name}'" for name in PROVIDERS)
        expected = " or ".join(names.rsplit(", ", 1))
        msg = f"Input should be {expected}"
        loc: list[str | int] = ["body", "provider"]
        raise problem(422, "llm_provider_unknown", loc, msg, input=provider, ctx={"expected": expected})
    raise problem(503, "llm_unavailable", ["body", asked_by], "No LLM provider is configured")
