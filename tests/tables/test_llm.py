"""Language models in the notebook interface: the summary, the message, the source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import sim
from sim import models
from sim import models as llm
from sim.exchanges.composing import plan_of
from sim.operations import Explanation


def test_no_model_is_asked_without_one() -> None:
    """With nothing configured, requesting a model is an error that says so, and nothing is sent. Rules
    then read descriptions."""
    assert sim.generate(description="a purchase of ten dollars").iso.source == "words"
    with pytest.raises(llm.LlmUnavailable):
        sim.generate(description="a purchase of ten dollars", provider="ollama")
    with pytest.raises(llm.LlmUnavailable):
        sim.explain(sim.generate("echo"), llm=True)
    with pytest.raises(llm.LlmUnknownProvider):
        sim.explain(sim.generate("echo"), llm=True, provider="elsewhere")


def test_a_blank_description_counts_as_none() -> None:
    """Blanks are not a description: the options are used."""
    assert sim.generate("echo", description="  ").iso.source == "template"


def test_status_is_a_table() -> None:
    """The four providers, with the reason why each is not configured."""
    table = sim.llm.status()
    assert table["provider"].tolist() == ["anthropic", "openai", "google", "ollama"]
    assert set(table["configured"]) == {"no"}
    assert all(table["reason"])


def test_a_model_s_words_hold_until_the_message_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary and source are the model's as long as the rows are the message it described."""

    def tell(message: Any, **options: Any) -> Explanation:
        return Explanation(message.message, None, ("A model speaks.",), "llm:ollama/some")

    monkeypatch.setattr(llm, "explain", tell)
    table = sim.explain(sim.generate("auth"), llm=True)
    assert (table.iso.summary, table.iso.source) == ("A model speaks.", "llm:ollama/some")
    table.loc[table["number"] == 11, "value"] = "000002"
    assert "STAN 000002" in table.iso.summary
    assert table.iso.source == "rules"


def test_a_model_s_message_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A description gives a message table with its plan and the notes of what was assumed."""
    restated = replace(plan_of("JCB purchase, 10 USD"), source="llm:openai/some", notes=("Today",))
    monkeypatch.setattr(models, "plan", lambda description, **options: restated)
    table = sim.generate(description="ten dollars by JCB", provider="openai")
    assert table.iso.to_message()[4] == "000000001000"
    assert (table.iso.source, table.iso.notes[0]) == ("llm:openai/some", "Today.")
    assert sim.plan("ten dollars by JCB", provider="openai").plan is restated
