"""What `notebooks/check.py` prints: it never judges what was not tried, and never fails on an odd answer."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support import check_module

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
ODD = (None, 0, -1, 3.5, "", "hello", [], [None], {}, {"mti": "0800"}, (1, "2"), object(), True, b"0800")


@pytest.fixture(name="check")
def _check() -> ModuleType:
    """The module as a notebook imports it."""
    return check_module()


def lessons(check: ModuleType) -> dict[str, Any]:
    """All lessons of the module by name."""
    return {name: one for name, one in vars(check).items() if isinstance(one, check.Lesson)}


def test_untouched_exercises_are_not_judged(check: ModuleType) -> None:
    """Three dots are no wrong answer, in any exercise."""
    for lesson in lessons(check).values():
        for number in range(1, len(lesson) + 1):
            assert lesson.verdict(number, ...).startswith("not tried yet.")


def test_every_lesson_has_three_exercises(check: ModuleType) -> None:
    """As the notebooks say."""
    assert {len(lesson) for lesson in lessons(check).values()} == {3}


@pytest.mark.parametrize("answer", ODD, ids=lambda answer: f"{type(answer).__name__}-{answer!s:.9}")
def test_an_odd_answer_gets_a_hint(check: ModuleType, answer: object) -> None:
    """Whatever is given, the learner reads a sentence and no traceback."""
    for name, lesson in lessons(check).items():
        for number in range(1, len(lesson) + 1):
            verdict = lesson.verdict(number, answer)
            assert verdict.startswith("not yet. "), (name, number)
            assert verdict.endswith((".", "?")), (name, number)


def test_the_verdict_is_printed_with_its_number(
    check: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """The call of a lesson prints and returns nothing, so that a cell shows one line."""
    assert check.mti(2, "0430") is None
    assert capsys.readouterr().out == "Exercise 2: right. Well done.\n"


def test_there_is_no_fourth_exercise(check: ModuleType) -> None:
    """A wrong number is the notebook's fault and is told as such."""
    with pytest.raises(IndexError, match="exercises 1 to 3"):
        check.mti(4, ...)


def test_a_hint_does_not_repeat_the_answer(check: ModuleType) -> None:
    """No card number of the answer stands in a hint."""
    verdict = check.start.verdict(1, "0100400000000000000016" + "4111111111111111")
    assert "4111111111111111" not in verdict
    assert verdict.startswith("not yet.")
