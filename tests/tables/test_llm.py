"""Language models behind the notebook face: the summary, the message, who said it."""

from __future__ import annotations

from typing import Any

import pytest

import sim
from sim.operations import Explanation, Generated, llm


def test_no_model_is_asked_without_one() -> None:
    """With nothing configured, asking for a model is an error that says so; nothing is sent. A description is
    read by rules then."""
    assert sim.generate(description="a purchase of ten dollars").iso.source == "words"
    with pytest.raises(llm.LlmUnavailable):
        sim.generate(description="a purchase of ten dollars", provider="ollama")
    with pytest.raises(llm.LlmUnavailable):
        sim.explain(sim.generate("echo"), llm=True)
    with pytest.raises(llm.LlmUnknownProvider):
        sim.explain(sim.generate("echo"), llm=True, provider="elsewhere")


def test_a_blank_description_counts_as_none() -> None:
    """Blanks are no description: the options are used."""
    assert sim.generate("echo", description="  ").iso.source == "template"


def test_status_is_a_table() -> None:
    """The four providers, with the reason why each is not configured."""
    table = sim.llm.status()
    assert table["provider"].tolist() == ["anthropic", "openai", "google", "ollama"]
    assert set(table["configured"]) == {"no"}
    assert all(table["reason"])


def test_a_model_s_words_hold_until_the_message_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary and source are the model's as long as the rows are the message it spoke of."""

    def tell(message: Any, **options: Any) -> Explanation:
        return Explanation(message, None, ("A model speaks.",), "llm:ollama/some")

    monkeypatch.setattr(llm, "explain", tell)
    table = sim.explain(sim.generate("auth"), llm=True)
    assert (table.iso.summary, table.iso.source) == ("A model speaks.", "llm:ollama/some")
    table.loc[table["number"] == 11, "value"] = "000002"
    assert "STAN 000002" in table.iso.summary
    assert table.iso.source == "rules"


def test_a_model_s_message_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A description gives a message table with the notes of what was assumed."""
    made = sim.generate("auth", network="JCB").iso.to_message()

    def write(description: str, **options: Any) -> Generated:
        return Generated(made, "JCB", "llm:openai/some", ("Assumed: today.",))

    monkeypatch.setattr(llm, "generate", write)
    table = sim.generate(description="ten dollars by JCB", provider="openai")
    assert table.iso.to_message() == made
    assert (table.iso.source, table.iso.notes) == ("llm:openai/some", ("Assumed: today.",))
