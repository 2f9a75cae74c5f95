"""Names of a package that are resolved when first used (PEP 562): importing it loads nothing heavy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of *package*: *homes* says of modules which names, parted by spaces,
    live in them."""
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def getattr_(name: str) -> Any:
        if name not in home_of:
            from sim.errors import did_you_mean

            said = "" if name.startswith("_") else did_you_mean(name, dir(sys.modules[package]))
            raise AttributeError(f"module {package!r} has no attribute {name!r}{said}")
        value = vars(sys.modules[package])[name] = getattr(import_module(home_of[name]), name)
        return value

    def dir_() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of})

    return getattr_, dir_
