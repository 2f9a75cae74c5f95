"""The script that scores real models."""

from __future__ import annotations

import pytest
from llm import evaluate
from llm.expected import ROWS
from llm.wire import Provider


def test_a_model_that_always_says_the_same_scores_one(
    llm: Provider, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is right about the one description that it fits, wrong about the others, and each is told."""
    monkeypatch.setattr(evaluate, "ROWS", ROWS[:3])
    monkeypatch.setattr(evaluate, "MESSAGES", evaluate.MESSAGES[:1])
    llm.then(ROWS[0]["answer"])
    assert evaluate.main(["openai/m-1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "of 3 descriptions 1 right, 0 wrong, 2 refused; 1 calls, 5 tokens in" in lines[-1]


def test_without_a_provider_there_is_nothing_to_score(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status says so, and each provider why."""
    assert evaluate.main([]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 4
