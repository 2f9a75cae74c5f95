"""The README is true. `.ci/live.py` makes its curl calls to a running service."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields
from pathlib import Path

from server.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SERVICE = (ROOT / "notebooks" / "site" / "how-to" / "call_the_service.md").read_text(encoding="utf-8")


def test_the_python_examples_give_what_they_show() -> None:
    """The examples of the quick start run, with the output shown there."""
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_all_settings_of_the_server_stand_there_with_their_defaults() -> None:
    """The page about the service has one row per setting: variable and default."""
    rows = dict(re.findall(r"^\| `SIM_(\w+)` \|[^|]*\| `?([^`|]*?)`? ?\|[^|]*\|$", SERVICE, re.MULTILINE))
    defaults = {field.name.upper(): str(field.default or "") for field in fields(Settings)}
    defaults |= {field.name.upper(): "0" for field in fields(Settings) if field.default is False}
    assert rows == {name: text.removesuffix(".0") for name, text in defaults.items()}


def test_its_commands_are_targets_of_the_makefile() -> None:
    """Every `make ...` and every folder in the README exists."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert len(named) > 5
    assert named <= targets
    folders = re.findall(r"`((?:sim/|server|notebooks|tests|binder)\w*)`", README)
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
