"""The provider's client for a choice: the only place that knows the four by their classes.

Each is imported when it is asked for, as loading one takes a second or two.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from sim.operations.llm.errors import LlmUnavailable
from sim.operations.llm.providers import Choice

if TYPE_CHECKING:
    from pydantic_ai.models import Model


_MODULES = {name: f"pydantic_ai.models.{name}" for name in ("anthropic", "openai", "google", "ollama")}
_MISSING = "The LLM packages are missing: pip install 'iso8583-lab[llm]'"


async def load(choice: Choice) -> None:
    """Import what *choice* needs, in a thread: it takes seconds, in which a server answers others.
    Raises LlmUnavailable where a package is missing."""
    if _MODULES[choice.provider] not in sys.modules:
        try:
            await asyncio.to_thread(import_module, _MODULES[choice.provider])
        except ImportError:
            raise LlmUnavailable(_MISSING) from None


def make_model(choice: Choice) -> Model:
    """A client of *choice*. Raises LlmUnavailable where its package is missing."""
    makers = {"anthropic": _anthropic, "openai": _openai, "google": _google, "ollama": _ollama}
    try:
        return makers[choice.provider](choice)
    except ImportError:
        raise LlmUnavailable(_MISSING) from None


def structured(choice: Choice, output: type) -> object:
    """How *choice* is asked for a structured answer: by a tool, or by a schema that a local model's
    sampling is held to."""
    from pydantic_ai import NativeOutput

    return NativeOutput(output) if choice.provider == "ollama" and not _cloud(choice) else output


def _cloud(choice: Choice) -> bool:
    # Ollama's hosted models take a schema without holding to it.
    return choice.model.endswith("-cloud") or "ollama.com" in choice.base_url


def _anthropic(choice: Choice) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(api_key=choice.key, base_url=choice.base_url)
    return AnthropicModel(choice.model, provider=provider)


def _openai(choice: Choice) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(api_key=choice.key, base_url=choice.base_url)
    return OpenAIChatModel(choice.model, provider=provider)


def _google(choice: Choice) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=choice.key, base_url=choice.base_url)
    return GoogleModel(choice.model, provider=provider)


def _ollama(choice: Choice) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    return OllamaModel(choice.model, provider=OllamaProvider(base_url=f"{choice.base_url}/v1"))
