"""The LLM halves of generate and explain over HTTP, with a provider on the loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from llm.answers import GOOD
from llm.wire import Does, Provider, provider
from support import long

from sim.operations import generate
from tests.server.conftest import STOP_SECONDS, Client, Running, serving

RAW = generate("auth").raw
DESCRIBED = {"description": "A Visa purchase of 25.50 EUR", "network": "JCB", "amount_minor_units": 1}
TOLD = "This is an authorization request for 10.00 USD."
EXPLAINED = {"message": RAW, "llm": True}


@pytest.fixture(scope="module")
def llm() -> Iterator[Provider]:
    """The provider."""
    with provider() as server:
        yield server


@pytest.fixture(scope="module")
def asking(llm: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that has all four providers."""
    limits = {"SIM_LLM_TIMEOUT": "50", "SIM_LLM_RETRIES": "0", "SIM_LLM_CONCURRENCY": "5"}
    variables = llm.environment() | limits
    with serving(tmp_path_factory.mktemp("asking"), "--access-log", **variables) as running:
        yield running
    assert running.card_digits() == []
    assert "Traceback" not in running.written()
    assert not any(name in running.written() for name in ("key-", "25.50"))


@pytest.fixture(scope="module")
def client(asking: Running) -> Iterator[Client]:
    """Its client, which checks responses against the OpenAPI document."""
    made = Client(asking)
    yield made
    made.http.close()


@pytest.mark.parametrize("name", ["anthropic", "openai", "google", "ollama"])
def test_a_description_becomes_a_message(client: Any, llm: Provider, name: str) -> None:
    """200 with the message of the description; the other option fields are ignored."""
    llm.then(GOOD)
    answer = client.post("/generate", DESCRIBED | {"provider": name, "model": "m-1"})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["network"], body["mti"], body["source"]) == ("VISA", "0100", f"llm:{name}/m-1")
    values = {field["number"]: field["value"] for field in body["fields"]}
    assert (values[4], values[49]) == ("000000002550", "978")


def test_an_explanation_by_a_model(client: Any, llm: Provider) -> None:
    """200 with the model's summary and the elements as sent; the first configured provider is used."""
    llm.then(TOLD)
    body = client.post("/explain", EXPLAINED).json()
    assert (body["summary"], body["mti"]) == (TOLD, "0100")
    assert body["source"].startswith("llm:anthropic/")
    assert body["fields"][0] == {
        "number": 2,
        "name": "Primary account number (PAN)",
        "value": "4111111111111111",
    }
    assert "4111111111111111" not in llm.calls[-1].text


@pytest.mark.parametrize(
    ("does", "status", "type_"),
    [
        (Does(status=500), 502, "llm_failed"),
        (Does(status=429), 502, "llm_failed"),
        (Does(status=401), 502, "llm_failed"),
        (Does(raw="{"), 502, "llm_failed"),
    ],
)
@pytest.mark.parametrize(
    ("path", "body", "asked_by"), [("/generate", DESCRIBED, "description"), ("/explain", EXPLAINED, "llm")]
)
def test_what_a_provider_does_wrong(
    client: Any, llm: Provider, does: Does, status: int, type_: str, path: str, body: Any, asked_by: str
) -> None:
    """502 if it fails or its answer is unusable."""
    llm.then(does)
    answer = client.post(path, body | {"provider": "openai"})
    [fault] = answer.json()["detail"]
    assert (answer.status_code, fault["type"], fault["loc"]) == (status, type_, ["body", asked_by])


@pytest.mark.parametrize("does", [Does("No."), Does(GOOD | {"merchant": "\ud800"}), Does(GOOD | {"city": 7})])
def test_an_answer_that_cannot_be_used(client: Any, llm: Provider, does: Does) -> None:
    """502 if no message can be made from the answer."""
    llm.then(does)
    answer = client.post(
        "/generate", {"description": "A Visa purchase of 25.50 EUR, please", "provider": "openai"}
    )
    [fault] = answer.json()["detail"]
    assert (answer.status_code, fault["type"]) == (502, "llm_failed")


@pytest.mark.parametrize(
    ("stan", "text"),
    [("000001", "The amount is 77.77 USD."), ("000002", "\ud800"), ("000003", "It was approved.")],
)
def test_an_explanation_that_is_not_true(client: Any, llm: Provider, stan: str, text: str) -> None:
    """The rules explain if no sentence of the model is supported."""
    llm.then(text)
    message = generate("auth", stan=stan).raw
    body = client.post("/explain", {"message": message, "llm": True, "provider": "openai"}).json()
    assert body["source"] == "rules"
    assert "77.77" not in body["summary"]


def test_a_plan_by_a_model(client: Any, llm: Provider) -> None:
    """The plan of a description that the rules do not understand."""
    llm.then(GOOD | {"aside": ["whimsically"]})
    body = {"description": "Somebody spends 25.50 euros with a Visa, whimsically", "provider": "google"}
    answer = client.post("/plan", body).json()
    assert answer["source"].startswith("llm:google/")
    assert [one["mti"] for one in answer["messages"]] == ["0100"]
    assert answer["steps"][0]["options"]["amount_minor_units"] == 2550


@long
def test_a_provider_that_hangs(llm: Provider, tmp_path: Path) -> None:
    """504 after its timeout."""
    llm.then(Does(hang=True))
    limits = {"SIM_LLM_TIMEOUT": "0.3", "SIM_LLM_RETRIES": "0"}
    with serving(tmp_path, **llm.environment(), **limits) as running:
        for path, body, asked_by in (
            ("/generate", DESCRIBED, "description"),
            ("/explain", EXPLAINED, "llm"),
        ):
            answer = httpx.post(running.url + path, json=body, timeout=STOP_SECONDS)
            [fault] = answer.json()["detail"]
            told = (answer.status_code, fault["type"], fault["loc"])
            assert told == (504, "llm_timeout", ["body", asked_by])


@pytest.mark.parametrize("model", ["../v1", "a b", "\n", "é", "x" * 129])
@pytest.mark.parametrize("body", [{"description": "An echo test"}, EXPLAINED], ids=["generate", "explain"])
def test_a_name_that_no_model_can_have(client: Any, llm: Provider, model: str, body: dict[str, Any]) -> None:
    """422 at the model; no provider is called."""
    count = len(llm.calls)
    path = "/explain" if "message" in body else "/generate"
    answer = client.post(path, body | {"provider": "openai", "model": model})
    [fault] = answer.json()["detail"]
    assert (answer.status_code, fault["type"], fault["loc"]) == (422, "llm_model_unknown", ["body", "model"])
    assert len(llm.calls) == count


def test_a_private_card_number_is_refused(client: Any, llm: Provider) -> None:
    """422 for a description with a card number that is not a published test card; no provider is called."""
    count = len(llm.calls)
    answer = client.post("/generate", {"description": "Pay 5 USD with " + "4539578763621" + "486"})
    [fault] = answer.json()["detail"]
    assert (answer.status_code, fault["type"], fault["loc"]) == (
        422,
        "card_number_refused",
        ["body", "description"],
    )
    assert "input" not in fault
    assert len(llm.calls) == count


def test_a_description_that_nobody_can_read(client: Any, llm: Provider) -> None:
    """422 for a description of invisible characters; no provider is called."""
    count = len(llm.calls)
    answer = client.post("/generate", {"description": "\u200b\u200b"})
    [fault] = answer.json()["detail"]
    assert (answer.status_code, fault["type"], fault["loc"]) == (422, "value_error", ["body", "description"])
    assert len(llm.calls) == count


def test_an_unreadable_message_is_the_parsers_error(client: Any, llm: Provider) -> None:
    """422 as without an LLM; no provider is called."""
    count = len(llm.calls)
    answer = client.post("/explain", {"message": "0100ZZ", "llm": True})
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "iso8583_parse")
    assert len(llm.calls) == count


def test_a_slow_model_holds_up_nobody(asking: Running, llm: Provider) -> None:
    """While five calls wait for a model, 50 explanations by rules are answered."""
    llm.then(Does(TOLD, slow=True))
    with ThreadPoolExecutor(5) as pool, httpx.Client(base_url=asking.url, timeout=STOP_SECONDS) as http:
        asked = [EXPLAINED | {"message": generate("auth", stan=f"90000{n}").raw} for n in range(5)]
        waiting = [
            pool.submit(httpx.post, f"{asking.url}/explain", json=one, timeout=STOP_SECONDS) for one in asked
        ]
        for _ in range(5):
            assert llm.hanging.acquire(timeout=STOP_SECONDS)
        answers = [http.post("/explain", json={"message": RAW}) for _ in range(50)]
        assert [answer.status_code for answer in answers] == [200] * 50
        assert not any(call.done() for call in waiting)
        for _ in waiting:
            llm.go()
        assert [call.result().json()["summary"] for call in waiting] == [TOLD] * 5


def test_the_public_demo_asks_nobody(tmp_path: Path, llm: Provider) -> None:
    """403 on a public demo with every provider configured; rules read descriptions there."""
    count = len(llm.calls)
    with serving(tmp_path, SIM_PUBLIC="1", **llm.environment()) as running:
        answer = httpx.post(running.url + "/generate", json=DESCRIBED)
        assert (answer.status_code, answer.json()["source"]) == (200, "words")
        for path, body in (("/generate", {**DESCRIBED, "provider": "openai"}), ("/explain", EXPLAINED)):
            answer = httpx.post(running.url + path, json=body)
            assert (answer.status_code, json.loads(answer.content)["detail"][0]["type"]) == (
                403,
                "llm_disabled",
            )
    assert len(llm.calls) == count


def test_a_default_provider_that_does_not_exist(tmp_path: Path) -> None:
    """503, because the server's settings are wrong, not the request."""
    with serving(tmp_path, SIM_LLM_PROVIDER="nobody") as running:
        answer = httpx.post(running.url + "/explain", json=EXPLAINED, timeout=STOP_SECONDS)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (503, "llm_unavailable")
