"""The cells of a submission: which exercise each answers, in what order, and what a teacher should hear of.

A cell is known by what it calls, `check.LESSON(NUMBER, ANSWER)`, so that one that was copied, moved or made
anew keeps its marks; one whose call is gone is known by its id.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

_REPLACES = re.compile(r"^\s*check(\.\w+)*\s*=[^=]|setattr\(check|^\s*lessons(\.\w+)+\s*=[^=]", re.MULTILINE)
_ANYWHERE = re.compile(r"\bcheck\.(\w+)\(\s*(\d+)\s*,")
_CHECK = re.compile(r"^check\.\w+\(\d+, *answer\) *$", re.MULTILINE)
_MANY = 5  # times that one exercise is handed in, from which on a teacher hears of it


@dataclass(frozen=True)
class Step:
    """Code to run; where an answer is handed in at its end, for which exercise and as which expression."""

    code: str
    exercise: int = 0
    answer: str = "answer"


def _tree(source: str) -> ast.Module | None:
    """*source* as Python, its magics turned into calls; None for what is no Python."""
    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _handed_in(node: ast.AST, lesson: str) -> tuple[int, str] | None:
    """The exercise and the expression of a call of the *lesson*."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == lesson):
        return None
    if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "check"):
        return None
    given = [*node.args, *(one.value for one in node.keywords)]
    if len(given) < 2 or not isinstance(given[0], ast.Constant) or not isinstance(given[0].value, int):
        return None
    return given[0].value, ast.unparse(given[1])


def steps(source: str, lesson: str, numbers: range, otherwise: int = 0) -> Iterator[Step]:
    """*source*, cut behind each call that hands in an answer to the *lesson*. *otherwise* is the exercise
    that the cell was made for, where it calls for none of *numbers*."""
    tree = _tree(source)
    if tree is None:
        found = next((int(one[1]) for one in _ANYWHERE.findall(source) if one[0] == lesson), otherwise)
        yield Step(source, found if found in numbers else otherwise)
        return
    body: list[ast.stmt] = []
    any_found = False
    for statement in tree.body:
        body.append(statement)
        calls = (_handed_in(node, lesson) for node in ast.walk(statement))
        for number, answer in [call for call in calls if call is not None and call[0] in numbers][:1]:
            any_found = True
            yield Step(ast.unparse(body), number, answer)
            body = []
    if body or not any_found:
        yield Step(ast.unparse(body) if body else source, 0 if any_found else otherwise)


def lessons_called(cells: Iterable[Any]) -> Counter[str]:
    """How often each lesson is called."""
    return Counter(name for cell in cells for name, _ in _ANYWHERE.findall(cell.source))


def conduct(
    cells: list[Any], lesson: str, source: list[Any], wanted: dict[str, tuple[int, str]]
) -> list[str]:
    """What a teacher should hear of: what checks was changed or replaced, looked into, or asked again and
    again. *wanted* are the exercises of the *source* by the ids of their cells, each with its number."""
    here = {cell.get("id"): cell.source for cell in cells}
    called = {
        int(number) for text in here.values() for name, number in _ANYWHERE.findall(text) if name == lesson
    }
    remarks = []
    for name, (number, text) in wanted.items():
        if name not in here:
            if number not in called:
                remarks.append(f"exercise {number}: the cell is missing")
        elif _CHECK.findall(here[name]) != _CHECK.findall(text) and number not in called:
            remarks.append(f"exercise {number}: the line that checks was changed")
    if any(_REPLACES.search(text) for text in here.values()):
        remarks.append("a cell replaces the marking functions")
    known = {part for cell in source for part in _into(_tree(cell.source), lesson)}
    trees = [_tree(text) for text in here.values()]
    looked = sorted({part for tree in trees for part in _into(tree, lesson)} - known)
    if looked:
        remarks.append(f"a cell reads {', '.join(looked)}, which computes the answers")
    asked = Counter(number for tree in trees for number in _in_a_loop(tree, lesson))
    remarks += [f"exercise {number or '?'}: answers are tried in a loop" for number in asked]
    return remarks


def _into(tree: ast.Module | None, lesson: str) -> Iterator[str]:
    """The parts of the lessons that *tree* names: their modules, or what a lesson keeps to itself."""
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.split(".")[0] == "lessons")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lessons":
            module = str(node.module)
            yield from (f"{module}.{one.name}" if module == "lessons" else module for one in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\blessons[./]\w+", node.value.replace("/", "."))
        elif isinstance(node, ast.Attribute) and (into := _of_check(node, lesson)):
            yield into


def _of_check(node: ast.Attribute, lesson: str) -> str:
    """`check.LESSONS`, or what belongs to a lesson besides its paper; else nothing."""
    inner = node.value
    if isinstance(inner, ast.Name) and inner.id == "check" and node.attr == "LESSONS":
        return "check.LESSONS"
    of_lesson = (
        isinstance(inner, ast.Attribute) and inner.attr == lesson and isinstance(inner.value, ast.Name)
    )
    return f"check.{lesson}.{node.attr}" if of_lesson and node.attr != "paper" else ""


def _in_a_loop(tree: ast.Module | None, lesson: str) -> Iterator[int]:
    """The exercises that are handed in inside a loop or a function; 0 for one whose number is worked out."""
    loops = (
        ast.For,
        ast.While,
        ast.ListComp,
        ast.SetComp,
        ast.DictComp,
        ast.GeneratorExp,
        ast.FunctionDef,
        ast.Lambda,
    )
    for loop in ast.walk(tree) if tree else ():
        if isinstance(loop, loops):
            for node in ast.walk(loop):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == lesson
                ):
                    found = _handed_in(node, lesson)
                    yield found[0] if found else 0


def again_and_again(tried: object, called: Counter[int]) -> list[str]:
    """Remarks on exercises that were *tried* more often than they are called, or many times; *tried* is what
    the kernel counted."""
    if not isinstance(tried, dict):
        return []
    return [
        f"exercise {number}: {count} answers were tried"
        for number, count in sorted(tried.items())
        if isinstance(number, int) and isinstance(count, int) and count >= max(_MANY, called[number] + 1)
    ]
