"""The mutation tool makes small mistakes on purpose, to see whether a test notices."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = '''"""Twice 2 == 4."""

from __future__ import annotations


def near(value: int = 3, *more: int) -> bool:
    """Whether 1 < 2."""
    limit: int | None = 10
    return value <= limit and not -value == 7
'''


@pytest.fixture(name="tool", scope="module")
def _tool() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "tests" / "tools" / "mutate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    spec.loader.exec_module(module)
    return module


def test_only_what_runs_is_changed(tool: ModuleType, tmp_path: Path) -> None:
    """Docstrings, imports, annotations, and stars other than operators never change; each change is one
    token, and can be undone."""
    path = tmp_path / "near.py"
    path.write_text(SOURCE, encoding="utf-8")
    made = list(tool.mutants_of(path, "near.py"))
    assert [(one.before, one.after) for one in made] == [
        ("10", "11"),
        ("<=", "<"),
        ("and", "or"),
        ("-", "+"),
        ("==", "!="),
        ("7", "8"),
    ]
    before = made[1].write(tmp_path)
    assert "value < limit and not -value == 7" in path.read_text(encoding="utf-8")
    assert before == SOURCE


def test_a_seed_chooses_the_same_mutants(tool: ModuleType) -> None:
    """The same seed gives the same mutants, one per line; another seed gives others."""
    first = tool.chosen(20, 8583, "sim/codec")
    assert first == tool.chosen(20, 8583, "sim/codec")
    assert first != tool.chosen(20, 1, "sim/codec")
    assert len({(one.path, one.line) for one in first}) == 20


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("sim/codec/text.py", ["sim/codec", "tests/codec"]),
        ("server/heads.py", ["server/heads.py", "tests/server"]),
        ("sim/grid.py", ["sim/grid.py", "tests/test_grid.py"]),
    ],
)
def test_a_mutant_is_tried_on_the_tests_of_its_room(tool: ModuleType, path: str, tests: list[str]) -> None:
    """The examples of its room, and the room's tests."""
    assert tool.tests_of(path) == tests


def test_a_line_inside_a_statement_runs_with_it(tool: ModuleType) -> None:
    """Of a statement over several lines, and of the head of one with a body."""
    source = "if (\n    one\n    and two\n):\n    made = [\n        1,\n    ]\n"
    assert list(tool._statement(source, 3)) == [1, 2, 3, 4]
    assert list(tool._statement(source, 6)) == [5, 6, 7]
    assert list(tool._statement("@rule(\n    1\n)\ndef one():\n    pass\n", 2)) == [1, 2, 3, 4]
