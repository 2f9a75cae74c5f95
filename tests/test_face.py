"""The face: what `import sim` offers, and how little it loads."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sim

ROOT = Path(__file__).parents[1]
SURFACE = [
    "NETWORKS",
    "VERSIONS",
    "BuildError",
    "IsoError",
    "Message",
    "ParseError",
    "SpecError",
    "__version__",
    "break_message",
    "build",
    "cases",
    "codes",
    "diff",
    "explain",
    "export_format",
    "faults",
    "fields",
    "formats",
    "generate",
    "load_format",
    "mask",
    "parse",
    "read",
    "plot",
    "respond",
    "reverse",
    "rules",
    "show",
    "validate",
]
FUNCTIONS = [name for name in SURFACE if name.islower() and not name.startswith("_")]


def run(code: str) -> str:
    """What a fresh Python prints for *code*."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.strip()


def test_surface() -> None:
    """The public names are exactly the written ones and each of them resolves; completion offers them and
    the two rooms, nothing else."""
    assert sorted(sim.__all__) == sorted(SURFACE)
    assert all(getattr(sim, name) is not None for name in SURFACE)
    assert dir(sim) == sorted([*SURFACE, "llm", "widgets"])


def test_import_is_light() -> None:
    """`import sim` alone loads no table library, no model library, no registry and not even the codec."""
    heavy = "pandas numpy pydantic ipywidgets anywidget pycountry iso4217 iso18245 sim.codec sim.spec"
    code = f"import sys, sim; print([name for name in {heavy.split()!r} if name in sys.modules])"
    assert run(code) == "[]"


def test_plain_names_need_no_pandas() -> None:
    """Message, errors and name lists come without pandas; the first function call brings it."""
    code = (
        "import sys, sim; sim.Message, sim.BuildError, sim.NETWORKS, sim.rules; "
        "print('pandas' in sys.modules); sim.parse('x'); print('pandas' in sys.modules)"
    )
    assert run(code).split() == ["False", "True"]


def test_version_is_the_packages() -> None:
    """`__version__` is the version that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sim.__version__ == project["version"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_teach(name: str) -> None:
    """Every function is a plain function with a typed signature, a contract and an example."""
    function = getattr(sim, name)
    assert inspect.isfunction(function)
    text = inspect.getdoc(function) or ""
    assert ">>> " in text
    assert "Raises" in text
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())


def test_unknown_name() -> None:
    """A name that does not exist is an AttributeError that says so."""
    with pytest.raises(AttributeError, match="module 'sim' has no attribute 'nothing'"):
        sim.nothing  # noqa: B018
