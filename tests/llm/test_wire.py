"""What goes over the wire to each of the four providers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from llm.answers import GOOD, TEXT
from llm.expected import NOW
from llm.wire import Provider, instructions

from sim import models as room
from sim.operations import generate

TOLD = "This Visa authorization request asks for 10.00 USD. Its STAN is 123456."
RAW = generate("auth", at=NOW).raw

PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "google": "/v1beta/models/{model}:generateContent",
    "ollama": "/v1/chat/completions",
}
STREAMED = PATHS | {"google": "/v1beta/models/{model}:streamGenerateContent?alt=sse"}
KEYS = {
    "openai": ("authorization", "Bearer key-openai"),
    "google": ("x-goog-api-key", "key-google"),
}


def schema(provider: str, body: dict[str, Any]) -> dict[str, Any]:
    """The schema of the answer in a request: of the response itself, which the server's sampling is held
    to, or for Anthropic of a tool."""
    found: dict[str, Any]
    if provider == "anthropic":
        [tool] = body["tools"]
        return dict(tool["input_schema"])
    assert "tools" not in body
    if provider == "google":
        found = body["generationConfig"]["responseJsonSchema"]
    else:
        assert body["response_format"]["type"] == "json_schema"
        found = body["response_format"]["json_schema"]["schema"]
    return found


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_plan_sends_the_description_and_a_schema(llm: Provider, provider: str) -> None:
    """One request, to the provider's own path with its own key and the model asked for; the answer's form
    is fixed by a schema that has no room for a card number or a raw message."""
    llm.then(GOOD)
    made = room.plan(TEXT, provider=provider, model="model-1", at=NOW)
    [call] = llm.calls
    assert made.source == f"llm:{provider}/model-1"
    assert made.asked.options["amount_minor_units"] == 2550
    assert call.path == PATHS[provider].format(model="model-1")
    assert call.body.get("model", "model-1") == "model-1"
    if provider in KEYS:
        name, value = KEYS[provider]
        assert call.headers[name] == value
    else:
        assert ("key-anthropic" in call.text) == (provider == "anthropic")
    properties = schema(provider, call.body)["properties"]
    assert {"kind", "amount", "decision", "impossible"} <= set(properties)
    assert not {"pan", "message", "raw", "fields", "track", "pin"} & set(properties)
    assert TEXT in call.text
    assert TEXT not in instructions(call)
    assert "4096" in json.dumps(call.body), "the ceiling on tokens"


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_explain_sends_the_table(llm: Provider, provider: str) -> None:
    """One request without tools or schema; the summary is the answer."""
    llm.then(TOLD)
    told = room.explain(RAW, provider=provider, model="model-1")
    [call] = llm.calls
    assert call.path == PATHS[provider].format(model="model-1")
    assert not {"tools", "response_format"} & set(call.body)
    assert (told.summary, told.source) == (TOLD, f"llm:{provider}/model-1")
    assert told.message.mti == "0100"
    assert "Amount, transaction" in call.text
    assert "10.00 USD" in call.text


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_explain_streams_whole_sentences(llm: Provider, provider: str) -> None:
    """Streaming asks for a stream and gives the text sentence by sentence."""

    async def collect() -> list[str]:
        return [piece async for piece in room.stream_explain(RAW, provider=provider, model="model-1")]

    llm.then(TOLD)
    pieces = asyncio.run(collect())
    [call] = llm.calls
    assert call.path == STREAMED[provider].format(model="model-1")
    assert call.body.get("stream", True) is True
    assert len(pieces) == 2
    assert "".join(pieces) == TOLD


def test_a_false_sentence_of_a_stream_is_struck_out(llm: Provider) -> None:
    """Each sentence is checked when it has come."""
    llm.then("This is a request. The amount is 99.00 USD. Its STAN is 123456.")
    pieces: list[str] = []

    async def collect() -> None:
        async for piece in room.stream_explain(RAW, provider="openai"):
            pieces.append(piece)

    asyncio.run(collect())
    assert pieces == ["This is a request. ", "~~The amount is 99.00 USD.~~ ", "Its STAN is 123456."]


def test_no_temperature_or_other_setting_is_sent_that_a_model_may_refuse(llm: Provider) -> None:
    """Requests carry the ceiling on tokens and nothing else that tunes a model."""
    llm.then(TOLD)
    for provider in room.PROVIDERS:
        room.explain(RAW, provider=provider)
    assert not any(word in call.text for call in llm.calls for word in ("temperature", "top_p", "topP"))


@pytest.mark.parametrize("provider", [one for one in room.PROVIDERS if one != "anthropic"])
def test_the_schema_is_strict(llm: Provider, provider: str) -> None:
    """Every field is required, none may be added, and the server is told to hold the answer to it."""
    llm.then(GOOD)
    room.plan(TEXT, provider=provider, at=NOW)
    [call] = llm.calls
    form = schema(provider, call.body)
    assert set(form["required"]) == set(form["properties"])
    if provider == "openai":
        assert form["additionalProperties"] is False
        assert call.body["response_format"]["json_schema"]["strict"] is True


def test_effort_and_repairs_are_set_by_variables(llm: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much a thinking model thinks, and how often a wrong answer is sent back."""
    monkeypatch.setenv("SIM_LLM_EFFORT", "low")
    monkeypatch.setenv("SIM_LLM_REPAIRS", "0")
    llm.then(GOOD | {"amount": "99.00 EUR"})
    with pytest.raises(room.LlmFailed):
        room.plan(f"{TEXT} Whatsoever.", provider="openai", model="gpt-5", at=NOW)
    assert len(llm.calls) == 1
    assert llm.calls[0].body["reasoning_effort"] == "low"
    monkeypatch.setenv("SIM_LLM_EFFORT", "enormous")
    with pytest.raises(room.LlmUnavailable, match="SIM_LLM_EFFORT must be one of"):
        room.plan(TEXT, provider="openai", at=NOW)
