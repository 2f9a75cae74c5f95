"""The explanations of varied messages, word for word, and digests of generated messages."""

from __future__ import annotations

from tools.make_explanations import digests, explained, golden, kept_digests


def test_explanations() -> None:
    """Each paragraph is the one that was read and agreed on; a change of words is made on purpose."""
    assert [(row, told) for row in golden() if (told := explained(row)) != row] == []


def test_there_are_forty() -> None:
    """The golden file covers at least forty messages of all versions."""
    assert len(golden()) >= 40
    assert {row["version"] for row in golden()} == {"1987", "1993", "2003"}


def test_generated_messages() -> None:
    """Every message type, purpose, entry and option gives its elements of before, with answer and reversal.
    A change is made on purpose, by `tests/tools/make_explanations.py`."""
    assert digests() == kept_digests()
