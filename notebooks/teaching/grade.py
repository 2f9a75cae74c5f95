"""Points of a folder of submissions, as a table of students and exercises, and a page of feedback for each.

The exam's paper is that of the student, whatever the notebook says. Each notebook is run in a kernel of its
own, beside fresh copies of what the course gave. Only the value of each answer comes back, as text; it is
judged here, where no submission can reach the judge. A cell that fails, does not end or ends its kernel costs
that exercise alone. Where a mark is lost, the remarks and the feedback say why.

This runs the code of others: do it in a container or as a user of its own, without a network.
"""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import nbformat
from lessons.names import person

from sim.files import write_text
from teaching.cells import Step, again_and_again, conduct, steps
from teaching.editions import SOURCE, exercise_cells, give
from teaching.kernel import Kernel
from teaching.notes import Exercise, Notes, all_notes
from teaching.submissions import Roster, Submission, submissions

SECONDS = 60.0  # for a cell
_MOST_STUCK = 3  # cells that stop everything, after which a submission is given up


@dataclass
class Line:
    """What an exercise earned, and why not more."""

    notebook: str
    exercise: Exercise
    points: float
    why: str = ""


@dataclass
class Marks:
    """What one student got: a line per exercise, in the order of the course, and what was odd."""

    student: str
    lines: dict[str, Line] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def points(self) -> dict[str, float]:
        """Points by exercise."""
        return {name: line.points for name, line in self.lines.items()}

    @property
    def total(self) -> float:
        """All points."""
        return round(sum(self.points.values()), 1)


def answers(
    book: Any, notes: Notes, lesson: Any, seconds: float = SECONDS
) -> tuple[dict[int, object], list[str]]:
    """What the submission *book* answers, by exercise, and remarks on what was changed or went wrong. Without
    a cell that did not end, or that ended the kernel, all is run anew."""
    source = nbformat.read(SOURCE / f"{notes.notebook}.ipynb", as_version=4)
    wanted = {cell.id: (exercise.number, cell.source) for cell, exercise in exercise_cells(source, notes)}
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    remarks = conduct(cells, notes.lesson, [one for one in source.cells if one.cell_type == "code"], wanted)
    numbers = range(1, len(lesson) + 1)
    plans = [
        list(steps(cell.source, notes.lesson, numbers, wanted.get(cell.get("id"), (0,))[0])) for cell in cells
    ]
    for _ in range(_MOST_STUCK):
        found, said, stuck = _run(plans, notes.lesson, lesson, seconds)
        if stuck is None:
            return found, remarks + said
        number = next((step.exercise for step in plans.pop(stuck) if step.exercise), 0)
        remarks.append(f"exercise {number}: {said[-1]}" if number else f"a cell {said[-1]}")
    return found, [*remarks, "given up there"]


def _run(
    plans: list[list[Step]], name: str, lesson: Any, seconds: float
) -> tuple[dict[int, object], list[str], int | None]:
    """What the cells of *plans* answer, by exercise, remarks, and at which cell all ended, if it did; the
    last remark says how. Of several answers to an exercise the last one counts."""
    found: dict[int, object] = {}
    remarks: list[str] = []
    called = Counter(step.exercise for plan in plans for step in plan if step.exercise)
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        give(Path(folder))
        kernel = Kernel(Path(folder), seconds)
        try:
            for plan in plans:
                for step in plan:
                    said = _take(kernel, step, lesson, found)
                    remarks += [f"exercise {step.exercise}: {said}"] if said else []
                done += 1
            remarks += again_and_again(kernel.value(f"dict(check.{name}._tried)"), called)
        except (TimeoutError, RuntimeError) as error:
            return found, [*remarks, str(error)], min(done, len(plans) - 1)
        finally:
            kernel.close()
    return found, remarks, None


def _take(kernel: Kernel, step: Step, lesson: Any, found: dict[int, object]) -> str:
    """Run a step and put its answer into *found*. Gives what went wrong."""
    reply = kernel.run(step.code)
    if not step.exercise:
        return ""
    cases = lesson.cases(step.exercise)
    given = kernel.function(step.answer, cases) if cases else kernel.value(step.answer)
    if given is not ... or step.exercise not in found:
        found[step.exercise] = given
    kernel.forget()
    return str(reply["ename"]) if given is ... and reply["status"] == "error" else ""


def _answered(
    one: Submission, notes: dict[str, Notes], seconds: float
) -> tuple[dict[int, object], list[str]]:
    import check

    if one.book is None or not one.notebook:
        return {}, []
    mine = notes[one.notebook]
    return answers(one.book, mine, check.LESSONS[mine.lesson], seconds)


def grade(
    folder: Path, workers: int = 2, seconds: float = SECONDS, roster: Roster | None = None
) -> list[Marks]:
    """The marks of everybody in *folder* and on the *roster*, by name; *workers* notebooks are run at a time,
    and a cell may take so many *seconds*. A notebook that cannot be read is a remark."""
    notes, marks = all_notes(), {}
    found = submissions(folder, notes, roster)
    classmates = {person(one.student) for one in found}
    with ThreadPoolExecutor(workers) as pool:
        # The judge is asked here, one student after the other: an exam is judged by one paper at a time.
        given = pool.map(partial(_answered, notes=notes, seconds=seconds), found)
        for one, (answered, remarks) in zip(found, given, strict=True):
            mine = marks.setdefault(person(one.student), Marks(one.student))
            said = [*one.remarks, *remarks]
            if one.notebook and one.book is not None:
                said += _judge(mine, one, notes[one.notebook], answered, classmates, remarks)
            mine.remarks += [f"{one.notebook or one.path.name}: {remark}" for remark in said]
    for student in roster.students if roster else ():
        marks.setdefault(person(student), Marks(student, remarks=["nothing was submitted"]))
    return sorted(marks.values(), key=lambda one: one.student.casefold())


def _judge(
    mine: Marks,
    one: Submission,
    notes: Notes,
    answered: dict[int, object],
    classmates: set[str],
    known: list[str],
) -> list[str]:
    """Put what the *answered* exercises earn into *mine*. Gives remarks on what was lost."""
    import check

    lesson = check.LESSONS[notes.lesson]
    owner = _owner(one, classmates)
    lines = list(_lines(lesson, notes, answered, owner))
    mine.lines |= {f"{lesson.name}_{line.exercise.number}": line for line in lines}
    remarks = []
    for line in lines:
        told = f"exercise {line.exercise.number}: "
        if line.why and not any(remark.startswith(told) for remark in known):
            remarks.append(told + line.why)
    if lesson.by_name and person(one.typed) != person(owner):
        other = list(_lines(lesson, notes, answered, one.typed))
        right, wrong = _sum(lines), _sum(other)
        named = f"the paper of {one.typed!r}" if one.typed else "no paper, because no name was entered"
        if one.typed or wrong > right:
            remarks.append(
                f"marked with {owner!r}'s paper ({right:g} points); the notebook shows {named} ({wrong:g})"
            )
    return remarks


def _sum(lines: list[Line]) -> float:
    return round(sum(line.points for line in lines), 1)


def _owner(one: Submission, classmates: set[str]) -> str:
    """Whose paper a submission is judged by: the student's, as the notebook shortens the name where that is
    no other student's."""
    typed, full = person(one.typed), person(one.student)
    short = typed and set(typed.split()) < set(full.split()) and typed not in classmates
    return one.typed if short else one.student


def _lines(lesson: Any, notes: Notes, answered: dict[int, object], owner: str) -> Iterator[Line]:
    lesson.seat(owner)
    for exercise in notes.exercises:
        found = lesson.judged(exercise.number, answered.get(exercise.number, ...))
        share = 0 if found is None else 1 if not found.hint else found.right / found.of
        why = "not tried" if found is None else found.hint
        yield Line(notes.notebook, exercise, round(exercise.points * share, 1), why)


def write(marks: list[Marks], out: TextIO) -> None:
    """The marks as CSV: a row per student, a column per exercise, the sum, and remarks."""
    columns = [
        f"{one.lesson}_{exercise.number}" for one in all_notes().values() for exercise in one.exercises
    ]
    used = [column for column in columns if any(column in one.lines for one in marks)]
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["student", *used, "points", "remarks"])
    for one in marks:
        earned = (one.points.get(column) for column in used)
        cells = ["" if points is None else f"{points:g}" for points in earned]
        table.writerow([one.student, *cells, f"{one.total:g}", "; ".join(one.remarks)])


def text(marks: list[Marks]) -> str:
    """The marks as `write` writes them."""
    out = io.StringIO()
    write(marks, out)
    return out.getvalue()


def feedback(marks: list[Marks], folder: Path) -> list[Path]:
    """A page for each student into *folder*: what was earned, and what to look at where a mark was lost. It
    holds no answers."""
    folder.mkdir(parents=True, exist_ok=True)
    files, taken = [], set()
    for one in marks:
        name = re.sub(r"[^\w .-]+", "_", one.student).strip(" .") or "student"
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        files.append(folder / f"{name}.md")
        write_text(files[-1], _page(one))
    return files


def _page(one: Marks) -> str:
    most = sum(line.exercise.points for line in one.lines.values())
    parts = [f"# {one.student}", f"{one.total:g} of {most:g} points."]
    for notebook in dict.fromkeys(line.notebook for line in one.lines.values()):
        rows = [line for line in one.lines.values() if line.notebook == notebook]
        parts.append(f"## {notebook}")
        parts += [
            f"**Exercise {line.exercise.number}.** {line.exercise.aim} "
            f"{line.points:g} of {line.exercise.points:g}."
            + (f" {line.why[:1].upper()}{line.why[1:]}" if line.why else "")
            for line in rows
        ]
    if one.remarks:
        parts += ["## Remarks", "\n".join(f"- {remark}" for remark in one.remarks)]
    return "\n\n".join(parts) + "\n"
