"""The script that scores real models."""

from __future__ import annotations

import pytest
from llm import evaluate
from llm.expected import ROWS
from llm.quotes import said
from llm.wire import Provider


def test_a_model_that_always_says_the_same_scores_one(
    llm: Provider, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is right about the one description that it fits, wrong about the others, and each is told."""
    monkeypatch.setattr(evaluate, "ROWS", ROWS[:3])
    monkeypatch.setattr(evaluate, "MESSAGES", evaluate.MESSAGES[:1])
    llm.then(said(**ROWS[0]["intent"]))
    assert evaluate.main(["openai/m-1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "1 of 3 descriptions, 0 of 1 explanations" in lines[-1]


def test_without_a_provider_there_is_nothing_to_score(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status says so, and each provider why."""
    assert evaluate.main([]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 4
