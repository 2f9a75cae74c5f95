"""Descriptions become the messages that they describe."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from llm.answers import answer
from llm.expected import NOW, ROWS, differences
from llm.wire import Provider
from support import some, together

from sim import models as room
from sim.exchanges.composing import plan_of
from sim.exchanges.lexicon import values_of
from sim.exchanges.plan import Plan, UnclearError
from sim.models.prompts import fence, restate_instructions
from sim.models.restating import Restated, choices
from sim.models.transport import calls
from sim.models.transport.providers import _MODELS, Choice
from sim.operations import Generated


def made_of(plan: Plan) -> Generated:
    """The message that the description of *plan* is about."""
    run = plan.run()
    return Generated(run.exchange.steps[run.subject].message, run.exchange.network, plan.source)


def test_there_are_descriptions_of_every_sort() -> None:
    """With different texts, over all networks, kinds and versions."""
    assert len({row["description"] for row in ROWS}) == len(ROWS) >= 60
    answers = [row["answer"] for row in ROWS]
    assert {one.get("network") for one in answers} == {None, *values_of("network")}
    assert {one.get("kind") for one in answers} >= {"auth", "financial", "echo", "advice", "sign_on"}
    assert {one.get("decision") for one in answers} >= {None, "approved", "declined", "partial"}


@together("row", ROWS, lambda row: str(row["id"]))
def test_a_description_becomes_its_message(llm: Provider, row: dict[str, Any]) -> None:
    """With a model that reads it well, a description gives a valid message that is as it says, at once."""
    llm.calls.clear()
    llm.then(row["answer"])
    plan = room.plan(row["description"], provider="ollama", at=NOW)
    assert differences(made_of(plan), row["expect"]) == []
    assert plan.source == "llm:ollama/qwen3:8b"
    assert len(llm.calls) == 1


# Descriptions that the rules do not understand, and how a model may restate them.
OPEN = (
    ("Somebody waves a Visa at the reader for twelve euros fifty; the bank waves back an RC of sixty-one.",
     {"purpose": "purchase", "network": "VISA", "amount": "12.50 EUR", "entry": "contactless",
      "decision": "declined", "reason": "exceeds withdrawal amount limit", "aside": ["61"]},
     ("0100 0110", {4: "000000001250", 39: "61"})),
    ("Un client insère sa Mastercard chez le fleuriste, 35 euros, mais la banque ne répond jamais",
     {"purpose": "purchase", "network": "MASTERCARD", "amount": "35.00 EUR", "entry": "chip",
      "decision": "no answer", "details": ["MCC 5992"]},
     ("0100", {4: "000000003500", 18: "5992"})),
    ("The customer bails out after we got the OK for 80 bucks on her Amex, so undo everything",
     {"purpose": "purchase", "network": "AMEX", "amount": "80.00 USD", "decision": "approved",
      "then": ["reversal by the customer"]},
     ("1100 1110 1420 1430", {4: "000000008000"})),
    ("JCBで5000円の買い物", {"purpose": "purchase", "network": "JCB", "amount": "5000 JPY"},
     ("0100", {4: "000000005000", 49: "392"})),
)  # fmt: skip


@pytest.mark.parametrize(("text", "fields", "expect"), OPEN)
def test_what_the_rules_leave_open_a_model_settles(
    llm: Provider, text: str, fields: dict[str, Any], expect: tuple[str, dict[int, str]]
) -> None:
    """In any language and in words that no row has; one call."""
    with pytest.raises(UnclearError):
        plan_of(text, at=NOW).run()
    llm.then(answer(**fields))
    run = room.plan(text, provider="openai", at=NOW).run()
    messages = [one.message for one in run.exchange.steps]
    assert " ".join(one.mti for one in messages) == expect[0]
    for number, value in expect[1].items():
        assert value in [one.get(number) for one in messages]
    assert len(llm.calls) == 1


_CHOICES = [
    (field, value)
    for field, keys in {"kind": ("kind", "alone"), "purpose": ("head",), "network": ("network",),
                        "entry": ("entry",)}.items()
    for key in keys
    for value in values_of(key)
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), _CHOICES)
def test_the_rules_read_every_choice(field: str, value: str) -> None:
    """What a model may choose has a phrase that means it and nothing else."""
    base = {} if field in ("kind", "purpose") else {"purpose": "purchase"}
    plan = plan_of(Restated(**answer(**base, **{field: value})).sentence)
    read = {plan.asked.kind, plan.asked.purpose, *map(str, plan.asked.options.values())}
    assert value in read
    assert [one for one in plan.unclear if one != "how much"] == []


def _read(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those whose description the rules read."""
    return [row for row in rows if not plan_of(row["description"], at=NOW).unclear]


_MONEY = [row for row in ROWS if "amount" in row["answer"]]


@together(
    "row, spoil",
    lambda: product(_read(some(_MONEY, 4)), ("dropped", "changed", "currency")),
    lambda one: f"{one[0]['id']}-{one[1]}",
)
def test_a_model_that_gets_the_money_wrong_is_refused(llm: Provider, row: dict[str, Any], spoil: str) -> None:
    """An amount left out, altered, or put in another currency never becomes a message: where the rules read
    all of it, theirs stands; else nothing is made."""
    figures, currency = row["answer"]["amount"].split()
    wrong = {"dropped": "none", "changed": f"987.65 {currency}", "currency": f"{figures} NOK"}[spoil]
    llm.calls.clear()
    calls.forget()
    llm.then(row["answer"] | {"amount": wrong, "aside": ["whatsoever"]})
    made = room.plan(row["description"], provider="ollama", at=NOW)
    own = plan_of(row["description"], at=NOW)
    assert [one.options for one in made.steps] == [one.options for one in own.steps]
    assert made.notes[-1].startswith("Read by rules; a model reads ")
    with pytest.raises(room.LlmFailed) as caught:
        room.plan(f"{row['description']} Whatsoever.", provider="ollama", at=NOW)
    assert caught.value.problems
    assert len(llm.calls) == 3


# What small models answer with: nothing, the first of each choice, an example, what the rules read.
_SMALL: dict[str, dict[str, Any]] = {
    "nothing": {},
    "first": {"kind": "auth", "purpose": "purchase", "network": "VISA", "entry": "manual",
              "decision": "approved"},
    "example": {"purpose": "purchase", "network": "VISA", "amount": "40.00 EUR", "entry": "contactless",
                "decision": "declined", "reason": "insufficient funds", "city": "Berlin", "country": "DE",
                "details": ["MCC 5942"], "aside": ["17"]},
    "sparse": {"purpose": None, "network": "", "then": ["none"], "aside": None},
    "read": {"purpose": "purchase", "network": "MASTERCARD", "amount": "100.00 USD", "decision": "declined"},
}  # fmt: skip


@pytest.mark.parametrize("small", _SMALL)
def test_a_small_model_makes_nothing_worse(llm: Provider, small: str) -> None:
    """What the rules read stands, at one call; what they do not is refused, not guessed."""
    llm.then(answer() | _SMALL[small])
    rows = _read(some(ROWS, 8))
    for row in rows:
        made, own = (
            room.plan(row["description"], provider="ollama", at=NOW),
            plan_of(row["description"], at=NOW),
        )
        assert [one.options for one in made.steps] == [one.options for one in own.steps]
    assert len(llm.calls) == len(rows)
    with pytest.raises(room.LlmFailed):
        room.plan("mastercard $100 not declined", provider="ollama", at=NOW)


@pytest.mark.parametrize(
    ("description", "fields", "mtis"),
    [
        (
            "Visa 132 GBP, wrong PIN, and the retry with the right one is good",
            {"amount": "132.00 GBP", "decision": "declined", "reason": "incorrect PIN",
             "also": ["VISA purchase of 132 GBP, with pin, approved"]},
            "0100 0110 0100 0110",
        ),
        (
            "15 GBP on Visa, the same in all versions",
            {"amount": "15.00 GBP", "also": ["VISA purchase of 15 GBP, version 1993"]},
            "0100 1100",
        ),
    ],
)  # fmt: skip
def test_several_transactions_are_said_one_by_one(
    llm: Provider, description: str, fields: dict[str, Any], mtis: str
) -> None:
    """Each is a sentence, read by rules; their trace numbers are their own."""
    llm.then(answer(purpose="purchase", network="VISA", **fields))
    made = room.plan(description, provider="ollama", at=NOW).run().exchange
    assert " ".join(one.mti for one in made.messages) == mtis
    requests = [one for one in made.messages if one.mti[2] == "0"]
    assert len({one[11] for one in requests}) == len(requests)


def test_a_decision_that_is_only_mentioned_is_set_aside(llm: Provider) -> None:
    """Against what the rules read of its words, where a model says that they are of no message."""
    text = "our webhook fires before it's declined, I just need the Visa request, 40 USD"
    fields = answer(purpose="purchase", network="VISA", amount="40.00 USD")
    llm.then(fields, fields | {"aside": ["before it's declined"]})
    plan = room.plan(text, provider="ollama", at=NOW)
    assert [one.mti for one in plan.run().exchange.messages] == ["0100"]
    assert "put `declined` in `aside`" in llm.calls[1].text
    assert plan.notes[-1] == "Left aside: before it's declined"


def test_a_repair_that_drops_something_says_so(llm: Provider) -> None:
    """What the answer before had said, and the one that is taken says nowhere, is noted."""
    fields = {"purpose": "cash", "network": "MASTERCARD", "amount": "100.00 USD"}
    llm.then(answer(**fields, details=["out of the frobnicator"]), answer(**fields, aside=["whatsoever"]))
    plan = room.plan("Mastercard, withdrawal of 100 USD whatsoever", provider="ollama", at=NOW)
    assert plan.notes[-1] == "Left aside: whatsoever; out of the frobnicator"


def test_what_cannot_be_is_told_at_once(llm: Provider) -> None:
    """The reason ends it: it is not sent back until a model drops what was demanded."""
    llm.then(answer(purpose="purchase", amount="5.00 USD", impossible="No message holds coins."))
    plan = room.plan("Pay 5.00 USD in doubloons", provider="ollama")
    with pytest.raises(UnclearError, match="Not possible: No message holds coins"):
        plan.run()
    assert len(llm.calls) == 1


def test_the_words_are_those_of_the_description(llm: Provider) -> None:
    """Each option that the rules read, too, is shown with the words that they read it from."""
    llm.then(answer(purpose="purchase", network="VISA", amount="25.50 EUR", entry="contactless"))
    plan = room.plan("Tapped Visa, 25.50 euros", provider="ollama")
    words = {name: said for _, _, name, _, said in plan.rows()}
    assert (words["network"], words["entry"], words["currency"]) == ("Visa", "Tapped", "25.50 euros")


def test_the_same_question_is_asked_once(llm: Provider) -> None:
    """In one process; what it cost is told."""
    llm.then(answer(purpose="purchase", network="VISA", amount="25.50 EUR"))
    first, again = (room.plan("Visa, 25.50 EUR", provider="openai", at=NOW) for _ in range(2))
    assert len(llm.calls) == 1
    assert first.steps == again.steps
    assert first.cost == "Asked openai/gpt-6-luna: one call, 5 tokens in, 7 out."
    assert again.cost == "Answered from the cache, without a call."


def test_the_prompt_is_short(llm: Provider) -> None:
    """A token is about four characters: at most 1,200 with a description and what the rules read; where a
    vendor shows the model the schema of its answer, with that."""
    assert len(restate_instructions(fence(), NOW, choices())) < 4 * 1200 - 1200
    llm.then(answer(purpose="purchase", network="VISA", amount="25.50 EUR"))
    room.plan("Visa, 25.50 EUR", provider="openai", at=NOW)
    schema = json.dumps(llm.calls[0].body["response_format"]["json_schema"]["schema"])
    assert len(restate_instructions(fence(), NOW, {})) + len(schema) < 4 * 1200 - 240


def test_choices_are_told_where_a_server_may_not_show_the_schema(llm: Provider) -> None:
    """At another address than the vendor's, and of Ollama; a vendor shows it."""
    llm.then(answer(purpose="purchase", network="VISA", amount="25.50 EUR"))
    room.plan("Visa, 25.50 EUR", provider="openai", at=NOW)
    assert "contactless, ecommerce" in llm.calls[0].text
    assert "contactless, ecommerce" not in restate_instructions(fence(), NOW, {})
    for provider, shown in (("openai", True), ("anthropic", True), ("google", True), ("ollama", False)):
        address = _MODELS[provider]["base_url"]
        assert Choice(provider, "some", address).shows_schema is shown
    assert not Choice("openai", "some", "http://127.0.0.1:8080/v1").shows_schema
