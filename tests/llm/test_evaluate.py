"""The script that scores real models."""

from __future__ import annotations

import pytest
from llm import evaluate
from llm.expected import ROWS
from llm.wire import Provider


def test_a_model_that_always_says_the_same_scores_what_the_rules_read(
    llm: Provider, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What they leave open is refused, and told."""
    monkeypatch.setattr(
        evaluate, "ROWS", [*ROWS[:3], {**ROWS[0], "description": "Visa, 25.50 EUR whatsoever"}]
    )
    monkeypatch.setattr(evaluate, "MESSAGES", evaluate.MESSAGES[:1])
    llm.then(ROWS[1]["answer"])
    assert evaluate.main(["openai/m-1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert "of 4 descriptions 3 right, 0 wrong, 1 refused; 3 calls, 15 tokens in" in lines[-1]


def test_without_a_provider_there_is_nothing_to_score(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status says so, and each provider why."""
    assert evaluate.main([]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 4
