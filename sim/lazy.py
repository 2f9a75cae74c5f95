"""Names of a package that are resolved on first use (PEP 562), so that importing it loads nothing heavy."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"from ([\w.]+) import (\([^)]*\)|.*)")


@cache
def homes(package: str) -> Mapping[str, str]:
    """The modules of the names of *package*, taken from its imports for type checkers."""
    spec: Any = sys.modules[package].__spec__
    source = spec.loader.get_data(spec.origin).decode()
    block = re.split(r"\n(?=\S)", source.partition("\nif TYPE_CHECKING:\n")[2])[0]
    imports = ((names.strip("()").split(","), module) for module, names in _IMPORT.findall(block))
    return {name.split()[-1]: module for names, module in imports for name in names if name.strip()}


def lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of *package*."""

    def getattr_(name: str) -> Any:
        if name == "__all__":  # `from package import *`
            return [*homes(package)]
        home = homes(package).get(name)
        if home is None:
            from sim.errors import did_you_mean

            hint = "" if name.startswith("_") else did_you_mean(name, dir(sys.modules[package]))
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = None if home == package else getattr(import_module(home), name, None)
        if value is None:  # the name is itself a module
            value = import_module(f"{home}.{name}")
        vars(sys.modules[package])[name] = value
        return value

    def dir_() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes(package)})

    return getattr_, dir_
