"""Each dependency has its reason next to it, and its row in the table of CONTRIBUTING.md."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = "iso8583-lab"
_NAMED = re.compile(r'"([A-Za-z0-9][\w.-]*)[^"]*"')


def declared() -> dict[str, list[str]]:
    """Each declared package, and the extras that require it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, list[str]] = {}
    for extra, wanted in {"core": project["dependencies"], **project["optional-dependencies"]}.items():
        for one in wanted:
            name = re.split(r"[\[<>=]", one, maxsplit=1)[0]
            if name != OURS:
                found.setdefault(name, []).append(extra)
    return found


def test_each_dependency_has_its_reason_beside_it() -> None:
    """Each dependency has a comment on its line or on the line above."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    start, end = text.index("\ndependencies = ["), text.index("\n[project.scripts]")
    lines = text[start:end].splitlines()
    silent, above = [], False
    for line in lines:
        names = [name for name in _NAMED.findall(line.partition("#")[0]) if name in declared()]
        said = "#" in line or above
        silent += [] if said else names
        above = line.lstrip().startswith("#") or (above and bool(names) and line.startswith("    "))
    assert silent == []


def test_the_table_of_dependencies_is_that_of_the_project() -> None:
    """Names and extras in CONTRIBUTING.md match pyproject.toml; license, release and transitive
    dependencies are filled in."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Dependencies")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line
    ]
    found = {name: extras.split(", ") for name, extras, *rest in rows[2:] if len(rest) == 3 and all(rest)}
    assert found == declared()
