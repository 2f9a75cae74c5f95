"""Which providers are configured, which one is used, and with what limits."""

from __future__ import annotations

import asyncio

import pytest
from support import together

from sim import models as room
from sim.models.transport import clients, providers
from sim.models.transport.providers import Choice, choose, status

ALL = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g", "OLLAMA_HOST": "h"}


def test_without_variables_nothing_is_configured() -> None:
    """Each of the four says which variable is missing, and its default model and address."""
    rows = status({})
    assert [row.provider for row in rows] == ["anthropic", "openai", "google", "ollama"]
    assert [row.configured for row in rows] == [False] * 4
    assert [row.reason for row in rows] == [
        "ANTHROPIC_API_KEY is not set",
        "OPENAI_API_KEY is not set",
        "GOOGLE_API_KEY or GEMINI_API_KEY is not set",
        "OLLAMA_BASE_URL or OLLAMA_HOST is not set",
    ]
    assert all(row.model and row.base_url.startswith("http") for row in rows)
    assert rows[3].base_url == "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"OLLAMA_HOST": "127.0.0.1"}, "http://127.0.0.1:11434"),
        ({"OLLAMA_HOST": "0.0.0.0:8080"}, "http://127.0.0.1:8080"),
        ({"OLLAMA_HOST": ":8080"}, "http://127.0.0.1:8080"),
        ({"OLLAMA_HOST": "https://u:p@llm.example/"}, "https://llm.example"),
        ({"OLLAMA_BASE_URL": "http://llm.example:1/v1"}, "http://llm.example:1"),
        ({"OLLAMA_HOST": "::1"}, "http://[::1]:11434"),
        ({"OLLAMA_HOST": "[::1]:8080"}, "http://[::1]:8080"),
        ({"OLLAMA_HOST": "http://llm.example/proxy/v1/"}, "http://llm.example/proxy"),
    ],
)
def test_the_address_of_a_local_model(given: dict[str, str], shown: str) -> None:
    """Host, host and port or address, as Ollama takes them; shown without credentials."""
    row = status(given)[3]
    assert (row.configured, row.base_url) == (True, shown)


@pytest.mark.parametrize(
    "host", ["not a host", "ftp://llm.example", "127.0.0.1:99999", "http://[::1", "http://127.0.0.1:x"]
)
def test_what_is_no_address_is_a_reason(host: str) -> None:
    """The status says so instead of failing, and the provider is not chosen."""
    row = status({"OLLAMA_HOST": host})[3]
    assert (row.configured, row.base_url) == (False, "")
    assert "is not an address" in row.reason


@pytest.mark.parametrize(
    ("given", "index", "shown"),
    [
        ({"ANTHROPIC_BASE_URL": "http://proxy.example/a/v1/"}, 0, "http://proxy.example/a"),
        ({"OPENAI_BASE_URL": "http://proxy.example/a/v1/"}, 1, "http://proxy.example/a/v1"),
        ({"GOOGLE_GEMINI_BASE_URL": "http://proxy.example/v1beta"}, 2, "http://proxy.example"),
    ],
)
def test_the_address_of_a_hosted_model(given: dict[str, str], index: int, shown: str) -> None:
    """With or without the version that its client adds, and a stroke at the end."""
    assert status(given)[index].base_url == shown


def test_the_first_configured_provider_is_used() -> None:
    """In the order of the list, unless the environment or the call names one."""
    assert choose(None, None, ALL)[0].provider == "anthropic"
    assert choose(None, None, {"OLLAMA_HOST": "h", "GEMINI_API_KEY": "g"})[0].provider == "google"
    assert choose(None, None, ALL | {"SIM_LLM_PROVIDER": "ollama"})[0].provider == "ollama"
    chosen, _ = choose("openai", None, ALL | {"SIM_LLM_PROVIDER": "ollama", "SIM_LLM_MODEL": "m"})
    assert (chosen.provider, chosen.model) == ("openai", status({})[1].model)
    assert choose(None, "x", ALL)[0].source == "llm:anthropic/x"
    assert choose(None, None, ALL | {"SIM_LLM_MODEL": "m"})[0].model == "m"


@pytest.mark.parametrize(
    ("given", "provider", "error"),
    [
        ({}, None, room.LlmUnavailable),
        ({}, "openai", room.LlmUnavailable),
        ({"OPENAI_API_KEY": " "}, "openai", room.LlmUnavailable),
        (ALL, "grok", room.LlmUnknownProvider),
        ({}, "grok", room.LlmUnknownProvider),
        (ALL | {"SIM_LLM_PROVIDER": "grok"}, None, room.LlmUnknownProvider),
        (ALL | {"SIM_LLM_TIMEOUT": "soon"}, None, room.LlmUnavailable),
    ],
)
def test_what_cannot_be_chosen(
    given: dict[str, str], provider: str | None, error: type[room.LlmError]
) -> None:
    """Nothing configured, the one asked for not configured, none of the four, or limits out of order."""
    with pytest.raises(error):
        choose(provider, None, given)


@together("name", ["../x", "a/../b", "x?y", "x y", "x\n", "é", "x" * 129, "/x", "a//b"])
def test_a_model_name_is_no_address(name: str) -> None:
    """A name cannot lead to another path of the provider."""
    with pytest.raises(room.LlmUnknownModel, match="not a valid model name"):
        choose("google", name, ALL)
    assert "SIM_LLM_MODEL" in status(ALL | {"SIM_LLM_MODEL": f"x/../{name}"})[0].reason
    assert choose("ollama", "hf.co/org/model-7b:Q4_K_M", ALL)[0].model == "hf.co/org/model-7b:Q4_K_M"


def test_missing_packages_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, status and errors say what to install; nothing breaks."""
    monkeypatch.setattr(providers, "_installed", lambda name: False)
    assert "pip install" in status(ALL)[0].reason
    with pytest.raises(room.LlmUnavailable, match="pip install"):
        choose(None, None, ALL)

    def missing(choice: Choice) -> None:
        raise ImportError

    monkeypatch.setattr(clients, "_classes", missing)
    with pytest.raises(room.LlmUnavailable, match="pip install"):
        asyncio.run(clients.load(Choice("openai", "m", "http://127.0.0.1", "k")))


def test_the_limits_come_from_the_environment() -> None:
    """Time, retries, tokens and calls at once; empty variables are unset, others must be numbers."""
    given = {"SIM_LLM_TIMEOUT": "1.5", "SIM_LLM_RETRIES": "0", "SIM_LLM_MAX_TOKENS": "9", "SIM_LLM_MODEL": ""}
    made = providers.from_environment(given)
    assert (made.timeout, made.retries, made.max_tokens, made.concurrency) == (1.5, 0, 9, 4)
    assert made.model is None
    assert providers.from_environment({}) == providers.Settings()
    for wrong in ("0", "-1", "nan", "inf", "ten"):
        with pytest.raises(ValueError, match="SIM_LLM_TIMEOUT"):
            providers.from_environment({"SIM_LLM_TIMEOUT": wrong})


def test_no_key_is_ever_shown() -> None:
    """Neither the choice nor the status has the key in its text."""
    chosen, _ = choose("openai", None, {"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "http://u:pw@h/v1"})
    for text in (repr(chosen), str(chosen), repr(status({"OPENAI_API_KEY": "sk-secret"}))):
        assert "secret" not in text
        assert "pw" not in text
