"""Points of a folder of submissions, as a table of students and exercises.

`FOLDER/NAME/NOTEBOOK.ipynb` or `FOLDER/NAME__NOTEBOOK.ipynb` is NAME's; the exam's paper is that of NAME,
whatever the notebook says. Each notebook is run in a kernel of its own, beside fresh copies of what the
course gave. Only the value of `answer` after each exercise comes back, as text; it is judged here, where no
submission can reach the judge. A cell that fails, does not end or ends its kernel costs that exercise alone.
The remarks tell of it, and of cells that check and were changed.

This runs the code of others: do it in a container or as a user of its own, without a network.
"""

from __future__ import annotations

import ast
import csv
import queue
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, TextIO

import nbformat
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from teaching.editions import SOURCE, exercise_cells, give
from teaching.notes import Notes, all_notes

SECONDS = 60.0  # for a cell
_START = 60.0  # seconds, for a kernel
_LOOK = 1.0  # seconds between two looks whether the kernel lives
_MOST_STUCK = 3  # cells that stop everything, after which a submission is given up
_REPLACES = re.compile(r"^\s*check(\.\w+)*\s*=[^=]|setattr\(check|^\s*lessons(\.\w+)+\s*=[^=]", re.MULTILINE)
_CHECK = re.compile(r"^check\.\w+\(\d+, *answer\) *$", re.MULTILINE)
# Evaluated in the student's kernel: plain values as they are, messages as their text, a panel as its message,
# a format as its file.
_ASK = """
def _told(one):
    if one is ... or one is None or isinstance(one, (str, int, float, bool)):
        return one if not isinstance(one, str) else str(one)
    if hasattr(one, "tolist") and not hasattr(one, "iso"):
        return _told(one.tolist())
    if isinstance(one, dict):
        return {_told(key): _told(value) for key, value in one.items()}
    if isinstance(one, (list, tuple, set, frozenset, range, type({}.keys()), type({}.values()))):
        return [_told(each) for each in one]
    if type(one).__name__ == "Format":
        return ("format", __import__("sim").export_format(one, "toml"))
    if type(one).__name__ in ("MessageAnatomy", "GeneratePanel", "ValidatePanel"):
        return ("panel", type(one).__name__, one.message)
    return ("message", str(__import__("sim").build(one)))
repr(_told(answer))
"""


@dataclass
class Marks:
    """What one student got: points by exercise, in the order of the course, and what was odd."""

    student: str
    points: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


class _Shown:
    """A panel as it comes back: its kind and its message."""

    message: str


def _back(told: Any) -> object:
    """The answer that the student's kernel told of."""
    if isinstance(told, tuple) and told[:1] == ("panel",):
        shown = type(told[1], (_Shown,), {})()
        shown.message = told[2]
        return shown
    if isinstance(told, tuple) and told[:1] == ("message",):
        return told[1]
    if isinstance(told, tuple) and told[:1] == ("format",):
        return _format(told[1])
    return told


def _format(text: str) -> object:
    """A format that was written out as a file."""
    import sim

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answered.toml"
        path.write_text(text, encoding="utf-8")
        return sim.load_format(path)


class Kernel:
    """A kernel of a submission, in a folder of its own, in which a cell may take so many *seconds*."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._seconds = seconds
        self._manager = KernelManager(kernel_name="python3")
        # What a submission prints is nobody's business here.
        self._manager.start_kernel(cwd=str(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._client: BlockingKernelClient = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_START)

    def run(self, code: str, **more: Any) -> dict[str, Any]:
        """Run *code* and give its reply. Raises TimeoutError for one that does not end, RuntimeError where
        the kernel ended."""
        asked = self._client.execute(
            code, store_history=False, stop_on_error=False, allow_stdin=False, **more
        )
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            try:
                reply = self._client.get_shell_msg(timeout=_LOOK)
            except queue.Empty:
                if not self._manager.is_alive():
                    raise RuntimeError("ended the kernel") from None
                continue
            if reply["parent_header"].get("msg_id") == asked:
                found: dict[str, Any] = reply["content"]
                if any(one["source"] == "ask_exit" for one in found.get("payload", ())):
                    raise RuntimeError("ended the kernel")
                return found
        raise TimeoutError(f"did not end within {self._seconds:g} seconds")

    def value(self, code: str = _ASK) -> object:
        """What *code*, whose last line is a `repr`, gives as a plain value; ... where it gives none."""
        head, _, last = code.strip().rpartition("\n")
        told = self.run(head, user_expressions={"answer": last}).get("user_expressions", {})
        self.run("answer = ...")  # the next exercise does not inherit it
        try:
            return _back(ast.literal_eval(ast.literal_eval(told["answer"]["data"]["text/plain"])))
        except (KeyError, SyntaxError, ValueError, TypeError):
            return ...

    def close(self) -> None:
        """End it, whatever it does."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


def _called(kernel: Kernel, cases: Iterable[tuple[tuple[Any, ...], Any]]) -> Callable[..., Any]:
    """A function of the student's, as a table of what it gave for the arguments that the judge will use."""
    wanted = [arguments for arguments, _ in cases]
    code = f"""
def _tried(one):
    from collections.abc import Mapping
    from lessons.judging import plain
    try:
        found = answer(*one)
        found = dict(found) if isinstance(found, Mapping) else plain(found)
        return ("gave", list(found) if isinstance(found, (list, tuple)) else found)
    except ValueError:
        return ("ValueError",)
    except Exception as error:
        return (type(error).__name__,)
repr([_tried(one) for one in {wanted!r}])"""
    told = kernel.value(code)
    table = {
        repr(one): found for one, found in zip(wanted, told if isinstance(told, list) else [], strict=False)
    }

    def function(*arguments: Any) -> Any:
        found = table.get(repr(arguments), ("nothing",))
        if found[0] == "gave":
            return found[1]
        raise ValueError if found[0] == "ValueError" else RuntimeError(found[0])

    return function


def answers(
    book: Any, notes: Notes, lesson: Any, seconds: float = SECONDS
) -> tuple[dict[int, object], list[str]]:
    """What the submission *book* answers, by exercise, and remarks on what was changed or went wrong. Without
    a cell that did not end, or that ended the kernel, all is run anew."""
    source = nbformat.read(SOURCE / f"{notes.notebook}.ipynb", as_version=4)
    wanted = {cell.id: (exercise.number, cell.source) for cell, exercise in exercise_cells(source, notes)}
    numbers = {name: number for name, (number, _) in wanted.items()}
    remarks = _changed(book, wanted)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    for _ in range(_MOST_STUCK):
        found, said, stuck = _run(cells, numbers, lesson, seconds)
        if stuck is None:
            return found, remarks + said
        number = numbers.get(cells.pop(stuck).get("id"))
        remarks.append(f"exercise {number}: {said[-1]}" if number else f"a cell {said[-1]}")
    return found, [*remarks, "given up there"]


def _run(
    cells: list[Any], numbers: dict[str, int], lesson: Any, seconds: float
) -> tuple[dict[int, object], list[str], int | None]:
    """What *cells* answer, by exercise, remarks, and at which cell all ended, if it did; the last remark says
    how."""
    found: dict[int, object] = {}
    remarks: list[str] = []
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        give(Path(folder))
        kernel = Kernel(Path(folder), seconds)
        try:
            for cell in cells:
                reply = kernel.run(cell.source)
                if number := numbers.get(cell.get("id")):
                    cases = lesson.cases(number)
                    found[number] = _called(kernel, cases) if cases else kernel.value()
                    if found[number] is ... and reply["status"] == "error":
                        remarks.append(f"exercise {number}: {reply['ename']}")
                done += 1
        except (TimeoutError, RuntimeError) as error:
            return found, [*remarks, str(error)], done
        finally:
            kernel.close()
    return found, remarks, None


def _changed(book: Any, wanted: dict[str, tuple[int, str]]) -> list[str]:
    """The exercises whose call of `check` is gone or another one."""
    here = {cell.get("id"): cell.source for cell in book.cells if cell.cell_type == "code"}
    remarks = []
    for name, (number, source) in wanted.items():
        if name not in here:
            remarks.append(f"exercise {number}: the cell is missing")
        elif _CHECK.findall(here[name]) != _CHECK.findall(source):
            remarks.append(f"exercise {number}: the line that checks was changed")
    for source in here.values():
        if _REPLACES.search(source):
            remarks.append("a cell replaces the judge")
    return remarks


@dataclass
class _Submission:
    """One notebook of one student, as it came."""

    student: str
    notebook: str
    path: Path


def _submissions(folder: Path) -> list[_Submission]:
    found = [_Submission(path.parent.name, path.stem, path) for path in folder.glob("*/*.ipynb")]
    for path in folder.glob("*.ipynb"):
        student, _, notebook = path.stem.partition("__")
        found.append(_Submission(student, notebook, path))
    return sorted(found, key=lambda one: (one.student, one.notebook))


def _ran(one: _Submission, seconds: float) -> tuple[dict[int, object], list[str]]:
    import check

    notes = all_notes()
    if one.notebook not in notes:
        return {}, ["no notebook of the course"]
    try:
        book = nbformat.read(one.path, as_version=4)
    # AttributeError: nbformat's own, where the file holds a list. ValueError: no JSON, no UTF-8, no version.
    except (AttributeError, ValueError, nbformat.ValidationError, OSError) as error:
        return {}, [f"cannot be read ({type(error).__name__})"]
    mine = notes[one.notebook]
    return answers(book, mine, check.LESSONS[mine.lesson], seconds)


def grade(folder: Path, workers: int = 2, seconds: float = SECONDS) -> list[Marks]:
    """The marks of everybody in *folder*, by name; *workers* notebooks are run at a time, and a cell may take
    so many *seconds*. A notebook that cannot be read is a remark."""
    import check

    notes, marks = all_notes(), {}
    found = _submissions(folder)
    with ThreadPoolExecutor(workers) as pool:
        # The judge is asked here, one student after the other: an exam is judged by one paper at a time.
        for one, (given, remarks) in zip(found, pool.map(_ran, found, repeat(seconds)), strict=True):
            mine = marks.setdefault(one.student, Marks(one.student))
            mine.remarks += [f"{one.notebook or one.path.name}: {remark}" for remark in remarks]
            if one.notebook not in notes:
                continue
            lesson = check.LESSONS[notes[one.notebook].lesson]
            lesson.seat(one.student)
            for exercise in notes[one.notebook].exercises:
                verdict = lesson.verdict(exercise.number, given.get(exercise.number, ...))
                mine.points[f"{lesson.name}_{exercise.number}"] = exercise.points * verdict.startswith(
                    "right"
                )
    return list(marks.values())


def write(marks: list[Marks], out: TextIO) -> None:
    """The marks as CSV: a row per student, a column per exercise, the sum, and remarks."""
    columns = [
        f"{one.lesson}_{exercise.number}" for one in all_notes().values() for exercise in one.exercises
    ]
    used = [column for column in columns if any(column in one.points for one in marks)]
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["student", *used, "points", "remarks"])
    for one in marks:
        table.writerow(
            [
                one.student,
                *(one.points.get(column, "") for column in used),
                sum(one.points.values()),
                "; ".join(one.remarks),
            ]
        )
