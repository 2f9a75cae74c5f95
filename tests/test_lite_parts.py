"""The parts of a JupyterLite site: the packages that this toolkit needs in a browser."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
import types
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
BROWSER = {"sys_platform": "emscripten", "python_version": "3.14", "extra": "jupyter"}


@pytest.fixture(name="tool")
def _tool(monkeypatch: pytest.MonkeyPatch) -> object:
    """A script of the site by name, with a substitute for the kernel's package, which only its own
    environment has."""
    kernel = types.ModuleType("jupyterlite_pyodide_kernel")
    constants = types.ModuleType("jupyterlite_pyodide_kernel.constants")
    vars(constants).update(PYODIDE_CDN_URL="", PYODIDE_PYTHON_VERSION="3.14", PYODIDE_VERSION="0")
    monkeypatch.setitem(sys.modules, kernel.__name__, kernel)
    monkeypatch.setitem(sys.modules, constants.__name__, constants)

    def load(name: str) -> ModuleType:
        path = ROOT / "tests" / "tools" / "lite" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"lite_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_a_package_that_two_extras_want_is_needed_by_the_one_that_holds(tool: object) -> None:
    """The order of extras does not matter: one extra's marker does not apply to another, and version
    bounds combine."""
    wanted = [
        "ipywidgets>=8.1; extra == 'jupyter'",
        "ipywidgets<9; extra == 'lab'",
        "click>=8.1",
        "click<9; extra == 'jupyter'",
        "tzdata; sys_platform == 'win32'",
    ]
    found = tool("build").here(map(Requirement, wanted), BROWSER)  # type: ignore[operator]
    assert sorted(found) == ["click", "ipywidgets"]
    assert str(found["ipywidgets"].specifier) == ">=8.1"
    assert found["click"].specifier.contains("8.2")
    assert not found["click"].specifier.contains("9.0")


def test_all_that_the_toolkit_needs_is_fetched(tool: object) -> None:
    """The list follows from the project's dependencies, so that a new one cannot be forgotten."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert tool("fetch").needed() == declared  # type: ignore[operator]
    assert any(one.startswith("tzdata") for one in declared)
