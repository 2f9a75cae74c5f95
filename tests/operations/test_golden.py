"""The explanations of varied messages, word for word."""

from __future__ import annotations

from tools.make_explanations import explained, golden


def test_explanations() -> None:
    """Each paragraph is the one that was read and agreed on; a change of words is made on purpose."""
    assert [(row, told) for row in golden() if (told := explained(row)) != row] == []


def test_there_are_forty() -> None:
    """The golden file covers at least forty messages of all versions."""
    assert len(golden()) >= 40
    assert {row["version"] for row in golden()} == {"1987", "1993", "2003"}
