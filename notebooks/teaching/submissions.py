"""What a class handed in: notebooks in whatever folders, each with the student it is of.

Names are compared as people compare them (`lessons.names`). A roster, a CSV file with a row per student, says
which names, numbers and addresses are whose; the first column, or `name`, is the name that is shown.
"""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from lessons.names import HANDED_IN, person

from teaching.cells import lessons_called
from teaching.notes import Notes

_ASIDE = {".ipynb_checkpoints", "__MACOSX"}
_NAME_COLUMNS = ("name", "full name", "student")
_PARTS_OF_NAME = (("first name", "last name"), ("first", "last"), ("given name", "family name"))
_TYPED = re.compile(r"^\s*student\s*=\s*(['\"].*['\"])\s*(?:#.*)?$", re.MULTILINE)


@dataclass
class Submission:
    """One notebook of one student, as it came. `notebook` is empty for none of the course, `book` is None for
    one that cannot be read, and `typed` is the name that its first cell holds."""

    path: Path
    student: str = ""
    notebook: str = ""
    book: Any = None
    typed: str = ""
    remarks: list[str] = field(default_factory=list)


class Roster:
    """The students of a class, by any of their names."""

    def __init__(self, rows: list[Mapping[str, str]]) -> None:
        self.students: list[str] = []
        self._names: dict[str, set[str]] = {}
        for row in rows:
            cells = {str(key).strip().casefold(): (value or "").strip() for key, value in row.items() if key}
            parts = [" ".join(cells.get(one, "") for one in two).strip() for two in _PARTS_OF_NAME]
            name = next((cells[one] for one in _NAME_COLUMNS if cells.get(one)), "")
            name = name or next(filter(None, parts), "") or next(iter(cells.values()), "")
            if not name:
                continue
            self.students.append(name)
            known = {name, *parts, *cells.values(), *(one.partition("@")[0] for one in cells.values())}
            for one in known:
                # A first or a last name alone, a group or a mark in another column may be many people's.
                if person(one):
                    self._names.setdefault(person(one), set()).add(name)
                    self._names.setdefault(person(one).replace(" ", ""), set()).add(name)

    def student(self, name: str) -> str:
        """Whose *name* it is; empty where it is nobody's, or more than one's."""
        as_people_say = person(name)
        found = self._names.get(as_people_say) or self._names.get(as_people_say.replace(" ", ""), set())
        return next(iter(found)) if len(found) == 1 else ""


def roster(path: Path) -> Roster:
    """The roster in the file at *path*. Raises ValueError for one without a student."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        sample = file.read(4096)
        file.seek(0)
        found = Roster(
            list(csv.DictReader(file, delimiter=";" if sample.count(";") > sample.count(",") else ","))
        )
    if not found.students:
        raise ValueError(f"{path}: no student in it; the first row names the columns, one of them `name`")
    return found


def submissions(folder: Path, notes: Mapping[str, Notes], known: Roster | None = None) -> list[Submission]:
    """The notebooks below *folder*, by student and notebook."""
    paths = [path for path in folder.rglob("*.ipynb") if not _ASIDE & set(path.relative_to(folder).parts)]
    found = [_opened(path, notes) for path in sorted(paths)]
    copies = Counter((above, one.notebook) for one in found for above in one.path.relative_to(folder).parents)
    for one in found:
        one.student = _whose(one, folder, copies, known)
        if known and one.student not in known.students:
            one.remarks.append("not on the roster")
    found.sort(key=lambda one: (person(one.student), one.notebook, len(one.path.parts), str(one.path)))
    return list(_once(found))


def _once(found: list[Submission]) -> Iterator[Submission]:
    """One of each notebook of a student: the one that lies highest, which is told of the others."""
    first: dict[tuple[str, str], Submission] = {}
    for one in found:
        other = first.setdefault((person(one.student), one.notebook), one)
        if other is one or not one.notebook:
            yield one
        else:
            other.remarks.append(
                f"{one.path.name} in {one.path.parent.name} is another copy and was not marked"
            )


def _opened(path: Path, notes: Mapping[str, Notes]) -> Submission:
    one = Submission(path, notebook=next((name for name in notes if path.stem.endswith(name)), ""))
    try:
        one.book = nbformat.read(path, as_version=4)
    # AttributeError: nbformat's own, where the file holds a list. ValueError: no JSON, no UTF-8, no version.
    except (AttributeError, ValueError, nbformat.ValidationError, OSError) as error:
        one.remarks.append(f"cannot be read ({type(error).__name__})")
        return one
    cells = [cell for cell in one.book.cells if cell.cell_type == "code"]
    called = lessons_called(cells).most_common(1)
    by_call = next((name for name, mine in notes.items() if called and mine.lesson == called[0][0]), "")
    one.notebook = by_call or one.notebook or next((name for name in notes if name in path.stem), "")
    if not one.notebook:
        one.remarks.append("not a notebook of the course")
    for cell in cells:
        if typed := _TYPED.search(cell.source):
            one.typed = str(ast.literal_eval(typed[1])).strip()
    return one


def _whose(one: Submission, folder: Path, copies: Counter[tuple[Path, str]], known: Roster | None) -> str:
    """The student of a submission: whom the roster knows, what a learning platform names, who the notebook
    says, or the folder that holds one copy of the notebook."""
    place = one.path.relative_to(folder)
    names = [*place.parts[:-1], *_in_file_name(one)]
    if known:
        # Where folders name somebody else, what the notebook says may be a neighbour's name.
        for name in names or [one.typed]:
            if name and (student := known.student(name)):
                return student
    if handed_in := next((name for name in names if HANDED_IN.search(name)), ""):
        return HANDED_IN.sub("", handed_in)
    if one.typed and (named := next((name for name in names if person(name) == person(one.typed)), "")):
        return named
    if (in_file := _in_file_name(one)) and ("__" in one.path.stem or not place.parts[:-1]):
        return in_file[0]
    above = [place.parents[at] for at in range(len(place.parts) - 2, -1, -1)]
    for at in above:
        if copies[at, one.notebook] == 1 or at == place.parent:
            return at.name
    return one.typed or one.path.stem


def _in_file_name(one: Submission) -> list[str]:
    """The student's name beside that of the notebook: `ann__22_exam`, `22_exam_ann`."""
    stem = one.path.stem
    student, parted, _ = stem.partition("__")
    if parted:
        return [student]
    rest = stem.replace(one.notebook, " ") if one.notebook else ""
    rest = re.sub(r"\(\d+\)|-?Copy\d*|\bLATE\b|_?\d+_?|[_-]+", " ", rest).strip()
    return [rest] if rest else []
