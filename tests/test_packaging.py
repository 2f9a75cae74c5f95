"""Every second description of the package matches pyproject.toml."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd  # noqa: F401  # before a test hides pyarrow, for which it looks once
import pytest

import sim

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What another package index calls it.
_CONDA = {"tzdata": "python-tzdata"}
# How a notebook shows that it uses what an extra brings.
_SIGNS = {
    "dask": "engine=",
    "keys": "sim.keys",
    "load": "sim.load(",
    "pcap": ".pcap",
    "plot": "sim.plot(",
}


def bounds(requirements: list[str]) -> set[tuple[str, str]]:
    """Package names in conda's spelling, with their versions."""
    split = (re.fullmatch(r"([a-z0-9-]+) ?([<>=,.0-9]*)", one) for one in requirements)
    return {(_CONDA.get(one[1], one[1]), one[2]) for one in split if one}


def test_the_conda_recipe_has_the_packages_bounds() -> None:
    """Version, Python, dependencies, extras and commands match the package's."""
    yaml = pytest.importorskip("yaml")
    path = ROOT / ".ci" / "conda" / "recipe.yaml"
    if not path.exists():
        pytest.skip("the recipe stands in a checkout alone")
    recipe = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == sim.__version__
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    needed = [one for one in recipe["requirements"]["run"] if not one.startswith("python >=")]
    assert bounds(needed) == bounds(PROJECT["dependencies"])
    extras = PROJECT["optional-dependencies"]
    assert bounds(recipe["requirements"]["run_constraints"]) == bounds(extras["jupyter"] + extras["server"])
    commands = {f"{name} = {target}" for name, target in PROJECT["scripts"].items()}
    assert set(recipe["build"]["python"]["entry_points"]) == commands


@pytest.mark.parametrize(
    ("file", "pattern"),
    [("Makefile", r"-e '\.\[(lab,[a-z,]+)\]'\n\t@mkdir"), ("binder/requirements.txt", r"-e \.\[([a-z,]+)\]")],
)
def test_what_opens_the_notebooks_installs_what_they_use(file: str, pattern: str) -> None:
    """`make lab` and Binder install every extra that a notebook of the course needs."""
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"))
    assert found
    books = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("notebooks/[0-9]*.ipynb"))
    needed = {extra for extra, sign in _SIGNS.items() if sign in books}
    assert {"load", "plot"} <= needed <= set(found[1].split(","))


def test_the_public_address_is_filled_in_at_one_place() -> None:
    """While the public address is a placeholder, only the package's own description and its recipe contain
    it."""
    named = [
        path.relative_to(ROOT).as_posix()
        for pattern in (
            "*.md",
            "*.toml",
            "*.cff",
            ".ci/**/*",
            ".github/**/*",
            "binder/*",
            "notebooks/**/*.md",
        )
        for path in ROOT.glob(pattern)
        if path.is_file() and "example.org/iso8583-lab" in path.read_text(encoding="utf-8")
    ]
    assert set(named) <= {"pyproject.toml", ".ci/conda/recipe.yaml"}


@pytest.mark.parametrize(
    ("name", "missing", "extra"),
    [
        ("sim.tables", "pandas", "jupyter"),
        ("sim.tables", "pyarrow", "jupyter"),
        ("sim.link.load.locust", "gevent", "locust"),
        ("sim.mcp", "mcp", "mcp"),
    ],
)
def test_where_a_package_is_missing_its_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, missing: str, extra: str
) -> None:
    """The error for a missing package says what to install."""
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install 'iso8583-lab\[{extra}\]'"):
        importlib.import_module(name)
