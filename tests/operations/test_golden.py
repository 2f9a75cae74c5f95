"""The explanations of varied messages, word for word."""

from __future__ import annotations

import json

from support import together
from tools.make_explanations import GOLDEN, explained

TOLD = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@together("told, now", lambda: zip(TOLD, explained(), strict=True), lambda case: case[0]["title"])
def test_explanation(told: dict[str, str], now: dict[str, str]) -> None:
    """The paragraph is the one that was read and agreed on; a change of words is made on purpose."""
    assert now == told


def test_there_are_forty() -> None:
    """The golden file covers at least forty messages of all versions."""
    assert len(TOLD) >= 40
    assert {row["version"] for row in TOLD} == {"1987", "1993", "2003"}
