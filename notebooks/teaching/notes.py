"""The notes for teachers: a file per notebook in `notes/`, with aim, solution and usual slips.

They are the one place for what the editions show, what a grade is worth, and what the tests try.
"""

from __future__ import annotations

import ast
import datetime
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notes"


@dataclass(frozen=True)
class Exercise:
    """One exercise: `solution` is code that sets `answer`; `also` and `wrong` are expressions, other right
    answers and usual slips; `minutes` are for a learner, `points` for a grade."""

    number: int
    aim: str
    minutes: float
    points: int
    solution: str
    also: tuple[str, ...]
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Notes:
    """The notes of one notebook: `minutes` without the exercises, what to `ask` a class, and `setup`, the
    code that makes what the solutions use."""

    notebook: str
    lesson: str
    minutes: float
    aim: str
    ask: tuple[str, ...]
    setup: str
    exercises: tuple[Exercise, ...]

    @property
    def all_minutes(self) -> float:
        """Minutes for the notebook with its exercises."""
        return self.minutes + sum(one.minutes for one in self.exercises)


def read(path: Path) -> Notes:
    """The notes in the file at *path*. Raises KeyError where one lacks what it must have."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    exercises = tuple(
        Exercise(
            number,
            one["aim"],
            one["minutes"],
            one.get("points", 1),
            one["solution"].strip(),
            tuple(one.get("also", ())),
            tuple(one["wrong"]),
        )
        for number, one in enumerate(found.get("exercise", ()), 1)
    )
    asked = tuple(found.get("ask", ()))
    setup = found.get("setup", "")
    return Notes(path.stem, found["lesson"], found["minutes"], found["aim"], asked, setup, exercises)


def all_notes() -> dict[str, Notes]:
    """The notes of the whole course by the name of their notebook, in order."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.toml"))}


def namespace(notes: Notes) -> dict[str, Any]:
    """What the notebook has at hand when its exercises are reached."""
    import check

    import sim

    names: dict[str, Any] = {"sim": sim, "check": check, "datetime": datetime}
    exec(notes.setup, names)  # noqa: S102, the project's own notes
    return names


def solved(notes: Notes, number: int, names: dict[str, Any]) -> Any:
    """The answer that the solution of exercise *number* gives, after those before it. *names* is left as it
    is."""
    own = dict(names)
    for exercise in notes.exercises[:number]:
        exec(exercise.solution, own)  # noqa: S102, the project's own notes
    return own["answer"]


def value(expression: str, names: dict[str, Any]) -> Any:
    """What an expression of the notes gives. Raises SyntaxError for one that is no expression."""
    ast.parse(expression, mode="eval")
    return eval(expression, names)  # noqa: S307, the project's own notes
