"""How many small mistakes the tests notice: `python tests/tools/mutate.py [COUNT] [--seed N] [--only PATH]`.

COUNT single tokens of `sim` and `server`, at random lines, are changed one at a time: an operator, a
comparison, a constant by one, a boolean. Each mutant is made in a copy of the checkout, and the tests of its
room run on it until one fails, first those that run its line, as a first run of them all has seen. One that
no test notices has survived, and is listed with its line.

The same seed gives the same mutants as long as the source is the same. What was found is kept in
`build/mutants.jsonl`, so that a run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "mutants.jsonl"
ROOMS = ("sim", "server")
_SECONDS = 900  # for the tests of a room; what takes longer hangs, and that is noticed
_OTHERS = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    **{"+": "-", "-": "+", "*": "//", "//": "*", "%": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<"},
    **{"+=": "-=", "-=": "+=", "and": "or", "or": "and", "True": "False", "False": "True"},
}
# Tests of a room that has no folder of its own name.
_ELSEWHERE = {
    "sim/masking": ("tests/test_masking.py", "tests/test_planted.py", "tests/test_planted_surfaces.py"),
    "sim/face": ("tests/test_face.py",),
    "sim/grid": ("tests/test_grid.py",),
    "sim/magic": ("tests/test_magic.py",),
    "sim/mcp": ("tests/test_mcp.py",),
    "sim/kept": ("tests/test_memory.py",),
    "sim/keys": ("tests/link/test_keys.py",),
    "sim/models": ("tests/llm",),
    "sim/parts": ("tests/elements",),
    "sim/exchanges": ("tests/tables/test_match.py", "tests/exchanges"),
    # That each rule finds its fault, where it is and nothing else, is tried where faults are made.
    "sim/judge": ("tests/operations/test_faults.py", "tests/judge"),
}


@dataclass(frozen=True)
class Mutant:
    """One token of one line, and what stands there instead."""

    path: str
    line: int
    column: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """The same for the same change of the same line, wherever it has moved to."""
        told = f"{self.path}/{self.source}/{self.column}/{self.after}"
        return sha256(told.encode()).hexdigest()[:16]

    def write(self, copy: Path) -> str:
        """Make the change in *copy*. Gives the text that was there."""
        path = copy / self.path
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        old = lines[self.line - 1]
        lines[self.line - 1] = old[: self.column] + self.after + old[self.column + len(self.before) :]
        path.write_text("".join(lines), encoding="utf-8")
        return text


def _ignored(tree: ast.Module) -> set[int]:
    """Lines that say nothing which a test could notice: docstrings, imports, annotations without a value, and
    what only type checkers read."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        only_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        imports = isinstance(node, ast.Import | ast.ImportFrom)
        if text or imports or only_types or (isinstance(node, ast.AnnAssign) and node.value is None):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines.update(range(node.lineno, node.body[0].lineno - (node.body[0].lineno == node.lineno)))
    return lines


def _annotations(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations stand: they are never evaluated, so no test can notice a change of one."""
    nodes = [node.annotation for node in ast.walk(tree) if isinstance(node, ast.AnnAssign | ast.arg)]
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in nodes
        if node is not None
    ]


def mutants_of(path: Path, name: str) -> Iterator[Mutant]:
    """Every mutant of the file at *path*, called *name*."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines, ignored, annotations = text.splitlines(), _ignored(tree), _annotations(tree)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row, column = token.start
        after = _OTHERS.get(token.string, "") if token.type in (tokenize.OP, tokenize.NAME) else ""
        # A star that begins something is no operator: `*args`.
        if token.string == "*" and lines[row - 1][:column].rstrip()[-1:] in ("", "(", ",", "[", "{", "="):
            after = ""
        if token.type == tokenize.NUMBER and token.string.isdigit():
            after = str(int(token.string) + 1)
        if after and row not in ignored and not any(start <= token.start < end for start, end in annotations):
            yield Mutant(name, row, column, token.string, after, lines[row - 1].strip())


def chosen(count: int, seed: int, only: str = "") -> list[Mutant]:
    """*count* mutants at random lines, one a line."""
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    every = [
        mutant
        for path in files
        if (name := path.relative_to(ROOT).as_posix()).startswith(only)
        for mutant in mutants_of(path, name)
    ]
    dice = random.Random(seed)
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for one in every:
        by_line.setdefault((one.path, one.line), []).append(one)
    lines = dice.sample(sorted(by_line), min(count, len(by_line)))
    return [dice.choice(by_line[line]) for line in lines]


def tests_of(path: str) -> list[str]:
    """The tests of the room that *path* is in: the examples in its docstrings, and those of its folder."""
    parts = path.removesuffix(".py").split("/")
    room = "/".join(parts[:2])
    own = path if room == path.removesuffix(".py") else room
    if room in _ELSEWHERE:
        return [own, *_ELSEWHERE[room]]
    folder = Path("tests", parts[1] if parts[0] == "sim" else "server")
    found = [at for at in (folder, folder.with_name(f"test_{folder.name}.py")) if (ROOT / at).exists()]
    return [own, (found or [Path("tests/test_face.py")])[0].as_posix()]


def _statement(source: str, line: int) -> range:
    """The lines of the innermost statement around *line*, of one with a body those of its head."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    begun = {one: min(at.lineno for at in (one, *getattr(one, "decorator_list", ()))) for one in nodes}
    around = [one for one in nodes if begun[one] <= line <= (one.end_lineno or 0)]
    inner = max(around, key=lambda one: one.lineno)
    body: list[ast.stmt] = getattr(inner, "body", [])
    return range(begun[inner], body[0].lineno if body else (inner.end_lineno or 0) + 1)


def _copy(folder: Path) -> Path:
    """The checkout without what git does not keep."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def _tested(copy: Path, arguments: list[str]) -> tuple[int, list[str]]:
    """The status of pytest in *copy* and the lines that tell of a failure."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), str(copy / "tests" / "offline")])}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "TESTS_MORE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *arguments]
    with tempfile.TemporaryFile("w+") as out:
        # Of its own session, so that what it started ends with it.
        running = subprocess.Popen(command, cwd=copy, env=env, stdout=out, stderr=out, start_new_session=True)
        try:
            status = running.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            return -1, [f"nothing ended within {_SECONDS} seconds"]
        out.seek(0)
        return status, [line for line in out.read().splitlines() if line.startswith(("FAILED ", "ERROR "))]


def noticed(copy: Path, tests: list[str], broken: list[str]) -> str:
    """Which of *tests* fails in *copy*, those left out that are *broken* anyway; empty where none does."""
    status, lines = _tested(copy, ["-x", *broken, *tests])
    return "" if status == 0 else next(iter(lines), f"status {status}")


@dataclass(frozen=True)
class Survey:
    """The tests of a room, run once without a change: how to leave out those that fail, and which of them run
    a line."""

    tests: list[str]
    broken: list[str]
    covered: CoverageData

    def noticed(self, one: Mutant, copy: Path) -> str:
        """Which test notices *one*, made in *copy*: first of those that ran its statement, then of all. What
        is kept after its first use is seen in one test only; what runs while files are loaded, or in another
        process, in none."""
        lines = self.covered.contexts_by_lineno(str(copy / one.path))
        source = (ROOT / one.path).read_text(encoding="utf-8")
        contexts = {context for line in _statement(source, one.line) for context in lines.get(line, [])}
        own = sorted({context.rpartition("|")[0] for context in contexts if "|" in context})
        for tests in (own, self.tests):
            if tests and (by := noticed(copy, tests, self.broken)):
                return by
        return ""


def surveyed(copy: Path, tests: list[str]) -> Survey:
    """Run *tests* in *copy* without any change."""
    _, lines = _tested(copy, ["--cov", "--cov-context=test", "--cov-report=", *tests])
    names = [(line.split()[0], line.split(" - ")[0].split(maxsplit=1)[1]) for line in lines if " " in line]
    covered = CoverageData(str(copy / "build" / "coverage"))
    covered.read()
    left_out = [
        f"--ignore={name}" if kind == "ERROR" and "::" not in name else f"--deselect={name}"
        for kind, name in names
    ]
    return Survey(tests, left_out, covered)


def _known() -> dict[str, dict[str, object]]:
    if not KEPT.is_file():
        return {}
    rows = (json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines())
    return {str(row["name"]): row for row in rows}


def run(count: int, seed: int, only: str) -> int:
    """Try *count* mutants, and say what became of each. Returns how many survived."""
    known = _known()
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    surveys: dict[str, Survey] = {}
    tally: Counter[str] = Counter()
    survived = []
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        copy = _copy(Path(folder))
        for number, one in enumerate(chosen(count, seed, only), 1):
            row = known.get(one.name)
            if row is None:
                tests = tests_of(one.path)
                room = tests[-1]
                if room not in surveys:
                    surveys[room] = surveyed(copy, tests)
                    print(*(f"fails without a change: {name}" for name in surveys[room].broken), sep="\n")
                text, begun = one.write(copy), time.monotonic()
                by = surveys[room].noticed(one, copy)
                (copy / one.path).write_text(text, encoding="utf-8")
                row = {"name": one.name, **asdict(one), "by": by, "seconds": round(time.monotonic() - begun)}
                with KEPT.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            told = "caught" if row["by"] else "survived"
            tally[told] += 1
            survived += [] if row["by"] else [one]
            print(
                f"{number} {told}: {one.path}:{one.line} {one.before} -> {one.after} ({row['seconds']} s)",
                flush=True,
            )
    for one in survived:
        print(f"{one.path}:{one.line}: {one.before} -> {one.after}\n    {one.source}")
    tried = tally["caught"] + tally["survived"]
    print(f"{tally['caught']} of {tried} caught ({tally['caught'] / max(tried, 1):.0%}), {dict(tally)}")
    return len(survived)


def main() -> None:
    """Read the command line and run, at the lowest priority."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=8583)
    parser.add_argument("--only", default="", metavar="PATH", help="a room or a file: sim/codec")
    options = parser.parse_args()
    os.nice(15)
    run(options.count, options.seed, options.only)


if __name__ == "__main__":
    main()
