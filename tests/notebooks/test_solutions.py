"""The exercises of the notebooks can be solved, and wrong answers are told apart from right ones.

Solutions, other right answers and usual slips are data: the notes for teachers, a file per notebook.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support import check_module, some, together
from teaching import notes as course

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NOTES = course.all_notes()
ENOUGH = 300  # wrong answers in all
_CALL = re.compile(r"^check\.(\w+)\((\d+), answer\)$", re.MULTILINE)


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """What the notebooks import."""
    return check_module()


@pytest.fixture(name="names", scope="module")
def _names() -> dict[str, dict[str, Any]]:
    """What each notebook has at hand, made once."""
    return {name: course.namespace(one) for name, one in NOTES.items()}


def _cases(kind: str) -> list[Any]:
    return [
        (name, exercise, answer)
        for name, one in NOTES.items()
        for exercise in one.exercises
        for answer in getattr(exercise, kind)
    ]


@together("name, number", [(name, one.number) for name in NOTES for one in NOTES[name].exercises])
def test_the_solution_is_right(
    check: ModuleType, names: dict[str, dict[str, Any]], name: str, number: int
) -> None:
    """The exercise has an answer, which is taken at once."""
    lesson = check.LESSONS[NOTES[name].lesson]
    assert lesson.verdict(number, course.solved(NOTES[name], number, names[name])) == "right. Well done."


@together("name, exercise, answer", lambda: _cases("also"))
def test_a_right_answer_of_another_type_is_taken(
    check: ModuleType, names: dict[str, dict[str, Any]], name: str, exercise: course.Exercise, answer: str
) -> None:
    """A tuple for a list, lower case, a number of numpy, a message as text: what is right stays right."""
    given = course.value(answer, names[name])
    assert check.LESSONS[NOTES[name].lesson].verdict(exercise.number, given) == "right. Well done."


@together("name, exercise, answer", lambda: some(_cases("wrong"), 5))
def test_a_slip_gets_a_reason_and_not_the_answer(
    check: ModuleType, names: dict[str, dict[str, Any]], name: str, exercise: course.Exercise, answer: str
) -> None:
    """No wrong answer is called right. Each gets a sentence, from the second try on one more, and neither
    tells the answer where that is a text or a number of some length."""
    lesson = check.LESSONS[NOTES[name].lesson]
    given = course.value(answer, names[name])
    first, second = (lesson.verdict(exercise.number, given, attempt=one) for one in (1, 2))
    for verdict in (first, second):
        assert re.match(r"not yet\. [A-Z`0-9*\"'].{9,}[.?`]$", verdict), (answer, verdict)
    assert second.startswith(first)
    right = course.solved(NOTES[name], exercise.number, names[name])
    if isinstance(right, str) and len(right) > 3:
        assert right not in second


def test_there_are_enough_wrong_answers() -> None:
    """Every exercise has its slips, and the course several hundred."""
    wrong = [len(exercise.wrong) for one in NOTES.values() for exercise in one.exercises]
    assert min(wrong) >= 3
    assert sum(wrong) >= ENOUGH


def _calls(path: Path) -> list[tuple[str, int]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return [(name, int(number)) for source in sources for name, number in _CALL.findall(source)]


def test_every_lesson_belongs_to_one_notebook(check: ModuleType) -> None:
    """A notebook that grades asks for all exercises of one lesson, in order; no lesson is left over, and each
    has its notes."""
    asked = {path.stem: calls for path in sorted(NOTEBOOKS.glob("*.ipynb")) if (calls := _calls(path))}
    for name, calls in asked.items():
        lesson = NOTES[name].lesson
        assert calls == [(lesson, number) for number in range(1, len(check.LESSONS[lesson]) + 1)]
        assert len(calls) == len(NOTES[name].exercises)
    assert sorted(calls[0][0] for calls in asked.values()) == sorted(check.LESSONS)
