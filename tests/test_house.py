"""The rules of the house: which room may import which, and what no file may contain."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("sim", "server", "tests", "notebooks", "binder", ".ci", ".github")

# Each room may import itself and what stands left of it. The face, sim/__init__.py, may import all.
ORDER = (
    "sim.visible",
    "sim.files",
    "sim.errors",
    "sim.background",
    "sim.kept",
    "sim.lazy",
    "sim.grid",
    "sim.spec",
    "sim.parts",
    "sim.masking",
    "sim.codec",
    "sim.elements",
    "sim.paste",
    "sim.judge",
    "sim.operations",
    "sim.exchanges",
    "sim.models",
    "sim.link",
    "sim.tables",
    "sim.keys",
    "sim.verbs",
    "sim.answers",
    "sim.widgets",
    "sim.mcp",
    "sim.cli",
    "sim.magic",
)
# Rooms that stand on the face, as a user does: `import sim`.
ABOVE_THE_FACE = ("sim.verbs", "sim.answers", "sim.cli", "sim.magic", "sim.mcp")
SERVER_MAY_IMPORT = (
    "sim.__version__",
    "sim.errors",
    "sim.codec",
    "sim.operations",
    "sim.exchanges",
    "sim.models",
    "sim.verbs",
)
# A heavy package and the only rooms that may import it.
HEAVY = {
    "pandas": ("sim.tables", "sim.widgets"),
    "ipywidgets": ("sim.widgets",),
    "anywidget": ("sim.widgets",),
    "pydantic": ("sim.models", "sim.mcp", "server"),
    "sanic": ("server",),
    "cryptography": ("sim.link",),
    "click": ("sim.cli",),
    "mcp": ("sim.mcp",),
}

TEXT_SUFFIXES = (
    ".py",
    ".md",
    ".toml",
    ".csv",
    ".ipynb",
    ".txt",
    ".jsonl",
    ".json",
    ".js",
    ".css",
    ".html",
    ".yml",
    ".yaml",
    ".cff",
    "",
)

# Split, so that this file does not hold them itself. XXX is a currency, too: only a comment's is unfinished.
_MARKS = "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"])
UNFINISHED = re.compile(rf"(?:#|//|<!--)[ ]*(?:{_MARKS})\b|\bTO" + r"DO:|raise NotImplemented" + "Error")
REGISTRY = re.compile(
    "|".join(["index" + "-url", "extra" + "-index", "pypi" + r"\.", "pythonhosted" + r"\."])
)
MACHINE_PATH = re.compile("|".join([f"/{name}/" for name in ("work", "farm", "home", "root", "Users")]))


@cache
def _files() -> tuple[Path, ...]:
    """The files of the checkout, relative to it: those of the rooms and those at the top level."""
    inside = (path for room in ROOMS for path in (ROOT / room).rglob("*"))
    top = (
        path
        for path in ROOT.iterdir()
        if path.suffix in (".md", ".toml", ".yaml", ".cff", "") or path.name == ".gitignore"
    )
    # In a worktree .git is a file, and no part of the checkout.
    found = [path for path in (*inside, *top) if path.is_file() and path.name != ".git"]
    made = {"__pycache__", ".ipynb_checkpoints", "shots"}
    return tuple(sorted(path.relative_to(ROOT) for path in found if not made & set(path.parts)))


def _python(*rooms: str) -> list[Path]:
    return [path for path in _files() if path.suffix == ".py" and path.parts[0] in (rooms or ROOMS)]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), str(path))


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """Every module that *path* imports, at the top or inside a function; `from a import b` gives `a.b`,
    because b may be a module."""
    return tuple(_imported(path))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements in *node*, at any depth: a quarter of its nodes."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from _statements(child)


def _imported(path: Path) -> Iterator[str]:
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _within(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def _rank(module: str) -> int | None:
    return next((rank for rank, room in enumerate(ORDER) if _within(module, room)), None)


def test_rooms_import_only_what_stands_before_them() -> None:
    """Each room may import only rooms before it in ORDER."""
    wrong = []
    for path in _python("sim"):
        own = _rank(_module(path))
        if own is None:
            assert _module(path) == "sim", f"{path} is in no room of the house"
            continue
        for name in _imports(path):
            rank = _rank(name)
            if (
                rank is None
                and name.split(".")[0] == "sim"
                and any(_within(_module(path), room) for room in ABOVE_THE_FACE)
            ):
                continue
            if _within(name, "server") or (_within(name, "sim") and (rank is None or rank > own)):
                wrong.append(f"{path} imports {name}")
    assert wrong == []


def test_no_module_imports_itself_through_others() -> None:
    """Imports go in one direction, including those in functions and for type checkers; only the face,
    sim/__init__.py, is not counted."""
    files = {_module(path): path for path in _python("sim") if _module(path) != "sim"}
    graph: TopologicalSorter[str] = TopologicalSorter()
    for module, path in files.items():
        # `from a import b` is an import of the module a.b or of the module a.
        names = {name if name in files else name.rpartition(".")[0] for name in _imports(path)}
        graph.add(module, *names & set(files) - {module})
    graph.prepare()  # raises CycleError that names the modules


def test_the_server_imports_the_operations_and_what_they_return() -> None:
    """Of the core, the server imports only sim.operations, sim.errors, sim.codec and the table of verbs."""
    wrong = [
        f"{path} imports {name}"
        for path in _python("server")
        for name in _imports(path)
        if _within(name, "sim") and not any(_within(name, room) for room in SERVER_MAY_IMPORT)
    ]
    assert wrong == []


@pytest.mark.parametrize("package", HEAVY)
def test_a_heavy_package_stays_in_its_room(package: str) -> None:
    """pandas in tables (and the widgets above), widgets in widgets, pydantic in server and LLM room."""
    wrong = [
        f"{path} imports {name}"
        for path in _python("sim", "server")
        for name in _imports(path)
        if _within(name, package) and not any(_within(_module(path), room) for room in HEAVY[package])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("sim", ["pandas", "ipywidgets", "anywidget", "pydantic", "sanic"]),
        ("sim.operations", ["pandas", "ipywidgets", "anywidget", "pydantic", "sanic"]),
        ("server.app", ["pandas", "ipywidgets", "anywidget"]),
        (
            "sim.tables.findings_table",
            ["sim.operations.generation", "sim.operations.story", "sim.codec.wire", "sim.paste.spellings"],
        ),
    ],
)
def test_an_import_loads_nothing_that_it_does_not_need(module: str, unwanted: list[str]) -> None:
    """`import sim` and the server start without the packages of other rooms, `sim.validate` without what
    makes and explains messages or reads other notations."""
    code = f"import sys, {module}; print(*sorted(set({unwanted}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, cwd=ROOT)
    assert done.stdout.split() == []


def test_type_checkers_know_the_names_of_a_package() -> None:
    """A module hides its `__getattr__` from type checkers; otherwise they would accept every misspelled
    name."""
    wrong = [
        str(path)
        for path in _python("sim", "server")
        for node in _tree(path).body
        if (isinstance(node, ast.FunctionDef) and node.name == "__getattr__")
        or (isinstance(node, ast.Assign) and any("__getattr__" in ast.unparse(one) for one in node.targets))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "pattern", [UNFINISHED, REGISTRY, MACHINE_PATH], ids=["unfinished", "registry", "path"]
)
def test_no_file_holds_what_should_not_land(pattern: re.Pattern[str]) -> None:
    """No file contains unfinished work, the address of a package registry, or a path of somebody's
    machine."""
    wrong = []
    for path in _files():
        if path.suffix not in TEXT_SUFFIXES:
            continue
        text = (ROOT / path).read_text(encoding="utf-8")
        found = {match[0] for match in pattern.finditer(text)}
        wrong += [f"{path}: {word}" for word in sorted(found)]
    assert wrong == []
