"""Three editions of the course, made from one source: the notebooks and their notes.

- `student`: the notebooks as they are, with empty answers; notes and solutions are not in it.
- `solutions`: each exercise answered, as the notes do it.
- `teacher`: the solutions, with times, aims, what to ask, and usual slips with what `check` says to them.

All are run, so that their stored outputs are what strict nbval compares. Each exercise cell carries its
points.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_markdown_cell

from sim.files import write_text
from teaching.notes import Exercise, Notes, all_notes, namespace, value

EDITIONS = ("student", "solutions", "teacher")
SOURCE = Path(__file__).parents[1]
_EXPECTED = "raises-exception"
_SEED = "seed"  # the tag of the cell that holds the student's name
_ASKS_FOR_PAPER, _ASKS_IN_SILENCE = "check.exam.paper(student)", "check.exam.paper(student, silent=True)"
_SLIPS = 4  # as many as a page needs
# What notebooks import and link to; the solutions are in `teaching`, which stays at home.
_GIVEN = ("*.py", "*.md", "lessons", "images")
_FOR_TEACHERS = "## For those who teach"  # the last part of the syllabus, which leads there

Book = Any  # a notebook as nbformat gives it, which has no types


def exercise_cells(book: Book, notes: Notes) -> Iterator[tuple[Any, Exercise]]:
    """The cells that hand an answer to the lesson of *notes*, each with its exercise."""
    for cell in book.cells:
        for exercise in notes.exercises:
            if cell.cell_type == "code" and f"check.{notes.lesson}({exercise.number}, answer)" in cell.source:
                yield cell, exercise


def edition(path: Path, notes: Notes | None, kind: str, student: str = "", *, silent: bool = False) -> Book:
    """The notebook at *path* as the edition *kind*, one of `EDITIONS`, not run yet; *student* is the name
    that an exam takes its paper from, and in a *silent* one no verdict is shown. Raises ValueError for
    another kind."""
    if kind not in EDITIONS:
        raise ValueError(f"edition: expected {', '.join(EDITIONS)}, found {kind!r}")
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        if student and _SEED in cell.metadata.get("tags", []):
            cell.source = f"student = {student!r}"
        if silent:
            cell.source = cell.source.replace(_ASKS_FOR_PAPER, _ASKS_IN_SILENCE)
    if notes is None:
        return book
    for cell, exercise in list(exercise_cells(book, notes)):
        cell.metadata["course"] = {
            "lesson": notes.lesson,
            "exercise": exercise.number,
            "points": exercise.points,
        }
        if kind != "student":
            cell.source = f"{exercise.solution}\ncheck.{notes.lesson}({exercise.number}, answer)"
    if kind == "teacher":
        _add_notes(book, notes)
    return book


def _add_notes(book: Book, notes: Notes) -> None:
    """For the teacher: a cell behind the title, and one behind each exercise."""
    asked = "\n".join(f"- {question}" for question in notes.ask)
    total = f"{notes.minutes:g} minutes to read and run, {notes.all_minutes:g} with the exercises"
    head = f"> **For the teacher.** {notes.aim} {total}.\n\nAsk:\n\n{asked}"
    book.cells.insert(1, new_markdown_cell(head, id=f"{notes.lesson}-notes"))
    import check

    names, lesson = namespace(notes), check.LESSONS[notes.lesson]
    for cell, exercise in list(exercise_cells(book, notes)):
        rows = [_slip(lesson.verdict, exercise, one, names) for one in exercise.wrong[:_SLIPS]]
        points = f"{exercise.points} point{'s' * (exercise.points != 1)}"
        text = (
            f"> **Exercise {exercise.number}.** {exercise.aim} {exercise.minutes:g} minutes, {points}.\n\n"
            f"| Common mistake | Reply of `check` |\n|---|---|\n" + "\n".join(rows)
        )
        at = book.cells.index(cell) + 1
        book.cells.insert(at, new_markdown_cell(text, id=f"{notes.lesson}-notes-{exercise.number}"))


def _slip(
    verdict: Callable[[int, object], str], exercise: Exercise, wrong: str, names: dict[str, Any]
) -> str:
    said = verdict(exercise.number, value(wrong, names)).removeprefix("not yet. ")
    return f"| `{_cell(wrong)}` | {_cell(said)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def run(book: Book, folder: Path) -> Book:
    """Run *book* in *folder*, and leave out what differs from run to run. Raises nbclient's
    CellExecutionError for an error that no tag announces."""
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(book, timeout=300, kernel_name="python3", record_timing=False, resources=where).execute()
    for cell in book.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
    book.metadata.pop("widgets", None)
    book.metadata["language_info"] = {"name": "python"}
    return book


def make(
    target: Path,
    kinds: tuple[str, ...] = EDITIONS,
    names: tuple[str, ...] = (),
    workers: int = 0,
    *,
    silent: bool = False,
) -> list[Path]:
    """Make the editions *kinds* of the notebooks called *names*, all without names, in a folder each below
    *target*; *workers* notebooks run at a time, as many as there are processors without a number. The exam of
    the students is a *silent* one, where asked for. Gives the files."""
    notes = all_notes()
    paths = [path for path in sorted(SOURCE.glob("[0-9]*.ipynb")) if not names or path.stem in names]

    def made(task: tuple[str, Path]) -> Path:
        kind, path = task
        book = edition(path, notes.get(path.stem), kind, silent=silent and kind == "student")
        if kind != "student":  # the stored outputs of the source are those of the student's edition
            run(book, target / kind)
        write_text(target / kind / path.name, f"{nbformat.writes(book)}\n")
        print(f"{kind}: {path.stem}", flush=True)
        return target / kind / path.name

    for kind in kinds:
        give(target / kind)
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        found = list(pool.map(made, [(kind, path) for kind in kinds for path in paths]))
    for kind in kinds:
        (target / kind / ".progress.json").unlink(missing_ok=True)
    return found


def give(folder: Path) -> None:
    """Put what the notebooks import and link to into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in _GIVEN:
        for path in SOURCE.glob(pattern):
            if path.is_dir():
                left = shutil.ignore_patterns("__pycache__")
                shutil.copytree(path, folder / path.name, dirs_exist_ok=True, ignore=left)
            else:
                shutil.copy(path, folder)
    page = folder / "README.md"
    write_text(page, page.read_text(encoding="utf-8").partition(_FOR_TEACHERS)[0])
