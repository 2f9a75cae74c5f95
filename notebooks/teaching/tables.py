"""What is counted, not estimated: the aims of all exercises, and the time of the two-hour route."""

from __future__ import annotations

import re
from dataclasses import dataclass

import nbformat

from teaching.editions import SOURCE
from teaching.notes import all_notes

ROUTE = (
    "00_start_here",
    "01_mti",
    "02_bitmap",
    "03_length_prefixes",
    "07_amounts_currencies_dates",
    "11_chip_data",
    "19_read_one_by_hand",
)
# Assumptions: a technical text in another field is read at 180 words a minute; a cell takes 12 seconds to run
# and look at. The minutes of the exercises stand in the notes, one by one.
WORDS_PER_MINUTE = 180
SECONDS_PER_CELL = 12


@dataclass(frozen=True)
class Counted:
    """One notebook, counted. `minutes` are for reading, running, and all exercises."""

    notebook: str
    words: int
    cells: int
    exercises: int
    exercise_minutes: float

    @property
    def minutes(self) -> float:
        """The sum."""
        return self.words / WORDS_PER_MINUTE + self.cells * SECONDS_PER_CELL / 60 + self.exercise_minutes


def counted(name: str) -> Counted:
    """Words, code cells without the exercises, and exercises of the notebook *name*."""
    cells = nbformat.read(SOURCE / f"{name}.ipynb", as_version=4).cells
    words = sum(len(re.findall(r"\w+", cell.source)) for cell in cells if cell.cell_type == "markdown")
    exercises = all_notes()[name].exercises
    code = sum(cell.cell_type == "code" for cell in cells) - len(exercises)
    return Counted(name, words, code, len(exercises), sum(one.minutes for one in exercises))


def route() -> str:
    """The two-hour route as a table, with its sum."""
    rows = [counted(name) for name in ROUTE]
    lines = [
        f"| `{row.notebook}` | {row.words} | {row.cells} | {row.exercises} | {row.minutes:.0f} |"
        for row in rows
    ]
    words, cells, exercises = (
        sum(getattr(row, name) for row in rows) for name in ("words", "cells", "exercises")
    )
    total = sum(row.minutes for row in rows)
    head = "| Notebook | Words | Cells | Exercises | Minutes |\n|---|---|---|---|---|"
    return "\n".join([head, *lines, f"| together | {words} | {cells} | {exercises} | {total:.0f} |"])


def aims() -> str:
    """Every exercise with what it tries, its minutes and its points."""
    lines = [
        f"| `{one.notebook}` | {each.number} | {each.aim} | {each.minutes:g} | {each.points} |"
        for one in all_notes().values()
        for each in one.exercises
    ]
    return "\n".join(["| Notebook | Exercise | Aim | Minutes | Points |\n|---|---|---|---|---|", *lines])
