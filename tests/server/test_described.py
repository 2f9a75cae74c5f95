"""POST /plan, and POST /generate with a description, without a language model."""

from __future__ import annotations

from typing import Any

import pytest

DECLINED = "3DS e-commerce 49.99 EUR at a Berlin bookshop, declined for insufficient funds"


def test_a_description_is_a_message(client: Any) -> None:
    """200 with the message that it is about, also on a public demo."""
    answer = client.post("/generate", {"description": DECLINED}).json()
    assert (answer["mti"], answer["network"], answer["source"]) == ("0110", "VISA", "words")
    assert {"number": 39, "name": "Response code", "value": "51"} in answer["fields"]


def test_what_is_not_understood_is_said_in_its_words(client: Any) -> None:
    """422 with what was and what was not understood; card numbers are masked."""
    words = "Visa frobnicated 20 EUR with card 4111111111111111"
    (fault,) = client.post("/generate", {"description": words}).json()["detail"]
    assert (fault["type"], fault["loc"]) == ("description_unclear", ["body", "description"])
    assert fault["ctx"]["unclear"] == ["frobnicated"]
    assert fault["ctx"]["understood"]["amount_minor_units"] == "20 EUR"
    assert "4111111111111111" not in str(fault["ctx"])


def test_what_is_not_possible_is_said_with_its_reason(client: Any) -> None:
    """422 as well, with its own type."""
    words = "Visa purchase of 20 USD reversed partially to 0 USD"
    (fault,) = client.post("/generate", {"description": words}).json()["detail"]
    assert fault["type"] in ("not_possible", "description_unclear")


def test_a_plan_has_its_steps_and_messages(client: Any) -> None:
    """Steps with options and words, the calls, the messages with their roles."""
    answer = client.post("/plan", {"description": DECLINED}).json()
    (step,) = answer["steps"]
    assert step["call"] == "exchange"
    assert step["options"]["amount_minor_units"] == 4999
    assert step["words"]["outcome"] == "declined \u2026 insufficient funds"
    assert [one["role"] for one in answer["messages"]] == ["request", "answer"]
    assert answer["code"].startswith("exchange = sim.exchange(")


def test_a_plan_says_what_it_leaves_open(client: Any) -> None:
    """200 with what was understood, and no messages."""
    answer = client.post("/plan", {"description": "Visa frobnicated 20 EUR"}).json()
    assert answer["messages"] == []
    assert "Not understood: frobnicated" in answer["notes"]


@pytest.mark.parametrize("asked", [{"provider": "openai"}, {"model": "some"}])
def test_a_model_that_is_named_must_be_there(client: Any, public_client: Any, asked: dict[str, str]) -> None:
    """503 if it is not configured, 403 on a public demo."""
    body = {"description": DECLINED, **asked}
    for path in ("/generate", "/plan"):
        assert client.post(path, body).status_code == 503
        assert public_client.post(path, body).status_code == 403
