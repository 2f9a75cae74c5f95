"""What goes over the wire to each of the four providers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from llm.expected import NOW
from llm.quotes import said
from llm.wire import Provider, instructions

from sim.operations import generate
from sim.operations import llm as room

TEXT = "A Visa purchase of 25.50 EUR."
INTENT = said(network=("VISA", "Visa"), amount=("25.50", "25.50 EUR"), currency=("EUR", "EUR"))
ANSWER = "This is {kind} for {amount}. It carries {DE11}."
TOLD = "This is an authorization request for 10.00 USD. It carries systems trace audit number (STAN) 123456."
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
def test_generate_sends_the_description_and_a_schema(llm: Provider, provider: str) -> None:
    """One request, to the provider's own path with its own key and the model asked for; the answer's form
    is fixed by a schema that has no room for a card number or a raw message."""
    llm.then(INTENT)
    made = room.generate(TEXT, provider=provider, model="model-1", at=NOW)
    [call] = llm.calls
    assert made.source == f"llm:{provider}/model-1"
    assert made.message[4] == "000000002550"
    assert call.path == PATHS[provider].format(model="model-1")
    assert call.body.get("model", "model-1") == "model-1"
    if provider in KEYS:
        name, value = KEYS[provider]
        assert call.headers[name] == value
    else:
        assert ("key-anthropic" in call.text) == (provider == "anthropic")
    properties = schema(provider, call.body)["properties"]
    assert {"kind", "amount", "currency", "test_card"} <= set(properties)
    assert not {"pan", "message", "raw", "fields", "track", "pin"} & set(properties)
    assert TEXT in call.text
    assert TEXT not in instructions(call)
    assert "4096" in json.dumps(call.body), "the ceiling on tokens"


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_explain_sends_the_table(llm: Provider, provider: str) -> None:
    """One request without tools or schema; the summary is the answer with its slots filled."""
    llm.then(ANSWER)
    told = room.explain(RAW, provider=provider, model="model-1")
    [call] = llm.calls
    assert call.path == PATHS[provider].format(model="model-1")
    assert not {"tools", "response_format"} & set(call.body)
    assert (told.summary, told.source) == (TOLD, f"llm:{provider}/model-1")
    assert told.message.mti == "0100"
    assert "{DE4}" in call.text
    assert "10.00 USD" in call.text


@pytest.mark.parametrize("provider", room.PROVIDERS)
def test_explain_streams_whole_sentences(llm: Provider, provider: str) -> None:
    """Streaming asks for a stream and gives the text sentence by sentence."""

    async def collect() -> list[str]:
        return [piece async for piece in room.stream_explain(RAW, provider=provider, model="model-1")]

    llm.then(ANSWER)
    pieces = asyncio.run(collect())
    [call] = llm.calls
    assert call.path == STREAMED[provider].format(model="model-1")
    assert call.body.get("stream", True) is True
    assert len(pieces) == 2
    assert "".join(pieces) == TOLD


def test_a_false_sentence_ends_a_stream(llm: Provider) -> None:
    """What was checked is given; the first sentence that does not fit is not, and ends the text."""
    llm.then("This is {kind}. The amount is 99.00 USD. It carries {DE11}.")
    pieces: list[str] = []

    async def collect() -> None:
        async for piece in room.stream_explain(RAW, provider="openai"):
            pieces.append(piece)

    with pytest.raises(room.LlmFailed):
        asyncio.run(collect())
    assert pieces == ["This is an authorization request. "]


def test_no_temperature_or_other_setting_is_sent_that_a_model_may_refuse(llm: Provider) -> None:
    """Requests carry the ceiling on tokens and nothing else that tunes a model."""
    llm.then(ANSWER)
    for provider in room.PROVIDERS:
        room.explain(RAW, provider=provider)
    assert not any(word in call.text for call in llm.calls for word in ("temperature", "top_p", "topP"))
