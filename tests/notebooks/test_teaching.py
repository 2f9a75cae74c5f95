"""What teachers use: three editions from one source, and marks for a class."""

from __future__ import annotations

import ast
import builtins
import copy
import csv
import io
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest
from support import ALL, check_module, long, together, turns
from teaching import cells, editions, tables
from teaching import notes as course
from teaching.__main__ import main

ROOT = Path(__file__).parents[2]
NOTES = course.all_notes()
EXAM = NOTES["22_exam"]
# With three cheats thirty, where all cases are asked for.
CLASS = [f"student{number:02}" for number in range(1, 28 if ALL else 9)]
TWO_HOURS = 120


@together("name, kind", turns(NOTES, editions.EDITIONS))
def test_every_notebook_has_its_editions(name: str, kind: str) -> None:
    """The student's has empty answers and no notes; the other two have the solutions, the teacher's also the
    slips with what is said to them. Cells keep their ids, which grades go by."""
    source = editions.SOURCE / f"{name}.ipynb"
    book = editions.edition(source, NOTES[name], kind)
    found = list(editions.exercise_cells(book, NOTES[name]))
    assert [exercise for _, exercise in found] == list(NOTES[name].exercises)
    for cell, exercise in found:
        assert (exercise.solution in cell.source) == (kind != "student")
        assert cell.metadata["course"]["points"] == exercise.points
    told = [cell for cell in book.cells if cell.source.startswith("> **")]
    assert len(told) == (len(NOTES[name].exercises) + 1 if kind == "teacher" else 0)
    before = {cell.id for cell in nbformat.read(source, as_version=4).cells}
    assert before <= {cell.id for cell in book.cells}
    assert len({cell.id for cell in book.cells}) == len(book.cells)


def _bound(tree: ast.AST) -> set[str]:
    """The names that a cell gives a value to."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


@together("name", NOTES)
def test_a_solution_uses_only_what_its_notebook_has(name: str) -> None:
    """Every name in a cell of the solutions comes from that cell or one before it, so that the edition
    runs."""
    book = editions.edition(editions.SOURCE / f"{name}.ipynb", NOTES[name], "solutions")
    known = set(dir(builtins))
    for cell in book.cells:
        if cell.cell_type == "code":
            tree = ast.parse(re.sub(r"^%.*$", "", cell.source, flags=re.MULTILINE))
            known |= _bound(tree)
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert used <= known, cell.source


def test_what_a_student_gets_leads_nowhere_else(tmp_path: Path) -> None:
    """Pages and notebooks of the student's edition link to what was given with them, and nothing in them
    leads to the teachers' part."""
    editions.make(tmp_path, ("student",))
    given = [*tmp_path.glob("student/*.md"), *tmp_path.glob("student/*.ipynb")]
    assert len(given) > len(NOTES)
    for path in given:
        text = path.read_text(encoding="utf-8")
        assert "teaching/" not in text
        for target in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", text):
            assert (path.parent / target).exists(), (path.name, target)


def test_an_unknown_edition_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(ValueError, match="student, solutions, teacher"):
        editions.edition(editions.SOURCE / "01_mti.ipynb", NOTES["01_mti"], "parents")


@long
def test_editions_run_under_strict_nbval(tmp_path: Path) -> None:
    """All three, as `make course` makes them, give the outputs that they store; a student finds no solutions
    and no notes beside them. (One notebook or two here; all with the command itself.)"""
    names = ("01_mti", "22_exam") if ALL else ("22_exam",)
    _teaching("editions", str(tmp_path), "--only", *names)
    made = sorted(tmp_path.glob("*/[0-9]*.ipynb"))
    assert len(made) == len(names) * len(editions.EDITIONS)
    assert not list(tmp_path.glob("student/teaching*"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--nbval",
        "--nbval-current-env",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, *map(str, made)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    for path in (tmp_path / "solutions").glob("*.ipynb"):
        shown = path.read_text(encoding="utf-8")
        assert shown.count("right. Well done.") == len(NOTES[path.stem].exercises)


def _teaching(*arguments: str) -> str:
    """What the command prints. Kernels are its children, and have of the tests only what keeps them here."""
    command = [sys.executable, "-m", "teaching", *arguments]
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "offline")))
    env = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, cwd=editions.SOURCE, env=env, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _marks(folder: Path, *options: str) -> dict[str, dict[str, str]]:
    """The rows of the marks by student."""
    told = _teaching("grade", str(folder), *options)
    return {row["student"]: row for row in csv.DictReader(io.StringIO(told))}


def _right(student: str) -> dict[int, object]:
    """All answers to the paper of *student*."""
    check = check_module()
    exam = sys.modules["lessons.exam"]
    exam.exam.seat(student)
    paper: Any = exam.key(student)
    told = (exam._request, exam._chip, exam._answer, exam._reversal, exam._incident)
    firsts = [{name: fact.answer for name, fact in one().items()} for one in told]
    assert check
    return {1: list(paper.message.fields), **dict(enumerate(firsts[:4], 2)), 6: paper.whole, 7: firsts[4]}


def _hand_in(
    folder: Path, student: str, answers: dict[int, object], *, before: str = "", whole: bool = False
) -> None:
    """A submission: the cells of the exercises with *answers*, *before* in front of them; with *whole* also
    all other cells of the notebook."""
    book = nbformat.read(editions.SOURCE / "22_exam.ipynb", as_version=4)
    mine = {cell.id: exercise.number for cell, exercise in editions.exercise_cells(book, EXAM)}
    if not whole:
        book.cells = [cell for cell in book.cells if cell.id in mine]
    for cell in book.cells:
        if (number := mine.get(cell.id)) in answers:
            cell.source = f"answer = {answers[number]!r}\ncheck.exam({number}, answer)"
    if before:
        at = next(at for at, cell in enumerate(book.cells) if cell.id in mine)
        book.cells.insert(at, nbformat.v4.new_code_cell(before))
    path = folder / student / "22_exam.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(book, path)


@long
def test_a_class_is_graded_and_three_cheats_gain_nothing(tmp_path: Path) -> None:
    """Each by the paper of his or her own name: all right, some exercises missed, none tried. One cheat
    replaces the judge in the kernel, one hands in the answers of a neighbour, one changes `repr` and the line
    that checks. Points come for right answers alone, and the first and the last are told."""
    full = {one.number: one.points for one in EXAM.exercises}
    expected = {}
    for at, student in enumerate(CLASS):
        right = _right(student)
        kept = {number: right[number] for number in right if (at + number) % 4 or at % 3 == 0}
        kept = {} if at == 5 else kept
        expected[student] = sum(full[number] for number in kept)
        _hand_in(tmp_path, student, kept, whole=at < 2)
    wrong: dict[int, object] = dict.fromkeys(full, "made up")
    replace = "import check\ncheck.exam.verdict = lambda *given, **more: 'right. Well done.'"
    _hand_in(tmp_path, "mallory", wrong, before=replace, whole=True)
    _hand_in(tmp_path, "mirror", _right(CLASS[0]))
    lie = f"import builtins\nbuiltins.repr = lambda one: {str(_right(CLASS[0])[1])!r}"
    _hand_in(tmp_path, "mole", {1: [2]}, before=lie)
    path = tmp_path / "mole" / "22_exam.ipynb"
    path.write_text(
        path.read_text(encoding="utf-8").replace("check.exam(2, answer)", "print('right')"), encoding="utf-8"
    )

    marks = _marks(tmp_path)
    assert len(marks) == len(CLASS) + 3
    assert {name: float(marks[name]["points"]) for name in CLASS} == expected
    assert max(expected.values()) == 20
    assert marks["mallory"]["points"] == "0"
    assert "22_exam: a cell replaces the marking functions" in marks["mallory"]["remarks"]
    # Papers may share a bitmap and single facts; never the whole of a longer answer.
    assert float(marks["mirror"]["points"]) <= 8
    assert "exercise 2: the line that checks was changed" in marks["mole"]["remarks"]
    assert float(marks["mole"]["points"]) <= 2


def test_a_folder_without_submissions_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No empty table of marks: a line that says what was looked for, and where."""
    for folder in (tmp_path, tmp_path / "elsewhere"):
        assert main(["grade", str(folder)]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert f"NAME/NOTEBOOK.ipynb and no NAME__NOTEBOOK.ipynb in {folder}" in shown.err


@long
def test_a_cell_that_stops_everything_costs_its_exercise_alone(tmp_path: Path) -> None:
    """One that never ends, one that ends the kernel, one that fails: the others count, and a remark says
    which it was. Neither such a notebook nor one that is a list of JSON keeps the marks of the class."""
    right = _right("ada")
    slips = {1: "while True:\n    pass", 2: "exit()", 3: "import os; os._exit(3)", 4: "answer = unknown"}
    slips = {number: f"{slip}\ncheck.exam({number}, answer)" for number, slip in slips.items()}
    for at, (student, numbers) in enumerate({"ada": (1, 2, 4), "bea": (3,)}.items()):
        _hand_in(tmp_path, student, {} if at else right, before="import check")
        path = tmp_path / student / "22_exam.ipynb"
        book = nbformat.read(path, as_version=4)
        for number in numbers:
            book.cells[number].source = slips[number]
        nbformat.write(book, path)
    (tmp_path / "cid__22_exam.ipynb").write_text("[]", encoding="utf-8")
    ada, bea, cid = _marks(tmp_path, "--seconds", "8").values()
    full = {f"exam_{one.number}": one.points for one in EXAM.exercises}
    lost = ("exam_1", "exam_2", "exam_4")
    assert {name: int(ada[name]) for name in full} == full | dict.fromkeys(lost, 0)
    told = ("1: did not end within 8 seconds", "2: ended the kernel", "4: NameError")
    assert ada["remarks"] == "; ".join(f"22_exam: exercise {one}" for one in told)
    untried = [f"22_exam: exercise {number}: not tried" for number in range(1, 8) if number != 3]
    assert bea["remarks"].split("; ") == ["22_exam: exercise 3: ended the kernel", *untried]
    assert "cannot be read" in cid["remarks"]


NAMES = {
    "Bob Smith_48151_assignsubmission_file_": "Bob Smith",
    "carla_meyer": "Carla Meyer",
    unicodedata.normalize("NFD", "Zoë Müller"): unicodedata.normalize("NFC", "zoë müller"),
    "SMITH-JONES, Dan": "dan smith jones",
    "o\u2019neil_finn": "Finn O'Neil",
}


@together("folder, written", NAMES.items())
def test_a_name_is_the_same_however_it_is_written(folder: str, written: str) -> None:
    """By the folder of a learning platform, how accents are encoded, case, order and separators; and so
    is the paper. Another name is another one."""
    from lessons.names import person

    assert person(folder) == person(written)
    assert person(folder) != person("Bob Smithson")
    check_module()
    exam = sys.modules["lessons.exam"].exam
    assert repr(exam.paper(folder)) == repr(exam.paper(written))


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that was graded by its roster, with its marks and its feedback."""
    top = tmp_path_factory.mktemp("course")
    folder = top / "class"
    platform, nested = "Bob Smith_48151_assignsubmission_file_", "ben.roe@school.example/week 9/exam"
    _hand_in(folder, platform, _right("Bob Smith"))
    _hand_in(folder, nested, _right("Ben Roe"))
    _hand_in(folder / "group A", "jim", _right("jim"))
    _copy_cells(folder / "group A" / "jim" / "22_exam.ipynb")
    _hand_in(folder, "s1234567", _nearly_right("Ann Lee"), before="import check")
    _hand_in(folder, "mallory", _right("Ann Lee"), before="student = 'Ann Lee'")
    for name in SOLVED:
        book = editions.edition(editions.SOURCE / f"{name}.ipynb", NOTES[name], "solutions")
        nbformat.write(book, folder / platform / f"{name}.ipynb")
    (folder / "dan__01_mti.ipynb").write_text("not a notebook", encoding="utf-8")
    roster = "name;number;mail\nAnn Lee;s1234567;\nBen Roe;;ben.roe@school.example\nCleo Tan;s7;\n"
    (top / "class.csv").write_text(roster + "Bob Smith;;\njim;;\n", encoding="utf-8")
    _teaching("grade", str(folder), "--roster", str(top / "class.csv"), "--out", str(top / "marks.csv"))
    return top


# Their answers are functions, panels and tables.
SOLVED = ("21_write_your_own_parser", "16_panels", "05_validate_and_rules")


def _copy_cells(path: Path) -> None:
    """Cells get other ids, two exercises share a cell, and the file another name."""
    book = nbformat.read(path, as_version=4)
    first, second, *rest = book.cells
    for at, cell in enumerate(rest):
        cell.id = f"copied-{at}"
    untried = nbformat.v4.new_code_cell("answer = ...\ncheck.exam(1, answer)")
    first.source = "import check\n" + first.source + "\n" + second.source.replace("answer", "mine")
    book.cells = [first, *rest, untried]
    nbformat.write(book, path.with_name("Exam of Jim (1).ipynb"))
    path.unlink()


def _nearly_right(student: str) -> dict[int, object]:
    """Answers in another form, one of them wrong and one missing."""
    answers = copy.deepcopy(_right(student))
    sent = str(answers[2]["sent"])
    answers[2] |= {"what": f"a {answers[2]['what']}", "sent": f"{sent[:2]}.{sent[2:4]} UTC", "stan": "999999"}
    answers[1] = ", ".join(f"DE {number}" for number in answers[1])
    answers[6] = f" {answers[6]}\n"
    del answers[7]
    return answers


@pytest.fixture
def marks(class_folder: Path) -> dict[str, dict[str, str]]:
    """Its rows by student."""
    text = (class_folder / "marks.csv").read_text(encoding="utf-8")
    return {row["student"]: row for row in csv.DictReader(text.splitlines())}


def test_a_perfect_exam_has_all_its_marks_wherever_it_lies(marks: dict[str, dict[str, str]]) -> None:
    """In a learning platform's folder, in nested folders, under another file name, with cells that were
    copied and so have other ids, and with two exercises in one cell."""
    exam = [f"exam_{one.number}" for one in EXAM.exercises]
    for student in ("Bob Smith", "Ben Roe", "jim"):
        row = marks[student]
        assert (sum(float(row[name]) for name in exam), row["remarks"]) == (20, "")


def test_functions_messages_and_panels_are_graded_too(marks: dict[str, dict[str, str]]) -> None:
    """What cannot leave a kernel as text is asked for in another way; a broken file is a remark."""
    points = 20 + sum(one.points for name in SOLVED for one in NOTES[name].exercises)
    assert marks["Bob Smith"]["points"] == str(points)
    assert marks["dan"]["points"] == "0"
    assert "cannot be read" in marks["dan"]["remarks"]


def test_a_lost_mark_is_told_and_the_rest_is_kept(
    class_folder: Path, marks: dict[str, dict[str, str]]
) -> None:
    """Six of seven facts earn six sevenths; remarks and a page of feedback say what to look at, without the
    answer. Facts in another form are right."""
    row = marks["Ann Lee"]
    assert (row["exam_1"], row["exam_2"], row["exam_6"], row["exam_7"]) == ("2", "3.4", "3", "0")
    assert "exercise 2: 6 of 7 are right. Look again at stan" in row["remarks"]
    assert "exercise 7: not tried" in row["remarks"]
    page = (class_folder / "class-feedback" / "Ann Lee.md").read_text(encoding="utf-8")
    assert "15.4 of 20 points" in page
    assert "3.4 of 4. 6 of 7 are right. Look again at stan." in page
    assert str(_right("Ann Lee")[2]["stan"]) not in page


def test_a_roster_says_whose_a_number_is(marks: dict[str, dict[str, str]]) -> None:
    """Numbers, addresses and file names; who is not on it, and who handed in nothing, is told. Where the
    notebook shows another name, it is told what the paper of that name would earn."""
    assert sorted(marks) == ["Ann Lee", "Ben Roe", "Bob Smith", "Cleo Tan", "dan", "jim", "mallory"]
    assert marks["Cleo Tan"]["remarks"] == "nothing was submitted"
    assert "the notebook shows the paper of 'Ann Lee' (20)" in marks["mallory"]["remarks"]
    assert "not on the roster" in marks["mallory"]["remarks"]
    assert float(marks["mallory"]["points"]) < 10


CHEATS = {
    "from lessons import exam": "reads lessons.exam",
    "import lessons.exam as key": "reads lessons.exam",
    "open('lessons/exam.py').read()": "reads lessons.exam",
    "check.exam.verdict(1, [2])": "reads check.exam.verdict",
    "[check.exam(1, [n]) for n in range(3)]": "exercise 1: answers are tried in a loop",
    "for n in (1, 2):\n    check.exam(n, 3)": "exercise ?: answers are tried in a loop",
    "check.exam = print": "a cell replaces the marking functions",
}


@together("code, told", CHEATS.items())
def test_a_teacher_hears_of_a_look_at_the_answers(code: str, told: str) -> None:
    """Of code that looks where the answers are worked out, tries answers in a loop or replaces the judge; not
    of what the notebook does itself."""
    book = nbformat.read(editions.SOURCE / "22_exam.ipynb", as_version=4)
    source = [cell for cell in book.cells if cell.cell_type == "code"]
    cheat = nbformat.v4.new_code_cell(code)
    assert cells.conduct(source, "exam", source, {}) == []
    assert any(told in remark for remark in cells.conduct([*source, cheat], "exam", source, {}))


def test_answers_that_were_tried_again_and_again_are_told() -> None:
    """What the kernel counted, beyond the calls that stand there."""
    told = cells.again_and_again({1: 40, 2: 2, 3: 5}, Counter({1: 1, 2: 2, 3: 9}))
    assert told == ["exercise 1: 40 answers were tried"]
    assert cells.again_and_again("nonsense", Counter()) == []


def test_a_paper_shows_no_answers() -> None:
    """To whoever presses Tab behind it, or behind the exam."""
    check = check_module()
    paper = check.exam.paper("ann")
    assert [name for name in dir(paper) if not name.startswith("_")] == ["log", "name"]
    assert [name for name in dir(check.exam) if not name.startswith("_")] == ["paper"]
    assert not hasattr(paper, "__dict__")


def test_a_silent_exam_shows_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither whether an answer is right, nor a hint; the edition for students asks for it."""
    check = check_module()
    check.exam.paper("ann", silent=True)
    try:
        check.exam(1, [2, 3])
        check.exam(1, ...)
    finally:
        check.exam.paper("ann")
    assert capsys.readouterr().out == "Exercise 1: taken down.\nExercise 1: not tried yet.\n"
    path = editions.SOURCE / "22_exam.ipynb"
    book = editions.edition(path, EXAM, "student", silent=True)
    assert sum("check.exam.paper(student, silent=True)" in cell.source for cell in book.cells) == 1


def test_marks_that_cannot_be_written_leave_those_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yesterday's are not half today's."""
    out = tmp_path / "marks.csv"
    out.write_text("all of yesterday", encoding="utf-8")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "bob__01_mti.ipynb").write_text("not a notebook", encoding="utf-8")
    monkeypatch.setattr(Path, "replace", _full)
    with pytest.raises(OSError, match="full"):
        main(["grade", str(tmp_path / "class"), "--out", str(out)])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["class", "marks.csv"]
    assert out.read_text(encoding="utf-8") == "all of yesterday"


def _full(*given: object) -> None:
    raise OSError("the disk is full")


def test_the_route_takes_two_hours() -> None:
    """Counted: words, cells, exercises, with the assumptions written down where they are used."""
    assert sum(tables.counted(name).minutes for name in tables.ROUTE) < TWO_HOURS


def test_the_exam_has_twenty_points_and_every_student_another_paper() -> None:
    """The same name gives the same paper, in whatever letter case."""
    assert sum(one.points for one in EXAM.exercises) == 20
    check_module()
    exam = sys.modules["lessons.exam"].exam
    papers = {repr(exam.paper(name)) for name in CLASS}
    assert len(papers) == len(CLASS)
    assert repr(exam.paper(" Student01 ")) in papers
    assert len(exam.paper("student01").log) == 1000


def test_the_tables_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m teaching aims` and `route` print Markdown; a word that is no command is refused."""
    assert main(["aims"]) == main(["route"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("| `22_exam` |") == 7
    assert "| together |" in shown
    with pytest.raises(SystemExit):
        main(["bake"])


def test_slides_need_nothing_from_elsewhere(tmp_path: Path) -> None:
    """A page for each of the first notebooks: a slide per text with the cells behind it, none empty, and
    nothing is loaded."""
    from teaching import slides  # loads nbconvert, for this test alone

    for path in slides.make(tmp_path):
        text = path.read_text(encoding="utf-8")
        book = nbformat.read(editions.SOURCE / path.name.replace(".slides.html", ".ipynb"), as_version=4)
        texts = sum(cell.cell_type == "markdown" for cell in book.cells)
        assert text.count("<section>") == texts
        assert "<section></section>" not in text
        assert not re.findall(r"""(?:src|href)=["']?https?:|@import|url\(""", text)
        assert "import check" not in re.sub(r"<[^>]+>", "", text)
