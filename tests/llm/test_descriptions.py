"""Descriptions become the messages that they describe."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from llm.expected import NOW, ROWS, differences
from llm.quotes import said
from llm.wire import Provider
from support import some

import sim
from sim.operations import llm as room
from sim.operations.llm.drafting.intent import Intent
from sim.spec.words import Payment


def test_there_are_forty_descriptions_of_every_sort() -> None:
    """At least forty, with different texts, over all kinds, networks and versions."""
    assert len({row["description"] for row in ROWS}) == len(ROWS) >= 40
    intents = [{name: one[0] for name, one in row["intent"].items()} for row in ROWS]
    assert {intent.get("kind", "auth") for intent in intents} == {
        "auth",
        "financial",
        "echo",
        "advice",
        "reversal",
        "sign_on",
        "settlement",
        "file_update",
    }
    assert len({intent.get("network") for intent in intents}) == 7
    assert {intent.get("purpose") for intent in intents} >= {
        "purchase",
        "cash",
        "cashback",
        "refund",
        "balance",
    }
    assert {intent.get("version") for intent in intents} >= {"1993", "2003"}


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_description_becomes_its_message(llm: Provider, row: dict[str, Any]) -> None:
    """With a model that reads it well, a description gives a valid message that is as it says, at once."""
    llm.then(said(**row["intent"]))
    made = room.generate(row["description"], provider="ollama", at=NOW)
    assert differences(made, row["expect"]) == []
    assert made.source == "llm:ollama/qwen3:8b"
    assert len(llm.calls) == 1


# What sim.generate takes, and the property of an intent that says it.
_SAID = {
    "message_type": "kind",
    "pan": "test_card",
    "amount_minor_units": "amount",
    "at": "time",
    "merchant": "merchant_name",
    "city": "merchant_city",
    "country": "merchant_country",
    "mcc": "merchant_category",
    "terminal": "terminal_id",
    "acquirer": "acquirer_id",
    "expiry": "card_expiry",
    "timezone": "time_zone",
    "pin": "pin_entered",
    "cvv2": "cvv2_given",
    "cashback_minor_units": "cashback_amount",
    "final_amount_minor_units": "final_amount",
    "merchant_amount_minor_units": "merchant_amount",
}


def test_all_that_generate_takes_can_be_said() -> None:
    """Every argument of sim.generate, and of what a payment carries, has a property of the intent; how the
    message is written is said to the call."""
    taken = {*inspect.signature(sim.generate).parameters, *Payment.__annotations__}
    taken -= {"description", "provider", "model", "payment", "format", "interface"}
    taken -= {"reason"}  # of a reversal, which is described with the request that it undoes
    assert {_SAID.get(name, name) for name in taken} <= set(Intent.model_fields)


_MONEY = [
    row for row in ROWS if row["intent"].get("amount") and row["intent"]["currency"][0] in row["description"]
]
_SPOILT = [(row, spoil) for row in _MONEY for spoil in ("dropped", "changed", "currency")]


@pytest.mark.parametrize(
    ("row", "spoil"), [pytest.param(*one, id=f"{one[0]['id']}-{one[1]}") for one in some(_SPOILT, 8)]
)
def test_a_model_that_gets_the_money_wrong_is_refused(llm: Provider, row: dict[str, Any], spoil: str) -> None:
    """An amount left out, altered, or put in another currency never becomes a message, where the
    description gives it with its currency code."""
    intent = dict(row["intent"])
    if spoil == "dropped":
        del intent["amount"]
    elif spoil == "changed":
        intent["amount"] = ["987.65", intent["amount"][1]]
    else:
        intent["currency"] = ["NOK", intent["currency"][1]]
    llm.then(said(**intent))
    with pytest.raises(room.LlmFailed) as caught:
        room.generate(row["description"], provider="ollama", at=NOW)
    assert any("amount" in text or "currency" in text for text in caught.value.problems)
    assert len(llm.calls) == 3
